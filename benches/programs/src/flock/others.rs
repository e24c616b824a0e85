//! kiddo and rstar, built anew in each tick, and `flat_spatial`, told of each move.

use flat_spatial::Grid;
use flat_spatial::grid::GridHandle;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rstar::RTree;
use rstar::primitives::GeomWithData;
use slotmapd::Key;

use super::{Boids, Neighbours, SIGHT, Sum, offset};

pub(super) struct Kiddo(Vec<[f32; 2]>);

impl Kiddo {
    pub(super) fn new(boids: &Boids) -> Self {
        Self(Vec::with_capacity(boids.all.len()))
    }
}

impl Neighbours for Kiddo {
    fn look(&mut self, boids: &mut Boids) {
        self.0.clear();
        self.0.extend(boids.all.iter().map(|boid| boid.at));
        let tree: ImmutableKdTree<f32, 2> =
            ImmutableKdTree::new_from_slice(&self.0).expect("the tree takes the points");
        let all = &boids.all;
        boids.threads.each(&mut boids.sums, |number, sum| {
            *sum = Sum::default();
            let at = all[number].at;
            tree.query(&at).within::<SquaredEuclidean<f32>>(SIGHT * SIGHT).unsorted().visit(|found| {
                let seen = &all[found.item as usize];
                sum.add(offset(at, seen.at), seen.velocity);
            });
        });
    }
}

pub(super) struct Rstar;

impl Rstar {
    pub(super) fn new(_boids: &Boids) -> Self {
        Self
    }
}

impl Neighbours for Rstar {
    fn look(&mut self, boids: &mut Boids) {
        let objects = boids.all.iter().map(|boid| GeomWithData::new(boid.at, boid.velocity)).collect();
        let tree = RTree::bulk_load(objects);
        let all = &boids.all;
        boids.threads.each(&mut boids.sums, |number, sum| {
            *sum = Sum::default();
            let at = all[number].at;
            let seen = tree.locate_within_distance(at, SIGHT * SIGHT);
            seen.for_each(|seen| sum.add(offset(at, *seen.geom()), seen.data));
        });
    }
}

/// With about 16 objects a cell, as it advises.
pub(super) struct FlatSpatial {
    grid: Grid<(), [f32; 2]>,
    handles: Vec<GridHandle>,
}

impl FlatSpatial {
    pub(super) fn new(boids: &Boids) -> Self {
        let mut grid = Grid::new((boids.side * (16.0 / boids.all.len() as f32).sqrt()).round() as i32);
        let handles = boids.all.iter().map(|boid| grid.insert(boid.at, ())).collect();
        Self { grid, handles }
    }
}

impl Neighbours for FlatSpatial {
    fn look(&mut self, boids: &mut Boids) {
        let (all, grid) = (&boids.all, &self.grid);
        boids.threads.each(&mut boids.sums, |number, sum| {
            *sum = Sum::default();
            let at = all[number].at;
            grid.query_around(at, SIGHT).for_each(|(handle, place)| {
                // Slots of handles count from 1.
                let seen = (handle.data().as_ffi() as u32 - 1) as usize;
                sum.add(offset(at, place), all[seen].velocity);
            });
        });
    }

    fn follow(&mut self, boids: &Boids) {
        for (&handle, boid) in self.handles.iter().zip(&boids.all) {
            self.grid.set_position(handle, boid.at);
        }
        self.grid.maintain();
    }
}
