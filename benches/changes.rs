//! Changes of an index: `insert`, `move_to` within a node and across nodes, `remove`.

mod short;
mod workload;

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use quadrille::{Moved, Rect};

use workload::{Dice, Filled, OBJECTS, Shape};

fn main() {
    let mut criterion = short::runs();
    insert::<[f32; 2]>(&mut criterion);
    insert::<Rect>(&mut criterion);
    move_within::<[f32; 2]>(&mut criterion);
    move_within::<Rect>(&mut criterion);
    move_across::<[f32; 2]>(&mut criterion);
    move_across::<Rect>(&mut criterion);
    remove::<[f32; 2]>(&mut criterion);
    remove::<Rect>(&mut criterion);
    criterion.final_summary();
}

/// Times so many operations, in runs of at most one for each object; the preparations of `run` are not timed.
fn in_runs(operations: u64, mut run: impl FnMut(usize) -> Duration) -> Duration {
    let mut left = usize::try_from(operations).expect("fewer operations than memory");
    let mut time = Duration::ZERO;
    while left > 0 {
        let now = left.min(OBJECTS);
        time += run(now);
        left -= now;
    }
    time
}

/// One object into an index that grows from nothing to all objects.
fn insert<P: Shape>(criterion: &mut Criterion) {
    let shapes = workload::shapes::<P>();
    workload::assert_agrees(&Filled::with(&shapes));
    let mut group = criterion.benchmark_group("insert");
    group.throughput(Throughput::Elements(1));
    group.bench_function(P::NAME, |bencher| {
        bencher.iter_custom(|inserts| {
            in_runs(inserts, |inserts| {
                let (mut index, layer) = workload::empty::<P>();
                let start = Instant::now();
                for &shape in &shapes[..inserts] {
                    index.insert(layer, shape, ()).expect("shapes are finite");
                }
                start.elapsed()
            })
        });
    });
}

/// One object out of an index that shrinks from all objects to nothing, the oldest first.
fn remove<P: Shape>(criterion: &mut Criterion) {
    let shapes = workload::shapes::<P>();
    let mut group = criterion.benchmark_group("remove");
    group.throughput(Throughput::Elements(1));
    group.bench_function(P::NAME, |bencher| {
        bencher.iter_custom(|removals| {
            in_runs(removals, |removals| {
                let Filled { mut index, objects, .. } = Filled::with(&shapes);
                let start = Instant::now();
                for &(handle, _) in &objects[..removals] {
                    index.remove(handle).expect("every object is removed once");
                }
                let time = start.elapsed();
                assert_eq!(index.len(), OBJECTS - removals);
                time
            })
        });
    });
}

/// One object by up to one unit of length on each axis: nearly all stay in their node, most in their bucket.
fn move_within<P: Shape>(criterion: &mut Criterion) {
    let mut dice = Dice::new(2);
    let step = |rect: Rect| {
        let by = [(); 2].map(|()| dice.between(-1.0, 1.0));
        P::of(workload::translated(rect, by))
    };
    move_to(criterion, "move within a node", step, Moved::InPlace);
}

/// One object to anywhere in the world: nearly all change their node.
fn move_across<P: Shape>(criterion: &mut Criterion) {
    let mut dice = Dice::new(3);
    let step = |rect: Rect| P::of(dice.rect_sized(rect.size()));
    move_to(criterion, "move across nodes", step, Moved::Elsewhere);
}

/// Moves one object after the other, the oldest first, to where `step` says, then all back, and so on.
fn move_to<P: Shape>(criterion: &mut Criterion, name: &str, mut step: impl FnMut(Rect) -> P, expected: Moved) {
    let mut filled = Filled::with(&workload::shapes::<P>());
    let home = filled.objects.clone();
    let away: Vec<_> = home.iter().map(|&(handle, shape)| (handle, step(shape.into_shape()))).collect();
    for objects in [&away, &home] {
        let moves = objects.iter().map(|&(handle, shape)| filled.index.move_to(handle, shape));
        let as_expected = moves.filter(|&moved| moved == Ok(expected)).count();
        assert!(OBJECTS / 100 * 95 < as_expected, "{name}: only {as_expected} of {OBJECTS} {}", P::NAME);
        filled.objects.clone_from(objects);
        workload::assert_agrees(&filled);
    }
    let moves = [away, home].concat();
    let mut moves = moves.iter().cycle();
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(1));
    group.bench_function(P::NAME, |bencher| {
        bencher.iter(|| {
            let &(handle, shape) = moves.next().expect("moves are repeated");
            filled.index.move_to(handle, shape).is_ok()
        });
    });
}
