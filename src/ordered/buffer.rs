//! The memory of an ordered query, which it owns or was lent: the objects that it has found but not yielded, or the
//! steps that it has still to take.
//!
//! It knows neither trees nor ranks nor metrics. Keeps the order of invariant Q8 of `docs/invariants.md`.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::geometry::{LANES, Lanes, Level, Rank, Simd, SimdBase, SimdMask, with_vectors};
use crate::key::{BucketId, Handle, NodeId, Place};

/// Memory that ordered queries ([`nearest`](crate::SpatialIndex::nearest), [`raycast`](crate::SpatialIndex::raycast),
/// [`cast`](crate::SpatialIndex::cast), [`nearest_by`](crate::SpatialIndex::nearest_by)) can reuse.
///
/// An ordered query allocates when its second object is requested, and frees the memory when it is dropped. To avoid
/// that in a loop over many queries, lend each query the same buffer with [`reusing`](crate::Nearest::reusing). A
/// buffer serves any query of any index.
///
/// A query does not know how many objects its caller will request. One search for several objects is cheaper than
/// several searches. So a buffer remembers how many objects its last query yielded, and the next query searches for as
/// many at first. Use one buffer for queries of one kind.
///
/// ```
/// # use quadrille::{Quadtree, Rect, SearchBuffer};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut buffer = SearchBuffer::new();
/// let mut three = |x: f32| index.nearest([x, 50.0]).reusing(&mut buffer).take(3).count();
/// assert_eq!((three(10.0), three(20.0)), (3, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SearchBuffer {
    pub(super) batch: FoundBatch,
    pub(super) queue: Queue,
}

impl SearchBuffer {
    /// Makes a buffer without memory; the first query that uses it allocates.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect, SearchBuffer};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut buffer = SearchBuffer::new();
    /// assert_eq!(index.nearest([7.0, 50.0]).reusing(&mut buffer).take(3).count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// Objects that are found but not yielded.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundBatch {
    /// The last one first.
    pub(super) found: Vec<Found>,
    /// How many objects the query has yielded, or the last one that used this.
    pub(super) yielded: usize,
}

/// A position in the order: after an object, or before all objects of a rank.
pub(super) type Position = (Rank, Option<Handle>);

/// An object that a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) rank: Rank,
    pub(crate) handle: Handle,
    pub(crate) place: Place,
}

impl Found {
    #[inline]
    pub(super) fn position(&self) -> Position {
        (self.rank, Some(self.handle))
    }

    #[inline]
    pub(super) fn is_after(&self, (rank, handle): Position) -> bool {
        rank < self.rank || (rank == self.rank && handle < Some(self.handle))
    }

    /// Compares two objects by rank, and by handle if they tie. No two objects are equal.
    #[inline]
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let is_before = self.rank < other.rank || (self.rank == other.rank && self.handle < other.handle);
        if is_before { Ordering::Less } else { Ordering::Greater }
    }
}

/// Up to this many objects are put in order by counting, and more of them by counting among more.
const COUNTED: usize = 24;
pub(crate) const COUNTED_MOST: usize = 64;

/// Puts objects in order, the last one first.
///
/// The place of each of a few is the number of those that come after it, counted by vectors. So no branch depends on the
/// order, which the processor could not foresee.
#[inline]
pub(crate) fn sort(level: Level, found: &mut [Found]) {
    let few = &mut *found;
    let is_sorted = if few.len() <= COUNTED {
        with_vectors!(level, |simd| sort_few::<_, COUNTED>(simd, few))
    } else {
        few.len() <= COUNTED_MOST && with_vectors!(level, |simd| sort_few::<_, COUNTED_MOST>(simd, few))
    };
    if !is_sorted {
        found.sort_unstable_by(|a, b| b.compare(a));
    }
}

