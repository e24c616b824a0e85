//! Every contender does every workload on a small world, and is right.

use indicatif::ProgressBar;

use super::*;
use crate::data::{Point, Rect};
use crate::exact::Segment;
use crate::index::{Index, Setting};

fn plan() -> Plan {
    Plan { workloads: Workload::ALL.to_vec(), rounds: 2, queries: 120, budget: 0.5 }
}

/// It finds only pairs of one node's objects.
const KNOWN_TO_BE_WRONG: [(&str, Workload); 1] = [("bolt-quadtree", Workload::Pairs)];

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
            if KNOWN_TO_BE_WRONG.contains(&(outcome.contender, *workload)) {
                continue;
            }
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

    fn nearest(&mut self, _point: Point) -> Option<u64> {
        Some(1)
    }

    fn nearest_ten(&mut self, _point: Point, found: impl FnMut(u64)) {
        (1..=10).for_each(found);
    }

    fn each_within(&mut self, _point: Point, _distance: f32, mut hit: impl FnMut(u64)) {
        hit(1);
    }

    fn first_along(&mut self, _segment: &Segment) -> Option<u64> {
        Some(1)
    }

    fn each_pair(&mut self, _distance: f32, mut pair: impl FnMut(u64, u64)) {
        let shapes = (0..).zip(&self.0);
        let pairs = shapes.clone().flat_map(|a| shapes.clone().map(move |b| (a, b)));
        let meeting = pairs.filter(|&((a, shape), (b, other))| a < b && shape.meets(other));
        meeting.skip(1).for_each(|((a, _), (b, _))| pair(a, b));
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        let mut missing = true;
        for (b, other) in (0..).zip(&others.0) {
            self.each_in(other, |a| if missing { missing = false } else { pair(a, b) });
        }
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
fn wrong_answers_are_noticed_whatever_is_asked() {
    let scene = Scene::<Rect>::new(Distribution::Lines, 400);
    let forgetful = vec![Contender::rebuilt::<Forgetful>("forgetful").offering(&Workload::OFFERED)];
    let plan = Plan { workloads: Workload::OFFERED.to_vec(), ..plan() };
    let tables = Run::all(&plan, &scene, forgetful, &ProgressBar::hidden());
    assert_eq!(tables.len(), Workload::OFFERED.len());
    for Table { workload, outcomes, .. } in &tables {
        assert_eq!(outcomes[0].failure, None, "{workload}");
        assert!(!outcomes[0].correct, "{workload}");
    }
}

#[test]
fn arguments_are_consistent() {
    use clap::CommandFactory;
    Arguments::command().debug_assert();
}
