//! Draws a snapshot of the contiguous states: as SVG, and the same as PNG with the letters it brings along.

mod legend;

use std::fmt::Write;

use quadrille::CellKind;
use quadrille_gallery::palette::{ALARM, GOLD as AIRCRAFT, NIGHT, PAPER, STONE as LAND, TREE};
use quadrille_gallery::picture::append_ring;
use svg::Document;
use svg::node::Value;
use svg::node::element::{ClipPath, Definitions, Group, LinearGradient, Path, Rectangle, Stop};

use crate::data::{Position, RegionKind, Tables};
use crate::snapshot::{Snapshot, TreeCell};

const WIDTH: f64 = 1600.0;
const HEIGHT: f64 = 900.0;
/// The middle of the picture, in degrees.
const CENTER: Position = [-95.9, 37.1];
const PIXELS_A_DEGREE: f64 = 31.6;
/// Smaller cells, in pixels, are left out: they would be one blot.
const CELL_MIN: f64 = 6.0;

/// Draws the picture as the text of an SVG.
pub(crate) fn draw(snapshot: &Snapshot, tables: &Tables) -> String {
    let map = Group::new()
        .set("clip-path", "url(#frame)")
        .add(rectangle([0.0, 0.0], [WIDTH, HEIGHT]).set("fill", "url(#night)"))
        .add(regions(tables, RegionKind::County).set("stroke-opacity", 0.17).set("stroke-width", 0.7))
        .add(regions(tables, RegionKind::State).set("stroke-opacity", 0.45).set("stroke-width", 1.1))
        .add(cells(snapshot))
        .add(trails(snapshot))
        .add(dots(snapshot))
        .add(encounters(snapshot))
        .add(legend::draw(snapshot));
    let night = NIGHT
        .iter()
        .zip([0, 1])
        .fold(LinearGradient::new().set("id", "night").set("x2", 0).set("y2", 1), |gradient, (color, offset)| {
            gradient.add(Stop::new().set("offset", offset).set("stop-color", *color))
        });
    let frame = ClipPath::new().set("id", "frame").add(rectangle([0.0, 0.0], [WIDTH, HEIGHT]));
    Document::new()
        .set("viewBox", (0, 0, WIDTH, HEIGHT))
        .set("width", WIDTH)
        .set("height", HEIGHT)
        .add(Definitions::new().add(night).add(frame))
        .add(map)
        .to_string()
}

/// From degrees to the picture: plate carrée, true to shape in its middle.
fn project([longitude, latitude]: Position) -> Position {
    [
        WIDTH / 2.0 + (longitude - CENTER[0]) * CENTER[1].to_radians().cos() * PIXELS_A_DEGREE,
        HEIGHT / 2.0 - (latitude - CENTER[1]) * PIXELS_A_DEGREE,
    ]
}

/// A rectangle in degrees as its upper left and lower right corner in the picture, cut off just outside the frame;
/// nothing if all of it is outside.
fn on_paper(min: Position, max: Position) -> Option<[Position; 2]> {
    let ([left, bottom], [right, top]) = (project(min), project(max));
    let clamp = |[x, y]: Position| [x.clamp(-4.0, WIDTH + 4.0), y.clamp(-4.0, HEIGHT + 4.0)];
    let visible = 0.0 < right && left < WIDTH && 0.0 < bottom && top < HEIGHT;
    visible.then(|| [clamp([left, top]), clamp([right, bottom])])
}

fn is_visible(position: Position) -> bool {
    on_paper(position, position).is_some()
}

fn rectangle([left, top]: Position, [right, bottom]: Position) -> Rectangle {
    Rectangle::new().set("x", left).set("y", top).set("width", right - left).set("height", bottom - top)
}

fn regions(tables: &Tables, kind: RegionKind) -> Path {
    let mut outline = String::new();
    for part in tables.parts.iter().filter(|part| tables.regions[part.region].kind == kind) {
        let [min, max] = part.outline.bounds();
        if on_paper(min, max).is_none() {
            continue;
        }
        for ring in &part.outline.rings {
            for (number, &corner) in ring.iter().enumerate() {
                let ([x, y], pen) = (project(corner), if number == 0 { 'M' } else { 'L' });
                write!(outline, "{pen}{x:.1} {y:.1}").expect("a string takes everything");
            }
            outline.push('Z');
        }
    }
    let path = Path::new().set("d", outline).set("stroke", LAND).set("stroke-linejoin", "round");
    path.set("fill", LAND).set("fill-opacity", 0.04).set("fill-rule", "evenodd")
}

