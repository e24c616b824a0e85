//! Processes that kill themselves, hang, or lose their supervisor.

use crate::support::{DIR, dir, program};
use quadrille_durable::{Event, Role, RoleError, Supervisor, SupervisorError, listener, role};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{self, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How the processes of a test behave: `die=P@A` lets process P abort in attempts below A; with `deaf` the others do not
/// notice; with `wait` all stay until they are killed.
const PLAN: &str = "QUADRILLE_TEST_PLAN";

/// A process: connects to all others, as those of a dataflow do, and ends with them.
#[test]
#[ignore = "a process of another test"]
fn process() {
    // This thread lives as long as the process has anything to do.
    let Role::Process { number, addresses, attempt, token } = role().unwrap() else { panic!("nobody's child") };
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
    let listener = listener(addresses[number]).unwrap();
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
    let mut command = program("supervisor::process");
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

fn aborted(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(6)
}

/// The newest tick that would survive.
#[expect(clippy::unnecessary_wraps, reason = "the supervisor takes answers that may fail")]
fn known(tick: Option<u64>) -> Result<Option<u64>, std::convert::Infallible> {
    Ok(tick)
}

#[test]
fn this_is_nobodys_child() {
    assert_eq!(role(), Ok(Role::Supervisor));
    let output = program("supervisor::process").env("QUADRILLE_PROCESS", "1").output().unwrap();
    let missing = RoleError::Missing { name: "QUADRILLE_SUPERVISOR" };
    assert!(String::from_utf8_lossy(&output.stderr).contains(&format!("{missing:?}")), "{output:?}");
    let mut foreign = program("supervisor::process");
    foreign.env("QUADRILLE_PROCESS", "1").env("QUADRILLE_SUPERVISOR", process::id().to_string());
    let output = foreign.env("QUADRILLE_ADDRESSES", "127.0.0.1:1").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("also of number 1"), "{output:?}");
}

#[test]
fn processes_that_die_twice_are_started_three_times() {
    let dir = tempfile::tempdir().unwrap();
    let mut events = Vec::new();
    let mut ticks = [None, None, Some(20)].into_iter();
    let supervisor = Supervisor { restarts: 1, ..Supervisor::new(3) };
    let command = |_| planned(dir.path(), "die=1@2");
    supervisor.run(command, || known(ticks.next().unwrap()), |event| events.push(event.clone())).unwrap();

    let count = |wanted: fn(&Event) -> bool| events.iter().filter(|event| wanted(event)).count();
    assert_eq!(count(|event| matches!(event, Event::Started { .. })), 9);
    assert_eq!(count(|event| matches!(event, Event::Died { .. })), 2);
    assert_eq!(count(|event| matches!(event, Event::Stopped { .. })), 4);
    assert!(matches!(events.last(), Some(Event::Finished)));
    let restarts: Vec<_> = events
        .iter()
        .filter_map(
            |event| if let Event::Restarting { attempt, from } = event { Some((*attempt, *from)) } else { None },
        )
        .collect();
    assert_eq!(restarts, [(1, None), (2, Some(20))]);
    // All of an attempt were told the same, and each attempt something else.
    let told: BTreeSet<String> =
        crate::support::files(dir.path()).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    assert_eq!(told.len(), 3);
    assert_gone(&pids(&events));
}

#[test]
fn without_progress_it_gives_up_and_tells_who_died_and_how() {
    let dir = tempfile::tempdir().unwrap();
    let mut events = Vec::new();
    let supervisor = Supervisor { restarts: 2, ..Supervisor::new(2) };
    let command = |_| planned(dir.path(), "die=0@99");
    let error = supervisor.run(command, || known(Some(7)), |event| events.push(event.clone())).unwrap_err();
    let SupervisorError::GaveUp { tick: Some(7), limit: 2, deaths, status, .. } = error else { panic!("{error}") };
    assert_eq!(deaths.len(), 3);
    // Who is seen to die first may be the one that followed.
    assert!(aborted(status) && deaths.iter().all(|(process, status)| *process < 2 && aborted(*status)));
    assert_eq!(pids(&events).len(), 6);
    assert_gone(&pids(&events));
}

#[test]
fn progress_allows_for_any_number_of_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let mut tick = 0;
    let supervisor = Supervisor { restarts: 0, ..Supervisor::new(1) };
    let command = |_| planned(dir.path(), "die=0@5");
    let progress = || {
        tick += 1;
        known(Some(tick))
    };
    supervisor.run(command, progress, |_| ()).unwrap();
    assert_eq!(crate::support::files(dir.path()).len(), 6);
}

#[test]
fn those_who_do_not_end_by_themselves_are_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut killed = BTreeSet::new();
    let supervisor = Supervisor { grace: Duration::from_millis(20), ..Supervisor::new(3) };
    let command = |_| planned(dir.path(), "die=2@1 deaf");
    let tell = |event: &Event| {
        if let Event::Stopped { process, killed: true, .. } = event {
            killed.insert(*process);
        }
    };
    supervisor.run(command, || known(None), tell).unwrap();
    assert_eq!(killed, [0, 1].into());
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
        Supervisor::new(3).run(|_| planned(dir.path(), "wait"), || known(None), tell)
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
    let error = Supervisor::new(3).run(command, || known(None), |event| events.push(event.clone())).unwrap_err();
    assert!(matches!(error, SupervisorError::Start { process: 2, .. }));
    assert_eq!(events.len(), 2);
    assert!(!pids(&events).iter().any(|pid| alive(*pid)));
}

/// A supervisor to be killed.
#[test]
#[ignore = "a process of another test"]
fn lonely_supervisor() {
    let tell = |event: &Event| {
        if let Event::Started { pid, .. } = event {
            println!("pid {pid}");
        }
    };
    Supervisor::new(3).run(|_| planned(&dir(), "wait"), || known(None), tell).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn nobody_outlives_a_supervisor_that_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut supervisor =
        program("supervisor::lonely_supervisor").env(DIR, dir.path()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(supervisor.stdout.take().unwrap()).lines().map_while(Result::ok);
    let pids: Vec<u32> = lines.filter_map(|line| line.strip_prefix("pid ")?.parse().ok()).take(3).collect();
    // Each has asked who it is by the time that it has written its file.
    while crate::support::files(dir.path()).len() < 3 {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(pids.iter().all(|pid| alive(*pid)));
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    assert_gone(&pids);
}
