//! Processes that kill themselves, hang, or lose the one that has started them.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::support::{DIR, dir, files, program};
use crate::run::{Role, supervise};
use quadrille_timely::{ClusterError, Event};

/// How the processes of a test behave: `die=P@A` lets process P abort in attempts below A; with `deaf` the others do not
/// notice; with `wait` all stay until they are killed.
const PLAN: &str = "QUADRILLE_TEST_PLAN";

/// A process: connects to all others, as those of a dataflow do, and ends with them.
#[test]
#[ignore = "a process of another test"]
fn process() {
    // This thread lives as long as the process has anything to do.
    let role = Role::of_this_process().unwrap().expect("a parent");
    let Role { number, addresses, token } = &role;
    let (number, attempt): (usize, usize) = (*number, env::var("QUADRILLE_ATTEMPT").unwrap().parse().unwrap());
    let plan = env::var(PLAN).unwrap();
    let hello = format!("{number} {attempt} {token}\n");
    fs::write(dir().join(format!("{attempt}-{number}")), format!("{addresses:?} {token}")).unwrap();

    // Each connects to those before it; no port is closed, so nobody has to try twice.
    let greeted = |mut stream: TcpStream| {
        stream.write_all(hello.as_bytes()).unwrap();
        let mut peer = String::new();
        // Takes nothing of what follows.
        BufReader::with_capacity(1, &stream).read_line(&mut peer).unwrap();
        assert!(peer.ends_with(&format!(" {attempt} {token}\n")), "{peer} is none of us");
        stream
    };
    let listener = role.listener().unwrap();
    let mut peers: Vec<TcpStream> =
        addresses[..number].iter().map(|address| greeted(TcpStream::connect(address).unwrap())).collect();
    peers.extend((number + 1..addresses.len()).map(|_| greeted(listener.accept().unwrap().0)));

    if plan.split(' ').any(|word| word == "wait") {
        thread::park();
    }
    let dies = |word: &str| {
        let (who, until) = word.strip_prefix("die=")?.split_once('@')?;
        Some(who.parse::<usize>().unwrap() == number && attempt < until.parse().unwrap())
    };
    if plan.split(' ').any(|word| dies(word) == Some(true)) {
        process::abort();
    }
    if plan.contains("deaf") && attempt == 0 {
        thread::park();
    }
    // Those who end well say so.
    for peer in &mut peers {
        // One that is dead already is noticed below.
        let _ = peer.write_all(b"done");
    }
    for peer in &mut peers {
        let mut word = [0; 4];
        if peer.read_exact(&mut word).is_err() {
            process::abort();
        }
    }
}

