//! A world of a random history in several processes, which write all answers to files.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::common::{Actor, History, Model, compare, world};
use super::starved::Hoard;
use quadrille::Rect;
use quadrille_timely::{Answer, Cluster, ClusterError, Event, Feed, FeedError, Program};

/// The variable that tells a started process which case it belongs to.
const CASE: &str = "QUADRILLE_TEST_CASE";
const WALKERS: bool = true;

/// A world that runs in processes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case {
    pub(super) seed: u64,
    pub(super) ticks: u64,
    pub(super) threads: u64,
    pub(super) every: u64,
    /// Where it is kept, and where its answers are written.
    pub(super) dir: PathBuf,
    /// Milliseconds that each tick takes at least.
    pub(super) pause: u64,
    /// Milliseconds that a process may be silent.
    pub(super) silence: u64,
}

impl Case {
    fn history(&self) -> History<f32, 2> {
        History::random(self.seed, self.ticks as usize, 30, WALKERS)
    }

    pub(super) fn cluster(&self, processes: usize) -> Cluster {
        let case = self.clone();
        let child = move |_| case.command();
        let cluster = Cluster::new(world(WALKERS), processes).threads(self.threads as usize);
        let cluster = cluster.silence(Duration::from_millis(self.silence));
        let state = self.dir.join("state");
        cluster.keep(state, self.every).command(child)
    }

    /// This program as a process of the world.
    pub(super) fn command(&self) -> Command {
        self.command_by("exec \"$0\" \"$@\"")
    }

    /// The same, by a script that begins it.
    pub(super) fn command_by(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(env::current_exe().unwrap());
        command.args(["--exact", "all::case::started", "--nocapture", "--test-threads=1"]).env(CASE, self.to_text());
        command
    }

    fn to_text(&self) -> String {
        let Self { seed, ticks, threads, every, pause, silence, dir } = self;
        format!("{seed}|{ticks}|{threads}|{every}|{pause}|{silence}|{}", dir.display())
    }

    fn from_text(text: &str) -> Self {
        let (numbers, dir) = text.rsplit_once('|').unwrap();
        let numbers: Vec<u64> = numbers.split('|').map(|number| number.parse().unwrap()).collect();
        let [seed, ticks, threads, every, pause, silence] = numbers.try_into().unwrap();
        Self { seed, ticks, threads, every, pause, silence, dir: dir.into() }
    }

    /// Runs it, with what `tell` does to its processes, and compares all answers with those of one list.
    pub(super) fn check(&self, processes: usize, tell: impl FnMut(&Event) + 'static) {
        run(self.cluster(processes).tell(tell)).unwrap();
        self.compare();
    }

    /// Compares all that workers have written, for each number of workers by itself. A worker may answer a tick more than
    /// once, always with the same answers.
    pub(super) fn compare(&self) {
        let expected = Model::answers(&self.history());
        let mut by_worker: BTreeMap<usize, BTreeMap<(u64, usize), Vec<Answer>>> = BTreeMap::new();
        for file in fs::read_dir(&self.dir).unwrap().map(|file| file.unwrap().path()).filter(|path| path.is_file()) {
            let text = fs::read_to_string(&file).unwrap();
            // The rest after the last line was being written by a process that was killed.
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            for line in whole.lines() {
                let (workers, worker, tick, answers) = parse(line);
                let all = by_worker.entry(workers).or_default();
                let seen = all.entry((tick, worker)).or_insert_with(|| answers.clone());
                assert_eq!(*seen, answers, "tick {tick} of worker {worker} was answered in two ways");
            }
        }
        let mut missing: BTreeSet<u64> = expected.keys().copied().collect();
        for (workers, seen) in by_worker {
            let mut all: BTreeMap<u64, Vec<Answer>> = BTreeMap::new();
            for ((tick, _), answers) in seen {
                all.entry(tick).or_default().extend(answers);
            }
            missing.retain(|tick| !all.contains_key(tick));
            let of_these: BTreeMap<_, _> = all.keys().map(|tick| (*tick, expected[tick].clone())).collect();
            compare(&all, &of_these, &format!("{self:?}, {workers} workers"));
        }
        assert!(missing.is_empty(), "ticks without answers: {missing:?}");
    }
}

/// Runs a world whose processes are started by it.
pub(super) fn run(cluster: Cluster) -> Result<(), ClusterError> {
    cluster.run(|_| -> Writer { unreachable!("only started processes work") }).map(drop)
}

/// A line of a file of answers: the number of workers, worker, tick, then of each answer question, kind and ids.
fn parse(line: &str) -> (usize, usize, u64, Vec<Answer>) {
    use quadrille_timely::Kind::{Begun, Ended, Entered, Found, Left, Near, Pair};
    let kinds = [Found, Near, Pair, Entered, Left, Begun, Ended];
    let words: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
    let answer =
        |four: &[u64]| Answer { question: four[0] as u32, kind: kinds[four[1] as usize], a: four[2], b: four[3] };
    (words[0] as usize, words[1] as usize, words[2], words[3..].chunks(4).map(answer).collect())
}

/// Feeds as an `Actor` does, and writes all answers to a file.
struct Writer {
    actor: Actor<f32, 2>,
    worker: usize,
    workers: usize,
    file: File,
    pause: Duration,
    hoard: Option<Hoard>,
}

impl Program<f32, 2> for Writer {
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        thread::sleep(self.pause);
        self.hoard.iter_mut().for_each(Hoard::take);
        self.actor.feed(tick, feed)
    }

    fn is_last(&self, tick: u64) -> bool {
        self.actor.is_last(tick)
    }

    fn step(&mut self, tick: u64, layer: u8, id: u64, shape: Rect) -> Option<Rect> {
        self.actor.step(tick, layer, id, shape)
    }

    fn answers(&mut self, tick: u64, answers: &[Answer]) {
        let mut line = format!("{} {} {tick}", self.workers, self.worker);
        for Answer { question, kind, a, b } in answers {
            write!(line, " {question} {} {a} {b}", *kind as u8).unwrap();
        }
        line.push('\n');
        self.file.write_all(line.as_bytes()).unwrap();
    }
}

/// Not a test of its own: started processes run it.
#[test]
fn started() {
    let Ok(text) = env::var(CASE) else { return };
    let case = Case::from_text(&text);
    let addresses = env::var("QUADRILLE_ADDRESSES").unwrap();
    // Or they go through the relay of a test.
    assert!(addresses.split(',').all(|address| address.starts_with("127.0.0.1:")), "{addresses}");
    let processes = addresses.split(',').count();
    let workers = processes * case.threads as usize;
    let history = Arc::new(case.history());
    let make = {
        let case = case.clone();
        move |worker| {
            let path = case.dir.join(format!("{}-{worker}", std::process::id()));
            let file = OpenOptions::new().create(true).append(true).open(path).unwrap();
            let actor = Actor::new(&history, &Arc::default());
            let hoard = Hoard::of_this_process();
            Writer { actor, worker, workers, file, pause: Duration::from_millis(case.pause), hoard }
        }
    };
    case.cluster(processes).run(make).unwrap();
}

pub(super) fn case(seed: u64, dir: &Path) -> Case {
    Case { seed, ticks: 60, threads: 1, every: 7, dir: dir.to_owned(), pause: 2, silence: 10_000 }
}
