//! The library of the gallery: all that its programs share, and nothing about the index that a reader would look for in
//! them.
//!
//! - [`Program`] and [`Show`]: one command line, progress, figures, and the comparison with brute force.
//! - [`Picture`], [`Panel`] and [`Ink`]: pictures as SVG, and as PNG with the feature `png`.
//! - [`Animation`]: pictures that move.
//! - [`brute`]: answers by brute force.
//! - [`Stopwatch`]: times of single operations.

pub mod animation;
pub mod brute;
pub mod files;
pub mod palette;
pub mod picture;
pub mod program;
pub mod progress;
#[cfg(feature = "png")]
pub mod raster;
pub mod show;
pub mod stopwatch;
pub mod text;

pub use animation::Animation;
pub use picture::{Ink, Mark, Panel, Picture};
pub use program::{Options, Program};
pub use progress::Progress;
pub use show::{Difference, Show};
pub use stopwatch::Stopwatch;
pub use text::grouped;
