//! A process that sends what no process of this world does, in whole messages: the others name it.

use std::net::TcpStream;
use std::sync::Arc;
use std::{panic, thread};

use timely::Bincode;
use timely::bytes::arc::BytesMut;
use timely::communication::Bytesable;
use timely::dataflow::channels::Message;
use timely::progress::broadcast::ProgressMsg;
use timely::progress::{ChangeBatch, Location, Stamp};

use super::common::{Dice, fed};
use crate::answer::{Answer, Kind, Part};
use crate::links::Links;
use crate::links::incoming::Incoming;
use crate::links::messages::Built;
use crate::wire::Rows;
use quadrille::Rect;
use quadrille_timely::{
    Area, Cluster, ClusterError, Layers, LinkError, LinkFault, Partition, Program, Question, Rebalance, RunError, World,
};

use super::links::{LIMIT, on_own_worker, pair, peer_error};

/// They are found in messages.
const ID: u64 = 0x5EED_5EED_5EED_5EED;
const NUMBER: u32 = 0x0ABC_DEF1;

/// Worker 1 puts an object into the part of worker 0, and asks about it; worker 0 gets all answers.
fn speaker(layer: u8) -> impl Program<f32, 2> + Clone + Send + Sync {
    fed(40, move |tick, feed| {
        if (tick, feed.worker()) == (2, 1) {
            feed.put_point(layer, ID, [1.0, 1.0])?;
            // In the last cell, so that it is counted there.
            feed.put_point(layer, 7, [10.0, 10.0])?;
            let (layers, area) = (Layers::ALL, Area::Rect(Rect::new([0.0, 0.0], [10.0, 10.0])));
            feed.ask(NUMBER, Question::Window { layers, area })?;
        }
        Ok(())
    })
}

fn world() -> (World, u8) {
    let world = World::new(Rect::new([0.0, 0.0], [10.0, 10.0])).unwrap().reach(1.0).unwrap();
    let mut world = world.rebalance(Rebalance { every: 5, above: 3.0 }).unwrap().merged().reader(|_, _| 1);
    let layer = world.add_points().unwrap();
    (world, layer)
}

/// Where bytes stand in a message.
fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

type Spoil = fn(&mut [u8], usize);

/// Hands all messages on, and spoils those from process 1 that have a part, `spoil`ed from its place on.
fn between([here, there]: [TcpStream; 2], part: &[u8], spoil: Spoil) {
    let one = Links::new(1, vec![Some(here), None], LIMIT).unwrap();
    let zero = Links::new(0, vec![None, Some(there)], LIMIT).unwrap();
    for (from, peer, to, number) in [(zero.clone(), 1, one.clone(), 0), (one, 0, zero, 1)] {
        let part = part.to_vec();
        thread::spawn(move || {
            let (mut incoming, mut bytes) = (Incoming::new(from.clone(), peer), Vec::new());
            while incoming.receive(&mut bytes) {
                if peer == 1
                    && let Some(at) = find(&bytes, &part)
                {
                    spoil(&mut bytes, at);
                }
                to.rows(number, &bytes);
            }
            match from.error() {
                Some(error) => to.stop(&error.to_string()),
                None => to.end(number),
            }
        });
    }
}

/// Process 0 beside one that is spoiled, or a worker of the caller's own in its place.
fn outcome(part: &[u8], spoil: Spoil, is_own: bool) -> Result<(), ClusterError> {
    let ([here, middle], [end, there]) = (pair(), pair());
    between([middle, end], part, spoil);
    let process = |number, sockets| {
        thread::spawn(move || {
            let (world, layer) = world();
            if is_own {
                let outcome = on_own_worker(world, number, sockets, speaker(layer));
                outcome.map(drop).map_err(|error| RunError::from(error).into())
            } else {
                let cluster = Cluster::new(world, 2).silence(LIMIT);
                cluster.process(number, sockets, move |_| speaker(layer)).map(drop)
            }
        })
    };
    let [outcome, other] = [process(0, vec![None, Some(here)]), process(1, vec![Some(there), None])];
    drop(other.join());
    outcome.join().unwrap_or_else(|_| Err(RunError::Dataflow("a panic".into()).into()))
}

