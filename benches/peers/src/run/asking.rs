//! Questions: all of them at once, of all contenders, as often as there are rounds.

use crate::check::Referee;
use crate::couples::clear_of;
use crate::data::{Point, Rect, Scalar, Shape};
use crate::nearby::{Nearby, TEN};
use crate::question::{OfPoint, OfWindow, Question, Replies, Right};
use crate::rays::Rays;
use crate::scene::distance_for;
use crate::workload::{Before, From, Workload};

use super::{NEIGHBOURS, Run};

impl<P: Shape<S, D>, S: Scalar, const D: usize> Run<'_, P, S, D> {
    /// All questions about objects as they were built.
    pub(super) fn asked(&mut self, referee: &Referee<S, D>) {
        let of_pairs = [Workload::Pairs, Workload::PairsExist, Workload::Join, Workload::JoinFew];
        let after = |workload: &Workload| matches!(workload, Workload::Window(_, before) if *before != Before::Built);
        let asked =
            |workload: &Workload| of_pairs.contains(workload) || workload.unit() == "a query" && !after(workload);
        let workloads: Vec<Workload> = Workload::ALL.into_iter().filter(asked).collect();
        if self.build_for(&workloads) {
            self.queries(referee);
            self.pairs(referee);
            self.any_pair(referee);
            self.join(referee);
            self.clear();
        }
    }

    fn queries(&mut self, referee: &Referee<S, D>) {
        self.windows(Before::Built, referee);
        self.about_windows(referee);
        if self.plans(Workload::Stab) {
            let points = self.scene.points(self.questions);
            let rects: Vec<Rect<S, D>> = points.iter().map(|&point| Rect::at(point)).collect();
            let answers = referee.answers(&rects);
            let question = Question::Points(OfPoint::Holders, &points);
            self.ask(Workload::Stab, question, Right::All(&answers), answers.mean());
        }
        self.nearest(referee);
        self.within(referee);
        self.raycast(referee);
    }

    pub(super) fn windows(&mut self, before: Before, referee: &Referee<S, D>) {
        for (target, windows) in self.windows.clone() {
            let workload = Workload::Window(target, before);
            if self.plans(workload) {
                let answers = referee.answers(&windows);
                let question = Question::Windows(OfWindow::All, &windows);
                self.ask(workload, question, Right::All(&answers), answers.mean());
            }
        }
    }

    /// Other questions about the same windows.
    fn about_windows(&mut self, referee: &Referee<S, D>) {
        for (workload, of, target) in [
            (Workload::Read, OfWindow::Values, 1000),
            (Workload::Count, OfWindow::Count, 1000),
            (Workload::First, OfWindow::First, 100),
            (Workload::Exists, OfWindow::Exists, 100),
            (Workload::Budget, OfWindow::Budget, 10),
        ] {
            let windows = self.windows.iter().find(|(number, _)| *number == target);
            let Some((_, windows)) = windows.filter(|_| self.plans(workload)).cloned() else { continue };
            let answers = referee.answers(&windows);
            let right = match of {
                OfWindow::All => Right::All(&answers),
                OfWindow::Values => Right::Values(&answers),
                OfWindow::Count => Right::Counts(&answers),
                OfWindow::First => Right::OneOf(&answers),
                OfWindow::Exists => Right::Exist(&answers),
                OfWindow::Budget => Right::PerhapsOneOf(&answers),
            };
            self.ask(workload, Question::Windows(of, &windows), right, answers.mean());
        }
    }

    fn nearest(&mut self, referee: &Referee<S, D>) {
        let all = [From::Inside, From::Anywhere, From::Corner, From::Side, From::Center, From::Far];
        for (count, from) in all.into_iter().flat_map(|from| [(1, from), (TEN, from)]) {
            let workload = Workload::Nearest(count as u32, from);
            if self.plans(workload) {
                let spots = self.scene.spots(self.questions, from);
                let of = if count == TEN { OfPoint::NearestTen } else { OfPoint::Nearest };
                let nearby = Nearby::new(referee, &spots, count);
                let hits = count.min(self.n()) as f64;
                self.ask(workload, Question::Points(of, &spots), Right::AsNear(&nearby), hits);
            }
        }
    }

    fn within(&mut self, referee: &Referee<S, D>) {
        if self.plans(Workload::Within) {
            let spots: Vec<Point<S, D>> = self.scene.spots(self.questions, From::Inside);
            let distance = clear_of(referee, &spots, distance_for(referee, &spots, NEIGHBOURS));
            let answers = referee.answers_within(&spots, distance);
            let question = Question::Points(OfPoint::Within(distance), &spots);
            self.ask(Workload::Within, question, Right::All(&answers), answers.mean());
        }
    }

    fn raycast(&mut self, referee: &Referee<S, D>) {
        if self.plans(Workload::Raycast) {
            let rays = Rays::new(self.scene, referee, self.questions);
            self.ask(Workload::Raycast, Question::Along(&rays.segments), Right::This(&rays.firsts), rays.hitting());
        }
    }

    /// Asks the same questions of all, round by round.
    fn ask(&mut self, workload: Workload, question: Question<'_, S, D>, right: Right<'_>, hits: f64) {
        let mut outcomes = self.open(workload);
        let reads = matches!(question, Question::Windows(OfWindow::Values, _));
        let mut replies = if reads { Replies::with_values(self.n()) } else { Replies::default() };
        let mut known = vec![None; outcomes.len()];
        for (competitor, outcome) in self.competitors.iter().zip(&mut outcomes) {
            // Contenders that were too slow to be where the others are take no part.
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
