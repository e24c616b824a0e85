//! Reach: how far the entries of buckets and nodes extend beyond their anchors, to the high side. It is never too low.
//! Removals make it exact, except in chains of more than one bucket.
//!
//! Keeps T6 of `docs/invariants.md`.

use super::super::arena::Slot;
use super::super::bucket::{positions, with_kind};
use super::Forest;
use super::chains::reach_of;
use crate::geometry::Scalar;
use crate::key::{BucketId, Kind, NodeId};

impl<S: Scalar, const D: usize> Forest<S, D> {
    /// Raises the reach of a bucket of boxes, and of the nodes above, to cover an extent.
    pub(super) fn grow_reach(&mut self, bucket: BucketId, extent: u32) {
        let reach = reach_of(Kind::Rects, extent);
        let first = self.arena.first_of(bucket);
        for bucket in [bucket, first] {
            let head = self.arena.head_mut(bucket);
            head.reach = head.reach.max(reach);
        }
        let head = self.arena.head(bucket);
        self.raise_reach(head.node, head.is_own_list(), reach);
    }

    /// Raises the reach of a node, unless it is for its own list, and of those above it.
    pub(super) fn raise_reach(&mut self, node: NodeId, is_own: bool, reach: u32) {
        let mut next = if is_own { self.arena.node(node).parent } else { Some(node) };
        while let Some(node) = next {
            let of = self.arena.node_mut(node);
            if reach <= of.reach {
                return;
            }
            of.reach = reach;
            next = of.parent;
        }
    }

    /// Recomputes the reach of a block or own list.
    ///
    /// Skips chains of more than one bucket, where that would cost more than it saves.
    pub(super) fn lower_reach(&mut self, node: NodeId, cell: u8) {
        let Some(first) = self.arena.first_at(node, cell) else { return };
        if self.arena.head(first).more {
            return;
        }
        let exact = self.exact_reach(first, 0, self.arena.head(first).reach);
        self.arena.head_mut(first).reach = exact;
    }

    /// The reach that the entries of a bucket of boxes need, between `least` and `most`. Their extents may have grown by one
    /// since `most` was exact, which covers that.
    pub(super) fn exact_reach(&self, bucket: BucketId, least: u32, most: u32) -> u32 {
        let mut exact = least;
        with_kind!(self.arena.bucket(bucket), |stored| for position in positions(self.arena.head(bucket).used) {
            exact = self.reach_from(exact + 1, &stored.shape(position)).unwrap_or(exact);
            if most <= exact {
                return most;
            }
        });
        exact
    }

    /// Recomputes the reaches of a node, unless only its own list has changed, and of those above it, as far as `reach` may
    /// have determined them.
    pub(super) fn lower_reach_above(&mut self, node: NodeId, is_own: bool, reach: u32) {
        let mut next = if is_own { self.arena.node(node).parent } else { Some(node) };
        while let Some(node) = next
            && self.arena.node(node).reach <= reach
        {
            let exact = self.reach_below(node);
            let of = self.arena.node_mut(node);
            if exact == of.reach {
                return;
            }
            of.reach = exact;
            next = of.parent;
        }
    }

    /// The largest reach in and below a node's cells.
    fn reach_below(&self, node: NodeId) -> u32 {
        let of = self.arena.node(node);
        let (mut reach, mut cells) = (0, of.occupied());
        while reach < of.reach {
            reach = reach.max(match of.next_slot(&mut cells) {
                Some((_, Slot::Bucket(first))) => self.arena.head(first).reach,
                Some((_, Slot::Child(child))) => self.arena.reach_of(self.arena.node(child)),
                Some((_, Slot::Vacant)) | None => break,
            });
        }
        reach
    }
}
