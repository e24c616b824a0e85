//! All buckets of one layer: in memory order, or in walk order if the layer has fewer objects than there are buckets.
//!
//! Keeps its part of L2 of `docs/invariants.md`.

use super::probe::Everything;
use super::walk::Walk;
use super::{TreeId, Trees};
use crate::geometry::Scalar;
use crate::key::{BucketId, Kind};

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
    /// Over the buckets of all layers of a kind, from this one on.
    Memory(Kind, usize),
    /// Over the layer's own trees: the walk of the current tree, the rest of a chain to visit first, and the tree.
    Tree(Walk, Option<BucketId>, TreeId),
}

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// The buckets of a layer.
    pub(crate) fn buckets_of(&self, layer: u8) -> BucketsOf {
        // In memory order, skipping a bucket of another layer costs about as much as visiting an object.
        let kind = self.kind(layer);
        let is_most = self.arena().buckets().len(kind) <= self.len(layer);
        BucketsOf {
            layer,
            way: if is_most {
                Way::Memory(kind, 0)
            } else {
                Way::Tree(Walk::from_root(self.root(TreeId::main(layer))), None, TreeId::main(layer))
            },
            #[cfg(test)]
            visits: 0,
        }
    }
}

impl BucketsOf {
    /// The next bucket.
    #[inline(never)]
    pub(crate) fn next<S: Scalar, const D: usize>(&mut self, trees: &Trees<S, D>) -> Option<BucketId> {
        let arena = trees.arena();
        match &mut self.way {
            Way::Memory(kind, position) => loop {
                let bucket = arena.buckets().nth(*kind, *position)?;
                *position += 1;
                #[cfg(test)]
                {
                    self.visits += 1;
                }
                let head = arena.head(bucket);
                if head.used != 0 && arena.node(head.node).layer == self.layer {
                    return Some(bucket);
                }
            },
            Way::Tree(walk, rest, tree) => {
                let bucket = loop {
                    if let Some(bucket) = rest.or_else(|| Some(walk.next_chain(arena, &Everything)?.0)) {
                        break bucket;
                    }
                    *tree = trees.next_of_layer(*tree)?;
                    *walk = Walk::from_root(trees.root(*tree));
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
