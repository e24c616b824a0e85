//! The store: for each handle the value, and the place where the entry lies. Knows no geometry.
//!
//! The places are apart from the values, so that moves, which need no value, touch 8 bytes an object.
//!
//! Keeps invariants S1 to S3 of `docs/invariants.md`.

use core::mem;

use slotmap::{Key, SecondaryMap, SlotMap};

use crate::key::{Handle, Place};

/// The last generation of a slot. One removal more, and its old handles would be valid again; unit tests do not
/// wait for that.
const GENERATION_LAST: u32 = if cfg!(test) { 9 } else { u32::MAX };

#[derive(Clone, Debug)]
pub(crate) struct Store<T> {
    places: SlotMap<Handle, Place>,
    values: SecondaryMap<Handle, T>,
    /// Slots whose generation is worn out: occupied for ever by no place and no value.
    tombstones: usize,
}

impl<T> Store<T> {
    pub(crate) fn new() -> Self {
        Self { places: SlotMap::with_key(), values: SecondaryMap::new(), tombstones: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.tombstones
    }

    /// Makes room for so many objects more.
    pub(crate) fn reserve(&mut self, objects: usize) {
        self.places.reserve(objects);
        self.values.set_capacity(self.places.capacity());
    }

    /// Adds a value, whose entry is nowhere yet.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> Handle {
        let handle = self.places.insert(Place::NONE);
        self.values.insert(handle, value);
        handle
    }

    /// Forgets an object; gives its value, and the place where its entry still lies.
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<(Place, T)> {
        let value = self.values.remove(handle)?;
        let place = if generation(handle) < GENERATION_LAST {
            self.places.remove(handle)?
        } else {
            self.tombstones += 1;
            mem::replace(&mut self.places[handle], Place::NONE)
        };
        Some((place, value))
    }

    #[inline]
    pub(crate) fn place(&self, handle: Handle) -> Option<Place> {
        self.places.get(handle).copied().filter(|&place| place != Place::NONE)
    }

    #[inline]
    pub(crate) fn get(&self, handle: Handle) -> Option<&T> {
        self.values.get(handle)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.values.get_mut(handle)
    }

    /// Writes down where entries lie now. Of two places for one handle the last holds.
    pub(crate) fn relink(&mut self, moved: impl IntoIterator<Item = (Handle, Place)>) {
        for (handle, place) in moved {
            self.places[handle] = place;
        }
    }

    /// Bytes of memory held, used or not, as far as the slot maps tell.
    pub(crate) fn bytes(&self) -> usize {
        // A slot is the content and its version; the second map's slots say in addition whether there is one.
        self.places.capacity() * size_of::<(Place, u32)>() + self.values.capacity() * size_of::<Option<(u32, T)>>()
    }
}

/// How often a slot has been filled and emptied.
fn generation(handle: Handle) -> u32 {
    (handle.data().as_ffi() >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worn_out_slot_is_never_used_again() {
        let mut store = Store::new();
        let mut handles = alloc::vec::Vec::new();
        for round in 0..20 {
            let handle = store.insert(round);
            assert!(!handles.contains(&handle), "round {round}");
            assert_eq!(store.remove(handle), Some((Place::NONE, round)));
            assert_eq!(store.remove(handle), None);
            assert_eq!((store.len(), store.place(handle)), (0, None));
            handles.push(handle);
        }
        assert_eq!(store.tombstones, 20 / 5);
    }

    #[test]
    fn generations_count_fillings_and_emptyings() {
        let mut store = Store::new();
        let first = store.insert(());
        store.remove(first);
        let second = store.insert(());
        assert_eq!((generation(first), generation(second)), (1, 3));
    }
}
