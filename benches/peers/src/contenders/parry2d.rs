//! parry2d's `Bvh`, filled by insertion, or built at once with its default strategy; both change by operations.
//!
//! Moves go as its documentation has it: leaves are updated without their ancestors. Far moves take the leaf out and put
//! it in anew, or the tree would degenerate. After each pass of changes the tree is refitted and a part of it optimized.

use std::marker::PhantomData;

use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};
use parry2d::query::{PointQuery, Ray};

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Shape};
use crate::exact::Segment;
use crate::index::{Dynamic, Index, Setting};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    fn listed<P: Shape, L: Load + 'static>(name: &'static str, without: Workload) -> Contender<P> {
        let offered = [Workload::Nearest(1), Workload::Within];
        Contender::dynamic::<Parry<L>>(name).without(&[without]).offering(&offered)
    }
    let of_rects = [Workload::Raycast, Workload::Pairs];
    roster.points.push(listed::<Point, OneByOne>("parry2d", Workload::Bulk));
    roster.rects.push(listed::<Rect, OneByOne>("parry2d", Workload::Bulk).offering(&of_rects));
    roster.points.push(listed::<Point, AtOnce>("parry2d bulk", Workload::Insert));
    let bulk = listed::<Rect, AtOnce>("parry2d bulk", Workload::Insert).offering(&of_rects);
    roster.rects.push(bulk.offering(&[Workload::Join]));
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

    /// What a user looks up by the number of a leaf: its box is the object.
    fn leaf(&self, id: u32) -> &BvhNode {
        self.tree.leaf_node(id).expect("the object is there")
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

    fn nearest(&mut self, point: Point) -> Option<u64> {
        let point = vector(point);
        let project = |id, _| Some(self.leaf(id).aabb().project_local_point(point, true));
        self.tree.project_point(point, f32::MAX, project).map(|(id, _)| u64::from(id))
    }

    fn each_within(&mut self, point: Point, distance: f32, hit: impl FnMut(u64)) {
        let point = vector(point);
        let limit = distance * distance;
        let near = |node: &BvhNode| {
            let gap = (node.mins() - point).max(point - node.maxs()).max(vector([0.0; 2]));
            gap.length_squared() <= limit
        };
        self.tree.leaves(near).map(u64::from).for_each(hit);
    }

    fn first_along(&mut self, segment: &Segment) -> Option<u64> {
        let ray = Ray::new(vector(segment.from), vector(segment.way()));
        let cast = |id, farthest| Some(self.leaf(id).cast_ray(&ray, farthest));
        self.tree.cast_ray(&ray, 1.0, cast).map(|(id, _)| u64::from(id))
    }

    fn each_pair(&mut self, _distance: f32, mut pair: impl FnMut(u64, u64)) {
        let mut pair = |a: u32, b: u32| pair(u64::from(a), u64::from(b));
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut pair);
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        let found = self.tree.leaf_pairs(&others.tree, |a: &BvhNode, b: &BvhNode| a.intersects(b));
        found.for_each(|(a, b)| pair(u64::from(a), u64::from(b)));
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
