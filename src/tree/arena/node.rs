//! A node: a directory of 64 cells, an own list, and totals over its subtree. Refers to other nodes and to buckets by
//! number only.
//!
//! Keeps its part of T2 of `docs/invariants.md`: masks and directory agree.

use core::slice;

use super::super::rules::Rules;
use crate::grid::{Block, CELLS, axis_bits, cell_at, fits_below};
use crate::key::{BucketId, NodeId};
use crate::prefetch::prefetch;

/// The entry of a cell in the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Vacant,
    /// The first bucket of the chain that serves the cell's block.
    Bucket(BucketId),
    Child(NodeId),
}

/// A square of 64 cells. The fields read most often come first, in one cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Node<const D: usize> {
    /// Cells with a bucket or a child.
    occupied: u64,
    /// Cells with a child.
    children: u64,
    /// The occupied cells that have a child or are the first of a block. The bits of vacant cells have no meaning.
    firsts: u64,
    /// The first bucket of the list of entries that are too large for the cells.
    pub(crate) own: Option<BucketId>,
    /// The parent. In a free node, the next free node.
    pub(crate) parent: Option<NodeId>,
    /// The cell of the parent that this node fills.
    pub(crate) cell: u8,
    /// The logarithm of the side of the cells, in units.
    pub(crate) shift: u8,
    /// Distance from the root.
    pub(crate) depth: u8,
    /// The number of the layer.
    pub(crate) layer: u8,
    pub(crate) rules: Rules,
    pub(crate) origin: [u32; D],
    /// Entries in the subtree.
    pub(crate) len: u32,
    /// An upper bound on the extents of the entries in and below the cells, in units. The own list has its own.
    pub(crate) reach: u32,
    /// The number of the bucket or child of each cell. Meaningless where the cell is not `occupied`.
    directory: [u32; CELLS],
}

const _: () = assert!(size_of::<Node<2>>() == 320 && size_of::<Node<3>>() == 320);

/// The bits of a block of `2^span` cells.
#[inline]
pub(crate) fn block_bits(cell: u8, span: u8) -> u64 {
    (u64::MAX >> (CELLS - (1 << span))) << cell
}

impl<const D: usize> Node<D> {
    /// The root of a layer's tree.
    pub(super) fn root(layer: u8, rules: Rules, shift: u8) -> Self {
        Self {
            occupied: 0,
            children: 0,
            firsts: 0,
            own: None,
            parent: None,
            cell: 0,
            shift,
            depth: 0,
            layer,
            rules,
            origin: [0; D],
            len: 0,
            reach: 0,
            directory: [u32::MAX; CELLS],
        }
    }

    /// The child in a cell of this node, whose number is `parent`.
    pub(super) fn child(&self, parent: NodeId, cell: u8) -> Self {
        Self {
            parent: Some(parent),
            cell,
            depth: self.depth + 1,
            origin: self.origin_of(cell),
            ..Self::root(self.layer, self.rules, self.shift_below())
        }
    }

    #[inline]
    pub(crate) fn occupied(&self) -> u64 {
        self.occupied
    }

    #[inline]
    pub(crate) fn slot(&self, cell: u8) -> Slot {
        if self.occupied >> cell & 1 == 0 { Slot::Vacant } else { self.occupied_slot(cell) }
    }

    #[inline(always)]
    fn occupied_slot(&self, cell: u8) -> Slot {
        let number = self.directory[usize::from(cell) % CELLS];
        if self.children >> cell & 1 == 0 {
            Slot::Bucket(BucketId::numbered(number))
        } else {
            Slot::Child(NodeId::numbered(number))
        }
    }

    /// The first cell of the block that an occupied cell is in; the cell itself if it has a child.
    #[inline(always)]
    pub(crate) fn first_of_block(&self, cell: u8) -> u8 {
        // Setting the lowest bit does not change the result, but shows the compiler that the word is not zero.
        (self.firsts & u64::MAX >> (63 - cell) | 1).ilog2() as u8
    }

    /// Removes the last block or child from a set of occupied cells. Returns its first cell and its directory entry.
    #[inline(always)]
    pub(crate) fn next_slot(&self, cells: &mut u64) -> Option<(u8, Slot)> {
        let cell = self.first_of_block(cells.checked_ilog2()? as u8);
        *cells &= (1 << cell) - 1;
        Some((cell, self.occupied_slot(cell)))
    }

    /// Begins to fetch the whole node.
    #[inline]
    pub(crate) fn prefetch(&self) {
        prefetch(slice::from_ref(&self.occupied));
        prefetch(&self.directory);
    }

    /// A bucket of the closest cell at or before `cell`, or else of the first one after it.
    pub(super) fn bucket_near(&self, cell: u8) -> Option<BucketId> {
        let cells = self.occupied & !self.children;
        let before = cells & (u64::MAX >> (63 - cell));
        let nearest = if before == 0 { cells.trailing_zeros() } else { before.ilog2() };
        self.directory.get(nearest as usize).map(|&number| BucketId::numbered(number))
    }

    pub(crate) fn set_bucket(&mut self, cell: u8, span: u8, first: BucketId) {
        let bits = block_bits(cell, span);
        self.occupied |= bits;
        self.children &= !bits;
        self.firsts = self.firsts & !bits | 1 << cell;
        self.directory[usize::from(cell)..][..1 << span].fill(first.number());
    }

    pub(crate) fn set_child(&mut self, cell: u8, child: NodeId) {
        self.occupied |= 1 << cell;
        self.children |= 1 << cell;
        self.firsts |= 1 << cell;
        self.directory[usize::from(cell)] = child.number();
    }

    pub(crate) fn vacate(&mut self, cell: u8, span: u8) {
        self.occupied &= !block_bits(cell, span);
        self.children &= !block_bits(cell, span);
    }

    /// The first cell and the span of the largest aligned block of vacant cells around a vacant cell.
    pub(crate) fn vacant_block(&self, cell: u8) -> (u8, u8) {
        let mut block = (cell, 0);
        for span in 1..=6 {
            let first = cell >> span << span;
            if !self.is_vacant(first, span) {
                break;
            }
            block = (first, span);
        }
        block
    }

    /// Whether any of these cells has a child.
    #[inline]
    pub(crate) fn has_child_in(&self, cells: u64) -> bool {
        self.children & cells != 0
    }

    pub(crate) fn is_vacant(&self, cell: u8, span: u8) -> bool {
        self.occupied & block_bits(cell, span) == 0
    }

    /// The block of all cells.
    #[inline]
    pub(crate) fn block(&self) -> Block<D> {
        Block::new(self.origin, self.shift, 0, 6)
    }

    /// The first unit of a cell.
    pub(crate) fn origin_of(&self, cell: u8) -> [u32; D] {
        Block::new(self.origin, self.shift, cell, 0).origin
    }

    /// The logarithm of the side of the cells of a child.
    #[inline]
    pub(crate) fn shift_below(&self) -> u8 {
        self.shift - axis_bits::<D>() as u8
    }

    /// Whether the rules let cells have children.
    pub(crate) fn may_have_children(&self) -> bool {
        self.depth < self.rules.depth_max
    }

    pub(crate) fn cell_of(&self, anchor: [u32; D]) -> u8 {
        cell_at(anchor, self.shift)
    }

    /// Whether an object of this extent belongs in the cells or below, not in the own list.
    #[inline]
    pub(crate) fn sinks(&self, extent: u32) -> bool {
        fits_below(extent, self.shift)
    }
}
