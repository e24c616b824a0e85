//! Ordered queries against a list that is sorted.

use quadrille::{Handle, NearestBy, Ray, SearchBuffer, Segment};
use quadrille_support::measure::{How, Measure};
use quadrille_support::oracle::{Known, Relation, Span, sorted};
use quadrille_support::order::{Distance, Moving, squared};
use quadrille_support::scene::side_of;

use super::drive::{Answer, narrow, rest};
use super::{Filter, Space, Stage, agree};
use crate::field::{Layers, Maybe, Shape, Spot};
use crate::op::Op;

/// An object and its rank as the query shows it.
type Ranked<S> = (Handle, S);

/// Drives an ordered query. All of its types have the same methods, but share no trait.
macro_rules! drive_in_order {
    ($query:expr, $filter:expr, $name:expr) => {{
        let (filter, name) = ($filter, $name);
        let mut buffer = SearchBuffer::new();
        let query = $query;
        // Left half full by another query.
        agree!(query.clone().reusing(&mut buffer).take(2).count() <= 2, true, "two are no more than two");
        let mut query = if filter.is_late() { query } else { narrow!(query, filter) };
        let page = query.clone();
        let first: Vec<_> = query.by_ref().take(filter.taken).collect();
        let last = first.last().map(|last| last.position());
        let first: Vec<_> = first.into_iter().map(&name).collect();
        let [query, page] = [query, page].map(|query| if filter.is_late() { narrow!(query, filter) } else { query });
        let exists = query.clone().exists();
        let lent = rest(query.clone().reusing(&mut buffer), filter.way(), &name);
        let rest = rest(query, filter.way(), &name);
        agree!(lent, rest, "with a lent buffer after {} objects", first.len());
        agree!(exists, !rest.is_empty(), "`exists` after {} objects", first.len());
        if let Some(last) = last {
            agree!(page.after(last).map(&name).collect::<Vec<_>>(), rest, "the page after {} objects", first.len());
        }
        Answer { first, rest }
    }};
}

