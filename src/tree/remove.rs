//! Up the tree: taking an entry out, moving one to where it belongs now, and joining what has become poor.

use alloc::vec::Vec;

use super::{Bucket, Entry, Head, Moves, OWN_LIST, Rules, Slot, Trees, positions};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Grid, axis_bits, fits_below};
use crate::key::{BucketId, Handle, NodeId, Place};

/// Where an entry was that has been taken out.
struct Left {
    node: NodeId,
    /// The first cell of its block, or the own list's.
    cell: u8,
    extent: u32,
    rules: Rules,
    /// Whether its block may be joined with a neighbour now.
    is_poor: bool,
    /// Whether it may have determined the reach of its block or own list.
    was_longest: bool,
}

/// What a block of cells is made of.
enum Part {
    Vacant,
    /// The block is exactly that of one chain.
    Chain(BucketId),
    /// More than one chain, or child nodes, or a chain whose block is larger.
    Other,
}

impl<S: Scalar, const D: usize, B: Bucket<S, D>> Trees<B, S, D> {
    /// Removes the entry at a place.
    pub(crate) fn remove(&mut self, grid: &Grid<S, D>, place: Place, moved: &mut Moves) {
        let left = self.leave(grid, place, moved);
        self.discount(left.node, NodeId::NONE);
        self.tidy(grid, &left, moved);
    }

    /// Takes the entry at a place out of its chain.
    #[inline(always)]
    fn leave(&mut self, grid: &Grid<S, D>, place: Place, moved: &mut Moves) -> Left {
        let Head { node, cell, reach, .. } = *self.head(place.bucket());
        let extent = self.extent(grid, place);
        let first = self.take(place.bucket(), place.position(), moved);
        let rules = self.rules(self.node(node).layer);
        let is_poor = cell != OWN_LIST && first.is_none_or(|first| self.is_poor(rules, first));
        Left { node, cell, extent, rules, is_poor, was_longest: reach <= Self::reach_of(extent) }
    }

    fn extent(&self, grid: &Grid<S, D>, place: Place) -> u32 {
        if B::EXTENDED { grid.address(&self.shape(place)).extent } else { 0 }
    }

    /// Changes the shape of the entry at a place, if it may stay there.
    #[inline(always)]
    pub(crate) fn move_in_place(&mut self, place: Place, shape: &Rect<S, D>, address: &Address<D>) -> bool {
        let bucket = place.bucket();
        let head = self.head(bucket);
        if !head.keeps(address.anchor, address.extent) {
            return false;
        }
        if B::EXTENDED && head.reach < address.extent {
            self.grow_reach(bucket, address.extent);
        }
        self.bucket_mut(bucket).set_shape(place.position(), shape);
        true
    }

    /// Asks for a new shape of every entry of a layer's tree, in the order of memory, and changes those that may stay
    /// where they are; says how many. The others are added to `leaving`, with their new shapes.
    pub(crate) fn update(
        &mut self,
        grid: &Grid<S, D>,
        layer: u8,
        mut shape_of: impl FnMut(Handle, Rect<S, D>) -> Option<Rect<S, D>>,
        leaving: &mut Vec<(Handle, Rect<S, D>)>,
    ) -> usize {
        let mut in_place = 0;
        for number in 0..self.heads.len() {
            let bucket = BucketId(number as u32);
            let Head { used, node, .. } = *self.head(bucket);
            if used == 0 || self.node(node).layer != layer {
                continue;
            }
            // Looked up once for all entries, unless one has grown.
            let (mut head, mut entries) = (&self.heads[number], &mut self.buckets[number]);
            for position in positions(used) {
                let handle = entries.handle(position);
                let Some(shape) = shape_of(handle, entries.shape(position)) else { continue };
                let Address { anchor, extent } = grid.address(&shape);
                if !head.keeps(anchor, extent) {
                    leaving.push((handle, shape));
                    continue;
                }
                if B::EXTENDED && head.reach < extent {
                    self.grow_reach(bucket, extent);
                    (head, entries) = (&self.heads[number], &mut self.buckets[number]);
                }
                entries.set_shape(position, &shape);
                in_place += 1;
            }
        }
        in_place
    }

