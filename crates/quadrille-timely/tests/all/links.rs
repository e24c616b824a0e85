//! Processes that are gone, slow, or foreign, seen from the others. They are threads here, with relays between them.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::common::fed;
use crate::links::Links;
use quadrille::Rect;
use quadrille_timely::{
    Cluster, ClusterError, Connections, LinkError, LinkFault, Program, RunError, WorkError, WorkerStats, World,
};

/// A relay hands bytes on, holds them back, or loses them.
pub(crate) const PASSES: u8 = 0;
pub(crate) const HOLDS: u8 = 1;
pub(crate) const LOSES: u8 = 2;
/// Long for a machine that is busy with other tests.
pub(crate) const LIMIT: Duration = Duration::from_secs(2);

pub(crate) fn pair() -> [TcpStream; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    [listener.accept().unwrap().0, there]
}

/// Hands bytes on in both directions, as long as the way says so.
pub(crate) fn relay(a: &TcpStream, b: &TcpStream, way: &Arc<AtomicU8>) {
    for (from, to) in [(a, b), (b, a)] {
        let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
        to.set_nodelay(true).unwrap();
        let way = Arc::clone(way);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count) = from.read(&mut bytes) {
                while way.load(Ordering::Relaxed) == HOLDS {
                    thread::sleep(Duration::from_millis(5));
                }
                if way.load(Ordering::Relaxed) == LOSES {
                    // Not even the end of one side is seen on the other.
                    if count == 0 {
                        thread::sleep(Duration::from_secs(60));
                    }
                } else if count == 0 {
                    return drop(to.shutdown(Shutdown::Write));
                } else if to.write_all(&bytes[..count]).is_err() {
                    return drop(from.shutdown(Shutdown::Both));
                }
            }
            // It died, so the other side must see that.
            let _ = to.shutdown(Shutdown::Both);
        });
    }
}

fn relayed(way: &Arc<AtomicU8>) -> [TcpStream; 2] {
    let ([a, middle], [end, b]) = (pair(), pair());
    relay(&middle, &end, way);
    [a, b]
}

/// Does nothing, tick by tick; at tick 5 worker 1 changes the state of the way, and takes its time.
fn idle(
    last: u64,
    pause: Duration,
    way: &Arc<AtomicU8>,
    then: u8,
) -> impl Program<f32, 2> + Clone + Send + Sync + use<> {
    let way = Arc::clone(way);
    fed(last, move |tick, feed| {
        if (tick, feed.worker()) == (5, 1) {
            way.store(then, Ordering::Relaxed);
            thread::sleep(pause);
        }
        thread::sleep(Duration::from_millis(1));
        Ok(())
    })
}

pub(crate) type Outcome = Result<Vec<WorkerStats>, ClusterError>;

pub(crate) fn world() -> World {
    World::new(Rect::new([0.0, 0.0], [10.0, 10.0])).unwrap()
}

fn run(pause: Duration, last: u64, then: u8, meanwhile: impl FnOnce(&AtomicU8)) -> [Outcome; 2] {
    let way = Arc::new(AtomicU8::new(PASSES));
    let [here, there] = relayed(&way);
    let process = |number: usize, sockets| {
        let idle = idle(last, pause, &way, then);
        let cluster = move || Cluster::new(world(), 2).silence(LIMIT);
        thread::spawn(move || cluster().process(number, sockets, move |_| idle.clone()))
    };
    let processes = [process(0, vec![None, Some(here)]), process(1, vec![Some(there), None])];
    meanwhile(&way);
    processes.map(|process| process.join().unwrap())
}

