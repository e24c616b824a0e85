//! Whether a tool's list becomes the mutations that it means.

use std::collections::BTreeMap;

use crate::mutation::by_file;
use crate::schemata::compose;
use crate::tool::convert::{Converted, convert};
use crate::tool::list::{self, Entry};
use crate::tool::options::Options;

const FILE: &str = "src/a.rs";

/// An entry for the first place where a text begins with the part in brackets: `a [<] b`.
fn entry(text: &str, place: &str, genre: &str, replacement: &str) -> Entry {
    let (before, part) = (place.find('[').expect("a part"), place.replace(['[', ']'], ""));
    let start = text.find(&part).expect("in the text") + before;
    let end = start + place.find(']').expect("a part") - before - 1;
    let spot = |offset: usize| {
        let line = text[..offset].matches('\n').count() + 1;
        (line, offset - text[..offset].rfind('\n').map_or(0, |at| at + 1) + 1)
    };
    Entry {
        file: FILE.to_owned(),
        function: "f".to_owned(),
        genre: genre.to_owned(),
        span: [spot(start), spot(end)],
        replacement: replacement.to_owned(),
    }
}

fn converted(text: &str, entries: &[Entry]) -> Converted {
    convert(entries, &BTreeMap::from([(FILE.to_owned(), text.to_owned())])).expect("a source")
}

/// The source with one mutation, chosen for good.
fn mutated(text: &str, place: &str, genre: &str, replacement: &str) -> String {
    let converted = converted(text, &[entry(text, place, genre, replacement)]);
    assert_eq!(converted.left_out, BTreeMap::new());
    let (range, replacement) = &converted.mutations[0].edits[0];
    let mut text = text.to_owned();
    text.replace_range(range.clone(), replacement);
    text
}

#[test]
fn operators_change_with_their_expression() {
    let text = "fn f(a: u8, b: u8) -> bool {\n    g(!a + b * 2 < 3)\n}";
    let [plus, not, less] = ["a [+] b", "[!]a", "2 [<] 3"];
    assert_eq!(mutated(text, plus, "BinaryOperator", "-"), text.replace('+', "-"));
    assert_eq!(mutated(text, not, "UnaryOperator", ""), text.replace('!', ""));
    assert_eq!(mutated(text, less, "BinaryOperator", "=="), text.replace("2 < 3", "2 == 3"));
    let ids = converted(text, &[entry(text, plus, "BinaryOperator", "-")]).mutations;
    assert_eq!(ids[0].id, "src/a.rs f: !a [+] b * 2 -> -");
}

#[test]
fn bodies_guards_arms_and_fields_change() {
    let text = "fn f(a: u8) -> S {\n    match a {\n        1 if g => S { c: 2, ..d },\n        2 => e,\n        _ => h,\n    }\n}";
    assert_eq!(mutated(text, "if [g] =>", "MatchArmGuard", "true"), text.replace("if g", "if true"));
    assert_eq!(mutated(text, "[1 if g => S { c: 2, ..d }],", "MatchArm", ""), text.replace("if g", "if false"));
    assert_eq!(mutated(text, "{ [c: 2], ..d", "StructField", ""), text.replace("c: 2,", ""));
    let body = &text[text.find("match").expect("it")..text.len() - 2];
    assert_eq!(mutated(text, &format!("[{body}]"), "FnValue", "i"), text.replace(body, "i"));
    let arm = converted(text, &[entry(text, "[2 => e],", "MatchArm", "")]).mutations;
    let mutants = by_file(&arm, |_| true).remove(FILE).expect("a mutant");
    let composed = compose(text, mutants).expect("a source").text;
    assert_eq!(composed, text.replace("2 =>", "2 if crate::mutant::at(0) != 0 =>"));
}

#[test]
fn choices_at_compile_time_are_left_out() {
    let text = "const fn f() -> u8 { 1 + 1 }\nconst A: u8 = 2 + 2;\nfn g(a: [u8; 3 + 3]) { if b && let c = d {} }\n\
                #[cfg(feature = \"serde\")]\nfn h() { 4 + 4 }\n";
    let places = ["1 [+] 1", "2 [+] 2", "3 [+] 3", "b [&&] let", "4 [+] 4"];
    let entries = places.map(|place| entry(text, place, "BinaryOperator", "-"));
    let converted = converted(text, &entries);
    assert!(converted.mutations.is_empty());
    assert_eq!(converted.left_out.values().sum::<usize>(), entries.len());
}

#[test]
fn modules_behind_features_are_left_out() {
    let text = "fn f() { a + b }";
    let module = "#[cfg(feature = \"serde\")]\nmod a;";
    let texts = BTreeMap::from([(FILE.to_owned(), text.to_owned()), ("src/lib.rs".to_owned(), module.to_owned())]);
    let converted = convert(&[entry(text, "a [+] b", "BinaryOperator", "-")], &texts).expect("sources");
    assert!(converted.mutations.is_empty());
}

#[test]
fn ids_differ_where_texts_do_not() {
    let text = "fn f() { a + b; a + b }";
    let mut second = entry(text, "a [+] b }", "BinaryOperator", "-");
    second.replacement = "*".to_owned();
    let first = entry(text, "a [+] b;", "BinaryOperator", "*");
    let ids = converted(text, &[first, second]).mutations;
    assert_eq!(ids[1].id, format!("{} #2", ids[0].id));
}

#[test]
fn entries_are_read() {
    let text = r#"[{"file": "src/a.rs", "function": null, "genre": "FnValue", "replacement": "0",
        "span": {"start": {"line": 1, "column": 2}, "end": {"line": 3, "column": 4}}}]"#;
    let entries = list::parse(text).expect("a list");
    assert_eq!((entries[0].span, entries[0].function.as_str()), ([(1, 2), (3, 4)], ""));
    assert!(list::parse("[{}]").is_err());
}

#[test]
fn shards_share_all_mutations() {
    let statements: Vec<_> = (0..100).map(|at| format!("a{at} + b;\n")).collect();
    let text = format!("fn f() {{\n{}}}", statements.concat());
    let entries: Vec<_> = (0..100).map(|at| entry(&text, &format!("a{at} [+] b"), "BinaryOperator", "-")).collect();
    let sample = |number: usize| {
        let asked = ["list", "--shard", &format!("{number}/3")].map(str::to_owned);
        let chosen = Options::parse(&asked).expect("options").chosen(converted(&text, &entries).mutations);
        chosen.into_iter().map(|mutation| mutation.id).collect::<Vec<_>>()
    };
    let mut shared = [sample(1), sample(2), sample(3)].concat();
    shared.sort();
    shared.dedup();
    assert_eq!(shared.len(), 100);
    assert!(Options::parse(&["list", "--shard", "4/3"].map(str::to_owned)).is_err());
}
