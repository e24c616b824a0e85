//! Building: a whole tree from many entries at once, top-down, laid out depth-first in memory.
//!
//! Entries are sorted by cell, level by level, as records smaller than the shapes. The result obeys the same rules as
//! repeated insertion. No block was ever overfull or sparse, so buckets are evenly filled and reaches are exact.
//!
//! Keeps T1 to T8 and S1 of `docs/invariants.md`.

use alloc::vec;
use alloc::vec::Vec;
use core::slice;

use super::arena::{Head, OWN_LIST};
use super::bucket::BUCKET_SLOTS;
use super::chains::reach_of;
use super::entries::ByGrid;
use super::{Tree, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, CELLS, Grid, GridId, fits_below};
use crate::key::{Handle, Kind, NodeId};
use crate::prefetch::{outgrows_cache, prefetch};

/// The part of an entry that sorting needs.
#[derive(Clone, Copy)]
struct Record<const D: usize> {
    address: Address<D>,
    /// The entry's position in the caller's list.
    number: u32,
}

/// The classes that entries are sorted into: the cells of a node, and its own list as the last.
const CLASSES: usize = CELLS + 1;

/// The entries of one build, in the caller's order.
#[derive(Clone, Copy)]
struct Source<'a, S, const D: usize>(&'a [(Rect<S, D>, Handle)]);

