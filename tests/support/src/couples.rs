//! Pairs of objects by a look at all of them, and pairs as a query yields them, asked for in every way.

use core::fmt::Debug;
use core::iter::FusedIterator;
use std::collections::BTreeMap;

use quadrille::{Around, Handle, LayerId, LayerSet, LayerSettings, ObjectRef, Pairs};

use super::oracle::{Asked, Known, Relation, Span};
use super::order::Distance;
use super::scene::roomy_scenes;
use super::spot::Spot;
use super::{AnyLayer, Index, Real};

/// Two handles.
pub type Couple = (Handle, Handle);

/// The outcome for a center and its neighbors. One type for all questions: each would compile the whole search once more.
pub type Tell<'t, 'a, S, B, C, const D: usize> = &'t (dyn Fn(B, Around<'_, 'a, u32, S, D>) -> (C, Vec<Handle>) + Sync);

/// Which objects are paired, and when.
#[derive(Clone, Debug)]
pub struct Wanted<S> {
    /// The layers of the first object, and of the second.
    pub between: [Asked; 2],
    /// How far apart they may be; without it they must touch.
    pub within: Option<S>,
}

impl<S: Real> Wanted<S> {
    pub fn touching() -> Self {
        Self { between: [Asked::everything(), Asked::everything()], within: None }
    }

    pub fn within(distance: S) -> Self {
        Self { within: Some(distance), ..Self::touching() }
    }

    pub fn are_near<const D: usize>(&self, a: &Span<S, D>, b: &Span<S, D>) -> bool {
        match self.within {
            None => Relation::Intersecting.holds(a, b),
            Some(most) => 0.0 <= most.value() && Distance::between(a, b).compare(Distance::of(most)).is_le(),
        }
    }

    pub fn are_between(&self, first: LayerId, second: LayerId) -> bool {
        self.between[0].holds(first) && self.between[1].holds(second)
    }
}

/// The layer of each object.
pub type Layers = BTreeMap<Handle, LayerId>;

pub fn layers_of<S: Real, const D: usize>(objects: &[Known<S, D>]) -> Layers {
    objects.iter().map(|known| (known.handle, known.layer)).collect()
}

/// All pairs within a list that are near enough, whatever their layers, the lesser handle first, sorted.
pub fn near<S: Real, const D: usize>(objects: &[Known<S, D>], wanted: &Wanted<S>) -> Vec<Couple> {
    let mut couples = Vec::new();
    for (place, a) in objects.iter().enumerate() {
        let near = objects[place + 1..].iter().filter(|b| wanted.are_near(&a.span, &b.span));
        couples.extend(near.map(|b| sorted((a.handle, b.handle))));
    }
    couples.sort_unstable();
    couples
}

/// The pairs whose layers are wanted, in either order.
pub fn between<S: Real>(couples: &[Couple], layers: &Layers, wanted: &Wanted<S>) -> Vec<Couple> {
    let are = |(a, b): &&Couple| wanted.are_between(layers[a], layers[b]) || wanted.are_between(layers[b], layers[a]);
    couples.iter().filter(are).copied().collect()
}

/// All pairs between two lists that are near enough, whatever their layers, sorted.
pub fn near_in_both<S: Real, const D: usize>(lists: [&[Known<S, D>]; 2], wanted: &Wanted<S>) -> Vec<Couple> {
    let mut couples = Vec::new();
    for a in lists[0] {
        let near = lists[1].iter().filter(|b| wanted.are_near(&a.span, &b.span));
        couples.extend(near.map(|b| (a.handle, b.handle)));
    }
    couples.sort_unstable();
    couples
}

/// The lesser handle first.
pub fn sorted((a, b): Couple) -> Couple {
    if b < a { (b, a) } else { (a, b) }
}

/// All of them, each with the lesser handle first.
pub fn all_sorted(couples: Vec<Couple>) -> Vec<Couple> {
    couples.into_iter().map(sorted).collect()
}

/// The pairs whose layers are wanted, in that order.
pub fn of_both<S: Real>(couples: &[Couple], layers: [&Layers; 2], wanted: &Wanted<S>) -> Vec<Couple> {
    let are = |(a, b): &&Couple| wanted.are_between(layers[0][a], layers[1][b]);
    couples.iter().filter(are).copied().collect()
}

