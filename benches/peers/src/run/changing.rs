//! Changes: of all objects, pass by pass, and windows afterwards.

use std::rc::Rc;

use crate::check::{Answers, Referee, Tally};
use crate::competitor::Competitor;
use crate::contender::Runner;
use crate::data::{Rect, Scene, Shape};
use crate::index::Setting;
use crate::plan::Outcome;
use crate::question::{Question, Replies, Right};
use crate::workload::{Before, Workload};

use super::{Run, referee};

/// How many ticks objects move before windows are asked for again.
const TICKS: u64 = 20;
/// Of so many objects one asks for its neighbours in a tick.
const ASKING: usize = 10;

impl<P: Shape> Run<'_, P> {
    pub(super) fn moves(&mut self) {
        let next = |shapes: &[P], tick| Scene::moved(shapes, tick);
        self.changes(Workload::Move, Before::Moved, TICKS, next, |runner, setting, before, after| {
            runner.move_all(setting, before, after);
        });
    }

    pub(super) fn teleports(&mut self) {
        let (scene, rounds) = (self.scene, self.plan.rounds as u64);
        let next = |_: &[P], round| scene.teleported(round);
        self.changes(Workload::Teleport, Before::Teleported, rounds, next, |runner, setting, before, after| {
            runner.teleport_all(setting, before, after);
        });
    }

    /// Rounds of changes, and windows afterwards, also for those that take no part in the changes.
    fn changes(
        &mut self,
        workload: Workload,
        then: Before,
        rounds: u64,
        next: impl Fn(&[P], u64) -> Vec<P>,
        work: impl Fn(&mut dyn Runner<P>, &Setting, &[P], &[P]),
    ) {
        let windows = [10, 100, 1000].map(|target| Workload::Window(target, then));
        if !self.build_for(&[workload, windows[0], windows[1], windows[2]]) {
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
        self.close_changes(workload, outcomes, &referee);
        self.windows(then, &referee);
        self.clear();
    }

    fn close_changes(&mut self, workload: Workload, mut outcomes: Vec<Option<Outcome>>, referee: &Referee) {
        if !self.plan.has(workload) {
            return;
        }
        let probes = self.probes();
        let answers = referee.answers(&probes);
        for (competitor, outcome) in self.competitors.iter_mut().zip(&mut outcomes) {
            // Who is gone was checked where it stayed.
            if let Some(outcome) = outcome.as_mut().filter(|_| competitor.built) {
                outcome.correct = competitor.agrees(&probes, &answers);
            }
        }
        self.close(workload, None, outcomes);
    }

    pub(super) fn removal(&mut self) {
        if !self.plan.has(Workload::Remove) {
            return;
        }
        let mut outcomes = self.open(Workload::Remove);
        let (setting, shapes, probes) = (&self.setting, &self.scene.shapes, self.probes());
        let order = self.scene.order();
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
                competitor.time(|runner| runner.answer(&[Rect::WORLD], &mut none));
                outcome.correct &= none == [Tally::default()];
                if let [Some(first), Some(_), Some(rest)] = times {
                    outcome.add(Some(first + rest), shapes.len());
                    outcome.spent += built.unwrap_or_default();
                }
                competitor.clear();
            }
        }
        self.close(Workload::Remove, None, outcomes);
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
            let windows: Vec<Rect> = centers.map(|center| Rect::around(center, self.neighbourhood)).collect();
            let answers = referee(&after).answers(&windows);
            let question = Question::Windows(&windows);
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
                    // Who was asked fewer is taken to go on like that.
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
struct Half {
    ids: Vec<u32>,
    referee: Referee,
}

impl Half {
    fn of<P: Shape>(shapes: &[P], ids: &[u32]) -> Self {
        let bounds = ids.iter().map(|&id| shapes[id as usize].bounds());
        Self { ids: ids.to_vec(), referee: Referee::new(bounds) }
    }

    fn answers(&self, probes: &[Rect]) -> Answers {
        self.referee.answers(probes)
    }

    fn agrees<P: Shape>(
        &self,
        competitor: &mut Competitor<P>,
        probes: &[Rect],
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
