//! Nodes and buckets to where the walk expects them: depth-first in memory, a few at a time.
//!
//! A pass goes over all trees in the order of the walk. What it meets is exchanged with whatever has the number that
//! comes next, be it in use or free, so that in the end the free ones come last; reaches are made exact on the way.
//! A pass stands at a block: all before it in the order of the walk is done. Its place is found again from the root at
//! each stop, so it does not matter what has become of the trees since the last one.

use super::{Bucket, Head, Link, Moves, OWN_LIST, Slot, Trees, positions};
use crate::geometry::Scalar;
use crate::grid::{Block, Grid};
use crate::key::{BucketId, NodeId, Place};

/// How many nodes and buckets a pass may visit before it is interrupted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) whole: usize,
    /// What is left of it.
    pub(crate) left: usize,
}

/// What a pass did next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Progress {
    /// It visited so many nodes and buckets.
    Visited(usize),
    /// What comes next takes more than is left of the budget.
    Postponed,
    /// All trees are done.
    Done,
}

/// Where a pass over the trees of one kind stands.
#[derive(Clone, Debug)]
pub(super) struct Pass<const D: usize> {
    layer: u8,
    reached: Reached<D>,
    /// The next bucket of a chain of which some have been visited; none between two chains.
    bucket: BucketId,
    /// The lowest numbers that have not been given out.
    next_node: NodeId,
    next_bucket: BucketId,
}

/// How far a pass has come in one tree.
#[derive(Clone, Copy, Debug)]
enum Reached<const D: usize> {
    Nothing,
    /// A node with that block, but nothing in it.
    Entered(Block<D>),
    /// The chain of a block of cells. (A block may be all of a node, whose own list is still to come.)
    Chain(Block<D>),
    /// All of a node with that block.
    Node(Block<D>),
}

/// What a pass meets.
enum Stop {
    /// A node that is not yet entered.
    Node(NodeId),
    /// A block's chain or an own list, by its first bucket.
    Chain(BucketId),
    /// The end of a node that has no own list.
    End(NodeId),
}

impl<const D: usize> Pass<D> {
    pub(super) fn new() -> Self {
        Self {
            layer: 0,
            reached: Reached::Nothing,
            bucket: BucketId::NONE,
            next_node: NodeId(0),
            next_bucket: BucketId(0),
        }
    }

    fn begin_next_layer(&mut self) {
        self.layer += 1;
        self.reached = Reached::Nothing;
        self.bucket = BucketId::NONE;
    }
}

impl<S: Scalar, const D: usize, B: Bucket<S, D>> Trees<B, S, D> {
    /// Begins another pass.
    pub(crate) fn begin_pass(&mut self) {
        self.pass = Pass::new();
    }

    /// Visits what comes next in the pass: one node or bucket, or, where chains make it dearer, a node or bucket and as
    /// many more as are behind it. What takes more than the whole budget is not done at all.
    pub(crate) fn relocate(&mut self, grid: &Grid<S, D>, budget: Budget, moved: &mut Moves) -> Progress {
        while usize::from(self.pass.layer) < self.by_layer.len() {
            match self.next_stop() {
                Some(Stop::End(node)) => self.end(node),
                Some(_) if budget.left == 0 => return Progress::Postponed,
                Some(Stop::Node(node)) => return self.visit_node(node, budget),
                Some(Stop::Chain(first)) => return self.visit_bucket(grid, first, budget, moved),
                None => self.pass.begin_next_layer(),
            }
        }
        Progress::Done
    }

    /// What comes after what is reached in the tree at hand; nothing after its end.
    fn next_stop(&self) -> Option<Stop> {
        let root = Some(self.root(self.pass.layer)).filter(|root| !root.is_none())?;
        let (block, is_entered, is_node) = match self.pass.reached {
            Reached::Nothing => return Some(Stop::Node(root)),
            Reached::Entered(block) => (block, true, false),
            Reached::Chain(block) => (block, false, false),
            Reached::Node(block) => (block, false, true),
        };
        let volume = block.volume_log2();
        let is_inside = |node: NodeId| {
            let of = self.node(node).volume_log2();
            volume < of || volume == of && !is_node
        };
        let mut node = Some(root).filter(|&root| is_inside(root))?;
        while let Slot::Child(child) = self.node(node).slot(self.node(node).cell_of(block.origin))
            && is_inside(child)
        {
            node = child;
        }
        let of = self.node(node);
        let below = (1 << of.cell_of(block.origin)) - 1;
        let mut cells = of.occupied();
        if of.cell_volume_log2() <= volume && !is_entered {
            cells &= below;
        } else if volume < of.volume_log2() {
            // The node, or the block, was in a cell that is not divided any more, so all of the cell is to come.
            cells &= below << 1 | 1;
        }
        Some(match self.node(node).next_slot(&mut cells) {
            Some((_, Slot::Bucket(first))) => Stop::Chain(first),
            Some((_, Slot::Child(child))) => Stop::Node(child),
            Some((_, Slot::Vacant)) | None if of.own().is_none() => Stop::End(node),
            Some((_, Slot::Vacant)) | None => Stop::Chain(of.own()),
        })
    }

