//! How times grow with the number of objects: a panel for each workload.

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

/// One workload.
#[derive(Debug)]
pub(crate) struct Panel<'a> {
    title: String,
    lines: Vec<(&'a str, Vec<(f64, f64)>)>,
}

fn lines<'a>(rows: &[&'a Row]) -> Vec<(&'a str, Vec<(f64, f64)>)> {
    let mut lines: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for row in rows.iter().filter(|row| row.correct) {
        let Some(time) = row.median_ns else { continue };
        let point = (f64::from(row.scene.n), time);
        match lines.iter_mut().find(|(name, _)| *name == row.contender) {
            Some((_, points)) => points.push(point),
            None => lines.push((&row.contender, vec![point])),
        }
    }
    for (_, points) in &mut lines {
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    }
    lines
}

/// A panel for every workload, shape and distribution, as the files have them.
pub(crate) fn panels(rows: &[Row]) -> Vec<Panel<'_>> {
    let key = |row: &Row| [&row.workload, &row.scene.shape, &row.scene.distribution].map(String::clone);
    let mut keys: Vec<[String; 3]> = Vec::new();
    for row in rows {
        if !keys.contains(&key(row)) {
            keys.push(key(row));
        }
    }
    let panels = keys.into_iter().map(|of| {
        let of_panel: Vec<&Row> = rows.iter().filter(|row| key(row) == of).collect();
        Panel { title: of.join(" · "), lines: lines(&of_panel) }
    });
    panels.filter(|panel| !panel.lines.is_empty()).collect()
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
    text(canvas, "Median time by the number of objects", (20, 12), 20)?;
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
        mesh.x_desc("objects").y_desc("ns").light_line_style(RGBColor(0xee, 0xee, 0xee)).draw()?;
        // Who stands first in the legend is drawn last, on top.
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
