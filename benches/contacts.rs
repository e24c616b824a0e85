//! Contacts that are told what moved, beside whole polls of the same contacts, in turn in each round. Prints medians of
//! processor time, and their ratios:
//!
//!     cargo bench -p quadrille-benches --bench contacts
//!
//! Boxes move by up to four units on each axis; each touches one other. Then a tenth as many points move among polygons
//! that stand, in an index of their own. All results are compared.

#![expect(clippy::cast_precision_loss, reason = "numbers of objects and seconds are small")]

mod workload;

use quadrille::{ContactChanges, Contacts, Handle, ObjectRef, Polygon, Quadtree, Rect};
use rustix::time::{ClockId, clock_gettime};

use workload::{Dice, RECT_SIDE, SIDE};

const ROUNDS: usize = 31;

fn main() {
    println!("{:>10} {:>10} {:>10} {:>12} {:>12} {:>8}", "objects", "moved", "pairs", "whole", "told", "ratio");
    for (count, shares) in [(100_000, &[1000, 100, 10, 2, 1][..]), (1_000_000, &[100_000, 1000, 100])] {
        let mut boxes = Boxes::new(count);
        for &one_in in shares {
            boxes.measure(one_in);
        }
    }
    println!("points among a million polygons:");
    for one_in in [10_000, 100, 1] {
        among_fences(1_000_000, one_in);
    }
}

/// As many objects in a unit of area, whatever their number.
fn world(objects: usize) -> Rect {
    Rect::new([0.0; 2], [SIDE * (objects as f32 / workload::OBJECTS as f32).sqrt(); 2])
}

struct Boxes {
    index: Quadtree<()>,
    handles: Vec<Handle>,
    dice: Dice,
    polled: Polled,
}

impl Boxes {
    fn new(count: usize) -> Self {
        let (mut dice, world) = (Dice::new(5), world(count));
        let mut index = Quadtree::new(world).expect("the world has an extent");
        let layer = index.add_rect_layer().expect("there is room for a layer");
        let shapes = (0..count).map(|_| {
            let min = [(); 2].map(|()| dice.between(0.0, world.max()[0]));
            let size = [(); 2].map(|()| dice.between(RECT_SIDE, 3.0 * RECT_SIDE));
            (Rect::new(min, [min[0] + size[0], min[1] + size[1]]), ())
        });
        let handles = index.insert_batch(layer, shapes.collect::<Vec<_>>()).expect("shapes are finite");
        let mut polled = Polled::default();
        polled.first(|contacts| contacts.poll(index.pairs()).expect("its index"));
        Self { index, handles, dice, polled }
    }

    /// Moves every so manieth box in each round, others in each, and polls in both ways.
    fn measure(&mut self, one_in: usize) {
        for round in 0..ROUNDS {
            let moved = some(&self.handles, round * 7, one_in);
            for &handle in &moved {
                let by = [(); 2].map(|()| self.dice.between(-4.0, 4.0));
                self.index.move_by(handle, by).expect("a finite place");
            }
            let index = &self.index;
            self.polled.round(
                round,
                |contacts| contacts.poll(index.pairs()).expect("its index"),
                |contacts| contacts.poll_moved(&moved, index.pairs_of(&moved)).expect("its index"),
            );
        }
        self.polled.print(self.handles.len(), self.handles.len() / one_in);
    }
}

/// So many polygons that stand, and a tenth as many points, of which some move in each round.
fn among_fences(fences: usize, one_in: usize) {
    let (mut dice, world) = (Dice::new(6), world(fences));
    let mut standing: Quadtree<Polygon> = Quadtree::new(world).expect("the world has an extent");
    let zones = standing.add_rect_layer().expect("there is room for a layer");
    let shapes = (0..fences).map(|number| {
        let [x, y] = [(); 2].map(|()| dice.between(0.0, world.max()[0]));
        let (corners, radius) = (5 + number as u16 % 5, dice.between(15.0, 40.0));
        let polygon = Polygon::new((0..corners).map(|corner| {
            let (sin, cos) = (f32::from(corner) / f32::from(corners) * core::f32::consts::TAU).sin_cos();
            let radius = radius * dice.between(0.6, 1.0);
            [x + radius * cos, y + radius * sin]
        }));
        (polygon.bounds(), polygon)
    });
    standing.insert_batch(zones, shapes.collect::<Vec<_>>()).expect("shapes are finite");
    let mut moving: Quadtree<()> = Quadtree::new(world).expect("the world has an extent");
    let units = moving.add_point_layer().expect("there is room for a layer");
    let starts = (0..fences / 10).map(|_| ([(); 2].map(|()| dice.between(0.0, world.max()[0])), ()));
    let all = moving.insert_batch(units, starts.collect::<Vec<_>>()).expect("places are finite");
    let is_inside =
        |(unit, fence): &(ObjectRef<'_, ()>, ObjectRef<'_, Polygon>)| fence.value().intersects(&unit.shape());
    let mut polled = Polled::default();
    polled.first(|contacts| contacts.poll(moving.join(&standing).filter(is_inside)).expect("its indexes"));
    for round in 0..ROUNDS {
        let moved = some(&all, round * 7, one_in);
        for &unit in &moved {
            moving.move_by(unit, [(); 2].map(|()| dice.between(-20.0, 20.0))).expect("a finite place");
        }
        polled.round(
            round,
            |contacts| contacts.poll(moving.join(&standing).filter(is_inside)).expect("its indexes"),
            |contacts| {
                let pairs = moving.join_of(&moved, &standing).filter(is_inside);
                contacts.poll_moved(&moved, pairs).expect("its indexes")
            },
        );
    }
    polled.print(all.len(), all.len() / one_in);
}

/// Every so manieth handle, others in each round.
fn some(handles: &[Handle], first: usize, one_in: usize) -> Vec<Handle> {
    handles.iter().copied().skip(first % one_in).step_by(one_in).collect()
}

/// The same contacts twice, polled in both ways, and the times of these.
#[derive(Default)]
struct Polled {
    whole: Contacts,
    told: Contacts,
    times: [Vec<f64>; 2],
}

impl Polled {
    fn first(&mut self, poll: impl Fn(&mut Contacts) -> ContactChanges<'_>) {
        poll(&mut self.whole);
        poll(&mut self.told);
    }

    /// Who comes second finds the memory of the index in the cache: they take turns.
    fn round(
        &mut self,
        round: usize,
        whole: impl Fn(&mut Contacts) -> ContactChanges<'_>,
        told: impl Fn(&mut Contacts) -> ContactChanges<'_>,
    ) {
        let mut changes = [None, None];
        for way in [round % 2, 1 - round % 2] {
            let start = seconds();
            let now = if way == 0 { whole(&mut self.whole) } else { told(&mut self.told) };
            self.times[way].push(seconds() - start);
            changes[way] = Some([now.begun.to_vec(), now.ended.to_vec()]);
        }
        assert_eq!(changes[0], changes[1], "round {round}");
        assert_eq!(self.whole.pairs().collect::<Vec<_>>(), self.told.pairs().collect::<Vec<_>>(), "round {round}");
    }

    fn print(&mut self, objects: usize, moved: usize) {
        let [whole, told] = [0, 1].map(|way| {
            let mut times = std::mem::take(&mut self.times[way]);
            times.sort_by(f64::total_cmp);
            times[times.len() / 2] * 1e6
        });
        let (pairs, ratio) = (self.told.len(), told / whole);
        println!("{objects:>10} {moved:>10} {pairs:>10} {whole:>9.1} µs {told:>9.1} µs {ratio:>8.3}");
    }
}

/// The processor time of this thread: what else runs on the machine counts little.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
