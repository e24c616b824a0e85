//! Numbers, points, boxes and regions. Knows no tree.
//!
//! All intervals are closed: what touches, meets. A comparison with a NaN is false, so a box with a NaN meets nothing.

mod ball;
mod convex;
mod lanes;
mod polygon;
mod rect;
mod region;
mod scalar;
mod segment;

pub use ball::Ball;
pub use convex::{Convex, HalfSpace};
pub(crate) use lanes::{Hits, LANES, Level, Simd, SimdBase, SimdMask, Vectorized, dispatch, level};
pub use polygon::ConvexPolygon;
pub use rect::{Rect, RectError};
pub use region::{IntoRegion, Region};
pub use scalar::Scalar;
pub use segment::Segment;

/// A point: one coordinate per axis.
pub type Point<S = f32, const D: usize = 2> = [S; D];

/// A coordinate of an object that is NaN or infinite, and so cannot be filed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("coordinate {value} on axis {axis} is not finite")]
pub struct NotFinite {
    /// The axis, counted from 0.
    pub axis: usize,
    /// The coordinate.
    pub value: f64,
}
