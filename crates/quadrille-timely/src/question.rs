//! Questions: rows of a tick, as moves are.

use std::io::{self, Write};

use quadrille::{Ball, IntoRegion, Polygon, Rect, Region, Scalar};
use serde::{Deserialize, Serialize};

use crate::Coordinate;
use crate::wire::Wire;

/// A part of the world to ask about.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "S: Coordinate", deserialize = "S: Coordinate"))]
pub enum Area<S = f32, const D: usize = 2> {
    /// A box.
    Rect(Rect<S, D>),
    /// All within a distance of a point.
    Ball(Ball<S, D>),
    /// A polygon. In 3D all above and below it, on the third axis, belongs to it.
    Polygon(Polygon<S>),
}

impl<S: Coordinate, const D: usize> Area<S, D> {
    /// A box that meets all that the area meets. It has a NaN if the area is empty.
    pub(crate) fn bounds(&self) -> Rect<S, D> {
        match self {
            Self::Rect(rect) => *rect,
            Self::Ball(ball) => reached(ball),
            Self::Polygon(polygon) => {
                let flat = polygon.bounds();
                let corner = |of: [S; 2], beyond| std::array::from_fn(|axis| of.get(axis).copied().unwrap_or(beyond));
                Rect::new(corner(flat.min(), S::NEG_INFINITY), corner(flat.max(), S::INFINITY))
            }
        }
    }
}

/// The bounds of a ball, and a little more: distances are rounded, so an object may be beyond them and belong to it.
fn reached<S: Coordinate, const D: usize>(ball: &Ball<S, D>) -> Rect<S, D> {
    let (bounds, radius) = (ball.bounds(), ball.radius());
    if !radius.is_finite() {
        return bounds;
    }
    let rounding = radius.next_up() - radius;
    let by = rounding + rounding;
    Rect::new(bounds.min().map(|c| c - by), bounds.max().map(|c| c + by))
}

/// The shadow of a box on the first two axes.
fn flat<S: Scalar, const D: usize>(rect: &Rect<S, D>) -> Rect<S, 2> {
    Rect::new([rect.min()[0], rect.min()[1]], [rect.max()[0], rect.max()[1]])
}

impl<S: Coordinate, const D: usize> Region<S, D> for Area<S, D> {
    fn bounds(&self) -> Rect<S, D> {
        self.bounds()
    }
    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        match self {
            Self::Rect(own) => own.intersects(rect),
            Self::Ball(ball) => ball.intersects(rect),
            Self::Polygon(polygon) => polygon.intersects(&flat(rect)),
        }
    }
    fn contains(&self, rect: &Rect<S, D>) -> bool {
        match self {
            Self::Rect(own) => own.contains(rect),
            Self::Ball(ball) => ball.contains(rect),
            Self::Polygon(polygon) => polygon.contains(&flat(rect)),
        }
    }
}

impl<'a, S: Coordinate, const D: usize> IntoRegion<S, D> for &'a Area<S, D> {
    type Region = &'a Area<S, D>;
    fn into_region(self) -> Self::Region {
        self
    }
}

/// Layers as bits: bit *n* is the world's layer *n*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers(pub u32);

impl Layers {
    /// All layers.
    pub const ALL: Self = Self(u32::MAX);

    /// One layer. From 32 on there is none of that number, and a question about none is refused.
    #[must_use]
    pub fn of(layer: u8) -> Self {
        Self(1_u32.checked_shl(u32::from(layer)).unwrap_or(0))
    }

    /// Whether a layer is among them.
    #[must_use]
    pub fn contains(self, layer: u8) -> bool {
        self.0 & Self::of(layer).0 != 0
    }
}

/// A question. Its number, which the caller chooses, comes back in each [`Answer`](crate::Answer).
///
/// Fences and contacts are numbered apart: a fence does not end contacts under the same number. Windows, the nearest and pairs
/// are answered once, for their tick. Fences and contacts are standing questions: each tick answers with the changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "S: Coordinate", deserialize = "S: Coordinate"))]
pub enum Question<S = f32, const D: usize = 2> {
    /// The objects that share a point with an area.
    Window {
        /// In these layers.
        layers: Layers,
        /// The area.
        area: Area<S, D>,
    },
    /// The `count` objects nearest to a point; of equally distant ones those with the smallest ids.
    Nearest {
        /// In these layers.
        layers: Layers,
        /// The point, as a box without extent.
        at: Rect<S, D>,
        /// How many.
        count: u32,
    },
    /// All pairs of objects within a distance.
    Pairs {
        /// In these layers.
        layers: Layers,
        /// At most the reach of the world.
        distance: S,
    },
    /// From this tick on: the objects that enter an area and those that leave it. In the first tick all that are inside enter.
    /// A new area under the same number replaces the old one. `None` ends the fence, without an answer.
    Fence {
        /// In these layers.
        layers: Layers,
        /// The area.
        area: Option<Area<S, D>>,
    },
    /// From this tick on: the pairs that come within a distance and those that cease to. `None` ends the question.
    Contacts {
        /// In these layers.
        layers: Layers,
        /// At most the reach of the world.
        distance: Option<S>,
    },
}

impl<S: Coordinate, const D: usize> Question<S, D> {
    /// The layers that it is about.
    pub(crate) fn layers(&self) -> Layers {
        match self {
            Self::Window { layers, .. }
            | Self::Nearest { layers, .. }
            | Self::Pairs { layers, .. }
            | Self::Fence { layers, .. }
            | Self::Contacts { layers, .. } => *layers,
        }
    }

    /// The part of the world whose workers are asked; `None` for all workers.
    pub(crate) fn place(&self) -> Option<Rect<S, D>> {
        match self {
            Self::Window { area, .. } | Self::Fence { area: Some(area), .. } => Some(area.bounds()),
            Self::Nearest { at, .. } => Some(*at),
            Self::Pairs { .. } | Self::Contacts { .. } | Self::Fence { area: None, .. } => None,
        }
    }

    /// Whether it is answered each tick from now on.
    pub(crate) fn is_standing(&self) -> bool {
        matches!(self, Self::Fence { .. } | Self::Contacts { .. })
    }
}

/// A question for one worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "S: Coordinate", deserialize = "S: Coordinate"))]
pub(crate) struct Asked<S, const D: usize> {
    pub(crate) to: u16,
    /// The worker that asks.
    pub(crate) from: u16,
    pub(crate) number: u32,
    pub(crate) question: Question<S, D>,
    /// Of a second round for the nearest: the worker that was asked first, and the square of the distance within which others
    /// may be as near.
    pub(crate) second: Option<(u16, f64)>,
}

impl<S: Coordinate, const D: usize> Wire for Asked<S, D> {
    /// Its numbers, the kind of its question, the layers, and what may be none twice have one at least.
    const LEAST: usize = 7;
    fn length(&self) -> usize {
        postcard::experimental::serialized_size(self).expect("a question has a length")
    }
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        postcard::to_io(self, out).map_err(io::Error::other)?;
        Ok(())
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (asked, rest) = postcard::take_from_bytes(bytes).ok()?;
        *bytes = rest;
        Some(asked)
    }
}
