//! A reference to an object: its place and handle, with the index to look up the rest.
//!
//! The queries that start at an object are with the other queries.

use core::fmt;

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, LayerId, Place, Stamp};
use crate::tree::{BUCKET_SLOTS, positions};

/// An object of an index, as queries yield it and [`SpatialIndex::object`] returns it.
///
/// Handle, shape and layer come from the tree. The value is looked up only by [`value`](Self::value), so counting
/// objects or collecting handles does not touch the memory of values.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # index.insert(units, [1.0, 2.0], "scout")?;
/// let scout = index.nearest([0.0, 0.0]).next().expect("there is one").object;
/// assert_eq!((*scout.value(), scout.shape().min(), scout.layer()), ("scout", [1.0, 2.0], units.id()));
/// assert!(!scout.intersecting().exists()); // about others only
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ObjectRef<'a, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    place: Place,
    handle: Handle,
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Some objects of a bucket, which is given by its first place.
    #[inline]
    pub(crate) fn objects_in(&self, bucket: Place, hits: u64) -> impl Iterator<Item = ObjectRef<'_, T, S, D>> + Clone {
        let handles = (hits != 0).then(|| self.space.trees.arena().handles(bucket));
        positions(hits).filter_map(move |position| {
            let handle = handles?[usize::from(position) % BUCKET_SLOTS];
            Some(ObjectRef::new(self, bucket.at(position), handle))
        })
    }
}

impl<'a, T, S: Scalar, const D: usize> ObjectRef<'a, T, S, D> {
    #[inline]
    pub(crate) fn new(index: &'a SpatialIndex<T, S, D>, place: Place, handle: Handle) -> Self {
        Self { index, place, handle }
    }

    /// The index and the place of the object, for queries that start at it.
    pub(crate) fn origin(&self) -> (&'a SpatialIndex<T, S, D>, Place) {
        (self.index, self.place)
    }

    /// The stamp of the object's index.
    #[inline]
    pub(crate) fn index_stamp(&self) -> Stamp {
        self.index.space.era.index
    }

    /// The object's handle.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// let found: Vec<_> = index.iter().map(|object| object.handle()).collect(); // to change them afterwards
    /// assert_eq!(found, [scout]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// The object's shape. A point is a box without extent.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// let shape = index.object(scout).expect("it lives").shape();
    /// assert_eq!(shape, Rect::from_point([1.0, 2.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn shape(&self) -> Rect<S, D> {
        self.index.space.trees.arena().shape(self.place)
    }

    /// The object's layer.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// assert_eq!(index.object(scout).expect("it lives").layer(), units.id());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn layer(&self) -> LayerId {
        self.index.space.layers.id(usize::from(self.index.space.trees.arena().layer_of(self.place)))
    }

    /// The object's value.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// let name: &str = index.object(scout).expect("it lives").value();
    /// assert_eq!(name, "scout");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Never: every object has a value.
    #[must_use]
    #[inline]
    pub fn value(&self) -> &'a T {
        self.index.values.of_entry(self.handle)
    }
}

impl<T, S, const D: usize> Clone for ObjectRef<'_, T, S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S, const D: usize> Copy for ObjectRef<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> fmt::Debug for ObjectRef<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectRef")
            .field("handle", &self.handle())
            .field("shape", &self.shape())
            .field("layer", &self.layer())
            .finish_non_exhaustive()
    }
}
