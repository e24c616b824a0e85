//! The side of a box through which a moving box comes in, and whether it comes in at all.
//!
//! Keeps Q14 of `docs/invariants.md`.

use core::array;

use super::{Motion, Rect, Scalar};

/// A side of a box, as a moving box sees it.
#[derive(Clone, Copy)]
struct Side {
    axis: usize,
    /// The direction away from the box along the axis: -1 or 1.
    outward: f64,
    /// The room between the two boxes at the start: 0 if they touch, negative if the moving box reaches in.
    gap: f64,
}

impl<S: Scalar, const D: usize> Motion<S, D> {
    /// The unit vector that points outward from the side of a box through which the motion comes in. The motion touches
    /// the box.
    ///
    /// On each axis the two begin to touch at some time. They meet at the side on the axis that is the last. If they
    /// touch or overlap at the start, it is the side nearest to getting out. If sides tie, it is the one on the lowest
    /// axis, and there the lower one.
    pub(crate) fn normal(&self, shape: &Rect<S, D>) -> [S; D] {
        let nearest = self.nearest_side(shape);
        let (axis, outward) = if 0.0 < nearest.gap {
            let last = self.last_axis(shape);
            (last, -self.step[last])
        } else {
            (nearest.axis, nearest.outward)
        };
        let mut normal = [S::from(0); D];
        normal[axis] = if outward < 0.0 { S::from(0) - S::from(1) } else { S::from(1) };
        normal
    }

    /// When the motion would enter a box if it went on; `None` if it does not, and then the box need not stop it. The
    /// time orders boxes that `wide`, the moving box with its skin, touches at the same time.
    ///
    /// - A side that has room, if only that of a touch, must be approached. So the motion does not enter what it only
    ///   touches, moves along or away from. A floor of tiles is in nobody's way.
    /// - If the two overlap at the start, the motion enters by going further in through the nearest side.
    /// - On each axis `wide` touches the box during an interval of time. The intervals of any two axes must share more
    ///   than a moment. So grazing a corner is no entry, but a box without extent is entered.
    ///
    /// An entry through a corner comes right after one through a side at the same time: where the corner belongs to the
    /// next tile of a wall, the wall decides.
    pub(crate) fn time_of_entry(&self, wide: &Rect<S, D>, shape: &Rect<S, D>) -> Option<f64> {
        if self.sides(shape).as_flattened().iter().any(|side| 0.0 <= side.gap && !self.approaches(side)) {
            return None;
        }
        let nearest = self.nearest_side(shape);
        if nearest.gap < 0.0 {
            return self.approaches(&nearest).then_some(0.0);
        }
        if !(Self { from: *wide, ..*self }).crosses(shape) {
            return None;
        }
        let begins = |axis: usize| self.times_on(axis, shape)[0];
        let last = self.last_axis(shape);
        let is_corner = self.axes().any(|axis| axis != last && begins(last) <= begins(axis));
        // Never `-0.0`.
        let time = begins(last) + 0.0;
        (time < f64::INFINITY).then_some(if is_corner { time.next_up() } else { time })
    }

    /// Whether the two touch on any two axes for more than a moment.
    fn crosses(&self, shape: &Rect<S, D>) -> bool {
        let always = [f64::NEG_INFINITY, f64::INFINITY];
        let times: [_; D] =
            array::from_fn(|axis| if self.step[axis] == 0.0 { always } else { self.times_on(axis, shape) });
        (0..D).all(|one| (0..D).all(|other| one == other || times[one][0] < times[other][1]))
    }

    /// The axis with motion on which the two begin to touch last; if axes tie, the lowest.
    fn last_axis(&self, shape: &Rect<S, D>) -> usize {
        let begins = |axis: usize| self.times_on(axis, shape)[0];
        let later = |last: usize, axis: usize| if begins(last) < begins(axis) { axis } else { last };
        self.axes().reduce(later).unwrap_or(0)
    }

    /// The axes with motion.
    fn axes(&self) -> impl Iterator<Item = usize> {
        (0..D).filter(|&axis| self.step[axis] != 0.0)
    }

    /// The side with the most room, or, if there is none, the one nearest to getting out.
    fn nearest_side(&self, shape: &Rect<S, D>) -> Side {
        let roomier = |one: Side, other: Side| if one.gap < other.gap { other } else { one };
        self.sides(shape)
            .as_flattened()
            .iter()
            .copied()
            .fold(Side { axis: 0, outward: -1.0, gap: f64::NEG_INFINITY }, roomier)
    }

    /// The sides on each axis, the lower one first.
    fn sides(&self, shape: &Rect<S, D>) -> [[Side; 2]; D] {
        array::from_fn(|axis| {
            let ends = |rect: &Rect<S, D>| [rect.min()[axis], rect.max()[axis]].map(S::to_f64);
            let ([from, to], [min, max]) = (ends(&self.from), ends(shape));
            [(-1.0, min - to), (1.0, from - max)].map(|(outward, gap)| Side { axis, outward, gap })
        })
    }

    fn approaches(&self, side: &Side) -> bool {
        self.step[side.axis] * side.outward < 0.0
    }
}
