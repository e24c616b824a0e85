//! A question spread over many frames, while much of what it asks about is on the move.
//!
//!     cargo run --example cursor

use std::collections::BTreeMap;

use quadrille::{Handle, Quadtree, Rect};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const SIDE: f32 = 1000.0;
const STATION: [f32; 2] = [400.0, 500.0];
const REACH: f32 = 300.0;
/// Nodes and buckets that a frame may visit.
const BUDGET: usize = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut dice = Pcg64::seed_from_u64(1);
    let mut anywhere = move || [(); 2].map(|()| dice.random_range(0.0..SIDE));
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE]))?;
    let (houses, cars) = (index.add_rect_layer()?, index.add_point_layer()?);
    for _ in 0..10_000 {
        let place = anywhere();
        index.insert(houses, Rect::new(place, place.map(|end| end + 2.0)), ())?;
        index.insert(cars, anywhere(), ())?;
    }
    let mut due: BTreeMap<Handle, u32> =
        index.within_distance(STATION, REACH).in_layers(houses).map(|house| (house.handle(), 0)).collect();

    // Borrows nothing: the index may change as it likes.
    let mut cursor = index.within_distance(STATION, REACH).pause().distinct();
    let mut cars_seen = BTreeMap::new();
    println!("{:>5} {:>8} {:>7} {:>5}", "frame", "visited", "houses", "cars");
    for frame in 0.. {
        let moved = index.update(cars, |_, _, place| place.min().map(|end| (end + 7.0) % SIDE))?;
        assert!(moved.refused.is_empty());
        match frame % 20 {
            5 => index.optimize(),
            15 => {
                index.insert_batch(houses, (0..500).map(|_| (Rect::from_point(anywhere()), ())))?; // these may come or not
            }
            _ => {}
        }

        let (mut new_houses, mut new_cars) = (0, 0);
        let run = cursor.run(&index, BUDGET, |object| {
            if let Some(times) = due.get_mut(&object.handle()) {
                *times += 1;
                new_houses += 1;
            } else if object.layer() == cars.id() {
                *cars_seen.entry(object.handle()).or_insert(0) += 1;
                new_cars += 1;
            }
        })?;
        if frame % 5 == 0 || run.done {
            println!("{frame:>5} {:>8} {new_houses:>7} {new_cars:>5}", run.visited);
        }
        if run.done {
            break;
        }
    }

    assert!(due.values().all(|&times| times == 1), "a house was missed, or came twice");
    assert!(cars_seen.values().all(|&times| times == 1), "a car came twice");
    println!("All {} houses that stood within {REACH} of the station came, each exactly once.", due.len());
    println!("So did {} of the cars that drove by, none of them twice.", cars_seen.len());

    // In another world the cursor's place means something else: an error says so, and no answer is wrong.
    let mut cursor = index.iter().pause();
    index.set_world(Rect::new([0.0, 0.0], [2.0 * SIDE, 2.0 * SIDE]))?;
    println!("After set_world: {}", cursor.step(&index).expect_err("the world is another"));
    Ok(())
}
