//! A contender in the course of a run: timed, weighed, asked and checked; and sat out when it panics.

use crate::check::{Answers, Tally};
use crate::contender::{Contender, Runner};
use crate::data::{Rect, Scalar, Shape};
use crate::measure::{guarded, thread_time};
use crate::memory;
use crate::question::{Question, Replies, Right};

/// How many queries are asked after changes, to check that they were done.
pub(crate) const CHECKED: usize = 500;
/// How many queries are asked before the clock runs, to warm up and to guess how long all take.
const WARM: usize = 100;

/// A contender, and how it fares.
pub(crate) struct Competitor<P, S = f32, const D: usize = 2> {
    pub(crate) contender: Contender<P, S, D>,
    pub(crate) built: bool,
    pub(crate) bytes_per_object: Option<f64>,
    /// Set when it panics; then it sits out until the next build.
    pub(crate) failure: Option<String>,
}

impl<P: Shape<S, D>, S: Scalar, const D: usize> Competitor<P, S, D> {
    pub(crate) fn new(contender: Contender<P, S, D>) -> Self {
        Self { contender, built: false, bytes_per_object: None, failure: None }
    }

    /// The nanoseconds that something takes, or `None` if it panics or did so before.
    pub(crate) fn time(&mut self, work: impl FnOnce(&mut dyn Runner<P, S, D>)) -> Option<f64> {
        if self.failure.is_some() {
            return None;
        }
        let start = thread_time();
        let result = guarded(|| work(&mut *self.contender.runner));
        let end = thread_time();
        match result {
            Ok(()) => Some(end - start),
            Err(message) => {
                self.failure = Some(message);
                None
            }
        }
    }

    /// Gives back all memory. An index that panicked may panic again when it is dropped.
    pub(crate) fn clear(&mut self) {
        self.built = false;
        if let Err(message) = guarded(|| self.contender.runner.clear()) {
            self.failure = Some(message);
        }
    }

    /// Builds from nothing, by one way or the other, and weighs the result.
    pub(crate) fn build(&mut self, n: usize, build: impl FnOnce(&mut dyn Runner<P, S, D>)) -> Option<f64> {
        self.clear();
        self.failure = None;
        self.built = true;
        let before = memory::live();
        let time = self.time(build)?;
        let bytes = memory::live().cast_signed() - before.cast_signed() + self.contender.runner.bytes_apart();
        self.bytes_per_object = self.contender.weighed.then(|| bytes as f64 / n.max(1) as f64);
        Some(time)
    }

    /// Asks the first `count` questions, and takes the time.
    pub(crate) fn ask(&mut self, question: Question<'_, S, D>, count: usize, replies: &mut Replies) -> Option<f64> {
        self.time(|runner| runner.ask(question.first(count), replies))
    }

    /// Whether the first `count` replies are right; see [`Replies::are_right`].
    pub(crate) fn is_right(
        &self,
        count: usize,
        right: Right<'_>,
        known: &mut Option<Vec<Tally>>,
        replies: &Replies,
    ) -> bool {
        replies.are_right(count, right, known, |id| self.contender.runner.name(id))
    }

    /// Asks the first few questions, so that code and the upper nodes are in the caches.
    pub(crate) fn warm_up(&mut self, question: Question<'_, S, D>, replies: &mut Replies) {
        self.ask(question, question.len().min(WARM), replies);
    }

    /// How many of the questions it can answer within a budget of seconds. To be asked when it is warm.
    pub(crate) fn affordable(&mut self, budget: f64, question: Question<'_, S, D>, replies: &mut Replies) -> usize {
        let warm = question.len().min(WARM);
        let Some(time) = self.ask(question, warm, replies) else { return warm };
        let each = time / warm.max(1) as f64;
        let count = (budget * 1e9 / each.max(1.0)) as usize;
        count.clamp(warm, question.len())
    }

    /// Asks the first few windows again, to see whether the contender holds the right objects.
    pub(crate) fn agrees(&mut self, windows: &[Rect<S, D>], answers: &Answers) -> bool {
        let windows = &windows[..windows.len().min(CHECKED)];
        let mut tallies = vec![Tally::default(); windows.len()];
        let asked = self.time(|runner| runner.answer(windows, &mut tallies));
        asked.is_some() && tallies == answers.tallies(windows.len(), |id| self.contender.runner.name(id))
    }
}
