//! The program of the guide's chapter: the page shows it as it is, and it runs to its end.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn the_page_shows_the_program() {
    let (page, example) = (read("../../docs/guide/bevy.md"), read("examples/guide.rs"));
    let blocks: Vec<&str> = page.split("```rust,ignore\n").skip(1).collect();
    let shown: Vec<&str> = blocks.iter().filter_map(|block| Some(block.split_once("```")?.0)).collect();
    let (_, program) = example.split_once("\n\n").unwrap(); // behind the line that says whose it is
    assert_eq!(shown.join("\n"), program);
}

#[test]
fn the_program_runs() {
    let tests = env::current_exe().unwrap();
    let name = format!("guide{}", env::consts::EXE_SUFFIX);
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(program.exists(), "build it first: cargo build --example guide");
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