fn named(part: &[u8], spoil: Spoil, words: &str) {
    for is_own in [true, false] {
        let outcome = outcome(part, spoil, is_own).map(|()| Vec::new());
        let (worker, tick, LinkError { peer, fault, .. }) = peer_error(outcome);
        assert!((worker, peer) == (0, 1) && (1..40).contains(&tick), "{worker} {tick} {peer}");
        assert!(matches!(&fault, LinkFault::Foreign(text) if text.contains(words)), "{fault}");
    }
}

const ROWS: &str = "rows that are none of this world";

#[test]
fn rows_that_cannot_be_read_name_their_sender() {
    for is_own in [true, false] {
        outcome(&ID.to_le_bytes(), |_, _| (), is_own).unwrap();
    }
    let id = ID.to_le_bytes();
    // A role that there is none of, and more rows than bytes.
    named(&id, |bytes, at| bytes[at - 1] = 0xFF, ROWS);
    named(&id, |bytes, at| bytes[at - 5..at - 1].fill(0xFF), ROWS);
    // A question of no kind, and an answer of none.
    let varint = [0xF1, 0xBD, 0xF3, 0x55];
    named(&varint, |bytes, at| bytes[at + 4] = 0x77, ROWS);
    named(&NUMBER.to_le_bytes(), |bytes, at| bytes[at + 4] = 0xFF, ROWS);
}

#[test]
fn rows_that_no_worker_of_this_world_sends_name_their_sender() {
    let id = ID.to_le_bytes();
    named(&id, |bytes, at| bytes[at - 1] |= 31, ROWS);
    named(&id, |bytes, at| bytes[at + 8..at + 12].copy_from_slice(&f32::NAN.to_le_bytes()), ROWS);
    // One object is in the last cell; there is none behind it.
    let last = Partition::<f32, 2>::CELLS as u32 - 1;
    let census = [&last.to_le_bytes()[..], &1_u64.to_le_bytes()].concat();
    named(&census, |bytes, at| bytes[at..at + 4].fill(0xFF), ROWS);
}

/// Before a row are its first byte, four of the number of rows, and the tick.
#[test]
fn rows_of_ticks_that_are_not_open_name_their_sender() {
    let id = ID.to_le_bytes();
    named(&id, |bytes, at| bytes[at - 13..at - 5].fill(0), ROWS);
    named(&id, |bytes, at| bytes[at - 12] = 1, ROWS);
    named(&id, |bytes, at| bytes[at - 13..at - 5].fill(0xFF), ROWS);
}

/// The head of a message is timely's, which takes no error.
#[test]
fn messages_that_timely_cannot_read_name_their_sender() {
    let id = ID.to_le_bytes();
    // Before the id are the row's first byte, four of the number of rows, the stamp, of a length and a tick, and the sender with
    // the message's number.
    named(&id, |bytes, at| bytes[at - 5 - 16 - 16] = 0, "in the name of another worker");
    named(&id, |bytes, at| bytes[at - 5 - 9] = 0xFF, "cannot be read");
    named(&id, |bytes, at| bytes[at - 5 - 16] = 0, "cannot be read");
    // The fourth message of worker 1 on the channel of progress, or on another one: its number twice, and a length.
    let fourth = [3_u64.to_be_bytes(), 1_u64.to_le_bytes(), 3_u64.to_le_bytes()];
    named(fourth.as_flattened(), |bytes, at| bytes[at + 31] = 0xFF, "cannot be read");
    // Then come an operator, the kind of a port, and its number.
    named(fourth.as_flattened(), |bytes, at| bytes[at + 45] = 1, "progress of a port that no operator has");
    named(fourth.as_flattened(), |bytes, at| bytes[at + 33] = 1, "progress of a port that no operator has");
}

/// One operator with an input and an output, below channels 3 to 5, of which 5 is that of progress.
fn built() -> Built {
    Built { channels: 3..6, shape: vec![[0, 0], [1, 1]] }
}

