//! The comparison of two groups: which entries of one are close enough to which entries of the other.
//!
//! It does not know which groups are compared, nor why. Keeps invariant Q12 of `docs/invariants.md`.

use super::quantized::Quantized;
use super::sides::Group;
use crate::geometry::{LANES, Level, Proximity, Rect, Scalar, Simd, SimdBase, with_vectors};
use crate::tree::{Bucket, BucketRef, positions, rows_with, with_kind};

/// The greatest number of entries whose hits are kept at a time.
const KEPT: usize = 32;

/// The number of candidates above which vectors compare them, several at once.
const FEW: u32 = 6;

/// The pairs of two groups that are still to be yielded: entries of one group, with their hits in the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BucketPair {
    entries_in: Group,
    hits_in: Group,
    /// Whether the hit is the second object of each pair, and the entry the first.
    is_flipped: bool,
    at: u8,
    len: u8,
    /// The positions of the entries.
    positions: [u8; KEPT],
    /// The hits of each entry, as bits.
    hits: [u64; KEPT],
}

impl BucketPair {
    /// Drops all hits, and begins with two other groups.
    pub(super) fn begin(&mut self, entries_in: Group, hits_in: Group, is_flipped: bool) {
        (self.entries_in, self.hits_in, self.is_flipped) = (entries_in, hits_in, is_flipped);
        (self.at, self.len) = (0, 0);
    }

    /// Drops all hits.
    pub(super) fn clear(&mut self) {
        (self.at, self.len) = (0, 0);
    }

    /// Exchanges the first and the second object of each pair.
    pub(super) fn flip(&mut self) {
        self.is_flipped = !self.is_flipped;
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.at == self.len
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        usize::from(self.len) == KEPT
    }

    /// Adds an entry that has been compared, if it has hits.
    #[inline(always)]
    pub(super) fn push(&mut self, position: u8, hits: u64) {
        if hits != 0 {
            let at = usize::from(self.len) % KEPT;
            (self.positions[at], self.hits[at]) = (position, hits);
            self.len += 1;
        }
    }

    /// The group of the first objects, and the group of the second ones.
    #[inline]
    pub(super) fn groups(&self) -> [Group; 2] {
        self.ordered(self.entries_in, self.hits_in)
    }

    #[inline]
    fn ordered<T>(&self, entry: T, hit: T) -> [T; 2] {
        if self.is_flipped { [entry, hit] } else { [hit, entry] }
    }

    /// The positions of the next pair in the two groups. There must be one.
    #[inline]
    pub(super) fn next_positions(&mut self) -> [u8; 2] {
        let at = usize::from(self.at) % KEPT;
        let hits = self.hits[at];
        let rest = hits & hits.wrapping_sub(1);
        self.hits[at] = rest;
        self.at += u8::from(rest == 0);
        self.ordered(self.positions[at], hits.trailing_zeros() as u8)
    }

    /// Drops the pairs of positions, that of the entry first, that are not to be kept.
    #[cold]
    pub(super) fn retain(&mut self, keep: impl Fn(u8, u8) -> bool) {
        let all = usize::from(core::mem::take(&mut self.len));
        for at in 0..all {
            let position = self.positions[at];
            let hits = positions(self.hits[at]).filter(|&hit| keep(position, hit));
            self.push(position, hits.fold(0, |hits, hit| hits | 1 << hit));
        }
    }

    /// The number of pairs left.
    pub(super) fn len(&self) -> usize {
        self.hits[usize::from(self.at)..usize::from(self.len)].iter().map(|hits| hits.count_ones() as usize).sum()
    }
}

/// The entries of a group, among some, that are close enough to a box, as bits. `is_point` says that the box is known to
/// be a point.
pub(super) fn hits_of<S: Scalar, const D: usize>(
    level: Level,
    bucket: BucketRef<'_, S, D>,
    shape: &Rect<S, D>,
    is_point: bool,
    entries: u64,
    proximity: &Proximity<S>,
) -> u64 {
    with_kind!(bucket, |bucket| with_vectors!(level, |simd| match proximity {
        // All rows are tested at once, so that their memory is fetched at the same time.
        Proximity::Touching => bucket.touching(simd, shape, entries),
        Proximity::Within(within) => bucket.within(simd, within, shape, is_point, entries, rows_with(entries)),
    }))
}

/// Which entries of two groups are compared, and how.
pub(super) struct Comparison<'a, S, const D: usize> {
    pub(super) entries: u64,
    /// The entries that may be hit, and their quantized bounds.
    pub(super) others: u64,
    pub(super) boxes: &'a Quantized<S, D>,
    /// Whether both are the same group. An entry that is of both then hits only those behind it.
    pub(super) is_one: bool,
    pub(super) proximity: &'a Proximity<S>,
    pub(super) found: &'a mut BucketPair,
}

impl<S: Scalar, const D: usize> Comparison<'_, S, D> {
    /// Adds the hits to those found; returns the entries left when there is no room for more.
    pub(super) fn between(self, level: Level, entries: BucketRef<'_, S, D>, others: BucketRef<'_, S, D>) -> u64 {
        with_kind!(entries, |entries| with_kind!(others, |others| {
            with_vectors!(level, |simd| self.all_entries(simd, entries, others))
        }))
    }

    #[inline(always)]
    fn all_entries<V: Simd, const OWN_ENDS: usize, const ENDS: usize>(
        self,
        simd: V,
        entries_in: &Bucket<S, D, OWN_ENDS>,
        bucket: &Bucket<S, D, ENDS>,
    ) -> u64 {
        match self.proximity {
            Proximity::Touching => self.each_entry(
                simd,
                entries_in,
                #[inline(always)]
                |target, candidates| {
                    if candidates.count_ones() > FEW {
                        return bucket.touching(simd, target, candidates);
                    }
                    bucket.entries_where(candidates, |shape| shape.intersects(target))
                },
            ),
            Proximity::Within(within) => self.each_entry(
                simd,
                entries_in,
                #[inline(always)]
                |target, candidates| {
                    bucket.within(simd, within, target, OWN_ENDS == 1, candidates, rows_with(candidates))
                },
            ),
        }
    }

    #[inline(always)]
    fn each_entry<V: Simd, const OWN_ENDS: usize>(
        self,
        simd: V,
        entries_in: &Bucket<S, D, OWN_ENDS>,
        hits_of: impl Fn(&Rect<S, D>, u64) -> u64,
    ) -> u64 {
        let Self { mut entries, others, boxes, is_one, proximity, found } = self;
        let (steps, radius) = (boxes.steps(simd), S::Lanes::splat(simd, proximity.radius()));
        while entries != 0 {
            let row = entries.trailing_zeros() as usize / LANES;
            let of_row = 0xFF << (row * LANES);
            let mut left = entries & of_row;
            let mut stretched = entries_in.row(simd, row);
            for [min, max] in &mut stretched {
                (*min, *max) = (*min - radius, *max + radius);
            }
            let quantized = steps.quantize(&stretched);
            while left != 0 {
                if found.is_full() {
                    return entries & !of_row | left;
                }
                let position = left.trailing_zeros() as u8;
                left &= left - 1;
                let mut candidates = others & boxes.candidates(simd, &quantized, position.into());
                if is_one && others >> position & 1 != 0 {
                    candidates &= u64::MAX << position << 1;
                }
                #[cfg(test)]
                crate::tree::tests::count(crate::tree::tests::ENTRIES, 1 + candidates.count_ones() as usize);
                if candidates != 0 {
                    found.push(position, hits_of(&entries_in.shape(position), candidates));
                }
            }
            entries &= !of_row;
        }
        0
    }
}
