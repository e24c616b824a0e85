//! Looks at the processes from outside: how far they are, what they cost, and what becomes of a death.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use quadrille_gallery::{Progress, grouped};
use quadrille_timely::Event;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, Signal, System};

use crate::day::Day;
use crate::record::RecordReader;
use crate::tally::{Brought, Difference, Tally};

/// How long nothing is looked at.
const NAP: Duration = Duration::from_millis(10);
/// How often the costs are looked at.
const COSTS_EVERY: Duration = Duration::from_millis(200);

/// The cost of a process, in all its starts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// Milliseconds of processors in starts that have ended.
    before: u64,
    /// The same of the last start.
    now: u64,
    /// The most memory that it had.
    pub(crate) memory: u64,
}

impl Cost {
    /// The time of processors.
    pub(crate) fn cpu(&self) -> Duration {
        Duration::from_millis(self.before + self.now)
    }
}

/// A death, and what came after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Death {
    /// Which process was killed.
    pub(crate) process: usize,
    /// The last tick that was reported before.
    pub(crate) done: u64,
    at: Instant,
    /// How long it took from the death to the first new tick.
    pub(crate) recovery: Option<Duration>,
    /// The first tick that was reported again, and how many were.
    pub(crate) again: Option<(u64, u64)>,
}

/// All that was seen.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) tally: Tally,
    pub(crate) costs: BTreeMap<usize, Cost>,
    pub(crate) death: Option<Death>,
    /// From the first start to the end.
    pub(crate) elapsed: Duration,
}

/// Why watching ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WatchError {
    #[error("the answers cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error(transparent)]
    Difference(#[from] Difference),
}

/// Watches processes until no event can come any more.
pub(crate) struct Watcher {
    day: Arc<Day>,
    reader: RecordReader,
    watched: Watched,
    /// Whether a process is to be killed at noon.
    kills: bool,
    pids: BTreeMap<usize, Pid>,
    system: System,
    progress: Progress,
}

impl Watcher {
    pub(crate) fn new(day: Arc<Day>, answers: &Path, workers: usize, kills: bool) -> Self {
        let tally = Tally::new(Arc::clone(&day), workers);
        let watched = Watched { tally, costs: BTreeMap::new(), death: None, elapsed: Duration::ZERO };
        let (reader, progress) = (RecordReader::new(answers), Progress::new(usize::from(day.minutes)));
        Self { day, reader, watched, kills, pids: BTreeMap::new(), system: System::new(), progress }
    }

    /// Watches.
    pub(crate) fn watch(mut self, events: &Receiver<Event>) -> Result<Watched, WatchError> {
        let begun = Instant::now();
        let mut costs_at = begun;
        loop {
            let event = events.recv_timeout(NAP);
            let is_over = matches!(event, Err(RecvTimeoutError::Disconnected));
            if let Ok(event) = event {
                self.hear(&event);
            }
            if is_over {
                self.watched.elapsed = begun.elapsed();
            } else if costs_at.elapsed() > COSTS_EVERY {
                costs_at = Instant::now();
                self.look_at_costs();
            }
            self.read()?;
            if is_over {
                self.progress.finish();
                return Ok(self.watched);
            }
            if self.kills && self.watched.tally.done() >= self.day.noon() {
                self.kill();
            }
        }
    }

    fn hear(&mut self, event: &Event) {
        if let Event::Started { process, pid, .. } = *event {
            self.pids.insert(process, Pid::from_u32(pid));
            let cost = self.watched.costs.entry(process).or_default();
            *cost = Cost { before: cost.before + cost.now, now: 0, ..*cost };
        }
    }

    fn look_at_costs(&mut self) {
        let pids: Vec<Pid> = self.pids.values().copied().collect();
        let what = ProcessRefreshKind::nothing().with_cpu().with_memory().without_tasks();
        self.system.refresh_processes_specifics(ProcessesToUpdate::Some(&pids), true, what);
        for (number, pid) in &self.pids {
            if let (Some(process), Some(cost)) = (self.system.process(*pid), self.watched.costs.get_mut(number)) {
                // One that has just ended has no memory and no time.
                cost.now = cost.now.max(process.accumulated_cpu_time());
                cost.memory = cost.memory.max(process.memory());
            }
        }
    }

    fn read(&mut self) -> Result<(), WatchError> {
        for (author, record) in self.reader.poll()? {
            match self.watched.tally.add(author, record)? {
                Brought::Part => {}
                Brought::Tick(tick) => {
                    let (minute, tally) = (self.day.minute(tick), &self.watched.tally);
                    self.progress.step(|| {
                        let aircraft: u32 =
                            tally.shares.values().next_back().map_or(0, |shares| shares.own.iter().sum());
                        format!("{minute}  {} aircraft in the air", grouped(&aircraft))
                    });
                    if let Some(death) = self.watched.death.as_mut().filter(|death| death.done < tick) {
                        death.recovery.get_or_insert(death.at.elapsed());
                    }
                }
                Brought::Again(tick) => {
                    if let Some(death) = &mut self.watched.death {
                        death.again.get_or_insert((tick, 0)).1 += 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// Kills the last process.
    fn kill(&mut self) {
        self.look_at_costs();
        let Some((&process, pid)) = self.pids.last_key_value() else { return };
        let is_killed = self.system.process(*pid).and_then(|process| process.kill_with(Signal::Kill));
        if is_killed == Some(true) {
            let (done, at) = (self.watched.tally.done(), Instant::now());
            self.watched.death = Some(Death { process, done, at, recovery: None, again: None });
        }
        self.kills = false;
    }
}
