//! Several regions as one: all points that lie in any of them.
//!
//! Keeps Q7 of `docs/invariants.md`: asks each region only about boxes within its own bounds.

use alloc::vec::Vec;

use crate::geometry::{as_it_is, impl_region};
use crate::{IntoRegion, KnownShape, Rect, Region, Scalar};

/// All points that lie in any of some regions of one type: the view of several cameras, the cells of a hand-drawn
/// selection, the convex parts of a shape that is not convex. For regions of different types, write an enum that
/// implements [`Region`].
///
/// A box meets it if it meets one of the regions. A box lies inside if it lies inside *one* of them: a box that only
/// several of them cover together does not. `containing` yields the objects that contain all of them. Each object comes
/// once, however many of the regions it meets.
///
/// Each region is cut to its own bounds. (So a ball may leave out an object whose distance rounds to the radius, but
/// that lies outside the ball's bounds.) Empty regions are ignored. Without regions it is empty.
///
/// An answer takes time in proportion to the number of regions; their bounds exclude most of them. A query copies its
/// region, so pass a reference.
///
/// ```
/// use quadrille::{AnyOf, Ball, Quadtree, Rect};
///
/// let mut index = Quadtree::<&str>::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// for (at, name) in [([10.0, 10.0], "near the left lamp"), ([50.0, 10.0], "in the dark"), ([81.0, 10.0], "lit twice")] {
///     index.insert(units, at, name)?;
/// }
/// let lit = AnyOf::new([10.0, 80.0, 82.0].map(|x| Ball::new([x, 10.0], 5.0)));
/// assert_eq!(index.intersecting(&lit).count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AnyOf<R, S = f32, const D: usize = 2> {
    /// Each region with its bounds.
    regions: Vec<(R, Rect<S, D>)>,
    bounds: Rect<S, D>,
}

impl<R: Region<S, D>, S: Scalar, const D: usize> AnyOf<R, S, D> {
    /// Makes one region of many.
    ///
    /// ```
    /// # use quadrille::{AnyOf, Ball};
    /// let lit = AnyOf::new([[0.0, 0.0], [50.0, 0.0]].map(|lamp: [f32; 2]| Ball::new(lamp, 5.0)));
    /// assert_eq!(lit.regions().count(), 2);
    /// ```
    #[must_use]
    pub fn new<Via>(regions: impl IntoIterator<Item = impl IntoRegion<S, D, Via, Region = R>>) -> Self {
        let regions = regions.into_iter().map(IntoRegion::into_region);
        let regions: Vec<_> = regions
            .map(|region| {
                let bounds = region.bounds();
                (region, bounds)
            })
            .filter(|(_, bounds)| !bounds.is_empty())
            .collect();
        let bounds = regions.iter().fold(Rect::nowhere(), |all, (_, bounds)| all.union(bounds));
        Self { regions, bounds }
    }

    /// The regions that are not empty, in the order in which they were given.
    ///
    /// ```
    /// # use quadrille::{AnyOf, Ball};
    /// let lit: AnyOf<Ball> = AnyOf::new([Ball::new([0.0, 0.0], 5.0), Ball::new([9.0, 0.0], -1.0)]);
    /// assert_eq!(lit.regions().count(), 1); // a ball with a negative radius is empty
    /// ```
    pub fn regions(&self) -> impl Iterator<Item = &R> {
        self.regions.iter().map(|(region, _)| region)
    }

    /// The smallest box around all of them, as far as their own bounds are the smallest; all NaN if there are none.
    ///
    /// ```
    /// # use quadrille::{AnyOf, Ball, Rect};
    /// let lit: AnyOf<Ball> = AnyOf::new([[0.0, 0.0], [50.0, 0.0]].map(|lamp| Ball::new(lamp, 5.0)));
    /// assert!(lit.bounds().contains(&Rect::new([-5.0, -5.0], [55.0, 5.0])));
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    /// Whether the box shares a point with one of the regions.
    ///
    /// ```
    /// # use quadrille::{AnyOf, Rect};
    /// let tiles: AnyOf<Rect> = AnyOf::new([0.0, 2.0].map(|x| Rect::new([x, 0.0], [x + 1.0, 1.0])));
    /// assert!(tiles.intersects(&Rect::new([1.5, 0.0], [2.0, 1.0])));
    /// assert!(!tiles.intersects(&Rect::from_point([1.5, 0.5]))); // between the two
    /// ```
    #[must_use]
    pub fn intersects(&self, rect: &Rect<S, D>) -> bool {
        self.regions.iter().any(|(region, bounds)| {
            bounds.intersection(rect).is_some_and(|part| region.shape() == KnownShape::Box || region.intersects(&part))
        })
    }

    /// Whether all of the box lies inside one of the regions.
    ///
    /// ```
    /// # use quadrille::{AnyOf, Rect};
    /// let tiles: AnyOf<Rect> = AnyOf::new([0.0, 1.0].map(|x| Rect::new([x, 0.0], [x + 1.0, 1.0])));
    /// assert!(tiles.contains(&Rect::from_point([0.5, 0.5])));
    /// assert!(!tiles.contains(&Rect::new([0.5, 0.5], [1.5, 0.5]))); // no single one has all of it
    /// ```
    #[must_use]
    pub fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.regions.iter().any(|(region, bounds)| {
            bounds.contains(rect) && (region.shape() == KnownShape::Box || region.contains(rect))
        })
    }
}

impl_region! { [R: Region<S, D>, S: Scalar, const D: usize] AnyOf<R, S, D>, D; }

as_it_is! {
    /// By reference, so that a query copies nothing.
    [R: Region<S, D>, S: Scalar, const D: usize] &AnyOf<R, S, D>, D;
}