fn planned(dir: &Path, plan: &str) -> Command {
    let mut command = program("supervised::process");
    command.env(DIR, dir).env(PLAN, plan).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Whether a process is there and does not only wait for somebody to ask how it ended.
fn alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

/// Waits until they are gone; a machine may be busy, so only a very long wait is a failure.
fn assert_gone(pids: &[u32]) {
    let begin = Instant::now();
    while pids.iter().any(|pid| alive(*pid)) {
        assert!(begin.elapsed() < Duration::from_secs(60), "some of {pids:?} are alive");
        thread::sleep(Duration::from_millis(5));
    }
}

fn pids(events: &[Event]) -> Vec<u32> {
    events.iter().filter_map(|event| if let Event::Started { pid, .. } = event { Some(*pid) } else { None }).collect()
}

/// Supervises processes with a plan, of which the newest tick that would survive is known.
fn run(
    processes: usize,
    restarts: usize,
    mut command: impl FnMut(usize) -> Command,
    mut tick: impl FnMut() -> Option<u64>,
    mut tell: impl FnMut(&Event),
) -> Result<(), ClusterError> {
    supervise(processes, restarts, &mut command, || Ok(tick()), &mut tell)
}

#[test]
fn this_is_nobodys_child() {
    assert!(Role::of_this_process().unwrap().is_none());
    let says = |command: &mut Command, name: &str| {
        let output = command.output().unwrap();
        assert!(String::from_utf8_lossy(&output.stderr).contains(&format!("Environment(\"{name}\")")), "{output:?}");
    };
    let started = || {
        let mut command = program("supervised::process");
        command.env("QUADRILLE_PROCESS", "1");
        command
    };
    says(&mut started(), "QUADRILLE_SUPERVISOR");
    let own = process::id().to_string();
    says(started().env("QUADRILLE_SUPERVISOR", "1"), "QUADRILLE_SUPERVISOR");
    says(started().env("QUADRILLE_SUPERVISOR", &own), "QUADRILLE_ADDRESSES");
    // There is no address of number 1.
    says(started().env("QUADRILLE_SUPERVISOR", &own).env("QUADRILLE_ADDRESSES", "127.0.0.1:1"), "QUADRILLE_ADDRESSES");
}

#[test]
fn processes_that_die_twice_are_started_three_times() {
    let dir = tempfile::tempdir().unwrap();
    let mut events = Vec::new();
    let mut ticks = [None, None, Some(20)].into_iter();
    let command = |_| planned(dir.path(), "die=1@2");
    run(3, 1, command, || ticks.next().unwrap(), |event| events.push(*event)).unwrap();
    assert_eq!((pids(&events).len(), events.len()), (9, 11), "{events:?}");
    // All of a start were told the same, and each start something else.
    let told: BTreeSet<String> = files(dir.path()).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    assert_eq!(told.len(), 3);
    assert_gone(&pids(&events));
}

#[test]
fn without_progress_it_gives_up_and_tells_who_died_and_how() {
    let dir = tempfile::tempdir().unwrap();
    let mut events = Vec::new();
    let command = |_| planned(dir.path(), "die=0@99");
    let error = run(2, 2, command, || Some(7), |event| events.push(*event)).unwrap_err();
    let ClusterError::GaveUp { tick: Some(7), starts: 3, process, status } = error else { panic!("{error}") };
    // Who is seen to die first may be the one that followed.
    assert!(status.signal() == Some(6) && process < 2);
    assert_eq!(pids(&events).len(), 6);
    assert_gone(&pids(&events));
}

#[test]
fn progress_allows_for_any_number_of_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let mut tick = 0;
    let command = |_| planned(dir.path(), "die=0@5");
    let progress = || {
        tick += 1;
        Some(tick)
    };
    run(1, 0, command, progress, |_| ()).unwrap();
    assert_eq!(files(dir.path()).len(), 6);
}

#[test]
fn those_who_do_not_end_by_themselves_are_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut events = Vec::new();
    let command = |_| planned(dir.path(), "die=2@1 deaf");
    run(3, 1, command, || None, |event| events.push(*event)).unwrap();
    assert_eq!(pids(&events).len(), 6);
    assert_gone(&pids(&events));
}

#[test]
fn nobody_is_left_after_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    let mut started = Vec::new();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let tell = |event: &Event| {
            if let Event::Started { process, pid, .. } = event {
                started.push(*pid);
                assert!(*process < 2, "the third one is too much");
            }
        };
        run(3, 3, |_| planned(dir.path(), "wait"), || None, tell)
    }));
    assert!(outcome.is_err());
    assert_eq!(started.len(), 3);
    assert!(!started.iter().any(|pid| alive(*pid)));
}

#[test]
fn nobody_is_left_when_one_cannot_be_started() {
    let dir = tempfile::tempdir().unwrap();
    let mut events = Vec::new();
    let command =
        |process| if process < 2 { planned(dir.path(), "wait") } else { Command::new(dir.path().join("none")) };
    let error = run(3, 3, command, || None, |event| events.push(*event)).unwrap_err();
    assert!(matches!(error, ClusterError::Process { process: 2, .. }));
    assert_eq!(events.len(), 2);
    assert!(!pids(&events).iter().any(|pid| alive(*pid)));
}

/// The one that starts the others, to be killed.
#[test]
#[ignore = "a process of another test"]
fn lonely_parent() {
    let tell = |event: &Event| {
        if let Event::Started { pid, .. } = event {
            println!("pid {pid}");
        }
    };
    run(3, 3, |_| planned(&dir(), "wait"), || None, tell).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn nobody_outlives_the_one_that_has_started_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut parent = program("supervised::lonely_parent").env(DIR, dir.path()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(parent.stdout.take().unwrap()).lines().map_while(Result::ok);
    let pids: Vec<u32> = lines.filter_map(|line| line.strip_prefix("pid ")?.parse().ok()).take(3).collect();
    // Each has asked who it is by the time that it has written its file.
    while files(dir.path()).len() < 3 {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(pids.iter().all(|pid| alive(*pid)));
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_gone(&pids);
}
