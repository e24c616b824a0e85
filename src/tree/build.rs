//! Top-down: a whole tree out of many entries at once, depth-first in memory.
//!
//! Entries are sorted by cell, level by level, as records that are small beside the shapes. What is built obeys the
//! rules of one insertion after the other, but has never been poor nor overfull: its buckets are evenly filled, and
//! its reaches exact.

use alloc::vec::Vec;
use core::slice;

use super::{BUCKET_SLOTS, Bucket, Entry, Head, Moves, OWN_LIST, Rules, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, CELLS, Grid, axis_bits, fits_below};
use crate::key::{Handle, NodeId};
use crate::prefetch::{outgrows_cache, prefetch};

/// What the sorting needs to know of an entry.
#[derive(Clone, Copy)]
struct Record<const D: usize> {
    address: Address<D>,
    /// Which entry it is in the caller's list.
    number: u32,
}

/// The cells of a node, and its own list as the last of them.
const CLASSES: usize = CELLS + 1;

/// What one build works with.
struct Build<'a, S, const D: usize> {
    rules: Rules,
    entries: &'a [(Rect<S, D>, Handle)],
    moved: &'a mut Moves,
}

impl<S, const D: usize> Build<'_, S, D> {
    /// Begins to fetch the entries of some records: in the order of cells they lie anywhere in the caller's list.
    #[inline]
    fn prefetch_entries(&self, records: &[Record<D>]) {
        if outgrows_cache(size_of_val(self.entries)) {
            for record in records {
                // The two may lie on either side of the end of a line.
                let (shape, handle) = &self.entries[record.number as usize];
                prefetch(slice::from_ref(shape));
                prefetch(slice::from_ref(handle));
            }
        }
    }
}

/// Records that are sorted by cell, and where each cell's begin.
struct Sorted<'a, const D: usize> {
    records: &'a mut [Record<D>],
    /// Room for sorting them further.
    spare: &'a mut [Record<D>],
    begins: [u32; CLASSES + 1],
}

impl<const D: usize> Sorted<'_, D> {
    /// The records of `2^span` cells; those of the own list with the cell that stands for it.
    fn part(&mut self, cell: u8, span: u8) -> Sorted<'_, D> {
        let [from, to] = [cell.into(), usize::from(cell) + (1 << span)].map(|class: usize| self.begins[class] as usize);
        Sorted { records: &mut self.records[from..to], spare: &mut self.spare[from..to], begins: self.begins }
    }

    fn len(&self, cell: u8, span: u8) -> u32 {
        self.begins[usize::from(cell) + (1 << span)] - self.begins[usize::from(cell)]
    }
}

impl<S: Scalar, const D: usize, B: Bucket<S, D>> Trees<B, S, D> {
    /// The same trees, built anew over that grid; where all entries are then is added to `moved`.
    pub(crate) fn rebuilt(&self, grid: &Grid<S, D>, moved: &mut Moves) -> Self {
        let mut rebuilt = Self::new();
        for (layer, tree) in self.by_layer.iter().enumerate() {
            if let Some(tree) = tree {
                rebuilt.add_tree(layer as u8, tree.rules);
                rebuilt.build(grid, layer as u8, &self.entries(layer as u8), moved);
            }
        }
        rebuilt
    }

    /// The entries of a layer's tree, depth-first.
    pub(crate) fn entries(&self, layer: u8) -> Vec<(Rect<S, D>, Handle)> {
        let mut entries = Vec::with_capacity(self.len(layer));
        entries.extend(self.places(layer).map(|place| (self.shape(place), self.handle(place))));
        entries
    }

