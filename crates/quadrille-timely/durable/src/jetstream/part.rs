//! A part of a block, as one message: its header as text, and a checksum over both.

use crate::checked::sum;
use crate::record::{number, tick};
use async_nats::HeaderMap;

/// The name of the header.
const NAME: &str = "Quadrille-Part";

/// The contents of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The writer: the number of its claim in the stream.
    pub(super) epoch: u64,
    /// The tick of the block.
    pub(super) tick: u64,
    /// That of the block before it.
    pub(super) before: Option<u64>,
    /// The newest tick acknowledged when this was sent.
    pub(super) synced: Option<u64>,
    /// Which part it is, from 0, and of how many.
    pub(super) nth: u64,
    pub(super) of: u64,
}

impl Part {
    /// The header of the message that carries `bytes`.
    pub(super) fn headers(&self, bytes: &[u8]) -> HeaderMap {
        let words: Vec<String> = self.words().iter().map(|word| format!("{word:x}")).collect();
        let mut headers = HeaderMap::new();
        headers.insert(NAME, format!("{} {:x}", words.join(" "), self.sum(bytes)));
        headers
    }

    /// Reads a header.
    pub(super) fn read(headers: &HeaderMap) -> Option<Self> {
        words(headers).map(|(part, _)| part)
    }

    /// Whether a message is this part, byte for byte.
    pub(super) fn is(&self, headers: &HeaderMap, bytes: &[u8]) -> bool {
        words(headers) == Some((*self, self.sum(bytes)))
    }

    fn words(&self) -> [u64; 6] {
        [self.epoch, self.tick, number(self.before), number(self.synced), self.nth, self.of]
    }

    fn sum(&self, bytes: &[u8]) -> u64 {
        let words: Vec<u8> = self.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        sum(sum(0, &words), bytes)
    }
}

fn words(headers: &HeaderMap) -> Option<(Part, u64)> {
    let text = headers.get(NAME)?.as_str();
    let words: Result<Vec<u64>, _> = text.split(' ').map(|word| u64::from_str_radix(word, 16)).collect();
    let &[epoch, at, before, synced, nth, of, sum] = words.ok()?.as_slice() else { return None };
    Some((Part { epoch, tick: at, before: tick(before), synced: tick(synced), nth, of }, sum))
}
