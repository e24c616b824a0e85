//! Asks all four queries and compares with the oracle.

use core::iter::FusedIterator;

use proptest::prelude::*;
use quadrille::{Cell, Handle, LayerSet, ObjectRef, Predicate, Query, Rect};

use super::oracle::{Asked, Model, Relation, Span, sorted};
use super::scene::side_of;
use super::spot::{Outline, Spot, awkward, outline};
use super::{Index, Real, UNITS};
use crate::inside::Inside;

/// A region to ask about.
#[derive(Clone, Copy, Debug)]
pub enum Region {
    Outline(Outline),
    Everything,
    /// From the spot to infinity on one axis, endless on all others.
    Half {
        axis: usize,
        from: Spot,
        upward: bool,
    },
    /// Not a number on one axis.
    Nowhere {
        axis: usize,
        outline: Outline,
    },
}

impl Region {
    pub fn span<S: Real, const D: usize>(&self, world: &Rect<S, D>) -> Span<S, D> {
        let (low, high) = (S::of(f64::NEG_INFINITY), S::of(f64::INFINITY));
        match self {
            Self::Outline(outline) => outline.span(world),
            Self::Everything => Span::cube(low, high),
            Self::Half { axis, from, upward } => {
                let axis = axis % D;
                let mut span = Span::cube(low, high);
                let ends = if *upward { &mut span.min } else { &mut span.max };
                ends[axis] = from.resolve(world.min()[axis], side_of(world));
                span
            }
            Self::Nowhere { axis, outline } => {
                let mut span = outline.span(world);
                span.min[axis % D] = S::of(f64::NAN);
                span
            }
        }
    }
}

/// Regions of every sort.
pub fn region() -> BoxedStrategy<Region> {
    prop_oneof![
        12 => outline().prop_map(Region::Outline),
        1 => Just(Region::Everything),
        2 => (0_usize..3, awkward(), any::<bool>())
            .prop_map(|(axis, from, upward)| Region::Half { axis, from, upward }),
        1 => (0_usize..3, outline()).prop_map(|(axis, outline)| Region::Nowhere { axis, outline }),
    ]
    .boxed()
}

/// One question to all four queries.
#[derive(Clone, Debug)]
pub struct Question<S, const D: usize> {
    pub region: Span<S, D>,
    pub asked: Asked,
    pub excluded: Option<Handle>,
}

impl<S: Real, const D: usize> Question<S, D> {
    /// About everything in the region, whatever its layer.
    pub fn about(region: Span<S, D>) -> Self {
        Self { region, asked: Asked::everything(), excluded: None }
    }

    /// The query, about the layers that are asked for and without the excluded object.
    pub fn narrow<'a, P: Predicate, R: quadrille::Region<S, D>>(
        &self,
        query: Query<'a, u32, P, S, D, R>,
    ) -> Query<'a, u32, P, S, D, R> {
        let query = query.in_layers(set_of(&self.asked));
        match self.excluded {
            Some(handle) => query.excluding(handle),
            None => query,
        }
    }

    fn passes(&self, object: &ObjectRef<'_, u32, S, D>) -> bool {
        self.asked.holds(object.layer()) && Some(object.handle()) != self.excluded
    }
}

/// The library's own set of those layers.
pub fn set_of(asked: &Asked) -> LayerSet {
    let named = asked.layers.iter().fold(LayerSet::NONE, |set, layer| set | *layer);
    if asked.all_but_these { !named } else { named }
}

/// The layers of which a bit is set, but none in three of four cases; or all but these.
pub fn drawn_layers<S: Real, const D: usize>(index: &Index<S, D>, bits: u8, all_but_these: bool) -> Asked {
    let named = index.layers().enumerate().filter(|(place, _)| bits & 0xC0 == 0 && bits >> (place % 8) & 1 == 1);
    Asked { layers: named.map(|(_, layer)| layer).collect(), all_but_these }
}

/// Asks all four queries, compares with the oracle, and returns the answers in the order they came.
pub fn ask<S: Real, const D: usize>(
    index: &Index<S, D>,
    model: &Model<S, D>,
    question: &Question<S, D>,
) -> Vec<Handle> {
    let mut order = Vec::new();
    macro_rules! answer {
        ($method:ident, $expected:expr) => {{
            let region = question.region.rect();
            let query = question.narrow(index.$method(region));
            let handles = drain(query.clone());
            assert_eq!(sorted(handles.iter().copied()), $expected, "{} of {question:?}", stringify!($method));
            assert_eq!(query.clone().exists(), !handles.is_empty());
            if question.region.is_point() {
                let at_point = question.narrow(index.$method(question.region.min));
                assert_eq!(drain(at_point), handles, "a point is a rectangle of no extent");
            }
            filter_on_the_way(&index.$method(region), question);
            order.extend(handles);
        }};
    }
    let exact = |relation| model.answer(relation, &question.region, &question.asked, question.excluded);
    answer!(intersecting, exact(Relation::Intersecting));
    answer!(contained_in, exact(Relation::ContainedIn));
    answer!(containing, exact(Relation::Containing));
    let near = near_by_definition(index, question);
    for handle in exact(Relation::Intersecting) {
        assert!(near.contains(&handle), "{handle:?} meets the region but is not near");
    }
    answer!(near, near);
    order
}

