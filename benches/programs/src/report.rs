//! The figures, for people and for programs.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Write};
use std::fs;
use std::process::Command;

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use crate::measure::Row;

/// Where it was measured, as far as the system tells.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    processor: String,
    cores: usize,
    caches: String,
    commit: String,
}

impl Machine {
    pub(crate) fn here() -> Self {
        let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let line = |name: &str| {
            let line = told.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.split(": ").nth(1)).unwrap_or("unknown").to_owned()
        };
        let caches = (0..4).filter_map(|number| {
            let of = |name| fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{number}/{name}"));
            let [level, kind, size] =
                [of("level").ok()?, of("type").ok()?, of("size").ok()?].map(|text| text.trim().to_owned());
            (kind != "Instruction").then(|| format!("L{level} {size}"))
        });
        let commit = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
        let commit = commit.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
        // How busy it has been, in threads, over a quarter of an hour.
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').nth(2).unwrap_or("unknown");
        let [name, family, model] = ["model name", "cpu family", "model\t"].map(line);
        Self {
            processor: format!("{name} (family {family}, model {model}), load {load}"),
            cores: rayon::current_num_threads(),
            caches: caches.collect::<Vec<_>>().join(" "),
            commit: commit.trim().to_owned(),
        }
    }
}

impl Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { processor, cores, caches, commit } = self;
        write!(f, "{processor}, {cores} cores, {caches}, commit {commit}")
    }
}

#[derive(Serialize)]
pub(crate) struct Report<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) rows: &'a [Row],
}

fn is_ours(row: &Row) -> bool {
    row.contender.starts_with("quadrille")
}

/// The fastest in the same race that is not quadrille.
fn best_other<'a>(rows: &'a [Row], like: &Row) -> Option<&'a Row> {
    let same = rows.iter().filter(|row| row.scene == like.scene && row.threads == like.threads);
    same.filter(|row| !is_ours(row) && row.is_right).min_by(|a, b| a.median.total_cmp(&b.median))
}

fn ratio(rows: &[Row], row: &Row) -> String {
    best_other(rows, row).map_or_else(String::new, |best| format!("{:.2}", row.median / best.median))
}

fn new_table(header: &[String]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(header);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

fn cores(rows: &[Row]) -> BTreeSet<usize> {
    rows.iter().map(|row| row.threads).collect()
}

/// All contenders of a scene.
pub(crate) fn table(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let title = format!("{}, {} {}: ms a tick", first.scene.program, first.scene.objects, first.scene.distribution);
    let columns = cores(rows);
    let of_cores = |cores: &usize| [format!("{cores} cores"), "least".to_owned(), "to the best other".to_owned()];
    let header: Vec<String> = [title].into_iter().chain(columns.iter().flat_map(of_cores)).collect();
    let mut table = new_table(&header);
    let names = rows.iter().filter(|row| row.threads == first.threads).map(|row| row.contender);
    for name in names {
        let mut line = vec![name.to_owned()];
        for row in
            columns.iter().filter_map(|&cores| rows.iter().find(|row| row.threads == cores && row.contender == name))
        {
            let wrong = if row.is_right { "" } else { " WRONG" };
            line.extend([format!("{:.2}{wrong}", row.median), format!("{:.2}", row.least), ratio(rows, row)]);
        }
        table.add_row(line);
    }
    format!("{table}\n")
}

/// For each race the form that the guide teaches, which is the first, and the fastest, in parts of the best of other libraries and of the
/// best that is written by hand.
pub(crate) fn summary(rows: &[Row]) -> String {
    let header = ["to the best", "cores", "library", "fastest", "", "by hand", "fastest", ""].map(str::to_owned);
    let mut table = new_table(&header);
    for race in rows.chunk_by(|a, b| a.scene == b.scene && a.threads == b.threads) {
        let best = |is_one: &dyn Fn(&Row) -> bool| {
            race.iter().filter(|row| is_one(row)).min_by(|a, b| a.median.total_cmp(&b.median))
        };
        let (Some(guided), Some(fastest)) = (race.iter().find(|row| is_ours(row)), best(&is_ours)) else { continue };
        let Row { scene, threads, .. } = guided;
        let mut line =
            vec![format!("{}, {} {}", scene.program, scene.objects, scene.distribution), threads.to_string()];
        for by_hand in [false, true] {
            let other = best(&|row| !is_ours(row) && row.contender.contains("by hand") == by_hand);
            line.extend(other.map_or([const { String::new() }; 3], |other| {
                let [guided, fastest] = [guided, fastest].map(|row| format!("{:.2}", row.median / other.median));
                [guided, fastest, format!("{} {:.2} ms", other.contender, other.median)]
            }));
        }
        table.add_row(line);
    }
    format!("{table}\n")
}

/// A line for each figure.
pub(crate) fn csv(machine: &Machine, rows: &[Row]) -> String {
    let mut text =
        "program,objects,distribution,cores,contender,ms,least_ms,to_best_other,processor,caches,commit\n".to_owned();
    for row in rows {
        let Row { scene, threads, contender, median, least, .. } = row;
        let Machine { processor, caches, commit, .. } = machine;
        let ratio = ratio(rows, row);
        let _ = writeln!(
            text,
            "\"{}\",{},{},{threads},\"{contender}\",{median:.3},{least:.3},{ratio},\"{processor}\",\"{caches}\",{commit}",
            scene.program, scene.objects, scene.distribution
        );
    }
    text
}
