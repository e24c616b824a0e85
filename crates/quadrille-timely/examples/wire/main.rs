//! Counts what workers send each other: worlds on several workers, each of which timely takes for a process, joined by relays
//! that read timely's frames. `docs/scale.md` shows the tables that this prints.
//!
//! ```sh
//! cargo run --release --example wire
//! ```

#[allow(dead_code, reason = "another example shows more of it")]
#[path = "../borders/moving.rs"]
mod moving;
mod relay;

use std::error::Error;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use cpu_time::ProcessTime;
use quadrille::Rect;
use quadrille_timely::{
    Answer, Area, Cluster, Feed, FeedError, Layers, PlanError, Program, Question, WorkerStats, World, threads,
};

use moving::{CROWDED, Moving, OBJECTS, SIDE, UNIFORM, anywhere, mix};
use relay::{Counts, sockets};

/// Questions of each sort in a tick, where any are asked.
const QUESTIONS: u64 = 1000;
/// The first ticks are not counted.
const WARM: u64 = 10;

type Failed = Box<dyn Error>;
/// Of each process, its connections.
type Sockets = Vec<Vec<Option<TcpStream>>>;

/// A world to be counted.
#[derive(Clone, Copy)]
struct Case {
    moving: &'static Moving,
    objects: u64,
    is_asked: bool,
    workers: usize,
    ticks: u64,
}

/// Feeds one worker.
struct Walk {
    case: Case,
    layer: u8,
    counts: Arc<Counts>,
    /// Messages and bytes before the ticks that count.
    warm: Arc<[AtomicU64; 2]>,
}

impl Program<f32, 2> for Walk {
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        let (worker, workers) = (feed.worker() as u64, feed.workers() as u64);
        if tick == 1 {
            for id in (worker..self.case.objects).step_by(workers as usize) {
                feed.put_point(self.layer, id, self.case.moving.start(id))?;
            }
        }
        if worker == 0 && self.case.is_asked {
            feed.ask(0, Question::Pairs { layers: Layers::ALL, distance: self.case.moving.reach })?;
            for number in 1..=QUESTIONS {
                let at = anywhere(mix(tick << 32 | number));
                let layers = Layers::ALL;
                let window = Area::Rect(Rect::new(at, at.map(|c| c + 10.0)));
                feed.ask(number as u32, Question::Window { layers, area: window })?;
                let near = Question::Nearest { layers, at: Rect::from_point(at), count: 8 };
                feed.ask((QUESTIONS + number) as u32, near)?;
            }
        }
        Ok(())
    }

    fn is_last(&self, tick: u64) -> bool {
        tick == self.case.ticks
    }

    fn step(&mut self, tick: u64, _: u8, id: u64, shape: Rect<f32, 2>) -> Option<Rect<f32, 2>> {
        Some(Rect::from_point(self.case.moving.step(tick, id, shape.min())))
    }

    fn answers(&mut self, tick: u64, _: &[Answer]) {
        if tick == WARM {
            for (warm, now) in self.warm.iter().zip(self.counts.now()) {
                // The last worker to come so far counts.
                warm.store(now, Ordering::Relaxed);
            }
        }
    }
}

impl Case {
    fn world(&self) -> Result<(World, u8), PlanError> {
        let mut world = World::new(Rect::new([0.0; 2], [SIDE; 2]))?.reach(self.moving.reach)?;
        let layer = world.add_local_points()?;
        Ok((world.sample((0..OBJECTS).step_by(61).map(|id| self.moving.start(id))), layer))
    }

    /// Runs the world, each worker as a process.
    fn run(
        self,
        sockets: Sockets,
        counts: &Arc<Counts>,
        warm: &Arc<[AtomicU64; 2]>,
    ) -> Result<Vec<WorkerStats>, Failed> {
        let (world, layer) = self.world()?;
        let start = |(number, sockets)| {
            let (world, counts, warm) = (world.clone(), Arc::clone(counts), Arc::clone(warm));
            let program = move |_| Walk { case: self, layer, counts: Arc::clone(&counts), warm: Arc::clone(&warm) };
            thread::spawn(move || Cluster::new(world, self.workers).process(number, sockets, program))
        };
        let processes: Vec<_> = (0..).zip(sockets).map(start).collect();
        let mut stats = Vec::new();
        for process in processes {
            stats.extend(process.join().expect("no process panics")?);
        }
        Ok(stats)
    }

