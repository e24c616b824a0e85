//! `packed_spatial_index`: its SIMD index, of `f64` and of `f32`, rebuilt. Without threads.
//!
//! Windows reuse a workspace, as it advises for hot loops. The `f32` index rounds outwards, but what is an `f32`
//! already stays as it is, so it is exact here without the refinement that it offers.

use packed_spatial_index::{Box2D, Index2DBuilder, SearchWorkspace, SimdIndex2D, SimdIndex2DF32};

use super::apart;
use crate::contender::{Contender, Index, Roster, Setting};
use crate::data::{Rect, Shape};

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(Contender::rebuilt::<Packed<SimdIndex2D>>("packed_spatial_index"));
    roster.rects.push(Contender::rebuilt::<Packed<SimdIndex2D>>("packed_spatial_index"));
    roster.points.push(Contender::rebuilt::<Packed<SimdIndex2DF32>>("packed_spatial_index f32"));
    roster.rects.push(Contender::rebuilt::<Packed<SimdIndex2DF32>>("packed_spatial_index f32"));
}

/// The two indexes, which have the same methods.
trait Storage {
    fn finish(builder: Index2DBuilder) -> Self;
    fn search<'a>(&self, window: Box2D, workspace: &'a mut SearchWorkspace) -> &'a [usize];
    fn first(&self, window: Box2D) -> Option<usize>;
    fn len(&self) -> usize;
}

macro_rules! impl_storage {
    ($index:ident, $finish:ident) => {
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

            fn len(&self) -> usize {
                self.num_items()
            }
        }
    };
}

impl_storage!(SimdIndex2D, finish_simd);
impl_storage!(SimdIndex2DF32, finish_simd_f32);

struct Packed<S> {
    index: S,
    workspace: SearchWorkspace,
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
        Self { index: S::finish(builder), workspace: SearchWorkspace::new() }
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        for &id in self.index.search(box2d(window), &mut self.workspace) {
            hit(id as u64);
        }
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        self.index.first(box2d(window)).map(|id| id as u64)
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.index.len())
    }
}
