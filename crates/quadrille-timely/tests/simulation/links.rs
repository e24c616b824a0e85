//! Processes whose messages go in pieces, and wait; whose connections are cut, heal and spoil bytes; of which one stands still,
//! dies, stops or is another one; beside callers of an older start. Messages that arrive are compared with a list of what was sent.
//!
//! The threads of timely are played by actors that write and read as they do; the dataflow and its workers are not played.

use std::collections::BTreeMap;
use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use timely::communication::allocator::zero_copy::stream::Stream;
use timely::communication::networking::MessageHeader;

use super::Played;
use super::stage::{End, Pipe, Stage, wait};
use crate::all::common::Dice;
use crate::links::messages::Built;
use crate::links::sockets::{greeting, heard};
use crate::links::way::Way;
use crate::links::{Connections, Link, LinkError, LinkFault, Links};

/// The faults that the play must find.
pub(super) const FAULTS: [&str; 6] = [
    "a checksum that is not compared",
    "a silence that is not added up",
    "no signs of life",
    "a sender that is not compared",
    "a token that is not compared",
    "a reason that is not told",
];

const LIMIT: Duration = Duration::from_secs(2);
const TOKEN: u64 = 77;
/// None of progress is used.
const CHANNELS: usize = 3;
/// The numbers of callers that are none of the processes begin here.
const STRANGER: usize = 100;
/// A link that heard nothing yet waits so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A harm to one process, or between it and another one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Harm {
    /// These two are waited for.
    Slow,
    Healed,
    /// After these, all stop.
    Cut,
    CutOneWay,
    Frozen,
    Death,
    Spoilt,
    Stopped,
    Swapped,
}

const HARMS: [Harm; 9] = {
    use Harm::{Cut, CutOneWay, Death, Frozen, Healed, Slow, Spoilt, Stopped, Swapped};
    [Slow, Healed, Cut, CutOneWay, Frozen, Death, Spoilt, Stopped, Swapped]
};

type Sent = BTreeMap<(usize, usize), Vec<Vec<u8>>>;

struct Play {
    stage: Arc<Stage>,
    processes: usize,
    harm: Harm,
    /// Its time, how long it lasts, the process, and the other one.
    at: Duration,
    lasts: Duration,
    one: usize,
    other: usize,
    sent: Sent,
    came: Arc<Mutex<Sent>>,
    /// When a process noticed that it must stop.
    noticed: Arc<Mutex<BTreeMap<usize, Duration>>>,
    /// The message of a panic that timely would raise.
    panics: Arc<Mutex<Vec<String>>>,
}

/// Plays a seed. Its error says what is wrong.
pub(super) fn play(seed: u64, fault: &'static str) -> Result<Played, String> {
    let mut dice = Dice(seed ^ 0x11_4B5);
    let processes = 2 + dice.roll(2) as usize;
    let one = dice.roll(processes as u64) as usize;
    let other = (one + 1 + dice.roll(processes as u64 - 1) as usize) % processes;
    let harm = HARMS[dice.roll(HARMS.len() as u64) as usize];
    let lasts = match harm {
        Harm::Slow => LIMIT.mul_f64(dice.roll(50) as f64 / 100.0),
        Harm::Healed => LIMIT.mul_f64(dice.roll(25) as f64 / 100.0),
        _ => LIMIT * (3 + dice.roll(5) as u32),
    };
    let at = Duration::from_millis(if dice.one_in(10) { dice.roll(1000) } else { 1000 + dice.roll(4000) });
    let stage = Stage::new(seed, fault);
    let (sent, came, noticed, panics) = Default::default();
    let mut play = Play { stage, processes, harm, at, lasts, one, other, sent, came, noticed, panics };
    play.connect(&mut dice);
    let strangers = play.greet(&mut dice)?;
    let links = play.run(&mut dice);
    play.check(&links)?;
    let mut played = Played::default();
    played.count("messages", play.came.lock().unwrap().values().map(|list| list.len() as u64).sum());
    played.count("errors", links.iter().filter(|links| links.error().is_some()).count() as u64);
    played.count("harms", u64::from(!play.is_calm()));
    played.count("strangers", strangers);
    Ok(played)
}

/// Reads one end.
struct Reader(End);

impl Read for Reader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

