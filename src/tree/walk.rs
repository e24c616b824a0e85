//! The one walk of region queries: over the nodes and blocks that may hold matches. Single objects are tested
//! elsewhere.
//!
//! Cells come in falling Morton order, a node's own list last. The state borrows nothing and has no stack. A node knows
//! its parent and its cell there; on the way up the walk recomputes which of the parent's cells are still to come. So
//! the state is a few words, which can be copied and kept.
//!
//! Keeps Q4, Q5, C2 and its part of Q1 of `docs/invariants.md`.

use core::iter;
use core::mem;

use super::arena::{Arena, Node, Slot};
use super::probe::Probe;
use crate::geometry::Scalar;
use crate::grid::{CELLS, UnitRange, cells_met};
use crate::key::{BucketId, NodeId};

/// Deeper than any node.
const UNSURE: u8 = u8::MAX;

/// The number after the last cell.
const ALL: u8 = CELLS as u8;

/// A step of the walk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Visit {
    /// A node; its content follows.
    Node(NodeId),
    /// A block's chain or an own list, by its first bucket.
    Chain {
        first: BucketId,
        /// Whether all its entries match without a test.
        covered: bool,
    },
}

/// The state of a walk over one tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    /// The current node. `None` when the walk is over.
    node: Option<NodeId>,
    /// The highest node with something still to come: the walk ends there.
    top: Option<NodeId>,
    /// Whether `cells`, `covered` and `own` belong to the current node. If not, they are computed when the walk
    /// continues.
    is_known: bool,
    /// While not `is_known`: only the node's cells before this one are still to come; [`ALL`] if it was reached from
    /// above.
    end: u8,
    /// While not `is_known`: whether all the node's entries match without a test.
    is_covered: bool,
    /// The cells still to come that the query meets.
    cells: u64,
    /// The cells in and below which all entries match without a test, unless a probe that classifies refuses them.
    covered: u64,
    /// The depth of the highest node on the path that the probe has classified as matching wholly. [`UNSURE`] if there
    /// is none.
    sure_from: u8,
    /// Whether the node's own list is still to come.
    own: bool,
}

impl Walk {
    /// A walk that is over.
    pub(crate) const NOWHERE: Self = Self::from_root(None);

    /// A walk over the tree with this root. Without a root it is over at once.
    #[inline]
    pub(crate) const fn from_root(root: Option<NodeId>) -> Self {
        Self {
            node: root,
            top: root,
            is_known: false,
            end: ALL,
            is_covered: false,
            cells: 0,
            covered: 0,
            sure_from: UNSURE,
            own: false,
        }
    }

    /// The walk from the lowest node that holds all anchors of matches, instead of a root. The nodes above have nothing else.
    #[inline(always)]
    pub(crate) fn narrowed<S: Scalar, const D: usize>(self, arena: &Arena<S, D>, probe: &impl Probe<D>) -> Self {
        let Some(mut lowest) = self.node else { return self };
        let mut node = arena.node(lowest);
        let UnitRange { min, max } = probe.anchors(node.reach);
        let differ = (0..D).fold(0, |differ, axis| differ | (min[axis] ^ max[axis]));
        // All are in one cell, also for a smaller reach.
        while differ >> node.shift == 0
            && node.own.is_none()
            && let Slot::Child(child) = node.slot(node.cell_of(min))
        {
            lowest = child;
            node = arena.node(child);
        }
        Self::from_root(Some(lowest))
    }

    /// A walk over the own list of this root alone: the last step of a walk over the tree.
    pub(crate) const fn of_root_list(root: Option<NodeId>) -> Self {
        Self { is_known: true, own: true, ..Self::from_root(root) }
    }

    /// A walk over all blocks and own lists with anchors after a world-order position. Blocks and own lists around the
    /// position come whole; the caller skips the entries that are done.
    pub(crate) fn after<S: Scalar, const D: usize>(
        arena: &Arena<S, D>,
        root: Option<NodeId>,
        passed: [u32; D],
    ) -> Self {
        let mut walk = Self::from_root(root);
        while let Some(node) = walk.node {
            let node = arena.node(node);
            let cell = node.cell_of(passed);
            walk.end = match node.slot(cell) {
                // The query may meet only cells of a block that are done.
                Slot::Bucket(first) if node.origin_of(arena.head(first).cell) != passed => arena.head(first).end(),
                // A part of the cell is still to come.
                Slot::Child(child) if node.origin_of(cell) != passed => {
                    walk.node = Some(child);
                    continue;
                }
                _ => cell,
            };
            break;
        }
        walk
    }

