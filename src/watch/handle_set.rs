//! A set of handles: the objects that a poll is told of.
//!
//! A poll looks up every item of the last answer, and nearly all are not in the set. So there is a filter small enough
//! for the first cache: at least 128 bits for each handle, one by the lowest bits of its slot. Handles that pass are
//! looked up in the list, which is in ascending order, by slot; a table says where the handles of a block of slots start.
//! A block with many, which only handles of another index can make, is searched: no list of handles makes it slow.

use alloc::vec;
use alloc::vec::Vec;

use crate::key::Handle;

/// A set of handles.
pub(super) struct HandleSet {
    /// In ascending order.
    handles: Vec<Handle>,
    /// Bits, set where there may be a handle. Their number is a power of two, and each is for all slots that leave its
    /// number when divided by that.
    filter: Vec<u64>,
    /// The number of slots in a block, as a power of two.
    block: u32,
    /// The number of handles before each block, and before the end.
    starts: Vec<usize>,
}

impl HandleSet {
    pub(super) fn of<'h>(handles: impl IntoIterator<Item = &'h Handle>) -> Self {
        let mut handles: Vec<Handle> = handles.into_iter().copied().collect();
        handles.sort_unstable();
        let last = handles.last().map_or(0, |last| last.slot_number());
        let block = (0..u32::BITS).find(|block| (last >> block) as usize <= handles.len()).unwrap_or_default();
        let bits = (128 * handles.len()).min(last as usize).next_power_of_two();
        let words = bits.div_ceil(64);
        let mut filter = vec![0; words];
        let mut starts = Vec::with_capacity((last >> block) as usize + 2);
        for (before, handle) in handles.iter().enumerate() {
            filter[word_of(*handle, words)] |= 1 << (handle.slot_number() % 64);
            let next = (handle.slot_number() >> block) as usize + 1;
            starts.resize(starts.len().max(next), before);
        }
        starts.push(handles.len());
        Self { handles, filter, block, starts }
    }

    pub(super) fn contains(&self, handle: Handle) -> bool {
        self.may_contain(handle) && self.finds(handle)
    }

    /// Whether a handle passes the filter, as all in the set do.
    #[inline]
    pub(super) fn may_contain(&self, handle: Handle) -> bool {
        self.filter[word_of(handle, self.filter.len())] >> (handle.slot_number() % 64) & 1 == 1
    }

    #[inline(never)]
    fn finds(&self, handle: Handle) -> bool {
        let block = (handle.slot_number() >> self.block) as usize;
        // No block begins behind the last handle.
        let start = |block: usize| self.starts.get(block).copied().unwrap_or(self.handles.len());
        self.handles[start(block)..start(block + 1)].binary_search(&handle).is_ok()
    }
}

/// The word that has the bit of a handle, in a filter of `words` words.
#[inline]
fn word_of(handle: Handle, words: usize) -> usize {
    (handle.slot() / 64) & (words - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Handles by slot and generation, of few and of many slots, beside a list of them.
    #[test]
    fn it_is_a_set() {
        let slots = [1, 2, 3, 7, 8, 63, 64, 1000, 1001, 70_000, u32::MAX - 1];
        let all: Vec<_> = slots.iter().flat_map(|&slot| [1, 3, 9].map(|times| Handle::new(slot, times))).collect();
        assert!(!all.iter().any(|&handle| HandleSet::of([]).contains(handle)));
        for step in [1, 2, 3, 5, 8, 40] {
            for skipped in 0..step {
                let some: Vec<_> = all.iter().skip(skipped).step_by(step).copied().collect();
                let set = HandleSet::of(some.iter().chain(&some).rev());
                for &handle in all.iter().chain([&Handle::default()]) {
                    assert_eq!(set.contains(handle), some.contains(&handle), "{handle:?} of {some:?}");
                }
                assert!(set.starts.len() + set.filter.len() <= 10 * some.len() + 4);
            }
        }
    }
}
