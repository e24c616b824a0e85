//! The keys of ordered queries, distance and time, by definition, with no code of the library.

use core::cmp::Ordering;

use quadrille::Rect;

use super::Real;
use super::oracle::Span;

/// The square of a distance, scaled by range so that it neither overflows nor vanishes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    range: Range,
    square: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Range {
    /// Below 2^-900: the square of 2^563 times the distance.
    Small,
    Usual,
    /// Beyond all numbers: the square of 2^-600 times the distance.
    Large,
}

impl Distance {
    pub fn between<S: Real, const D: usize>(a: &Span<S, D>, b: &Span<S, D>) -> Self {
        Self::of_gaps(|scale| {
            let end = |ends: &[S; D], axis: usize| ends[axis].value() * scale;
            core::array::from_fn::<_, D, _>(|axis| {
                let before = end(&a.min, axis) - end(&b.max, axis);
                let after = end(&b.min, axis) - end(&a.max, axis);
                before.max(after).max(0.0)
            })
        })
    }

    /// The distance that is so long; not negative.
    pub fn of<S: Real>(length: S) -> Self {
        Self::of_gaps(|scale| [length.value() * scale])
    }

    /// From a function that gives the distances on all axes, with coordinates scaled.
    fn of_gaps<const D: usize>(gaps: impl Fn(f64) -> [f64; D]) -> Self {
        let sum = |gaps: [f64; D]| gaps.into_iter().map(|gap| gap * gap).fold(0.0, |sum, square| sum + square);
        let square = sum(gaps(1.0));
        if square < 2.0_f64.powi(-900) {
            Self { range: Range::Small, square: sum(gaps(1.0).map(|gap| gap * 2.0_f64.powi(563))) }
        } else if square == f64::INFINITY {
            Self { range: Range::Large, square: sum(gaps(2.0_f64.powi(-600))) }
        } else {
            Self { range: Range::Usual, square }
        }
    }

    pub fn compare(self, other: Self) -> Ordering {
        self.range.cmp(&other.range).then(self.square.total_cmp(&other.square))
    }
}

/// The square, rounded to the scalar.
pub fn squared<S: Real>(distance: Distance) -> S {
    S::of(match distance.range {
        Range::Small => distance.square * 2.0_f64.powi(-563) * 2.0_f64.powi(-563),
        Range::Usual => distance.square,
        Range::Large => f64::INFINITY,
    })
}

/// A box that moves by a vector in one unit of time.
#[derive(Clone, Copy, Debug)]
pub struct Moving<S, const D: usize> {
    from: Span<S, D>,
    motion: [f64; D],
    /// On these axes the vector is twice the motion, and beyond all numbers.
    is_half: [bool; D],
    /// How many units of time the whole way takes.
    pub steps: f64,
}

impl<S: Real, const D: usize> Moving<S, D> {
    /// By a vector, of which infinity is the largest number: as many times a vector of moderate length as a power of two
    /// says, if that has the same digits. The library decides so too; `rays::directions_of_all_lengths_hit_the_same` shows
    /// that it is right.
    pub fn by(from: Span<S, D>, vector: [S; D]) -> Self {
        let largest = S::LARGEST.value();
        let whole =
            vector.map(|part| if part.value().is_nan() { f64::NAN } else { part.value().clamp(-largest, largest) });
        let longest = whole.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
        let mut times: f64 = 1.0;
        while longest * times >= 4.0 {
            times *= 0.5;
        }
        while longest * times < 2.0 && times < 2.0_f64.powi(1023) {
            times *= 2.0;
        }
        let has_all_digits = whole.iter().all(|part| (part * times / times).to_bits() == part.to_bits());
        let times = if longest > 0.0 && has_all_digits { times } else { 1.0 };
        Self { from, motion: whole.map(|part| part * times), is_half: [false; D], steps: times.recip() }
    }

