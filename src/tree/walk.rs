//! The one walk: over the nodes and blocks where a query may have matches. Knows nothing of how single objects are
//! tested.
//!
//! Cells come in falling Morton order, a node's own list last. The state borrows nothing and has no stack: a node knows
//! its parent and its cell there, and on the way up the walk computes anew which of the parent's cells are still to
//! come. So the state is a few words, which can be copied and kept.
//!
//! Keeps Q4, Q5, C2 and its part of Q1 of `docs/invariants.md`.

use core::iter;

use super::arena::{Arena, Slot, block_bits};
use super::bucket::Bucket;
use crate::grid::{CELLS, UNIT_MAX, UnitRange, cells_met, cells_within};
use crate::key::{BucketId, NodeId};

/// A query as the walk sees it, in units. Single objects are tested exactly elsewhere.
pub(crate) trait Probe<const D: usize> {
    /// The units where the anchors of matches may lie, in a node or bucket with that reach.
    fn anchors(&self, reach: u32) -> UnitRange<D>;

    /// The units where every anchor is that of a match, in a node or bucket with that reach.
    fn covered(&self, reach: u32) -> UnitRange<D>;

    /// Whether [`classify`](Self::classify) knows more than the other two methods, so that it is worth a call.
    const CLASSIFIES: bool = false;

    /// Classifies a square, with that reach, that `anchors` does not rule out: `None` if no object stored there
    /// matches, `Some(true)` if all of them surely do, which is allowed only if `may_cover`, otherwise `Some(false)`.
    #[inline]
    fn classify(&self, _: &UnitRange<D>, _: u32, may_cover: bool) -> Option<bool> {
        Some(may_cover)
    }

    /// Whether a child whose objects all match needs no visit: a probe that counts takes it as a whole.
    #[inline]
    fn takes(&self, _: NodeId) -> bool {
        false
    }
}

/// The probe that every object matches.
pub(crate) struct Everything;

impl<const D: usize> Probe<D> for Everything {
    #[inline]
    fn anchors(&self, _: u32) -> UnitRange<D> {
        UnitRange { min: [0; D], max: [UNIT_MAX; D] }
    }

    #[inline]
    fn covered(&self, reach: u32) -> UnitRange<D> {
        self.anchors(reach)
    }
}

/// Deeper than any node.
const UNSURE: u8 = u8::MAX;

/// A step of the walk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Visit {
    /// A node; its content follows.
    Node(NodeId),
    /// A block's chain or an own list, by its first bucket.
    Chain {
        first: BucketId,
        /// Whether all its entries match untested.
        covered: bool,
    },
}

/// How the walk has come to the current node.
#[derive(Clone, Copy, Debug)]
enum Arrival {
    /// From above, or as the first.
    Above,
    /// Back from the child in that cell.
    Below(u8),
    /// Neither: it has looked at the node's cells before.
    Here,
}

/// The state of a walk over one tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    /// The current node; `None` when the walk is over.
    node: Option<NodeId>,
    /// The highest node with something still to come: the walk ends there.
    top: Option<NodeId>,
    arrival: Arrival,
    /// Cells of the node that the query meets and that are still to come.
    cells: u64,
    /// Cells of the node whose entries, and those below, match untested, unless a probe that classifies refuses them.
    covered: u64,
    /// The depth of the highest node on the path in which the probe has classified everything as a match; `UNSURE` if
    /// there is none.
    sure_from: u8,
    /// Whether the node's own list is still to come.
    own: bool,
    /// Steps so far, to see in tests what a query costs.
    #[cfg(test)]
    pub(crate) visits: usize,
}

impl Walk {
    /// A walk that is over.
    pub(crate) const NOWHERE: Self = Self::over(None);

    /// A walk over the tree with that root. There may be no root: then it is over at once.
    #[inline]
    pub(crate) const fn over(root: Option<NodeId>) -> Self {
        Self {
            node: root,
            top: root,
            arrival: Arrival::Above,
            cells: 0,
            covered: 0,
            sure_from: UNSURE,
            own: false,
            #[cfg(test)]
            visits: 0,
        }
    }

    /// A walk over what comes after a place in world order: over all blocks and own lists with anchors after it. Blocks
    /// and own lists around the place come whole; the caller leaves out the entries that are done.
    pub(crate) fn after<B, const D: usize>(arena: &Arena<B, D>, root: Option<NodeId>, passed: [u32; D]) -> Self {
        let mut walk = Self::over(root);
        while let Some(node) = walk.node {
            let node = arena.node(node);
            let cell = node.cell_of(passed);
            if node.origin_of(cell) == passed {
                walk.arrival = Arrival::Below(cell);
                break;
            }
            // A part of the cell is still to come.
            if let Slot::Child(child) = node.slot(cell) {
                walk.node = Some(child);
                continue;
            }
            if usize::from(cell) + 1 < CELLS {
                walk.arrival = Arrival::Below(cell + 1);
            }
            break;
        }
        walk
    }

