//! The keys of ordered queries, distance and time, by definition, with no code of the library.

use core::cmp::Ordering;

use super::Real;
use super::oracle::Span;

/// The square of a distance, scaled by range so that it neither overflows nor vanishes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    range: Range,
    square: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Range {
    /// Below 2^-900: the square of 2^563 times the distance.
    Small,
    Usual,
    /// Beyond all numbers: the square of 2^-600 times the distance.
    Large,
}

impl Distance {
    pub fn between<S: Real, const D: usize>(a: &Span<S, D>, b: &Span<S, D>) -> Self {
        Self::of_gaps(|scale| {
            let end = |ends: &[S; D], axis: usize| ends[axis].value() * scale;
            (0..D)
                .map(|axis| {
                    let before = end(&a.min, axis) - end(&b.max, axis);
                    let after = end(&b.min, axis) - end(&a.max, axis);
                    before.max(after).max(0.0)
                })
                .collect()
        })
    }

    /// The distance that is so long; not negative.
    pub fn of<S: Real>(length: S) -> Self {
        Self::of_gaps(|scale| vec![length.value() * scale])
    }

    /// From a function that gives the distances on all axes, with coordinates scaled.
    fn of_gaps(gaps: impl Fn(f64) -> Vec<f64>) -> Self {
        let sum = |gaps: Vec<f64>| gaps.into_iter().map(|gap| gap * gap).fold(0.0, |sum, square| sum + square);
        let square = sum(gaps(1.0));
        if square < 2.0_f64.powi(-900) {
            let up = gaps(1.0).into_iter().map(|gap| gap * 2.0_f64.powi(563)).collect();
            Self { range: Range::Small, square: sum(up) }
        } else if square == f64::INFINITY {
            Self { range: Range::Large, square: sum(gaps(2.0_f64.powi(-600))) }
        } else {
            Self { range: Range::Usual, square }
        }
    }

    pub fn compare(self, other: Self) -> Ordering {
        self.range.cmp(&other.range).then(self.square.total_cmp(&other.square))
    }
}

/// The square, rounded to the scalar.
pub fn squared<S: Real>(distance: Distance) -> S {
    S::of(match distance.range {
        Range::Small => distance.square * 2.0_f64.powi(-563) * 2.0_f64.powi(-563),
        Range::Usual => distance.square,
        Range::Large => f64::INFINITY,
    })
}

/// A box that moves by a vector in one unit of time.
#[derive(Clone, Copy, Debug)]
pub struct Moving<S, const D: usize> {
    pub from: Span<S, D>,
    pub motion: [f64; D],
}

impl<S: Real, const D: usize> Moving<S, D> {
    /// Whether it touches anything at all.
    fn is_somewhere(&self) -> bool {
        (0..D).all(|axis| self.from.min[axis] <= self.from.max[axis] && self.motion[axis].is_finite())
    }

    /// When it first touches a span.
    pub fn first_touch(&self, span: &Span<S, D>) -> Option<f64> {
        let touches = (0..D).map(|axis| {
            let (from, to) = (self.from.min[axis].value(), self.from.max[axis].value());
            let (min, max) = (span.min[axis].value(), span.max[axis].value());
            let step = self.motion[axis];
            if step == 0.0 {
                let always = from <= max && min <= to;
                return if always { (0.0, f64::INFINITY) } else { (1.0, 0.0) };
            }
            let (a, b) = (quotient(min, to, step), quotient(max, from, step));
            if step > 0.0 { (a, b) } else { (b, a) }
        });
        let (begins, ends): (Vec<_>, Vec<_>) = touches.unzip();
        let begin = begins.into_iter().fold(0.0, f64::max);
        let end = ends.into_iter().fold(f64::INFINITY, f64::min);
        // Which of two zeros is the larger one differs from target to target; the sum is never `-0.0`.
        (self.is_somewhere() && begin <= end && begin < f64::INFINITY).then_some(begin + 0.0)
    }
}

/// `(a - b) / by`, where the difference may be beyond all numbers.
fn quotient(a: f64, b: f64, by: f64) -> f64 {
    if (a - b).is_finite() { (a - b) / by } else { (a / 2.0 - b / 2.0) / by * 2.0 }
}
