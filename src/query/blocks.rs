//! The matches of a query as they lie in memory, for those who take many at once.

use core::fmt;
use core::iter;
use core::ops::Range;

use super::iterator::Query;
use super::matching::Condition;
use super::relation::Predicate;
use crate::geometry::{LANES, Rect, Region, Scalar};
use crate::key::{Handle, LayerId, Place};
use crate::space::Space;
use crate::tree::{BUCKET_SLOTS, with_kind};

/// Matches of a query that lie side by side in memory: at some of 64 positions. [`Query::blocks`] yields them.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let block = index.intersecting([7.0, 50.0]).blocks().next().expect("there is one");
/// assert_eq!(block.bits().count_ones(), 1);
/// assert_eq!(block.handles()[block.bits().trailing_zeros() as usize], handles[7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Matches<'a, S = f32, const D: usize = 2> {
    space: &'a Space<S, D>,
    /// The first place in their bucket.
    bucket: Place,
    bits: u64,
}

impl<'a, S: Scalar, const D: usize> Matches<'a, S, D> {
    /// The positions of the matches, as bits; at least one.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let all: u32 = index.iter().blocks().map(|block| block.bits().count_ones()).sum();
    /// assert_eq!(all, 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// The positions of the matches, if no other position lies between them.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let slices = index.iter().blocks().filter_map(|block| Some(&block.handles()[block.range()?]));
    /// assert!(slices.flatten().eq(&handles) || index.iter().blocks().count() > 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn range(&self) -> Option<Range<usize>> {
        let (first, len) = (self.bits.trailing_zeros(), self.bits.count_ones());
        let is_run = self.bits >> first == u64::MAX >> (u64::BITS - len);
        is_run.then_some(first as usize..(first + len) as usize)
    }

    /// Handles by position. Where there is no match, they are of other objects, of removed ones, or of none.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let block = index.intersecting([7.0, 50.0]).blocks().next().expect("there is one");
    /// assert!(block.handles()[block.range().expect("one has none between")] == [handles[7]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn handles(&self) -> &'a [Handle; BUCKET_SLOTS] {
        self.space.trees.arena().handles(self.bucket)
    }

    /// The 64 positions in rows of eight: which of a row match, as bits, and for each axis the lower and the upper ends of
    /// their shapes, which are the same if these are points. Where there is no match, an end is any number, or NaN.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut sum = 0.0;
    /// for block in index.intersecting(Rect::new([1.5, 0.0], [4.5, 99.0])).blocks() {
    ///     for (lanes, [[x, _], _]) in block.rows() {
    ///         sum += (0..8).filter(|lane| lanes >> lane & 1 == 1).map(|lane| x[lane]).sum::<f32>();
    ///     }
    /// }
    /// assert_eq!(sum, 2.0 + 3.0 + 4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (u8, [[&'a [S; LANES]; 2]; D])> {
        let (bucket, bits) = (self.space.trees.arena().bucket(self.bucket.bucket()), self.bits);
        (0..BUCKET_SLOTS / LANES)
            .map(move |row| ((bits >> (row * LANES)) as u8, with_kind!(bucket, |bucket| bucket.ends(row))))
    }

    /// The layer of the matches.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert!(index.iter().blocks().all(|block| block.layer() == units.id()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn layer(&self) -> LayerId {
        self.space.layers.id(usize::from(self.space.trees.arena().layer_of(self.bucket)))
    }

    /// The smallest box around the matches.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let corners = index.iter().blocks().flat_map(|block| [block.bounds().min(), block.bounds().max()]);
    /// assert_eq!(Rect::from_points(corners), index.bounds(units));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        let (arena, bucket) = (self.space.trees.arena(), self.bucket.bucket());
        arena.bucket(bucket).bounds(self.bits)
    }
}

impl<S, const D: usize> fmt::Debug for Matches<'_, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matches").field("bits", &self.bits).finish_non_exhaustive()
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C: Condition<T, S, D>>
    Query<'a, T, P, S, D, R, C>
{
    /// All that is left, as it lies in memory: up to 64 objects at once, for work on coordinates or handles alone.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut vertices: Vec<[f32; 2]> = Vec::new();
    /// for block in index.intersecting(Rect::new([7.5, 0.0], [30.5, 99.0])).blocks() {
    ///     for (lanes, [[x, _], [y, _]]) in block.rows() {
    ///         vertices.extend((0..8).filter(|lane| lanes >> lane & 1 == 1).map(|lane| [x[lane], y[lane]]));
    ///     }
    /// }
    /// assert_eq!(vertices.len(), 23);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn blocks(mut self) -> impl Iterator<Item = Matches<'a, S, D>> {
        self.scanner.batch.start_full();
        iter::from_fn(move || self.next_block())
    }

    #[inline(always)]
    fn next_block(&mut self) -> Option<Matches<'a, S, D>> {
        let space = &self.index.space;
        while let Some((bucket, hits)) = self.scanner.take_bucket(&self.question, space) {
            let bits = self.kept(bucket, hits);
            if bits != 0 {
                return Some(Matches { space, bucket, bits });
            }
        }
        None
    }

    /// Adds the handles of all that is left to a list, in the order of the query. For many objects, this takes less time
    /// than to collect them one by one.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut found = Vec::new();
    /// index.within_distance([7.0, 50.0], 1.0).handles_into(&mut found);
    /// assert_eq!(found, handles[6..9]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn handles_into(mut self, handles: &mut impl for<'h> Extend<&'h Handle>) {
        self.scanner.batch.start_full();
        let mut packed = [Handle::default(); BUCKET_SLOTS];
        while let Some(block) = self.next_block() {
            let (all, run, mut left) = (block.handles(), block.range(), block.bits);
            if run.is_none() {
                // Eight at once, however few are left: a loop that may end after each takes longer.
                for eight in packed.as_chunks_mut::<8>().0.iter_mut().take(left.count_ones().div_ceil(8) as usize) {
                    for handle in eight {
                        *handle = all[left.trailing_zeros() as usize % BUCKET_SLOTS];
                        left &= left.wrapping_sub(1);
                    }
                }
            }
            handles.extend(run.map_or(&packed[..block.bits.count_ones() as usize], |run| &all[run]));
        }
    }
}
