//! Objects grouped by cells, against a list that asks the same function for the cell of each center.

use core::array;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use quadrille::{CellSizeError, Cluster, Handle, Periodic, Predicate, Query, Rect, Region};
#[cfg(not(feature = "other-spaces"))]
use quadrille::{Quadtree, Segment};

use quadrille_support::oracle::Span;
use quadrille_support::properties::for_all;
use quadrille_support::questions::{Question as Narrowed, Region as Drawn, region};
use quadrille_support::run::Run;
use quadrille_support::scene::{all_scenes, roomy_scenes, side_of};
use quadrille_support::shapes::Ring;
use quadrille_support::spot::{Spot, awkward};
use quadrille_support::step::{Step, many, steps};
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(
    of_changed,
    of_many,
    of_crowds,
    of_long_boxes,
    objects_that_no_cell_has,
    sizes_that_no_cell_has,
    borders_are_those_of_numbers
);

/// How long a cell is.
#[derive(Clone, Copy, Debug)]
enum Size {
    /// A side of the world, halved so often.
    Halved(u8),
    /// So many parts of 64 of it.
    Part(u8),
    Spot(Spot),
}

impl Size {
    fn resolve<S: Real, const D: usize>(self, world: &Rect<S, D>) -> S {
        let side = side_of(world);
        match self {
            Self::Halved(times) => S::of(side.value() * 0.5_f64.powi(times.into())),
            Self::Part(parts) => S::of(side.value() * f64::from(parts) / 64.0),
            Self::Spot(spot) => spot.resolve(S::of(0.0), side),
        }
    }
}

fn size() -> impl Strategy<Value = Size> {
    prop_oneof![
        4 => (0_u8..12).prop_map(Size::Halved),
        1 => (0_u8..34).prop_map(Size::Halved),
        4 => (1_u8..=200).prop_map(Size::Part),
        1 => awkward().prop_map(Size::Spot),
    ]
}

/// A region, the size of cells, layers, and objects that are left out.
type Question = (Drawn, Size, u8, Vec<u16>);

fn question() -> impl Strategy<Value = Question> {
    (region(), size(), any::<u8>(), prop::collection::vec(any::<u16>(), 0..3))
}

fn ask_after<S: Real, const D: usize>(cases: u32, steps: BoxedStrategy<Vec<Step>>) {
    each_question::<S, D>(cases, steps, |run, (region, size, excluded, question)| {
        let (index, world) = (&run.index, run.index.world());
        let torus = Periodic::new(world).expect("the world of an index");
        let query = question.narrow(index.intersecting(region)).excluding(excluded);
        assert_grouped(&world, &query, size);
        assert_reduced(&query, size);
        assert_grouped(&world, &index.near(region), size);
        assert_grouped(&world, &question.narrow(index.intersecting(region)).periodic(&torus), size);
    });
}

fn each_question<S: Real, const D: usize>(
    cases: u32,
    steps: BoxedStrategy<Vec<Step>>,
    ask: impl Fn(&Run<S, D>, (Rect<S, D>, S, &[Handle], Narrowed<S, D>)),
) {
    let scenes = all_scenes::<S>();
    let strategy = (0..scenes.len(), steps, prop::collection::vec(question(), 1..3));
    for_all(cases, strategy, |(scene, steps, questions)| {
        let run = Run::<S, D>::of(&scenes[scene], &steps);
        for (region, size, layers, picks) in questions {
            let world = run.index.world();
            let excluded: Vec<Handle> = picks.iter().filter_map(|&pick| Some(run.known(pick)?.handle)).collect();
            let question = run.question(&Drawn::Everything, layers, true, None);
            ask(&run, (region.span(&world).rect(), size.resolve(&world), &excluded, question));
        }
    });
}

fn of_changed<S: Real, const D: usize>() {
    ask_after::<S, D>(16, steps());
}

fn of_many<S: Real, const D: usize>() {
    ask_after::<S, D>(3, many(100));
}

/// Relations and threads know nothing of spaces.
#[cfg(not(feature = "other-spaces"))]
#[test]
fn of_other_relations() {
    each_question::<f32, 2>(16, steps(), |run, (region, size, excluded, question)| {
        let (index, world) = (&run.index, run.index.world());
        assert_grouped(&world, &question.narrow(index.contained_in(region)), size);
        let within = index.within_distance(region.min(), region.size()[0] * 0.5).excluding(excluded);
        assert_grouped(&world, &within, size);
        assert_reduced(&within, size);
        let torus = Periodic::new(world).expect("the world of an index");
        assert_reduced(&question.narrow(index.intersecting(region)).periodic(&torus), size);
    });
}

