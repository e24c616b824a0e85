//! Who collides with whom: all pairs, still walls against moving bodies, and only what has moved; compared with a look at
//! all pairs.
//!
//!     cargo run --release --example pairs

use quadrille::{Handle, Quadtree, Rect};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?;
    let (walls, bodies) = (index.add_rect_layer()?, index.add_rect_layer()?);
    let mut dice = Pcg64::seed_from_u64(8);
    let mut rects = |count: u16, sides: [f32; 2]| -> Vec<(Rect, u16)> {
        let mut rect = || {
            let [x, y] = [(); 2].map(|()| dice.random_range(0.0..950.0));
            Rect::new([x, y], [x + dice.random_range(1.0..sides[0]), y + dice.random_range(1.0..sides[1])])
        };
        (0..count).map(|number| (rect(), number)).collect()
    };
    let (still, moving) = (rects(100, [50.0, 5.0]), rects(4000, [9.0, 9.0]));
    index.insert_batch(walls, still.iter().copied())?;
    let handles = index.insert_batch(bodies, moving.iter().copied())?;

    // Each pair once, in whichever order.
    let collisions = index.pairs().in_layers(bodies).count();
    println!("{} bodies: {collisions} of the {} pairs collide", moving.len(), moving.len() * (moving.len() - 1) / 2);
    let looked = (0..moving.len()).flat_map(|one| moving[one + 1..].iter().map(move |other| (one, other)));
    let expected = looked.filter(|&(one, (other, _))| moving[one].0.intersects(other)).count();
    assert_eq!(collisions, expected, "a look at all pairs finds as many");

    // The wall comes first, as its layer is named first.
    let bumps = index.pairs().between(walls, bodies);
    for (wall, body) in bumps.clone().take(3) {
        println!("  wall {} is hit by body {}", wall.value(), body.value());
        assert!(wall.shape().intersects(&body.shape()) && wall.layer() == walls.id());
    }
    let expected: usize =
        still.iter().map(|(wall, _)| moving.iter().filter(|(body, _)| wall.intersects(body)).count()).sum();
    println!("{} bodies at walls", bumps.clone().count());
    assert_eq!(bumps.count(), expected);

    // Close bodies: the gap between two is that of their closest points.
    println!("{} pairs of bodies are within 2 of each other", index.pairs().in_layers(bodies).within(2.0).count());

    // A few have moved; only their pairs have changed.
    let moved: Vec<Handle> = handles.iter().copied().step_by(400).collect();
    for &body in &moved {
        let [x, y] = index.shape(body).expect("a body").min();
        index.move_to(body, Rect::new([x + 1.0, y], [x + 6.0, y + 5.0]))?;
    }
    let theirs = index.pairs_of(&moved).count();
    let is_theirs = |handle| moved.contains(&handle);
    let of_all = index.pairs().filter(|(one, other)| is_theirs(one.handle()) || is_theirs(other.handle())).count();
    println!("{} bodies have moved and are in {theirs} pairs", moved.len());
    assert_eq!(theirs, of_all, "they are those among all pairs");
    Ok(())
}
