//! The lines below a picture: its title, and what its signs mean. Words have room by a careful estimate of their width.

use svg::node::element::Group;

use super::panel::text;
use super::{Ink, MARGIN, Mark, Position, append_rect, append_ring};
use quadrille::Rect;

const TITLE: u8 = 26;
const WORDS: u8 = 17;
/// No letter of the font is wider on average, in any words of the pictures.
const LETTER: f64 = 8.6;
const SIGN: f64 = 34.0;
const GAP: f64 = 30.0;
const LINE: f64 = 30.0;

/// Draws the lines, and says how high they are.
pub(super) fn draw(title: &str, items: &[(Mark, Ink, String)], [width, top]: Position) -> (Group, f64) {
    if title.is_empty() {
        return (Group::new(), 0.0);
    }
    let left = MARGIN + 8.0;
    let mut at = [left, top + 78.0];
    let mut group = Group::new().add(text([left, top + 42.0], TITLE, title));
    for (mark, ink, words) in items {
        let wide = SIGN + room(words);
        if width < at[0] + wide + MARGIN && left < at[0] {
            at = [left, at[1] + LINE];
        }
        let [x, y] = at;
        group = group.add(sign(*mark, ink, [x + 12.0, y - 6.0])).add(text([x + SIGN, y], WORDS, words));
        at[0] += wide + GAP;
    }
    let below = if items.is_empty() { 62.0 } else { at[1] - top + 22.0 };
    (group, below)
}

fn room(words: &str) -> f64 {
    LETTER * crate::text::float(words.chars().count())
}

fn sign(mark: Mark, ink: &Ink, [x, y]: Position) -> Group {
    let (mut outline, group) = (String::new(), Group::new());
    let rect = |half: Position| Rect::from_center_half([x, y], half);
    match mark {
        Mark::Box => {
            append_rect(&mut outline, rect([11.0, 7.0]));
            group.add(ink.paint(outline))
        }
        Mark::Dot => group.add(ink.paint_dots(format!("M{x:.1} {y:.1}h0"), 4.5)),
        Mark::Line => group.add(ink.paint(format!("M{:.1} {:.1}L{:.1} {:.1}", x - 11.0, y + 4.0, x + 11.0, y - 4.0))),
        Mark::Ring => {
            append_ring(&mut outline, [x, y], 6.5);
            group.add(ink.paint(outline))
        }
        Mark::Cells => {
            append_rect(&mut outline, rect([11.0, 8.0]));
            append_rect(&mut outline, Rect::new([x - 11.0, y - 8.0], [x, y]));
            group.add(ink.paint(outline))
        }
    }
}
