//! The first program: the README shows it as it is, and it says what one list says.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The only block of Rust in a page.
fn program_of(page: &str) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
    let blocks: Vec<&str> = text.split("```rust").skip(1).collect();
    assert_eq!(blocks.len(), 1, "{page} has one program");
    let (_, program) = blocks[0].split_once('\n').unwrap();
    program.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_readme_shows_the_first_program() {
    let example = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/first.rs")).unwrap();
    let is_doc = |line: &&str| line.starts_with("//!") || line.is_empty();
    let program: String = example.lines().skip_while(is_doc).flat_map(|line| [line, "\n"]).collect();
    assert!(program.contains("fn main()"));
    assert_eq!(program_of("README.md"), program);
}

/// The lines that the first program prints, in no order that means anything.
fn printed(arguments: &[&Path]) -> Vec<String> {
    let tests = env::current_exe().unwrap();
    let name = format!("first{}", env::consts::EXE_SUFFIX);
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(program.exists(), "build it first: cargo build --example first");
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The answers about the gate by one list of walkers.
fn expected() -> Vec<String> {
    let mut lines = Vec::new();
    for id in 0..1000_u32 {
        let at = |tick: u32| (id / 10 + (tick - 1) * (2 + id % 3), id % 100 * 10);
        let is_inside = |tick| {
            let (x, y) = at(tick);
            (490..=510).contains(&x) && (490..=510).contains(&y)
        };
        for tick in 2..=200 {
            let kind = match (is_inside(tick - 1), is_inside(tick)) {
                (false, true) => "Entered",
                (true, false) => "Left",
                _ => continue,
            };
            lines.push(format!("tick {tick}, question 7: {kind} walker {id}"));
        }
    }
    lines.sort();
    lines
}

#[test]
fn the_first_program_is_right() {
    let expected = expected();
    assert!(30 < expected.len());
    assert_eq!(printed(&[]), expected, "in threads");
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(printed(&[directory.path()]), expected, "in two processes");
    assert_eq!(printed(&[directory.path()]), [""; 0], "the world is at its end");
}
