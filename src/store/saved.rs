//! The data form of slots: how often each was emptied, and the order in which free slots are reused. Values and places
//! are saved elsewhere.
//!
//! Keeps S2 of `docs/invariants.md` for bytes of any origin.

use alloc::vec::Vec;
use core::iter;
use core::mem;

use serde::de::Error;
use serde::{Deserialize, Serialize};

use super::{CUT_MAX, EachPlace, HandleSlot, NO_SLOT, Places, ValueTable, WORN_OUT};
use crate::key::Handle;

/// The slots of an index, without their contents.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedSlots {
    /// How often each slot was emptied, from the first usable slot on. If slots were cut off, one more follows, which is
    /// neither filled nor free: a slot never used counts as emptied as often.
    emptied: Vec<u32>,
    /// The numbers of free slots, the next one to be filled first.
    free: Vec<u32>,
}

/// Saved slots, to be filled again one by one.
pub(crate) struct Slots {
    places: Places,
    /// The numbers of free slots, as read.
    free: Vec<u32>,
}

impl Places {
    /// The slots, to be saved.
    pub(crate) fn saved(&self) -> SavedSlots {
        let mut next = self.free;
        let free = iter::from_fn(|| {
            let slot = self.slots.get(next as usize)?;
            Some(mem::replace(&mut next, slot.place_or_next))
        });
        let cut = (self.floor != 0).then_some(self.floor);
        let generations = self.slots[1..].iter().map(|slot| slot.generation).chain(cut);
        SavedSlots { emptied: generations.map(|generation| generation / 2).collect(), free: free.collect() }
    }
}

impl SavedSlots {
    /// The slots, still without objects.
    pub(crate) fn emptied<E: Error>(self) -> Result<Slots, E> {
        if self.emptied.iter().any(|&times| WORN_OUT / 2 < times) {
            return Err(E::custom("a slot was emptied more often than possible"));
        }
        let slot = |times| HandleSlot { generation: 2 * times, ..HandleSlot::NEW };
        let slots = iter::once(0).chain(self.emptied).map(slot).collect();
        Ok(Slots { places: Places { slots, free: NO_SLOT, len: 0, floor: 0 }, free: self.free })
    }
}

impl Slots {
    /// Fills a slot; returns the handle of its object.
    pub(crate) fn fill<E: Error>(&mut self, number: u32) -> Result<Handle, E> {
        let slot = self.places.slots.get_mut(number as usize).filter(|_| number != 0);
        let slot = slot.filter(|slot| !slot.is_filled() && slot.generation < WORN_OUT);
        let slot = slot.ok_or_else(|| E::custom(format_args!("slot {number} does not exist, or has two objects")))?;
        slot.generation += 1;
        self.places.len += 1;
        Ok(Handle::new(number, slot.generation))
    }

    /// The slots, once all objects have been filled in. Their places are not written yet.
    pub(crate) fn places<E: Error>(self) -> Result<Places, E> {
        let Self { mut places, free } = self;
        // Only a free slot missing from the list links to slot 0, which is never used.
        let is_left = |slot: &HandleSlot| !slot.is_filled() && slot.generation != WORN_OUT && slot.place_or_next == 0;
        for number in free.into_iter().rev() {
            let slot = places.slots.get_mut(number as usize);
            let slot = slot.filter(|slot| is_left(slot) && slot.generation != 0);
            let slot = slot.ok_or_else(|| E::custom(format_args!("slot {number} is not free, or twice")))?;
            slot.place_or_next = mem::replace(&mut places.free, number);
        }
        if let Some(cut) =
            places.slots[1..].last().filter(|slot| is_left(slot) && 0 < slot.generation && slot.generation <= CUT_MAX)
        {
            places.floor = cut.generation;
            places.slots.pop();
        }
        if places.slots[1..].iter().any(is_left) {
            return Err(E::custom("a slot has no object, but is not free"));
        }
        Ok(places)
    }
}

