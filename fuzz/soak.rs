//! Random operations at full speed, each answer compared with a linear list, for as long as asked.
//!
//! ```sh
//! cargo run --release --example soak -- --seconds 60
//! cargo run --release --example soak -- --replay soak-failure.txt
//! ```
//!
//! Exits with 1 at the first difference, and leaves a script that shows it in few operations.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use quadrille_fuzz::bytes::Dice;
use quadrille_fuzz::minimise::minimise;
use quadrille_fuzz::run::{Difference, golden, run};
use quadrille_fuzz::script::{SPACES, Script};

const USAGE: &str = "usage: soak [--seconds N] [--scripts N] [--seed N] [--golden] [--csv FILE] [--out FILE]
            [--minimise SECONDS]
       soak --replay FILE
       soak --script SEED LENGTH";

/// A script that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(40);

#[derive(Debug, Default)]
struct Arguments {
    seconds: u64,
    /// How many scripts at most.
    scripts: usize,
    seed: u64,
    /// Whether to compare the golden hashes first.
    golden: bool,
    /// Where the memory and the operations of each second go.
    csv: Option<String>,
    /// Where the script of a difference goes.
    out: String,
    /// How long to look for a shorter script, in seconds.
    minimise: u64,
    replay: Option<String>,
    script: Option<(u64, usize)>,
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let out = "soak-failure.txt".to_owned();
    let mut arguments =
        Arguments { seconds: 60, scripts: usize::MAX, seed: 1, out, minimise: 20, ..Arguments::default() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(USAGE);
        match word.as_str() {
            "--seconds" => arguments.seconds = value()?.parse()?,
            "--scripts" => arguments.scripts = value()?.parse()?,
            "--seed" => arguments.seed = value()?.parse()?,
            "--golden" => arguments.golden = true,
            "--csv" => arguments.csv = Some(value()?),
            "--minimise" => arguments.minimise = value()?.parse()?,
            "--out" => arguments.out = value()?,
            "--replay" => arguments.replay = Some(value()?),
            "--script" => arguments.script = Some((value()?.parse()?, value()?.parse()?)),
            _ => return Err(USAGE.into()),
        }
    }
    Ok(arguments)
}

fn main() -> ExitCode {
    let done = arguments().and_then(|arguments| match (&arguments.replay, arguments.script) {
        (Some(file), _) => replay(file),
        (_, Some((seed, length))) => {
            print!("{}", Script::of_seed(seed, length));
            Ok(true)
        }
        _ => soak(&arguments),
    });
    match done {
        Ok(is_well) => ExitCode::from(u8::from(!is_well)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the script of a file: text, or else the bytes of an input of the fuzzer.
fn replay(file: &str) -> Result<bool, Box<dyn Error>> {
    let bytes = fs::read(file)?;
    let script = match std::str::from_utf8(&bytes).map(str::parse::<Script>) {
        Ok(Ok(script)) => script,
        Ok(Err(mistake)) if bytes.starts_with(b"space") || bytes.starts_with(b"#") => return Err(mistake.into()),
        _ => {
            let script = Script::of_bytes(&bytes);
            print!("{script}");
            script
        }
    };
    Ok(match run(&script) {
        Ok(hash) => {
            println!("{} operations, no difference, hash {hash:016x}", script.ops.len());
            true
        }
        Err(difference) => {
            println!("{}", described(&script, &difference));
            false
        }
    })
}

fn described(script: &Script, difference: &Difference) -> String {
    let op = script.ops.get(difference.position).map_or_else(|| "the end".to_owned(), ToString::to_string);
    format!("operation {}: {op}\n  {}", difference.position, difference.message)
}

/// Progress that another thread looks at: when the script at hand began, in milliseconds, and its seed.
static BEGUN: AtomicU64 = AtomicU64::new(0);
static SEED: AtomicU64 = AtomicU64::new(0);

/// Ends the program when a script hangs.
fn watch(since: Instant) {
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_secs(1));
            let begun = Duration::from_millis(BEGUN.load(Ordering::Relaxed));
            if PATIENCE < since.elapsed().saturating_sub(begun) {
                let seed = SEED.load(Ordering::Relaxed);
                println!("the script of seed {seed} hangs: see `soak --script {seed} {}`", length_of(seed));
                exit(1);
            }
        }
    });
}

/// Scripts are of several lengths: long ones come to states that short ones do not, and short ones begin anew.
fn length_of(seed: u64) -> usize {
    match seed % 16 {
        0 => 6000,
        1..=3 => 1500,
        _ => 300,
    }
}

