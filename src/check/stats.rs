//! Figures of an index: how many objects, nodes and buckets it has, how deep they lie, and how much memory they take.

use alloc::vec::Vec;

use super::warning::{Warning, warnings};
use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::key::{LayerId, NodeId};
use crate::tree::{Arena, Everything, Head, Link, Node, Trees, Visit, Walk};

/// The greatest possible number of levels of nodes.
const LEVELS: usize = 15;

/// Figures of an index. [`SpatialIndex::stats`] returns them.
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The bytes of memory held, in use or free. Values are included; memory that they own elsewhere is not.
    pub bytes: usize,
    /// The figures of each layer, by ascending number.
    pub layers: Vec<LayerStats>,
    /// Reasons why queries are slow, if there are any: then the world should be another one.
    pub warnings: Vec<Warning>,
}

/// Figures of a layer, as a part of [`Stats`].
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// for layer in &index.stats().layers {
///     println!("layer {}: {} objects in {} buckets", layer.layer.number(), layer.objects, layer.buckets);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerStats {
    /// The layer.
    pub layer: LayerId,
    /// The number of objects.
    pub objects: usize,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of buckets.
    pub buckets: usize,
    /// The number of buckets in the longest chain.
    pub chain_max: usize,
    /// The number of objects by the depth of their nodes.
    pub depths: [usize; LEVELS],
    /// The bytes of the layer's nodes and buckets.
    pub bytes: usize,
}

impl LayerStats {
    fn gather<S: Scalar, const D: usize>(layer: LayerId, trees: &Trees<S, D>) -> Self {
        let mut stats = Self { layer, objects: 0, nodes: 0, buckets: 0, chain_max: 0, depths: [0; LEVELS], bytes: 0 };
        for tree in trees.trees(layer.number) {
            stats.gather_tree(trees.arena(), tree.root);
        }
        stats.bytes = stats.nodes * size_of::<Node<D>>()
            + stats.buckets * (size_of::<Head<D>>() + size_of::<Link>() + trees.bucket_bytes(layer.number));
        stats
    }

    fn gather_tree<S: Scalar, const D: usize>(&mut self, arena: &Arena<S, D>, root: Option<NodeId>) {
        let (stats, mut walk) = (self, Walk::from_root(root));
        while let Some(visit) = walk.next(arena, &Everything) {
            match visit {
                Visit::Node(_) => stats.nodes += 1,
                Visit::Chain { first, .. } => {
                    let (buckets, objects) = (arena.rest_of_chain(first) as usize + 1, arena.total(first) as usize);
                    stats.buckets += buckets;
                    stats.chain_max = stats.chain_max.max(buckets);
                    stats.objects += objects;
                    stats.depths[usize::from(arena.node(arena.head(first).node).depth)] += objects;
                }
            }
        }
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Counts objects, nodes, buckets and memory, and warns where the world does not fit the objects. Takes time in
    /// proportion to the number of nodes and buckets, and to that of crowded objects.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let stats = index.stats();
    /// println!("{} objects in {} buckets, {} bytes", stats.objects, stats.buckets, stats.bytes);
    /// assert!(stats.warnings.is_empty()); // the world fits
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        let (mut layers, mut all_warnings) = (Vec::new(), Vec::new());
        for layer in self.space.layers.iter() {
            layers.push(LayerStats::gather(layer, &self.space.trees));
            all_warnings.extend(warnings(layer, &self.space.trees));
        }
        let sum = |figure: fn(&LayerStats) -> usize| layers.iter().map(figure).sum();
        Stats {
            objects: self.len(),
            nodes: sum(|layer| layer.nodes),
            buckets: sum(|layer| layer.buckets),
            chain_max: layers.iter().map(|layer| layer.chain_max).max().unwrap_or(0),
            depths: core::array::from_fn(|depth| layers.iter().map(|layer| layer.depths[depth]).sum()),
            bytes: self.space.bytes() + self.values.bytes(),
            layers,
            warnings: all_warnings,
        }
    }
}
