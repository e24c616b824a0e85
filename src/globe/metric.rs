//! The nearest by great circles.

use super::GreatCircle;
use crate::{LayerSet, Metric, ObjectRef, Scalar, SpatialIndex};

/// The first cap has about as many objects as the first number. One with more than the second is left unread.
const IN_CAPS: [usize; 2] = [8, 256];

impl<T, S: Scalar> Metric<T, S> for GreatCircle {
    fn bound(&self, rect: &crate::Rect<S>) -> f64 {
        Self::bound(self, rect)
    }
    fn distance(&self, object: &ObjectRef<'_, T, S>) -> f64 {
        self.distance_to(&object.shape())
    }

    /// By caps, as long as not too many are in them.
    fn each_within(
        &self,
        index: &SpatialIndex<T, S>,
        layers: LayerSet,
        beyond: Option<f64>,
        limit: f64,
        found: &mut dyn FnMut(&ObjectRef<'_, T, S>),
    ) -> Option<f64> {
        let distance = if let Some(beyond) = beyond {
            2.0 * beyond
        } else {
            let target = self.degrees()?.map(S::from_f64);
            let near = index.nearest(target).in_layers(layers).nth(IN_CAPS[0] - 1)?;
            self.distance_to(&near.object.shape())
        };
        let distance = if limit < 1.5 * distance { limit } else { distance };
        let mut numbers = 0..IN_CAPS[1];
        for object in index.intersecting(self.within(distance)).in_layers(layers) {
            numbers.next()?;
            found(&object);
        }
        Some(distance)
    }
}
