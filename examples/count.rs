//! Counting without looking: the time depends on the objects at the edge of a region, not on those inside.

use std::time::{Duration, Instant};

use quadrille::{Ball, Quadtree, Rect};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const OBJECTS: u32 = 1_000_000;
const SIDE: f32 = 16_384.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE]))?;
    let units = index.add_point_layer()?;
    let mut dice = Pcg64::seed_from_u64(1);
    let mut places: Vec<[f32; 2]> = (0..OBJECTS).map(|_| [(); 2].map(|()| dice.random_range(0.0..SIDE))).collect();
    index.sort_by_place(&mut places, |&place| place);
    let handles = index.insert_batch(units, places.into_iter().map(|place| (place, ())))?;

    println!("{:>16} {:>10} {:>14} {:>14}", "of a million", "objects", "counted in", "visited in");
    for part in [0.001_f32, 0.1, 0.5, 0.9, 1.0] {
        let side = SIDE * part.sqrt();
        let window = Rect::from_center_half([SIDE / 2.0; 2], [side / 2.0; 2]);
        report(&format!("a {part} in a box"), &index.intersecting(window));
    }
    report("in a ball", &index.intersecting(Ball::new([SIDE / 2.0; 2], SIDE / 2.0)));
    report("in all", &index.iter());

    // A query that has begun counts what is left of it; what is left out does not count, wherever it is.
    let mut query = index.iter().excluding(handles[0]);
    query.by_ref().take(1000).for_each(drop);
    println!("After a thousand, one left out, {} are left", query.clone().count());
    assert_eq!(query.count(), OBJECTS as usize - 1001);
    Ok(())
}

/// Counts in both ways, which must agree.
fn report<'a>(what: &str, query: &(impl Iterator<Item = quadrille::ObjectRef<'a, ()>> + Clone)) {
    let (counted, by_counters) = timed(|| query.clone().count());
    let (visited, one_by_one) = timed(|| query.clone().fold(0, |count, _| count + 1));
    assert_eq!(counted, visited);
    println!("{what:>16} {counted:>10} {by_counters:>14.1?} {one_by_one:>14.1?}");
}

/// The best of five times.
fn timed(mut count: impl FnMut() -> usize) -> (usize, Duration) {
    let mut best = (0, Duration::MAX);
    for _ in 0..5 {
        let start = Instant::now();
        let counted = count();
        best = (counted, best.1.min(start.elapsed()));
    }
    best
}
