//! Shapes of whole numbers, and exact answers about them: an oracle for regions that are not boxes.

use proptest::prelude::*;
use quadrille::{HalfSpace, Rect};

use super::oracle::{Relation, Span};
use super::{Index, Real};

/// A place on the lattice; a plane leaves the third number out.
pub type Knot = [i64; 3];

/// Where the lattice lies: `origin + number * step` is exact for all numbers that are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    origin: f64,
    step: f64,
}

/// Steps to a side of the world.
const STEPS: i64 = 16;

impl Lattice {
    /// Lattices around ordinary numbers, and of the largest and the smallest steps.
    pub fn each<S: Real>() -> Vec<Self> {
        let power = |exponent: i32| 2.0_f64.powi(exponent);
        let (huge, tiny) = if S::FAR < 1e8 { (118, -96) } else { (1014, -990) };
        vec![
            Self { origin: 0.0, step: 4.0 },
            Self { origin: -0.5, step: power(-4) },
            Self { origin: 4096.0, step: 0.25 },
            Self { origin: -8.0 * power(huge), step: power(huge) },
            Self { origin: 0.0, step: power(tiny) },
        ]
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn at<S: Real>(&self, number: i64) -> S {
        S::of(self.origin + number as f64 * self.step)
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub fn length<S: Real>(&self, steps: i64) -> S {
        S::of(steps as f64 * self.step)
    }

    pub fn point<S: Real, const D: usize>(&self, knot: Knot) -> [S; D] {
        core::array::from_fn(|axis| self.at(knot[axis]))
    }

    pub fn span<S: Real, const D: usize>(&self, block: &Block) -> Span<S, D> {
        Span { min: self.point(block.min), max: self.point(block.max) }
    }

    pub fn index<S: Real, const D: usize>(&self) -> Index<S, D> {
        let [min, max] = [0, STEPS].map(|end| self.point::<S, D>([end; 3]));
        Index::new(Rect::new(min, max)).expect("a lattice spans a world")
    }

    /// All points with `normal · point <= normal · on`.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub fn half_space<S: Real, const D: usize>(&self, plane: &Plane) -> HalfSpace<S, D> {
        let [normal, on] = [plane.normal, plane.on];
        let offset = (0..D).map(|axis| normal[axis] as f64 * (self.origin + on[axis] as f64 * self.step)).sum();
        HalfSpace::new(core::array::from_fn::<_, D, _>(|axis| S::of(normal[axis] as f64)), S::of(offset))
    }
}

/// A box on the lattice.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub min: Knot,
    pub max: Knot,
}

impl Block {
    pub fn between(a: Knot, b: Knot) -> Self {
        let ends = |axis: usize| (a[axis].min(b[axis]), a[axis].max(b[axis]));
        Self { min: core::array::from_fn(|axis| ends(axis).0), max: core::array::from_fn(|axis| ends(axis).1) }
    }

    fn holds<const D: usize>(&self, knot: Knot) -> bool {
        (0..D).all(|axis| (self.min[axis]..=self.max[axis]).contains(&knot[axis]))
    }

    fn corners<const D: usize>(&self) -> Vec<Knot> {
        let corner = |bits: usize| {
            core::array::from_fn(|axis| if bits >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] })
        };
        (0..1 << D).map(corner).collect()
    }

    fn common<const D: usize>(&self, other: &Self) -> Option<Self> {
        let part = Self {
            min: core::array::from_fn(|axis| self.min[axis].max(other.min[axis])),
            max: core::array::from_fn(|axis| self.max[axis].min(other.max[axis])),
        };
        (0..D).all(|axis| part.min[axis] <= part.max[axis]).then_some(part)
    }
}

/// All that is behind a plane through a point.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    pub normal: Knot,
    pub on: Knot,
}

impl Plane {
    fn holds<const D: usize>(&self, knot: Knot) -> bool {
        (0..D).map(|axis| self.normal[axis] * (knot[axis] - self.on[axis])).sum::<i64>() <= 0
    }
}

/// A shape on the lattice.
#[derive(Clone, Debug)]
pub enum Figure {
    Ball {
        center: Knot,
        radius: i64,
    },
    Ring {
        center: Knot,
        inner: i64,
        outer: i64,
    },
    Segment {
        from: Knot,
        to: Knot,
    },
    Convex {
        planes: Vec<Plane>,
        within: Option<Block>,
    },
    /// The hull of these in a plane.
    Polygon {
        around: Vec<Knot>,
        clockwise: bool,
    },
}

