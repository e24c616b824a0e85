//! The legend in the lower left corner of the picture, where there is nothing but sea and Mexico below it.

use quadrille_gallery::grouped;
use quadrille_gallery::palette::LETTERS;
use svg::node::element::{Group, Text};

use super::{AIRCRAFT, ALARM, LAND, NIGHT, PAPER, TREE, rectangle, ring, stroke};
use crate::data::Position;
use crate::sky::ENCOUNTER_WITHIN;
use crate::snapshot::{Snapshot, TRAIL_MINUTES};

const TOP_LEFT: Position = [32.0, 654.0];
const BOTTOM_RIGHT: Position = [536.0, 868.0];
const LINE: f64 = 33.0;

/// Draws the legend.
pub(super) fn draw(snapshot: &Snapshot) -> Group {
    let [left, top] = [TOP_LEFT[0] + 24.0, TOP_LEFT[1] + 48.0];
    let panel = rectangle(TOP_LEFT, BOTTOM_RIGHT)
        .set("rx", 12)
        .set("fill", NIGHT[0])
        .set("fill-opacity", 0.88)
        .set("stroke", LAND)
        .set("stroke-opacity", 0.25);
    let title = format!("The sky at {}", snapshot.minute);
    let some_of = if snapshot.are_sampled { "some of " } else { "" };
    let items = [
        (frames(LAND, 0.7), "states and counties".to_owned()),
        (frames(TREE, 1.0), format!("the aircraft's tree: {} blocks of cells", grouped(&snapshot.blocks()))),
        (
            aircraft(),
            format!("{}, and their last {TRAIL_MINUTES} minutes", some(snapshot.aircraft.len(), snapshot.airborne)),
        ),
        (
            Group::new().add(stroke(ring([0.0, 0.0], 5.5), ALARM, 1.6)),
            format!("{some_of}{} encounters, within {ENCOUNTER_WITHIN} degrees", grouped(&snapshot.encounters)),
        ),
    ];
    let heading = Group::new().add(panel).add(text([left, top], 30, &title));
    (1..).zip(items).fold(heading, |legend, (line, (sign, words))| {
        let y = top + 10.0 + f64::from(line) * LINE;
        let sign = sign.set("transform", format!("translate({} {})", left + 14.0, y - 6.0));
        legend.add(sign).add(text([left + 44.0, y], 19, &words))
    })
}

fn text([x, y]: Position, size: u8, words: &str) -> Text {
    Text::new(words).set("x", x).set("y", y).set("font-family", LETTERS).set("font-size", size).set("fill", PAPER)
}

/// A rectangle within a rectangle.
fn frames(color: &str, opacity: f64) -> Group {
    let inner = rectangle([-14.0, -8.0], [0.0, 2.0]);
    let outer = rectangle([-14.0, -8.0], [14.0, 8.0]);
    Group::new().set("stroke", color).set("stroke-opacity", opacity).set("fill", "none").add(outer).add(inner)
}

fn aircraft() -> Group {
    Group::new()
        .add(stroke("M-14 5L6 -3", AIRCRAFT, 1.2).set("stroke-opacity", 0.6))
        .add(stroke("M6 -3h0", AIRCRAFT, 5.0).set("stroke-linecap", "round"))
}

/// How many aircraft are drawn, of how many.
fn some(drawn: usize, all: usize) -> String {
    if drawn == all {
        format!("{} aircraft", grouped(&all))
    } else {
        format!("{} of {} aircraft", grouped(&drawn), grouped(&all))
    }
}
