//! The program as a whole.

use std::path::Path;
use std::process::{Command, Output};

fn sky(dir: &Path, arguments: &[&str]) -> Output {
    let out = dir.join("sky.svg");
    Command::new(env!("CARGO_BIN_EXE_sky")).args(arguments).arg("--out").arg(out).current_dir(dir).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_day_with_a_death_is_that_of_one_process() {
    let dir = tempfile::tempdir().unwrap();
    let output = sky(dir.path(), &["--workers", "2", "--minutes", "120", "--traffic", "2", "--kill", "--every", "25"]);
    let (told, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{told}\n{errors}");
    assert!(told.contains("Process 1 was killed when all minutes up to 12:"), "{told}");
    assert!(told.contains("All went on from the snapshot of "), "{told}");
    assert!(told.contains("compared by a checksum of each of 120 minutes"), "{told}");
    let picture = std::fs::read_to_string(dir.path().join("sky.svg")).unwrap();
    assert!(picture.contains("worker 1") && picture.len() < 500_000, "{} bytes", picture.len());
    let painted = dir.path().join("sky.png").metadata().map_or(0, |file| file.len());
    assert!(if cfg!(feature = "png") { 10_000 < painted } else { painted == 0 }, "{painted} bytes");
}

#[test]
fn a_day_begins_in_an_empty_folder() {
    let dir = tempfile::tempdir().unwrap();
    let kept = dir.path().join("kept");
    let kept = kept.to_str().unwrap();
    let arguments =
        ["--workers", "2", "--threads", "2", "--minutes", "30", "--traffic", "1", "--no-check", "--dir", kept];
    let output = sky(dir.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains("One process gives the same"));
    let again = sky(dir.path(), &arguments);
    assert_eq!(again.status.code(), Some(2));
    let expected = format!("sky: {kept} is not empty, and a day begins in an empty folder\n");
    assert_eq!(text(&again.stderr), expected);
}

#[test]
fn what_cannot_be_played_is_told_in_plain_words() {
    let dir = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (&["--workers", "0"][..], "a number from 1 to 64 is wanted"),
        (&["--minutes", "1441"], "1441 is not in 2..=1440"),
        (&["--traffic", "none"], "invalid digit"),
        (&["--data", "nowhere"], "the recorded day is not there: nowhere/regions.csv: cannot be read"),
    ] {
        let output = sky(dir.path(), arguments);
        assert_eq!(output.status.code(), Some(2));
        let told = text(&output.stderr);
        assert!(told.contains(expected), "{told}");
    }
}
