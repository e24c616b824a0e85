//! A feed refuses wrong rows, and nothing comes of them; how far it may be ahead.

use std::sync::{Arc, Mutex};

use super::common::{Closures, fed};
use quadrille::{Ball, Rect};
use quadrille_timely::{
    Answer, Area, Cluster, Feed, FeedError, Kind, LAYERS_MAX, Layers, PlanError, Question, Rebalance, RunError, World,
    threads,
};

const POINTS: u8 = 0;
const RECTS: u8 = 1;

fn world() -> World {
    let mut world = World::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap().reach(5.0).unwrap();
    assert_eq!([world.add_points(), world.add_rects()], [Ok(POINTS), Ok(RECTS)]);
    world
}

/// The answers of a world of closures, with their ticks and the workers that have them.
fn told<F>(world: &World, workers: usize, last: u64, feed: F) -> Vec<(u64, usize, Answer)>
where
    F: FnMut(u64, &mut Feed<'_, f32, 2>) -> Result<(), FeedError> + Copy + Send + Sync + 'static,
{
    let all: Arc<Mutex<Vec<_>>> = Arc::default();
    let seen = Arc::clone(&all);
    threads(world, workers, move |worker| {
        let seen = Arc::clone(&seen);
        let answers = move |tick, answers: &[Answer]| {
            seen.lock().unwrap().extend(answers.iter().map(|answer| (tick, worker, *answer)));
        };
        Closures { feed, answers, last }
    })
    .unwrap();
    std::mem::take(&mut *all.lock().unwrap())
}

fn text(result: Result<(), FeedError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn wrong_rows_change_nothing() {
    let feed = |_: u64, feed: &mut Feed<'_, f32, 2>| {
        if feed.worker() == 1 {
            return Ok(());
        }
        feed.put_point(POINTS, 2, [10.0, 10.0])?;
        let point = Rect::from_point([20.0, 20.0]);
        assert_eq!(text(feed.put(7, 2, point)), "there is no layer 7; the world has 2");
        assert_eq!(
            text(feed.put_point(POINTS, 2, [f32::NAN, 1.0])),
            "object 2 has no finite shape: Rect { min: [NaN, 1.0], max: [NaN, 1.0] }"
        );
        let everything = Rect::new([0.0, 0.0], [f32::INFINITY, 1.0]);
        assert!(matches!(feed.put(RECTS, 2, everything), Err(FeedError::NotFinite { id: 2, .. })));
        let wide = Rect::new([0.0, 0.0], [1.0, 1.0]);
        assert_eq!(text(feed.put(POINTS, 2, wide)), "object 2 has an extent; layer 0 holds points");
        assert_eq!(
            text(feed.put(RECTS, 3, wide)),
            "object 3 is fed by worker 1, not by worker 0; a world with a directory takes it from any"
        );
        assert!(matches!(feed.remove(3), Err(FeedError::OtherReader { id: 3, reader: 1, worker: 0 })));
        assert_eq!(text(feed.remove(4)), "object 4 was not fed, so it cannot be taken out here");
        assert_eq!(text(feed.check_tick(0)), "a row about tick 0 came late: the open tick is 1");
        assert_eq!(text(feed.check_tick(2)), "a row about tick 2 came early: the open tick is 1");
        feed.check_tick(1)?;
        for distance in [5.1, -1.0, f32::NAN] {
            let refused = feed.ask(1, Question::Pairs { layers: Layers::ALL, distance });
            assert!(matches!(refused, Err(FeedError::BeyondReach { reach: 5.0, .. })), "{distance}");
            let refused = feed.ask(1, Question::Contacts { layers: Layers::ALL, distance: Some(distance) });
            assert!(matches!(refused, Err(FeedError::BeyondReach { .. })), "{distance}");
        }
        for (layer, bits) in [(7, "0b10000000"), (32, "0b0"), (255, "0b0")] {
            let refused = feed.ask(1, Question::Pairs { layers: Layers::of(layer), distance: 1.0 });
            assert_eq!(text(refused), format!("question 1 names none of the world's 2 layers: bits {bits}"));
        }
        let nowhere = Area::Ball(Ball::new([f32::NAN, 0.0], 1.0));
        let refused = feed.ask(9, Question::Window { layers: Layers::ALL, area: nowhere });
        assert_eq!(text(refused), "question 9 has a coordinate that is not a number");
        feed.ask(3, Question::Window { layers: Layers::ALL, area: Area::Rect(Rect::everything()) })
    };
    assert_eq!(told(&world(), 2, 1, feed), [(1, 0, Answer { question: 3, kind: Kind::Found, a: 2, b: 0 })]);
}

#[test]
fn readers_and_numbers_of_workers_must_be() {
    let feed = |_: u64, feed: &mut Feed<'_, f32, 2>| {
        let refused = feed.put_point(POINTS, 1, [1.0, 1.0]);
        assert_eq!(text(refused), "object 1 is to be fed by worker 7; there are 2");
        Ok(())
    };
    let world = world().reader(|_, _| 7);
    threads(&world, 2, move |_| fed(1, feed)).unwrap();
    for workers in [0, 32_769] {
        let error = threads(&world, workers, move |_| fed(1, feed));
        assert_eq!(error.unwrap_err().to_string(), format!("{workers} workers; there must be 1 to 32768"));
    }
}