    /// From one point to another, which lie anywhere.
    pub fn between(from: [S; D], to: [S; D]) -> Self {
        let ends = |axis: usize| (from[axis].value(), to[axis].value());
        let is_finite = |axis: usize| ends(axis).0.is_finite() && ends(axis).1.is_finite();
        let is_half = core::array::from_fn(|axis| is_finite(axis) && !(ends(axis).1 - ends(axis).0).is_finite());
        let motion = core::array::from_fn(|axis| {
            let (from, to) = ends(axis);
            if is_half[axis] { to / 2.0 - from / 2.0 } else { to - from }
        });
        Self { from: Span::at(from), motion, is_half, steps: 1.0 }
    }

    /// The part of the whole way until then, as a query shows it: rounded up.
    pub fn shown(&self, time: f64) -> S {
        let nearest = S::of(time / self.steps);
        if nearest.value() * self.steps < time { nearest.up() } else { nearest }
    }

    /// Whether it touches anything at all.
    fn is_somewhere(&self) -> bool {
        (0..D).all(|axis| self.from.min[axis] <= self.from.max[axis] && self.motion[axis].is_finite())
    }

    /// When it touches a span, as if there were only this axis.
    fn touch(&self, axis: usize, span: &Span<S, D>) -> (f64, f64) {
        let (from, to) = (self.from.min[axis].value(), self.from.max[axis].value());
        let (min, max) = (span.min[axis].value(), span.max[axis].value());
        let step = self.motion[axis];
        if step == 0.0 {
            let always = from <= max && min <= to;
            return if always { (f64::NEG_INFINITY, f64::INFINITY) } else { (1.0, 0.0) };
        }
        let halves = |a: f64, b: f64| (a / 2.0 - b / 2.0) / step;
        let times = |a, b| if self.is_half[axis] { halves(a, b) } else { quotient(a, b, step) };
        let (a, b) = (times(min, to), times(max, from));
        if step > 0.0 { (a, b) } else { (b, a) }
    }

    /// When it first touches a span.
    pub fn first_touch(&self, span: &Span<S, D>) -> Option<f64> {
        let (begins, ends): (Vec<_>, Vec<_>) = (0..D).map(|axis| self.touch(axis, span)).unzip();
        let begin = begins.into_iter().fold(0.0, f64::max);
        let end = ends.into_iter().fold(f64::INFINITY, f64::min);
        // Which of two zeros is the larger one differs from target to target; the sum is never `-0.0`.
        (self.is_somewhere() && begin <= end && begin < f64::INFINITY).then_some(begin + 0.0)
    }

    /// The room on each side of a span: the axis, the direction outward, and how far the two are apart there.
    fn sides(&self, span: &Span<S, D>) -> Vec<(usize, f64, f64)> {
        let of_axis = |axis: usize| {
            let below = span.min[axis].value() - self.from.max[axis].value();
            let above = self.from.min[axis].value() - span.max[axis].value();
            [(axis, -1.0, below), (axis, 1.0, above)]
        };
        (0..D).flat_map(of_axis).collect()
    }

    /// The first of the sides with the most room.
    fn roomiest(&self, span: &Span<S, D>) -> (usize, f64, f64) {
        let sides = self.sides(span);
        let most = sides.iter().map(|side| side.2).fold(f64::NEG_INFINITY, f64::max);
        *sides.iter().find(|side| most <= side.2).expect("no room is NaN")
    }

    /// The outward direction of the side of a span through which it comes in.
    pub fn normal(&self, span: &Span<S, D>) -> [S; D] {
        let (mut axis, mut outward, room) = self.roomiest(span);
        if room > 0.0 {
            let begins: Vec<f64> = (0..D).map(|axis| self.touch(axis, span).0).collect();
            let last = begins.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            axis = begins.iter().position(|begin| last <= *begin).expect("one is the last");
            outward = -self.motion[axis].signum();
        }
        core::array::from_fn(|other| S::of(if other == axis { outward } else { 0.0 }))
    }

