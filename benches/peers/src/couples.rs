//! Pairs of objects: their names, and which ones are right.

use crate::check::{Referee, Tally};
use crate::data::{Rect, Scalar, Shape};
use crate::exact::{CLEAR_SHARE, Square, clear_distance, square, square_of};

/// About how many partners a point has.
pub(crate) const PARTNERS: u32 = 5;
/// Makes of two names one that depends on both, so that objects paired in another way add up to something else.
const SALT: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F];

/// One name for a pair, whichever of the two is told first.
#[inline]
pub(crate) fn pair(a: u64, b: u64) -> u64 {
    a.wrapping_add(SALT[0]).wrapping_mul(b.wrapping_add(SALT[0]))
}

/// One name for an object of one index and one of another.
#[inline]
pub(crate) fn joined(a: u64, b: u64) -> u64 {
    a.wrapping_add(SALT[0]).wrapping_mul(b.wrapping_add(SALT[1]))
}

/// The pairs that should be found, by ids: a shape that was asked about, and an object that the referee knows.
pub(crate) struct Couples {
    pub(crate) pairs: Vec<(u32, u32)>,
}

impl Couples {
    /// All pairs of objects that are no further apart.
    ///
    /// # Panics
    /// If a plain scan for the first few objects finds anything else: then no figure means anything.
    pub(crate) fn within<P: Shape<S, D>, S: Scalar, const D: usize>(
        referee: &Referee<S, D>,
        shapes: &[P],
        distance: S,
    ) -> Self {
        Self::found(referee, shapes, distance, |place, id| place < id)
    }

    /// All pairs of one of these shapes and an object that the referee knows which meet.
    ///
    /// # Panics
    /// If a plain scan for the first few shapes finds anything else.
    pub(crate) fn joined<P: Shape<S, D>, S: Scalar, const D: usize>(referee: &Referee<S, D>, shapes: &[P]) -> Self {
        Self::found(referee, shapes, S::from_f64(0.0), |_, _| true)
    }

    fn found<P: Shape<S, D>, S: Scalar, const D: usize>(
        referee: &Referee<S, D>,
        shapes: &[P],
        distance: S,
        counts: impl Fn(u32, u32) -> bool,
    ) -> Self {
        let limit = square_of(distance);
        let mut pairs = Vec::new();
        for (place, shape) in (0..).zip(shapes) {
            let bounds = shape.bounds();
            referee.each_in_with_bounds(&bounds.grown(distance), |rect, id| {
                if counts(place, id) && square(&bounds, rect) <= limit {
                    pairs.push((place, id));
                }
            });
        }
        for (place, shape) in (0..).zip(shapes).take(referee.provable()) {
            let near = |rect: &Rect<S, D>| square(&shape.bounds(), rect) <= limit;
            let scanned = referee.entries().filter(|&(rect, id)| counts(place, id) && near(rect));
            let mut scanned: Vec<u32> = scanned.map(|(_, id)| id).collect();
            let of_shape = pairs.iter().filter(|&&(a, _)| a == place);
            let mut partners: Vec<u32> = of_shape.map(|&(_, partner)| partner).collect();
            scanned.sort_unstable();
            partners.sort_unstable();
            assert_eq!(scanned, partners, "the referee is wrong about the partners of {shape:?}");
        }
        Self { pairs }
    }

    /// The tally of a contender that gives the two of a pair this name.
    pub(crate) fn tally(&self, name: impl Fn(u32, u32) -> u64) -> Tally {
        let mut tally = Tally::default();
        self.pairs.iter().for_each(|&(a, b)| tally.add(name(a, b)));
        tally
    }
}

/// A distance on the lattice, little more than the wanted one, on which no answer about these shapes depends by
/// rounding.
pub(crate) fn clear_of<P: Shape<S, D>, S: Scalar, const D: usize>(
    referee: &Referee<S, D>,
    shapes: &[P],
    wanted: S,
) -> S {
    let scaled = |by: f64| S::from_f64(wanted.to_f64() * by);
    let (longest, shortest) = (scaled(1.0 + 2.0 * CLEAR_SHARE), square_of(scaled(1.0 - CLEAR_SHARE)));
    let mut squares: Vec<Square> = Vec::new();
    for shape in shapes {
        let bounds = shape.bounds();
        referee.each_in_with_bounds(&bounds.grown(longest), |rect, _| {
            squares.extend(Some(square(&bounds, rect)).filter(|&square| shortest <= square));
        });
    }
    clear_distance(wanted, &mut squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pairs_tell_who_is_paired() {
        assert_eq!(pair(3, 7), pair(7, 3));
        assert_ne!(joined(3, 7), joined(7, 3));
        let sum = |pairs: &[(u64, u64)]| pairs.iter().fold(0_u64, |sum, &(a, b)| sum.wrapping_add(pair(a, b)));
        assert_ne!(sum(&[(1, 2), (3, 4)]), sum(&[(1, 3), (2, 4)]));
    }
}
