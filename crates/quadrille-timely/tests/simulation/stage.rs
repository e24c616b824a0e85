//! Time and connections for actors that take turns: threads, of which one runs at a time, so that all follows from a seed.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, IoSlice};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::disk::plant;
use crate::all::common::Dice;
use crate::links::way::Way;

/// Whoever is not at the end by then waits for ever.
const END: Duration = Duration::from_secs(100);
const STEP: Duration = Duration::from_millis(10);
/// So long a write waits.
const ROOM: Duration = Duration::from_millis(100);

thread_local! {
    static ACTOR: Cell<usize> = const { Cell::new(0) };
}

/// The bytes from one process to another.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    /// When they arrive, and how many have been written in all, for those that are lost count too.
    flying: VecDeque<(Duration, Vec<u8>)>,
    written: u64,
    stuck: usize,
    /// No byte is on its way longer than this.
    pub(super) delay: Duration,
    /// Bytes sent then arrive at the end of that time.
    pub(super) cut: Option<(Duration, Duration)>,
    /// The byte with that number is changed, lost or doubled.
    pub(super) spoilt: Option<(u64, u64)>,
    ended: Option<Duration>,
    /// No more bytes than these are on the way before a writer waits.
    pub(super) room: usize,
    reader: Option<usize>,
}

impl Pipe {
    pub(super) fn new(delay: Duration, room: usize) -> Self {
        Self { delay, room, ..Self::default() }
    }

    /// The end of the time in which it is cut; now, if it is not.
    fn heals(&self, now: Duration) -> Duration {
        self.cut.filter(|(from, until)| (*from..*until).contains(&now)).map_or(now, |(_, until)| until)
    }

    /// When something that is sent now arrives; not before what was sent before.
    pub(super) fn arrival(&self, now: Duration, before: Duration, dice: &mut Dice) -> Duration {
        let delay = self.delay.mul_f64(dice.roll(101) as f64 / 100.0);
        before.max(self.heals(now)).max(now + delay)
    }
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) now: Duration,
    pub(super) dice: Dice,
    pub(super) pipes: BTreeMap<(usize, usize), Pipe>,
    /// When a process stands still, and when it goes on.
    pub(super) pauses: BTreeMap<usize, (Duration, Duration)>,
    /// When a process dies.
    pub(super) deaths: BTreeMap<usize, Duration>,
    pub(super) is_over: bool,
    /// How many went from worker to worker.
    pub(super) messages: u64,
    waiting: BTreeMap<(Duration, u64), usize>,
    actors: Vec<Actor>,
    running: Option<usize>,
    turns: u64,
    begun: Duration,
}

#[derive(Debug)]
struct Actor {
    process: usize,
    key: Option<(Duration, u64)>,
    turn: Arc<Condvar>,
}

/// Time, and whose turn it is.
#[derive(Debug)]
pub(super) struct Stage {
    state: Mutex<State>,
    done: Condvar,
    fault: &'static str,
}

impl Stage {
    pub(super) fn new(seed: u64, fault: &'static str) -> Arc<Self> {
        let state = State { dice: Dice(seed), ..State::default() };
        Arc::new(Self { state: Mutex::new(state), done: Condvar::new(), fault })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an actor of a process. It begins when all are there.
    pub(super) fn add(self: &Arc<Self>, process: usize, act: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
        self.add_with(process, || (), |()| act())
    }

    /// Adds an actor that makes something on its thread, beside all others, before anybody has a turn.
    pub(super) fn add_with<T>(
        self: &Arc<Self>,
        process: usize,
        make: impl FnOnce() -> T + Send + 'static,
        act: impl FnOnce(T) + Send + 'static,
    ) -> JoinHandle<()> {
        let mut state = self.state();
        let number = state.actors.len();
        state.actors.push(Actor { process, key: None, turn: Arc::default() });
        state.wait(number, Duration::ZERO);
        let own = Arc::clone(self);
        thread::spawn(move || {
            ACTOR.set(number);
            plant(own.fault);
            let own_part = make();
            let leave = Leave(Arc::clone(&own));
            drop(turn_of(own.state(), number));
            act(own_part);
            drop(leave);
        })
    }

    /// Plays until all actors have left.
    pub(super) fn play(&self) {
        let mut state = self.state();
        state.begun = state.now;
        state.next();
        let is_played = |state: &mut State| state.running.is_some();
        drop(self.done.wait_while(state, is_played).unwrap_or_else(PoisonError::into_inner));
    }

    /// When the last play began.
    pub(super) fn begun(&self) -> Duration {
        self.state().begun
    }
}

/// Lets others have their turns until then.
pub(super) fn wait(mut state: MutexGuard<'_, State>, until: Duration) -> MutexGuard<'_, State> {
    let number = ACTOR.get();
    state.wait(number, until);
    state.next();
    turn_of(state, number)
}

fn turn_of(state: MutexGuard<'_, State>, number: usize) -> MutexGuard<'_, State> {
    let turn = Arc::clone(&state.actors[number].turn);
    turn.wait_while(state, |state| state.running != Some(number)).unwrap_or_else(PoisonError::into_inner)
}

struct Leave(Arc<Stage>);

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.state().next();
        self.0.done.notify_all();
    }
}

impl State {
    fn wait(&mut self, number: usize, until: Duration) {
        self.turns += 1;
        let key = (until.max(self.now), self.turns);
        if let Some(old) = self.actors[number].key.replace(key) {
            self.waiting.remove(&old);
        }
        self.waiting.insert(key, number);
    }

