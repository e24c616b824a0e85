//! A cursor in four slices, with moves between them.

use quadrille::{Handle, Quadtree, Rect};
use quadrille_gallery::{Ink, Mark, Picture, palette};
use rand::RngExt;

use crate::canvas::{Row, arrow, dice, ensure_same};

const SIDE: f32 = 100.0;
const SLICES: usize = 4;
/// Visits of nodes and buckets in a slice.
const BUDGET: usize = 7;
const MOVES: usize = 5;

pub(crate) fn draw() -> anyhow::Result<Picture> {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE]))?;
    let units = index.add_point_layer()?;
    let mut dice = dice(8);
    let places = (0..1000).map(|_| ([(); 2].map(|()| dice.random_range(0.0..SIDE)), ()));
    let handles = index.insert_batch(units, places.collect::<Vec<_>>())?;

    let mut row = Row::new("A cursor goes on after changes", SLICES.try_into()?, 2);
    let [now, before, ahead] =
        [Ink::fill(palette::GOLD), Ink::fill(palette::STONE).opacity(0.75), Ink::fill(palette::PAPER).opacity(0.38)];
    let jump = Ink::line(palette::ALARM, 1.8);
    let (mut cursor, mut seen, mut moved) = (index.iter().pause(), Vec::new(), Vec::<Handle>::new());
    for number in 1.. {
        let mut fresh = Vec::new();
        let slice = cursor.run(&index, BUDGET, |unit| fresh.push(unit.handle()))?;
        anyhow::ensure!(slice.done == (number == SLICES), "slice {number} of {SLICES}: done is {}", slice.done);

        let mut panel = row.panel(index.world());
        let place = |handle: &Handle| index.shape(*handle).map(|shape| shape.min());
        let rest = handles.iter().filter(|handle| !seen.contains(*handle) && !fresh.contains(*handle));
        panel.dots(&ahead, 1.8, rest.filter_map(place));
        panel.dots(&before, 1.8, seen.iter().filter_map(place));
        panel.dots(&now, 2.2, fresh.iter().filter_map(place));
        let said = format!("{} yielded, {} in all", fresh.len(), seen.len() + fresh.len());
        seen.append(&mut fresh);
        if !slice.done {
            for _ in 0..MOVES {
                let handle = handles[dice.random_range(0..handles.len())];
                let from = index.shape(handle).map(|shape| shape.min()).unwrap_or_default();
                let to = [(); 2].map(|()| dice.random_range(0.05 * SIDE..0.95 * SIDE));
                index.move_to(handle, to)?;
                moved.push(handle);
                arrow(&mut panel, &jump, [from, to], 4.0);
            }
        }
        row.add(panel, &[&format!("slice {number}"), &said]);
        if slice.done {
            break;
        }
    }
    let alone = |handle: &&Handle| !moved.contains(*handle);
    ensure_same("those left alone", seen.iter().filter(alone), handles.iter().filter(alone))?;

    let mut picture = row.picture;
    picture.legend(Mark::Dot, &now, "yielded in this slice");
    picture.legend(Mark::Dot, &before, "yielded before");
    picture.legend(Mark::Dot, &ahead, "still to come");
    picture.legend(Mark::Line, &jump, "moves before the next slice");
    Ok(picture)
}
