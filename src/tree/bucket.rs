//! Buckets, which hold entries, and their heads, which say where and how many.

use core::iter;

use crate::geometry::{Hits, Rect, Scalar, Simd};
use crate::grid::Block;
use crate::key::{BucketId, Handle, Kind, NodeId};

/// Entries of a bucket: one for each bit of a mask of hits.
pub(crate) const BUCKET_SLOTS: usize = 64;

/// The cell number that stands for a node's own list.
pub(crate) const OWN_LIST: u8 = 64;

/// The shapes and handles of up to 64 entries. The layer's kind decides how a shape is stored.
///
/// Slots that hold no entry have NaN for their first coordinate, so that no test of a shape hits them.
pub(crate) trait Bucket<S: Scalar, const D: usize>: Sized {
    const KIND: Kind;
    /// Whether shapes have an extent. Without one there is no reach to keep.
    const EXTENDED: bool;

    fn vacant() -> Self;
    /// By position; without meaning where there is no entry.
    fn handles(&self) -> &[Handle; BUCKET_SLOTS];
    #[inline]
    fn handle(&self, position: u8) -> Handle {
        // (The remainder tells the compiler what positions are.)
        self.handles()[usize::from(position) % BUCKET_SLOTS]
    }
    fn shape(&self, position: u8) -> Rect<S, D>;
    fn set_shape(&mut self, position: u8, shape: &Rect<S, D>);
    fn set_handle(&mut self, position: u8, handle: Handle);
    /// Makes the slot one that no test hits.
    fn vacate(&mut self, position: u8);
    /// The entries for which `test(axis, min, max)` holds on every axis, as bits.
    fn matching<V: Simd>(&self, simd: V, test: impl Fn(usize, S::Lanes<V>, S::Lanes<V>) -> Hits<V, S>) -> u64;
    /// Begins to fetch all shapes.
    fn prefetch_shapes(&self);
    fn prefetch_shape(&self, position: u8);
    /// For each axis the minima and the maxima of the entries at the positions from `LANES * block` on.
    fn block<V: Simd>(&self, simd: V, block: usize) -> [[S::Lanes<V>; 2]; D];
}

/// The positions whose bits are set, lowest first.
#[inline]
pub(crate) fn positions(mut bits: u64) -> impl Iterator<Item = u8> {
    iter::from_fn(move || {
        let position = bits.trailing_zeros() as u8;
        (bits != 0).then(|| {
            bits &= bits - 1;
            position
        })
    })
}

/// What is known of a bucket without touching its entries.
///
/// A full bucket may be followed by others in a *chain*. All but the first of a chain are full; the directory names
/// the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<const D: usize> {
    /// The positions that hold an entry, as bits.
    pub(crate) used: u64,
    /// The block that the bucket serves; the whole node for an own list.
    pub(crate) block: Block<D>,
    pub(crate) node: NodeId,
    /// At least the largest extent of an entry here, in units. The first bucket's is the largest of its chain.
    pub(crate) reach: u32,
    /// The first cell of the block in its node, or [`OWN_LIST`].
    pub(crate) cell: u8,
    /// Extents may lie from `2^log2 - 1` …
    pub(crate) extent_min_log2: u8,
    /// … to `2^log2` here. Beyond, an object that has moved is filed anew.
    pub(crate) extent_max_log2: u8,
    /// Whether another bucket follows in the chain.
    pub(crate) more: bool,
}

// Two heads to a line of the cache.
const _: () = assert!(size_of::<Head<2>>() == 32);

/// What comes before and behind a bucket in its chain: apart from the heads, as chains are rare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The next bucket.
    pub(crate) next: BucketId,
    /// The bucket whose next one this is; none of the first. So a bucket can be given another number without a search.
    pub(crate) before: BucketId,
    /// How many buckets are behind this one.
    pub(crate) rest: u32,
}

impl Link {
    /// That of a bucket before another one, or before none, which has so many behind it.
    pub(crate) fn before(next: BucketId, rest: u32) -> Self {
        Self { next, before: BucketId::NONE, rest }
    }
}

impl<const D: usize> Head<D> {
    /// Whether an entry with that address may stay where it is when it has moved.
    #[inline]
    pub(crate) fn keeps(&self, anchor: [u32; D], extent: u32) -> bool {
        self.block.holds(anchor) && 1 << self.extent_min_log2 <= extent + 1 && extent <= 1 << self.extent_max_log2
    }

    pub(crate) fn is_own_list(&self) -> bool {
        self.cell == OWN_LIST
    }
}
