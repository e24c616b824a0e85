//! Objects grouped by cells, against a list that asks the same function for the cell of each center.

use core::array;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use quadrille::{CellSizeError, Cluster, Handle, Periodic, Predicate, Query, Rect, Region};

use quadrille_support::oracle::Span;
use quadrille_support::properties::for_all;
use quadrille_support::questions::{Region as Drawn, region};
use quadrille_support::run::Run;
use quadrille_support::scene::{all_scenes, roomy_scenes, side_of};
use quadrille_support::shapes::Ring;
use quadrille_support::spot::{Spot, awkward};
use quadrille_support::step::{Step, many, steps};
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(of_changed, of_many, of_crowds, sizes_that_no_cell_has, borders_are_those_of_numbers);

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
    let scenes = all_scenes::<S>();
    let strategy = (0..scenes.len(), steps, prop::collection::vec(question(), 1..3));
    for_all(cases, strategy, |(scene, steps, questions)| {
        let run = Run::<S, D>::of(&scenes[scene], &steps);
        for (region, size, layers, picks) in questions {
            let (index, world) = (&run.index, run.index.world());
            let (region, size) = (region.span(&world).rect(), size.resolve(&world));
            let excluded: Vec<Handle> = picks.iter().filter_map(|&pick| Some(run.known(pick)?.handle)).collect();
            let question = run.question(&Drawn::Everything, layers, true, None);
            let torus = Periodic::new(world).expect("the world of an index");
            assert_grouped(&question.narrow(index.intersecting(region)).excluding(&excluded), size);
            assert_grouped(&question.narrow(index.contained_in(region)), size);
            assert_grouped(&index.near(region), size);
            assert_grouped(&question.narrow(index.intersecting(region)).periodic(&torus), size);
            let reach = S::of(region.size()[0].value() * 0.5);
            assert_grouped(&index.within_distance(region.min(), reach).excluding(&excluded), size);
        }
    });
}

fn of_changed<S: Real, const D: usize>() {
    ask_after::<S, D>(16, steps());
}

fn of_many<S: Real, const D: usize>() {
    ask_after::<S, D>(3, many(100));
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
            let (sum, most) = (numbers().sum::<f64>(), numbers().map(f64::abs).fold(0.0, f64::max));
            let slack = most * (S::of(1.0).up().value() - 1.0 + 1e-15 * count) + S::SMALLEST.value();
            let exact = sum / count;
            assert!(!sum.is_finite() || (mean[axis].value() - exact).abs() <= slack, "{} {exact}", mean[axis]);
        }
        assert!(self.bounds.contains_point(mean));
    }
}

/// Groups what is left of a query in every way. Returns the number of groups.
fn assert_grouped<S: Real, P: Predicate + Send + Sync, R: Region<S, D> + Clone + Send + Sync, const D: usize>(
    query: &Query<'_, u32, P, S, D, R>,
    size: S,
) -> usize {
    let all = query.clone().count();
    let Ok(clusters) = query.clone().clusters(size) else {
        return 0;
    };
    let mut groups = 0;
    for taken in [0, all / 2, all] {
        let mut rest = query.clone();
        assert_eq!(rest.by_ref().take(taken).count(), taken.min(all));
        let mut expected: BTreeMap<[i32; D], Group<S, D>> = BTreeMap::new();
        for object in rest.clone() {
            let (shape, handle) = (object.shape(), object.handle());
            let group = expected.entry(clusters.cell_of(shape.center())).or_insert_with(|| Group {
                centers: Vec::new(),
                bounds: shape,
                handles: BTreeSet::new(),
            });
            group.centers.push(shape.center());
            group.bounds = group.bounds.union(&shape);
            group.handles.insert(handle);
        }
        assert_ways(&rest, size, &expected);
        groups = groups.max(expected.len());
    }
    groups
}

/// Every way to ask tells the same groups in the same order.
fn assert_ways<S: Real, P: Predicate + Send + Sync, R: Region<S, D> + Clone + Send + Sync, const D: usize>(
    query: &Query<'_, u32, P, S, D, R>,
    size: S,
    expected: &BTreeMap<[i32; D], Group<S, D>>,
) {
    let clusters = query.clone().clusters(size).expect("tried before");
    let mut told = clusters.clone();
    let first = told.next();
    let left = expected.len() - usize::from(first.is_some());
    assert_eq!(told.size_hint(), (left, Some(left)));
    let found: Vec<Cluster<S, D>> = first.into_iter().chain(told.by_ref()).collect();
    assert!(told.next().is_none(), "it stays at its end");
    let assert_group = |cluster: &Cluster<S, D>| {
        let group = &expected[&cluster.cell];
        let lowest = group.handles.iter().copied().min_by_key(|handle| handle.slot());
        assert_eq!((cluster.count, cluster.bounds, Some(cluster.handle)), (group.centers.len(), group.bounds, lowest));
        group.assert_mean(cluster.mean);
    };
    found.iter().for_each(assert_group);
    let cells: Vec<_> = found.iter().map(|cluster| cluster.cell).collect();
    assert_eq!(cells.iter().collect::<BTreeSet<_>>().len(), expected.len());
    assert_eq!(cells.len(), expected.len(), "each cell once");
    let counts: Vec<_> = found.iter().map(|cluster| (cluster.cell, cluster.count)).collect();
    assert_eq!(clusters.clone().counts(), counts);
    let assert_told = |told: &[(Cluster<S, D>, Vec<Handle>)]| {
        for (cluster, handles) in told {
            let distinct: BTreeSet<_> = handles.iter().copied().collect();
            assert!(handles.len() == cluster.count && distinct == expected[&cluster.cell].handles);
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
        by_threads.iter().for_each(assert_group);
        assert!(by_threads.iter().map(|cluster| cluster.cell).eq(cells));
        assert!(told.iter().map(|(cluster, _)| cluster).eq(&by_threads), "the same, whoever adds up");
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
    let view = Rect::new([S::of(3.0); D], [S::of(50.0); D]);
    for size in [0.75, 4.0, 5.0, 64.0, 1000.0].map(S::of) {
        groups += assert_grouped(&run.index.iter(), size);
        groups += assert_grouped(&run.index.intersecting(view).in_layers(points.id()), size);
        groups += assert_grouped(&run.index.intersecting(Ring::new([S::of(30.0); D], S::of(8.0), S::of(25.0))), size);
    }
    assert!(1000 < groups, "{groups}");
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
                assert_eq!(cell, [(at - min).div_euclid(size); D], "{at} in cells of {size} in {world:?}");
            }
        }
    }
}
