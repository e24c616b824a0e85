//! Two processes in two network namespaces, whose cable is pulled.

use std::env;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::common::fed;
use quadrille::Rect;
use quadrille_timely::{Cluster, Feed, World};

const NUMBER: &str = "QUADRILLE_TEST_NAMESPACE";
const ADDRESS: &str = "10.213.7.1:4711";
/// Long for a machine that is busy with other tests.
const LIMIT: Duration = Duration::from_secs(3);

/// Two namespaces with a cable between them.
struct Namespaces([String; 2]);

impl Namespaces {
    /// None where the machine does not allow it.
    fn new() -> Option<Self> {
        let name = |side: &str| format!("qd{}{side}", std::process::id());
        let names = Self([name("a"), name("b")]);
        let [a, b] = &names.0;
        let is_made = ip(&format!("netns add {a}"))
            && ip(&format!("netns add {b}"))
            && ip(&format!("link add {a} netns {a} type veth peer name {b} netns {b}"))
            && ip(&format!("-n {a} addr add 10.213.7.1/24 dev {a}"))
            && ip(&format!("-n {b} addr add 10.213.7.2/24 dev {b}"))
            && ip(&format!("-n {a} link set {a} up"))
            && ip(&format!("-n {b} link set {b} up"));
        is_made.then_some(names)
    }

    fn start(&self, number: usize) -> Process {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.0[number]]).arg(env::current_exe().unwrap());
        command.args(["--exact", "all::namespaces::process", "--nocapture", "--test-threads=1"]);
        Process(command.env(NUMBER, number.to_string()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        self.0.iter().for_each(|name| _ = ip(&format!("netns del {name}")));
    }
}

/// Killed when it is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn ip(words: &str) -> bool {
    Command::new("ip").args(words.split(' ')).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Not a test of its own: this is what runs in a namespace.
#[test]
fn process() {
    let Ok(number) = env::var(NUMBER) else { return };
    let cluster = Cluster::new(World::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap(), 2).silence(LIMIT);
    let (number, sockets) = if number == "0" {
        (0, vec![None, Some(TcpListener::bind(ADDRESS).unwrap().accept().unwrap().0)])
    } else {
        let begin = Instant::now();
        let socket = loop {
            match TcpStream::connect(ADDRESS) {
                Ok(socket) => break socket,
                Err(error) => assert!(begin.elapsed() < Duration::from_secs(30), "{error}"),
            }
            thread::sleep(Duration::from_millis(10));
        };
        (1, vec![Some(socket), None])
    };
    let idle = |tick, _: &mut Feed<'_, f32, 2>| {
        thread::sleep(Duration::from_millis(1));
        if tick == 50 {
            println!("running");
        }
        Ok(())
    };
    println!("{}", cluster.process(number, sockets, move |_| fed(u64::MAX, idle)).unwrap_err());
}

#[test]
fn both_ends_of_a_pulled_cable_say_so() {
    use std::io::{BufRead, BufReader};
    let Some(namespaces) = Namespaces::new() else { return println!("skipped: no network namespaces here") };
    let mut children = [0, 1].map(|number| namespaces.start(number));
    let mut outputs = children.each_mut().map(|child| BufReader::new(child.0.stdout.take().unwrap()).lines());
    for lines in &mut outputs {
        assert!(lines.by_ref().map_while(Result::ok).any(|line| line.ends_with("running")));
    }
    assert!(ip(&format!("-n {0} link set {0} down", namespaces.0[1])));
    let begin = Instant::now();
    for (number, lines) in outputs.iter_mut().enumerate() {
        let error = lines.by_ref().map_while(Result::ok).find(|line| line.contains("stops at tick")).unwrap();
        assert!(
            error.contains(&format!("worker {number} ")) && error.contains(&format!("process {}, ", 1 - number)),
            "{error}"
        );
        assert!(error.contains(&format!("is silent for {LIMIT:?}")), "{error}");
    }
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    for child in &mut children {
        child.0.wait().unwrap();
    }
}
