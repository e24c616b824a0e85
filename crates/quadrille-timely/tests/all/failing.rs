//! A worker that fails ends its process and all others, and none waits for ever.

use std::iter;
use std::net::{TcpListener, TcpStream};
use std::thread;

use quadrille::Rect;
use quadrille_timely::LinkFault;
use quadrille_timely::{Cluster, ClusterError, Feed, FeedError, Program, RunError, WorkError, WorkerStats, World};

/// How worker 1 fails.
#[derive(Clone, Copy)]
enum Way {
    Error,
    Panic,
}

struct Failing(Way);

impl Program<f32, 2> for Failing {
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        if (tick, feed.worker()) == (5, 1) {
            match self.0 {
                Way::Error => feed.remove(7)?,
                Way::Panic => panic!("this panic is part of a test"),
            }
        }
        Ok(())
    }

    fn is_last(&self, _: u64) -> bool {
        false
    }
}

type Outcome = Result<Vec<WorkerStats>, ClusterError>;

/// The outcome of two processes, which are threads here.
fn run_once(way: Way) -> [Outcome; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (here, _) = listener.accept().unwrap();
    let process = move |number: usize, sockets| {
        let mut world = World::new(Rect::new([0.0, 0.0], [10.0, 10.0])).unwrap();
        world.add_points().unwrap();
        thread::spawn(move || Cluster::new(world, 2).process(number, sockets, move |_| Failing(way)))
    };
    [process(0, vec![None, Some(here)]), process(1, vec![Some(there), None])].map(|process| process.join().unwrap())
}

/// A machine may be so busy that the farewell comes too late; not always.
fn run(way: Way) -> [Outcome; 2] {
    let is_told = |[other, _]: &[Outcome; 2]| {
        let Err(ClusterError::Run(RunError::Work(WorkError::Peer { error, .. }))) = other else { return true };
        error.fault != LinkFault::Closed
    };
    iter::repeat_with(|| run_once(way)).take(5).find(is_told).expect("a reason is told")
}

#[test]
fn an_error_ends_all_processes_and_comes_back() {
    let [other, own] = run(Way::Error);
    let Err(ClusterError::Run(RunError::Work(error))) = own else { panic!("{own:?}") };
    assert_eq!(error, WorkError::Feed { worker: 1, tick: 5, error: FeedError::Unknown { id: 7 } });
    let Err(ClusterError::Run(RunError::Work(WorkError::Peer { worker: 0, error, .. }))) = other else {
        panic!("{other:?}")
    };
    let why = "process 1, last heard of at tick 5, has stopped: worker 1 stops at tick 5: ";
    assert!(error.to_string().starts_with(why), "{error}");
}

#[test]
fn a_panic_ends_all_processes() {
    let [other, own] = run(Way::Panic);
    let Err(ClusterError::Run(RunError::Dataflow(text))) = own else { panic!("{own:?}") };
    assert_eq!(text, "worker 1 panicked");
    let Err(ClusterError::Run(RunError::Work(WorkError::Peer { error, .. }))) = other else { panic!("{other:?}") };
    assert_eq!(error.fault, LinkFault::Stopped("worker 1 has panicked".into()));
}
