//! Pairs and joins: one question about all objects, so the time is an object's.
//!
//! Dynamic contenders are asked as they stand. Static ones build first, as they would have to in every tick: for pairs
//! the whole index, for a join the other one; the one that is joined with it stands, as walls do.

use crate::check::{Referee, Tally};
use crate::contender::Runner;
use crate::couples::{Couples, PARTNERS, clear_of, joined, pair};
use crate::data::{Form, Point, Shape, distance_for};
use crate::index::Setting;
use crate::workload::Workload;

use super::Run;

impl<P: Shape> Run<'_, P> {
    pub(super) fn pairs(&mut self, referee: &Referee) {
        if !self.plans(Workload::Pairs) {
            return;
        }
        let shapes = &self.scene.shapes;
        let distance = self.partners_distance(referee);
        let couples = Couples::within(referee, shapes, distance);
        self.match_up(
            Workload::Pairs,
            couples.pairs.len(),
            |runner, setting| runner.pairs(setting, shapes, distance),
            |runner| couples.tally(|a, b| pair(runner.name(a), runner.name(b))),
        );
    }

    /// How far apart objects of a pair may be: rectangles meet.
    fn partners_distance(&self, referee: &Referee) -> f32 {
        if P::FORM == Form::Rect {
            return 0.0;
        }
        let centers = self.scene.shapes.iter().step_by(self.n() / 500 + 1);
        let centers: Vec<Point> = centers.map(|shape| shape.bounds().center()).collect();
        // Each finds itself too.
        clear_of(referee, &self.scene.shapes, distance_for(referee, &centers, PARTNERS + 1))
    }

    pub(super) fn join(&mut self, referee: &Referee) {
        if !self.plans(Workload::Join) {
            return;
        }
        // As many other objects of the same distribution.
        let others = self.scene.teleported(0);
        for competitor in &mut self.competitors {
            if competitor.built && competitor.contender.takes_part(Workload::Join) {
                competitor.time(|runner| runner.build_others(&self.setting, &others));
            }
        }
        let couples = Couples::joined(referee, &others);
        self.match_up(
            Workload::Join,
            couples.pairs.len(),
            |runner, setting| runner.join(setting, &others),
            |runner| couples.tally(|other, a| joined(runner.name(a), runner.name_of_other(other))),
        );
    }

    fn match_up(
        &mut self,
        workload: Workload,
        pairs: usize,
        work: impl Fn(&mut dyn Runner<P>, &Setting) -> Tally,
        right: impl Fn(&dyn Runner<P>) -> Tally,
    ) {
        let (n, mut outcomes) = (self.n(), self.open(workload));
        let mut rights: Vec<Option<Tally>> = vec![None; outcomes.len()];
        for _ in 0..self.plan.rounds {
            for ((competitor, outcome), known) in self.competitors.iter_mut().zip(&mut outcomes).zip(&mut rights) {
                let Some(outcome) = outcome else { continue };
                if outcome.sits_out(self.plan) {
                    continue;
                }
                let mut tally = Tally::default();
                let time = competitor.time(|runner| tally = work(runner, &self.setting));
                outcome.add(time, n);
                let runner = &*competitor.contender.runner;
                outcome.correct &= time.is_some() && tally == *known.get_or_insert_with(|| right(runner));
            }
        }
        self.close(workload, Some(pairs as f64 / n.max(1) as f64), outcomes);
    }
}
