//! `take_with_ties`: the nearest so many and all that are exactly as far away as the last, against integers; and distances.

use quadrille::{Handle, LayerSet, LayerSettings, SearchBuffer};

use quadrille_support::oracle::Span;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{AnyLayer, Dice, Index, Real, in_spaces};

in_spaces!(on_a_lattice, in_one_place, distances_are_roots);

/// A box of whole numbers.
struct Block {
    handle: Handle,
    layer: usize,
    ends: [[i32; 2]; 3],
}

impl Block {
    /// The square of the distance from a point.
    fn square<const D: usize>(&self, from: [i32; 3]) -> i32 {
        let gap = |axis: usize| (self.ends[axis][0] - from[axis]).max(from[axis] - self.ends[axis][1]).max(0);
        (0..D).map(|axis| gap(axis) * gap(axis)).sum()
    }
}

fn point<S: Real, const D: usize>(at: [i32; 3]) -> [S; D] {
    core::array::from_fn(|axis| S::of(f64::from(at[axis])))
}

fn knot(dice: &mut Dice, limit: usize) -> [i32; 3] {
    [(); 3].map(|()| i32::try_from(dice.below(limit)).expect("small"))
}

fn filled<S: Real, const D: usize>() -> (Index<S, D>, [AnyLayer; 2], Vec<Block>) {
    let mut index: Index<S, D> = roomy_scenes::<S>()[0].index();
    let settings = LayerSettings::new().split_above(3);
    let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
    let mut dice = Dice::new(41);
    let blocks = (0..500).map(|number| {
        let (min, size) = (knot(&mut dice, 12), knot(&mut dice, 3));
        let layer = number % 2;
        let ends: [[i32; 2]; 3] =
            core::array::from_fn(|axis| [min[axis], min[axis] + if layer == 0 { 0 } else { size[axis] }]);
        let span = Span { min: point(min), max: point(ends.map(|[_, end]| end)) };
        Block { handle: layers[layer].insert(&mut index, span, 0).expect("finite"), layer, ends }
    });
    let blocks = blocks.collect();
    (index, layers, blocks)
}

/// The first so many of a sorted list, and those that tie with the last of them.
fn with_ties(all: &[(i32, Handle)], objects: usize) -> Vec<Handle> {
    let last = all.get(objects.saturating_sub(1)).filter(|_| objects != 0).map(|last| last.0);
    let is_taken = |place: usize, square: i32| objects != 0 && (place < objects || Some(square) == last);
    all.iter().enumerate().filter(|(place, of)| is_taken(*place, of.0)).map(|(_, of)| of.1).collect()
}

/// In all ways, with filters before and after, and after some objects are taken.
fn on_a_lattice<S: Real, const D: usize>() {
    let (index, layers, blocks) = filled::<S, D>();
    let (mut dice, mut buffer, mut longer) = (Dice::new(43), SearchBuffer::new(), 0);
    for _ in 0..200 {
        let target = knot(&mut dice, 14);
        let (objects, taken, layer) = (dice.below(40), dice.below(30), dice.below(3));
        let within = (dice.below(2) == 0).then(|| i32::try_from(dice.below(9)).expect("small"));
        let set = layers.get(layer).map_or(LayerSet::ALL, |layer| layer.id().into());
        let passes = |block: &&Block| layer == 2 || block.layer == layer;
        let mut all: Vec<_> =
            blocks.iter().filter(passes).map(|block| (block.square::<D>(target), block.handle)).collect();
        all.retain(|(square, _)| within.is_none_or(|most| *square <= most * most));
        all.sort_unstable();
        let mut query = index.nearest(point::<S, D>(target)).in_layers(set);
        if let Some(most) = within {
            query = query.within(S::of(most.into()));
        }
        let drained = |query: quadrille::Nearest<'_, '_, u32, S, D>| -> Vec<Handle> {
            query.map(|found| found.object.handle()).collect()
        };
        let expected = with_ties(&all, objects);
        assert_eq!(drained(query.clone().take_with_ties(objects)), expected);
        assert_eq!(drained(query.clone().take_with_ties(objects).reusing(&mut buffer)), expected);
        assert_eq!(query.clone().take_with_ties(objects).exists(), !expected.is_empty());
        // Filters that are set later are applied before anything counts.
        let mut late = index.nearest(point::<S, D>(target)).take_with_ties(objects).in_layers(set);
        if let Some(most) = within {
            late = late.within(S::of(most.into()));
        }
        assert_eq!(drained(late), expected);
        assert_eq!(drained(query.clone().take_with_ties(objects + 5).take_with_ties(objects)), expected);
        assert_eq!(drained(query.clone().take_with_ties(objects).take_with_ties(objects + 5)), expected);
        let taken = query.by_ref().take(taken).count();
        let expected = with_ties(&all[taken..], objects);
        let mut begun = query.take_with_ties(objects);
        assert_eq!(drained(begun.clone()), expected);
        // A clone half way goes on as the query does.
        let half = begun.by_ref().take(objects / 2).count();
        assert_eq!(drained(begun.clone()), expected[half..]);
        assert_eq!(drained(begun), expected[half..]);
        longer += usize::from(objects < expected.len());
    }
    assert!(50 < longer, "ties are common: {longer}");
}

/// A crowd at one distance comes as a whole, and nothing behind it.
fn in_one_place<S: Real, const D: usize>() {
    let mut index: Index<S, D> = roomy_scenes::<S>()[0].index();
    let layer = index.add_point_layer().expect("a layer");
    let crowd: Vec<Handle> = (0..300).map(|_| index.insert(layer, [S::of(5.0); D], 0).expect("finite")).collect();
    let behind = index.insert(layer, [S::of(5.0).up(); D], 0).expect("finite");
    let found = |objects: usize| -> Vec<Handle> {
        index.nearest([S::of(1.0); D]).take_with_ties(objects).map(|found| found.object.handle()).collect()
    };
    for objects in [1, 2, 11, 12, 23, 150, 299, 300] {
        assert_eq!(found(objects), crowd, "{objects}");
    }
    let all: Vec<Handle> = crowd.iter().copied().chain([behind]).collect();
    for objects in [301, 302, usize::MAX] {
        assert_eq!(found(objects), all, "{objects}");
    }
    assert!(found(0).is_empty());
}

/// `distance` is the root of the square, rounded up.
fn distances_are_roots<S: Real, const D: usize>() {
    let (mut index, layers, blocks) = filled::<S, D>();
    for target in [[0, 0, 0], [3, 9, 1], [40, 2, 11]] {
        for found in index.nearest(point::<S, D>(target)) {
            let block = blocks.iter().find(|block| block.handle == found.object.handle()).expect("a known one");
            let square = f64::from(block.square::<D>(target));
            let root = S::of(square.sqrt());
            assert_eq!(found.distance(), if root.value().powi(2) < square { root.up() } else { root });
        }
    }
    index.clear();
    layers[0].insert(&mut index, Span::at([S::LARGEST; D]), 0).expect("finite");
    let far = index.nearest([S::of(0.0); D]).next().expect("there is one");
    assert!(far.distance().value().is_infinite() && far.distance_squared.value().is_infinite());
    let here = index.nearest([S::LARGEST; D]).next().expect("there is one");
    assert!(here.distance() == S::of(0.0));
}