/// The squares of the distances from a point to the nearest and the farthest of a box.
fn distances<const D: usize>(point: Knot, block: &Block) -> [i64; 2] {
    let square = |axis: usize| {
        let (below, above) = (point[axis] - block.min[axis], block.max[axis] - point[axis]);
        let gap = (-below).max(-above).max(0);
        let far = below.abs().max(above.abs());
        [gap * gap, far * far]
    };
    (0..D).map(square).fold([0, 0], |sum, square| [sum[0] + square[0], sum[1] + square[1]])
}

/// Whether a segment and a box share a point: the part of the way between the ends on each axis (Liang and Barsky), in
/// fractions.
fn segment_meets<const D: usize>(from: Knot, to: Knot, block: &Block) -> bool {
    // The part of the way from `enter` to `leave`, as fractions with positive denominators.
    let (mut enter, mut leave) = ((0, 1), (1, 1));
    let less = |a: (i64, i64), b: (i64, i64)| a.0 * b.1 < b.0 * a.1;
    for axis in 0..D {
        let way = to[axis] - from[axis];
        let (mut first, mut last) = (block.min[axis] - from[axis], block.max[axis] - from[axis]);
        if way == 0 {
            if first > 0 || last < 0 {
                return false;
            }
            continue;
        }
        if way < 0 {
            (first, last) = (-last, -first);
        }
        let (first, last) = ((first, way.abs()), (last, way.abs()));
        enter = if less(enter, first) { first } else { enter };
        leave = if less(last, leave) { last } else { leave };
    }
    !less(leave, enter)
}

