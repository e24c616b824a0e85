//! Insertion: storing an entry in its block, and splitting full blocks.
//!
//! Keeps T1, T4, T5, T7 and the upper limit of T8 of `docs/invariants.md`.

use alloc::vec::Vec;

use super::super::arena::{Head, Node, OWN_LIST, Slot};
use super::super::bucket::{BUCKET_SLOTS, OfKind};
use super::super::rules::Rules;
use super::Forest;
use super::chains::Entry;
use crate::geometry::Scalar;
use crate::grid::{Block, Cut, axis_bits, cell_at, fits_below};
use crate::key::{BucketId, NodeId, Place};

impl<S: Scalar, const D: usize> Forest<S, D> {
    /// Stores an entry in the tree with this root. Returns its place.
    #[inline(always)]
    pub(crate) fn insert(&mut self, root: NodeId, entry: &Entry<S, D>) -> Place {
        self.count_in(root, entry);
        self.insert_below(root, entry)
    }

    /// Counts an entry in a node's subtree, and raises the node's reach to cover it if it fits the cells.
    #[inline(always)]
    pub(super) fn count_in(&mut self, node: NodeId, entry: &Entry<S, D>) -> &Node<D> {
        let of = self.arena.node_mut(node);
        of.len += 1;
        of.reach = of.reach.max(if of.sinks(entry.address.extent) { entry.reach } else { 0 });
        of
    }

    /// Stores an entry in the subtree of a node that already counts it. Returns its place.
    #[inline(always)]
    pub(super) fn insert_below(&mut self, top: NodeId, entry: &Entry<S, D>) -> Place {
        let bucket = self.bucket_for(top, entry);
        self.put(bucket, entry)
    }

    /// A bucket with room for an entry, in the subtree of a node that already counts it. Counts it in the nodes on the way.
    #[inline(always)]
    fn bucket_for(&mut self, mut node: NodeId, entry: &Entry<S, D>) -> BucketId {
        // The shift is computed from here on instead of read from each node, so that the directory look-up need not wait
        // for the node's other fields.
        let Node { mut shift, rules: Rules { split_above, .. }, .. } = *self.arena.node(node);
        let extent = entry.address.extent;
        loop {
            if !fits_below(extent, shift) {
                return self.room_at(node, OWN_LIST, 0, entry);
            }
            let cell = cell_at(entry.address.anchor, shift);
            match self.arena.node(node).slot(cell) {
                Slot::Child(child) => {
                    self.count_in(child, entry);
                    node = child;
                    shift -= axis_bits::<D>() as u8;
                }
                Slot::Bucket(first) => {
                    let head = self.arena.head(first);
                    // The common case needs no counting.
                    if head.used != u64::MAX && !head.more && BUCKET_SLOTS as u32 <= split_above {
                        return first;
                    }
                    if !self.is_at_limit(split_above, first) || !self.split(first, extent) {
                        return self.room_in(first, entry);
                    }
                }
                Slot::Vacant if self.sinks_by_size(node, extent) => {
                    let child = self.arena.new_child(node, cell);
                    self.arena.node_mut(node).set_child(cell, child);
                }
                Slot::Vacant => {
                    let of = self.arena.node(node);
                    let (cell, span) = if of.rules.by_size() { (cell, 0) } else { of.vacant_block(cell) };
                    return self.room_at(node, cell, span, entry);
                }
            }
        }
    }

    /// A bucket with room in an own list or a block, which may be vacant.
    #[cold]
    fn room_at(&mut self, node: NodeId, cell: u8, span: u8, entry: &Entry<S, D>) -> BucketId {
        match self.arena.first_at(node, cell) {
            Some(first) => self.room_in(first, entry),
            None => self.open(self.arena.new_head(node, cell, span)),
        }
    }

    /// Whether size alone sends an entry below a node's cells.
    fn sinks_by_size(&self, node: NodeId, extent: u32) -> bool {
        let of = self.arena.node(node);
        of.rules.by_size() && of.may_have_children() && fits_below(extent, of.shift_below())
    }

    /// Whether to try to split a chain before it takes one more entry.
    ///
    /// A block that can be split never exceeds the limit, so it is tried exactly at the limit. A chain that could not
    /// be split is tried again only after what exceeds the limit has doubled.
    #[cold]
    fn is_at_limit(&self, split_above: u32, first: BucketId) -> bool {
        let over = self.arena.total(first).checked_sub(split_above);
        let is_turn = |over: u32| over == 0 || BUCKET_SLOTS as u32 <= over && over.is_power_of_two();
        over.is_some_and(|over| split_above == 0 || is_turn(over))
    }

    /// Splits a chain's block to make room for an entry of this extent, if possible. Returns whether it was split.
    #[cold]
    fn split(&mut self, first: BucketId, extent: u32) -> bool {
        let head = *self.arena.head(first);
        if head.block.span > 0 {
            self.split_block(first);
            return true;
        }
        let of = self.arena.node(head.node);
        if !of.may_have_children() {
            return false;
        }
        let (rules, shift) = (of.rules, of.shift_below());
        let may_sink = if rules.by_size() {
            fits_below(extent, shift)
        } else {
            // At the first try these are all entries, or nearly all.
            let some = self.arena.chain(Some(first)).take(rules.split_above.div_ceil(BUCKET_SLOTS as u32) as usize);
            let some: Vec<_> = some.map(|bucket| (bucket, self.arena.head(bucket).used)).collect();
            let may_crowd = BUCKET_SLOTS as u32 <= self.arena.total(first) && shift != 0;
            self.mostly_fits(&some, shift) && !(may_crowd && self.are_at_one_spot(some, &head.block, of.shift))
        };
        if may_sink {
            self.split_cell(first);
        }
        may_sink
    }

