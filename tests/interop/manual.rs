//! Every public item of the manual has an example; items of a trait may leave it to the trait.

use std::fs;
use std::path::Path;

/// Public only for the compiler, behind sealed traits.
const HIDDEN: [&str; 9] =
    ["Condition", "ImageOf", "Images", "Motion", "Relation", "Sealed", "Shape", "Square", "Vector"];

/// The public items of a source without an example.
fn without_example(source: &str) -> Vec<String> {
    let (mut has_example, mut found) = (false, Vec::new());
    for line in source.lines().map(str::trim_start) {
        if let Some(doc) = line.strip_prefix("///") {
            has_example |= doc.trim_start().starts_with("```");
        } else if line == "#[doc(hidden)]" || line.starts_with("$(#[") {
            // It is not in the manual, or each call of the macro brings its own documentation.
            has_example = true;
        } else if line.is_empty() {
            has_example = false;
        } else if let Some(name) = public_item(line) {
            if !has_example && !HIDDEN.contains(&name) {
                found.push(name.to_owned());
            }
            has_example = false;
        }
    }
    found
}

/// The name of the public item that a line begins.
fn public_item(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix("pub ")?.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
    let kinds = ["const", "enum", "fn", "struct", "trait", "type"];
    let kind = words.next().filter(|kind| kinds.contains(kind))?;
    words.next().and_then(|name| if kind == "const" && name == "fn" { words.next() } else { Some(name) })
}

fn collect(folder: &Path, found: &mut Vec<String>) {
    for file in fs::read_dir(folder).expect("a folder") {
        let path = file.expect("a readable folder").path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            let source = fs::read_to_string(&path).expect("a readable source");
            found.extend(without_example(&source).iter().map(|name| format!("{}: {name}", path.display())));
        }
    }
}

#[test]
fn every_public_item_has_an_example() {
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src"), &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn missing_examples_are_found() {
    let with = "/// Doc.\n/// ```\n/// ```\n#[must_use]\npub const fn a() {}\n";
    assert_eq!(without_example(with), [""; 0]);
    assert_eq!(without_example("/// Doc.\npub const fn a() {}\npub struct B<T> {\n    pub field: T,\n}"), ["a", "B"]);
    assert_eq!(without_example(&format!("{with}pub type C = D;")), ["C"]);
    assert_eq!(without_example("/// Doc.\n#[doc(hidden)]\npub fn a() {}\n"), [""; 0]);
}
