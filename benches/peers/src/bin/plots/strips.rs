//! Strips of dots: a strip for each workload and scene, a dot for each contender that answered rightly.

use std::collections::BTreeSet;

use plotters::prelude::{BindKeyPoints, ChartBuilder, IntoLogRange, LabelAreaPosition, PathElement, Rectangle};
use plotters::style::{BLACK, Color, RGBColor};

use crate::axes::{around, short, ticks};
use crate::looks::{Cast, family, legend_height, text};
use crate::rows::{OURS, Row, Scene};
use crate::{Canvas, Drawn};

const GROUPS: [(&str, &str, &[&str]); 5] = [
    ("changes", "Changes", &["insert", "bulk", "move", "update", "teleport", "remove", "remove-in-order", "tick"]),
    (
        "windows",
        "Windows",
        &[
            "window10",
            "window10-moved",
            "window10-teleported",
            "window100",
            "window100-moved",
            "window100-teleported",
            "window1000",
            "window1000-moved",
            "window1000-teleported",
            "read1000",
            "count1000",
        ],
    ),
    ("first-hits", "First hits", &["first", "exists", "stab"]),
    ("distances", "Nearest objects, and rays", &["nearest1", "nearest10", "within", "raycast"]),
    ("pairs", "Pairs and joins", &["pairs", "join"]),
];

/// Whoever takes more than so many times as long is not told apart, for a scan would squeeze all others together.
const MOST: f64 = 100.0;

const STRIP: u32 = 18;
const TITLE: u32 = 66;
const AXIS: u32 = 26;
const LABELS: u32 = 290;

/// One strip.
#[derive(Debug)]
struct Strip<'a> {
    workload: &'a str,
    label: String,
    dots: Vec<(&'a str, f64)>,
}

/// One picture.
#[derive(Debug)]
pub(crate) struct Strips<'a> {
    name: &'static str,
    title: &'static str,
    /// The meaning of the axis.
    axis: &'static str,
    /// Where a line is drawn for comparison.
    line: Option<f64>,
    rows: Vec<Strip<'a>>,
}

/// The right contenders' times divided by quadrille's; nothing where quadrille has none or is wrong.
fn ratios<'a>(rows: &[&'a Row]) -> Vec<(&'a str, f64)> {
    let right = || rows.iter().filter(|row| row.correct).filter_map(|row| Some((&*row.contender, row.median_ns?)));
    let Some((_, ours)) = right().find(|&(name, _)| name == OURS) else { return Vec::new() };
    right().map(|(name, time)| (name, time / ours)).collect()
}

/// The bytes of each contender, from the first workload that has them. quadrille's variants are the same index.
fn weights<'a>(rows: &[&'a Row]) -> Vec<(&'a str, f64)> {
    let mut weights: Vec<(&str, f64)> = Vec::new();
    let is_variant = |name: &str| name != OURS && family(name) == OURS;
    for row in rows.iter().filter(|row| row.correct && !is_variant(&row.contender)) {
        let known = weights.iter().any(|&(name, _)| name == row.contender);
        weights.extend(row.bytes_per_object.filter(|_| !known).map(|bytes| (&*row.contender, bytes)));
    }
    weights
}

fn scenes(rows: &[Row]) -> BTreeSet<&Scene> {
    rows.iter().map(|row| &row.scene).collect()
}

fn timed<'a>(rows: &'a [Row], workloads: &[&'a str]) -> Vec<Strip<'a>> {
    let strips = workloads.iter().flat_map(|&workload| {
        scenes(rows).into_iter().map(move |scene| {
            let of_strip: Vec<&Row> =
                rows.iter().filter(|row| row.workload == workload && row.scene == *scene).collect();
            Strip { workload, label: format!("{workload} · {}", scene.label()), dots: ratios(&of_strip) }
        })
    });
    strips.filter(|strip| !strip.dots.is_empty()).collect()
}

fn weighed(rows: &[Row]) -> Vec<Strip<'_>> {
    let strips = scenes(rows).into_iter().map(|scene| {
        let of_scene: Vec<&Row> = rows.iter().filter(|row| row.scene == *scene).collect();
        Strip { workload: &scene.shape, label: scene.label(), dots: weights(&of_scene) }
    });
    strips.filter(|strip| !strip.dots.is_empty()).collect()
}

