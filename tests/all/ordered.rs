//! The ordered queries against a linear list that is sorted: random objects, every answer drained, in exact order.

use std::ops::Range;

use proptest::prelude::*;
use quadrille::{Cast, Handle, Hit, LayerSet, Nearest, Ray, Rect, SearchBuffer};

use quadrille_support::oracle::{Asked, Relation, Span};
use quadrille_support::order::{Distance, Moving, squared};
use quadrille_support::properties::for_all;
use quadrille_support::questions::{Region, drawn_layers, region, set_of};
use quadrille_support::run::Run;
use quadrille_support::scene::{scenes, side_of};
use quadrille_support::spot::{Spot, awkward, outline};
use quadrille_support::step::{Step, many, steps};
use quadrille_support::{Real, in_spaces};

in_spaces!(of_changed, of_many);

/// The layers that a question asks for, and the excluded object.
#[derive(Clone, Debug)]
struct Filter {
    layers: u8,
    all_but_these: bool,
    excluded: Option<u16>,
    /// How many objects are taken before the filter is set, if not all are asked at once.
    taken: u8,
}

fn filter() -> impl Strategy<Value = Filter> {
    (any::<u8>(), prop::bool::weighted(0.8), prop::option::weighted(0.4, any::<u16>()), 0_u8..40)
        .prop_map(|(layers, all_but_these, excluded, taken)| Filter { layers, all_but_these, excluded, taken })
}

impl Filter {
    /// The layers that are asked for, and the excluded object.
    fn of<S: Real, const D: usize>(&self, run: &Run<S, D>) -> (Asked, Option<Handle>) {
        (drawn_layers(&run.index, self.layers, self.all_but_these), run.handle(self.excluded))
    }
}

/// A question for the nearest objects.
#[derive(Clone, Debug)]
struct Near {
    target: Region,
    within: Option<Spot>,
    beyond: Option<Spot>,
    filter: Filter,
}

fn near() -> impl Strategy<Value = Near> {
    let length = || prop::option::weighted(0.3, awkward());
    (region(), length(), length(), filter()).prop_map(|(target, within, beyond, filter)| Near {
        target,
        within,
        beyond,
        filter,
    })
}

/// A question of each sort.
fn question() -> impl Strategy<Value = Question> {
    prop_oneof![
        3 => near().prop_map(Question::Nearest),
        4 => ray().prop_map(Question::Ray),
        3 => thrown().prop_map(Question::Thrown),
    ]
}

#[derive(Clone, Debug)]
enum Question {
    Nearest(Near),
    Ray(RayFrom),
    Thrown(Thrown),
}

fn ask<S: Real, const D: usize>(run: &Run<S, D>, question: &Question) {
    match question {
        Question::Nearest(question) => ask_nearest(run, question),
        Question::Ray(question) => ask_raycast(run, question),
        Question::Thrown(question) => ask_cast(run, question),
    }
}

fn ask_after<S: Real, const D: usize>(steps: BoxedStrategy<Vec<Step>>, questions: Range<usize>) {
    let scenes = scenes::<S>();
    let strategy = (0..scenes.len(), steps, prop::collection::vec(question(), questions));
    for_all(48, strategy, |(scene, steps, questions)| {
        let run = Run::<S, D>::of(&scenes[scene], &steps);
        for question in &questions {
            ask(&run, question);
        }
    });
}

/// After random changes.
fn of_changed<S: Real, const D: usize>() {
    ask_after::<S, D>(steps(), 1..12);
}

/// Among many objects, in layers of all settings.
fn of_many<S: Real, const D: usize>() {
    ask_after::<S, D>(many(200), 1..16);
}

