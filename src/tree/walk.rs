//! The one walk: over the nodes and blocks that a question may concern.
//!
//! Cells come in falling Morton order, a node's own list last. The state borrows nothing and has no stack: a node
//! knows its parent and its cell there, and which of the parent's cells are still to come is asked anew on the way
//! up. So the state is a few words, copied and kept at will.

use super::{Bucket, Head, Slot, Trees};
use crate::geometry::Scalar;
use crate::grid::{UnitRange, cells_met};
use crate::key::{BucketId, NodeId};

/// What a question asks of the walk. All in units; exact tests of objects are not the walk's business.
pub(crate) trait Probe<const D: usize> {
    /// Where the anchors of objects lie that may match, in a place with that reach.
    fn anchors(&self, reach: u32) -> UnitRange<D>;

    /// Whether every object matches that has its anchor in `units`, in a place with that reach.
    fn covers(&self, units: &UnitRange<D>, reach: u32) -> bool;
}

/// The probe that every object matches.
pub(crate) struct Everything;

impl<const D: usize> Probe<D> for Everything {
    #[inline]
    fn anchors(&self, _: u32) -> UnitRange<D> {
        UnitRange { min: [0; D], max: [u32::MAX; D] }
    }

    #[inline]
    fn covers(&self, _: &UnitRange<D>, _: u32) -> bool {
        true
    }
}

/// A step of the walk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Visit {
    /// A node; what it holds follows.
    Node(NodeId),
    /// A block's chain or an own list, by its first bucket.
    Chain {
        first: BucketId,
        /// Whether all its entries match untested.
        covered: bool,
    },
}

/// Where a walk over one tree stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    /// The node at hand; none when the walk is over.
    node: NodeId,
    /// Whether `node` has been visited itself.
    entered: bool,
    /// Cells of the node that the question meets and that are still to come.
    cells: u64,
    /// Whether the node's own list is still to come.
    own: bool,
    /// Whether all entries below the node match untested.
    covered: bool,
    /// Steps so far, to see in tests what a query costs.
    #[cfg(test)]
    pub(crate) visits: usize,
}

impl Walk {
    /// A walk over the tree with that root. There may be no root: then it is over at once.
    #[inline]
    pub(crate) fn over(root: NodeId) -> Self {
        Self {
            node: root,
            entered: false,
            cells: 0,
            own: false,
            covered: false,
            #[cfg(test)]
            visits: 0,
        }
    }

    /// Leaves out all of the node at hand that is still to come.
    pub(crate) fn skip_rest_of_node(&mut self) {
        self.cells = 0;
        self.own = false;
    }

    /// The next chain of buckets, and whether all its entries match untested.
    #[inline]
    pub(crate) fn next_chain<B: Bucket<S, D>, S: Scalar, const D: usize>(
        &mut self,
        trees: &Trees<B, S, D>,
        probe: &impl Probe<D>,
    ) -> Option<(BucketId, bool)> {
        loop {
            if let Visit::Chain { first, covered } = self.next(trees, probe)? {
                return Some((first, covered));
            }
        }
    }

    #[inline]
    pub(crate) fn next<B: Bucket<S, D>, S: Scalar, const D: usize>(
        &mut self,
        trees: &Trees<B, S, D>,
        probe: &impl Probe<D>,
    ) -> Option<Visit> {
        while !self.node.is_none() {
            let visit = if !self.entered {
                self.enter(trees, probe)
            } else if self.cells != 0 {
                self.next_cell(trees, probe)
            } else if self.own {
                self.own = false;
                let own = trees.node(self.node).own();
                if own.is_none() { None } else { self.visit_chain(trees, probe, own) }
            } else {
                self.climb(trees, probe);
                None
            };
            if visit.is_some() {
                #[cfg(test)]
                {
                    self.visits += 1;
                }
                return visit;
            }
        }
        None
    }

    /// Begins with a node; no visit if the question does not meet it.
    #[inline]
    fn enter<B: Bucket<S, D>, S: Scalar, const D: usize>(
        &mut self,
        trees: &Trees<B, S, D>,
        probe: &impl Probe<D>,
    ) -> Option<Visit> {
        self.entered = true;
        self.own = self.look_at(trees, probe);
        self.own.then_some(Visit::Node(self.node))
    }

    /// Finds which of the node's cells the question meets; says whether it meets the node at all.
    #[inline]
    fn look_at<B: Bucket<S, D>, S: Scalar, const D: usize>(
        &mut self,
        trees: &Trees<B, S, D>,
        probe: &impl Probe<D>,
    ) -> bool {
        let node = trees.node(self.node);
        let met = cells_met(&probe.anchors(node.reach), node.origin, node.shift);
        self.cells = met & node.occupied();
        self.covered = met != 0 && probe.covers(&node.block().units(), node.reach);
        met != 0
    }

    /// Goes on to the last of the cells that are still to come.
    #[inline]
    fn next_cell<B: Bucket<S, D>, S: Scalar, const D: usize>(
        &mut self,
        trees: &Trees<B, S, D>,
        probe: &impl Probe<D>,
    ) -> Option<Visit> {
        match trees.next_slot(self.node, &mut self.cells)? {
            (_, Slot::Bucket(first)) => self.visit_chain(trees, probe, first),
            (_, Slot::Child(child)) => {
                self.node = child;
                self.enter(trees, probe)
            }
            (_, Slot::Vacant) => None,
        }
    }

    /// Visits a chain, unless its own reach shows that the question does not concern it.
    #[inline]
    fn visit_chain<B: Bucket<S, D>, S: Scalar, const D: usize>(
        &self,
        trees: &Trees<B, S, D>,
        probe: &impl Probe<D>,
        first: BucketId,
    ) -> Option<Visit> {
        let Head { block, reach, .. } = trees.head(first);
        let units = block.units();
        if self.covered {
            return Some(Visit::Chain { first, covered: true });
        }
        probe.anchors(*reach).meets(&units).then(|| Visit::Chain { first, covered: probe.covers(&units, *reach) })
    }

    /// Goes back to the parent, to what comes after the cell of this node.
    #[inline]
    fn climb<B: Bucket<S, D>, S: Scalar, const D: usize>(&mut self, trees: &Trees<B, S, D>, probe: &impl Probe<D>) {
        let cell = trees.node(self.node).cell;
        self.node = trees.node(self.node).parent;
        if !self.node.is_none() {
            self.own = self.look_at(trees, probe);
            self.cells &= (1 << cell) - 1;
        }
    }
}