    /// The world-order position that the walk has reached. All entries there or before have been visited or do not
    /// match, except in [`own_lists`](Self::own_lists) and in the root's. `None` if nothing has been passed yet.
    pub(crate) fn passed<S: Scalar, const D: usize>(&self, arena: &Arena<S, D>) -> Option<[u32; D]> {
        let Some(id) = self.node else { return Some([0; D]) };
        let node = arena.node(id);
        let end = match self.cells.checked_ilog2() {
            _ if !self.is_known => self.end,
            None => 0,
            Some(cell) => match node.slot(cell as u8) {
                // A block comes as a whole, including cells that the query does not meet.
                Slot::Bucket(first) => arena.head(first).end(),
                Slot::Child(_) | Slot::Vacant => cell as u8 + 1,
            },
        };
        if end < ALL { Some(node.origin_of(end)) } else { arena.end_of(id) }
    }

    /// The first buckets of the own lists still to come, of the nodes on the path to the current one, but for the root's.
    pub(crate) fn own_lists<S: Scalar, const D: usize>(&self, arena: &Arena<S, D>) -> impl Iterator<Item = BucketId> {
        let is_due = self.own || !self.is_known;
        let path = iter::successors(self.node, move |&node| arena.node(node).parent).map(|node| arena.node(node));
        path.skip(usize::from(!is_due)).filter(|node| node.parent.is_some()).filter_map(|node| node.own)
    }

    /// Whether the root's own list, which comes last in a tree, is still to come.
    pub(crate) fn is_before_root_list<S: Scalar, const D: usize>(&self, arena: &Arena<S, D>) -> bool {
        self.node.map(|node| arena.node(node)).is_some_and(|node| {
            node.parent.is_some() || !self.is_known || self.cells != 0 || self.own && node.own.is_some()
        })
    }

    /// The number of cells of the current node that are still to come.
    #[inline(always)]
    pub(crate) fn cells_left(&self) -> u32 {
        self.cells.count_ones()
    }

    /// Whether the walk has nothing left to visit.
    pub(crate) fn is_over(&self) -> bool {
        self.node.is_none()
    }

    /// A walk over the tree with this root, starting after a chain, which is given by any of its buckets.
    #[inline]
    pub(crate) fn after_chain<S: Scalar, const D: usize>(
        arena: &Arena<S, D>,
        root: Option<NodeId>,
        bucket: BucketId,
    ) -> Self {
        let head = arena.head(bucket);
        // Nothing of a node follows its own list.
        let (is_known, end) = (head.is_own_list(), head.cell);
        Self { node: Some(head.node), is_known, end, ..Self::from_root(root) }
    }

    /// Skips the rest of the current node.
    pub(crate) fn skip_rest_of_node(&mut self) {
        self.cells = 0;
        self.own = false;
    }