/// The answer by sorting everything.
fn nearest_by_list<S: Real, const D: usize>(
    run: &Run<S, D>,
    target: &Span<S, D>,
    pass: impl Fn(Distance) -> bool,
) -> Vec<(Handle, S)> {
    let objects = run.model.objects.iter();
    let ranked = objects.map(|known| (Distance::between(target, &known.span), known.handle));
    let mut ranked: Vec<_> = ranked.filter(|(distance, _)| pass(*distance)).collect();
    ranked.sort_by(|a, b| a.0.compare(b.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().map(|(distance, handle)| (handle, squared(distance))).collect()
}

/// A query without filters gives `all`, and with them those that pass, in whatever way it is asked.
macro_rules! assert_answers {
    ($query:expr, $filter:expr, $run:expr, $drain:ident, $all:expr, $question:expr) => {{
        let (query, filter, all, question) = (&$query, &$filter, &$all, &$question);
        let (asked, excluded) = filter.of($run);
        macro_rules! narrow {
            ($wide:expr) => {
                match excluded {
                    Some(excluded) => $wide.in_layers(set_of(&asked)).excluding(excluded),
                    None => $wide.in_layers(set_of(&asked)),
                }
            };
        }
        let passes = |handle: &Handle| {
            let known = $run.model.find(*handle).expect("a known object");
            asked.holds(known.layer) && Some(*handle) != excluded
        };
        let passing_after =
            |taken: usize| -> Vec<_> { all[taken..].iter().filter(|(handle, _)| passes(handle)).copied().collect() };
        assert_eq!($drain(query.clone()), *all, "{question:?}");
        assert_eq!($drain(narrow!(query.clone())), passing_after(0), "filtered: {question:?}");
        assert_eq!(query.clone().exists(), !all.is_empty());
        assert_eq!(query.clone().any_first().is_some(), !all.is_empty());
        let mut buffer = SearchBuffer::new();
        for _ in 0..2 {
            assert_eq!($drain(query.clone().reusing(&mut buffer)), *all, "with a buffer: {question:?}");
            // Left half full for the next one.
            assert!(query.clone().reusing(&mut buffer).take(2).count() <= 2);
        }
        // Filters on the way; a clone goes on from where it was taken.
        let taken = usize::from(filter.taken).min(all.len());
        let mut begun = query.clone();
        assert_eq!(begun.by_ref().take(taken).count(), taken);
        assert_eq!(begun.clone().exists(), taken < all.len(), "after {taken} of {question:?}");
        assert_eq!(begun.clone().any_first().is_some(), taken < all.len(), "after {taken} of {question:?}");
        assert_eq!($drain(begun.clone()), all[taken..], "after {taken} of {question:?}");
        assert_eq!($drain(narrow!(begun.clone())), passing_after(taken), "filtered after {taken} of {question:?}");
        let mut none = begun.in_layers(LayerSet::NONE);
        assert!(none.next().is_none() && none.next().is_none());
    }};
}

fn drain<S: Real, const D: usize>(query: Nearest<'_, '_, u32, S, D>) -> Vec<(Handle, S)> {
    query.map(|neighbor| (neighbor.object.handle(), neighbor.distance_squared)).collect()
}

fn ask_nearest<S: Real, const D: usize>(run: &Run<S, D>, question: &Near) {
    let index = &run.index;
    let target = question.target.span(&index.world());
    let is_nowhere = (0..D).any(|axis| target.min[axis].value().is_nan() || target.max[axis].value().is_nan());
    let length = |spot: Option<Spot>| spot.map(|spot| spot.resolve(S::of(0.0), side_of(&index.world())));
    let (within, beyond) = (length(question.within), length(question.beyond));
    let is_so_far = |distance: Distance| {
        !is_nowhere
            && within.is_none_or(|most| 0.0 <= most.value() && distance.compare(Distance::of(most)).is_le())
            && beyond.is_none_or(|least| least.value() < 0.0 || distance.compare(Distance::of(least)).is_ge())
    };

    let mut query = index.nearest(target.rect());
    query = if let Some(within) = within { query.within(within) } else { query };
    query = if let Some(beyond) = beyond { query.beyond(beyond) } else { query };
    let all = nearest_by_list(run, &target, is_so_far);
    let any = query.clone().any_first().map(|neighbor| neighbor.distance_squared);
    assert_eq!(any, all.first().map(|(_, squared)| *squared), "{question:?}");
    assert_answers!(query, question.filter, run, drain, all, question);
}

/// Where something goes to.
#[derive(Clone, Debug)]
enum Towards {
    /// By so many sixteenths of the side on each axis.
    Steps([i8; 3]),
    /// By spots, as if they were lengths.
    By([Spot; 3]),
    /// To a corner.
    To([Spot; 3]),
}

fn towards() -> impl Strategy<Value = Towards> {
    let steps = [-3_i8..=3, -3..=3, -3..=3];
    prop_oneof![
        5 => steps.prop_map(Towards::Steps),
        3 => outline().prop_map(|outline| Towards::To(outline.corner)),
        1 => [awkward(), awkward(), awkward()].prop_map(Towards::By),
    ]
}

impl Towards {
    /// The direction.
    fn direction<S: Real, const D: usize>(&self, world: &Rect<S, D>, from: [S; D]) -> [S; D] {
        let side = side_of(world);
        core::array::from_fn(|axis| match self {
            Self::Steps(steps) => Spot::finite(f64::from(steps[axis]) * (side.value() / 16.0)),
            Self::By(spots) => spots[axis].resolve(S::of(0.0), side),
            Self::To(spots) => Spot::finite(spots[axis].resolve(world.min()[axis], side).value() - from[axis].value()),
        })
    }
}

/// A ray or segment.
#[derive(Clone, Debug)]
struct RayFrom {
    origin: Region,
    towards: Towards,
    is_segment: bool,
    until: Option<Spot>,
    filter: Filter,
}

fn ray() -> impl Strategy<Value = RayFrom> {
    let until = prop::option::weighted(0.3, awkward());
    (region(), towards(), any::<bool>(), until, filter())
        .prop_map(|(origin, towards, is_segment, until, filter)| RayFrom { origin, towards, is_segment, until, filter })
}

fn ask_raycast<S: Real, const D: usize>(run: &Run<S, D>, question: &RayFrom) {
    let world = run.index.world();
    let origin = question.origin.span(&world).min;
    let direction = question.towards.direction(&world, origin);
    let (mut ray, mut moving) = (Ray::new(origin, direction), Moving::by(Span::at(origin), direction));
    let mut query_until = f64::INFINITY;
    let mut ends = None;
    if question.is_segment {
        let to: [S; D] = core::array::from_fn(|axis| Spot::finite(origin[axis].value() + direction[axis].value()));
        ray = Ray::segment(origin, to);
        ends = Some(Span::between(origin, to));
        moving = Moving::between(origin, to);
        query_until = 1.0;
    }
    let mut query = run.index.raycast(ray);
    if let Some(until) = question.until.map(|spot| spot.resolve(S::of(0.0), S::of(2.0))) {
        query = query.until(until);
        query_until = query_until.min(until.value());
    }
    // The ends of a segment are exact, where times are rounded.
    let is_between = |span: &Span<S, D>| ends.is_none_or(|ends| Relation::Intersecting.holds(span, &ends));
    let all = by_list(run, &moving, is_between, query_until);
    let any = query.clone().any_first().map(|hit| hit.t);
    assert_eq!(any, all.first().map(|(_, t)| *t), "{question:?}");
    assert_answers!(query, question.filter, run, drain_cast, all, (question, ray));
    for hit in query {
        assert!(hit.object.shape().contains_point(hit.point()), "{hit:?}");
        assert_eq!(hit.normal(), moving.normal(&Span::of_rect(&hit.object.shape())), "{hit:?} {question:?}");
    }
}

/// The objects that a moving box touches, by sorting everything.
fn by_list<S: Real, const D: usize>(
    run: &Run<S, D>,
    moving: &Moving<S, D>,
    pass: impl Fn(&Span<S, D>) -> bool,
    until: f64,
) -> Vec<(Handle, S)> {
    let touched = run.model.objects.iter().filter(|known| pass(&known.span));
    let touched = touched.filter_map(|known| Some((moving.first_touch(&known.span)?, known.handle)));
    let mut touched: Vec<_> = touched.filter(|(t, _)| *t <= until * moving.steps).collect();
    touched.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    touched.into_iter().map(|(t, handle)| (handle, moving.shown(t))).collect()
}

/// A box that is thrown.
#[derive(Clone, Debug)]
struct Thrown {
    from: Region,
    towards: Towards,
    skin: Option<Spot>,
    filter: Filter,
}

fn thrown() -> impl Strategy<Value = Thrown> {
    (region(), towards(), prop::option::of(awkward()), filter()).prop_map(|(from, towards, skin, filter)| Thrown {
        from,
        towards,
        skin,
        filter,
    })
}

fn ask_cast<S: Real, const D: usize>(run: &Run<S, D>, question: &Thrown) {
    let world = run.index.world();
    let from = question.from.span(&world);
    let direction = question.towards.direction(&world, from.min);
    let moving = Moving::by(from, direction);
    let plain = run.index.cast(from.rect(), direction);
    let (query, all) = match question.skin {
        None => (plain, by_list(run, &moving, |_| true, 1.0)),
        Some(skin) => {
            let skin = skin.resolve(S::of(0.0), S::of(2.0));
            (plain.blocking(skin), blocking_by_list(run, &moving, skin))
        }
    };
    assert_answers!(query, question.filter, run, drain_cast, all, question);
    // A ray is the cast of a point.
    let skin = question.skin.map_or(S::of(1.0), |skin| skin.resolve(S::of(0.0), S::of(2.0)));
    let ray = run.index.raycast(Ray::new(from.min, direction)).until(S::of(1.0)).blocking(skin);
    assert_eq!(drain_cast(ray), drain_cast(run.index.cast(from.min, direction).blocking(skin)), "{question:?}");
    for hit in query.clone() {
        let is_it = |other: &Hit<'_, u32, S, D>| other.object.handle() == hit.object.handle();
        assert!(query.clone().until(hit.t).any(|other| is_it(&other)), "until its time: {hit:?} {question:?}");
        let span = Span::of_rect(&hit.object.shape());
        assert_eq!(hit.normal(), moving.normal(&span), "{hit:?} {question:?}");
        let is_bounded = from.rect().center().iter().all(|center| !center.value().is_nan());
        assert!(!is_bounded || hit.object.shape().contains_point(hit.point()), "{hit:?} {question:?}");
        assert_eq!(hit.touches_at_start(), Relation::Intersecting.holds(&span, &from), "{hit:?} {question:?}");
    }
}

/// The objects that block a moving box, by sorting everything.
fn blocking_by_list<S: Real, const D: usize>(run: &Run<S, D>, moving: &Moving<S, D>, skin: S) -> Vec<(Handle, S)> {
    let objects = run.model.objects.iter();
    let blocks = objects.filter_map(|known| Some((moving.blocked_by(&known.span, skin)?, known.handle)));
    let mut blocks: Vec<_> = blocks.filter(|(block, _)| block.t <= moving.steps).collect();
    blocks.sort_by(|a, b| a.0.compare(b.0).then(a.1.cmp(&b.1)));
    blocks.into_iter().map(|(block, handle)| (handle, moving.shown(block.t))).collect()
}

fn drain_cast<S: Real, const D: usize>(query: Cast<'_, '_, u32, S, D>) -> Vec<(Handle, S)> {
    query.map(|hit| (hit.object.handle(), hit.t)).collect()
}