impl<S: Space, const D: usize> Stage<S, D> {
    pub(super) fn ask_in_order(&mut self, on: usize, op: &Op) {
        match op {
            Op::Nearest { target, within, beyond, layers, excluded, taken, mode, .. } => {
                let filter = self.filter(on, *layers, excluded.0, *taken, *mode);
                self.nearest(on, target, [within.0, beyond.0], &filter);
            }
            Op::NearestOfObject { object, layers, taken, .. } => self.nearest_of_object(on, *object, *layers, *taken),
            Op::NearestBy { target, how, layers, excluded, taken, mode, .. } => {
                let filter = self.filter(on, *layers, excluded.0, *taken, *mode);
                self.nearest_by(on, target, *how, &filter);
            }
            Op::Raycast { .. } => self.raycast(on, op),
            Op::Cast { from, motion, skin: Maybe(skin), layers, excluded, taken, mode, .. } => {
                let filter = self.filter(on, *layers, excluded.0, *taken, *mode);
                let index = &self.sides[on].index;
                let from = from.span(&index.world());
                let motion: [S; D] = motion.lengths(&index.world());
                let moving = Moving::by(from, motion);
                let plain = index.cast(from.rect(), motion);
                let (query, all) = match skin.map(|skin| skin.length::<S>(S::of(2.0))) {
                    None => (plain, self.touched(on, &moving, &|_| true, 1.0)),
                    Some(skin) => (plain.blocking(skin), self.blocking(on, &moving, skin)),
                };
                let answer = drive_in_order!(query, &filter, |hit: quadrille::Hit<'_, u32, S, D>| {
                    agree!(hit.normal(), moving.normal(&Span::of_rect(&hit.object.shape())), "the normal of {hit:?}");
                    (hit.object.handle(), hit.t)
                });
                self.compare_in_order(on, &filter, &answer, &all, &|| {
                    format!("the cast of {from} by {motion:?}, skin {skin:?}")
                });
            }
            _ => {}
        }
    }

    /// Compares an answer with the sorted list of all that match.
    fn compare_in_order(
        &mut self,
        on: usize,
        filter: &Filter,
        answer: &Answer<Ranked<S>>,
        all: &[Ranked<S>],
        about: &dyn Fn() -> String,
    ) {
        let model = &self.sides[on].model;
        let passes = |handle: Handle| filter.passes(model.find(handle).expect("a known object"));
        let passing: Vec<_> = all.iter().filter(|(handle, _)| passes(*handle)).copied().collect();
        let unfiltered = if filter.is_late() { all } else { &passing };
        let taken = filter.taken.min(unfiltered.len());
        let first = &unfiltered[..taken];
        let rest: Vec<_> = unfiltered[taken..].iter().filter(|(handle, _)| passes(*handle)).copied().collect();
        agree!(answer.first, first, "the first objects of {}", about());
        agree!(answer.rest, rest, "the objects of {} after {taken}", about());
        let handles: Vec<_> = answer.first.iter().chain(&answer.rest).map(|(handle, _)| *handle).collect();
        self.hash_all(&handles);
    }

    /// The objects by their distance from a target, if it passes.
    fn by_distance(
        &self,
        on: usize,
        target: &Span<S, D>,
        pass: &dyn Fn(&Known<S, D>, Distance) -> bool,
    ) -> Vec<Ranked<S>> {
        let objects = self.sides[on].model.objects.iter();
        let ranked = objects.map(|known| (Distance::between(target, &known.span), known));
        let mut ranked: Vec<_> = ranked.filter(|(distance, known)| pass(known, *distance)).collect();
        ranked.sort_by(|a, b| a.0.compare(b.0).then(a.1.handle.cmp(&b.1.handle)));
        ranked.into_iter().map(|(distance, known)| (known.handle, squared(distance))).collect()
    }

    fn nearest(&mut self, on: usize, target: &Shape, limits: [Option<Spot>; 2], filter: &Filter) {
        let index = &self.sides[on].index;
        let world = index.world();
        let target = target.span(&world);
        let [within, beyond] = limits.map(|limit| limit.map(|limit| limit.length::<S>(side_of(&world))));
        let mut query = index.nearest(target.rect());
        query = if let Some(within) = within { query.within(within) } else { query };
        query = if let Some(beyond) = beyond { query.beyond(beyond) } else { query };
        let is_nowhere = target.min.iter().chain(&target.max).any(|at| at.value().is_nan());
        let pass = |_: &Known<S, D>, distance: Distance| {
            !is_nowhere
                && within.is_none_or(|most| 0.0 <= most.value() && distance.compare(Distance::of(most)).is_le())
                // A NaN is no limit that anything is beyond.
                && beyond.is_none_or(|least| {
                    least.value() < 0.0 || !least.value().is_nan() && distance.compare(Distance::of(least)).is_ge()
                })
        };
        let all = self.by_distance(on, &target, &pass);
        let any = query.clone().any_first().map(|neighbor| neighbor.distance_squared);
        agree!(any, all.first().map(|(_, square)| *square), "any of the first near {target}");
        if let Some(near) = query.clone().nth(filter.taken) {
            let (distance, handle) = (near.distance(), near.object.handle());
            let mut within = query.clone().within(distance);
            agree!(
                within.any(|other| other.object.handle() == handle),
                true,
                "within its distance from {target}: {near:?}"
            );
            // Around no number there is no ball.
            let is_ball = target.is_point() && super::objects::is_finite(&target);
            let ball = is_ball.then(|| index.within_distance(target.min, distance));
            let has = ball.is_none_or(|mut ball| ball.any(|object| object.handle() == handle));
            agree!(has, true, "in the ball of its distance around {target}: {near:?}");
        }
        let with_ties = query.clone();
        let answer = drive_in_order!(query, filter, |near: quadrille::Neighbor<'_, u32, S, D>| {
            (near.object.handle(), near.distance_squared)
        });
        let about = || format!("nearest to {target} within {within:?} beyond {beyond:?}");
        let ranks = self.ranks(on, &target, &all);
        let objects = filter.taken / 2;
        let last = objects.checked_sub(1).and_then(|last| ranks.get(last));
        let ties = ranks.iter().skip(objects).take_while(|rank| last.is_some_and(|last| last.compare(**rank).is_eq()));
        let expected = all.len().min(objects) + ties.count();
        agree!(with_ties.take_with_ties(objects).count(), expected, "with ties from {objects}, {}", about());
        self.compare_in_order(on, filter, &answer, &all, &about);
    }

    /// The exact distances of some objects from a target.
    fn ranks(&self, on: usize, target: &Span<S, D>, objects: &[Ranked<S>]) -> Vec<Distance> {
        let model = &self.sides[on].model;
        let span = |handle: Handle| model.find(handle).expect("a known object").span;
        objects.iter().map(|(handle, _)| Distance::between(target, &span(*handle))).collect()
    }

    fn nearest_of_object(&mut self, on: usize, pick: u16, layers: Layers, taken: u8) {
        let handle = self.handle(on, pick);
        let filter = self.filter(on, layers, None, taken, 1);
        let index = &self.sides[on].index;
        let Some(object) = index.object(handle) else { return };
        let answer = drive_in_order!(object.nearest(), &filter, |near: quadrille::Neighbor<'_, u32, S, D>| {
            (near.object.handle(), near.distance_squared)
        });
        let target = self.sides[on].model.find(handle).expect("what is there is known").span;
        let all = self.by_distance(on, &target, &|known, _| known.handle != handle);
        self.compare_in_order(on, &filter, &answer, &all, &|| format!("nearest to {handle:?} at {target}"));
    }

    fn nearest_by(&mut self, on: usize, target: &Shape, how: u8, filter: &Filter) {
        let how = [How::Taxi, How::Weighted, How::FarthestFirst, How::ByValue][usize::from(how % 4)];
        let side = &self.sides[on];
        let from = target.span(&side.index.world());
        if !super::objects::is_finite(&from) {
            return;
        }
        let measured =
            side.model.objects.iter().map(|known| (known.handle, how.of(&from, &known.span, known.value) + 0.0));
        let mut all: Vec<_> = measured.filter(|(_, distance)| !distance.is_nan()).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let measure = Measure::new(how, from);
        let name = |near: quadrille::NeighborBy<'_, u32, S, D>| (near.object.handle(), near.distance);
        let narrow = |query: NearestBy<'_, '_, u32, &Measure<S, D>, S, D>| {
            let query = query.in_layers(filter.layers());
            match filter.excluded {
                Some(handle) => query.excluding(handle),
                None => query,
            }
            .map(name)
            .collect::<Vec<_>>()
        };
        let mut query = side.index.nearest_by(&measure);
        let first: Vec<_> = query.by_ref().take(filter.taken).map(name).collect();
        let taken = filter.taken.min(all.len());
        agree!(first, all[..taken], "the first by {how:?} of {from}");
        let rest = narrow(query);
        let passes = |handle: Handle| filter.passes(side.model.find(handle).expect("a known object"));
        let expected: Vec<_> = all[taken..].iter().filter(|(handle, _)| passes(*handle)).copied().collect();
        agree!(rest, expected, "the rest by {how:?} of {from} after {taken}");
        if let Some(&(_, limit)) = all.get(taken) {
            let within: Vec<_> = side.index.nearest_by(&measure).within(limit).map(name).collect();
            let expected = all.iter().filter(|(_, distance)| *distance <= limit).count();
            agree!(within, all[..expected], "by {how:?} of {from} within {limit}");
        }
        let handles: Vec<_> = all.iter().map(|(handle, _)| *handle).collect();
        self.hash_all(&handles);
    }

    /// The objects that a moving box touches, by the time of the first touch.
    fn touched(
        &self,
        on: usize,
        moving: &Moving<S, D>,
        pass: &dyn Fn(&Span<S, D>) -> bool,
        until: f64,
    ) -> Vec<Ranked<S>> {
        let touched = self.sides[on].model.objects.iter().filter(|known| pass(&known.span));
        let touched = touched.filter_map(|known| Some((moving.first_touch(&known.span)?, known.handle)));
        let mut touched: Vec<_> = touched.filter(|(t, _)| *t <= until * moving.steps).collect();
        touched.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        touched.into_iter().map(|(t, handle)| (handle, moving.shown(t))).collect()
    }

    /// The objects that block a moving box.
    fn blocking(&self, on: usize, moving: &Moving<S, D>, skin: S) -> Vec<Ranked<S>> {
        let objects = self.sides[on].model.objects.iter();
        let blocks = objects.filter_map(|known| Some((moving.blocked_by(&known.span, skin)?, known.handle)));
        let mut blocks: Vec<_> = blocks.filter(|(block, _)| block.t <= moving.steps).collect();
        blocks.sort_by(|a, b| a.0.compare(b.0).then(a.1.cmp(&b.1)));
        blocks.into_iter().map(|(block, handle)| (handle, moving.shown(block.t))).collect()
    }

    fn raycast(&mut self, on: usize, op: &Op) {
        let Op::Raycast { from, to, is_segment, until: Maybe(until), layers, excluded, taken, mode, .. } = op else {
            return;
        };
        let filter = self.filter(on, *layers, excluded.0, *taken, *mode);
        let index = &self.sides[on].index;
        let world = index.world();
        let (origin, to): ([S; D], [S; D]) = (from.resolve(&world), to.resolve(&world));
        let until = until.map(|until| until.length::<S>(S::of(2.0)));
        // Infinite where it is beyond all numbers.
        let direction: [S; D] = core::array::from_fn(|axis| S::of(to[axis].value() - origin[axis].value()));
        let (mut ray, mut moving) = (Ray::new(origin, direction), Moving::by(Span::at(origin), direction));
        let (mut ends, mut limit) = (None, f64::INFINITY);
        if *is_segment {
            ray = Ray::segment(origin, to);
            ends = Some(Span::between(origin, to));
            limit = 1.0;
            moving = Moving::between(origin, to);
        }
        let mut query = index.raycast(ray);
        if let Some(until) = until {
            query = query.until(until);
            // A NaN is no time that anything is before.
            limit = if until.value() < limit || until.value().is_nan() { until.value() } else { limit };
        }
        // The ends of a segment are exact, where times are rounded.
        let is_between = |span: &Span<S, D>| ends.is_none_or(|ends| Relation::Intersecting.holds(span, &ends));
        let all = self.touched(on, &moving, &is_between, limit);
        if *is_segment && until.is_none() {
            let met = sorted(index.intersecting(Segment::new(origin, to)).map(|object| object.handle()));
            agree!(met, sorted(all.iter().map(|(handle, _)| *handle)), "what the segment of {ray:?} meets");
        }
        let any = query.clone().any_first().map(|hit| hit.t);
        agree!(any, all.first().map(|(_, t)| *t), "the time of the first along {ray:?} until {until:?}");
        if let Some(hit) = query.clone().nth(filter.taken) {
            let has = query.clone().until(hit.t).any(|other| other.object.handle() == hit.object.handle());
            agree!(has, true, "until its time along {ray:?}: {hit:?}");
        }
        let answer = drive_in_order!(query, &filter, |hit: quadrille::Hit<'_, u32, S, D>| {
            agree!(hit.object.shape().contains_point(hit.point()), true, "{hit:?} lies where it hits");
            (hit.object.handle(), hit.t)
        });
        self.compare_in_order(on, &filter, &answer, &all, &|| format!("along {ray:?} until {until:?}"));
    }
}
