//! The values of objects, by slot number.
//!
//! Knows no generations. Callers ask the places first, and name only living objects here.
//!
//! Keeps its part of S3 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::{array, mem, slice};

use crate::key::Handle;
use crate::prefetch::prefetch;

/// A value beyond the list counts as this many entries of it. So the list is long if that is cheaper.
const SPARED: usize = 64;

/// The values of objects, by slot number.
#[derive(Clone, Debug)]
pub(crate) struct ValueTable<T> {
    list: Vec<Option<T>>,
    /// The few values of slots beyond the list, by rising slot. Nearly always there are none.
    beyond: Vec<(u32, T)>,
}

impl<T> ValueTable<T> {
    pub(crate) fn new() -> Self {
        Self { list: Vec::new(), beyond: Vec::new() }
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
        let follow = handles.iter().zip(end..).all(|(handle, slot)| handle.slot() == slot);
        if follow && self.beyond.is_empty() {
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

    /// Stores the value of a slot behind the list.
    #[inline]
    fn push(&mut self, handle: Handle, value: T) {
        if self.list.len() < handle.slot() {
            self.insert_beyond(handle, value);
        } else {
            self.list.push(Some(value));
            if !self.beyond.is_empty() {
                self.take_back();
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn insert_beyond(&mut self, handle: Handle, value: T) {
        match self.beyond.binary_search_by_key(&handle.slot_number(), |&(slot, _)| slot) {
            Ok(at) => self.beyond[at].1 = value,
            Err(at) => self.beyond.insert(at, (handle.slot_number(), value)),
        }
        self.take_back();
    }

    /// Takes values back into the list: those that follow it, and all if that is cheaper.
    #[cold]
    #[inline(never)]
    fn take_back(&mut self) {
        let follow = (self.list.len() as u32..).zip(&self.beyond).take_while(|(slot, value)| *slot == value.0).count();
        self.list.extend(self.beyond.drain(..follow).map(|(_, value)| Some(value)));
        let Some(&(last, _)) = self.beyond.last() else { return };
        let end = last as usize + 1;
        if end - self.list.len() < SPARED * self.beyond.len() {
            self.list.resize_with(end, || None);
            for (slot, value) in mem::take(&mut self.beyond) {
                self.list[slot as usize] = Some(value);
            }
        }
    }

    /// Takes the value of an object whose handle was just removed.
    #[inline]
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<T> {
        match self.list.get_mut(handle.slot()) {
            Some(value) => value.take(),
            None => self.remove_beyond(handle),
        }
    }

    #[cold]
    #[inline(never)]
    fn remove_beyond(&mut self, handle: Handle) -> Option<T> {
        let at = Self::find(&self.beyond, handle)?;
        Some(self.beyond.remove(at).1)
    }

    #[inline]
    pub(crate) fn get(&self, handle: Handle) -> Option<&T> {
        match self.list.get(handle.slot()) {
            Some(value) => value.as_ref(),
            None => Self::find(&self.beyond, handle).map(|at| &self.beyond[at].1),
        }
    }

    /// Begins to fetch the values of entries.
    #[inline(always)]
    pub(crate) fn prefetch(&self, handles: &[Handle]) {
        if size_of::<T>() == 0 {
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
        match self.list.get_mut(handle.slot()) {
            Some(value) => value.as_mut(),
            None => Self::find(&self.beyond, handle).map(|at| &mut self.beyond[at].1),
        }
    }

    #[cold]
    #[inline(never)]
    fn find(beyond: &[(u32, T)], handle: Handle) -> Option<usize> {
        beyond.binary_search_by_key(&handle.slot_number(), |&(slot, _)| slot).ok()
    }

    /// The values of several objects; `None` if one of them is named twice.
    #[inline]
    pub(crate) fn get_disjoint_mut<const N: usize>(&mut self, handles: [Handle; N]) -> Option<[&mut T; N]> {
        if handles.iter().any(|handle| self.list.len() <= handle.slot()) {
            return self.get_disjoint_beyond(handles);
        }
        let values = self.list.get_disjoint_mut(handles.map(Handle::slot)).ok()?;
        Some(values.map(|value| value.as_mut().expect("every object has a value")))
    }

    #[cold]
    #[inline(never)]
    fn get_disjoint_beyond<const N: usize>(&mut self, handles: [Handle; N]) -> Option<[&mut T; N]> {
        let mut rising: [usize; N] = array::from_fn(|nth| nth);
        rising.sort_unstable_by_key(|&nth| handles[nth].slot());
        let mut values = self.rising_mut();
        let mut found = [const { None }; N];
        for nth in rising {
            found[nth] = Some(values.of(handles[nth])?);
        }
        Some(found.map(|value| value.expect("each is found")))
    }

    /// The values by rising slot: those of the list, then those beyond.
    pub(crate) fn parts(&self) -> (slice::Iter<'_, Option<T>>, slice::Iter<'_, (u32, T)>) {
        (self.list.iter(), self.beyond.iter())
    }

    /// The same, to be changed.
    pub(crate) fn parts_mut(&mut self) -> (slice::IterMut<'_, Option<T>>, slice::IterMut<'_, (u32, T)>) {
        (self.list.iter_mut(), self.beyond.iter_mut())
    }

    /// The values that are asked for by rising slot, to be changed.
    pub(crate) fn rising_mut(&mut self) -> RisingMut<'_, T> {
        RisingMut { next: 0, end: self.list.len(), list: self.list.iter_mut(), beyond: self.beyond.iter_mut() }
    }

    /// Releases memory that is not in use. Where few values are left, the list ends before them.
    pub(crate) fn shrink_to_fit(&mut self) {
        let mut beyond = self.beyond.len();
        let mut best = (self.list.len() + SPARED * beyond, self.list.len());
        for len in (1..self.list.len()).rev() {
            beyond += usize::from(self.list[len].is_some());
            best = best.min((len + SPARED * beyond, len));
        }
        let (_, len) = best;
        let values = self.list.drain(len..).zip(len as u32..);
        self.beyond.splice(..0, values.filter_map(|(value, slot)| Some((slot, value?))));
        self.beyond.shrink_to_fit();
        self.list.shrink_to_fit();
    }

    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        self.list.iter().flatten().count() + self.beyond.len()
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Option<T>>() + self.beyond.capacity() * size_of::<(u32, T)>()
    }
}

/// Values that are asked for by rising slot, to be changed.
#[derive(Debug)]
pub(crate) struct RisingMut<'a, T> {
    list: slice::IterMut<'a, Option<T>>,
    beyond: slice::IterMut<'a, (u32, T)>,
    /// The lowest slot that may still be asked for.
    next: usize,
    /// The length of the list.
    end: usize,
}

impl<'a, T> RisingMut<'a, T> {
    /// The lowest slot that may still be asked for.
    pub(crate) fn next_slot(&self) -> usize {
        self.next
    }

    /// The value of an object; `None` if its slot is not higher than that of the one before.
    #[inline]
    pub(crate) fn of(&mut self, handle: Handle) -> Option<&'a mut T> {
        let slot = handle.slot();
        let skipped = slot.checked_sub(self.next)?;
        self.next = slot + 1;
        if slot < self.end {
            return self.list.nth(skipped)?.as_mut();
        }
        self.beyond.find_map(|(other, value)| (*other as usize == slot).then_some(value))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::vec;

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
        let mut was_beyond = 0;
        for round in 0..4000_u32 {
            let slot = 1 + if below(4) == 0 { below(5000) } else { below(40) };
            match below(5) {
                0 => assert_eq!(table.remove(handle(slot)), map.remove(&slot)),
                1 if below(20) == 0 => table.shrink_to_fit(),
                _ => {
                    table.insert(handle(slot), round);
                    map.insert(slot, round);
                }
            }
            if below(300) == 0 {
                map.retain(|&slot, _| {
                    slot % 7 == 0 && slot < 30 || below(9) == 0 || table.remove(handle(slot)).is_none()
                });
            }
            was_beyond += usize::from(!table.beyond.is_empty());
            assert!(SPARED * table.beyond.len() <= 5001, "few are beyond");
            assert_eq!(table.get(handle(slot)), map.get(&slot));
            assert_eq!(table.get_mut(handle(slot)), map.get_mut(&slot));
            let (list, beyond) = table.parts();
            assert!(list.flatten().chain(beyond.map(|(_, value)| value)).eq(map.values()));
            let (list, beyond) = table.parts_mut();
            assert!(list.flatten().chain(beyond.map(|(_, value)| value)).eq(map.values_mut()));
            let mut rising = table.rising_mut();
            for (&slot, value) in map.iter_mut().filter(|(slot, _)| *slot % 3 != 0) {
                assert_eq!(rising.of(handle(slot)), Some(value));
                assert_eq!(rising.of(handle(slot)), None);
            }
        }
        assert!(100 < was_beyond && was_beyond < 3900, "{was_beyond}");
    }

    #[test]
    fn several_are_lent_from_both_parts() {
        let mut table = ValueTable::new();
        for slot in [1, 2, 700, 900] {
            table.insert(handle(slot), slot);
        }
        table.shrink_to_fit();
        assert_eq!((table.list.len(), table.beyond.len()), (3, 2));
        assert_eq!(table.get_disjoint_mut([900, 1, 700, 2].map(handle)), Some([&mut 900, &mut 1, &mut 700, &mut 2]));
        assert_eq!(table.get_disjoint_mut([2, 1].map(handle)), Some([&mut 2, &mut 1]));
        for twice in [vec![700, 700], vec![1, 1]] {
            assert_eq!(table.get_disjoint_mut([twice[0], twice[1]].map(handle)), None);
        }
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

    /// New objects take low slots; the list reaches those beyond again.
    #[test]
    fn the_list_takes_back_those_beyond() {
        let mut table = ValueTable::new();
        for slot in 1..1000 {
            table.insert(handle(slot), slot);
        }
        for slot in (1..1000).filter(|slot| slot % 300 != 0) {
            table.remove(handle(slot));
        }
        table.shrink_to_fit();
        assert_eq!((table.list.len(), table.list.capacity(), table.beyond.len()), (1, 1, 3));
        for slot in (1..=500).filter(|slot| slot % 300 != 0) {
            table.insert(handle(slot), slot);
        }
        assert_eq!((table.list.len(), table.beyond.len()), (501, 2));
        table.shrink_to_fit();
        assert_eq!((table.list.len(), table.beyond.len()), (501, 2), "the second time there is nothing to shrink");
    }
}
