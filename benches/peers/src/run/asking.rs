//! Questions: all of them at once, of all contenders, as often as there are rounds.

use crate::check::Referee;
use crate::couples::clear_of;
use crate::data::{Point, Rect, Shape, distance_for};
use crate::nearby::{Nearby, TEN};
use crate::question::{Question, Replies, Right};
use crate::rays::Rays;
use crate::workload::{Before, Workload};

use super::{NEIGHBOURS, Run};

impl<P: Shape> Run<'_, P> {
    /// All questions about objects as they were built.
    pub(super) fn questions(&mut self, referee: &Referee) {
        let of_built =
            |workload: &Workload| workload.is_query() || matches!(workload, Workload::Pairs | Workload::Join);
        let after = |workload: &Workload| matches!(workload, Workload::Window(_, before) if *before != Before::Built);
        let workloads: Vec<Workload> =
            Workload::ALL.into_iter().filter(|workload| of_built(workload) && !after(workload)).collect();
        if self.build_for(&workloads) {
            self.queries(referee);
            self.pairs(referee);
            self.join(referee);
            self.clear();
        }
    }

    fn queries(&mut self, referee: &Referee) {
        self.windows(Before::Built, referee);
        if self.plans(Workload::First) {
            let windows = self.windows[1].1.clone();
            let answers = referee.answers(&windows);
            self.ask(Workload::First, Question::First(&windows), Right::OneOf(&answers), answers.mean());
        }
        if self.plans(Workload::Stab) {
            let points = self.scene.points(self.plan.queries);
            let rects: Vec<Rect> = points.iter().map(|&point| Rect::at(point)).collect();
            let answers = referee.answers(&rects);
            self.ask(Workload::Stab, Question::Points(&points), Right::All(&answers), answers.mean());
        }
        let spots = self.scene.spots(self.plan.queries);
        self.nearest(&spots, referee);
        self.within(&spots, referee);
        self.raycast(referee);
    }

    pub(super) fn windows(&mut self, before: Before, referee: &Referee) {
        for (target, windows) in self.windows.clone() {
            let workload = Workload::Window(target, before);
            if self.plans(workload) {
                let answers = referee.answers(&windows);
                self.ask(workload, Question::Windows(&windows), Right::All(&answers), answers.mean());
            }
        }
    }

    fn nearest(&mut self, spots: &[Point], referee: &Referee) {
        for (count, question) in [(1, Question::Nearest(spots)), (TEN, Question::NearestTen(spots))] {
            let workload = Workload::Nearest(count as u32);
            if self.plans(workload) {
                let nearby = Nearby::new(referee, spots, count);
                self.ask(workload, question, Right::AsNear(&nearby), count.min(self.n()) as f64);
            }
        }
    }

    fn within(&mut self, spots: &[Point], referee: &Referee) {
        if self.plans(Workload::Within) {
            let distance = clear_of(referee, spots, distance_for(referee, spots, NEIGHBOURS));
            let answers = referee.answers_within(spots, distance);
            self.ask(Workload::Within, Question::Within(spots, distance), Right::All(&answers), answers.mean());
        }
    }

    fn raycast(&mut self, referee: &Referee) {
        if self.plans(Workload::Raycast) {
            let rays = Rays::new(self.scene, referee, self.plan.queries);
            self.ask(Workload::Raycast, Question::Along(&rays.segments), Right::This(&rays.firsts), rays.hitting());
        }
    }

    /// Asks the same questions of all, round by round.
    fn ask(&mut self, workload: Workload, question: Question, right: Right, hits: f64) {
        let mut outcomes = self.open(workload);
        let mut replies = Replies::default();
        let mut known = vec![None; outcomes.len()];
        for (competitor, outcome) in self.competitors.iter().zip(&mut outcomes) {
            // Who was too slow to be where the others are is not asked.
            outcome.take_if(|_| !competitor.built);
        }
        for _ in 0..self.plan.rounds {
            for ((competitor, outcome), known) in self.competitors.iter_mut().zip(&mut outcomes).zip(&mut known) {
                let Some(outcome) = outcome else { continue };
                if outcome.asked_enough(question.len()) {
                    continue;
                }
                replies.clear(question);
                if outcome.asked.is_none_or(|asked| asked == question.len()) {
                    competitor.warm_up(question, &mut replies);
                }
                let guess = || competitor.affordable(self.plan.budget, question, &mut replies);
                let count = *outcome.asked.get_or_insert_with(guess);
                let time = competitor.ask(question, count, &mut replies);
                outcome.times.extend(time.map(|time| time / count.max(1) as f64));
                outcome.correct &= time.is_some() && competitor.is_right(count, right, known, &replies);
            }
        }
        for outcome in outcomes.iter_mut().flatten() {
            outcome.asked = outcome.asked.filter(|&asked| asked < question.len());
        }
        self.close(workload, Some(hits), outcomes);
    }
}