/// The knowledge of a list about a cell.
struct Group<S, const D: usize> {
    centers: Vec<[S; D]>,
    bounds: Rect<S, D>,
    handles: BTreeSet<Handle>,
}

impl<S: Real, const D: usize> Group<S, D> {
    /// Of at most so many sums a rounding each, and one of the coordinate.
    fn assert_mean(&self, mean: [S; D]) {
        let count = f64::from(u32::try_from(self.centers.len()).expect("few objects"));
        for axis in 0..D {
            let numbers = || self.centers.iter().map(|center| center[axis].value());
            let most = numbers().map(f64::abs).fold(0.0, f64::max);
            let large = if 1e290 < most { 2.0_f64.powi(64) } else { 1.0 };
            let exact = numbers().map(|number| number / large).sum::<f64>() / count * large;
            // Where cells are long, numbers that are hardly any are rounded.
            let slack = most * (S::of(1.0).up().value() - 1.0 + 1e-15 * count) + S::SMALLEST.value() + 1e-312;
            assert!((mean[axis].value() - exact).abs() <= slack, "{} {exact}", mean[axis]);
        }
        assert!(self.bounds.contains_point(mean));
    }
}

/// Objects, each with the cell of its center, the clusters of them, and the counts.
struct Told<S, const D: usize> {
    objects: Vec<(Rect<S, D>, Handle, [i32; D])>,
    found: Vec<Cluster<S, D>>,
    counts: Vec<([i32; D], usize)>,
}

/// A query after so many objects have been taken, as one type: what is asked of it is compiled for each query, and what is compared is
/// not.
trait Asked<S, const D: usize> {
    fn shapes(&self) -> Vec<Rect<S, D>>;

    fn told(&self, taken: usize, size: S) -> Result<Told<S, D>, CellSizeError>;
}

impl<S: Real, P: Predicate, R: Region<S, D> + Clone, const D: usize> Asked<S, D> for Query<'_, u32, P, S, D, R> {
    fn shapes(&self) -> Vec<Rect<S, D>> {
        self.clone().map(|object| object.shape()).collect()
    }

    fn told(&self, taken: usize, size: S) -> Result<Told<S, D>, CellSizeError> {
        let mut rest = self.clone();
        (0..taken).for_each(|_| assert!(rest.next().is_some()));
        let mut clusters = rest.clone().clusters(size)?;
        let mut objects = Vec::new();
        for object in rest {
            let shape = object.shape();
            objects.push((shape, object.handle(), clusters.cell_of(shape.center()).expect("numbers")));
        }
        let counts = clusters.clone().counts();
        let first = clusters.next();
        let left = counts.len() - usize::from(first.is_some());
        assert_eq!(clusters.size_hint(), (left, Some(left)));
        assert_eq!(clusters.clone().counts(), counts[counts.len() - left..]);
        let found = first.into_iter().chain(clusters.by_ref()).collect();
        assert!(clusters.next().is_none(), "it stays at its end");
        Ok(Told { objects, found, counts })
    }
}

/// Groups what is left of a query. Returns the number of groups.
fn assert_grouped<S: Real, const D: usize>(world: &Rect<S, D>, query: &dyn Asked<S, D>, size: S) -> usize {
    let shapes = query.shapes();
    let mut groups = 0;
    for taken in [0, shapes.len() / 2, shapes.len()] {
        let told = query.told(taken, size);
        assert_refused(world, &shapes[taken..], size, told.as_ref().err());
        let Ok(told) = told else { return 0 };
        assert_eq!(told.objects.len(), shapes.len() - taken);
        let mut expected: BTreeMap<[i32; D], Group<S, D>> = BTreeMap::new();
        for (shape, handle, cell) in told.objects {
            let group = expected.entry(cell).or_insert_with(|| Group {
                centers: Vec::new(),
                bounds: shape,
                handles: BTreeSet::new(),
            });
            group.centers.push(shape.center());
            group.bounds = group.bounds.union(&shape);
            group.handles.insert(handle);
        }
        assert_eq!(told.found.len(), expected.len(), "each cell once");
        groups = groups.max(expected.len());
        for (cluster, counted) in told.found.iter().zip(told.counts) {
            let group = expected.remove(&cluster.cell).expect("each cell once");
            let lowest = group.handles.iter().copied().min_by_key(|handle| handle.slot());
            assert_eq!(
                (cluster.count, cluster.bounds, Some(cluster.handle)),
                (group.centers.len(), group.bounds, lowest)
            );
            assert_eq!((cluster.cell, cluster.count), counted);
            group.assert_mean(cluster.mean);
        }
    }
    groups
}