/// All pictures there is something to draw in.
pub(crate) fn all(rows: &[Row]) -> Vec<Strips<'_>> {
    let mut all: Vec<Strips<'_>> = GROUPS
        .iter()
        .map(|&(name, title, workloads)| Strips {
            name,
            title,
            axis: "median time divided by quadrille's, so left is faster; a mark right of 100 stands for anything beyond",
            line: Some(1.0),
            rows: timed(rows, workloads),
        })
        .collect();
    all.push(Strips {
        name: "bytes",
        title: "Memory",
        axis: "bytes an object, a value of 8 bytes included; left is smaller",
        line: None,
        rows: weighed(rows),
    });
    all.retain(|strips| !strips.rows.is_empty());
    all
}

impl Strips<'_> {
    pub(crate) fn file(&self) -> String {
        format!("{}.svg", self.name)
    }

    fn names(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.rows.iter().flat_map(|strip| &strip.dots).map(|&(name, _)| name).collect();
        names.into_iter().collect()
    }

    fn header(&self) -> u32 {
        TITLE + legend_height(self.names().len())
    }

    pub(crate) fn height(&self) -> u32 {
        self.header() + 2 * AXIS + STRIP * self.rows.len() as u32 + 16
    }

    /// Where a value is drawn: values beyond the end of the axis, just behind it.
    fn place(&self, value: f64) -> f64 {
        if self.line.is_some() && value > MOST { MOST * 1.12 } else { value }
    }

    pub(crate) fn draw(&self, canvas: &Canvas<'_>, cast: &Cast) -> Drawn {
        text(canvas, self.title, (20, 12), 20)?;
        text(canvas, self.axis, (20, 38), 13)?;
        cast.legend(canvas, TITLE.cast_signed(), &self.names())?;
        let (_, below) = canvas.split_vertically(self.header());
        let values = self.rows.iter().flat_map(|strip| &strip.dots).map(|&(_, value)| self.place(value));
        let range = around(values);
        let count = f64::from(self.rows.len() as u32);
        let mut chart = ChartBuilder::on(&below)
            .margin(8)
            .margin_right(24)
            .set_label_area_size(LabelAreaPosition::Left, LABELS)
            .set_label_area_size(LabelAreaPosition::Top, AXIS)
            .set_label_area_size(LabelAreaPosition::Bottom, AXIS)
            .build_cartesian_2d(
                range.clone().log_scale().with_key_points(ticks(&range, &[1.0, 2.0, 5.0])),
                0.0..count,
            )?;
        chart.draw_series(self.bands().map(|(above, under)| {
            let corners = [(range.start, count - above), (range.end, count - under)];
            Rectangle::new(corners, RGBColor(0xf2, 0xf4, 0xf7).filled())
        }))?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_y_mesh().y_labels(0).x_label_formatter(&|x| short(*x));
        mesh.label_style(("sans-serif", 13)).light_line_style(RGBColor(0xee, 0xee, 0xee)).draw()?;
        let line = self.line.map(|x| PathElement::new([(x, 0.0), (x, count)], BLACK.stroke_width(1)));
        chart.draw_series(line)?;
        let height = (0..).map(|number| count - 0.5 - f64::from(number));
        for (strip, y) in self.rows.iter().zip(height) {
            let (_, middle) = chart.backend_coord(&(range.start, y));
            text(canvas, &strip.label, (20, middle - 6), 13)?;
            let mut dots = strip.dots.clone();
            dots.sort_by_key(|&(name, _)| std::cmp::Reverse(cast.rank(name)));
            for (name, value) in dots {
                cast.of(name).draw(canvas, chart.backend_coord(&(self.place(value), y)))?;
            }
        }
        Ok(())
    }

    /// Every other workload's strips, shaded: the first and the one behind the last.
    fn bands(&self) -> impl Iterator<Item = (f64, f64)> {
        let mut ends: Vec<u32> = Vec::new();
        for (strip, end) in self.rows.iter().zip(1..) {
            match ends.last_mut() {
                Some(last) if self.rows[*last as usize - 1].workload == strip.workload => *last = end,
                _ => ends.push(end),
            }
        }
        let starts: Vec<u32> = std::iter::once(0).chain(ends.iter().copied()).collect();
        starts.into_iter().zip(ends).step_by(2).map(|(start, end)| (f64::from(start), f64::from(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::example;

    #[test]
    fn ratios_are_of_the_right_ones() {
        let rows = [
            example("rstar", Some(6.0), true),
            example(OURS, Some(2.0), true),
            example("wrong", Some(1.0), false),
            example("panicked", None, true),
        ];
        assert_eq!(ratios(&rows.iter().collect::<Vec<_>>()), [("rstar", 3.0), (OURS, 1.0)]);
        assert!(ratios(&[&rows[0]]).is_empty());
    }
}
