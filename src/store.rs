//! The store: the place of the entry and the value for each handle.
//!
//! The space has one list of slots, which makes the handles and holds the places. The index has a second list, indexed
//! by the same slots, with the values. So moves, which need no value, touch 8 bytes per object, and generations are
//! compared only once.
//!
//! Keeps invariants S1 to S3 of `docs/invariants.md`.

#[cfg(feature = "serde")]
mod saved;

use alloc::vec;
use alloc::vec::Vec;
use core::iter::{Enumerate, Zip};
use core::{mem, slice};

use crate::key::{Handle, Place};

#[cfg(feature = "serde")]
pub(crate) use saved::{SavedSlots, Slots};

/// The generation of a slot that is worn out and never used again: further generations would make old handles valid. It
/// is low in unit tests, so that they can reach it.
const WORN_OUT: u32 = if cfg!(test) { 10 } else { u32::MAX - 1 };

/// Marks the end of the list of free slots. No slot has this number, which `Handle::default()` uses.
const NO_SLOT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct HandleSlot {
    /// The bits of the object's place; in a free slot, the number of the next free slot.
    place_or_next: u32,
    /// How often the slot was filled and emptied: odd while it is filled.
    generation: u32,
}

impl HandleSlot {
    /// A slot that was never filled.
    const NEW: Self = Self { place_or_next: 0, generation: 0 };

    #[inline]
    fn is_filled(self) -> bool {
        self.generation % 2 == 1
    }

    /// The handle and the place of the object in a filled slot with this number.
    #[inline]
    fn content(self, number: usize) -> Option<(Handle, Place)> {
        let handle = Handle::new(number as u32, self.generation);
        self.is_filled().then(|| (handle, Place::from_bits(self.place_or_next)))
    }
}

/// The slots that make handles and hold the places of their entries.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The first one is never used: slots are counted from 1.
    slots: Vec<HandleSlot>,
    /// The slot that was emptied last and will be filled next.
    free: u32,
    /// How many slots are filled.
    len: usize,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self { slots: vec![HandleSlot::NEW], free: NO_SLOT, len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Reserves memory for this many more objects.
    pub(crate) fn reserve(&mut self, objects: usize) {
        self.slots.reserve((1 + self.len + objects).saturating_sub(self.slots.len()));
    }

    /// Makes the handle of an object whose entry is not stored yet.
    #[inline]
    pub(crate) fn insert(&mut self) -> Handle {
        let number = self.free;
        let Some(slot) = self.slots.get_mut(number as usize) else { return self.push() };
        self.free = slot.place_or_next;
        slot.generation += 1;
        self.len += 1;
        Handle::new(number, slot.generation)
    }

    /// Fills a slot for the first time.
    // Inlining it makes an insertion a tenth slower.
    #[inline(never)]
    fn push(&mut self) -> Handle {
        let number = u32::try_from(self.slots.len()).ok().filter(|&number| number != NO_SLOT);
        let number = number.expect("an index has less than 2^32 slots");
        self.slots.push(HandleSlot { generation: 1, ..HandleSlot::NEW });
        self.len += 1;
        Handle::new(number, 1)
    }

    /// Removes a handle; returns the place of its entry, which is still stored.
    #[inline]
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<Place> {
        let slot = self.slots.get_mut(handle.slot()).filter(|slot| slot.generation == handle.generation())?;
        let place = Place::from_bits(slot.place_or_next);
        slot.generation += 1;
        if slot.generation != WORN_OUT {
            slot.place_or_next = mem::replace(&mut self.free, handle.slot_number());
        }
        self.len -= 1;
        Some(place)
    }

    #[inline]
    pub(crate) fn get(&self, handle: Handle) -> Option<Place> {
        let slot = self.slots.get(handle.slot()).filter(|slot| slot.generation == handle.generation())?;
        Some(Place::from_bits(slot.place_or_next))
    }

    /// One more than the number of the last slot that was ever used.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The handle of the object in a slot.
    #[inline]
    pub(crate) fn handle_at(&self, slot: usize) -> Option<Handle> {
        let (handle, _) = self.slots.get(slot)?.content(slot)?;
        Some(handle)
    }

    /// The handles and places of all objects, by ascending slot.
    pub(crate) fn iter(&self) -> EachPlace<'_> {
        EachPlace(self.slots.iter().enumerate())
    }

    /// Records the new places of entries of living objects. If a handle comes twice, its last place counts.
    #[inline]
    pub(crate) fn relink(&mut self, moved: impl IntoIterator<Item = (Handle, Place)>) {
        for (handle, place) in moved {
            let slot = &mut self.slots[handle.slot()];
            debug_assert_eq!(slot.generation, handle.generation(), "only living objects move");
            slot.place_or_next = place.bits();
        }
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<HandleSlot>()
    }
}

