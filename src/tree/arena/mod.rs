//! The arena: nodes, buckets with their heads, the crowds that these form, and the free lists.
//!
//! Queries read trees through it. Only the other files of `tree` change it. It keeps directories, heads and crowds
//! consistent, and does not interpret entries.
//!
//! Keeps T2, T9 and its part of T1 and T3 of `docs/invariants.md`.

mod buckets;
mod crowds;
mod extents;
mod knot;
mod head;
mod node;
#[cfg(feature = "serde")]
mod saved;

use alloc::vec::Vec;
use core::iter;
use core::mem;

use super::bucket::{BUCKET_SLOTS, BucketMut, BucketRef, with_kind};
use super::rules::Rules;
use crate::geometry::{Rect, Scalar};
use crate::grid::{Block, Cut, shift_at};
use crate::key::{BUCKETS_MAX, BucketId, Handle, Kind, NodeId, Place};
use buckets::{PAGE, pushed};
use knot::{Knots, any};

pub(super) use buckets::Buckets;

pub(crate) use head::{Head, OWN_LIST};
pub(crate) use knot::{Knot, Seat, Summary};
pub(in crate::tree) use knot::{POOR, growth};
pub(crate) use node::{Node, Slot, block_bits};
#[cfg(feature = "serde")]
pub(crate) use saved::SavedArena;

/// An upper bound on the buckets that one insertion needs. It may split a chain over all cells of a node on each of at
/// most 15 levels. Each split takes a bucket per cell, one for the own list, and one for the entry. The last pages of the
/// two kinds may hold room that the other kind cannot use.
const BUCKETS_PER_INSERTION: usize = 1024 + 2 * PAGE;

/// Nodes and buckets of all trees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena<S, const D: usize> {
    nodes: Vec<Node<D>>,
    /// By bucket number. Separate from the buckets, so that a walk can prune and a move can check its block without reading
    /// them. There may be heads and seats of buckets that do not exist yet: of a kind whose last page is not full.
    heads: Vec<Head<D>>,
    /// Where each bucket is in its crowd, if it is in one. Separate from the heads, since crowds are rare.
    seats: Vec<Seat>,
    pub(crate) knots: Knots<S, D>,
    buckets: Buckets<S, D>,
    /// The first free node. Each free node names the next one as its parent.
    free_node: Option<NodeId>,
}

/// Look-ups.
impl<S: Scalar, const D: usize> Arena<S, D> {
    #[inline]
    pub(crate) fn node(&self, node: NodeId) -> &Node<D> {
        &self.nodes[node.index()]
    }

    #[inline]
    pub(crate) fn head(&self, bucket: BucketId) -> &Head<D> {
        &self.heads[bucket.index()]
    }

    #[inline]
    pub(crate) fn bucket(&self, bucket: BucketId) -> BucketRef<'_, S, D> {
        self.buckets.get(bucket)
    }

    #[inline]
    pub(crate) fn handle(&self, place: Place) -> Handle {
        self.handles(place)[usize::from(place.position())]
    }

    /// The handles of the bucket of a place, by position.
    #[inline]
    pub(crate) fn handles(&self, place: Place) -> &[Handle; BUCKET_SLOTS] {
        self.bucket(place.bucket()).handles()
    }

    #[inline]
    pub(crate) fn shape(&self, place: Place) -> Rect<S, D> {
        self.bucket(place.bucket()).shape(place.position())
    }

    /// The entries of a bucket whose anchors come after a cut, as bits.
    #[inline]
    pub(crate) fn after(&self, bucket: BucketId, cut: Cut<S>) -> u64 {
        // A vacant position keeps its other coordinates.
        with_kind!(self.bucket(bucket), |stored| stored.after(cut)) & self.head(bucket).used
    }

    /// The node of the entry at a place.
    #[inline]
    pub(crate) fn node_of(&self, place: Place) -> NodeId {
        self.head(place.bucket()).node
    }

    /// The layer of the entry at a place.
    #[inline]
    pub(crate) fn layer_of(&self, place: Place) -> u8 {
        self.node(self.node_of(place)).layer
    }

    /// Whether a bucket is in the own list of a root.
    pub(crate) fn is_of_root_list(&self, bucket: BucketId) -> bool {
        let head = self.head(bucket);
        head.is_own_list() && self.node(head.node).parent.is_none()
    }

    /// Whether a bucket in use is in the subtree of a node.
    pub(crate) fn is_below(&self, bucket: BucketId, node: NodeId) -> bool {
        let (head, node) = (self.head(bucket), self.node(node));
        let at = self.node(head.node);
        // In one tree no two nodes of the same depth overlap.
        at.layer == node.layer && node.depth <= at.depth && node.block().holds(head.block.origin)
    }

    /// The first bucket of the chain of a cell or of the own list.
    pub(crate) fn first_at(&self, node: NodeId, cell: u8) -> Option<BucketId> {
        let node = self.node(node);
        if cell == OWN_LIST {
            return node.own;
        }
        match node.slot(cell) {
            Slot::Bucket(first) => Some(first),
            Slot::Vacant | Slot::Child(_) => None,
        }
    }

    /// The world-order position right before a node. `None` if nothing comes before the node.
    pub(super) fn end_of(&self, node: NodeId) -> Option<[u32; D]> {
        let mut of = self.node(node);
        loop {
            let parent = self.node(of.parent?);
            if usize::from(of.cell) + 1 < crate::grid::CELLS {
                return Some(parent.origin_of(of.cell + 1));
            }
            of = parent;
        }
    }
}

