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
fn texts_are_found_however_they_are_laid_out() {
    let table = "[A1-b]\nbreaks = c\nfile = d\ntest = e\n- let f = `g(h, i)`;\n+ j\n";
    let rows = parse(table).unwrap();
    let text = "let f = g(\n    h, // h\n    i);\n";
    assert_eq!(rows[0].places(&Source::new(text)).unwrap()[0], 8..text.len() - 2);
    assert!(rows[0].places(&Source::new("let f = g(i, h);")).is_err());
    assert!(rows[0].places(&Source::new(&text.repeat(2))).is_err());
    assert!(parse("[A1-b]\nbreaks = c\nfile = d\ntest = e\n- f\n+ f\n").is_err());
}
