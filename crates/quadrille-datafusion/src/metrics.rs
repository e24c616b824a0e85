//! Counts and times of a box join; `EXPLAIN ANALYZE` prints them.

use datafusion::physical_plan::metrics::{BaselineMetrics, Count, ExecutionPlanMetricsSet, Gauge, MetricBuilder, Time};

/// The numbers of one partition.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// Rows and batches of the output, time of computation.
    pub(crate) baseline: BaselineMetrics,
    pub(crate) build: BuildMetrics,
    /// Rows of the probe side.
    pub(crate) probe_rows: Count,
    /// Time of searching the index.
    pub(crate) search_time: Time,
    /// Pairs that the index finds.
    pub(crate) candidates: Count,
    /// Pairs that the filter holds for.
    pub(crate) matches: Count,
}

/// The numbers of the build side. They are added to the partition that begins.
#[derive(Clone, Debug)]
pub(crate) struct BuildMetrics {
    /// Rows in the index, or left out for a null.
    pub(crate) rows: Count,
    /// Time to put the rows together and to build the index.
    pub(crate) time: Time,
    /// Bytes of the rows and of the index.
    pub(crate) mem_used: Gauge,
    /// Indexes of the right side, because it turned out to be the smaller one.
    pub(crate) right_indexed: Count,
}

impl Metrics {
    pub(crate) fn new(set: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        let counter = |name: &'static str| MetricBuilder::new(set).counter(name, partition);
        let time = |name: &'static str| MetricBuilder::new(set).subset_time(name, partition);
        let build = BuildMetrics {
            rows: counter("build_rows"),
            time: time("build_time"),
            mem_used: MetricBuilder::new(set).gauge("build_mem_used", partition),
            right_indexed: counter("right_indexed"),
        };
        Self {
            baseline: BaselineMetrics::new(set, partition),
            build,
            probe_rows: counter("probe_rows"),
            search_time: time("search_time"),
            candidates: counter("candidates"),
            matches: counter("matches"),
        }
    }
}
