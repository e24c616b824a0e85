//! Whole workers, with their dataflow: each runs when its turn comes, and each message between two of them waits, while those of
//! other connections overtake it. Processes stand still, die, or are cut off; what they keep is on a simulated disk.
//!
//! Timely hands bytes from worker to worker through queues that a policy may rearrange: here it takes them out, and puts them
//! back when they arrive. Each tick is compared with one list of all objects.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use timely::bytes::arc::Bytes;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::bytes_exchange::QueueEntry;
use timely::communication::allocator::zero_copy::spill::{SpillPolicy, SpillPolicyFn};
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::communication::networking::MessageHeader;
use timely::worker::Worker;

use super::Played;
use super::disk::Simulated;
use super::stage::{End, Pipe, Stage, wait};
use crate::Coordinate;
use crate::all::common::{Actor, Answers, Dice, History, Model, world};
use crate::answer::Answer;
use crate::driver::{Brake, Part, WorkError, work};
use crate::kept::keeper::Keeper;
use crate::kept::recovery::{Kept, Opened};
use crate::kept::store::Of;
use crate::links::incoming::Incoming;
use crate::links::way::Way;
use crate::links::{LinkFault, Links};
use crate::world::{Rebalance, World};

/// The faults that the play must find.
pub(super) const FAULTS: [&str; 3] =
    ["a second round too early", "a partition before all know it", "a gate too narrow"];

const LIMIT: Duration = Duration::from_secs(2);
const TICKS: usize = 14;

thread_local! {
    /// The worker of this thread, and how many queues it has made.
    static MADE: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// A harm to one process, or between it and another one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Harm {
    /// These are waited for.
    None,
    Slow,
    Healed,
    /// After these, all stop.
    Cut,
    Frozen,
    Death,
    Power,
}

const HARMS: [Harm; 7] = [Harm::None, Harm::Slow, Harm::Healed, Harm::Cut, Harm::Frozen, Harm::Death, Harm::Power];

/// The messages that are on their way from one worker to another.
type Flying = Arc<Mutex<VecDeque<(Duration, Bytes)>>>;

/// Takes messages out of a queue, or puts back those that arrive.
struct Channel {
    stage: Arc<Stage>,
    ends: (usize, usize),
    /// Those of the sender.
    links: Option<Links>,
    flying: Flying,
    is_writer: bool,
}

impl SpillPolicy for Channel {
    fn apply(&mut self, queue: &mut VecDeque<QueueEntry>) {
        let mut state = self.stage.state();
        let (now, mut flying) = (state.now, self.flying.lock().unwrap());
        if self.is_writer {
            for entry in queue.drain(..) {
                let QueueEntry::Bytes(bytes) = entry else { unreachable!("nothing is spilled") };
                self.links.iter().for_each(|links| check(&bytes, links));
                let before = flying.back().map_or(now, |(time, _)| *time);
                flying.push_back((state.send(self.ends, before), bytes));
            }
        } else {
            let count = flying.iter().take_while(|(time, _)| *time <= now).count();
            queue.extend(flying.drain(..count).map(|(_, bytes)| QueueEntry::Bytes(bytes)));
        }
    }
}

/// All that timely sends is admitted.
fn check(mut bytes: &[u8], links: &Links) {
    while let Some(header) = MessageHeader::try_read(bytes) {
        let (message, rest) = bytes.split_at(header.required_bytes());
        links.admit(0, header.channel, header.source, &message[header.header_bytes()..]).expect("a message");
        bytes = rest;
    }
}

/// The queue of a worker to itself: whenever it is looked into, others have their turns.
struct Turn {
    stage: Arc<Stage>,
    process: usize,
    /// None, where the worker sends.
    brake: Option<Arc<Brake>>,
}

impl SpillPolicy for Turn {
    fn apply(&mut self, _: &mut VecDeque<QueueEntry>) {
        let Some(brake) = &self.brake else { return };
        let mut state = self.stage.state();
        let pause = [0, 0, 1, 2, 5, 20][state.dice.roll(6) as usize];
        let until = state.now + Duration::from_millis(pause);
        let is_dead = wait(state, until).is_dead(self.process);
        if is_dead {
            brake.pull("it is dead");
        }
        // Timely would let the thread sleep.
        thread::current().unpark();
    }
}

