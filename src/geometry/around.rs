//! The surroundings of a box as a region: all that is within a distance of it. `proximity` compares the distances.
//!
//! Keeps Q7 of `docs/invariants.md`: distances can only fall as a box grows.

use super::region::AsBall;
use super::{Ball, Proximity, Rect, Region, Scalar};

/// All points within a distance of a box.
#[derive(Clone, Debug)]
pub(crate) struct Around<S, const D: usize> {
    shape: Rect<S, D>,
    proximity: Proximity<S>,
    /// The same as a ball, if the box is a point.
    ball: Option<Ball<S, D>>,
}

impl<S: Scalar, const D: usize> Around<S, D> {
    /// `None` if the distance is negative or NaN.
    pub(crate) fn new(shape: Rect<S, D>, distance: S) -> Option<Self> {
        let ball = (shape.min() == shape.max()).then(|| Ball::new(shape.min(), distance));
        Proximity::within(distance).map(|proximity| Self { shape, proximity, ball })
    }
}

impl<S: Scalar, const D: usize> Region<S, D> for Around<S, D> {
    fn bounds(&self) -> Rect<S, D> {
        self.proximity.stretched(&self.shape)
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        match &self.proximity {
            Proximity::Touching => self.shape.intersects(rect),
            Proximity::Within(within) => within.holds(&self.shape, rect),
        }
    }

    /// Only says so of what lies in the box itself, which costs nothing but time.
    fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.shape.contains(rect)
    }

    fn as_ball(&self) -> AsBall<'_, S, D> {
        AsBall::of(self.ball.as_ref())
    }
}
