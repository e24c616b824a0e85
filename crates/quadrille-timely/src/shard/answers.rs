//! Windows, pairs and the nearest, each answer by the owner of its reference point.
//!
//! - Of an object and an area it is the larger, on each axis, of their minimum corners. It lies in the object and in the
//!   bounds of the area, so its owner is asked, and holds the object.
//! - Of an object and a point it is the point of the object that is nearest.
//! - Of a pair it is the minimum corner of what the object with the larger id shares with the other one, stretched by the
//!   distance.

use std::array;

use quadrille::{IntoRegion, LayerSet, ObjectRef, Rect};

use super::{Shard, Sinks};
use crate::Coordinate;
use crate::answer::{Answer, Kind};
use crate::question::{Area, Asked, Layers, Question};

type Object<'a, S, const D: usize> = ObjectRef<'a, u64, S, D>;
type Pair<'a, S, const D: usize> = (Object<'a, S, D>, Object<'a, S, D>);

impl<S: Coordinate, const D: usize> Shard<S, D> {
    /// Answers a question that is not a standing one.
    pub(crate) fn answer(&mut self, asked: &Asked<S, D>, sinks: &mut Sinks<'_, S, D>) {
        match &asked.question {
            Question::Window { layers, area } => self.window(asked.number, *layers, area, sinks.answers),
            Question::Pairs { layers, distance } => self.pairs(asked.number, *layers, *distance, sinks.answers),
            Question::Nearest { .. } => self.nearest(asked, sinks),
            Question::Fence { .. } | Question::Contacts { .. } => unreachable!("standing questions are kept"),
        }
    }

    fn window(&self, question: u32, layers: Layers, area: &Area<S, D>, answers: &mut Vec<Answer>) {
        let bounds = area.bounds();
        match area {
            Area::Rect(rect) => self.found(question, layers, &bounds, *rect, answers),
            Area::Ball(ball) => self.found(question, layers, &bounds, *ball, answers),
            Area::Polygon(_) => self.found(question, layers, &bounds, area, answers),
        }
    }

    fn found(
        &self,
        question: u32,
        layers: Layers,
        bounds: &Rect<S, D>,
        region: impl IntoRegion<S, D> + Copy,
        answers: &mut Vec<Answer>,
    ) {
        let [points, boxes] = self.reported_layers(layers);
        let answer = |object: Object<'_, S, D>| Answer { question, kind: Kind::Found, a: *object.value(), b: 0 };
        self.index.intersecting(region).in_layers(points).for_each(|object| answers.push(answer(object)));
        if boxes != LayerSet::NONE {
            let found = self.index.intersecting(region).in_layers(boxes);
            answers.extend(found.filter(|object| self.reports(object, bounds)).map(answer));
        }
    }

    /// Whether this worker reports that an object meets an area with these bounds.
    #[inline]
    pub(super) fn reports(&self, object: &Object<'_, S, D>, bounds: &Rect<S, D>) -> bool {
        self.own_points.contains(object.layer()) || {
            let at = larger(object.shape().min(), bounds.min());
            self.partition.owner(at) == self.me
        }
    }

    fn pairs(&self, question: u32, layers: Layers, distance: S, answers: &mut Vec<Answer>) {
        self.reported_pairs(layers, distance).for_each(|(a, b)| {
            let [a, b] = [*a.value(), *b.value()];
            answers.push(Answer { question, kind: Kind::Pair, a: a.min(b), b: a.max(b) });
        });
    }

