//! A world on several processes, kept on disk, that goes on when one of them has died.

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{self, Command};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{env, thread};

use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};

use crate::Coordinate;
use crate::driver::{Brake, Part, WorkError, WorkerStats, work};
use crate::kept::keeper::Keeper;
use crate::kept::recovery::{Kept, Opened, RecoveryError};
use crate::kept::store::Of;
use crate::links::Connections;
use crate::links::sockets::connect;
use crate::program::{Program, Programs, programs};
use crate::world::World;

use super::processes::{Event, Role, supervise};
use super::{ClusterError, RunError, check_workers, sum_up};

/// A world on several processes of this machine.
///
/// [`run`](Self::run) is called by a program that starts itself again, so call it early in `main`: in the first process it
/// supervises the others, and returns when all have ended; in those it does the work, and never returns.
pub struct Cluster<S: Coordinate = f32, const D: usize = 2> {
    world: World<S, D>,
    processes: usize,
    threads: usize,
    every: u64,
    store: Option<Kept>,
    restarts: usize,
    silence: Duration,
    command: Box<dyn FnMut(usize) -> Command>,
    tell: Box<dyn FnMut(&Event)>,
}

impl<S: Coordinate, const D: usize> std::fmt::Debug for Cluster<S, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { world, processes, threads, every, restarts, silence, .. } = self;
        let mut shown = f.debug_struct("Cluster");
        shown.field("world", world).field("processes", processes).field("threads", threads).field("every", every);
        shown.field("restarts", restarts).field("silence", silence);
        shown.finish_non_exhaustive()
    }
}

impl<S: Coordinate, const D: usize> Cluster<S, D> {
    /// A world on this number of processes, with one worker each. It is not kept.
    #[must_use]
    pub fn new(world: World<S, D>, processes: usize) -> Self {
        Self {
            world,
            processes,
            threads: 1,
            every: 100,
            store: None,
            restarts: 3,
            silence: Duration::from_secs(10),
            command: Box::new(|_| this_program()),
            tell: Box::new(|_| ()),
        }
    }

    /// Sets the number of workers of each process; 1 by default.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Keeps the world in a directory that all processes see: what is fed, in a log, and a snapshot every `every` ticks. When a
    /// process dies, all are restarted from there. Ticks may be answered again, with the same answers; the feed is asked for
    /// the ticks that are not in the log of every worker.
    #[must_use]
    pub fn keep(mut self, dir: impl Into<PathBuf>, every: u64) -> Self {
        self.store = Some(Kept { dir: dir.into() });
        self.every = every.max(1);
        self
    }

    /// Sets how many starts in a row may bring no progress before the supervisor gives up; 3 by default.
    #[must_use]
    pub fn restarts(mut self, restarts: usize) -> Self {
        self.restarts = restarts;
        self
    }

    /// Sets how long nothing may come from another process before it is given up, 10 s by default: then all stop, and are
    /// restarted. A process that computes for long, or has nothing to say, is not silent; one that the system does not let run
    /// is, and so is a dead connection. All processes must have the same.
    #[must_use]
    pub fn silence(mut self, limit: Duration) -> Self {
        self.silence = limit;
        self
    }

    /// Sets the command that starts a process, by its number: otherwise this program with its own arguments. It must come to
    /// a call of [`run`](Self::run) with the same world.
    #[must_use]
    pub fn command(mut self, command: impl FnMut(usize) -> Command + 'static) -> Self {
        self.command = Box::new(command);
        self
    }

    /// Sets a closure that gets each event of the processes.
    #[must_use]
    pub fn tell(mut self, tell: impl FnMut(&Event) + 'static) -> Self {
        self.tell = Box::new(tell);
        self
    }

    /// Runs the world: see [`Cluster`]. `program` makes the program of each worker. The workers' answers come back through
    /// their [`Program::answers`].
    ///
    /// The processes get `MALLOC_MMAP_THRESHOLD_=1048576` unless it is set: so glibc gives back what the first tick needed.
    ///
    /// # Errors
    /// [`ClusterError`]. In a process that works, an error is printed, and the process ends with status 1.
    pub fn run<P: Program<S, D>>(
        self,
        program: impl Fn(usize) -> P + Send + Sync + 'static,
    ) -> Result<(), ClusterError> {
        check_workers(self.processes * self.threads)?;
        let Some(role) = Role::of_this_process()? else { return self.supervise() };
        let connected =
            role.listener().and_then(|listener| connect(&listener, &role.addresses, role.number, role.token));
        let result =
            connected.map_err(ClusterError::Connect).and_then(|sockets| self.process(role.number, sockets, program));
        if let Err(error) = result {
            eprintln!("process {}: {error}", role.number);
            process::exit(1);
        }
        process::exit(0);
    }

    fn supervise(mut self) -> Result<(), ClusterError> {
        let mut command = std::mem::replace(&mut self.command, Box::new(|_| this_program()));
        let mut tell = std::mem::replace(&mut self.tell, Box::new(|_| ()));
        let mut command = |number| {
            let mut command = command(number);
            let is_set = env::var_os(RETURNED).is_some() || command.get_envs().any(|(name, _)| name == RETURNED);
            if !is_set {
                command.env(RETURNED, (1 << 20).to_string());
            }
            command
        };
        supervise(self.processes, self.restarts, &mut command, || Ok(self.prepare()?), &mut tell)
    }

