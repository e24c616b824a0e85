//! Makes a test of each chapter of the guide. The blocks of Rust in a chapter are one program: each goes on where the one
//! before ends. A block that ends in `Ok::<`, or has a `main`, stands alone.
//!
//! A line of a chapter stays on its line, so that the compiler's messages lead to it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const RESULT: &str = "Result<(), Box<dyn std::error::Error>>";

fn main() -> io::Result<()> {
    let guide = Path::new("../../docs/guide");
    println!("cargo::rerun-if-changed={}", guide.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut files: Vec<PathBuf> = fs::read_dir(guide)?.map(|file| Ok(file?.path())).collect::<io::Result<_>>()?;
    files.sort();
    let mut modules = String::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.file_stem().expect("it has an extension").to_string_lossy().to_lowercase().replace('-', "_");
        fs::write(out.join(format!("{name}.rs")), program(&fs::read_to_string(file)?))?;
        let _ = writeln!(modules, r#"mod {name} {{ include!(concat!(env!("OUT_DIR"), "/{name}.rs")); }}"#);
    }
    fs::write(out.join("chapters.rs"), modules)
}

/// The program of a chapter, whose first line is its title.
fn program(chapter: &str) -> String {
    let lines: Vec<&str> = chapter.lines().collect();
    let mut program = format!("#[test] fn program() -> {RESULT} {{\n");
    let mut number = 1;
    while number < lines.len() {
        let is_rust = lines[number] == "```rust";
        let fence = (number + 1..lines.len()).find(|&line| lines[line] == "```").filter(|_| is_rust);
        let Some(fence) = fence else {
            program.push('\n');
            number += 1;
            continue;
        };
        let block = &lines[number + 1..fence];
        let has_main = block.iter().any(|line| line.contains("fn main("));
        let (head, tail) = if has_main {
            (format!("mod line_{number} {{"), format!("}} line_{number}::main()?;"))
        } else if block.iter().any(|line| line.contains("Ok::<")) {
            (format!("fn line_{number}() -> {RESULT} {{"), format!("}} line_{number}()?;"))
        } else {
            (String::new(), String::new())
        };
        let shown = |line: &str| line.strip_prefix("# ").unwrap_or(if line == "#" { "" } else { line }).to_owned();
        let block: Vec<String> = block.iter().map(|line| shown(line)).collect();
        let block = block.iter().fold(String::new(), |block, line| block + line + "\n");
        let block = if has_main { block.replacen("fn main(", "pub fn main(", 1) } else { block };
        let _ = write!(program, "{head}\n{block}{tail}\n");
        number = fence + 1;
    }
    program + "Ok(()) }\n"
}