    /// Files the entry at a place anew, from the lowest node around both where it was and where it belongs; says where.
    pub(crate) fn refile(&mut self, grid: &Grid<S, D>, place: Place, entry: &Entry<S, D>, moved: &mut Moves) -> Place {
        let mut top = self.head(place.bucket()).node;
        while !self.may_hold(top, &entry.address) {
            top = self.node(top).parent;
        }
        self.prefetch_way(top, || entry.address);
        let left = self.leave(grid, place, moved);
        self.discount(left.node, top);
        self.raise_reach(top, Self::reach_of(entry.address.extent));
        let place = self.insert_below(grid, left.rules, top, entry, moved);
        self.tidy(grid, &left, moved);
        place
    }

    /// Whether an object with that address belongs into the subtree of a node.
    #[inline]
    fn may_hold(&self, node: NodeId, address: &Address<D>) -> bool {
        let of = self.node(node);
        let shift_of_parent = of.shift + axis_bits::<D>() as u8;
        of.parent.is_none() || of.block().holds(address.anchor) && fits_below(address.extent, shift_of_parent)
    }

    /// Counts one entry less in a node and in those above it, up to but without `end`.
    #[inline]
    fn discount(&mut self, mut node: NodeId, end: NodeId) {
        while node != end {
            let of = self.node_mut(node);
            of.len -= 1;
            node = of.parent;
        }
    }

    /// After an entry has left: joins what is poor, and makes reaches exact again that it may have determined.
    #[inline(always)]
    fn tidy(&mut self, grid: &Grid<S, D>, left: &Left, moved: &mut Moves) {
        let Left { mut node, cell, extent, rules, is_poor, was_longest } = *left;
        if B::EXTENDED && was_longest {
            self.lower_reach(grid, node, cell);
        }
        if is_poor {
            self.join(rules, node, cell, moved);
        }
        while self.may_collapse(rules, node) {
            let cell;
            (node, cell) = self.collapse(node, moved);
            self.join(rules, node, cell, moved);
        }
        if B::EXTENDED {
            self.lower_reach_above(node, Self::reach_of(extent));
        }
    }

    /// Whether a chain holds so little that it may be joined with a neighbour. The poorer half asks; so most often the
    /// other one need not even be looked at.
    #[inline]
    fn is_poor(&self, rules: Rules, first: BucketId) -> bool {
        self.total(first) <= rules.join_at / 2
    }

    /// Joins the block around a cell with the other half of the next larger one, and so on, while both together hold
    /// little enough.
    fn join(&mut self, rules: Rules, node: NodeId, cell: u8, moved: &mut Moves) {
        let (mut cell, mut span) = match self.node(node).slot(cell) {
            Slot::Vacant => self.node(node).vacant_block(cell),
            Slot::Bucket(first) if !self.is_poor(rules, first) => return,
            Slot::Bucket(first) => (self.head(first).cell, self.head(first).block.span),
            Slot::Child(_) => return,
        };
        while span < 6 {
            let lower = cell & !(1 << span);
            let parts = [self.part(node, lower, span), self.part(node, lower | 1 << span, span)];
            match parts {
                [Part::Vacant, Part::Vacant] => {}
                [Part::Chain(one), Part::Vacant] | [Part::Vacant, Part::Chain(one)] => {
                    if rules.join_at < self.total(one) {
                        return;
                    }
                    self.widen(one, lower, span + 1);
                }
                [Part::Chain(one), Part::Chain(other)] => {
                    let totals = [one, other].map(|first| self.total(first));
                    if rules.join_at < totals[0] + totals[1] {
                        return;
                    }
                    let (from, into) = if totals[0] < totals[1] { (one, other) } else { (other, one) };
                    let into = self.pour(from, into, moved);
                    self.widen(into, lower, span + 1);
                }
                _ => return,
            }
            (cell, span) = (lower, span + 1);
        }
    }

    fn widen(&mut self, first: BucketId, cell: u8, span: u8) {
        let head = *self.head(first);
        self.vacate(head.node, head.cell, head.block.span);
        self.rehome(first, head.node, cell, span);
    }

