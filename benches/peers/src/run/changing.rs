//! Changes: of all objects, pass by pass, and windows afterwards.

use std::rc::Rc;

use crate::check::{Answers, Referee, Tally};
use crate::competitor::{CHECKED, Competitor};
use crate::contender::Runner;
use crate::data::{Point, Rect, Scalar, Shape, on_lattice, unit};
use crate::index::Setting;
use crate::plan::Outcome;
use crate::question::{OfWindow, Question, Replies, Right};
use crate::scene::Scene;
use crate::workload::{Before, FEW, Workload};

use super::{Run, referee};

/// How many ticks objects move before windows are asked for again.
const TICKS: u64 = 20;
/// Of so many objects one asks for its neighbours in a tick.
const ASKING: usize = 10;
/// How often the few move in a round: an odd number, so that they do not end where they began.
const FEW_TIMES: usize = 201;

impl<P: Shape<S, D>, S: Scalar, const D: usize> Run<'_, P, S, D> {
    pub(super) fn moves(&mut self) {
        let next = |shapes: &[P], tick| Scene::moved(shapes, tick);
        self.changes(Workload::Move, Some(Before::Moved), TICKS, next, |runner, setting, before, after| {
            runner.move_all(setting, before, after);
        });
    }

    /// Rounds of moves by one step; the contender is told that step too.
    pub(super) fn updates(&mut self) {
        let step: Point<S, D> = [on_lattice(0.75 * unit::<D>()); D];
        let rounds = self.plan.rounds as u64;
        let next = |shapes: &[P], _| shapes.iter().map(|shape| P::of(shape.bounds().shifted(step))).collect();
        self.changes(Workload::Update, None, rounds, next, |runner, setting, before, after| {
            runner.update_all(setting, before, after, step);
        });
    }

    pub(super) fn teleports(&mut self) {
        let (scene, rounds) = (self.scene, self.plan.rounds as u64);
        let next = |_: &[P], round| scene.teleported(round);
        self.changes(Workload::Teleport, Some(Before::Teleported), rounds, next, |runner, setting, before, after| {
            runner.teleport_all(setting, before, after);
        });
    }

    /// Rounds of changes, and windows afterwards, also for those that take no part in the changes.
    fn changes(
        &mut self,
        workload: Workload,
        then: Option<Before>,
        rounds: u64,
        next: impl Fn(&[P], u64) -> Vec<P>,
        work: impl Fn(&mut dyn Runner<P, S, D>, &Setting<S>, &[P], &[P]),
    ) {
        let windows = then.into_iter().flat_map(|then| [10, 100, 1000].map(|target| Workload::Window(target, then)));
        if !self.build_for(&windows.chain([workload]).collect::<Vec<_>>()) {
            return;
        }
        let mut outcomes = self.open(workload);
        let mut shapes = Rc::new(self.scene.shapes.clone());
        // Where those stayed that sit out.
        let mut behind: Vec<Option<Rc<Vec<P>>>> = vec![None; self.competitors.len()];
        for round in 0..rounds {
            let after = Rc::new(next(&shapes, round));
            for ((competitor, outcome), behind) in self.competitors.iter_mut().zip(&mut outcomes).zip(&mut behind) {
                if !competitor.built || behind.is_some() {
                    continue;
                }
                if outcome.as_ref().is_some_and(|outcome| outcome.sits_out(self.plan)) {
                    *behind = Some(Rc::clone(&shapes));
                    continue;
                }
                let time = competitor.time(|runner| work(runner, &self.setting, &shapes, &after));
                if let Some(outcome) = outcome {
                    outcome.add(time, after.len());
                }
            }
            shapes = after;
        }
        let probes = self.probes();
        for ((competitor, outcome), behind) in self.competitors.iter_mut().zip(&mut outcomes).zip(behind) {
            let Some(before) = behind else { continue };
            match outcome {
                Some(outcome) if outcome.is_hopeless(self.plan) => {
                    outcome.correct = competitor.agrees(&probes, &referee(&before).answers(&probes));
                    competitor.clear();
                }
                _ => _ = competitor.time(|runner| work(runner, &self.setting, &before, &shapes)),
            }
        }
        let referee = referee(&shapes);
        self.close_changes(workload, outcomes, &referee, &[]);
        if let Some(then) = then {
            self.windows(then, &referee);
        }
        self.clear();
    }

    /// Checks all contenders, also where these objects are.
    fn close_changes(
        &mut self,
        workload: Workload,
        mut outcomes: Vec<Option<Outcome>>,
        referee: &Referee<S, D>,
        moved: &[P],
    ) {
        if !self.plan.has(workload) {
            return;
        }
        let places = moved.iter().map(|shape| Rect::at(shape.bounds().center()));
        let probes: Vec<Rect<S, D>> = places.chain(self.probes()).take(CHECKED).collect();
        let answers = referee.answers(&probes);
        for (competitor, outcome) in self.competitors.iter_mut().zip(&mut outcomes) {
            // Contenders without an index were checked where they stayed.
            if let Some(outcome) = outcome.as_mut().filter(|_| competitor.built) {
                outcome.correct = competitor.agrees(&probes, &answers);
            }
        }
        self.close(workload, None, outcomes);
    }

    /// A few objects move to and fro, beside all others.
    pub(super) fn few(&mut self) {
        if !self.build_for(&[Workload::Few]) {
            return;
        }
        let mut outcomes = self.open(Workload::Few);
        let mut here = self.scene.shapes[..FEW.min(self.n())].to_vec();
        for round in 0..self.plan.rounds as u64 {
            let there = Scene::moved(&here, 2000 + round);
            for (competitor, outcome) in self.competitors.iter_mut().zip(&mut outcomes) {
                let Some(outcome) = outcome else { continue };
                let time = competitor.time(|runner| {
                    for number in 0..FEW_TIMES {
                        let (from, to) = if number % 2 == 0 { (&here, &there) } else { (&there, &here) };
                        runner.move_few(from, to);
                    }
                });
                outcome.add(time, here.len() * FEW_TIMES);
            }
            here = there;
        }
        let mut shapes = self.scene.shapes.clone();
        shapes[..here.len()].copy_from_slice(&here);
        self.close_changes(Workload::Few, outcomes, &referee(&shapes), &here);
        self.clear();
    }

    pub(super) fn removal(&mut self, workload: Workload, order: &[u32]) {
        if !self.plan.has(workload) {
            return;
        }
        let mut outcomes = self.open(workload);
        let (setting, shapes, probes) = (&self.setting, &self.scene.shapes, self.probes());
        let (first, rest) = order.split_at(order.len() / 2);
        let half = Half::of(shapes, rest);
        let answers = half.answers(&probes);
        for _ in 0..self.plan.rounds {
            for (competitor, outcome) in self.competitors.iter_mut().zip(&mut outcomes) {
                let Some(outcome) = outcome else { continue };
                if outcome.sits_out(self.plan) {
                    continue;
                }
                let built = competitor.build(shapes.len(), |runner| runner.build(setting, shapes));
                let times = [
                    competitor.time(|runner| runner.remove_all(first, shapes)),
                    half.agrees(competitor, &probes, &answers, &mut outcome.correct),
                    competitor.time(|runner| runner.remove_all(rest, shapes)),
                ];
                let mut none = [Tally::default()];
                competitor.time(|runner| runner.answer(&[self.scene.world], &mut none));
                outcome.correct &= none == [Tally::default()];
                if let [Some(first), Some(_), Some(rest)] = times {
                    outcome.add(Some(first + rest), shapes.len());
                    outcome.spent += built.unwrap_or_default();
                }
                competitor.clear();
            }
        }
        self.close(workload, None, outcomes);
    }

    pub(super) fn ticks(&mut self) {
        if !self.build_for(&[Workload::Tick]) {
            return;
        }
        let mut outcomes = self.open(Workload::Tick);
        let mut shapes = self.scene.shapes.clone();
        let mut replies = Replies::default();
        let mut hits = None;
        for round in 0..self.plan.rounds as u64 {
            let after = Scene::moved(&shapes, 1000 + round);
            let centers = after.iter().step_by(ASKING).map(|shape| shape.bounds().center());
            let windows: Vec<Rect<S, D>> = centers.map(|center| Rect::around(center, self.neighbourhood)).collect();
            let answers = referee(&after).answers(&windows);
            let question = Question::Windows(OfWindow::All, &windows);
            for (competitor, outcome) in self.competitors.iter_mut().zip(&mut outcomes) {
                let Some(outcome) = outcome else { continue };
                if outcome.sits_out(self.plan) {
                    continue;
                }
                replies.clear(question);
                competitor.warm_up(question, &mut replies);
                let guess = || competitor.affordable(self.plan.budget, question, &mut replies);
                let count = *outcome.asked.get_or_insert_with(guess);
                let moved = competitor.time(|runner| runner.move_all(&self.setting, &shapes, &after));
                let asked = competitor.ask(question, count, &mut replies);
                if let (Some(moved), Some(asked)) = (moved, asked) {
                    // A contender that was asked fewer is taken to go on like that.
                    let all = asked * windows.len() as f64 / count.max(1) as f64;
                    outcome.add(Some(moved + all), after.len());
                }
                outcome.correct &=
                    asked.is_some() && competitor.is_right(count, Right::All(&answers), &mut None, &replies);
            }
            hits = Some(answers.mean());
            shapes = after;
        }
        for outcome in outcomes.iter_mut().flatten() {
            outcome.asked = outcome.asked.filter(|&asked| asked < self.n().div_ceil(ASKING));
        }
        self.close(Workload::Tick, hits, outcomes);
        self.clear();
    }
}

/// The objects that are left when half of them are removed.
struct Half<S, const D: usize> {
    ids: Vec<u32>,
    referee: Referee<S, D>,
}

impl<S: Scalar, const D: usize> Half<S, D> {
    fn of<P: Shape<S, D>>(shapes: &[P], ids: &[u32]) -> Self {
        let bounds = ids.iter().map(|&id| shapes[id as usize].bounds());
        Self { ids: ids.to_vec(), referee: Referee::new(bounds) }
    }

    fn answers(&self, probes: &[Rect<S, D>]) -> Answers {
        self.referee.answers(probes)
    }

    fn agrees<P: Shape<S, D>>(
        &self,
        competitor: &mut Competitor<P, S, D>,
        probes: &[Rect<S, D>],
        answers: &Answers,
        correct: &mut bool,
    ) -> Option<f64> {
        let mut tallies = vec![Tally::default(); probes.len()];
        let time = competitor.time(|runner| runner.answer(probes, &mut tallies))?;
        let name = |place: u32| competitor.contender.runner.name(self.ids[place as usize]);
        *correct &= tallies == answers.tallies(probes.len(), name);
        Some(time)
    }
}
