//! A region somewhere else: the image that a periodic world shows of it.
//!
//! Keeps Q7 of `docs/invariants.md`: the box that it is asked about is moved back, and both additions are monotone.

use super::region::AsBall;
use super::{Ball, Rect, Region, Scalar};

/// A region that is moved by an offset. Coordinates are added in `f64` and rounded once.
#[derive(Clone, Debug)]
pub(crate) struct Image<R, S, const D: usize> {
    region: R,
    bounds: Rect<S, D>,
    by: [f64; D],
    /// The moved ball, if the region is one.
    ball: Option<Ball<S, D>>,
}

impl<R: Region<S, D>, S: Scalar, const D: usize> Image<R, S, D> {
    #[inline]
    pub(crate) fn new(region: R, by: [f64; D]) -> Self {
        let (bounds, ball) = (region.bounds(), region.as_ball().get().map(|ball| ball.shifted(by)));
        Self { region, bounds, by, ball }
    }

    /// The box where the region itself sees it.
    fn seen(&self, rect: &Rect<S, D>) -> Rect<S, D> {
        rect.shifted(self.by.map(|by| -by))
    }
}

impl<R: Region<S, D>, S: Scalar, const D: usize> Region<S, D> for Image<R, S, D> {
    const IS_BOX: bool = R::IS_BOX;

    fn bounds(&self) -> Rect<S, D> {
        self.bounds.shifted(self.by)
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        match &self.ball {
            Some(ball) => ball.intersects(rect),
            None => self.seen(rect).intersection(&self.bounds).is_some_and(|part| self.region.intersects(&part)),
        }
    }

    fn contains(&self, rect: &Rect<S, D>) -> bool {
        if let Some(ball) = &self.ball {
            return ball.contains(rect);
        }
        let seen = self.seen(rect);
        self.bounds.contains(&seen) && self.region.contains(&seen)
    }

    fn as_ball(&self) -> AsBall<'_, S, D> {
        AsBall::of(self.ball.as_ref())
    }
}