    /// Whether three quarters of some entries, given as bits, fit into a child, whose cells have the side `2^shift`.
    fn mostly_fits(&self, some: &[(BucketId, u64)], shift: u8) -> bool {
        let does_fit = |place| fits_below(self.grid.address(&self.arena.shape(place)).extent, shift);
        let fit = some.iter().flat_map(|&(bucket, _)| self.arena.places_in(bucket)).filter(|&place| does_fit(place));
        self.arena.head(some[0].0).reach == 0 || Self::mostly(fit.count(), len_of(some))
    }

    /// Whether more than half of some entries of a cell, which has the side `2^shift`, are at one spot: they would fall
    /// through a child into one of the deepest nodes that there can be.
    fn are_at_one_spot(&self, mut some: Vec<(BucketId, u64)>, cell: &Block<D>, shift: u8) -> bool {
        let (half, mut origin) = (len_of(&some) / 2, cell.origin);
        let shifts = (axis_bits::<D>() as u8..shift).rev();
        shifts.flat_map(|shift| (0..D).map(move |axis| (1 << shift, axis))).all(|(side, axis)| {
            let cut = self.grid.cut(axis, origin[axis] | side);
            let after = some.iter().map(|&(bucket, bits)| (bucket, bits & self.arena.after(bucket, cut)));
            let after: Vec<_> = after.collect();
            if half < len_of(&after) {
                origin[axis] |= side;
                some = after;
            } else {
                some.iter_mut().zip(after).for_each(|((_, bits), (_, after))| *bits &= !after);
            }
            half < len_of(&some)
        })
    }

    /// Whether enough entries fit into a child to make it worth a node: three quarters.
    pub(super) fn mostly(fit: usize, all: usize) -> bool {
        all * 3 <= fit * 4
    }

    /// Splits a block into the smallest pair of halves with entries on both sides. The rest of the block becomes
    /// vacant.
    fn split_block(&mut self, first: BucketId) {
        let Head { node, cell, block, .. } = *self.arena.head(first);
        let (lower, span) = self.block_in_use(first);
        let Some(top) = span.checked_sub(1) else {
            // All in one cell.
            self.arena.vacate(node, cell, block.span);
            self.assign(first, node, lower, 0);
            return;
        };
        let upper = lower | 1 << top;
        let cut = self.cut_below(node, upper, top);
        let upper_head = self.arena.new_head(node, upper, top);
        let halves = self.partition(first, upper_head, |arena, bucket| arena.after(bucket, cut));
        self.arena.vacate(node, cell, block.span);
        for (half, cell) in halves.into_iter().flatten().zip([lower, upper]) {
            self.assign(half, node, cell, top);
            self.split_if_overfull(half);
        }
    }

    /// Splits a block further if it is still overfull, for example after a child took over a whole chain.
    fn split_if_overfull(&mut self, first: BucketId) {
        let head = self.arena.head(first);
        let split_above = self.arena.node(head.node).rules.split_above;
        if head.block.span > 0 && split_above < self.arena.total(first) {
            self.split_block(first);
        }
    }

    /// The smallest block of a node that holds all entries of a chain: its first cell, and the logarithm of their number.
    fn block_in_use(&self, first: BucketId) -> (u8, u8) {
        let Head { node, mut cell, block, .. } = *self.arena.head(first);
        for span in (0..block.span).rev() {
            let upper = cell | 1 << span;
            let cut = self.cut_below(node, upper, span);
            let (mut is_any_below, mut is_any_above) = (false, false);
            for bucket in self.arena.chain(Some(first)) {
                let after = self.arena.after(bucket, cut);
                is_any_above |= after != 0;
                is_any_below |= after != self.arena.head(bucket).used;
            }
            if is_any_below && is_any_above {
                return (cell, span + 1);
            }
            if is_any_above {
                cell = upper;
            }
        }
        (cell, 0)
    }

    /// The cut before the upper half of a block, which begins at this cell and has `2^span` cells.
    fn cut_below(&self, node: NodeId, upper: u8, span: u8) -> Cut<S> {
        // The bits of a cell's number belong to the axes in turn.
        let axis = usize::from(span) % D;
        self.grid.cut(axis, self.arena.node(node).origin_of(upper)[axis])
    }

    /// Splits a single cell into a child node. Entries too large for the child's cells go to its own list. The others
    /// stay in their buckets, which serve all of the child's cells until they are split.
    fn split_cell(&mut self, first: BucketId) {
        let Head { node, cell, .. } = *self.arena.head(first);
        let child = self.arena.new_child(node, cell);
        let len = self.arena.total(first);
        let shift = self.arena.node(child).shift;
        let own_list = self.arena.new_head(child, OWN_LIST, 0);
        let grid = self.grid;
        let parts = self.partition(first, own_list, |arena, bucket| {
            let OfKind::Rects(stored) = arena.bucket(bucket) else { return 0 };
            stored.entries_where(arena.head(bucket).used, |shape| !fits_below(grid.address(shape).extent, shift))
        });
        self.arena.node_mut(node).set_child(cell, child);
        let reach = parts[0].map_or(0, |left| self.arena.head(left).reach);
        let of = self.arena.node_mut(child);
        (of.len, of.reach) = (len, reach);
        if let [Some(left), _] = parts {
            self.assign(left, child, 0, 6);
            self.split_if_overfull(left);
        }
    }
}

/// How many entries are given as bits.
fn len_of(some: &[(BucketId, u64)]) -> usize {
    some.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
}
