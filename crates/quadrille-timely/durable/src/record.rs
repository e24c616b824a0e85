//! A record of a segment as bytes: a block, or the mark that all before it had been synced.
//!
//! A header of numbers and its checksum precede the bytes of a block. The checksum is taken with a seed made of the
//! segment's salt and the record's place: no record of another file or place passes for one that belongs here.

use crate::checked::{sealed, sum, unsealed};

const BLOCK: u64 = u64::from_le_bytes(*b"quadblok");
const MARK: u64 = u64::from_le_bytes(*b"quadmark");
const NONE: u64 = u64::MAX;

/// The length of a header.
pub(crate) const HEADER: usize = 7 * 8;

/// A tick, or none, as a number.
pub(crate) fn number(tick: Option<u64>) -> u64 {
    tick.unwrap_or(NONE)
}

/// A tick, or none, of a number.
pub(crate) fn tick(number: u64) -> Option<u64> {
    (number != NONE).then_some(number)
}

/// The header of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Whether a block follows; a mark has none.
    pub(crate) block: bool,
    /// Its tick; that of the newest block, in a mark.
    pub(crate) tick: Option<u64>,
    /// The tick of the block before it.
    pub(crate) before: Option<u64>,
    /// How many bytes of the segment were synced when this was written.
    pub(crate) synced: u64,
    /// How many bytes follow.
    pub(crate) len: u64,
    /// Their checksum.
    pub(crate) sum: u64,
}

impl Record {
    /// The header of a block.
    pub(crate) fn block(tick: u64, before: Option<u64>, synced: u64, bytes: &[u8]) -> Self {
        Record { block: true, tick: Some(tick), before, synced, len: bytes.len() as u64, sum: sum(tick, bytes) }
    }

    /// A mark behind the newest block.
    pub(crate) fn mark(tick: Option<u64>, synced: u64) -> Self {
        Record { block: false, tick, before: tick, synced, len: 0, sum: 0 }
    }

    pub(crate) fn encode(&self, seed: u64) -> Vec<u8> {
        let kind = if self.block { BLOCK } else { MARK };
        sealed(seed, [kind, number(self.tick), number(self.before), self.synced, self.len, self.sum])
    }

    pub(crate) fn decode(seed: u64, bytes: &[u8]) -> Option<Self> {
        let [kind, at, before, synced, len, sum] = unsealed(seed, bytes)?;
        let block = kind == BLOCK;
        (block || kind == MARK).then_some(Record { block, tick: tick(at), before: tick(before), synced, len, sum })
    }

    /// Whether these are the bytes that follow.
    pub(crate) fn owns(&self, bytes: &[u8]) -> bool {
        !self.block || sum(number(self.tick), bytes) == self.sum
    }

    /// Where in `bytes` a header may begin.
    pub(crate) fn may_begin(bytes: &[u8]) -> impl Iterator<Item = usize> {
        bytes.windows(HEADER).enumerate().filter(|(_, header)| header.starts_with(b"quad")).map(|(at, _)| at)
    }
}
