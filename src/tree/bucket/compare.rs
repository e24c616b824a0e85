//! The entries of a bucket compared with a box, a row at once: which match, touch, or are near, and the box around them.
//!
//! Keeps its part of invariant Q12 of `docs/invariants.md`.

use core::iter;

use super::{BUCKET_SLOTS, Bucket, BucketRef, LANES, positions, with_kind};
use crate::geometry::{
    Hits, Lanes, Rect, RoughMotion, Scalar, Simd, SimdBase, SimdMask, Within, around, extend, level, no_bounds, splat,
    with_vectors,
};

/// The rows that hold some entries, without the others.
#[inline]
pub(crate) fn rows_with(mut entries: u64) -> impl Iterator<Item = usize> {
    iter::from_fn(move || {
        (entries != 0).then(|| {
            let first = entries.trailing_zeros() & !(LANES as u32 - 1);
            entries &= !(0xFF << first);
            first as usize / LANES
        })
    })
}

/// The number of rows from the first to the last that holds one of some entries.
#[inline]
pub(crate) fn rows_of(entries: u64) -> usize {
    (BUCKET_SLOTS - entries.leading_zeros() as usize).div_ceil(LANES)
}

impl<S: Scalar, const D: usize, const ENDS: usize> Bucket<S, D, ENDS> {
    /// Which of these entries have a shape for which a condition holds, as bits.
    #[inline(always)]
    pub(crate) fn entries_where(&self, entries: u64, holds: impl Fn(&Rect<S, D>) -> bool) -> u64 {
        let those = positions(entries).filter(|&position| holds(&self.shape(position)));
        those.fold(0, |those, position| those | 1 << position)
    }

    /// Which of these entries pass a comparison with a box on each axis, as bits.
    #[inline(always)]
    pub(crate) fn on_all_axes<V: Simd>(
        &self,
        simd: V,
        region: &Rect<S, D>,
        entries: u64,
        holds: impl Fn([Lanes<V, S>; 2], [Lanes<V, S>; 2]) -> Hits<V, S>,
    ) -> u64 {
        let (region, mut hits) = (splat(simd, region), 0);
        for number in (0..rows_of(entries)).rev() {
            let row = self.row(simd, number);
            let mut on_all_axes = holds(region[0], row[0]);
            for axis in 1..D {
                on_all_axes &= holds(region[axis], row[axis]);
            }
            hits = hits << LANES | on_all_axes.to_bitmask();
        }
        hits & entries
    }

    /// Which of these entries share a point with a box, as bits.
    #[inline(always)]
    pub(crate) fn touching<V: Simd>(&self, simd: V, region: &Rect<S, D>, entries: u64) -> u64 {
        self.on_all_axes(
            simd,
            region,
            entries,
            #[inline(always)]
            |[from, to], [min, max]| min.simd_le(to) & from.simd_le(max),
        )
    }

    /// Which of these entries are near enough to a box, as bits, given the rows that hold them. `is_point` says that the
    /// box is known to be a point.
    #[inline(always)]
    pub(crate) fn within<V: Simd>(
        &self,
        simd: V,
        within: &Within<S>,
        target: &Rect<S, D>,
        is_point: bool,
        entries: u64,
        rows: impl Iterator<Item = usize>,
    ) -> u64 {
        let (ends, mut perhaps, mut surely) = (splat(simd, target), 0, 0);
        for row in rows {
            let near = within.compare(simd, &ends, &self.row(simd, row), is_point && Self::IS_POINTS);
            perhaps |= near[0].to_bitmask() << (row * LANES);
            surely |= near[1].to_bitmask() << (row * LANES);
        }
        let (perhaps, surely) = (perhaps & entries, surely & entries);
        if perhaps == surely { surely } else { surely | self.exactly_within(within, target, perhaps & !surely) }
    }

    #[inline(never)]
    fn exactly_within(&self, within: &Within<S>, target: &Rect<S, D>, entries: u64) -> u64 {
        self.entries_where(entries, |shape| within.holds(target, shape))
    }

    /// The entries that a motion may touch until a time, as bits. Meaningless where there is no entry.
    #[inline(always)]
    pub(crate) fn touched<V: Simd>(&self, simd: V, motion: &RoughMotion<S, D>, until: S) -> u64 {
        // In local variables, and so in registers.
        let (motion, mut touched) = (*motion, 0);
        for row in 0..rows_of(u64::MAX) {
            touched |= motion.touches(simd, &self.row(simd, row), until).0.to_bitmask() << (row * LANES);
        }
        touched
    }

    /// The smallest box around some entries.
    #[inline(always)]
    pub(crate) fn bounds<V: Simd>(&self, simd: V, entries: u64) -> Rect<S, D> {
        let mut bounds = no_bounds::<V, S, D>(simd);
        for number in rows_with(entries) {
            let is_entry = Hits::<V, S>::from_bitmask(simd, entries >> (number * LANES) & 0xFF);
            extend::<V, S, D>(&mut bounds, &self.row(simd, number), is_entry);
        }
        around::<V, S, D>(&bounds)
    }
}

impl<S: Scalar, const D: usize> BucketRef<'_, S, D> {
    /// The smallest box around some entries.
    pub(crate) fn bounds(self, entries: u64) -> Rect<S, D> {
        with_kind!(self, |bucket| with_vectors!(level(), |simd| bucket.bounds(simd, entries)))
    }
}
