//! kiddo's k-d trees, of points only: the mutable one, and the immutable one, rebuilt.
//!
//! A square window is all that is within half its side by Chebyshev's distance; on the lattice that is exact. A first
//! hit is the nearest object to the center, if it is near enough. Objects are `u32`, as in its type aliases. It joins
//! trees, but not one with itself, so it has no pairs.

use std::num::NonZero;

use kiddo::{Chebyshev, ImmutableKdTree, MutableKdTree, SquaredEuclidean};

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Scalar};
use crate::index::{Dynamic, Index, Setting};
use crate::nearby::TEN;
use crate::workload::{From, Workload};

pub(super) fn enlist<S: Scalar, const D: usize>(roster: &mut Roster<S, D>)
where
    Mutable<S, D>: Dynamic<Point<S, D>, S, D>,
    Immutable<S, D>: Index<Point<S, D>, S, D>,
{
    let offered = [Workload::Nearest(1, From::Inside), Workload::Nearest(10, From::Inside), Workload::Within];
    roster.points.push(Contender::dynamic::<Mutable<S, D>>("kiddo").without(&[Workload::Bulk]).offering(&offered));
    roster.points.push(Contender::rebuilt::<Immutable<S, D>>("kiddo immutable").offering(&offered));
}

pub(super) struct Mutable<S, const D: usize> {
    tree: MutableKdTree<S, D>,
}

pub(super) struct Immutable<S, const D: usize> {
    tree: ImmutableKdTree<S, D>,
}

/// A window's center and half its side.
fn ball<S: Scalar, const D: usize>(window: &Rect<S, D>) -> (Point<S, D>, S) {
    (window.center(), window.size()[0] * S::HALF)
}

/// The queries, which are the same for both trees.
macro_rules! queries {
    ($scalar:ty, $dimensions:literal) => {
        fn each_in(&mut self, window: &Rect<$scalar, $dimensions>, mut hit: impl FnMut(u64)) {
            let (center, half) = ball(window);
            let query = self.tree.query(&center).within::<Chebyshev<$scalar>>(half).unsorted();
            query.visit(|found| hit(u64::from(found.item)));
        }

        fn any_in(&mut self, window: &Rect<$scalar, $dimensions>) -> Option<u64> {
            let (center, half) = ball(window);
            let nearest = self.tree.query(&center).nearest_one::<Chebyshev<$scalar>>().execute();
            (nearest.distance <= half).then_some(u64::from(nearest.item))
        }

        // Distances of this metric are squares.
        fn nearest(&mut self, point: Point<$scalar, $dimensions>) -> Option<u64> {
            Some(u64::from(self.tree.query(&point).nearest_one::<SquaredEuclidean<$scalar>>().execute().item))
        }

        fn nearest_ten(&mut self, point: Point<$scalar, $dimensions>, mut found: impl FnMut(u64)) {
            let ten = NonZero::new(TEN).expect("ten is not zero");
            let nearest = self.tree.query(&point).nearest_n::<SquaredEuclidean<$scalar>>(ten).execute();
            for nearest in nearest {
                found(u64::from(nearest.item));
            }
        }

        fn each_within(&mut self, point: Point<$scalar, $dimensions>, distance: $scalar, mut hit: impl FnMut(u64)) {
            let query = self.tree.query(&point).within::<SquaredEuclidean<$scalar>>(distance * distance).unsorted();
            query.visit(|found| hit(u64::from(found.item)));
        }

        fn bytes_apart(&self) -> isize {
            apart::values(self.tree.size())
        }
    };
}

/// Both trees, of one scalar and dimension: the bounds of its generic methods are not public.
macro_rules! contenders {
    ($scalar:ty, $dimensions:literal) => {
        impl Index<Point<$scalar, $dimensions>, $scalar, $dimensions> for Mutable<$scalar, $dimensions> {
            fn build(setting: &Setting<$scalar>, shapes: &[Point<$scalar, $dimensions>]) -> Self {
                Self::filled(setting, shapes)
            }

            queries!($scalar, $dimensions);
        }

        impl Dynamic<Point<$scalar, $dimensions>, $scalar, $dimensions> for Mutable<$scalar, $dimensions> {
            fn new(_setting: &Setting<$scalar>) -> Self {
                Self { tree: MutableKdTree::default() }
            }

            fn insert(&mut self, id: u32, shape: Point<$scalar, $dimensions>) {
                self.tree.add(&shape, id).expect("the tree takes the point");
            }

            fn move_to(&mut self, id: u32, before: Point<$scalar, $dimensions>, after: Point<$scalar, $dimensions>) {
                self.tree.remove(&before, id);
                self.insert(id, after);
            }

            fn remove(&mut self, id: u32, shape: Point<$scalar, $dimensions>) {
                self.tree.remove(&shape, id);
            }
        }

        impl Index<Point<$scalar, $dimensions>, $scalar, $dimensions> for Immutable<$scalar, $dimensions> {
            fn build(_setting: &Setting<$scalar>, shapes: &[Point<$scalar, $dimensions>]) -> Self {
                Self { tree: ImmutableKdTree::new_from_slice(shapes).expect("the tree takes the points") }
            }

            queries!($scalar, $dimensions);
        }
    };
}

contenders!(f32, 2);
contenders!(f32, 3);
contenders!(f64, 2);
