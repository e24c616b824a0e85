//! An area of interest: who has come into view and who has left it from one poll to the next.

use std::collections::BTreeSet;
use std::error::Error;

use quadrille::{Handle, Quadtree, Rect, Watch};

fn main() -> Result<(), Box<dyn Error>> {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?;
    let units = index.add_point_layer()?;
    // 2 000 units on a spiral; in each tick they go round by a degree.
    let place = |number: u16, tick: u16| {
        let angle = (f32::from(number) * 137.5 + f32::from(tick)).to_radians();
        let radius = f32::from(number) * 0.24;
        [500.0 + radius * angle.cos(), 500.0 + radius * angle.sin()]
    };
    let handles = index.insert_batch(units, (0..2000).map(|number| (place(number, 0), number)))?;

    // The view of a player who walks to the right.
    let view = |tick: u16| Rect::from_center_half([300.0 + 8.0 * f32::from(tick), 500.0], [60.0, 40.0]);
    let mut inside = Watch::new();

    // The watch's changes keep the player's own list up to date: it is never made anew.
    let mut seen: BTreeSet<Handle> = BTreeSet::new();
    for tick in 0..8 {
        let moved = index.update(units, |_, number, _| place(*number, tick))?;
        assert!(moved.refused.is_empty());
        if tick == 4 {
            index.retain(|_, _, number| *number % 3 != 0);
        }
        let changes = inside.poll(index.intersecting(view(tick)).in_layers(units))?;
        seen.extend(changes.entered);
        for handle in changes.left {
            seen.remove(handle);
        }
        println!(
            "tick {tick}: {:3} entered, {:3} left, {:3} in view",
            changes.entered.len(),
            changes.left.len(),
            seen.len()
        );
        let in_view: BTreeSet<_> = index.intersecting(view(tick)).map(|object| object.handle()).collect();
        assert_eq!(seen, in_view);
    }
    println!("after every tick the list was what a new query found; {} units in all", handles.len());
    Ok(())
}
