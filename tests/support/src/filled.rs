//! An index beside the oracle, asked about regions of any shape.

use core::fmt::Debug;

use quadrille::{
    Ball, Handle, IntoRegion, KnownShape, LayerId, LayerSet, LayerSettings, Predicate, Query, Rect, Region,
};

use super::oracle::{Model, Relation, Span, sorted};
use super::questions::is_reached;
use super::shapes::Asks;
use super::{AnyLayer, Index, Real};

/// An index with a layer of points and one of rectangles, and its objects.
pub struct Filled<S, const D: usize> {
    pub index: Index<S, D>,
    pub model: Model<S, D>,
    pub layers: [AnyLayer; 2],
}

impl<S: Real, const D: usize> Filled<S, D> {
    pub fn new(mut index: Index<S, D>, split_above: u32) -> Self {
        let settings = LayerSettings::new().split_above(split_above);
        let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
        Self { index, model: Model::new(), layers }
    }

    pub fn insert(&mut self, rects: bool, span: Span<S, D>) -> Handle {
        let value = u32::try_from(self.model.objects.len()).expect("few objects");
        self.layers[usize::from(rects)].insert_in_both(&mut self.index, &mut self.model, span, value)
    }

    /// All queries about a region against the answers that a test of single objects gives; `near` against its
    /// definition.
    pub fn ask<I: IntoRegion<S, D> + Clone + Debug>(
        &self,
        region: &I,
        // Not generic: this is much code for each region already.
        holds: &dyn Fn(Relation, &Span<S, D>, Handle) -> bool,
    ) where
        I::Region: Clone,
    {
        let of_layers = |layers: &[LayerId], relation| {
            self.model.handles(|known| layers.contains(&known.layer) && holds(relation, &known.span, known.handle))
        };
        let [points, rects] = self.layers.map(AnyLayer::id);
        let excluded = self.model.objects.len() / 2;
        let excluded = self.model.objects.get(excluded).map(|known| known.handle).unwrap_or_default();
        macro_rules! answer {
            ($method:ident, |$layers:ident, $found:ident| $expected:expr) => {{
                for $layers in [&[points, rects][..], &[points], &[rects]] {
                    let set = $layers.iter().fold(LayerSet::NONE, |set, layer| set | *layer);
                    let query = self.index.$method(region.clone()).in_layers(set);
                    let $found = &sorted(drained_in_every_way(query, excluded));
                    let expected: Vec<Handle> = $expected;
                    assert_eq!(*$found, expected, "{} of {region:?}", stringify!($method));
                }
            }};
        }
        answer!(intersecting, |layers, found| of_layers(layers, Relation::Intersecting));
        answer!(contained_in, |layers, found| of_layers(layers, Relation::ContainedIn));
        answer!(containing, |layers, found| of_layers(layers, Relation::Containing));
        let shape = region.clone().into_region();
        answer!(near, |layers, found| {
            let ball = ball_of(&shape).filter(|ball| S::of(0.0) <= ball.radius());
            // As distances are rounded, the bounds of a ball are too, and it may reach a little further.
            let bounds = ball.map_or(shape.bounds(), |ball| {
                let end = |by: S| ball.center().map(|center| center.minus(by));
                let rounded = Rect::new(end(ball.radius()), end(S::of(0.0).minus(ball.radius())));
                shape.bounds().intersection(&rounded).unwrap_or(shape.bounds())
            });
            let mut near = self.near_by_definition(layers, &bounds, &shape);
            if let Some(ball) = ball {
                let larger = Ball::new(ball.center(), S::of(ball.radius().value() * 1.000_01 + S::SMALLEST.value()));
                let most = self.near_by_definition(layers, &larger.bounds(), &larger);
                near.extend(most.into_iter().filter(|handle| found.contains(handle)));
                near = sorted(near);
                near.dedup();
            }
            near
        });
    }

    /// The objects stored in cells that the region reaches, by units and as a shape.
    fn near_by_definition(&self, layers: &[LayerId], bounds: &Rect<S, D>, region: &impl Region<S, D>) -> Vec<Handle> {
        let cells = layers.iter().flat_map(|layer| self.index.cells(*layer));
        let reached = cells.filter(|cell| {
            is_reached(&self.index, cell, &Span::of_rect(bounds))
                && common(bounds, &cell.bounds_with_reach()).is_some_and(|part| region.intersects(&part))
        });
        sorted(reached.flat_map(|cell| cell.objects()).map(|object| object.handle()))
    }
}

/// The box that two boxes have in common.
pub fn common<S: Real, const D: usize>(a: &Rect<S, D>, b: &Rect<S, D>) -> Option<Rect<S, D>> {
    let min = core::array::from_fn::<_, D, _>(|axis| if a.min()[axis] < b.min()[axis] { b } else { a }.min()[axis]);
    let max = core::array::from_fn::<_, D, _>(|axis| if a.max()[axis] > b.max()[axis] { b } else { a }.max()[axis]);
    let part = Rect::try_new(min, max).ok();
    assert_eq!(a.intersection(b), part, "{a:?} and {b:?}");
    part
}

/// The handles that a query yields, the same step by step and at once. At every stage, what is left is as many as `count`
/// says, also if one object is left out from there on.
pub fn drained_in_every_way<P, S, const D: usize, R>(
    mut query: Query<'_, u32, P, S, D, R>,
    excluded: Handle,
) -> Vec<Handle>
where
    P: Predicate,
    S: Real,
    R: Region<S, D> + Clone,
{
    let mut all: Vec<Handle> = Vec::new();
    query.clone().for_each(|object| all.push(object.handle()));
    for taken in 0..=all.len() {
        assert_eq!(query.clone().count(), all.len() - taken, "after {taken}");
        let without = all[taken..].iter().filter(|handle| **handle != excluded).count();
        let mut one_left_out = query.clone().excluding(excluded);
        assert_eq!(one_left_out.clone().count(), without, "after {taken}, one left out");
        assert!(one_left_out.next().is_none_or(|object| object.handle() != excluded));
        assert_eq!(query.next().map(|object| object.handle()), all.get(taken).copied());
    }
    assert_eq!(query.count(), 0);
    all
}

fn ball_of<S, const D: usize>(region: &impl Region<S, D>) -> Option<&Ball<S, D>> {
    if let KnownShape::Ball(ball) = region.shape() { Some(ball) } else { None }
}

impl<S: Real, const D: usize> Asks<S, D> for Filled<S, D> {
    fn about<I: IntoRegion<S, D> + Clone + Debug>(&mut self, region: I)
    where
        I::Region: Clone,
    {
        let shape = region.clone().into_region();
        let bounds = shape.bounds();
        self.ask(&region, &|relation, span, _| match (relation, ball_of(&shape)) {
            // As distances are rounded, a ball may reach a little beyond its bounds.
            (Relation::Intersecting, Some(ball)) => ball.intersects(&span.rect()),
            (Relation::Intersecting, None) => {
                let part = common(&bounds, &span.rect());
                part.is_some_and(|part| shape.intersects(&part))
            }
            (Relation::ContainedIn, _) => bounds.contains(&span.rect()) && shape.contains(&span.rect()),
            (Relation::Containing, _) => relation.holds(span, &Span::of_rect(&bounds)),
        });
    }
}
