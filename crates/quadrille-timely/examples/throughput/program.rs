//! The program of one worker, and what it measures.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::{ProcessTime, ThreadTime};
use quadrille::Rect;
use quadrille_timely::{Answer, Area, Feed, FeedError, Layers, Partition, Program, Question, World};
use serde::{Deserialize, Serialize};

use crate::moving::{SIDE, anywhere, mix};
use crate::{Case, Options, Way, death};

/// Ticks before the clock starts: objects come, processes meet, buffers grow.
pub(crate) const WARM: u64 = 3;
/// Windows a tick.
pub(crate) const WINDOWS: u32 = 1000;

fn bounds() -> Rect {
    Rect::new([0.0, 0.0], [SIDE, SIDE])
}

fn sample(options: &Options, case: Case) -> impl Iterator<Item = [f32; 2]> {
    (0..options.objects).step_by(61).map(move |id| case.moving().start(id))
}

/// A window that is asked about.
pub(crate) fn window(tick: u64, number: u32) -> Rect {
    let low = anywhere(mix(tick << 32 | u64::from(number)));
    Rect::new(low, low.map(|c| c + 10.0))
}

/// The world of a case.
pub(crate) fn world(options: &Options, case: Case) -> World {
    let (moving, workers) = (case.moving(), case.processes * options.threads);
    let world = World::new(bounds()).and_then(|world| world.reach(moving.reach)).expect("a world");
    let mut world = world.sample(sample(options, case));
    let layer = if case.way == Way::Local { world.add_local_points() } else { world.add_points() };
    assert_eq!(layer, Ok(0));
    match case.way {
        Way::Single => world.reader(|_, _| 0),
        Way::Readers => {
            let partition = Partition::of_sample(bounds(), moving.reach, workers, sample(options, case));
            let first: Arc<[u16]> = (0..options.objects).map(|id| partition.owner(moving.start(id))).collect();
            world.reader(move |id, _| usize::from(first[id as usize]))
        }
        Way::Directory => world.directory(),
        Way::Local | Way::Plain => world,
    }
}

/// The program of one worker.
pub(crate) struct Mover {
    options: Options,
    case: Case,
    worker: usize,
    dir: PathBuf,
    /// The objects that this worker feeds.
    movers: Vec<(u64, [f32; 2])>,
    clock: Option<(Instant, ThreadTime, ProcessTime)>,
    sum: u64,
}

impl Mover {
    pub(crate) fn new(options: Options, case: Case, worker: usize, dir: PathBuf) -> Self {
        Self { options, case, worker, dir, movers: Vec::new(), clock: None, sum: 0 }
    }

    /// Takes the objects that this worker feeds, and puts them in.
    fn begin(&mut self, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        for id in 0..self.options.objects {
            let at = self.case.moving().start(id);
            let is_mine = match self.case.way {
                Way::Single => self.worker == 0,
                Way::Directory => mix(id) as usize % feed.workers() == self.worker,
                Way::Local | Way::Readers | Way::Plain => usize::from(feed.partition().owner(at)) == self.worker,
            };
            if is_mine {
                let at = self.case.moving().step(1, id, at);
                feed.put_point(0, id, at)?;
                self.movers.push((id, at));
            }
        }
        if self.case.way == Way::Local {
            self.movers = Vec::new();
        }
        Ok(())
    }
}

impl Program<f32, 2> for Mover {
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        if tick == 1 {
            self.begin(feed)?;
        } else {
            for (id, at) in &mut self.movers {
                *at = self.case.moving().step(tick, *id, *at);
                feed.put_point(0, *id, *at)?;
            }
        }
        let workers = feed.workers();
        for number in (0..WINDOWS).filter(|number| *number as usize % workers == self.worker) {
            let (layers, area) = (Layers::ALL, Area::Rect(window(tick, number)));
            feed.ask(number, Question::Window { layers, area })?;
        }
        if self.worker == 0 {
            feed.ask(WINDOWS, Question::Pairs { layers: Layers::ALL, distance: self.case.moving().reach })?;
        }
        Ok(())
    }

    fn is_last(&self, tick: u64) -> bool {
        tick == self.options.ticks + WARM
    }

    #[inline]
    fn step(&mut self, tick: u64, _: u8, id: u64, shape: Rect) -> Option<Rect> {
        Some(Rect::from_point(self.case.moving().step(tick, id, shape.min())))
    }

    fn answers(&mut self, tick: u64, answers: &[Answer]) {
        self.sum = checksum(self.sum, tick, answers);
        if self.options.kill {
            death::note(&self.dir, tick);
        }
        if tick == WARM {
            self.clock = Some((Instant::now(), ThreadTime::now(), ProcessTime::now()));
        }
        if let Some((began, cpu, all)) = self.clock.filter(|_| self.is_last(tick)) {
            Measured::new(self.options.ticks, began.elapsed(), [cpu.elapsed(), all.elapsed()], self.sum)
                .write(&self.dir);
        }
    }
}

/// Depends on the answers of a tick, and on no order.
pub(crate) fn checksum(sum: u64, tick: u64, answers: &[Answer]) -> u64 {
    answers.iter().fold(sum, |sum, of| {
        sum.wrapping_add(mix(mix(tick << 32 | u64::from(of.question)) ^ mix(of.a).wrapping_add(of.b)))
    })
}

/// The measurements of a worker.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) ticks_a_second: f64,
    /// Processor time of the worker's thread a tick.
    pub(crate) cpu_ms: f64,
    /// That of all threads of its process.
    pub(crate) process_ms: f64,
    pub(crate) mebibytes: f64,
    pub(crate) checksum: u64,
    /// Of all processes a tick, over the loopback device.
    pub(crate) bytes: f64,
}

impl Measured {
    pub(crate) fn new(ticks: u64, wall: Duration, cpu: [Duration; 2], checksum: u64) -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes: f64 = resident.and_then(|text| text.trim_end_matches("kB").trim().parse().ok()).unwrap_or(0.0);
        Self {
            ticks_a_second: ticks as f64 / wall.as_secs_f64(),
            cpu_ms: 1e3 * cpu[0].as_secs_f64() / ticks as f64,
            process_ms: 1e3 * cpu[1].as_secs_f64() / ticks as f64,
            mebibytes: kibibytes / 1024.0,
            checksum,
            bytes: 0.0,
        }
    }

    pub(crate) fn write(&self, dir: &Path) {
        let bytes = postcard::to_allocvec(self).expect("figures");
        let name = format!("{}-{:?}", std::process::id(), std::thread::current().id());
        std::fs::write(dir.join(name), bytes).expect("a file of figures");
    }

    pub(crate) fn read(dir: &Path) -> Vec<Self> {
        let is_measured = |path: &PathBuf| path.extension().is_none();
        let files = std::fs::read_dir(dir).expect("the directory of figures").map(|file| file.expect("a file").path());
        let read = |path: PathBuf| {
            let bytes = std::fs::read(path).expect("a file of figures");
            postcard::from_bytes(&bytes).expect("figures")
        };
        files.filter(is_measured).map(read).collect()
    }
}
