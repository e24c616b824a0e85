//! A box that moves along a straight line: its time of impact with other boxes.
//!
//! A ray is the motion of a box without extent. Times are computed in `f64` and count steps: 0 at the start, 1 after one
//! step.
//!
//! Keeps Q8 to Q10 of `docs/invariants.md`, as far as they speak of motions.

use core::array;

use super::scalar::{larger, larger_magnitude, power_to_one, smaller};
use super::simd::{Hits, Simd, SimdBase, SimdMask};
use super::{Rect, Scalar};

/// A vector as a number of steps of moderate length: the step and the number.
///
/// The longest component of the step lies between 2 and 4, if that can be had without rounding. So the time between two
/// numbers neither overflows nor loses digits, whichever numbers the vector has; only where all are subnormal, the way to
/// 2^970 and beyond takes for ever. Both are multiplied by powers of two, which changes no other digit of a time. An infinite
/// component counts as the largest number.
#[expect(clippy::float_cmp, reason = "a step is exact if it gives the very number back")]
pub(crate) fn in_steps<S: Scalar, const D: usize>(vector: [S; D]) -> ([f64; D], f64) {
    let vector = vector.map(|number| larger(smaller(number, S::MAX), S::from(0) - S::MAX).to_f64());
    let longest = vector.into_iter().fold(0.0, larger_magnitude);
    // Half as long, it becomes a number between 1 and 2.
    let by = power_to_one(longest * 0.5);
    let step = vector.map(|number| number * by);
    let is_exact = longest != 0.0 && vector.iter().zip(step).all(|(&number, step)| step / by == number);
    if is_exact { (step, 1.0 / by) } else { (vector, 1.0) }
}

/// A box that moves by a vector in each unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motion<S, const D: usize> {
    pub(crate) from: Rect<S, D>,
    /// The vector that the box moves by in one unit of time.
    pub(crate) step: [f64; D],
    /// The motion touches only boxes that meet this one: the bounds of a segment, which are exact where times are
    /// rounded.
    pub(crate) bounds: Rect<S, D>,
    /// Whether it is a segment whose ends differ by more than the largest number. It takes two steps, and the times on
    /// each axis come from the ends: a step may be rounded.
    pub(crate) is_far: bool,
}

impl<S: Scalar, const D: usize> Motion<S, D> {
    /// The motion of a box by a vector, and how many steps the vector is.
    pub(crate) fn of_box(from: Rect<S, D>, vector: [S; D]) -> (Self, f64) {
        let (step, steps) = in_steps(vector);
        (Self { from, step, bounds: Rect::everything(), is_far: false }, steps)
    }

    /// Whether the motion meets nothing, because a coordinate is NaN or a step is not finite.
    pub(crate) fn is_nowhere(&self) -> bool {
        self.from.is_empty() || self.bounds.is_empty() || !self.step.iter().all(|step| step.is_finite())
    }

    /// The motion from elsewhere. Where it begins is rounded.
    pub(crate) fn shifted(&self, by: [f64; D]) -> Self {
        Self { from: self.from.shifted(by), bounds: self.bounds.shifted(by), ..*self }
    }

    /// A point that moves as the box does, after some steps.
    pub(crate) fn at_step(&self, from: [S; D], steps: f64) -> [S; D] {
        array::from_fn(|axis| {
            let (origin, step) = (from[axis].to_f64(), self.step[axis]);
            // Zero times an infinite parameter would be NaN.
            let by = if step == 0.0 { 0.0 } else { step * steps };
            let place = origin + by;
            S::from_f64(if place.is_finite() { place } else { (origin * 0.5 + step * 0.5 * steps) * 2.0 })
        })
    }

    /// The smallest box around the motion up to a time, rounded.
    pub(crate) fn bounds_until(&self, time: f64) -> Rect<f64, D> {
        let from = self.from.to_f64();
        let by = self.step.map(|step| if step == 0.0 { 0.0 } else { step * time });
        from.hull(&from.shifted(by))
    }

