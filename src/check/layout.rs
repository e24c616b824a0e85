//! A node or a block, as the tree is split now: for drawing, for debugging, and for tests.
//!
//! Shows the units and bounds of Q2 in `docs/invariants.md`.

use core::array;
use core::fmt;
use core::iter::{self, FusedIterator};

use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, UnitRange};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{BucketId, Handle, LayerId, NodeId, Place};
use crate::tree::{Head, Node, Slot};

/// The two kinds of [`Cell`].
///
/// ```
/// # use quadrille::{CellKind, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let nodes = index.cells(units).filter(|cell| cell.kind() == CellKind::Node).count();
/// let blocks = index.cells(units).filter(|cell| cell.kind() == CellKind::Block).count();
/// assert!((1..=blocks).contains(&nodes));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellKind {
    /// A node: a square of 64 cells. Its own list holds the objects that are too large for the cells.
    Node,
    /// An aligned block of a node's cells, which share a bucket or a chain of buckets.
    Block,
}

/// Identifies a node or a block by its layer, square and kind. [`Cell::key`] returns it.
///
/// ```
/// # use quadrille::{CellKey, Quadtree, Rect};
/// # use std::collections::HashSet;
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let drawn: HashSet<CellKey<2>> = index.cells(units).map(|cell| cell.key()).collect();
/// index.insert(units, [1.0, 2.0], 100)?;
/// for cell in index.cells(units).filter(|cell| !drawn.contains(&cell.key())) {
///     println!("new: {:?}", cell.square());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellKey<const D: usize> {
    layer: LayerId,
    kind: CellKind,
    units: UnitRange<D>,
}

/// A node or a block, as the tree is split now. [`Cells`](crate::Cells) yields them; [`SpatialIndex::cell_of`] and
/// [`SpatialIndex::cell_at`] return one.
///
/// ```
/// # use quadrille::{CellKind, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let cell = index.cell_of(handles[7]).expect("it lives");
/// let node = cell.parent().expect("blocks belong to nodes");
/// assert_eq!((cell.kind(), node.kind(), node.len()), (CellKind::Block, CellKind::Node, 100));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Cell<'a, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    /// The node, or the node of the block.
    node: NodeId,
    /// The first bucket of the block; `None` for a node.
    block: Option<BucketId>,
}

