//! The answers of all workers together are those of one list, in processes that are killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, thread};

use super::common::{Actor, Dice, History, Model, compare, world};
use super::links::{LOSES, PASSES, relay};
use quadrille::Rect;
use quadrille_timely::durable::Event;
use quadrille_timely::{Answer, Cluster, ClusterError, Feed, FeedError, Program};

/// The variable that tells a started process which case it belongs to.
const CASE: &str = "QUADRILLE_TEST_CASE";
const WALKERS: bool = true;

/// A world that runs in processes.
#[derive(Clone, Debug, PartialEq)]
struct Case {
    seed: u64,
    ticks: usize,
    threads: usize,
    every: u64,
    /// Where it is kept, and where its answers are written.
    dir: PathBuf,
    /// Milliseconds that each tick takes at least.
    pause: u64,
    /// The address of a server that keeps the log; none for files.
    server: String,
    /// Milliseconds that a process may be silent.
    silence: u64,
}

impl Case {
    fn history(&self) -> History<f32, 2> {
        History::random(self.seed, self.ticks, 30, WALKERS)
    }

    fn cluster(&self, processes: usize) -> Cluster {
        let case = self.clone();
        let child = move |_| {
            let mut command = Command::new(env::current_exe().unwrap());
            command.args(["--exact", "all::processes::started", "--nocapture", "--test-threads=1"]);
            command.env(CASE, case.to_text());
            command
        };
        let cluster = Cluster::new(world(WALKERS), processes).threads(self.threads);
        let cluster = cluster.silence(Duration::from_millis(self.silence));
        let state = self.dir.join("state");
        #[cfg(feature = "nats")]
        if !self.server.is_empty() {
            return cluster.keep_in_nats(state, self.every, &self.server, "world").command(child);
        }
        cluster.keep(state, self.every).command(child)
    }

    fn to_text(&self) -> String {
        let Self { seed, ticks, threads, every, dir, pause, server, silence } = self;
        format!("{seed}|{ticks}|{threads}|{every}|{pause}|{server}|{silence}|{}", dir.display())
    }

    fn from_text(text: &str) -> Self {
        let parts: Vec<&str> = text.splitn(8, '|').collect();
        let number = |at: usize| parts[at].parse().unwrap();
        Self {
            seed: number(0),
            ticks: number(1) as usize,
            threads: number(2) as usize,
            every: number(3),
            pause: number(4),
            server: parts[5].into(),
            silence: number(6),
            dir: parts[7].into(),
        }
    }

    /// Runs it, with what `tell` does to its processes, and compares all answers with those of one list.
    fn check(&self, processes: usize, tell: impl FnMut(&Event) + 'static) {
        self.cluster(processes).tell(tell).run(|_| -> Writer { unreachable!("only started processes work") }).unwrap();
        self.compare();
    }

