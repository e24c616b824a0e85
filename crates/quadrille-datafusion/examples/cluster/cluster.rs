//! Starting processes, and killing them.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use tempfile::TempDir;
use tokio::time::sleep;

/// A scheduler and executors. They are killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    port: u16,
    scheduler: Child,
    executors: Vec<Process>,
}

/// An executor and its results.
#[derive(Debug)]
struct Process {
    child: Child,
    _folder: TempDir,
}

impl Cluster {
    /// Starts the processes: `program` is the example `cluster`. Returns when executors can be given work.
    pub(crate) async fn start(program: &Path, executors: usize, cores: usize, box_joins: bool) -> io::Result<Self> {
        let port = free_port()?;
        let scheduler = run(program, &["scheduler".to_owned(), port.to_string()])?;
        let mut cluster = Self { port, scheduler, executors: Vec::new() };
        wait_for(port).await?;
        for _ in 0..executors {
            let (folder, own_port, tasks) = (TempDir::new()?, free_port()?, free_port()?);
            let path = folder.path().display().to_string();
            let role = ["executor".to_owned(), port.to_string(), own_port.to_string(), tasks.to_string(), path];
            let how = [cores.to_string(), if box_joins { "index" } else { "loop" }.to_owned()];
            let child = run(program, &[&role[..], &how[..]].concat())?;
            cluster.executors.push(Process { child, _folder: folder });
            wait_for(own_port).await?;
        }
        // An executor registers after its port is open.
        sleep(Duration::from_secs(1)).await;
        Ok(cluster)
    }

    /// A session whose queries the cluster answers.
    pub(crate) async fn session(&self, partitions: usize, adaptive: bool) -> Result<SessionContext> {
        let config = SessionConfig::new_with_ballista()
            .with_target_partitions(partitions)
            .with_ballista_adaptive_query_planner(adaptive);
        let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
        SessionContext::remote_with_state(&format!("df://127.0.0.1:{}", self.port), state).await
    }

    /// Kills the last executor, and removes what it has written. `false` if there is none.
    pub(crate) fn kill_one(&mut self) -> io::Result<bool> {
        let Some(mut executor) = self.executors.pop() else {
            return Ok(false);
        };
        executor.child.kill()?;
        executor.child.wait()?;
        Ok(true)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        while let Ok(true) = self.kill_one() {}
        let _ = self.scheduler.kill();
        let _ = self.scheduler.wait();
    }
}

fn run(program: &Path, arguments: &[String]) -> io::Result<Child> {
    Command::new(program).args(arguments).stdin(Stdio::null()).spawn()
}

/// A port that nobody listens to, at this moment.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Waits until somebody listens.
async fn wait_for(port: u16) -> io::Result<()> {
    for _ in 0..300 {
        if std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(());
        }
        sleep(Duration::from_millis(100)).await;
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, format!("nobody listens to port {port}")))
}
