//! When a ball that moves along a straight line touches a box, and whether it enters it.
//!
//! The square of the distance between the center and the box is convex in time. Between two times at which the center
//! passes the planes of sides, it is a quadratic polynomial. So pieces of the way are solved one after the other, and
//! there is no touch once the distance grows.
//!
//! Keeps its part of Q9 and Q14 of `docs/invariants.md`.

use core::array;

use super::motion::time_between;
use super::simd::Vector as _;
use super::{Ball, Motion, Rect, Scalar};

/// A ball that enters a box comes nearer than its radius by more than about this part of it: by more than rounding.
const DEPTH: f64 = 1e-12;

/// A touch of a moving ball and a box. Lengths are parts of the radius.
pub(super) struct Touch<const D: usize> {
    pub(super) time: f64,
    /// From the closest point of the box to the center.
    away: [f64; D],
    /// How far the ball would come in, about: the square of the radius less that of the least distance.
    depth: f64,
}

/// The square of the least distance on a straight way, times the square of the speed, by Lagrange's identity: the
/// difference of two squares would leave nothing but rounding where a small ball comes from afar.
fn nearest_square<const D: usize>(offsets: &[Offset; D]) -> f64 {
    let across = |one: usize, other: usize| {
        let across = offsets[one][0] * offsets[other][1] - offsets[other][0] * offsets[one][1];
        across * across
    };
    (0..D)
        .flat_map(|one| (0..one).map(move |other| (one, other)))
        .fold(0.0, |sum, (one, other)| sum + across(one, other))
}

fn moving<S: Scalar, const D: usize>(from: Rect<S, D>, step: [f64; D]) -> Motion<S, D> {
    Motion { from, step, bounds: Rect::everything(), is_far: false }
}

/// The center on an axis, as it passes a box: its offset from the box, which is 0 beside it, and how fast that changes.
type Offset = [f64; 2];

impl<S: Scalar, const D: usize> Ball<S, D> {
    /// The first touch with a box that is not before a time; at time 0 if the two touch at the start.
    pub(super) fn touch(&self, step: [f64; D], earliest: f64, shape: &Rect<S, D>) -> Option<Touch<D>> {
        if self.intersects(shape) {
            let away = self.offsets(step, 0.0, shape).map(|[away, _]| away);
            return Some(Touch { time: 0.0, away, depth: 0.0 });
        }
        if self.radius() == S::from(0) {
            let time = moving(Rect::from_point(self.center()), step).time_of_impact(shape)?;
            return Some(Touch { time, away: [0.0; D], depth: 1.0 });
        }
        let mut from = earliest;
        loop {
            let offsets = self.offsets(step, from, shape);
            let product = |one: usize, other: usize| offsets.iter().fold(0.0, |sum, at| sum + at[one] * at[other]);
            let (squared, closing, speed) = (product(0, 0) - 1.0, product(0, 1), product(1, 1));
            let depth = if closing < 0.0 { 1.0 - nearest_square(&offsets) / speed } else { -squared };
            // Numbers that are too large tell nothing: then the box around the ball counts. Later they tell of a distance that has
            // grown.
            if !squared.is_finite() && earliest < from {
                return None;
            }
            if squared <= 0.0 || !squared.is_finite() {
                return Some(Touch { time: from, away: offsets.map(|[away, _]| away), depth });
            }
            let wait = squared / ((depth * speed).square_root() - closing);
            let next = self.next_pass(step, from, shape);
            if closing < 0.0 && 0.0 <= depth && from + wait <= next {
                return Some(Touch { time: from + wait, away: offsets.map(|[away, rate]| away + rate * wait), depth });
            }
            if next == f64::INFINITY {
                return None;
            }
            from = next;
        }
    }

    /// When the ball would enter a box if it went on; `None` if it does not.
    pub(super) fn entry(&self, step: [f64; D], shape: &Rect<S, D>) -> Option<f64> {
        let offsets = self.offsets(step, 0.0, shape);
        let center = Rect::from_point(self.center());
        if self.radius() == S::from(0) || offsets.iter().all(|&[away, _]| away == 0.0) {
            return moving(center, step).time_of_entry(&center, shape);
        }
        if self.intersects(shape) {
            return (offsets.iter().fold(0.0, |sum, [away, rate]| sum + away * rate) < 0.0).then_some(0.0);
        }
        let earliest = moving(self.surroundings(), step).time_of_impact(shape)?;
        self.touch(step, earliest, shape).filter(|touch| DEPTH < touch.depth).map(|touch| touch.time)
    }

    /// The unit vector from a box, where the ball touches it first, to the center. `None` if the center is in the box then.
    pub(super) fn normal(&self, motion: &Motion<S, D>, shape: &Rect<S, D>) -> Option<[S; D]> {
        let Touch { away, .. } = self.touch(motion.step, motion.time_of_impact(shape)?, shape)?;
        let length = away.iter().fold(0.0, |sum, away| sum + away * away).square_root();
        (0.0 < length && length < f64::INFINITY).then(|| away.map(|away| S::from_f64(away / length + 0.0)))
    }

    /// The first time after another one when the center passes the plane of a side.
    fn next_pass(&self, step: [f64; D], from: f64, shape: &Rect<S, D>) -> f64 {
        let passes = (0..D).flat_map(|axis| self.passes(step[axis], axis, shape));
        passes.filter(|&pass| from < pass).fold(f64::INFINITY, f64::min)
    }

    /// When the center passes the planes of the two sides on an axis; never if it does not move there.
    fn passes(&self, step: f64, axis: usize, shape: &Rect<S, D>) -> [f64; 2] {
        let [at, min, max] = [self.center()[axis], shape.min()[axis], shape.max()[axis]].map(S::to_f64);
        let ends = if step < 0.0 { [max, min] } else { [min, max] };
        if step == 0.0 { [f64::NEG_INFINITY; 2] } else { ends.map(|end| time_between(at, end, step)) }
    }

    /// The offsets from a time on, until the next pass, by the radius.
    fn offsets(&self, step: [f64; D], time: f64, shape: &Rect<S, D>) -> [Offset; D] {
        let radius = self.radius().to_f64();
        array::from_fn(|axis| {
            let [at, min, max] = [self.center()[axis], shape.min()[axis], shape.max()[axis]].map(S::to_f64);
            let step = step[axis];
            let way = if step == 0.0 { 0.0 } else { step * time };
            let [below, above] = [min, max].map(|end| at - end + way);
            let (is_low, is_high) = if step == 0.0 {
                (below < 0.0, 0.0 < above)
            } else {
                let [begin, end] = self.passes(step, axis, shape);
                let (is_before, is_behind) = (time < begin, end <= time);
                if 0.0 < step { (is_before, is_behind) } else { (is_behind, is_before) }
            };
            match (is_low, is_high) {
                (true, _) => [below / radius, step / radius],
                (_, true) => [above / radius, step / radius],
                _ => [0.0, 0.0],
            }
        })
    }
}
