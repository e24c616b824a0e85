//! quadrille: the neighbours of all, as its guide has it, the pairs, or a query for each boid.

use quadrille::{Handle, Layer, Object, Points, Quadtree, Rect};
use rayon::prelude::*;

use super::{Boid, Boids, Neighbours, SIGHT, Sum, offset};
use crate::measure::{Outcome, Threads};

/// The index; values are numbers of boids.
struct Index {
    tree: Quadtree<u32>,
    handles: Vec<Handle>,
}

impl Index {
    fn new(boids: &Boids) -> Self {
        let mut tree = Quadtree::new(Rect::new([0.0; 2], [boids.side; 2])).expect("a world");
        let layer = tree.add_point_layer().expect("a layer");
        let handles = tree.insert_batch(layer, boids.all.iter().map(|boid| boid.at).zip(0..)).expect("all are finite");
        Self { tree, handles }
    }

    fn follow(&mut self, boids: &Boids) {
        let moved = self.tree.move_batch(self.handles.iter().copied().zip(boids.all.iter().map(|boid| boid.at)));
        assert!(moved.refused.is_empty());
    }
}

pub(super) struct Pairs(Index);

impl Pairs {
    pub(super) fn new(boids: &Boids) -> Self {
        Self(Index::new(boids))
    }
}

impl Neighbours for Pairs {
    fn look(&mut self, boids: &mut Boids) {
        let (all, sums) = (&boids.all, &mut boids.sums);
        for (sum, boid) in sums.iter_mut().zip(all) {
            *sum = Sum { count: 1.0, offset: [0.0; 2], heading: boid.velocity };
        }
        let mut meet = |a: u32, b: u32| {
            let (a, b) = (a as usize, b as usize);
            let offset = offset(all[a].at, all[b].at);
            sums[a].add(offset, all[b].velocity);
            sums[b].add(offset.map(|part| -part), all[a].velocity);
        };
        let pairs = self.0.tree.pairs().within(SIGHT);
        match boids.threads {
            Threads::One => pairs.for_each(|(a, b)| meet(*a.value(), *b.value())),
            Threads::All => {
                let pairs: Vec<(u32, u32)> = pairs.into_par_iter().map(|(a, b)| (*a.value(), *b.value())).collect();
                pairs.into_iter().for_each(|(a, b)| meet(a, b));
            }
        }
    }

    fn follow(&mut self, boids: &Boids) {
        self.0.follow(boids);
    }
}

pub(super) struct Each(Index);

impl Each {
    pub(super) fn new(boids: &Boids) -> Self {
        Self(Index::new(boids))
    }
}

impl Neighbours for Each {
    fn look(&mut self, boids: &mut Boids) {
        let (all, tree) = (&boids.all, &self.0.tree);
        boids.threads.each(&mut boids.sums, |number, sum| {
            *sum = Sum::default();
            let at = all[number].at;
            tree.within_distance(at, SIGHT).for_each(|seen| {
                let seen = &all[*seen.value() as usize];
                sum.add(offset(at, seen.at), seen.velocity);
            });
        });
    }

    fn follow(&mut self, boids: &Boids) {
        self.0.follow(boids);
    }
}

/// Boids that follow one another in the list are near each other. Each of eight looks through the boids of one window around them.
pub(super) struct Eight(Index);

const GROUP: usize = 8;

impl Eight {
    pub(super) fn new(boids: &Boids) -> Self {
        Self(Index::new(boids))
    }
}

impl Neighbours for Eight {
    fn look(&mut self, boids: &mut Boids) {
        let (all, tree) = (&boids.all, &self.0.tree);
        let mut groups: Vec<(&[Boid], &mut [Sum])> = all.chunks(GROUP).zip(boids.sums.chunks_mut(GROUP)).collect();
        boids.threads.each(&mut groups, |_, (group, sums)| {
            let around = group
                .iter()
                .map(|boid| Rect::from_point(boid.at))
                .reduce(|a, b| a.union(&b))
                .expect("no group is empty");
            let mut near = Vec::with_capacity(128);
            tree.intersecting(around.expanded(SIGHT)).for_each(|seen| near.push(all[*seen.value() as usize]));
            for (boid, sum) in group.iter().zip(sums.iter_mut()) {
                *sum = Sum::default();
                near.iter().for_each(|seen| sum.add_times(boid.at, seen));
            }
        });
    }

    fn follow(&mut self, boids: &Boids) {
        self.0.follow(boids);
    }
}

/// The index holds the boids: their velocities are its values.
pub(super) struct Around {
    flock: Quadtree<[f32; 2]>,
    layer: Layer<Points>,
    handles: Vec<Handle>,
    /// By slot.
    next: Vec<Boid>,
    sums: Vec<Sum>,
}

impl Around {
    pub(super) fn new(boids: &Boids) -> Self {
        let mut flock = Quadtree::new(Rect::new([0.0; 2], [boids.side; 2])).expect("a world");
        let layer = flock.add_point_layer().expect("a layer");
        let placed = boids.all.iter().map(|boid| (boid.at, boid.velocity));
        let handles = flock.insert_batch(layer, placed).expect("all are finite");
        let boid = Boid { at: [0.0; 2], velocity: [0.0; 2] };
        let slots = handles.len() + 1;
        Self { flock, layer, handles, next: vec![boid; slots], sums: vec![Sum::default(); slots] }
    }
}

impl Neighbours for Around {
    fn look(&mut self, boids: &mut Boids) {
        let (side, next, sums) = (boids.side, &mut self.next, &mut self.sums);
        let neighbors = self.flock.neighbors().in_layers(self.layer).within(SIGHT);
        let look = |boid: Object<&[f32; 2]>, others: quadrille::Around<'_, '_, [f32; 2]>| {
            let mut me = Boid { at: boid.shape.min(), velocity: *boid.value };
            let mut sum = Sum { count: 1.0, offset: [0.0; 2], heading: me.velocity };
            others.for_each(|other| sum.add(offset(me.at, other.shape.min()), *other.value));
            me.fly(&sum, side);
            (boid.handle.slot(), me, sum)
        };
        let mut put = |(slot, boid, sum)| (next[slot], sums[slot]) = (boid, sum);
        match boids.threads {
            Threads::One => neighbors.for_each(|boid, others| put(look(boid, others))),
            Threads::All => neighbors.par_map(look).collect_vec_list().into_iter().flatten().for_each(put),
        }
    }

    fn tick(&mut self, boids: &mut Boids) {
        self.look(boids);
        let (flock, next) = (&mut self.flock, &self.next);
        let moved = match boids.threads {
            Threads::One => flock.update(self.layer, |boid, mut velocity, _| {
                *velocity = next[boid.slot()].velocity;
                next[boid.slot()].at
            }),
            Threads::All => {
                flock.values_mut().zip(&next[1..]).for_each(|(velocity, next)| *velocity = next.velocity);
                flock.par_update(self.layer, |boid, _, _| next[boid.slot()].at)
            }
        };
        assert!(moved.expect("the layer is there").refused.is_empty());
    }

    fn outcome(&self, _: &Boids) -> Outcome {
        Boids::outcome(self.handles.iter().map(|&handle| {
            let boid = self.flock.object(handle).expect("all live");
            (Boid { at: boid.shape().min(), velocity: *boid.value() }, self.sums[handle.slot()])
        }))
    }
}
