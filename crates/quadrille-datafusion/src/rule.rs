//! The rule of the physical optimizer, and its registration.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionContext;

use crate::exec::{BoxJoinExec, Settings};

/// Replaces nested loop joins by box joins, wherever their filter bounds intervals in two or three dimensions; and the joins
/// that [`ByCells`](crate::ByCells) makes.
///
/// [`register`](Self::register) adds it to a session. Where sessions are made by a `SessionStateBuilder`, pass it to
/// `with_physical_optimizer_rule`. It belongs at the end of the list, where both put it.
#[derive(Clone, Copy, Debug)]
pub struct BoxJoinRule {
    pub(crate) settings: Settings,
}

impl BoxJoinRule {
    /// Makes the rule.
    #[must_use]
    pub fn new() -> Self {
        let at_once = available_parallelism().map_or(1, NonZero::get);
        Self { settings: Settings { left_rows: 1 << 16, at_once } }
    }

    /// Sets up to how many rows the left side of a join is indexed without a look at the right side: 65 536 by default.
    ///
    /// The engine puts to the left what it expects to be smaller. Where that side has more rows, both are read in turns
    /// until one of them ends, and that one is indexed. Where the engine knows the numbers of rows exactly, as those of a
    /// Parquet file, nothing is read in turns.
    #[must_use]
    pub fn with_left_rows(mut self, rows: usize) -> Self {
        self.settings.left_rows = rows;
        self
    }

    /// Sets how many partitions of a join [by cells](crate::ByCells) are indexed and searched at once in this process: by
    /// default as many as it has processors. The others wait, and their rows go to disk when memory is short.
    ///
    /// Whoever reads the partitions must not stop in the middle of one until another has rows: that one may be waiting for
    /// it. The engine's operators read each partition by itself.
    #[must_use]
    pub fn with_partitions_at_once(mut self, partitions: usize) -> Self {
        self.settings.at_once = partitions;
        self
    }

    /// Adds the rule to a session and to all its clones. A session that has it stays as it is.
    pub fn register(self, context: &SessionContext) {
        let state = context.state_ref();
        let mut state = state.write();
        if state.physical_optimizers().iter().any(|rule| rule.name() == self.name()) {
            return;
        }
        let builder = SessionStateBuilder::new_from_existing(state.clone());
        *state = builder.with_physical_optimizer_rule(Arc::new(self)).build();
    }
}

impl Default for BoxJoinRule {
    fn default() -> Self {
        Self::new()
    }
}

impl PhysicalOptimizerRule for BoxJoinRule {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let replaced = |node: Arc<dyn ExecutionPlan>| {
            Ok(match BoxJoinExec::of(&node, self.settings) {
                Some(join) => Transformed::yes(Arc::new(join) as Arc<dyn ExecutionPlan>),
                None => Transformed::no(node),
            })
        };
        plan.transform_up(replaced).data()
    }

    fn name(&self) -> &'static str {
        "BoxJoinRule"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
