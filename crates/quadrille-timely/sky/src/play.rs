//! Plays the day on several processes: the first one starts the others, and watches them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::{env, thread};

use anyhow::Context;
use quadrille_timely::{Cluster, Rebalance, World};

use crate::day::{AIRCRAFT, Day, ENCOUNTER_WITHIN, bounds};
use crate::fleet::Fleet;
use crate::options::Options;
use crate::record::{Author, RecordWriter};
use crate::watch::{Watched, Watcher};
use crate::worker::Worker;

/// Minutes between two looks at the shares of the workers.
const REBALANCE_EVERY: u64 = 20;
/// The world is partitioned anew if the fullest worker has more than this many times its share.
const REBALANCE_ABOVE: f64 = 1.1;

/// The world of a day: its first partition is made for the recorded flights of the first minute.
fn world(day: &Day) -> anyhow::Result<World<f64>> {
    let recorded = Fleet::at(day, day.minute(1), |flight| flight.is_multiple_of(day.traffic));
    let rule = Rebalance { every: REBALANCE_EVERY, above: REBALANCE_ABOVE };
    let world = World::new(bounds())?.reach(ENCOUNTER_WITHIN)?;
    let mut world = world.sample(recorded.flying().map(|(_, at)| at)).rebalance(rule)?;
    assert_eq!(world.add_points()?, AIRCRAFT);
    Ok(world)
}

/// The world of a day on the processes that the options ask for, and what they keep in a folder.
fn cluster(day: &Day, options: &Options, dir: &Path) -> anyhow::Result<Cluster<f64>> {
    let cluster = Cluster::new(world(day)?, options.workers).threads(options.threads);
    Ok(match options.every() {
        Some(every) => cluster.keep(dir.join("kept"), every),
        None => cluster,
    })
}

/// Plays the day on processes, and reports the results.
pub(crate) fn supervise(day: &Arc<Day>, options: &Options, dir: &Path) -> anyhow::Result<Watched> {
    let answers = answers(dir);
    fs::create_dir_all(&answers).with_context(|| format!("cannot make {}", answers.display()))?;
    let (tell, events) = mpsc::channel();
    let program = env::current_exe().context("the system does not tell where this program is")?;
    let arguments = arguments(options, dir);
    let cluster = cluster(day, options, dir)?
        .command(move |_| {
            let mut command = Command::new(&program);
            command.args(&arguments);
            command
        })
        // If nobody listens any more, the watcher reports why.
        .tell(move |event| {
            let _ = tell.send(*event);
        });
    let watcher = Watcher::new(Arc::clone(day), &answers, options.workers * options.threads, options.kill);
    thread::scope(|scope| {
        let watching = scope.spawn(move || watcher.watch(&events));
        let ran = cluster.run(|_| -> Worker { unreachable!("only processes that were started work") });
        let seen = watching.join().expect("who watches does not panic");
        ran.context("the processes did not play to the end")?;
        Ok(seen?)
    })
}

/// Works as one of the processes. Does not return unless something has failed.
pub(crate) fn work(day: Day, options: &Options, dir: &Path) -> anyhow::Result<()> {
    let attempt = env::var("QUADRILLE_ATTEMPT").context("only this program starts its parts")?.parse()?;
    let (cluster, answers, day) = (cluster(&day, options, dir)?, answers(dir), Arc::new(day));
    // Each worker writes to a file of its own, which is made before the first tick.
    cluster.run(move |worker| {
        let records = RecordWriter::create(&answers, Author { attempt, worker });
        Worker::new(Arc::clone(&day), records.expect("the folder of the answers takes another file"))
    })?;
    Ok(())
}

fn answers(dir: &Path) -> PathBuf {
    dir.join("answers")
}

/// The command line of a part.
fn arguments(options: &Options, dir: &Path) -> Vec<std::ffi::OsString> {
    let mut arguments = vec!["--part-of".into(), dir.into(), "--data".into(), options.data.clone().into()];
    let numbers = [
        ("--workers", options.workers as u64),
        ("--threads", options.threads as u64),
        ("--traffic", options.traffic.into()),
        ("--minutes", options.minutes.into()),
    ];
    let every = options.every().map(|every| ("--every", every));
    for (name, number) in numbers.into_iter().chain(every) {
        arguments.extend([name.into(), number.to_string().into()]);
    }
    arguments
}
