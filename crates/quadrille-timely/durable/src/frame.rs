//! The bytes between two processes: frames with a checksum, so that a foreign program is not taken for one of them.

use crate::checked::{sealed, sum, unsealed};
use crate::disk::planted;

/// Kind, sender, tick, length, checksum of what follows; and the checksum of all that.
pub(crate) const HEADER: usize = 8 * 6;

const ROWS: u64 = u64::from_le_bytes(*b"quadrows");
const BEAT: u64 = u64::from_le_bytes(*b"quadbeat");
const STOP: u64 = u64::from_le_bytes(*b"quadstop");
const END: u64 = u64::from_le_bytes(*b"quadend\0");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes of the dataflow.
    Rows,
    /// A sign of life.
    Beat,
    /// The sender stops, and says why.
    Stop,
    /// Nothing follows.
    End,
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: Kind,
    /// The number of the process that sends it.
    pub(crate) from: u64,
    /// The tick that the sender has come to.
    pub(crate) tick: u64,
    /// How many bytes follow.
    pub(crate) len: u64,
    /// The checksum of what follows.
    sum: u64,
}

impl Frame {
    pub(crate) fn new(kind: Kind, from: usize, tick: u64, bytes: &[u8]) -> Self {
        Frame { kind, from: from as u64, tick, len: bytes.len() as u64, sum: sum(tick, bytes) }
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        let kind = match self.kind {
            Kind::Rows => ROWS,
            Kind::Beat => BEAT,
            Kind::Stop => STOP,
            Kind::End => END,
        };
        sealed(ROWS, [kind, self.from, self.tick, self.len, self.sum])
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let [kind, from, tick, len, sum] = unsealed(ROWS, bytes)?;
        let kind = match kind {
            ROWS => Kind::Rows,
            BEAT => Kind::Beat,
            STOP => Kind::Stop,
            END => Kind::End,
            _ => return None,
        };
        Some(Frame { kind, from, tick, len, sum })
    }

    /// Whether these are the bytes that follow.
    pub(crate) fn owns(&self, bytes: &[u8]) -> bool {
        self.sum == sum(self.tick, bytes) || planted("a checksum that is not compared")
    }
}
