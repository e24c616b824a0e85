//! Every contender does every workload on a small world, and is right.

use indicatif::ProgressBar;

use super::*;
use crate::contender::{Index, Setting};
use crate::data::Rect;

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

/// Knows all objects but the first.
struct Forgetful(Vec<Rect>);

impl Index<Rect> for Forgetful {
    fn build(_setting: &Setting, shapes: &[Rect]) -> Self {
        Self(shapes.to_vec())
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        let found = (0..).zip(&self.0).skip(1).filter(|(_, shape)| shape.meets(window));
        found.for_each(|(id, _)| hit(id));
    }

    fn any_in(&mut self, _window: &Rect) -> Option<u64> {
        panic!("no idea")
    }
}

#[test]
fn who_is_wrong_or_panics_is_shown_and_never_best() {
    measure::quiet_guarded_panics();
    // Windows around few objects surely meet the first.
    let scene = Scene::<Rect>::new(Distribution::Lines, 100);
    let forgetful = vec![Contender::rebuilt::<Forgetful>("forgetful")];
    let plan = Plan { workloads: vec![Workload::Bulk, Workload::First], ..plan() };
    let tables = Run::all(&plan, &scene, forgetful, &ProgressBar::hidden());
    let [bulk, first] = &tables[..] else { panic!("{} tables instead of two", tables.len()) };
    assert!(!bulk.outcomes[0].correct);
    assert_eq!(bulk.outcomes[0].failure, None);
    assert!(!first.outcomes[0].correct);
    assert_eq!(first.outcomes[0].failure.as_deref(), Some("no idea"));
    assert!(report::workload(bulk).contains("**wrong**"));
    assert!(report::workload(first).contains("panicked: no idea"));
    assert!(!report::summary(&tables).contains("forgetful"));
    assert!(report::rows(&tables).iter().all(|row| !row.correct));
}

#[test]
fn arguments_are_consistent() {
    use clap::CommandFactory;
    Arguments::command().debug_assert();
}