impl<S, const D: usize> Source<'_, S, D> {
    /// Begins to fetch the entries of some records. In cell order these are scattered over the caller's list.
    #[inline]
    fn prefetch(&self, records: &[Record<D>]) {
        if outgrows_cache(size_of_val(self.0)) {
            for record in records {
                // The two may lie in different cache lines.
                let (shape, handle) = &self.0[record.number as usize];
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

/// Records sorted by cell, and where each cell's records begin.
struct Sorted<'a, const D: usize> {
    records: &'a mut [Record<D>],
    /// Space for sorting them further.
    spare: &'a mut [Record<D>],
    begins: [u32; CLASSES + 1],
}

impl<const D: usize> Sorted<'_, D> {
    /// The records of `2^span` cells, and the same range of `spare`. The own list counts as one cell, `OWN_LIST`.
    fn part(&mut self, cell: u8, span: u8) -> [&mut [Record<D>]; 2] {
        let [from, to] = [cell.into(), usize::from(cell) + (1 << span)].map(|class: usize| self.begins[class] as usize);
        [&mut self.records[from..to], &mut self.spare[from..to]]
    }

    fn len(&self, cell: u8, span: u8) -> u32 {
        self.begins[usize::from(cell) + (1 << span)] - self.begins[usize::from(cell)]
    }
}

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Builds the same trees over another main grid. Lists the places of all entries. Entries keep their trees, unless
    /// the world `is_new`.
    pub(crate) fn rebuilt(&self, grid: Grid<S, D>, is_new: bool) -> Self {
        let mut rebuilt = Self::new(grid);
        for &Tree { layer, rules, .. } in self.main.iter().flatten() {
            rebuilt.add_tree(layer, rules);
            let mut entries = self.entries_by_grid(layer);
            let mut kept = entries[0].1.len();
            if is_new {
                kept = 0;
                let others: Vec<_> = entries.drain(1..).flat_map(|(_, of_tree)| of_tree).collect();
                entries[0].1.extend(others);
            }
            rebuilt.build_layer(layer, entries, kept);
        }
        rebuilt
    }

    /// Rebuilds a layer's trees from their entries and new ones. Lists the places of all.
    pub(crate) fn build_with(&mut self, layer: u8, mut new: Vec<(Rect<S, D>, Handle)>) {
        let mut entries = self.entries_by_grid(layer);
        let main = &mut entries[0].1;
        let kept = main.len();
        if kept == 0 {
            *main = new;
        } else {
            main.append(&mut new);
        }
        self.clear(layer);
        self.build_layer(layer, entries, kept);
    }

    /// Stores entries in a layer's trees, which must be empty. Lists their places. Entries of the main tree from index
    /// `kept` on may belong to other trees, and are moved there.
    pub(super) fn build_layer(&mut self, layer: u8, mut entries: ByGrid<S, D>, kept: usize) {
        let main = &entries[0].1;
        let mut records = self.records(GridId::MAIN, main);
        let new = records[kept..].iter().map(|record| (record.address, &main[record.number as usize].0));
        if self.any_may_leave_main(main.len(), &new) {
            self.part(layer, &mut entries, kept);
            records = self.records(GridId::MAIN, &entries[0].1);
        }
        self.build(layer, GridId::MAIN, &entries[0].1, records);
        for (grid, of_tree) in &entries[1..] {
            self.build(layer, *grid, of_tree, self.records(*grid, of_tree));
        }
    }

    /// Moves the main tree's entries from index `kept` on to the trees that they belong to.
    #[cold]
    fn part(&self, layer: u8, entries: &mut ByGrid<S, D>, kept: usize) {
        let objects = entries[0].1.len();
        for entry in entries[0].1.split_off(kept) {
            let grid = self.choose(layer, &entry.0, objects);
            match entries.iter_mut().find(|(other, _)| *other == grid) {
                Some((_, of_tree)) => of_tree.push(entry),
                None => entries.push((grid, vec![entry])),
            }
        }
    }

    fn records(&self, grid: GridId, entries: &[(Rect<S, D>, Handle)]) -> Vec<Record<D>> {
        let grid = self.grid().variant(grid);
        let record =
            |(number, (shape, _)): (u32, &(Rect<S, D>, Handle))| Record { address: grid.address(shape), number };
        (0..).zip(entries).map(record).collect()
    }

    /// Stores entries in a layer's tree over a grid. The tree must be empty. Lists the entries' places.
    fn build(&mut self, layer: u8, grid: GridId, entries: &[(Rect<S, D>, Handle)], mut records: Vec<Record<D>>) {
        if !self.arena().has_room_for(self.kind(layer), entries.len()) {
            // There may not be enough buckets for one per entry, so entries are inserted one by one.
            for &(shape, handle) in entries {
                let place = self.insert_over(layer, grid, shape, handle);
                self.chains.moved.push((handle, place));
            }
            return;
        }
        // With other layers present, shrinking would release their reserves and copy their heads and links for little
        // gain.
        let is_alone = self.arena().buckets().bytes() == 0;
        // Splitting into halves leaves buckets ln 2 full on average: 44 of 64 entries.
        let kind = self.kind(layer);
        let buckets = (entries.len() / 44).saturating_sub(self.arena().buckets().free_len(kind));
        self.arena_mut().reserve(buckets);
        let mut spare = records.clone();
        let root = self.root_over(layer, grid);
        self.chains.moved.reserve(entries.len());
        self.build_node(Source(entries), root, &mut records, &mut spare);
        if is_alone && self.arena().is_loose() {
            self.shrink_to_fit();
        }
    }

    /// Stores records below an empty node.
    fn build_node(
        &mut self,
        source: Source<'_, S, D>,
        node: NodeId,
        records: &mut [Record<D>],
        spare: &mut [Record<D>],
    ) {
        let of = self.arena_mut().node_mut(node);
        of.len = records.len() as u32;
        of.reach = reach_of_all(of.rules.kind, records);
        let begins = self.sort_by_cell(node, records, spare);
        // The sorted records are in `spare` now.
        let mut sorted = Sorted { records: spare, spare: records, begins };
        self.build_block(source, node, &mut sorted, 0, 6);
        if sorted.len(OWN_LIST, 0) > 0 {
            let [own, _] = sorted.part(OWN_LIST, 0);
            self.fill(source, self.arena().new_head(node, OWN_LIST, 0), own);
        }
    }

    /// Copies records into `into`, ordered by their cells in a node, with the own list last. Returns where each cell's
    /// records begin.
    fn sort_by_cell(&self, node: NodeId, records: &[Record<D>], into: &mut [Record<D>]) -> [u32; CLASSES + 1] {
        let of = self.arena().node(node);
        let class_of = |record: &Record<D>| {
            let sinks = of.sinks(record.address.extent);
            usize::from(if sinks { of.cell_of(record.address.anchor) } else { OWN_LIST })
        };
        let mut begins = [0; CLASSES + 1];
        for record in records {
            begins[class_of(record) + 1] += 1;
        }
        for class in 0..CLASSES {
            begins[class + 1] += begins[class];
        }
        let mut next = begins;
        for record in records {
            let next = &mut next[class_of(record)];
            into[*next as usize] = *record;
            *next += 1;
        }
        begins
    }

    /// Stores the records of a block of a node, in walk order.
    fn build_block(&mut self, source: Source<'_, S, D>, node: NodeId, sorted: &mut Sorted<'_, D>, cell: u8, span: u8) {
        let len = sorted.len(cell, span);
        if len == 0 {
            return;
        }
        let is_shared = len <= self.arena().node(node).rules.split_above;
        if span > 0 && !is_shared {
            self.build_block(source, node, sorted, cell | 1 << (span - 1), span - 1);
            self.build_block(source, node, sorted, cell, span - 1);
            return;
        }
        let [records, spare] = sorted.part(cell, span);
        if !is_shared && self.sink(node, records) {
            let child = self.arena_mut().new_child(node, cell);
            self.arena_mut().node_mut(node).set_child(cell, child);
            self.build_node(source, child, records, spare);
        } else {
            self.fill(source, self.arena().new_head(node, cell, span), records);
        }
    }

    /// Whether the entries of an overfull cell belong in a child node.
    fn sink(&self, node: NodeId, records: &[Record<D>]) -> bool {
        let of = self.arena().node(node);
        if !of.may_have_children() {
            return false;
        }
        let shift = of.shift_below();
        let fit = records.iter().filter(|record| fits_below(record.address.extent, shift)).count();
        if of.rules.by_size() { fit > 0 } else { Self::mostly(fit, records.len()) }
    }

    /// Stores the records' entries in a new chain.
    fn fill(&mut self, source: Source<'_, S, D>, head: Head<D>, records: &[Record<D>]) {
        let kind = self.arena().node(head.node).rules.kind;
        let mut first = None;
        for records in records.chunks(BUCKET_SLOTS) {
            source.prefetch(records);
            let bucket = match first {
                Some(first) => self.chains.lengthen(first),
                None => self.chains.open(head),
            };
            let entries = records.iter().map(|record| source.0[record.number as usize]);
            self.chains.fill(bucket, entries, reach_of_all(kind, records));
            first = Some(bucket);
        }
    }
}
