//! Clusters: the objects of a query, grouped by square cells of any size.
//!
//! `squares` says which cell a point is in, `groups` holds what is known of each cell, `gather` adds whole buckets to it, and
//! `parallel` does so on several threads. Counts add whole nodes too. Knows no other query.

mod gather;
mod groups;
#[cfg(feature = "rayon")]
mod parallel;
mod squares;

use alloc::vec::{self, Vec};
use core::cell::RefCell;
use core::fmt;
use core::iter::FusedIterator;

use crate::geometry::{Rect, Region, Scalar, larger};
use crate::index::ObjectRef;
use crate::key::Handle;
use crate::query::{Condition, Predicate, Query};
use crate::tree::with_kind;
use gather::{Content, Gathering, by_cell};
use groups::{Groups, InCell};
pub use squares::CellSizeError;
use squares::Squares;

/// The objects of a query in one cell. [`Clusters`] yields it.
///
/// ```
/// # use quadrille::{Cluster, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let first: Option<Cluster> = index.iter().clusters(5.0)?.find(|cluster| cluster.cell == [0, 10]);
/// let first = first.expect("there is one");
/// assert_eq!((first.count, first.mean, first.handle), (5, [2.0, 50.0], handles[0]));
/// assert_eq!(first.bounds, Rect::new([0.0, 50.0], [4.0, 50.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster<S = f32, const D: usize = 2> {
    /// The number of the cell on each axis. Cell 0 begins at the world's minimum corner; before it numbers are negative.
    pub cell: [i32; D],
    /// The number of objects.
    pub count: usize,
    /// The mean of their centers, rounded.
    pub mean: [S; D],
    /// The smallest box around their shapes, which may be larger than the cell.
    pub bounds: Rect<S, D>,
    /// The lowest handle, which is that of the lowest slot: a representative that changes only if it leaves, or a lower one
    /// comes.
    pub handle: Handle,
}