    /// How far the walk has come in world order. All entries there or before have been visited or do not match, but for
    /// those of [`own_lists`](Self::own_lists). `None` if nothing has been passed yet.
    pub(crate) fn passed<B, const D: usize>(&self, arena: &Arena<B, D>) -> Option<[u32; D]> {
        let Some(id) = self.node else { return Some([0; D]) };
        let node = arena.node(id);
        let end = match self.arrival {
            Arrival::Above => CELLS as u8,
            Arrival::Below(cell) => cell,
            Arrival::Here => match self.cells.checked_ilog2() {
                None => 0,
                Some(cell) => match node.slot(cell as u8) {
                    // The block comes as a whole, including cells that the query does not meet.
                    Slot::Bucket(first) => arena.head(first).cell + (1 << arena.head(first).block.span),
                    Slot::Child(_) | Slot::Vacant => cell as u8 + 1,
                },
            },
        };
        if usize::from(end) < CELLS { Some(node.origin_of(end)) } else { arena.end_of(id) }
    }

    /// The own lists that are still to come, by their first buckets, of the nodes on the path to the current one.
    pub(crate) fn own_lists<B, const D: usize>(&self, arena: &Arena<B, D>) -> impl Iterator<Item = BucketId> {
        let is_due = self.own || !matches!(self.arrival, Arrival::Here);
        let path = iter::successors(self.node, move |&node| arena.node(node).parent);
        path.skip(usize::from(!is_due)).filter_map(|node| arena.node(node).own())
    }

    /// Whether the walk has nothing left to visit.
    pub(crate) fn is_over(&self) -> bool {
        self.node.is_none()
    }

    /// A walk over what comes after a chain in the tree with that root, given one of the chain's buckets.
    #[inline]
    pub(crate) fn after_chain<B, const D: usize>(arena: &Arena<B, D>, root: Option<NodeId>, bucket: BucketId) -> Self {
        let head = arena.head(bucket);
        // After an own list nothing is left of the node.
        let arrival = if head.is_own_list() { Arrival::Here } else { Arrival::Below(head.cell) };
        Self { node: Some(head.node), arrival, ..Self::over(root) }
    }

    /// Skips the rest of the current node.
    pub(crate) fn skip_rest_of_node(&mut self) {
        self.cells = 0;
        self.own = false;
    }

    /// The next chain of buckets, and whether all its entries match untested.
    #[inline]
    pub(crate) fn next_chain<B: Bucket<D>, const D: usize>(
        &mut self,
        arena: &Arena<B, D>,
        probe: &impl Probe<D>,
    ) -> Option<(BucketId, bool)> {
        loop {
            if let Visit::Chain { first, covered } = self.next(arena, probe)? {
                return Some((first, covered));
            }
        }
    }

    #[inline]
    pub(crate) fn next<B: Bucket<D>, P: Probe<D>, const D: usize>(
        &mut self,
        arena: &Arena<B, D>,
        probe: &P,
    ) -> Option<Visit> {
        while let Some(node) = self.node {
            if let Some(visit) = self.step(arena, probe, node) {
                #[cfg(test)]
                {
                    self.visits += 1;
                }
                return Some(visit);
            }
        }
        None
    }

    /// Classifies a square that the query meets by units. Repeats whether it is covered if the probe does not classify,
    /// or has already classified a node around it as matching wholly.
    #[inline]
    fn classified<P: Probe<D>, const D: usize>(
        &self,
        probe: &P,
        units: impl FnOnce() -> UnitRange<D>,
        reach: u32,
        covered: bool,
    ) -> Option<bool> {
        if !P::CLASSIFIES || self.sure_from != UNSURE {
            return Some(covered);
        }
        probe.classify(&units(), reach, covered)
    }

    /// Goes down into a child, unless a probe that classifies refuses it.
    #[inline]
    fn visit_child<B, P: Probe<D>, const D: usize>(
        &mut self,
        arena: &Arena<B, D>,
        probe: &P,
        node: NodeId,
        child: NodeId,
        covered: bool,
    ) -> Option<Visit> {
        let below = arena.node(child);
        let covered = self.classified(probe, || below.block().units(), below.reach, covered)?;
        if covered && probe.takes(child) {
            return None;
        }
        if P::CLASSIFIES && covered {
            self.sure_from = self.sure_from.min(below.depth);
        }
        self.enter(arena, node, child, covered)
    }