    /// Compares all that workers have written, for each number of workers by itself. A worker may answer a tick more than
    /// once, always with the same answers.
    fn compare(&self) {
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
}

impl Program<f32, 2> for Writer {
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        thread::sleep(self.pause);
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

/// Not a test of its own: this is what started processes run.
#[test]
fn started() {
    let Ok(text) = env::var(CASE) else { return };
    let case = Case::from_text(&text);
    let processes = env::var("QUADRILLE_ADDRESSES").unwrap().split(',').count();
    let workers = processes * case.threads;
    let history = Arc::new(case.history());
    let make = {
        let case = case.clone();
        move |worker| {
            let path = case.dir.join(format!("{}-{worker}", std::process::id()));
            let file = OpenOptions::new().create(true).append(true).open(path).unwrap();
            let actor =
                Actor { history: Arc::clone(&history), answers: Arc::new(Mutex::default()), mixes: false, next: 1 };
            Writer { actor, worker, workers, file, pause: Duration::from_millis(case.pause) }
        }
    };
    case.cluster(processes).run(make).unwrap();
}

fn case(seed: u64, dir: &Path) -> Case {
    Case {
        seed,
        ticks: 60,
        threads: 1,
        every: 7,
        dir: dir.to_owned(),
        pause: 2,
        server: String::new(),
        silence: 10_000,
    }
}

fn kill(pid: u32) {
    signal("-KILL", pid);
}

fn signal(which: &str, pid: u32) {
    // It may be dead already.
    let _ = Command::new("kill").args([which, &pid.to_string()]).status();
}

#[test]
fn processes_answer_as_one_list() {
    for (seed, processes, threads) in [(1, 1, 1), (2, 2, 1), (3, 2, 2), (4, 3, 1)] {
        let dir = tempfile::tempdir().unwrap();
        Case { threads, pause: 0, ..case(seed, dir.path()) }.check(processes, |_| ());
    }
}

#[test]
fn killed_processes_go_on_as_if_nothing_had_happened() {
    for seed in 10..16 {
        let dir = tempfile::tempdir().unwrap();
        let mut dice = Dice(seed);
        let tell = move |event: &Event| {
            // One of the processes of each of the first starts, at a random moment; now and then two in a row.
            if let Event::Started { pid, process, attempt } = *event
                && process == (seed as usize + attempt) % 2
                && attempt < 3
            {
                let wait = Duration::from_millis(dice.roll(400));
                thread::spawn(move || {
                    thread::sleep(wait);
                    kill(pid);
                });
            }
        };
        case(seed, dir.path()).check(2, tell);
    }
}

#[test]
fn another_number_of_processes_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let whole = Case { ticks: 90, ..case(20, dir.path()) };
    for (processes, ticks) in [(2, 30), (4, 60), (1, 90)] {
        // The history is that of the longest run, of which this is the beginning.
        let part = Case { ticks, ..whole.clone() };
        part.cluster(processes).run(|_| -> Writer { unreachable!("only started processes work") }).unwrap();
    }
    whole.compare();
}

#[cfg(feature = "nats")]
#[test]
fn a_log_in_a_stream_does_as_well() {
    let server_dir = tempfile::tempdir().unwrap();
    let Some(server) = super::server::Server::start(server_dir.path()) else { return };
    let dir = tempfile::tempdir().unwrap();
    let tell = |event: &Event| {
        if let Event::Started { pid, process: 1, attempt: 0 } = *event {
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(200));
                kill(pid);
            });
        }
    };
    let whole = Case { server: server.address.clone(), ..case(50, dir.path()) };
    Case { ticks: 30, ..whole.clone() }.check(2, tell);
    // Another number of workers has streams of its own.
    whole.check(3, |_| ());
}

#[test]
fn two_kills_in_a_row_do_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let tell = |event: &Event| {
        // The second start dies too, before it has come far.
        if let Event::Started { pid, process: 0, attempt } = *event
            && attempt < 2
        {
            let wait = Duration::from_millis(if attempt == 0 { 150 } else { 30 });
            thread::spawn(move || {
                thread::sleep(wait);
                kill(pid);
            });
        }
    };
    case(25, dir.path()).check(2, tell);
}

#[test]
fn a_full_disk_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let case = Case { ticks: 40, ..case(26, dir.path()) };
    let child = {
        let case = case.clone();
        move |_| {
            // No file may grow beyond some kilobytes; the signal for that is ignored, so that writing fails.
            let mut command = Command::new("sh");
            command.arg("-c").arg("trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"").arg(env::current_exe().unwrap());
            command
                .args(["--exact", "all::processes::started", "--nocapture", "--test-threads=1"])
                .env(CASE, case.to_text());
            command
        }
    };
    let error = case.cluster(2).restarts(1).command(child).run(|_| -> Writer { unreachable!("only started work") });
    let Err(ClusterError::Supervisor(error)) = error else { panic!("{error:?}") };
    assert!(error.to_string().contains("starts in a row brought nothing new"), "{error}");
    // With room again it goes on, and what was answered before stays true.
    case.check(2, |_| ());
}

#[test]
fn a_log_that_is_gone_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let case = Case { ticks: 20, ..case(30, dir.path()) };
    case.check(2, |_| ());
    fs::remove_dir_all(dir.path().join("state/log/0/worker-00001")).unwrap();
    let error = case.cluster(2).run(|_| -> Writer { unreachable!("it does not start") }).unwrap_err();
    let ClusterError::Supervisor(error) = error else { panic!("{error}") };
    let reason = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(reason, "worker 1 has a snapshot of tick 14, and its log is gone; the rows since then are lost");
}

#[test]
fn another_world_does_not_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let case = Case { ticks: 20, ..case(35, dir.path()) };
    case.check(2, |_| ());
    let other = Cluster::new(world::<f32, 2>(false), 2).keep(dir.path().join("state"), 7);
    let error = other.run(|_| -> Writer { unreachable!("it does not start") }).unwrap_err();
    let ClusterError::Supervisor(error) = error else { panic!("{error}") };
    let reason = std::error::Error::source(&error).unwrap().to_string();
    let kept = "bounds [0.0, 0.0] to [100.0, 100.0], layers [Points, Rects, local Points, local Rects], reach 6";
    let here = "bounds [0.0, 0.0] to [100.0, 100.0], layers [Points, Rects], reach 6";
    assert_eq!(reason, format!("the bytes are not those of such a world: {kept}; this one has {here}"));
}