/// The message of that number.
fn message(from: usize, to: usize, number: usize) -> Vec<u8> {
    let mut dice = Dice((from * 10_000_000 + to * 1_000_000 + number) as u64);
    let longest = if dice.one_in(8) { 3000 } else { 60 };
    let length = 32 + 8 * dice.roll(longest / 8) as usize;
    let header = MessageHeader {
        channel: number % CHANNELS,
        source: from,
        target_lower: to,
        target_upper: to + 1,
        length,
        seqno: number,
    };
    let mut bytes = Vec::new();
    header.write_to(&mut bytes).unwrap();
    bytes.extend((from as u64).to_le_bytes());
    // With rows of one tick.
    bytes.extend([number as u64, 1, 7].map(u64::to_le_bytes).as_flattened());
    bytes.resize_with(48 + length, || dice.roll(256) as u8);
    bytes
}

impl Play {
    fn is_calm(&self) -> bool {
        matches!(self.harm, Harm::Slow | Harm::Healed)
    }

    fn end(&self, me: usize, peer: usize) -> End {
        End { stage: Arc::clone(&self.stage), me, peer, patience: LIMIT / 16 }
    }

    fn connect(&self, dice: &mut Dice) {
        let mut state = self.stage.state();
        for from in 0..self.processes {
            for to in (0..self.processes).filter(|to| *to != from) {
                let delay = if dice.one_in(3) { Duration::ZERO } else { LIMIT.mul_f64(dice.roll(25) as f64 / 100.0) };
                let room = if self.harm == Harm::Stopped || dice.one_in(2) { usize::MAX } else { 4000 };
                state.pipes.insert((from, to), Pipe::new(delay, room));
            }
        }
    }

    /// The processes say who they are, after others that have an older token, say nonsense, or say nothing.
    fn greet(&self, dice: &mut Dice) -> Result<u64, String> {
        let wrong: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut strangers = 0;
        for (me, caller) in (0..self.processes).flat_map(|me| (me + 1..self.processes).map(move |caller| (me, caller)))
        {
            let mut callers = Vec::new();
            for _ in 0..dice.roll(3) {
                strangers += 1;
                let nonsense: Vec<u8> = (0..dice.roll(40)).map(|_| dice.roll(256) as u8).collect();
                let words = if dice.one_in(2) { greeting(TOKEN - 1, caller) } else { nonsense };
                callers.push((STRANGER * strangers + caller, words, None));
            }
            callers.push((caller, greeting(TOKEN, caller), Some(caller)));
            for (caller, words, _) in &callers {
                self.stage.state().pipes.entry((*caller, me)).or_insert(Pipe::new(LIMIT / 20, usize::MAX));
                let (end, words) = (self.end(*caller, me), words.clone());
                self.stage.add(*caller, move || assert_eq!(end.write(&[IoSlice::new(&words)]).unwrap(), words.len()));
            }
            let ends = callers.iter().map(|(caller, _, number)| (self.end(me, *caller), *number));
            let (ends, wrong): (Vec<_>, _) = (ends.collect(), Arc::clone(&wrong));
            self.stage.add(me, move || {
                for (end, number) in ends {
                    let peer = end.peer;
                    let seen = heard(&mut Reader(End { patience: LIMIT, ..end }), TOKEN);
                    if seen != number {
                        wrong.lock().unwrap().push(format!("caller {peer} is taken for {seen:?}"));
                    }
                }
            });
        }
        self.stage.play();
        let wrong = wrong.lock().unwrap();
        wrong.first().map_or(Ok(strangers as u64), |wrong| Err(wrong.clone()))
    }

    fn run(&mut self, dice: &mut Dice) -> Vec<Links> {
        self.at += self.stage.state().now;
        self.prepare_harm(dice);
        let all: Vec<Connections> = (0..self.processes).map(|me| self.connections(me)).collect();
        for connections in &all {
            self.add_process(connections, dice);
        }
        self.stage.play();
        all.into_iter().map(|connections| connections.links).collect()
    }

    fn connections(&self, me: usize) -> Connections {
        let way = |peer| (peer != me).then(|| Arc::new(self.end(me, peer)) as Arc<dyn Way>);
        let claimed = if (self.harm, me) == (Harm::Swapped, self.one) { 7 } else { me };
        let links = Links::over(claimed, (0..self.processes).map(way).collect(), LIMIT);
        links.built(Built { channels: 0..CHANNELS + 1, shape: Vec::new() });
        Connections { links, number: me, threads: 1 }
    }