/// Drains a query in several ways, which must all agree, and returns the handles in order.
fn drain<'a, S: Real, const D: usize>(
    query: impl FusedIterator<Item = ObjectRef<'a, u32, S, D>> + Clone,
) -> Vec<Handle> {
    let mut stepped = query.clone();
    let mut handles = Vec::new();
    while let Some(object) = stepped.next() {
        handles.push(object.handle());
        if handles.len().is_power_of_two() {
            assert_same_rest(stepped.clone());
        }
    }
    assert!(stepped.next().is_none(), "a query stays at its end");
    assert_eq!(assert_same_rest(query), handles, "fold and next");
    let mut distinct = sorted(handles.iter().copied());
    distinct.dedup();
    assert_eq!(distinct.len(), handles.len(), "an object came twice");
    handles
}

/// The rest of a query is the same stepped, folded and counted, and within its size hint.
fn assert_same_rest<'a, S: Real, const D: usize>(
    query: impl Iterator<Item = ObjectRef<'a, u32, S, D>> + Clone,
) -> Vec<Handle> {
    let (least, most) = query.size_hint();
    let mut stepped = query.clone();
    let rest: Vec<_> = core::iter::from_fn(|| stepped.next().map(|object| object.handle())).collect();
    let folded = query.clone().fold(Vec::new(), |mut folded, object| {
        folded.push(object.handle());
        folded
    });
    assert_eq!(folded, rest, "folded and stepped");
    assert_eq!(query.count(), rest.len(), "counted and stepped");
    assert!(least <= rest.len() && most.is_none_or(|most| rest.len() <= most), "the size hint lies");
    rest
}

/// Filters set after the first `next` hold for what is still to come.
fn filter_on_the_way<P: Predicate, S: Real, const D: usize>(
    query: &Query<'_, u32, P, S, D>,
    question: &Question<S, D>,
) {
    let all: Vec<_> = query.clone().collect();
    for taken in [0, 1, all.len() / 2, all.len()] {
        let taken = taken.min(all.len());
        let mut query = query.clone();
        assert_eq!(query.by_ref().take(taken).count(), taken);
        let expected = all[taken..].iter().filter(|object| question.passes(object));
        let expected: Vec<_> = expected.map(ObjectRef::handle).collect();
        let rest: Vec<_> = question.narrow(query).map(|object| object.handle()).collect();
        assert_eq!(rest, expected, "filtered after {taken} of {question:?}");
    }
}

/// The objects that `near` must yield, sorted: its definition, computed from the cells.
pub fn near_by_definition<S: Real, const D: usize>(index: &Index<S, D>, question: &Question<S, D>) -> Vec<Handle> {
    let cells = index.layers().flat_map(|layer| index.cells(layer));
    let objects = cells.filter(|cell| is_reached(index, cell, &question.region)).flat_map(|cell| cell.objects());
    sorted(objects.filter(|object| question.passes(object)).map(|object| object.handle()))
}

/// Whether the units of a region reach a cell or the parts of objects that stick out of it.
pub fn is_reached<S: Real, const D: usize>(
    index: &Index<S, D>,
    cell: &Cell<'_, u32, S, D>,
    region: &Span<S, D>,
) -> bool {
    let Some((min, max)) = units_of(index, region) else { return false };
    let units = cell.units();
    (0..D).all(|axis| {
        let end = u64::from(units.max[axis]) + u64::from(cell.reach());
        units.min[axis] <= max[axis] && u64::from(min[axis]) <= end
    })
}

/// The units of the ends of a region; none if it is not a number.
pub fn units_of<S: Real, const D: usize>(index: &Index<S, D>, region: &Span<S, D>) -> Option<([u32; D], [u32; D])> {
    let (first, last) = units_beyond(index, region)?;
    Some((first.map(|unit| unit.min(UNITS - 1)), last.map(|unit| unit.min(UNITS - 1))))
}

/// The same, counted on beyond the world.
pub fn units_beyond<S: Real, const D: usize>(index: &Index<S, D>, region: &Span<S, D>) -> Option<([u32; D], [u32; D])> {
    let world = index.world();
    let side = side_of(&world);
    let origin = world.min();
    // Where a distance from the origin overflows, nothing is counted on.
    let is_finite = origin.iter().all(|origin| S::LARGEST.minus(*origin).value().is_finite());
    let most = if is_finite { 2 * UNITS - 2 } else { UNITS - 1 };
    let unit = |ends: &[S; D]| core::array::from_fn(|axis| ends[axis].unit_beyond(origin[axis], side).min(most));
    let is_somewhere = (0..D).all(|axis| region.min[axis] <= region.max[axis]);
    is_somewhere.then(|| (unit(&region.min), unit(&region.max)))
}
