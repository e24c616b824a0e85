//! The arena: makes, frees and finds nodes and buckets, and keeps the directory in step with the heads.

use alloc::vec::Vec;
use core::iter;
use core::marker::PhantomData;

use super::pages::Pages;
use super::{BUCKET_SLOTS, Bucket, Head, Link, Node, OWN_LIST, Pass, Rules, Slot, Tree, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Block, axis_bits, shift_at};
use crate::key::{BUCKETS_MAX, BucketId, Handle, NodeId, Place};

/// More buckets than one insertion can need. On each of 15 levels at most it may divide a chain over all of a node's
/// cells, which takes a bucket for each cell, one for the own list, and one for the entry.
const BUCKETS_PER_INSERTION: usize = 1024;

impl<B, S, const D: usize> Trees<B, S, D> {
    pub(crate) fn new() -> Self {
        Self {
            by_layer: Vec::new(),
            nodes: Vec::new(),
            heads: Vec::new(),
            links: Vec::new(),
            buckets: Pages::new(),
            free_node: NodeId::NONE,
            free_nodes: 0,
            pass: Pass::new(),
            scalar: PhantomData,
        }
    }

    pub(crate) fn add_tree(&mut self, layer: u8, rules: Rules) {
        let number = usize::from(layer);
        if self.by_layer.len() <= number {
            self.by_layer.resize(number + 1, None);
        }
        self.by_layer[number] = Some(Tree { root: NodeId::NONE, rules });
    }

    /// Forgets a tree, which must be empty of nodes.
    pub(crate) fn drop_tree(&mut self, layer: u8) {
        debug_assert!(self.root(layer).is_none(), "the tree was cleared before");
        self.by_layer[usize::from(layer)] = None;
    }

    /// The root of a layer's tree; none before the first object, or where there is no such tree.
    #[inline]
    pub(crate) fn root(&self, layer: u8) -> NodeId {
        self.tree(layer).map_or(NodeId::NONE, |tree| tree.root)
    }

    fn tree(&self, layer: u8) -> Option<&Tree> {
        self.by_layer.get(usize::from(layer)).and_then(Option::as_ref)
    }

    pub(crate) fn len(&self, layer: u8) -> usize {
        let root = self.root(layer);
        if root.is_none() { 0 } else { self.node(root).len as usize }
    }

    pub(crate) fn rules(&self, layer: u8) -> Rules {
        self.tree(layer).expect("the index names living layers only").rules
    }

    #[inline]
    pub(crate) fn node(&self, node: NodeId) -> &Node<D> {
        &self.nodes[node.index()]
    }

    #[inline]
    pub(super) fn node_mut(&mut self, node: NodeId) -> &mut Node<D> {
        &mut self.nodes[node.index()]
    }

    #[inline]
    pub(crate) fn head(&self, bucket: BucketId) -> &Head<D> {
        &self.heads[bucket.index()]
    }

    #[inline]
    pub(super) fn head_mut(&mut self, bucket: BucketId) -> &mut Head<D> {
        &mut self.heads[bucket.index()]
    }

    #[inline]
    pub(crate) fn bucket(&self, bucket: BucketId) -> &B {
        &self.buckets[bucket.index()]
    }

    #[inline]
    pub(super) fn bucket_mut(&mut self, bucket: BucketId) -> &mut B {
        &mut self.buckets[bucket.index()]
    }

    /// The layer of the entry at a place.
    #[inline]
    pub(crate) fn layer_of(&self, place: Place) -> u8 {
        self.node(self.head(place.bucket()).node).layer
    }

    /// Whether a bucket in use is in the subtree of a node.
    pub(crate) fn is_below(&self, bucket: BucketId, node: NodeId) -> bool {
        let (head, node) = (self.head(bucket), self.node(node));
        let at = self.node(head.node);
        // In one tree no two nodes of the same depth overlap.
        at.layer == node.layer && node.depth <= at.depth && node.block().holds(head.block.origin)
    }

    pub(crate) fn buckets_used(&self) -> usize {
        self.heads.len() - self.buckets.free_len()
    }

    pub(crate) fn nodes_used(&self) -> usize {
        self.nodes.len() - self.free_nodes
    }

    pub(crate) fn buckets_free(&self) -> usize {
        self.buckets.free_len()
    }

    pub(crate) fn nodes_free(&self) -> usize {
        self.free_nodes
    }

    /// Whether there are buckets left for whatever one more insertion needs.
    pub(crate) fn has_room(&self) -> bool {
        self.buckets_used() + BUCKETS_PER_INSERTION <= BUCKETS_MAX
    }

