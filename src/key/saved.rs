//! The data form of the identifiers of layers.

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};

use super::LAYERS_MAX;

/// Reads the number of a layer.
pub(super) fn number_of_layer<'de, R: Deserializer<'de>>(deserializer: R) -> Result<u8, R::Error> {
    let number = u8::deserialize(deserializer)?;
    if usize::from(number) < LAYERS_MAX {
        return Ok(number);
    }
    Err(R::Error::invalid_value(Unexpected::Unsigned(number.into()), &"the number of a layer, below 64"))
}
