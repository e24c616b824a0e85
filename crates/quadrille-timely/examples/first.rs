//! A thousand walkers cross a town from west to east, and a gate reports who comes and who leaves.
//!
//! ```sh
//! cargo run --example first           # two workers, in threads
//! cargo run --example first -- state  # in two processes, kept in the directory `state`
//! ```

use quadrille::Rect;
use quadrille_timely::{Answer, Area, Cluster, Feed, FeedError, Layers, Program, Question, World, threads};

const TICKS: u64 = 200;
const GATE: u32 = 7;

/// The program of one worker.
struct Town {
    walkers: u8,
}

impl Program<f32, 2> for Town {
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        if tick > 1 {
            return Ok(()); // the walkers step by themselves
        }
        // Each worker puts its share of them, wherever they are; each gets to the worker of its place.
        for id in (feed.worker() as u64..1000).step_by(feed.workers()) {
            feed.put_point(self.walkers, id, [(id / 10) as f32, (id % 100) as f32 * 10.0])?;
        }
        if feed.worker() == 0 {
            let area = Area::Rect(Rect::new([490.0, 490.0], [510.0, 510.0]));
            feed.ask(GATE, Question::Fence { layers: Layers::of(self.walkers), area: Some(area) })?;
        }
        Ok(())
    }

    fn is_last(&self, tick: u64) -> bool {
        tick == TICKS
    }

    fn step(&mut self, _tick: u64, _layer: u8, id: u64, shape: Rect) -> Option<Rect> {
        let [x, y] = shape.min();
        Some(Rect::from_point([x + 2.0 + (id % 3) as f32, y]))
    }

    fn answers(&mut self, tick: u64, answers: &[Answer]) {
        for answer in answers {
            println!("tick {tick}, question {}: {:?} walker {}", answer.question, answer.kind, answer.a);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Nothing is asked about pairs, so no object needs to be known beyond a border.
    let mut world = World::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?;
    let walkers = world.add_local_points()?;
    let town = move |_worker| Town { walkers };
    match std::env::args().nth(1) {
        None => drop(threads(&world, 2, town)?),
        // The state is saved each 50 ticks, and all that is fed goes into a log.
        Some(directory) => Cluster::new(world, 2).keep(directory, 50).run(town)?,
    }
    Ok(())
}
