//! A writer that is killed, or whose memory runs out, at random moments, again and again, on the same files.

use crate::memory::take_no_more_than;
use crate::support::{DIR, block, blocks, dir, program, read};
use quadrille_durable::{FileLog, FileLogOptions, Log, Origin, Snapshots};
use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The variable that says how many bytes the writer may still take.
const SPARE: &str = "QUADRILLE_TEST_SPARE";

fn options() -> FileLogOptions {
    FileLogOptions { queue: 10_000, segment: 100_000 }
}

/// The writer: says after each append which tick is durable, and after each save which snapshot is.
#[test]
#[ignore = "a process of another test"]
fn writer() {
    let mut log = FileLog::open(dir(), 0, &options()).unwrap();
    let snapshots = Snapshots::open(dir().join("snapshots"), 1).unwrap();
    let first = log.last().map_or(0, |last| last + 1);
    let spare: Option<u64> = env::var(SPARE).ok().map(|spare| spare.parse().unwrap());
    let mut world = Vec::new();
    for tick in first.. {
        if let Some(spare) = spare {
            world.push(block(tick).repeat(10));
            if tick == first + 20 {
                take_no_more_than(spare);
            }
        }
        log.append(tick, block(tick)).unwrap();
        println!("durable {}", log.durable().map_or(-1, |tick| i64::try_from(tick).unwrap()));
        if tick % 50 == 0 {
            log.flush().unwrap();
            snapshots.save(0, tick, &block(tick)).unwrap();
            println!("saved {tick}");
            if let Some(oldest) = snapshots.prune(2).unwrap() {
                log.truncate_before(oldest + 1).unwrap();
            }
        }
    }
}

/// Starts the writer, ends it when it has said a word, if there is one, and returns the last ticks that it has said to be durable
/// and saved.
fn ended(
    writer: &mut Command,
    dir: &Path,
    word: Option<&'static str>,
    end: impl FnOnce(&mut Child),
) -> (Option<u64>, Option<u64>) {
    let mut writer = writer.env(DIR, dir).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(writer.stdout.take().unwrap());
    let (sender, words) = mpsc::channel();
    let told = thread::spawn(move || {
        let mut told = (None, None);
        for line in output.lines().map_while(Result::ok) {
            match line.split_once(' ') {
                Some(("durable", tick)) => told.0 = tick.parse().ok().max(told.0),
                Some(("saved", tick)) => told.1 = tick.parse().ok().max(told.1),
                _ => (),
            }
            if word.is_some_and(|word| line.starts_with(word)) {
                // Only the first one is waited for.
                let _ = sender.send(());
            }
        }
        told
    });
    if word.is_some() {
        words.recv().unwrap();
    }
    end(&mut writer);
    told.join().unwrap()
}

/// Starts writers one after the other, and looks after the end of each whether all is there.
fn all_is_there(rounds: u64, started: impl Fn(&Path, u64, u64) -> (Option<u64>, Option<u64>)) {
    let dir = tempfile::tempdir().unwrap();
    let (mut durable, mut saved) = (None, None);
    let mut moments = std::iter::successors(Some(12_345_u64), |moment| Some(moment * 1_103_515_245 % 2_147_483_647));
    for round in 0..rounds {
        let told = started(dir.path(), round, moments.next().unwrap());
        (durable, saved) = (told.0.max(durable), told.1.max(saved));

        let mut log = FileLog::open(dir.path(), 0, &options()).unwrap();
        assert!(log.last() >= durable, "{:?} is there, {durable:?} was told", log.last());
        assert!(durable.is_none() || log.origin() == Origin::Filled);
        let snapshots = Snapshots::open(dir.path().join("snapshots"), 1).unwrap();
        let common = snapshots.last_common().unwrap();
        let tick = common.as_ref().map(|common| common.tick);
        assert!(tick >= saved);
        if let Some(common) = common {
            assert_eq!(snapshots.load(0, &common).unwrap(), block(common.tick));
        }
        let removed = log.removed();
        assert!(removed <= tick);
        let from = removed.map_or(0, |tick| tick + 1);
        let to = log.last().map_or(0, |tick| tick + 1);
        assert_eq!(read(&mut log, removed).unwrap(), blocks(from..to));
    }
    assert!(durable.is_some() && saved.is_some(), "the writer came to write");
}

#[test]
fn all_that_was_told_to_be_durable_is_there() {
    all_is_there(20, |dir, round, moment| {
        // Every fifth one is killed in its first moments, maybe before it is there at all. However slow the disk is, others write,
        // and some save.
        let (word, most) = match round % 5 {
            0 => (Some("saved"), 80_000),
            4 => (None, 5_000),
            _ => (Some("durable"), 80_000),
        };
        ended(&mut program("killed::writer"), dir, word, |writer| {
            thread::sleep(Duration::from_micros(moment % most));
            writer.kill().unwrap();
            writer.wait().unwrap();
        })
    });
}

/// At the main thread's allocations, or at those of the thread that writes.
#[test]
#[cfg(target_os = "linux")]
fn all_is_there_when_memory_ran_out() {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
    all_is_there(16, |dir, _, moment| {
        let mut program = program("killed::writer");
        // With memory of its own for each thread, that of the writing one would last for long.
        program.env(SPARE, (moment % 2_000_000).to_string()).env("MALLOC_ARENA_MAX", "1").env_remove("RUST_BACKTRACE");
        ended(program.stderr(Stdio::piped()), dir, None, |writer| {
            let mut said = String::new();
            writer.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            assert_eq!(writer.wait().unwrap().signal(), Some(6), "{said}");
            assert!(said.contains("memory allocation of "), "{said}");
        })
    });
}
