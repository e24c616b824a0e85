//! Pictures: panels of a world each, and a line of title and legend below them, which nothing can overlap.
//!
//! It does not know the programs.

mod ink;
mod legend;
mod panel;

use quadrille::{Rect, Scalar};
use svg::Document;
use svg::node::element::{ClipPath, Definitions, Group, LinearGradient, Rectangle, Stop};

pub use ink::{Ink, Mark};
pub use panel::Panel;
pub use panel::{append_rect, append_ring};

use crate::palette::{NIGHT, TREE};

/// A place in a picture, in pixels from the upper left corner; or one in a world.
pub type Position = [f64; 2];

/// The space between panels, and around them.
const MARGIN: f64 = 16.0;

/// A picture to be drawn on.
#[derive(Debug)]
pub struct Picture {
    title: String,
    legend: Vec<(Mark, Ink, String)>,
    /// Width, and height without the legend.
    size: Position,
    definitions: Definitions,
    content: Group,
    panels: usize,
}

impl Picture {
    /// An empty picture, so wide and so high in pixels; below it comes the legend if there is a title.
    #[must_use]
    pub fn new(title: impl Into<String>, size: Position) -> Self {
        let night =
            NIGHT.iter().zip([0, 1]).fold(
                LinearGradient::new().set("id", "night").set("x2", 0).set("y2", 1),
                |gradient, (color, offset)| gradient.add(Stop::new().set("offset", offset).set("stop-color", *color)),
            );
        let definitions = Definitions::new().add(night);
        Self { title: title.into(), legend: Vec::new(), size, definitions, content: Group::new(), panels: 0 }
    }

    /// A panel that fills the picture to its edges.
    pub fn whole<S: Scalar>(&mut self, world: Rect<S, 2>) -> Panel {
        self.panel(Rect::new([0.0; 2], self.size), world)
    }

    /// Panels side by side, each of so many parts of the width.
    pub fn columns<S: Scalar, const N: usize>(&mut self, columns: [(f64, Rect<S, 2>); N]) -> [Panel; N] {
        let parts: f64 = columns.iter().map(|(parts, _)| parts).sum();
        #[expect(clippy::cast_precision_loss, reason = "a few columns")]
        let width = self.size[0] - MARGIN * (N + 1) as f64;
        let mut left = MARGIN;
        columns.map(|(part, world)| {
            let right = left + width * part / parts;
            let place = Rect::new([left, MARGIN], [right, self.size[1]]);
            left = right + MARGIN;
            self.panel(place, world)
        })
    }

    /// A panel in a part of the picture that shows all of a world, true to shape and upwards, in its middle.
    pub fn panel<S: Scalar>(&mut self, place: Rect<f64, 2>, world: Rect<S, 2>) -> Panel {
        self.panels += 1;
        Panel::new(self.panels, place, world)
    }

    /// Puts a panel into the picture, over those before.
    pub fn add(&mut self, panel: Panel) {
        let definitions = std::mem::take(&mut self.definitions);
        let clip = ClipPath::new().set("id", panel.clip()).add(rectangle(panel.place()).set("rx", 8));
        self.definitions = panel.definitions().iter().cloned().fold(definitions.add(clip), Definitions::add);
        self.content = std::mem::take(&mut self.content).add(panel.into_group());
    }

    /// Adds a line to the legend.
    pub fn legend(&mut self, mark: Mark, ink: &Ink, words: impl Into<String>) {
        self.legend.push((mark, ink.clone(), words.into()));
    }

    /// Adds the line about the cells of a tree to the legend.
    pub fn legend_of_cells(&mut self, words: impl Into<String>) {
        self.legend(Mark::Cells, &Ink::line(TREE, 1.2), words);
    }

    /// The text of an SVG.
    #[must_use]
    pub fn into_svg(self) -> String {
        let [width, top] = self.size;
        let (legend, below) = legend::draw(&self.title, &self.legend, self.size);
        let height = top + below;
        Document::new()
            .set("viewBox", (0, 0, width, height))
            .set("width", width)
            .set("height", height)
            .add(self.definitions)
            .add(rectangle(Rect::new([0.0; 2], [width, height])).set("fill", "url(#night)"))
            .add(self.content)
            .add(legend)
            .to_string()
    }
}

fn rectangle(place: Rect<f64, 2>) -> Rectangle {
    let ([left, top], [width, height]) = (place.min(), place.size());
    Rectangle::new().set("x", left).set("y", top).set("width", width).set("height", height)
}
