//! kiddo and rstar, built anew in each tick, and `flat_spatial`, told of each move.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

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

/// Two trees of the same points, joined: kiddo joins no tree with itself. Its visitor may write to what is shared only, here with one
/// thread as fast as to anything.
pub(super) struct KiddoJoin {
    points: Vec<[f32; 2]>,
    /// For each boid the bits of its sum.
    sums: Vec<[AtomicU32; 5]>,
}

impl KiddoJoin {
    pub(super) fn new(boids: &Boids) -> Self {
        let sums = boids.all.iter().map(|_| [(); 5].map(|()| AtomicU32::new(0))).collect();
        Self { points: Vec::with_capacity(boids.all.len()), sums }
    }
}

impl Neighbours for KiddoJoin {
    fn look(&mut self, boids: &mut Boids) {
        let (Self { points, sums }, all) = (self, &boids.all);
        points.clear();
        points.extend(all.iter().map(|boid| boid.at));
        let [tree, other]: [ImmutableKdTree<f32, 2>; 2] =
            [(); 2].map(|()| ImmutableKdTree::new_from_slice(points).expect("the tree takes the points"));
        sums.iter_mut().flatten().for_each(|part| *part.get_mut() = 0);
        let pairs = tree.query_tree(&other).within::<SquaredEuclidean<f32>>(SIGHT * SIGHT).without_distances();
        pairs.for_each(|pair| {
            let [one, seen] = [pair.left_item, pair.right_item].map(|number| number as usize);
            let ([x, y], [along, up]) = (offset(all[one].at, all[seen].at), all[seen].velocity);
            for (sum, part) in sums[one].iter().zip([1.0, x, y, along, up]) {
                sum.store((f32::from_bits(sum.load(Relaxed)) + part).to_bits(), Relaxed);
            }
        });
        for (sum, parts) in boids.sums.iter_mut().zip(sums) {
            let [count, x, y, along, up] = parts.each_mut().map(|part| f32::from_bits(*part.get_mut()));
            *sum = Sum { count, offset: [x, y], heading: [along, up] };
        }
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
