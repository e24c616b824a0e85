//! The rows of the files: only those figures that are drawn are read.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::Failure;
use crate::axes::short;

/// The contender that all others are compared with.
pub(crate) const OURS: &str = "quadrille";

/// So many sizes make a line worth drawing.
const SIZES: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Dynamic,
    Static,
    Bound,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) workload: String,
    #[serde(flatten)]
    pub(crate) scene: Scene,
    pub(crate) contender: String,
    pub(crate) kind: Kind,
    pub(crate) median_ns: Option<f64>,
    pub(crate) bytes_per_object: Option<f64>,
    pub(crate) correct: bool,
}

/// In the order in which scenes are drawn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub(crate) struct Scene {
    /// Files of an older version have the plane alone.
    #[serde(default = "plane")]
    pub(crate) space: String,
    pub(crate) shape: String,
    pub(crate) n: u32,
    pub(crate) distribution: String,
}

fn plane() -> String {
    "2d".into()
}

impl Scene {
    pub(crate) fn label(&self) -> String {
        let place = if self.space == plane() { String::new() } else { format!("{} · ", self.space) };
        format!("{place}{} · {} · {}", self.shape, short(f64::from(self.n)), self.distribution)
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<Row>, Failure> {
    let text = fs::read_to_string(path).map_err(|source| Failure::Read { path: path.to_owned(), source })?;
    serde_json::from_str(&text).map_err(|source| Failure::Figures { path: path.to_owned(), source })
}

/// Whether one distribution was measured at many sizes.
pub(crate) fn grows(rows: &[Row]) -> bool {
    let distributions: BTreeSet<&str> = rows.iter().map(|row| row.scene.distribution.as_str()).collect();
    distributions.into_iter().any(|distribution| {
        let scenes = rows.iter().map(|row| &row.scene).filter(|scene| scene.distribution == distribution);
        scenes.map(|scene| scene.n).collect::<BTreeSet<_>>().len() >= SIZES
    })
}

/// All rows, but a workload in a scene only from the first run that has it: times of two runs are not comparable.
pub(crate) fn unseen(runs: Vec<Vec<Row>>) -> Vec<Row> {
    let mut seen: HashSet<(String, Scene)> = HashSet::new();
    let mut rows = Vec::new();
    for run in runs {
        let new: Vec<Row> =
            run.into_iter().filter(|row| !seen.contains(&(row.workload.clone(), row.scene.clone()))).collect();
        seen.extend(new.iter().map(|row| (row.workload.clone(), row.scene.clone())));
        rows.extend(new);
    }
    rows
}

#[cfg(test)]
pub(crate) fn example(contender: &str, median_ns: Option<f64>, correct: bool) -> Row {
    let scene = Scene { space: plane(), shape: "point".into(), n: 1000, distribution: "uniform".into() };
    Row {
        workload: "insert".into(),
        scene,
        contender: contender.into(),
        kind: Kind::Dynamic,
        median_ns,
        bytes_per_object: None,
        correct,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_run_adds_only_what_is_new() {
        let mut other = example("rstar", Some(2.0), true);
        other.scene.n = 2000;
        let runs = vec![vec![example(OURS, Some(1.0), true)], vec![example("rstar", Some(9.0), true), other]];
        let rows = unseen(runs);
        let medians: Vec<_> = rows.iter().map(|row| row.median_ns).collect();
        assert_eq!(medians, [Some(1.0), Some(2.0)]);
    }
}
