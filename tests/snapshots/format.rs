//! The formats: text and binary, exact and compact.

use quadrille::{Compact, Scalar, SpatialIndex};
use serde::Serialize;
use serde::de::DeserializeOwned;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Format {
    Json,
    Postcard,
}

pub(crate) const FORMATS: [Format; 2] = [Format::Json, Format::Postcard];

impl Format {
    pub(crate) fn save(self, value: &impl Serialize) -> Vec<u8> {
        match self {
            Self::Json => serde_json::to_vec(value).expect("it is saved"),
            Self::Postcard => postcard::to_allocvec(value).expect("it is saved"),
        }
    }

    pub(crate) fn load<A: DeserializeOwned>(self, bytes: &[u8]) -> Result<A, String> {
        match self {
            Self::Json => serde_json::from_slice(bytes).map_err(|error| error.to_string()),
            Self::Postcard => postcard::from_bytes(bytes).map_err(|error| error.to_string()),
        }
    }

    /// A value, saved and loaded.
    pub(crate) fn through<A: Serialize + DeserializeOwned>(self, value: &A) -> A {
        self.load(&self.save(value)).expect("it is loaded")
    }

    /// An index, saved and loaded.
    pub(crate) fn index<S, const D: usize>(
        self,
        index: &SpatialIndex<u32, S, D>,
        compact: bool,
    ) -> SpatialIndex<u32, S, D>
    where
        S: Scalar + Serialize + DeserializeOwned,
    {
        if !compact {
            return self.through(index);
        }
        let Compact(loaded) = self.load(&self.save(&Compact(index))).expect("it is loaded");
        loaded
    }
}