struct Play<S: Coordinate, const D: usize> {
    dice: Dice,
    world: World<S, D>,
    history: Arc<History<S, D>>,
    expected: BTreeMap<u64, Vec<Answer>>,
    /// Whether any worker feeds any object.
    mixes: bool,
    disk: Simulated,
    kept: Option<Kept>,
    answered: BTreeSet<u64>,
    starts: u64,
    played: Played,
}

/// One start.
struct Scene {
    stage: Arc<Stage>,
    processes: usize,
    threads: usize,
    brakes: Vec<Arc<Brake>>,
    links: Vec<Option<Links>>,
    outcomes: Arc<Mutex<Vec<Result<(), WorkError>>>>,
    /// The workers of each process that have not ended.
    left: Arc<Vec<AtomicUsize>>,
}

/// Plays a seed, now and then in three dimensions. Its error says what is wrong.
pub(super) fn play(seed: u64, fault: &'static str) -> Result<Played, String> {
    if seed % 8 == 7 { play_in::<f64, 3>(seed, fault) } else { play_in::<f32, 2>(seed, fault) }
}

fn play_in<S: Coordinate, const D: usize>(seed: u64, fault: &'static str) -> Result<Played, String> {
    let mut dice = Dice(seed ^ 0xF10);
    let (has_local, mixes) = (dice.one_in(2), dice.one_in(3));
    let mut world = world::<S, D>(has_local).in_flight(1 + dice.roll(3)).unwrap();
    if mixes {
        world = world.directory();
    }
    // A new partition costs more than all else.
    if dice.one_in(4) {
        world = world.rebalance(Rebalance { every: 3, above: 1.0 }).unwrap();
    }
    if dice.one_in(4) {
        world = world.merged();
    }
    let history = Arc::new(History::random(seed, TICKS, 16, has_local));
    let disk = Simulated::new(seed);
    let kept = dice.one_in(2).then(|| Kept { dir: disk.root().join("world") });
    let expected = Model::answers(&history);
    let (answered, starts, played) = Default::default();
    let mut play = Play { dice, world, history, expected, mixes, disk, kept, answered, starts, played };
    play.run(fault)?;
    play.played.count("starts", play.starts);
    Ok(play.played)
}

impl<S: Coordinate, const D: usize> Play<S, D> {
    fn run(&mut self, fault: &'static str) -> Result<(), String> {
        loop {
            self.starts += 1;
            let [processes, threads] = [[1, 2], [1, 3], [2, 1], [2, 1], [3, 1], [2, 2]][self.dice.roll(6) as usize];
            let most = if self.starts > 8 || self.kept.is_none() { 3 } else { HARMS.len() as u64 };
            let harm = HARMS[self.dice.roll(most) as usize];
            let stage = Stage::new(self.dice.roll(u64::MAX), fault);
            let scene = Scene::new(stage, processes, threads);
            scene.connect(harm, &mut self.dice);
            let answers = self.start(&scene, harm)?;
            scene.stage.play();
            let start = self.starts;
            let context = |text| format!("start {start}, {harm:?}, {processes} of {threads}: {text}");
            let is_over = scene.check(harm).map_err(context)?;
            self.compare(&answers).map_err(context)?;
            self.disk.set_dead(false);
            if harm == Harm::Power {
                self.disk.lose_power();
            }
            self.disk.break_locks();
            self.played.count("messages", scene.stage.state().messages);
            self.played.count("harms", u64::from(!is_over));
            if is_over {
                break;
            }
        }
        match (1..=TICKS as u64).find(|tick| !self.answered.contains(tick)) {
            Some(tick) => Err(format!("tick {tick} was never answered by all workers of a start")),
            None => Ok(()),
        }
    }