/// Puts a few objects in order by their ranks; `false` if the ranks of two are about the same.
#[inline(always)]
fn sort_few<V: Simd, const MOST: usize>(simd: V, found: &mut [Found]) -> bool {
    let Some(&first) = found.first() else { return true };
    let mut ranks = [f32::NEG_INFINITY; MOST];
    for (rank, found) in ranks.iter_mut().zip(found.iter()) {
        *rank = found.rank.rounded();
    }
    let (mut sorted, mut taken) = ([first; MOST], 0_u64);
    for (found, &rank) in found.iter().zip(&ranks) {
        let (rank, mut after) = (Lanes::<V, f32>::splat(simd, rank), 0);
        for others in ranks.as_chunks::<LANES>().0 {
            after += rank.simd_lt(Lanes::<V, f32>::load_array(simd, *others)).to_bitmask().count_ones();
        }
        sorted[after as usize % MOST] = *found;
        taken |= 1 << after;
    }
    let is_sorted = taken.count_ones() as usize == found.len();
    if is_sorted {
        found.copy_from_slice(&sorted[..found.len()]);
    }
    is_sorted
}

/// A part of a tree, or an object, that a search has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `2^span` cells of a node, from `cell` on.
    Cells { node: NodeId, cell: u8, span: u8 },
    /// A chain of buckets, by its first bucket. Its entries have not been read.
    Chain(BucketId),
    /// A knot of a crowd, by its number.
    Knot(u32),
    /// A bucket with a bound of its entries.
    Bucket(BucketId),
    /// Entries of a bucket in the list of runs, from there on, and how far the last one is, which has the lowest bound.
    Run { first: usize, last: u8 },
    /// All that the metric itself has not come to.
    Around,
    /// All boxes that the search by distance has not come to.
    Boxes,
    /// An object with its distance.
    Object(Handle, Place),
}

/// A step that is still to be taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    /// A lower bound of the distances there; of an object, its distance. Neither NaN nor negative zero.
    pub(super) distance: f64,
    pub(super) part: Part,
    pub(super) layer: u8,
}

impl Pending {
    /// The handle of an object. Everything else comes before all objects at the same distance, since it may hold one
    /// with a lower handle.
    fn handle(&self) -> Option<Handle> {
        match self.part {
            Part::Object(handle, _) => Some(handle),
            _ => None,
        }
    }
}

/// Of two steps, the later one is the lesser, since the heap gives the greatest one first.
impl Ord for Pending {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then_with(|| other.handle().cmp(&self.handle()))
    }
}

impl PartialOrd for Pending {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Pending {}

/// Steps by ascending distance, and memory for the steps that one step leads to.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    pub(super) steps: BinaryHeap<Pending>,
    pub(super) next: Vec<Pending>,
    /// Entries of buckets with their bounds: most of them are never put in order.
    pub(super) runs: Vec<(f64, Place)>,
}

/// Memory that a query owns, or that it was lent.
#[derive(Debug)]
pub(super) enum Buffer<'b, M> {
    Own(M),
    Lent(&'b mut M),
}

impl<M> Buffer<'_, M> {
    #[inline]
    pub(super) fn get_mut(&mut self) -> &mut M {
        match self {
            Self::Own(memory) => memory,
            Self::Lent(memory) => memory,
        }
    }
}

impl<M: Clone> Clone for Buffer<'_, M> {
    fn clone(&self) -> Self {
        match self {
            Self::Own(memory) => Self::Own(memory.clone()),
            Self::Lent(memory) => Self::Own(M::clone(memory)),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::geometry::level;

    /// However many there are, and however many tie, exactly or but for the last digits.
    #[test]
    fn objects_are_put_in_order() {
        let mut dice = 1_u32;
        let mut draw = |sides: u32| {
            dice = dice.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (dice >> 8) % sides
        };
        for level in [level(), Level::baseline()] {
            for len in 0..3 * COUNTED as u32 {
                for (ranks, step) in [(3, 1.0), (1000, 1.0), (1000, 1e-12), (1000, 1e300), (1000, 1e-300)] {
                    let rank = |draw: u32| Rank::of_square(|scale| (1.0 + f64::from(draw)) * step * scale * scale);
                    let of =
                        |slot| Found { rank: rank(draw(ranks)), handle: Handle::new(slot + 1, 1), place: Place::NONE };
                    let mut found: Vec<_> = (0..len).map(of).collect();
                    found.sort_unstable_by_key(|found| found.handle.slot() * 37 % 101);
                    let mut expected = found.clone();
                    expected.sort_unstable_by(|a, b| b.compare(a));
                    sort(level, &mut found);
                    assert_eq!(found, expected, "{len} {ranks} {step}");
                }
            }
        }
    }
}
