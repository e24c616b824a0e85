//! The answers of all workers together are those of one list, in threads; the simulation plays far more orders of events. Each
//! scalar and each dimension is tried, in two of their four combinations: each compiles the dataflow once more.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use timely::logging::{ChannelsEvent, TimelyEvent, TimelyEventBuilder};

use super::common::{Action, Actor, Answers, Closures, History, Model, POINTS, WALKERS, compare, world};
use crate::flow::shape;
use quadrille::{Ball, Rect};
use quadrille_timely::{
    Answer, Area, Coordinate, Feed, FeedError, Layers, Program, Question, Rebalance, RunError, World, on_worker,
    threads,
};

fn run<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    history: &Arc<History<S, D>>,
    workers: usize,
    mixes: bool,
) -> Answers {
    let answers: Answers = Arc::new(Mutex::default());
    let actor = Actor { mixes, ..Actor::new(history, &answers) };
    threads(world, workers, move |_| actor.clone()).unwrap();
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
    let actor = Actor::new(&history, &answers);
    let guards = timely::execute(timely::Config::process(2), move |worker| {
        use timely::dataflow::operators::{Inspect, ToStream};
        // Beside another dataflow.
        worker.dataflow::<u64, _, _>(|scope| {
            (0..3).to_stream(scope).container::<Vec<_>>().inspect(|_| ());
        });
        on_worker(worker, &world(true), actor.clone())
    });
    for stats in guards.unwrap().join() {
        assert_eq!(stats.unwrap().unwrap().ticks, 12);
    }
    compare(&answers.lock().unwrap(), &Model::answers(&history), "workers of one's own");
}

/// Timely logs each operator, and each channel from an output to an input.
#[test]
fn the_shape_of_a_dataflow_is_as_timely_logs_it() {
    for options in 0..16 {
        let mut world = world::<f32, 2>(options & 1 > 0);
        world = if options & 2 > 0 { world.directory() } else { world };
        world = if options & 4 > 0 { world.merged() } else { world };
        world = if options & 8 > 0 { world.rebalance(Rebalance { every: 3, above: 2.0 }).unwrap() } else { world };
        let shape = shape(&world);
        let total = |port: usize| shape.iter().map(|ports| ports[port]).sum::<u64>();
        // Nothing takes what the last probe passes on, and that of a census, or the census.
        let expected = [shape.len() as u64, total(0), total(1) - 2].map(|count| count as usize);
        timely::execute_directly(move |worker| {
            let ports: Rc<RefCell<[BTreeSet<[usize; 2]>; 3]>> = Rc::default();
            let seen = Rc::clone(&ports);
            let log = move |_: &Duration, events: &mut Option<Vec<(Duration, TimelyEvent)>>| {
                let [operators, targets, sources] = &mut *seen.borrow_mut();
                for (_, event) in events.iter().flatten() {
                    match event {
                        TimelyEvent::Operates(event) => drop(operators.insert([event.addr.len(), event.id])),
                        TimelyEvent::Channels(ChannelsEvent { source, target, .. }) => {
                            assert!((source.1 as u64) < shape[source.0][1] && (target.1 as u64) < shape[target.0][0]);
                            sources.insert([source.0, source.1]);
                            targets.insert([target.0, target.1]);
                        }
                        _ => (),
                    }
                }
            };
            worker.log_register().unwrap().insert::<TimelyEventBuilder, _>("timely", log);
            let history = Arc::new(History::<f32, 2>::random(1, 1, 1, false));
            let actor = Actor { history, answers: Arc::default(), mixes: false, next: 1 };
            on_worker(worker, &world, actor).unwrap();
            worker.log_register().unwrap().flush();
            assert_eq!(ports.borrow().each_ref().map(BTreeSet::len), expected, "{options}");
        });
    }
}

#[test]
fn long_histories() {
    for seed in 10..20 {
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
    check::<f32, 2>(0..20, |world| world, false, false);
}

#[test]
fn fed_worlds_3d_f64() {
    check::<f64, 3>(100..115, |world| world, false, false);
}

#[test]
fn worlds_of_walkers() {
    check::<f32, 2>(200..215, |world| world, true, false);
    check::<f64, 3>(230..240, |world| world, true, false);
}

#[test]
fn a_directory_takes_rows_from_all() {
    check::<f32, 2>(300..315, World::directory, false, true);
}

#[test]
fn worlds_that_are_rebalanced() {
    // A new partition costs more than all else.
    let rule = Rebalance { every: 3, above: 1.0 };
    check::<f32, 2>(400..405, |world| world.rebalance(rule).unwrap(), true, false);
    check::<f64, 3>(420..425, |world| world.rebalance(rule).unwrap().directory(), true, true);
}

#[test]
fn merged_answers_are_one_list() {
    check::<f32, 2>(500..510, World::merged, true, false);
}

/// Runs a history that is written out, with several numbers of workers.
fn check_ticks<S: Coordinate, const D: usize>(ticks: Vec<Vec<Action<S, D>>>) {
    let history = Arc::new(History { ticks });
    let expected = Model::answers(&history);
    for workers in 1..=4 {
        let seen = run(&world(true), &history, workers, false);
        compare(&seen.lock().unwrap(), &expected, &format!("{workers} workers"));
    }
}

/// Worker 1 panics when it is made, when its third tick is fed, or when that is answered.
#[test]
fn a_worker_that_panics_stops_all() {
    for when in 0..3 {
        let result = threads(&world(false), 3, move |worker| {
            let is_now = move |then, tick| (when, worker, tick) == (then, 1, 3);
            assert!(!is_now(0, 3), "a test");
            let feed = move |tick, _: &mut Feed<'_, f32, 2>| {
                assert!(!is_now(1, tick), "a test");
                Ok(())
            };
            let answers = move |tick, _: &[Answer]| assert!(!is_now(2, tick), "a test");
            Closures { feed, answers, last: 3 }
        });
        assert!(matches!(result, Err(RunError::Dataflow(_))), "{result:?}");
    }
}

