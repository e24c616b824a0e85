//! A log in a stream, on a server that each test starts for itself. Without a server, the tests say so and pass.

use crate::contract::{Call, calls, try_out};
use crate::server::Server;
use crate::support::{DIR, block, blocks, dir, program, read};
use async_nats::jetstream::{self, stream::Stream};
use proptest::prelude::*;
use quadrille_durable::{JetStreamLog, JetStreamOptions, Log, LogError, Origin};
use std::cell::Cell;
use std::env;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

impl Server {
    fn open(&self, world: &str) -> Result<JetStreamLog, LogError> {
        JetStreamLog::open(&self.address, world, 3, &JetStreamOptions { queue: 4 << 20, ..JetStreamOptions::default() })
    }

    /// Does something to the stream behind the log's back.
    fn behind(&self, world: &str, deed: impl AsyncFnOnce(&jetstream::Context, Stream)) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let client = async_nats::connect(&self.address).await.unwrap();
            let jetstream = jetstream::new(client);
            deed(&jetstream, jetstream.get_stream(world).await.unwrap()).await;
        });
    }
}

/// The numbers of the messages of blocks, of which there are `count`.
async fn numbers(stream: &Stream, count: usize) -> Vec<u64> {
    let mut numbers = Vec::new();
    let last = stream.get_info().await.unwrap().state.last_sequence;
    for number in 1..=last {
        let message = stream.get_raw_message(number).await;
        numbers.extend(message.ok().filter(|message| message.subject.as_str() == "w.3.block").map(|_| number));
    }
    assert_eq!(numbers.len(), count);
    numbers
}

/// More than one message may carry.
fn long(tick: u64) -> Vec<u8> {
    block(tick).into_iter().chain([7]).cycle().take(2_500_000 + usize::try_from(tick).unwrap()).collect()
}

fn longs(ticks: impl IntoIterator<Item = u64>) -> Vec<(u64, Vec<u8>)> {
    ticks.into_iter().map(|tick| (tick, long(tick))).collect()
}

/// A log of long blocks of three parts, each acknowledged before the next one.
fn filled(server: &Server, ticks: std::ops::Range<u64>) {
    let mut log = server.open("w").unwrap();
    for tick in ticks {
        log.append(tick, long(tick)).unwrap();
        log.flush().unwrap();
        assert_eq!(log.durable(), Some(tick));
    }
}

#[test]
fn it_is_a_list_of_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    let worlds = Cell::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(12));
    let outcome = runner.run(&calls(), |calls| {
        worlds.set(worlds.get() + 1);
        try_out(&mut || Box::new(server.open(&format!("w{}", worlds.get())).unwrap()), &calls);
        Ok(())
    });
    outcome.unwrap();
}

/// A consumer of the blocks' subject was never told of the one that is left here.
#[test]
fn the_only_block_between_deleted_ones_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    let appended = [1, 3, 2, 3, 2, 3].map(Call::Append);
    let calls = [&appended[..], &[Call::Cut(1), Call::Truncate(0), Call::Read(14), Call::Reopen]].concat();
    try_out(&mut || Box::new(server.open("w").unwrap()), &calls);
}

#[test]
fn long_blocks_are_sent_in_parts_and_a_torn_one_is_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    filled(&server, 5..8);
    // The last part, and then the last two.
    for lost in 1..3 {
        server.behind("w", async |_, stream| {
            let numbers = numbers(&stream, 9).await;
            for number in numbers.iter().rev().take(lost) {
                stream.delete_message(*number).await.unwrap();
            }
        });
        let mut log = server.open("w").unwrap();
        let torn = log.torn().unwrap();
        assert_eq!((torn.after, torn.tick), (Some(6), Some(7)));
        assert!(torn.bytes >= 1_000_000 * (3 - lost as u64), "{torn:?}");
        assert_eq!(read(&mut log, None).unwrap(), longs(5..7));
        log.append(7, long(7)).unwrap();
        drop(log);
        let mut log = server.open("w").unwrap();
        assert_eq!((log.torn(), log.origin()), (None, Origin::Filled));
        assert_eq!(read(&mut log, Some(5)).unwrap(), longs(6..8));
    }
    // The only block is torn: the log is empty then, and not lost.
    let mut log = server.open("w").unwrap();
    log.cut_after(Some(5)).unwrap();
    drop(log);
    server.behind("w", async |_, stream| {
        let numbers = numbers(&stream, 3).await;
        assert!(stream.delete_message(numbers[2]).await.unwrap());
    });
    let log = server.open("w").unwrap();
    assert_eq!((log.origin(), log.last(), log.torn().unwrap().tick), (Origin::Empty, None, Some(5)));
    drop(log);
    assert_eq!(server.open("w").unwrap().torn(), None);
}

#[test]
fn a_part_missing_in_the_middle_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    filled(&server, 5..9);
    server.behind("w", async |_, stream| {
        let numbers = numbers(&stream, 12).await;
        assert!(stream.delete_message(numbers[4]).await.unwrap());
    });
    let error = server.open("w").unwrap_err();
    assert!(matches!(error, LogError::Missing { after: Some(5), until: 6, .. }), "{error}");
    server.behind("w", async |_, stream| {
        for number in &numbers(&stream, 11).await[3..5] {
            assert!(stream.delete_message(*number).await.unwrap());
        }
    });
    let error = server.open("w").unwrap_err();
    assert!(matches!(error, LogError::Missing { after: Some(5), until: 6, .. }), "{error}");
}

