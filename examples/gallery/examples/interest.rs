//! Players and objects: each player's area of interest is a watch, and only what has changed in it is sent.
//!
//!     cargo run --release -p quadrille-gallery --example interest -- --verify

use std::collections::BTreeMap;
use std::process::ExitCode;

use quadrille::{Handle, Layer, Points, Quadtree, Rect, Watch};
use quadrille_gallery::text::{float, percent, single};
use quadrille_gallery::{Ink, Mark, Picture, Program, Show, Stopwatch, grouped, palette};
use rand::{Rng, RngExt};

const WORLD: [f32; 2] = [4000.0, 2250.0];
const PLAYERS: usize = 40;
const VIEW: [f32; 2] = [240.0, 135.0];
/// A unit walks in one tick of so many.
const ONE_IN: u64 = 3;

/// The value of an object.
struct Unit {
    velocity: [f32; 2],
    /// When it last moved.
    moved: usize,
}

/// The world as the server knows it. Trees stand still, units walk.
struct Server {
    index: Quadtree<Unit>,
    trees: Layer<Points>,
    units: Layer<Points>,
    interests: [Watch; PLAYERS],
}

/// The world as a player knows it: what was sent, and nothing else.
type Replica = BTreeMap<u64, [f32; 2]>;

/// The bytes sent of one object: 8 bytes of its handle, and 8 of its place unless it is gone.
enum Message {
    Put(u64, [f32; 2]),
    Forget(u64),
}