    /// The turn of the one that waits for the earliest time.
    fn next(&mut self) {
        self.running = None;
        while let Some(((time, _), number)) = self.waiting.pop_first() {
            self.actors[number].key = None;
            let pause = self.pauses.get(&self.actors[number].process);
            if let Some(&(from, until)) = pause
                && (from..until).contains(&time)
            {
                self.wait(number, until);
                continue;
            }
            self.now = time;
            self.is_over |= END < time;
            self.running = Some(number);
            return self.actors[number].turn.notify_one();
        }
    }

    pub(super) fn is_dead(&self, process: usize) -> bool {
        self.is_over || self.deaths.get(&process).is_some_and(|time| *time <= self.now)
    }

    /// When a message that is sent now arrives, behind the one before it.
    pub(super) fn send(&mut self, ends: (usize, usize), before: Duration) -> Duration {
        self.messages += 1;
        self.pipes[&ends].arrival(self.now, before, &mut self.dice)
    }

    /// Sends bytes on their way, in pieces.
    fn launch(&mut self, ends: (usize, usize), mut bytes: Vec<u8>) {
        let now = self.now;
        let pipe = self.pipes.get_mut(&ends).expect("a connection");
        let first = pipe.written;
        pipe.written += bytes.len() as u64;
        if let Some((at, way)) = pipe.spoilt.filter(|(at, _)| (first..pipe.written).contains(at)) {
            let at = (at - first) as usize;
            match way {
                0 => drop(bytes.remove(at)),
                1 => bytes.insert(at, bytes[at]),
                way => bytes[at] ^= 1 << (way % 8),
            }
        }
        if pipe.heals(now) == Duration::MAX {
            pipe.stuck += bytes.len();
            return;
        }
        while !bytes.is_empty() {
            let count = if self.dice.one_in(3) { 1 + self.dice.roll(bytes.len() as u64) as usize } else { bytes.len() };
            let rest = bytes.split_off(count);
            let before = pipe.flying.back().map_or(now, |(time, _)| *time);
            let time = pipe.arrival(now, before, &mut self.dice);
            pipe.flying.push_back((time, std::mem::replace(&mut bytes, rest)));
        }
        self.wake(ends);
    }

    /// A reader sees what has come.
    fn wake(&mut self, ends: (usize, usize)) {
        let pipe = &self.pipes[&ends];
        let time = pipe.flying.front().map(|(time, _)| *time).or(pipe.ended);
        if let (Some(reader), Some(time)) = (pipe.reader, time)
            && self.actors[reader].key.is_some_and(|key| time < key.0)
        {
            self.wait(reader, time);
        }
    }

    /// Nothing more comes that way, after what is on it.
    fn end(&mut self, ends: (usize, usize)) {
        let now = self.now;
        let pipe = self.pipes.get_mut(&ends).expect("a connection");
        let last = pipe.flying.back().map_or(now, |(time, _)| *time);
        pipe.ended.get_or_insert(last.max(pipe.heals(now)));
        self.wake(ends);
    }

    /// A process dies: its system closes all its connections.
    pub(super) fn die(&mut self, process: usize) {
        let of: Vec<_> = self.pipes.keys().copied().filter(|ends| ends.0 == process).collect();
        for ends in of {
            self.end(ends);
        }
    }
}

/// One end of a connection.
#[derive(Debug)]
pub(super) struct End {
    pub(super) stage: Arc<Stage>,
    pub(super) me: usize,
    pub(super) peer: usize,
    /// So long a read waits.
    pub(super) patience: Duration,
}

impl Way for End {
    fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let ends = (self.peer, self.me);
        let mut state = self.stage.state();
        let until = state.now + self.patience;
        loop {
            if state.is_dead(self.me) {
                return Err(ErrorKind::ConnectionReset.into());
            }
            let State { now, dice, pipes, .. } = &mut *state;
            let pipe = pipes.get_mut(&ends).expect("a connection");
            if let Some((_, first)) = pipe.flying.front_mut().filter(|(time, _)| *time <= *now) {
                let most = first.len().min(bytes.len());
                let count = if dice.one_in(4) { 1 + dice.roll(most as u64) as usize } else { most };
                bytes[..count].copy_from_slice(&first[..count]);
                first.drain(..count);
                if first.is_empty() {
                    pipe.flying.pop_front();
                }
                return Ok(count);
            }
            if pipe.flying.is_empty() && pipe.ended.is_some_and(|time| time <= *now) {
                return Ok(0);
            }
            if until <= *now {
                return Err(ErrorKind::WouldBlock.into());
            }
            let next = pipe.flying.front().map(|(time, _)| *time).or(pipe.ended).unwrap_or(until);
            pipe.reader = Some(ACTOR.get());
            state = wait(state, next.min(until));
        }
    }

    fn write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let (ends, bytes) = ((self.me, self.peer), parts.iter().flat_map(|part| part.to_vec()).collect::<Vec<u8>>());
        let mut state = self.stage.state();
        let patience = state.now + ROOM;
        loop {
            let is_dead = state.is_dead(self.me) || state.is_dead(self.peer);
            let pipe = &state.pipes[&ends];
            if is_dead || pipe.ended.is_some() {
                return Err(ErrorKind::BrokenPipe.into());
            }
            let flying: usize = pipe.flying.iter().map(|(_, bytes)| bytes.len()).sum();
            if flying + pipe.stuck < pipe.room {
                let count = bytes.len();
                state.launch(ends, bytes);
                return Ok(count);
            }
            if patience <= state.now {
                return Err(ErrorKind::WouldBlock.into());
            }
            let until = state.now + STEP;
            state = wait(state, until);
        }
    }

    fn end(&self) {
        self.stage.state().end((self.me, self.peer));
    }

    fn sleep(&self, time: Duration) {
        let state = self.stage.state();
        let until = state.now + time;
        drop(wait(state, until));
    }
}