    /// Whether there are buckets left for so many entries at once, even if each takes a bucket of its own.
    pub(crate) fn has_room_for(&self, entries: usize) -> bool {
        self.buckets_used() + entries + BUCKETS_PER_INSERTION <= BUCKETS_MAX
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.by_layer.capacity() * size_of::<Option<Tree>>()
            + self.nodes.capacity() * size_of::<Node<D>>()
            + self.heads.capacity() * size_of::<Head<D>>()
            + self.links.capacity() * size_of::<Link>()
            + self.buckets.bytes()
    }

    /// Makes room for so many heads more.
    pub(super) fn reserve(&mut self, buckets: usize) {
        self.heads.reserve_exact(buckets);
        self.links.reserve_exact(buckets);
    }

    /// Gives back memory behind the last node and bucket.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.nodes.shrink_to_fit();
        self.heads.shrink_to_fit();
        self.links.shrink_to_fit();
        self.buckets.shrink_to_fit();
    }

    /// The buckets of a chain, the newest entries first.
    pub(crate) fn chain(&self, first: BucketId) -> impl Iterator<Item = BucketId> + '_ {
        let mut next = first;
        iter::from_fn(move || {
            let bucket = next;
            next = if bucket.is_none() { return None } else { self.next_in_chain(bucket) };
            Some(bucket)
        })
    }

    /// The bucket behind another in a chain; none after the last.
    #[inline]
    pub(crate) fn next_in_chain(&self, bucket: BucketId) -> BucketId {
        if self.head(bucket).more { self.links[bucket.index()].next } else { BucketId::NONE }
    }

    /// The bucket before another in a chain.
    pub(crate) fn before(&self, bucket: BucketId) -> BucketId {
        self.links[bucket.index()].before
    }

    /// The positions of a bucket that hold an entry, as bits; none if there is no bucket.
    pub(crate) fn used(&self, bucket: BucketId) -> u64 {
        if bucket.is_none() { 0 } else { self.head(bucket).used }
    }

    /// How many buckets are behind one in a chain.
    pub(crate) fn rest_of_chain(&self, bucket: BucketId) -> u32 {
        if self.head(bucket).more { self.links[bucket.index()].rest } else { 0 }
    }

    /// Entries in a chain, given its first bucket.
    #[inline]
    pub(crate) fn total(&self, first: BucketId) -> u32 {
        self.rest_of_chain(first) * BUCKET_SLOTS as u32 + self.head(first).used.count_ones()
    }

    /// The first bucket of the chain that `bucket` is in.
    pub(crate) fn first_of(&self, bucket: BucketId) -> BucketId {
        let head = self.head(bucket);
        self.first_at(head.node, head.cell).expect("a bucket in use is in its node's directory")
    }

    /// The first bucket that the directory names for a cell or the own list.
    pub(super) fn first_at(&self, node: NodeId, cell: u8) -> Option<BucketId> {
        let node = self.node(node);
        if cell == OWN_LIST {
            return Some(node.own()).filter(|own| !own.is_none());
        }
        match node.slot(cell) {
            Slot::Bucket(first) => Some(first),
            Slot::Vacant | Slot::Child(_) => None,
        }
    }

    /// Makes `first` what the directory names for the block of its head.
    pub(super) fn enter_in_directory(&mut self, first: BucketId) {
        let Head { node, cell, block, .. } = *self.head(first);
        if cell == OWN_LIST {
            self.node_mut(node).set_own(first);
        } else {
            self.node_mut(node).set_bucket(cell, block.span, first);
        }
    }

    /// Takes a block, or the own list, out of the directory.
    pub(super) fn vacate(&mut self, node: NodeId, cell: u8, span: u8) {
        if cell == OWN_LIST {
            self.node_mut(node).set_own(BucketId::NONE);
        } else {
            self.node_mut(node).vacate(cell, span);
        }
    }

    /// The head of a first, empty bucket for a block or own list of a node.
    pub(super) fn new_head(&self, node: NodeId, cell: u8, span: u8) -> Head<D> {
        let of = self.node(node);
        let rules = self.rules(of.layer);
        let deeper = axis_bits::<D>() as u8;
        let (block, extent_min_log2, extent_max_log2) = if cell == OWN_LIST {
            // The root's own list takes whatever is large.
            (of.block(), of.shift + 1, if of.parent.is_none() { 31 } else { of.shift + 1 + deeper })
        } else {
            let at_least = if rules.by_size() && rules.may_deepen::<D>(of.shift) { of.shift + 1 - deeper } else { 0 };
            (Block::new(of.origin, of.shift, cell, span), at_least, of.shift + 1)
        };
        Head { used: 0, block, cell, extent_min_log2, extent_max_log2, more: false, node, reach: 0 }
    }

    /// A layer's rules, and its root, which is made if there is none.
    #[inline]
    pub(super) fn rules_and_root(&mut self, layer: u8) -> (Rules, NodeId) {
        let Tree { root, rules } = *self.tree(layer).expect("the index names living layers only");
        (rules, if root.is_none() { self.new_root(layer) } else { root })
    }

    #[cold]
    fn new_root(&mut self, layer: u8) -> NodeId {
        let root = self.new_node(Node::new(layer, shift_at::<D>(0), 0, [0; D]));
        self.by_layer[usize::from(layer)].as_mut().expect("the index names living layers only").root = root;
        root
    }

    /// Makes a child of `parent` in a cell; the caller enters it in the directory.
    pub(super) fn new_child(&mut self, parent: NodeId, cell: u8) -> NodeId {
        let of = self.node(parent);
        let origin = Block::new(of.origin, of.shift, cell, 0).origin;
        let mut child = Node::new(of.layer, of.shift - axis_bits::<D>() as u8, of.depth + 1, origin);
        (child.parent, child.cell) = (parent, cell);
        self.new_node(child)
    }

    fn new_node(&mut self, node: Node<D>) -> NodeId {
        let number = self.free_node;
        if number.is_none() {
            let number = NodeId::next(self.nodes.len());
            self.nodes.push(node);
            return number;
        }
        let next = self.node(number).parent;
        if !next.is_none() {
            self.node_mut(next).before = NodeId::NONE;
        }
        self.free_node = next;
        self.free_nodes -= 1;
        *self.node_mut(number) = node;
        number
    }

    pub(super) fn free_node(&mut self, node: NodeId) {
        let next = self.free_node;
        if !next.is_none() {
            self.node_mut(next).before = node;
        }
        self.node_mut(node).parent = next;
        self.free_node = node;
        self.free_nodes += 1;
    }

    pub(super) fn is_free(&self, node: NodeId) -> bool {
        node == self.free_node || !self.node(node).before.is_none()
    }

    /// Frees a bucket, whose slots are all vacant.
    pub(super) fn free_bucket(&mut self, bucket: BucketId) {
        self.head_mut(bucket).used = 0;
        self.buckets.free(bucket.index());
    }

    /// Exchanges two buckets, their heads and links included, but not what names them.
    pub(super) fn swap_buckets(&mut self, one: BucketId, other: BucketId) {
        self.heads.swap(one.index(), other.index());
        self.links.swap(one.index(), other.index());
        self.buckets.swap(one.index(), other.index());
    }

    /// The numbers of free nodes and buckets, for the check of the free lists.
    pub(crate) fn free_lists(&self) -> (Vec<NodeId>, Vec<BucketId>) {
        let node = |free: NodeId| Some(free).filter(|node| !node.is_none());
        let nodes = iter::successors(node(self.free_node), |&free| node(self.node(free).parent));
        let buckets = self.buckets.free_numbers().map(|number| BucketId(number as u32));
        (nodes.take(self.nodes.len() + 1).collect(), buckets.collect())
    }
}

