//! A writer that is killed at random moments, again and again, on the same files.

use crate::support::{DIR, block, blocks, dir, program, read};
use quadrille_durable::{FileLog, FileLogOptions, Log, Origin, Snapshots};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

fn options() -> FileLogOptions {
    FileLogOptions { queue: 10_000, segment: 100_000 }
}

/// The writer: says after each append which tick is durable, and after each save which snapshot is.
#[test]
#[ignore = "a process of another test"]
fn writer() {
    let mut log = FileLog::open(dir(), 0, &options()).unwrap();
    let snapshots = Snapshots::open(dir().join("snapshots"), 1).unwrap();
    for tick in log.last().map_or(0, |last| last + 1).. {
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

/// Starts the writer, kills it after a while, and returns the last ticks that it has said to be durable and saved.
fn killed(dir: &std::path::Path, after: Duration) -> (Option<u64>, Option<u64>) {
    let mut writer = program("killed::writer").env(DIR, dir).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(writer.stdout.take().unwrap());
    let told = thread::spawn(move || {
        let mut told = (None, None);
        for line in output.lines().map_while(Result::ok) {
            match line.split_once(' ') {
                Some(("durable", tick)) => told.0 = tick.parse().ok().max(told.0),
                Some(("saved", tick)) => told.1 = tick.parse().ok().max(told.1),
                _ => (),
            }
        }
        told
    });
    thread::sleep(after);
    writer.kill().unwrap();
    writer.wait().unwrap();
    told.join().unwrap()
}

#[test]
fn all_that_was_told_to_be_durable_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let (mut durable, mut saved) = (None, None);
    let mut moments = std::iter::successors(Some(12_345_u64), |moment| Some(moment * 1_103_515_245 % 2_147_483_647));
    for round in 0..20 {
        // Every fifth one is killed in its first moments, maybe before it is there at all.
        let most = if round % 5 == 4 { 5_000 } else { 80_000 };
        let told = killed(dir.path(), Duration::from_micros(moments.next().unwrap() % most));
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
