//! Whether the table still applies. Runs no mutation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::mutation::by_file;
use crate::schemata::{Mutant, compose};
use crate::sources::Sources;
use crate::table::{Row, mutations, parse};
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

#[test]
fn each_row_applies() {
    let mut texts = BTreeMap::new();
    read(&root().join("src"), &mut texts);
    texts.retain(|name, _| !name.ends_with("tests.rs"));
    let (mutations, mistakes) = mutations(&rows(), &Sources::new(&texts).expect("Rust"));
    let mut missing: Vec<_> =
        mistakes.iter().map(|(number, why)| format!("{}: {why}", mutations[*number].id)).collect();
    for (file, mutants) in by_file(&mutations, |number| !mutations[number].edits.is_empty()) {
        if let Err(why) = compose(&texts[file], mutants) {
            missing.push(format!("{file}: {why}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn each_id_names_one_row() {
    let rows = rows();
    let ids: BTreeSet<_> = rows.iter().map(|row| &row.id).collect();
    assert_eq!(ids.len(), rows.len());
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
fn each_invariant_has_a_row() {
    let page = fs::read_to_string(root().join("docs/invariants.md")).expect("a page");
    let names = page.lines().filter_map(|line| line.strip_prefix("**")?.split_once('.')).map(|(name, _)| name);
    let names = names.filter(|name| name.chars().skip(1).all(|digit| digit.is_ascii_digit()));
    let rows = rows();
    let missing: Vec<_> = names.filter(|name| !rows.iter().any(|row| row.id.split('-').next() == Some(name))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn texts_are_found_however_they_are_laid_out() {
    let place = |text: &str, edit: &str| {
        let sources = Sources::new(&BTreeMap::from([("src/a/b.rs".to_owned(), text.to_owned())])).expect("Rust");
        parse(&format!("A1-b: c\n    {edit}\n    test\n"))?[0].mutation(&sources).map(|found| found.edits[0].0.clone())
    };
    let text = "fn f() { let x = g(\n    h(1), // h\n    i); }";
    let whole = text.find('g').unwrap()..text.find(';').unwrap();
    for edit in ["f: let x = `g(h(1), i)` → j", "b::f: g(…) → j", "src/a/b.rs: g(…, i) → j"] {
        assert_eq!(place(text, edit).unwrap(), whole, "{edit}");
    }
    for edit in ["f: g(i) → j", "k: g(…) → j", "c::f: g(…) → j", "f: g(`…) → j", "g(…) → j"] {
        assert!(place(text, edit).is_err(), "{edit}");
    }
    assert!(place(&text.repeat(2), "f: g(…) → j").is_err());
}
