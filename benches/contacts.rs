//! Contacts that are told what moved, beside whole polls of the same contacts, in turn in each round. Prints medians and
//! their ratios:
//!
//!     cargo bench -p quadrille-benches --bench contacts
//!
//! Boxes move by up to four units on each axis; each touches one or two others. All results are compared.

mod workload;

use std::time::{Duration, Instant};

use quadrille::{Contacts, Handle, Quadtree, Rect};

use workload::{Dice, RECT_SIDE, SIDE};

const ROUNDS: usize = 31;

fn main() {
    println!("{:>10} {:>10} {:>10} {:>12} {:>12} {:>8}", "boxes", "moved", "pairs", "whole", "told", "ratio");
    for (boxes, shares) in [(100_000, &[1000, 100, 10, 2, 1][..]), (1_000_000, &[100_000, 1000, 100])] {
        let mut world = World::new(boxes);
        for &one_in in shares {
            world.measure(one_in);
        }
    }
}

struct World {
    index: Quadtree<()>,
    handles: Vec<Handle>,
    dice: Dice,
    whole: Contacts,
    told: Contacts,
}

impl World {
    /// As many boxes in a unit of area, whatever their number.
    fn new(boxes: usize) -> Self {
        let mut dice = Dice::new(5);
        let scale = (boxes as f32 / workload::OBJECTS as f32).sqrt();
        let mut index = Quadtree::new(Rect::new([0.0; 2], [SIDE * scale; 2])).expect("the world has an extent");
        let layer = index.add_rect_layer().expect("there is room for a layer");
        let shapes = (0..boxes).map(|_| {
            let min = [(); 2].map(|()| dice.between(0.0, SIDE * scale));
            let size = [(); 2].map(|()| dice.between(RECT_SIDE, 3.0 * RECT_SIDE));
            (Rect::new(min, [min[0] + size[0], min[1] + size[1]]), ())
        });
        let handles = index.insert_batch(layer, shapes.collect::<Vec<_>>()).expect("shapes are finite");
        let mut whole = Contacts::new();
        whole.poll(index.pairs()).expect("its index");
        let told = whole.clone();
        Self { index, handles, dice, whole, told }
    }

    /// Moves every so manieth box in each round, others in each, and polls in both ways.
    fn measure(&mut self, one_in: usize) {
        let mut times = [const { Vec::new() }; 2];
        for round in 0..ROUNDS {
            let moved: Vec<_> = self.handles.iter().copied().skip(round * 7 % one_in).step_by(one_in).collect();
            for &handle in &moved {
                let by = [(); 2].map(|()| self.dice.between(-4.0, 4.0));
                self.index.move_by(handle, by).expect("a finite place");
            }
            // Who comes second finds the memory of the index in the cache: they take turns.
            let mut results = [None, None];
            for way in [round % 2, 1 - round % 2] {
                let start = Instant::now();
                let changes = if way == 0 {
                    self.whole.poll(self.index.pairs())
                } else {
                    self.told.poll_moved(&moved, self.index.pairs_of(&moved))
                };
                let changes = changes.expect("its index");
                times[way].push(start.elapsed());
                results[way] = Some((changes.begun.to_vec(), changes.ended.to_vec()));
            }
            assert_eq!(results[0], results[1], "round {round}");
            assert_eq!(self.whole.pairs(), self.told.pairs(), "round {round}");
        }
        let [whole, told] = times.map(|mut times| {
            times.sort_unstable();
            times[ROUNDS / 2]
        });
        let (boxes, pairs) = (self.handles.len(), self.told.pairs().len());
        let ratio = told.as_secs_f64() / whole.as_secs_f64();
        println!(
            "{boxes:>10} {:>10} {pairs:>10} {:>12} {:>12} {ratio:>8.3}",
            boxes / one_in,
            shown(whole),
            shown(told)
        );
    }
}

fn shown(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6)
}
