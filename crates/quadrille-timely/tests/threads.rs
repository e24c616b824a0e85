//! The answers of all workers together are those of one list, in threads.

mod common;

use std::sync::{Arc, Mutex};

use common::{Actor, Answers, History, Model, compare, world};
use quadrille_timely::{Coordinate, Rebalance, World, on_worker, threads};

fn run<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    history: &Arc<History<S, D>>,
    workers: usize,
    mixes: bool,
) -> Answers {
    let answers: Answers = Arc::new(Mutex::default());
    let (all, history) = (Arc::clone(&answers), Arc::clone(history));
    threads(world, workers, move |_| Actor {
        history: Arc::clone(&history),
        answers: Arc::clone(&all),
        mixes,
        next: 1,
    })
    .unwrap();
    answers
}

fn check<S: Coordinate, const D: usize>(
    seeds: std::ops::Range<u64>,
    alter: impl Fn(World<S, D>) -> World<S, D>,
    has_local: bool,
    mixes: bool,
) {
    for seed in seeds {
        let history = Arc::new(History::<S, D>::random(seed, 12, 40, has_local));
        let expected = Model::answers(&history);
        for workers in 1..=4 {
            let world = alter(world(has_local).in_flight(1 + seed % 5).unwrap());
            let seen = run(&world, &history, workers, mixes);
            compare(&seen.lock().unwrap(), &expected, &format!("seed {seed}, {workers} workers"));
        }
    }
}

#[test]
fn a_world_runs_on_workers_of_ones_own() {
    let history = Arc::new(History::<f32, 2>::random(600, 12, 40, true));
    let answers: Answers = Arc::new(Mutex::default());
    let (all, shared) = (Arc::clone(&answers), Arc::clone(&history));
    let guards = timely::execute(timely::Config::process(2), move |worker| {
        use timely::dataflow::operators::{Inspect, ToStream};
        // Beside another dataflow.
        worker.dataflow::<u64, _, _>(|scope| {
            (0..3).to_stream(scope).container::<Vec<_>>().inspect(|_| ());
        });
        let actor = Actor { history: Arc::clone(&shared), answers: Arc::clone(&all), mixes: false, next: 1 };
        on_worker(worker, &world(true), actor)
    });
    for figures in guards.unwrap().join() {
        assert_eq!(figures.unwrap().unwrap().ticks, 12);
    }
    compare(&answers.lock().unwrap(), &Model::answers(&history), "workers of one's own");
}

#[test]
fn long_histories() {
    for seed in 10..30 {
        let history = Arc::new(History::<f32, 2>::random(seed, 60, 30, true));
        let expected = Model::answers(&history);
        for workers in 2..=3 {
            let seen = run(&world(true), &history, workers, false);
            compare(&seen.lock().unwrap(), &expected, &format!("seed {seed}, {workers} workers"));
        }
    }
}

#[test]
fn fed_worlds_f32() {
    check::<f32, 2>(0..30, |world| world, false, false);
}

#[test]
fn fed_worlds_3d_f64() {
    check::<f64, 3>(100..120, |world| world, false, false);
}

#[test]
fn worlds_of_walkers() {
    check::<f32, 2>(200..230, |world| world, true, false);
    check::<f32, 3>(230..240, |world| world, true, false);
    check::<f64, 2>(240..250, |world| world, true, false);
}

#[test]
fn a_directory_takes_rows_from_all() {
    check::<f32, 2>(300..320, World::directory, false, true);
}

#[test]
fn worlds_that_are_cut_anew() {
    let rule = Rebalance { every: 2, above: 1.0 };
    check::<f32, 2>(400..420, |world| world.rebalance(rule), true, false);
    check::<f64, 2>(420..440, |world| world.rebalance(rule).directory(), true, true);
}

#[test]
fn merged_answers_are_one_list() {
    check::<f32, 2>(500..510, World::merged, true, false);
}
