//! Which messages of a stream are blocks of a log, and which are the torn end of one. It asks no server.

use super::part::Part;
use crate::log::LogError;

/// A block: its parts, and their numbers in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) parts: Vec<(u64, Part)>,
}

impl Entry {
    pub(super) fn tick(&self) -> u64 {
        self.parts[0].1.tick
    }

    pub(super) fn before(&self) -> Option<u64> {
        self.parts[0].1.before
    }

    fn whole(&self) -> bool {
        self.parts.len() as u64 == self.parts[0].1.of
    }
}

/// Classifies the messages of one worker, which come in the order of the stream.
///
/// A writer claims the log before it reads or writes; the claims say whose messages count. Those of an older writer that
/// arrived after the claim of a newer one were never reported as durable, and do not count.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Whole ones, except maybe the last one while messages come in.
    pub(super) entries: Vec<Entry>,
    /// Numbers and bytes of the messages behind the last whole block.
    pub(super) torn: Vec<(u64, u64)>,
    /// The tick of the first of these.
    pub(super) torn_tick: Option<u64>,
    /// The writer whose messages count.
    epoch: u64,
    /// It has left a gap: its later messages do not count.
    gap: bool,
    /// Bytes of the parts of the last entry.
    sizes: Vec<u64>,
}

impl Index {
    /// The newest whole block.
    pub(super) fn last(&self) -> Option<u64> {
        self.entries.iter().rev().find(|entry| entry.whole()).map(Entry::tick)
    }

    /// A writer begins.
    pub(super) fn claim(&mut self, number: u64) {
        self.close();
        self.epoch = number;
        // The writer saw what was torn, and went on before it.
        self.gap = false;
    }

    /// A part of a block, in message `number`.
    pub(super) fn part(&mut self, place: &str, number: u64, part: Part, bytes: u64) -> Result<(), LogError> {
        if part.epoch < self.epoch {
            return Ok(());
        }
        self.epoch = part.epoch;
        if !self.gap && self.continues(&part) {
            self.take(number, part, bytes);
            return Ok(());
        }
        self.gap = true;
        self.close();
        let after = self.last();
        if part.synced > after {
            let until = part.before.filter(|before| Some(*before) > after).unwrap_or(part.tick);
            return Err(LogError::Missing { place: place.into(), after, until });
        }
        self.torn.push((number, bytes));
        self.torn_tick = self.torn_tick.or(Some(part.tick));
        Ok(())
    }

    fn take(&mut self, number: u64, part: Part, bytes: u64) {
        if let Some(entry) = self.entries.last_mut().filter(|entry| !entry.whole()) {
            entry.parts.push((number, part));
        } else {
            self.entries.push(Entry { parts: vec![(number, part)] });
            self.sizes.clear();
        }
        self.sizes.push(bytes);
    }

    /// There are no more messages.
    pub(super) fn close(&mut self) {
        if let Some(entry) = self.entries.pop_if(|entry| !entry.whole()) {
            self.torn_tick = self.torn_tick.or(Some(entry.tick()));
            self.torn.extend(entry.parts.iter().map(|(number, _)| *number).zip(self.sizes.drain(..)));
        }
    }

    /// Whether a part comes right behind those there are.
    fn continues(&self, part: &Part) -> bool {
        match self.entries.last() {
            // Older blocks may be gone.
            None => part.nth == 0,
            Some(entry) if entry.whole() => part.nth == 0 && part.before == Some(entry.tick()),
            Some(entry) => {
                let [.., (_, last)] = entry.parts[..] else { return false };
                Part { nth: last.nth + 1, ..last } == Part { synced: last.synced, ..*part }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parts a block, of 10 bytes each, sent by writer 1; the first block is tick 5.
    fn sent(ticks: std::ops::Range<u64>, synced: Option<u64>) -> Vec<(u64, Part)> {
        let part = |tick: u64, nth| Part { epoch: 1, tick, before: (tick > 5).then(|| tick - 1), synced, nth, of: 2 };
        ticks.flat_map(|tick| [(2 * tick, part(tick, 0)), (2 * tick + 1, part(tick, 1))]).collect()
    }

    fn judged(messages: &[(u64, Part)]) -> Result<Index, LogError> {
        let mut index = Index::default();
        index.claim(1);
        for (number, part) in messages {
            index.part("w", *number, *part, 10)?;
        }
        index.close();
        Ok(index)
    }

    fn ticks(index: &Index) -> Vec<u64> {
        index.entries.iter().map(Entry::tick).collect()
    }

    #[test]
    fn a_missing_part_is_a_torn_end_until_a_later_one_was_sent_after_it_was_acknowledged() {
        for hole in 0..10 {
            let mut messages = sent(5..10, None);
            messages.remove(hole);
            let index = judged(&messages).unwrap();
            assert_eq!(ticks(&index), (5..5 + hole as u64 / 2).collect::<Vec<_>>());
            assert_eq!(index.torn.len(), 9 - hole / 2 * 2);
            assert_eq!(index.torn_tick.is_some(), !index.torn.is_empty());
            let tick = 5 + hole as u64 / 2;
            messages.extend(sent(10..11, Some(tick)));
            let error = judged(&messages).unwrap_err();
            let lost = (hole / 2).checked_sub(1).map(|at| 5 + at as u64);
            assert!(matches!(error, LogError::Missing { after, until: 9, .. } if after == lost), "{error}");
        }
    }

    #[test]
    fn a_missing_block_is_missing() {
        let mut messages = sent(5..7, None);
        messages.extend(sent(8..9, Some(7)));
        assert!(matches!(judged(&messages), Err(LogError::Missing { after: Some(6), until: 7, .. })));
    }

    #[test]
    fn a_newer_writer_ends_the_words_of_an_older_one() {
        let mut index = Index::default();
        index.claim(1);
        let mut messages = sent(5..8, None);
        let late = messages.pop().unwrap();
        for (number, part) in messages {
            index.part("w", number, part, 10).unwrap();
        }
        index.claim(100);
        assert_eq!((index.last(), index.torn.len()), (Some(6), 1));
        // The last part of tick 7 arrives after all: it is not taken.
        index.part("w", 101, late.1, 10).unwrap();
        let new = Part { epoch: 100, tick: 7, before: Some(6), synced: Some(6), nth: 0, of: 1 };
        index.part("w", 102, new, 10).unwrap();
        index.close();
        assert_eq!(ticks(&index), [5, 6, 7]);
        assert_eq!(index.entries[2].parts, [(102, new)]);
    }
}
