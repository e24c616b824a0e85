//! quadrille: a layer of walls, one of movers. Movers are stopped by casts, as in the guide, or by the walls that the box around their way
//! meets.

use quadrille::{Handle, Layer, Quadtree, Ray, Rect, Rects};

use super::{Arena, Mover, WALL, along, stop_at, swept};
use crate::measure::Threads;

pub(super) struct Layers<const CASTS: bool> {
    /// Values are numbers.
    tree: Quadtree<u32>,
    walls: Layer<Rects>,
    handles: Vec<Handle>,
}

impl<const CASTS: bool> Arena for Layers<CASTS> {
    fn new(walls: &[Rect], movers: &[Mover], side: f32) -> Self {
        let mut tree = Quadtree::new(Rect::new([0.0; 2], [side; 2])).expect("a world");
        let [layer, of_movers] = [(); 2].map(|()| tree.add_rect_layer().expect("a layer"));
        tree.insert_batch(layer, walls.iter().copied().zip(WALL..)).expect("all are finite");
        let handles = tree.insert_batch(of_movers, movers.iter().map(|mover| mover.body).zip(0..)).expect("all are finite");
        Self { tree, walls: layer, handles }
    }

    fn follow(&mut self, movers: &[Mover], _threads: Threads) {
        let moved = self.tree.move_batch(self.handles.iter().copied().zip(movers.iter().map(|mover| mover.body)));
        assert!(moved.refused.is_empty());
    }

    fn free(&self, body: &Rect, axis: usize, motion: f32) -> f32 {
        if CASTS {
            // On the lattice nothing is rounded, so no skin is needed.
            let mut cast = self.tree.cast(*body, along(axis, motion)).in_layers(self.walls).blocking(0.0);
            return cast.next().map_or(1.0, |hit| hit.t);
        }
        let mut free = motion;
        let near = self.tree.intersecting(swept(body, axis, motion)).in_layers(self.walls);
        near.for_each(|wall| stop_at(&wall.shape(), body, axis, &mut free));
        if free == motion { 1.0 } else { free / motion }
    }

    fn first(&self, shooter: u32, from: [f32; 2], way: [f32; 2]) -> Option<f32> {
        let ray = Ray::segment(from, [from[0] + way[0], from[1] + way[1]]);
        self.tree.raycast(ray).excluding(self.handles[shooter as usize]).next().map(|hit| hit.t)
    }

    fn each_in(&self, view: &Rect, mut seen: impl FnMut(u32)) {
        self.tree.intersecting(*view).for_each(|object| seen(*object.value()));
    }
}