/// Cells of a size are refused where that is none, or the number of a cell would be far beyond that of the world's last unit.
fn assert_refused<S: Real, const D: usize>(
    world: &Rect<S, D>,
    shapes: &[Rect<S, D>],
    size: S,
    error: Option<&CellSizeError>,
) {
    let (longest, size, units) = (side_of(world).value(), size.value(), 2.0_f64.powi(30));
    let told = error.map(|error| (error.size.to_bits(), error.least));
    if !(size.is_finite() && longest / units <= size) {
        return assert_eq!(told, Some((size.to_bits(), longest / units)));
    }
    let distance =
        |shape: &Rect<S, D>, axis: usize| S::of(shape.center()[axis].value() - world.min()[axis].value()).value().abs();
    let farthest = shapes.iter().flat_map(|shape| (0..D).map(|axis| distance(shape, axis))).fold(0.0, f64::max);
    let most = size * units;
    // Units are rounded.
    let remote = world.min().into_iter().map(|at| at.value().abs()).fold(most, f64::max);
    let slack = remote * 16.0 * (S::of(1.0).up().value() - 1.0);
    match told {
        Some(told) => {
            assert_eq!(told, (size.to_bits(), farthest / units));
            assert!(most < farthest || farthest.is_infinite(), "{farthest} in cells of {size}");
        }
        None => assert!(farthest <= most + slack && farthest.is_finite(), "{farthest} in cells of {size}"),
    }
}

/// Every way to ask that is told of each object tells the same clusters, whatever has been taken of objects and of clusters.
fn assert_reduced<S: Real, P: Predicate + Send + Sync, R: Region<S, D> + Clone + Send + Sync, const D: usize>(
    query: &Query<'_, u32, P, S, D, R>,
    size: S,
) {
    let (mut query, len) = (query.clone(), query.clone().count());
    for (taken, of_clusters) in [(0, 0), (len / 3, 1), (len / 3, 2)] {
        query.by_ref().take(taken).for_each(drop);
        assert_rest_reduced(&query, size, of_clusters);
    }
}

fn assert_rest_reduced<S: Real, P: Predicate + Send + Sync, R: Region<S, D> + Clone + Send + Sync, const D: usize>(
    query: &Query<'_, u32, P, S, D, R>,
    size: S,
    taken: usize,
) {
    let Ok(mut clusters) = query.clone().clusters(size) else {
        return;
    };
    clusters.by_ref().take(taken).for_each(drop);
    let mut handles: BTreeMap<[i32; D], BTreeSet<Handle>> = BTreeMap::new();
    for object in query.clone() {
        let cell = clusters.cell_of(object.shape().center()).expect("numbers");
        handles.entry(cell).or_default().insert(object.handle());
    }
    let found: Vec<Cluster<S, D>> = clusters.clone().collect();
    let assert_told = |told: &[(Cluster<S, D>, Vec<Handle>)]| {
        assert_eq!(told.len(), found.len());
        for ((cluster, list), known) in told.iter().zip(&found) {
            let distinct: BTreeSet<_> = list.iter().copied().collect();
            assert!(list.len() == cluster.count && distinct == handles[&cluster.cell]);
            let Cluster { cell, count, bounds, handle, .. } = *known;
            assert_eq!((cluster.cell, cluster.count, cluster.bounds, cluster.handle), (cell, count, bounds, handle));
        }
    };
    let told = clusters.clone().map_reduce(|object| vec![object.handle()], Extend::extend);
    assert!(told.iter().map(|(cluster, _)| cluster).eq(&found));
    assert_told(&told);
    #[cfg(feature = "rayon")]
    {
        let told = clusters.clone().par_map_reduce(|object| vec![object.handle()], Extend::extend);
        assert_told(&told);
        let by_threads = clusters.par_collect();
        assert!(told.iter().map(|(cluster, _)| cluster).eq(&by_threads), "the same, whoever adds up");
        for (cluster, known) in by_threads.iter().zip(&found) {
            for axis in 0..D {
                let [one, other] = [cluster.mean[axis], known.mean[axis]].map(Real::value);
                assert!((one - other).abs() <= one.abs().max(other.abs()) * 1e-6 + S::SMALLEST.value());
            }
        }
    }
}

