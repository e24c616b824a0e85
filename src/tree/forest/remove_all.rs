//! Removing many entries. All are taken out, chain by chain, before anything is repaired, since repairs move entries.
//!
//! Keeps T3 and T6 to T9 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::mem;

use super::super::arena::{Head, OWN_LIST};
use super::super::bucket::{OfKind, positions};
use super::remove::Vacated;
use super::{Forest, Taken};
use crate::geometry::Scalar;
use crate::key::{BucketId, Place};

/// How many buckets ahead memory is fetched.
const AHEAD: usize = 8;

impl<S: Scalar, const D: usize> Forest<S, D> {
    /// Removes the entries at these positions of buckets, of any trees.
    pub(crate) fn remove_all(&mut self, mut taken: Taken) {
        let mut vacated = Vec::new();
        for at in 0..taken.len() {
            if let Some(&(ahead, bits)) = taken.get(at + AHEAD)
                && self.arena.outgrow_cache()
            {
                self.arena.prefetch_entry(Place::new(ahead, bits.trailing_zeros() as u8));
            }
            vacated.extend(self.take_all_out(at, &mut taken));
        }
        vacated.retain(|part| self.needs_repair(part));
        self.repair_all(vacated);
    }

    /// Takes entries out of their buckets and repairs nothing: the trees are to be cleared.
    pub(crate) fn blank(&mut self, taken: &Taken) {
        for &(bucket, bits) in taken {
            self.vacate(bucket, bits);
            self.arena.head_mut(bucket).used &= !bits;
        }
    }

    /// Takes the chosen entries out of the chain of a bucket, unless that was done before, and counts them out.
    fn take_all_out(&mut self, at: usize, taken: &mut Taken) -> Option<Vacated> {
        let (bucket, bits) = taken[at];
        if bits == 0 {
            return None;
        }
        let Head { node, cell, block, .. } = *self.arena.head(bucket);
        let (mut entries, mut reach) = (0, 0);
        let mut next = Some(self.arena.first_of(bucket));
        let mut changed = Vec::new();
        while let Some(bucket) = next {
            next = self.arena.next_in_chain(bucket);
            let at = if bucket == taken[at].0 { Ok(at) } else { taken.binary_search_by_key(&bucket, |part| part.0) };
            let bits = at.map_or(0, |at| mem::take(&mut taken[at].1));
            if bits != 0 {
                entries += bits.count_ones();
                reach = reach.max(self.reach_of_some(bucket, bits));
                self.vacate(bucket, bits);
                self.arena.head_mut(bucket).used &= !bits;
                changed.push(bucket);
            }
        }
        if self.arena.head(bucket).more {
            self.arena.count_in_crowd(bucket, 0, entries);
        }
        // Afterwards, since that moves entries.
        for bucket in changed {
            self.tidy(bucket);
        }
        self.count_out(node, None, entries);
        let len = self.arena.first_at(node, cell).map_or(0, |first| self.arena.total(first));
        let is_sparse = cell != OWN_LIST && self.is_sparse(node, cell, block.span, len);
        Some(Vacated { node, cell, reach, is_sparse })
    }

    /// The greatest reach that these entries need, if they may have determined the reach of their bucket; otherwise 0.
    fn reach_of_some(&self, bucket: BucketId, bits: u64) -> u32 {
        let OfKind::Rects(stored) = self.arena.bucket(bucket) else { return 0 };
        let least = self.arena.head(bucket).reach;
        let reaches = positions(bits).filter_map(|position| self.reach_from(least, &stored.shape(position)));
        reaches.max().unwrap_or(0)
    }

    /// As `repair`, after the removal of many entries. Deepest nodes come first, so that a node's children are merged
    /// into it before it is merged itself.
    fn repair_all(&mut self, vacated: Vec<Vacated>) {
        let mut levels: Vec<Vec<Vacated>> = Vec::new();
        for part in vacated {
            let depth = usize::from(self.arena.node(part.node).depth);
            if levels.len() <= depth {
                levels.resize_with(depth + 1, Vec::new);
            }
            levels[depth].push(part);
        }
        while let Some(mut level) = levels.pop() {
            level.sort_unstable_by_key(|part| (part.node, part.cell));
            for parts in level.chunk_by(|a, b| a.node == b.node) {
                if let Some(parent) = self.repair_node(parts) {
                    levels.last_mut().expect("a root is not merged").push(parent);
                }
            }
        }
    }

    /// Repairs the parts of one node. Returns the part of its parent that it was merged into, if it was.
    fn repair_node(&mut self, parts: &[Vacated]) -> Option<Vacated> {
        let node = parts[0].node;
        let reach = parts.iter().map(|part| part.reach).max().unwrap_or(0);
        for part in parts.iter().filter(|part| part.reach != 0) {
            self.lower_reach(node, part.cell);
        }
        for part in parts.iter().filter(|part| part.is_sparse) {
            self.merge_blocks(node, part.cell);
        }
        if self.may_merge_into_parent(node) {
            let (node, cell) = self.merge_into_parent(node);
            return Some(Vacated { node, cell, reach, is_sparse: true });
        }
        for is_own in [false, true] {
            if parts.iter().any(|part| part.reach != 0 && (part.cell == OWN_LIST) == is_own) {
                self.lower_reach_above(node, is_own, reach);
            }
        }
        None
    }
}
