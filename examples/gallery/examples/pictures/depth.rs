//! The size of a rectangle sets how deep it sinks: a world, one of its nodes, and a node in that.

use std::ops::Range;

use quadrille::{Cell, CellKind, Quadtree, Rect};
use quadrille_gallery::{Ink, Mark, Picture, palette};
use rand::RngExt;

use crate::canvas::{Row, dice};

const SIDE: f32 = 1024.0;
const DEPTHS: usize = 3;
/// How many squares, how long, and how far from the middle.
const CROWDS: [(usize, Range<f32>, f32); 5] = [
    (12, 270.0..430.0, 420.0),
    (26, 34.0..150.0, 420.0),
    (14, 40.0..110.0, 60.0),
    (36, 5.0..28.0, 26.0),
    (800, 0.5..2.2, 13.0),
];

pub(crate) fn draw() -> anyhow::Result<Picture> {
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

    // By depth: the sides of those that are too large for the cells of their node.
    let nodes: Vec<_> = index.cells(boxes).filter(|cell| cell.kind() == CellKind::Node).collect();
    let fullest = |depth: u8, inside: Rect| {
        let there = nodes.iter().filter(|node| node.depth() == depth && inside.contains(&node.square()));
        there.max_by_key(|node| node.len()).map(Cell::square)
    };
    let mut squares = vec![index.world()];
    for depth in 1..DEPTHS {
        let inside = squares[depth - 1];
        squares.push(fullest(depth.try_into()?, inside).ok_or_else(|| anyhow::anyhow!("no node of depth {depth}"))?);
    }

    let colors = [palette::VIOLET, palette::GOLD, palette::ALARM];
    let inks = colors.map(|color| Ink::fill(color).opacity(0.1).edged(color, 1.1));
    let small = Ink::fill(palette::LEAF).opacity(0.12).edged(palette::LEAF, 0.8);
    let mut row = Row::new("The size of a rectangle sets how deep it sinks", DEPTHS.try_into()?, 3);
    for (depth, &square) in squares.iter().enumerate() {
        let mut panel = row.panel(square);
        panel.cells(index.cells(boxes));
        let blocks = index.cells(boxes).filter(|cell| cell.kind() == CellKind::Block);
        panel.boxes(&small, blocks.flat_map(|block| block.objects()).map(|object| object.shape()));
        for (ink, &depth) in inks.iter().zip(&[0_u8, 1, 2]) {
            let own = nodes.iter().filter(|node| node.depth() == depth).flat_map(Cell::objects);
            panel.boxes(ink, own.map(|object| object.shape()));
        }
        if let Some(&part) = squares.get(depth + 1) {
            panel.boxes(&Ink::line(palette::WHITE, 2.0), [part]);
        }
        let cell = square.size()[0] / 8.0;
        let own = nodes.iter().filter(|node| usize::from(node.depth()) == depth).flat_map(Cell::objects);
        let sizes: Vec<f32> = own.map(|object| object.shape().size()[0]).collect();
        let [least, most] =
            [sizes.iter().copied().fold(f32::INFINITY, f32::min), sizes.iter().copied().fold(0.0, f32::max)];
        // The rule, by hand: longer than two cells of its own node, at most two of the node above.
        anyhow::ensure!(sizes.iter().all(|&size| 2.0 * cell * 0.999 < size), "depth {depth}: {least}");
        anyhow::ensure!(sizes.iter().all(|&size| depth == 0 || size < 16.0 * cell * 1.001), "depth {depth}: {most}");
        let name = ["the world: depth 0", "a node of depth 1", "one of depth 2"][depth];
        row.add(
            panel,
            &[name, &format!("a cell is {cell} wide"), &format!("longer than two stay here: {least:.0} to {most:.0}")],
        );
        if let Some(&part) = squares.get(depth + 1) {
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
