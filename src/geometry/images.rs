//! The images of a question in a periodic world: the offsets, of whole periods, by which it is moved. Knows no question.

use core::array;

use super::{Rect, Scalar};

/// The number of images on each side of the one at home, at most. It ends questions that have no end themselves.
pub(crate) const REACH: u8 = 4;

/// A periodic world with objects, as far as images need it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeriodicSpace<S, const D: usize> {
    /// 0 on an axis that does not wrap around.
    pub(crate) periods: [f64; D],
    /// A box around all objects with their minimum corner in the world. It begins with the world on axes that wrap around,
    /// and is infinite on others.
    pub(crate) hull: Rect<S, D>,
}

impl<S: Scalar, const D: usize> PeriodicSpace<S, D> {
    /// How many periods bring a coordinate into the world. None, if it is infinite.
    fn home(&self, axis: usize, at: f64) -> f64 {
        let (origin, period) = (self.hull.min()[axis].to_f64(), self.periods[axis]);
        // Nearly always it is there, and a division takes its time.
        if period == 0.0 || origin <= at && at < origin + period {
            return 0.0;
        }
        let periods = (at - origin) / period;
        if !periods.is_finite() {
            return 0.0;
        }
        // The methods of `f64` that round are in `std` only.
        let whole = periods - periods % 1.0;
        let home = if periods < whole { 1.0 - whole } else { -whole };
        // So near before the lower border that it would be rounded to the upper one, it stays there.
        let last = S::from_f64(origin + period).next_down().to_f64();
        if last < at + home * period { home - 1.0 } else { home }
    }

    /// The way that brings a point into the world, if it is not there.
    pub(crate) fn way_home(&self, point: [f64; D]) -> Option<[f64; D]> {
        let way = array::from_fn(|axis| self.home(axis, point[axis]) * self.periods[axis]);
        way.iter().any(|&by| by != 0.0).then_some(way)
    }
}

/// The images of a question. They are numbered in the order of their offsets, the first axis first.
///
/// On each axis the question is brought home, next to the world. From there it is moved to both sides, as long as it may
/// meet the hull of the objects, and at most `REACH` times.
#[derive(Clone, Copy, Debug)]
pub struct Images<const D: usize> {
    pub(super) periods: [f64; D],
    /// The first image, in periods.
    pub(super) first: [f64; D],
    pub(super) count: [u8; D],
}

impl<const D: usize> Images<D> {
    /// The images in which a question with these bounds may meet the hull, up to `reach` periods from that which brings
    /// `center` into the world, unless that is infinite. An object that reaches over the upper border begins one farther.
    #[inline]
    pub(crate) fn new<S: Scalar>(
        world: &PeriodicSpace<S, D>,
        center: [f64; D],
        bounds: &Rect<f64, D>,
        reach: u8,
    ) -> Self {
        let (periods, hull) = (world.periods, &world.hull);
        let mut images = Self { periods, first: [0.0; D], count: [1; D] };
        for axis in (0..D).filter(|&axis| periods[axis] != 0.0) {
            let (period, home) = (periods[axis], world.home(axis, center[axis]));
            let [low, high] = [bounds.min()[axis], bounds.max()[axis]].map(|end| end + home * period);
            let [first, last] = [hull.min()[axis], hull.max()[axis]].map(S::to_f64);
            let before = most(reach, |times| first <= high - times * period);
            let after = most(reach + 1, |times| low + times * period <= last);
            (images.first[axis], images.count[axis]) = (home - f64::from(before), before + 1 + after);
        }
        images
    }

    /// The images for distances from a place in the world: that place and its neighbours.
    #[inline]
    pub(crate) fn neighbours(periods: [f64; D]) -> Self {
        let wraps = periods.map(|length| length != 0.0);
        let (first, count) =
            (wraps.map(|wraps| if wraps { -1.0 } else { 0.0 }), wraps.map(|wraps| if wraps { 3 } else { 1 }));
        Self { periods, first, count }
    }

    /// The number of the image that is not moved. There must be one.
    #[inline]
    pub(crate) fn home(&self) -> usize {
        (0..D).fold(0, |number, axis| number * usize::from(self.count[axis]) + (-self.first[axis]).to_u32() as usize)
    }

    /// Whether the question is asked once, where it is.
    #[inline]
    pub(crate) fn are_at_home(&self) -> bool {
        (0..D).all(|axis| self.count[axis] == 1 && self.first[axis] == 0.0)
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count.iter().map(|&count| usize::from(count)).product()
    }

    /// By how much the question is moved in an image.
    #[inline]
    pub(crate) fn offset(&self, number: usize) -> [f64; D] {
        let mut number = number;
        let mut offset = [0.0; D];
        for axis in (0..D).rev() {
            let count = usize::from(self.count[axis]);
            // Nearly always there is one image, and nothing to be divided.
            let digit = if number == 0 { 0 } else { number % count };
            offset[axis] = (self.first[axis] + f64::from(digit as u8)) * self.periods[axis];
            number = if number == 0 { 0 } else { number / count };
        }
        offset
    }

    /// The images made of these parts. `None` if no question has such images.
    #[cfg(feature = "serde")]
    pub(super) fn of_parts(periods: [f64; D], first: [f64; D], count: [u8; D]) -> Option<Self> {
        let is_sound = |axis: usize| {
            let last = first[axis] + f64::from(count[axis].saturating_sub(1));
            (1..=2 * REACH + 2).contains(&count[axis])
                && first[axis] % 1.0 == 0.0
                && 0.0 <= periods[axis]
                && [first[axis], last].iter().all(|times| (times * periods[axis]).is_finite())
        };
        (0..D).all(is_sound).then_some(Self { periods, first, count })
    }

    /// One image alone.
    pub(crate) fn only(self, number: usize) -> Self {
        let mut one = Self { count: [1; D], ..self };
        let mut number = number;
        for axis in (0..D).rev() {
            one.first[axis] += f64::from((number % usize::from(self.count[axis])) as u8);
            number /= usize::from(self.count[axis]);
        }
        one
    }

    /// For a question that is a box: on each axis where one image covers the hull, leaves out the others.
    pub(crate) fn covering<S: Scalar>(mut self, bounds: &Rect<f64, D>, hull: &Rect<S, D>) -> Self {
        let hull = hull.to_f64();
        for axis in 0..D {
            let covers = |times: &f64| {
                let by = times * self.periods[axis];
                bounds.min()[axis] + by <= hull.min()[axis] && hull.max()[axis] <= bounds.max()[axis] + by
            };
            let first = self.first[axis];
            let all = (0..self.count[axis]).map(|number| first + f64::from(number));
            // Rather where it is.
            let here = Some(0.0).filter(|_| all.clone().any(|times| times == 0.0));
            if let Some(times) = here.into_iter().chain(all).find(covers) {
                (self.first[axis], self.count[axis]) = (times, 1);
            }
        }
        self
    }
}

/// The largest number, at most `reach`, for which something holds that holds for all lower ones.
#[inline(always)]
fn most(reach: u8, holds: impl Fn(f64) -> bool) -> u8 {
    let mut most = 0;
    while most < reach && holds(f64::from(most + 1)) {
        most += 1;
    }
    most
}