fn cells(snapshot: &Snapshot) -> Group {
    let mut group = Group::new().set("stroke", TREE).set("fill", TREE);
    for cell in &snapshot.cells {
        let Some([top_left, bottom_right]) = on_paper(cell.bounds.min(), cell.bounds.max()) else { continue };
        if bottom_right[0] - top_left[0] < CELL_MIN {
            continue;
        }
        let shape = rectangle(top_left, bottom_right);
        group = group.add(match cell.kind {
            CellKind::Node => shape.set("fill", "none").set("stroke-width", 1.8).set("stroke-opacity", 0.75),
            CellKind::Block => shape
                .set("fill-opacity", format!("{:.3}", shade(cell, top_left, bottom_right)))
                .set("stroke-width", 0.9)
                .set("stroke-opacity", 0.6),
        });
    }
    group
}

/// The fuller a block for its size, the brighter.
fn shade(cell: &TreeCell, top_left: Position, bottom_right: Position) -> f64 {
    let area = (bottom_right[0] - top_left[0]) * (bottom_right[1] - top_left[1]);
    let aircraft = u32::try_from(cell.len).map_or(f64::INFINITY, f64::from);
    (0.5 * (aircraft / area.max(1.0)).sqrt()).min(0.3)
}

fn trails(snapshot: &Snapshot) -> Path {
    let mut lines = String::new();
    for &[before, now] in snapshot.aircraft.iter().filter(|[_, now]| is_visible(*now)) {
        let ([x, y], [x_before, y_before]) = (project(now), project(before));
        write!(lines, "M{x_before:.1} {y_before:.1}L{x:.1} {y:.1}").expect("a string takes everything");
    }
    stroke(lines, AIRCRAFT, 1.0).set("stroke-opacity", 0.45)
}

/// The aircraft as one path of lines without length, which round ends make dots.
fn dots(snapshot: &Snapshot) -> Path {
    let mut dots = String::new();
    for &[_, now] in snapshot.aircraft.iter().filter(|[_, now]| is_visible(*now)) {
        let [x, y] = project(now);
        write!(dots, "M{x:.1} {y:.1}h0").expect("a string takes everything");
    }
    stroke(dots, AIRCRAFT, 3.6).set("stroke-linecap", "round")
}

fn encounters(snapshot: &Snapshot) -> Path {
    let visible = snapshot.encounters_at.iter().copied().filter(|&position| is_visible(position));
    let mut rings: Vec<String> = visible.map(|position| ring(project(position), 5.5)).collect();
    // Rings on one spot look like one.
    rings.sort_unstable();
    rings.dedup();
    stroke(rings.concat(), ALARM, 1.4)
}

/// The outline of a circle around a whole pixel, as part of a path.
fn ring(center: Position, radius: f64) -> String {
    let mut outline = String::new();
    append_ring(&mut outline, center.map(f64::round), radius);
    outline
}

fn stroke(outline: impl Into<Value>, color: &str, width: f64) -> Path {
    Path::new().set("d", outline).set("stroke", color).set("stroke-width", width).set("fill", "none")
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exactly these numbers are meant")]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_north_up_and_true_to_shape() {
        let [x, y] = project(CENTER);
        assert_eq!([x, y], [WIDTH / 2.0, HEIGHT / 2.0]);
        let [east, north] = project([CENTER[0] + 1.0, CENTER[1] + 1.0]);
        assert!(x < east && north < y);
        assert!(((east - x) / (y - north) - CENTER[1].to_radians().cos()).abs() < 1e-9);
    }

    #[test]
    fn cells_that_reach_to_infinity_are_cut_off_at_the_frame() {
        let everywhere = [f64::NEG_INFINITY; 2];
        let [top_left, bottom_right] = on_paper(everywhere, [f64::INFINITY; 2]).unwrap();
        assert!(top_left.iter().chain(&bottom_right).all(|number| number.is_finite()));
        assert!(on_paper(everywhere, [-170.0, 90.0]).is_none());
    }
}
