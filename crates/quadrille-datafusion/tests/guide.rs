//! The program of `docs/guide.md` runs to its end. (The tests of all pages see that the page shows it as it is.)

use std::env;
use std::path::Path;
use std::process::Command;

#[test]
fn the_program_runs() {
    let tests = env::current_exe().unwrap();
    let name = format!("guide{}", env::consts::EXE_SUFFIX);
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(program.exists(), "build it first: cargo build --example guide");
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
