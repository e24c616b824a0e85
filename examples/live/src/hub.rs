//! The writer: it owns the index, moves everyone at each tick, and then writes to every view what has changed for it.
//!
//! A view has a queue of a few frames. If it is full, its browser has stopped reading, and the view is dropped; nobody
//! waits for it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::ws::Message;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::MissedTickBehavior;

use crate::around::Around;
use crate::fleet::Fleet;
use crate::frame::Frame;
use crate::globe::project;
use crate::message::{Refusal, Request, Shape};
use crate::rivals::{self, Question};
use crate::scan::{Nearest, Scan};
use crate::select::Selected;
use crate::sky::{LayerName, Sky};
use crate::survey::Allowance;
use crate::times::{Times, micros};
use crate::view::{SELDOM, View};
use quadrille::Rect;
use quadrille_airspace::data::Position;

/// How many frames may wait for a browser: three seconds of them.
pub const QUEUE: usize = 30;
/// How much time is between two ticks.
pub const TICK: Duration = Duration::from_millis(100);
/// How many airports a page may name though they are far apart: the busiest.
const NAMED: usize = 100;
/// How much of a tick the polygons of all views may take together.
const SURVEYS: Duration = Duration::from_millis(30);
/// In every so many ticks the cost of a view's frame by other means is measured.
const RACE: usize = 50;
/// A page opens on the square about this place that has so many aircraft, with a zone there.
const OPENING: Position = [-76.4, 40.3];
const OPENED: usize = 10_000;

/// The limits of a hub.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many views there may be.
    pub views: usize,
    /// How many objects of a layer are listed in a view.
    pub listed: usize,
}

/// The number of a view.
pub type ViewId = u64;

/// Something that the hub is to do.
#[derive(Debug)]
pub enum Command {
    /// A browser has come.
    Join(Seat, oneshot::Sender<Result<ViewId, TooManyViews>>),
    /// It has gone.
    Leave(ViewId),
    /// It has sent a message, or what should have been one.
    Ask(ViewId, Result<Request, Refusal>),
    /// A test asks.
    Inspect(Inspect, oneshot::Sender<serde_json::Value>),
}

/// The questions of tests.
#[derive(Debug)]
pub enum Inspect {
    /// Nobody flies on from now on; or they do.
    Pause(bool),
    /// Times, views, bytes.
    Status,
    /// All that is in a shape, by a linear scan.
    Scan(Shape),
    /// All that is nearest to an aircraft, by a linear scan.
    Nearest(u32),
}

/// Where a browser's messages go. Whoever reads the other ends sends them on, until the hub drops this.
#[derive(Debug)]
pub struct Seat {
    /// The queue.
    pub queue: mpsc::Sender<Message>,
    /// Dropped with the view, so that the other end learns of it though the queue is stuck.
    pub alive: oneshot::Sender<()>,
}

/// There is no room for another view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many views: there are {views}, limit {views}; try again later")]
pub struct TooManyViews {
    /// How many there are.
    pub views: usize,
}

struct Client {
    view: View,
    seat: Seat,
    frames: u64,
    bytes: u64,
}

/// The writer.
#[expect(missing_debug_implementations, reason = "it would be the whole world")]
pub struct Hub<'a> {
    sky: Sky<'a>,
    fleet: Fleet,
    limits: Limits,
    around: Around,
    /// How many parts of the scan have been measured, and how long they took.
    raced: usize,
    scanning: Duration,
    clients: BTreeMap<ViewId, Client>,
    next: ViewId,
    is_paused: bool,
    rounds: u32,
    moves: Times,
    ticks: Times,
    dropped: u64,
    bytes: u64,
}

impl<'a> Hub<'a> {
    /// A hub without views.
    #[must_use]
    pub fn new(sky: Sky<'a>, fleet: Fleet, limits: Limits) -> Self {
        Self {
            around: Around::new(&sky),
            raced: 0,
            scanning: Duration::ZERO,
            sky,
            fleet,
            limits,
            clients: BTreeMap::new(),
            next: 1,
            is_paused: false,
            rounds: 0,
            moves: Times::default(),
            ticks: Times::default(),
            dropped: 0,
            bytes: 0,
        }
    }

