//! Four questions about one region, and their answers.

use quadrille::{Handle, LayerSettings, ObjectRef, Quadtree, Rect};
use quadrille_gallery::{Ink, Mark, Picture, palette};
use rand::RngExt;

use crate::canvas::{Row, dice, ensure_same};

const SIDE: f32 = 100.0;

pub(crate) fn draw() -> anyhow::Result<Picture> {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE]))?;
    // Small buckets, as otherwise so few objects would share one.
    let boxes = index.add_rect_layer_with(LayerSettings::new().split_above(6))?;
    let mut dice = dice(11);
    for zone in [Rect::new([20.0, 30.0], [72.0, 84.0]), Rect::new([34.0, 12.0], [84.0, 68.0])] {
        index.insert(boxes, zone, ())?;
    }
    for _ in 0..64 {
        let half = [(); 2].map(|()| 1.3 / dice.random_range(0.2..1.0_f32));
        let at = half.map(|half| dice.random_range(half..SIDE - half));
        index.insert(boxes, Rect::from_center_half(at, half), ())?;
    }

    let region = Rect::new([38.0, 36.0], [64.0, 62.0]);
    let near: Vec<Handle> = index.near(region).map(|object| object.handle()).collect();
    let answers = [
        ("near", near.clone(), ["candidates: the objects", "of all cells in reach"]),
        ("intersecting", handles(index.intersecting(region)), ["shares at least", "one point with it"]),
        ("contained_in", handles(index.contained_in(region)), ["lies wholly", "inside of it"]),
        ("containing", handles(index.containing(region)), ["holds all of it", ""]),
    ];
    let tests: [fn(&Rect, &Rect) -> bool; 3] =
        [Rect::intersects, Rect::contains, |region, object| object.contains(region)];
    for ((name, found, _), test) in answers[1..].iter().zip(tests) {
        let expected = index.iter().filter(|object| test(&region, &object.shape()));
        ensure_same(name, found.iter().copied(), expected.map(|object| object.handle()))?;
    }
    anyhow::ensure!(answers[1].1.iter().all(|handle| near.contains(handle)), "near leaves a hit out");

    let mut row = Row::new("Four questions about one region", 4, 3);
    let [hit, rest] = [
        Ink::fill(palette::ALARM).opacity(0.25).edged(palette::ALARM, 1.4),
        Ink::fill(palette::STONE).opacity(0.1).edged(palette::STONE, 0.8),
    ];
    let edge = Ink::line(palette::WHITE, 2.0);
    for (name, found, said) in &answers {
        let mut panel = row.panel(index.world());
        if *name == "near" {
            panel.cells(index.cells(boxes));
        }
        let (hits, others): (Vec<_>, Vec<_>) = index.iter().partition(|object| found.contains(&object.handle()));
        panel.boxes(&rest, others.iter().map(ObjectRef::shape));
        panel.boxes(&hit, hits.iter().map(ObjectRef::shape));
        panel.boxes(&edge, [region]);
        row.add(panel, &[&format!("{name}: {}", found.len()), said[0], said[1]]);
    }
    let mut picture = row.picture;
    picture.legend(Mark::Box, &edge, "the region");
    picture.legend(Mark::Box, &hit, "found");
    picture.legend(Mark::Box, &rest, format!("others of {}", index.len()));
    picture.legend_of_cells("the cells of the tree");
    Ok(picture)
}

fn handles<'a>(objects: impl Iterator<Item = ObjectRef<'a, ()>>) -> Vec<Handle> {
    objects.map(|object| object.handle()).collect()
}
