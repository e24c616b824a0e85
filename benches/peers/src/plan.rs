//! The order for a run, and its outcome.

use crate::contender::Kind;
use crate::data::{Form, Space};
use crate::measure::median;
use crate::places::Distribution;
use crate::workload::Workload;

/// How many rounds of changes the slow do, if so many are planned: those that take more than a budget for one.
const ROUNDS_OF_SLOW: usize = 3;
/// And the very slow, which take several.
const ROUNDS_OF_VERY_SLOW: usize = 1;
const BUDGETS_OF_VERY_SLOW: f64 = 2.5;
/// Who takes so many for a pass is not even brought to where the others are.
const BUDGETS_OF_HOPELESS: f64 = 8.0;

/// The workloads to be measured, and how thoroughly.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) workloads: Vec<Workload>,
    pub(crate) rounds: usize,
    pub(crate) queries: usize,
    /// The seconds that a contender may take for one round. The slower ones are asked fewer queries, and change objects
    /// in fewer rounds.
    pub(crate) budget: f64,
}

impl Plan {
    pub(crate) fn has(&self, workload: Workload) -> bool {
        self.workloads.contains(&workload)
    }
}

/// The outcome of one contender in one workload.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) contender: &'static str,
    pub(crate) kind: Kind,
    /// Nanoseconds for one object or query, round by round.
    pub(crate) times: Vec<f64>,
    /// The nanoseconds of all its rounds, with all that they need besides.
    pub(crate) spent: f64,
    pub(crate) correct: bool,
    pub(crate) bytes_per_object: Option<f64>,
    /// How many of the queries were asked, if not all.
    pub(crate) asked: Option<usize>,
    /// The message of its panic.
    pub(crate) failure: Option<String>,
}

impl Outcome {
    /// Whether it is so slow that it is asked but some of the questions, and has been often enough.
    pub(crate) fn asked_enough(&self, questions: usize) -> bool {
        ROUNDS_OF_SLOW <= self.times.len() && self.asked.is_some_and(|asked| asked < questions)
    }

    /// The median time of an object or query.
    pub(crate) fn median(&self) -> Option<f64> {
        median(&self.times)
    }

    /// How many budgets a round of its takes.
    fn budgets(&self, plan: &Plan) -> f64 {
        self.spent / self.times.len().max(1) as f64 / (plan.budget * 1e9)
    }

    /// Whether changes take it so long that the rounds it has done must do.
    pub(crate) fn sits_out(&self, plan: &Plan) -> bool {
        let budgets = self.budgets(plan);
        ROUNDS_OF_SLOW <= self.times.len() && 1.0 < budgets
            || ROUNDS_OF_VERY_SLOW <= self.times.len() && BUDGETS_OF_VERY_SLOW < budgets
    }

    /// Whether one more pass would take too long.
    pub(crate) fn is_hopeless(&self, plan: &Plan) -> bool {
        BUDGETS_OF_HOPELESS < self.budgets(plan)
    }

    /// Adds a round that took so long for so many objects, and that nothing else was needed for.
    pub(crate) fn add(&mut self, time: Option<f64>, objects: usize) {
        self.times.extend(time.map(|time| time / objects.max(1) as f64));
        self.spent += time.unwrap_or_default();
    }
}

/// One workload in one scene.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) space: Space,
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
