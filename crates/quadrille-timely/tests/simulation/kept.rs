//! A kept world on a simulated disk, played from a seed: its workers log, save and deliver in any order, die between any two
//! steps with or without the power, find no room, and go on in other numbers, now and then beside one of an older start.
//!
//! The dataflow is played by a list of all objects. After each death the tick and the objects that come back are compared with
//! that list, and at the end each tick must have been answered by all workers of a start, in one way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille::Rect;

use crate::all::common::Dice;
use crate::check::FeedError;
use crate::kept::keeper::Keeper;
use crate::kept::recovery::{Kept, Opened, RecoveryError, Start};
use crate::kept::state::Given;
use crate::kept::store::Of;
use crate::question::{Layers, Question};
use crate::row::{Role, Row};
use crate::simulation::Played;
use crate::simulation::disk::Simulated;
use crate::world::World;

/// The faults that a simulation must find.
pub(super) const FAULTS: [&str; 11] = [
    "a store that is not synced",
    "stores whose names are not synced",
    "a directory whose name is not synced",
    "the longest log counts",
    "logs that are not cut",
    "snapshots that are not cut",
    "the old stores removed first",
    "a snapshot before all have answered",
    "a log that goes back to the newest snapshot alone",
    "questions that every worker repeats",
    "an object kept too long",
];

type Objects = BTreeMap<u64, [u32; 2]>;
/// The input of all workers in a tick: where objects are put, or that they go; and the numbers of questions.
type Input = (BTreeMap<u64, Option<[u32; 2]>>, Vec<u32>);

/// One worker of a start.
struct Actor {
    keeper: Keeper,
    replay: BTreeMap<u64, Given<f32, 2>>,
    /// The last tick that it has fed, that it has taken into its state, and of which it has delivered the answers.
    fed: u64,
    done: u64,
    delivered: u64,
    /// All have answered the ticks before this one, as it last heard.
    before: u64,
    is_dead: bool,
    /// Its number, and the process in which it is.
    worker: usize,
    of: Of,
}

struct Play {
    dice: Dice,
    disk: Simulated,
    world: World,
    layer: u8,
    kept: Kept,
    last: u64,
    /// The borders of the partition among so many workers.
    borders: BTreeMap<usize, Vec<u32>>,
    /// The input of each tick, on the time line that holds.
    inputs: BTreeMap<u64, Input>,
    /// The ticks that all workers of some start have answered, and who has in this start.
    answered: BTreeSet<u64>,
    answering: BTreeMap<u64, BTreeSet<usize>>,
    /// All logs have had this tick synced, so it must come back.
    durable: u64,
    starts: u64,
    played: Played,
}

/// Plays a seed. Its error says what is wrong.
pub(super) fn play(seed: u64, last: u64) -> Result<Played, String> {
    let disk = Simulated::new(seed);
    let mut world = World::new(Rect::new([0.0_f32, 0.0], [100.0, 100.0])).expect("a world");
    let layer = world.add_points().expect("a layer");
    let kept = Kept { dir: disk.root().join("world") };
    let dice = Dice(seed ^ 0x5EED);
    let (borders, inputs, answered, answering, durable, starts, played) = Default::default();
    let mut play =
        Play { dice, disk, world, layer, kept, last, borders, inputs, answered, answering, durable, starts, played };
    play.run()?;
    play.played.count("starts", play.starts);
    play.played.count("operations", play.disk.operations());
    Ok(play.played)
}

impl Play {
    fn run(&mut self) -> Result<(), String> {
        let mut older: Vec<Actor> = Vec::new();
        let mut shape = [1 + self.dice.roll(3) as usize, 1];
        loop {
            self.starts += 1;
            if self.dice.one_in(4) {
                shape = [[1, 1], [2, 1], [3, 1], [1, 2], [2, 2]][self.dice.roll(5) as usize];
            }
            // Whatever stands in the way goes away at last.
            let is_calm = self.starts > 60;
            let Some(mut all) = self.begin(shape, is_calm, !older.is_empty())? else {
                (0..self.dice.roll(20)).for_each(|_| self.step_of_older(&mut older));
                self.disk.set_dead(true);
                older.clear();
                self.die(is_calm);
                continue;
            };
            let steps = if is_calm { u64::MAX } else { self.dice.roll(100) };
            for _ in 0..steps {
                if all.iter().all(|actor| actor.is_dead || actor.delivered == self.last) {
                    break;
                }
                self.step(&mut all, is_calm)?;
            }
            let is_over = all.iter().all(|actor| !actor.is_dead && actor.delivered == self.last);
            if is_over && all.iter_mut().all(|actor| actor.keeper.finish().is_ok()) {
                return self.check_answers();
            }
            let stays = !is_calm && self.dice.one_in(5) && all.iter().all(|actor| !actor.is_dead);
            if stays {
                // One thinks itself alone, and holds the lock of its log.
                let process = all[self.dice.roll(all.len() as u64) as usize].of.process;
                older.extend(all.extract_if(.., |actor| actor.of.process == process));
                self.played.count("older", 1);
            }
            self.disk.set_dead(true);
            drop(all);
            self.disk.set_dead(false);
            if !stays {
                self.die(is_calm);
            }
        }
    }

