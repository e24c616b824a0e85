//! The walk over the nodes and blocks of a layer.

use core::fmt;
use core::iter::FusedIterator;

use super::layout::Cell;
use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::key::LayerId;
use crate::tree::{Everything, Visit, Walk};

/// An iterator over the nodes and blocks of a layer, parents first. [`SpatialIndex::cells`] returns it.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// for cell in index.cells(units) {
///     let indent = usize::from(cell.depth());
///     println!("{:indent$}{:?} {:?}: {} objects", "", cell.kind(), cell.square(), cell.len());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "iterators do nothing until they are iterated"]
pub struct Cells<'a, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    walk: Walk,
    /// Whether the last cell was a node, so that `skip_children` has something to skip.
    at_node: bool,
}

impl<T, S: Scalar, const D: usize> Cells<'_, T, S, D> {
    /// Skips everything below the last cell yielded. A block has nothing below it.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut cells = index.cells(units);
    /// assert!(cells.next().is_some_and(|root| root.len() == 100));
    /// cells.skip_children();
    /// assert!(cells.next().is_none()); // everything is below the root
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn skip_children(&mut self) {
        if self.at_node {
            self.walk.skip_rest_of_node();
        }
    }
}

impl<'a, T, S: Scalar, const D: usize> Iterator for Cells<'a, T, S, D> {
    type Item = Cell<'a, T, S, D>;

    fn next(&mut self) -> Option<Self::Item> {
        let arena = self.index.space.trees.arena();
        loop {
            let (node, block) = match self.walk.next(arena, &Everything)? {
                Visit::Node(node) => (node, None),
                // A node's own list was yielded with the node.
                Visit::Chain { first, .. } if arena.head(first).is_own_list() => continue,
                Visit::Chain { first, .. } => (arena.head(first).node, Some(first)),
            };
            self.at_node = block.is_none();
            return Some(Cell::new(self.index, node, block));
        }
    }
}

impl<T, S: Scalar, const D: usize> FusedIterator for Cells<'_, T, S, D> {}

impl<T, S, const D: usize> Clone for Cells<'_, T, S, D> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<T, S: Scalar, const D: usize> fmt::Debug for Cells<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// The nodes and blocks of a layer, parents first.
    ///
    /// Yields nothing if the layer is not one of this index or holds no objects yet.
    ///
    /// ```
    /// # use quadrille::{CellKind, Quadtree, Rect};
    /// let mut index: Quadtree<i32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// for n in 0..100 {
    ///     index.insert(units, [n as f32, 50.0], n)?;
    /// }
    /// let blocks = index.cells(units).filter(|cell| cell.kind() == CellKind::Block);
    /// assert_eq!(blocks.map(|block| block.objects().count()).sum::<usize>(), 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cells(&self, layer: impl Into<LayerId>) -> Cells<'_, T, S, D> {
        let layer = layer.into();
        let root = self.space.layers.kind(layer).ok().and_then(|_| self.space.trees.root(layer.number));
        Cells { index: self, walk: Walk::from_root(root), at_node: false }
    }
}
