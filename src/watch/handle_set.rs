//! A set of handles: the objects that a poll is told of.
//!
//! A poll looks at every item of the last answer, so a look-up must be cheap, nearly always without a miss in the cache
//! or a search. The handles are in ascending order, by slot. Slots are divided into equal blocks, a few for each
//! handle, and a table says where the handles of a block start. Most blocks have none. A block with many, which only
//! handles of another index can make, is searched: no list of handles makes it slow.

use alloc::vec::Vec;

use crate::key::Handle;

/// The most blocks for each handle.
const BLOCKS: usize = 8;

/// A set of handles.
pub(super) struct HandleSet {
    /// In ascending order.
    handles: Vec<Handle>,
    /// The number of handles before each block, and before the end.
    starts: Vec<usize>,
    /// The number of slots in a block, as a power of two.
    shift: u32,
}

impl HandleSet {
    pub(super) fn of<'h>(handles: impl IntoIterator<Item = &'h Handle>) -> Self {
        let mut handles: Vec<Handle> = handles.into_iter().copied().collect();
        handles.sort_unstable();
        let last = handles.last().map_or(0, |last| last.slot() as usize);
        let mut shift = 0;
        while BLOCKS * handles.len() < last >> shift {
            shift += 1;
        }
        let mut starts = Vec::with_capacity((last >> shift) + 2);
        for (before, handle) in handles.iter().enumerate() {
            let block = (handle.slot() >> shift) as usize;
            starts.resize(starts.len().max(block + 1), before);
        }
        starts.push(handles.len());
        Self { handles, starts, shift }
    }

    #[inline]
    pub(super) fn contains(&self, handle: Handle) -> bool {
        let block = (handle.slot() >> self.shift) as usize;
        let Some(&[start, end]) = self.starts.get(block..).and_then(<[usize]>::first_chunk) else { return false };
        start != end && self.handles[start..end].binary_search(&handle).is_ok()
    }
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
                assert!(set.starts.len() <= 2 * BLOCKS * some.len() + 2);
            }
        }
    }
}