    /// Takes one step: down to a child, to a chain, or back up. `None` if the step visits nothing.
    #[inline]
    fn step<B: Bucket<D>, const D: usize>(
        &mut self,
        arena: &Arena<B, D>,
        probe: &impl Probe<D>,
        node: NodeId,
    ) -> Option<Visit> {
        match self.arrival {
            Arrival::Here => {}
            arrival => {
                self.look_at(arena, probe, node);
                if let Arrival::Below(cell) = arrival {
                    self.cells &= (1 << cell) - 1;
                } else if self.own {
                    return Some(Visit::Node(node));
                }
            }
        }
        if let Some((cell, slot)) = arena.node(node).next_slot(&mut self.cells) {
            match slot {
                Slot::Bucket(first) => self.visit_chain(arena, probe, first),
                Slot::Child(child) => self.visit_child(arena, probe, node, child, self.covered >> cell & 1 != 0),
                Slot::Vacant => None,
            }
        } else if self.own {
            self.own = false;
            let own = arena.node(node).own()?;
            self.visit_chain(arena, probe, own)
        } else {
            self.climb(arena, probe, node);
            None
        }
    }

    /// Goes down to a child of the current node.
    #[inline]
    fn enter<B, const D: usize>(
        &mut self,
        arena: &Arena<B, D>,
        node: NodeId,
        child: NodeId,
        covered: bool,
    ) -> Option<Visit> {
        let is_last = self.cells == 0 && arena.node(node).own().is_none();
        if is_last && self.node == self.top {
            self.top = Some(child);
        }
        self.node = Some(child);
        if !covered {
            self.arrival = Arrival::Above;
            return None;
        }
        (self.cells, self.covered, self.own) = (arena.node(child).occupied(), u64::MAX, true);
        Some(Visit::Node(child))
    }

    /// Computes which of the node's cells the query meets, and whether it meets the node at all.
    #[inline]
    fn look_at<B: Bucket<D>, const D: usize>(&mut self, arena: &Arena<B, D>, probe: &impl Probe<D>, node: NodeId) {
        let node = arena.node(node);
        let met = cells_met(&probe.anchors(node.reach), node.origin, node.shift);
        self.cells = met & node.occupied();
        self.own = met != 0;
        self.covered = cells_within(&probe.covered(node.reach), node.origin, node.shift);
        if let Arrival::Above = self.arrival {
            arena.prefetch_cells(node, || self.cells);
            arena.prefetch_own(node);
        }
        self.arrival = Arrival::Here;
    }

    /// Visits a chain, unless its own reach shows that nothing there can match.
    #[inline]
    fn visit_chain<B: Bucket<D>, P: Probe<D>, const D: usize>(
        &self,
        arena: &Arena<B, D>,
        probe: &P,
        first: BucketId,
    ) -> Option<Visit> {
        let head = arena.head(first);
        let cells = if head.is_own_list() { u64::MAX } else { block_bits(head.cell, head.block.span) };
        let covered = cells & !self.covered == 0;
        // Points have no reach, so their cells have decided already.
        let may_match = covered || !B::EXTENDED || probe.anchors(head.reach).meets(&head.block.units());
        if !may_match {
            return None;
        }
        let covered = self.classified(probe, || head.block.units(), head.reach, covered)?;
        Some(Visit::Chain { first, covered })
    }

    /// Goes back to the parent, to what comes after the cell of this node; at the top the walk is over.
    #[inline]
    fn climb<B, P: Probe<D>, const D: usize>(&mut self, arena: &Arena<B, D>, _: &P, node: NodeId) {
        let child = arena.node(node);
        if P::CLASSIFIES && child.depth == self.sure_from {
            self.sure_from = UNSURE;
        }
        if self.node == self.top {
            self.node = None;
            return;
        }
        (self.node, self.arrival) = (child.parent, Arrival::Below(child.cell));
    }
}

impl<B, const D: usize> Arena<B, D> {
    /// Whether a query may have matches in a chain, by the block of its first bucket.
    pub(crate) fn is_met<P: Probe<D>>(&self, probe: &P, first: BucketId) -> bool {
        let head = self.head(first);
        let units = head.block.units();
        let is_met = probe.anchors(head.reach).meets(&units);
        is_met && (!P::CLASSIFIES || probe.classify(&units, head.reach, false).is_some())
    }
}