impl<T> ValueTable<T> {
    /// The values of all objects, given by ascending slot.
    pub(crate) fn of<E: Error>(places: EachPlace<'_>, values: Vec<T>) -> Result<Self, E> {
        let objects = places.clone().count();
        if values.len() != objects {
            return Err(E::custom(format_args!("{objects} objects have {} values", values.len())));
        }
        let mut table = Self::new();
        table.reserve(objects);
        places.zip(values).for_each(|((handle, _), value)| table.insert(handle, value));
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::value::Error as Refused;

    use super::*;
    use crate::key::Place;

    /// The slots of a map, as they are loaded.
    fn loaded(places: &Places) -> Result<Places, Refused> {
        let mut slots = places.saved().emptied()?;
        for (handle, _) in places.iter() {
            assert_eq!(slots.fill::<Refused>(handle.slot_number())?, handle);
        }
        let mut loaded = slots.places()?;
        loaded.relink(places.iter());
        Ok(loaded)
    }

    #[test]
    fn slots_are_given_out_in_the_same_order_until_they_are_worn_out() {
        let mut places = Places::new();
        let mut living = Vec::new();
        for round in 0..600_usize {
            if round % 7 < 4 {
                let handle = places.insert();
                places.relink([(handle, Place::from_bits(round as u32))]);
                living.push(handle);
            } else if !living.is_empty() {
                places.remove(living.swap_remove(round * 31 % living.len()));
            }
            if round % 150 == 149 {
                living.drain(3..).for_each(|handle| _ = places.remove(handle));
                places.shrink_to_fit();
                assert_ne!(places.floor, 0);
            }
            let mut again = loaded(&places).expect("what was saved is loaded");
            assert_eq!((again.len(), again.slots.len()), (places.len(), places.slots.len()));
            assert!(again.iter().eq(places.iter()));
            let mut places = places.clone();
            let next = (0..12).map(|_| (again.insert(), places.insert()));
            next.for_each(|(again, next)| assert_eq!(again, next));
        }
        let worn_out = places.slots.iter().filter(|slot| slot.generation == WORN_OUT).count();
        assert!(5 < worn_out, "{worn_out}");
    }

    #[test]
    fn slots_that_cannot_be_are_refused() {
        let slots = |emptied: &[u32], free: &[u32], filled: &[u32]| {
            let mut slots = SavedSlots { emptied: emptied.to_vec(), free: free.to_vec() }.emptied()?;
            filled.iter().try_for_each(|&slot| slots.fill::<Refused>(slot).map(drop))?;
            slots.places::<Refused>().map(|places| (places.len(), places.slots.len()))
        };
        let worn_out = WORN_OUT / 2;
        assert_eq!(slots(&[0, 1, worn_out], &[2], &[1]), Ok((1, 4)));
        assert_eq!(slots(&[0, 1, 1], &[2], &[1]), Ok((1, 3)), "the last one says how often slots were emptied");
        assert!(slots(&[0, 1], &[2], &[]).is_err(), "neither free nor filled");
        assert!(slots(&[0, 1, 1], &[], &[1]).is_err() && slots(&[0, 0], &[], &[1]).is_err(), "neither free nor filled");
        assert!(slots(&[0, CUT_MAX / 2 + 1], &[], &[1]).is_err(), "too old to be cut off");
        assert!(slots(&[0, 1], &[2], &[1, 1]).is_err(), "filled twice");
        assert!(slots(&[0, 1], &[2], &[1, 2]).is_err(), "filled and free");
        assert!(slots(&[0, 1, 1], &[2, 2], &[1]).is_err(), "free twice");
        assert!(slots(&[0, 0], &[2], &[1]).is_err(), "free and never filled");
        assert!(slots(&[0, 1], &[2], &[0]).is_err() && slots(&[0, 1], &[2], &[3]).is_err(), "no slot");
        assert!(slots(&[0, 1], &[0], &[1]).is_err() && slots(&[0, 1], &[3], &[1]).is_err(), "no slot");
        assert!(slots(&[worn_out], &[], &[1]).is_err() && slots(&[worn_out], &[1], &[]).is_err(), "worn out");
        for too_often in [worn_out + 1, u32::MAX] {
            assert!(slots(&[too_often], &[], &[1]).is_err() && slots(&[too_often], &[], &[]).is_err(), "{too_often}");
            assert!(slots(&[too_often], &[1], &[]).is_err(), "{too_often}");
        }
    }
}
