//! quadrille: a layer of walls, one of movers. Movers are stopped by casts, or by the walls near them, which are asked for all movers at
//! once.

use quadrille::{Around, Handle, Layer, Object, Quadtree, Ray, Rect, Rects};
use rayon::iter::ParallelIterator;

use super::{Arena, Mover, WALL, along, stop_at};
use crate::measure::Threads;
use crate::places::on_lattice;

/// A mover may go by 1 on each axis.
const REACH: f32 = 1.5;

pub(super) struct Layers<const CASTS: bool> {
    /// Values are numbers.
    tree: Quadtree<u32>,
    walls: Layer<Rects>,
    movers: Layer<Rects>,
    handles: Vec<Handle>,
}

impl<const CASTS: bool> Arena for Layers<CASTS> {
    fn new(walls: &[Rect], movers: &[Mover], side: f32) -> Self {
        let mut tree = Quadtree::new(Rect::new([0.0; 2], [side; 2])).expect("a world");
        let [layer, of_movers] = [(); 2].map(|()| tree.add_rect_layer().expect("a layer"));
        tree.insert_batch(layer, walls.iter().copied().zip(WALL..)).expect("all are finite");
        let handles =
            tree.insert_batch(of_movers, movers.iter().map(|mover| mover.body).zip(0..)).expect("all are finite");
        Self { tree, walls: layer, movers: of_movers, handles }
    }

    fn follow(&mut self, movers: &[Mover], _threads: Threads) {
        let moved = self.tree.move_batch(self.handles.iter().copied().zip(movers.iter().map(|mover| mover.body)));
        assert!(moved.refused.is_empty());
    }

    fn free(&self, body: &Rect, axis: usize, motion: f32) -> f32 {
        // On the lattice nothing is rounded but `t`, so no skin is needed.
        let mut cast = self.tree.cast(*body, along(axis, motion)).in_layers(self.walls).blocking(0.0);
        cast.next().map_or(motion, |hit| on_lattice(motion * hit.t))
    }

    fn slide(&self, movers: &mut [Mover], threads: Threads) {
        if CASTS {
            return threads.each(movers, |_, mover| {
                (0..2).for_each(|axis| mover.slide(axis, self.free(&mover.body, axis, mover.velocity[axis])));
            });
        }
        let near = self.tree.neighbors().between(self.movers, self.walls).within(REACH);
        let slide = |mover: &mut Mover, walls: Around<'_, '_, u32>| {
            for axis in 0..2 {
                let mut free = mover.velocity[axis];
                walls.clone().for_each(|wall| stop_at(&wall.shape, &mover.body, axis, &mut free));
                mover.slide(axis, free);
            }
        };
        match threads {
            Threads::One => near.for_each(|mover, walls| slide(&mut movers[*mover.value as usize], walls)),
            Threads::All => {
                let slid = |mover: Object<&u32>, walls: Around<'_, '_, u32>| {
                    let number = *mover.value as usize;
                    let mut mover = movers[number];
                    slide(&mut mover, walls);
                    (number, mover)
                };
                let slid = near.par_map(slid).collect_vec_list();
                slid.into_iter().flatten().for_each(|(number, mover)| movers[number] = mover);
            }
        }
    }

    fn first(&self, shooter: u32, from: [f32; 2], way: [f32; 2]) -> Option<f32> {
        let ray = Ray::segment(from, [from[0] + way[0], from[1] + way[1]]);
        self.tree.raycast(ray).excluding(self.handles[shooter as usize]).next().map(|hit| hit.t)
    }

    fn each_in(&self, view: &Rect, mut seen: impl FnMut(u32)) {
        self.tree.intersecting(*view).for_each(|object| seen(*object.value()));
    }
}
