//! Two indexes joined: which vehicles are in which zones, each index with a world and values of its own.
//!
//!     cargo run --example join

use quadrille::{Octree, Quadtree, Rect};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut zones: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    let (parks, schools) = (zones.add_rect_layer()?, zones.add_rect_layer()?);
    zones.insert(parks, Rect::new([10.0, 10.0], [60.0, 40.0]), "the park")?;
    zones.insert(schools, Rect::new([50.0, 30.0], [70.0, 50.0]), "the school")?;

    let mut fleet: Quadtree<u32> = Quadtree::new(Rect::new([-500.0, -500.0], [500.0, 500.0]))?;
    let (cars, trucks) = (fleet.add_point_layer()?, fleet.add_rect_layer()?);
    fleet.insert(cars, [20.0, 20.0], 1)?;
    fleet.insert(cars, [60.0, 40.0], 2)?; // the park's corner, and in the school's zone
    fleet.insert(trucks, Rect::new([0.0, 5.0], [12.0, 8.0]), 3)?; // 2 off the park
    for (zone, vehicle) in zones.join(&fleet) {
        println!("vehicle {} is in {}", vehicle.value(), zone.value());
        assert!(zone.shape().intersects(&vehicle.shape()));
    }
    assert_eq!(zones.join(&fleet).count(), 3);
    assert_eq!(zones.join(&fleet).between(schools, cars).count(), 1);
    assert_eq!(zones.join(&fleet).between(parks, trucks).within(2.0).count(), 1, "just 2 away");

    // The same at random, in space, against a look at all.
    let mut dice = Pcg64::seed_from_u64(9);
    let world = Rect::new([0.0; 3], [64.0; 3]);
    let (mut one, mut other) = (Octree::<()>::new(world)?, Octree::<()>::new(world)?);
    let (boxes, points) = (one.add_rect_layer()?, other.add_point_layer()?);
    for _ in 0..2000 {
        let corner = [(); 3].map(|()| f32::from(dice.random_range(0..64_u8)));
        one.insert(boxes, Rect::new(corner, corner.map(|at| at + 2.0)), ())?;
        other.insert(points, [(); 3].map(|()| f32::from(dice.random_range(0..64_u8))), ())?;
    }
    let looked: usize = one.iter().map(|a| other.iter().filter(|b| a.shape().intersects(&b.shape())).count()).sum();
    println!("2000 boxes and 2000 points: {} pairs", one.join(&other).count());
    assert_eq!(one.join(&other).count(), looked, "a look at all finds as many");
    Ok(())
}
