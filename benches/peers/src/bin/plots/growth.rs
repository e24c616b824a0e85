//! How times and bytes grow with the number of objects: a panel for each workload.

use std::collections::BTreeSet;

use plotters::prelude::{BindKeyPoints, ChartBuilder, IntoLogRange, LineSeries};
use plotters::style::{Color, RGBColor};

use crate::axes::{around, short, ticks};
use crate::looks::{Cast, legend_height, text};
use crate::rows::Row;
use crate::{Canvas, Drawn};

const COLUMNS: usize = 2;
const TITLE: u32 = 44;
const PANEL: u32 = 300;

/// One workload, or the bytes of one scene.
#[derive(Debug)]
pub(crate) struct Panel<'a> {
    title: String,
    unit: &'static str,
    lines: Vec<(&'a str, Vec<(f64, f64)>)>,
}

/// A line for each contender, through the first value of each size.
fn lines<'a>(rows: &[&'a Row], value: impl Fn(&Row) -> Option<f64>) -> Vec<(&'a str, Vec<(f64, f64)>)> {
    let mut lines: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for row in rows.iter().filter(|row| row.correct) {
        let Some(value) = value(row) else { continue };
        let n = f64::from(row.scene.n);
        match lines.iter_mut().find(|(name, _)| *name == row.contender) {
            Some((_, points)) if points.iter().all(|&(known, _)| known < n || n < known) => points.push((n, value)),
            Some(_) => {}
            None => lines.push((&row.contender, vec![(n, value)])),
        }
    }
    for (_, points) in &mut lines {
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    }
    lines
}

/// Rows by a key, in the order in which the keys appear.
fn grouped<K: PartialEq>(rows: &[Row], key: impl Fn(&Row) -> K) -> Vec<(K, Vec<&Row>)> {
    let mut groups: Vec<(K, Vec<&Row>)> = Vec::new();
    for row in rows {
        let key = key(row);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups
}

/// A panel for every workload, space, shape and distribution, as the files have them, and one for the bytes of each
/// space and shape.
pub(crate) fn panels(rows: &[Row]) -> Vec<Panel<'_>> {
    let scene = |row: &Row| [&row.scene.space, &row.scene.shape, &row.scene.distribution].map(String::clone);
    let timed = grouped(rows, |row| (row.workload.clone(), scene(row))).into_iter().map(|((workload, scene), rows)| {
        let title = format!("{workload} · {}", scene.join(" · "));
        Panel { title, unit: "ns", lines: lines(&rows, |row| row.median_ns) }
    });
    let weighed = grouped(rows, |row| [&row.scene.space, &row.scene.shape].map(String::clone));
    let weighed = weighed.into_iter().map(|(scene, rows)| {
        let title = format!("bytes an object · {}", scene.join(" · "));
        Panel { title, unit: "bytes", lines: lines(&rows, |row| row.bytes_per_object) }
    });
    timed.chain(weighed).filter(|panel| panel.lines.iter().any(|(_, points)| 1 < points.len())).collect()
}

fn names<'a>(panels: &[Panel<'a>]) -> Vec<&'a str> {
    let names: BTreeSet<&str> = panels.iter().flat_map(|panel| &panel.lines).map(|&(name, _)| name).collect();
    names.into_iter().collect()
}

fn header(panels: &[Panel<'_>]) -> u32 {
    TITLE + legend_height(names(panels).len()) + 8
}

pub(crate) fn height(panels: &[Panel<'_>]) -> u32 {
    header(panels) + PANEL * panels.len().div_ceil(COLUMNS) as u32
}

pub(crate) fn draw(panels: &[Panel<'_>], canvas: &Canvas<'_>, cast: &Cast) -> Drawn {
    text(canvas, "Median time, and bytes, by the number of objects", (20, 12), 20)?;
    cast.legend(canvas, TITLE.cast_signed(), &names(panels))?;
    let (_, below) = canvas.split_vertically(header(panels));
    let areas = below.split_evenly((panels.len().div_ceil(COLUMNS), COLUMNS));
    panels.iter().zip(areas).try_for_each(|(panel, area)| panel.draw(canvas, &area, cast))
}

impl Panel<'_> {
    /// Marks are drawn on the whole canvas, whose coordinates are pixels.
    fn draw(&self, canvas: &Canvas<'_>, area: &Canvas<'_>, cast: &Cast) -> Drawn {
        let points = || self.lines.iter().flat_map(|(_, points)| points.iter().copied());
        let (numbers, times) = (around(points().map(|point| point.0)), around(points().map(|point| point.1)));
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(24)
            .caption(&self.title, ("sans-serif", 15))
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d(
                numbers.clone().log_scale().with_key_points(ticks(&numbers, &[1.0])),
                times.clone().log_scale().with_key_points(ticks(&times, &[1.0, 2.0, 5.0])),
            )?;
        let mut mesh = chart.configure_mesh();
        mesh.x_label_formatter(&|x| short(*x)).y_label_formatter(&|y| short(*y)).label_style(("sans-serif", 12));
        mesh.x_desc("objects").y_desc(self.unit).light_line_style(RGBColor(0xee, 0xee, 0xee)).draw()?;
        // The first in the legend is drawn last, on top.
        let mut lines: Vec<_> = self.lines.iter().collect();
        lines.sort_by_key(|(name, _)| std::cmp::Reverse(cast.rank(name)));
        for (name, points) in lines {
            let look = cast.of(name);
            chart.draw_series(LineSeries::new(points.iter().copied(), look.colour.stroke_width(2)))?;
            for point in points {
                look.draw(canvas, chart.backend_coord(point))?;
            }
        }
        Ok(())
    }
}
