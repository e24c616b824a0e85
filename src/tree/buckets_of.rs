//! All buckets of one layer: in memory order, or in walk order if the layer has fewer objects than there are buckets.
//!
//! Keeps its part of L2 of `docs/invariants.md`.

use super::Trees;
use super::bucket::Bucket;
use super::walk::{Everything, Walk};
use crate::geometry::Scalar;
use crate::grid::GridId;
use crate::key::BucketId;

/// The remaining buckets of a layer. Borrows nothing. Entries may change meanwhile, but the tree may not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BucketsOf {
    layer: u8,
    way: Way,
    /// The number of buckets and nodes visited.
    #[cfg(test)]
    pub(crate) visits: usize,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    /// Over the buckets of all layers, from this number on.
    Memory(u32),
    /// Over the layer's own trees: the walk of the current tree, the rest of a chain to visit first, and the tree's
    /// grid.
    Tree(Walk, Option<BucketId>, GridId),
}

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// The buckets of a layer.
    pub(crate) fn buckets_of(&self, layer: u8) -> BucketsOf {
        // In memory order, skipping a bucket of another layer costs about as much as visiting an object.
        let is_most = self.arena().buckets_len() <= self.len(layer);
        BucketsOf {
            layer,
            way: if is_most {
                Way::Memory(0)
            } else {
                Way::Tree(Walk::from_root(self.root(layer)), None, GridId::MAIN)
            },
            #[cfg(test)]
            visits: 0,
        }
    }
}

impl BucketsOf {
    /// The next bucket.
    #[inline(never)]
    pub(crate) fn next<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize>(
        &mut self,
        trees: &Trees<B, S, D>,
    ) -> Option<BucketId> {
        let arena = trees.arena();
        match &mut self.way {
            Way::Memory(number) => loop {
                let bucket = BucketId::numbered(*number);
                if arena.buckets_len() <= bucket.index() {
                    return None;
                }
                *number += 1;
                #[cfg(test)]
                {
                    self.visits += 1;
                }
                let head = arena.head(bucket);
                if head.used != 0 && arena.node(head.node).layer == self.layer {
                    return Some(bucket);
                }
            },
            Way::Tree(walk, rest, grid) => {
                let bucket = loop {
                    if let Some(bucket) = rest.or_else(|| Some(walk.next_chain(arena, &Everything)?.0)) {
                        break bucket;
                    }
                    *grid = trees.next_grid(self.layer, *grid)?;
                    *walk = Walk::from_root(trees.tree(self.layer, *grid)?.root);
                };
                *rest = arena.next_in_chain(bucket);
                #[cfg(test)]
                {
                    self.visits = walk.visits;
                }
                Some(bucket)
            }
        }
    }
}
