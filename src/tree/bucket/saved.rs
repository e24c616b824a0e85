//! The data form of entries, and of a bucket by position. Vacant positions are written too.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{BUCKET_SLOTS, Bucket};
use crate::geometry::{Exact, Rect};
use crate::key::Handle;

/// A shape as a bucket of this type stores it, with a number that identifies its handle.
pub(crate) struct SavedEntry<S: Scalar, const D: usize> {
    pub(crate) number: u32,
    pub(crate) shape: Rect<B::Scalar, D>,
}

impl<S: Scalar, const D: usize> SavedEntry<B, D> {
    /// The number of values it is written as, without names.
    const LEN: usize = 1 + if B::EXTENDED { 2 * D } else { D };
}

impl<B: Bucket<D, Scalar: Serialize>, const D: usize> Serialize for SavedEntry<B, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let mut numbers = serializer.serialize_tuple(Self::LEN)?;
        numbers.serialize_element(&self.number)?;
        let (min, max) = (self.shape.min(), self.shape.max());
        let max = if B::EXTENDED { &max[..] } else { &[] };
        min.iter().chain(max).try_for_each(|&value| numbers.serialize_element(&Exact(value)))?;
        numbers.end()
    }
}

impl<'de, B: Bucket<D, Scalar: Deserialize<'de>>, const D: usize> Deserialize<'de> for SavedEntry<B, D> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_tuple(Self::LEN, OneEntry(PhantomData))
    }
}

struct OneEntry<S: Scalar, const D: usize>(PhantomData<B>);

impl<'de, B: Bucket<D, Scalar: Deserialize<'de>>, const D: usize> Visitor<'de> for OneEntry<B, D> {
    type Value = SavedEntry<B, D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number and {} coordinates", SavedEntry::<B, D>::LEN - 1)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Self::Value, A::Error> {
        let number = numbers.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        let mut corners = [[B::Scalar::default(); D]; 2];
        for (at, value) in corners.as_flattened_mut().iter_mut().take(SavedEntry::<B, D>::LEN - 1).enumerate() {
            let Exact(read) = numbers.next_element()?.ok_or_else(|| A::Error::invalid_length(1 + at, &self))?;
            *value = read;
        }
        let [min, max] = corners;
        let shape = Rect::try_new(min, if B::EXTENDED { max } else { min });
        Ok(SavedEntry { number, shape: shape.map_err(A::Error::custom)? })
    }
}

/// The entries of a bucket by position. Their handles, when read, have the right slot numbers but no valid generation.
pub(crate) struct SavedSlots<A, const D: usize> {
    pub(crate) used: u64,
    pub(crate) bucket: A,
}

impl<B: Bucket<D, Scalar: Serialize>, const D: usize> Serialize for SavedSlots<&B, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let entry = |position| SavedEntry::<B, D> {
            number: self.bucket.handle(position).to_bits() as u32,
            shape: self.bucket.shape(position),
        };
        let mut slots = serializer.serialize_tuple(BUCKET_SLOTS)?;
        for position in 0..BUCKET_SLOTS as u8 {
            let is_used = self.used >> position & 1 == 1;
            slots.serialize_element(&is_used.then(|| entry(position)))?;
        }
        slots.end()
    }
}

impl<'de, B: Bucket<D, Scalar: Deserialize<'de>>, const D: usize> Deserialize<'de> for SavedSlots<B, D> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_tuple(BUCKET_SLOTS, AllSlots(PhantomData))
    }
}

struct AllSlots<S: Scalar, const D: usize>(PhantomData<B>);

impl<'de, B: Bucket<D, Scalar: Deserialize<'de>>, const D: usize> Visitor<'de> for AllSlots<B, D> {
    type Value = SavedSlots<B, D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BUCKET_SLOTS} slots of a bucket")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut slots: A) -> Result<Self::Value, A::Error> {
        let mut read = SavedSlots { used: 0, bucket: B::vacant() };
        for position in 0..BUCKET_SLOTS as u8 {
            let slot = slots.next_element()?.ok_or_else(|| A::Error::invalid_length(position.into(), &self))?;
            if let Some(SavedEntry::<B, D> { number, shape }) = slot {
                read.bucket.set_shape(position, &shape);
                read.bucket.set_handle(position, Handle::from_bits(1 << 32 | u64::from(number)));
                read.used |= 1 << position;
            }
        }
        Ok(read)
    }
}