    /// All processes are dead; the power may be lost too.
    fn die(&mut self, is_calm: bool) {
        self.disk.set_dead(false);
        self.disk.set_room(None);
        if !is_calm && self.dice.one_in(2) {
            self.disk.lose_power();
            self.played.count("power", 1);
        }
        self.disk.break_locks();
    }

    /// The first steps of the supervisor and the processes. None if they die amid them.
    fn begin(&mut self, shape: [usize; 2], is_calm: bool, is_held: bool) -> Result<Option<Vec<Actor>>, String> {
        if !is_calm && self.dice.one_in(3) {
            let most = if self.dice.one_in(2) { 40 } else { 300 };
            self.disk.die_after(self.dice.roll(most));
        }
        if !is_calm && self.dice.one_in(12) {
            self.disk.set_room(Some(self.dice.roll(2000)));
            self.played.count("full", 1);
        }
        match self.try_begin(shape) {
            Ok(_) if is_held => Err("it begins beside one of an older start".into()),
            Ok(all) => {
                self.disk.set_dead(false);
                Ok(Some(all))
            }
            Err(error) if is_held && error.contains("is in use") => Ok(None),
            // A full disk is an error too, and says so.
            Err(error) if self.disk.is_dead() || error.contains("no storage space") => Ok(None),
            Err(error) => Err(format!("start {} cannot begin: {error}", self.starts)),
        }
    }

    fn try_begin(&mut self, [processes, threads]: [usize; 2]) -> Result<Vec<Actor>, String> {
        let failed = |error: RecoveryError| {
            let mut text = error.to_string();
            let mut cause = std::error::Error::source(&error);
            while let Some(inner) = cause {
                text = format!("{text}: {inner}");
                cause = inner.source();
            }
            text
        };
        let until = self.kept.prepare(&self.world, processes, threads).map_err(failed)?;
        if until < self.durable {
            return Err(format!("the world goes on after tick {until}, and tick {} was synced", self.durable));
        }
        let (mut all, mut tick) = (Vec::new(), 0);
        for process in 0..processes {
            let of = Of { process, processes, threads };
            let Opened { start, replays, writer } = self.kept.open(&self.world, of).map_err(failed)?;
            // The objects of the snapshot are those of the list; a process loads its own.
            tick = start.tick;
            self.check_objects(&start, of)?;
            let writer = Arc::new(writer);
            for (worker, replay) in of.workers().zip(replays) {
                let keeper = Keeper::new(4, &self.world, Arc::clone(&writer), worker);
                let (fed, done, delivered) = (tick, tick, tick);
                all.push(Actor { keeper, replay, fed, done, delivered, before: 0, is_dead: false, worker, of });
            }
        }
        self.inputs.retain(|tick, _| *tick <= until);
        self.answering.clear();
        // So are the ticks since then.
        for tick in tick + 1..=until {
            let all = all.iter().map(|actor| actor.replay.get(&tick).ok_or(format!("tick {tick} is not in a log")));
            let seen = sum(&all.collect::<Result<Vec<_>, _>>()?);
            let expected = self.inputs.get(&tick);
            if Some(&seen) != expected {
                return Err(format!("input of tick {tick}: {seen:?}, and not {expected:?}"));
            }
        }
        Ok(all)
    }

    /// A process has the objects that its workers hold or read, each once.
    fn check_objects(&self, start: &Start<f32, 2>, of: Of) -> Result<(), String> {
        let seen: Objects = start.objects.iter().map(|row| (row.id, row.shape.min().map(f32::to_bits))).collect();
        let is_here = |id: u64, place: [u32; 2]| {
            of.workers().contains(&usize::from(start.partition.owner(place.map(f32::from_bits))))
                || of.workers().contains(&self.world.reader_of(id, of.processes * of.threads))
        };
        let objects = self.objects(start.tick);
        let expected: Objects = objects.into_iter().filter(|(id, place)| is_here(*id, *place)).collect();
        if seen == expected && seen.len() == start.objects.len() {
            return Ok(());
        }
        Err(format!("objects of {of:?} at tick {}: {seen:?}, and not {expected:?}", start.tick))
    }

    fn objects(&self, until: u64) -> Objects {
        let mut objects = Objects::new();
        for (at, put) in self.inputs.range(..=until).flat_map(|(_, (rows, _))| rows) {
            match put {
                Some(place) => objects.insert(*at, *place),
                None => objects.remove(at),
            };
        }
        objects
    }

