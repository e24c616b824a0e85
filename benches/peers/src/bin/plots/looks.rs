//! The looks of each contender, the same in all pictures, and the legend.

use plotters::prelude::{Circle, Cross, IntoFont, PathElement, RGBColor, Rectangle, ShapeStyle, Text};
use plotters::style::{BLACK, Color, TextStyle};

use crate::rows::{Kind, OURS, Row};
use crate::{Canvas, Drawn};

/// Of families, in the order in which they appear; quadrille's is black.
const COLOURS: [RGBColor; 15] = [
    RGBColor(0x1f, 0x6f, 0xc4),
    RGBColor(0xff, 0x7f, 0x0e),
    RGBColor(0x2c, 0xa0, 0x2c),
    RGBColor(0x8e, 0x5b, 0xc0),
    RGBColor(0xd6, 0x27, 0x28),
    RGBColor(0x10, 0xb4, 0xc8),
    RGBColor(0xff, 0x9f, 0xa8),
    RGBColor(0x8c, 0x56, 0x4b),
    RGBColor(0xa8, 0xa8, 0x10),
    RGBColor(0xe3, 0x5f, 0xb8),
    RGBColor(0x00, 0x5f, 0x50),
    RGBColor(0x60, 0x7d, 0x8b),
    RGBColor(0x4b, 0x2e, 0x83),
    RGBColor(0x9c, 0xcc, 0x65),
    RGBColor(0x7f, 0x0f, 0x3f),
];

const COLUMNS: usize = 5;
const COLUMN: i32 = 192;
const LINE: i32 = 18;
const MARGIN: i32 = 20;

/// How a contender is drawn: a colour for its family, a shape for its kind, hollow unless the first of its family.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) colour: RGBColor,
    kind: Kind,
    variant: usize,
}

impl Look {
    pub(crate) fn draw(self, canvas: &Canvas<'_>, (x, y): (i32, i32)) -> Drawn {
        let line = self.colour.stroke_width(2);
        let style: ShapeStyle = if self.variant == 0 { self.colour.filled() } else { line };
        match (self.kind, self.variant) {
            (Kind::Bound, _) => canvas.draw(&Cross::new((x, y), 4, line)),
            (Kind::Static, 0) => canvas.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], style)),
            // Not a rectangle, whose line would be thin whatever it is told.
            (Kind::Static, _) => {
                outline(canvas, &[(x - 4, y - 4), (x + 4, y - 4), (x + 4, y + 4), (x - 4, y + 4)], line)
            }
            (Kind::Dynamic, 0 | 1) => canvas.draw(&Circle::new((x, y), 4, style)),
            (Kind::Dynamic, 2) => outline(canvas, &[(x, y - 5), (x + 5, y + 4), (x - 5, y + 4)], line),
            (Kind::Dynamic, _) => outline(canvas, &[(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)], line),
        }
    }
}

fn outline(canvas: &Canvas<'_>, corners: &[(i32, i32)], style: ShapeStyle) -> Drawn {
    let closed: Vec<_> = corners.iter().chain(&corners[..2]).copied().collect();
    canvas.draw(&PathElement::new(closed, style))
}

/// Everybody who takes part.
pub(crate) struct Cast(Vec<(String, Look)>);

/// Variants are named after their family.
pub(crate) fn family(name: &str) -> &str {
    name.split_once(' ').map_or(name, |(family, _)| family)
}

impl Cast {
    pub(crate) fn new<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut contenders: Vec<(&str, Kind)> = Vec::new();
        for row in rows {
            if !contenders.iter().any(|&(name, _)| name == row.contender) {
                contenders.push((&row.contender, row.kind));
            }
        }
        // Families stay together, in the order in which they appear.
        let mut families = vec![OURS];
        for (name, _) in &contenders {
            if !families.contains(&family(name)) {
                families.push(family(name));
            }
        }
        let looks = families.iter().enumerate().flat_map(|(number, of)| {
            let colour = if number == 0 { BLACK } else { COLOURS[(number - 1) % COLOURS.len()] };
            let members = contenders.iter().filter(move |(name, _)| family(name) == *of);
            members.enumerate().map(move |(variant, &(name, kind))| {
                // A bound is no rival and should not look like one.
                let colour = if kind == Kind::Bound { RGBColor(0x80, 0x80, 0x80) } else { colour };
                (name.to_owned(), Look { colour, kind, variant })
            })
        });
        Self(looks.collect())
    }

    pub(crate) fn of(&self, name: &str) -> Look {
        self.0.iter().find(|(known, _)| known == name).expect("all rows were cast").1
    }

    /// Where a contender stands in the legend; who stands first is drawn last, on top.
    pub(crate) fn rank(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(known, _)| known == name)
    }

    /// Those of the names that were cast, below `top`.
    pub(crate) fn legend(&self, canvas: &Canvas<'_>, top: i32, names: &[&str]) -> Drawn {
        let shown: Vec<_> = self.0.iter().filter(|(name, _)| names.contains(&name.as_str())).collect();
        let lines = shown.len().div_ceil(COLUMNS).max(1);
        let xs = (0..).map(|column| MARGIN + column * COLUMN);
        for (column, x) in shown.chunks(lines).zip(xs) {
            for ((name, look), y) in column.iter().zip((top + LINE / 2..).step_by(LINE as usize)) {
                look.draw(canvas, (x + 6, y))?;
                text(canvas, name, (x + 18, y - 6), 13)?;
            }
        }
        Ok(())
    }
}

/// How high a legend of so many names is.
pub(crate) fn legend_height(names: usize) -> u32 {
    (names.div_ceil(COLUMNS) as u32) * LINE.cast_unsigned()
}

pub(crate) fn text(canvas: &Canvas<'_>, text: &str, at: (i32, i32), size: u32) -> Drawn {
    let style: TextStyle<'_> = ("sans-serif", size).into_font().color(&BLACK);
    canvas.draw(&Text::new(text, at, style))
}
