//! A part of a picture that shows a world: from the world's coordinates, upwards, to pixels, downwards.

use std::fmt::Write;

use quadrille::{CellKind, Cells, Rect, Scalar};
use svg::node::element::{Group, RadialGradient, Stop, Text};

use super::{Ink, Position, rectangle};
use crate::palette::{LETTERS, PAPER, STONE, TREE};

/// How far beyond its frame a panel draws, so that edges of what is cut off are not seen.
const BLEED: f64 = 4.0;

/// A part of a picture, in which a world is drawn.
#[derive(Debug)]
pub struct Panel {
    number: usize,
    place: Rect<f64, 2>,
    /// The pixel of the world's origin.
    origin: Position,
    /// Pixels of a unit of length.
    scale: f64,
    content: Group,
    glows: Vec<RadialGradient>,
}

impl Panel {
    pub(super) fn new<S: Scalar>(number: usize, place: Rect<f64, 2>, world: Rect<S, 2>) -> Self {
        let [[left, bottom], [right, top]] = [world.min(), world.max()].map(|corner| corner.map(Into::into));
        let scale = (place.size()[0] / (right - left)).min(place.size()[1] / (top - bottom));
        let [x, y] = place.center();
        let origin = [x - f64::midpoint(left, right) * scale, y + f64::midpoint(bottom, top) * scale];
        Self { number, place, origin, scale, content: Group::new(), glows: Vec::new() }
    }

    /// A background and a thin frame.
    pub fn frame(&mut self) {
        let ground = rectangle(self.place).set("fill", STONE).set("fill-opacity", 0.05);
        self.add(ground);
    }

    /// Boxes, all of one ink.
    pub fn boxes<S: Scalar>(&mut self, ink: &Ink, boxes: impl IntoIterator<Item = Rect<S, 2>>) {
        let mut outline = String::new();
        boxes.into_iter().filter_map(|shape| self.cut(shape)).for_each(|shape| append_rect(&mut outline, shape));
        self.add(ink.paint(outline));
    }

    /// Disks of so many pixels.
    pub fn dots<S: Scalar>(&mut self, ink: &Ink, radius: f64, centers: impl IntoIterator<Item = [S; 2]>) {
        let mut outline = String::new();
        for [x, y] in centers.into_iter().map(|center| self.pixel(center)).filter(|&at| self.is_visible(at)) {
            write!(outline, "M{x:.1} {y:.1}h0").expect("a string takes everything");
        }
        self.add(ink.paint_dots(outline, radius));
    }

    /// Circles of so many pixels.
    pub fn rings<S: Scalar>(&mut self, ink: &Ink, radius: f64, centers: impl IntoIterator<Item = [S; 2]>) {
        let mut outline = String::new();
        for center in centers.into_iter().map(|center| self.pixel(center)).filter(|&at| self.is_visible(at)) {
            append_ring(&mut outline, center, radius);
        }
        self.add(ink.paint(outline));
    }

    /// Straight lines from place to place.
    pub fn lines<S: Scalar>(&mut self, ink: &Ink, lines: impl IntoIterator<Item = [[S; 2]; 2]>) {
        let mut outline = String::new();
        for line in lines {
            let [[x, y], [to_x, to_y]] = line.map(|end| self.pixel(end));
            write!(outline, "M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}").expect("a string takes everything");
        }
        self.add(ink.paint(outline));
    }

    /// Lines through many places.
    pub fn ways<S: Scalar>(&mut self, ink: &Ink, ways: impl IntoIterator<Item = impl IntoIterator<Item = [S; 2]>>) {
        let outline = ways.into_iter().map(|way| self.way(way)).collect();
        self.add(ink.paint(outline).set("stroke-linejoin", "round"));
    }

    /// Polygons.
    pub fn polygons<S: Scalar>(
        &mut self,
        ink: &Ink,
        polygons: impl IntoIterator<Item = impl IntoIterator<Item = [S; 2]>>,
    ) {
        let outline = polygons.into_iter().map(|corners| self.way(corners) + "Z").collect();
        self.add(ink.paint(outline).set("stroke-linejoin", "round"));
    }

    /// A polygon in a light that fades with the distance from its lamp, and adds to other lights.
    pub fn glow<S: Scalar>(&mut self, color: &str, lamp: [S; 2], radius: S, lit: impl IntoIterator<Item = [S; 2]>) {
        let ([x, y], name) = (self.pixel(lamp), format!("glow{}-{}", self.number, self.glows.len()));
        let stop = |offset: f64, opacity: f64| {
            Stop::new().set("offset", offset).set("stop-color", color).set("stop-opacity", opacity)
        };
        let glow = RadialGradient::new()
            .set("id", name.as_str())
            .set("gradientUnits", "userSpaceOnUse")
            .set("cx", x)
            .set("cy", y)
            .set("r", radius.into() * self.scale);
        self.glows.push(glow.add(stop(0.0, 0.85)).add(stop(0.35, 0.38)).add(stop(1.0, 0.0)));
        let outline = self.way(lit) + "Z";
        self.add(Ink::fill(&format!("url(#{name})")).paint(outline).set("style", "mix-blend-mode:screen"));
    }