    /// Works until nobody can send commands any more.
    ///
    /// # Errors
    /// The index is full.
    pub async fn run(mut self, mut commands: mpsc::Receiver<Command>) -> anyhow::Result<()> {
        let mut ticks = tokio::time::interval(TICK);
        // After a tick that took too long the next ones are on time again, none is made up for.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                // In this order, so that no flood of commands holds up the clock.
                biased;
                _ = ticks.tick() => self.tick()?,
                command = commands.recv() => match command {
                    Some(command) => self.obey(command),
                    None => return Ok(()),
                },
            }
        }
    }

    /// Does one thing.
    pub fn obey(&mut self, command: Command) {
        match command {
            Command::Join(seat, answer) => drop(answer.send(self.join(seat))),
            Command::Leave(id) => drop(self.clients.remove(&id)),
            Command::Ask(id, Ok(request)) => self.follow(id, request),
            Command::Ask(id, Err(refusal)) => self.tell(id, &json!({ "error": refusal.to_string() })),
            Command::Inspect(question, answer) => drop(answer.send(self.inspect(question))),
        }
    }

    /// Moves everyone, and sends what has changed.
    ///
    /// # Errors
    /// The index is full.
    pub fn tick(&mut self) -> anyhow::Result<()> {
        let begun = Instant::now();
        if !self.is_paused {
            self.fleet.advance(&mut self.sky)?;
        }
        let moved = begun.elapsed();
        self.rounds += 1;
        if !self.clients.is_empty() && self.rounds.is_multiple_of(SELDOM) {
            self.around.ask(&self.sky);
        }
        let surveys = self.clients.values().filter(|client| client.view.is_surveyed()).count();
        let mut allowance = Allowance::new(SURVEYS, surveys as u32);
        for id in self.in_turn() {
            // Not all views in one tick.
            let is_seldom = (self.rounds + id as u32).is_multiple_of(SELDOM);
            self.send_frame(id, is_seldom, &mut allowance);
            if is_seldom {
                self.send_selected(id);
                self.send_times(id);
            }
        }
        // Together, so that views are always told of both of the same tick.
        if !self.is_paused {
            self.moves.push(moved);
            self.ticks.push(begun.elapsed());
            self.race();
        }
        Ok(())
    }

    /// Tells a view, another one each time, how long a frame takes in microseconds: with this index, by a scan, and with a static
    /// index. The scan around airports is spread over ticks, since no tick has so much time.
    fn race(&mut self) {
        if self.clients.is_empty() || self.fleet.is_empty() {
            (self.raced, self.scanning) = (0, Duration::ZERO);
            return;
        }
        let (places, around) = (self.fleet.places(), self.around.balls());
        let part = around.chunks(around.len().div_ceil(RACE)).nth(self.raced).unwrap_or_default();
        self.scanning += time(|| rivals::count_around(places, part));
        self.raced += 1;
        if self.raced < RACE {
            return;
        }
        let turn = self.rounds as usize % self.clients.len();
        let Some((&id, client)) = self.clients.iter().nth(turn) else { return };
        let (view, zone, limit) = (client.view.rect(), client.view.zone(), self.limits.listed);
        let scanning = self.scanning + time(|| rivals::scan(places, &Question { view, limit, zone, around: &[] }));
        let rebuilding = time(|| rivals::rebuild(places, &Question { view, limit, zone, around }));
        let times = client.view.micros();
        let own = micros(self.fleet.indexing() + self.around.time());
        let own = own + times.layers[usize::from(LayerName::Aircraft.number())] + times.zone;
        let questions = 1 + usize::from(zone.is_some()) + around.len();
        (self.raced, self.scanning) = (0, Duration::ZERO);
        self.tell(
            id,
            &json!({ "race": { "questions": questions, "micros": [own, micros(scanning), micros(rebuilding)] } }),
        );
    }

    /// All views, from another one on in each tick: who comes late is left what others have not used.
    fn in_turn(&self) -> Vec<ViewId> {
        let mut ids: Vec<_> = self.clients.keys().copied().collect();
        let first = self.rounds as usize % ids.len().max(1);
        ids.rotate_left(first);
        ids
    }

    fn join(&mut self, seat: Seat) -> Result<ViewId, TooManyViews> {
        if self.limits.views <= self.clients.len() {
            return Err(TooManyViews { views: self.limits.views });
        }
        let id = self.next;
        self.next += 1;
        let view = View::new(home(), [true, true, false, true], &self.sky);
        self.clients.insert(id, Client { view, seat, frames: 0, bytes: 0 });
        self.tell(id, &hello(&self.sky, self.limits));
        Ok(id)
    }

    fn follow(&mut self, id: ViewId, request: Request) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        let selects = matches!(request, Request::Select(_));
        client.view.follow(request, &self.sky);
        if selects && client.view.selected().is_none() {
            self.tell(id, &json!({ "selected": null }));
        } else if selects {
            self.send_selected(id);
        }
    }

    fn send_frame(&mut self, id: ViewId, is_seldom: bool, allowance: &mut Allowance) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        #[expect(clippy::cast_possible_truncation, reason = "minutes of a day")]
        let minute = self.fleet.minute_of_the_day() as f32;
        let mut frame = Frame::new(self.fleet.tick(), minute, self.fleet.len() as u32, client.view.rect());
        client.view.write(&self.sky, self.limits.listed, is_seldom, allowance, &mut frame);
        client.frames += 1;
        self.send(id, Message::Binary(Bytes::from(frame.finish())));
    }

    fn send_selected(&mut self, id: ViewId) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        let Some(aircraft) = client.view.selected() else { return };
        let selected = Selected::ask(&self.sky, aircraft);
        if selected.is_none() {
            client.view.deselect();
        }
        let landed = selected.is_none();
        self.tell(id, &json!({ "selected": selected, "landed": landed }));
    }

    fn send_times(&mut self, id: ViewId) {
        let Some(client) = self.clients.get(&id) else { return };
        let (moves, ticks) = (self.moves.last(), self.ticks.last());
        let (times, views) = (client.view.micros(), self.clients.len());
        let times = json!({ "move": moves, "tick": ticks, "view": times, "views": views });
        self.tell(id, &json!({ "times": times, "around": self.around.counts() }));
    }

    fn tell(&mut self, id: ViewId, message: &serde_json::Value) {
        self.send(id, Message::Text(message.to_string().into()));
    }

    fn send(&mut self, id: ViewId, message: Message) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        let bytes = match &message {
            Message::Binary(bytes) => bytes.len(),
            Message::Text(text) => text.len(),
            _ => 0,
        } as u64;
        client.bytes += bytes;
        self.bytes += bytes;
        if let Err(error) = client.seat.queue.try_send(message) {
            self.dropped += u64::from(matches!(error, mpsc::error::TrySendError::Full(_)));
            self.clients.remove(&id);
        }
    }

    fn inspect(&mut self, question: Inspect) -> serde_json::Value {
        match question {
            Inspect::Pause(paused) => {
                self.is_paused = paused;
                json!({ "tick": self.fleet.tick() })
            }
            Inspect::Status => self.status(),
            Inspect::Scan(shape) => json!(Scan::of(&self.sky, &self.fleet, &shape)),
            Inspect::Nearest(id) => json!(Nearest::of(&self.sky, &self.fleet, id)),
        }
    }

    fn status(&self) -> serde_json::Value {
        let views: Vec<_> = self.clients.values().map(|client| json!([client.frames, client.bytes])).collect();
        json!({
            "tick": self.fleet.tick(),
            "minute": self.fleet.minute_of_the_day(),
            "airborne": self.fleet.len(),
            "views": views,
            "dropped": self.dropped,
            "bytes": self.bytes,
            "move_micros": self.moves.summary(),
            "tick_micros": self.ticks.summary(),
        })
    }
}

