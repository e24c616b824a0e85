//! A ray with all that it hits, and a box that is cast, stops and slides.

use quadrille::{Quadtree, Ray, Rect};
use quadrille_gallery::brute::entry;
use quadrille_gallery::{Ink, Mark, Panel, Picture, palette};

use crate::canvas::{NAME, WIDTH, WORDS, arrow};

const WORLD: [f32; 2] = [464.0, 300.0];
const SKIN: f32 = 0.01;

pub(crate) fn draw() -> anyhow::Result<Picture> {
    let mut picture = Picture::new("t: how far a ray or a box gets", [WIDTH, 330.0]);
    let world = Rect::new([0.0, 0.0], WORLD);
    let [mut left, mut right] = [8.0, 488.0].map(|x| {
        let mut panel = picture.panel(Rect::new([x + 8.0, 16.0], [x + 456.0, 322.0]), world);
        panel.frame();
        panel
    });
    ray(&mut left)?;
    cast(&mut right)?;
    picture.add(left);
    picture.add(right);
    picture.legend(Mark::Box, &wall(), "walls");
    picture.legend(Mark::Line, &motion(), "the whole motion: t = 1 at its end");
    picture.legend(Mark::Line, &normal(), "normals");
    picture.legend(Mark::Box, &body(), "the box where it starts, stops and slides to");
    Ok(picture)
}

fn wall() -> Ink {
    Ink::fill(palette::STONE).opacity(0.5).edged(palette::STONE, 1.2)
}

fn motion() -> Ink {
    Ink::line(palette::GOLD, 2.0)
}

fn normal() -> Ink {
    Ink::line(palette::LEAF, 2.4)
}

fn body() -> Ink {
    Ink::fill(palette::ALARM).opacity(0.35).edged(palette::ALARM, 1.8)
}

/// The walls of a panel, in an index.
fn filled(walls: &[Rect]) -> anyhow::Result<Quadtree<()>> {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], WORLD))?;
    let layer = index.add_rect_layer()?;
    index.insert_batch(layer, walls.iter().map(|&wall| (wall, ())))?;
    Ok(index)
}

fn ray(panel: &mut Panel) -> anyhow::Result<()> {
    let walls = [
        Rect::new([118.0, 60.0], [176.0, 150.0]),
        Rect::new([200.0, 140.0], [262.0, 206.0]),
        Rect::new([340.0, 148.0], [392.0, 190.0]),
        Rect::new([60.0, 190.0], [140.0, 236.0]),
        Rect::new([214.0, 24.0], [330.0, 58.0]),
    ];
    let index = filled(&walls)?;
    let ray = Ray::segment([24.0, 84.0], [440.0, 200.0]);
    let hits: Vec<_> = index.raycast(ray).collect();
    let mut expected: Vec<f64> = walls.iter().filter_map(|&wall| entry(ray, wall)).collect();
    expected.sort_by(f64::total_cmp);
    let is_same = |(hit, &t): (&quadrille::Hit<'_, ()>, &f64)| (f64::from(hit.t) - t).abs() < 1e-5;
    anyhow::ensure!(hits.len() == expected.len() && hits.iter().zip(&expected).all(is_same), "rays: {expected:?}");

    panel.boxes(&wall(), walls);
    arrow(panel, &motion(), [ray.origin(), ray.at(1.0)], 12.0);
    panel.dots(&Ink::fill(palette::GOLD), 4.5, [ray.origin()]);
    for hit in &hits {
        let [x, y] = hit.point();
        let away = hit.normal().map(|part| 22.0 * part);
        arrow(panel, &normal(), [[x, y], [x + away[0], y + away[1]]], 7.0);
        panel.dots(&Ink::fill(palette::ALARM), 5.0, [[x, y]]);
        let beside = if away[1] == 0.0 { [x - 68.0, y + 20.0] } else { [x - 30.0, y - 44.0] };
        panel.words(beside, WORDS, &format!("t = {:.2}", hit.t));
    }
    panel.words([14.0, 274.0], NAME, "raycast: all it hits, in order");
    Ok(())
}

fn cast(panel: &mut Panel) -> anyhow::Result<()> {
    let walls = [Rect::new([296.0, 70.0], [326.0, 250.0]), Rect::new([60.0, 20.0], [400.0, 42.0])];
    let index = filled(&walls)?;
    let start = Rect::new([40.0, 196.0], [84.0, 236.0]);
    let push = [330.0, -146.0];
    let first = index.cast(start, push).blocking(SKIN).next();
    let first = first.ok_or_else(|| anyhow::anyhow!("the box meets no wall"))?;
    let stop = start.translated(push.map(|step| step * first.t));
    // By hand: only the tall wall is in its way, and it meets its left side.
    let by_hand = (walls[0].min()[0] - start.max()[0]) / push[0];
    anyhow::ensure!((first.t - by_hand).abs() < 1e-3 && first.normal()[0] < 0.0, "cast: {}", first.t);
    let rest = [0.0, push[1] * (1.0 - first.t)];
    anyhow::ensure!(!index.cast(stop, rest).blocking(SKIN).exists(), "the box cannot slide");
    let end = stop.translated(rest);

    panel.boxes(&wall(), walls);
    let ghost = Ink::line(palette::ALARM, 1.0).opacity(0.35);
    panel.boxes(&ghost, [0.3_f32, 0.6].map(|part| start.translated(push.map(|step| step * first.t * part))));
    panel.boxes(&Ink::line(palette::GOLD, 1.0).opacity(0.6), [start.translated(push)]);
    let [from, to] = [start, start.translated(push)].map(|shape| shape.center());
    arrow(panel, &motion(), [from, to], 12.0);
    panel.boxes(&body(), [start, stop, end]);
    arrow(panel, &motion(), [stop.center(), end.center()], 9.0);
    let side = [stop.max()[0], stop.max()[1] - 8.0];
    arrow(panel, &normal(), [side, [side[0] - 24.0, side[1]]], 7.0);
    panel.words([start.min()[0], start.max()[1] + 8.0], WORDS, "t = 0");
    panel.words([stop.min()[0] - 26.0, stop.max()[1] + 8.0], WORDS, &format!("t = {:.2}", first.t));
    panel.words([to[0] - 6.0, to[1] + 28.0], WORDS, "t = 1");
    panel.words([end.min()[0] - 66.0, end.min()[1] + 2.0], WORDS, "it slides");
    panel.words([14.0, 274.0], NAME, "cast: where a box stops, and on");
    Ok(())
}