/// Reading chains.
impl<S: Scalar, const D: usize> Arena<S, D> {
    /// The buckets of a chain from one on.
    pub(crate) fn chain(&self, first: Option<BucketId>) -> impl Iterator<Item = BucketId> + '_ {
        iter::successors(first, |&bucket| self.next_in_chain(bucket))
    }

    /// The next bucket of a chain.
    #[inline]
    pub(crate) fn next_in_chain(&self, bucket: BucketId) -> Option<BucketId> {
        if self.head(bucket).more { self.next_in_crowd(bucket, any) } else { None }
    }

    /// The buckets of a chain from one on: this one, and those whose boxes meet a region.
    pub(crate) fn chain_meeting(
        &self,
        first: Option<BucketId>,
        region: Rect<S, D>,
    ) -> impl Iterator<Item = BucketId> + '_ {
        iter::successors(first, move |&bucket| self.next_meeting(bucket, &region))
    }

    /// The next bucket of a chain whose box meets a region.
    #[inline]
    pub(crate) fn next_meeting(&self, bucket: BucketId, region: &Rect<S, D>) -> Option<BucketId> {
        if self.head(bucket).more { self.next_in_crowd(bucket, |of, from| of.next_meeting(from, region)) } else { None }
    }

    /// The number of entries in a chain, given any of its buckets.
    #[inline]
    pub(crate) fn total(&self, bucket: BucketId) -> u32 {
        match self.crowd_of(bucket) {
            Some(top) => self.knots.get(top).len,
            None => self.head(bucket).used.count_ones(),
        }
    }

    /// The first bucket of the chain that `bucket` is in.
    pub(crate) fn first_of(&self, bucket: BucketId) -> BucketId {
        let head = self.head(bucket);
        self.first_at(head.node, head.cell).expect("a bucket in use is in its node's directory")
    }
}

/// Counting.
impl<S: Scalar, const D: usize> Arena<S, D> {
    /// The buckets, and which are free.
    #[inline]
    pub(crate) fn buckets(&self) -> &Buckets<S, D> {
        &self.buckets
    }

    /// One more than the number of the last bucket.
    pub(crate) fn buckets_len(&self) -> usize {
        self.heads.len()
    }

    /// The number of nodes, in use or free.
    pub(crate) fn nodes_len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are enough buckets left for one more insertion and this many further entries at once, even if each
    /// of them takes its own bucket.
    #[inline]
    pub(crate) fn has_room_for(&self, kind: Kind, entries: usize) -> bool {
        let needed = entries + BUCKETS_PER_INSERTION;
        // Nearly always there is room for them in new pages alone.
        self.heads.len() + PAGE + needed <= BUCKETS_MAX || needed <= self.buckets.room(kind)
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<D>>()
            + self.heads.capacity() * size_of::<Head<D>>()
            + self.seats.capacity() * size_of::<Seat>()
            + self.knots.bytes_held()
            + self.buckets.bytes_held()
    }

    /// The numbers of free nodes, for the check of the free list.
    pub(crate) fn all_free_nodes(&self) -> Vec<NodeId> {
        let nodes = iter::successors(self.free_node, |&free| self.node(free).parent);
        nodes.take(self.nodes.len() + 1).collect()
    }

    /// Reserves memory for the heads and seats of this many more buckets.
    pub(super) fn reserve(&mut self, buckets: usize) {
        // Beside buckets of the other kind, the first new page may begin later.
        let buckets = if self.heads.is_empty() { buckets } else { buckets + PAGE };
        self.heads.reserve_exact(buckets);
        self.seats.reserve_exact(buckets);
    }

    /// Whether the memory held for heads exceeds the need by more than a quarter.
    pub(super) fn is_loose(&self) -> bool {
        self.heads.len() * 5 / 4 < self.heads.capacity()
    }

    /// Releases memory behind the last node and bucket.
    pub(super) fn shrink_to_fit(&mut self) {
        self.nodes.shrink_to_fit();
        self.heads.shrink_to_fit();
        self.seats.shrink_to_fit();
        self.knots.shrink_to_fit();
        self.buckets.shrink_to_fit();
    }

    #[inline]
    pub(super) fn buckets_mut(&mut self) -> &mut Buckets<S, D> {
        &mut self.buckets
    }
}

/// Changing nodes and heads.
impl<S: Scalar, const D: usize> Arena<S, D> {
    #[inline]
    pub(super) fn node_mut(&mut self, node: NodeId) -> &mut Node<D> {
        &mut self.nodes[node.index()]
    }

