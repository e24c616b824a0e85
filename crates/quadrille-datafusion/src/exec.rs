//! The plan node: a join on comparisons, executed with an index.

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics, assert_eq_or_internal_err, internal_datafusion_err};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::{
    ChildStats, ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, Partitioning, PhysicalExpr, PlanProperties, ReplaceChildrenOptions, StatisticsArgs,
    StatisticsContext,
};

use crate::build::{Building, Handout, begin};
use crate::concurrency::ConcurrencyLimit;
use crate::metrics::Metrics;
use crate::sides::Sides;
use crate::source::Source;
use crate::spec::JoinSpec;
use crate::spill_limit::with_spill_limit;
use crate::stage::StageBuild;
use crate::task::Start;

/// The choices of a user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Up to so many rows the left side is indexed without a look at the right side.
    pub(crate) left_rows: usize,
    /// So many partitions of a join by cells run at once.
    pub(crate) at_once: usize,
}

/// A join on boxes: takes the place of a nested loop join whose filter bounds intervals in two or three dimensions, or of
/// a join by cells (see [`ByCells`](crate::ByCells)).
///
/// It yields the same rows, in another order. One side is read into memory and indexed: the left one, or the right one if
/// it turns out to be smaller. The index finds candidates for each row of the other side, and the filter of the join is
/// evaluated on them, all of it.
///
/// Where both sides are partitioned by cells, each partition is a join of its own.
///
/// Schema, partitioning and statistics are those of the join. [`BoxJoinRule`](crate::BoxJoinRule) makes it.
#[derive(Debug)]
pub struct BoxJoinExec {
    /// The join that this one stands for. It is never executed.
    original: Arc<dyn ExecutionPlan>,
    spec: Arc<JoinSpec>,
    left: Arc<dyn ExecutionPlan>,
    right: Arc<dyn ExecutionPlan>,
    /// Whether partitions of the left side are joined with partitions of the right side.
    by_partition: bool,
    concurrency: ConcurrencyLimit,
    build: Handout,
    /// The build side of all tasks of a stage, if this is the plan of one of them.
    stage: Option<Arc<StageBuild>>,
    metrics: ExecutionPlanMetricsSet,
    settings: Settings,
}

impl BoxJoinExec {
    /// Makes a box join of a join with boxes in its filter. Returns `None` for any other plan.
    pub(crate) fn of(plan: &Arc<dyn ExecutionPlan>, settings: Settings) -> Option<Self> {
        let join = Source::of(plan)?;
        Some(Self {
            spec: Arc::new(JoinSpec::of(&join)?),
            original: join.plan,
            left: join.left,
            right: join.right,
            by_partition: join.by_partition,
            concurrency: ConcurrencyLimit::new(settings.at_once),
            build: Handout::default(),
            stage: None,
            metrics: ExecutionPlanMetricsSet::new(),
            settings,
        })
    }

    /// Makes it the join of a task of a stage, whose build side it shares.
    #[cfg(feature = "ballista")]
    pub(crate) fn in_stage(mut self, stage: Arc<StageBuild>) -> Self {
        self.stage = Some(stage);
        self
    }

    /// Whether partitions of the left side are joined with partitions of the right side.
    #[cfg(feature = "ballista")]
    pub(crate) fn is_by_partition(&self) -> bool {
        self.by_partition
    }

    /// The join that it is asked for.
    #[cfg(feature = "ballista")]
    pub(crate) fn spec(&self) -> &JoinSpec {
        &self.spec
    }

    /// Whether tasks may share the rows of the right side in another way than by its partitions.
    ///
    /// They may not where the engine counts on them being partitioned by a key, nor if they never end, nor if other
    /// processes have some of them.
    fn may_index_right(&self) -> bool {
        if self.stage.is_some() {
            return false;
        }
        let tasks = self.right.output_partitioning().partition_count();
        let partitioning = &self.original.properties().partitioning;
        let by_key = !matches!(partitioning, Partitioning::UnknownPartitioning(_) | Partitioning::RoundRobinBatch(_));
        (tasks == 1 || !by_key) && !self.right.boundedness().is_unbounded()
    }

    /// The build side for one of the tasks.
    fn building(&self, metrics: &Metrics, context: &Arc<TaskContext>) -> Result<Building> {
        let sides = || self.sides(context);
        if let Some(stage) = &self.stage {
            return stage.take(&self.spec, &metrics.build, sides);
        }
        let tasks = self.right.output_partitioning().partition_count();
        self.build.take(&self.spec, tasks, &metrics.build, sides)
    }