fn cross(a: Knot, b: Knot, c: Knot) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The corners of the hull of points in a plane, counterclockwise (Andrew's monotone chain).
pub fn hull(around: &[Knot]) -> Vec<Knot> {
    let mut points: Vec<Knot> = around.iter().map(|&[x, y, _]| [x, y, 0]).collect();
    points.sort_unstable();
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = Knot>| {
        let mut chain: Vec<Knot> = Vec::new();
        for point in points {
            while chain.len() > 1 && cross(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0 {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut points.iter().copied());
    corners.extend(half(&mut points.iter().rev().copied()));
    corners
}

/// Whether a point lies in the hull with those corners.
fn hull_holds(corners: &[Knot], [x, y, _]: Knot) -> bool {
    let next = corners.iter().cycle().skip(1);
    let mut edges = corners.iter().zip(next);
    match corners {
        [] => false,
        [from, to] => cross(*from, *to, [x, y, 0]) == 0 && Block::between(*from, *to).holds::<2>([x, y, 0]),
        [only] => *only == [x, y, 0],
        _ => edges.all(|(from, to)| cross(*from, *to, [x, y, 0]) >= 0),
    }
}

impl Figure {
    fn meets<const D: usize>(&self, block: &Block) -> bool {
        match self {
            Self::Ball { center, radius } => *radius >= 0 && distances::<D>(*center, block)[0] <= radius * radius,
            Self::Ring { center, inner, outer } => {
                let [near, far] = distances::<D>(*center, block);
                near <= outer * outer && inner * inner <= far
            }
            Self::Segment { from, to } => segment_meets::<D>(*from, *to, block),
            Self::Convex { planes, within } => {
                let part = within.map_or(Some(*block), |within| within.common::<D>(block));
                part.is_some_and(|part| {
                    planes.iter().all(|plane| part.corners::<D>().iter().any(|&corner| plane.holds::<D>(corner)))
                })
            }
            Self::Polygon { around, .. } => {
                let corners = hull(around);
                let next = corners.iter().cycle().skip(1);
                let mut edges = corners.iter().zip(next);
                edges.any(|(from, to)| segment_meets::<2>(*from, *to, block))
                    || block.corners::<2>().iter().any(|&corner| hull_holds(&corners, corner))
            }
        }
    }

    fn contains<const D: usize>(&self, block: &Block) -> bool {
        let corners = block.corners::<D>();
        match self {
            Self::Ball { center, radius } => *radius >= 0 && distances::<D>(*center, block)[1] <= radius * radius,
            Self::Ring { center, inner, outer } => {
                let [near, far] = distances::<D>(*center, block);
                inner * inner <= near && far <= outer * outer
            }
            // All three are convex.
            Self::Segment { from, to } => {
                corners.iter().all(|&corner| segment_meets::<D>(*from, *to, &Block::between(corner, corner)))
            }
            Self::Convex { planes, within } => corners.iter().all(|&corner| {
                planes.iter().all(|plane| plane.holds::<D>(corner))
                    && within.is_none_or(|within| within.holds::<D>(corner))
            }),
            Self::Polygon { around, .. } => {
                let hull = hull(around);
                corners.iter().all(|&corner| hull_holds(&hull, corner))
            }
        }
    }

    /// The smallest box around the figure, as a region's bounds are; none if they are infinite or nowhere.
    fn bounds(&self) -> Option<Block> {
        match self {
            Self::Ball { radius: ..0, .. } => None,
            Self::Ball { center, radius: far } | Self::Ring { center, outer: far, .. } => {
                Some(Block { min: center.map(|at| at - far), max: center.map(|at| at + far) })
            }
            Self::Segment { from, to } => Some(Block::between(*from, *to)),
            Self::Convex { within, .. } => *within,
            Self::Polygon { around, .. } => {
                let around = around.iter().map(|&[x, y, _]| Block::between([x, y, 0], [x, y, 0]));
                around.reduce(|a, b| Block {
                    min: core::array::from_fn(|axis| a.min[axis].min(b.min[axis])),
                    max: core::array::from_fn(|axis| a.max[axis].max(b.max[axis])),
                })
            }
        }
    }

    /// Whether an object has that relation to the figure.
    pub fn holds<const D: usize>(&self, relation: Relation, object: &Block) -> bool {
        match relation {
            Relation::Intersecting => self.meets::<D>(object),
            Relation::ContainedIn => self.contains::<D>(object),
            Relation::Containing => {
                self.bounds().is_some_and(|bounds| object.holds::<D>(bounds.min) && object.holds::<D>(bounds.max))
            }
        }
    }
}

fn knot() -> BoxedStrategy<Knot> {
    [-3_i64..=19, -3_i64..=19, -3_i64..=19].boxed()
}

/// Boxes, points among them, some outside the world; most as long as the first of these at most, some as the second.
fn block(lengths: [i64; 2]) -> BoxedStrategy<Block> {
    let sides = |most: i64| [0..=most, 0..=most, 0..=most];
    let sides = prop_oneof![3 => Just([0; 3]), 4 => sides(lengths[0]), 1 => sides(lengths[1])];
    (knot(), sides)
        .prop_map(|(min, sides)| Block { min, max: core::array::from_fn(|axis| (min[axis] + sides[axis]).min(19)) })
        .boxed()
}

/// Whether each is a rectangle, or else a point at its corner. Often all are short: a long one reaches so far that no
/// square around it is covered.
pub fn blocks() -> BoxedStrategy<Vec<(bool, Block)>> {
    let of = |lengths: [i64; 2]| {
        let one = (any::<bool>(), block(lengths)).prop_map(|(rects, block)| {
            let max = if rects { block.max } else { block.min };
            (rects, Block { max, ..block })
        });
        prop::collection::vec(one, 0..120)
    };
    prop_oneof![2 => of([2, 2]), 1 => of([2, 18])].boxed()
}

/// Figures of every sort.
pub fn figure() -> BoxedStrategy<Figure> {
    let normal = [-1_i64..=2, -1_i64..=2, -1_i64..=2];
    let plane = (normal, knot()).prop_map(|(normal, on)| Plane { normal, on });
    let within = prop::option::of((knot(), knot()).prop_map(|(a, b)| Block::between(a, b)));
    prop_oneof![
        // From -1, which is nowhere; those of 5, 10 and 13 touch most often.
        (knot(), prop_oneof![-1_i64..=14, Just(5), Just(10)])
            .prop_map(|(center, radius)| Figure::Ball { center, radius }),
        (knot(), 0_i64..=6, 0_i64..=8).prop_map(|(center, inner, more)| Figure::Ring {
            center,
            inner,
            outer: inner + more
        }),
        (knot(), knot()).prop_map(|(from, to)| Figure::Segment { from, to }),
        (prop::collection::vec(plane, 0..6), within).prop_map(|(planes, within)| Figure::Convex { planes, within }),
        (prop::collection::vec(knot(), 0..7), any::<bool>())
            .prop_map(|(around, clockwise)| Figure::Polygon { around, clockwise }),
    ]
    .boxed()
}

/// Figures that are polygons.
pub fn polygon() -> BoxedStrategy<Figure> {
    figure().prop_filter("a polygon", |figure| matches!(figure, Figure::Polygon { .. })).boxed()
}
