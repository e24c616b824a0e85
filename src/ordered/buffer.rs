//! The memory of an ordered query, which it owns or was lent.

use alloc::vec::Vec;

use super::goal::Found;
use super::pending::Queue;

/// Memory that ordered queries ([`nearest`](crate::SpatialIndex::nearest), [`raycast`](crate::SpatialIndex::raycast),
/// [`cast`](crate::SpatialIndex::cast), [`nearest_by`](crate::SpatialIndex::nearest_by)) can reuse.
///
/// An ordered query allocates when its second object is requested, and frees the memory when it is dropped. To avoid
/// that in a loop over many queries, lend each of them the same buffer with [`reusing`](crate::Nearest::reusing). A
/// buffer serves any query of any index.
///
/// A query does not know how many objects its caller will request, and to find several in one search is cheaper than
/// one by one. So a buffer remembers how many objects the last query that used it has yielded, and the next one
/// searches for as many at first: use one buffer for queries of one kind.
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
    pub(super) batch: Batch,
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
pub(super) struct Batch {
    /// The last one first.
    pub(super) found: Vec<Found>,
    /// How many objects the query has yielded, or the last one that used this.
    pub(super) yielded: usize,
}

/// Memory that a query owns, or that it was lent.
#[derive(Debug)]
pub(super) enum Buffer<'b, M> {
    Own(M),
    Lent(&'b mut M),
}

impl<M> Buffer<'_, M> {
    #[inline]
    pub(super) fn get(&self) -> &M {
        match self {
            Self::Own(memory) => memory,
            Self::Lent(memory) => memory,
        }
    }

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
        Self::Own(self.get().clone())
    }
}