pub(crate) fn peer_error(outcome: Outcome) -> (usize, u64, LinkError) {
    match outcome {
        Err(ClusterError::Run(RunError::Work(WorkError::Peer { worker, tick, error }))) => (worker, tick, error),
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_ends_of_a_dead_connection_say_so() {
    let begin = Instant::now();
    let outcomes = run(Duration::ZERO, u64::MAX, LOSES, |_| ());
    assert!(begin.elapsed() < LIMIT * 5, "{:?}", begin.elapsed());
    for (me, outcome) in outcomes.into_iter().enumerate() {
        let (worker, tick, error) = peer_error(outcome);
        assert_eq!((worker, error.peer, &error.fault), (me, 1 - me, &LinkFault::Silent(LIMIT)));
        // Ticks are in flight when the connection dies.
        assert!((3..8).contains(&tick) && (3..8).contains(&error.tick), "{tick} {error}");
    }
}

#[test]
fn a_process_that_computes_for_long_is_waited_for() {
    let [other, own] = run(LIMIT * 2, 10, PASSES, |_| ()).map(Result::unwrap);
    assert!(other[0].longest_wait > LIMIT && other[0].waited >= other[0].longest_wait, "{other:?}");
    assert!(other[0].silence < LIMIT && own[0].waited < other[0].longest_wait, "{other:?} {own:?}");
}

#[test]
fn a_connection_that_comes_back_is_waited_for() {
    let meanwhile = |way: &AtomicU8| {
        while way.load(Ordering::Relaxed) != HOLDS {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(LIMIT / 2);
        way.store(PASSES, Ordering::Relaxed);
    };
    let [other, own] = run(Duration::ZERO, 10, HOLDS, meanwhile).map(Result::unwrap);
    assert!(other[0].silence > Duration::ZERO && own[0].silence > Duration::ZERO, "{other:?} {own:?}");
}

/// The error of process 0 when something foreign is at the other end.
fn beside(foreign: impl FnOnce(TcpStream)) -> LinkError {
    let [here, there] = pair();
    let idle = idle(u64::MAX, Duration::ZERO, &Arc::default(), PASSES);
    let process = thread::spawn(move || {
        Cluster::new(world(), 2).silence(LIMIT).process(0, vec![None, Some(here)], move |_| idle.clone())
    });
    foreign(there);
    peer_error(process.join().unwrap()).2
}

#[test]
fn whoever_sends_nonsense_is_named() {
    let is_foreign = |error: LinkError, words: &str| {
        assert_eq!(error.peer, 1);
        let LinkFault::Foreign(text) = &error.fault else { panic!("{error}") };
        assert!(text.contains(words), "{text}");
    };
    is_foreign(beside(|mut there| there.write_all(&[7; 1000]).unwrap()), "checksum");
    let ours = |number, sockets: [Option<TcpStream>; 3]| Links::new(number, sockets.into(), LIMIT).unwrap();
    // It knows the frames, and sends something else in them: too short, between the wrong workers, too long.
    for (bytes, words) in [(vec![1; 30], "cut short"), (vec![0; 200], "behind"), (vec![255; 200], "cut short")] {
        is_foreign(beside(|there| ours(1, [Some(there), None, None]).rows(0, &bytes)), words);
    }
    let mut header = [0; 56];
    (header[15], header[39]) = (9, 8);
    is_foreign(beside(|there| ours(1, [Some(there), None, None]).rows(0, &header)), "other workers");
    is_foreign(beside(|there| ours(2, [Some(there), None, None]).rows(0, &[])), "its other end is process 2");
    is_foreign(beside(|there| ours(1, [Some(there), None, None]).end(0)), "no last message");
    assert_eq!(beside(drop).fault, LinkFault::Closed);
    let error = beside(|there| ours(1, [Some(there), None, None]).stop("a test"));
    assert_eq!(error.fault, LinkFault::Stopped("a test".into()));
}

/// One worker of the caller's own.
pub(crate) fn on_own_worker<P: Program<f32, 2> + Clone + Send + Sync>(
    world: World,
    number: usize,
    sockets: Vec<Option<TcpStream>>,
    program: P,
) -> Result<WorkerStats, WorkError> {
    use timely::communication::Hooks;
    use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
    use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
    let connections = Connections::new(number, sockets, 1, LIMIT).unwrap();
    let hooks = Hooks::default();
    let typed = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
    let (builders, guard) = initialize_networking_from_sockets(typed, connections.streams(), number, 1, hooks).unwrap();
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let work = move |timely: &mut timely::worker::Worker| connections.on_worker(timely, &world, program.clone());
    let guards = timely::execute::execute_from(builders, Box::new(guard), timely::WorkerConfig::default(), work);
    guards.unwrap().join().pop().unwrap().unwrap()
}

#[test]
fn a_worker_of_the_callers_own_gets_the_error() {
    let way = Arc::new(AtomicU8::new(PASSES));
    let [here, there] = relayed(&way);
    let process = |number, sockets| {
        let idle = idle(u64::MAX, Duration::ZERO, &way, LOSES);
        thread::spawn(move || on_own_worker(world(), number, sockets, idle))
    };
    for (me, process) in
        [process(0, vec![None, Some(here)]), process(1, vec![Some(there), None])].into_iter().enumerate()
    {
        let Err(WorkError::Peer { error, .. }) = process.join().unwrap() else { panic!("no error of a peer") };
        assert_eq!((error.peer, error.fault), (1 - me, LinkFault::Silent(LIMIT)));
    }
}
