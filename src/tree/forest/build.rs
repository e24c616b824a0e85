//! Building: a whole tree from many entries at once, top-down, laid out depth-first in memory.
//!
//! Entries are sorted by cell, level by level, as records smaller than the shapes. If they come in the order of the walk, they
//! keep it in their buckets too. The result obeys the same rules as repeated insertion. No block was ever overfull or
//! sparse, so buckets are evenly filled and reaches are exact.
//!
//! Keeps T1 to T8 of `docs/invariants.md`.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;
use core::ops::Range;
use core::{mem, slice};

use super::super::arena::{Head, OWN_LIST};
use super::super::bucket::BUCKET_SLOTS;
use super::super::rules::Rules;
use super::Forest;
use super::chains::reach_of;
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, CELLS, axis_bits, comes_after, fits_below};
use crate::key::{Handle, Kind, NodeId};
use crate::prefetch::{outgrows_cache, prefetch};

/// The part of an entry that sorting needs.
#[derive(Clone, Copy)]
struct Record<const D: usize> {
    address: Address<D>,
    /// The entry's number in the caller's list.
    number: u32,
}

/// The classes that entries are sorted into: the cells of a node, and its own list as the last.
const CLASSES: usize = CELLS + 1;

/// The entries of one build, in the caller's order.
#[derive(Clone, Copy)]
struct Entries<'a, S, const D: usize> {
    list: &'a [(Rect<S, D>, Handle)],
    /// Whether that is the order of the walk.
    in_order: bool,
    /// Counts buckets, where nothing is to be stored.
    counted: Option<&'a Cell<usize>>,
}

impl<S, const D: usize> Entries<'_, S, D> {
    /// Begins to fetch the entries of some records. In cell order these are scattered over the caller's list.
    #[inline]
    fn prefetch(&self, records: &[Record<D>]) {
        if !self.in_order && outgrows_cache(size_of_val(self.list)) {
            for record in records {
                // The two may lie in different cache lines.
                let (shape, handle) = &self.list[record.number as usize];
                prefetch(slice::from_ref(shape));
                prefetch(slice::from_ref(handle));
            }
        }
    }
}

/// The reach that covers the extents of entries.
fn reach_of_all<const D: usize>(kind: Kind, records: &[Record<D>]) -> u32 {
    match kind {
        Kind::Points => 0,
        Kind::Rects => records.iter().map(|record| reach_of(kind, record.address.extent)).max().unwrap_or(0),
    }
}

/// Records, and space to sort them.
struct Records<'a, const D: usize> {
    list: &'a mut [Record<D>],
    spare: &'a mut [Record<D>],
    /// Space for the class of each.
    classes: &'a mut [u8],
}

/// Records sorted by cell, the own list last.
struct Sorted<'a, const D: usize> {
    all: Records<'a, D>,
    /// Where the records of each cell begin, and where the last cell ends.
    bounds: [u32; CELLS + 1],
    /// Whether the cells fall, as along the walk. Then bounds fall too, and each is the end of a cell.
    cells_fall: bool,
}

impl<const D: usize> Sorted<'_, D> {
    /// The records of `2^span` cells. The own list counts as one cell, `OWN_LIST`.
    fn range(&self, cell: u8, span: u8) -> Range<usize> {
        let bound = |cell: usize| self.bounds[cell] as usize;
        if cell == OWN_LIST {
            return bound(if self.cells_fall { 0 } else { CELLS })..self.all.list.len();
        }
        let [first, end] = [bound(cell.into()), bound(usize::from(cell) + (1 << span))];
        if self.cells_fall { end..first } else { first..end }
    }

    /// These records, and the same ranges of the space to sort them.
    fn part(&mut self, cell: u8, span: u8) -> Records<'_, D> {
        let range = self.range(cell, span);
        Records {
            list: &mut self.all.list[range.clone()],
            spare: &mut self.all.spare[range.clone()],
            classes: &mut self.all.classes[range],
        }
    }

    fn len(&self, cell: u8, span: u8) -> u32 {
        self.range(cell, span).len() as u32
    }
}

