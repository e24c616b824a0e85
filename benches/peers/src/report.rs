//! The output: a table for each workload, one of quadrille against the best, one of the cliffs, and JSON.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table as Grid};
use serde::Serialize;

use crate::cliffs::Case;
use crate::contender::Kind;
use crate::data::{Form, Space};
use crate::measure::minimum;
use crate::places::Distribution;
use crate::plan::{Outcome, Table};
use crate::task::OURS;

/// One contender in one workload, as JSON.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) space: Space,
    pub(crate) workload: String,
    pub(crate) shape: Form,
    pub(crate) contender: String,
    pub(crate) kind: Kind,
    pub(crate) n: usize,
    pub(crate) distribution: Distribution,
    /// Null for a contender that panicked.
    pub(crate) median_ns: Option<f64>,
    pub(crate) min_ns: Option<f64>,
    pub(crate) bytes_per_object: Option<f64>,
    pub(crate) correct: bool,
}

pub(crate) fn rows(tables: &[Table]) -> Vec<Row> {
    let rows = |table: &Table| {
        let row = |outcome: &Outcome| Row {
            space: table.space,
            workload: table.workload.to_string(),
            shape: table.form,
            contender: outcome.contender.to_owned(),
            kind: outcome.kind,
            n: table.n,
            distribution: table.distribution,
            median_ns: outcome.median(),
            min_ns: minimum(&outcome.times),
            bytes_per_object: outcome.bytes_per_object,
            correct: outcome.correct,
        };
        table.outcomes.iter().map(row).collect::<Vec<_>>()
    };
    tables.iter().flat_map(rows).collect()
}

