//! How many workers a question meets.

use quadrille::{Quadtree, Rect};
use quadrille_timely::Partition;

use crate::moving::{SIDE, anywhere, mix};

/// Questions of each sort.
const COUNT: u64 = 2000;
/// The side of a window.
const WINDOW: f32 = 10.0;
/// How many nearest ones are asked for.
const NEAREST: usize = 8;

pub(crate) struct Questions {
    index: Quadtree<()>,
    /// Where objects are, and anywhere.
    places: [Vec<[f32; 2]>; 2],
}

/// Questions for the nearest that the owner of the place cannot answer alone.
#[derive(Default)]
pub(crate) struct SecondRounds {
    /// Their share of all.
    pub(crate) share: f64,
    /// How many others each of them asks.
    pub(crate) asked: f64,
}

impl Questions {
    pub(crate) fn new(objects: &[[f32; 2]]) -> Self {
        let mut index = Quadtree::new(Rect::new([0.0; 2], [SIDE; 2])).expect("a finite world");
        let layer = index.add_point_layer().expect("the first layer");
        index.insert_batch(layer, objects.iter().map(|at| (*at, ()))).expect("finite points");
        let bits = |salt: u64| (0..COUNT).map(move |number| mix(salt << 32 | number));
        let there = bits(1).map(|bits| objects[bits as usize % objects.len()]).collect();
        Self { index, places: [there, bits(2).map(anywhere).collect()] }
    }

    /// How many workers a window around an object asks.
    pub(crate) fn workers_of_windows(&self, partition: &Partition<f32, 2>) -> f64 {
        let windows = self.places[0].iter().map(|at| {
            let low = at.map(|c| c - WINDOW / 2.0);
            meeting(partition, &Rect::new(low, low.map(|c| c + WINDOW)))
        });
        windows.sum::<usize>() as f64 / COUNT as f64
    }

    /// Of questions at objects, and of questions anywhere.
    pub(crate) fn second_rounds(&self, partition: &Partition<f32, 2>) -> [SecondRounds; 2] {
        [0, 1].map(|places| {
            let others: Vec<usize> = self.places[places].iter().map(|at| self.asked_then(partition, *at)).collect();
            let second = others.iter().filter(|others| **others > 0).count();
            let asked = others.iter().sum::<usize>() as f64 / second.max(1) as f64;
            SecondRounds { share: second as f64 / COUNT as f64, asked }
        })
    }

    /// How many others are asked: those with a part of the ball in which the owner has found as many as are wanted.
    fn asked_then(&self, partition: &Partition<f32, 2>, at: [f32; 2]) -> usize {
        let owner = partition.owner(at);
        let mut own = self.index.nearest(at).filter(|near| partition.owner(near.object.shape().min()) == owner);
        let radius = own.nth(NEAREST - 1).map_or(f32::INFINITY, |last| last.distance());
        let ball = Rect::new(at.map(|c| c - radius), at.map(|c| c + radius));
        meeting(partition, &ball) - 1
    }
}

/// How many workers own a part of a box.
fn meeting(partition: &Partition<f32, 2>, shape: &Rect<f32, 2>) -> usize {
    let mut workers = Vec::new();
    partition.meeting(shape, &mut workers);
    workers.len()
}
