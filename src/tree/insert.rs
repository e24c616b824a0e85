//! Down the tree: filing an entry, and dividing blocks that are full.

use super::{BUCKET_SLOTS, Bucket, Entry, Head, Moves, OWN_LIST, Rules, Slot, Trees, positions};
use crate::geometry::Scalar;
use crate::grid::{Address, Grid, axis_bits, cell_at, fits_below};
use crate::key::{BucketId, NodeId, Place};

impl<S: Scalar, const D: usize, B: Bucket<S, D>> Trees<B, S, D> {
    /// Files an entry in a layer's tree; says where.
    #[inline(always)]
    pub(crate) fn insert(&mut self, grid: &Grid<S, D>, layer: u8, entry: &Entry<S, D>, moved: &mut Moves) -> Place {
        let (rules, root) = self.rules_and_root(layer);
        self.count_in(root, entry);
        self.insert_below(grid, rules, root, entry, moved)
    }

    /// Counts an entry as one of a node's subtree.
    #[inline]
    fn count_in(&mut self, node: NodeId, entry: &Entry<S, D>) {
        let of = self.node_mut(node);
        of.len += 1;
        of.reach = of.reach.max(Self::reach_of(entry.address.extent));
    }

    /// Files an entry in the subtree of a node, where it is counted already; says where.
    #[inline(always)]
    pub(super) fn insert_below(
        &mut self,
        grid: &Grid<S, D>,
        rules: Rules,
        top: NodeId,
        entry: &Entry<S, D>,
        moved: &mut Moves,
    ) -> Place {
        let mut node = top;
        // Kept here instead of asked of each node, so that its directory is fetched while its other fields still are.
        let mut shift = self.node(top).shift;
        loop {
            if !fits_below(entry.address.extent, shift) {
                return self.add(node, OWN_LIST, 0, entry);
            }
            let cell = cell_at(entry.address.anchor, shift);
            match self.node(node).slot(cell) {
                Slot::Child(child) => {
                    node = child;
                    shift -= axis_bits::<D>() as u8;
                    self.count_in(child, entry);
                }
                Slot::Bucket(first) => {
                    if !self.is_due(rules, first) || !self.divide(grid, rules, first, entry, moved) {
                        return self.push(first, entry);
                    }
                }
                Slot::Vacant if self.sinks_by_size(rules, node, entry.address.extent) => {
                    let child = self.new_child(node, cell);
                    self.node_mut(node).set_child(cell, child);
                }
                Slot::Vacant => {
                    let (cell, span) = if rules.by_size() { (cell, 0) } else { self.node(node).vacant_block(cell) };
                    return self.add(node, cell, span, entry);
                }
            }
        }
    }

    /// Adds an entry to the own list or to a block that is vacant or the chain's; says where.
    #[cold]
    fn add(&mut self, node: NodeId, cell: u8, span: u8, entry: &Entry<S, D>) -> Place {
        let first = self.first_at(node, cell).unwrap_or_else(|| self.open(self.new_head(node, cell, span)));
        self.push(first, entry)
    }

    /// Whether size alone sends an entry below a node's cells.
    fn sinks_by_size(&self, rules: Rules, node: NodeId, extent: u32) -> bool {
        let shift = self.node(node).shift;
        rules.by_size() && rules.may_deepen::<D>(shift) && fits_below(extent, shift - axis_bits::<D>() as u8)
    }

    /// Whether a chain that is to take one entry more should be divided.
    ///
    /// A chain that cannot be divided is asked again when it has grown by a whole bucket, not at every entry.
    #[inline]
    fn is_due(&self, rules: Rules, first: BucketId) -> bool {
        let head = self.head(first);
        // No need to count, most often.
        if head.used != u64::MAX && !head.more && BUCKET_SLOTS as u32 <= rules.split_above {
            return false;
        }
        let over = self.total(first).checked_sub(rules.split_above);
        over.is_some_and(|over| head.block.span > 0 || rules.by_size() || over % BUCKET_SLOTS as u32 == 0)
    }

    /// Divides a chain's block to make room for an entry, if it can be divided.
    #[cold]
    fn divide(
        &mut self,
        grid: &Grid<S, D>,
        rules: Rules,
        first: BucketId,
        entry: &Entry<S, D>,
        moved: &mut Moves,
    ) -> bool {
        let head = *self.head(first);
        if head.block.span > 0 {
            self.halve(grid, rules, first, moved);
            return true;
        }
        let shift = self.node(head.node).shift;
        if !rules.may_deepen::<D>(shift) {
            return false;
        }
        let shift = shift - axis_bits::<D>() as u8;
        let deepens = if rules.by_size() {
            fits_below(entry.address.extent, shift)
        } else {
            self.mostly_fits(grid, rules, first, shift)
        };
        if deepens {
            self.deepen(grid, rules, first, moved);
        }
        deepens
    }

