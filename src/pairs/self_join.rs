//! `pairs`, `pairs_between`: which objects of an index meet each other.

use super::Pairs;
use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::key::LayerSet;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Every pair of objects that share at least one point, once: who collides with whom.
    ///
    /// | two objects | `pairs()` | `pairs().within(d)` |
    /// |---|---|---|
    /// | overlapping, or one inside the other | yes | yes |
    /// | touching; points that are equal, or on an edge | yes | yes |
    /// | `d` apart, or less | no | yes |
    /// | more than `d` apart | no | no |
    /// | an object and itself | no | no |
    ///
    /// for all layers, or for those of [`in_layers`](Pairs::in_layers). Which of the two objects comes first in a pair is
    /// not said, unless they come from different layers of [`pairs_between`](Self::pairs_between).
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let bodies = index.add_rect_layer()?;
    /// index.insert(bodies, Rect::new([10.0, 10.0], [20.0, 20.0]), "crate")?;
    /// index.insert(bodies, Rect::new([20.0, 15.0], [30.0, 30.0]), "barrel")?; // they touch
    /// index.insert(bodies, Rect::new([50.0, 50.0], [60.0, 60.0]), "door")?;
    /// for (one, other) in index.pairs() {
    ///     let mut names = [*one.value(), *other.value()];
    ///     names.sort();
    ///     assert_eq!(names, ["barrel", "crate"]);
    /// }
    /// assert_eq!(index.pairs().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "collisions")]
    #[doc(alias = "overlaps")]
    #[doc(alias = "self_join")]
    pub fn pairs(&self) -> Pairs<'_, T, S, D> {
        Pairs::within_index(self, None)
    }

    /// Every pair of objects that share at least one point, the first of one set of layers, the second of another: still
    /// walls against moving bodies. [`pairs`](Self::pairs) says what counts.
    ///
    /// Layers may be in both sets: each pair comes once all the same. Where both objects are of both sets, which of them
    /// comes first is not said. `pairs_between(all, all)` are all pairs.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, bodies) = (index.add_rect_layer()?, index.add_rect_layer()?);
    /// index.insert(walls, Rect::new([10.0, 0.0], [12.0, 90.0]), "wall")?;
    /// index.insert(walls, Rect::new([0.0, 10.0], [90.0, 12.0]), "crossing wall")?;
    /// index.insert(bodies, Rect::new([11.0, 40.0], [13.0, 42.0]), "ball")?;
    /// let (wall, body) = index.pairs_between(walls, bodies).next().unwrap();
    /// assert_eq!((*wall.value(), *body.value()), ("wall", "ball"));
    /// assert_eq!(index.pairs_between(walls, bodies).count(), 1); // not how walls cross
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs_between(&self, first: impl Into<LayerSet>, second: impl Into<LayerSet>) -> Pairs<'_, T, S, D> {
        self.pairs().between(first, second)
    }
}