    /// Comes to the end of a node: all below it is done.
    fn end(&mut self, node: NodeId) {
        if B::EXTENDED {
            self.node_mut(node).reach = self.reach_below(node);
        }
        self.pass.reached = Reached::Node(self.node(node).block());
    }

    /// Gives a node the next number, if it has a higher one, and enters it.
    fn visit_node(&mut self, node: NodeId, budget: Budget) -> Progress {
        let number = self.pass.next_node;
        if node.0 <= number.0 {
            return self.enter_node(node, 1);
        }
        let [mine, others] = [node, number].map(|node| self.buckets_behind(node));
        let cost = 1 + mine + others;
        if cost <= budget.left {
            self.exchange_nodes(node, number);
            return self.enter_node(number, cost);
        }
        if cost <= budget.whole {
            return Progress::Postponed;
        }
        // One of the two stays where it is, whatever is left of the budget.
        if others <= mine {
            return self.enter_node(node, 1);
        }
        // The node is met again, for the number behind.
        self.pass.next_node = NodeId(number.0 + 1);
        Progress::Visited(1)
    }

    fn enter_node(&mut self, node: NodeId, cost: usize) -> Progress {
        if node == self.pass.next_node {
            self.pass.next_node = NodeId(node.0 + 1);
        }
        self.pass.reached = Reached::Entered(self.node(node).block());
        self.pass.bucket = BucketId::NONE;
        Progress::Visited(cost)
    }

    /// How many buckets a node has behind the first ones of its chains.
    fn buckets_behind(&self, node: NodeId) -> usize {
        if self.is_free(node) { 0 } else { self.chains(node).map(|first| self.rest_of_chain(first) as usize).sum() }
    }

