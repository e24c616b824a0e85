//! The roles of a process: scheduler or executor.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::{BallistaError, Result};
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use quadrille_datafusion::BoxJoinEngine;

const HOST: &str = "127.0.0.1";

/// Executors ask for tasks. If the scheduler sends them, Ballista 55 forgets the cores of tasks that it takes back when an
/// executor is lost, and a query may wait for ever.
const POLICY: TaskSchedulingPolicy = TaskSchedulingPolicy::PullStaged;

/// An executor that says nothing for so long is dead. A living one speaks every two seconds.
const SILENCE_SECONDS: u64 = 8;

/// Runs a scheduler. It knows nothing of box joins.
pub(crate) async fn schedule(port: u16) -> Result<()> {
    let config = SchedulerConfig {
        bind_port: port,
        external_host: HOST.to_owned(),
        executor_timeout_seconds: SILENCE_SECONDS,
        expire_dead_executor_interval_seconds: 1,
        no_executors_grace_period_seconds: SILENCE_SECONDS,
        scheduling_policy: POLICY,
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config).await?;
    start_server(cluster, SocketAddr::from((Ipv4Addr::LOCALHOST, port)), Arc::new(config)).await
}

/// An executor.
#[derive(Clone, Debug)]
pub(crate) struct Executor {
    /// The port of its scheduler.
    pub(crate) scheduler: u16,
    /// The port from which others fetch its results.
    pub(crate) port: u16,
    /// The port on which it is given tasks.
    pub(crate) tasks: u16,
    /// Where it keeps its results.
    pub(crate) folder: String,
    /// How many partitions it works on at once.
    pub(crate) cores: usize,
    /// Whether it joins boxes by an index; otherwise by the nested loop of the engine.
    pub(crate) box_joins: bool,
}

/// Runs an executor.
pub(crate) async fn execute(executor: Executor) -> Result<()> {
    if executor.cores == 0 {
        return Err(BallistaError::Configuration("an executor needs a core".to_owned()));
    }
    let config = ExecutorProcessConfig {
        scheduler_host: HOST.to_owned(),
        scheduler_port: executor.scheduler,
        scheduler_connect_timeout_seconds: 20,
        external_host: Some(HOST.to_owned()),
        port: executor.port,
        grpc_port: executor.tasks,
        executor_heartbeat_interval_seconds: 2,
        work_dir: Some(executor.folder),
        vcores: executor.cores,
        task_scheduling_policy: POLICY,
        override_execution_engine: executor.box_joins.then(|| Arc::new(BoxJoinEngine::new()) as _),
        ..ExecutorProcessConfig::default()
    };
    start_executor_process(Arc::new(config)).await
}