impl<S: Scalar, const D: usize> Forest<S, D> {
    /// How many buckets `build` takes for some entries.
    pub(crate) fn count(&self, rules: Rules, entries: &[(Rect<S, D>, Handle)]) -> usize {
        let (mut trial, counted) = (Self::new(self.grid), Cell::new(0));
        let root = trial.arena.new_root(0, rules);
        trial.build_records(root, entries, Some(&counted));
        counted.get()
    }

    /// Stores entries below a root, which must be empty. Lists no places. There must be room.
    pub(crate) fn build(&mut self, root: NodeId, entries: &[(Rect<S, D>, Handle)]) {
        // With other layers present, shrinking would release their reserves and copy their heads and links for little
        // gain.
        let is_alone = self.arena.buckets().bytes() == 0;
        // Splitting into halves leaves buckets ln 2 full on average: 44 of 64 entries.
        let kind = self.arena.node(root).rules.kind;
        let buckets = (entries.len() / 44).saturating_sub(self.arena.buckets().free_len(kind));
        self.arena.reserve(buckets);
        self.build_records(root, entries, None);
        if is_alone && self.arena.is_loose() {
            self.arena.shrink_to_fit();
        }
    }

    /// Stores entries below a root, or only counts the buckets that they take.
    fn build_records(&mut self, root: NodeId, list: &[(Rect<S, D>, Handle)], counted: Option<&Cell<usize>>) {
        let (grid, kind) = (self.grid, self.arena.node(root).rules.kind);
        let record = |(address, number)| Record { address, number };
        // The kind is looked at once.
        let mut records: Vec<_> = match kind {
            Kind::Points => {
                list.iter().map(|(shape, _)| grid.address_of(Kind::Points, shape)).zip(0..).map(record).collect()
            }
            Kind::Rects => list.iter().map(|(shape, _)| grid.address(shape)).zip(0..).map(record).collect(),
        };
        let (mut spare, mut classes) = (records.clone(), vec![0; records.len()]);
        // Of entries in no order, few are looked at.
        let in_order = records.is_sorted_by(|record, next| !comes_after(record.address.anchor, next.address.anchor));
        let all = Records { list: &mut records, spare: &mut spare, classes: &mut classes };
        let mut sorted = self.sorted_by_cell(root, all, in_order);
        self.build_node(Entries { list, in_order, counted }, root, &mut sorted);
    }

    /// Stores records, sorted by its cells, below an empty node.
    fn build_node(&mut self, entries: Entries<'_, S, D>, node: NodeId, sorted: &mut Sorted<'_, D>) {
        let own = sorted.range(OWN_LIST, 0);
        let of = self.arena.node_mut(node);
        of.len = sorted.all.list.len() as u32;
        of.reach = reach_of_all(of.rules.kind, &sorted.all.list[..own.start]);
        self.build_block(entries, node, sorted, 0, 6);
        if !own.is_empty() {
            let own = sorted.part(OWN_LIST, 0).list;
            self.fill_chain(entries, self.arena.new_head(node, OWN_LIST, 0), own);
        }
    }

