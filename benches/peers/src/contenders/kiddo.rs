//! kiddo's k-d trees, of points only: the mutable one, and the immutable one, rebuilt.
//!
//! A square window is all that is within half its side by Chebyshev's distance; on the lattice that is exact. A first
//! hit is the nearest object to the center, if it is near enough. Objects are `u32`, as in its type aliases. It joins
//! trees, but not one with itself, so it has no pairs.

use std::num::NonZero;

use kiddo::{Chebyshev, ImmutableKdTree, MutableKdTree, SquaredEuclidean};

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect};
use crate::index::{Dynamic, Index, Setting};
use crate::nearby::TEN;
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    let offered = [Workload::Nearest(1), Workload::Nearest(10), Workload::Within];
    roster.points.push(Contender::dynamic::<Mutable>("kiddo").without(&[Workload::Bulk]).offering(&offered));
    roster.points.push(Contender::rebuilt::<Immutable>("kiddo immutable").offering(&offered));
}

type Metric = Chebyshev<f32>;
/// Distances of this metric are squares.
type Euclidean = SquaredEuclidean<f32>;

/// A window's center and half its side.
fn ball(window: &Rect) -> (Point, f32) {
    (window.center(), window.size()[0] / 2.0)
}

macro_rules! queries {
    () => {
        fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
            let (center, half) = ball(window);
            let query = self.tree.query(&center).within::<Metric>(half).unsorted();
            query.visit(|found| hit(u64::from(found.item)));
        }

        fn any_in(&mut self, window: &Rect) -> Option<u64> {
            let (center, half) = ball(window);
            let nearest = self.tree.query(&center).nearest_one::<Metric>().execute();
            (nearest.distance <= half).then_some(u64::from(nearest.item))
        }

        fn nearest(&mut self, point: Point) -> Option<u64> {
            Some(u64::from(self.tree.query(&point).nearest_one::<Euclidean>().execute().item))
        }

        fn nearest_ten(&mut self, point: Point, mut found: impl FnMut(u64)) {
            let ten = NonZero::new(TEN).expect("ten is not zero");
            let nearest = self.tree.query(&point).nearest_n::<Euclidean>(ten).execute();
            for nearest in nearest {
                found(u64::from(nearest.item));
            }
        }

        fn each_within(&mut self, point: Point, distance: f32, mut hit: impl FnMut(u64)) {
            let query = self.tree.query(&point).within::<Euclidean>(distance * distance).unsorted();
            query.visit(|found| hit(u64::from(found.item)));
        }

        fn bytes_apart(&self) -> isize {
            apart::values(self.tree.size())
        }
    };
}

struct Mutable {
    tree: MutableKdTree<f32, 2>,
}

impl Index<Point> for Mutable {
    fn build(setting: &Setting, shapes: &[Point]) -> Self {
        Self::filled(setting, shapes)
    }

    queries!();
}

impl Dynamic<Point> for Mutable {
    fn new(_setting: &Setting) -> Self {
        Self { tree: MutableKdTree::default() }
    }

    fn insert(&mut self, id: u32, shape: Point) {
        self.tree.add(&shape, id).expect("the tree takes the point");
    }

    fn move_to(&mut self, id: u32, before: Point, after: Point) {
        self.tree.remove(&before, id);
        self.insert(id, after);
    }

    fn remove(&mut self, id: u32, shape: Point) {
        self.tree.remove(&shape, id);
    }
}

struct Immutable {
    tree: ImmutableKdTree<f32, 2>,
}

impl Index<Point> for Immutable {
    fn build(_setting: &Setting, shapes: &[Point]) -> Self {
        Self { tree: ImmutableKdTree::new_from_slice(shapes).expect("the tree takes the points") }
    }

    queries!();
}
