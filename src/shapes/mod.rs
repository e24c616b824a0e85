//! Shapes that stand above the doors of the library: each answers as a [`Region`](crate::Region) of anyone's would.

mod any_of;
mod convex;
mod corridor;
mod edge;
#[cfg(feature = "geo-types")]
mod geo;
mod polygon;
mod rings;
mod runs;
#[cfg(feature = "serde")]
mod saved;
mod scale;

pub use any_of::AnyOf;
pub use convex::{Convex, HalfSpace};
pub use corridor::Corridor;
pub use polygon::Polygon;
