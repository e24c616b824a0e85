//! The data form of the identifiers of layers.

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{LAYERS_MAX, LayerId, Stamp};

#[derive(Serialize, Deserialize)]
#[serde(rename = "LayerId")]
struct SavedLayerId {
    number: u8,
    index: Stamp,
    stamp: Stamp,
}

impl Serialize for LayerId {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let Self { number, index, stamp } = *self;
        SavedLayerId { number, index, stamp }.serialize(serializer)
    }
}

/// Layers made later in this process get other identifiers.
impl<'de> Deserialize<'de> for LayerId {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let SavedLayerId { number, index, stamp } = SavedLayerId::deserialize(deserializer)?;
        if LAYERS_MAX <= usize::from(number) {
            let found = Unexpected::Unsigned(number.into());
            return Err(R::Error::invalid_value(found, &"the number of a layer, below 64"));
        }
        [index, stamp].into_iter().for_each(Stamp::keep);
        Ok(Self { number, index, stamp })
    }
}
