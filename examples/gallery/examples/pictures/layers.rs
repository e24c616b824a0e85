//! Three layers over one world, one above the other, and a query that asks two of them.

use quadrille::{Handle, Kind, Layer, LayerId, Points, Quadtree, Rect, Rects};
use quadrille_gallery::{Ink, Mark, Panel, Picture, palette};
use rand::RngExt;

use crate::canvas::{NAME, WIDTH, WORDS, dice, ensure_same};

const WORLD: [f32; 2] = [1000.0, 600.0];
const VIEW: [[f32; 2]; 2] = [[380.0, 180.0], [660.0, 430.0]];
const HEIGHT: f64 = 530.0;

/// A floor of the picture: a layer over the world, seen from the side.
struct Floor {
    name: &'static str,
    layer: LayerId,
    bottom: f32,
    is_asked: bool,
}

/// An index with three layers.
struct Town {
    index: Quadtree<()>,
    walls: Layer<Rects>,
    units: Layer<Points>,
    sparks: Layer<Points>,
}

pub(crate) fn draw() -> anyhow::Result<Picture> {
    let town = Town::new()?;
    let (index, view, asked) = (&town.index, Rect::new(VIEW[0], VIEW[1]), town.walls | town.units);
    let found: Vec<Handle> = index.intersecting(view).in_layers(asked).map(|object| object.handle()).collect();
    let expected = index.iter().filter(|object| asked.contains(object.layer()) && view.intersects(&object.shape()));
    ensure_same("layers", found.iter().copied(), expected.map(|object| object.handle()))?;

    let mut picture = Picture::new("Layers: trees of their own over one world", [WIDTH, HEIGHT]);
    let mut sheet = picture.whole(Rect::new([0.0, 0.0], [WIDTH, HEIGHT]));
    let edge = Ink::line(palette::WHITE, 1.6);
    let layers = [("sparks", LayerId::from(town.sparks)), ("units", town.units.into()), ("walls", town.walls.into())];
    let mut asked_floors = Vec::new();
    for ((name, layer), bottom) in layers.into_iter().zip([14.0, 186.0, 358.0]) {
        let floor = Floor { name, layer, bottom, is_asked: asked.contains(layer) };
        floor.draw(&mut sheet, index, &found);
        if floor.is_asked {
            let window = Ink::fill(palette::WHITE).opacity(0.07).edged(palette::WHITE, 1.6);
            sheet.polygons(&window, [floor.corners(view)]);
            asked_floors.push(floor.corners(view));
        }
    }
    // The column of the query, from one of them to the next.
    for floors in asked_floors.windows(2) {
        let column = floors[0].into_iter().zip(floors[1]).map(|(low, high)| [low, high]);
        sheet.lines(&edge.clone().opacity(0.45), column);
    }
    picture.add(sheet);
    picture.legend(Mark::Box, &edge, "the window, asked in walls and units");
    picture.legend(Mark::Dot, &hit(), format!("{} objects found", found.len()));
    picture.legend(Mark::Dot, &rest(), "others");
    picture.legend_of_cells("the cells of each tree");
    Ok(picture)
}

fn hit() -> Ink {
    Ink::fill(palette::ALARM)
}

fn rest() -> Ink {
    Ink::fill(palette::GOLD).opacity(0.8)
}

impl Town {
    fn new() -> anyhow::Result<Self> {
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
            index.insert(sparks, [560.0 + 110.0 * off[0], 290.0 + 85.0 * off[1]], ())?;
        }
        Ok(Self { index, walls, units, sparks })
    }
}

impl Floor {
    fn at(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        [24.0 + 0.56 * x + 0.27 * y, self.bottom + 0.245 * y]
    }

    fn corners(&self, shape: Rect) -> [[f32; 2]; 4] {
        let ([left, low], [right, high]) = (shape.min(), shape.max());
        [[left, low], [right, low], [right, high], [left, high]].map(|corner| self.at(corner))
    }

    /// The world, the cells of the layer's tree, its objects, and words beside them.
    fn draw(&self, sheet: &mut Panel, index: &Quadtree<()>, found: &[Handle]) {
        let ground = Ink::fill(palette::STONE).opacity(0.09).edged(palette::STONE, 1.2);
        sheet.polygons(&ground, [self.corners(index.world())]);
        let cells = index.cells(self.layer).filter_map(|cell| cell.square().intersection(&index.world()));
        sheet.polygons(&Ink::line(palette::TREE, 0.9).opacity(0.55), cells.map(|square| self.corners(square)));

        let (hits, others): (Vec<_>, Vec<_>) =
            index.iter().in_layers(self.layer).partition(|object| found.contains(&object.handle()));
        for (ink, objects) in [(rest(), &others), (hit(), &hits)] {
            let ink = if self.is_asked { ink } else { ink.opacity(0.35) };
            if index.layer_kind(self.layer) == Some(Kind::Points) {
                sheet.dots(&ink, 2.2, objects.iter().map(|object| self.at(object.shape().min())));
            } else {
                sheet.polygons(&ink, objects.iter().map(|object| self.corners(object.shape())));
            }
        }
        let said = if self.is_asked {
            format!("{} of {} found", hits.len(), index.len_in(self.layer))
        } else {
            "not asked: its tree is not visited".to_owned()
        };
        sheet.words([690.0, self.bottom + 52.0], NAME, self.name);
        sheet.words([690.0, self.bottom + 28.0], WORDS, &said);
    }
}
