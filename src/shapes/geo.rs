//! Shapes of `geo-types`, with the feature of that name: boxes and polygons are converted, and all that have a counterpart
//! are regions.

use geo_types::{Coord, CoordNum};

use crate::{Corridor, IntoRegion, Polygon, Rect, Scalar, Segment};

/// A box of `geo-types`.
///
/// ```
/// # use quadrille::Rect;
/// let rect = geo_types::Rect::new((1.0, 2.0), (3.0, 4.0));
/// assert_eq!(Rect::from(rect), Rect::new([1.0, 2.0], [3.0, 4.0]));
/// ```
impl<S: Scalar + CoordNum> From<geo_types::Rect<S>> for Rect<S> {
    fn from(rect: geo_types::Rect<S>) -> Self {
        Self::new(rect.min(), rect.max())
    }
}

/// A box for `geo-types`.
///
/// ```
/// # use quadrille::Rect;
/// let rect = geo_types::Rect::from(Rect::new([1.0, 2.0], [3.0, 4.0]));
/// assert_eq!((rect.width(), rect.max().y), (2.0, 4.0));
/// ```
impl<S: Scalar + CoordNum> From<Rect<S>> for geo_types::Rect<S> {
    fn from(rect: Rect<S>) -> Self {
        Self::new(rect.min(), rect.max())
    }
}

/// A polygon of `geo-types`, with its holes.
///
/// ```
/// # use quadrille::{Polygon, Rect};
/// let ring = vec![(0.0, 0.0), (10.0, 0.0), (0.0, 10.0)];
/// let triangle = geo_types::Polygon::new(ring.into(), vec![]);
/// assert_eq!(Polygon::from(&triangle).bounds(), Rect::new([0.0, 0.0], [10.0, 10.0]));
/// ```
impl<S: Scalar + CoordNum> From<&geo_types::Polygon<S>> for Polygon<S> {
    fn from(polygon: &geo_types::Polygon<S>) -> Self {
        Self::empty().with_rings_of(polygon)
    }
}

/// Polygons of `geo-types`, with their holes. They must not overlap: where two of them do, the common part is outside.
///
/// ```
/// # use quadrille::{Polygon, Rect};
/// let triangle = |x: f64| geo_types::Polygon::new(vec![(x, 0.0), (x + 10.0, 0.0), (x, 10.0)].into(), vec![]);
/// let both = geo_types::MultiPolygon::new(vec![triangle(0.0), triangle(20.0)]);
/// assert_eq!(Polygon::from(&both).bounds(), Rect::new([0.0, 0.0], [30.0, 10.0]));
/// ```
impl<S: Scalar + CoordNum> From<&geo_types::MultiPolygon<S>> for Polygon<S> {
    fn from(polygons: &geo_types::MultiPolygon<S>) -> Self {
        polygons.iter().fold(Self::empty(), Self::with_rings_of)
    }
}

impl<S: Scalar + CoordNum> Polygon<S> {
    fn with_rings_of(self, polygon: &geo_types::Polygon<S>) -> Self {
        let rings = core::iter::once(polygon.exterior()).chain(polygon.interiors());
        rings.fold(self, |polygon, ring| polygon.with_ring(ring.coords().copied()))
    }
}

/// Makes shapes regions, by reference and by value.
macro_rules! regions {
    ($($(#[$meaning:meta])* $shape:ident as $region:ty, |$from:ident| $made:expr;)+) => {$(
        $(#[$meaning])*
        impl<S: Scalar + CoordNum> IntoRegion<S, 2, Coord<S>> for &geo_types::$shape<S> {
            type Region = $region;

            fn into_region(self) -> Self::Region {
                let $from = self;
                $made
            }
        }

        $(#[$meaning])*
        impl<S: Scalar + CoordNum> IntoRegion<S, 2, Coord<S>> for geo_types::$shape<S> {
            type Region = $region;

            fn into_region(self) -> Self::Region {
                (&self).into_region()
            }
        }
    )+};
}

regions! {
    /// The same box.
    Rect as Rect<S>, |rect| Rect::from(*rect);
    /// The segment between its ends.
    Line as Segment<S>, |line| Segment::new(line.start, line.end);
    /// The line itself: a corridor without breadth.
    LineString as Corridor<S>, |line| Corridor::new(line.coords().copied(), S::default());
    /// The polygon with its holes, made anew by each call: for many queries keep `Polygon::from(&polygon)`.
    Polygon as Polygon<S>, |polygon| Polygon::from(polygon);
    /// The polygons with their holes, made anew by each call: for many queries keep `Polygon::from(&polygons)`.
    MultiPolygon as Polygon<S>, |polygons| Polygon::from(polygons);
}
