//! `packed_spatial_index`: its SIMD indexes, of `f64` and of `f32`, in two and three dimensions, rebuilt, without
//! threads.
//!
//! Windows reuse a workspace, as it advises for hot loops. The `f32` index rounds outwards, but coordinates are `f32`
//! already, so it is exact here without the refinement that it offers. It has fewer kinds of questions.

use std::ops::ControlFlow;

use packed_spatial_index::{
    NeighborWorkspace, SearchWorkspace, SimdIndex2D, SimdIndex2DF32, SimdIndex3D, SimdIndex3DF32,
};

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Form, Point, Rect, Scalar, Shape};
use crate::exact::Segment;
use crate::index::{Index, Setting};
use crate::nearby::TEN;
use crate::workload::{From, Workload};

pub(super) fn enlist(roster: &mut Roster) {
    enlist_both::<SimdIndex2D, SimdIndex2DF32, _, _>(roster);
}

pub(super) fn enlist_solid(roster: &mut Roster<f32, 3>) {
    enlist_both::<SimdIndex3D, SimdIndex3DF32, _, _>(roster);
}

pub(super) fn enlist_double(roster: &mut Roster<f64>) {
    enlist_wide::<SimdIndex2D, _, _>(roster);
}

fn enlist_both<W: Storage<D> + 'static, N: Storage<D> + 'static, S: Scalar, const D: usize>(roster: &mut Roster<S, D>) {
    enlist_wide::<W, _, _>(roster);
    roster.points.push(listed::<_, N, _, _>("packed_spatial_index f32"));
    roster.rects.push(listed::<_, N, _, _>("packed_spatial_index f32"));
}

fn enlist_wide<W: Storage<D> + 'static, S: Scalar, const D: usize>(roster: &mut Roster<S, D>) {
    let of_points = [Workload::Within, Workload::Pairs];
    let of_rects = [Workload::Within, Workload::Raycast, Workload::Pairs, Workload::PairsExist, Workload::Join];
    roster.points.push(listed::<_, W, _, _>("packed_spatial_index").offering(&of_points));
    roster.rects.push(listed::<_, W, _, _>("packed_spatial_index").offering(&of_rects));
}

fn listed<P: Shape<S, D>, T: Storage<D> + 'static, S: Scalar, const D: usize>(
    name: &'static str,
) -> Contender<P, S, D> {
    let near = [Workload::Nearest(1, From::Inside), Workload::Nearest(10, From::Inside)];
    Contender::rebuilt::<Packed<T>>(name).offering(&near)
}

/// A box as all of its indexes are told it.
type Corners<const D: usize> = [[f64; D]; 2];

/// The indexes, which have the same methods where they have them. Those of `f32` answer less.
trait Storage<const D: usize>: Sized {
    fn of(boxes: impl ExactSizeIterator<Item = Corners<D>>) -> Self;
    fn search<'a>(&self, window: Corners<D>, workspace: &'a mut SearchWorkspace) -> &'a [usize];
    fn first(&self, window: Corners<D>) -> Option<usize>;
    fn count(&self, window: Corners<D>) -> usize;
    fn near<'a>(&self, point: [f64; D], count: usize, workspace: &'a mut NeighborWorkspace) -> &'a [usize];
    fn len(&self) -> usize;

    fn within(&self, _point: [f64; D], _distance: f64, _found: &mut Vec<usize>) {
        unreachable!("{NARROW}")
    }

    fn cast(&self, _from: [f64; D], _way: [f64; D], _workspace: &mut NeighborWorkspace) -> Option<usize> {
        unreachable!("{NARROW}")
    }

    fn pairs(&self, _distance: Option<f64>, _pair: impl FnMut(usize, usize) -> ControlFlow<()>) {
        unreachable!("{NARROW}")
    }

    fn join(&self, _others: &Self, _pair: impl FnMut(usize, usize) -> ControlFlow<()>) {
        unreachable!("{NARROW}")
    }
}

const NARROW: &str = "an index of `f32` takes no part in that";

mod plane {
    pub(super) use packed_spatial_index::Index2DBuilder as Builder;
    use packed_spatial_index::{Box2D, Point2D, Ray2D};

    pub(super) fn bounds([[left, bottom], [right, top]]: super::Corners<2>) -> Box2D {
        Box2D::new(left, bottom, right, top)
    }

    pub(super) fn point([x, y]: [f64; 2]) -> Point2D {
        Point2D::new(x, y)
    }

    pub(super) fn ray(from: [f64; 2], [right, up]: [f64; 2]) -> Ray2D {
        Ray2D::new(point(from), right, up, 1.0)
    }
}

mod solid {
    pub(super) use packed_spatial_index::Index3DBuilder as Builder;
    use packed_spatial_index::{Box3D, Point3D, Ray3D};

    pub(super) fn bounds([[left, bottom, front], [right, top, back]]: super::Corners<3>) -> Box3D {
        Box3D::new(left, bottom, front, right, top, back)
    }

    pub(super) fn point([x, y, z]: [f64; 3]) -> Point3D {
        Point3D::new(x, y, z)
    }

    pub(super) fn ray(from: [f64; 3], [right, up, behind]: [f64; 3]) -> Ray3D {
        Ray3D::new(point(from), right, up, behind, 1.0)
    }
}

