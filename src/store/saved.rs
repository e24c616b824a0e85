//! The data form of slots: how often each was emptied, and the order in which free ones are given out. Knows neither
//! places nor values.
//!
//! The slot map shows neither the order of its free slots nor the generation of a slot of one's choice. So the order is
//! read by filling a clone; and the map is loaded, in its own data form, with all slots filled, of which the free ones
//! are then emptied in the reverse order.
//!
//! Keeps S2 of `docs/invariants.md` for bytes of any origin.

use alloc::vec;
use alloc::vec::Vec;
use core::array;
use core::iter;
use core::marker::PhantomData;

use serde::de::value::SeqDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use slotmap::SlotMap;

use super::{GENERATION_LAST, Places, ValueTable, generation, slot};
use crate::key::{Handle, Place};

/// How often a slot can be emptied: then its generation is worn out.
const EMPTIED_LAST: u32 = GENERATION_LAST / 2;

/// The slots of an index, without what they hold.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedSlots {
    /// For each slot, from the first one that can be used on, how often it was emptied.
    emptied: Vec<u32>,
    /// The numbers of free slots; the next one that is filled comes first.
    free: Vec<u32>,
}

/// Saved slots, and which of them hold an object.
pub(crate) struct Slots {
    saved: SavedSlots,
    is_filled: Vec<bool>,
    filled: usize,
}

impl Places {
    /// The slots, to be saved.
    pub(crate) fn saved(&self) -> SavedSlots {
        let mut filled = self.slots.clone();
        let refilled = iter::from_fn(|| Some(filled.insert(Place::NONE)));
        // A slot that is used for the first time has the first generation, and comes when no other one is free.
        let free: Vec<_> = refilled.take_while(|&handle| generation(handle) != 1).collect();
        let mut emptied = vec![0; self.slots.len() + free.len()];
        for handle in self.slots.keys().chain(free.iter().copied()) {
            emptied[slot(handle) - 1] = generation(handle) / 2;
        }
        SavedSlots { emptied, free: free.into_iter().map(|handle| slot(handle) as u32).collect() }
    }
}

impl SavedSlots {
    /// The slots, none of which holds an object yet.
    pub(crate) fn emptied(self) -> Slots {
        Slots { is_filled: vec![false; self.emptied.len()], filled: 0, saved: self }
    }
}

impl Slots {
    /// Fills a slot; returns the handle of its object.
    pub(crate) fn fill<E: Error>(&mut self, slot: u32) -> Result<Handle, E> {
        let number = (slot as usize).wrapping_sub(1);
        match self.is_filled.get_mut(number) {
            Some(is_filled) if !*is_filled => *is_filled = true,
            _ => return Err(E::custom(format_args!("slot {slot} does not exist, or has two objects"))),
        }
        self.filled += 1;
        Ok(handle_of(slot, self.saved.emptied[number].min(EMPTIED_LAST)))
    }

    /// The map of the slots that have been filled. Their places are still to be written.
    pub(crate) fn places<E: Error>(&self) -> Result<Places, E> {
        let SavedSlots { emptied, free } = &self.saved;
        if emptied.iter().any(|&times| EMPTIED_LAST < times) {
            return Err(E::custom("a slot was emptied more often than possible"));
        }
        let mut is_taken = self.is_filled.clone();
        for &slot in free {
            let number = (slot as usize).wrapping_sub(1);
            match is_taken.get_mut(number) {
                Some(is_taken) if !*is_taken && emptied[number] != 0 => *is_taken = true,
                _ => return Err(E::custom(format_args!("slot {slot} is not free, or twice"))),
            }
        }
        let mut tombstones = 0;
        for (&times, _) in emptied.iter().zip(&is_taken).filter(|(_, is_taken)| !**is_taken) {
            if times != EMPTIED_LAST {
                return Err(E::custom("a slot has no object, but is not free"));
            }
            tombstones += 1;
        }
        Ok(Places { slots: self.map()?, tombstones })
    }

    fn map<E: Error>(&self) -> Result<SlotMap<Handle, Place>, E> {
        let SavedSlots { emptied, free } = &self.saved;
        let mut generations: Vec<u32> = emptied.iter().map(|&times| 2 * times + 1).collect();
        for &slot in free {
            generations[slot as usize - 1] -= 2;
        }
        let places = self.is_filled.iter().map(|&is_filled| if is_filled { Place::BLANK } else { Place::NONE });
        let filled = places.zip(&generations).map(|(place, &generation)| MapSlot { place: Some(place), generation });
        let first = MapSlot { place: None, generation: 0 };
        let mut map: SlotMap<Handle, Place> =
            Deserialize::deserialize(SeqDeserializer::<_, E>::new(iter::once(first).chain(filled)))?;
        for &slot in free.iter().rev() {
            map.remove(handle_of(slot, emptied[slot as usize - 1] - 1));
        }
        Ok(map)
    }

