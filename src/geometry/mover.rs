//! Whatever moves along a straight line and is ranked by when it touches others: a box, a body in its skin, or a ball.
//!
//! Keeps Q9 and Q14 of `docs/invariants.md`, as far as they speak of time.

use super::scalar::larger;
use super::{Ball, Motion, Rank, Rect, Scalar};

/// A motion of a box, and what of the box counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover<S, const D: usize> {
    /// The motion of the box around all that moves.
    pub(crate) motion: Motion<S, D>,
    body: Body<S, D>,
}

/// The part of the box that counts.
#[derive(Clone, Copy, Debug)]
enum Body<S, const D: usize> {
    /// The whole box.
    Whole,
    /// A box: only boxes count that it would enter, and they rank by when the whole touches them.
    Box(Rect<S, D>),
    /// A ball.
    Ball(Ball<S, D>),
    /// A ball in a ball, which is its skin: only boxes count that the first would enter, and they rank by when the
    /// second touches them.
    BallInSkin([Ball<S, D>; 2]),
}

impl<S: Scalar, const D: usize> Mover<S, D> {
    #[inline]
    pub(crate) fn of_box(motion: Motion<S, D>) -> Self {
        Self { motion, body: Body::Whole }
    }

    /// A ball that moves by a vector, and how many steps the vector is.
    pub(crate) fn of_ball(ball: Ball<S, D>, vector: [S; D]) -> (Self, f64) {
        let (motion, steps) = Motion::of_box(ball.surroundings(), vector);
        (Self { motion, body: Body::Ball(ball) }, steps)
    }

    /// Puts the body into a skin, in place of the one that it may have.
    pub(crate) fn set_skin(&mut self, skin: S) {
        let skin = larger(skin, S::from(0));
        let (from, body) = match self.body {
            Body::Whole => (self.motion.from.expanded(skin), Body::Box(self.motion.from)),
            Body::Box(body) => (body.expanded(skin), Body::Box(body)),
            Body::Ball(ball) | Body::BallInSkin([ball, _]) => {
                let wide = Ball::new(ball.center(), ball.radius() + skin);
                (wide.surroundings(), Body::BallInSkin([ball, wide]))
            }
        };
        // The skin of a segment reaches beyond its ends.
        let motion = Motion { from, bounds: Rect::everything(), is_far: false, ..self.motion };
        *self = Self { motion, body };
    }

    /// The motion of the body without its skin.
    pub(crate) fn body_motion(&self) -> Motion<S, D> {
        let from = match self.body {
            Body::Whole => self.motion.from,
            Body::Box(body) => body,
            Body::Ball(ball) | Body::BallInSkin([ball, _]) => ball.bounds(),
        };
        Motion { from, ..self.motion }
    }

    /// The same motion from elsewhere. Where it begins is rounded.
    pub(crate) fn shifted(&self, by: [f64; D]) -> Self {
        let body = match self.body {
            Body::Whole => Body::Whole,
            Body::Box(body) => Body::Box(body.shifted(by)),
            Body::Ball(ball) => Body::Ball(ball.shifted(by)),
            Body::BallInSkin(balls) => Body::BallInSkin(balls.map(|ball| ball.shifted(by))),
        };
        // The box must hold the ball as it is rounded.
        let motion = self.motion.shifted(by);
        let from = match body {
            Body::Whole | Body::Box(_) => motion.from,
            Body::Ball(ball) | Body::BallInSkin([_, ball]) => ball.surroundings(),
        };
        Self { motion: Motion { from, ..motion }, body }
    }

    /// The rank of a box, which must be finite; `None` if it does not count.
    #[inline(always)]
    pub(crate) fn rank(&self, shape: &Rect<S, D>) -> Option<Rank> {
        let time = self.motion.time_of_impact(shape)?;
        if let Body::Whole = self.body { Some(Rank::of_time(time)) } else { self.rank_of_body(time, shape) }
    }

    /// The rank of a box that the box around the body touches at a time.
    #[inline(never)]
    fn rank_of_body(&self, time: f64, shape: &Rect<S, D>) -> Option<Rank> {
        let step = self.motion.step;
        match self.body {
            Body::Whole => Some(Rank::of_time(time)),
            Body::Box(body) => {
                let entry = Motion { from: body, ..self.motion }.time_of_entry(&self.motion.from, shape)?;
                Some(Rank::of_times(time, entry))
            }
            Body::Ball(ball) => Some(Rank::of_time(ball.touch(step, time, shape)?.time)),
            Body::BallInSkin([ball, wide]) => {
                let entry = ball.entry(step, shape)?;
                Some(Rank::of_times(wide.touch(step, time, shape)?.time, entry))
            }
        }
    }

    /// The unit vector that points away from a box, at the place where the motion comes to it first.
    pub(crate) fn normal(&self, shape: &Rect<S, D>) -> [S; D] {
        let ball = match self.body {
            Body::Whole | Body::Box(_) => None,
            Body::Ball(ball) | Body::BallInSkin([_, ball]) => Some(ball),
        };
        let normal = ball.and_then(|ball| ball.normal(&self.motion, shape));
        normal.unwrap_or_else(|| self.body_motion().normal(shape))
    }

    /// Where the center is after a number of steps.
    pub(crate) fn center_at(&self, steps: f64) -> [S; D] {
        let from = match self.body {
            Body::Whole => self.motion.from.center(),
            Body::Box(body) => body.center(),
            Body::Ball(ball) | Body::BallInSkin([ball, _]) => ball.center(),
        };
        self.motion.at_step(from, steps)
    }

    /// Whether the body touches or overlaps a box at the start.
    pub(crate) fn touches_at_start(&self, shape: &Rect<S, D>) -> bool {
        match self.body {
            Body::Whole | Body::Box(_) => self.body_motion().from.intersects(shape),
            Body::Ball(ball) | Body::BallInSkin([ball, _]) => ball.intersects(shape),
        }
    }
}
