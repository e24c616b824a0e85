//! Saving and restoring an index with its values: exactly as it is, or in a compact form. The parts bring their data forms;
//! this one puts them together, and lets no index in that breaks an invariant.
//!
//! Keeps S3 of `docs/invariants.md`, and all that `check_integrity` checks, for bytes of any origin.

pub mod compact;
mod exact;

use alloc::vec::Vec;
use core::fmt;

use serde::de::{self, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::space::Space;
use crate::store::Slots;

/// The number of a data form. It changes when older bytes are not understood any more.
#[derive(Debug)]
struct Version<const NUMBER: u8> {}

impl<const NUMBER: u8> Serialize for Version<NUMBER> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serializer.serialize_u8(NUMBER)
    }
}

impl<'de, const NUMBER: u8> Deserialize<'de> for Version<NUMBER> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let number = u8::deserialize(deserializer)?;
        if number == NUMBER {
            Ok(Self {})
        } else {
            Err(de::Error::invalid_value(Unexpected::Unsigned(number.into()), &Self {}))
        }
    }
}

impl<const NUMBER: u8> de::Expected for Version<NUMBER> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {NUMBER} of the data form")
    }
}

/// The values of all objects by rising slot, to be written.
struct ValuesOf<'a, T, S, const D: usize>(&'a SpatialIndex<T, S, D>);

impl<T: Serialize, S: Scalar, const D: usize> Serialize for ValuesOf<'_, T, S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serializer.collect_seq(self.0.values())
    }
}

/// The index of a space and its values by rising slot, if that keeps all invariants.
fn checked<T, S: Scalar, E: de::Error, const D: usize>(
    (space, slots): (Space<S, D>, Slots),
    values: Vec<T>,
) -> Result<SpatialIndex<T, S, D>, E> {
    let index = SpatialIndex { values: slots.values(values)?, space };
    index.check_integrity().map_err(E::custom)?;
    index.space.keep_stamps();
    Ok(index)
}