/// Thousands of both kinds, thin ones, and some far outside, in cells of all lengths.
fn of_crowds<S: Real, const D: usize>() {
    let mut run = Run::<S, D>::new(&roomy_scenes::<S>()[0]);
    let mut dice = Dice::new(101);
    let mut groups = 0;
    for number in 0..200_usize {
        let field = if number % 16 == 0 { 1024.0 } else { 64.0 };
        let min: [S; D] = array::from_fn(|_| S::of((dice.fraction() * field * 4.0).floor() / 4.0));
        let sizes = if number % 9 == 0 { [30.0, 0.0, 0.25] } else { [0.25; 3] };
        let max = array::from_fn(|axis| S::of(min[axis].value() + sizes[(axis + number) % 3]));
        run.insert_rect(Span { min, max });
    }
    let points = run.layer(0).expect("a layer of points");
    for number in 0..700 {
        let field = if number % 64 == 0 { 1024.0 } else { 32.0 };
        let at: [S; D] = array::from_fn(|_| S::of((dice.fraction() * field * 4.0).floor() / 4.0 - 1.0));
        points.insert(&mut run.index, Span::at(at), number).expect("finite");
    }
    let (world, view) = (run.index.world(), Rect::new([S::of(3.0); D], [S::of(50.0); D]));
    for size in [0.75, 4.0, 5.0, 64.0, 1000.0].map(S::of) {
        groups += assert_grouped(&world, &run.index.iter(), size);
        groups += assert_grouped(&world, &run.index.intersecting(view).in_layers(points.id()), size);
        groups +=
            assert_grouped(&world, &run.index.intersecting(Ring::new([S::of(30.0); D], S::of(8.0), S::of(25.0))), size);
    }
    assert!(1000 < groups, "{groups}");
}

/// A chain that is begun, and squares that a region covers in two images: what counters hold is not what is left.
#[cfg(not(feature = "other-spaces"))]
#[test]
fn counters_hold_more() {
    let world = Rect::new([0.0; 2], [64.0; 2]);
    let mut index = Quadtree::<u32>::new(world).expect("a world");
    let layer = index.add_point_layer().expect("a layer");
    index.insert_batch(layer, (0..300).map(|number| ([9.0; 2], number))).expect("finite");
    for taken in [1, 63, 64, 65, 200, 299] {
        let mut rest = index.iter();
        rest.by_ref().take(taken).for_each(drop);
        assert_eq!(rest.clusters(16.0).expect("a size").counts(), [([0, 0], 300 - taken)]);
    }
    for at in 0..64_u16 * 64 {
        let at = [at % 64, at / 64].map(|number| f32::from(number) + 0.5);
        index.insert(layer, at, 0).expect("finite");
    }
    let torus = Periodic::new(world).expect("a world");
    for view in [Rect::new([30.0; 2], [110.0; 2]), Rect::new([30.0, 10.0], [110.0, 50.0])] {
        assert!(1 < assert_grouped(&world, &index.intersecting(view).periodic(&torus), 8.0));
    }
}

/// Boxes that begin in a square of the tree, and whose centers lie in the next cell; and all of them but some.
fn of_long_boxes<S: Real, const D: usize>() {
    let mut run = Run::<S, D>::new(&roomy_scenes::<S>()[0]);
    let mut dice = Dice::new(102);
    for _ in 0..3000 {
        let min: [S; D] = array::from_fn(|_| S::of((dice.fraction() * 256.0).floor() / 8.0));
        run.insert_rect(Span { min, max: min.map(|end| S::of(end.value() + 1.75)) });
    }
    let (index, world) = (&run.index, run.index.world());
    let some: Vec<Handle> = index.iter().step_by(40).map(|object| object.handle()).collect();
    for size in [2.0, 4.0, 8.0, 16.0].map(S::of) {
        assert!(0 < assert_grouped(&world, &index.iter(), size));
        assert!(0 < assert_grouped(&world, &index.iter().excluding(&some), size));
    }
}

