//! A writer that is killed, or whose memory runs out, at random moments, again and again, on the same file.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::common::Dice;
use super::support::{ALONE, DIR, block, dir, file, log, program};
use crate::kept::store::Store;
use crate::kept::writer::Writer;

/// The variable that says how many bytes the writer may still take.
const SPARE: &str = "QUADRILLE_TEST_SPARE";

/// The writer: says after each block which tick is durable, and after each snapshot that it is.
#[test]
#[ignore = "a process of another test"]
fn writer() {
    let path = file(&dir());
    let store = if path.exists() { Store::open(&path) } else { Store::create(&path, ALONE, &[]) }.unwrap();
    let newest = store.snapshots().unwrap().last().copied().unwrap_or(0);
    let first = store.logged(newest).unwrap() + 1;
    let writer = Writer::start(store).unwrap();
    let spare: Option<u64> = env::var(SPARE).ok().map(|spare| spare.parse().unwrap());
    let mut world = Vec::new();
    for tick in first.. {
        if let Some(spare) = spare {
            world.push(block(tick).repeat(10));
            if tick == first + 20 {
                #[cfg(target_os = "linux")]
                super::memory::take_no_more_than(spare);
            }
        }
        writer.log(tick, 0, block(tick)).unwrap();
        println!("durable {}", writer.durable());
        if tick % 50 == 0 {
            writer.save(tick, 0, block(tick)).unwrap();
            writer.flush().unwrap();
            println!("saved {tick}");
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
    // A file that is made may be there in part when its process dies; a world makes it under another name.
    drop(Store::create(&file(dir.path()), ALONE, &[]).unwrap());
    let (mut durable, mut saved) = (None, None);
    let mut dice = Dice(12_345);
    for round in 0..rounds {
        let told = started(dir.path(), round, dice.roll(2_000_000));
        (durable, saved) = (told.0.max(durable), told.1.max(saved));

        let store = Store::open(&file(dir.path())).unwrap();
        let newest = store.snapshots().unwrap().last().copied();
        assert!(newest >= saved, "{newest:?} is there, {saved:?} was told");
        let newest = newest.unwrap_or(0);
        assert!(newest == 0 || store.snapshot(newest, 0).unwrap() == block(newest));
        let last = store.logged(newest).unwrap();
        assert!(Some(last) >= durable, "{last} is there, {durable:?} was told");
        let expected: Vec<_> = (newest + 1..=last).map(|tick| (tick, 0, block(tick))).collect();
        assert_eq!(log(&store, newest).unwrap(), expected);
    }
    assert!(durable.is_some() && saved.is_some(), "the writer came to write");
}

#[test]
fn all_that_was_told_to_be_durable_is_there() {
    all_is_there(20, |dir, round, moment| {
        // Every fifth one is killed in its first moments. However slow the disk is, others write, and some save.
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
        program.env(SPARE, moment.to_string()).env("MALLOC_ARENA_MAX", "1").env_remove("RUST_BACKTRACE");
        ended(program.stderr(Stdio::piped()), dir, None, |writer| {
            let mut said = String::new();
            writer.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            assert_eq!(writer.wait().unwrap().signal(), Some(6), "{said}");
            // The thread that writes may begin when all is taken already.
            let starved = ["memory allocation of ", "Cannot allocate memory"].iter().any(|words| said.contains(words));
            assert!(starved, "{said}");
        })
    });
}