impl<'a, T, S: Scalar, const D: usize> Cell<'a, T, S, D> {
    /// A key for your own data about cells, such as the centers of mass in an n-body simulation.
    ///
    /// The same square of the same layer always has the same key, however the tree is split and whatever objects come
    /// and go. A node and a block may have the same square; their keys differ. After
    /// [`set_world`](SpatialIndex::set_world) keys name squares of the new world.
    ///
    /// ```
    /// # use quadrille::{Cell, CellKey, Quadtree, Rect};
    /// # use std::collections::HashMap;
    /// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let stars = index.add_point_layer()?;
    /// for n in 0..1000_u16 {
    ///     index.insert(stars, [f32::from(n % 37), f32::from(n / 37)], 1.0)?;
    /// }
    /// // The mass in each cell. Children come after their parents, so go from the last to the first.
    /// let mut mass: HashMap<CellKey<2>, f32> = HashMap::new();
    /// let cells: Vec<Cell<_>> = index.cells(stars).collect();
    /// for cell in cells.iter().rev() {
    ///     *mass.entry(cell.key()).or_default() += cell.objects().map(|star| star.value()).sum::<f32>();
    ///     if let Some(parent) = cell.parent() {
    ///         let below = mass[&cell.key()];
    ///         *mass.entry(parent.key()).or_default() += below;
    ///     }
    /// }
    /// assert_eq!(mass[&cells[0].key()], 1000.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn key(&self) -> CellKey<D> {
        CellKey { layer: self.layer(), kind: self.kind(), units: self.units() }
    }

    /// The parent of this node, or the node of this block. `None` for the root.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let root = index.cells(units).next().expect("there are objects");
    /// assert!(root.parent().is_none());
    /// assert!(index.cells(units).skip(1).all(|cell| cell.parent().is_some()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let node = if self.block.is_some() { Some(self.node) } else { self.node().parent };
        node.map(|node| Self { node, block: None, ..*self })
    }

    /// Whether this is a node or a block.
    ///
    /// ```
    /// # use quadrille::{CellKind, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let cell = index.cell_of(handles[7]).expect("it lives");
    /// assert_eq!(cell.kind(), CellKind::Block); // points are always in blocks
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn kind(&self) -> CellKind {
        if self.block.is_some() { CellKind::Block } else { CellKind::Node }
    }

    /// The cell's square in coordinates, rounded outward.
    ///
    /// It is infinite at the world's edge.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let root = index.cells(units).next().expect("there are objects");
    /// assert_eq!(root.bounds(), Rect::everything()); // objects that stick out are here too
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        self.grid().bounds(&self.units())
    }

    /// The cell's square in coordinates, rounded, and finite even at the world's edge.
    ///
    /// The root's square is on all axes as long as the world's longest side. The squares of a node's cells fill the
    /// node's square. The square of a block may be twice as long on one axis as on another.
    ///
    /// The minimum corners of objects in the world lie in the square, up to a rounding error. Objects of a layer of rectangles may stick out of the square; see
    /// [`bounds_with_reach`](Self::bounds_with_reach).
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 50.0]))?;
    /// let units = index.add_point_layer()?;
    /// index.insert(units, [10.0, 20.0], ())?;
    /// let root = index.cells(units).next().expect("a node");
    /// assert_eq!(root.square(), Rect::new([0.0, 0.0], [100.0, 100.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn square(&self) -> Rect<S, D> {
        let (grid, units) = (self.grid(), self.units());
        let begin = |axis: usize, unit: u32| {
            let at = S::from_f64(grid.origin()[axis].to_f64() + f64::from(unit) / grid.scale());
            // On a shorter axis the last units may lie beyond the largest number.
            if at.is_finite() { at } else { S::MAX }
        };
        Rect::new(
            array::from_fn::<S, D, _>(|axis| begin(axis, units.min[axis])),
            array::from_fn::<S, D, _>(|axis| begin(axis, units.max[axis] + 1)),
        )
    }

    /// The [`bounds`](Self::bounds), stretched to the high side to cover the objects stored right here.
    ///
    /// For a region that is not a box, [`near`](SpatialIndex::near) tests these bounds.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let cell = index.cell_of(handles[7]).expect("it lives");
    /// assert!(cell.objects().all(|object| cell.bounds_with_reach().contains(&object.shape())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bounds_with_reach(&self) -> Rect<S, D> {
        self.grid().bounds(&self.units().stretched(self.reach()))
    }

    /// The node's distance from the root, which is at depth 0. A block has the depth of its node.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert_eq!(index.cells(units).map(|cell| cell.depth()).next(), Some(0)); // the root
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.node().depth
    }

    /// The number of objects here and below.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let root = index.cells(units).next().expect("there are objects");
    /// assert_eq!((root.len(), root.objects().count()), (100, 0)); // they are all below
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        let Some(first) = self.block else { return self.node().len as usize };
        self.index.space.trees.arena().total(first) as usize
    }

    /// Whether there are no objects here and below.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let cell = index.cell_of(handles[7]).expect("it lives");
    /// assert!(!cell.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The layer of the tree.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let cell = index.cell_of(handles[7]).expect("it lives");
    /// assert_eq!(cell.layer(), units.id());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn layer(&self) -> LayerId {
        self.index.space.layers.id(usize::from(self.node().layer))
    }

    /// The objects stored right here: all objects of a block, or the objects in a node's own list.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let cell = index.cell_of(handles[7]).expect("it lives");
    /// assert!(cell.objects().all(|object| index.cell_of(object.handle()).is_some_and(|of| of.key() == cell.key())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn objects(&self) -> impl FusedIterator<Item = ObjectRef<'a, T, S, D>> + Clone + use<'a, T, S, D> {
        let (index, trees) = (self.index, &self.index.space.trees);
        let next = move |&bucket: &BucketId| trees.arena().next_in_chain(bucket);
        iter::successors(self.first(), next)
            .flat_map(move |bucket| index.objects_in(Place::new(bucket, 0), trees.arena().head(bucket).used))
    }

    /// Numbers for the tests of this crate. They are not part of its interface, and change with the inside.
    #[doc(hidden)]
    #[must_use]
    pub fn inside(&self) -> Inside<D> {
        let UnitRange { min, max } = self.units();
        let reach_below = if self.block.is_some() { self.reach() } else { self.node().reach };
        Inside { units: [min, max], reach: self.reach(), reach_below }
    }

    pub(super) fn new(index: &'a SpatialIndex<T, S, D>, node: NodeId, block: Option<BucketId>) -> Self {
        Self { index, node, block }
    }

    fn node(&self) -> &'a Node<D> {
        self.index.space.trees.arena().node(self.node)
    }

    fn head(&self, bucket: BucketId) -> &'a Head<D> {
        self.index.space.trees.arena().head(bucket)
    }

    /// The first bucket of the block, or of the node's own list.
    fn first(&self) -> Option<BucketId> {
        self.block.or_else(|| self.node().own)
    }

    fn units(&self) -> UnitRange<D> {
        self.block.map_or_else(|| self.node().block(), |first| self.head(first).block).units()
    }

    /// How far the objects stored right here may extend beyond the square on the high side, in units.
    fn reach(&self) -> u32 {
        self.first().map_or(0, |first| self.head(first).reach)
    }

    fn grid(&self) -> &'a Grid<S, D> {
        self.index.space.grid()
    }
}

