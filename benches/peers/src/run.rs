//! One scene, all contenders: each workload in rounds, in each round one contender after the other, every answer
//! checked.

use std::rc::Rc;

use indicatif::ProgressBar;

use crate::check::{Answers, Referee, Tally};
use crate::competitor::{CHECKED, Competitor, Question, Replies};
use crate::contender::{Contender, Runner, Setting};
use crate::data::{Rect, Scene, Shape};
use crate::plan::{Outcome, Plan, Table};
use crate::workload::{Before, Workload};

/// How many ticks objects move before windows are asked for again.
const TICKS: u64 = 20;
/// Of so many objects one asks for its neighbours in a tick, and for about how many.
const ASKING: usize = 10;
const NEIGHBOURS: u32 = 20;

pub(crate) struct Run<'a, P> {
    plan: &'a Plan,
    scene: &'a Scene<P>,
    setting: Setting,
    competitors: Vec<Competitor<P>>,
    /// Windows by how many objects they hold.
    windows: Vec<(u32, Vec<Rect>)>,
    /// Half the side of the square in which an object looks for its neighbours.
    neighbourhood: f32,
    progress: &'a ProgressBar,
    tables: Vec<Table>,
}

fn referee<P: Shape>(shapes: &[P]) -> Referee {
    Referee::new(shapes.iter().map(Shape::bounds))
}

impl<'a, P: Shape> Run<'a, P> {
    /// Measures everything that is planned for one scene.
    pub(crate) fn all(
        plan: &'a Plan,
        scene: &'a Scene<P>,
        contenders: Vec<Contender<P>>,
        progress: &'a ProgressBar,
    ) -> Vec<Table> {
        let referee = referee(&scene.shapes);
        let windows = [10, 100, 1000].map(|target| (target, scene.windows(&referee, plan.queries, target)));
        let mut run = Self {
            plan,
            scene,
            setting: Setting::new(&scene.shapes),
            competitors: contenders.into_iter().map(Competitor::new).collect(),
            windows: windows.into(),
            neighbourhood: scene.neighbourhood(&referee, NEIGHBOURS),
            progress,
            tables: Vec::new(),
        };
        run.builds(&referee);
        run.queries(&referee);
        drop(referee);
        run.moves();
        run.teleports();
        run.removal();
        run.ticks();
        let Self { mut tables, competitors, .. } = run;
        tables.sort_by_key(|table| Workload::ALL.iter().position(|workload| *workload == table.workload));
        for outcome in tables.iter_mut().flat_map(|table| &mut table.outcomes) {
            let competitor = competitors.iter().find(|competitor| competitor.contender.name == outcome.contender);
            outcome.bytes_per_object = competitor.and_then(|competitor| competitor.bytes_per_object);
        }
        tables
    }

    fn n(&self) -> usize {
        self.scene.shapes.len()
    }

    /// The windows that check what changes did.
    fn probes(&self) -> Vec<Rect> {
        let (_, windows) = &self.windows[1];
        windows[..windows.len().min(CHECKED)].to_vec()
    }

    fn announce(&self, workload: Workload) {
        let Scene { distribution, .. } = self.scene;
        self.progress.set_message(format!("{workload}, {} {} {}s", self.n(), distribution.name(), P::FORM.name()));
    }

    /// One workload's table, empty as yet.
    fn open(&self, workload: Workload) -> Vec<Option<Outcome>> {
        self.announce(workload);
        let outcome = |competitor: &Competitor<P>| {
            competitor.contender.takes_part(workload).then(|| Outcome {
                contender: competitor.contender.name,
                kind: competitor.contender.kind,
                times: Vec::new(),
                correct: true,
                bytes_per_object: None,
                asked: None,
                failure: None,
            })
        };
        self.competitors.iter().map(outcome).collect()
    }

    fn close(&mut self, workload: Workload, hits: Option<f64>, outcomes: Vec<Option<Outcome>>) {
        let outcomes = outcomes.into_iter().zip(&self.competitors).filter_map(|(outcome, competitor)| {
            let mut outcome = outcome?;
            outcome.failure = outcome.failure.or_else(|| competitor.failure.clone());
            outcome.correct &= outcome.failure.is_none();
            Some(outcome)
        });
        let outcomes = outcomes.collect();
        let (form, distribution, n) = (P::FORM, self.scene.distribution, self.n());
        self.tables.push(Table { workload, form, distribution, n, hits, outcomes });
        self.progress.inc(1);
    }

    /// Builds those that take part in one of the workloads; `false` if none of these is planned.
    fn build_for(&mut self, workloads: &[Workload]) -> bool {
        let planned: Vec<_> = workloads.iter().copied().filter(|&workload| self.plan.has(workload)).collect();
        for competitor in &mut self.competitors {
            competitor.clear();
            if planned.iter().any(|&workload| competitor.contender.takes_part(workload)) {
                let (scene, setting) = (self.scene, &self.setting);
                competitor.build(scene.shapes.len(), |runner| runner.build(setting, &scene.shapes));
            }
        }
        !planned.is_empty()
    }

    fn clear(&mut self) {
        self.competitors.iter_mut().for_each(Competitor::clear);
    }

