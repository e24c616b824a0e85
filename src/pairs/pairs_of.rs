//! `pairs_of`: the pairs that some objects take part in.

use alloc::vec::Vec;
use core::borrow::Borrow;

use super::Pairs;
use super::group::Group;
use super::sources::Source;
use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::key::{Handle, Place};

/// Groups places by bucket.
fn by_bucket(mut places: Vec<Place>) -> Vec<Source> {
    places.sort_unstable();
    let mut list: Vec<Source> = Vec::new();
    for place in places {
        let bucket = place.first_of_bucket();
        match list.last_mut() {
            Some(source) if source.group == Group::Bucket(bucket) => source.entries |= 1 << place.position(),
            _ => list.push(Source { side: 0, group: Group::Bucket(bucket), entries: 1 << place.position() }),
        }
    }
    list
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns every pair of objects that share at least one point, if at least one of the two is among `objects`: the
    /// pairs of the objects that moved. Touching counts, as for [`pairs`](Self::pairs).
    ///
    /// A pair of two of the objects is yielded once. A handle that occurs twice counts once, and one without an object
    /// is ignored. Filters apply to both objects of a pair.
    ///
    /// It costs least if the objects lie close together. If many objects are spread all over the world,
    /// [`pairs`](Self::pairs) costs no more. A list of the objects is made by this call, in `O(n log n)`, and copied by
    /// `clone`.
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
        let places = objects.into_iter().filter_map(|object| self.space.place(*object.borrow())).collect();
        Pairs::within_index(self, Some(by_bucket(places)))
    }
}
