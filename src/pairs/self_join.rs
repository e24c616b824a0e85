//! `pairs` and `pairs_between`: the pairs within an index.

use super::Pairs;
use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::key::LayerSet;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns every pair of objects that share at least one point, each pair once: the collisions among all objects.
    ///
    /// Touching counts, at an edge or in a corner, and so do equal points. No object is paired with itself. Which of
    /// the two comes first in a pair is not specified, except by [`pairs_between`](Self::pairs_between). Pairs within a
    /// distance are those of [`within`](Pairs::within). The other edge rules are in `docs/guarantees.md`.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
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

    /// Returns every pair of objects that share at least one point, the first of one set of layers and the second of
    /// another: static walls against moving bodies. Touching counts, as for [`pairs`](Self::pairs).
    ///
    /// A layer may be in both sets; each pair is still yielded once. If both objects are in both sets, it is not
    /// specified which one comes first. `pairs_between(all, all)` yields all pairs.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, bodies) = (index.add_rect_layer()?, index.add_rect_layer()?);
    /// index.insert(walls, Rect::new([10.0, 0.0], [12.0, 90.0]), "wall")?;
    /// index.insert(walls, Rect::new([0.0, 10.0], [90.0, 12.0]), "crossing wall")?;
    /// index.insert(bodies, Rect::new([11.0, 40.0], [13.0, 42.0]), "ball")?;
    /// let (wall, body) = index.pairs_between(walls, bodies).next().unwrap();
    /// assert_eq!((*wall.value(), *body.value()), ("wall", "ball"));
    /// assert_eq!(index.pairs_between(walls, bodies).count(), 1); // crossing walls are no pair here
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs_between(&self, first: impl Into<LayerSet>, second: impl Into<LayerSet>) -> Pairs<'_, T, S, D> {
        self.pairs().between(first, second)
    }
}