    /// Files all entries of a layer's tree, which has none; where they are is added to `moved`.
    pub(crate) fn build(&mut self, grid: &Grid<S, D>, layer: u8, entries: &[(Rect<S, D>, Handle)], moved: &mut Moves) {
        if !self.has_room_for(entries.len()) {
            // So many that, if each were to take a bucket, there would not be enough: as if they came one by one.
            for &(shape, handle) in entries {
                let place = self.insert(grid, layer, &Entry { shape, handle, address: grid.address(&shape) }, moved);
                moved.push((handle, place));
            }
            return;
        }
        // Otherwise what other layers have reserved is theirs, and copying their buckets would cost more than it gives.
        let is_alone = self.heads.is_empty();
        // About what even halving leaves in a bucket: ln 2 of its slots.
        self.reserve((entries.len() / 44).saturating_sub(self.buckets_free()));
        let record =
            |(number, (shape, _)): (usize, &(_, _))| Record { address: grid.address(shape), number: number as u32 };
        let mut records: Vec<_> = entries.iter().enumerate().map(record).collect();
        let mut spare = records.clone();
        let (rules, root) = self.rules_and_root(layer);
        moved.reserve(entries.len());
        self.build_node(&mut Build { rules, entries, moved }, root, &mut records, &mut spare);
        if is_alone && self.heads.len() * 5 / 4 < self.heads.capacity() {
            self.shrink_to_fit();
        }
    }

    /// Files records below a node that is empty.
    fn build_node(
        &mut self,
        build: &mut Build<'_, S, D>,
        node: NodeId,
        records: &mut [Record<D>],
        spare: &mut [Record<D>],
    ) {
        let of = self.node_mut(node);
        of.len = records.len() as u32;
        of.reach = records.iter().map(|record| Self::reach_of(record.address.extent)).max().unwrap_or(0);
        let begins = self.sort_by_cell(node, records, spare);
        // What was sorted lies in `spare` now.
        let mut sorted = Sorted { records: spare, spare: records, begins };
        self.build_block(build, node, &mut sorted, 0, 6);
        if sorted.len(OWN_LIST, 0) > 0 {
            let own = sorted.part(OWN_LIST, 0);
            self.fill(build, self.new_head(node, OWN_LIST, 0), own.records);
        }
    }

    /// Copies records into `into`, ordered by their cells in a node, the own list's last; says where each cell's begin.
    fn sort_by_cell(&self, node: NodeId, records: &[Record<D>], into: &mut [Record<D>]) -> [u32; CLASSES + 1] {
        let of = self.node(node);
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

    /// Files the records of a block of a node, in the order of the walk.
    fn build_block(
        &mut self,
        build: &mut Build<'_, S, D>,
        node: NodeId,
        sorted: &mut Sorted<'_, D>,
        cell: u8,
        span: u8,
    ) {
        let len = sorted.len(cell, span);
        if len == 0 {
            return;
        }
        let is_shared = len <= build.rules.split_above;
        if span > 0 && !is_shared {
            self.build_block(build, node, sorted, cell | 1 << (span - 1), span - 1);
            self.build_block(build, node, sorted, cell, span - 1);
            return;
        }
        let part = sorted.part(cell, span);
        if !is_shared && self.deepens(build.rules, node, part.records) {
            let child = self.new_child(node, cell);
            self.node_mut(node).set_child(cell, child);
            self.build_node(build, child, part.records, part.spare);
        } else {
            self.fill(build, self.new_head(node, cell, span), part.records);
        }
    }

    /// Whether the entries of one cell are too many for it, and go to a child node.
    fn deepens(&self, rules: Rules, node: NodeId, records: &[Record<D>]) -> bool {
        let shift = self.node(node).shift;
        if !rules.may_deepen::<D>(shift) {
            return false;
        }
        let shift = shift - axis_bits::<D>() as u8;
        let fit = records.iter().filter(|record| fits_below(record.address.extent, shift)).count();
        if rules.by_size() { fit > 0 } else { Self::mostly(fit, records.len()) }
    }

    /// Opens a chain with all the records' entries.
    fn fill(&mut self, build: &mut Build<'_, S, D>, head: Head<D>, records: &[Record<D>]) {
        let mut first = self.open(head);
        for records in records.chunks(BUCKET_SLOTS) {
            build.prefetch_entries(records);
            for &Record { address, number } in records {
                let (shape, handle) = build.entries[number as usize];
                let place = self.push(first, &Entry { shape, handle, address });
                build.moved.push((handle, place));
                first = place.bucket();
            }
        }
    }
}