/// Timely keeps what comes before the dataflow is there. Callers may have channels of their own.
#[test]
fn messages_before_the_dataflow_are_found_when_it_is_there() {
    let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let change = |operator, port: u64| {
        // The kind takes half a word, and so all that is behind it is shifted.
        words(&[7, 0, 1, operator, 1 | port << 32, 9 << 32, 1 << 32, 0, 0])
    };
    let (rows, nonsense) = (words(&[7, 0, 1, 9, 0]), words(&[7, 0]));
    let cases = [
        (3, &rows, None),
        (2, &nonsense, None),
        (6, &nonsense, None),
        (5, &change(1, 0), None),
        (4, &nonsense, Some("cannot be read")),
        (5, &rows, Some("cannot be read")),
        (4, &words(&[8, 0, 1, 9, 0]), Some("another worker")),
        (5, &change(1, 1), Some("no operator has")),
        (5, &change(2, 0), Some("no operator has")),
    ];
    for (channel, bytes, expected) in cases {
        for is_early in [true, false] {
            let [here, _there] = pair();
            let links = Links::over(0, vec![None, Some(Arc::new(here))], LIMIT);
            let early = if is_early { links.admit(1, channel, 7, bytes) } else { Ok(()) };
            links.built(built());
            let late = if is_early { Ok(()) } else { links.admit(1, channel, 7, bytes) };
            assert_eq!(early, Ok(()));
            let fault = links.error().map(|error| error.to_string()).or(late.err().map(str::to_owned));
            let is_right = |fault: &String| expected.is_some_and(|words| fault.contains(words));
            assert!(fault.as_ref().map_or(expected.is_none(), is_right), "{channel}, {bytes:?}: {fault:?}");
        }
    }
}

/// Whether a type can be read from bytes.
fn is_read<T: Bytesable>(bytes: &[u8]) -> bool {
    panic::catch_unwind(|| T::from_bytes(BytesMut::from(bytes.to_vec()).freeze())).is_ok()
}

#[test]
fn timely_reads_each_message_that_is_admitted() {
    let mut dice = Dice(31);
    let (mut taken, mut refused) = (0, 0);
    let links = Links::over(1, Vec::new(), LIMIT);
    links.built(Built { channels: 0..2, shape: vec![[1, 2]; 9] });
    for _ in 0..2000 {
        let is_progress = dice.one_in(2);
        let mut bytes = Vec::new();
        if is_progress {
            let place = |dice: &mut Dice| match dice.roll(2) {
                0 => Location::new_source(dice.roll(9) as usize, 1),
                _ => Location::new_target(dice.roll(9) as usize, 0),
            };
            let changes = (0..dice.roll(6)).map(|tick| ((place(&mut dice), tick), 1)).collect::<Vec<_>>();
            let mut batch = ChangeBatch::<(Location, u64)>::new();
            batch.extend(changes.into_iter());
            Bincode::from((1_usize, 4_usize, batch)).into_bytes(&mut bytes);
        } else {
            let mut message = Message::new(
                Stamp::from_elem(9),
                Rows(vec![Part { to: 0, answer: Answer { question: 1, kind: Kind::Found, a: 2, b: 3 } }]),
            );
            message.from = 1;
            message.into_bytes(&mut bytes);
        }
        assert_eq!(links.admit(0, usize::from(is_progress), 1, &bytes), Ok(()));
        let at = dice.roll(bytes.len().min(80) as u64) as usize;
        match dice.roll(3) {
            0 => bytes[at] = dice.roll(256) as u8,
            1 => bytes[at] ^= 1 << dice.roll(8),
            _ => bytes.truncate(at),
        }
        // On any channel.
        for is_progress in [true, false] {
            let is_admitted = links.admit(0, usize::from(is_progress), 1, &bytes).is_ok();
            *(if is_admitted { &mut taken } else { &mut refused }) += 1;
            let read = if is_progress { is_read::<ProgressMsg<u64>> } else { is_read::<Message<u64, Rows<Part>>> };
            assert!(!is_admitted || read(&bytes), "{is_progress} {bytes:?}");
        }
    }
    assert!(taken > 500 && refused > 500, "{taken} {refused}");
}
