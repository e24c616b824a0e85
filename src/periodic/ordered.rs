//! The ordered queries of a periodic world, by name. `merge` does the work.

use core::fmt;
use core::iter::FusedIterator;

use super::merge::Merge;
use crate::geometry::Scalar;
use crate::key::{IntoHandles, LayerSet};
use crate::ordered::{Cast, CastHit, Nearest, Neighbor, RayHit, Raycast};

/// An iterator over objects by ascending distance from a target or from its nearest image.
///
/// [`PeriodicIndex::nearest`](crate::PeriodicIndex::nearest) returns it. It yields each object once, as a [`Neighbor`] with
/// the least distance over all images. It is as lazy as [`Nearest`]: another image is searched only once the distance to it
/// has been reached. From then on it allocates.
///
/// ```
/// # use quadrille::{Periodic, PeriodicNearest, Quadtree, Rect};
/// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let nearest: PeriodicNearest<u16> = torus.over(&index).nearest([99.2, 50.0]);
/// assert_eq!(nearest.take(3).map(|found| *found.object.value()).collect::<Vec<_>>(), [99, 0, 98]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct PeriodicNearest<'a, T, S = f32, const D: usize = 2> {
    pub(super) merge: Merge<Nearest<'a, 'static, T, S, D>, S, D>,
}

/// An iterator over the objects that a ray hits, in the order in which the ray enters them. A ray that leaves the world on
/// one side comes in on the other.
///
/// [`PeriodicIndex::raycast`](crate::PeriodicIndex::raycast) returns it. It yields each object once, as a [`RayHit`] with
/// the first `t` of all images. The point lies on the object where it is stored.
///
/// ```
/// # use quadrille::{Periodic, PeriodicRaycast, Quadtree, Ray, Rect};
/// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let hits: PeriodicRaycast<u16> = torus.over(&index).raycast(Ray::new([98.0, 50.0], [1.0, 0.0]));
/// let hits: Vec<_> = hits.until(3.0).map(|hit| (*hit.object.value(), hit.t, hit.point[0])).collect();
/// assert_eq!(hits, [(98, 0.0, 98.0), (99, 1.0, 99.0), (0, 2.0, 0.0), (1, 3.0, 1.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct PeriodicRaycast<'a, T, S = f32, const D: usize = 2> {
    pub(super) merge: Merge<Raycast<'a, 'static, T, S, D>, S, D>,
}

/// An iterator over the objects that a moving rectangle touches, in the order of impact. A rectangle that leaves the world
/// on one side comes in on the other.
///
/// [`PeriodicIndex::cast`](crate::PeriodicIndex::cast) returns it. It yields each object once, as a [`CastHit`] with the
/// first `t` of all images.
///
/// ```
/// # use quadrille::{Periodic, PeriodicCast, Quadtree, Rect};
/// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let stops: PeriodicCast<u16> = torus.over(&index).cast([99.5, 50.0], [2.0, 0.0]);
/// assert_eq!(stops.map(|hit| (*hit.object.value(), hit.t)).collect::<Vec<_>>(), [(0, 0.25), (1, 0.75)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct PeriodicCast<'a, T, S = f32, const D: usize = 2> {
    pub(super) merge: Merge<Cast<'a, 'static, T, S, D>, S, D>,
}

/// The methods that the three have in common.
macro_rules! merged {
    ($Periodic:ident, $Query:ident yields $Item:ident, $example:literal) => {
        impl<'a, T, S: Scalar, const D: usize> $Periodic<'a, T, S, D> {
            /// Restricts the query to a set of layers. Of several calls, only layers in all sets remain. After the first
            /// `next`, the restriction holds for the objects still to come.
            ///
            /// ```
            /// # use quadrille::{Periodic, Quadtree, Ray, Rect};
            /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
            /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
            /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
            #[doc = concat!("assert!(torus.over(&index).", $example, ".in_layers(units).exists());")]
            #[doc = concat!("assert!(!torus.over(&index).", $example, ".in_layers(walls).exists());")]
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn in_layers(self, layers: impl Into<LayerSet>) -> Self {
                let layers = layers.into();
                Self { merge: self.merge.with(|query| query.in_layers(layers)) }
            }

            /// Excludes an object, or several: `.excluding([a, b])`. Of several calls, all hold. After the first `next`,
            /// it holds for the objects still to come.
            ///
            /// ```
            /// # use quadrille::{Periodic, Quadtree, Ray, Rect};
            /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
            /// # let units = index.add_point_layer()?;
            /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
            #[doc = concat!("let mut others = torus.over(&index).", $example, ".excluding(handles[7]);")]
            /// assert!(others.all(|other| other.object.handle() != handles[7]));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn excluding(self, objects: impl IntoHandles) -> Self {
                Self { merge: self.merge.with(|query| query.excluding(objects)) }
            }

            /// Whether at least one object is still to come.
            ///
            /// ```
            /// # use quadrille::{Periodic, Quadtree, Ray, Rect};
            /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
            /// # let units = index.add_point_layer()?;
            #[doc = concat!("assert!(!torus.over(&index).", $example, ".exists());")]
            /// index.insert(units, [3.0, 50.0], 1)?;
            #[doc = concat!("assert!(torus.over(&index).", $example, ".exists());")]
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            #[must_use]
            pub fn exists(mut self) -> bool {
                self.next().is_some()
            }
        }

        impl<'a, T, S: Scalar, const D: usize> Iterator for $Periodic<'a, T, S, D> {
            type Item = $Item<'a, T, S, D>;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.merge.next()
            }
        }

        impl<T, S: Scalar, const D: usize> FusedIterator for $Periodic<'_, T, S, D> {}

        impl<T, S: Scalar, const D: usize> Clone for $Periodic<'_, T, S, D> {
            fn clone(&self) -> Self {
                Self { merge: self.merge.clone() }
            }
        }

        impl<T, S: Scalar, const D: usize> fmt::Debug for $Periodic<'_, T, S, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Periodic)).field("at_home", self.merge.query()).finish_non_exhaustive()
            }
        }
    };
}

merged!(PeriodicNearest, Nearest yields Neighbor, "nearest([99.0, 50.0])");
merged!(PeriodicRaycast, Raycast yields RayHit, "raycast(Ray::new([99.0, 50.0], [1.0, 0.0]))");
merged!(PeriodicCast, Cast yields CastHit, "cast([99.0, 50.0], [30.0, 0.0])");

impl<T, S: Scalar, const D: usize> PeriodicNearest<'_, T, S, D> {
    /// Ends after the objects that are at most `distance` away, as [`Nearest::within`].
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert_eq!(torus.over(&index).nearest([0.0, 50.0]).within(3.0).count(), 7); // 3 away is within
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(self, distance: S) -> Self {
        Self { merge: self.merge.with(|query| query.within(distance)) }
    }

    /// Begins with the objects that are at least `distance` away, as [`Nearest::beyond`].
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert_eq!(torus.over(&index).nearest([0.0, 50.0]).beyond(49.5).count(), 1); // none is farther than 50
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn beyond(self, distance: S) -> Self {
        Self { merge: self.merge.with(|query| query.beyond(distance)) }
    }
}

impl<T, S: Scalar, const D: usize> PeriodicRaycast<'_, T, S, D> {
    /// Ends the ray at a parameter, as [`Raycast::until`].
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Ray, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let ray = Ray::new([99.5, 50.0], [1.0, 0.0]);
    /// assert_eq!(torus.over(&index).raycast(ray).until(3.5).count(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn until(self, t: S) -> Self {
        Self { merge: self.merge.with(|query| query.until(t)) }
    }
}
