//! The page of promises names tests that exist, and says of each promise how its tests were seen to fail.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All Rust files below a folder, with their paths.
fn sources(folder: &str) -> Vec<(String, String)> {
    let (mut folders, mut sources) = (vec![root().join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(root()).expect("below the root").display().to_string();
                sources.push((name.replace('\\', "/"), fs::read_to_string(&path).expect("a source")));
            }
        }
    }
    sources
}

/// The sections of the page, each from its title on.
fn promises(page: &str) -> Vec<&str> {
    page.split("\n## ").skip(1).filter(|section| section.starts_with(|first: char| first.is_ascii_digit())).collect()
}

fn tests_of(section: &str) -> Vec<&str> {
    let lines = section.lines().filter_map(|line| line.strip_prefix("- Test: `"));
    lines.map(|line| line.split('`').next().expect("a name")).collect()
}

#[test]
fn each_promise_has_tests_that_exist() {
    let page = read("docs/promises.md");
    let promises = promises(&page);
    assert_eq!(promises.len(), 10);
    let sources: Vec<_> = [sources("tests"), sources("src")].concat();
    for section in promises {
        let title = section.lines().next().expect("a title");
        let tests = tests_of(section);
        assert!(!tests.is_empty(), "no test: {title}");
        for test in tests {
            let (module, function) = test.rsplit_once("::").expect("a module and a function");
            let file = module.replace("::", "/");
            let is_it = |(path, text): &&(String, String)| {
                let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
                let is_inline = file.strip_suffix("/tests").is_some_and(|file| path.ends_with(&format!("/{file}")));
                (is_inline || path.ends_with(&format!("/{file}"))) && is_test_in(text, function)
            };
            assert!(sources.iter().any(|source| is_it(&source)), "{title}: there is no test {test}");
        }
        let seen = section.split("\nSeen to fail:").nth(1).unwrap_or_default();
        assert!(seen.trim().len() > 20, "{title}: how it was seen to fail is not said");
    }
}

/// Whether a source has the function as a test: marked as one, or handed to a macro that makes tests of it.
fn is_test_in(text: &str, function: &str) -> bool {
    let Some(at) =
        text.find(&format!("fn {function}")).filter(|&at| text[at + 3 + function.len()..].starts_with(['(', '<']))
    else {
        return false;
    };
    let marks = text[..at].trim_end().lines().rev().take(2).any(|line| line.trim_start().starts_with("#["));
    marks && text.contains("#[test]") || text.matches(function).count() > 1
}

/// The rows of mutations that the page names are in the table.
#[test]
fn each_row_that_is_named_exists() {
    let (page, table) = (read("docs/promises.md"), read("tests/mutations/table.txt"));
    let is_row = |name: &&str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && letters.next().is_some_and(|second| second.is_ascii_digit())
    };
    let mut rows = 0;
    for name in page.split('`').skip(1).step_by(2).filter(is_row) {
        assert!(table.contains(&format!("\n[{name}")), "no row begins with {name}");
        rows += 1;
    }
    assert!(rows > 10, "rows were found: {rows}");
}

/// Each invariant that is marked as checked by `check_integrity` has a planted fault, and no other.
#[test]
fn each_checked_invariant_has_a_fault() {
    let (page, faults) = (read("docs/invariants.md"), read("src/check/integrity/tests.rs"));
    let checked: BTreeSet<_> = page
        .split("\n**")
        .filter(|section| section.split("Checked: ").nth(1).is_some_and(|by| by.starts_with("`check_integrity`")))
        .map(|section| section.split('.').next().expect("a number"))
        .collect();
    let planted: BTreeSet<_> =
        faults.split("\n    (\"").skip(1).map(|fault| fault.split('"').next().expect("a number")).collect();
    assert_eq!(checked, planted);
}

/// The dependencies of the crate are named, those with `unsafe` with what they need it for.
#[test]
fn dependencies_are_named() {
    let manifest = read("Cargo.toml");
    let page = read("docs/promises.md");
    let section = page.split("\n## 10.").nth(1).expect("the tenth promise");
    let mut found = 0;
    for part in
        manifest.split("\n[").filter(|part| part.split(']').next().is_some_and(|name| name.ends_with("dependencies")))
    {
        if part.starts_with("dev-") {
            continue;
        }
        for line in part.lines().skip(1).filter(|line| line.contains(" = ")) {
            let name = line.split(' ').next().expect("a name");
            assert!(section.contains(&format!("`{name}`")), "the page does not name {name}");
            found += 1;
        }
    }
    assert!(found >= 8, "dependencies were found: {found}");
}
