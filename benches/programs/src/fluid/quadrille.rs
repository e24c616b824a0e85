//! quadrille: the neighbours of all, as its guide has it, or a query for each particle.

use quadrille::{Handle, Layer, Object, Octree, Points, Rect};
use rayon::prelude::*;

use super::{Densities, Fluid, Particle, REACH, SQUARE, poly6, square};
use crate::measure::{Outcome, Threads};

/// The values are the numbers of particles.
pub(super) struct Each {
    tree: Octree<u32>,
    handles: Vec<Handle>,
}

impl Each {
    pub(super) fn new(fluid: &Fluid) -> Self {
        let mut tree = Octree::new(Rect::new([0.0; 3], [fluid.side; 3])).expect("a world");
        let layer = tree.add_point_layer().expect("a layer");
        let placed = fluid.all.iter().map(|particle| particle.at).zip(0..);
        let handles = tree.insert_batch(layer, placed).expect("all are finite");
        Self { tree, handles }
    }
}

impl Densities for Each {
    fn sum(&mut self, fluid: &mut Fluid) {
        let (tree, all) = (&self.tree, &fluid.all);
        fluid.threads.each(&mut fluid.densities, |number, sum| {
            let (at, mut total) = (all[number].at, 0.0);
            tree.within_distance(at, REACH).for_each(|near| total += poly6(square(at, near.shape().min())));
            *sum = total;
        });
    }

    fn follow(&mut self, fluid: &Fluid) {
        let to = fluid.all.iter().map(|particle| particle.at);
        assert!(self.tree.move_batch(self.handles.iter().copied().zip(to)).refused.is_empty());
    }
}

/// The index holds the particles: their velocities are its values.
pub(super) struct Around {
    tree: Octree<[f32; 3]>,
    layer: Layer<Points>,
    handles: Vec<Handle>,
    /// By slot.
    next: Vec<(Particle, f32)>,
}

impl Around {
    pub(super) fn new(fluid: &Fluid) -> Self {
        let mut tree = Octree::new(Rect::new([0.0; 3], [fluid.side; 3])).expect("a world");
        let layer = tree.add_point_layer().expect("a layer");
        let placed = fluid.all.iter().map(|particle| (particle.at, particle.velocity));
        let handles = tree.insert_batch(layer, placed).expect("all are finite");
        let particle = Particle { at: [0.0; 3], velocity: [0.0; 3] };
        Self { tree, layer, next: vec![(particle, 0.0); handles.len() + 1], handles }
    }
}

impl Densities for Around {
    fn sum(&mut self, fluid: &mut Fluid) {
        let (side, rest, next) = (fluid.side, fluid.rest, &mut self.next);
        let neighbors = self.tree.neighbors().in_layers(self.layer).within(REACH);
        let sum = |me: Object<&[f32; 3], f32, 3>, others: quadrille::Around<'_, '_, [f32; 3], f32, 3>| {
            let mut particle = Particle { at: me.shape.min(), velocity: *me.value };
            let part = |sum, other: Object<&[f32; 3], f32, 3>| sum + poly6(square(particle.at, other.shape.min()));
            let density = others.fold(SQUARE.powi(3), part);
            particle.flow(density, side, rest);
            (me.handle.slot(), (particle, density))
        };
        let mut put = |(slot, particle)| next[slot] = particle;
        match fluid.threads {
            Threads::One => neighbors.for_each(|me, others| put(sum(me, others))),
            Threads::All => neighbors.par_map(sum).collect_vec_list().into_iter().flatten().for_each(put),
        }
    }

    fn tick(&mut self, fluid: &mut Fluid) {
        self.sum(fluid);
        let (tree, next) = (&mut self.tree, &self.next);
        let moved = match fluid.threads {
            Threads::One => tree.update(self.layer, |particle, mut velocity, _| {
                let (next, _) = next[particle.slot()];
                *velocity = next.velocity;
                next.at
            }),
            Threads::All => {
                tree.values_mut().zip(&next[1..]).for_each(|(velocity, (next, _))| *velocity = next.velocity);
                tree.par_update(self.layer, |particle, _, _| next[particle.slot()].0.at)
            }
        };
        assert!(moved.expect("the layer is there").refused.is_empty());
    }

    fn outcome(&self, _: &Fluid) -> Outcome {
        Fluid::outcome(self.handles.iter().map(|&handle| {
            let particle = self.tree.object(handle).expect("all live");
            let (next, density) = self.next[handle.slot()];
            (Particle { at: particle.shape().min(), ..next }, density)
        }))
    }
}
