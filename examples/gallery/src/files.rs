//! The files that a program writes: an SVG and, with the feature `png`, the PNG beside it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The name of an SVG, as options ask for it.
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

/// As [`ensure_writable`], for a picture.
///
/// # Errors
/// A file cannot be written.
pub fn ensure_picture_writable(svg: &Path) -> anyhow::Result<()> {
    ensure_writable(svg)?;
    if cfg!(feature = "png") { ensure_writable(&svg.with_extension("png")) } else { Ok(()) }
}

/// Writes a picture; gives the names of its files.
///
/// # Errors
/// A file cannot be written.
pub fn write_picture(svg: &Path, text: String) -> anyhow::Result<Vec<PathBuf>> {
    write(svg, text.as_bytes())?;
    let mut written = vec![svg.to_owned()];
    if let Some(pixels) = paint(&[text], 0)? {
        written.push(svg.with_extension("png"));
        write(&written[1], &pixels)?;
    }
    Ok(written)
}

/// SVGs as a PNG, several as an animation, each shown for so long.
#[cfg(feature = "png")]
pub(crate) fn paint(svgs: &[String], milliseconds: u16) -> anyhow::Result<Option<Vec<u8>>> {
    use crate::raster;
    let frames = svgs.iter().map(|svg| raster::paint(svg)).collect::<anyhow::Result<Vec<_>>>()?;
    raster::png(&frames, milliseconds).map(Some)
}

/// There is no painter.
#[cfg(not(feature = "png"))]
#[expect(clippy::unnecessary_wraps, reason = "with a painter it may fail")]
pub(crate) fn paint(_: &[String], _: u16) -> anyhow::Result<Option<Vec<u8>>> {
    Ok(None)
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
