//! This program as several processes: started together, and all again when one has died.

use std::env;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::ClusterError;

/// The number of the process, from 0.
const NUMBER: &str = "QUADRILLE_PROCESS";
/// The addresses of all processes, with commas between them.
const ADDRESSES: &str = "QUADRILLE_ADDRESSES";
/// How often all were started before.
const ATTEMPT: &str = "QUADRILLE_ATTEMPT";
/// A number that all processes of a start share, and nobody else.
const TOKEN: &str = "QUADRILLE_TOKEN";
/// The number under which the system knows the process that has started this one.
const PARENT: &str = "QUADRILLE_SUPERVISOR";
/// How long the others may take to end by themselves after one has died.
const GRACE: Duration = Duration::from_secs(1);
/// How often it is looked whether one has ended.
const NAP: Duration = Duration::from_millis(2);

/// An event in the life of the processes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A process was started.
    Started {
        /// Its number.
        process: usize,
        /// The number under which the system knows it.
        pid: u32,
        /// How often all were started before.
        attempt: usize,
    },
    /// A process ended without success. The others will end too, and all are started again.
    Died {
        /// Its number.
        process: usize,
        /// How it ended.
        status: ExitStatus,
    },
}

/// Runs a command for each process until all have ended with success. When one has died, those that it worked with cannot go
/// on: they get a moment to end by themselves, are killed if they do not, and all are started again, with new ports.
///
/// `prepare` prepares a start, and returns the newest tick that would survive. None outlives this call, even if a closure panics.
pub(crate) fn supervise(
    processes: usize,
    restarts: usize,
    command: &mut dyn FnMut(usize) -> Command,
    mut prepare: impl FnMut() -> Result<Option<u64>, ClusterError>,
    tell: &mut dyn FnMut(&Event),
) -> Result<(), ClusterError> {
    let (mut tick, mut in_vain) = (prepare()?, 0);
    for attempt in 0.. {
        let mut running = Running(Vec::new());
        running.start(processes, attempt, command, tell)?;
        let Some((process, status)) = running.wait(tell)? else { break };
        drop(running);
        let before = std::mem::replace(&mut tick, prepare()?);
        in_vain = if before < tick { 0 } else { in_vain + 1 };
        if in_vain > restarts {
            return Err(ClusterError::GaveUp { process, status, tick, starts: in_vain });
        }
    }
    Ok(())
}

/// Processes that end with this value.
struct Running(Vec<Child>);

impl Running {
    fn start(
        &mut self,
        processes: usize,
        attempt: usize,
        command: &mut dyn FnMut(usize) -> Command,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<(), ClusterError> {
        let failed = |process| move |source| ClusterError::Process { process, source };
        // All ports are open before the first process starts, so that it can connect to all at once; and they are new ones
        // each time, so that nothing of an earlier start waits in them.
        let listener = |process| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed(process));
        let listeners = (0..processes).map(listener).collect::<Result<Vec<_>, _>>()?;
        let address = |listener: &TcpListener| listener.local_addr().map(|address| address.to_string());
        let addresses = listeners.iter().map(address).collect::<Result<Vec<_>, _>>().map_err(failed(0))?.join(",");
        let token = unlike_any_other().to_string();
        for (process, listener) in listeners.into_iter().enumerate() {
            let mut command = command(process);
            command.env(NUMBER, process.to_string()).env(ADDRESSES, &addresses).env(TOKEN, &token);
            command.env(ATTEMPT, attempt.to_string()).env(PARENT, std::process::id().to_string());
            let child = command.stdin(handed_over(listener)).spawn().map_err(failed(process))?;
            let pid = child.id();
            self.0.push(child);
            tell(&Event::Started { process, pid, attempt });
        }
        Ok(())
    }

    /// Waits until all have ended; after the first one has died, for a moment. Returns which.
    fn wait(&mut self, tell: &mut dyn FnMut(&Event)) -> Result<Option<(usize, ExitStatus)>, ClusterError> {
        let (mut died, mut until) = (None, None);
        while until.is_none_or(|until| Instant::now() < until) {
            let mut running = 0;
            for (process, child) in self.0.iter_mut().enumerate() {
                match child.try_wait().map_err(|source| ClusterError::Process { process, source })? {
                    None => running += 1,
                    Some(status) if !status.success() && died.is_none() => {
                        tell(&Event::Died { process, status });
                        (died, until) = (Some((process, status)), Some(Instant::now() + GRACE));
                    }
                    Some(_) => (),
                }
            }
            if running == 0 {
                break;
            }
            thread::sleep(NAP);
        }
        Ok(died)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It fails only for one that has ended.
            let _ = child.kill();
        }
        for child in &mut self.0 {
            let _ = child.wait();
        }
    }
}

/// A number that is practically unique, to distinguish starts. It is no secret.
fn unlike_any_other() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one((Instant::now(), std::process::id()))
}

/// The listening socket as standard input of a process, so that nobody can take the port in between.
fn handed_over(listener: TcpListener) -> Stdio {
    #[cfg(unix)]
    return Stdio::from(std::os::fd::OwnedFd::from(listener));
    #[cfg(not(unix))]
    {
        drop(listener);
        Stdio::null()
    }
}

/// One of several processes that were started together.
#[derive(Debug)]
pub(crate) struct Role {
    pub(crate) number: usize,
    /// The addresses of all processes, its own among them.
    pub(crate) addresses: Vec<SocketAddr>,
    /// A number that only the processes of this start know: they show it to each other when they connect.
    pub(crate) token: u64,
}

impl Role {
    /// Reads it from the environment; none in a process that nobody has started so.
    ///
    /// On Linux it makes a started process die with the one that has started it, as long as this thread lives.
    pub(crate) fn of_this_process() -> Result<Option<Self>, ClusterError> {
        if env::var_os(NUMBER).is_none() {
            return Ok(None);
        }
        die_with(read(PARENT)?)?;
        let (number, addresses) = (read(NUMBER)?, read::<String>(ADDRESSES)?);
        let addresses: Option<Vec<SocketAddr>> = addresses.split(',').map(|text| text.parse().ok()).collect();
        let addresses = addresses.filter(|all| number < all.len()).ok_or(ClusterError::Environment(ADDRESSES))?;
        Ok(Some(Self { number, addresses, token: read(TOKEN)? }))
    }

    /// The listening socket of this process. Connections that came before this call wait in it.
    pub(crate) fn listener(&self) -> io::Result<TcpListener> {
        let address = self.addresses[self.number];
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let listener = TcpListener::from(io::stdin().as_fd().try_clone_to_owned()?);
            if listener.local_addr()? == address {
                return Ok(listener);
            }
        }
        TcpListener::bind(address)
    }
}

fn read<T: std::str::FromStr>(name: &'static str) -> Result<T, ClusterError> {
    env::var(name).ok().and_then(|value| value.parse().ok()).ok_or(ClusterError::Environment(name))
}

#[cfg(target_os = "linux")]
fn die_with(parent: u32) -> Result<(), ClusterError> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    // It fails for no signal that exists.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // It may have died before.
    let now = getppid().map_or(0, |parent| parent.as_raw_nonzero().get().unsigned_abs());
    if now == parent { Ok(()) } else { Err(ClusterError::Environment(PARENT)) }
}

#[cfg(not(target_os = "linux"))]
fn die_with(_: u32) -> Result<(), ClusterError> {
    Ok(())
}
