//! parry: a `Bvh` of walls, which is built once, and one of movers, kept up as in the broad phase.

use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry2d::query::Ray;
use quadrille::Rect;

use super::{Arena, Mover, WALL, stop_at, swept};
use crate::measure::Threads;

fn aabb(rect: &Rect) -> Aabb {
    Aabb::new(Vector::from_array(rect.min()), Vector::from_array(rect.max()))
}

fn tree(boxes: impl Iterator<Item = Rect>) -> Bvh {
    Bvh::from_iter(BvhBuildStrategy::default(), boxes.map(|rect| aabb(&rect)).enumerate())
}

pub(super) struct Trees {
    walls: Bvh,
    boxes: Vec<Rect>,
    movers: Bvh,
    workspace: BvhWorkspace,
}

impl Arena for Trees {
    fn new(walls: &[Rect], movers: &[Mover], _side: f32) -> Self {
        let (boxes, movers) = (walls.to_vec(), tree(movers.iter().map(|mover| mover.body)));
        Self { walls: tree(walls.iter().copied()), boxes, movers, workspace: BvhWorkspace::default() }
    }

    fn follow(&mut self, movers: &[Mover], threads: Threads) {
        let moves = (0..).zip(movers).map(|(number, mover)| (aabb(&mover.body), number, 0.0));
        match threads {
            Threads::One => {
                for (aabb, number, margin) in moves {
                    self.movers.insert_or_update_partially(aabb, number, margin);
                }
                self.movers.optimize_incremental(&mut self.workspace);
                self.movers.refit(&mut self.workspace);
            }
            Threads::All => {
                let moves: Vec<_> = moves.collect();
                self.movers.insert_or_update_batch_partially_parallel(&moves, &mut Vec::new());
                self.movers.optimize_incremental(&mut self.workspace);
                self.movers.refit_parallel(&mut self.workspace);
            }
        }
    }

    fn free(&self, body: &Rect, axis: usize, motion: f32) -> f32 {
        let mut free = motion;
        for wall in self.walls.intersect_aabb(&aabb(&swept(body, axis, motion))) {
            stop_at(&self.boxes[wall as usize], body, axis, &mut free);
        }
        free
    }

    fn first(&self, shooter: u32, from: [f32; 2], way: [f32; 2]) -> Option<f32> {
        let ray = Ray::new(Vector::from_array(from), Vector::from_array(way));
        let leaf = |tree: &Bvh, number: u32, farthest: f32| {
            tree.leaf_node(number).expect("it is there").cast_ray(&ray, farthest)
        };
        let wall = self.walls.cast_ray(&ray, 1.0, |number, farthest| Some(leaf(&self.walls, number, farthest)));
        let farthest = wall.map_or(1.0, |(_, t)| t);
        let other = |number, farthest| (number != shooter).then(|| leaf(&self.movers, number, farthest));
        let mover = self.movers.cast_ray(&ray, farthest, other);
        mover.or(wall).map(|(_, t)| t)
    }

    fn each_in(&self, view: &Rect, mut seen: impl FnMut(u32)) {
        let view = aabb(view);
        self.walls.intersect_aabb(&view).for_each(|wall| seen(WALL + wall));
        self.movers.intersect_aabb(&view).for_each(seen);
    }
}
