//! The data form of a watch: its question, and the objects that were inside at the last poll.
//!
//! Keeps W1 of `docs/invariants.md` across saving.

use alloc::vec::Vec;
use core::marker::PhantomData;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Watch;
use crate::key::{Handle, LayerSet, Stamp};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Watch")]
struct Saved<R, H> {
    index: Stamp,
    region: R,
    layers: LayerSet,
    excluded: Option<Handle>,
    /// In ascending order.
    inside: H,
}

impl<P, S, R: Serialize, const D: usize> Serialize for Watch<P, S, D, R> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let (&Self { index, layers, excluded, .. }, region, inside) = (self, &self.region, &self.inside);
        Saved { index, region, layers, excluded, inside }.serialize(serializer)
    }
}

impl<'de, P, S, R: Deserialize<'de>, const D: usize> Deserialize<'de> for Watch<P, S, D, R> {
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let Saved { index, region, layers, excluded, inside } = Saved::<R, Vec<Handle>>::deserialize(deserializer)?;
        if !inside.is_sorted_by(|a, b| a < b) {
            return Err(W::Error::custom("the handles inside a watch do not ascend"));
        }
        index.keep();
        let predicate = PhantomData;
        Ok(Self {
            index,
            predicate,
            region,
            layers,
            excluded,
            inside,
            now: Vec::new(),
            entered: Vec::new(),
            left: Vec::new(),
        })
    }
}
