//! A worker that fails ends its process and all others, and none waits for ever.

use std::{iter, thread};

use super::common::fed;
use super::links::{Outcome, pair, world};
use quadrille_timely::{Cluster, ClusterError, FeedError, LinkFault, RunError, WorkError};

/// The outcome of two processes, which are threads here, where worker 1 fails.
fn run_once(panics: bool) -> [Outcome; 2] {
    let [here, there] = pair();
    let process = move |number: usize, sockets| {
        let mut world = world();
        world.add_points().unwrap();
        let program = move |_| {
            fed(u64::MAX, move |tick, feed| match (tick, feed.worker()) {
                (5, 1) if panics => panic!("this panic is part of a test"),
                (5, 1) => feed.remove(7),
                _ => Ok(()),
            })
        };
        thread::spawn(move || Cluster::new(world, 2).process(number, sockets, program))
    };
    [process(0, vec![None, Some(here)]), process(1, vec![Some(there), None])].map(|process| process.join().unwrap())
}

/// A machine may be so busy that the farewell comes too late; not always.
fn run(panics: bool) -> [Outcome; 2] {
    let is_told = |[other, _]: &[Outcome; 2]| {
        let Err(ClusterError::Run(RunError::Work(WorkError::Peer { error, .. }))) = other else { return true };
        error.fault != LinkFault::Closed
    };
    iter::repeat_with(|| run_once(panics)).take(5).find(is_told).expect("a reason is told")
}

#[test]
fn an_error_ends_all_processes_and_comes_back() {
    let [other, own] = run(false);
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
    let [other, own] = run(true);
    let Err(ClusterError::Run(RunError::Dataflow(text))) = own else { panic!("{own:?}") };
    assert_eq!(text, "worker 1 panicked");
    let Err(ClusterError::Run(RunError::Work(WorkError::Peer { error, .. }))) = other else { panic!("{other:?}") };
    assert_eq!(error.fault, LinkFault::Stopped("worker 1 has panicked".into()));
}
