//! Neighbours of particles within a distance, compared with a look at all of them.

use quadrille::{Quadtree, Rect};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?;
    let (particles, walls) = (index.add_point_layer()?, index.add_rect_layer()?);
    let mut dice = Pcg64::seed_from_u64(7);
    let mut places: Vec<[f32; 2]> = (0..20_000).map(|_| [(); 2].map(|()| dice.random_range(0.0..1000.0))).collect();
    index.sort_by_place(&mut places, |&place| place);
    let handles = index.insert_batch(particles, places.iter().map(|&place| (place, "particle")))?;
    index.insert(walls, Rect::new([505.0, 490.0], [520.0, 510.0]), "wall")?;

    // Of mixed kinds: the distance to a wall is that to its nearest point.
    let center = [500.0, 500.0];
    let reached = index.within_distance(center, 5.0);
    println!("Within 5 of {center:?}, touching included:");
    for object in reached.clone() {
        println!("  a {} at {:?}", object.value(), object.shape().min());
    }
    assert!(reached.in_layers(walls).exists(), "the wall is just 5 away");

    // Neighbours of each particle, itself left out.
    let neighbours: usize = handles
        .iter()
        .zip(&places)
        .map(|(&handle, &place)| index.within_distance(place, 10.0).in_layers(particles).excluding(handle).count())
        .sum();
    let squared = |a: [f32; 2], b: [f32; 2]| {
        let [x, y] = [0, 1].map(|axis| f64::from(a[axis]) - f64::from(b[axis]));
        x * x + y * y
    };
    let pairs_by_looking =
        |place: &[f32; 2]| places.iter().filter(|other| squared(*place, **other) <= 100.0).count() - 1;
    println!("{} particles have {neighbours} neighbours within 10", places.len());
    // A hundredth of them, looked up one by one.
    for (handle, place) in handles.iter().zip(&places).step_by(100) {
        let found = index.within_distance(*place, 10.0).in_layers(particles).excluding(*handle).count();
        assert_eq!(found, pairs_by_looking(place));
    }
    println!("A look at all of them, for every hundredth, finds the same");

    assert_eq!(index.within_distance(center, -1.0).count(), 0, "no distance is negative");
    assert_eq!(index.within_distance(center, f32::NAN).count(), 0);
    assert_eq!(index.within_distance(center, f32::INFINITY).count(), index.len());
    Ok(())
}
