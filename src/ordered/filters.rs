//! The filters, iterators and items of all ordered queries. They are written once, as macros, so that each query is a
//! plain type. This file knows neither distances nor times.

/// The filters of a query with the fields `index` and `search`, and with a field that says by what its order is.
macro_rules! filters {
    ($Query:ident $(<$Metric:ident>)? by $($by:ident).+, $example:literal) => {
        impl<'a, 'b, T, $($Metric,)? S: Scalar, const D: usize> $Query<'a, 'b, T, $($Metric,)? S, D> {
            /// Restricts the query to a set of layers. Repeated calls keep only layers in all sets.
            ///
            /// It does not visit the trees of other layers. After the first `next`, the restriction holds for the
            /// objects still to come.
            ///
            /// ```
            /// # use quadrille::{GreatCircle, Quadtree, Ray, Rect};
            /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
            /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
            #[doc = concat!("assert!(index.", $example, ".in_layers(units).exists());")]
            #[doc = concat!("assert!(!index.", $example, ".in_layers(walls).exists());")]
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn in_layers(mut self, layers: impl Into<LayerSet>) -> Self {
                self.search.restrict(layers.into());
                self
            }

            /// Excludes an object, or several: `.excluding([a, b])`. If called again, all calls hold. After the first `next`,
            /// it holds for the objects still to come.
            ///
            /// ```
            /// # use quadrille::{GreatCircle, Quadtree, Ray, Rect};
            /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let units = index.add_point_layer()?;
            /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
            #[doc = concat!("let first = index.", $example, ".next().expect(\"there are objects\").object.handle();")]
            #[doc = concat!("let mut others = index.", $example, ".excluding(first);")]
            /// assert!(others.all(|other| other.object.handle() != first));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn excluding(mut self, objects: impl IntoHandles) -> Self {
                let space = &self.index.space;
                self.search.exclude(objects.into_handles().filter_map(|object| space.place(object)));
                self
            }

            /// Uses the memory of a [`SearchBuffer`] instead of its own, so that a loop of queries allocates once.
            ///
            /// ```
            /// # use quadrille::{GreatCircle, Quadtree, Ray, Rect, SearchBuffer};
            /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let units = index.add_point_layer()?;
            /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
            /// let mut buffer = SearchBuffer::new();
            /// for _ in 0..3 {
            #[doc = concat!("    let query = index.", $example, ".reusing(&mut buffer);")]
            ///     assert_eq!(query.take(5).count(), 5); // allocates once
            /// }
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn reusing<'c>(self, buffer: &'c mut SearchBuffer) -> $Query<'a, 'c, T, $($Metric,)? S, D>
            where
                'b: 'c,
            {
                let mut query: $Query<'a, 'c, T, $($Metric,)? S, D> = self;
                query.search.reuse(buffer);
                query
            }
        }

        impl<T, $($Metric: fmt::Debug,)? S: Scalar, const D: usize> fmt::Debug for $Query<'_, '_, T, $($Metric,)? S, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (by, layers) = (&self.$($by).+, self.search.layers);
                f.debug_struct(stringify!($Query)).field("by", by).field("layers", &layers).finish_non_exhaustive()
            }
        }
    };
}

/// The iterator of a query whose field `search` is a [`Sequence`](super::sequence::Sequence).
macro_rules! by_ranking {
    ($(#[$periodic:meta])+ $Query:ident yields $Item:ident, $example:literal) => {
        impl<'a, T, S: Scalar, const D: usize> $Query<'a, '_, T, S, D> {
            $(#[$periodic])+
            #[inline(always)]
            pub fn periodic(mut self, torus: &Periodic<S, D>) -> Self {
                self.search.wrap(torus);
                self
            }

            /// Returns one of the objects that come first, without breaking ties by handle.
            ///
            /// If objects tie, `next` yields the one with the lowest handle. So the answer does not depend
            /// on how the index came to be. The price is that `next` compares all objects that tie. Where ten thousand
            /// objects overlap, it compares all that touch the start of the search. This method stops at the first of
            /// them that it finds. Farther away, ties cost it less than they cost `next`, but not nothing. It may
            /// return any of the objects that tie.
            ///
            /// ```
            /// # use quadrille::{Quadtree, Ray, Rect};
            /// # let mut index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let zones = index.add_rect_layer()?;
            /// for value in 0..50 {
            ///     index.insert(zones, Rect::new([5.0, 10.0], [90.0, 90.0]), value)?;
            /// }
            #[doc = concat!("assert_eq!(index.", $example, ".next().map(|zone| *zone.object.value()), Some(0));")]
            #[doc = concat!("assert!(index.", $example, ".any_first().is_some()); // one of the fifty")]
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            #[must_use]
            pub fn any_first(mut self) -> Option<$Item<'a, T, S, D>> {
                let found = self.search.one(Ties::Any)?;
                Some(self.item(found))
            }

            /// Begins after an answer of the same question: the next page. Nothing comes twice, and nothing is lost. An
            #[doc = concat!("answer tells its [position](", stringify!($Item), "::position).")]
            ///
            /// The index may have changed since. Then all objects come that stand after the position now: that of an
            /// object which is gone, or has moved, is still a position. If called again, the last position holds.
            ///
            /// ```
            /// # use quadrille::{Quadtree, Ray, Rect};
            /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let units = index.add_point_layer()?;
            /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
            #[doc = concat!("let page: Vec<_> = index.", $example, ".take(3).collect();")]
            #[doc = concat!("let next = index.", $example, ".after(page[1].position()).next();")]
            /// assert_eq!(next.map(|next| next.object.handle()), Some(page[2].object.handle()));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn after(mut self, position: (u128, Handle)) -> Self {
                self.search.begin_after((Rank::from_bits(position.0), Some(position.1)));
                self
            }

            /// Returns whether at least one object is still to come. It stops at the first object that it finds, in any
            /// order.
            ///
            /// ```
            /// # use quadrille::{Quadtree, Ray, Rect};
            /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let units = index.add_point_layer()?;
            #[doc = concat!("assert!(!index.", $example, ".exists());")]
            /// index.insert(units, [50.0, 50.0], 1)?;
            #[doc = concat!("assert!(index.", $example, ".exists());")]
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            #[must_use]
            pub fn exists(mut self) -> bool {
                self.search.one(Ties::AnyRank).is_some()
            }
        }

        impl<'a, T, S: Scalar, const D: usize> Iterator for $Query<'a, '_, T, S, D> {
            type Item = $Item<'a, T, S, D>;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let found = self.search.next()?;
                Some(self.item(found))
            }
        }

        impl<T, S: Scalar, const D: usize> FusedIterator for $Query<'_, '_, T, S, D> {}

        impl<T, S: Copy, const D: usize> Clone for $Query<'_, '_, T, S, D> {
            fn clone(&self) -> Self {
                Self { search: self.search.clone(), ..*self }
            }
        }
    };
}

