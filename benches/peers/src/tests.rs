//! Every contender does every workload on a small world, and is right; wrong ones are noticed.

use indicatif::ProgressBar;

use super::*;
use crate::contender::Contender;
use crate::data::{Point, Rect};
use crate::exact::Segment;
use crate::index::{Index, Setting};

fn plan() -> Plan {
    Plan { workloads: Workload::ALL.to_vec(), rounds: 2, queries: 60, budget: 0.5 }
}

/// It finds only pairs of one node's objects.
const KNOWN_TO_BE_WRONG: [(&str, Workload); 1] = [("bolt-quadtree", Workload::Pairs)];

fn all_are_right(tasks: Vec<Task>) {
    measure::quiet_guarded_panics();
    let order = Order { plan: plan(), tasks, contenders: Vec::new(), unusual: false };
    for task in &order.tasks {
        let tables = measure(&order, task, &ProgressBar::hidden());
        assert_eq!(tables.len(), task.workloads.len(), "{task:?}");
        for table in &tables {
            for outcome in table.outcomes.iter().filter(|outcome| !is_known_to_be_wrong(outcome.contender, table)) {
                let failure = outcome.failure.as_deref().unwrap_or("wrong answers");
                let (workload, data) = (table.workload, table.distribution.name());
                assert!(outcome.correct, "{} in {workload}, {data}: {failure}", outcome.contender);
            }
        }
    }
}

fn is_known_to_be_wrong(contender: &str, table: &Table) -> bool {
    KNOWN_TO_BE_WRONG.contains(&(contender, table.workload))
}

fn in_space(space: Space, distribution: Distribution, form: Form) {
    all_are_right(Order::tasks(&[space], &[300], &[distribution], &[form], &Workload::ALL));
}

#[test]
fn uniform_points() {
    in_space(Space::Plane, Distribution::Uniform, Form::Point);
}

#[test]
fn clustered_points() {
    in_space(Space::Plane, Distribution::Clustered, Form::Point);
}

#[test]
fn uniform_rects() {
    in_space(Space::Plane, Distribution::Uniform, Form::Rect);
}

#[test]
fn clustered_rects() {
    in_space(Space::Plane, Distribution::Clustered, Form::Rect);
}

#[test]
fn points_in_space() {
    in_space(Space::Solid, Distribution::Uniform, Form::Point);
}

#[test]
fn rects_in_space() {
    in_space(Space::Solid, Distribution::Clustered, Form::Rect);
}

#[test]
fn points_of_f64() {
    in_space(Space::Double, Distribution::Clustered, Form::Point);
}

#[test]
fn rects_of_f64() {
    in_space(Space::Double, Distribution::Uniform, Form::Rect);
}

#[test]
fn cliffs_are_answered_rightly() {
    let order = order::cliffs(Plan { rounds: 1, queries: 20, ..plan() }, &[150], &[]);
    let tables: Vec<Table> =
        order.tasks.iter().flat_map(|task| measure(&order, task, &ProgressBar::hidden())).collect();
    for table in &tables {
        let wrong =
            table.outcomes.iter().filter(|outcome| outcome.contender.starts_with("quadrille") && !outcome.correct);
        assert_eq!(wrong.count(), 0, "{table:?}");
    }
    assert!(report::cliffs(&tables).contains("| crowd-across "));
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

    fn any_pair(&mut self) -> Option<(u64, u64)> {
        Some((0, 0))
    }

    fn found_first_in(&mut self, _window: &Rect) -> Option<u64> {
        Some(0)
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
    // Only dynamic contenders move a few.
    let offered = Workload::OFFERED.into_iter().filter(|workload| *workload != Workload::Few);
    let plan = Plan { workloads: offered.collect(), ..plan() };
    let tables = Run::all(&plan, &scene, forgetful, &ProgressBar::hidden());
    assert_eq!(tables.len(), plan.workloads.len());
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
