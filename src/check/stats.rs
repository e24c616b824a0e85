//! Statistics: how many objects, nodes and buckets there are, how deep they lie, and how much memory they take.

use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::key::LayerSet;
use crate::tree::{Everything, Head, Node, Seat, Trees, Visit, Walk};

/// The greatest possible number of levels of nodes.
const LEVELS: usize = 15;

/// Statistics of an index or of some layers. [`SpatialIndex::stats`] and [`SpatialIndex::stats_in`] return them.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let stats = index.stats();
/// assert_eq!((stats.objects, stats.depths.iter().sum::<usize>()), (100, 100));
/// println!("{} bytes per object", stats.bytes / stats.objects);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of objects.
    pub objects: usize,
    /// The number of nodes in use.
    pub nodes: usize,
    /// The number of buckets in use.
    pub buckets: usize,
    /// The number of buckets in the longest chain.
    pub chain_max: usize,
    /// The number of objects by the depth of their nodes.
    pub depths: [usize; LEVELS],
    /// The bytes of memory.
    ///
    /// [`stats`](SpatialIndex::stats) counts all memory that the index holds, in use or free. This includes values, but
    /// not memory that values own elsewhere. [`stats_in`](SpatialIndex::stats_in) counts the layers' nodes and buckets.
    pub bytes: usize,
}

impl Stats {
    fn add_layer<S: Scalar, const D: usize>(&mut self, number: u8, trees: &Trees<S, D>) {
        let arena = trees.arena();
        let bucket = trees.bucket_bytes(number);
        let mut walk = Walk::from_root(trees.root(number));
        while let Some(visit) = walk.next(arena, &Everything) {
            let Visit::Chain { first, .. } = visit else {
                self.nodes += 1;
                self.bytes += size_of::<Node<D>>();
                continue;
            };
            let (buckets, objects) = (arena.chain(Some(first)).count(), arena.total(first) as usize);
            self.buckets += buckets;
            self.bytes += buckets * (size_of::<Head<D>>() + size_of::<Seat>() + bucket);
            self.chain_max = self.chain_max.max(buckets);
            self.objects += objects;
            self.depths[usize::from(arena.node(arena.head(first).node).depth)] += objects;
        }
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Counts objects, nodes, buckets and memory.
    ///
    /// Takes time in proportion to the number of nodes and buckets.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let stats = index.stats();
    /// println!("{} objects in {} buckets, {} bytes", stats.objects, stats.buckets, stats.bytes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats { bytes: self.space.bytes() + self.values.bytes(), ..self.stats_in(LayerSet::ALL) }
    }

    /// Counts as [`stats`](Self::stats) does, but only in a set of layers.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// for layer in index.layers() {
    ///     let stats = index.stats_in(layer);
    ///     println!("layer {}: {} objects in {} buckets", layer.number(), stats.objects, stats.buckets);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn stats_in(&self, layers: impl Into<LayerSet>) -> Stats {
        let (mut stats, mut layers) = (Stats::default(), layers.into());
        while let Some(number) = self.space.next_layer(&mut layers) {
            stats.add_layer(number, &self.space.trees);
        }
        stats
    }
}
