//! Three layers over one world, one above the other, and a query that asks two of them.

use quadrille::{LayerId, Quadtree, Rect};
use quadrille_gallery::{Ink, Mark, Panel, Picture, palette};
use rand::RngExt;

use crate::canvas::{NAME, WIDTH, WORDS, dice, ensure_same};

const WORLD: [f32; 2] = [1000.0, 600.0];
const VIEW: [[f32; 2]; 2] = [[380.0, 180.0], [660.0, 430.0]];
const HEIGHT: f64 = 530.0;
/// From one layer to the next.
const STOREY: f32 = 172.0;

/// A floor of the picture: the world, seen from the side.
struct Floor {
    bottom: f32,
}

impl Floor {
    fn at(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        [24.0 + 0.56 * x + 0.27 * y, self.bottom + 0.245 * y]
    }

    fn corners(&self, shape: Rect) -> [[f32; 2]; 4] {
        let ([left, low], [right, high]) = (shape.min(), shape.max());
        [[left, low], [right, low], [right, high], [left, high]].map(|corner| self.at(corner))
    }
}

pub(crate) fn draw() -> anyhow::Result<Picture> {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], WORLD))?;
    let (sparks, units, walls) = (index.add_point_layer()?, index.add_point_layer()?, index.add_rect_layer()?);
    let mut dice = dice(5);
    for _ in 0..16 {
        let size: [f32; 2] = if dice.random() { [150.0, 14.0] } else { [16.0, 120.0] };
        let at: [f32; 2] = [0, 1].map(|axis| dice.random_range(0.0..WORLD[axis] - size[axis]));
        index.insert(walls, Rect::new(at, [at[0] + size[0], at[1] + size[1]]), ())?;
    }
    for _ in 0..260 {
        index.insert(units, WORLD.map(|side| dice.random_range(0.0..side)), ())?;
    }
    for _ in 0..900 {
        // The sum of three is often in the middle: a crowd.
        let off = [(); 2].map(|()| (0..3).map(|_| dice.random_range(-1.0..1.0_f32)).sum::<f32>());
        let at = [560.0 + 110.0 * off[0], 290.0 + 85.0 * off[1]];
        index.insert(sparks, at, ())?;
    }

    let view = Rect::new(VIEW[0], VIEW[1]);
    let asked = walls | units;
    let found: Vec<_> = index.intersecting(view).in_layers(asked).map(|object| object.handle()).collect();
    let expected = index.iter().filter(|object| asked.contains(object.layer()) && view.intersects(&object.shape()));
    ensure_same("layers", found.iter().copied(), expected.map(|object| object.handle()))?;

    let mut picture = Picture::new("Layers: trees of their own over one world", [WIDTH, HEIGHT]);
    let mut sheet = picture.whole(Rect::new([0.0, 0.0], [WIDTH, HEIGHT]));
    let [hit, rest] = [Ink::fill(palette::ALARM), Ink::fill(palette::GOLD).opacity(0.8)];
    let edge = Ink::line(palette::WHITE, 1.6);
    let names = ["sparks", "units", "walls"];
    for (floor, layer) in [LayerId::from(sparks), units.into(), walls.into()].into_iter().enumerate() {
        let bottom = 14.0 + STOREY * [0.0, 1.0, 2.0][floor];
        let is_asked = asked.contains(layer);
        let drawn = Floor { bottom };
        drawn.ground(&mut sheet, &index, layer);
        let (hits, others): (Vec<_>, Vec<_>) =
            index.iter().in_layers(layer).partition(|object| found.contains(&object.handle()));
        for (ink, objects) in [(&rest, &others), (&hit, &hits)] {
            let ink = if is_asked { ink.clone() } else { ink.clone().opacity(0.35) };
            if layer == walls.id() {
                sheet.polygons(&ink, objects.iter().map(|object| drawn.corners(object.shape())));
            } else {
                sheet.dots(&ink, 2.2, objects.iter().map(|object| drawn.at(object.shape().min())));
            }
        }
        if is_asked {
            sheet.polygons(&Ink::fill(palette::WHITE).opacity(0.07).edged(palette::WHITE, 1.6), [drawn.corners(view)]);
        }
        let said = if is_asked {
            format!("{} of {} found", hits.len(), index.len_in(layer))
        } else {
            "not asked: its tree is not visited".to_owned()
        };
        sheet.words([690.0, bottom + 52.0], NAME, names[floor]);
        sheet.words([690.0, bottom + 28.0], WORDS, &said);
    }
    // The column of the query, from the lowest layer that it asks to the highest.
    let [low, high] = [1.0, 2.0].map(|floor| Floor { bottom: 14.0 + STOREY * floor }.corners(view));
    sheet.lines(&edge.clone().opacity(0.45), low.into_iter().zip(high).map(|(from, to)| [from, to]));
    picture.add(sheet);
    picture.legend(Mark::Box, &edge, "the window, asked in walls and units");
    picture.legend(Mark::Dot, &hit, format!("{} objects found", found.len()));
    picture.legend(Mark::Dot, &rest, "others");
    picture.legend_of_cells("the cells of each tree");
    Ok(picture)
}

impl Floor {
    /// The world and the cells of a layer's tree.
    fn ground(&self, sheet: &mut Panel, index: &Quadtree<()>, layer: LayerId) {
        let ground = Ink::fill(palette::STONE).opacity(0.09).edged(palette::STONE, 1.2);
        sheet.polygons(&ground, [self.corners(index.world())]);
        let cells = index.cells(layer).filter_map(|cell| cell.square().intersection(&index.world()));
        sheet.polygons(&Ink::line(palette::TREE, 0.9).opacity(0.55), cells.map(|square| self.corners(square)));
    }
}
