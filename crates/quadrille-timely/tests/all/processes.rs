//! The answers of all workers together are those of one list, in processes that are killed.

use std::env;
use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::case::{Case, case, run};
use super::common::{Dice, world};
use super::links::{LOSES, PASSES, relay};
use quadrille_timely::{Cluster, ClusterError, Event};

fn kill(pid: u32) {
    signal("-KILL", pid);
}

fn signal(which: &str, pid: u32) {
    // It may be dead already.
    let _ = Command::new("kill").args([which, &pid.to_string()]).status();
}

/// Waits until process 1 has answered so many ticks; a machine may be busy, so only a very long wait is a failure.
fn wait_for_answers(dir: &Path, pid: u32, ticks: usize) {
    let (begin, file) = (Instant::now(), dir.join(format!("{pid}-1")));
    while fs::read_to_string(&file).map_or(0, |text| text.lines().count()) < ticks {
        assert!(begin.elapsed() < Duration::from_secs(60), "no {ticks} lines in {}", file.display());
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn processes_answer_as_one_list() {
    for (seed, processes, threads) in [(1, 1, 1), (2, 2, 1), (3, 2, 2), (4, 3, 1)] {
        let dir = tempfile::tempdir().unwrap();
        Case { threads, pause: 0, ..case(seed, dir.path()) }.check(processes, |_| ());
    }
}

/// Calls all ports of the world of a process, and says what no process says.
fn speak_nonsense(pid: u32) {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let environment = String::from_utf8_lossy(&environment);
    let addresses = environment.split('\0').find_map(|line| line.strip_prefix("QUADRILLE_ADDRESSES="));
    for address in addresses.into_iter().flat_map(|all| all.split(',')) {
        if let Ok(mut socket) = TcpStream::connect(address) {
            let _ = socket.write_all(&[7; 1000]);
        }
    }
}

/// A few times each; `KILLS=30` for more.
#[test]
fn killed_processes_go_on_as_if_nothing_had_happened() {
    let kills: u64 = env::var("KILLS").map_or(3, |kills| kills.parse().unwrap());
    for (seed, processes, threads) in [(10, 2, 1), (11, 3, 2), (12, 2, 1), (13, 1, 2)] {
        let dir = tempfile::tempdir().unwrap();
        let mut dice = Dice(seed);
        let tell = move |event: &Event| {
            // One of the processes of each of the first starts, at a random moment; now and then two in a row.
            if let Event::Started { pid, process, attempt } = *event
                && process == (seed as usize + attempt) % processes
                && attempt < kills as usize
            {
                let wait = Duration::from_millis(dice.roll(400 + 50 * attempt as u64));
                thread::spawn(move || {
                    speak_nonsense(pid);
                    thread::sleep(wait);
                    kill(pid);
                });
            }
        };
        let case = Case { ticks: 40 + 20 * kills, threads, ..case(seed, dir.path()) };
        run(case.cluster(processes).restarts(kills as usize).tell(tell)).unwrap();
        case.compare();
    }
}

#[test]
fn another_number_of_processes_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let whole = Case { ticks: 90, ..case(20, dir.path()) };
    for (processes, ticks) in [(2, 30), (4, 60), (1, 90)] {
        // The history is that of the longest run, of which this is the beginning.
        let part = Case { ticks, ..whole.clone() };
        run(part.cluster(processes)).unwrap();
    }
    whole.compare();
}

#[test]
fn a_full_disk_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let case = Case { ticks: 40, ..case(26, dir.path()) };
    let child = case.clone();
    // No file may grow beyond some kilobytes; the signal for that is ignored, so that writing fails.
    let command = move |_| child.command_by("trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"");
    let error = run(case.cluster(2).restarts(1).command(command));
    let Err(error @ ClusterError::GaveUp { .. }) = error else { panic!("{error:?}") };
    assert!(error.to_string().contains("starts in a row brought nothing new"), "{error}");
    // With room again it goes on, and what was answered before stays true.
    case.check(2, |_| ());
}

#[test]
fn a_store_that_is_gone_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let case = Case { ticks: 20, ..case(30, dir.path()) };
    case.check(2, |_| ());
    let store = dir.path().join("state/1/process-00001.redb");
    fs::remove_file(&store).unwrap();
    let error = run(case.cluster(2)).unwrap_err();
    assert!(matches!(error, ClusterError::Recovery(_)));
    assert_eq!(error.to_string(), format!("cannot open {}", store.display()));
}

#[test]
fn another_world_does_not_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let case = Case { ticks: 20, ..case(35, dir.path()) };
    case.check(2, |_| ());
    let other = Cluster::new(world::<f32, 2>(false), 2).keep(dir.path().join("state"), 7);
    let error = run(other).unwrap_err();
    assert!(matches!(error, ClusterError::Recovery(_)));
    let kept = "bounds [0.0, 0.0] to [100.0, 100.0], layers [Points, Rects, local Points, local Rects], reach 6";
    let here = "bounds [0.0, 0.0] to [100.0, 100.0], layers [Points, Rects], reach 6";
    assert_eq!(error.to_string(), format!("the bytes are not those of such a world: {kept}; this one has {here}"));
}