/// An iterator over the objects of a query by groups, one for each square cell with objects. [`Query::clusters`] returns it.
///
/// The order of cells is that in which the walk comes to them: near ones come soon after each other. The same operations lead
/// to the same order. The first `next` goes through all objects of the query, and needs memory for each cell. If a region of
/// your own panics there, nothing is lost. After a `next` the other methods tell of the cells that are left.
///
/// ```
/// # use quadrille::{Clusters, Intersecting, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let view = Rect::new([0.0, 0.0], [50.0, 100.0]);
/// let clusters: Clusters<u16, Intersecting> = index.intersecting(view).clusters(25.0)?;
/// assert_eq!(clusters.cell_of([50.0, 50.0]), Some([2, 2])); // a border belongs to the cell above
/// let mut counts: Vec<_> = clusters.map(|cluster| (cluster.cell, cluster.count)).collect();
/// counts.sort();
/// assert_eq!(counts, [([0, 2], 25), ([1, 2], 25), ([2, 2], 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct Clusters<'a, T, P, S = f32, const D: usize = 2, R = Rect<S, D>, C = ()> {
    query: Query<'a, T, P, S, D, R, C>,
    squares: Squares<S, D>,
    /// The clusters that are left, once they have been gathered.
    found: Option<vec::IntoIter<Cluster<S, D>>>,
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C: Condition<T, S, D>>
    Query<'a, T, P, S, D, R, C>
{
    /// Groups the objects that are left by square cells of a size, whose borders are counted from the world's minimum corner: the
    /// question for clusters on a map, heat maps, and crowds that are drawn as one.
    ///
    /// An object is in the cell of its center, in or outside of the world. A cell's lower borders belong to it, its upper ones
    /// to the next. If the world's longest side is as long as 1, 2, 4, 8 … cells, their borders are those of the tree, with its
    /// rounding: then buckets and counters are taken whole. In a [periodic](Self::periodic) world, an object is where it is
    /// stored.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [128.0, 128.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let view = Rect::new([10.0, 0.0], [70.0, 128.0]);
    /// for cluster in index.intersecting(view).in_layers(units).clusters(16.0)? {
    ///     let _circle = (cluster.mean, cluster.count); // to be drawn
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CellSizeError`] if the size is not positive and finite, or below 2^-30 of the world's longest side, or of the distance from
    /// the world's minimum corner to the center of an object that is left: numbers of cells are `i32`. For that it looks for
    /// objects far outside the world.
    #[doc(alias("heatmap", "group_by", "supercluster"))]
    pub fn clusters(self, cell_size: S) -> Result<Clusters<'a, T, P, S, D, R, C>, CellSizeError> {
        let squares = Squares::new(self.index.space.grid(), cell_size)?;
        self.check_numbers(&squares)?;
        Ok(Clusters { query: self, squares, found: None })
    }

    /// Refuses cells if an object that is left is in one without a number.
    fn check_numbers(&self, squares: &Squares<S, D>) -> Result<(), CellSizeError> {
        let (index, mut scanner, mut farthest) = (self.index, self.scanner, 0.0);
        let around = self.surroundings();
        // Hardly ever is any object of the index so far away, but to know that takes a look along the world's border.
        let is_met = |side: Rect<S, D>| side.intersects(&around) && index.intersecting(side).exists();
        if squares.without_numbers().any(is_met) {
            while let Some((bucket, hits)) = scanner.take_bucket(&self.question, &index.space) {
                let objects = index.objects_in(bucket, self.kept(bucket, hits));
                farthest = objects.map(|object| squares.distance(object.shape().center())).fold(farthest, larger);
            }
        }
        squares.check(farthest)
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C: Condition<T, S, D>>
    Clusters<'a, T, P, S, D, R, C>
{
    /// The cell that a point falls into; `None` for a NaN, and as far away as numbers of cells end.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// assert_eq!(index.iter().clusters(10.0)?.cell_of([20.0, -0.5]), Some([2, -1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cell_of(&self, point: impl Into<[S; D]>) -> Option<[i32; D]> {
        let point = point.into();
        let cell = self.squares.cell_of(point);
        let is_numbered = |axis: usize| !(point[axis].to_f64().is_nan() || [i32::MIN, i32::MAX].contains(&cell[axis]));
        (0..D).all(is_numbered).then_some(cell)
    }

    /// Returns the number of objects in each cell that has some, in the same order. It adds counters for whatever lies in one
    /// cell and wholly in the region, as [`count`](Iterator::count) of a query does.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [128.0, 128.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let counts = index.iter().clusters(64.0)?.counts();
    /// assert_eq!(counts, [([1, 0], 36), ([0, 0], 64)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn counts(self) -> Vec<([i32; D], usize)> {
        let (query, squares, add) = (&self.query, &self.squares, |known: &mut u32, more: u32| *known += more);
        // Counters and buckets come in turns.
        let (arena, counts) = (query.index.space.trees.arena(), RefCell::new(Groups::new()));
        query.each_count(
            |block, reach, len| {
                let cell = squares.cell_around(&block.units(), reach);
                cell.map(|cell| counts.borrow_mut().add(cell, len, &mut { add })).is_some()
            },
            |bucket, hits| {
                if hits != 0 {
                    let mut counts = counts.borrow_mut();
                    with_kind!(arena.bucket(bucket.bucket()), |stored| {
                        let count = |cell, here: u64| counts.add(cell, here.count_ones(), &mut { add });
                        by_cell(squares, stored, hits, query.scanner.level, count);
                    });
                }
            },
        );
        let counts = counts.into_inner().close(&mut { add });
        self.left_of(counts).map(|(cell, count)| (cell, count as usize)).collect()
    }

    /// Returns all clusters, each with what your own functions make of its objects: `map` takes each object of the query once, and
    /// `reduce` adds what came of one or more objects to what is known of the cell. The order of objects is not specified.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [128.0, 128.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let highest = index.iter().clusters(64.0)?.map_reduce(|unit| *unit.value(), |known, value| *known = value.max(*known));
    /// assert_eq!(highest.iter().map(|(cluster, value)| (cluster.cell[0], *value)).collect::<Vec<_>>(), [(1, 99), (0, 63)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map_reduce<A>(
        self,
        map: impl FnMut(ObjectRef<'a, T, S, D>) -> A,
        reduce: impl FnMut(&mut A, A),
    ) -> Vec<(Cluster<S, D>, A)> {
        self.reduced(map, reduce)
    }

    fn reduced<A>(
        &self,
        mut map: impl FnMut(ObjectRef<'a, T, S, D>) -> A,
        mut reduce: impl FnMut(&mut A, A),
    ) -> Vec<(Cluster<S, D>, A)> {
        let (query, mut scanner) = (&self.query, self.query.scanner);
        let mut gathered = Gathering::new(query.index, &self.squares);
        while let Some((bucket, hits)) = scanner.take_bucket(&query.question, &query.index.space) {
            gathered.add(bucket, query.kept(bucket, hits), &mut map, &mut reduce);
        }
        self.named(gathered.close(&mut reduce))
    }

    /// All groups but the ones that `next` has returned.
    fn left_of<G>(&self, groups: Vec<G>) -> impl Iterator<Item = G> {
        let taken = self.found.as_ref().map_or(0, |found| groups.len() - found.len());
        groups.into_iter().skip(taken)
    }

    /// The groups that are left, as clusters.
    fn named<A>(&self, groups: Vec<InCell<Content<A, S, D>, D>>) -> Vec<(Cluster<S, D>, A)> {
        let space = &self.query.index.space;
        let cluster = |(cell, (totals, own)): InCell<Content<A, S, D>, D>| {
            let handle = space.places.handle_at(totals.first as usize).unwrap_or_default();
            let count = totals.count as usize;
            (Cluster { cell, count, mean: totals.mean(), bounds: totals.bounds, handle }, own)
        };
        self.left_of(groups).map(cluster).collect()
    }
}

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C: Condition<T, S, D>> Iterator
    for Clusters<'_, T, P, S, D, R, C>
{
    type Item = Cluster<S, D>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.found.is_none() {
            let clusters = self.reduced(|_| (), |(), ()| ()).into_iter().map(|(cluster, ())| cluster);
            self.found = Some(clusters.collect::<Vec<_>>().into_iter());
        }
        self.found.as_mut()?.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.found.as_ref().map_or((0, None), Iterator::size_hint)
    }
}

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> FusedIterator for Clusters<'_, T, P, S, D, R> {}

impl<T, P: Clone, S: Scalar, const D: usize, R: Clone, C: Clone> Clone for Clusters<'_, T, P, S, D, R, C> {
    fn clone(&self) -> Self {
        Self { query: self.query.clone(), found: self.found.clone(), ..*self }
    }
}

impl<T, P, S: Scalar, const D: usize, R: fmt::Debug, C> fmt::Debug for Clusters<'_, T, P, S, D, R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clusters").field("query", &self.query).finish_non_exhaustive()
    }
}
