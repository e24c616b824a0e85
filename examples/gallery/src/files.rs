//! The files that a program writes: an SVG and the PNG beside it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The name of an SVG, as clap asks for it.
///
/// # Errors
/// Another ending.
pub fn svg_file(text: &str) -> Result<PathBuf, &'static str> {
    let file = PathBuf::from(text);
    match file.extension() {
        Some(extension) if extension == "svg" => Ok(file),
        _ => Err("the name must end in .svg"),
    }
}

/// Finds out early whether a file can be written, and makes its folder.
///
/// # Errors
/// The file cannot be written.
pub fn ensure_writable(file: &Path) -> anyhow::Result<()> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let opened = fs::create_dir_all(folder).and_then(|()| fs::OpenOptions::new().append(true).create(true).open(file));
    opened.map(drop).with_context(|| cannot_write(file))
}

/// Writes a file.
///
/// # Errors
/// The file cannot be written.
pub fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::write(file, bytes).with_context(|| cannot_write(file))
}

fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", file.display())
}
