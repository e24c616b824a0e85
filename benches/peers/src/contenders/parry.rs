//! parry's `Bvh`, of three of its crates: filled by insertion, or built at once with its default strategy; both change
//! by operations.
//!
//! Moves go as its documentation has it: leaves are updated without their ancestors. Far moves take the leaf out and put
//! it in anew, or the tree would degenerate. After each pass of changes the tree is refitted and a part of it optimized.

use crate::contender::{Contender, Roster};
use crate::data::{Rect, Scalar, Shape};
use crate::index::Dynamic;
use crate::workload::{From, Workload};

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(listed::<_, plane::Parry<OneByOne>, _, _>("parry2d", Workload::Bulk));
    roster.points.push(listed::<_, plane::Parry<AtOnce>, _, _>("parry2d bulk", Workload::Insert).offering(&FEW));
    roster.rects.push(listed::<_, plane::Parry<OneByOne>, _, _>("parry2d", Workload::Bulk).offering(&OF_RECTS));
    roster.rects.push(bulk_of_rects::<plane::Parry<AtOnce>, _, _>("parry2d bulk"));
}

pub(super) fn enlist_solid(roster: &mut Roster<f32, 3>) {
    roster.points.push(listed::<_, solid::Parry<AtOnce>, _, _>("parry3d bulk", Workload::Insert));
    roster.rects.push(bulk_of_rects::<solid::Parry<AtOnce>, _, _>("parry3d bulk"));
}

pub(super) fn enlist_double(roster: &mut Roster<f64>) {
    roster.points.push(listed::<_, double::Parry<AtOnce>, _, _>("parry2d-f64 bulk", Workload::Insert));
    roster.rects.push(bulk_of_rects::<double::Parry<AtOnce>, _, _>("parry2d-f64 bulk"));
}

const OF_RECTS: [Workload; 3] = [Workload::Raycast, Workload::Pairs, Workload::PairsExist];
const FEW: [Workload; 1] = [Workload::Few];

fn listed<P: Shape<S, D>, I: Dynamic<P, S, D> + 'static, S: Scalar, const D: usize>(
    name: &'static str,
    without: Workload,
) -> Contender<P, S, D> {
    Contender::dynamic::<I>(name).without(&[without]).offering(&[Workload::Nearest(1, From::Inside), Workload::Within])
}

