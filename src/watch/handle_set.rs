//! A set of handles: the objects that a poll is told of.
//!
//! A poll looks up every item of the last answer, and nearly all are not in the set. So there is a filter small enough
//! for the first cache: some dozens of bits for each handle, each of them for so many slots as one. What passes is looked
//! up in the list of handles, which is in ascending order, by slot; a table says where the handles of a block of slots
//! start. A block with many, which only handles of another index can make, is searched: no list of handles makes it slow.

use alloc::vec;
use alloc::vec::Vec;

use crate::key::Handle;

/// A set of handles.
pub(super) struct HandleSet {
    /// In ascending order.
    handles: Vec<Handle>,
    /// Bits for equal parts of the slots, set where there may be a handle.
    filter: Vec<u64>,
    /// The number of slots in such a part, as a power of two; and in a block.
    part: u32,
    block: u32,
    /// The number of handles before each block, and before the end.
    starts: Vec<usize>,
}

impl HandleSet {
    pub(super) fn of<'h>(handles: impl IntoIterator<Item = &'h Handle>) -> Self {
        let mut handles: Vec<Handle> = handles.into_iter().copied().collect();
        handles.sort_unstable();
        let last = handles.last().map_or(0, |last| last.slot_number());
        let [part, block] = [64 * handles.len(), handles.len()].map(|most| shift(last, most));
        let mut filter = vec![0; (last >> part) as usize / 64 + 1];
        let mut starts = Vec::with_capacity((last >> block) as usize + 2);
        for (before, handle) in handles.iter().enumerate() {
            let bit = (handle.slot_number() >> part) as usize;
            filter[bit / 64] |= 1 << (bit % 64);
            let next = (handle.slot_number() >> block) as usize + 1;
            starts.resize(starts.len().max(next), before);
        }
        starts.push(handles.len());
        Self { handles, filter, part, block, starts }
    }

    #[inline]
    pub(super) fn contains(&self, handle: Handle) -> bool {
        let bit = (handle.slot_number() >> self.part) as usize;
        self.filter.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1) && self.finds(handle)
    }

    #[inline(never)]
    fn finds(&self, handle: Handle) -> bool {
        let block = (handle.slot_number() >> self.block) as usize;
        self.handles[self.starts[block]..self.starts[block + 1]].binary_search(&handle).is_ok()
    }
}

/// The number of slots, as a power of two, of which at most so many parts reach as far as a slot.
fn shift(slot: u32, most: usize) -> u32 {
    (0..u32::BITS).find(|shift| (slot >> shift) as usize <= most).unwrap_or_default()
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
                assert!(set.starts.len() + set.filter.len() <= 4 * some.len() + 4);
            }
        }
    }
}