    /// The squares of a tree: the nodes as frames, its blocks the brighter the fuller.
    pub fn cells<T, S: Scalar>(&mut self, cells: Cells<'_, T, S, 2>) {
        let (mut frames, mut shades) = (String::new(), [const { String::new() }; 8]);
        for cell in cells {
            let Some(shape) = self.cut(cell.square()) else { continue };
            append_rect(
                match cell.kind() {
                    CellKind::Node => &mut frames,
                    CellKind::Block => &mut shades[shade(cell.len(), shape)],
                },
                shape,
            );
        }
        for (number, outline) in (0_u8..).zip(shades) {
            self.add(
                Ink::fill(TREE)
                    .opacity(0.035 * f64::from(number))
                    .edged(TREE, 0.7)
                    .paint(outline)
                    .set("stroke-opacity", 0.4),
            );
        }
        self.add(Ink::line(TREE, 1.6).opacity(0.6).paint(frames));
    }

    /// Words, beginning at a place.
    pub fn words<S: Scalar>(&mut self, at: [S; 2], size: u8, words: &str) {
        let [x, y] = self.pixel(at);
        self.add(text([x, y], size, words));
    }

    /// The pixel of a place.
    fn pixel<S: Scalar>(&self, [x, y]: [S; 2]) -> Position {
        [self.origin[0] + x.into() * self.scale, self.origin[1] - y.into() * self.scale]
    }

    fn is_visible(&self, pixel: Position) -> bool {
        self.place.expanded(BLEED).contains_point(pixel)
    }

    /// A box in pixels, cut off just outside the frame; nothing if all of it is outside.
    fn cut<S: Scalar>(&self, shape: Rect<S, 2>) -> Option<Rect<f64, 2>> {
        let frame = self.place.expanded(BLEED);
        Rect::new(self.pixel(shape.min()), self.pixel(shape.max())).intersection(&frame)
    }

    fn way<S: Scalar>(&self, places: impl IntoIterator<Item = [S; 2]>) -> String {
        let mut outline = String::new();
        for (place, sign) in places.into_iter().zip(std::iter::once('M').chain(std::iter::repeat('L'))) {
            let [x, y] = self.pixel(place);
            write!(outline, "{sign}{x:.1} {y:.1}").expect("a string takes everything");
        }
        outline
    }

    fn add(&mut self, node: impl svg::Node) {
        self.content = std::mem::take(&mut self.content).add(node);
    }

    pub(super) fn place(&self) -> Rect<f64, 2> {
        self.place
    }

    pub(super) fn clip(&self) -> String {
        format!("panel{}", self.number)
    }

    pub(super) fn definitions(&self) -> &[RadialGradient] {
        &self.glows
    }

    pub(super) fn into_group(self) -> Group {
        let clip = format!("url(#{})", self.clip());
        Group::new().set("clip-path", clip).set("style", "isolation:isolate").add(self.content)
    }
}

/// Words in the letters of all pictures.
pub(super) fn text([x, y]: Position, size: u8, words: &str) -> Text {
    Text::new(words).set("x", x).set("y", y).set("font-family", LETTERS).set("font-size", size).set("fill", PAPER)
}

/// Objects in a pixel, above which a block is brighter by one.
const LIMITS: [f64; 7] = [0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128];

/// How full a block is for its size: from 0 to 7.
fn shade(len: usize, shape: Rect<f64, 2>) -> usize {
    let [width, height] = shape.size();
    let density = crate::text::float(len) / (width * height).max(1.0);
    LIMITS.iter().filter(|&&limit| limit < density).count()
}

/// Appends a rectangle to the outline of a path: thousands of them make one element.
pub fn append_rect(outline: &mut String, shape: Rect<f64, 2>) {
    let ([left, top], [right, bottom]) = (shape.min(), shape.max());
    write!(outline, "M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}Z").expect("a string takes everything");
}

/// Appends a circle to the outline of a path.
pub fn append_ring(outline: &mut String, [x, y]: Position, radius: f64) {
    let (left, across) = (x - radius, 2.0 * radius);
    write!(
        outline,
        "M{left:.1} {y:.1}a{radius:.1} {radius:.1} 0 1 0 {across:.1} 0a{radius:.1} {radius:.1} 0 1 0 -{across:.1} 0"
    )
    .expect("a string takes everything");
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exactly these numbers are meant")]
mod tests {
    use super::*;
    use crate::Picture;

    #[test]
    fn a_panel_shows_its_world_upwards_in_its_middle() {
        let world = Rect::new([0.0_f32, 0.0], [10.0, 10.0]);
        let panel = Picture::new("", [300.0, 200.0]).whole(world);
        assert_eq!(panel.pixel([0.0_f32, 0.0]), [50.0, 200.0]);
        assert_eq!(panel.pixel([10.0_f32, 10.0]), [250.0, 0.0]);
    }

    #[test]
    fn boxes_that_reach_to_infinity_are_cut_off_at_the_frame() {
        let panel = Picture::new("", [300.0, 200.0]).whole(Rect::new([0.0_f32, 0.0], [10.0, 10.0]));
        let cut = panel.cut(Rect::<f32, 2>::everything()).unwrap();
        assert_eq!((cut.min(), cut.max()), ([-4.0, -4.0], [304.0, 204.0]));
        assert!(panel.cut(Rect::new([f32::NEG_INFINITY, 0.0], [-9.0, 10.0])).is_none());
    }
}