fn soak(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let begin = Instant::now();
    let mut report = Report::new(arguments.csv.as_deref())?;
    println!("seed {}, {} s, spaces {}", arguments.seed, arguments.seconds, SPACES.join(" "));
    if arguments.golden
        && let Err(come) = golden()
    {
        println!("the golden scripts give {come}");
        return Ok(false);
    }
    watch(begin);
    let mut seeds = Dice::new(arguments.seed);
    while report.scripts < arguments.scripts && begin.elapsed() < Duration::from_secs(arguments.seconds) {
        let seed = seeds.bits() >> 20;
        SEED.store(seed, Ordering::Relaxed);
        BEGUN.store(millis(begin), Ordering::Relaxed);
        let script = Script::of_seed(seed, length_of(seed));
        if let Err(difference) = run(&script) {
            report.end();
            println!("DIFFERENCE after {:.1} s in the script of seed {seed}", begin.elapsed().as_secs_f64());
            println!("{}", described(&script, &difference));
            shorten(&script, &difference, begin, arguments)?;
            return Ok(false);
        }
        report.add(script.ops.len(), begin)?;
    }
    report.line(begin)?;
    report.end();
    println!("no difference in {} operations of {} scripts", report.operations, report.scripts);
    Ok(true)
}

fn millis(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Looks for a shorter script with the difference, and keeps it.
fn shorten(script: &Script, difference: &Difference, begin: Instant, arguments: &Arguments) -> io::Result<()> {
    println!("looking for a shorter script");
    let mut script = script.clone();
    script.ops.truncate(difference.position + 1);
    let fails = |script: &Script| {
        BEGUN.store(millis(begin), Ordering::Relaxed);
        run(script).is_err()
    };
    let shortest = minimise(&script, Duration::from_secs(arguments.minimise), &fails);
    let mut text = String::new();
    if let Err(difference) = run(&shortest) {
        for line in described(&shortest, &difference).lines() {
            let _ = writeln!(text, "# {line}");
        }
    }
    let _ = write!(text, "{shortest}");
    let out = &arguments.out;
    fs::write(out, &text)?;
    println!("{} operations, in {out}; to run them: soak --replay {out}\n{text}", shortest.ops.len());
    Ok(())
}

/// The figures that are printed each second.
struct Report {
    operations: usize,
    scripts: usize,
    /// At the last line.
    last: (Duration, usize),
    csv: Option<File>,
    is_terminal: bool,
}

impl Report {
    fn new(csv: Option<&str>) -> io::Result<Self> {
        let mut csv = csv.map(File::create).transpose()?;
        if let Some(csv) = &mut csv {
            writeln!(csv, "seconds,operations,resident_kib")?;
        }
        let is_terminal = io::stdout().is_terminal();
        Ok(Self { operations: 0, scripts: 0, last: (Duration::ZERO, 0), csv, is_terminal })
    }

    fn add(&mut self, operations: usize, begin: Instant) -> io::Result<()> {
        self.operations += operations;
        self.scripts += 1;
        // In a file or a log one line in ten seconds will do.
        let pause = Duration::from_secs(if self.is_terminal { 1 } else { 10 });
        if begin.elapsed() < self.last.0 + pause { Ok(()) } else { self.line(begin) }
    }

    fn line(&mut self, begin: Instant) -> io::Result<()> {
        let (now, resident) = (begin.elapsed(), resident_kib());
        let (then, before) = self.last;
        #[expect(clippy::cast_precision_loss, reason = "for people")]
        let rate = (self.operations - before) as f64 / now.saturating_sub(then).as_secs_f64().max(1e-3);
        let memory = resident.map_or_else(|| "unknown".to_owned(), |kib| format!("{:.1} MiB", f64::from(kib) / 1024.0));
        let line =
            format!("{:>6.0} s  {:>12} operations  {rate:>9.0} a second  {memory}", now.as_secs_f64(), self.operations);
        if self.is_terminal {
            print!("\r{line}");
            io::stdout().flush()?;
        } else {
            println!("{line}");
        }
        if let Some(csv) = &mut self.csv {
            writeln!(csv, "{:.0},{},{}", now.as_secs_f64(), self.operations, resident.unwrap_or_default())?;
        }
        self.last = (now, self.operations);
        Ok(())
    }

    /// Ends a line that is still being written.
    fn end(&self) {
        if self.is_terminal {
            println!();
        }
    }
}

/// The memory that the process has, where Linux says so.
fn resident_kib() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