    /// Counts the messages and bytes of a tick, of all workers.
    fn count(self) -> Result<([f64; 2], Vec<WorkerStats>), Failed> {
        let (counts, warm) = Default::default();
        let stats = self.run(sockets(self.workers, Some(&counts))?, &counts, &warm)?;
        let counted = (self.ticks - WARM) as f64;
        let of_tick = |at: usize| (counts.now()[at] - warm[at].load(Ordering::Relaxed)) as f64 / counted;
        Ok(([of_tick(0), of_tick(1)], stats))
    }

    /// Runs the world over sockets without relays.
    fn over_sockets(self) -> Result<(), Failed> {
        let (counts, warm) = Default::default();
        self.run(sockets(self.workers, None)?, &counts, &warm).map(drop)
    }

    /// Runs the world in threads.
    fn in_threads(self) -> Result<(), Failed> {
        let (world, layer) = self.world()?;
        let (counts, warm) = <(Arc<Counts>, Arc<[AtomicU64; 2]>)>::default();
        let program = move |_| Walk { case: self, layer, counts: Arc::clone(&counts), warm: Arc::clone(&warm) };
        threads(&world, self.workers, program)?;
        Ok(())
    }
}

fn main() -> Result<(), Failed> {
    let empty = Case { moving: &UNIFORM, objects: 0, is_asked: false, workers: 1, ticks: 1000 };
    println!(
        "| world | workers | messages of a worker | to each other | bytes of a worker | to each other | second rounds |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for workers in [2, 3, 4, 8, 16] {
        show("empty", Case { workers, ..empty })?;
    }
    for moving in [&UNIFORM, &CROWDED] {
        for is_asked in [false, true] {
            for workers in [2, 3, 4] {
                let name = format!("{}{}", moving.name, if is_asked { ", asked" } else { "" });
                show(&name, Case { moving, objects: OBJECTS, is_asked, workers, ticks: 50 })?;
            }
        }
    }
    println!(
        "\n| workers | in threads: a tick | processor time | a worker | over sockets: a tick | processor time | a worker |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    for workers in [1, 2, 4, 8, 16, 32, 64, 128] {
        let case = Case { workers, ..empty };
        let in_threads = times(case, Case::in_threads)?;
        let over_sockets = if (2..=16).contains(&workers) { times(case, Case::over_sockets)? } else { " | | ".into() };
        println!("| {workers} | {in_threads} | {over_sockets} |");
    }
    Ok(())
}

/// Prints a line of what workers send each other.
fn show(name: &str, case: Case) -> Result<(), Failed> {
    let (counted, stats) = case.count()?;
    let workers = case.workers as f64;
    let [messages, bytes] = counted.map(|all| all / workers);
    let [messages_each, bytes_each] = [messages, bytes].map(|of_worker| of_worker / (workers - 1.0));
    let second = stats.iter().map(|stats| stats.second_rounds).sum::<u64>() as f64;
    let asked = if case.is_asked { (case.ticks * QUESTIONS) as f64 } else { f64::INFINITY };
    println!(
        "| {name} | {workers} | {messages:.1} | {messages_each:.1} | {bytes:.0} | {bytes_each:.0} | {:.1} % |",
        100.0 * second / asked
    );
    Ok(())
}

/// Cells of a table: how long a tick takes, and the processor time of all workers and of one.
fn times(case: Case, run: impl Fn(Case) -> Result<(), Failed>) -> Result<String, Failed> {
    let (start, processor) = (Instant::now(), ProcessTime::now());
    run(case)?;
    let [taken, all] = [start.elapsed(), processor.elapsed()].map(|of| of.as_secs_f64() * 1000.0 / case.ticks as f64);
    Ok(format!("{taken:.2} ms | {all:.2} ms | {:.3} ms", all / case.workers as f64))
}