    /// One thing that one worker does.
    fn step(&mut self, all: &mut [Actor], is_calm: bool) -> Result<(), String> {
        let workers = all.len();
        let at = self.dice.roll(workers as u64) as usize;
        let (slowest, done) = (all.iter().map(|actor| actor.fed).min(), all.iter().map(|actor| actor.delivered).min());
        let (slowest, done) = (slowest.unwrap_or(0), done.unwrap_or(0));
        let actor = &mut all[at];
        if actor.is_dead {
            return Ok(());
        }
        if !is_calm && self.dice.one_in(60) {
            self.disk.die_after(self.dice.roll(12));
        }
        let result = if actor.delivered < actor.done && self.dice.one_in(2) {
            self.deliver(at, workers, actor);
            Ok(())
        } else if actor.done < slowest && self.dice.one_in(2) {
            self.take(at, workers, actor);
            Ok(())
        } else {
            // A worker says so before it feeds another tick.
            actor.before = done + 1;
            let kept = actor.keeper.answered(actor.before);
            let is_next = actor.fed < self.last && actor.fed < done + 2;
            kept.and_then(|()| if is_next { self.feed(at, workers, actor) } else { Ok(()) })
        };
        if self.disk.is_dead() || result.is_err() {
            if !self.disk.is_dead()
                && !result.as_ref().is_err_and(|error| error.to_string().contains("no storage space"))
            {
                return Err(format!("worker {at}: {}", result.unwrap_err()));
            }
            // The memory of its process is lost with it; the others go on for a while.
            let process = actor.of.process;
            all.iter_mut().filter(|actor| actor.of.process == process).for_each(|actor| actor.is_dead = true);
            self.disk.set_dead(false);
        }
        let synced = all.iter().map(|actor| actor.keeper.durable()).min().unwrap_or(0);
        self.durable = self.durable.max(synced);
        Ok(())
    }

    /// Feeds the next tick, from the log or anew.
    fn feed(&mut self, at: usize, workers: usize, actor: &mut Actor) -> Result<(), FeedError> {
        let tick = actor.fed + 1;
        actor.fed = tick;
        if actor.replay.remove(&tick).is_some() {
            return Ok(());
        }
        let mut rows = Vec::new();
        for id in (at as u64..12).step_by(workers) {
            let place = [self.dice.roll(100) as f32, self.dice.roll(100) as f32];
            let role = match self.dice.roll(4) {
                0 => Role::Gone,
                1 => Role::Own,
                _ => continue,
            };
            rows.push(Row { to: 0, role, layer: self.layer, id, shape: Rect::from_point(place) });
        }
        let questions = if self.dice.one_in(3) {
            vec![(at as u32, Question::Pairs { layers: Layers::ALL, distance: 0.0 })]
        } else {
            Vec::new()
        };
        let given = Given { rows, questions };
        let (puts, numbers) = sum(&[&given]);
        let input = self.inputs.entry(tick).or_default();
        input.0.extend(puts);
        input.1.extend(numbers);
        input.1.sort_unstable();
        actor.keeper.log(tick, given.to_bytes())
    }

    /// Applies a tick, and keeps its state if it is to be saved.
    fn take(&mut self, at: usize, workers: usize, actor: &mut Actor) {
        let tick = actor.done + 1;
        actor.done = tick;
        if actor.keeper.wants(tick) {
            let (own, layer) = (self.objects(tick).into_iter(), self.layer);
            let own = own.filter(|(id, _)| *id % workers as u64 == at as u64);
            let row = |(id, place): (u64, [u32; 2])| {
                let shape = Rect::from_point(place.map(f32::from_bits));
                Row { to: 0, role: Role::Own, layer, id, shape }
            };
            let world = &self.world;
            let starts =
                self.borders.entry(workers).or_insert_with(|| world.first_partition(workers).starts().to_vec());
            actor.keeper.take(tick, starts, own.map(row), &[]);
        }
    }

    /// Delivers the answers of a tick.
    fn deliver(&mut self, at: usize, workers: usize, actor: &mut Actor) {
        let tick = actor.delivered + 1;
        actor.delivered = tick;
        let who = self.answering.entry(tick).or_default();
        who.insert(at);
        if who.len() == workers {
            self.answered.insert(tick);
            self.played.count("ticks", 1);
        }
    }

    /// One of an older start goes on.
    fn step_of_older(&mut self, older: &mut [Actor]) {
        let Some(actor) = older.first_mut() else { return };
        let (at, workers) = (actor.worker, actor.of.processes * actor.of.threads);
        let _ = if self.dice.one_in(2) && actor.fed < self.last && actor.fed < actor.done + 2 {
            self.feed(at, workers, actor)
        } else {
            actor.keeper.answered(actor.before)
        };
    }

    fn check_answers(&self) -> Result<(), String> {
        match (1..=self.last).find(|tick| !self.answered.contains(tick)) {
            Some(tick) => Err(format!("tick {tick} was never answered by all workers of a start")),
            None => Ok(()),
        }
    }
}

/// The input of several workers in a tick.
fn sum(all: &[&Given<f32, 2>]) -> Input {
    let put = |row: &Row<f32, 2>| (row.id, (row.role != Role::Gone).then(|| row.shape.min().map(f32::to_bits)));
    let mut questions: Vec<u32> =
        all.iter().flat_map(|given| given.questions.iter().map(|(number, _)| *number)).collect();
    questions.sort_unstable();
    (all.iter().flat_map(|given| given.rows.iter().map(put)).collect(), questions)
}
