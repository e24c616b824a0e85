//! The colors of the gallery: light on a night sky. Pictures name them by what they are used for. And its letters.

/// The background, from top to bottom.
pub const NIGHT: [&str; 2] = ["#0b1226", "#131f3d"];
/// Letters.
pub const PAPER: &str = "#dfe8ff";
/// Things that stand still: walls, land.
pub const STONE: &str = "#7ea2ff";
/// The cells of a tree.
pub const TREE: &str = "#2dd4bf";
/// Things that move.
pub const GOLD: &str = "#ffe3a3";
/// Things that a program has found.
pub const ALARM: &str = "#ff5470";
/// Another kind of what moves.
pub const LEAF: &str = "#8bd450";
/// A third kind.
pub const VIOLET: &str = "#c792ea";
/// Plain white, for lamps and sparks.
pub const WHITE: &str = "#ffffff";

/// The fonts of pictures: the first is the one that `raster` brings along.
pub const LETTERS: &str = "Ubuntu, 'Ubuntu Light', 'Segoe UI', Helvetica, Arial, sans-serif";