    /// Whether three quarters of a chain fit below nodes with smaller cells, judged by its newest entries: as many
    /// as the rules allow in a block. (All of them, when the chain is asked for the first time.)
    fn mostly_fits(&self, grid: &Grid<S, D>, rules: Rules, first: BucketId, shift: u8) -> bool {
        if !B::EXTENDED {
            return true;
        }
        let (mut seen, mut fit) = (0, 0);
        for bucket in self.chain(first) {
            for position in positions(self.head(bucket).used) {
                let extent = grid.address(&self.bucket(bucket).shape(position)).extent;
                seen += 1;
                fit += usize::from(fits_below(extent, shift));
            }
            if rules.split_above as usize <= seen {
                break;
            }
        }
        Self::mostly(fit, seen)
    }

    /// Whether what fits below is so much that a node is worth it: three quarters.
    pub(super) fn mostly(fit: usize, all: usize) -> bool {
        all * 3 <= fit * 4
    }

    /// Divides a block into halves: the smallest pair that has entries on both sides. What is beyond is vacant then.
    fn halve(&mut self, grid: &Grid<S, D>, rules: Rules, first: BucketId, moved: &mut Moves) {
        let Head { node, cell, block, more, .. } = *self.head(first);
        // Nearly always; then the cells need not be worked out twice.
        let is_single = !more;
        let (any, all, cells) = self.cells_in_use(grid, first);
        // The highest bit in which two entries' cells differ.
        let Some(top) = (any ^ all).checked_ilog2() else {
            // All in one cell.
            self.vacate(node, cell, block.span);
            self.rehome(first, node, any, 0);
            return;
        };
        let lower = any >> (top + 1) << (top + 1);
        let upper = lower | 1 << top;
        let shift = self.node(node).shift;
        let in_upper = |position: u8, address: &Address<D>| {
            let cell = if is_single { cells[usize::from(position)] } else { cell_at(address.anchor, shift) };
            cell & 1 << top != 0
        };
        let top = top as u8;
        let halves = self.partition(grid, first, self.new_head(node, upper, top), in_upper, moved);
        self.vacate(node, cell, block.span);
        for (half, cell) in halves.into_iter().flatten().zip([lower, upper]) {
            self.rehome(half, node, cell, top);
            // More than one division is due only where a whole chain was taken over by `deepen`.
            if top > 0 && rules.split_above < self.total(half) {
                self.halve(grid, rules, half, moved);
            }
        }
    }

    /// The cells of a chain's entries: the bits that any has, those that all have, and of the last bucket's entries the
    /// cells by position.
    fn cells_in_use(&self, grid: &Grid<S, D>, first: BucketId) -> (u8, u8, [u8; BUCKET_SLOTS]) {
        let node = self.node(self.head(first).node);
        let (mut any, mut all, mut cells) = (0, u8::MAX, [0; BUCKET_SLOTS]);
        for bucket in self.chain(first) {
            for position in positions(self.head(bucket).used) {
                let cell = node.cell_of(grid.address(&self.bucket(bucket).shape(position)).anchor);
                cells[usize::from(position)] = cell;
                any |= cell;
                all &= cell;
            }
        }
        (any, all, cells)
    }

    /// Makes a single cell into a child node: what is too large for the child's cells goes to its own list, the rest
    /// stays in its buckets, which serve all of the child's cells until they are halved.
    fn deepen(&mut self, grid: &Grid<S, D>, rules: Rules, first: BucketId, moved: &mut Moves) {
        let Head { node, cell, .. } = *self.head(first);
        let child = self.new_child(node, cell);
        let len = self.total(first);
        let shift = self.node(child).shift;
        let own_list = self.new_head(child, OWN_LIST, 0);
        let parts = self.partition(grid, first, own_list, |_, address| !fits_below(address.extent, shift), moved);
        self.node_mut(node).set_child(cell, child);
        let reach = parts.iter().flatten().map(|&part| self.head(part).reach).max();
        let of = self.node_mut(child);
        (of.len, of.reach) = (len, reach.unwrap_or(0));
        if let [Some(left), _] = parts {
            self.rehome(left, child, 0, 6);
            if rules.split_above < self.total(left) {
                self.halve(grid, rules, left, moved);
            }
        }
    }
}
