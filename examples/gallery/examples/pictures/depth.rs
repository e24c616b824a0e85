//! The size of a rectangle sets how deep it sinks: a world, one of its nodes, and a node in that.

use std::ops::Range;

use quadrille::{Cell, CellKind, Quadtree, Rect};
use quadrille_gallery::{Ink, Mark, Picture, palette};
use rand::RngExt;

use crate::canvas::{Row, dice};

type Square<'a> = Cell<'a, ()>;

const SIDE: f32 = 1024.0;
/// How many squares, how long, and how far from the middle.
const CROWDS: [(usize, Range<f32>, f32); 5] = [
    (12, 270.0..430.0, 420.0),
    (26, 34.0..150.0, 420.0),
    (14, 40.0..110.0, 60.0),
    (36, 5.0..28.0, 26.0),
    (800, 0.5..2.2, 13.0),
];

pub(crate) fn draw() -> anyhow::Result<Picture> {
    let index = filled()?;
    let cells: Vec<Square<'_>> = index.layers().flat_map(|layer| index.cells(layer)).collect();
    let (nodes, blocks): (Vec<_>, Vec<_>) = cells.into_iter().partition(|cell| cell.kind() == CellKind::Node);
    let squares = nested(&nodes)?;

    let inks =
        [palette::VIOLET, palette::GOLD, palette::ALARM].map(|color| Ink::fill(color).opacity(0.1).edged(color, 1.1));
    let small = Ink::fill(palette::LEAF).opacity(0.12).edged(palette::LEAF, 0.8);
    let mut row = Row::new("The size of a rectangle sets how deep it sinks", 3, 3);
    for (depth, &square) in squares.iter().enumerate() {
        let mut panel = row.panel(square);
        index.layers().for_each(|layer| panel.cells(index.cells(layer)));
        panel.boxes(&small, blocks.iter().flat_map(Cell::objects).map(|object| object.shape()));
        for (ink, depth) in inks.iter().zip(0..) {
            panel.boxes(ink, own_lists(&nodes, depth));
        }
        let part = squares.get(depth + 1).copied();
        panel.boxes(&Ink::line(palette::WHITE, 2.0), part);
        let name = ["the world: depth 0", "a node of depth 1", "one of depth 2"][depth];
        let cell = square.size()[0] / 8.0;
        let [least, most] = sides(&nodes, depth, cell)?;
        let said = [format!("a cell is {cell} wide"), format!("longer than two stay here: {least:.0} to {most:.0}")];
        row.add(panel, &[name, &said[0], &said[1]]);
        if let Some(part) = part {
            row.zoom(square, part);
        }
    }
    let mut picture = row.picture;
    for (depth, ink) in inks.iter().enumerate() {
        picture.legend(Mark::Box, ink, format!("own lists of depth {depth}"));
    }
    picture.legend(Mark::Box, &small, "in cells");
    picture.legend_of_cells("nodes and blocks of cells");
    Ok(picture)
}

fn filled() -> anyhow::Result<Quadtree<()>> {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE]))?;
    let boxes = index.add_rect_layer()?;
    let mut dice = dice(21);
    for (count, sizes, spread) in CROWDS {
        for _ in 0..count {
            let size = dice.random_range(sizes.clone());
            let at = [585.0, 455.0].map(|middle: f32| {
                let off: f32 = (0..3).map(|_| dice.random_range(-1.0..1.0_f32)).sum();
                (middle + spread * off - size / 2.0).clamp(0.0, SIDE - size)
            });
            index.insert(boxes, Rect::new(at, [at[0] + size, at[1] + size]), ())?;
        }
    }
    Ok(index)
}

/// The world, the fullest node in it, and the fullest in that.
fn nested(nodes: &[Square<'_>]) -> anyhow::Result<[Rect; 3]> {
    let fullest = |depth: u8, inside: Rect| {
        let there = nodes.iter().filter(|node| node.depth() == depth && inside.contains(&node.square()));
        let fullest = there.max_by_key(|node| node.len());
        fullest.map(Cell::square).ok_or_else(|| anyhow::anyhow!("no node of depth {depth}"))
    };
    let world = fullest(0, Rect::everything())?;
    let node = fullest(1, world)?;
    Ok([world, node, fullest(2, node)?])
}

/// The rectangles that are too large for the cells of their node, of all nodes of a depth.
fn own_lists(nodes: &[Square<'_>], depth: usize) -> impl Iterator<Item = Rect> {
    let nodes = nodes.iter().filter(move |node| usize::from(node.depth()) == depth);
    nodes.flat_map(Cell::objects).map(|object| object.shape())
}

/// The least and the greatest side of those, which keep to the rule: longer than two cells of their own node, but not longer
/// than two of the node above it, which are 16 of these.
fn sides(nodes: &[Square<'_>], depth: usize, cell: f32) -> anyhow::Result<[f32; 2]> {
    let sides = || own_lists(nodes, depth).map(|shape| shape.size()[0]);
    let [least, most] = [sides().fold(f32::INFINITY, f32::min), sides().fold(0.0, f32::max)];
    // Cells are compared as integers.
    let [low, high] = [2.0 * 0.999 * cell, 16.0 * 1.001 * cell];
    anyhow::ensure!(low < least && (depth == 0 || most < high), "depth {depth}: {least} to {most}");
    Ok([least, most])
}
