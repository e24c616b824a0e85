//! The trees of all layers of one kind, over one arena of nodes and one of buckets.
//!
//! ```text
//!   node  64 cells in Morton order:  [ a a a a b b . . n . . . … ]    own list: c
//!                                      └──┬──┘ └┬┘     │                        │
//!                          bucket a, shared by  b     child node      bucket of what is too
//!                          a block of 4 cells                         large for the cells
//! ```
//!
//! Every entry lies in one bucket of one node, at a [`Place`]. The tree returns the place of the entry that it files,
//! and writes those of others that it moved into a list that its caller owns (`moved`), in order, so that of two places
//! for one handle the last holds. It never learns what an object is worth, nor what becomes of the list.
//!
//! Files: `bucket` and `node` are the two elements; `pages` keeps buckets; `arena` gives both out; `chain` adds and takes
//! single entries;
//! `insert` descends and divides; `remove` climbs and joins; `build` files many at once; `walk` visits; `prefetch` says
//! what is fetched ahead; `layout` frees whole trees and lists their entries; `relocate` orders nodes and buckets in
//! memory.
//!
//! Keeps invariants T1 to T9 of `docs/invariants.md`.

mod arena;
mod bucket;
mod build;
mod chain;
mod insert;
mod layout;
mod node;
mod pages;
mod prefetch;
mod relocate;
mod remove;
mod walk;

use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::geometry::Rect;
use crate::grid::{Address, depth_limit, shift_at};
use crate::key::{Handle, NodeId, Place};

use pages::Pages;

pub(crate) use bucket::{BUCKET_SLOTS, Bucket, Head, Link, OWN_LIST, positions};
pub(crate) use node::{Node, Slot, block_bits};
use relocate::Pass;
pub(crate) use relocate::{Budget, Progress};
pub(crate) use walk::{Everything, Probe, Visit, Walk};

/// A list of entries that the tree moved, and to where.
pub(crate) type Moves = Vec<(Handle, Place)>;

/// What the tree files: a shape with its name and its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<S, const D: usize> {
    pub(crate) shape: Rect<S, D>,
    pub(crate) handle: Handle,
    pub(crate) address: Address<D>,
}

/// How one layer's tree grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Objects that a block may hold before it is divided. 0: size alone decides how deep an object is filed.
    pub(crate) split_above: u32,
    /// The deepest level that nodes may be on.
    pub(crate) depth_max: u8,
    /// Two halves are joined when they hold no more than this.
    pub(crate) join_at: u32,
}

impl Rules {
    pub(crate) fn new(split_above: u32, depth_max: u8) -> Self {
        // Below `split_above`, so that insertions and removals in turns do not divide and join, but not by much:
        // objects that come and go would leave buckets half empty.
        let join_at = (u64::from(split_above) * 15 / 16) as u32;
        Self { split_above, depth_max, join_at }
    }

    fn by_size(self) -> bool {
        self.split_above == 0
    }

    /// Whether nodes with cells of side `2^shift` may have child nodes.
    fn may_deepen<const D: usize>(self, shift: u8) -> bool {
        shift_at::<D>(self.depth_max.min(depth_limit::<D>())) < shift
    }
}

/// One layer's tree.
#[derive(Clone, Copy, Debug)]
struct Tree {
    /// Made with the first object; stays until the layer is cleared.
    root: NodeId,
    rules: Rules,
}

/// The trees of all layers of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Trees<B, S, const D: usize> {
    /// By layer number; `None` where the number belongs to no layer of this kind.
    by_layer: Vec<Option<Tree>>,
    nodes: Vec<Node<D>>,
    /// Apart from the buckets: a walk prunes, and a move checks its cell, without touching their memory.
    heads: Vec<Head<D>>,
    links: Vec<Link>,
    buckets: Pages<B>,
    /// The first free node; each names the next one as its parent.
    free_node: NodeId,
    free_nodes: usize,
    pass: Pass<D>,
    scalar: PhantomData<S>,
}
