//! A process is killed: how long is it until a tick is answered that none had answered before?

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quadrille_timely::durable::Event;

/// Long enough for a snapshot and some ticks after it.
const LIFE: Duration = Duration::from_secs(8);

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970").as_micros()
}

/// Kills the second process of the first start.
pub(crate) fn of_one(dir: PathBuf) -> impl FnMut(&Event) {
    move |event| {
        if let Event::Started { pid, process: 1, attempt: 0 } = *event {
            let dir = dir.clone();
            thread::spawn(move || {
                thread::sleep(LIFE);
                fs::write(dir.join("kill.time"), now().to_string()).expect("a file of figures");
                Command::new("kill").args(["-9", &pid.to_string()]).status().expect("the command kill");
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

/// Tells how long it took.
pub(crate) fn print(dir: &Path) {
    let Ok(killed) = fs::read_to_string(dir.join("kill.time")) else { return };
    let killed: u128 = killed.parse().expect("a time");
    let files = fs::read_dir(dir).expect("the directory of figures").map(|file| file.expect("a file").path());
    let text: String = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "ticks"))
        .map(|path| fs::read_to_string(path).expect("a file of figures"))
        .collect();
    let answered = || {
        text.lines().filter_map(|line| {
            let (tick, time) = line.split_once(' ')?;
            Some((tick.parse::<u64>().ok()?, time.parse::<u128>().ok()?))
        })
    };
    let before = answered().filter(|(_, time)| *time <= killed).map(|(tick, _)| tick).max().unwrap_or(0);
    let again = answered().filter(|(_, time)| *time > killed).map(|(_, time)| time).min().unwrap_or(killed);
    let new = answered().filter(|(tick, time)| *tick > before && *time > killed + 1000).map(|(_, time)| time).min();
    match new {
        Some(new) => {
            let [again, new] = [again, new].map(|time| (time - killed) as f64 / 1e6);
            println!("killed after tick {before}: answers again after {again:.2} s, a new tick after {new:.2} s");
        }
        None => println!("killed after tick {before}: no new tick"),
    }
}
