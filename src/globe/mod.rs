//! The globe, in degrees: distances by great circles, and all within one.

mod cap;
mod great_circle;
mod metric;
#[cfg(feature = "serde")]
mod saved;

pub use cap::Cap;
pub use great_circle::GreatCircle;