    /// Prepares what is kept for the next start, and returns the newest tick in all logs: for processes that
    /// [`process`](Self::process) runs. Call it in one place before each start; [`run`](Self::run) does so by itself.
    ///
    /// # Errors
    /// [`RecoveryError`]; the store of a process of an older start is in use as long as that lives.
    pub fn prepare(&self) -> Result<Option<u64>, RecoveryError> {
        self.store.as_ref().map(|kept| kept.prepare(&self.world, self.processes, self.threads)).transpose()
    }

    /// Runs one process of a world, with a socket for each other process, in the order of their numbers and `None` at its own:
    /// for processes on other machines, which [`run`](Self::run) cannot start. Returns what each of its workers did.
    ///
    /// The other end of a socket is not authenticated. Its rows are checked to be of this world, and taken to be true. Connect
    /// within a private network, or through a tunnel that encrypts and authenticates both ends.
    ///
    /// When a worker stops with an error, or another process is [silent](Self::silence) for too long, all processes are told and
    /// stop; threads of this one may end a little later.
    ///
    /// # Errors
    /// [`ClusterError`].
    pub fn process<P: Program<S, D>>(
        &self,
        number: usize,
        sockets: Vec<Option<TcpStream>>,
        program: impl Fn(usize) -> P + Send + Sync + 'static,
    ) -> Result<Vec<WorkerStats>, ClusterError> {
        self.run_process(number, sockets, programs(program))
    }

    fn run_process(
        &self,
        number: usize,
        sockets: Vec<Option<TcpStream>>,
        programs: Programs<S, D>,
    ) -> Result<Vec<WorkerStats>, ClusterError> {
        let first = number * self.threads;
        // Before the state is loaded, which may take long: the others must hear of this process.
        let connections =
            Connections::new(number, sockets, self.threads, self.silence).map_err(ClusterError::Connect)?;
        let mut parts: Vec<Option<Part<S, D>>> = Vec::new();
        if let Some(kept) = &self.store {
            let of = Of { process: number, processes: connections.links.processes(), threads: self.threads };
            let Opened { start, replays, writer } = kept.open(&self.world, of)?;
            let (start, writer) = (Arc::new(start), Arc::new(writer));
            for (worker, replay) in of.workers().zip(replays) {
                let keeper = Keeper::new(self.every, &self.world, Arc::clone(&writer), worker);
                parts.push(Some(Part { start: Arc::clone(&start), replay, keeper }));
            }
        }
        let parts = Arc::new(Mutex::new(parts));
        let (tell, outcome) = channel();
        let tell_failure = tell.clone();
        let (world, brake) = (self.world.clone(), Arc::new(Brake::new(Some(connections.links.clone()))));
        let hooks = Hooks::default();
        let typed = ProcessBuilder::new_typed_vector(self.threads, hooks.refill.clone(), None);
        let (builders, guard) = if connections.links.processes() == 1 {
            let builders: Vec<_> = typed.into_iter().map(AllocatorBuilder::Process).collect();
            (builders, Box::new(()) as Box<dyn std::any::Any + Send>)
        } else {
            let streams = connections.streams();
            let (builders, guard) = initialize_networking_from_sockets(typed, streams, number, self.threads, hooks)
                .map_err(ClusterError::Connect)?;
            let guard = Box::new(guard) as Box<dyn std::any::Any + Send>;
            (builders.into_iter().map(AllocatorBuilder::Tcp).collect(), guard)
        };
        let guards = timely::execute::execute_from(builders, guard, timely::WorkerConfig::default(), move |timely| {
            let alarm = Alarm { worker: timely.index(), tell: tell_failure.clone(), brake: Arc::clone(&brake) };
            let at = timely.index() - first;
            let part = parts.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at).and_then(Option::take);
            let result = work(timely, &world, Box::new(&*programs), part, &brake);
            alarm.hear(&result);
            result
        })
        .map_err(RunError::Dataflow)?;
        // Joining waits for all workers here, of which one may be amid a long step.
        thread::spawn(move || drop(tell.send(sum_up(guards.join()))));
        let outcome = outcome.recv().unwrap_or_else(|_| Err(RunError::Dataflow("no worker tells how it ended".into())));
        Ok(outcome?)
    }
}

/// This program with its own arguments. If the system does not know where it is, it cannot be started.
fn this_program() -> Command {
    let mut command = Command::new(env::current_exe().unwrap_or_default());
    command.args(env::args_os().skip(1));
    command
}

/// The size from which glibc gives freed memory back at once. By itself it raises the limit to 32 MiB, and all that a world needed
/// for its first tick stays with the process.
const RETURNED: &str = "MALLOC_MMAP_THRESHOLD_";

/// Reports a worker that fails or panics, before it waits for the connections to end.
struct Alarm {
    worker: usize,
    tell: Sender<Result<Vec<WorkerStats>, RunError>>,
    brake: Arc<Brake>,
}

impl Alarm {
    /// That worker reports its own error; or the one that stopped the process.
    fn hear(&self, result: &Result<WorkerStats, WorkError>) {
        if let Err(cause @ (WorkError::Feed { .. } | WorkError::Peer { .. })) = result {
            self.raise(&cause.to_string(), cause.clone().into());
        }
    }

    fn raise(&self, why: &str, cause: RunError) {
        self.brake.pull(why);
        // Only the first one is received.
        let _ = self.tell.send(Err(cause));
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            let text = format!("worker {} panicked", self.worker);
            self.raise(&text, RunError::Dataflow(text.clone()));
        }
    }
}
