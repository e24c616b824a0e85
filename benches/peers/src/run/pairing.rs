//! Pairs and joins: one question about all objects, so the time is an object's.
//!
//! Dynamic contenders are asked as they stand. Static ones build first, as they would have to in every tick: for pairs
//! the whole index, for a join the other one; the one that is joined with it stands, as walls do.

use std::collections::HashSet;

use crate::check::Referee;
use crate::contender::Runner;
use crate::couples::{Couples, PARTNERS, clear_of, joined, pair};
use crate::data::{Form, Scalar, Shape};
use crate::index::Setting;
use crate::scene::{distance_for, sample};
use crate::workload::{JOINED, Workload};

use super::Run;

impl<P: Shape<S, D>, S: Scalar, const D: usize> Run<'_, P, S, D> {
    pub(super) fn pairs(&mut self, referee: &Referee<S, D>) {
        if !self.plans(Workload::Pairs) {
            return;
        }
        let shapes = &self.scene.shapes;
        let distance = self.partners_distance(referee);
        let couples = Couples::within(referee, shapes, distance);
        self.match_up(
            Workload::Pairs,
            (couples.pairs.len(), self.n()),
            |runner, setting| runner.pairs(setting, shapes, distance),
            |runner| couples.tally(|a, b| pair(runner.name(a), runner.name(b))),
            PartialEq::eq,
        );
    }

    /// Whether any two objects meet.
    pub(super) fn any_pair(&mut self, referee: &Referee<S, D>) {
        if !self.plans(Workload::PairsExist) {
            return;
        }
        let shapes = &self.scene.shapes;
        let couples = Couples::within(referee, shapes, S::from_f64(0.0));
        self.match_up(
            Workload::PairsExist,
            (couples.pairs.len().min(1), self.n()),
            |runner, setting| runner.any_pair(setting, shapes),
            |runner| couples.pairs.iter().map(|&(a, b)| pair(runner.name(a), runner.name(b))).collect::<HashSet<u64>>(),
            |found, known| found.map_or(known.is_empty(), |found| known.contains(&found)),
        );
    }

    /// How far apart objects of a pair may be: rectangles meet.
    fn partners_distance(&self, referee: &Referee<S, D>) -> S {
        if P::FORM == Form::Rect {
            return S::from_f64(0.0);
        }
        let shapes = &self.scene.shapes;
        // Each finds itself too.
        clear_of(referee, shapes, distance_for(referee, &sample(shapes), PARTNERS + 1))
    }

    pub(super) fn join(&mut self, referee: &Referee<S, D>) {
        // As many other objects of the same distribution, or a few of them.
        for (workload, most) in [(Workload::Join, usize::MAX), (Workload::JoinFew, JOINED)] {
            if self.plans(workload) {
                let mut others = self.scene.teleported(0);
                others.truncate(most);
                self.join_with(workload, &others, referee);
            }
        }
    }

    fn join_with(&mut self, workload: Workload, others: &[P], referee: &Referee<S, D>) {
        for competitor in &mut self.competitors {
            if competitor.built && competitor.contender.takes_part(workload) {
                competitor.time(|runner| runner.build_others(&self.setting, others));
            }
        }
        let couples = Couples::joined(referee, others);
        self.match_up(
            workload,
            (couples.pairs.len(), others.len()),
            |runner, setting| runner.join(setting, others),
            |runner| couples.tally(|other, a| joined(runner.name(a), runner.name_of_other(other))),
            PartialEq::eq,
        );
    }

    /// Asks for so many pairs of so many objects, and compares the answer with the right one, which depends on names.
    fn match_up<R: Default, K>(
        &mut self,
        workload: Workload,
        (pairs, objects): (usize, usize),
        work: impl Fn(&mut dyn Runner<P, S, D>, &Setting<S>) -> R,
        right: impl Fn(&dyn Runner<P, S, D>) -> K,
        agree: impl Fn(&R, &K) -> bool,
    ) {
        let mut outcomes = self.open(workload);
        let mut rights: Vec<Option<K>> = outcomes.iter().map(|_| None).collect();
        for _ in 0..self.plan.rounds {
            for ((competitor, outcome), known) in self.competitors.iter_mut().zip(&mut outcomes).zip(&mut rights) {
                let Some(outcome) = outcome else { continue };
                if outcome.sits_out(self.plan) {
                    continue;
                }
                let mut reply = R::default();
                let time = competitor.time(|runner| reply = work(runner, &self.setting));
                outcome.add(time, objects);
                let runner = &*competitor.contender.runner;
                outcome.correct &= time.is_some() && agree(&reply, known.get_or_insert_with(|| right(runner)));
            }
        }
        self.close(workload, Some(pairs as f64 / objects.max(1) as f64), outcomes);
    }
}
