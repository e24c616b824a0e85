//! The cost of borders as workers grow: the partition of a world, the traffic of a tick, and the workers that a question meets, counted
//! for 1 to 1024 workers without running any. `docs/scale.md` shows the tables that this prints.
//!
//! ```sh
//! cargo run --release --example borders
//! ```

mod cells;
mod moving;
mod questions;
mod table;
mod traffic;

use quadrille::Rect;
use quadrille_timely::Partition;

use cells::Cells;
use moving::{CROWDED, Moving, OBJECTS, SIDE, UNIFORM};
use questions::Questions;
use table::Table;
use traffic::{Feed, Traffic};

/// Numbers of workers.
const WORKERS: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 256, 1024];
/// One object in so many is in the sample for the first partition.
const SAMPLED: usize = 61;

const WORLDS: [Moving; 4] = [
    UNIFORM,
    CROWDED,
    Moving { name: "crowded, ten times the reach", cluster: Some(30.0), step: 0.5, reach: 0.3 },
    Moving { name: "packed: clusters a fifth as wide", cluster: Some(6.0), step: 0.05, reach: 0.03 },
];

fn main() {
    for world in WORLDS {
        report(&world);
    }
}

fn report(world: &Moving) {
    println!("\n## {}: step {}, reach {}\n", world.name, world.step, world.reach);
    let before: Vec<[f32; 2]> = (0..OBJECTS).map(|id| world.start(id)).collect();
    let after: Vec<[f32; 2]> = before.iter().zip(0..).map(|(at, id)| world.step(1, id, *at)).collect();
    let mut partition = Table::new(
        "workers | fullest, by a sample | by a census | largest cell, shares | pieces | most | neighbours | most",
    );
    let mut borders = Table::new(
        "workers | change owner | ghosts | rows a worker | most | bytes a worker | most | messages a worker",
    );
    let mut feeds = Table::new(
        "workers | local | a reader each | a directory | a single feeder | messages | messages of the directory",
    );
    let mut asked = Table::new("workers | windows | second rounds | asked then | anywhere | asked then");
    let questions = Questions::new(&before);
    for workers in WORKERS {
        let bounds = Rect::new([0.0; 2], [SIDE; 2]);
        let by_sample = Partition::of_sample(bounds, world.reach, workers, before.iter().step_by(SAMPLED).copied());
        let by_census = Partition::of_sample(bounds, world.reach, workers, before.iter().copied());
        report_partition(&mut partition, [&by_sample, &by_census], &before);
        report_borders(&mut borders, &by_census, &before, &after);
        report_feeds(&mut feeds, &by_census, &before, &after);
        report_questions(&mut asked, &by_census, &questions);
    }
    for (title, table) in [
        ("partition", partition),
        ("borders", borders),
        ("bytes of the worker that sends most", feeds),
        ("questions", asked),
    ] {
        println!("{title}\n\n{table}");
    }
}

fn report_partition(table: &mut Table, [by_sample, by_census]: [&Partition<f32, 2>; 2], objects: &[[f32; 2]]) {
    let cells = Cells::new(by_census, objects);
    let (pieces, neighbours) = (cells.pieces(), cells.neighbours(by_census));
    let workers = by_census.workers();
    let largest = cells.largest() as f64 * workers as f64 / objects.len() as f64;
    table.row(&[
        workers.to_string(),
        format!("{:.2}", by_sample.fullest_share(&cells.weights)),
        format!("{:.2}", by_census.fullest_share(&cells.weights)),
        format!("{largest:.3}"),
        format!("{:.1}", mean(&pieces)),
        most(&pieces).to_string(),
        format!("{:.1}", mean(&neighbours)),
        most(&neighbours).to_string(),
    ]);
}

fn report_borders(table: &mut Table, partition: &Partition<f32, 2>, before: &[[f32; 2]], after: &[[f32; 2]]) {
    let percent = |count: usize| format!("{:.3} %", 100.0 * count as f64 / before.len() as f64);
    let changed =
        before.iter().zip(after).filter(|(old, new)| partition.owner(**old) != partition.owner(**new)).count();
    let traffic = Traffic::of_tick(partition, before, after, Feed::Local);
    let (rows, bytes) = (traffic.rows_of_workers(), traffic.bytes_of_workers());
    table.row(&[
        partition.workers().to_string(),
        percent(changed),
        percent(traffic::ghosts(partition, after)),
        format!("{:.0}", mean(&rows)),
        most(&rows).to_string(),
        format!("{:.0}", mean(&bytes)),
        most(&bytes).to_string(),
        format!("{:.1}", mean(&traffic.messages_of_workers())),
    ]);
}

fn report_feeds(table: &mut Table, partition: &Partition<f32, 2>, before: &[[f32; 2]], after: &[[f32; 2]]) {
    let [local, readers, directory, single] = [Feed::Local, Feed::Readers, Feed::Directory, Feed::Single]
        .map(|feed| Traffic::of_tick(partition, before, after, feed));
    let bytes = |traffic: &Traffic| table::bytes(most(&traffic.bytes_of_workers()));
    table.row(&[
        partition.workers().to_string(),
        bytes(&local),
        bytes(&readers),
        bytes(&directory),
        bytes(&single),
        most(&readers.messages_of_workers()).to_string(),
        most(&directory.messages_of_workers()).to_string(),
    ]);
}

fn report_questions(table: &mut Table, partition: &Partition<f32, 2>, questions: &Questions) {
    let [there, anywhere] = questions.second_rounds(partition);
    table.row(&[
        partition.workers().to_string(),
        format!("{:.3}", questions.workers_of_windows(partition)),
        format!("{:.1} %", 100.0 * there.share),
        format!("{:.1}", there.asked),
        format!("{:.1} %", 100.0 * anywhere.share),
        format!("{:.1}", anywhere.asked),
    ]);
}

fn mean(of: &[usize]) -> f64 {
    of.iter().sum::<usize>() as f64 / of.len() as f64
}

fn most(of: &[usize]) -> usize {
    of.iter().max().copied().unwrap_or(0)
}
