//! Worlds without edges, against all images of all objects of a list. Only objects and questions on a lattice are compared,
//! as sums of coordinates are exact there, and only objects that begin in the world; any other comes once at most.

use std::collections::BTreeSet;

use quadrille::{Ball, Handle, Hit, Neighbor, ObjectRef, Periodic, Ray, Segment};
use quadrille_support::lattice::Block;
use quadrille_support::oracle::{Known, Relation, Span};
use quadrille_support::order::{Distance, Moving, squared};
use quadrille_support::questions::set_of;
use quadrille_support::scene::side_of;

use super::drive::{Answer, Way, drive, narrow, rest};
use super::objects::move_as;
use super::outlines::PARTS;
use super::regions::by_answers;
use super::steps::Steps;
use super::{Filter, Space, Stage, agree};
use crate::bytes::Dice;
use crate::op::Op;

/// As far as the list looks for images, in periods. Questions and objects are four long at most.
const FAR: i32 = 6;

/// An object, and its distance or time in an ordered query.
type Named<S> = (Handle, Option<S>);

/// A world without edges whose numbers are exact.
struct Torus<S, const D: usize> {
    periodic: Periodic<S, D>,
    steps: Steps<S, D>,
    periods: [f64; D],
}

impl<S: Space, const D: usize> Torus<S, D> {
    /// `None` if sums are rounded there, or if there is such a world for no axis.
    fn of(world: &quadrille::Rect<S, D>, axes: u8) -> Option<Self> {
        let steps = Steps::of(world, PARTS)?;
        let side = |axis: usize| world.max()[axis].value() - world.min()[axis].value();
        // Questions are drawn for the longest side, and of short ones they might be too many long.
        let is_long = |axis: usize| side_of(world).value() <= 2.0 * side(axis);
        let axes = core::array::from_fn(|axis| axes >> axis & 1 == 0 && is_long(axis));
        let periodic = Periodic::new(*world).ok()?.on_axes(axes);
        let periods = core::array::from_fn(|axis| if axes[axis] { side(axis) } else { 0.0 });
        Some(Self { periodic, steps, periods })
    }

    /// Whether the answers about an object are exact.
    fn knows(&self, span: &Span<S, D>) -> bool {
        let world = self.periodic.world();
        let is_in = |axis: usize| world.min()[axis] <= span.min[axis] && span.min[axis] < world.max()[axis];
        self.steps.block(span).is_some() && (0..D).all(|axis| self.periods[axis] == 0.0 || is_in(axis))
    }

    fn image(&self, span: &Span<S, D>, times: [i32; D]) -> Span<S, D> {
        let moved = |ends: &[S; D]| {
            core::array::from_fn(|axis| S::of(ends[axis].value() + f64::from(times[axis]) * self.periods[axis]))
        };
        Span { min: moved(&span.min), max: moved(&span.max) }
    }

    fn images(&self, span: &Span<S, D>) -> impl Iterator<Item = Span<S, D>> {
        let mut all = vec![[0; D]];
        for axis in (0..D).filter(|&axis| self.periods[axis] != 0.0) {
            let with = |times: [i32; D]| {
                (-FAR..=FAR).map(move |on| core::array::from_fn(|a| if a == axis { on } else { times[a] }))
            };
            all = all.into_iter().flat_map(with).collect();
        }
        all.into_iter().map(|times| self.image(span, times))
    }

    /// The image that is nearest to a box: on each axis alone.
    fn nearest(&self, target: &Span<S, D>, span: &Span<S, D>) -> Span<S, D> {
        let gap = |axis: usize, times: i32| {
            let by = f64::from(times) * self.periods[axis];
            let before = target.min[axis].value() - (span.max[axis].value() + by);
            before.max(span.min[axis].value() + by - target.max[axis].value()).max(0.0)
        };
        let nearest = |axis| (-FAR..=FAR).min_by(|a, b| gap(axis, *a).total_cmp(&gap(axis, *b))).expect("some");
        self.image(span, core::array::from_fn(nearest))
    }

    fn distance(&self, target: &Span<S, D>, span: &Span<S, D>) -> Distance {
        Distance::between(target, &self.nearest(target, span))
    }
}

/// An answer without ranks.
fn unranked<S>(answer: Answer<Handle>) -> Answer<Named<S>> {
    let [first, rest] = [answer.first, answer.rest].map(|all| all.into_iter().map(|one| (one, None)).collect());
    Answer { first, rest }
}