    /// The time of impact with another box, which must be finite: when the two first touch, 0 if they touch at the
    /// start.
    ///
    /// On each axis the two touch during an interval of time, whose ends are quotients of distance and speed, each
    /// rounded twice. The boxes touch while they touch on every axis. On an axis without motion they touch always or
    /// never. A time that overflows to infinity counts as never.
    #[inline]
    pub(crate) fn time_of_impact(&self, shape: &Rect<S, D>) -> Option<f64> {
        if !self.bounds.intersects(shape) {
            return None;
        }
        let (mut enter, mut leave) = (0.0, f64::INFINITY);
        for axis in 0..D {
            if self.step[axis] == 0.0 {
                let (from, to) = (self.from.min()[axis].to_f64(), self.from.max()[axis].to_f64());
                let (min, max) = (shape.min()[axis].to_f64(), shape.max()[axis].to_f64());
                if !(min <= to && from <= max) {
                    return None;
                }
                continue;
            }
            let [near, far] = self.times_on(axis, shape);
            enter = if enter < near { near } else { enter };
            leave = if far < leave { far } else { leave };
        }
        (enter <= leave && enter < f64::INFINITY).then_some(enter)
    }

    /// When the two begin to touch on an axis with motion, and when they end.
    #[inline]
    pub(super) fn times_on(&self, axis: usize, shape: &Rect<S, D>) -> [f64; 2] {
        let (from, to) = (self.from.min()[axis].to_f64(), self.from.max()[axis].to_f64());
        let (min, max) = (shape.min()[axis].to_f64(), shape.max()[axis].to_f64());
        let step = self.step[axis];
        // No numbers of `f32` are so far apart.
        if self.is_far && f64::from(f32::MAX) < S::MAX.to_f64() {
            return self.far_times_on(axis, [min, max]);
        }
        let [first, last] = [time_between(to, min, step), time_between(from, max, step)];
        if 0.0 < step { [first, last] } else { [last, first] }
    }

    /// The same for a segment whose ends are far apart: parts of the way between them, which are exact at both.
    #[cold]
    fn far_times_on(&self, axis: usize, [min, max]: [f64; 2]) -> [f64; 2] {
        let from = self.from.min()[axis].to_f64();
        let [low, high] = [self.bounds.min()[axis], self.bounds.max()[axis]].map(S::to_f64);
        let to = if low < from { low } else { high };
        let part = |at: f64| {
            let whole = to - from;
            if whole.is_finite() { (at - from) / whole } else { (at * 0.5 - from * 0.5) / (to * 0.5 - from * 0.5) }
        };
        match (from < to, to < from) {
            (true, _) => [2.0 * part(min), 2.0 * part(max)],
            (_, true) => [2.0 * part(max), 2.0 * part(min)],
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }
}

/// The time that a motion takes from one coordinate to another.
#[inline]
pub(super) fn time_between(from: f64, to: f64, step: f64) -> f64 {
    let distance = to - from;
    if distance.is_finite() { distance / step } else { (to * 0.5 - from * 0.5) / step * 2.0 }
}

/// A motion, prepared for rough comparisons with several boxes at once.
///
/// The comparison leaves out no box that the motion touches in time. It may let through boxes that the motion just
/// misses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoughMotion<S, const D: usize> {
    /// The box at time 0. On an axis with a motion but no pace it is infinite.
    from: Rect<S, D>,
    /// Time per distance; 0 where there is no motion, or too little or too much for the scalar to hold.
    pace: [S; D],
    /// Whether there is a pace on every axis. Then a comparison branches only once.
    has_paces: bool,
    /// An upper bound of all times that are computed without overflow. Differences that overflow give larger times.
    longest: S,
}

impl<S: Scalar, const D: usize> RoughMotion<S, D> {
    pub(crate) fn new(motion: &Motion<S, D>) -> Self {
        let pace = motion.step.map(|step| {
            let pace = S::from_f64(1.0 / step);
            if S::MIN_POSITIVE <= pace.abs() && pace.is_finite() { pace } else { S::from(0) }
        });
        let longest = pace.iter().filter(|&&pace| pace != S::from(0)).fold(S::INFINITY, |longest, pace| {
            let time = S::MAX * pace.abs();
            if time < longest { time } else { longest }
        });
        let ends = |ends: [S; D], infinite: S| {
            let end =
                |axis: usize| if pace[axis] == S::from(0) && motion.step[axis] != 0.0 { infinite } else { ends[axis] };
            array::from_fn(end)
        };
        let from = Rect::ordered(ends(motion.from.min(), S::NEG_INFINITY), ends(motion.from.max(), S::INFINITY));
        let has_paces = pace.iter().all(|&pace| pace != S::from(0));
        Self { from, pace, has_paces, longest }
    }