    #[inline]
    pub(super) fn head_mut(&mut self, bucket: BucketId) -> &mut Head<D> {
        &mut self.heads[bucket.index()]
    }

    #[inline]
    pub(super) fn bucket_mut(&mut self, bucket: BucketId) -> BucketMut<'_, S, D> {
        self.buckets.get_mut(bucket)
    }

    /// Enters `first` in the directory for the block of its head.
    pub(super) fn enter_in_directory(&mut self, first: BucketId) {
        let Head { node, cell, block, .. } = *self.head(first);
        if cell == OWN_LIST {
            self.node_mut(node).own = Some(first);
        } else {
            self.node_mut(node).set_bucket(cell, block.span, first);
        }
    }

    /// Removes a block, or the own list, from the directory.
    pub(super) fn vacate(&mut self, node: NodeId, cell: u8, span: u8) {
        if cell == OWN_LIST {
            self.node_mut(node).own = None;
        } else {
            self.node_mut(node).vacate(cell, span);
        }
    }

    /// The head of an empty first bucket for a block or the own list of a node.
    pub(crate) fn new_head(&self, node: NodeId, cell: u8, span: u8) -> Head<D> {
        let of = self.node(node);
        let [extent_min_log2, extent_max_log2] = self.extents_log2(node, cell);
        let is_plain = cell == OWN_LIST || extent_min_log2 == 0;
        let block = if cell == OWN_LIST { of.block() } else { Block::new(of.origin, of.shift, cell, span) };
        Head { used: 0, block, cell, extent_max_log2, more: false, is_plain, node, reach: 0 }
    }

    /// Exchanges the numbers of two buckets of the same kind. The second may be free; both may belong to the same chain.
    pub(super) fn exchange_buckets(&mut self, one: BucketId, other: BucketId) {
        self.heads.swap(one.index(), other.index());
        self.seats.swap(one.index(), other.index());
        self.buckets.swap(one, other);
        // Nothing names a free bucket.
        let in_use = [one, other].map(|bucket| Some(bucket).filter(|&bucket| self.head(bucket).used != 0));
        in_use.into_iter().flatten().for_each(|bucket| self.rename(bucket));
        in_use.into_iter().flatten().for_each(|bucket| self.enter_in_directory(self.first_beside(bucket)));
    }
}

/// Making and freeing.
impl<S: Scalar, const D: usize> Arena<S, D> {
    pub(super) fn new_root(&mut self, layer: u8, rules: Rules) -> NodeId {
        self.new_node(Node::root(layer, rules, shift_at::<D>(0)))
    }

    /// Makes a child of `parent` in a cell. The caller enters it in the directory.
    pub(super) fn new_child(&mut self, parent: NodeId, cell: u8) -> NodeId {
        let child = self.node(parent).child(parent, cell);
        self.new_node(child)
    }

    fn new_node(&mut self, node: Node<D>) -> NodeId {
        let Some(id) = self.free_node else {
            if self.nodes.is_empty() {
                // Many small indexes have no other.
                self.nodes.reserve_exact(1);
            }
            return NodeId::next(pushed(&mut self.nodes, node));
        };
        let free = mem::replace(self.node_mut(id), node);
        self.free_node = free.parent;
        id
    }

    pub(super) fn free_node(&mut self, node: NodeId) {
        self.node_mut(node).parent = self.free_node;
        self.free_node = Some(node);
    }

    /// Makes a vacant bucket that is in no chain. Reuses a free one near its neighbours if possible.
    pub(super) fn new_bucket(&mut self, head: Head<D>) -> BucketId {
        let kind = self.node(head.node).rules.kind;
        let neighbour = self.neighbour(head.node, head.cell);
        let bucket = match self.buckets.reuse(kind, neighbour) {
            Some(free) => free,
            None => self.buckets.push(kind),
        };
        if self.heads.is_empty() {
            self.reserve(bucket.index() + 1);
        }
        if self.heads.len() <= bucket.index() {
            // Those in between belong to buckets of the other kind that do not exist yet.
            self.heads.resize(bucket.index() + 1, Head { used: 0, ..head });
            self.seats.resize(bucket.index() + 1, Seat::NONE);
        }
        (self.heads[bucket.index()], self.seats[bucket.index()]) = (head, Seat::NONE);
        bucket
    }

    /// A bucket that the walk meets shortly before or after a cell of a node.
    fn neighbour(&self, node: NodeId, cell: u8) -> Option<BucketId> {
        let (mut of, mut cell) = (self.node(node), cell.min(63));
        loop {
            if let Some(bucket) = of.bucket_near(cell) {
                return Some(bucket);
            }
            cell = of.cell;
            of = self.node(of.parent?);
        }
    }

    /// Frees a bucket whose positions are all vacant.
    pub(super) fn free_bucket(&mut self, bucket: BucketId) {
        self.head_mut(bucket).used = 0;
        self.buckets.free(bucket);
    }
}