/// Numbers of a [`Cell`] for the tests of this crate.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Inside<const D: usize> {
    /// The first and the last unit of the square, on each axis.
    pub units: [[u32; D]; 2],
    /// How far the objects stored right here may extend beyond the square on the high side, in units.
    pub reach: u32,
    /// The same for the objects of a block, or in and below the cells of a node.
    pub reach_below: u32,
}

impl<T, S, const D: usize> Clone for Cell<'_, T, S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S, const D: usize> Copy for Cell<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> fmt::Debug for Cell<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell")
            .field("kind", &self.kind())
            .field("depth", &self.depth())
            .field("units", &self.units())
            .field("reach", &self.reach())
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// The cell that stores an object: its block, or a node if the object is in the node's own list.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let cell = index.cell_of(handles[7]).expect("it lives");
    /// assert!(cell.objects().any(|object| object.handle() == handles[7]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cell_of(&self, object: Handle) -> Option<Cell<'_, T, S, D>> {
        let place = self.space.place(object)?;
        let (arena, head) = (self.space.trees.arena(), self.space.trees.arena().head(place.bucket()));
        let block = (!head.is_own_list()).then(|| arena.first_of(place.bucket()));
        Some(Cell::new(self, head.node, block))
    }

    /// The block that a point falls into, or the smallest node around it if there is no block.
    ///
    /// Returns `None` if the layer is not one of this index or holds no objects yet, or if the point has a NaN.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let cell = index.cell_at(units, [7.5, 50.0]).expect("the layer has objects");
    /// assert!(cell.bounds().contains_point([7.5, 50.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cell_at(&self, layer: impl Into<LayerId>, point: impl Into<[S; D]>) -> Option<Cell<'_, T, S, D>> {
        let (layer, point) = (layer.into(), Rect::from_point(point));
        self.space.layers.kind(layer).ok().filter(|_| !point.is_empty())?;
        let mut node = self.space.trees.root(layer.number)?;
        let anchor = self.space.grid().address(&point).anchor;
        loop {
            let of = self.space.trees.arena().node(node);
            let block = match of.slot(of.cell_of(anchor)) {
                Slot::Child(child) => {
                    node = child;
                    continue;
                }
                Slot::Bucket(first) => Some(first),
                Slot::Vacant => None,
            };
            return Some(Cell::new(self, node, block));
        }
    }
}