    /// The boxes that the motion may touch between time 0 and `end`, as a mask, and about when. Of a box with a NaN neither
    /// has a meaning.
    ///
    /// A time is off by a factor of `1 ± 2 EPSILON` at most (a difference, a pace and a product are rounded), or by a
    /// few of the smallest numbers; its sign is right. So if the box is touched, the computed time of entry exceeds
    /// that of leaving by a factor of `1 + 5 EPSILON` at most. A difference that overflows makes the entry too late,
    /// and the leaving later still; therefore the entry is cut to `longest`.
    #[inline(always)]
    pub(crate) fn touches<V: Simd>(&self, simd: V, boxes: &[[S::Lanes<V>; 2]; D], end: S) -> (Hits<V, S>, S::Lanes<V>) {
        let mut met = Hits::<V, S>::splat(simd, true);
        let (mut enter, mut leave) = (S::Lanes::splat(simd, S::from(0)), S::Lanes::splat(simd, end));
        for (axis, &[min, max]) in boxes.iter().enumerate() {
            let from = S::Lanes::splat(simd, self.from.min()[axis]);
            let to = S::Lanes::splat(simd, self.from.max()[axis]);
            if self.has_paces || self.pace[axis] != S::from(0) {
                let pace = S::Lanes::splat(simd, self.pace[axis]);
                let (one, other) = ((min - to) * pace, (max - from) * pace);
                enter = enter.max(one.min(other));
                leave = leave.min(one.max(other));
            } else {
                met = met & min.simd_le(to) & from.simd_le(max);
            }
        }
        let more = S::from(1) + S::from(16) * S::EPSILON;
        let latest = leave * more + S::MIN_POSITIVE;
        (met & enter.min(self.longest).simd_le(latest), enter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{LANES, Lanes, level, with_vectors};

    /// Whether the rough comparison lets a box through, in each lane.
    fn lets_through<V: Simd>(simd: V, rough: &RoughMotion<f32, 2>, shape: &Rect<f32, 2>) -> u64 {
        let ends = |axis: usize| [shape.min()[axis], shape.max()[axis]];
        let lanes = [0, 1].map(|axis| ends(axis).map(|end| Lanes::<V, f32>::splat(simd, end)));
        rough.touches(simd, &lanes, f32::INFINITY).0.to_bitmask()
    }

    /// The motion enters on one axis when it leaves on the other, but for rounding, however long it takes.
    #[test]
    fn boxes_that_are_touched_at_a_corner_are_let_through() {
        let mut touched = 0;
        for (first, second) in (1..40_u8).flat_map(|first| (1..40_u8).map(move |second| (first, second))) {
            let [first, second] = [first, second].map(f32::from);
            let (from, way) = ([first / 7.0, second / 11.0], [1.0 + second / 13.0, 1.0 + first / 17.0]);
            let [x, y] = [from[0] + way[0], from[1] + way[1]];
            let shape = Rect::new([x, y - 1.0], [x + 1.0, y]);
            for time in [1e-12, 1.0, 1e12] {
                let step = way.map(|way| f64::from(way) / time);
                let bounds = Rect::new([-99.0; 2], [99.0; 2]);
                let motion = Motion { from: Rect::from_point(from), step, bounds, is_far: false };
                if motion.time_of_impact(&shape).is_some() {
                    touched += 1;
                    let (rough, shape) = (&RoughMotion::new(&motion), &shape);
                    let hits = with_vectors!(level(), |simd| lets_through(simd, rough, shape));
                    assert_eq!(hits, (1 << LANES) - 1, "{motion:?} {shape:?}");
                }
            }
        }
        assert!(1000 < touched, "{touched}");
    }
}
