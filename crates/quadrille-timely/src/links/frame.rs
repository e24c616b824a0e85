//! The bytes between two processes: frames with a checksum, so that a foreign program is not taken for one of them.

use twox_hash::XxHash3_64;

/// Kind, sender, tick, length, checksum of what follows; and the checksum of all that.
pub(super) type Header = [[u8; 8]; 6];

/// Bytes of the dataflow.
pub(super) const ROWS: u64 = u64::from_le_bytes(*b"quadrill");
/// A sign of life.
pub(super) const BEAT: u64 = ROWS + 1;
/// The sender stops, and says why.
pub(super) const STOP: u64 = ROWS + 2;
/// Nothing follows.
pub(super) const END: u64 = ROWS + 3;

/// The header of a frame.
pub(super) struct Frame {
    pub(super) kind: u64,
    /// The number of the process that sends it.
    pub(super) from: u64,
    /// The tick that the sender has come to.
    pub(super) tick: u64,
    /// How many bytes follow.
    pub(super) len: usize,
    /// The checksum of those, with the tick.
    pub(super) sum: u64,
}

impl Frame {
    pub(super) fn header(kind: u64, from: usize, tick: u64, bytes: &[u8]) -> Header {
        let mut header = [kind, from as u64, tick, bytes.len() as u64, checksum(tick, bytes), 0].map(u64::to_le_bytes);
        header[5] = checksum(ROWS, header[..5].as_flattened()).to_le_bytes();
        header
    }

    pub(super) fn read(header: &Header) -> Option<Self> {
        let [kind, from, tick, len, sum, seal] = header.map(u64::from_le_bytes);
        let frame = Self { kind, from, tick, len: len as usize, sum };
        (seal == checksum(ROWS, header[..5].as_flattened())).then_some(frame)
    }
}

pub(super) fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}
