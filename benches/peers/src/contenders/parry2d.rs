//! parry2d's `Bvh`, filled by insertion, or built at once with its default strategy; both change by operations.
//!
//! Moves go as its documentation has it: leaves are updated without their ancestors. Far moves take the leaf out and put
//! it in anew, or the tree would degenerate. After each pass of changes the tree is refitted and a part of it optimized.

use std::marker::PhantomData;

use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

use super::apart;
use crate::contender::{Contender, Dynamic, Index, Roster, Setting};
use crate::data::{Point, Rect, Shape};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(Contender::dynamic::<Parry<OneByOne>>("parry2d").without(&[Workload::Bulk]));
    roster.rects.push(Contender::dynamic::<Parry<OneByOne>>("parry2d").without(&[Workload::Bulk]));
    roster.points.push(Contender::dynamic::<Parry<AtOnce>>("parry2d bulk").without(&[Workload::Insert]));
    roster.rects.push(Contender::dynamic::<Parry<AtOnce>>("parry2d bulk").without(&[Workload::Insert]));
}

trait Load {
    const BULK: bool;
}

struct OneByOne;

impl Load for OneByOne {
    const BULK: bool = false;
}

struct AtOnce;

impl Load for AtOnce {
    const BULK: bool = true;
}

struct Parry<L> {
    tree: Bvh,
    workspace: BvhWorkspace,
    load: PhantomData<L>,
}

fn vector([x, y]: Point) -> Vector {
    Vector::new(x, y)
}

fn aabb(rect: &Rect) -> Aabb {
    Aabb::new(vector(rect.min), vector(rect.max))
}

impl<L> Parry<L> {
    fn of(tree: Bvh) -> Self {
        Self { tree, workspace: BvhWorkspace::default(), load: PhantomData }
    }
}

impl<P: Shape, L: Load> Index<P> for Parry<L> {
    fn build(setting: &Setting, shapes: &[P]) -> Self {
        if !L::BULK {
            return Self::filled(setting, shapes);
        }
        let leaves = shapes.iter().map(|shape| aabb(&shape.bounds())).enumerate();
        Self::of(Bvh::from_iter(BvhBuildStrategy::default(), leaves))
    }

    fn each_in(&mut self, window: &Rect, hit: impl FnMut(u64)) {
        self.tree.intersect_aabb(&aabb(window)).map(u64::from).for_each(hit);
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        self.tree.intersect_aabb(&aabb(window)).next().map(u64::from)
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.tree.leaf_count() as usize)
    }
}

impl<P: Shape, L: Load> Dynamic<P> for Parry<L> {
    fn new(_setting: &Setting) -> Self {
        Self::of(Bvh::new())
    }

    fn insert(&mut self, id: u32, shape: P) {
        self.tree.insert(aabb(&shape.bounds()), id);
    }

    fn move_to(&mut self, id: u32, _before: P, after: P) {
        self.tree.insert_or_update_partially(aabb(&after.bounds()), id, 0.0);
    }

    fn teleport(&mut self, id: u32, _before: P, after: P) {
        self.tree.remove(id);
        self.tree.insert(aabb(&after.bounds()), id);
    }

    fn remove(&mut self, id: u32, _shape: P) {
        self.tree.remove(id);
    }

    fn settle(&mut self) {
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
    }
}
