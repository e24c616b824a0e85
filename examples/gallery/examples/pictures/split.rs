//! A tree that splits while points come: blocks are halved, full cells become nodes.

use quadrille::{Cell, CellKind, Quadtree, Rect};
use quadrille_gallery::{Ink, Mark, Picture, palette};
use rand::RngExt;

use crate::canvas::{Row, dice, ensure_same};

const SIDE: f32 = 100.0;
const STAGES: [usize; 4] = [64, 65, 500, 2500];

pub(crate) fn draw() -> anyhow::Result<Picture> {
    let mut index: Quadtree<usize> = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE]))?;
    let units = index.add_point_layer()?;
    let mut dice = dice(4);
    let dot = Ink::fill(palette::GOLD);
    let mut row = Row::new("A full block is halved, a full cell becomes a node", 4, 3);
    for stage in STAGES {
        while index.len() < stage {
            // The cube of a number is mostly small: a crowd in a corner.
            let at = [(); 2].map(|()| dice.random_range(0.0..1.0_f32)).map(|part| SIDE * part * part * part);
            index.insert(units, at, index.len())?;
        }
        let cells: Vec<_> = index.cells(units).collect();
        let blocks = cells.iter().filter(|cell| cell.kind() == CellKind::Block);
        let inside = blocks.clone().flat_map(Cell::objects).map(|unit| *unit.value());
        ensure_same("all points are in blocks, once", inside, 0..stage)?;
        let blocks = blocks.count();
        let nodes = cells.len() - blocks;

        let mut panel = row.panel(index.world());
        let radius = if stage < 1000 { 2.0 } else { 1.2 };
        panel.dots(&dot, radius, index.iter().map(|unit| unit.shape().min()));
        panel.cells(index.cells(units));
        let many = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        row.add(panel, &[&format!("{stage} points"), &many(blocks, "block"), &many(nodes, "node")]);
    }
    let mut picture = row.picture;
    picture.legend(Mark::Dot, &dot, "points");
    picture.legend_of_cells("blocks, brighter where they are fuller; nodes have a stronger edge");
    Ok(picture)
}
