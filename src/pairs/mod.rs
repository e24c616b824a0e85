//! Queries for pairs: objects that share a point, or are within a distance of each other; and for the neighbors of each.
//!
//! Pairs within an index are its join with itself, each pair once. From the method to the comparison:
//!
//! - `join` is the iterator: it looks up the objects of the pairs that a search has found. `parallel` runs it on
//!   several threads.
//! - `search` is the position. It takes `sources`, one after the other, and looks for the partners of each.
//! - `target` says how far that has come, and `group_walk` walks over the groups of a tree that may have partners.
//! - `sides` owns the spaces, says which layers are paired, and gives the entries of a group: a bucket.
//! - `images` moves a source by the periods of a world that wraps around.
//! - `bucket_pair` compares two groups, by their `quantized` bounds first.
//! - `neighbors` tells each object with its neighbors. `around` searches, one source after the other, as far as what is
//!   `wanted` may be, and has what lies there `gathered` and compared.
//!
//! It takes nothing from region queries. Keeps invariants Q11 to Q13, Q15 and Q18 of `docs/invariants.md`.

mod around;
mod bucket_pair;
mod gathered;
mod group_walk;
mod images;
mod join;
mod neighbors;
#[cfg(feature = "rayon")]
mod parallel;
mod quantized;
mod search;
mod sides;
mod sources;
mod target;
#[cfg(test)]
mod tests;
mod wanted;

use alloc::sync::Arc;
use core::borrow::Borrow;

use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::key::Handle;
use sources::Source;

pub use join::{Join, Pairs};
pub use neighbors::{Around, Neighbors};

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns every pair of objects that share at least one point, each pair once: the collisions among all objects.
    ///
    /// Touching counts, at an edge or in a corner, and so do equal points. No object is paired with itself. Which of
    /// the two comes first in a pair is not specified, except by [`between`](Pairs::between). Pairs within a
    /// distance come from [`within`](Pairs::within). The other edge rules are in `docs/guarantees.md`.
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
    #[doc(alias("collisions", "overlaps", "self_join"))]
    pub fn pairs(&self) -> Pairs<'_, T, S, D> {
        Pairs::new(self, self, true, None)
    }

    /// Returns every pair of objects that share at least one point, if at least one of the two is among `objects`: the
    /// pairs of the objects that moved. Touching counts, as for [`pairs`](Self::pairs).
    ///
    /// A pair of two of the objects is yielded once. A handle that occurs twice counts once, and one without an object
    /// is ignored. Filters apply to both objects of a pair.
    ///
    /// It costs least if the objects lie close together. If many objects are spread all over the world,
    /// [`pairs`](Self::pairs) costs no more. This call makes a list of the objects, in `O(n log n)`. A clone shares
    /// it.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let bodies = index.add_rect_layer()?;
    /// let mut moved = Vec::new();
    /// for x in [10.0, 20.0, 30.0, 40.0] {
    ///     moved.push(index.insert(bodies, Rect::new([x, 50.0], [x + 10.0, 60.0]), x)?);
    /// }
    /// assert_eq!(index.pairs().count(), 3); // each touches the next one
    /// assert_eq!(index.pairs_of(&moved[..1]).count(), 1);
    /// assert_eq!(index.pairs_of(&moved[1..3]).count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs_of(&self, objects: impl IntoIterator<Item = impl Borrow<Handle>>) -> Pairs<'_, T, S, D> {
        Pairs::new(self, self, true, Some(self.sources_of(objects)))
    }

    /// Returns every pair of an object of this index and one of another that share at least one point, each pair once.
    ///
    /// Touching counts, as for [`pairs`](Self::pairs). The two indexes may have different worlds: coordinates are
    /// compared as they are. If you join an index with itself, each object is paired with itself too, and each pair is
    /// yielded in both orders.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut zones: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let parks = zones.add_rect_layer()?;
    /// zones.insert(parks, Rect::new([10.0, 10.0], [50.0, 50.0]), "park")?;
    /// let mut fleet: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [9000.0, 9000.0]))?;
    /// let (cars, bikes) = (fleet.add_point_layer()?, fleet.add_point_layer()?);
    /// fleet.insert(cars, [20.0, 30.0], 7)?;
    /// fleet.insert(cars, [60.0, 30.0], 8)?;
    /// fleet.insert(bikes, [50.0, 50.0], 9)?; // exactly on the corner
    /// let inside: Vec<_> = zones.join(&fleet).map(|(zone, bike)| (*zone.value(), *bike.value())).collect();
    /// assert_eq!(inside.len(), 2);
    /// assert_eq!(zones.join(&fleet).between(parks, cars).count(), 1);
    /// assert_eq!(zones.join(&fleet).within(10.0).count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "spatial_join")]
    pub fn join<'a, 'b, U>(&'a self, other: &'b SpatialIndex<U, S, D>) -> Join<'a, 'b, T, U, S, D> {
        Join::new(self, other, false, None)
    }

    /// Returns every pair of one of `objects` of this index and an object of another index that share at least one
    /// point: the part of a [`join`](Self::join) that has changed when these objects have moved.
    ///
    /// The edge rules are those of [`pairs_of`](Self::pairs_of): a handle that occurs twice counts once, and one without
    /// an object is ignored. Costs about as much as a region query for each of the objects, less where they lie close
    /// together. This call makes a list of the objects, in `O(n log n)`. A clone shares it.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut zones: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let parks = zones.add_rect_layer()?;
    /// # zones.insert(parks, Rect::new([10.0, 10.0], [50.0, 50.0]), "park")?;
    /// let mut fleet: Quadtree<u32> = Quadtree::new(zones.world())?;
    /// let cars = fleet.add_point_layer()?;
    /// let handles = fleet.insert_batch(cars, [([20.0, 30.0], 7), ([30.0, 20.0], 8), ([90.0, 30.0], 9)])?;
    /// let inside = |moved: &[_]| fleet.join_of(moved, &zones).map(|(car, zone)| (*car.value(), *zone.value())).collect();
    /// let found: Vec<_> = inside(&handles[1..]);
    /// assert_eq!(found, [(8, "park")]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn join_of<'a, 'b, U>(
        &'a self,
        objects: impl IntoIterator<Item = impl Borrow<Handle>>,
        other: &'b SpatialIndex<U, S, D>,
    ) -> Join<'a, 'b, T, U, S, D> {
        Join::new(self, other, false, Some(self.sources_of(objects)))
    }

    fn sources_of(&self, objects: impl IntoIterator<Item = impl Borrow<Handle>>) -> Arc<[Source]> {
        let places = objects.into_iter().filter_map(|object| self.space.place(*object.borrow())).collect();
        Source::of_places(&self.space, places)
    }
}
