//! The shapes of the worlds: points and boxes of either scalar, in two or three dimensions.
//!
//! Every coordinate is a multiple of `1 / LATTICE`, which is the resolution of an `f32` up to twice the side of the
//! world. So centers, half sides and distances are exact, and a contender that wants another notation of a rectangle,
//! or `f64`, gets the same rectangle.
//!
//! Wherever scalar and dimension are left out, they are `f32` and 2.

use std::array::from_fn;
use std::fmt::Debug;

use clap::ValueEnum;
pub(crate) use quadrille::Scalar;
use serde::Serialize;

/// The side of the world, a square or cube with a corner at the origin.
pub(crate) const WORLD: f64 = 16_384.0;
pub(crate) const LATTICE: f64 = 512.0;

pub(crate) type Point<S = f32, const D: usize = 2> = [S; D];

/// A length that is as large beside the spacing of objects as 1 is in the plane: there is more room in space.
pub(crate) fn unit<const D: usize>() -> f64 {
    if D == 3 { 8.0 } else { 1.0 }
}

#[inline]
pub(crate) fn lesser<S: Scalar>(a: S, b: S) -> S {
    if b < a { b } else { a }
}

#[inline]
pub(crate) fn greater<S: Scalar>(a: S, b: S) -> S {
    if a < b { b } else { a }
}

/// The next multiple of a lattice step.
pub(crate) fn on_lattice<S: Scalar>(value: f64) -> S {
    S::from_f64((value * LATTICE).round() / LATTICE)
}

/// A closed box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect<S = f32, const D: usize = 2> {
    pub(crate) min: Point<S, D>,
    pub(crate) max: Point<S, D>,
}

impl<S: Scalar, const D: usize> Rect<S, D> {
    pub(crate) fn world() -> Self {
        Self { min: [S::from_f64(0.0); D], max: [S::from_f64(WORLD); D] }
    }

    pub(crate) fn at(point: Point<S, D>) -> Self {
        Self { min: point, max: point }
    }

    pub(crate) fn around(center: Point<S, D>, half: S) -> Self {
        Self { min: center.map(|c| c - half), max: center.map(|c| c + half) }
    }

    /// Exact, as all is on the lattice.
    pub(crate) fn center(&self) -> Point<S, D> {
        from_fn(|axis| (self.min[axis] + self.max[axis]) * S::HALF)
    }

    pub(crate) fn size(&self) -> Point<S, D> {
        from_fn(|axis| self.max[axis] - self.min[axis])
    }

    /// Whether the two share a point: touching counts.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let mut meets = true;
        for axis in 0..D {
            meets &= (self.min[axis] <= other.max[axis]) & (other.min[axis] <= self.max[axis]);
        }
        meets
    }

    /// Larger by so much on each side.
    pub(crate) fn grown(&self, by: S) -> Self {
        Self { min: self.min.map(|c| c - by), max: self.max.map(|c| c + by) }
    }

    /// The box in which a closed comparison (`<=`) finds the objects that an open one (`<`) finds in this box.
    pub(crate) fn opened(&self) -> Self {
        Self { min: self.min.map(S::next_down), max: self.max.map(S::next_up) }
    }

    /// Moved by a step, but not out of the world.
    #[inline]
    pub(crate) fn shifted(&self, step: Point<S, D>) -> Self {
        let size = self.size();
        let (low, high) = (S::from_f64(0.0), S::from_f64(WORLD));
        let min: Point<S, D> = from_fn(|axis| lesser(greater(self.min[axis] + step[axis], low), high - size[axis]));
        Self { min, max: from_fn(|axis| min[axis] + size[axis]) }
    }

    /// The square of the distance from another box as users compute it; 0 if they meet.
    #[inline]
    pub(crate) fn gap_square(&self, other: &Self) -> S {
        let mut sum = S::from_f64(0.0);
        for axis in 0..D {
            let gap = greater(self.min[axis] - other.max[axis], other.min[axis] - self.max[axis]);
            let gap = greater(gap, S::from_f64(0.0));
            sum = sum + gap * gap;
        }
        sum
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    Point,
    Rect,
}

impl Form {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Rect => "rect",
        }
    }
}

/// The objects of a contender: points or rectangles.
pub(crate) trait Shape<S: Scalar = f32, const D: usize = 2>: Copy + Debug + 'static {
    const FORM: Form;

    fn bounds(&self) -> Rect<S, D>;
    /// The shape with these bounds; a point is their center.
    fn of(bounds: Rect<S, D>) -> Self;
}

impl<S: Scalar, const D: usize> Shape<S, D> for Point<S, D> {
    const FORM: Form = Form::Point;

    #[inline]
    fn bounds(&self) -> Rect<S, D> {
        Rect::at(*self)
    }

    #[inline]
    fn of(bounds: Rect<S, D>) -> Self {
        bounds.center()
    }
}

impl<S: Scalar, const D: usize> Shape<S, D> for Rect<S, D> {
    const FORM: Form = Form::Rect;

    #[inline]
    fn bounds(&self) -> Self {
        *self
    }

    #[inline]
    fn of(bounds: Self) -> Self {
        bounds
    }
}

/// Scalar and dimension of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
pub(crate) enum Space {
    #[serde(rename = "2d")]
    #[value(name = "2d")]
    Plane,
    #[serde(rename = "3d")]
    #[value(name = "3d")]
    Solid,
    #[serde(rename = "2d f64")]
    #[value(name = "f64")]
    Double,
}

impl Space {
    pub(crate) const ALL: [Self; 3] = [Self::Plane, Self::Solid, Self::Double];

    /// The space of this scalar and this dimension.
    pub(crate) fn of<S: Scalar, const D: usize>() -> Self {
        match (D, size_of::<S>()) {
            (2, 4) => Self::Plane,
            (2, _) => Self::Double,
            _ => Self::Solid,
        }
    }

    /// Its name in titles.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plane => "2d",
            Self::Solid => "3d",
            Self::Double => "2d f64",
        }
    }
}
