//! Pictures one after the other.

use crate::files;
use crate::picture::Picture;

/// Frames of one size, with the time that each is shown.
#[derive(Debug)]
pub struct Animation {
    frames: Vec<String>,
    milliseconds: u16,
}

impl Animation {
    /// No frames yet.
    #[must_use]
    pub fn new(milliseconds: u16) -> Self {
        Self { frames: Vec::new(), milliseconds }
    }

    /// Adds a frame.
    pub fn push(&mut self, picture: Picture) {
        self.frames.push(picture.into_svg());
    }

    /// All frames, as an animated PNG, with the feature `png`.
    pub(crate) fn encode(&self) -> anyhow::Result<Option<Vec<u8>>> {
        files::paint(&self.frames, self.milliseconds)
    }
}