    /// How a span blocks it, if it does.
    pub fn blocked_by(&self, span: &Span<S, D>, skin: S) -> Option<Block> {
        let leads_in = |axis: usize, outward: f64| self.motion[axis] * outward < 0.0;
        let is_free = |&(axis, outward, room): &(usize, f64, f64)| room >= 0.0 && !leads_in(axis, outward);
        if !self.is_somewhere() || skin.value().is_nan() || self.sides(span).iter().any(is_free) {
            return None;
        }
        let (axis, outward, room) = self.roomiest(span);
        if room < 0.0 {
            return leads_in(axis, outward).then_some(Block { t: 0.0, begin: 0.0 });
        }
        let skin = if skin.value() > 0.0 { skin } else { S::of(0.0) };
        let from = Span {
            min: self.from.min.map(|end| end.minus(skin)),
            max: self.from.max.map(|end| end.minus(S::of(-skin.value()))),
        };
        let wide = Self { from, ..*self };
        let touches: Vec<_> = (0..D).map(|axis| wide.touch(axis, span)).collect();
        let crosses = |a: usize, b: usize| a == b || touches[a].0 < touches[b].1;
        if !(0..D).all(|a| (0..D).all(|b| crosses(a, b))) {
            return None;
        }
        let mut begins: Vec<f64> = (0..D).map(|axis| self.touch(axis, span).0).collect();
        begins.sort_by(f64::total_cmp);
        let (begin, before) = (begins[D - 1] + 0.0, begins[D - 2] + 0.0);
        let t = wide.first_touch(span)?;
        // A corner counts as if it came right after.
        let later = if begin <= before { begin.next_up() } else { begin };
        (begin < f64::INFINITY).then_some(Block { t, begin: later })
    }
}

/// An object that stops a moving box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// When the box with its skin first touches it.
    pub t: f64,
    /// When the box itself does, or right after if that is at a corner.
    begin: f64,
}

impl Block {
    pub fn compare(self, other: Self) -> Ordering {
        self.t.total_cmp(&other.t).then(self.begin.total_cmp(&other.begin))
    }
}

/// `(a - b) / by`, where the difference may be beyond all numbers.
fn quotient(a: f64, b: f64, by: f64) -> f64 {
    if (a - b).is_finite() { (a - b) / by } else { (a / 2.0 - b / 2.0) / by * 2.0 }
}

/// The distance of a point from a box after a part of its motion.
fn gap<S: Real, const D: usize>(center: [f64; D], motion: [f64; D], shape: &Rect<S, D>, part: f64) -> f64 {
    let squared = (0..D).map(|axis| {
        let at = center[axis] + motion[axis] * part;
        (shape.min()[axis].value() - at).max(at - shape.max()[axis].value()).max(0.0).powi(2)
    });
    squared.sum::<f64>().sqrt()
}

/// The part of its motion until a ball first touches a box. The distance is convex, so thirds find its least and halves the touch.
/// The second value is whether the ball but grazes the box, so that rounding may decide.
pub fn first_touch<S: Real, const D: usize>(
    (center, motion, radius): ([f64; D], [f64; D], f64),
    shape: &Rect<S, D>,
) -> (Option<f64>, bool) {
    let gap = |part: f64| gap(center, motion, shape, part);
    if gap(0.0) <= radius {
        return (Some(0.0), false);
    }
    let [mut low, mut high] = [0.0, 1.0];
    for _ in 0..120 {
        let third = (high - low) / 3.0;
        if gap(low + third) < gap(high - third) { high -= third } else { low += third }
    }
    let grazes = (gap(high) - radius).abs() < 1e-5 * (1.0 + radius);
    if radius < gap(high) {
        return (None, grazes);
    }
    low = 0.0;
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if radius < gap(middle) { low = middle } else { high = middle }
    }
    (Some(high), grazes)
}
