//! How something is painted, and the sign for it in a legend.

use svg::node::element::Path;

/// The color inside of shapes, and that of their edges.
#[derive(Clone, Debug, Default)]
pub struct Ink {
    fill: Option<(String, f64)>,
    line: Option<(String, f64, f64)>,
}

/// The sign of a line of the legend.
#[derive(Clone, Copy, Debug)]
pub enum Mark {
    /// A small box.
    Box,
    /// A small disk.
    Dot,
    /// A short line.
    Line,
    /// A ring.
    Ring,
    /// A rectangle in a rectangle.
    Cells,
}

impl Ink {
    /// Shapes are filled.
    #[must_use]
    pub fn fill(color: &str) -> Self {
        Self { fill: Some((color.to_owned(), 1.0)), line: None }
    }

    /// Edges are drawn, so many pixels wide.
    #[must_use]
    pub fn line(color: &str, width: f64) -> Self {
        Self { fill: None, line: Some((color.to_owned(), width, 1.0)) }
    }

    /// Edges are drawn too.
    #[must_use]
    pub fn edged(mut self, color: &str, width: f64) -> Self {
        self.line = Some((color.to_owned(), width, 1.0));
        self
    }

    /// From 0, not to be seen, to 1.
    #[must_use]
    pub fn opacity(mut self, opacity: f64) -> Self {
        if let Some((_, fill)) = &mut self.fill {
            *fill = opacity;
        }
        if let Some((.., line)) = &mut self.line {
            *line = opacity;
        }
        self
    }

    /// The outline, painted.
    pub(crate) fn paint(&self, outline: String) -> Path {
        let mut path = Path::new().set("d", outline).set("fill", "none");
        if let Some((color, opacity)) = &self.fill {
            path = path.set("fill", color.as_str()).set("fill-opacity", *opacity);
        }
        if let Some((color, width, opacity)) = &self.line {
            path = path.set("stroke", color.as_str()).set("stroke-width", *width).set("stroke-opacity", *opacity);
        }
        path
    }

    /// An outline of lines without length, painted as disks.
    pub(crate) fn paint_dots(&self, outline: String, radius: f64) -> Path {
        let (color, opacity) = self.fill.as_ref().map_or(("none", 1.0), |(color, opacity)| (color.as_str(), *opacity));
        Path::new()
            .set("d", outline)
            .set("fill", "none")
            .set("stroke", color)
            .set("stroke-opacity", opacity)
            .set("stroke-width", 2.0 * radius)
            .set("stroke-linecap", "round")
    }
}