/// How long it takes to answer.
fn time<A>(answer: impl FnOnce() -> A) -> Duration {
    let begun = Instant::now();
    std::hint::black_box(answer());
    begun.elapsed()
}

/// All of the country.
fn home() -> Rect {
    Rect::new(project([-130.0, 20.0]), project([-60.0, 52.0]))
}

/// The part of the map to begin with: the square in which there are so many aircraft, found by counts. If there are fewer,
/// none.
fn opening(sky: &Sky<'_>) -> Option<Rect> {
    let square = |half: f32| Rect::from_center_half(project(OPENING), [half; 2]);
    let count = |half: f32| sky.index.intersecting(square(half)).in_layers(sky.aircraft).count();
    let halves = std::iter::successors(Some(0.1), |half| Some(half * 1.05));
    halves.take_while(|&half| half < 20.0).find(|&half| OPENED <= count(half)).map(square)
}

/// The first message to a page: names, the busiest airports, limits, all of the country, the part to begin with, and a zone there.
fn hello(sky: &Sky<'_>, limits: Limits) -> serde_json::Value {
    let tables = sky.tables;
    let opening = opening(sky);
    let zone = json!({ "circle": { "center": project(OPENING), "radius": 0.17 * opening.map_or(10.0, |opening| opening.size()[0]) } });
    json!({ "hello": {
        "airports": tables.airports.iter().map(|airport| &airport.iata).collect::<Vec<_>>(),
        "busiest": tables.busiest_airports().into_iter().take(NAMED).collect::<Vec<_>>(),
        "states": tables.states().map(|state| &state.name).collect::<Vec<_>>(),
        "limits": { "listed": limits.listed, "views": limits.views },
        "home": corners(home()),
        "opening": opening.map(corners),
        "zone": zone,
    } })
}

fn corners(rect: Rect) -> [f32; 4] {
    let ([left, bottom], [right, top]) = (rect.min(), rect.max());
    [left, bottom, right, top]
}

#[cfg(test)]
mod tests;
