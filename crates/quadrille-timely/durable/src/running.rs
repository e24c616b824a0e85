//! The processes of one attempt: started together, and ended together.

use crate::checked::unlike_any_other;
use crate::role::{ADDRESSES, ATTEMPT, NUMBER, SUPERVISOR, TOKEN};
use crate::supervisor::{Event, SupervisorError};
use shared_child::SharedChild;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Processes that end with this value.
pub(crate) struct Running {
    processes: Vec<Arc<SharedChild>>,
    /// Each end once: the number of the process, and how it ended.
    ends: Receiver<(usize, io::Result<ExitStatus>)>,
}

impl Running {
    /// Starts the processes, each with a port of its own.
    pub(crate) fn start(
        count: usize,
        attempt: usize,
        mut command: impl FnMut(usize) -> Command,
        mut tell: impl FnMut(&Event),
    ) -> Result<Self, SupervisorError> {
        let failed = |process| move |source| SupervisorError::Start { process, source };
        // All ports are open before the first process starts, so that it can connect to all at once; and they are new ones
        // each time, so that nothing of an earlier attempt waits in them.
        let mut listeners = Vec::new();
        for process in 0..count {
            listeners.push(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed(process))?);
        }
        let addresses: io::Result<Vec<String>> =
            listeners.iter().map(|listener| Ok(listener.local_addr()?.to_string())).collect();
        let addresses = addresses.map_err(failed(0))?.join(",");
        let token = unlike_any_other().to_string();
        let (sender, ends) = mpsc::channel();
        let mut running = Running { processes: Vec::new(), ends };
        for (process, listener) in listeners.into_iter().enumerate() {
            let mut command = command(process);
            command.env(NUMBER, process.to_string()).env(ADDRESSES, &addresses).env(TOKEN, &token);
            command.env(ATTEMPT, attempt.to_string()).env(SUPERVISOR, process::id().to_string());
            command.stdin(handed_over(listener));
            let pid = running.add(&mut command, process, sender.clone()).map_err(failed(process))?;
            tell(&Event::Started { process, pid, attempt });
        }
        Ok(running)
    }

    /// Starts a process, and a thread that waits for its end.
    fn add(
        &mut self,
        command: &mut Command,
        number: usize,
        ends: Sender<(usize, io::Result<ExitStatus>)>,
    ) -> io::Result<u32> {
        let child = Arc::new(SharedChild::spawn(command)?);
        self.processes.push(Arc::clone(&child));
        let pid = child.id();
        thread::Builder::new().name(format!("process {number}")).spawn(move || {
            // Nobody listens when all are being killed.
            let _ = ends.send((number, child.wait()));
        })?;
        Ok(pid)
    }

    /// Waits until one has died, or all have ended with success.
    pub(crate) fn wait(&self, mut tell: impl FnMut(&Event)) -> Result<Option<(usize, ExitStatus)>, SupervisorError> {
        for (process, ended) in self.ends.iter().take(self.processes.len()) {
            let status = ended.map_err(|source| SupervisorError::Wait { process, source })?;
            if !status.success() {
                tell(&Event::Died { process, status });
                return Ok(Some((process, status)));
            }
        }
        Ok(None)
    }

    /// Waits for the end of the others, and kills those that are there after the grace time.
    pub(crate) fn stop(self, grace: Duration, mut tell: impl FnMut(&Event)) {
        let until = Instant::now() + grace;
        let mut told = |process, ended: io::Result<ExitStatus>, killed| {
            if let Ok(status) = ended {
                tell(&Event::Stopped { process, status, killed });
            }
        };
        // The channel closes when all threads have reported.
        while let Ok((process, ended)) = self.ends.recv_timeout(until.saturating_duration_since(Instant::now())) {
            told(process, ended, false);
        }
        self.kill();
        for (process, ended) in &self.ends {
            told(process, ended, true);
        }
    }

    fn kill(&self) {
        for process in &self.processes {
            // It fails only for one that has ended.
            let _ = process.kill();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
        for process in &self.processes {
            let _ = process.wait();
        }
    }
}

/// The listening socket as standard input of a process.
fn handed_over(listener: TcpListener) -> Stdio {
    #[cfg(unix)]
    return Stdio::from(std::os::fd::OwnedFd::from(listener));
    #[cfg(not(unix))]
    {
        drop(listener);
        Stdio::null()
    }
}
