//! Pictures one after the other.

use crate::picture::Picture;
use crate::raster::{self, Pixels};

/// Frames of one size, with the time that each is shown.
#[derive(Debug)]
pub struct Animation {
    frames: Vec<Pixels>,
    milliseconds: u16,
}

impl Animation {
    /// No frames yet.
    #[must_use]
    pub fn new(milliseconds: u16) -> Self {
        Self { frames: Vec::new(), milliseconds }
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// It cannot be painted.
    pub fn push(&mut self, picture: Picture) -> anyhow::Result<()> {
        self.frames.push(raster::paint(&picture.into_svg())?);
        Ok(())
    }

    /// All frames, as an animated PNG.
    pub(crate) fn encode(&self) -> anyhow::Result<Vec<u8>> {
        raster::png(&self.frames, self.milliseconds)
    }
}