/// The traits of an item, without bounds on the type of values.
macro_rules! item {
    ($Item:ident<S $(: $Copy:ident)?> { $($field:ident),* } $(, $example:literal)?) => {
        $(impl<T, S: Scalar, const D: usize> $Item<'_, T, S, D> {
            /// Where it stands in the order, exactly: a number that rises along the order, and the handle, which decides
            /// where the numbers tie. `after` goes on from there.
            ///
            /// ```
            /// # use quadrille::{Quadtree, Ray, Rect};
            /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
            /// # let units = index.add_point_layer()?;
            /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
            #[doc = concat!("assert!(index.", $example, ".map(|found| found.position()).is_sorted());")]
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            #[must_use]
            pub fn position(&self) -> (u128, Handle) {
                (self.rank.bits(), self.object.handle())
            }
        })?

        impl<T, S $(: $Copy)?, const D: usize> Clone for $Item<'_, T, S, D> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T, S $(: $Copy)?, const D: usize> Copy for $Item<'_, T, S, D> {}

        impl<'a, T, S, const D: usize> From<$Item<'a, T, S, D>> for ObjectRef<'a, T, S, D> {
            fn from(found: $Item<'a, T, S, D>) -> Self {
                found.object
            }
        }

        impl<T, S: Scalar, const D: usize> fmt::Debug for $Item<'_, T, S, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Item))$(.field(stringify!($field), &self.$field))*.finish()
            }
        }
    };
}

use core::fmt;
use core::iter::FusedIterator;

use super::buffer::SearchBuffer;
use super::cast::Cast;
use super::hit::Hit;
use super::nearest::{Nearest, Neighbor};
use super::nearest_by::{NearestBy, NeighborBy};
use super::search::Ties;
use crate::geometry::{Rank, Scalar};
use crate::index::ObjectRef;
use crate::key::{Handle, IntoHandles, LayerSet};
use crate::periodic::Periodic;

filters!(Nearest by search.criterion, "nearest([7.0, 50.0])");
filters!(Cast by search.criterion, "raycast(Ray::new([7.0, 50.0], [1.0, 0.0]))");
filters!(NearestBy<M> by metric, "nearest_by(GreatCircle::new([7.0, 50.0]))");

by_ranking! {
    /// Measures in a world that wraps around: from the target or its nearest image. Each object comes once, with its least
    /// distance. See [`Periodic`] for the objects that count, the limits and the cost. After the first `next`, it
    /// begins again.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert_batch(units, [([2.0, 50.0], 1), ([90.0, 50.0], 2)])?;
    /// let nearest = index.nearest([97.0, 50.0]).periodic(&torus).next().expect("there are objects");
    /// assert_eq!((*nearest.object.value(), nearest.distance()), (1, 5.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Nearest yields Neighbor, "nearest([7.0, 50.0])"
}
by_ranking! {
    /// Casts in a world that wraps around: a ray or rectangle that leaves it on one side comes in on the other. An object is
    /// hit once, where the way first comes to one of its images; the point lies on the object where it is stored. A ray
    /// without an end ends four periods away. See [`Periodic`] for the rest. After the first `next`, it begins again.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Ray, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([10.0, 0.0], [12.0, 100.0]), 1)?;
    /// let ray = Ray::new([80.0, 50.0], [1.0, 0.0]);
    /// let hit = index.raycast(ray).periodic(&torus).next().expect("it comes around");
    /// assert_eq!((hit.t, hit.point()), (30.0, [10.0, 50.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Cast yields Hit, "raycast(Ray::new([7.0, 50.0], [1.0, 0.0]))"
}

item!(Neighbor<S: Copy> { object, distance_squared }, "nearest([7.0, 50.0])");
item!(Hit<S: Copy> { object, t }, "raycast(Ray::new([7.0, 50.0], [1.0, 0.0]))");
item!(NeighborBy<S> { object, distance });
