//! What ordered queries are ordered by, by definition, with no code of the library.

use core::cmp::Ordering;

use super::Real;
use super::oracle::Span;

/// The square of a distance: in which range of numbers, and how large there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Distance {
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
    pub(crate) fn between<S: Real, const D: usize>(a: &Span<S, D>, b: &Span<S, D>) -> Self {
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
    pub(crate) fn of<S: Real>(length: S) -> Self {
        Self::of_gaps(|scale| vec![length.value() * scale])
    }

    /// Of the distance on each axis, given how coordinates are scaled.
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

    pub(crate) fn compare(self, other: Self) -> Ordering {
        self.range.cmp(&other.range).then(self.square.total_cmp(&other.square))
    }
}

/// The square as the scalar can tell it.
pub(crate) fn squared<S: Real>(distance: Distance) -> S {
    S::of(match distance.range {
        Range::Small => distance.square * 2.0_f64.powi(-563) * 2.0_f64.powi(-563),
        Range::Usual => distance.square,
        Range::Large => f64::INFINITY,
    })
}
