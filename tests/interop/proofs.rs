//! Programs that are built elsewhere hold, word by word, the parts of them that a page shows.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).expect("a readable file")
}

/// The blocks of a page that are tested elsewhere.
fn shown(page: &str) -> Vec<String> {
    let page = read(page);
    let blocks = page.split("```rust,ignore\n").skip(1);
    blocks.map(|block| block.split_once("```").expect("an end").0.to_owned()).collect()
}

#[test]
fn chapters_of_crates_show_their_programs() {
    for (page, krate) in [
        ("docs/guide/bevy.md", "quadrille-bevy"),
        ("crates/quadrille-datafusion/docs/guide.md", "quadrille-datafusion"),
    ] {
        let example = read(&format!("crates/{krate}/examples/guide.rs"));
        // Behind the line that says whose it is.
        let (_, program) = example.split_once("\n\n").expect("a first line");
        assert_eq!(shown(page).join("\n"), program, "{page}");
    }
}
