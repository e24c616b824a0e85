//! A query as the walk sees it: which units it meets, and which it covers.

use super::arena::{Arena, Node};
use crate::geometry::Scalar;
use crate::grid::UnitRange;
use crate::key::BucketId;

/// A query as the walk sees it, in units. Single objects are tested exactly elsewhere.
pub(crate) trait Probe<const D: usize> {
    /// The units where the anchors of matches may lie, in a node or bucket with this reach.
    fn anchors(&self, reach: u32) -> UnitRange<D>;

    /// The cells of a node in and below which every object with this reach matches.
    fn cells_covered(&self, node: &Node<D>, reach: u32) -> u64;

    /// Whether [`classify`](Self::classify) can add to the other two methods, and so is worth a call.
    const CLASSIFIES: bool = false;

    /// Which of the node's cells that `anchors` does not rule out may hold anchors of matches; called if the probe classifies.
    #[inline]
    fn refined(&self, cells: u64, _: &Node<D>) -> u64 {
        cells
    }

    /// Classifies a square with this reach that `anchors` does not rule out: `None` if no object stored there matches,
    /// `Some(true)` if all surely match, otherwise `Some(false)`. `Some(true)` is allowed only if `may_cover`.
    #[inline]
    fn classify(&self, _: &UnitRange<D>, _: u32, may_cover: bool) -> Option<bool> {
        Some(may_cover)
    }
}

/// The probe that every object matches.
pub(crate) struct Everything;

impl<const D: usize> Probe<D> for Everything {
    #[inline]
    fn anchors(&self, _: u32) -> UnitRange<D> {
        UnitRange::everywhere()
    }

    #[inline]
    fn cells_covered(&self, _: &Node<D>, _: u32) -> u64 {
        u64::MAX
    }
}

impl<S: Scalar, const D: usize> Arena<S, D> {
    /// Whether a query may have matches in a chain, by the block of its first bucket.
    pub(crate) fn is_met<P: Probe<D>>(&self, probe: &P, first: BucketId) -> bool {
        let head = self.head(first);
        let units = head.block.units();
        let is_met = probe.anchors(head.reach).meets(&units);
        is_met && (!P::CLASSIFIES || probe.classify(&units, head.reach, false).is_some())
    }
}