fn bulk_of_rects<I: Dynamic<Rect<S, D>, S, D> + 'static, S: Scalar, const D: usize>(
    name: &'static str,
) -> Contender<Rect<S, D>, S, D> {
    listed::<_, I, _, _>(name, Workload::Insert).offering(&OF_RECTS).offering(&FEW).offering(&[Workload::Join])
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

/// The adapter of one of its crates, which differ in scalar and dimension alone.
macro_rules! parry {
    ($module:ident, $parry:ident, $scalar:ty, $dimensions:literal) => {
        mod $module {
            use std::marker::PhantomData;

            use $parry::bounding_volume::Aabb;
            use $parry::math::Vector;
            use $parry::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};
            use $parry::query::{PointQuery, Ray};

            use super::super::apart;
            use super::Load;
            use crate::data::{Point, Rect, Shape};
            use crate::exact::Segment;
            use crate::index::{Dynamic, Index, Setting};

            pub(super) struct Parry<L> {
                tree: Bvh,
                workspace: BvhWorkspace,
                load: PhantomData<L>,
            }

            fn vector(point: Point<$scalar, $dimensions>) -> Vector {
                Vector::from_array(point)
            }

            fn aabb(rect: &Rect<$scalar, $dimensions>) -> Aabb {
                Aabb::new(vector(rect.min), vector(rect.max))
            }

            impl<L> Parry<L> {
                fn of(tree: Bvh) -> Self {
                    Self { tree, workspace: BvhWorkspace::default(), load: PhantomData }
                }

                /// The leaf of a number, which a user looks up: its box is the object.
                fn leaf(&self, id: u32) -> &BvhNode {
                    self.tree.leaf_node(id).expect("the object is there")
                }
            }

            impl<P: Shape<$scalar, $dimensions>, L: Load> Index<P, $scalar, $dimensions> for Parry<L> {
                fn build(setting: &Setting<$scalar>, shapes: &[P]) -> Self {
                    if !L::BULK {
                        return Self::filled(setting, shapes);
                    }
                    let leaves = shapes.iter().map(|shape| aabb(&shape.bounds())).enumerate();
                    Self::of(Bvh::from_iter(BvhBuildStrategy::default(), leaves))
                }

                fn each_in(&mut self, window: &Rect<$scalar, $dimensions>, hit: impl FnMut(u64)) {
                    self.tree.intersect_aabb(&aabb(window)).map(u64::from).for_each(hit);
                }

                fn any_in(&mut self, window: &Rect<$scalar, $dimensions>) -> Option<u64> {
                    self.tree.intersect_aabb(&aabb(window)).next().map(u64::from)
                }

                fn nearest(&mut self, point: Point<$scalar, $dimensions>) -> Option<u64> {
                    let point = vector(point);
                    let project = |id, _| Some(self.leaf(id).aabb().project_local_point(point, true));
                    self.tree.project_point(point, <$scalar>::MAX, project).map(|(id, _)| u64::from(id))
                }

                fn each_within(&mut self, point: Point<$scalar, $dimensions>, distance: $scalar, hit: impl FnMut(u64)) {
                    let point = vector(point);
                    let limit = distance * distance;
                    let near = |node: &BvhNode| {
                        let gap = (node.mins() - point).max(point - node.maxs()).max(Vector::ZERO);
                        gap.length_squared() <= limit
                    };
                    self.tree.leaves(near).map(u64::from).for_each(hit);
                }

                fn first_along(&mut self, segment: &Segment<$scalar, $dimensions>) -> Option<u64> {
                    let ray = Ray::new(vector(segment.from), vector(segment.way()));
                    let cast = |id, farthest| Some(self.leaf(id).cast_ray(&ray, farthest));
                    self.tree.cast_ray(&ray, 1.0, cast).map(|(id, _)| u64::from(id))
                }

                fn each_pair(&mut self, _distance: $scalar, mut pair: impl FnMut(u64, u64)) {
                    let mut pair = |a: u32, b: u32| pair(u64::from(a), u64::from(b));
                    self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut pair);
                }

                fn any_pair(&mut self) -> Option<(u64, u64)> {
                    let mut found = self.tree.leaf_pairs(&self.tree, |a: &BvhNode, b: &BvhNode| a.intersects(b));
                    found.find(|(a, b)| a < b).map(|(a, b)| (u64::from(a), u64::from(b)))
                }

                fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
                    let found = self.tree.leaf_pairs(&others.tree, |a: &BvhNode, b: &BvhNode| a.intersects(b));
                    found.for_each(|(a, b)| pair(u64::from(a), u64::from(b)));
                }

                fn bytes_apart(&self) -> isize {
                    apart::values(self.tree.leaf_count() as usize)
                }
            }

            impl<P: Shape<$scalar, $dimensions>, L: Load> Dynamic<P, $scalar, $dimensions> for Parry<L> {
                fn new(_setting: &Setting<$scalar>) -> Self {
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

                fn move_few(&mut self, _before: &[P], after: &[P]) {
                    for (id, shape) in (0..).zip(after) {
                        self.tree.remove(id);
                        self.tree.insert(aabb(&shape.bounds()), id);
                    }
                }

                fn remove(&mut self, id: u32, _shape: P) {
                    self.tree.remove(id);
                }

                fn settle(&mut self) {
                    self.tree.refit(&mut self.workspace);
                    self.tree.optimize_incremental(&mut self.workspace);
                }
            }
        }
    };
}

parry!(plane, parry2d, f32, 2);
parry!(solid, parry3d, f32, 3);
parry!(double, parry2d_f64, f64, 2);