    /// Adds the workers. Returns what each of them will have answered.
    fn start(&mut self, scene: &Scene, harm: Harm) -> Result<Vec<Answers>, String> {
        let (processes, threads) = (scene.processes, scene.threads);
        let mut parts: Vec<Option<Part<S, D>>> = Vec::new();
        if let Some(kept) = &self.kept {
            let failed = |error| format!("{error:?}");
            kept.prepare(&self.world, processes, threads).map_err(failed)?;
            for process in 0..processes {
                let of = Of { process, processes, threads };
                let Opened { start, replays, writer } = kept.open(&self.world, of).map_err(failed)?;
                let (start, writer) = (Arc::new(start), Arc::new(writer));
                for (worker, replay) in of.workers().zip(replays) {
                    let keeper = Keeper::new(3, &self.world, Arc::clone(&writer), worker);
                    parts.push(Some(Part { start: Arc::clone(&start), replay, keeper }));
                }
            }
        }
        parts.resize_with(processes * threads, || None);
        if harm == Harm::Power {
            self.disk.die_after(self.dice.roll(100));
        }
        let spill = scene.queues();
        let builders = ProcessBuilder::new_bytes_vector(parts.len(), Hooks::default().refill, Some(spill));
        let mut all = Vec::new();
        for (worker, (part, builder)) in parts.into_iter().zip(builders).enumerate() {
            let (answers, next) = (Answers::default(), 1 + part.as_ref().map_or(0, |part| part.start.tick));
            all.push(Arc::clone(&answers));
            let actor = Actor { history: Arc::clone(&self.history), answers, mixes: self.mixes, next };
            scene.add_worker(worker, builder, self.world.clone(), actor, part);
        }
        Ok(all)
    }

    /// Compares the answers of a start with those of one list. Some workers may not have come to the end of a tick.
    fn compare(&mut self, all: &[Answers]) -> Result<(), String> {
        for (tick, expected) in &self.expected {
            let told: Vec<Vec<Answer>> = all.iter().filter_map(|seen| seen.lock().unwrap().remove(tick)).collect();
            let mut seen = told.concat();
            seen.sort_unstable();
            let is_whole = told.len() == all.len();
            let mut rest = expected.iter();
            let is_in = |answer| rest.any(|expected| expected == answer);
            if is_whole && seen != *expected || !seen.iter().all(is_in) {
                return Err(format!("tick {tick} has {seen:?}, and not {expected:?}"));
            }
            if is_whole {
                self.answered.insert(*tick);
                self.played.count("ticks", 1);
            }
        }
        Ok(())
    }
}

impl Scene {
    fn new(stage: Arc<Stage>, processes: usize, threads: usize) -> Self {
        let end = |me, peer| End { stage: Arc::clone(&stage), me, peer, patience: LIMIT / 16 };
        let way = |me, peer| (peer != me).then(|| Arc::new(end(me, peer)) as Arc<dyn Way>);
        let links = |me| Links::over(me, (0..processes).map(|peer| way(me, peer)).collect(), LIMIT);
        let links: Vec<_> = (0..processes).map(|me| (processes > 1).then(|| links(me))).collect();
        let brakes = links.iter().map(|links| Arc::new(Brake::new(links.clone()))).collect();
        Self {
            stage,
            processes,
            threads,
            brakes,
            links,
            outcomes: Arc::default(),
            left: Arc::new((0..processes).map(|_| AtomicUsize::new(threads)).collect()),
        }
    }