macro_rules! impl_storage {
    ($index:ident, $dimensions:literal, $space:ident, $finish:ident, $($wide:item)*) => {
        impl Storage<$dimensions> for $index {
            fn of(boxes: impl ExactSizeIterator<Item = Corners<$dimensions>>) -> Self {
                let mut builder = $space::Builder::new(boxes.len());
                boxes.for_each(|corners| _ = builder.add($space::bounds(corners)));
                builder.$finish().expect("as many were added as announced")
            }

            fn search<'a>(&self, window: Corners<$dimensions>, workspace: &'a mut SearchWorkspace) -> &'a [usize] {
                self.search_with($space::bounds(window), workspace)
            }

            fn first(&self, window: Corners<$dimensions>) -> Option<usize> {
                self.first($space::bounds(window))
            }

            fn count(&self, window: Corners<$dimensions>) -> usize {
                self.count($space::bounds(window))
            }

            fn near<'a>(
                &self,
                point: [f64; $dimensions],
                count: usize,
                workspace: &'a mut NeighborWorkspace,
            ) -> &'a [usize] {
                self.neighbors_with($space::point(point), count, f64::INFINITY, workspace)
            }

            fn len(&self) -> usize {
                self.num_items()
            }

            $($wide)*
        }
    };
}

/// The questions that the indexes of `f64` alone answer.
macro_rules! impl_wide_storage {
    ($index:ident, $dimensions:literal, $space:ident, $finish:ident) => {
        impl_storage! {
            $index, $dimensions, $space, $finish,

            fn within(&self, point: [f64; $dimensions], distance: f64, found: &mut Vec<usize>) {
                self.search_within_into($space::bounds([point, point]), distance, found);
            }

            fn cast(
                &self,
                from: [f64; $dimensions],
                way: [f64; $dimensions],
                workspace: &mut NeighborWorkspace,
            ) -> Option<usize> {
                self.raycast_closest_with($space::ray(from, way), workspace).map(|(id, _)| id)
            }

            fn pairs(&self, distance: Option<f64>, pair: impl FnMut(usize, usize) -> ControlFlow<()>) {
                let _ = match distance {
                    Some(distance) => self.pairs_within_each(distance, pair),
                    None => self.pairs_each(pair),
                };
            }

            fn join(&self, others: &Self, pair: impl FnMut(usize, usize) -> ControlFlow<()>) {
                let _ = self.join_each(others, pair);
            }
        }
    };
}

impl_wide_storage! { SimdIndex2D, 2, plane, finish_simd }
impl_wide_storage! { SimdIndex3D, 3, solid, finish_simd }
impl_storage! { SimdIndex2DF32, 2, plane, finish_simd_f32, }
impl_storage! { SimdIndex3DF32, 3, solid, finish_simd_f32, }

struct Packed<T> {
    index: T,
    workspace: SearchWorkspace,
    neighbors: NeighborWorkspace,
    found: Vec<usize>,
}

fn wide<S: Scalar, const D: usize>(point: Point<S, D>) -> [f64; D] {
    point.map(Scalar::to_f64)
}

fn corners<S: Scalar, const D: usize>(rect: &Rect<S, D>) -> Corners<D> {
    [wide(rect.min), wide(rect.max)]
}

impl<P: Shape<S, D>, T: Storage<D>, S: Scalar, const D: usize> Index<P, S, D> for Packed<T> {
    fn build(_setting: &Setting<S>, shapes: &[P]) -> Self {
        let index = T::of(shapes.iter().map(|shape| corners(&shape.bounds())));
        Self { index, workspace: SearchWorkspace::new(), neighbors: NeighborWorkspace::new(), found: Vec::new() }
    }

    fn each_in(&mut self, window: &Rect<S, D>, mut hit: impl FnMut(u64)) {
        for &id in self.index.search(corners(window), &mut self.workspace) {
            hit(id as u64);
        }
    }

    fn count_in(&mut self, window: &Rect<S, D>) -> usize {
        self.index.count(corners(window))
    }

    fn any_in(&mut self, window: &Rect<S, D>) -> Option<u64> {
        self.index.first(corners(window)).map(|id| id as u64)
    }

    fn nearest(&mut self, point: Point<S, D>) -> Option<u64> {
        self.index.near(wide(point), 1, &mut self.neighbors).first().map(|&id| id as u64)
    }

    fn nearest_ten(&mut self, point: Point<S, D>, mut found: impl FnMut(u64)) {
        for &id in self.index.near(wide(point), TEN, &mut self.neighbors) {
            found(id as u64);
        }
    }

    fn each_within(&mut self, point: Point<S, D>, distance: S, mut hit: impl FnMut(u64)) {
        self.index.within(wide(point), distance.to_f64(), &mut self.found);
        for &id in &self.found {
            hit(id as u64);
        }
    }

    fn first_along(&mut self, segment: &Segment<S, D>) -> Option<u64> {
        self.index.cast(wide(segment.from), wide(segment.way()), &mut self.neighbors).map(|id| id as u64)
    }

    fn each_pair(&mut self, distance: S, mut pair: impl FnMut(u64, u64)) {
        self.index.pairs((P::FORM == Form::Point).then(|| distance.to_f64()), |a, b| {
            pair(a as u64, b as u64);
            ControlFlow::Continue(())
        });
    }

    fn any_pair(&mut self) -> Option<(u64, u64)> {
        let mut found = None;
        self.index.pairs(None, |a, b| {
            found = Some((a as u64, b as u64));
            ControlFlow::Break(())
        });
        found
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        self.index.join(&others.index, |a, b| {
            pair(a as u64, b as u64);
            ControlFlow::Continue(())
        });
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.index.len())
    }
}
