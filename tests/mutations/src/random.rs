//! Is the fuzzer any good? Runs it on planted faults, and says how long it takes to find each.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::assembly::{build, sources};
use crate::checkout::{self, Wanted};
use crate::table::{self, Row};
use crate::{TABLE, report, report_mistakes, target};

/// How long it may look for each.
const SECONDS: u64 = 60;

/// Runs the rows that are marked for it, or others that are asked for; 1 if one was not found, 2 on mistakes.
pub(crate) fn run(root: &Path, asked: &[String]) -> Result<u8, Box<dyn Error>> {
    let rows = table::parse(&fs::read_to_string(root.join(TABLE))?)?;
    let is_asked = |row: &Row| {
        let is_named = asked.iter().any(|asked| asked == "all" || row.id.starts_with(asked.as_str()));
        row.is_compiled && (is_named || asked.is_empty() && row.is_for_fuzz)
    };
    let target = target(root);
    let copy = target.join("checkout");
    let files = checkout::files(root)?;
    let (mutations, mut mistakes) = table::mutations(&rows, &sources(&files)?);
    let assembly = build(&[Wanted::Soak], &mutations, &files, &copy, &target)?;
    mistakes.extend(assembly.refused);
    report_mistakes(&rows, &mistakes);
    let [soak] = &assembly.binaries[..] else { return Err("there is one program".into()) };
    // Kept apart from what the next build makes.
    let program = target.join("soak");
    fs::copy(&soak.path, &program)?;
    if let Some(output) = soak_for(&program, &target, None, 5)? {
        return Err(format!("it finds something without a fault:\n{output}").into());
    }
    let (mut found, mut missed) = (0, 0);
    for (_, row) in rows.iter().enumerate().filter(|(number, row)| is_asked(row) && !mistakes.contains_key(number)) {
        let begin = Instant::now();
        let output = soak_for(&program, &target, Some(&row.id), SECONDS)?;
        found += usize::from(output.is_some());
        missed += usize::from(output.is_none());
        let outcome = output.as_deref().map_or("NOT FOUND", first_difference);
        report(&row.id, &outcome.chars().take(70).collect::<String>(), begin.elapsed());
    }
    println!("{found} found, {missed} not found within {SECONDS} s each, {} mistakes", mistakes.len());
    Ok(if mistakes.is_empty() { u8::from(missed > 0) } else { 2 })
}

/// Runs the program up to the first difference, and gives what it says; nothing if it finds none.
fn soak_for(
    program: &Path,
    scratch: &Path,
    fault: Option<&str>,
    seconds: u64,
) -> Result<Option<String>, Box<dyn Error>> {
    let mut command = Command::new("sh");
    // A fault may ask for memory without end.
    command.args(["-c", r#"ulimit -v 8000000; exec "$0" "$@""#]).arg(program);
    command.args(["--seconds", &seconds.to_string(), "--minimise", "0", "--out"]);
    command.arg(scratch.join("soak-failure.txt")).env_remove("MUTATION").stderr(Stdio::null());
    if let Some(fault) = fault {
        command.env("MUTATION", fault);
    }
    let begin = Instant::now();
    let output = command.output()?;
    let is_late = Duration::from_secs(seconds + 1) < begin.elapsed();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((!output.status.success() && !is_late).then_some(text))
}

/// The line that says which operation differed, or how the program ended.
fn first_difference(output: &str) -> &str {
    let is_said = |line: &&str| line.starts_with("operation ") || line.contains(" hangs");
    output.lines().find(is_said).unwrap_or("the program was aborted")
}
