//! Reads numbers out of bytes, one after another: those of a file of outlines, and those of the live map's frames.

/// Bytes that are cut off, or that hold nonsense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is cut off or malformed at byte {at}")]
pub struct Malformed {
    /// The number of the byte.
    pub at: usize,
}

/// Bytes, and how far they have been read.
#[derive(Debug)]
pub struct Bytes<'a> {
    bytes: &'a [u8],
    /// The number of the next byte.
    pub at: usize,
}

impl<'a> Bytes<'a> {
    /// The bytes from the first one on.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next bytes.
    ///
    /// # Errors
    /// There are not so many, as for all numbers.
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let taken = self.bytes.get(self.at..self.at + N).and_then(|bytes| bytes.try_into().ok());
        self.at += N;
        taken.ok_or(Malformed { at: self.at - N })
    }

    /// A number of seven bits in each byte, the lowest first.
    ///
    /// # Errors
    /// It has more than 32 bits.
    pub fn whole(&mut self) -> Result<u32, Malformed> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let [byte] = self.take()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed { at: self.at })
    }

    /// Refuses bytes that go on.
    ///
    /// # Errors
    /// They do.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(Malformed { at: self.at }) }
    }
}
