//! A copy of the checkout, with all mutations in its sources, and the binaries that are built of it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A binary: the unit tests, `lib`, the integration tests, `all`, or `soak`.
#[derive(Debug)]
pub(crate) struct Binary {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// The files of a checkout, uncommitted ones included, by their paths from its root.
pub(crate) fn files(root: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let listed = Command::new("git").args(list).current_dir(root).output()?;
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    let names = names.split('\0').filter(|name| root.join(name).is_file());
    names.map(|name| Ok((name.to_owned(), fs::read(root.join(name))?))).collect()
}

/// Makes a folder hold these files and no others. Those that are the same stay as old as they are, for cargo's sake.
pub(crate) fn sync(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for (name, content) in files {
        let path = folder.join(name);
        if fs::read(&path).ok().as_ref() != Some(content) {
            fs::create_dir_all(path.parent().expect("a folder"))?;
            fs::write(&path, content)?;
        }
    }
    remove_others(folder, folder, files)
}

fn remove_others(root: &Path, folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        if path.is_dir() {
            remove_others(root, &path, files)?;
        } else if !files.contains_key(&name) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The things to build.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// That the library compiles, which says quickly what does not.
    Check,
    /// All tests.
    Tests,
    /// The program of random operations.
    Soak,
}

/// Builds what is wanted; if that fails, gives what the compiler says, one message a line.
pub(crate) fn build(wanted: Wanted, folder: &Path, target: &Path) -> Result<Vec<Binary>, String> {
    let arguments: &[&str] = match wanted {
        Wanted::Check => &["check", "--package", "quadrille", "--features", "rayon"],
        Wanted::Tests => &[
            "test",
            "--no-run",
            "--package",
            "quadrille-tests",
            "--package",
            "quadrille",
            "--lib",
            "--tests",
            "--features",
            "quadrille-tests/two-spaces",
        ],
        Wanted::Soak => &["build", "--release", "--package", "quadrille-tests", "--example", "soak"],
    };
    let short = ["--message-format", "short", "--color", "never"];
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).args(short).current_dir(folder).env("CARGO_TARGET_DIR", target);
    // Warnings do not matter in there, nor do names of lines.
    cargo.env("RUSTFLAGS", "--cap-lints allow").env("CARGO_PROFILE_DEV_DEBUG", "0");
    let output = cargo.output().map_err(|error| error.to_string())?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(messages);
    }
    if matches!(wanted, Wanted::Soak) {
        return Ok(vec![Binary { name: "soak".to_owned(), path: target.join("release/examples/soak") }]);
    }
    let built = messages.lines().filter_map(|line| line.trim().strip_prefix("Executable ")?.strip_suffix(')'));
    let binary = |(source, path): (&str, &str)| Binary { name: name_of(source), path: folder.join(path) };
    Ok(built.filter_map(|line| line.split_once(" (")).map(binary).collect())
}

/// The name of the binary that cargo describes like this: `unittests src/lib.rs`, `all/main.rs`.
fn name_of(source: &str) -> String {
    let path = Path::new(source.trim_start_matches("unittests "));
    let path = if path.ends_with("main.rs") { path.parent().expect("a folder") } else { path };
    path.file_stem().expect("a name").to_string_lossy().into_owned()
}
