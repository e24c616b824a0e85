//! A box that moves along a straight line: its time of impact with other boxes.
//!
//! A ray is a box of no extent. Times are computed in `f64`, in the parameter of the motion: 0 is where the box is now,
//! 1 is where it is after the whole motion.

use super::{Hits, Rect, Scalar, Simd, SimdBase, SimdMask};

/// A box that moves by a vector in each unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motion<S, const D: usize> {
    pub(crate) from: Rect<S, D>,
    /// The way in one unit of time.
    pub(crate) step: [f64; D],
    /// What does not meet this box is never touched: the bounds of a segment, exact where times are rounded.
    pub(crate) bounds: Rect<S, D>,
}

impl<S: Scalar, const D: usize> Motion<S, D> {
    /// Whether a coordinate is NaN or the motion infinite: it meets nothing then.
    pub(crate) fn is_nowhere(&self) -> bool {
        self.from.has_nan() || self.bounds.has_nan() || !self.step.iter().all(|step| step.is_finite())
    }

    /// When the box first touches another one, which is finite: 0 if it does so now.
    ///
    /// On each axis the two touch from one time to another: the quotients of the way there and the speed, each
    /// rounded twice. They touch where all these intervals do. An axis without motion has them touch always or never.
    /// What is reached only beyond all numbers is never reached.
    #[inline]
    pub(crate) fn time_of_impact(&self, shape: &Rect<S, D>) -> Option<f64> {
        if !self.bounds.intersects(shape) {
            return None;
        }
        let (mut enter, mut leave) = (0.0, f64::INFINITY);
        for axis in 0..D {
            let (from, to) = (self.from.min()[axis].to_f64(), self.from.max()[axis].to_f64());
            let (min, max) = (shape.min()[axis].to_f64(), shape.max()[axis].to_f64());
            let step = self.step[axis];
            if step == 0.0 {
                if !(min <= to && from <= max) {
                    return None;
                }
                continue;
            }
            let [near, far] = if 0.0 < step {
                [time_between(to, min, step), time_between(from, max, step)]
            } else {
                [time_between(from, max, step), time_between(to, min, step)]
            };
            enter = if enter < near { near } else { enter };
            leave = if far < leave { far } else { leave };
        }
        (enter <= leave && enter < f64::INFINITY).then_some(enter)
    }
}

/// How long something takes from one place to another.
#[inline]
fn time_between(from: f64, to: f64, step: f64) -> f64 {
    let way = to - from;
    if way.is_finite() { way / step } else { (to * 0.5 - from * 0.5) / step * 2.0 }
}

/// A motion as it is compared with several boxes at once, roughly.
///
/// No box that it touches in time is left out; some that it just misses may be let through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoughMotion<S, const D: usize> {
    /// On each axis the end of the moving box that faces the high side of others, and the one that faces the low side.
    from: Rect<S, D>,
    /// Time per way; 0 where there is no motion, or too little or too much for the scalar to hold.
    pace: [S; D],
    /// Axes without any motion.
    is_still: [bool; D],
    /// No time that is computed without overflow is beyond; differences that overflow give larger ones.
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
        Self { from: motion.from, pace, is_still: motion.step.map(|step| step == 0.0), longest }
    }

    /// The boxes that may be touched from now until a time, as a mask; of a box with a NaN it may say anything.
    ///
    /// A time is off by a factor of `1 ± 2 EPSILON` at most (a difference, a pace and a product are rounded), or by
    /// some of the smallest numbers; its sign is right. So what is entered no later than left is so with 5 `EPSILON`
    /// more. A difference that overflows makes an entry too late and a leave even more so: the entry is set back to
    /// what no overflow can be before.
    #[inline(always)]
    pub(crate) fn may_touch<V: Simd>(&self, simd: V, boxes: &[[S::Lanes<V>; 2]; D], until: S) -> Hits<V, S> {
        let mut met = Hits::<V, S>::splat(simd, true);
        let (mut enter, mut leave) = (S::Lanes::splat(simd, S::from(0)), S::Lanes::splat(simd, until));
        for (axis, &[min, max]) in boxes.iter().enumerate() {
            let from = S::Lanes::splat(simd, self.from.min()[axis]);
            let to = S::Lanes::splat(simd, self.from.max()[axis]);
            if self.is_still[axis] {
                met = met & min.simd_le(to) & from.simd_le(max);
            } else if self.pace[axis] != S::from(0) {
                let pace = S::Lanes::splat(simd, self.pace[axis]);
                let (low, high) = ((min - to) * pace, (max - from) * pace);
                let (near, far) = if S::from(0) < self.pace[axis] { (low, high) } else { (high, low) };
                enter = enter.max(near);
                leave = leave.min(far);
            }
        }
        let more = S::from(1) + S::from(16) * S::EPSILON;
        let latest = leave * more + S::MIN_POSITIVE;
        met & enter.min(self.longest).simd_le(latest)
    }
}
