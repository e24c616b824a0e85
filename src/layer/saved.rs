//! The data form of layers: their identifiers, and the registry of an index.
//!
//! Keeps L1 of `docs/invariants.md` for bytes from any source.

use alloc::vec::Vec;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::registry::Number;
use super::{Layer, Layers};
use crate::key::{LAYERS_MAX, LayerId, LayerSet, Stamp};

/// Saved as a [`LayerId`]; the type implies the kind.
impl<K> Serialize for Layer<K> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        self.id.serialize(serializer)
    }
}

impl<'de, K> Deserialize<'de> for Layer<K> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        LayerId::deserialize(deserializer).map(Self::new)
    }
}

/// The registry of an index.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Layers")]
pub(crate) struct SavedLayers {
    numbers: Vec<Number>,
    removed: u64,
}

impl Layers {
    pub(crate) fn saved(&self) -> SavedLayers {
        SavedLayers { numbers: self.numbers.clone(), removed: self.removed }
    }
}

impl SavedLayers {
    /// The layers of an index with this stamp.
    pub(crate) fn restore<E: Error>(self, index: Stamp) -> Result<Layers, E> {
        let Self { numbers, removed } = self;
        let is_sound = |number: &Number| number.freed <= removed;
        // The count of removals must not overflow. From below this limit it never does in practice.
        if LAYERS_MAX < numbers.len() || 1 << 63 <= removed || !numbers.iter().all(is_sound) {
            return Err(E::custom("L1: there are no such layers"));
        }
        let is_living = |&number: &u8| numbers[usize::from(number)].kind.is_some();
        let living = (0..numbers.len() as u8).filter(is_living).map(LayerSet::of_number);
        let living = living.fold(LayerSet::NONE, |all, layer| all | layer);
        Ok(Layers { index, numbers, living, removed })
    }
}
