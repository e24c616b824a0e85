//! The smallest box around the objects of a layer.
//!
//! A walk skips what lies inside the box around the objects that it has seen. It comes to the low sides last, so that box
//! is first made nearly as large as it will be, by a look at the end of the tree on each side.

use super::Trees;
use super::arena::{Node, Slot};
use super::probe::{Everything, Probe};
use super::walk::Walk;
use crate::geometry::{Rect, Scalar};
use crate::grid::{UnitRange, outermost};
use crate::key::{BucketId, NodeId};

/// Asks for the objects that may stick out of a box, given its units.
///
/// An object whose units lie strictly between the first and the last of the box lies inside. One in these units may
/// stick out: units are coarser than coordinates.
struct StickingOut<const D: usize>(UnitRange<D>);

impl<const D: usize> Probe<D> for StickingOut<D> {
    const CLASSIFIES: bool = true;

    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        Everything.anchors(reach)
    }

    #[inline]
    fn cells_covered(&self, _: &Node<D>, _: u32) -> u64 {
        0
    }

    #[inline]
    fn classify(&self, units: &UnitRange<D>, reach: u32, may_cover: bool) -> Option<bool> {
        let (inside, around) = (&self.0, units.stretched(reach));
        let lies_inside = |axis| inside.min[axis] < around.min[axis] && around.max[axis] < inside.max[axis];
        (!(0..D).all(lies_inside)).then_some(may_cover)
    }
}

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// The smallest box around the objects of a layer and another box, if there is one.
    pub(crate) fn bounds(&self, layer: u8, mut bounds: Option<Rect<S, D>>) -> Option<Rect<S, D>> {
        let Some(root) = self.root(layer) else { return bounds };
        for axis in 0..D {
            for is_high in [false, true] {
                bounds = self.around(bounds, self.chain_at_end(root, axis, is_high));
            }
        }
        let mut walk = Walk::from_root(Some(root));
        while let Some(inside) = bounds
            && let Some((first, _)) = walk.next_chain(self.arena(), &StickingOut(self.grid().range(&inside)))
        {
            bounds = self.around(bounds, Some(first));
        }
        bounds
    }

    /// A chain at the low or the high end of a subtree on an axis. `None` if the subtree is empty.
    fn chain_at_end(&self, mut node: NodeId, axis: usize, is_high: bool) -> Option<BucketId> {
        loop {
            let of = self.arena().node(node);
            match of.next_slot(&mut outermost::<D>(of.occupied(), axis, is_high)) {
                Some((_, Slot::Child(child))) => node = child,
                Some((_, Slot::Bucket(first))) => return Some(first),
                Some((_, Slot::Vacant)) | None => return of.own,
            }
        }
    }

    /// The smallest box around a box, if there is one, and the entries of a chain.
    fn around(&self, bounds: Option<Rect<S, D>>, first: Option<BucketId>) -> Option<Rect<S, D>> {
        let arena = self.arena();
        let of =
            |first| arena.crowd_of(first).map_or_else(|| arena.bounds_of(first), |top| arena.knots.get(top).bounds());
        let around = first.map(of);
        bounds.into_iter().chain(around).reduce(|a, b| a.hull(&b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::SpatialIndex;
    use crate::key::LayerSet;

    fn chains<const D: usize>(index: &SpatialIndex<(), f32, D>, probe: &impl Probe<D>) -> usize {
        let trees = &index.space.trees;
        let mut walk = Walk::from_root(trees.root(0));
        core::iter::from_fn(|| walk.next_chain(trees.arena(), probe)).count()
    }

    /// Of scattered objects, those along the sides alone are looked at.
    #[test]
    fn few_chains_stick_out() {
        let mut index = SpatialIndex::<(), f32, 2>::new(Rect::new([0.0; 2], [1.0; 2])).unwrap();
        let layer = index.add_point_layer().unwrap();
        // Multiples of two irrational numbers lie evenly in a square (Weyl).
        for number in 0..40_000_u16 {
            let at = [0.754_877_67, 0.569_840_3].map(|step: f64| (f64::from(number) * step).fract() as f32);
            index.insert(layer, at, ()).unwrap();
        }
        let bounds = index.bounds(LayerSet::ALL).unwrap();
        let sides = StickingOut(index.space.grid().range(&bounds));
        let (along_the_sides, all) = (chains(&index, &sides), chains(&index, &Everything));
        assert!(0 < along_the_sides && 4 * along_the_sides < all, "{along_the_sides} of {all}");
    }
}