/// Drains an ordered query; its filter is set at the start or on the way.
macro_rules! drive_in_order {
    ($query:expr, $filter:expr, $name:expr) => {{
        let (filter, name) = ($filter, $name);
        let query = $query;
        let mut query = if filter.is_late() { query } else { narrow!(query, filter) };
        let first: Vec<Named<S>> = query.by_ref().take(filter.taken).map(&name).collect();
        let query = if filter.is_late() { narrow!(query, filter) } else { query };
        let (count, exists) = (query.clone().count(), query.clone().exists());
        let way = if filter.way() == Way::Pause { Way::Next } else { filter.way() };
        let rest = rest(query, way, &name);
        agree!(count, rest.len(), "`count` after {} objects", first.len());
        agree!(exists, !rest.is_empty(), "`exists` after {} objects", first.len());
        Answer { first, rest }
    }};
}

impl<S: Space, const D: usize> Stage<S, D> {
    pub(super) fn wrap(&mut self, on: usize, axes: u8, seed: u16) {
        let side = &mut self.sides[on];
        let world = side.index.world();
        let Some(Torus { periodic, steps, periods }) = Torus::of(&world, axes) else { return };
        let mut dice = Dice::new(seed.into());
        for place in 0..side.model.objects.len() {
            let known = side.model.objects[place].clone();
            let rects = side.layer_of(&known).holds_rects();
            let block = steps.block(&known.span).unwrap_or_else(|| {
                let at = [0, 1, 2].map(|_| dice.below(u64::from(PARTS) * 3).cast_signed() - i64::from(PARTS));
                let extent = dice.below(32).cast_signed() * i64::from(rects);
                Block { min: at, max: at.map(|at| at + extent) }
            });
            let span = steps.span(&block);
            let wrapped = Span::of_rect(&periodic.wrap_rect(span.rect()));
            let mut expected = span;
            for axis in (0..D).filter(|&axis| periods[axis] != 0.0) {
                let (min, length) = (world.min()[axis].value(), span.max[axis].value() - span.min[axis].value());
                let at = min + (span.min[axis].value() - min).rem_euclid(periods[axis]);
                (expected.min[axis], expected.max[axis]) = (S::of(at), S::of(at + length));
            }
            agree!(wrapped, expected, "{span} in the world");
            agree!(periodic.wrap(span.min), expected.min, "the corner of {span} in the world");
            agree!(move_as(&mut side.index, known.handle, wrapped, rects).is_ok(), true, "moving to {wrapped}");
            side.model.find_mut(known.handle).span = wrapped;
        }
    }

