//! Figures: how many objects, nodes and buckets there are, how deep, and how much memory.

use alloc::vec::Vec;

use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::key::LayerId;
use crate::tree::{Bucket, Everything, Head, Link, Node, Trees, Visit, Walk, with_trees};

/// Levels of nodes that there can be.
const LEVELS: usize = 15;

/// Figures of an index. Made by [`SpatialIndex::stats`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Objects.
    pub objects: usize,
    /// Nodes in use.
    pub nodes: usize,
    /// Buckets in use.
    pub buckets: usize,
    /// Buckets in the longest chain.
    pub chain_max: usize,
    /// Objects by the depth of their node.
    pub depths: [usize; LEVELS],
    /// Bytes of memory held, used or not, values included but not what they own elsewhere.
    pub bytes: usize,
    /// The same for each layer by rising number.
    pub layers: Vec<LayerStats>,
}

/// Figures of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerStats {
    /// The layer.
    pub layer: LayerId,
    /// Objects.
    pub objects: usize,
    /// Nodes.
    pub nodes: usize,
    /// Buckets.
    pub buckets: usize,
    /// Buckets in the longest chain.
    pub chain_max: usize,
    /// Objects by the depth of their node.
    pub depths: [usize; LEVELS],
    /// Bytes of the layer's nodes and buckets.
    pub bytes: usize,
}

impl LayerStats {
    fn gather<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize>(layer: LayerId, trees: &Trees<B, S, D>) -> Self {
        let mut stats = Self { layer, objects: 0, nodes: 0, buckets: 0, chain_max: 0, depths: [0; LEVELS], bytes: 0 };
        let (mut walk, arena) = (Walk::over(trees.root(layer.number)), trees.arena());
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
        stats.bytes = stats.nodes * size_of::<Node<D>>()
            + stats.buckets * (size_of::<Head<D>>() + size_of::<Link>() + size_of::<B>());
        stats
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Counts what there is. Takes time for every node and bucket.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let layers: Vec<LayerStats> = self
            .space
            .layers
            .iter()
            .filter_map(|layer| Some((layer, self.space.layers.kind(layer).ok()?)))
            .map(|(layer, kind)| with_trees!(self.space.forest, kind, |trees| LayerStats::gather(layer, trees)))
            .collect();
        let sum = |figure: fn(&LayerStats) -> usize| layers.iter().map(figure).sum();
        Stats {
            objects: self.len(),
            nodes: sum(|layer| layer.nodes),
            buckets: sum(|layer| layer.buckets),
            chain_max: layers.iter().map(|layer| layer.chain_max).max().unwrap_or(0),
            depths: core::array::from_fn(|depth| layers.iter().map(|layer| layer.depths[depth]).sum()),
            bytes: self.space.bytes() + self.values.bytes(),
            layers,
        }
    }
}
