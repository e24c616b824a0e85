//! Casting rays: the first wall that one hits, all walls on its way, and who sees whom.
//!
//!     cargo run --example raycast

use quadrille::{Quadtree, Ray, Rect};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [40.0, 10.0]))?;
    let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    for (x, low, high) in [(12.0, 0.0, 6.0), (20.0, 6.0, 10.0), (30.0, 0.0, 6.5)] {
        index.insert(walls, Rect::new([x, low], [x + 1.0, high]), "wall")?;
    }
    let guard = index.insert(units, [4.0, 7.0], "guard")?;
    index.insert(units, [36.0, 8.0], "thief")?;

    // The picture: a ray from the guard to each point of the floor shows what the guard sees.
    let eye = index.object(guard).expect("just inserted").shape().min();
    let is_seen = |place: [f32; 2]| !index.raycast(Ray::segment(eye, place)).in_layers(walls).exists();
    println!("The guard G sees (.) or does not see (blank); # are walls, T is the thief:");
    for row in (0..10_u8).rev() {
        let line: String = (0..40_u8)
            .map(|column| {
                let place = [f32::from(column) + 0.5, f32::from(row) + 0.5];
                match (index.intersecting(place).in_layers(walls).exists(), (column, row)) {
                    (true, _) => '#',
                    (_, (4, 7)) => 'G',
                    (_, (36, 8)) => 'T',
                    _ if is_seen(place) => '.',
                    _ => ' ',
                }
            })
            .collect();
        println!("  {line}");
    }

    println!("Straight on from [4, 6], along edges:");
    // The direction has length one, so `t` is the distance.
    let ray = Ray::new([4.0, 6.0], [1.0, 0.0]);
    for hit in index.raycast(ray) {
        println!("  a {} at {:?}, {} away", hit.object.value(), hit.point(), hit.t);
    }
    let hits: Vec<f32> = index.raycast(ray).map(|hit| hit.t).collect();
    assert_eq!(hits, [8.0, 16.0, 26.0]);
    assert_eq!(index.raycast(ray).until(16.0).count(), 2);
    Ok(())
}
