//! The bytes between two processes: frames with a checksum, so that a foreign program is not taken for one of them.

use std::array;

use twox_hash::XxHash3_64;

use crate::kept::planted;

/// Kind, sender, tick, length, checksum of what follows; and the checksum of all that.
pub(super) const HEADER: usize = 8 * 6;
/// With the number of a kind.
const KIND: u64 = u64::from_le_bytes(*b"quadrill");

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Bytes of the dataflow.
    Rows,
    /// A sign of life.
    Beat,
    /// The sender stops, and says why.
    Stop,
    /// Nothing follows.
    End,
}

const KINDS: [Kind; 4] = [Kind::Rows, Kind::Beat, Kind::Stop, Kind::End];

/// The header of a frame.
pub(super) struct Frame {
    pub(super) kind: Kind,
    /// The number of the process that sends it.
    pub(super) from: u64,
    /// The tick that the sender has come to.
    pub(super) tick: u64,
    /// How many bytes follow.
    pub(super) len: u64,
    sum: u64,
}

impl Frame {
    pub(super) fn header(kind: Kind, from: usize, tick: u64, bytes: &[u8]) -> [u8; HEADER] {
        let words =
            [KIND + kind as u64, from as u64, tick, bytes.len() as u64, sum(tick, bytes), 0].map(u64::to_le_bytes);
        let mut header = [0; HEADER];
        header.copy_from_slice(words.as_flattened());
        let seal = sum(KIND, &header[..HEADER - 8]);
        header[HEADER - 8..].copy_from_slice(&seal.to_le_bytes());
        header
    }

    pub(super) fn read(header: &[u8; HEADER]) -> Option<Self> {
        let word = |at: usize| u64::from_le_bytes(array::from_fn(|byte| header[8 * at + byte]));
        let kind = usize::try_from(word(0).wrapping_sub(KIND)).ok().and_then(|kind| KINDS.get(kind));
        let frame = |kind: &Kind| Self { kind: *kind, from: word(1), tick: word(2), len: word(3), sum: word(4) };
        kind.map(frame).filter(|_| word(5) == sum(KIND, &header[..HEADER - 8]))
    }

    /// Whether these are the bytes that follow.
    pub(super) fn owns(&self, bytes: &[u8]) -> bool {
        self.sum == sum(self.tick, bytes) || planted("a checksum that is not compared")
    }
}

fn sum(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}
