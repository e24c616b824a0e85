//! Saving and restoring an index with its values: exactly as it is, or in a compact form. Each part has its data
//! form. This one combines them, and refuses an index that breaks an invariant.
//!
//! Keeps S3 of `docs/invariants.md`, and all that `check_integrity` checks, for bytes of any origin.

pub mod compact;
mod exact;

use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::space::Space;
use crate::store::ValueTable;

/// The first field of a data form: its number, the bytes of a coordinate and the dimensions. So bytes of another form are
/// refused, even if their other parts fit by chance.
///
/// The number is that of one form in one version. It changes when older bytes are not understood any more.
struct FormNumber<S, const NUMBER: u8, const D: usize>(PhantomData<S>);

impl<S, const NUMBER: u8, const D: usize> FormNumber<S, NUMBER, D> {
    const THIS: Self = Self(PhantomData);
    const NUMBERS: [u8; 3] = [NUMBER, size_of::<S>() as u8, D as u8];
}

impl<S, const NUMBER: u8, const D: usize> Serialize for FormNumber<S, NUMBER, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        Self::NUMBERS.serialize(serializer)
    }
}

impl<'de, S, const NUMBER: u8, const D: usize> Deserialize<'de> for FormNumber<S, NUMBER, D> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let numbers = <[u8; 3]>::deserialize(deserializer)?;
        if numbers == Self::NUMBERS {
            return Ok(Self::THIS);
        }
        let [expected, found] = [Self::NUMBERS, numbers].map(|[form, bytes, dimensions]| {
            format!("form {form} of an index of f{} in {dimensions}D", 8 * u32::from(bytes))
        });
        Err(de::Error::custom(format_args!("expected {expected}, found {found}")))
    }
}

/// The values of all objects by rising slot, to be written in chunks.
struct ValuesOf<'a, T, S, const D: usize>(&'a SpatialIndex<T, S, D>);

impl<T: Serialize, S: Scalar, const D: usize> Serialize for ValuesOf<'_, T, S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let values: Vec<&T> = self.0.values().collect();
        serializer.collect_seq(values.chunks(CHUNK))
    }
}

/// The greatest number of values in a chunk. Some formats write a value as no bytes at all, but each chunk takes at least
/// one. So a few bytes cannot claim any number of values.
const CHUNK: usize = 64;

/// Some values of consecutive objects, when loaded.
struct Chunk<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Chunk<T> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_seq(ChunkVisitor(PhantomData))
    }
}

struct ChunkVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for ChunkVisitor<T> {
    type Value = Chunk<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {CHUNK} values")
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            if values.len() == CHUNK {
                return Err(de::Error::invalid_length(CHUNK + 1, &self));
            }
            values.push(value);
        }
        Ok(Chunk(values))
    }
}

/// Makes the index of a space and its values by rising slot, and checks all invariants.
fn checked<T, S: Scalar, E: de::Error, const D: usize>(
    space: Space<S, D>,
    chunks: Vec<Chunk<T>>,
) -> Result<SpatialIndex<T, S, D>, E> {
    let values = chunks.into_iter().flat_map(|Chunk(values)| values).collect();
    let index = SpatialIndex { values: ValueTable::of(space.places.iter(), values)?, space };
    index.check_integrity().map_err(E::custom)?;
    Ok(index)
}
