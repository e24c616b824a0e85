//! The ways to ask. Each is given the rings and the points, and says how many points are inside, and the nanoseconds for
//! building and for asking.

use geo::indexed::IntervalTreeMultiPolygon;
use geo::{Contains, Coord, Intersects, Kernel, LineString, MultiPolygon, Orientation};
use geo::{MonotonicPolygons, algorithm::kernels::RobustKernel};
use quadrille::{IntoRegion, Polygon, Quadtree, Rect, Region};
use rstar::{AABB, RTree, primitives::GeomWithData, primitives::Rectangle};

use super::outlines::SIDE;
use super::timed;

type Rings = [Vec<[f64; 2]>];
type Edge = [[f64; 2]; 2];

/// The points, and an index of them.
pub(super) struct Crowd {
    points: Vec<[f64; 2]>,
    index: Quadtree<(), f64>,
}

pub(super) struct Contender {
    pub(super) name: &'static str,
    pub(super) corners_at_most: usize,
    pub(super) run: fn(&Rings, &Crowd) -> (usize, [f64; 2]),
}

pub(super) const USER_MADE: &str = "quadrille, boxes of edges met to the right";

pub(super) const CONTENDERS: [Contender; 7] = [
    Contender {
        name: "quadrille, query",
        corners_at_most: usize::MAX,
        run: |rings, crowd| ask(|| polygon(rings), |polygon| crowd.index.intersecting(polygon).count()),
    },
    Contender {
        name: "quadrille, each point",
        corners_at_most: usize::MAX,
        run: |rings, crowd| ask(|| polygon(rings), |polygon| count(crowd, |at| polygon.contains_point(at))),
    },
    Contender {
        name: "quadrille, query by a scan of edges",
        corners_at_most: 1000,
        run: |rings, crowd| ask(|| Scan::new(rings), |scan| crowd.index.intersecting(scan).count()),
    },
    Contender {
        name: USER_MADE,
        corners_at_most: usize::MAX,
        run: |rings, crowd| {
            ask(
                || index_of_edges(rings),
                |edges| {
                    count(crowd, |at| {
                        let right = edges.intersecting(Rect::new(at, [SIDE, at[1]]));
                        right.filter(|edge| crosses_right_of(*edge.value(), at)).count() % 2 == 1
                    })
                },
            )
        },
    },
    Contender {
        name: "rstar, boxes of edges met to the right",
        corners_at_most: usize::MAX,
        run: |rings, crowd| {
            let of_edge = |[from, to]: Edge| GeomWithData::new(Rectangle::from_corners(from, to), [from, to]);
            ask(
                || RTree::bulk_load(edges(rings).map(of_edge).collect()),
                |tree| {
                    count(crowd, |at| {
                        let right = tree.locate_in_envelope_intersecting(AABB::from_corners(at, [SIDE, at[1]]));
                        right.filter(|edge| crosses_right_of(edge.data, at)).count() % 2 == 1
                    })
                },
            )
        },
    },
    Contender {
        name: "geo, interval tree",
        corners_at_most: usize::MAX,
        run: |rings, crowd| {
            ask(
                || IntervalTreeMultiPolygon::new(&of_geo(rings)),
                |tree| count(crowd, |at| tree.contains(&Coord::from(at))),
            )
        },
    },
    Contender {
        name: "geo, monotone polygons",
        corners_at_most: 1000,
        run: |rings, crowd| {
            ask(
                || MonotonicPolygons::from(of_geo(rings)),
                |polygons| count(crowd, |at| polygons.intersects(&Coord::from(at))),
            )
        },
    },
];

impl Crowd {
    pub(super) fn new(points: Vec<[f64; 2]>) -> Self {
        let mut index = Quadtree::new(Rect::new([0.0; 2], [SIDE; 2])).expect("a world");
        let layer = index.add_point_layer().expect("there is room");
        index.insert_batch(layer, points.iter().map(|&at| (at, ()))).expect("finite");
        Self { points, index }
    }
}