    fn prepare_harm(&self, dice: &mut Dice) {
        let (at, one, other, until) = (self.at, self.one, self.other, self.at + self.lasts);
        let mut state = self.stage.state();
        match self.harm {
            Harm::Slow | Harm::Frozen => drop(state.pauses.insert(one, (at, until))),
            Harm::Healed | Harm::Cut | Harm::CutOneWay => {
                let until = if self.harm == Harm::Healed { until } else { Duration::MAX };
                let ways = [(one, other), (other, one)];
                for way in &ways[..if self.harm == Harm::CutOneWay { 1 } else { 2 }] {
                    state.pipes.get_mut(way).unwrap().cut = Some((at, until));
                }
            }
            Harm::Death => {
                state.deaths.insert(one, at);
                drop(state);
                let end = self.end(one, other);
                self.stage.add(STRANGER, move || {
                    let state = end.stage.state();
                    wait(state, at).die(end.me);
                });
            }
            Harm::Spoilt => {
                state.pipes.get_mut(&(one, other)).unwrap().spoilt = Some((16 + dice.roll(3000), dice.roll(10)));
            }
            Harm::Stopped | Harm::Swapped => (),
        }
    }

    /// The threads of a process: to each peer one that sends, one that receives, one for signs of life; and a worker that looks
    /// whether all must stop.
    fn add_process(&mut self, connections: &Connections, dice: &mut Dice) {
        let me = connections.number;
        let mut streams = connections.streams();
        let left = Arc::new(Mutex::new(2 * (self.processes - 1)));
        for (peer, link) in streams.iter_mut().enumerate() {
            let Some(link) = link.take() else { continue };
            let reader = link.try_clone().unwrap();
            let count = 10 + dice.roll(50) as usize;
            let all: Vec<Vec<u8>> = (0..count).map(|number| message(me, peer, number)).collect();
            self.sent.insert((me, peer), all.clone());
            let (own, end, leave) = (Dice(dice.roll(u64::MAX)), self.end(me, peer), Arc::clone(&left));
            let links = connections.links.clone();
            self.stage.add(me, move || {
                send(&end, link, &all, own, &links);
                *leave.lock().unwrap() -= 1;
            });
            let (came, panics, leave) = (Arc::clone(&self.came), Arc::clone(&self.panics), Arc::clone(&left));
            self.stage.add(me, move || {
                if let Err(error) =
                    receive(reader, |bytes| came.lock().unwrap().entry((peer, me)).or_default().push(bytes))
                {
                    panics.lock().unwrap().push(format!("process {me}, from {peer}: {error}"));
                }
                *leave.lock().unwrap() -= 1;
            });
            let links = connections.links.clone();
            self.stage.add(me, links.beat(peer));
        }
        let (links, end) = (connections.links.clone(), self.end(me, (me + 1) % self.processes));
        let noticed = Arc::clone(&self.noticed);
        let failure = ((self.harm, me) == (Harm::Stopped, self.one)).then_some(self.at);
        self.stage.add(me, move || {
            loop {
                let is_over = *left.lock().unwrap() == 0;
                if links.stopped() {
                    noticed.lock().unwrap().entry(me).or_insert(end.stage.state().now);
                    let why = links.error().map_or(String::new(), |error| error.to_string());
                    links.stop(&why);
                } else if failure.is_some_and(|at| at <= end.stage.state().now) {
                    links.stop("a test");
                }
                if is_over {
                    break;
                }
                end.sleep(Duration::from_millis(100));
            }
            // Its connections close with it.
            let mut state = end.stage.state();
            let now = state.now;
            state.deaths.insert(me, now);
        });
    }