    /// Adds the ways between the processes, and who sends and hears signs of life.
    fn connect(&self, harm: Harm, dice: &mut Dice) {
        let (one, at) = (dice.roll(self.processes as u64) as usize, Duration::from_millis(dice.roll(1500)));
        let other = (one + 1) % self.processes;
        let mut state = self.stage.state();
        for (from, to) in (0..self.processes).flat_map(|from| (0..self.processes).map(move |to| (from, to))) {
            let longest = if from == to { 5 } else { 60 };
            let mut pipe = Pipe::new(Duration::from_millis(dice.roll(longest)), usize::MAX);
            if from != to && [one, other].contains(&from) && [one, other].contains(&to) {
                pipe.cut = match harm {
                    Harm::Healed => Some((at, at + LIMIT / 4)),
                    Harm::Cut => Some((at, Duration::MAX)),
                    _ => None,
                };
            }
            state.pipes.insert((from, to), pipe);
        }
        match harm {
            Harm::Slow => drop(state.pauses.insert(one, (at, at + LIMIT / 4))),
            Harm::Frozen => drop(state.pauses.insert(one, (at, at + LIMIT * 2))),
            Harm::Death => drop(state.deaths.insert(one, at)),
            _ => (),
        }
        drop(state);
        for (me, links) in self.links.iter().enumerate() {
            let Some(links) = links else { continue };
            for peer in (0..self.processes).filter(|peer| *peer != me) {
                let mut incoming = Incoming::new(links.clone(), peer);
                self.stage.add(me, links.beat(peer));
                self.stage.add(me, move || while incoming.receive(&mut Vec::new()) {});
            }
        }
    }

    /// Makes the queues of each worker, in the order of those that send.
    fn queues(&self) -> SpillPolicyFn {
        let (stage, threads) = (Arc::clone(&self.stage), self.threads);
        let (brakes, links) = (self.brakes.clone(), self.links.clone());
        Arc::new(move || {
            let (to, from) = MADE.get();
            MADE.set((to, from + 1));
            let process = to / threads;
            if from == to {
                let turn = |brake| Box::new(Turn { stage: Arc::clone(&stage), process, brake });
                return (turn(None), turn(Some(Arc::clone(&brakes[process]))));
            }
            let (ends, flying) = ((from / threads, process), Flying::default());
            let channel = |is_writer| {
                let (stage, links, flying) = (Arc::clone(&stage), links[ends.0].clone(), Arc::clone(&flying));
                Box::new(Channel { stage, ends, links, flying, is_writer })
            };
            (channel(true), channel(false))
        })
    }

    fn add_worker<S: Coordinate, const D: usize>(
        &self,
        worker: usize,
        builder: ProcessBuilder,
        world: World<S, D>,
        actor: Actor<S, D>,
        part: Option<Part<S, D>>,
    ) {
        let process = worker / self.threads;
        let (brake, links) = (Arc::clone(&self.brakes[process]), self.links[process].clone());
        let (outcomes, left, processes) = (Arc::clone(&self.outcomes), Arc::clone(&self.left), self.processes);
        let make = move || {
            MADE.set((worker, 0));
            builder.build()
        };
        self.stage.add_with(process, make, move |allocator| {
            let config = timely::WorkerConfig::default().idle_spin(Duration::ZERO);
            let mut timely = Worker::new(config, Allocator::Process(allocator), None);
            let outcome = work(&mut timely, &world, Box::new(|_| Box::new(actor)), part, &brake);
            outcomes.lock().unwrap().push(outcome.map(drop));
            drop(timely);
            // The last one of a process ends its connections.
            let Some(links) = links.filter(|_| left[process].fetch_sub(1, SeqCst) == 1) else { return };
            (0..processes).filter(|peer| *peer != process).for_each(|peer| links.end(peer));
        });
    }

    /// Whether all workers came to the end.
    fn check(&self, harm: Harm) -> Result<bool, String> {
        let outcomes = self.outcomes.lock().unwrap();
        if self.stage.state().is_over {
            return Err("somebody waits for ever".into());
        }
        if outcomes.len() != self.processes * self.threads {
            return Err("a worker has panicked".into());
        }
        let is_calm = matches!(harm, Harm::None | Harm::Slow | Harm::Healed);
        let is_wrong = |error: &&WorkError| match error {
            WorkError::Peer { error, .. } => is_calm || matches!(error.fault, LinkFault::Foreign(_)),
            _ => is_calm,
        };
        match outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).find(is_wrong) {
            Some(error) => Err(error.to_string()),
            None => Ok(outcomes.iter().all(Result::is_ok)),
        }
    }
}
