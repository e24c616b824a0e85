//! The same by one index, without a dataflow: the same answers, sorted.

use std::time::Instant;

use cpu_time::ThreadTime;
use quadrille::{Quadtree, Rect};
use quadrille_timely::{Answer, Kind, Partition};

use crate::Options;
use crate::moving::{Moving, SIDE};
use crate::program::{Measured, WARM, WINDOWS, checksum, window};

pub(crate) fn run(world: &Moving, &Options { objects, ticks, .. }: &Options) -> Measured {
    let mut index: Quadtree<u64> = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE])).expect("a world");
    let points = index.add_point_layer().expect("a layer");
    let mut objects: Vec<([f32; 2], u64)> = (0..objects).map(|id| (world.start(id), id)).collect();
    // In the order of space, as a worker does it: an update then reads ids as they came.
    let cells = Partition::of_sample(index.world(), 0.0, 1, []);
    objects.sort_by_cached_key(|(at, _)| cells.code_at(*at));
    index.insert_batch(points, objects).expect("points of the world");
    let (mut began, mut cpu, mut sum) = (Instant::now(), ThreadTime::now(), 0);
    let mut answers: Vec<Answer> = Vec::new();
    for tick in 1..=ticks + WARM {
        if tick == WARM + 1 {
            (began, cpu) = (Instant::now(), ThreadTime::now());
        }
        let moved = index.update(points, |_, id, at| world.step(tick, *id, at.min())).expect("a layer of this index");
        assert!(moved.refused.is_empty());
        answers.clear();
        let pair = |a: u64, b: u64| Answer { question: WINDOWS, kind: Kind::Pair, a: a.min(b), b: a.max(b) };
        answers.extend(index.pairs().within(world.reach).map(|(a, b)| pair(*a.value(), *b.value())));
        for question in 0..WINDOWS {
            let found = index.intersecting(window(tick, question));
            answers.extend(found.map(|object| Answer { question, kind: Kind::Found, a: *object.value(), b: 0 }));
        }
        answers.sort_unstable();
        sum = checksum(sum, tick, &answers);
    }
    Measured::new(ticks, began.elapsed(), [cpu.elapsed(); 2], sum)
}
