//! Bucket against bucket: which entries of the one are near to which of the other.

use core::marker::PhantomData;
use core::ops::Range;

use crate::geometry::{
    LANES, Nearness, Rect, Scalar, Simd, SimdBase, SimdMask, Vectorized, Within, extend, greatest, least,
};
use crate::key::Place;
use crate::tree::{BUCKET_SLOTS, Bucket, positions};

/// How many entries with hits are kept at a time.
const TILE: usize = 16;

/// Entries of one bucket that have hits in another, and the hits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    /// The first places of the two buckets.
    pub(super) rows_in: Place,
    pub(super) hits_in: Place,
    /// Whether what is hit is the first of each pair.
    pub(super) is_flipped: bool,
    len: u8,
    at: u8,
    /// The entries with hits,
    positions: [u8; TILE],
    /// and for each its hits, as bits.
    hits: [u64; TILE],
}

impl Tile {
    pub(super) const EMPTY: Self = Self {
        rows_in: Place::NONE,
        hits_in: Place::NONE,
        is_flipped: false,
        len: 0,
        at: 0,
        positions: [0; TILE],
        hits: [0; TILE],
    };

    pub(super) fn clear(&mut self) {
        (self.at, self.len) = (0, 0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.len
    }

    #[inline(always)]
    fn push(&mut self, position: u8, hits: u64) {
        let at = usize::from(self.len) % TILE;
        (self.positions[at], self.hits[at]) = (position, hits);
        self.len += 1;
    }

    /// The next entry with hits, and what they are.
    #[inline]
    pub(super) fn next_row(&mut self) -> Option<(u8, u64)> {
        if self.is_empty() {
            return None;
        }
        let at = usize::from(self.at) % TILE;
        self.at += 1;
        Some((self.positions[at], self.hits[at]))
    }

    /// The next pair of places.
    #[inline]
    pub(super) fn next(&mut self) -> Option<[Place; 2]> {
        if self.is_empty() {
            return None;
        }
        let at = usize::from(self.at) % TILE;
        let hits = &mut self.hits[at];
        let pair = [self.rows_in.at(self.positions[at]), self.hits_in.at(hits.trailing_zeros() as u8)];
        *hits &= hits.wrapping_sub(1);
        if *hits == 0 {
            self.at += 1;
        }
        Some(if self.is_flipped { [pair[1], pair[0]] } else { pair })
    }

    /// How many pairs are left.
    pub(super) fn pairs(&self) -> usize {
        self.hits[usize::from(self.at)..usize::from(self.len)].iter().map(|hits| hits.count_ones() as usize).sum()
    }
}

/// How many blocks hold entries.
#[inline]
fn blocks_of(used: u64) -> usize {
    (BUCKET_SLOTS - used.leading_zeros() as usize).div_ceil(LANES)
}

/// The ends of a box, for several to be compared with.
#[inline(always)]
fn splat<V: Simd, S: Scalar, const D: usize>(simd: V, rect: &Rect<S, D>) -> [[S::Lanes<V>; 2]; D] {
    let mut lanes = [[S::Lanes::splat(simd, S::NAN); 2]; D];
    for (axis, ends) in lanes.iter_mut().enumerate() {
        *ends = [S::Lanes::splat(simd, rect.min()[axis]), S::Lanes::splat(simd, rect.max()[axis])];
    }
    lanes
}

/// The entries of some blocks that share a point with a box, as bits.
#[inline(always)]
fn touching<B: Bucket<S, D>, V: Simd, S: Scalar, const D: usize>(
    simd: V,
    bucket: &B,
    region: &Rect<S, D>,
    blocks: Range<usize>,
) -> u64 {
    let region = splat::<V, S, D>(simd, region);
    let mut hits = 0;
    for number in blocks.clone().rev() {
        let block = bucket.block(simd, number);
        let mut touch = block[0][0].simd_le(region[0][1]) & region[0][0].simd_le(block[0][1]);
        for axis in 1..D {
            touch &= block[axis][0].simd_le(region[axis][1]) & region[axis][0].simd_le(block[axis][1]);
        }
        hits = hits << LANES | touch.to_bitmask();
    }
    hits << (blocks.start * LANES)
}

/// The entries of some blocks that are so near to a box, as bits.
#[inline(always)]
fn near<B: Bucket<S, D>, V: Simd, S: Scalar, const D: usize>(
    simd: V,
    bucket: &B,
    within: &Within<S>,
    target: &Rect<S, D>,
    is_point: bool,
    blocks: Range<usize>,
) -> u64 {
    let lanes = splat::<V, S, D>(simd, target);
    let (mut perhaps, mut surely) = (0, 0);
    for number in blocks.clone().rev() {
        let block = bucket.block(simd, number);
        let near = within.compare::<V, D>(simd, &lanes, &block, is_point && !B::EXTENDED);
        perhaps = perhaps << LANES | near[0].to_bitmask();
        surely = surely << LANES | near[1].to_bitmask();
    }
    let [perhaps, surely] = [perhaps, surely].map(|near: u64| near << (blocks.start * LANES));
    if perhaps == surely { surely } else { exactly(bucket, within, target, perhaps & !surely) | surely }
}

/// Those of some entries that are so near to a box, compared one by one.
#[inline(never)]
fn exactly<B: Bucket<S, D>, S: Scalar, const D: usize>(
    bucket: &B,
    within: &Within<S>,
    target: &Rect<S, D>,
    perhaps: u64,
) -> u64 {
    let near = positions(perhaps).filter(|&position| within.holds(target, &bucket.shape(position)));
    near.fold(0, |near, position| near | 1 << position)
}

/// Looking for the entries of a bucket that share a point with a box.
pub(super) struct Touching<'a, B, S, const D: usize> {
    pub(super) bucket: &'a B,
    pub(super) used: u64,
    pub(super) region: &'a Rect<S, D>,
}

