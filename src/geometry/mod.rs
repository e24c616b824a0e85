//! Numbers, points, boxes and regions; each predicate, distance and time of impact is decided in one function. Knows no
//! grid and no tree.
//!
//! All intervals are closed: boxes that touch meet. A comparison with a NaN is false, so a box with a NaN meets
//! nothing.
//!
//! Keeps G1, Q7, Q10 and its part of Q8, Q9 and Q12 of `docs/invariants.md`.

mod ball;
mod closest;
mod distance;
mod entry;
mod finite;
mod images;
mod lanes;
mod motion;
mod mover;
mod proximity;
mod rank;
mod ray;
mod rect;
mod region;
mod rolling;
#[cfg(feature = "serde")]
mod saved;
mod scalar;
mod segment;
mod simd;
mod wrapped;

pub use ball::Ball;
pub(crate) use distance::{distance, loosened, rough_limits, rough_square, rough_squares, rough_squares_of_points};
pub use finite::NotFinite;
pub(crate) use images::{Images, PeriodicSpace, REACH};
pub(crate) use lanes::{around, extend, lesser, middle_lanes, no_bounds, splat};
pub(crate) use motion::{Motion, RoughMotion};
pub(crate) use mover::Mover;
pub(crate) use proximity::{Proximity, Within};
pub(crate) use rank::Rank;
pub use ray::Ray;
pub use rect::{Rect, RectError};
pub use region::{IntoRegion, KnownShape, RectRegion, Region};
pub(crate) use region::{as_it_is, impl_region};
#[cfg(feature = "serde")]
pub(crate) use saved::{Array, ExactRect, Readable, save_as};
pub use scalar::Scalar;
pub(crate) use scalar::{larger, rounded_up, shifted, smaller};
pub use segment::Segment;
#[cfg(target_arch = "x86_64")]
pub(crate) use simd::rarely;
pub(crate) use simd::{
    Hits, LANES, Lanes, Level, Select, Simd, SimdBase, SimdFloat, SimdMask, f64x8, i8x64, level, with_vectors,
};
pub use wrapped::Wrapped;
pub(crate) use wrapped::{ImageOf, MovedImage};
