//! A process is killed: how long is it until a tick is answered that none had answered before?

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quadrille_timely::Event;

/// Long enough for a snapshot and some ticks after it.
const LIFE: Duration = Duration::from_secs(8);

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970").as_micros()
}

/// Kills the second process of the first start, unless the world ends before.
pub(crate) fn of_one(dir: PathBuf) -> impl FnMut(&Event) {
    // The world drops what hears of it, and so the sender, when it ends.
    let (world, end) = mpsc::channel::<()>();
    let mut end = Some(end);
    move |event| {
        let _ = &world;
        if let Event::Started { pid, process: 1, attempt: 0 } = *event
            && let Some(end) = end.take()
        {
            let dir = dir.clone();
            thread::spawn(move || {
                if end.recv_timeout(LIFE) == Err(RecvTimeoutError::Timeout) {
                    fs::write(dir.join("kill.time"), now().to_string()).expect("a file of figures");
                    Command::new("kill").args(["-9", &pid.to_string()]).status().expect("the command kill");
                }
            });
        }
    }
}

/// Notes that this process has answered a tick.
pub(crate) fn note(dir: &Path, tick: u64) {
    let path = dir.join(format!("{}.ticks", std::process::id()));
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file of figures");
    writeln!(file, "{tick} {}", now()).expect("a file of figures");
}

/// Prints how long it took.
pub(crate) fn print(dir: &Path) {
    let Ok(killed) = fs::read_to_string(dir.join("kill.time")) else { return };
    let killed: u128 = killed.parse().expect("a time");
    let files = fs::read_dir(dir).expect("the directory of figures").map(|file| file.expect("a file").path());
    // A process each: its ticks and their times.
    let processes: Vec<Vec<(u64, u128)>> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "ticks"))
        .map(|path| {
            let text = fs::read_to_string(path).expect("a file of figures");
            let line = |line: &str| {
                let (tick, time) = line.split_once(' ')?;
                Some((tick.parse().ok()?, time.parse().ok()?))
            };
            text.lines().filter_map(line).collect()
        })
        .collect();
    // Those of the first start may answer what they had under way.
    let (second, first): (Vec<_>, Vec<_>) =
        processes.iter().partition(|answered| answered.first().is_some_and(|(_, time)| *time > killed));
    let before = first.into_iter().flatten().map(|(tick, _)| *tick).max().unwrap_or(0);
    let again = second.iter().copied().flatten().map(|(_, time)| *time).min().unwrap_or(killed);
    let new = second.into_iter().flatten().filter(|(tick, _)| *tick > before).map(|(_, time)| *time).min();
    match new {
        Some(new) => {
            let [again, new] = [again, new].map(|time| (time - killed) as f64 / 1e6);
            println!("killed after tick {before}: answers again after {again:.2} s, a new tick after {new:.2} s");
        }
        None => println!("killed after tick {before}: no new tick"),
    }
}
