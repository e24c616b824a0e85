//! One scene, all contenders: each workload in rounds, in each round one contender after the other, every answer
//! checked.

mod asking;
mod changing;
mod pairing;

use indicatif::ProgressBar;

use crate::check::Referee;
use crate::competitor::{CHECKED, Competitor};
use crate::contender::Contender;
use crate::data::{Rect, Scalar, Shape, Space};
use crate::index::Setting;
use crate::measure::thread_time;
use crate::plan::{Outcome, Plan, Table};
use crate::scene::Scene;
use crate::workload::Workload;

/// About how many neighbours an object has that asks for them.
const NEIGHBOURS: u32 = 20;

pub(crate) struct Run<'a, P, S, const D: usize> {
    plan: &'a Plan,
    scene: &'a Scene<P, S, D>,
    setting: Setting<S>,
    competitors: Vec<Competitor<P, S, D>>,
    /// How many questions of a kind are asked in a round.
    questions: usize,
    /// Windows by how many objects they hold.
    windows: Vec<(u32, Vec<Rect<S, D>>)>,
    /// Half the side of the square in which an object looks for its neighbours.
    neighbourhood: S,
    progress: &'a ProgressBar,
    tables: Vec<Table>,
    /// Since which time of this thread the next table is worked on.
    since: f64,
}

fn referee<P: Shape<S, D>, S: Scalar, const D: usize>(shapes: &[P]) -> Referee<S, D> {
    Referee::new(shapes.iter().map(Shape::bounds))
}

impl<'a, P: Shape<S, D>, S: Scalar, const D: usize> Run<'a, P, S, D> {
    /// Measures everything that is planned for one scene.
    pub(crate) fn all(
        plan: &'a Plan,
        scene: &'a Scene<P, S, D>,
        contenders: Vec<Contender<P, S, D>>,
        progress: &'a ProgressBar,
    ) -> Vec<Table> {
        let referee = referee(&scene.shapes);
        let questions = plan.queries.min(scene.distribution.questions_max(scene.shapes.len()));
        let windows = [10, 100, 1000].map(|target| (target, scene.windows(&referee, questions, target)));
        let mut run = Self {
            plan,
            scene,
            setting: Setting::new(&scene.shapes),
            competitors: contenders.into_iter().map(Competitor::new).collect(),
            questions,
            windows: windows.into(),
            neighbourhood: scene.neighbourhood(&referee, NEIGHBOURS),
            progress,
            tables: Vec::new(),
            since: thread_time(),
        };
        run.builds(&referee);
        run.asked(&referee);
        drop(referee);
        run.moves();
        run.updates();
        run.teleports();
        run.few();
        run.removal(Workload::Remove, &scene.order());
        run.removal(Workload::RemoveInOrder, &(0..scene.shapes.len() as u32).collect::<Vec<_>>());
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

    /// Whether a workload is planned, and is one for such objects.
    fn plans(&self, workload: Workload) -> bool {
        self.plan.has(workload) && workload.suits(P::FORM)
    }

    /// The windows that check the effect of changes.
    fn probes(&self) -> Vec<Rect<S, D>> {
        let (_, windows) = &self.windows[1];
        windows[..windows.len().min(CHECKED)].to_vec()
    }

    fn announce(&self, workload: Workload) {
        let (space, distribution) = (Space::of::<S, D>().name(), self.scene.distribution.name());
        self.progress.set_message(format!("{workload}, {} {distribution} {}s, {space}", self.n(), P::FORM.name()));
    }

    /// One workload's table, empty as yet.
    fn open(&self, workload: Workload) -> Vec<Option<Outcome>> {
        self.announce(workload);
        let outcome = |competitor: &Competitor<P, S, D>| {
            competitor.contender.takes_part(workload).then(|| Outcome {
                contender: competitor.contender.name,
                kind: competitor.contender.kind,
                times: Vec::new(),
                spent: 0.0,
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
        let (space, form, distribution, n) = (Space::of::<S, D>(), P::FORM, self.scene.distribution, self.n());
        let took = thread_time() - self.since;
        self.since += took;
        self.tables.push(Table { space, workload, form, distribution, n, hits, took, outcomes });
        self.progress.inc(1);
    }

    /// Builds those that take part in one of the workloads; `false` if none of these is planned.
    fn build_for(&mut self, workloads: &[Workload]) -> bool {
        let planned: Vec<_> = workloads.iter().copied().filter(|&workload| self.plans(workload)).collect();
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

    fn builds(&mut self, referee: &Referee<S, D>) {
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
                    if outcome.sits_out(self.plan) {
                        continue;
                    }
                    let time = competitor.build(shapes.len(), |runner| match workload {
                        Workload::Insert => runner.insert_all(setting, shapes),
                        _ => runner.build(setting, shapes),
                    });
                    outcome.add(time, shapes.len());
                    if round == 0 {
                        outcome.correct = competitor.agrees(&probes, &answers);
                    }
                    competitor.clear();
                }
            }
            self.close(workload, None, outcomes);
        }
    }
}