    /// The first buckets of a node's chains.
    fn chains(&self, node: NodeId) -> impl Iterator<Item = BucketId> + '_ {
        let mut cells = self.node(node).occupied();
        let slots = core::iter::from_fn(move || self.node(node).next_slot(&mut cells));
        let of_cells = slots.filter_map(|(_, slot)| if let Slot::Bucket(first) = slot { Some(first) } else { None });
        of_cells.chain(self.first_at(node, OWN_LIST))
    }

    /// Exchanges two nodes, of which one may be free and one the other's parent.
    fn exchange_nodes(&mut self, one: NodeId, other: NodeId) {
        let renamed = |node: NodeId| match node {
            node if node == one => other,
            node if node == other => one,
            node => node,
        };
        let are_free = [other, one].map(|node| self.is_free(node));
        self.nodes.swap(one.index(), other.index());
        for node in [one, other] {
            let of = self.node_mut(node);
            (of.parent, of.before) = (renamed(of.parent), renamed(of.before));
        }
        // Both directories first: one may be the other's.
        for (node, is_free) in [one, other].into_iter().zip(are_free) {
            if is_free { self.enter_in_free_list(node) } else { self.enter_in_parent(node) }
        }
        for (node, is_free) in [one, other].into_iter().zip(are_free) {
            if !is_free {
                self.tell_parts(node);
            }
        }
    }

    /// Makes a node what its neighbours in the list of free ones name.
    fn enter_in_free_list(&mut self, node: NodeId) {
        let (before, next) = (self.node(node).before, self.node(node).parent);
        if before.is_none() {
            self.free_node = node;
        } else {
            self.node_mut(before).parent = node;
        }
        if !next.is_none() {
            self.node_mut(next).before = node;
        }
    }

    /// Makes a node what its parent's directory names, or its tree.
    fn enter_in_parent(&mut self, node: NodeId) {
        let (parent, cell, layer) = (self.node(node).parent, self.node(node).cell, self.node(node).layer);
        if !parent.is_none() {
            self.node_mut(parent).set_child(cell, node);
        } else if let Some(Some(tree)) = self.by_layer.get_mut(usize::from(layer)) {
            tree.root = node;
        }
    }

    /// Makes a node what its children and its buckets name.
    fn tell_parts(&mut self, node: NodeId) {
        let mut cells = self.node(node).occupied();
        while let Some((_, slot)) = self.node(node).next_slot(&mut cells) {
            match slot {
                Slot::Child(child) => self.node_mut(child).parent = node,
                Slot::Bucket(first) => self.tell_chain(first, node),
                Slot::Vacant => {}
            }
        }
        self.tell_chain(self.node(node).own(), node);
    }

    fn tell_chain(&mut self, first: BucketId, node: NodeId) {
        let mut bucket = first;
        while !bucket.is_none() {
            self.head_mut(bucket).node = node;
            bucket = self.next_in_chain(bucket);
        }
    }

    /// Gives the next bucket of a chain the next number, if it has a higher one.
    fn visit_bucket(&mut self, grid: &Grid<S, D>, first: BucketId, budget: Budget, moved: &mut Moves) -> Progress {
        let Head { node, cell, block, .. } = *self.head(first);
        let bucket = self.next_to_visit(first);
        let is_last = !self.head(bucket).more;
        // To know the reach of a chain takes a look at all its heads.
        let all = match self.rest_of_chain(first) as usize {
            0 => 0,
            rest => rest + 1,
        };
        let settles = B::EXTENDED && is_last && all < budget.whole;
        let cost = if settles { 1 + all } else { 1 };
        if budget.left < cost {
            return Progress::Postponed;
        }
        let bucket = self.place_bucket(bucket, moved);
        let first = self.first_of(bucket);
        if B::EXTENDED && bucket != first {
            self.head_mut(bucket).reach = self.exact_reach(grid, bucket);
        }
        if settles {
            let behind = self.chain(first).skip(1).map(|bucket| self.head(bucket).reach).max().unwrap_or(0);
            self.head_mut(first).reach = self.exact_reach(grid, first).max(behind);
        }
        self.pass.bucket = self.next_in_chain(bucket);
        if is_last && cell == OWN_LIST {
            self.end(node);
        } else if is_last {
            self.pass.reached = Reached::Chain(block);
        }
        Progress::Visited(cost)
    }

    /// Where in a chain the pass goes on: at its first bucket, unless some have been visited.
    fn next_to_visit(&self, first: BucketId) -> BucketId {
        let Head { node, cell, .. } = *self.head(first);
        let is_in_chain = |head: &Head<D>| head.used != 0 && head.node == node && head.cell == cell;
        let bucket = self.pass.bucket;
        if self.heads.get(bucket.index()).is_some_and(is_in_chain) { bucket } else { first }
    }

    /// Gives a bucket the next number, if it has a higher one; says which it has.
    fn place_bucket(&mut self, bucket: BucketId, moved: &mut Moves) -> BucketId {
        let number = self.pass.next_bucket;
        if bucket.0 < number.0 {
            return bucket;
        }
        self.pass.next_bucket = BucketId(number.0 + 1);
        if bucket != number {
            self.exchange_buckets(bucket, number, moved);
        }
        number
    }

    /// Exchanges two buckets, of which one may be free, and both may be of one chain.
    fn exchange_buckets(&mut self, one: BucketId, other: BucketId, moved: &mut Moves) {
        let renamed = |bucket: BucketId| match bucket {
            bucket if bucket == one => other,
            bucket if bucket == other => one,
            bucket => bucket,
        };
        self.swap_buckets(one, other);
        for bucket in [one, other] {
            let link = &mut self.links[bucket.index()];
            (link.next, link.before) = (renamed(link.next), renamed(link.before));
        }
        for bucket in [one, other] {
            if self.head(bucket).used == 0 {
                // What is free is named by nothing.
                continue;
            }
            self.enter_in_chain(bucket);
            for position in positions(self.head(bucket).used) {
                let place = Place::new(B::KIND, bucket, position);
                moved.push((self.handle(place), place));
            }
        }
    }

    /// Makes a bucket what its neighbours in its chain name, or the directory.
    fn enter_in_chain(&mut self, bucket: BucketId) {
        let Link { next, before, .. } = self.links[bucket.index()];
        if !next.is_none() {
            self.links[next.index()].before = bucket;
        }
        if before.is_none() {
            self.enter_in_directory(bucket);
        } else {
            self.links[before.index()].next = bucket;
        }
    }
}
