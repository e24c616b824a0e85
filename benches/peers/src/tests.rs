//! Every contender does every workload on a small world, and is right.

use indicatif::ProgressBar;

use super::*;

/// Known to be wrong on some data, with what is wrong.
const WRONG: [(&str, &str); 0] = [];

fn plan() -> Plan {
    Plan { workloads: Workload::ALL.to_vec(), rounds: 2, queries: 120, budget: 0.5 }
}

fn all_are_right(form: Form, distribution: Distribution, n: usize) {
    let order = Order {
        plan: plan(),
        numbers: vec![n],
        distributions: vec![distribution],
        forms: vec![form],
        contenders: Vec::new(),
    };
    let tables = order.scene(form, distribution, n, &ProgressBar::hidden());
    assert_eq!(tables.len(), order.len());
    for table in &tables {
        for outcome in &table.outcomes {
            if WRONG.iter().any(|(name, _)| *name == outcome.contender) {
                continue;
            }
            let Table { workload, .. } = table;
            let failure = outcome.failure.as_deref().unwrap_or("wrong answers");
            assert!(outcome.correct, "{} in {workload}, {}: {failure}", outcome.contender, distribution.name());
        }
    }
}

#[test]
fn uniform_points() {
    all_are_right(Form::Point, Distribution::Uniform, 600);
}

#[test]
fn clustered_points() {
    all_are_right(Form::Point, Distribution::Clustered, 600);
}

#[test]
fn uniform_rects() {
    all_are_right(Form::Rect, Distribution::Uniform, 600);
}

#[test]
fn clustered_rects() {
    all_are_right(Form::Rect, Distribution::Clustered, 600);
}

#[test]
fn arguments_are_consistent() {
    use clap::CommandFactory;
    Arguments::command().debug_assert();
}