    pub(super) fn ask_torus(&mut self, on: usize, op: &Op) {
        let Op::Torus { axes, question, region, length, motion, layers, excluded, taken, mode, .. } = op else {
            return;
        };
        let filter = self.filter(on, *layers, excluded.0, *taken, *mode);
        let side = &self.sides[on];
        let world = side.index.world();
        let Some(torus) = Torus::of(&world, *axes) else { return };
        let span = region.span(&world);
        let (length, motion) = (length.length::<S>(side_of(&world)), motion.lengths::<S, D>(&world));
        let place = Span {
            min: span.min,
            max: core::array::from_fn(|axis| S::of(span.min[axis].value() + motion[axis].value())),
        };
        let is_exact = |span: &Span<S, D>| torus.steps.block(span).is_some();
        let end = Span::at(core::array::from_fn(|axis| S::of(world.min()[axis].value() + length.value())));
        if !is_exact(&span) || !is_exact(&place) || !is_exact(&end) {
            return;
        }
        let (index, periodic) = (&side.index, &torus.periodic);
        macro_rules! drained {
            ($query:expr) => {
                unranked(drive(index, $query.periodic(periodic), &filter))
            };
        }
        let all = |key: &dyn Fn(&Span<S, D>) -> Option<Distance>| self.around(on, &torus, key);
        let of_images = |holds: &dyn Fn(&Span<S, D>) -> bool| {
            self.around(on, &torus, &|span| {
                torus.images(span).any(|image| holds(&image)).then(|| Distance::of(S::of(0.0)))
            })
        };
        let unordered =
            |found: Vec<(Known<S, D>, Distance)>| found.into_iter().map(|(known, _)| (known, None)).collect::<Vec<_>>();
        let about = || format!("question {} of {span}, {length}, {motion:?} in {:?}", question % 9, torus.periodic);
        let (answer, matching) = match question % 9 {
            0 => {
                let answer = drained!(index.intersecting(span.rect()));
                (answer, unordered(of_images(&|image| Relation::Intersecting.holds(image, &span))))
            }
            1 => {
                let answer = drained!(index.contained_in(span.rect()));
                (answer, unordered(of_images(&|image| Relation::ContainedIn.holds(image, &span))))
            }
            2 => {
                let answer = drained!(index.containing(span.rect()));
                (answer, unordered(of_images(&|image| Relation::Containing.holds(image, &span))))
            }
            3 => {
                let answer = drained!(index.within_distance(span.min, length));
                let is_near = |near: &Distance| 0.0 <= length.value() && near.compare(Distance::of(length)).is_le();
                (answer, unordered(all(&|shape| Some(torus.distance(&Span::at(span.min), shape)).filter(is_near))))
            }
            4 => {
                let ball = Ball::new(span.min, length);
                let answer = drained!(index.contained_in(ball));
                (answer, unordered(of_images(&|image| by_answers(&ball, Relation::ContainedIn, image))))
            }
            5 => {
                let segment = Segment::new(place.min, place.max);
                let answer = drained!(index.intersecting(segment));
                (answer, unordered(of_images(&|image| by_answers(&segment, Relation::Intersecting, image))))
            }
            6 => {
                let nearest = index.nearest(span.rect()).periodic(periodic);
                let is_known = |near: &Neighbor<'_, u32, S, D>| torus.knows(&Span::of_rect(&near.object.shape()));
                if let Some(near) = nearest.clone().filter(is_known).nth(filter.taken) {
                    let found = nearest.clone().within(near.distance()).filter(is_known).count();
                    agree!(filter.taken < found, true, "within its distance from {span}: {near:?}");
                }
                let answer = drive_in_order!(nearest, &filter, |near: Neighbor<'_, u32, S, D>| {
                    (near.object.handle(), Some(near.distance_squared))
                });
                let mut ranked = all(&|shape| Some(torus.distance(&span, shape)));
                ranked.sort_by(|a, b| a.1.compare(b.1).then(a.0.handle.cmp(&b.0.handle)));
                (answer, ranked.into_iter().map(|(known, distance)| (known, Some(squared(distance)))).collect())
            }
            7 => {
                let body = if mode / 8 % 2 == 0 { span } else { Span::at(span.min) };
                let moving = Moving::by(body, motion);
                let first = |shape: &Span<S, D>| {
                    let times = torus.images(shape).filter_map(|image| moving.first_touch(&image));
                    times.filter(|t| *t <= moving.steps).reduce(f64::min)
                };
                let known = side.model.objects.iter().filter(|known| torus.knows(&known.span));
                let mut timed: Vec<_> = known.filter_map(|known| Some((first(&known.span)?, known))).collect();
                timed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.handle.cmp(&b.1.handle)));
                let matching = timed.into_iter().map(|(t, known)| (known.clone(), Some(moving.shown(t)))).collect();
                let ray = index.raycast(Ray::new(span.min, motion)).until(S::of(1.0));
                let cast = if body.is_point() { ray } else { index.cast(body.rect(), motion) };
                let answer = drive_in_order!(cast.periodic(periodic), &filter, |hit: Hit<'_, u32, S, D>| {
                    (hit.object.handle(), Some(hit.t))
                });
                (answer, matching)
            }
            _ => return self.ask_for_pairs_around(on, &torus, length, &filter),
        };
        compare(&filter, &torus, side, &answer, &matching, 6 <= question % 9, &about);
        let handles: Vec<_> = answer.first.iter().chain(&answer.rest).map(|(handle, _)| *handle).collect();
        self.hash_all(&handles);
    }

    /// The objects that are known exactly, each with its key if it has one.
    fn around(
        &self,
        on: usize,
        torus: &Torus<S, D>,
        key: &dyn Fn(&Span<S, D>) -> Option<Distance>,
    ) -> Vec<(Known<S, D>, Distance)> {
        let known = self.sides[on].model.objects.iter().filter(|known| torus.knows(&known.span));
        known.filter_map(|known| Some((known.clone(), key(&known.span)?))).collect()
    }

    fn ask_for_pairs_around(&mut self, on: usize, torus: &Torus<S, D>, distance: S, filter: &Filter) {
        let side = &self.sides[on];
        let layers = set_of(&filter.asked);
        let name = |(a, b): (ObjectRef<'_, u32, S, D>, ObjectRef<'_, u32, S, D>)| {
            quadrille_support::couples::sorted((a.handle(), b.handle()))
        };
        let query = side.index.pairs().periodic(&torus.periodic).in_layers(layers).within(distance);
        let mut begun = query.clone();
        let mut came: Vec<_> = begun.by_ref().take(filter.taken).map(name).collect();
        let (count, exists) = (begun.clone().count(), begun.clone().exists());
        let way = if filter.way() == Way::Pause { Way::Next } else { filter.way() };
        let rest = rest(begun, way, name);
        agree!((count, exists), (rest.len(), !rest.is_empty()), "`count` and `exists` of pairs after {}", came.len());
        came.extend(rest);
        let of_all: Vec<_> = came.iter().flat_map(|&(a, b)| [a, b]).collect();
        agree!(came.iter().collect::<BTreeSet<_>>().len(), came.len(), "each pair comes once");
        let known = |handle: &Handle| side.model.find(*handle).is_some_and(|known| torus.knows(&known.span));
        came.retain(|(a, b)| known(a) && known(b));
        came.sort_unstable();
        let objects =
            side.model.objects.iter().filter(|known| filter.asked.holds(known.layer) && torus.knows(&known.span));
        let objects: Vec<_> = objects.collect();
        let mut expected = Vec::new();
        for (place, one) in objects.iter().enumerate() {
            let is_near = |other: &&&Known<S, D>| {
                0.0 <= distance.value()
                    && torus.distance(&one.span, &other.span).compare(Distance::of(distance)).is_le()
            };
            let near = objects[..place].iter().filter(is_near);
            expected.extend(near.map(|other| quadrille_support::couples::sorted((one.handle, other.handle))));
        }
        expected.sort_unstable();
        agree!(came, expected, "the pairs within {distance} in {:?}", torus.periodic);
        let is_some = |handle: &Handle| handle.slot() % 3 == filter.taken % 3;
        let some = side.model.objects.iter().map(|known| known.handle).filter(is_some);
        let of_some = side.index.pairs_of(some).in_layers(layers).within(distance).periodic(&torus.periodic);
        let mut came: Vec<_> = of_some.map(name).collect();
        agree!(came.iter().all(|(a, b)| is_some(a) || is_some(b)), true, "each pair has one of these");
        agree!(came.iter().collect::<BTreeSet<_>>().len(), came.len(), "each pair of some comes once");
        came.retain(|(a, b)| known(a) && known(b));
        came.sort_unstable();
        expected.retain(|(a, b)| is_some(a) || is_some(b));
        agree!(came, expected, "the pairs of some within {distance} in {:?}", torus.periodic);
        self.hash_all(&of_all);
    }
}