#[test]
fn a_feed_that_fails_stops_all_workers() {
    let feed = |tick: u64, feed: &mut Feed<'_, f32, 2>| match (tick, feed.worker()) {
        (5, 1) => Err(FeedError::Program("the line is dead".into())),
        _ => Ok(()),
    };
    let error = threads(&world(), 3, move |_| fed(99, feed)).unwrap_err();
    let RunError::Work(cause) = error else { panic!("{error}") };
    assert_eq!(
        cause.to_string(),
        "worker 1 stops at tick 5: the program that feeds the world failed: the line is dead"
    );
}

#[test]
fn of_rows_about_one_object_in_a_tick_that_of_the_highest_worker_counts() {
    // Column by column: a window each.
    let at = |worker: usize, tick: u64| [5.0 + 20.0 * worker as f32, (tick * 37 % 100) as f32];
    let feed = move |tick: u64, feed: &mut Feed<'_, f32, 2>| {
        feed.put_point(POINTS, 7, at(feed.worker(), tick))?;
        let asked = if feed.worker() == 0 { feed.workers() } else { 0 };
        (0..asked).try_for_each(|worker| {
            let area = Area::Rect(Rect::from_point(at(worker, tick)));
            feed.ask(worker as u32, Question::Window { layers: Layers::ALL, area })
        })
    };
    for workers in 1..=4 {
        // All answers are merged.
        let told = told(&world().directory().merged(), workers, 20, feed);
        let told: Vec<_> = told.into_iter().map(|(tick, worker, answer)| (tick, worker, answer.question)).collect();
        assert_eq!(told, (1..=20).map(|tick| (tick, 0, workers as u32 - 1)).collect::<Vec<_>>());
    }
}

/// A plain loop over all objects knows what is in a window.
#[test]
fn one_worker_may_feed_all() {
    let at = |id: u64, tick: u64| [(id * 13 + tick * 7) % 101, id * 29 % 97].map(|c| c as f32);
    let feed = move |tick: u64, feed: &mut Feed<'_, f32, 2>| {
        if feed.worker() + 1 < feed.workers() {
            return Ok(());
        }
        let area = Area::Rect(Rect::new([20.0, 20.0], [70.0, 70.0]));
        feed.ask(1, Question::Window { layers: Layers::ALL, area })?;
        (0..60).try_for_each(|id| feed.put_point(POINTS, id, at(id, tick)))
    };
    let all = (1..=20).flat_map(|tick| (0..60).map(move |id| (tick, id)));
    let is_inside = |&(tick, id): &(u64, u64)| at(id, tick).iter().all(|c| (20.0..=70.0).contains(c));
    let expected: Vec<_> = all.filter(is_inside).collect();
    for workers in 1..=3 {
        let told = told(&world().reader(|_, workers| workers - 1).merged(), workers, 20, feed);
        assert_eq!(told.iter().map(|(tick, _, answer)| (*tick, answer.a)).collect::<Vec<_>>(), expected);
    }
}

