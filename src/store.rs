//! The store: for each handle the place where its entry lies, and the value. Knows no geometry; with `key`, the only
//! part that names `slotmap`.
//!
//! The slot map makes the handles and keeps the places, for the space; a list beside it has the values, for the index,
//! by the same slots. So moves, which need no value, touch 8 bytes per object; and generations are compared once.
//!
//! Keeps invariants S1 to S3 of `docs/invariants.md`.

#[cfg(feature = "serde")]
mod saved;

use alloc::vec::Vec;
use core::{mem, slice};

use slotmap::{Key, SlotMap, basic};

use crate::key::{Handle, Place};

#[cfg(feature = "serde")]
pub(crate) use saved::{SavedSlots, Slots};

/// The last generation of a slot: after one more removal its old handles would be valid again. It is low in unit tests,
/// so that they can reach it.
const GENERATION_LAST: u32 = if cfg!(test) { 9 } else { u32::MAX };

/// The map that makes handles and holds the places of their entries.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    slots: SlotMap<Handle, Place>,
    /// Slots whose generation is worn out. They stay occupied forever, with no place and no value.
    tombstones: usize,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self { slots: SlotMap::with_key(), tombstones: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.tombstones
    }

    /// Reserves memory for so many more objects.
    pub(crate) fn reserve(&mut self, objects: usize) {
        self.slots.reserve(objects);
    }

    /// Makes the handle of an object whose entry is not stored yet.
    #[inline]
    pub(crate) fn insert(&mut self) -> Handle {
        self.slots.insert(Place::NONE)
    }

    /// Removes a handle; returns the place where its entry still lies.
    #[inline]
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<Place> {
        if generation(handle) < GENERATION_LAST {
            return self.slots.remove(handle);
        }
        let slot = self.slots.get_mut(handle).filter(|place| **place != Place::NONE)?;
        self.tombstones += 1;
        Some(mem::replace(slot, Place::NONE))
    }

    #[inline]
    pub(crate) fn get(&self, handle: Handle) -> Option<Place> {
        self.slots.get(handle).copied().filter(|&place| place != Place::NONE)
    }

    /// The handles and places of all objects, by rising slot.
    pub(crate) fn iter(&self) -> EachPlace<'_> {
        EachPlace(self.slots.iter())
    }

    /// Records where entries lie now. If a handle comes twice, its last place counts.
    #[inline]
    pub(crate) fn relink(&mut self, moved: impl IntoIterator<Item = (Handle, Place)>) {
        for (handle, place) in moved {
            self.slots[handle] = place;
        }
    }

    /// Bytes of memory held, used or not, as far as the slot map tells.
    pub(crate) fn bytes(&self) -> usize {
        // Each slot holds a place and a generation.
        self.slots.capacity() * size_of::<(Place, u32)>()
    }
}

/// The values of objects, by the numbers of their slots.
///
/// Generations are those of [`Places`] alone: callers ask there first, and then name living objects only.
#[derive(Clone, Debug)]
pub(crate) struct ValueTable<T>(Vec<Option<T>>);

impl<T> ValueTable<T> {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// Reserves memory for so many values in all.
    pub(crate) fn reserve(&mut self, values: usize) {
        // The number of the first slot is 1.
        self.0.reserve((values + 1).saturating_sub(self.0.len()));
    }

    /// Stores the value of an object whose handle was just made.
    #[inline]
    pub(crate) fn insert(&mut self, handle: Handle, value: T) {
        match self.0.get_mut(slot(handle)) {
            Some(vacant) => *vacant = Some(value),
            None => self.push(handle, value),
        }
    }

    /// Stores the value of a slot that is used for the first time.
    #[inline]
    fn push(&mut self, handle: Handle, value: T) {
        if self.0.len() < slot(handle) {
            self.0.resize_with(slot(handle), || None);
        }
        self.0.push(Some(value));
    }

    /// Takes the value of an object whose handle was just removed.
    #[inline]
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<T> {
        self.0.get_mut(slot(handle))?.take()
    }

    #[inline]
    pub(crate) fn get(&self, handle: Handle) -> Option<&T> {
        self.0.get(slot(handle))?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.0.get_mut(slot(handle))?.as_mut()
    }

    /// The values by rising slot, with slots that have none.
    pub(crate) fn iter(&self) -> slice::Iter<'_, Option<T>> {
        self.0.iter()
    }

    /// The same, to be changed.
    pub(crate) fn iter_mut(&mut self) -> slice::IterMut<'_, Option<T>> {
        self.0.iter_mut()
    }

    /// The values of objects together with their handles and places.
    pub(crate) fn iter_mut_with<'a>(&'a mut self, places: EachPlace<'a>) -> EachMut<'a, T> {
        EachMut { places, values: self.0.iter_mut(), slots_passed: 0 }
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Option<T>>()
    }
}

/// The handles and places of all objects, by rising slot.
#[derive(Debug)]
pub(crate) struct EachPlace<'a>(basic::Iter<'a, Handle, Place>);

impl Iterator for EachPlace<'_> {
    type Item = (Handle, Place);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.by_ref().map(|(handle, &place)| (handle, place)).find(|&(_, place)| place != Place::NONE)
    }
}

/// The handles, places and values of all objects, by rising slot.
#[derive(Debug)]
pub(crate) struct EachMut<'a, T> {
    places: EachPlace<'a>,
    values: slice::IterMut<'a, Option<T>>,
    /// How many slots `values` has passed.
    slots_passed: usize,
}

impl<'a, T> Iterator for EachMut<'a, T> {
    type Item = (Handle, Place, &'a mut T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (handle, place) = self.places.next()?;
            let value = self.values.nth(slot(handle) - self.slots_passed)?;
            self.slots_passed = slot(handle) + 1;
            if let Some(value) = value {
                return Some((handle, place, value));
            }
        }
    }
}

/// The number of a handle's slot.
#[inline]
fn slot(handle: Handle) -> usize {
    handle.data().as_ffi() as u32 as usize
}

/// How often a slot has been filled and emptied.
fn generation(handle: Handle) -> u32 {
    (handle.data().as_ffi() >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{BucketId, Kind};

    #[test]
    fn a_worn_out_slot_is_never_used_again() {
        let mut places = Places::new();
        let mut handles = alloc::vec::Vec::new();
        for round in 0..20 {
            let handle = places.insert();
            let place = Place::new(Kind::Points, BucketId::numbered(round), 0);
            places.relink([(handle, place)]);
            assert!(!handles.contains(&handle), "round {round}");
            assert_eq!((places.remove(handle), places.remove(handle)), (Some(place), None));
            assert_eq!((places.len(), places.get(handle)), (0, None));
            handles.push(handle);
        }
        assert_eq!(places.tombstones, 20 / 5);
    }

    #[test]
    fn generations_count_fillings_and_emptyings() {
        let mut places = Places::new();
        let first = places.insert();
        places.remove(first);
        let second = places.insert();
        assert_eq!((generation(first), generation(second)), (1, 3));
    }
}