    /// Sorts records by their rising or falling cells in a node, with the own list last.
    fn sorted_by_cell<'a>(&self, node: NodeId, all: Records<'a, D>, cells_fall: bool) -> Sorted<'a, D> {
        let Records { list, spare, classes } = all;
        let of = self.arena.node(node);
        let class_of = |record: &Record<D>| {
            let sinks = of.sinks(record.address.extent);
            if sinks { of.cell_of(record.address.anchor) } else { OWN_LIST }
        };
        let mut next = [0; CLASSES];
        for (record, class) in list.iter().zip(&mut *classes) {
            *class = class_of(record);
            next[usize::from(*class)] += 1;
        }
        let mut bounds = [0; CELLS + 1];
        let mut placed = 0;
        for nth in 0..CELLS {
            let cell = if cells_fall { CELLS - 1 - nth } else { nth };
            let begin = placed;
            placed += mem::replace(&mut next[cell], begin);
            bounds[if cells_fall { cell } else { cell + 1 }] = placed;
        }
        next[CELLS] = placed;
        if cells_fall && placed as usize == list.len() {
            // They are in the order of the walk.
            return Sorted { all: Records { list, spare, classes }, bounds, cells_fall };
        }
        for (record, &class) in list.iter().zip(&*classes) {
            let next = &mut next[usize::from(class)];
            spare[*next as usize] = *record;
            *next += 1;
        }
        Sorted { all: Records { list: spare, spare: list, classes }, bounds, cells_fall }
    }

    /// Stores the records of a block of a node, in walk order.
    fn build_block(
        &mut self,
        entries: Entries<'_, S, D>,
        node: NodeId,
        sorted: &mut Sorted<'_, D>,
        cell: u8,
        span: u8,
    ) {
        let len = sorted.len(cell, span);
        if len == 0 {
            return;
        }
        let is_shared = len <= self.arena.node(node).rules.split_above;
        if span > 0 && !is_shared {
            self.build_block(entries, node, sorted, cell | 1 << (span - 1), span - 1);
            self.build_block(entries, node, sorted, cell, span - 1);
            return;
        }
        let part = sorted.part(cell, span);
        if is_shared || !self.sink(node, part.list) {
            return self.fill_chain(entries, self.arena.new_head(node, cell, span), part.list);
        }
        self.build_child(entries, node, part, cell);
    }

    /// Stores the records of an overfull cell below a child node or, if most of them are at one spot, in a crowd.
    // Out of line, so that `build_block` takes little of the stack.
    #[inline(never)]
    fn build_child(&mut self, entries: Entries<'_, S, D>, node: NodeId, all: Records<'_, D>, cell: u8) {
        let child = self.arena.new_child(node, cell);
        let mut sorted = self.sorted_by_cell(child, all, entries.in_order);
        if self.is_one_spot(child, &sorted) {
            self.arena.free_node(child);
            return self.fill_chain(entries, self.arena.new_head(node, cell, 0), sorted.all.list);
        }
        self.arena.node_mut(node).set_child(cell, child);
        self.build_node(entries, child, &mut sorted);
    }

    /// Whether more than half of the records sorted by the cells of a node are at one spot: in one of the deepest nodes that
    /// there can be, far below. Their order does not count.
    fn is_one_spot(&self, node: NodeId, sorted: &Sorted<'_, D>) -> bool {
        let (of, list) = (self.arena.node(node), &*sorted.all.list);
        let is_most = |count: usize| list.len() < 2 * count;
        // They are all in one cell then, that of the record in the middle.
        let cell = sorted.range(of.cell_of(list[list.len() / 2].address.anchor), 0);
        if list.len() <= BUCKET_SLOTS || of.rules.by_size() || of.shift == 0 || !is_most(cell.len()) {
            return false;
        }
        let spots = list[cell].iter().map(|record| record.address.anchor.map(|unit| unit >> axis_bits::<D>()));
        // The votes for the spot of most outnumber those against it.
        let vote = |(of_most, votes): ([u32; D], u32), spot| match votes {
            0 => (spot, 1),
            _ if spot == of_most => (spot, votes + 1),
            _ => (of_most, votes - 1),
        };
        let of_most = spots.clone().fold(([0; D], 0), vote).0;
        is_most(spots.filter(|&spot| spot == of_most).count())
    }

    /// Whether the entries of an overfull cell belong in a child node.
    fn sink(&self, node: NodeId, records: &[Record<D>]) -> bool {
        let of = self.arena.node(node);
        if !of.may_have_children() {
            return false;
        }
        let shift = of.shift_below();
        let fit = records.iter().filter(|record| fits_below(record.address.extent, shift)).count();
        if of.rules.by_size() { fit > 0 } else { Self::mostly(fit, records.len()) }
    }

    /// Stores the records' entries in a new chain.
    fn fill_chain(&mut self, entries: Entries<'_, S, D>, head: Head<D>, records: &[Record<D>]) {
        if let Some(counted) = entries.counted {
            return counted.set(counted.get() + records.len().div_ceil(BUCKET_SLOTS));
        }
        let reach = reach_of_all(self.arena.node(head.node).rules.kind, records);
        entries.prefetch(records);
        let those = records.iter().map(|record| entries.list[record.number as usize]);
        if records.len() <= BUCKET_SLOTS {
            let bucket = self.open(head);
            return self.fill(bucket, those, reach);
        }
        self.chain_of(head, those.collect(), reach);
    }
}