impl<S: Scalar, const D: usize, B: Bucket<S, D>> Trees<B, S, D> {
    #[inline]
    pub(crate) fn handle(&self, place: Place) -> Handle {
        self.bucket(place.bucket()).handle(place.position())
    }

    #[inline]
    pub(crate) fn shape(&self, place: Place) -> Rect<S, D> {
        self.bucket(place.bucket()).shape(place.position())
    }

    /// Makes a bucket of vacant slots, near its neighbours if one is free there.
    pub(super) fn new_bucket(&mut self, head: Head<D>, link: Link) -> BucketId {
        let near = self.neighbour(head.node, head.cell).map(BucketId::index);
        if let Some(number) = self.buckets.reuse(near) {
            (self.heads[number], self.links[number]) = (head, link);
            return BucketId(number as u32);
        }
        let bucket = BucketId::next(self.heads.len());
        assert!(self.heads.len() < BUCKETS_MAX, "places name no more buckets");
        self.heads.push(head);
        self.links.push(link);
        self.buckets.push(B::vacant());
        bucket
    }

    /// A bucket that the walk meets soon before or after a cell of a node.
    fn neighbour(&self, mut node: NodeId, mut cell: u8) -> Option<BucketId> {
        while !node.is_none() {
            let of = self.node(node);
            if let Some(bucket) = of.bucket_near(cell.min(63)) {
                return Some(bucket);
            }
            (node, cell) = (of.parent, of.cell);
        }
        None
    }
}