#[test]
fn a_question_that_ends_and_begins_in_one_tick_is_a_new_one() {
    let layers = Layers::ALL;
    let fence = |half: f32| Area::Rect(Rect::new([50.0 - half, 50.0 - half], [50.0 + half, 50.0 + half]));
    let put = |id: u64, x: f32| Action::Put(POINTS, id, Rect::from_point([x, 50.0]));
    let fenced = |area| Action::Ask(12, Question::Fence { layers, area });
    let close = |distance| Action::Ask(10, Question::Contacts { layers, distance });
    check_ticks(vec![
        vec![put(1, 48.0), put(2, 51.0), put(3, 60.0), fenced(Some(fence(5.0))), close(Some(4.0))],
        vec![fenced(None), fenced(Some(fence(20.0))), close(None), close(Some(4.0)), put(1, 49.0)],
        // Out of the cells of some worker, and away.
        vec![fenced(Some(fence(0.5))), fenced(None), fenced(Some(fence(2.0)))],
        vec![fenced(Some(fence(3.0))), close(Some(5.0))],
    ]);
}

#[test]
fn a_fence_that_goes_and_comes_back_in_one_tick_tells_nothing() {
    let fence = |x: f32| {
        let area = Some(Area::Rect(Rect::new([x, x], [x + 4.0, x + 4.0])));
        Action::Ask(12, Question::Fence { layers: Layers::ALL, area })
    };
    let put = |id: u64, x: f32| Action::Put(POINTS, id, Rect::from_point([x, x]));
    check_ticks(vec![
        vec![put(1, 2.0), put(2, 3.0), put(3, 91.0), fence(1.0)],
        vec![fence(90.0), fence(1.0)],
        vec![fence(90.0), fence(0.0)],
    ]);
}

#[test]
fn the_nearest_of_a_point_infinitely_far_away() {
    let put = |id: u64| Action::Put(POINTS, id, Rect::from_point([95.0 - 6.0 * id as f32, 5.0 * id as f32]));
    let corners = [[f32::NEG_INFINITY, 5.0], [5.0, f32::INFINITY], [f32::NEG_INFINITY, f32::INFINITY]];
    let nearest = |at| Question::Nearest { layers: Layers::ALL, at: Rect::from_point(at), count: 3 };
    let asked = (0..).zip(corners).map(|(number, at)| Action::Ask(number, nearest(at)));
    check_ticks(vec![(0..16).map(put).chain(asked).collect()]);
}

#[test]
fn a_ball_meets_what_rounds_to_its_radius() {
    // In steps of 128: what is 60 beyond the ball belongs to it.
    let far = 1e18_f64;
    let area = || Area::Ball(Ball::new([-far, 50.0, 50.0], far));
    let put = |id: u64| Action::Put((id % 2) as u8, id, Rect::from_point([4.0 * id as f64, 50.0, 50.0]));
    let window = Action::Ask(0, Question::Window { layers: Layers::ALL, area: area() });
    let fence = Action::Ask(12, Question::Fence { layers: Layers::ALL, area: Some(area()) });
    check_ticks(vec![(0..25).map(put).chain([window, fence]).collect()]);
}

/// Puts a point that grows.
struct Grows;

impl Program<f32, 2> for Grows {
    fn feed(&mut self, _: u64, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        feed.put_point(WALKERS, 1, [50.0, 50.0])
    }

    fn is_last(&self, tick: u64) -> bool {
        tick == 2
    }

    fn step(&mut self, _: u64, _: u8, _: u64, shape: Rect) -> Option<Rect> {
        Some(Rect::new(shape.min(), [51.0, 51.0]))
    }
}

#[test]
fn a_point_that_steps_to_a_box_is_refused() {
    let result = threads(&world(true), 1, |_| Grows);
    assert!(matches!(result, Err(RunError::Dataflow(_))), "{result:?}");
}

#[test]
fn of_several_fences_under_one_number_that_of_the_last_worker_counts() {
    let put = |id: u64| Action::Put(POINTS, id, Rect::from_point([5.0 * id as f32, 50.0]));
    let fence = |tick: u64| {
        let at = (3 * tick % 70) as f32;
        // The number is one of worker 2.
        let area = Some(Area::Rect(Rect::new([at, 0.0], [at + 30.0, 100.0])));
        Action::Ask(14, Question::Fence { layers: Layers::ALL, area })
    };
    let ticks = (1..=60).map(|tick| (0..20).filter(|_| tick == 1).map(put).chain([fence(tick)]).collect());
    let history = Arc::new(History { ticks: ticks.collect() });
    let seen: Answers = Arc::new(Mutex::default());
    let actor = Actor::new(&history, &seen);
    threads(&world(false), 3, move |worker| {
        let (mut asking, mut answered) = (actor.clone(), actor.clone());
        let feed = move |tick, feed: &mut Feed<'_, f32, 2>| {
            if worker != 2 {
                let at = (tick + 17 * worker as u64) as f32;
                let area = Some(Area::Rect(Rect::new([at, 0.0], [at + 20.0, 100.0])));
                feed.ask(14, Question::Fence { layers: Layers::ALL, area })?;
            }
            asking.feed(tick, feed)
        };
        let answers = move |tick, answers: &[Answer]| answered.answers(tick, answers);
        Closures { feed, answers, last: 60 }
    })
    .unwrap();
    compare(&seen.lock().unwrap(), &Model::answers(&history), "three workers");
}