/// `near` yields blocks that its shape meets: others, however far away, have no say.
#[cfg(not(feature = "other-spaces"))]
#[test]
fn far_blocks_that_a_shape_misses() {
    let mut index = Quadtree::<u32>::new(Rect::new([0.0; 2], [64.0; 2])).expect("a world");
    let layer = index.add_point_layer().expect("a layer");
    for number in 0..200_u16 {
        let by = f32::from(number) * 1e6;
        for at in [[1e12 + by, 0.0], [0.0, 1e12 + by], [f32::from(number) * 0.3; 2]] {
            index.insert(layer, at, 0).expect("finite");
        }
    }
    let (here, there) = (Segment::new([0.0; 2], [9.0; 2]), Segment::new([0.0; 2], [1e12; 2]));
    let cells = |segment| index.near(segment).clusters(0.5).map(|clusters| clusters.counts().len());
    assert!(0 < index.near(there).count());
    assert!(cells(there).is_ok(), "{:?}", cells(there));
    assert!(cells(here).is_ok());
    assert!(index.iter().clusters(0.5).is_err());
}

/// One that lies so far away that its cell would have the number `i32::MAX`, whichever tree it is in, and one before it.
fn objects_that_no_cell_has<S: Real, const D: usize>() {
    for (rects, [min, max]) in [
        (false, [1e12, 1e12]),
        (false, [-1e12, -1e12]),
        (false, [1e30, 1e30]),
        (true, [2e12, 3e12]),
        (true, [-1e12, 1.0]),
        (true, [1.0, 1e12]),
        (true, [-1e30, 2e30]),
    ] {
        let mut run = Run::<S, D>::new(&roomy_scenes::<S>()[0]);
        let world = run.index.world();
        for at in 0..100_u8 {
            run.insert_rect(Span::at([S::of(f64::from(at) * 0.3); D]));
        }
        let layer = run.index.add_point_layer().expect("a layer");
        let span = Span::cube(S::of(min), S::of(max));
        let near = Rect::new([S::of(10.0); D], [S::of(20.0); D]);
        for size in [0.5, 3.0, 1e3, 1e25].map(S::of) {
            assert!(0 < assert_grouped(&world, &run.index.iter(), size));
        }
        if rects {
            run.insert_rect(span);
        } else {
            run.index.insert(layer, span.rect().min(), 7).expect("finite");
        }
        for size in [0.5, 3.0, 1e3].map(S::of) {
            // It counts if it is of the query.
            let all = assert_grouped(&world, &run.index.iter(), size);
            let some = assert_grouped(&world, &run.index.intersecting(near), size);
            // A point alone in its layer is stored in all cells.
            let beside = assert_grouped(&world, &run.index.near(near), size);
            let is_near = min < 20.0 && 10.0 < max;
            let is_refused = size.value() * 2.0_f64.powi(30) < (min + max).abs() / 2.0;
            assert!((0 < all) != is_refused && (0 < some) != (is_near && is_refused), "{min} {max} {size}");
            assert!(rects || (0 < beside) != is_refused, "{min} {max} {size}");
        }
    }
}

/// Bad sizes are refused, with the least one.
fn sizes_that_no_cell_has<S: Real, const D: usize>() {
    for scene in all_scenes::<S>() {
        let index = scene.index::<D>();
        let longest = side_of(&index.world());
        let least = longest.value() * 0.5_f64.powi(30);
        let refused = [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(S::of);
        for size in refused.into_iter().chain([S::of(least).down(), S::of(-longest.value())]) {
            match index.iter().clusters(size) {
                Err(CellSizeError { size: told, least: limit }) => {
                    assert!(told.to_bits() == size.value().to_bits() && limit.to_bits() == least.to_bits());
                }
                Ok(_) => panic!("{size} in {}", scene.name),
            }
        }
        for size in [S::of(least).up(), longest, S::LARGEST] {
            assert_eq!(index.iter().clusters(size).expect("a size").count(), 0, "{size} in {}", scene.name);
        }
    }
}

/// On a lattice of whole numbers, a border belongs to the cell above.
fn borders_are_those_of_numbers<S: Real, const D: usize>() {
    for [min, side] in [[0, 64], [-8, 64], [-50, 100], [3, 1000]] {
        let world = Rect::new([S::of(f64::from(min)); D], [S::of(f64::from(min + side)); D]);
        let index = quadrille_support::Index::<S, D>::new(world).expect("a world");
        for size in [1, 2, 3, 5, 8, 25, 32, 50, 64, 125, 500] {
            let clusters = index.iter().clusters(S::of(f64::from(size))).expect("a size");
            for at in -200_i32..2000 {
                let cell = clusters.cell_of([S::of(f64::from(at)); D]);
                assert_eq!(cell, Some([(at - min).div_euclid(size); D]), "{at} in cells of {size} in {world:?}");
            }
        }
    }
}