/// Whatever is cut, or flipped, is an error, or is nothing that counts; and the bytes as they were go on.
#[test]
fn a_store_that_is_damaged_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let short = Case { ticks: 20, ..case(40, dir.path()) };
    short.check(2, |_| ());
    let store = dir.path().join("state/1/process-00001.redb");
    let whole = fs::read(&store).unwrap();
    let mut dice = Dice(7);
    let mut errors = 0;
    for nth in 0..20 {
        let mut bytes = whole.clone();
        let at = dice.roll(bytes.len() as u64) as usize;
        if nth % 2 == 0 {
            bytes.truncate(at);
        } else {
            let until = (at + 2000).min(bytes.len());
            bytes[at..until].iter_mut().for_each(|byte| *byte ^= 0x5A);
        }
        fs::write(&store, &bytes).unwrap();
        let prepared = short.cluster(2).prepare();
        errors += usize::from(prepared.is_err());
        assert!(prepared.is_err() || prepared.unwrap() == Some(20));
    }
    assert!(errors > 5, "{errors}");
    fs::write(&store, &whole).unwrap();
    Case { ticks: 40, ..short }.check(2, |_| ());
}

/// Stops the first process 1 amid its work, and lets it go on after some time, or never.
fn stopped(dir: &Path, then: Option<Duration>) -> impl FnMut(&Event) + 'static {
    let place = dir.to_owned();
    move |event| {
        if let Event::Started { pid, process: 1, attempt: 0 } = *event {
            let place = place.clone();
            thread::spawn(move || {
                wait_for_answers(&place, pid, 20);
                signal("-STOP", pid);
                if let Some(time) = then {
                    thread::sleep(time);
                    signal("-CONT", pid);
                }
            });
        }
    }
}

#[test]
fn a_process_that_stands_still_for_a_while_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let mut stop = stopped(dir.path(), Some(Duration::from_secs(2)));
    let tell = move |event: &Event| {
        stop(event);
        assert!(!matches!(event, Event::Died { .. }), "{event:?}");
    };
    Case { ticks: 150, ..case(60, dir.path()) }.check(2, tell);
}

#[test]
fn a_process_that_stands_still_for_ever_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    Case { ticks: 150, silence: 2000, ..case(61, dir.path()) }.check(2, stopped(dir.path(), None));
}

/// The connection between two processes goes through a relay, which begins to lose everything.
#[test]
fn a_connection_that_is_cut_for_good_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let (way, relays) = (Arc::new(AtomicU8::new(PASSES)), TcpListener::bind("127.0.0.1:0").unwrap());
    let (told, place) = (dir.path().join("state/addresses"), relays.local_addr().unwrap());
    fs::create_dir(dir.path().join("state")).unwrap();
    let silence = env::var("SILENCE").map_or(2000, |limit| limit.parse().unwrap());
    let case = Case { ticks: 150, pause: 10, silence, ..case(62, dir.path()) };
    let (child, noted) = (case.clone(), told.clone());
    let command = move |_| {
        // Process 1 calls the relay in place of process 0.
        let mut command = child.command_by(
            "if [ $QUADRILLE_PROCESS = 1 ]; then echo $QUADRILLE_ADDRESSES >$TOLD; \
            QUADRILLE_ADDRESSES=$RELAY,${QUADRILLE_ADDRESSES#*,}; fi; exec \"$0\" \"$@\"",
        );
        command.env("TOLD", &noted).env("RELAY", place.to_string());
        command
    };
    let now = Arc::clone(&way);
    thread::spawn(move || {
        for caller in relays.incoming() {
            now.store(PASSES, Ordering::Relaxed);
            let addresses = fs::read_to_string(&told).unwrap();
            let real = TcpStream::connect(addresses.split(',').next().unwrap()).unwrap();
            relay(&caller.unwrap(), &real, &now);
        }
    });
    let (died, (moment, moments)) = (Arc::new(Mutex::new(Vec::new())), mpsc::channel());
    let tell = {
        let (died, dir) = (Arc::clone(&died), dir.path().to_owned());
        move |event: &Event| match *event {
            Event::Started { process: 1, attempt, pid } => {
                let (way, moment, dir) = (Arc::clone(&way), moment.clone(), dir.clone());
                thread::spawn(move || {
                    // Amid the first start all is lost; the next one answers again.
                    wait_for_answers(&dir, pid, if attempt == 0 { 20 } else { 1 });
                    if attempt == 0 {
                        way.store(LOSES, Ordering::Relaxed);
                    }
                    moment.send(Instant::now()).unwrap();
                });
            }
            Event::Died { .. } => died.lock().unwrap().push(*event),
            _ => (),
        }
    };
    run(case.cluster(2).command(command).tell(tell)).unwrap();
    case.compare();
    let died = died.lock().unwrap();
    assert!(matches!(died[..], [Event::Died { .. }]), "{died:?}");
    let [cut, again] = [(); 2].map(|()| moments.recv().unwrap());
    let taken = again.duration_since(cut);
    println!("answers come again after {taken:?}");
    assert!(taken < Duration::from_secs(15), "{taken:?}");
}
