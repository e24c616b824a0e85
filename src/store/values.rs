//! The values of objects, by slot number.
//!
//! Knows no generations. Callers ask the places first, and name only living objects here.
//!
//! Keeps its part of S3 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::slice;

use crate::key::Handle;
use crate::prefetch::prefetch;

/// The values of objects, by slot number.
#[derive(Clone, Debug)]
pub(crate) struct ValueTable<T> {
    list: Vec<Option<T>>,
}

impl<T> ValueTable<T> {
    pub(crate) fn new() -> Self {
        Self { list: Vec::new() }
    }

    /// Reserves memory for this many values in all.
    #[cfg(feature = "serde")]
    pub(crate) fn reserve(&mut self, values: usize) {
        // The number of the first slot is 1.
        self.list.reserve((values + 1).saturating_sub(self.list.len()));
    }

    /// Stores the value of an object whose handle was just made.
    #[inline]
    pub(crate) fn insert(&mut self, handle: Handle, value: T) {
        match self.list.get_mut(handle.slot()) {
            Some(vacant) => *vacant = Some(value),
            None => self.push(handle, value),
        }
    }

    /// Stores the values of objects whose handles were just made, in the order of the handles. A `None` precedes them, as in
    /// the list, so that the first values of all become the list.
    pub(crate) fn insert_many(&mut self, handles: &[Handle], mut values: Vec<Option<T>>) {
        let end = self.list.len().max(1);
        if handles.iter().zip(end..).all(|(handle, slot)| handle.slot() == slot) {
            if self.list.len() <= 1 {
                self.list = values;
            } else {
                self.list.extend(values.drain(1..));
            }
            return;
        }
        for (&handle, value) in handles.iter().zip(values.drain(1..)) {
            if let Some(value) = value {
                self.insert(handle, value);
            }
        }
    }

    /// Stores the value of a slot behind the list, nearly always the next one.
    #[inline]
    fn push(&mut self, handle: Handle, value: T) {
        if self.list.len() < handle.slot() {
            self.list.resize_with(handle.slot(), || None);
        }
        self.list.push(Some(value));
    }

    /// Takes the value of an object whose handle was just removed.
    #[inline]
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<T> {
        self.list.get_mut(handle.slot())?.take()
    }

    #[inline]
    pub(crate) fn get(&self, handle: Handle) -> Option<&T> {
        self.list.get(handle.slot())?.as_ref()
    }

    /// Begins to fetch the values of entries, if the index they are in outgrows the cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, handles: &[Handle], outgrows_cache: bool) {
        if !outgrows_cache || size_of::<T>() == 0 {
            return;
        }
        for value in handles.iter().filter_map(|handle| self.list.get(handle.slot())) {
            prefetch(slice::from_ref(value));
        }
    }

    /// The value of an object that has an entry.
    #[inline]
    pub(crate) fn of_entry(&self, handle: Handle) -> &T {
        self.get(handle).expect("every entry has a value")
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.list.get_mut(handle.slot())?.as_mut()
    }

    /// The values of some objects; `None` if one of them is named twice.
    #[inline]
    pub(crate) fn get_disjoint_mut<const N: usize>(&mut self, handles: [Handle; N]) -> Option<[&mut T; N]> {
        let values = self.list.get_disjoint_mut(handles.map(Handle::slot)).ok()?;
        Some(values.map(|value| value.as_mut().expect("every object has a value")))
    }

    /// The values by rising slot, between slots that have none.
    pub(crate) fn iter(&self) -> slice::Iter<'_, Option<T>> {
        self.list.iter()
    }

    /// The same, to be changed.
    pub(crate) fn iter_mut(&mut self) -> slice::IterMut<'_, Option<T>> {
        self.list.iter_mut()
    }

    /// Releases memory that is not in use.
    pub(crate) fn shrink_to_fit(&mut self) {
        let end = self.list.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        self.list.truncate(end);
        self.list.shrink_to_fit();
    }

    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        self.list.iter().flatten().count()
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Option<T>>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    extern crate std;

    fn handle(slot: u32) -> Handle {
        Handle::new(slot, 1)
    }

    /// Slots of all kinds of density, beside a map; shrunk now and then.
    #[test]
    fn values_are_those_of_a_map() {
        let (mut table, mut map) = (ValueTable::new(), BTreeMap::new());
        let mut dice = 1_u32;
        let mut below = |limit: u32| {
            dice = dice.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (dice >> 8) % limit
        };
        for round in 0..4000_u32 {
            let slot = 1 + if below(4) == 0 { below(5000) } else { below(40) };
            match below(5) {
                0 => assert_eq!(table.remove(handle(slot)), map.remove(&slot)),
                1 if below(20) == 0 => {
                    table.shrink_to_fit();
                    assert_eq!(table.list.len(), map.last_key_value().map_or(0, |(&last, _)| last as usize + 1));
                }
                _ => {
                    table.insert(handle(slot), round);
                    map.insert(slot, round);
                }
            }
            if below(300) == 0 {
                map.retain(|&slot, _| slot % 7 == 0 || below(9) == 0 || table.remove(handle(slot)).is_none());
            }
            assert_eq!(table.get(handle(slot)), map.get(&slot));
            assert_eq!(table.get_mut(handle(slot)), map.get_mut(&slot));
            assert!(table.iter().flatten().eq(map.values()));
            assert!(table.iter_mut().flatten().eq(map.values_mut()));
        }
    }

    #[test]
    fn several_are_lent_unless_one_comes_twice() {
        let mut table = ValueTable::new();
        for slot in [1, 2, 700] {
            table.insert(handle(slot), slot);
        }
        assert_eq!(table.get_disjoint_mut([700, 1, 2].map(handle)), Some([&mut 700, &mut 1, &mut 2]));
        assert_eq!(table.get_disjoint_mut([700, 1, 700].map(handle)), None);
    }

    /// Batches into new slots, and into slots in any order, beside single values.
    #[test]
    fn a_batch_is_stored_as_its_values_are() {
        let batches: [&[u32]; 6] = [&[1, 2, 3], &[4, 5], &[5, 7, 6], &[6, 8], &[2, 1], &[]];
        for first in 0..batches.len() {
            let (mut table, mut single) = (ValueTable::new(), ValueTable::new());
            for (round, slots) in batches.iter().cycle().skip(first).take(batches.len()).enumerate() {
                let value = |slot: u32| 100 * round as u32 + slot;
                let handles: Vec<_> = slots.iter().copied().map(handle).collect();
                table.insert_many(
                    &handles,
                    [None].into_iter().chain(slots.iter().map(|&slot| Some(value(slot)))).collect(),
                );
                slots.iter().for_each(|&slot| single.insert(handle(slot), value(slot)));
                for slot in 1..10 {
                    assert_eq!(table.get(handle(slot)), single.get(handle(slot)), "{slots:?} from {first} on");
                }
            }
        }
    }
}
