//! rstar, which removes and inserts what moves, and `packed_spatial_index`, built anew in each tick.

use std::cell::RefCell;
use std::ops::ControlFlow;

use packed_spatial_index::{Box2D, Index2DBuilder, NeighborWorkspace, Point2D, SearchWorkspace, SimdIndex2DF32};
use quadrille::Rect;
use rstar::primitives::GeomWithData;
use rstar::{AABB, RTree};

use super::{Point, Sum, TEN, Thing, Things, bounds, is_inside, square};

pub(super) struct Rstar {
    /// Things are told apart by their numbers, and carry their values.
    tree: RTree<GeomWithData<Point, (u32, u32)>>,
    things: Vec<Thing>,
}

impl Rstar {
    pub(super) fn new(things: &[Thing]) -> Self {
        let objects = (0..).zip(things).map(|(number, &(at, value))| GeomWithData::new(at, (number, value))).collect();
        Self { tree: RTree::bulk_load(objects), things: things.to_vec() }
    }

    fn each_in(&self, window: &Rect, mut seen: impl FnMut(Point, u32)) {
        let _ =
            self.tree.locate_in_envelope_intersecting_int(AABB::from_corners(window.min(), window.max()), |thing| {
                seen(*thing.geom(), thing.data.1);
                ControlFlow::<()>::Continue(())
            });
    }
}

impl Things for Rstar {
    fn move_some(&mut self, moves: &[(u32, Point)]) {
        for &(number, to) in moves {
            let (at, value) = &mut self.things[number as usize];
            self.tree.remove(&GeomWithData::new(*at, (number, *value))).expect("the thing is there");
            *at = to;
            self.tree.insert(GeomWithData::new(to, (number, *value)));
        }
    }

    fn in_window(&self, window: &Rect) -> Sum {
        let mut sum = Sum::default();
        self.each_in(window, |_, value| sum.add(value));
        sum
    }

    fn nearest(&self, at: Point) -> u64 {
        self.tree.nearest_neighbor_iter(at).take(TEN).map(|near| square(at, *near.geom())).sum()
    }

    fn in_lasso(&self, lasso: &[Point]) -> Sum {
        let mut sum = Sum::default();
        self.each_in(&bounds(lasso), |at, value| {
            if is_inside(lasso, at) {
                sum.add(value);
            }
        });
        sum
    }
}

thread_local! {
    static WORKSPACES: RefCell<(SearchWorkspace, NeighborWorkspace)> = RefCell::default();
}

pub(super) struct Packed {
    index: SimdIndex2DF32,
    things: Vec<Thing>,
}

fn packed(things: &[Thing]) -> SimdIndex2DF32 {
    let mut builder = Index2DBuilder::new(things.len());
    for &([x, y], _) in things {
        let (x, y) = (f64::from(x), f64::from(y));
        builder.add(Box2D::new(x, y, x, y));
    }
    builder.finish_simd_f32().expect("as many were added as announced")
}

impl Packed {
    pub(super) fn new(things: &[Thing]) -> Self {
        Self { index: packed(things), things: things.to_vec() }
    }

    fn each_in(&self, window: &Rect, mut seen: impl FnMut(Thing)) {
        let ([left, low], [right, high]) = (window.min().map(f64::from), window.max().map(f64::from));
        WORKSPACES.with_borrow_mut(|(workspace, _)| {
            let found = self.index.search_with(Box2D::new(left, low, right, high), workspace);
            found.iter().for_each(|&number| seen(self.things[number]));
        });
    }
}

impl Things for Packed {
    fn move_some(&mut self, moves: &[(u32, Point)]) {
        moves.iter().for_each(|&(number, to)| self.things[number as usize].0 = to);
        self.index = packed(&self.things);
    }

    fn in_window(&self, window: &Rect) -> Sum {
        let mut sum = Sum::default();
        self.each_in(window, |(_, value)| sum.add(value));
        sum
    }

    fn nearest(&self, at: Point) -> u64 {
        let [x, y] = at.map(f64::from);
        WORKSPACES.with_borrow_mut(|(_, workspace)| {
            let near = self.index.neighbors_with(Point2D::new(x, y), TEN, f64::INFINITY, workspace);
            near.iter().map(|&number| square(at, self.things[number].0)).sum()
        })
    }

    fn in_lasso(&self, lasso: &[Point]) -> Sum {
        let mut sum = Sum::default();
        self.each_in(&bounds(lasso), |(at, value)| {
            if is_inside(lasso, at) {
                sum.add(value);
            }
        });
        sum
    }
}
