//! Data and questions on which one index or another falls off a cliff, and how far: the ratio to the ordinary case and
//! to the best rival.

use crate::data::Form;
use crate::places::Distribution;
use crate::plan::{Outcome, Table};
use crate::task::{OURS, Task};
use crate::workload::{Before, From, Workload};

/// The rivals that the cliffs are compared with.
pub(crate) const RIVALS: [&str; 4] = ["rstar bulk", "parry2d bulk", "kiddo immutable", "packed_spatial_index"];

const W10: Workload = Workload::Window(10, Before::Built);
const W100: Workload = Workload::Window(100, Before::Built);

const fn near(from: From) -> Workload {
    Workload::Nearest(1, from)
}

/// The ordinary scenes: the cliffs are compared with them, and quadrille in unusual settings is measured here.
const ORDINARY: [(Distribution, &[Workload]); 2] = [
    (
        Distribution::Uniform,
        &[
            Workload::Bulk,
            W10,
            W100,
            near(From::Inside),
            near(From::Far),
            Workload::Raycast,
            Workload::Budget,
            Workload::Pairs,
            Workload::JoinFew,
            Workload::Few,
        ],
    ),
    (Distribution::Apart, &[Workload::PairsExist]),
];

const OF_THIN: [Workload; 5] = [W10, W100, near(From::Anywhere), Workload::Raycast, Workload::Pairs];

const CLIFFS: [(Distribution, Form, &[Workload]); 14] = [
    (Distribution::Crowd, Form::Point, &[near(From::Corner), near(From::Side)]),
    (Distribution::CrowdAcross, Form::Point, &[near(From::Corner), near(From::Side)]),
    (Distribution::CrowdAcross, Form::Rect, &[near(From::Corner), near(From::Side)]),
    (Distribution::LevelLine, Form::Point, &[near(From::Anywhere)]),
    (Distribution::SlantedLine, Form::Point, &[near(From::Anywhere)]),
    (Distribution::Ring, Form::Point, &[near(From::Center)]),
    (Distribution::Equal, Form::Point, &[near(From::Anywhere)]),
    (Distribution::Nested, Form::Rect, &[near(From::Center), Workload::Raycast]),
    (Distribution::Thin10, Form::Rect, &OF_THIN),
    (Distribution::Thin100, Form::Rect, &OF_THIN),
    (
        Distribution::Sticks,
        Form::Rect,
        &[W10, W100, near(From::Anywhere), Workload::Raycast, Workload::Pairs, Workload::PairsExist],
    ),
    (Distribution::Giants, Form::Rect, &[W10, near(From::Inside), Workload::Budget]),
    (Distribution::Outside, Form::Point, &[W10, near(From::Inside)]),
    (Distribution::Outside, Form::Rect, &[W10, near(From::Inside), Workload::PairsExist]),
];

pub(crate) fn tasks(n: usize) -> Vec<Task> {
    let forms = [Form::Point, Form::Rect];
    let ordinary = ORDINARY
        .iter()
        .flat_map(|&(distribution, workloads)| forms.map(|form| Task::new(n, distribution, form, workloads)));
    let cliffs = CLIFFS.iter().map(|&(distribution, form, workloads)| Task::new(n, distribution, form, workloads));
    ordinary.filter(|task| !task.workloads.is_empty()).chain(cliffs).collect()
}

/// A case: quadrille's time in it, the ordinary one, and the time of the best rival.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) table: &'a Table,
    /// The setting, where that is the cliff.
    pub(crate) setting: Option<&'static str>,
    pub(crate) ours: &'a Outcome,
    pub(crate) ordinary: Option<f64>,
}

impl<'a> Case<'a> {
    /// All cases of these tables.
    pub(crate) fn all(tables: &'a [Table]) -> Vec<Self> {
        tables
            .iter()
            .flat_map(|table| Self::of_data(tables, table).into_iter().chain(Self::of_settings(table)))
            .collect()
    }

    fn of_data(tables: &'a [Table], table: &'a Table) -> Option<Self> {
        let ordinary = ordinary(table);
        let ours = outcome(table, OURS)?;
        let same = |other: &&Table| (other.n, other.form) == (table.n, table.form);
        let found = tables.iter().filter(same).find(|other| (other.distribution, other.workload) == ordinary);
        let is_ordinary = (table.distribution, table.workload) == ordinary;
        let time = outcome(found?, OURS)?.median();
        (!is_ordinary).then_some(Self { table, setting: None, ours, ordinary: time })
    }

    /// quadrille in unusual settings, compared with quadrille as it comes.
    fn of_settings(table: &'a Table) -> Vec<Self> {
        let Some(ordinary) = outcome(table, OURS).map(Outcome::median) else { return Vec::new() };
        let unusual = |ours: &'a Outcome| {
            let setting = ours.contender.strip_prefix(OURS)?.trim_start();
            (!setting.is_empty()).then_some(Self { table, setting: Some(setting), ours, ordinary })
        };
        table.outcomes.iter().filter_map(unusual).collect()
    }
}

/// The ordinary case of a workload: among uniform objects, or such as do not meet where the question is whether any do.
fn ordinary(table: &Table) -> (Distribution, Workload) {
    match table.workload {
        Workload::PairsExist => (Distribution::Apart, Workload::PairsExist),
        Workload::Nearest(count, _) => (Distribution::Uniform, Workload::Nearest(count, From::Inside)),
        other => (Distribution::Uniform, other),
    }
}

fn outcome<'a>(table: &'a Table, name: &str) -> Option<&'a Outcome> {
    table.outcomes.iter().find(|outcome| outcome.contender == name)
}