#[test]
fn a_snapshot_cut_short_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let short = Case { ticks: 20, ..case(40, dir.path()) };
    short.check(2, |_| ());
    let newest = dir.path().join("state/snapshots/1/00000000000000000014-00001-of-00002.snapshot");
    let file = OpenOptions::new().write(true).open(newest).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    Case { ticks: 40, ..short }.check(2, |_| ());
}

#[test]
fn a_process_that_stands_still_for_a_while_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let tell = |event: &Event| {
        if let Event::Started { pid, process: 1, .. } = *event {
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(200));
                signal("-STOP", pid);
                thread::sleep(Duration::from_secs(2));
                signal("-CONT", pid);
            });
        }
        assert!(!matches!(event, Event::Died { .. }), "{event:?}");
    };
    Case { ticks: 150, ..case(60, dir.path()) }.check(2, tell);
}

#[test]
fn a_process_that_stands_still_for_ever_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let tell = |event: &Event| {
        if let Event::Started { pid, process: 1, attempt: 0 } = *event {
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(200));
                signal("-STOP", pid);
            });
        }
    };
    Case { ticks: 150, silence: 2000, ..case(61, dir.path()) }.check(2, tell);
}

/// The connection between two processes goes through a relay, which begins to lose everything.
#[test]
fn a_connection_that_is_cut_for_good_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let (way, relays) = (Arc::new(AtomicU8::new(PASSES)), TcpListener::bind("127.0.0.1:0").unwrap());
    let (told, place) = (dir.path().join("state/addresses"), relays.local_addr().unwrap());
    fs::create_dir(dir.path().join("state")).unwrap();
    let silence = env::var("SILENCE").map_or(2000, |limit| limit.parse().unwrap());
    let case = Case { ticks: 150, silence, ..case(62, dir.path()) };
    let command = {
        let (case, told) = (case.clone(), told.clone());
        move |_| {
            // Process 1 calls the relay in place of process 0.
            let script = "if [ $QUADRILLE_PROCESS = 1 ]; then echo $QUADRILLE_ADDRESSES >$TOLD; \
                QUADRILLE_ADDRESSES=$RELAY,${QUADRILLE_ADDRESSES#*,}; fi; exec \"$0\" \"$@\"";
            let mut command = Command::new("sh");
            command.args(["-c", script]).arg(env::current_exe().unwrap());
            command.args(["--exact", "all::processes::started", "--nocapture", "--test-threads=1"]);
            command.env(CASE, case.to_text()).env("TOLD", &told).env("RELAY", place.to_string());
            command
        }
    };
    let now = Arc::clone(&way);
    thread::spawn(move || {
        for caller in relays.incoming() {
            now.store(PASSES, Ordering::Relaxed);
            let addresses = fs::read_to_string(&told).unwrap();
            let real = TcpStream::connect(addresses.split(',').next().unwrap()).unwrap();
            relay(&caller.unwrap(), &real, &now);
        }
    });
    let (cut, died) = (Arc::new(Mutex::new(Instant::now())), Arc::new(Mutex::new(Vec::new())));
    let again = Arc::new(Mutex::new(None));
    let tell = {
        let (cut, died, again, dir) = (Arc::clone(&cut), Arc::clone(&died), Arc::clone(&again), dir.path().to_owned());
        move |event: &Event| match event {
            Event::Started { process: 1, attempt: 0, .. } => {
                let (way, cut) = (Arc::clone(&way), Arc::clone(&cut));
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(300));
                    way.store(LOSES, Ordering::Relaxed);
                    *cut.lock().unwrap() = Instant::now();
                });
            }
            Event::Died { .. } | Event::Stopped { .. } => died.lock().unwrap().push(event.clone()),
            Event::Started { process: 1, attempt: 1, pid } => {
                let (cut, again, file) = (Arc::clone(&cut), Arc::clone(&again), dir.join(format!("{pid}-1")));
                thread::spawn(move || {
                    while fs::metadata(&file).map_or(0, |file| file.len()) == 0 {
                        thread::sleep(Duration::from_millis(5));
                    }
                    *again.lock().unwrap() = Some(cut.lock().unwrap().elapsed());
                });
            }
            _ => (),
        }
    };
    case.cluster(2).command(command).tell(tell).run(|_| -> Writer { unreachable!("only started work") }).unwrap();
    case.compare();
    let died = died.lock().unwrap();
    assert!(matches!(died[..], [Event::Died { .. }, Event::Stopped { .. }]), "{died:?}");
    let taken = again.lock().unwrap().unwrap();
    println!("answers come again after {taken:?}");
    assert!(taken < Duration::from_secs(15), "{taken:?}");
}
