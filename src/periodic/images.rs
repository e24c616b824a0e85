//! The images of a question: the offsets, of whole periods, by which it is moved. Knows no question.
//!
//! On each axis the question is first brought home, next to the world. From there it is moved to both sides, as long as it
//! may meet the hull of the objects, and at most `REACH` times.

use core::array;

use super::world::Periodic;
use crate::geometry::{Rect, Scalar};

/// The number of images on each side of the one at home, at most. It ends questions that have no end themselves.
pub(super) const REACH: u8 = 4;

/// The images of a question. They are numbered in the order of their offsets, the first axis first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Images<const D: usize> {
    /// 0 on an axis that does not wrap around.
    periods: [f64; D],
    /// The periods that bring the question home.
    home: [f64; D],
    /// The number of images before the one at home.
    before: [u8; D],
    count: [u8; D],
}

impl<const D: usize> Images<D> {
    /// The images in which a question with these bounds may meet the hull. The one at home brings `center` into the world,
    /// unless that is infinite.
    #[inline]
    pub(super) fn new<S: Scalar>(
        torus: &Periodic<S, D>,
        center: [f64; D],
        bounds: &Rect<f64, D>,
        hull: &Rect<S, D>,
        reach: u8,
    ) -> Self {
        let mut images = Self { periods: [0.0; D], home: [0.0; D], before: [0; D], count: [1; D] };
        for axis in (0..D).filter(|&axis| torus.axes()[axis]) {
            let period = torus.period(axis);
            let home = home(center[axis], torus.world().min()[axis].to_f64(), period);
            let [low, high] = [bounds.min()[axis], bounds.max()[axis]].map(|end| end + home * period);
            let [first, last] = [hull.min()[axis], hull.max()[axis]].map(S::to_f64);
            let before = most(reach, |times| first <= high - times * period);
            let after = most(reach, |times| low + times * period <= last);
            images.periods[axis] = period;
            images.home[axis] = home;
            images.before[axis] = before;
            images.count[axis] = before + 1 + after;
        }
        images
    }

    /// The images for distances from a place: that at home and its neighbours.
    #[inline]
    pub(super) fn neighbours<S: Scalar>(torus: &Periodic<S, D>, from: [S; D]) -> Self {
        let (axes, world) = (torus.axes(), torus.world().min().map(S::to_f64));
        let periods = array::from_fn(|axis| torus.period(axis));
        let home_on = |axis: usize| home(from[axis].to_f64(), world[axis], periods[axis]);
        let home = array::from_fn(|axis| if axes[axis] { home_on(axis) } else { 0.0 });
        let sides = axes.map(u8::from);
        Self { periods, home, before: sides, count: sides.map(|sides| 2 * sides + 1) }
    }

    /// By how much a question is moved in the image at home, if it is.
    #[inline]
    pub(super) fn way_home(&self) -> Option<[f64; D]> {
        let is_there = self.home.iter().all(|&periods| periods == 0.0);
        (!is_there).then(|| array::from_fn(|axis| self.home[axis] * self.periods[axis]))
    }

    pub(super) fn len(&self) -> usize {
        self.count.iter().map(|&count| usize::from(count)).product()
    }

    /// The number of the image at home.
    pub(super) fn home(&self) -> usize {
        (0..D).fold(0, |number, axis| number * usize::from(self.count[axis]) + usize::from(self.before[axis]))
    }

    /// By how much the question is moved in an image.
    pub(super) fn offset(&self, number: usize) -> [f64; D] {
        let times = self.times(number);
        array::from_fn(|axis| (self.home[axis] + times[axis]) * self.periods[axis])
    }

    /// The way from the image at home to another one.
    pub(super) fn away(&self, number: usize) -> [f64; D] {
        let times = self.times(number);
        array::from_fn(|axis| times[axis] * self.periods[axis])
    }

    /// All images, each with the [way](Self::away) from home.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, [f64; D])> {
        let images = *self;
        let mut times = images.times(0);
        (0..images.len()).map(move |number| {
            let away = array::from_fn(|axis| times[axis] * images.periods[axis]);
            for axis in (0..D).rev() {
                times[axis] += 1.0;
                if times[axis] + f64::from(images.before[axis]) < f64::from(images.count[axis]) {
                    break;
                }
                times[axis] = -f64::from(images.before[axis]);
            }
            (number, away)
        })
    }

    /// The number of periods on each axis between the image at home and another one.
    fn times(&self, mut number: usize) -> [f64; D] {
        let mut times = [0.0; D];
        for axis in (0..D).rev() {
            let count = usize::from(self.count[axis]);
            // Nearly always there is one image, and nothing to be divided.
            let digit = if number == 0 { 0 } else { number % count };
            times[axis] = f64::from(digit as u8) - f64::from(self.before[axis]);
            number = if number == 0 { 0 } else { number / count };
        }
        times
    }

    /// Leaves only the image at home.
    pub(super) fn at_home(self) -> Self {
        Self { before: [0; D], count: [1; D], ..self }
    }

    /// For a question that is a box: on each axis where one image covers the hull, leaves out the others.
    pub(super) fn covering<S: Scalar>(mut self, bounds: &Rect<f64, D>, hull: &Rect<S, D>) -> Self {
        let hull = hull.to_f64();
        for axis in 0..D {
            let first = self.home[axis] - f64::from(self.before[axis]);
            let covers = |home: &f64| {
                let by = home * self.periods[axis];
                bounds.min()[axis] + by <= hull.min()[axis] && hull.max()[axis] <= bounds.max()[axis] + by
            };
            let covering = (0..self.count[axis]).map(|number| first + f64::from(number)).find(covers);
            if let Some(home) = covering {
                (self.home[axis], self.before[axis], self.count[axis]) = (home, 0, 1);
            }
        }
        self
    }
}

/// How many periods bring a coordinate into the world that begins at `origin`. None, if it is infinite.
fn home(at: f64, origin: f64, period: f64) -> f64 {
    // Nearly always it is there, and a division takes its time.
    if origin <= at && at < origin + period {
        return 0.0;
    }
    let periods = (at - origin) / period;
    if !periods.is_finite() {
        return 0.0;
    }
    // The methods of `f64` that round are in `std` only.
    let whole = periods - periods % 1.0;
    if periods < whole { 1.0 - whole } else { -whole }
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