/// How often the partition changes, and the largest share of a worker at the end.
fn rebalanced(at: fn(u64) -> [f32; 2]) -> (usize, f64) {
    let seen: Arc<Mutex<Vec<Vec<usize>>>> = Arc::default();
    let all = Arc::clone(&seen);
    let rule = Rebalance { every: 3, above: 1.5 };
    threads(&world().rebalance(rule).unwrap(), 2, move |_| {
        let all = Arc::clone(&all);
        fed(20, move |_, feed| {
            let (me, workers) = (feed.worker() as u64, feed.workers() as u64);
            (0..100).filter(|id| id % workers == me).try_for_each(|id| feed.put_point(POINTS, id, at(id)))?;
            if me == 0 {
                let owners = (0..100).map(|id| usize::from(feed.partition().owner(at(id))));
                all.lock().unwrap().push(owners.collect());
            }
            Ok(())
        })
    })
    .unwrap();
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    let last = seen.last().unwrap();
    let ones = last.iter().sum::<usize>();
    let share = ones.max(last.len() - ones) as f64 / 50.0;
    seen.dedup();
    (seen.len() - 1, share)
}

#[test]
fn a_world_is_partitioned_anew_where_shares_have_drifted_alone() {
    let (changes, share) = rebalanced(|id| [id as f32, (id * 7 % 100) as f32]);
    assert_eq!(changes, 0, "{share}");
    let (changes, share) = rebalanced(|id| [id as f32 / 5.0, (id * 7 % 100) as f32 / 5.0]);
    assert!(changes == 1 && share <= 1.5, "{changes} {share}");
}

#[test]
fn a_feed_is_never_farther_ahead_than_ticks_may_be_in_flight() {
    for in_flight in [1, 2, 5] {
        let world = world().in_flight(in_flight).unwrap();
        let farthest: Arc<Mutex<u64>> = Arc::default();
        let kept = Arc::clone(&farthest);
        threads(&world, 2, move |worker| {
            let answered: Arc<Mutex<u64>> = Arc::new(Mutex::new(0));
            let (seen, kept) = (Arc::clone(&answered), Arc::clone(&kept));
            Closures {
                feed: move |tick, feed: &mut Feed<'_, f32, 2>| {
                    let ahead: u64 = tick - *answered.lock().unwrap();
                    let mut farthest = kept.lock().unwrap();
                    *farthest = ahead.max(*farthest);
                    feed.put_point(POINTS, worker as u64, [tick as f32, 1.0])
                },
                answers: move |tick, _: &[Answer]| {
                    // A slow consumer.
                    std::thread::sleep(std::time::Duration::from_micros(300));
                    *seen.lock().unwrap() = tick;
                },
                last: 60,
            }
        })
        .unwrap();
        assert!(*farthest.lock().unwrap() <= in_flight, "{farthest:?} of {in_flight}");
    }
}

#[test]
fn plans_that_no_world_can_have() {
    let empty = Rect::new([0.0_f32, 0.0], [0.0, 1.0]);
    assert!(matches!(World::new(empty), Err(PlanError::Bounds(_))));
    assert_eq!(world().reach(-1.0).unwrap_err().to_string(), "the reach is -1; it must be finite and not negative");
    assert!(matches!(world().reach(f32::NAN), Err(PlanError::Reach(_))));
    assert_eq!(world().in_flight(0).unwrap_err(), PlanError::InFlight);
    for (every, above) in [(0, 1.2), (10, f64::NAN), (10, f64::INFINITY), (10, 0.9)] {
        assert!(
            matches!(world().rebalance(Rebalance { every, above }), Err(PlanError::Rebalance { .. })),
            "{every} {above}"
        );
    }
    let mut full = world();
    for _ in 2..LAYERS_MAX {
        full.add_points().unwrap();
    }
    assert_eq!(full.add_rects().unwrap_err().to_string(), "a world has at most 32 layers");
}

#[test]
fn what_is_not_set_is_as_the_guide_says() {
    let shown = format!("{:?}", Cluster::new(world(), 2));
    for words in ["in_flight: 2", "threads: 1", "every: 100", "restarts: 3", "silence: 10s"] {
        assert!(shown.contains(words), "{shown}");
    }
}