fn ask<P>(build: impl FnOnce() -> P, asked: impl FnOnce(&P) -> usize) -> (usize, [f64; 2]) {
    let (polygon, building) = timed(build);
    let (inside, asking) = timed(|| asked(&polygon));
    (inside, [building, asking])
}

fn count(crowd: &Crowd, is_inside: impl Fn([f64; 2]) -> bool) -> usize {
    crowd.points.iter().filter(|at| is_inside(**at)).count()
}

fn polygon(rings: &Rings) -> Polygon<f64> {
    let first = Polygon::new(rings[0].iter().copied());
    rings[1..].iter().fold(first, |polygon, ring| polygon.with_ring(ring.iter().copied()))
}

fn edges(rings: &Rings) -> impl Iterator<Item = Edge> + '_ {
    rings.iter().flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)).map(|(&from, &to)| [from, to]))
}

fn of_geo(rings: &Rings) -> MultiPolygon<f64> {
    let line = |ring: &Vec<[f64; 2]>| ring.iter().map(|&at| Coord::from(at)).collect::<LineString<f64>>();
    rings.iter().map(|ring| geo::Polygon::new(line(ring), vec![])).collect()
}

fn index_of_edges(rings: &Rings) -> Quadtree<Edge, f64> {
    let mut index = Quadtree::new(Rect::new([0.0; 2], [SIDE; 2])).expect("a world");
    let layer = index.add_rect_layer().expect("there is room");
    index.insert_batch(layer, edges(rings).map(|[from, to]| (Rect::new(from, to), [from, to]))).expect("finite");
    index
}

fn side([from, to]: Edge, at: [f64; 2]) -> Orientation {
    RobustKernel::orient2d(from.into(), to.into(), at.into())
}

/// Whether an edge crosses the line infinitely close above a point, to the right of it.
fn crosses_right_of(edge: Edge, at: [f64; 2]) -> bool {
    match edge.map(|end| end[1] <= at[1]) {
        [true, false] => side(edge, at) == Orientation::CounterClockwise,
        [false, true] => side(edge, at) == Orientation::Clockwise,
        _ => false,
    }
}

/// A region that looks at all edges for each answer, as `Polygon` did once.
#[derive(Debug)]
struct Scan {
    edges: Vec<Edge>,
    bounds: Rect<f64>,
}

impl Scan {
    fn new(rings: &Rings) -> Self {
        let bounds = Rect::from_points(rings.iter().flatten().copied()).expect("corners");
        Self { edges: edges(rings).collect(), bounds }
    }

    fn meets(edge: Edge, rect: &Rect<f64>) -> bool {
        if !Rect::new(edge[0], edge[1]).intersects(rect) {
            return false;
        }
        let ([left, bottom], [right, top]) = (rect.min(), rect.max());
        let slopes_up = (edge[0][0] < edge[1][0]) == (edge[0][1] < edge[1][1]);
        let across = if slopes_up { [[left, top], [right, bottom]] } else { [[left, bottom], [right, top]] };
        let [one, other] = across.map(|corner| side(edge, corner));
        one != other || one == Orientation::Collinear
    }
}

impl Region<f64, 2> for &Scan {
    fn bounds(&self) -> Rect<f64> {
        self.bounds
    }

    fn intersects(&self, rect: &Rect<f64>) -> bool {
        let mut is_inside = false;
        for &edge in &self.edges {
            if Scan::meets(edge, rect) {
                return true;
            }
            is_inside ^= crosses_right_of(edge, rect.min());
        }
        is_inside
    }

    fn contains(&self, rect: &Rect<f64>) -> bool {
        let is_met = || self.edges.iter().any(|&edge| Scan::meets(edge, rect));
        let is_odd = |is_odd: bool, &edge: &Edge| is_odd ^ crosses_right_of(edge, rect.min());
        self.bounds.contains(rect) && !is_met() && self.edges.iter().fold(false, is_odd)
    }
}

impl IntoRegion<f64, 2> for &Scan {
    type Region = Self;

    fn into_region(self) -> Self {
        self
    }
}