    /// All pairs that this worker reports. Two own points need no test.
    pub(super) fn reported_pairs(&self, layers: Layers, distance: S) -> impl Iterator<Item = Pair<'_, S, D>> {
        let all = self.layers_of(layers);
        let points = all & self.own_points;
        let others = all - points;
        let pairs = || self.index.pairs().within(distance);
        let mixed = pairs().between(points, others).chain(pairs().in_layers(others));
        pairs().in_layers(points).chain(mixed.filter(move |pair| self.reports_pair(pair, distance)))
    }

    /// Whether this worker reports a pair within a distance.
    #[inline]
    pub(super) fn reports_pair(&self, pair: &Pair<'_, S, D>, distance: S) -> bool {
        let (a, b) = pair;
        let is_own_point = [a, b].map(|object| self.own_points.contains(object.layer()));
        if is_own_point == [true; 2] {
            return true;
        }
        let (first, second) = if a.value() < b.value() { (a, b) } else { (b, a) };
        let from = first.shape().min().map(|c| c - distance);
        let at = larger(from, second.shape().min());
        let end = second.shape().max();
        self.partition.owner(array::from_fn(|axis| if end[axis] < at[axis] { end[axis] } else { at[axis] })) == self.me
    }

    /// The nearest of this worker, and questions for the workers that may have nearer ones.
    fn nearest(&mut self, asked: &Asked<S, D>, sinks: &mut Sinks<'_, S, D>) {
        let Question::Nearest { at, count, .. } = &asked.question else { unreachable!("asked for the nearest") };
        let found = self.nearest_of(&asked.question, f64::INFINITY);
        let bound = if found.len() == *count as usize { found.last().map(|last| last.0) } else { Some(f64::INFINITY) };
        sinks.answers.extend(found.iter().map(|(distance, id)| Answer::near(asked.number, *distance, *id)));
        let Some(bound) = bound else { return };
        self.workers.clear();
        self.partition.meeting(&around(at, bound), &mut self.workers);
        self.second_rounds += u64::from(self.workers.iter().any(|worker| *worker != self.me));
        for &to in self.workers.iter().filter(|worker| **worker != self.me) {
            (sinks.follow)(Asked { to, second: Some((self.me, bound)), ..asked.clone() });
        }
    }

    /// The second round of a question for the nearest: what is here within the bound.
    pub(crate) fn follow(&mut self, asked: &Asked<S, D>, bound: f64) -> impl Iterator<Item = Answer> {
        let number = asked.number;
        let found = self.nearest_of(&asked.question, bound);
        found.into_iter().map(move |(distance, id)| Answer::near(number, distance, id))
    }

    /// The nearest objects that this worker reports, within the square of a distance: by distance, equal ones by id.
    fn nearest_of(&mut self, question: &Question<S, D>, bound: f64) -> Vec<(f64, u64)> {
        let Question::Nearest { layers, at, count } = question else { unreachable!("asked for the nearest") };
        let (layers, count) = (self.layers_of(*layers), *count as usize);
        let mut found: Vec<(f64, u64)> = Vec::new();
        if count == 0 {
            return found;
        }
        for neighbor in self.index.nearest(*at).reusing(&mut self.buffer).in_layers(layers) {
            let shape = neighbor.object.shape();
            let distance = shape.distance_squared(at);
            if bound < distance || found.len() >= count && found[count - 1].0 < distance {
                break;
            }
            let (min, max) = (shape.min(), shape.max());
            let nearest = larger(min, at.min());
            let nearest = array::from_fn(|axis| if max[axis] < nearest[axis] { max[axis] } else { nearest[axis] });
            if self.partition.owner(nearest) == self.me {
                found.push((distance, *neighbor.object.value()));
            }
        }
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.truncate(count);
        found
    }
}

/// The larger of two points, on each axis.
#[inline]
fn larger<S: Coordinate, const D: usize>(a: [S; D], b: [S; D]) -> [S; D] {
    array::from_fn(|axis| if a[axis] < b[axis] { b[axis] } else { a[axis] })
}

/// A box that holds all within the square of a distance.
fn around<S: Coordinate, const D: usize>(at: &Rect<S, D>, square: f64) -> Rect<S, D> {
    if square == f64::INFINITY {
        // The point may be infinitely far away.
        return Rect::new([S::NEG_INFINITY; D], [S::INFINITY; D]);
    }
    let reach = square.sqrt().next_up();
    let corner = |c: S, by: f64| S::from_f64(c.to_f64() + by);
    Rect::new(at.min().map(|c| corner(c, -reach).next_down()), at.max().map(|c| corner(c, reach).next_up()))
}