/// The same pairs, whichever comes first, each once.
pub fn assert_same(found: &[Couple], expected: &[Couple], question: &dyn Debug) {
    let mut found = all_sorted(found.to_vec());
    found.sort_unstable();
    assert!(found == expected, "{found:?} instead of {expected:?}: {question:?}");
}

/// The first object of each pair is of the first set of layers, the second of the second.
pub fn assert_order<S: Real>(layers: &Layers, found: &[Couple], wanted: &Wanted<S>) {
    assert!(found.iter().all(|(first, second)| wanted.are_between(layers[first], layers[second])));
}

pub fn names<S: Real, const D: usize>((a, b): (ObjectRef<'_, u32, S, D>, ObjectRef<'_, u32, S, D>)) -> Couple {
    (a.handle(), b.handle())
}

/// Drains a query in several ways, which must all agree, and returns the pairs in the order in which they came.
pub fn drain<'a, 'b, S: Real, const D: usize>(
    query: &(impl FusedIterator<Item = (ObjectRef<'a, u32, S, D>, ObjectRef<'b, u32, S, D>)> + Clone),
) -> Vec<Couple> {
    let mut stepped = query.clone();
    let mut all = Vec::new();
    let mut copies = Vec::new();
    loop {
        if (all.len() + 1).is_power_of_two() {
            copies.push((all.len(), stepped.clone()));
        }
        let Some(pair) = stepped.next() else { break };
        all.push(names(pair));
    }
    assert!(stepped.next().is_none(), "a query stays at its end");
    for (taken, copy) in copies {
        let rest: Vec<_> = copy.clone().map(names).collect();
        assert_eq!(rest, all[taken..], "a copy goes on from where it was taken");
        assert_eq!(copy.count(), rest.len(), "counted and stepped");
    }
    let mut folded = Vec::new();
    query.clone().for_each(|pair| folded.push(names(pair)));
    assert_eq!(folded, all, "folded and stepped");
    all
}

/// The sets of layers of the first object and of the second.
pub fn sets(wanted: &Wanted<impl Real>) -> [LayerSet; 2] {
    [0, 1].map(|place| super::questions::set_of(&wanted.between[place]))
}

/// The pairs that are near enough.
pub fn near_enough<'a, S: Real, const D: usize>(
    pairs: Pairs<'a, u32, S, D>,
    wanted: &Wanted<S>,
) -> Pairs<'a, u32, S, D> {
    if let Some(distance) = wanted.within { pairs.within(distance) } else { pairs }
}

/// An index with layers of points and of rectangles, and its objects.
pub struct Scattered<S, const D: usize> {
    pub index: Index<S, D>,
    pub layers: Vec<AnyLayer>,
    pub objects: Vec<Known<S, D>>,
}

impl<S: Real, const D: usize> Scattered<S, D> {
    pub fn new(index: Index<S, D>) -> Self {
        Self { index, layers: Vec::new(), objects: Vec::new() }
    }

    /// A few objects as large as the scale.
    pub fn at_scale(scale: f64) -> Self {
        let mut scattered = Self::new(roomy_scenes::<S>()[0].index());
        let layers = [false, true].map(|rects| scattered.add_layer(rects));
        for (layer, parts) in
            [(0, [-1.0, -1.0]), (0, [1.0, 1.0]), (1, [-0.5, -0.25]), (1, [0.25, 0.5]), (1, [0.5, 1.0])]
        {
            let [min, max] = parts.map(|part: f64| Spot::finite(part * scale));
            scattered.insert(layers[layer], Span::cube(min, max));
        }
        scattered
    }

    pub fn add_layer(&mut self, rects: bool) -> AnyLayer {
        let layer = AnyLayer::add(&mut self.index, rects, LayerSettings::new());
        self.layers.push(layer);
        layer
    }

    pub fn insert(&mut self, layer: AnyLayer, span: Span<S, D>) -> Handle {
        let span = layer.trimmed(span);
        let value = u32::try_from(self.objects.len()).expect("few objects");
        let handle = layer.insert(&mut self.index, span, value).expect("finite");
        self.objects.push(Known { handle, layer: layer.id(), span, value });
        handle
    }

    pub fn assert_pairs(&self, wanted: &Wanted<S>, place: &str) -> usize {
        let found = drain(&near_enough(self.index.pairs(), wanted));
        assert_same(&found, &near(&self.objects, wanted), &(place, wanted));
        found.len()
    }
}
