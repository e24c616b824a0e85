//! Queries: every relation over windows of about 10, 100 and 1000 results, the first hit, the objects that hold a point, and the
//! box around all objects; and the clusters of a million.
//!
//! Each iteration asks the next of 16 384 windows: with a few, a processor learns by heart where they branch. Beside
//! the index stands a look through a `Vec` of all objects.

mod short;
mod workload;

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use quadrille::{Handle, LayerSet, Quadtree, Rect};

use workload::{Dice, Filled, RECT_SIDE, SIDE, Shape, Tally};

const WINDOWS: usize = 1 << 14;

fn main() {
    let mut criterion = short::runs();
    queries::<[f32; 2]>(&mut criterion, 0.0);
    queries::<Rect>(&mut criterion, RECT_SIDE);
    clusters(&mut criterion);
    criterion.final_summary();
}

fn queries<P: Shape>(criterion: &mut Criterion, side_mean: f32) {
    let filled = Filled::with(&workload::shapes::<P>());
    let (index, list) = (&filled.index, &filled.list());
    for results in [10, 100, 1000] {
        // A window meets what begins in it, or up to its own side before it.
        let side = SIDE * (f32::from(results) / 100_000.0).sqrt() - side_mean;
        windows::<P>(criterion, index, list, (results, side));
    }
    stab::<P>(criterion, index, list);
    bounds::<P>(criterion, index, list);
}

/// Windows of that side, which so many objects intersect on average.
fn windows<P: Shape>(
    criterion: &mut Criterion,
    index: &Quadtree<()>,
    list: &[(Handle, Rect)],
    (results, side): (u16, f32),
) {
    let mut dice = Dice::new(5);
    let windows: &Vec<_> = &(0..WINDOWS).map(|_| dice.rect_sized([side; 2])).collect();
    windows.iter().step_by(WINDOWS / 16).for_each(|&window| assert_agrees(index, list, window));
    let counts = windows.iter().map(|&window| Tally::of_intersecting(index, window).count);
    let mean = counts.sum::<u64>() / WINDOWS as u64;
    assert!(mean.abs_diff(results.into()) <= u64::from(results) / 10, "{mean} results a window instead of {results}");

    let mut group = criterion.benchmark_group(format!("{} in windows of {results}", P::NAME));
    group.throughput(Throughput::Elements(1));
    ask(&mut group, "intersecting, next", windows, |window| {
        let mut tally = Tally::default();
        for object in index.intersecting(window) {
            tally = tally.and(object.handle());
        }
        tally
    });
    ask(&mut group, "intersecting, fold", windows, |window| Tally::of_intersecting(index, window));
    ask(&mut group, "intersecting, count", windows, |window| index.intersecting(window).count());
    ask(&mut group, "intersecting, first", windows, |window| index.intersecting(window).exists());
    ask(&mut group, "contained_in, count", windows, |window| index.contained_in(window).count());
    ask(&mut group, "near, count", windows, |window| index.near(window).count());
    ask(&mut group, "Vec", windows, |window| Tally::of_list(list, |shape| shape.intersects(&window)));
}

/// Which objects hold a point: of rectangles, one in sixteen points has one.
fn stab<P: Shape>(criterion: &mut Criterion, index: &Quadtree<()>, list: &[(Handle, Rect)]) {
    let mut dice = Dice::new(6);
    let points: &Vec<_> = &(0..WINDOWS).map(|_| dice.rect_sized([0.0; 2])).collect();
    points.iter().step_by(WINDOWS / 16).for_each(|&point| assert_agrees(index, list, point));

    let mut group = criterion.benchmark_group(format!("{} at a point", P::NAME));
    group.throughput(Throughput::Elements(1));
    ask(&mut group, "containing, count", points, |point| index.containing(point).count());
    ask(&mut group, "intersecting, count", points, |point| index.intersecting(point).count());
    ask(&mut group, "Vec", points, |point| Tally::of_list(list, |shape| shape.contains(&point)));
}

/// The smallest box around all objects.
fn bounds<P: Shape>(criterion: &mut Criterion, index: &Quadtree<()>, list: &[(Handle, Rect)]) {
    let of_list = || Rect::from_rects(list.iter().map(|(_, shape)| *shape));
    assert_eq!(index.bounds(LayerSet::ALL), of_list());
    let mut group = criterion.benchmark_group(format!("the bounds of {}", P::NAME));
    group.bench_function("bounds", |bencher| bencher.iter(|| black_box(index).bounds(LayerSet::ALL)));
    group.bench_function("Vec", |bencher| bencher.iter(of_list));
}

/// A million points in cells that are squares of the tree, and in others. The time is that of all.
fn clusters(criterion: &mut Criterion) {
    const POINTS: usize = 1_000_000;
    let mut dice = Dice::new(7);
    let (mut index, layer) = workload::empty::<[f32; 2]>();
    index.insert_batch(layer, (0..POINTS).map(|_| (dice.shape::<[f32; 2]>(), ()))).expect("points are finite");
    let mut group = criterion.benchmark_group("a million points");
    group.throughput(Throughput::Elements(POINTS as u64));
    for (name, size) in [("64 by 64 cells", SIDE / 64.0), ("45 by 45 cells", SIDE / 45.0)] {
        let clusters = || index.iter().clusters(size).expect("a size");
        assert_eq!(clusters().map(|cluster| cluster.count).sum::<usize>(), POINTS);
        let counted = clusters().map(|cluster| (cluster.cell, cluster.count));
        assert!(counted.eq(clusters().counts()));
        group.bench_function(format!("clusters, {name}"), |bencher| bencher.iter(|| clusters().count()));
        group.bench_function(format!("counts, {name}"), |bencher| bencher.iter(|| clusters().counts().len()));
    }
}

/// Times one question about each region in turn.
fn ask<R>(group: &mut BenchmarkGroup<WallTime>, name: &str, regions: &[Rect], question: impl Fn(Rect) -> R) {
    let mut regions = regions.iter().cycle();
    group.bench_function(name, |bencher| {
        bencher.iter(|| question(*black_box(regions.next().expect("regions are repeated"))));
    });
}

/// Panics if the index and a look through all objects disagree about a region.
fn assert_agrees(index: &Quadtree<()>, list: &[(Handle, Rect)], region: Rect) {
    let tally = |tally: Tally, handle| tally.and(handle);
    let expected = Tally::of_list(list, |shape| shape.intersects(&region));
    assert_eq!(Tally::of_intersecting(index, region), expected, "intersecting {region:?}");
    let contained = index.contained_in(region).map(|object| object.handle()).fold(Tally::default(), tally);
    assert_eq!(contained, Tally::of_list(list, |shape| region.contains(shape)), "contained in {region:?}");
    let containing = index.containing(region).map(|object| object.handle()).fold(Tally::default(), tally);
    assert_eq!(containing, Tally::of_list(list, |shape| shape.contains(&region)), "containing {region:?}");
    let near = index.near(region).filter(|object| object.shape().intersects(&region));
    assert_eq!(near.map(|object| object.handle()).fold(Tally::default(), tally), expected, "near {region:?}");
}