#[test]
fn a_message_that_vanishes_while_the_log_is_open_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    filled(&server, 5..9);
    let mut log = server.open("w").unwrap();
    server.behind("w", async |_, stream| {
        let numbers = numbers(&stream, 12).await;
        assert!(stream.delete_message(numbers[4]).await.unwrap());
    });
    let mut found = log.read(None).unwrap();
    assert_eq!(found.next().unwrap().unwrap(), (5, long(5)));
    let error = found.next().unwrap().unwrap_err();
    assert!(matches!(error, LogError::Missing { after: Some(5), until: 6, .. }), "{error}");
    assert!(found.next().is_none());
}

#[test]
fn gone_and_never_there_differ() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    assert_eq!(server.open("w").unwrap().origin(), Origin::New);
    assert_eq!(server.open("w").unwrap().origin(), Origin::Empty);
    filled(&server, 5..7);
    assert_eq!(server.open("w").unwrap().origin(), Origin::Filled);
    server.behind("w", async |_, stream| {
        assert_eq!(stream.purge().filter("w.3.block").await.unwrap().purged, 6);
    });
    assert!(matches!(server.open("w"), Err(LogError::Lost { .. })));
    server.behind("w", async |jetstream, _| assert!(jetstream.delete_stream("w").await.unwrap().success));
    assert_eq!(server.open("w").unwrap().origin(), Origin::New);
}

#[test]
fn who_opens_a_log_takes_it_over() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    let mut old = server.open("w").unwrap();
    old.append(5, block(5)).unwrap();
    old.flush().unwrap();
    let mut new = server.open("w").unwrap();
    old.append(6, block(6)).unwrap();
    assert!(matches!(old.flush(), Err(LogError::InUse { .. })));
    assert_eq!(old.durable(), Some(5));
    new.append(7, block(7)).unwrap();
    drop((old, new));
    assert_eq!(read(&mut server.open("w").unwrap(), None).unwrap(), blocks([5, 7]));
    // Another worker has a log of its own.
    let other = JetStreamLog::open(&server.address, "w", 4, &JetStreamOptions::default()).unwrap();
    assert_eq!((other.origin(), other.worker()), (Origin::New, 4));
}

#[test]
fn a_server_that_is_gone_is_told_and_has_kept_what_it_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    let options = JetStreamOptions { patience: Duration::from_secs(1), ..JetStreamOptions::default() };
    let mut log = JetStreamLog::open(&server.address, "w", 3, &options).unwrap();
    for tick in 0..500 {
        log.append(tick, block(tick)).unwrap();
    }
    while log.durable() < Some(50) {
        log.flush().unwrap();
    }
    for tick in 500..1000 {
        log.append(tick, block(tick)).unwrap();
    }
    drop(server);
    assert!(matches!(log.flush(), Err(LogError::Server { .. })) || log.durable() == Some(999));
    let durable = log.durable().unwrap();
    drop(log);
    assert!(matches!(JetStreamLog::open("127.0.0.1:1", "w", 3, &options), Err(LogError::Server { .. })));

    let server = Server::start(dir.path()).unwrap();
    let mut log = server.open("w").unwrap();
    let last = log.last().unwrap();
    assert!(last >= durable);
    assert_eq!(read(&mut log, None).unwrap(), blocks(0..=last));
}

const ADDRESS: &str = "QUADRILLE_TEST_ADDRESS";

/// The writer: says which tick is durable, and truncates now and then.
#[test]
#[ignore = "a process of another test"]
fn writer() {
    let options = JetStreamOptions { queue: 20_000, ..JetStreamOptions::default() };
    let mut log = JetStreamLog::open(&env::var(ADDRESS).unwrap(), "w", 3, &options).unwrap();
    assert!(dir().is_dir());
    for tick in log.last().map_or(0, |last| last + 1).. {
        log.append(tick, block(tick)).unwrap();
        println!("durable {}", log.durable().map_or(-1, |tick| i64::try_from(tick).unwrap()));
        if tick % 500 == 0 {
            log.truncate_before(tick.saturating_sub(700)).unwrap();
        }
    }
}

#[test]
fn all_that_was_told_to_be_durable_is_there_after_each_kill() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    let mut durable = None;
    for round in 0..8 {
        let mut writer = program("jetstream::writer");
        writer.env(DIR, dir.path()).env(ADDRESS, &server.address).stdout(Stdio::piped());
        let mut writer = writer.spawn().unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
        let tick = |line: String| line.strip_prefix("durable ")?.parse::<u64>().ok();
        // It has begun; then it goes on for a while.
        durable = lines.by_ref().find_map(tick).max(durable);
        let told = thread::spawn(move || lines.filter_map(tick).max());
        thread::sleep(Duration::from_millis(round * 7));
        writer.kill().unwrap();
        writer.wait().unwrap();
        durable = told.join().unwrap().max(durable);

        let mut log = server.open("w").unwrap();
        assert!(log.last() >= durable, "{:?} is there, {durable:?} was told", log.last());
        let removed = log.removed();
        let from = removed.map_or(0, |tick| tick + 1);
        let to = log.last().unwrap();
        assert_eq!(read(&mut log, removed).unwrap(), blocks(from..=to));
    }
}
