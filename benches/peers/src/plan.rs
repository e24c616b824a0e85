//! What is asked of a run, and what comes out of it.

use crate::contender::Kind;
use crate::data::{Distribution, Form};
use crate::workload::Workload;

/// How many rounds of changes the slow do, if so many are planned; and the very slow, which take many budgets for one.
const ROUNDS_OF_SLOW: usize = 3;
const ROUNDS_OF_VERY_SLOW: usize = 1;
const BUDGETS_OF_VERY_SLOW: f64 = 10.0;

/// What is to be measured, and how thoroughly.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) workloads: Vec<Workload>,
    pub(crate) rounds: usize,
    pub(crate) queries: usize,
    /// What a contender may take for one round, in seconds. The slower ones are asked fewer queries, and change objects
    /// in fewer rounds.
    pub(crate) budget: f64,
}

impl Plan {
    pub(crate) fn has(&self, workload: Workload) -> bool {
        self.workloads.contains(&workload)
    }
}

/// What one contender did in one workload.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) contender: &'static str,
    pub(crate) kind: Kind,
    /// Nanoseconds for one object or query, round by round.
    pub(crate) times: Vec<f64>,
    pub(crate) correct: bool,
    pub(crate) bytes_per_object: Option<f64>,
    /// How many of the queries were asked, if not all.
    pub(crate) asked: Option<usize>,
    /// What it panicked with.
    pub(crate) failure: Option<String>,
}

impl Outcome {
    /// Whether it is so slow that it is asked but some of the questions, and has been often enough.
    pub(crate) fn asked_enough(&self, questions: usize) -> bool {
        ROUNDS_OF_SLOW <= self.times.len() && self.asked.is_some_and(|asked| asked < questions)
    }

    /// Whether changes of so many objects take it so long that the rounds it has done must do.
    pub(crate) fn sits_out(&self, objects: usize, plan: &Plan) -> bool {
        let mean = self.times.iter().sum::<f64>() / self.times.len().max(1) as f64;
        let budgets = mean * objects as f64 / (plan.budget * 1e9);
        ROUNDS_OF_SLOW <= self.times.len() && 1.0 < budgets
            || ROUNDS_OF_VERY_SLOW <= self.times.len() && BUDGETS_OF_VERY_SLOW < budgets
    }
}

/// One workload in one scene.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) workload: Workload,
    pub(crate) form: Form,
    pub(crate) distribution: Distribution,
    pub(crate) n: usize,
    /// How many objects a query finds on average.
    pub(crate) hits: Option<f64>,
    /// The nanoseconds that all of it took, building and checking included.
    pub(crate) took: f64,
    pub(crate) outcomes: Vec<Outcome>,
}
