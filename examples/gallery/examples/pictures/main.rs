//! The pictures of the guide, drawn from answers of an index that are compared with brute force.
//!
//!     cargo run -p quadrille-gallery --example pictures
//!     cargo run -p quadrille-gallery --example pictures -- docs/guide/pictures
//!
//! The first writes them to `target/gallery/pictures`, with `--features png` each also as a PNG; the second puts them into the guide.

mod canvas;
mod cursor;
mod depth;
mod layers;
mod questions;
mod rays;
mod split;
mod watch;

use std::path::{Path, PathBuf};

use quadrille_gallery::{Picture, files};

type Draw = fn() -> anyhow::Result<Picture>;

/// The names of the pictures, and who draws them.
const PICTURES: [(&str, Draw); 7] = [
    ("layers", layers::draw),
    ("questions", questions::draw),
    ("rays", rays::draw),
    ("watch", watch::draw),
    ("cursor", cursor::draw),
    ("depth", depth::draw),
    ("split", split::draw),
];

const GUIDE: &str = "docs/guide/pictures";

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/gallery/pictures"), PathBuf::from);
    for (name, draw) in PICTURES {
        let (svg, file) = (draw()?.into_svg(), folder.join(name).with_extension("svg"));
        files::ensure_writable(&file)?;
        // The guide has no use for pixels.
        if folder == Path::new(GUIDE) {
            files::write(&file, svg.as_bytes())?;
        } else {
            files::write_picture(&file, svg)?;
        }
        println!("Drawn: {}", file.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn guide() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
    }

    #[test]
    fn the_guide_has_the_pictures_that_are_drawn() {
        for (name, draw) in PICTURES {
            let file = guide().join("pictures").join(name).with_extension("svg");
            let there = fs::read_to_string(&file).unwrap_or_default();
            let is_same = there.lines().eq(draw().unwrap().into_svg().lines());
            assert!(is_same, "{name} has changed: cargo run -p quadrille-gallery --example pictures -- {GUIDE}");
        }
    }

    #[test]
    fn each_picture_is_in_one_chapter() {
        let chapters = fs::read_dir(guide()).unwrap().map(|file| file.unwrap().path());
        let chapters: Vec<String> = chapters.filter_map(|path| fs::read_to_string(path).ok()).collect();
        for (name, _) in PICTURES {
            let shown = chapters.iter().filter(|chapter| chapter.contains(&format!("](pictures/{name}.svg)"))).count();
            assert_eq!(shown, 1, "{name}");
        }
        assert_eq!(fs::read_dir(guide().join("pictures")).unwrap().count(), PICTURES.len());
    }
}
