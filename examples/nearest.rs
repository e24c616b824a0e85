//! Who is near whom: the nearest units, within a distance, of some layers, without oneself.
//!
//!     cargo run --example nearest

use quadrille::{Quadtree, Rect, SearchBuffer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    let (units, walls) = (index.add_point_layer()?, index.add_rect_layer()?);
    for (name, place) in [("scout", [10.0, 10.0]), ("medic", [13.0, 14.0]), ("tank", [10.0, 90.0])] {
        index.insert(units, place, name)?;
    }
    index.insert(walls, Rect::new([12.0, 0.0], [14.0, 12.0]), "wall")?;

    println!("From [10, 12], nearest first (distances of closest points):");
    for near in index.nearest([10.0, 12.0]) {
        println!("  {:5} {:5.2} away", near.object.value(), near.distance_squared.sqrt());
    }

    // Filters hold before `take`: the nearest of the units, not those units among the nearest.
    let unit = index.nearest([12.0, 11.0]).in_layers(units).next().expect("there are units");
    println!("The unit nearest to [12, 11] is the {}.", unit.object.value());
    println!(
        "Within 5 of the scout: {} (the medic is just so far)",
        index.nearest([10.0, 10.0]).in_layers(units).within(5.0).count()
    );

    // Each unit asks for its own neighbours; one buffer serves all questions.
    let mut buffer = SearchBuffer::new();
    for unit in index.iter().filter(|object| object.layer() == units.id()) {
        let near = unit.nearest().in_layers(units).reusing(&mut buffer).next().expect("there are others");
        println!("Nearest to the {}: the {}", unit.value(), near.object.value());
    }

    // The same by looking at all: the index must agree.
    for step in 0..100_u8 {
        let here = [f32::from(step), 100.0 - f32::from(step)];
        let square = |[x, y]: [f32; 2]| (x - here[0]).powi(2) + (y - here[1]).powi(2);
        let least =
            index.iter().filter(|object| object.layer() == units.id()).map(|object| square(object.shape().min()));
        let near = index.nearest(here).in_layers(units).next().map(|near| near.distance_squared);
        assert_eq!(near, least.reduce(f32::min), "at {here:?}");
    }
    println!("100 questions agree with a look at all units.");
    Ok(())
}