    fn check(&self, links: &[Links]) -> Result<(), String> {
        let context = format!("{:?} of {} with {} at {:?}", self.harm, self.one, self.other, self.at);
        let wrong = |text: String| Err(format!("{context}: {text}"));
        if let Some(panic) = self.panics.lock().unwrap().first() {
            return wrong(format!("timely would panic: {panic}"));
        }
        if self.stage.state().is_over {
            return wrong("somebody waits for ever".into());
        }
        let (came, noticed) = (self.came.lock().unwrap(), self.noticed.lock().unwrap());
        let latest = match self.harm {
            // The byte may be sent at any time.
            Harm::Spoilt => Duration::MAX,
            // Nothing may have come from it yet.
            _ if self.at < self.stage.begun() + LIMIT / 2 => self.at + self.lasts + PATIENCE + LIMIT,
            Harm::Frozen => self.at + self.lasts + LIMIT,
            _ => self.at + LIMIT * 2,
        };
        for me in (0..self.processes).filter(|me| (self.harm, *me) != (Harm::Death, self.one)) {
            let error = links[me].error();
            let is_own = (self.harm, me) == (Harm::Stopped, self.one) && links[me].stopped();
            for peer in (0..self.processes).filter(|peer| *peer != me) {
                let (sent, came) = (&self.sent[&(peer, me)], came.get(&(peer, me)).map_or(&[][..], |list| list));
                if !sent.starts_with(came) {
                    return wrong(format!("{me} got from {peer} other messages than were sent"));
                }
                if error.is_none() && !is_own && sent.len() != came.len() {
                    return wrong(format!(
                        "{me} got {} of {} messages from {peer}, and no error",
                        came.len(),
                        sent.len()
                    ));
                }
            }
            match error {
                Some(error) if !self.is_expected(me, &error) => return wrong(format!("process {me} says: {error}")),
                None if self.harm == Harm::Swapped && me != self.one => return wrong(format!("{me} notices nothing")),
                _ => (),
            }
            if let Some(late) = noticed.get(&me).filter(|time| latest < **time) {
                return wrong(format!("process {me} notices it at {late:?}"));
            }
        }
        Ok(())
    }

    /// Whether a process may say so.
    fn is_expected(&self, me: usize, error: &LinkError) -> bool {
        let is_between = [(me, error.peer), (error.peer, me)].contains(&(self.one, self.other));
        match &error.fault {
            // Another one has noticed it before; its reason may have found no room.
            LinkFault::Stopped(text) => !self.is_calm() && (self.harm != Harm::Stopped || text.contains("a test")),
            LinkFault::Closed if self.harm == Harm::Stopped => false,
            LinkFault::Closed => !self.is_calm(),
            LinkFault::Foreign(_) => match self.harm {
                Harm::Spoilt => (error.peer, me) == (self.one, self.other),
                Harm::Swapped => error.peer == self.one,
                _ => false,
            },
            LinkFault::Silent(_) => match self.harm {
                Harm::Frozen => error.peer == self.one,
                Harm::Cut | Harm::CutOneWay | Harm::Spoilt => is_between,
                _ => false,
            },
            _ => false,
        }
    }
}

/// Writes messages as timely's thread does, several together.
fn send(end: &End, mut link: Link, all: &[Vec<u8>], mut dice: Dice, links: &Links) {
    let mut rest = all;
    while !rest.is_empty() {
        // A long step now and then, longer than the limit.
        let longest = if dice.one_in(40) { 5000 } else { 300 };
        end.sleep(Duration::from_millis(dice.roll(longest)));
        let (now, later) = rest.split_at(rest.len().min(1 + dice.roll(3) as usize));
        links.at_tick((all.len() - later.len()) as u64);
        link.write_all(&now.concat()).unwrap();
        rest = later;
    }
    link.write_all(&[0; 48]).unwrap();
    link.shutdown(Shutdown::Write).unwrap();
}

/// Reads as timely's thread does. The errors are its panics.
fn receive(mut link: Link, mut take: impl FnMut(Vec<u8>)) -> Result<(), String> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut room = [0; 700];
    loop {
        match link.read(&mut room).map_err(|error| error.to_string())? {
            0 => return Err("socket closed".into()),
            count => bytes.extend(&room[..count]),
        }
        while let Some(header) = MessageHeader::try_read(&bytes) {
            let rest = bytes.split_off(header.required_bytes());
            if header.length > 0 {
                take(std::mem::replace(&mut bytes, rest));
            } else if rest.is_empty() && link.read(&mut room).map_err(|error| error.to_string())? == 0 {
                return Ok(());
            } else {
                return Err("clean shutdown followed by data".into());
            }
        }
    }
}
