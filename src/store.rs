//! The store: the place of the entry and the value for each handle.
//!
//! The space has one list of slots, which makes the handles and holds the places. The index has a table of values by the
//! same slots. So moves, which need no value, touch 8 bytes per object, and generations are compared only once.
//!
//! Keeps invariants S1 to S3 of `docs/invariants.md`.

mod values;

#[cfg(feature = "serde")]
mod saved;

use alloc::vec;
use alloc::vec::Vec;
use core::iter::Enumerate;
use core::{mem, slice};

use crate::key::{Handle, Place};
use crate::prefetch::prefetch;

#[cfg(feature = "serde")]
pub(crate) use saved::{SavedSlots, Slots};
pub(crate) use values::ValueTable;

/// The generation of a slot that is worn out and never used again: further generations would make old handles valid. It
/// is low in unit tests, so that they can reach it.
const WORN_OUT: u32 = if cfg!(test) { 10 } else { u32::MAX - 1 };

/// The highest generation of a free slot that may be cut off. The others are kept, so that slots used later last at least
/// half as long as the first ones.
const CUT_MAX: u32 = WORN_OUT / 2;

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
    /// The generation of slots never used: no lower than that of any slot that was cut off.
    floor: u32,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self { slots: vec![HandleSlot::NEW], free: NO_SLOT, len: 0, floor: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
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

    /// The handles that as many calls of `insert` would make.
    pub(crate) fn insert_many(&mut self, objects: usize) -> Vec<Handle> {
        let mut handles = Vec::with_capacity(objects);
        while handles.len() < objects && self.free != NO_SLOT {
            handles.push(self.insert());
        }
        let (first, new) = (self.slots.len(), objects - handles.len());
        let end = u32::try_from(first + new).expect("an index has less than 2^32 slots");
        let generation = self.floor + 1;
        self.slots.resize(end as usize, HandleSlot { generation, ..HandleSlot::NEW });
        self.len += new;
        handles.extend((first as u32..end).map(|number| Handle::new(number, generation)));
        handles
    }

    /// Fills a slot for the first time.
    // Inlining it makes an insertion a tenth slower.
    #[inline(never)]
    fn push(&mut self) -> Handle {
        let number = u32::try_from(self.slots.len()).ok().filter(|&number| number != NO_SLOT);
        let number = number.expect("an index has less than 2^32 slots");
        let generation = self.floor + 1;
        self.slots.push(HandleSlot { generation, ..HandleSlot::NEW });
        self.len += 1;
        Handle::new(number, generation)
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

    /// Begins to fetch the place of a handle.
    #[inline]
    pub(crate) fn prefetch(&self, handle: Handle) {
        if let Some(slot) = self.slots.get(handle.slot()) {
            prefetch(slice::from_ref(slot));
        }
    }

    /// Cuts off the free slots at the end, and releases memory that is not in use. The other free slots will be filled from the
    /// lowest on.
    pub(crate) fn shrink_to_fit(&mut self) {
        let is_kept = |slot: &HandleSlot| slot.is_filled() || CUT_MAX < slot.generation;
        let kept = self.slots.iter().rposition(is_kept).map_or(1, |last| last + 1);
        // Handles of slots that are used anew are none of those that were ever made.
        self.floor = self.slots.drain(kept..).fold(self.floor, |floor, slot| floor.max(slot.generation));
        self.slots.shrink_to_fit();
        self.free = NO_SLOT;
        for (number, slot) in self.slots.iter_mut().enumerate().skip(1).rev() {
            if !slot.is_filled() && slot.generation != WORN_OUT {
                slot.place_or_next = mem::replace(&mut self.free, number as u32);
            }
        }
    }

    /// One more than the number of the last slot that was ever used, of those that were not cut off.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The number of free slots, and how many the list of them names: `None` if it names one that is not free.
    pub(crate) fn free_slots(&self) -> (usize, Option<usize>) {
        let is_free = |slot: &HandleSlot| !slot.is_filled() && slot.generation != WORN_OUT;
        let free = self.slots.iter().skip(1).filter(|slot| is_free(slot)).count();
        let (mut named, mut next) = (0, self.free);
        // A list with a ring has no end.
        while next != NO_SLOT && named <= free {
            match self.slots.get(next as usize).filter(|slot| next != 0 && is_free(slot)) {
                Some(slot) => (named, next) = (named + 1, slot.place_or_next),
                None => return (free, None),
            }
        }
        (free, Some(named))
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

#[cfg(test)]
mod tests {
    use super::*;

    impl Places {
        /// Leaves a free slot out of the list.
        pub(crate) fn lose_free(&mut self) {
            self.free = self.slots[self.free as usize].place_or_next;
        }

        /// The list of free slots goes on with one that is filled.
        pub(crate) fn free_in_use(&mut self, handle: Handle) {
            let free = self.free as usize;
            self.slots[free].place_or_next = handle.slot_number();
        }
    }
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

    /// However often slots are cut off, no handle comes twice.
    #[test]
    fn slots_that_were_cut_off_make_new_handles() {
        let (mut places, mut living) = (Places::new(), alloc::vec::Vec::new());
        let mut made = alloc::collections::BTreeSet::new();
        let mut dice = 1_u32;
        for round in 0..2000 {
            dice = dice.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            let pick = (dice >> 12) as usize % living.len().max(1);
            match dice >> 29 {
                0..4 => {
                    let handle = places.insert();
                    assert!(made.insert(handle), "{handle:?} in round {round}");
                    living.push(handle);
                }
                4..7 if !living.is_empty() => _ = places.remove(living.swap_remove(pick)),
                _ => {
                    living.drain(pick..).for_each(|handle| _ = places.remove(handle));
                    places.shrink_to_fit();
                    let old = places.slots.iter().rposition(|slot| CUT_MAX < slot.generation);
                    let last = living.iter().map(|handle| handle.slot()).max();
                    assert_eq!(places.slots(), 1 + last.max(old).unwrap_or(0));
                }
            }
            assert!(made.iter().all(|&handle| places.get(handle).is_some() == living.contains(&handle)));
            assert_eq!(places.len(), living.len());
        }
        assert_eq!(places.floor, CUT_MAX / 2 * 2);
    }

    /// Many handles at once are those that would come one by one, through worn out and cut off slots.
    #[test]
    fn many_handles_are_those_of_single_insertions() {
        let mut places = Places::new();
        for round in 0..60_usize {
            let mut single = places.clone();
            let handles = places.insert_many(round * 7 % 11);
            assert!(handles.iter().all(|&handle| handle == single.insert()));
            assert_eq!((places.len, places.free, places.slots.len()), (single.len, single.free, single.slots.len()));
            handles.iter().skip(round % 3).step_by(2).for_each(|&handle| _ = places.remove(handle));
            if round % 10 == 9 {
                places.shrink_to_fit();
            }
        }
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