impl<B: Bucket<S, D>, S: Scalar, const D: usize> Vectorized for Touching<'_, B, S, D> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> u64 {
        touching(simd, self.bucket, self.region, 0..blocks_of(self.used))
    }
}

/// Comparing entries of one bucket, the rows, with those of another.
pub(super) struct Compare<'a, R, B, S> {
    pub(super) rows_in: &'a R,
    pub(super) rows: u64,
    pub(super) bucket: &'a B,
    pub(super) used: u64,
    /// The entries that may be hit.
    pub(super) columns: u64,
    /// Whether both are one bucket: then those behind the row may be hit in addition.
    pub(super) is_one: bool,
    pub(super) nearness: &'a Nearness<S>,
    pub(super) tile: &'a mut Tile,
}

impl<R, B, S> Compare<'_, R, B, S> {
    #[inline(always)]
    fn each_row(mut self, mut hits_of: impl FnMut(u8, usize) -> u64) -> u64 {
        // Where all of a bucket are rows, what comes before a row has had its turn.
        let from_row = self.is_one && self.used & self.columns == 0;
        while self.rows != 0 && usize::from(self.tile.len) < TILE {
            let position = self.rows.trailing_zeros() as u8;
            self.rows &= self.rows - 1;
            let from = if from_row { usize::from(position) / LANES } else { 0 };
            let behind = if self.is_one { u64::MAX << position << 1 } else { 0 };
            let hits = hits_of(position, from) & (self.columns | behind);
            if hits != 0 {
                self.tile.push(position, hits);
            }
        }
        self.rows
    }
}

impl<R: Bucket<S, D>, B: Bucket<S, D>, S: Scalar, const D: usize> Vectorized for CompareIn<'_, R, B, S, D> {
    /// The rows that are left when the tile is full.
    type Output = u64;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> u64 {
        let (bucket, rows_in, end) = (self.0.bucket, self.0.rows_in, blocks_of(self.0.used));
        match self.0.nearness {
            Nearness::Touching => self.0.each_row(
                #[inline(always)]
                |position, from| touching(simd, bucket, &rows_in.shape(position), from..end),
            ),
            Nearness::Within(within) => self.0.each_row(
                #[inline(always)]
                |position, from| near(simd, bucket, within, &rows_in.shape(position), !R::EXTENDED, from..end),
            ),
        }
    }
}

/// The same, with the number of dimensions.
pub(super) struct CompareIn<'a, R, B, S, const D: usize>(pub(super) Compare<'a, R, B, S>);

/// Finding the smallest box around all entries of a bucket, which has some.
pub(super) struct Bounds<'a, B, S, const D: usize> {
    bucket: &'a B,
    /// Which entries there are.
    used: u64,
    scalar: PhantomData<[S; D]>,
}

impl<'a, B: Bucket<S, D>, S: Scalar, const D: usize> Bounds<'a, B, S, D> {
    pub(super) fn new(bucket: &'a B, used: u64) -> Self {
        Self { bucket, used, scalar: PhantomData }
    }
}

impl<B: Bucket<S, D>, S: Scalar, const D: usize> Vectorized for Bounds<'_, B, S, D> {
    type Output = Rect<S, D>;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> Rect<S, D> {
        let none = [S::Lanes::splat(simd, S::INFINITY), S::Lanes::splat(simd, S::NEG_INFINITY)];
        let mut bounds = [none; D];
        for number in 0..blocks_of(self.used) {
            extend::<V, S, D>(&mut bounds, &self.bucket.block(simd, number), &none);
        }
        let [low, high] = [0, 1].map(|end| bounds.map(|ends| ends[end].to_array()));
        Rect::ordered(low.map(least), high.map(greatest))
    }
}