/// Compares an answer with all objects that match, in order if the query has one.
fn compare<S: Space, const D: usize>(
    filter: &Filter,
    torus: &Torus<S, D>,
    side: &super::side::Side<S, D>,
    answer: &Answer<Named<S>>,
    matching: &[(Known<S, D>, Option<S>)],
    is_ordered: bool,
    about: &dyn Fn() -> String,
) {
    let came = || answer.first.iter().chain(&answer.rest).map(|(handle, _)| *handle);
    agree!(came().collect::<BTreeSet<_>>().len(), came().count(), "each object comes once: {}", about());
    let known = |named: &&Named<S>| side.model.find(named.0).is_some_and(|known| torus.knows(&known.span));
    let names = |named: &[Named<S>]| named.iter().filter(known).copied().collect::<Vec<_>>();
    let (first, mut rest) = (names(&answer.first), names(&answer.rest));
    let begins = |known: &Known<S, D>| filter.is_late() || filter.passes(known);
    let first_of: Vec<Named<S>> =
        matching.iter().filter(|(known, _)| begins(known)).map(|(known, key)| (known.handle, *key)).collect();
    let is_first = |named: &Named<S>| first.contains(named);
    let passing = matching.iter().filter(|(known, _)| filter.passes(known)).map(|(known, key)| (known.handle, *key));
    let mut expected: Vec<_> = passing.filter(|named| !is_first(named)).collect();
    if is_ordered {
        agree!(first, first_of[..first.len().min(first_of.len())], "the first objects: {}", about());
    } else {
        agree!(first.iter().all(|named| first_of.contains(named)), true, "the first objects match: {}", about());
        rest.sort_unstable_by_key(|named| named.0);
        expected.sort_unstable_by_key(|named| named.0);
    }
    agree!(rest, expected, "the objects after {}: {}", first.len(), about());
}
