//! Programs that are built elsewhere hold, word by word, the parts of them that a page shows.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).expect("a readable file")
}

#[test]
fn no_std_shows_the_program_without_std() {
    let (page, program) = (read("docs/guide/no-std.md"), read("tests/no_std/src/lib.rs"));
    let blocks = page.split("```rust,ignore\n").skip(1);
    let blocks: Vec<&str> = blocks.map(|block| block.split_once("```").expect("an end").0).collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        assert!(program.contains(block), "{block}");
    }
}