    /// The next chain of buckets, and whether all its entries match without a test.
    #[inline]
    pub(crate) fn next_chain<S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        probe: &impl Probe<D>,
    ) -> Option<(BucketId, bool)> {
        match self.next_of(arena, probe, |visit| matches!(visit, Visit::Chain { .. }))? {
            Visit::Chain { first, covered } => Some((first, covered)),
            Visit::Node(_) => None,
        }
    }

    /// The next step.
    pub(crate) fn next<S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        probe: &impl Probe<D>,
    ) -> Option<Visit> {
        self.next_of(arena, probe, |_| true)
    }

    /// The next step of some kind.
    #[inline(always)]
    fn next_of<S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        probe: &impl Probe<D>,
        is_wanted: impl Fn(Visit) -> bool,
    ) -> Option<Visit> {
        let mut next = None;
        self.go(
            arena,
            probe,
            |_| true,
            #[inline(always)]
            |_, visit| {
                next = Some(visit).filter(|&visit| is_wanted(visit));
                next.is_none()
            },
        );
        next
    }

    /// Takes steps until `visit` returns `false` or nothing is left. Enters a child whose objects all match only if
    /// `enters` returns `true`.
    ///
    /// It is one piece of code, with the state in registers. The state is written back only at the end, because the
    /// probe may call the user's region, which may panic.
    #[inline(always)]
    pub(crate) fn go<P: Probe<D>, S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        probe: &P,
        mut enters: impl FnMut(NodeId) -> bool,
        mut visit: impl FnMut(&Self, Visit) -> bool,
    ) {
        let mut walk = *self;
        'nodes: while let Some(id) = walk.node {
            let node = arena.node(id);
            if walk.arrive(arena, probe, node) && !walk.visited(&mut visit, Visit::Node(id)) {
                break;
            }
            while let Some((cell, slot)) = node.next_slot(&mut walk.cells) {
                match slot {
                    Slot::Bucket(first) => {
                        if let Some(covered) = walk.met_chain(arena, probe, first)
                            && !walk.visited(&mut visit, Visit::Chain { first, covered })
                        {
                            break 'nodes;
                        }
                    }
                    Slot::Child(child) => {
                        let covered = walk.covered >> cell & 1 != 0;
                        if walk.enter(arena, probe, node, child, covered, &mut enters) {
                            continue 'nodes;
                        }
                    }
                    Slot::Vacant => {}
                }
            }
            if mem::take(&mut walk.own)
                && let Some(first) = node.own
                && let Some(covered) = walk.met_chain(arena, probe, first)
                && !walk.visited(&mut visit, Visit::Chain { first, covered })
            {
                break;
            }
            walk.climb::<P, D>(node);
        }
        *self = walk;
    }

    /// Classifies a square that the query meets by units. Returns `covered` unchanged if the probe does not classify,
    /// or has already classified a node around it as matching wholly.
    #[inline(always)]
    fn classified<P: Probe<D>, const D: usize>(
        &self,
        probe: &P,
        square: impl FnOnce() -> (UnitRange<D>, u32),
        covered: bool,
    ) -> Option<bool> {
        if !P::CLASSIFIES || self.sure_from != UNSURE {
            return Some(covered);
        }
        let (units, reach) = square();
        probe.classify(&units, reach, covered)
    }

    /// Passes a step to the visitor. Returns whether to continue.
    #[inline(always)]
    fn visited(&mut self, visit: &mut impl FnMut(&Self, Visit) -> bool, step: Visit) -> bool {
        #[cfg(test)]
        super::tests::count(super::tests::STEPS, 1);
        visit(self, step)
    }

    /// Computes which cells of the current node are still to come, if that is not known. Returns whether the node has
    /// just been reached from above, and the query meets it or may meet its own list.
    #[inline(always)]
    fn arrive<P: Probe<D>, S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        probe: &P,
        node: &Node<D>,
    ) -> bool {
        if mem::replace(&mut self.is_known, true) {
            return false;
        }
        if self.is_covered {
            (self.cells, self.covered, self.own) = (node.occupied(), u64::MAX, true);
            return true;
        }
        self.look_at(probe, node);
        let is_new = self.end == ALL;
        if !is_new {
            self.cells &= (1 << self.end) - 1;
        }
        if P::CLASSIFIES && self.sure_from == UNSURE {
            self.cells = probe.refined(self.cells, node);
        }
        if is_new {
            arena.prefetch_parts(node, node.own, || self.cells);
        }
        is_new && self.own
    }

    /// Computes which of the node's cells the query meets, and whether its own list is to come.
    #[inline(always)]
    fn look_at<const D: usize>(&mut self, probe: &impl Probe<D>, node: &Node<D>) {
        let met = cells_met(&probe.anchors(node.reach), node.origin, node.shift);
        self.cells = met & node.occupied();
        self.own = met != 0 || node.own.is_some();
        self.covered = probe.cells_covered(node, node.reach);
    }

    /// Descends to a child of the current node. Does not if a probe that classifies refuses it, or if its objects all
    /// match and `enters` refuses it. Returns whether it did.
    #[inline(always)]
    fn enter<P: Probe<D>, S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        probe: &P,
        node: &Node<D>,
        child: NodeId,
        covered: bool,
        enters: &mut impl FnMut(NodeId) -> bool,
    ) -> bool {
        let below = arena.node(child);
        let Some(covered) = self.classified(probe, || (below.block().units(), arena.reach_of(below)), covered) else {
            return false;
        };
        if covered && !enters(child) {
            return false;
        }
        if P::CLASSIFIES && covered {
            self.sure_from = self.sure_from.min(below.depth);
        }
        let is_last = self.cells == 0 && node.own.is_none();
        if is_last && self.node == self.top {
            self.top = Some(child);
        }
        (self.node, self.is_known, self.end, self.is_covered) = (Some(child), false, ALL, covered);
        true
    }

    /// `None` if the query does not meet a chain; otherwise whether all its entries match without a test.
    #[inline(always)]
    fn met_chain<P: Probe<D>, S: Scalar, const D: usize>(
        &self,
        arena: &Arena<S, D>,
        probe: &P,
        first: BucketId,
    ) -> Option<bool> {
        let head = arena.head(first);
        // Most regions cover no cells.
        let mut covered = self.covered != 0 && head.cells() & !self.covered == 0;
        if covered && head.is_own_list() {
            let node = arena.node(head.node);
            covered = head.reach <= node.reach || self.is_covered || probe.cells_covered(node, head.reach) == u64::MAX;
        }
        // Without reach, the cells have already decided.
        let may_match = covered || head.reach == 0 || probe.anchors(head.reach).meets(&head.block.units());
        if may_match { self.classified(probe, || (head.block.units(), head.reach), covered) } else { None }
    }

    /// Returns to the parent, right after the cell of this node. At the top the walk is over.
    #[inline(always)]
    fn climb<P: Probe<D>, const D: usize>(&mut self, node: &Node<D>) {
        if P::CLASSIFIES && node.depth == self.sure_from {
            self.sure_from = UNSURE;
        }
        if self.node == self.top {
            self.node = None;
            return;
        }
        (self.node, self.is_known, self.end, self.is_covered) = (node.parent, false, node.cell, false);
    }
}
