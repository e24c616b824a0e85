//! `packed_spatial_index`: its SIMD index, of `f64` and of `f32`, rebuilt. Without threads.
//!
//! Windows reuse a workspace, as it advises for hot loops. The `f32` index rounds outwards, but what is an `f32`
//! already stays as it is, so it is exact here without the refinement that it offers. It has fewer kinds of questions.

use std::ops::ControlFlow;

use packed_spatial_index::{
    Box2D, Index2DBuilder, NeighborWorkspace, Point2D, Ray2D, SearchWorkspace, SimdIndex2D, SimdIndex2DF32,
};

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Form, Point, Rect, Shape};
use crate::exact::Segment;
use crate::index::{Index, Setting};
use crate::nearby::TEN;
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    fn listed<P: Shape, S: Storage + 'static>(name: &'static str) -> Contender<P> {
        Contender::rebuilt::<Packed<S>>(name).offering(&[Workload::Nearest(1), Workload::Nearest(10)])
    }
    let of_points = [Workload::Within, Workload::Pairs];
    let of_rects = [Workload::Within, Workload::Raycast, Workload::Pairs, Workload::Join];
    roster.points.push(listed::<_, SimdIndex2D>("packed_spatial_index").offering(&of_points));
    roster.rects.push(listed::<_, SimdIndex2D>("packed_spatial_index").offering(&of_rects));
    roster.points.push(listed::<_, SimdIndex2DF32>("packed_spatial_index f32"));
    roster.rects.push(listed::<_, SimdIndex2DF32>("packed_spatial_index f32"));
}

/// The two indexes, which have the same methods where both have them.
trait Storage {
    fn finish(builder: Index2DBuilder) -> Self;
    fn search<'a>(&self, window: Box2D, workspace: &'a mut SearchWorkspace) -> &'a [usize];
    fn first(&self, window: Box2D) -> Option<usize>;
    fn near<'a>(&self, point: Point2D, count: usize, workspace: &'a mut NeighborWorkspace) -> &'a [usize];
    fn len(&self) -> usize;

    /// The index of `f64`, which answers more.
    fn wide(&self) -> &SimdIndex2D {
        unreachable!("the index of `f32` takes no part in that")
    }
}

macro_rules! impl_storage {
    ($index:ident, $finish:ident, $($special:item)*) => {
        impl Storage for $index {
            fn finish(builder: Index2DBuilder) -> Self {
                builder.$finish().expect("as many were added as announced")
            }

            fn search<'a>(&self, window: Box2D, workspace: &'a mut SearchWorkspace) -> &'a [usize] {
                self.search_with(window, workspace)
            }

            fn first(&self, window: Box2D) -> Option<usize> {
                self.first(window)
            }

            fn near<'a>(&self, point: Point2D, count: usize, workspace: &'a mut NeighborWorkspace) -> &'a [usize] {
                self.neighbors_with(point, count, f64::INFINITY, workspace)
            }

            fn len(&self) -> usize {
                self.num_items()
            }

            $($special)*
        }
    };
}

impl_storage! {
    SimdIndex2D, finish_simd,

    fn wide(&self) -> &SimdIndex2D {
        self
    }
}

impl_storage! {
    SimdIndex2DF32, finish_simd_f32,
}

struct Packed<S> {
    index: S,
    workspace: SearchWorkspace,
    neighbors: NeighborWorkspace,
    found: Vec<usize>,
}

fn point2d(point: Point) -> Point2D {
    let [x, y] = point.map(f64::from);
    Point2D::new(x, y)
}

fn box2d(rect: &Rect) -> Box2D {
    let (min, max) = (rect.min.map(f64::from), rect.max.map(f64::from));
    Box2D::new(min[0], min[1], max[0], max[1])
}

impl<P: Shape, S: Storage> Index<P> for Packed<S> {
    fn build(_setting: &Setting, shapes: &[P]) -> Self {
        let mut builder = Index2DBuilder::new(shapes.len());
        for shape in shapes {
            builder.add(box2d(&shape.bounds()));
        }
        let (workspace, neighbors) = (SearchWorkspace::new(), NeighborWorkspace::new());
        Self { index: S::finish(builder), workspace, neighbors, found: Vec::new() }
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        for &id in self.index.search(box2d(window), &mut self.workspace) {
            hit(id as u64);
        }
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        self.index.first(box2d(window)).map(|id| id as u64)
    }

    fn nearest(&mut self, point: Point) -> Option<u64> {
        self.index.near(point2d(point), 1, &mut self.neighbors).first().map(|&id| id as u64)
    }

    fn nearest_ten(&mut self, point: Point, mut found: impl FnMut(u64)) {
        for &id in self.index.near(point2d(point), TEN, &mut self.neighbors) {
            found(id as u64);
        }
    }

    fn each_within(&mut self, point: Point, distance: f32, mut hit: impl FnMut(u64)) {
        let point = box2d(&Rect::at(point));
        self.index.wide().search_within_into(point, f64::from(distance), &mut self.found);
        for &id in &self.found {
            hit(id as u64);
        }
    }

    fn first_along(&mut self, segment: &Segment) -> Option<u64> {
        let [x, y] = segment.way().map(f64::from);
        let ray = Ray2D::new(point2d(segment.from), x, y, 1.0);
        self.index.wide().raycast_closest_with(ray, &mut self.neighbors).map(|(id, _)| id as u64)
    }

    fn each_pair(&mut self, distance: f32, mut pair: impl FnMut(u64, u64)) {
        let visit = |a: usize, b: usize| {
            pair(a as u64, b as u64);
            ControlFlow::<()>::Continue(())
        };
        let _ = match P::FORM {
            Form::Point => self.index.wide().pairs_within_each(f64::from(distance), visit),
            Form::Rect => self.index.wide().pairs_each(visit),
        };
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        let _ = self.index.wide().join_each(others.index.wide(), |a, b| {
            pair(a as u64, b as u64);
            ControlFlow::<()>::Continue(())
        });
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.index.len())
    }
}