    fn part(&self, node: NodeId, cell: u8, span: u8) -> Part {
        let of = self.node(node);
        match of.slot(cell) {
            Slot::Bucket(first) if self.head(first).block.span == span => Part::Chain(first),
            Slot::Vacant if of.is_vacant(cell, span) => Part::Vacant,
            _ => Part::Other,
        }
    }

    #[inline]
    fn may_collapse(&self, rules: Rules, node: NodeId) -> bool {
        let of = self.node(node);
        // Children of so poor a node have collapsed before.
        of.len <= rules.join_at && !of.parent.is_none() && !of.has_children()
    }

    /// Gives the few entries of a node back to the parent's cell, and says which that is.
    #[cold]
    fn collapse(&mut self, node: NodeId, moved: &mut Moves) -> (NodeId, u8) {
        let of = self.node(node);
        let (parent, cell) = (of.parent, of.cell);
        let mut all = self.first_at(node, OWN_LIST);
        let mut cells = self.node(node).occupied();
        while let Some((_, Slot::Bucket(first))) = self.node(node).next_slot(&mut cells) {
            all = Some(all.map_or(first, |into| self.pour(first, into, moved)));
        }
        self.node_mut(parent).vacate(cell, 0);
        if let Some(first) = all {
            self.rehome(first, parent, cell, 0);
        }
        self.free_node(node);
        (parent, cell)
    }

    /// Raises the reach of a bucket, and of the nodes above, to cover an extent.
    fn grow_reach(&mut self, bucket: BucketId, extent: u32) {
        let reach = Self::reach_of(extent);
        let first = self.first_of(bucket);
        for bucket in [bucket, first] {
            let head = self.head_mut(bucket);
            head.reach = head.reach.max(reach);
        }
        self.raise_reach(self.head(bucket).node, reach);
    }

    /// Raises the reach of a node and of those above it.
    fn raise_reach(&mut self, mut node: NodeId, reach: u32) {
        while !node.is_none() && self.node(node).reach < reach {
            let of = self.node_mut(node);
            of.reach = reach;
            node = of.parent;
        }
    }

    /// Looks anew for the reach of a block or own list.
    ///
    /// Chains of several buckets are left alone: that would cost more than it saves.
    fn lower_reach(&mut self, grid: &Grid<S, D>, node: NodeId, cell: u8) {
        let Some(first) = self.first_at(node, cell) else { return };
        if self.head(first).more {
            return;
        }
        self.head_mut(first).reach = self.exact_reach(grid, first);
    }

    /// The reach that a bucket's entries need; no more than it has, as what wobbled up by one is covered already.
    pub(super) fn exact_reach(&self, grid: &Grid<S, D>, bucket: BucketId) -> u32 {
        let Head { reach, used, .. } = *self.head(bucket);
        let mut exact = 0;
        for position in positions(used) {
            exact = exact.max(Self::reach_of(grid.address(&self.bucket(bucket).shape(position)).extent));
            if reach <= exact {
                return reach;
            }
        }
        exact
    }

    /// Looks anew for the reaches of a node and those above it, as far as `reach` may have determined them.
    fn lower_reach_above(&mut self, mut node: NodeId, reach: u32) {
        while !node.is_none() && self.node(node).reach <= reach {
            let exact = self.reach_below(node);
            let of = self.node_mut(node);
            if exact == of.reach {
                return;
            }
            of.reach = exact;
            node = of.parent;
        }
    }

    /// The largest reach of a node's own list, buckets and children.
    pub(crate) fn reach_below(&self, node: NodeId) -> u32 {
        let of = self.node(node);
        let mut reach = self.first_at(node, OWN_LIST).map_or(0, |own| self.head(own).reach);
        let mut cells = of.occupied();
        while reach < of.reach {
            reach = reach.max(match self.node(node).next_slot(&mut cells) {
                Some((_, Slot::Bucket(first))) => self.head(first).reach,
                Some((_, Slot::Child(child))) => self.node(child).reach,
                Some((_, Slot::Vacant)) | None => break,
            });
        }
        reach
    }
}
