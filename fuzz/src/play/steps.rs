//! Coordinates that are whole numbers of steps from a world's minimum.

use quadrille::Rect;
use quadrille_support::Real;
use quadrille_support::lattice::{Block, Knot};
use quadrille_support::oracle::Span;
use quadrille_support::scene::side_of;

/// The lattice of a world, if all of its numbers are exact.
pub(super) struct Steps<S, const D: usize> {
    min: [S; D],
    step: f64,
    /// So many steps to the world's longest side.
    parts: u16,
}

impl<S: Real, const D: usize> Steps<S, D> {
    pub(super) fn of(world: &Rect<S, D>, parts: u16) -> Option<Self> {
        let (min, step) = (world.min(), side_of(world).value() / f64::from(parts));
        let is_power = step.log2().fract() == 0.0 && step.log2().abs() < 12.0;
        let is_exact = min.iter().all(|min| (min.value() / step).fract() == 0.0 && (min.value() / step).abs() < 4096.0);
        (is_power && is_exact).then_some(Self { min, step, parts })
    }

    pub(super) fn corner(&self, knot: Knot) -> [S; D] {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        core::array::from_fn(|axis| S::of(self.min[axis].value() + knot[axis] as f64 * self.step))
    }

    pub(super) fn span(&self, block: &Block) -> Span<S, D> {
        Span { min: self.corner(block.min), max: self.corner(block.max) }
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(super) fn length(&self, steps: i64) -> S {
        S::of(steps as f64 * self.step)
    }

    /// The box on the lattice, if it is on it.
    pub(super) fn block(&self, span: &Span<S, D>) -> Option<Block> {
        let knot = |corner: &[S; D]| {
            let mut knot = [0; 3];
            for axis in 0..D {
                let (at, min) = (corner[axis].value(), self.min[axis].value());
                let steps = (at - min) / self.step;
                // A number next to zero may be lost beside the minimum.
                if steps.fract() != 0.0
                    || 6.0 * f64::from(self.parts) < steps.abs()
                    || 0.0 < (steps * self.step + min - at).abs()
                {
                    return None;
                }
                knot[axis] = steps as i64;
            }
            Some(knot)
        };
        Some(Block { min: knot(&span.min)?, max: knot(&span.max)? })
    }
}