fn main() -> ExitCode {
    let about = "Areas of interest: each player is sent what has changed in view, and nothing else.";
    Program { name: "interest", about, objects: 20_000, ticks: 200 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let mut server = Server::new(show.objects(), &mut show.dice())?;
    let mut replicas = vec![Replica::new(); PLAYERS];
    let (mut walking, mut polling) = (Stopwatch::default(), Stopwatch::default());
    let (mut sent, mut in_view, mut ticks) = (0, 0, 0);
    let mut packet = Vec::new();
    for tick in show.ticks() {
        walking.time(|| server.walk(tick))?;
        for (player, replica) in replicas.iter_mut().enumerate() {
            packet.clear();
            polling.time(|| server.write_news(player, tick, &mut packet))?;
            sent += packet.len();
            in_view += server.interests[player].inside().len();
            read_news(&packet, replica);
            if show.verify() {
                let view = view(player, tick);
                let visible = server.index.iter().filter(|object| view.intersects(&object.shape()));
                let visible = visible.map(|object| (object.handle().to_bits(), bits(object.shape().min())));
                show.same("what a player knows", replica.iter().map(|(&id, &at)| (id, bits(at))), visible)?;
            }
        }
        ticks += 1;
    }
    let all = server.index.len() * PLAYERS * ticks;
    let per_tick = |bytes: usize| format!("{} bytes", grouped(&(bytes / ticks / PLAYERS)));
    show.figure("to walk, a tick of all units", walking);
    show.figure("to poll and write the news of a player", polling);
    show.figure("a player is sent, a tick", per_tick(sent));
    show.figure("if all that is in view were sent", per_tick(in_view * PUT));
    show.figure("if everything were sent", per_tick(all * PUT));
    show.figure("share of what is in view", percent(float(sent) / float(in_view * PUT)));
    show.figure("share of everything", percent(float(sent / ticks) / float(all / ticks * PUT)));
    show.draw(server.picture(show.last_tick()))
}

impl Server {
    fn new(count: usize, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut index = Quadtree::new(Rect::new([0.0; 2], WORLD))?;
        let (trees, units) = (index.add_point_layer()?, index.add_point_layer()?);
        for (layer, speed) in [(trees, 0.0..=0.0), (units, -2.0..=2.0)] {
            let mut objects: Vec<([f32; 2], Unit)> = (0..count / 2)
                .map(|_| {
                    let at = WORLD.map(|side| dice.random_range(0.0..side));
                    let velocity = [(); 2].map(|()| dice.random_range(speed.clone()));
                    (at, Unit { velocity, moved: 0 })
                })
                .collect();
            index.sort_by_place(&mut objects, |object| object.0);
            index.insert_batch(layer, objects)?;
        }
        let interests = [const { Watch::new() }; PLAYERS];
        Ok(Self { index, trees, units, interests })
    }

    /// A third of the units walk, and turn round at the edge of the world.
    fn walk(&mut self, tick: usize) -> anyhow::Result<()> {
        let moved = self.index.update(self.units, |handle, mut unit, at| {
            let mut at = at.min();
            if (handle.to_bits() + tick as u64).is_multiple_of(ONE_IN) {
                unit.moved = tick;
                for (axis, side) in WORLD.into_iter().enumerate() {
                    at[axis] += unit.velocity[axis];
                    if at[axis] < 0.0 || side < at[axis] {
                        unit.velocity[axis] = -unit.velocity[axis];
                    }
                }
            }
            at
        })?;
        assert!(moved.refused.is_empty(), "all places are finite");
        Ok(())
    }

    /// Writes what a player must be told in this tick.
    fn write_news(&mut self, player: usize, tick: usize, packet: &mut Vec<u8>) -> anyhow::Result<()> {
        let (index, interest) = (&self.index, &mut self.interests[player]);
        let changes = interest.poll(index.intersecting(view(player, tick)))?;
        for gone in changes.left {
            Message::Forget(gone.to_bits()).write(packet);
        }
        let entered = changes.entered.to_vec();
        let moved = interest.inside().iter().filter(|&&object| {
            let unit = index.get(object).expect("it is inside");
            unit.moved == tick && entered.binary_search(&object).is_err()
        });
        for &object in entered.iter().chain(moved) {
            Message::Put(object.to_bits(), place(index, object)).write(packet);
        }
        Ok(())
    }

    fn picture(&self, tick: usize) -> Picture {
        let mut picture = Picture::new("Interest: what each player sees, and is told of", [1200.0, 675.0]);
        let mut panel = picture.whole(self.index.world());
        let hidden = Ink::fill(palette::STONE).opacity(0.35);
        let (tree, unit) = (Ink::fill(palette::LEAF), Ink::fill(palette::GOLD));
        let frame = Ink::fill(palette::PAPER).opacity(0.07).edged(palette::PAPER, 1.1);
        let seen = |layer: Layer<Points>| {
            let seen = self.interests.iter().flat_map(Watch::inside).copied();
            seen.filter(move |&object| self.index.layer(object) == Some(layer.id()))
                .map(|object| place(&self.index, object))
        };
        panel.dots(&hidden, 0.9, self.index.iter().step_by(3).map(|object| object.shape().min()));
        panel.boxes(&frame, (0..PLAYERS).map(|player| view(player, tick)));
        panel.dots(&tree, 1.5, seen(self.trees));
        panel.dots(&unit, 1.5, seen(self.units));
        picture.add(panel);
        picture.legend(Mark::Box, &frame, format!("views of {PLAYERS} players"));
        picture.legend(Mark::Dot, &tree, "trees that some player sees");
        picture.legend(Mark::Dot, &unit, "units that some player sees");
        picture.legend(Mark::Dot, &hidden, "some of those that nobody sees");
        picture
    }
}

fn place(index: &Quadtree<Unit>, object: Handle) -> [f32; 2] {
    index.shape(object).expect("it is inside").min()
}

/// Where a player looks in a tick.
fn view(player: usize, tick: usize) -> Rect {
    let (number, time) = (float(player), 0.01 * float(tick));
    let [x, y] = [(2.4 * number + time).cos(), (5.1 * number + 1.3 * time).sin()];
    let center = [WORLD[0] * single(0.5 + 0.43 * x), WORLD[1] * single(0.5 + 0.43 * y)];
    Rect::from_center_half(center, VIEW.map(|side| side / 2.0))
}

/// The bytes of an object's handle and place, after one that says what they are.
const PUT: usize = 1 + 8 + 8;

impl Message {
    fn write(&self, packet: &mut Vec<u8>) {
        match self {
            Self::Put(id, [x, y]) => {
                packet.push(1);
                packet.extend(id.to_le_bytes());
                packet.extend([x, y].into_iter().flat_map(|number| number.to_le_bytes()));
            }
            Self::Forget(id) => {
                packet.push(0);
                packet.extend(id.to_le_bytes());
            }
        }
    }

    /// The first message of a packet, and the rest of it.
    fn read(packet: &[u8]) -> Option<(Self, &[u8])> {
        let (&tag, rest) = packet.split_first()?;
        let (&id, rest) = rest.split_first_chunk()?;
        let id = u64::from_le_bytes(id);
        if tag == 0 {
            return Some((Self::Forget(id), rest));
        }
        let (&x, rest) = rest.split_first_chunk()?;
        let (&y, rest) = rest.split_first_chunk()?;
        Some((Self::Put(id, [f32::from_le_bytes(x), f32::from_le_bytes(y)]), rest))
    }
}

/// The player's side.
fn read_news(mut packet: &[u8], replica: &mut Replica) {
    while let Some((message, rest)) = Message::read(packet) {
        match message {
            Message::Put(id, at) => replica.insert(id, at),
            Message::Forget(id) => replica.remove(&id),
        };
        packet = rest;
    }
}

fn bits(at: [f32; 2]) -> [u32; 2] {
    at.map(f32::to_bits)
}
