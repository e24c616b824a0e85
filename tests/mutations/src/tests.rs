//! Whether the table still applies. Runs no mutation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::mutation::by_file;
use crate::schemata::{Mutant, compose};
use crate::table::{Row, Source, mutations, parse};
use crate::{TABLE, root};

fn rows() -> Vec<Row> {
    parse(&fs::read_to_string(root().join(TABLE)).expect("a table")).expect("rows")
}

/// The Rust files below a folder.
fn read(folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
            files.insert(name, fs::read_to_string(path).expect("a source"));
        }
    }
}

fn sources(folder: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    read(&root().join(folder), &mut files);
    files
}

#[test]
fn each_text_is_in_its_file_once() {
    let texts = sources("src");
    let sources = texts.iter().map(|(name, text)| (name.clone(), Source::new(text))).collect();
    let (mutations, mistakes) = mutations(&rows(), &sources);
    let mut missing: Vec<_> =
        mistakes.iter().map(|(number, why)| format!("{}: {why}", mutations[*number].id)).collect();
    for (file, mutants) in by_file(&mutations, |number| !mutations[number].edits.is_empty()) {
        if let Err(why) = compose(&texts[file], mutants) {
            missing.push(format!("{file}: {why}"));
        }
    }
    assert!(missing.is_empty(), "`cargo run --package quadrille-mutations -- --locate` helps:\n{}", missing.join("\n"));
}

#[test]
fn faults_of_the_fuzzer_are_rows() {
    let (rows, listed) = (rows(), crate::random::listed(&root()).expect("a list"));
    let unknown: Vec<_> = listed.iter().filter(|id| !rows.iter().any(|row| row.id == **id)).collect();
    assert!(unknown.is_empty(), "{} names no rows {unknown:?}", crate::random::FAULTS);
    assert!(20 <= listed.len(), "twenty at least");
}

#[test]
fn each_invariant_has_mutations() {
    let invariants = fs::read_to_string(root().join("docs/invariants.md")).expect("invariants");
    let names = invariants.lines().filter_map(|line| line.strip_prefix("**")?.split_once(". ").map(|(name, _)| name));
    let invariants: BTreeSet<_> =
        names.filter(|name| name.len() <= 3 && name.ends_with(|end: char| end.is_ascii_digit())).collect();
    let rows = rows();
    let broken: BTreeSet<_> = rows.iter().filter_map(|row| row.id.split('-').next()).collect();
    assert_eq!(invariants, broken);
    let ids: BTreeSet<_> = rows.iter().map(|row| &row.id).collect();
    assert_eq!(ids.len(), rows.len(), "each id names one mutation");
}

/// Tests are named by their file and function, or by their file alone; the end of a name may be left out.
#[test]
fn the_tests_that_are_named_exist() {
    let (unit, integration) = (sources("src"), sources("tests"));
    for row in rows() {
        let (first, rest) = row.test.split_once("::").unwrap_or((&row.test, ""));
        let files = if first == "lib" { &unit } else { &integration };
        // The last part may be a scalar and a dimension, which a macro appends.
        let is_space = |part: &&str| ["f32", "f64", "in_"].iter().any(|space| part.starts_with(space));
        let last = rest.rsplit("::").find(|part| !is_space(part)).expect("a function");
        let is_there = files.iter().any(|(name, text)| {
            let is_of = first == "lib" || name.trim_end_matches(".rs").split('/').any(|part| part == first);
            is_of && (text.contains(&format!("fn {last}")) || name.trim_end_matches(".rs").ends_with(last))
        });
        assert!(is_there, "{}: no test `{}`", row.id, row.test);
    }
}

#[test]
fn mutations_enclose_each_other() {
    let mutant = |range, number, replacement| Mutant { range, number, replacement };
    let composed = compose("a + f(b);", vec![mutant(6..7, 1, "c"), mutant(4..8, 2, "d"), mutant(6..7, 3, "e")]);
    let inner = "(match crate::mutant::at(1) { 0..1 | 2..3 | 4.. => { b } 1 => { c } 3 => { e } })";
    let outer = format!("a + (match crate::mutant::at(2) {{ 0..2 | 3.. => {{ f({inner}) }} 2 => {{ d }} }});");
    assert_eq!(composed.unwrap().text, outer);
    assert!(compose("a + b + c", vec![mutant(0..5, 1, "d"), mutant(4..9, 2, "e")]).is_err());
}

#[test]
fn texts_are_found_however_they_are_laid_out() {
    let table = "[A1-b]\nbreaks = c\nfile = d\ntest = e\n- let f = `g(h, i)`;\n+ j\n";
    let rows = parse(table).unwrap();
    let text = "let f = g(\n    h, // h\n    i);\n";
    assert_eq!(rows[0].places(&Source::new(text)).unwrap()[0], 8..text.len() - 2);
    assert!(rows[0].places(&Source::new("let f = g(i, h);")).is_err());
    assert!(rows[0].places(&Source::new(&text.repeat(2))).is_err());
    assert!(parse("[A1-b]\nbreaks = c\nfile = d\ntest = e\n- f\n+ f\n").is_err());
}