/// The values of objects, by slot number.
///
/// Only [`Places`] has generations. Callers ask it first, and name only living objects here.
#[derive(Clone, Debug)]
pub(crate) struct ValueTable<T>(Vec<Option<T>>);

impl<T> ValueTable<T> {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// Reserves memory for this many values in all.
    pub(crate) fn reserve(&mut self, values: usize) {
        // The number of the first slot is 1.
        self.0.reserve((values + 1).saturating_sub(self.0.len()));
    }

    /// Stores the value of an object whose handle was just made.
    #[inline]
    pub(crate) fn insert(&mut self, handle: Handle, value: T) {
        match self.0.get_mut(handle.slot()) {
            Some(vacant) => *vacant = Some(value),
            None => self.push(handle, value),
        }
    }

    /// Stores the value of a slot that is used for the first time.
    #[inline]
    fn push(&mut self, handle: Handle, value: T) {
        if self.0.len() < handle.slot() {
            self.0.resize_with(handle.slot(), || None);
        }
        self.0.push(Some(value));
    }

    /// Takes the value of an object whose handle was just removed.
    #[inline]
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<T> {
        self.0.get_mut(handle.slot())?.take()
    }

    #[inline]
    pub(crate) fn get(&self, handle: Handle) -> Option<&T> {
        self.0.get(handle.slot())?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.0.get_mut(handle.slot())?.as_mut()
    }

    /// The values of several objects; `None` if one of them is named twice.
    #[inline]
    pub(crate) fn get_disjoint_mut<const N: usize>(&mut self, handles: [Handle; N]) -> Option<[&mut T; N]> {
        let values = self.0.get_disjoint_mut(handles.map(Handle::slot)).ok()?;
        Some(values.map(|value| value.as_mut().expect("every object has a value")))
    }

    /// The values by ascending slot, including slots without one.
    pub(crate) fn iter(&self) -> slice::Iter<'_, Option<T>> {
        self.0.iter()
    }

    /// The same, to be changed.
    pub(crate) fn iter_mut(&mut self) -> slice::IterMut<'_, Option<T>> {
        self.0.iter_mut()
    }

    /// The values of objects together with their handles and places.
    pub(crate) fn iter_mut_with<'a>(&'a mut self, places: EachPlace<'a>) -> EachMut<'a, T> {
        EachMut(places.0.zip(self.0.iter_mut()))
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Option<T>>()
    }
}

/// The handles and places of all objects, by ascending slot.
#[derive(Clone, Debug)]
pub(crate) struct EachPlace<'a>(Enumerate<slice::Iter<'a, HandleSlot>>);

impl Iterator for EachPlace<'_> {
    type Item = (Handle, Place);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.find_map(|(number, slot)| slot.content(number))
    }
}

/// The handles, places and values of all objects, by ascending slot.
#[derive(Debug)]
pub(crate) struct EachMut<'a, T>(Zip<Enumerate<slice::Iter<'a, HandleSlot>>, slice::IterMut<'a, Option<T>>>);

impl<'a, T> Iterator for EachMut<'a, T> {
    type Item = (Handle, Place, &'a mut T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.find_map(|((number, slot), value)| {
            let (handle, place) = slot.content(number)?;
            Some((handle, place, value.as_mut()?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::BucketId;

    #[test]
    fn a_worn_out_slot_is_never_used_again() {
        let mut places = Places::new();
        let mut handles = alloc::vec::Vec::new();
        for round in 0..20 {
            let handle = places.insert();
            let place = Place::new(BucketId::numbered(round), 0);
            places.relink([(handle, place)]);
            assert!(!handles.contains(&handle), "round {round}");
            assert_eq!((places.remove(handle), places.remove(handle)), (Some(place), None));
            assert_eq!((places.len(), places.get(handle)), (0, None));
            handles.push(handle);
        }
        assert_eq!(places.slots.len(), 1 + 20 / 5);
    }

    #[test]
    fn generations_count_fillings_and_emptyings() {
        let mut places = Places::new();
        let first = places.insert();
        places.remove(first);
        let second = places.insert();
        assert_eq!((first.generation(), second.generation()), (1, 3));
    }
}