    /// Begins to read what is needed to decide which side is indexed.
    fn sides(&self, context: &Arc<TaskContext>) -> Result<Sides> {
        let reservation = MemoryConsumer::new("BoxJoinBuild").register(context.memory_pool());
        let left = self.left.execute(0, Arc::clone(context))?;
        let right = |partition| self.right.execute(partition, Arc::clone(context));
        let partitions = self.right.output_partitioning().partition_count();
        let right = self.may_index_right().then(|| (0..partitions).map(right).collect()).transpose()?;
        Ok(Sides::new(left, right, self.left_rows(), &reservation))
    }

    /// One partition of a join whose sides are both partitioned, when it has its turn.
    fn execute_partition(&self, partition: usize, context: &Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let reservation = MemoryConsumer::new("BoxJoinBuild").register(context.memory_pool());
        let for_inputs = with_spill_limit(context)?;
        let left = self.left.execute(partition, Arc::clone(&for_inputs))?;
        let right = vec![self.right.execute(partition, for_inputs)?];
        let sides = Sides::new(left, Some(right), self.settings.left_rows, &reservation);
        let metrics = Metrics::new(&self.metrics, partition);
        let building = begin(&self.spec, sides, 1, &metrics.build);
        let task = self.start(0, building, None, metrics, context).run();
        Ok(self.concurrency.limited(task))
    }

    fn start(
        &self,
        partition: usize,
        building: Building,
        own_probe: Option<SendableRecordBatchStream>,
        metrics: Metrics,
        context: &Arc<TaskContext>,
    ) -> Start {
        let batch_size = context.session_config().batch_size();
        let reservation = MemoryConsumer::new("BoxJoinProbe").register(context.memory_pool());
        Start { spec: Arc::clone(&self.spec), partition, building, own_probe, batch_size, reservation, metrics }
    }

    /// Up to how many rows the left side is read without a look at the right side: all, if it surely is the smaller one.
    fn left_rows(&self) -> usize {
        let statistics = StatisticsContext::new();
        let rows = |side: &Arc<dyn ExecutionPlan>| {
            let statistics = statistics.compute(side.as_ref(), &StatisticsArgs::new()).ok()?;
            statistics.num_rows.is_exact().filter(|exact| *exact)?;
            statistics.num_rows.get_value().copied()
        };
        match (rows(&self.left), rows(&self.right)) {
            (Some(left), Some(right)) if left <= right => usize::MAX,
            _ => self.settings.left_rows,
        }
    }
}

impl DisplayAs for BoxJoinExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let spec = &self.spec;
        match form {
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                let mode = if self.by_partition { "mode=Partitioned, " } else { "" };
                write!(f, "BoxJoinExec: {mode}join_type={:?}, ", spec.join_type)?;
                write!(f, "left=[{}], right=[{}], ", spec.boxes.left, spec.boxes.right)?;
                write!(f, "filter={}", spec.filter.expression())
            }
            DisplayFormatType::TreeRender => writeln!(f, "join_type={:?}", spec.join_type),
        }
    }
}

impl ExecutionPlan for BoxJoinExec {
    fn name(&self) -> &'static str {
        "BoxJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.original.properties()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.original.input_distribution_requirements()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.left, &self.right]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.original.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let original = Arc::clone(&self.original).replace_children(children, options)?;
        let join = Self::of(&original, self.settings)
            .ok_or_else(|| internal_datafusion_err!("a box join with other children is none: {original:?}"))?;
        Ok(Arc::new(Self { stage: self.stage.clone(), ..join }))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if self.by_partition {
            return self.execute_partition(partition, &context);
        }
        assert_eq_or_internal_err!(
            self.left.output_partitioning().partition_count(),
            1,
            "the left side of a box join has one partition"
        );
        let metrics = Metrics::new(&self.metrics, partition);
        let building = self.building(&metrics, &context)?;
        let own_probe =
            if self.may_index_right() { None } else { Some(self.right.execute(partition, Arc::clone(&context))?) };
        Ok(self.start(partition, building, own_probe, metrics, &context).run())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        self.original.child_stats_requests(partition)
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        self.original.statistics_from_inputs(inputs, args)
    }
}
