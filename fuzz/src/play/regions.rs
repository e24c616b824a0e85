//! Region queries: boxes by comparisons of their ends, other shapes exactly where they lie on a lattice, and elsewhere by
//! their answers about single objects.

use quadrille::{Answers, AnyOf, Ball, Convex, HalfSpace, Handle, IntoRegion, Polygon, Rect, Region, Segment};
use quadrille_support::filled::common;
use quadrille_support::lattice::{Block, Figure, Knot, Plane, hull};
use quadrille_support::oracle::{Known, Relation, Span};
use quadrille_support::questions::{Question, near_by_definition};
use quadrille_support::scene::side_of;
use quadrille_support::shapes::Ring;
use quadrille_support::spot::Spot;
use quadrille_support::{Index, Real};

use super::drive::{Answer, drive};
use super::grouped::agree_on_some;
use super::steps::Steps;
use super::{Filter, Space, Stage, agree};
use crate::field::{Corner, Shape};
use crate::op::Op;

/// A shape without its type, so that queries are compiled for all shapes at once.
#[derive(Clone, Copy)]
pub(super) struct Erased<'a, S, const D: usize>(pub(super) &'a dyn Plain<S, D>);

/// The three answers of a region.
pub(super) trait Plain<S, const D: usize> {
    fn bounds(&self) -> Rect<S, D>;
    fn meets(&self, rect: &Rect<S, D>) -> bool;
    fn has(&self, rect: &Rect<S, D>) -> bool;
}

impl<S, const D: usize, R: Region<S, D>> Plain<S, D> for R {
    fn bounds(&self) -> Rect<S, D> {
        Region::bounds(self)
    }

    fn meets(&self, rect: &Rect<S, D>) -> bool {
        self.intersects(rect)
    }

    fn has(&self, rect: &Rect<S, D>) -> bool {
        self.contains(rect)
    }
}

impl<S, const D: usize> Region<S, D> for Erased<'_, S, D> {
    fn bounds(&self) -> Rect<S, D> {
        self.0.bounds()
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        self.0.meets(rect)
    }

    fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.0.has(rect)
    }
}

impl<S, const D: usize> IntoRegion<S, D> for Erased<'_, S, D> {
    type Region = Self;

    fn into_region(self) -> Self {
        self
    }
}

/// A shape of the plane as a region of any dimension: endless on all other axes.
pub(super) struct Flat<R>(pub(super) R);

fn flat<S: Real, const D: usize>(rect: &Rect<S, D>) -> Rect<S, 2> {
    let [min, max] = [rect.min(), rect.max()].map(|corner| [corner[0], corner[1]]);
    Rect::new(min, max)
}

impl<S: Real, const D: usize, R: Region<S, 2>> Region<S, D> for Flat<R> {
    fn bounds(&self) -> Rect<S, D> {
        let plane = self.0.bounds();
        let ends = |ends: [S; 2], beyond: f64| {
            // Nothing is nothing on all axes.
            let beyond = if ends[0].value().is_nan() { f64::NAN } else { beyond };
            core::array::from_fn::<S, D, _>(|axis| ends.get(axis).copied().unwrap_or(S::of(beyond)))
        };
        Rect::new(ends(plane.min(), f64::NEG_INFINITY), ends(plane.max(), f64::INFINITY))
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        self.0.intersects(&flat(rect))
    }

    fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.0.contains(&flat(rect))
    }
}

/// Which objects match: by the region's definition.
pub(super) type Holds<'a, S, const D: usize> = dyn Fn(Relation, &Span<S, D>) -> bool + 'a;

/// Relations by number; the last is `near`.
pub(super) const RELATIONS: [Option<Relation>; 4] =
    [Some(Relation::Intersecting), Some(Relation::ContainedIn), Some(Relation::Containing), None];

/// Asks about any region, by any method.
macro_rules! ask {
    ($on:expr, $index:expr, $relation:expr, $region:expr, $filter:expr) => {
        match $relation {
            Some(Relation::Intersecting) => drive($index, $on.intersecting($region), $filter),
            Some(Relation::ContainedIn) => drive($index, $on.contained_in($region), $filter),
            Some(Relation::Containing) => drive($index, $on.containing($region), $filter),
            None => drive($index, $on.near($region), $filter),
        }
    };
}

pub(super) use ask;