    fn builds(&mut self, referee: &Referee) {
        let probes = self.probes();
        let answers = referee.answers(&probes);
        for workload in [Workload::Insert, Workload::Bulk] {
            if !self.plan.has(workload) {
                continue;
            }
            let mut outcomes = self.open(workload);
            for round in 0..self.plan.rounds {
                for (competitor, outcome) in self.competitors.iter_mut().zip(&mut outcomes) {
                    let Some(outcome) = outcome else { continue };
                    let (setting, shapes) = (&self.setting, &self.scene.shapes);
                    if outcome.sits_out(shapes.len(), self.plan) {
                        continue;
                    }
                    let time = competitor.build(shapes.len(), |runner| match workload {
                        Workload::Insert => runner.insert_all(setting, shapes),
                        _ => runner.build(setting, shapes),
                    });
                    outcome.times.extend(time.map(|time| time / shapes.len() as f64));
                    if round == 0 {
                        outcome.correct = competitor.agrees(&probes, &answers);
                    }
                    competitor.clear();
                }
            }
            self.close(workload, None, outcomes);
        }
    }

    fn queries(&mut self, referee: &Referee) {
        let windows = [10, 100, 1000].map(|target| Workload::Window(target, Before::Built));
        if self.build_for(&[windows[0], windows[1], windows[2], Workload::Stab, Workload::First]) {
            self.windows(Before::Built, referee);
            if self.plan.has(Workload::First) {
                let windows = self.windows[1].1.clone();
                self.ask(Workload::First, Question::First(&windows), &referee.answers(&windows));
            }
            if self.plan.has(Workload::Stab) && Workload::Stab.suits(P::FORM) {
                let points = self.scene.points(self.plan.queries);
                let rects: Vec<Rect> = points.iter().map(|&point| Rect::at(point)).collect();
                self.ask(Workload::Stab, Question::Points(&points), &referee.answers(&rects));
            }
            self.clear();
        }
    }

    fn windows(&mut self, before: Before, referee: &Referee) {
        for (target, windows) in self.windows.clone() {
            let workload = Workload::Window(target, before);
            if self.plan.has(workload) {
                self.ask(workload, Question::Windows(&windows), &referee.answers(&windows));
            }
        }
    }

    /// Asks the same questions of all, round by round.
    fn ask(&mut self, workload: Workload, question: Question, answers: &Answers) {
        let mut outcomes = self.open(workload);
        let mut replies = Replies::default();
        for _ in 0..self.plan.rounds {
            for (competitor, outcome) in self.competitors.iter_mut().zip(&mut outcomes) {
                let Some(outcome) = outcome else { continue };
                replies.clear(question.len());
                competitor.warm_up(question, &mut replies);
                let guess = || competitor.affordable(self.plan.budget, question, &mut replies);
                let count = *outcome.asked.get_or_insert_with(guess);
                let time = competitor.time(|runner| replies.ask(runner, question, count));
                outcome.times.extend(time.map(|time| time / count.max(1) as f64));
                outcome.correct &=
                    time.is_some() && replies.are_right(&*competitor.contender.runner, question, count, answers);
            }
        }
        for outcome in outcomes.iter_mut().flatten() {
            outcome.asked = outcome.asked.filter(|&asked| asked < question.len());
        }
        self.close(workload, Some(answers.mean()), outcomes);
    }

    fn moves(&mut self) {
        let next = |shapes: &[P], tick| Scene::moved(shapes, tick);
        self.changes(Workload::Move, Before::Moved, TICKS, next, |runner, setting, before, after| {
            runner.move_all(setting, before, after);
        });
    }

    fn teleports(&mut self) {
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
                if outcome.as_ref().is_some_and(|outcome| outcome.sits_out(after.len(), self.plan)) {
                    *behind = Some(Rc::clone(&shapes));
                    continue;
                }
                let time = competitor.time(|runner| work(runner, &self.setting, &shapes, &after));
                if let Some(outcome) = outcome {
                    outcome.times.extend(time.map(|time| time / after.len() as f64));
                }
            }
            shapes = after;
        }
        for (competitor, behind) in self.competitors.iter_mut().zip(behind) {
            if let Some(before) = behind {
                competitor.time(|runner| work(runner, &self.setting, &before, &shapes));
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
            if let Some(outcome) = outcome {
                outcome.correct = competitor.agrees(&probes, &answers);
            }
        }
        self.close(workload, None, outcomes);
    }

    fn removal(&mut self) {
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
                if outcome.sits_out(shapes.len(), self.plan) {
                    continue;
                }
                competitor.build(shapes.len(), |runner| runner.build(setting, shapes));
                let times = [
                    competitor.time(|runner| runner.remove_all(first, shapes)),
                    half.agrees(competitor, &probes, &answers, &mut outcome.correct),
                    competitor.time(|runner| runner.remove_all(rest, shapes)),
                ];
                let mut none = [Tally::default()];
                competitor.time(|runner| runner.answer(&[Rect::WORLD], &mut none));
                outcome.correct &= none == [Tally::default()];
                if let [Some(first), Some(_), Some(rest)] = times {
                    outcome.times.push((first + rest) / shapes.len() as f64);
                }
                competitor.clear();
            }
        }
        self.close(Workload::Remove, None, outcomes);
    }

    fn ticks(&mut self) {
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
                if outcome.sits_out(after.len(), self.plan) {
                    continue;
                }
                replies.clear(windows.len());
                competitor.warm_up(question, &mut replies);
                let guess = || competitor.affordable(self.plan.budget, question, &mut replies);
                let count = *outcome.asked.get_or_insert_with(guess);
                let moved = competitor.time(|runner| runner.move_all(&self.setting, &shapes, &after));
                let asked = competitor.time(|runner| replies.ask(runner, question, count));
                if let (Some(moved), Some(asked)) = (moved, asked) {
                    // Who was asked fewer is taken to go on like that.
                    let all = asked * windows.len() as f64 / count.max(1) as f64;
                    outcome.times.push((moved + all) / after.len() as f64);
                }
                outcome.correct &=
                    asked.is_some() && replies.are_right(&*competitor.contender.runner, question, count, &answers);
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
