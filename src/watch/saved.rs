//! The data form of a watch: its question, and the objects that were inside at the last poll; and that of contacts.
//!
//! Keeps W1 of `docs/invariants.md` across saving.

use alloc::vec::Vec;
use core::marker::PhantomData;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Contacts, Watch};
use crate::geometry::{Readable, Scalar};
use crate::key::{Handle, LayerSet, Stamp};
use crate::pairs::Recipe;

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

#[derive(Serialize, Deserialize)]
#[serde(rename = "Contacts")]
#[serde(bound(
    serialize = "S: Scalar + Serialize, H: Serialize, P: Serialize",
    deserialize = "S: Scalar + Deserialize<'de>, H: Deserialize<'de>, P: Deserialize<'de>"
))]
struct SavedContacts<S, H, P> {
    index: Stamp,
    /// The second index of a join; none if the pairs are those of one index.
    other: Option<Stamp>,
    between: [LayerSet; 2],
    distance: Option<Readable<S>>,
    some: Option<H>,
    /// In ascending order.
    pairs: P,
}

impl<S: Scalar + Serialize> Serialize for Contacts<S> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let Recipe { are_one, between, distance, ref some } = self.recipe;
        let [index, other] = self.indexes;
        let saved = SavedContacts {
            index,
            other: (!are_one).then_some(other),
            between,
            distance: distance.map(Readable),
            some: some.as_ref(),
            pairs: &self.pairs,
        };
        saved.serialize(serializer)
    }
}

impl<'de, S: Scalar + Deserialize<'de>> Deserialize<'de> for Contacts<S> {
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let saved = SavedContacts::<S, Vec<Handle>, Vec<[Handle; 2]>>::deserialize(deserializer)?;
        let SavedContacts { index, other, between, distance, some, pairs } = saved;
        let are_one = other.is_none();
        if !pairs.is_sorted_by(|a, b| a < b) || are_one && pairs.iter().any(|[a, b]| b <= a) {
            return Err(W::Error::custom("the pairs of contacts do not ascend"));
        }
        if some.is_some() && !are_one {
            return Err(W::Error::custom("pairs of two indexes are not restricted to some objects"));
        }
        let indexes = [index, other.unwrap_or(index)];
        indexes.into_iter().for_each(Stamp::keep);
        let distance = distance.map(|Readable(distance)| distance);
        Ok(Self::of(indexes, Recipe { are_one, between, distance, some }, pairs))
    }
}