/// In a batch, questions have the answers that they have alone.
fn agree_in_batch<S: Space, const D: usize>(index: &Index<S, D>, region: Rect<S, D>) {
    let regions = [Rect::from_point(region.max()), region, Rect::from_point(region.min()), region];
    let ask = |region: &Rect<S, D>| index.intersecting(*region).map(|object| object.handle());
    let answers: Answers<Handle> = index.query_batch(regions, |region, answer| answer.extend(ask(region)));
    agree!(answers.len(), regions.len(), "the answers of a batch");
    for (region, answer) in regions.iter().zip(answers.iter()) {
        agree!(answer, &ask(region).collect::<Vec<_>>()[..], "in a batch, {region:?}");
    }
}

impl<S: Space, const D: usize> Stage<S, D> {
    pub(super) fn ask_region(&mut self, on: usize, op: &Op) {
        match op {
            Op::Region { relation, region, layers, excluded, taken, mode, .. } => {
                let filter = self.filter(on, *layers, excluded.0, *taken, *mode);
                self.ask_box(on, RELATIONS[usize::from(relation % 4)], region, &filter);
            }
            Op::OfObject { object, relation, layers, taken, mode, .. } => {
                let handle = self.handle(on, *object);
                let mut filter = self.filter(on, *layers, None, *taken, *mode);
                filter.excluded = Some(handle);
                self.ask_object(on, handle, RELATIONS[usize::from(relation % 4)], &filter);
            }
            Op::Figure { relation, figure, corners, more, inner, outer, layers, excluded, taken, mode, .. } => {
                let filter = self.filter(on, *layers, excluded.0, *taken, *mode);
                let drawn = Drawn::new(*figure, [*corners, *more], [*inner, *outer]);
                self.ask_figure(on, RELATIONS[usize::from(relation % 4)], &drawn, &filter);
            }
            _ => {}
        }
    }

    /// The objects that match, and whether they pass the filter.
    fn matching(&self, on: usize, filter: &Filter, holds: &dyn Fn(&Known<S, D>) -> bool) -> Vec<(Handle, bool)> {
        let objects = self.sides[on].model.objects.iter();
        objects.filter(|known| holds(known)).map(|known| (known.handle, filter.passes(known))).collect()
    }

    /// The objects near a box: by the definition of `near`, which looks at the cells.
    fn near(&self, on: usize, region: Span<S, D>, filter: &Filter) -> Vec<(Handle, bool)> {
        let index = &self.sides[on].index;
        let near = near_by_definition(index, &Question::about(region));
        self.matching(on, filter, &|known| near.binary_search(&known.handle).is_ok())
    }

    fn ask_box(&mut self, on: usize, relation: Option<Relation>, region: &Shape, filter: &Filter) {
        let index = &self.sides[on].index;
        let span = region.span(&index.world());
        let rect = span.rect();
        let answer = if span.is_point() && filter.taken.is_multiple_of(2) {
            ask!(index, index, relation, span.min, filter)
        } else {
            ask!(index, index, relation, rect, filter)
        };
        let matching = match relation {
            Some(relation) => self.matching(on, filter, &|known| relation.holds(&known.span, &span)),
            None => self.near(on, span, filter),
        };
        if filter.taken == 0 {
            agree_in_batch(index, rect);
        }
        match relation {
            Some(Relation::Intersecting) => agree_on_some(index, index.intersecting(rect), filter),
            Some(Relation::ContainedIn) => agree_on_some(index, index.contained_in(rect), filter),
            Some(Relation::Containing) => agree_on_some(index, index.containing(rect), filter),
            None => agree_on_some(index, index.near(rect), filter),
        }
        self.compare(filter, &answer, &matching, &|| format!("{relation:?} of {span}"));
    }

    fn compare(
        &mut self,
        filter: &Filter,
        answer: &Answer<Handle>,
        matching: &[(Handle, bool)],
        about: &dyn Fn() -> String,
    ) {
        filter.compare(answer, matching, about);
        self.hash_all(&answer.first);
        self.hash_all(&answer.rest);
    }

