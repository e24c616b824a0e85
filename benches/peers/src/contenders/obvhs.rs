//! obvhs: the binary tree of a physics engine, in three dimensions.
//!
//! Built with its fast settings, an object a leaf. Moves set the boxes of the leaves, and then the whole tree is
//! refitted, which is its documented way for many small moves; far moves go by its `move_primitive`. It has no nearest
//! objects, no pairs and no joins. It numbers objects by itself, so ids are looked up.

use std::time::Duration;

use glam::Vec3A;
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::ray::{Ray, RayHit};

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Shape};
use crate::exact::Segment;
use crate::index::{Dynamic, Index, Setting};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster<f32, 3>) {
    roster.points.push(Contender::dynamic::<Bvh>("obvhs"));
    roster.rects.push(Contender::dynamic::<Bvh>("obvhs").offering(&[Workload::Raycast]));
}

struct Bvh {
    tree: Bvh2,
}

fn vector(point: Point<f32, 3>) -> Vec3A {
    Vec3A::from_array(point)
}

fn aabb(rect: &Rect<f32, 3>) -> Aabb {
    Aabb::new(vector(rect.min), vector(rect.max))
}

/// Ready for changes.
fn prepared(mut tree: Bvh2) -> Bvh {
    tree.init_primitives_to_nodes_if_uninit();
    tree.init_parents_if_uninit();
    Bvh { tree }
}

impl Bvh {
    fn node_of(&self, id: u32) -> usize {
        self.tree.primitives_to_nodes[id as usize] as usize
    }

    /// Visits the objects that meet the window, as long as they are welcome.
    fn visit(&self, window: &Rect<f32, 3>, mut visit: impl FnMut(u64) -> bool) {
        self.tree.aabb_traverse(aabb(window), |tree, node| {
            let node = &tree.nodes[node as usize];
            visit(u64::from(tree.primitive_indices[node.first_index as usize]))
        });
    }
}

impl<P: Shape<f32, 3>> Index<P, f32, 3> for Bvh {
    fn build(_setting: &Setting, shapes: &[P]) -> Self {
        let boxes: Vec<Aabb> = shapes.iter().map(|shape| aabb(&shape.bounds())).collect();
        let params = BvhBuildParams { max_prims_per_leaf: 1, ..BvhBuildParams::fast_build() };
        prepared(build_bvh2(&boxes, params, &mut Duration::default()))
    }

    fn each_in(&mut self, window: &Rect<f32, 3>, mut hit: impl FnMut(u64)) {
        self.visit(window, |id| {
            hit(id);
            true
        });
    }

    fn any_in(&mut self, window: &Rect<f32, 3>) -> Option<u64> {
        let mut found = None;
        self.visit(window, |id| {
            found = Some(id);
            false
        });
        found
    }

    fn first_along(&mut self, segment: &Segment<f32, 3>) -> Option<u64> {
        let ray = Ray::new(vector(segment.from), vector(segment.way()), 0.0, 1.0);
        let mut hit = RayHit::none();
        self.tree.ray_traverse(ray, &mut hit, |ray, place| {
            let id = self.tree.primitive_indices[place];
            self.tree.nodes[self.node_of(id)].aabb().intersect_ray(ray)
        });
        self.tree.primitive_indices.get(hit.primitive_id as usize).copied().map(u64::from)
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.tree.active_primitive_indices_count())
    }
}

impl<P: Shape<f32, 3>> Dynamic<P, f32, 3> for Bvh {
    fn new(_setting: &Setting) -> Self {
        prepared(Bvh2::default())
    }

    fn insert(&mut self, id: u32, shape: P) {
        self.tree.insert_primitive(aabb(&shape.bounds()), id);
    }

    fn move_to(&mut self, id: u32, _before: P, after: P) {
        let node = self.node_of(id);
        self.tree.nodes[node].set_aabb(aabb(&after.bounds()));
    }

    fn move_all(&mut self, before: &[P], after: &[P]) {
        (0..).zip(before.iter().zip(after)).for_each(|(id, (&before, &after))| self.move_to(id, before, after));
        self.tree.refit_all();
    }

    fn teleport(&mut self, id: u32, _before: P, after: P) {
        self.tree.move_primitive(aabb(&after.bounds()), id);
    }

    fn remove(&mut self, id: u32, _shape: P) {
        self.tree.remove_primitive(id);
    }
}