/// Three significant figures: one more than is reproducible.
fn figure(value: Option<f64>) -> String {
    match value {
        None => "–".into(),
        Some(value) if value < 9.995 => format!("{value:.2}"),
        Some(value) if value < 99.95 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}

fn grid(header: &[&str], texts: &[usize]) -> Grid {
    let mut grid = Grid::new();
    grid.load_style(ASCII_MARKDOWN).set_header(header);
    for (number, column) in grid.column_iter_mut().enumerate() {
        if !texts.contains(&number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    grid
}

fn ours(table: &Table) -> Option<&Outcome> {
    table.outcomes.iter().find(|outcome| outcome.contender == OURS)
}

fn ratio(value: Option<f64>, to: Option<f64>) -> Option<f64> {
    Some(value? / to?)
}

/// One workload: every contender, the fastest first.
pub(crate) fn workload(table: &Table) -> String {
    let Table { space, workload, form, distribution, n, .. } = table;
    let unit = workload.unit();
    let hits = table.hits.map_or(String::new(), |hits| format!(", {} found {unit} on average", figure(Some(hits))));
    let distribution = distribution.name();
    let took = table.took / 1e9;
    let (form, space) = (form.name(), space.name());
    let title = format!("## {workload}: {n} {distribution} {form}s, {space} (ns {unit}{hits}; {took:.1} s in all)");
    let mut grid = grid(
        &["contender", "kind", "median", "minimum", "to quadrille", "bytes an object", "answers", "note"],
        &[0, 1, 6, 7],
    );
    let ours = ours(table).and_then(Outcome::median);
    let rounds = table.outcomes.iter().map(|outcome| outcome.times.len()).max().unwrap_or_default();
    let mut outcomes: Vec<&Outcome> = table.outcomes.iter().collect();
    outcomes.sort_by(|a, b| {
        let time = |outcome: &Outcome| outcome.median().unwrap_or(f64::INFINITY);
        time(a).total_cmp(&time(b))
    });
    for outcome in outcomes {
        let asked = outcome.asked.map(|asked| format!("first {asked} queries"));
        let fewer = (outcome.times.len() < rounds).then(|| format!("{} of {rounds} rounds", outcome.times.len()));
        let cut: Vec<String> = asked.into_iter().chain(fewer).collect();
        let failure = outcome.failure.as_ref().map(|failure| format!("panicked: {}", failure.replace('\n', " ")));
        grid.add_row([
            outcome.contender.to_owned(),
            outcome.kind.name().to_owned(),
            figure(outcome.median()),
            figure(minimum(&outcome.times)),
            figure(ratio(outcome.median(), ours)),
            figure(outcome.bytes_per_object),
            if outcome.correct { "right" } else { "**wrong**" }.to_owned(),
            failure.unwrap_or_else(|| cut.join(", ")),
        ]);
    }
    format!("{title}\n\n{grid}\n")
}

/// The best of those that answered rightly, and quadrille's figure divided by its figure.
fn against<'a>(
    outcomes: impl Iterator<Item = &'a Outcome>,
    ours: Option<f64>,
    value: impl Fn(&Outcome) -> Option<f64>,
) -> [String; 2] {
    let best = outcomes
        .filter(|outcome| outcome.correct)
        .filter_map(|outcome| Some((outcome.contender, value(outcome)?)))
        .min_by(|(_, a), (_, b)| a.total_cmp(b));
    match best {
        None => ["–".into(), "–".into()],
        Some((name, best)) => [format!("{name} {}", figure(Some(best))), figure(ratio(ours, Some(best)))],
    }
}

/// Whether an outcome is a rival's: quadrille's own variants are compared apart.
fn is_rival(outcome: &Outcome) -> bool {
    !outcome.contender.starts_with(OURS)
}

fn summary_row(table: &Table, title: String, value: &dyn Fn(&Outcome) -> Option<f64>) -> Vec<String> {
    let mine = ours(table).and_then(value);
    let of_kinds = |kinds: &'static [Kind]| {
        let outcomes = table.outcomes.iter().filter(|outcome| is_rival(outcome));
        against(outcomes.filter(move |outcome| kinds.contains(&outcome.kind)), mine, value)
    };
    let variants = table.outcomes.iter().filter(|outcome| !is_rival(outcome) && outcome.contender != OURS);
    let wrong = ours(table).is_some_and(|outcome| !outcome.correct);
    let mut row = vec![
        title,
        table.space.name().to_owned(),
        table.form.name().to_owned(),
        table.n.to_string(),
        table.distribution.name(),
        format!("{}{}", figure(mine), if wrong { " **wrong**" } else { "" }),
    ];
    row.extend(of_kinds(&[Kind::Dynamic]));
    row.extend(of_kinds(&[Kind::Dynamic, Kind::Static]));
    row.extend(of_kinds(&[Kind::Bound]));
    let [variant, _] = against(variants, None, value);
    row.push(variant);
    row
}

/// quadrille against the best right contender of each workload: the dynamic ones, all, and the bounds apart.
pub(crate) fn summary(tables: &[Table]) -> String {
    let header = [
        "workload",
        "space",
        "shape",
        "n",
        "distribution",
        "quadrille",
        "best dynamic",
        "ratio",
        "best of all",
        "ratio",
        "bound",
        "ratio",
        "quadrille's best variant",
    ];
    let mut grid = grid(&header, &[0, 1, 2, 4, 6, 8, 10, 12]);
    let mut weighed = Vec::new();
    for table in tables {
        grid.add_row(summary_row(table, table.workload.to_string(), &Outcome::median));
        let scene = (table.space, table.form, table.n, table.distribution);
        if !weighed.contains(&scene) {
            weighed.push(scene);
        }
    }
    for scene in weighed {
        let of_scene = |table: &&Table| (table.space, table.form, table.n, table.distribution) == scene;
        // Those that take part in most, so that nobody is missing who could be weighed.
        let widest = tables.iter().filter(of_scene).max_by_key(|table| table.outcomes.len());
        grid.add_rows(widest.map(|table| summary_row(table, "bytes".into(), &|outcome| outcome.bytes_per_object)));
    }
    format!("## quadrille against the best (ratio: quadrille's median divided by the other's)\n\n{grid}\n")
}

/// Each cliff beside the ordinary case and the best rival, whatever its kind.
pub(crate) fn cliffs(tables: &[Table]) -> String {
    let header = [
        "workload",
        "shape",
        "n",
        "data",
        "setting",
        "quadrille",
        "to ordinary",
        "best rival",
        "to the rival",
        "answers",
    ];
    let mut grid = grid(&header, &[0, 1, 3, 4, 7, 9]);
    for Case { table, setting, ours, ordinary } in Case::all(tables) {
        let mine = ours.median();
        let rivals = table.outcomes.iter().filter(|outcome| is_rival(outcome));
        let [rival, to_rival] = against(rivals, mine, Outcome::median);
        grid.add_row([
            table.workload.to_string(),
            table.form.name().to_owned(),
            table.n.to_string(),
            table.distribution.name(),
            setting.unwrap_or_default().to_owned(),
            figure(mine),
            figure(ratio(mine, ordinary)),
            rival,
            to_rival,
            if ours.correct { "right" } else { "**wrong**" }.to_owned(),
        ]);
    }
    let title =
        "Cliffs (ns an object or query; ratios of quadrille's median to those of the ordinary case and of the rival)";
    format!("## {title}\n\n{grid}\n")
}
