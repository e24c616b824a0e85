//! Building: a whole tree from many entries at once, top-down, laid out depth-first in memory.
//!
//! Entries are sorted by cell, level by level, as records that are small beside the shapes. The result obeys the same
//! rules as one insertion after the other. Since no block was poor or overfull on the way, buckets are evenly filled
//! and reaches are exact.
//!
//! Keeps T1 to T8 and S1 of `docs/invariants.md`.

use alloc::vec;
use alloc::vec::Vec;
use core::slice;

use super::arena::{Head, OWN_LIST};
use super::bucket::{BUCKET_SLOTS, Bucket};
use super::chains::Chains;
use super::slender::Slender;
use super::{Entry, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Aspect, CELLS, Grid, fits_below};
use crate::key::{Handle, NodeId};
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
    /// Begins to fetch the entries of some records. In the order of cells they are scattered over the caller's list.
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

/// Records that are sorted by cell, and where the records of each cell begin.
struct Sorted<'a, const D: usize> {
    records: &'a mut [Record<D>],
    /// Room for sorting them further.
    spare: &'a mut [Record<D>],
    begins: [u32; CLASSES + 1],
}

impl<const D: usize> Sorted<'_, D> {
    /// The records of `2^span` cells, and as many spare ones. The own list counts as one cell, `OWN_LIST`.
    fn part(&mut self, cell: u8, span: u8) -> [&mut [Record<D>]; 2] {
        let [from, to] = [cell.into(), usize::from(cell) + (1 << span)].map(|class: usize| self.begins[class] as usize);
        [&mut self.records[from..to], &mut self.spare[from..to]]
    }

    fn len(&self, cell: u8, span: u8) -> u32 {
        self.begins[usize::from(cell) + (1 << span)] - self.begins[usize::from(cell)]
    }
}

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// Builds the same trees over a grid; lists the places of all entries. They keep their aspects, unless the world
    /// `is_new`.
    pub(crate) fn rebuilt(&self, grid: Grid<S, D>, is_new: bool) -> Self {
        let mut rebuilt = Self::new(grid);
        for (layer, tree) in self.by_layer.iter().enumerate() {
            if let Some(tree) = tree {
                let layer = layer as u8;
                rebuilt.add_tree(layer, tree.rules);
                let mut entries = self.entries_in(layer, Aspect::SQUARE);
                let mut slender = self.slender_entries(layer);
                let kept = if is_new { 0 } else { entries.len() };
                if is_new {
                    entries.extend(slender.drain(..).flat_map(|(_, entries)| entries));
                }
                rebuilt.build_layer(layer, &entries, kept, slender);
            }
        }
        rebuilt
    }

    /// Builds a layer's trees anew from their entries and from new ones; lists the places of all.
    pub(crate) fn build_with(&mut self, layer: u8, mut new: Vec<(Rect<S, D>, Handle)>) {
        let mut entries = self.entries_in(layer, Aspect::SQUARE);
        let (kept, slender) = (entries.len(), self.slender_entries(layer));
        if kept == 0 {
            entries = new;
        } else {
            entries.append(&mut new);
        }
        self.clear(layer);
        self.build_layer(layer, &entries, kept, slender);
    }

    /// Stores entries in a layer's trees, which must be empty; lists their places. Entries from the number `kept` on may
    /// turn out to be thin or far.
    pub(super) fn build_layer(
        &mut self,
        layer: u8,
        entries: &[(Rect<S, D>, Handle)],
        kept: usize,
        mut slender: Slender<S, D>,
    ) {
        if let Some(left) = self.build(layer, Aspect::SQUARE, entries, kept, &mut slender) {
            self.build(layer, Aspect::SQUARE, &left, left.len(), &mut slender);
        }
        for (aspect, entries) in &slender {
            self.build(layer, *aspect, entries, entries.len(), &mut Vec::new());
        }
    }

    /// Moves the entries from the number `kept` on that are thin or far to others of their aspect; returns those that are
    /// left.
    #[cold]
    fn part(
        &self,
        layer: u8,
        entries: &[(Rect<S, D>, Handle)],
        kept: usize,
        slender: &mut Slender<S, D>,
    ) -> Vec<(Rect<S, D>, Handle)> {
        let mut left = entries[..kept].to_vec();
        for &entry in &entries[kept..] {
            let aspect = self.aspect_for(layer, &entry.0, entries.len());
            if aspect.is_square() {
                left.push(entry);
            } else if let Some((_, of_aspect)) = slender.iter_mut().find(|(other, _)| *other == aspect) {
                of_aspect.push(entry);
            } else {
                slender.push((aspect, vec![entry]));
            }
        }
        left
    }

    /// Stores entries in a layer's tree of an aspect, which must be empty; lists their places. If entries from the number
    /// `kept` on are thin or far, it stores nothing, moves them to others of their aspect, and returns those that are left.
    fn build(
        &mut self,
        layer: u8,
        aspect: Aspect,
        entries: &[(Rect<S, D>, Handle)],
        kept: usize,
        slender: &mut Slender<S, D>,
    ) -> Option<Vec<(Rect<S, D>, Handle)>> {
        let grid = *self.grid();
        if !self.arena().has_room_for(entries.len()) {
            let leaves = |(shape, _): &(Rect<S, D>, Handle)| {
                let units = grid.range(shape);
                B::EXTENDED && Aspect::is_thin(&units) || self.is_far(&Address::of(&units), shape)
            };
            if entries[kept..].iter().any(leaves) {
                return Some(self.part(layer, entries, kept, slender));
            }
            // There would not be enough buckets if each entry took one, so they are inserted one by one.
            let root = self.root_or_new_in(layer, aspect);
            for &(shape, handle) in entries {
                let entry = Entry { shape, handle, address: grid.address_in(aspect, &shape) };
                self.count_in(root, &entry);
                let place = self.insert_below(root, &entry);
                self.chains.moved_mut().push((handle, place));
            }
            return None;
        }
        // Shrinking would take reserves from other layers, and copy their heads and links for little gain.
        let is_alone = self.arena().buckets_len() == 0;
        // Splitting into halves leaves buckets filled to ln 2: 44 of 64 slots.
        let buckets = (entries.len() / 44).saturating_sub(self.arena().buckets_free());
        self.arena_mut().reserve(buckets);
        let record = |address: Address<D>, number: usize| Record { address, number: number as u32 };
        let numbered = entries.iter().enumerate();
        let mut is_any_at_edge = false;
        let mut records: Vec<_> = if aspect.is_square() {
            let noted = |(number, (shape, _)): (usize, &(Rect<S, D>, Handle))| {
                let address = grid.address(shape);
                is_any_at_edge |= address.is_at_edge();
                record(address, number)
            };
            numbered.map(noted).collect()
        } else {
            numbered.map(|(number, (shape, _))| record(grid.address_in(aspect, shape), number)).collect()
        };
        let is_far = |record: &Record<D>| self.is_far(&record.address, &entries[record.number as usize].0);
        if is_any_at_edge && records[kept..].iter().any(is_far) {
            return Some(self.part(layer, entries, kept, slender));
        }
        if B::EXTENDED && kept < entries.len() {
            let longest = records[kept..].iter().fold(0, |longest: u32, record| longest.max(record.address.extent));
            let is_thin = |(shape, _): &(Rect<S, D>, Handle)| Aspect::may_be_thin(shape);
            if Aspect::least_long::<D>(entries.len()) <= longest + 1 && entries[kept..].iter().any(is_thin) {
                return Some(self.part(layer, entries, kept, slender));
            }
        }
        let mut spare = records.clone();
        let root = self.root_or_new_in(layer, aspect);
        self.chains.moved_mut().reserve(entries.len());
        self.build_node(Source(entries), root, &mut records, &mut spare);
        if is_alone && self.arena().is_loose() {
            self.shrink_to_fit();
        }
        None
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
        let reach_of = |record: &Record<D>| Chains::<B, S, D>::reach_of(record.address.extent);
        of.reach = records.iter().map(reach_of).max().unwrap_or(0);
        let begins = self.sort_by_cell(node, records, spare);
        // The sorted records lie in `spare` now.
        let mut sorted = Sorted { records: spare, spare: records, begins };
        self.build_block(source, node, &mut sorted, 0, 6);
        if sorted.len(OWN_LIST, 0) > 0 {
            let [own, _] = sorted.part(OWN_LIST, 0);
            self.fill(source, self.arena().new_head(node, OWN_LIST, 0), own);
        }
    }

    /// Copies records into `into`, ordered by their cells in a node, those of the own list last; returns where those of
    /// each cell begin.
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

    /// Stores the records of a block of a node, in the order of the walk.
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

    /// Whether the entries of an overfull cell go to a child node.
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
        let mut first = None;
        for records in records.chunks(BUCKET_SLOTS) {
            source.prefetch(records);
            let entries = records.iter().map(|&Record { address, number }| {
                let (shape, handle) = source.0[number as usize];
                Entry { shape, handle, address }
            });
            let bucket = match first {
                Some(first) => self.chains.lengthen(first),
                None => self.chains.open(head),
            };
            self.chains.fill(bucket, entries);
            first = Some(bucket);
        }
    }
}
