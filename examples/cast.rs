//! How far a box can go: it falls until it lands, and slides until it is stopped.
//!
//!     cargo run --example cast

use quadrille::{Quadtree, Rect};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [32.0, 16.0]))?;
    let (ground, boxes) = (index.add_rect_layer()?, index.add_rect_layer()?);
    index.insert(ground, Rect::new([0.0, 0.0], [32.0, 1.0]), "floor")?;
    index.insert(ground, Rect::new([20.0, 1.0], [22.0, 4.0]), "step")?;

    // Boxes are dropped one by one; each stays where it first touches something, however fast it falls.
    for (left, side) in [(2.0, 2.0), (3.0, 3.0), (18.0, 3.0), (19.0, 2.0), (2.5, 1.0)] {
        let start = Rect::new([left, 14.0], [left + side, 14.0 + side]);
        let fall = [0.0, -100.0];
        let hit = index.cast(start, fall).next().expect("there is a floor");
        let low = start.min()[1] + hit.t * fall[1];
        println!("A box of {side} falls on a {} and lies at height {low:.2}.", hit.object.value());
        let landed = Rect::new([left, low], [left + side, low + side]);
        index.insert(boxes, landed, "box")?;
    }

    println!();
    for row in (0..12_u8).rev() {
        let at = |column: u8| [f32::from(column) + 0.5, f32::from(row) + 0.5];
        let look = |column: u8| match index.intersecting(at(column)).next().map(|object| object.layer()) {
            None => ' ',
            Some(layer) if layer == ground.id() => '#',
            Some(_) => 'o',
        };
        println!("  {}", (0..32).map(look).collect::<String>());
    }

    // A push along the floor, which is no obstacle: what blocks the way, and after which part of the motion.
    let pushed = Rect::new([8.0, 1.0], [10.0, 3.0]);
    let hit = index.cast(pushed, [20.0, 0.0]).blocking(0.01).next().expect("the step is in the way");
    println!(
        "\nPushed by 20 from x = 10 it stops after {}, at x = {}: a {}.",
        hit.t,
        10.0 + 20.0 * hit.t,
        hit.object.value()
    );
    assert_eq!((*hit.object.value(), hit.normal()), ("step", [-1.0, 0.0]));
    assert!((hit.t - 0.4995).abs() < 1e-6, "a hundredth before the step");
    Ok(())
}