    fn ask_object(&mut self, on: usize, handle: Handle, relation: Option<Relation>, filter: &Filter) {
        let index = &self.sides[on].index;
        let known = self.sides[on].model.find(handle);
        let Some(object) = index.object(handle) else {
            agree!(known.is_none(), true, "there is no {handle:?}");
            return;
        };
        // The object itself is left out from the start.
        let answer = match relation {
            Some(Relation::Intersecting) => drive(index, object.intersecting(), filter),
            Some(Relation::ContainedIn) => drive(index, object.contained_in(), filter),
            Some(Relation::Containing) => drive(index, object.containing(), filter),
            None => drive(index, object.near(), filter),
        };
        let span = known.expect("what is there is known").span;
        let mut matching = match relation {
            Some(relation) => self.matching(on, filter, &|known| relation.holds(&known.span, &span)),
            None => self.near(on, span, filter),
        };
        matching.retain(|(other, _)| *other != handle);
        self.compare(filter, &answer, &matching, &|| format!("{relation:?} of {handle:?} at {span}"));
    }

    fn ask_figure(&mut self, on: usize, relation: Option<Relation>, drawn: &Drawn, filter: &Filter) {
        let index = &self.sides[on].index;
        let world = index.world();
        let side = side_of(&world);
        let [a, b, c, d] = drawn.corners.map(|corner| corner.resolve::<S, D>(&world));
        let length = |sixteenths: i8| Spot::finite::<S>(side.value() / 16.0 * f64::from(sixteenths));
        let [inner, outer] = drawn.lengths;
        let exact = drawn.figure_in::<D>().zip(Steps::of(&world, 16)).map(|(figure, steps)| Exact { figure, steps });
        let about = || format!("figure {} of {:?} and {:?}", drawn.figure, [a, b, c, d], drawn.lengths);
        if drawn.figure < 2 {
            let ball = Ball::new(a, length(inner));
            let holds = |relation: Relation, span: &Span<S, D>| {
                exact.as_ref().and_then(|exact| exact.holds(relation, span)).unwrap_or_else(|| match relation {
                    // As distances are rounded, a ball may reach a little beyond its bounds.
                    Relation::Intersecting => ball.intersects(&span.rect()),
                    _ => by_answers(&ball, relation, span),
                })
            };
            let answer = match (drawn.figure, relation) {
                (1, Some(Relation::Intersecting)) => drive(index, index.within_distance(a, length(inner)), filter),
                _ => ask!(index, index, relation, ball, filter),
            };
            let matching = self.matching_figure(on, relation, &holds, filter);
            return self.compare_figure(relation, &matching, &answer, filter, &about);
        }
        let half_spaces = drawn
            .planes
            .map(|normal| HalfSpace::behind(a, core::array::from_fn::<S, D, _>(|axis| S::of(f64::from(normal[axis])))));
        let flat = |point: [S; D]| [point[0], point[1]];
        let corners = match (&exact, drawn.knots()) {
            (Some(exact), Some(knots)) => hull(&knots).iter().map(|knot| flat(exact.steps.corner(*knot))).collect(),
            _ => vec![flat(a), flat(b), flat(c)],
        };
        let region: Box<dyn Plain<S, D> + '_> = match drawn.figure {
            2 => Box::new(Segment::new(a, b)),
            3 => Box::new(Convex::new(&half_spaces)),
            4 => Box::new(Convex::new(&half_spaces).within(Rect::new(c, d))),
            5 if 0 < outer => {
                let inner = inner.max(0);
                Box::new(Ring::new(a, length(inner), length(inner + outer)))
            }
            5 => Box::new(AnyOf::new([Rect::new(a, b), Rect::new(c, d)])),
            6 => Box::new(Flat(Polygon::new([flat(a), flat(b), flat(c)]))),
            7 => Box::new(Flat(Polygon::new(corners))),
            _ => {
                let around = Rect::new(a, b);
                let [min, max] = [flat(around.min()), flat(around.max())];
                let square = [min, [max[0], min[1]], max, [min[0], max[1]]];
                Box::new(Flat(Polygon::new(square).with_ring([flat(a), flat(b), flat(c), flat(d)])))
            }
        };
        let erased = Erased(&*region);
        let holds = |relation: Relation, span: &Span<S, D>| {
            let exact = exact.as_ref().and_then(|exact| exact.holds(relation, span));
            exact.unwrap_or_else(|| by_answers(&erased, relation, span))
        };
        let answer = ask!(index, index, relation, erased, filter);
        let matching = self.matching_figure(on, relation, &holds, filter);
        self.compare_figure(relation, &matching, &answer, filter, &about);
    }

    pub(super) fn matching_figure(
        &self,
        on: usize,
        relation: Option<Relation>,
        holds: &Holds<'_, S, D>,
        filter: &Filter,
    ) -> Vec<(Handle, bool)> {
        let relation = relation.unwrap_or(Relation::Intersecting);
        self.matching(on, filter, &|known| holds(relation, &known.span))
    }

    pub(super) fn compare_figure(
        &mut self,
        relation: Option<Relation>,
        matching: &[(Handle, bool)],
        answer: &Answer<Handle>,
        filter: &Filter,
        about: &dyn Fn() -> String,
    ) {
        if relation.is_some() {
            return self.compare(filter, answer, matching, &|| format!("{relation:?} of {}", about()));
        }
        // All that meet the region are near; which others are depends on how the tree is split.
        let came = [&answer.first[..], &answer.rest].concat();
        let missing: Vec<_> = matching.iter().filter(|(handle, passes)| *passes && !came.contains(handle)).collect();
        agree!(missing, Vec::<&(Handle, bool)>::new(), "the objects that are missing near {}", about());
        self.hash_all(&came);
    }
}

