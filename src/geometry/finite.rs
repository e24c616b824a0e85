//! Refuses NaN and infinity in the coordinates of objects.

use super::{Rect, Scalar};

/// A coordinate of an object is NaN or infinite, so the object cannot be stored.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// let refused = index.insert(units, [1.0, f32::NAN], "ghost").unwrap_err();
/// assert_eq!(refused.to_string(), "coordinate NaN on axis 1 is not finite");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("coordinate {value} on axis {axis} is not finite")]
pub struct NotFinite {
    /// The axis, counted from 0.
    pub axis: usize,
    /// The coordinate.
    pub value: f64,
}

impl<S: Scalar, const D: usize> Rect<S, D> {
    /// Refuses coordinates that are NaN or infinite. Every shape is checked here before it is stored.
    // It returns no shape: compilers move one through memory, in other pieces than it was written in. A processor then waits
    // for the memory, and a move in place took nearly three times as long.
    #[inline]
    pub(crate) fn check_finite(&self) -> Result<(), NotFinite> {
        let (min, max) = (self.min(), self.max());
        // One branch for all coordinates.
        let is_finite = (0..D).fold(true, |all, axis| all & min[axis].is_finite() & max[axis].is_finite());
        if is_finite { Ok(()) } else { Err(self.not_finite()) }
    }

    /// The first coordinate that is NaN or infinite, if there is one.
    #[cold]
    fn not_finite(self) -> NotFinite {
        let (min, max) = (self.min(), self.max());
        let mut coordinates = (0..D).flat_map(|axis| [(axis, min[axis]), (axis, max[axis])]);
        let (axis, value) = coordinates.find(|(_, value)| !value.is_finite()).unwrap_or((0, S::NAN));
        NotFinite { axis, value: value.to_f64() }
    }
}