    /// The list of the values of all objects, which come by rising slot.
    pub(crate) fn values<T, E: Error>(&self, values: Vec<T>) -> Result<ValueTable<T>, E> {
        if values.len() != self.filled {
            return Err(E::custom(format_args!("{} objects have {} values", self.filled, values.len())));
        }
        let mut values = values.into_iter();
        let slots = self.is_filled.iter().rposition(|&is_filled| is_filled).map_or(0, |last| last + 1);
        // The number of the first slot is 1.
        let mut list = Vec::with_capacity(slots + 1);
        list.push(None);
        list.extend(self.is_filled[..slots].iter().map(|&is_filled| if is_filled { values.next() } else { None }));
        Ok(ValueTable(list))
    }
}

/// The handle of an object in a slot that was emptied so many times before.
fn handle_of(slot: u32, emptied: u32) -> Handle {
    Handle::from_bits(u64::from(2 * emptied + 1) << 32 | u64::from(slot))
}

/// A slot as the slot map reads it: `{ value, version }`.
struct MapSlot {
    place: Option<Place>,
    generation: u32,
}

impl<E: Error> IntoDeserializer<'_, E> for MapSlot {
    type Deserializer = SeqDeserializer<array::IntoIter<Field<E>, 2>, E>;

    fn into_deserializer(self) -> Self::Deserializer {
        let place = self.place.map(Place::bits);
        SeqDeserializer::new([Field::new(place), Field::new(Some(self.generation))].into_iter())
    }
}

/// A number that is there or not.
struct Field<E>(Option<u32>, PhantomData<E>);

impl<E> Field<E> {
    fn new(number: Option<u32>) -> Self {
        Self(number, PhantomData)
    }
}

impl<E: Error> IntoDeserializer<'_, E> for Field<E> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de, E: Error> Deserializer<'de> for Field<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.0 {
            Some(number) => visitor.visit_u32(number),
            None => visitor.visit_none(),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        if self.0.is_some() { visitor.visit_some(self) } else { visitor.visit_none() }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Read from what [`MapSlot`] says only.
impl<'de> Deserialize<'de> for Place {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        u32::deserialize(deserializer).map(Self::from_bits)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::value::Error as Refused;

    use super::*;

    /// The slots of a map, as they are loaded.
    fn loaded(places: &Places) -> Result<Places, Refused> {
        let mut slots = places.saved().emptied();
        for (handle, _) in places.iter() {
            assert_eq!(slots.fill::<Refused>(slot(handle) as u32)?, handle);
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
            let mut again = loaded(&places).expect("what was saved is loaded");
            assert_eq!((again.len(), again.tombstones), (places.len(), places.tombstones));
            assert!(again.iter().eq(places.iter()));
            let mut places = places.clone();
            let next = (0..12).map(|_| (again.insert(), places.insert()));
            next.for_each(|(again, next)| assert_eq!(again, next));
        }
        assert!(5 < places.tombstones, "{}", places.tombstones);
    }

    #[test]
    fn slots_that_cannot_be_are_refused() {
        let slots = |emptied: &[u32], free: &[u32], filled: &[u32]| {
            let mut slots = SavedSlots { emptied: emptied.to_vec(), free: free.to_vec() }.emptied();
            filled.iter().try_for_each(|&slot| slots.fill::<Refused>(slot).map(drop))?;
            slots.places::<Refused>().map(|places| (places.len(), places.tombstones))
        };
        assert_eq!(slots(&[0, 1, EMPTIED_LAST], &[2], &[1]), Ok((1, 1)));
        assert!(slots(&[0, 1], &[2], &[]).is_err(), "neither free nor filled");
        assert!(slots(&[0, 1], &[2], &[1, 1]).is_err(), "filled twice");
        assert!(slots(&[0, 1], &[2], &[1, 2]).is_err(), "filled and free");
        assert!(slots(&[0, 1, 1], &[2, 2], &[1]).is_err(), "free twice");
        assert!(slots(&[0, 0], &[2], &[1]).is_err(), "free and never filled");
        assert!(slots(&[0, 1], &[2], &[0]).is_err() && slots(&[0, 1], &[2], &[3]).is_err(), "no slot");
        assert!(slots(&[0, 1], &[0], &[1]).is_err() && slots(&[0, 1], &[3], &[1]).is_err(), "no slot");
        assert!(slots(&[EMPTIED_LAST + 1], &[], &[1]).is_err(), "too often");
        assert!(slots(&[u32::MAX], &[], &[1]).is_err(), "too often");
    }
}