/// Whether an object matches a region by the region's answers about it alone.
pub(super) fn by_answers<S: Real, const D: usize>(
    region: &impl Region<S, D>,
    relation: Relation,
    span: &Span<S, D>,
) -> bool {
    let (bounds, rect) = (region.bounds(), span.rect());
    match relation {
        Relation::Intersecting => common(&bounds, &rect).is_some_and(|part| region.intersects(&part)),
        Relation::ContainedIn => bounds.contains(&rect) && region.contains(&rect),
        Relation::Containing => relation.holds(span, &Span::of_rect(&bounds)),
    }
}

/// A figure on a lattice, with exact answers about objects that are on it too.
struct Exact<S, const D: usize> {
    figure: Figure,
    steps: Steps<S, D>,
}

impl<S: Real, const D: usize> Exact<S, D> {
    fn holds(&self, relation: Relation, span: &Span<S, D>) -> Option<bool> {
        Some(self.figure.holds::<D>(relation, &self.steps.block(span)?))
    }
}

/// The arguments of a figure.
struct Drawn {
    figure: u8,
    corners: [Corner; 4],
    lengths: [i8; 2],
    /// Normals of half-spaces.
    planes: [[i8; 3]; 2],
}

impl Drawn {
    fn new(figure: u8, corners: [Shape; 2], lengths: [i8; 2]) -> Self {
        let [Shape([a, b]), Shape([c, d])] = corners;
        let normal =
            |length: i8| [0, 1, 2].map(|axis| [(length + 3) % 4 - 1, length / 4 - 2, (length + 5) % 3 - 1][axis]);
        Self { figure: figure % 9, corners: [a, b, c, d], lengths, planes: lengths.map(normal) }
    }

    fn knots(&self) -> Option<[Knot; 4]> {
        let mut knots = [[0; 3]; 4];
        for (knot, corner) in knots.iter_mut().zip(&self.corners) {
            for (at, spot) in knot.iter_mut().zip(corner.0) {
                *at = spot.on_lattice()?;
            }
        }
        Some(knots)
    }

    /// The figure with exact answers, if there is one.
    fn figure_in<const D: usize>(&self) -> Option<Figure> {
        let [a, b, c, d] = self.knots()?;
        let [inner, outer] = self.lengths.map(i64::from);
        let planes = || self.planes.iter().map(|normal| Plane { normal: normal.map(i64::from), on: a }).collect();
        Some(match self.figure {
            0 | 1 => Figure::Ball { center: a, radius: inner },
            2 => Figure::Segment { from: a, to: b },
            3 => Figure::Convex { planes: planes(), within: None },
            4 => Figure::Convex { planes: planes(), within: Some(Block::between(c, d)) },
            5 if 0 < outer => Figure::Ring { center: a, inner: inner.max(0), outer: inner.max(0) + outer },
            6 if D == 2 => Figure::Polygon { around: vec![a, b, c], clockwise: false },
            7 if D == 2 => Figure::Polygon { around: vec![a, b, c, d], clockwise: false },
            _ => return None,
        })
    }
}
