//! The data form of watches and contacts: the last answer as a list, and its index.
//!
//! Keeps W1 of `docs/invariants.md` across saving.

use alloc::vec::Vec;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ascending::Ascending;
use super::contacts::Indexes;
use super::{Contacts, Watch};
use crate::key::{Handle, Stamp};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Saved")]
struct SavedAnswer<I, L> {
    index: Option<I>,
    /// In ascending order, each item once.
    list: L,
}

impl<'de, I: Deserialize<'de>, H: Deserialize<'de> + Ord> SavedAnswer<I, Vec<H>> {
    fn read<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let saved = Self::deserialize(deserializer)?;
        if !saved.list.is_sorted_by(|a, b| a < b) {
            return Err(W::Error::custom("what was inside does not ascend"));
        }
        if saved.index.is_none() && !saved.list.is_empty() {
            return Err(W::Error::custom("what was inside is of no index"));
        }
        Ok(saved)
    }
}

impl Serialize for Watch {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        SavedAnswer { index: self.polled.index, list: &self.inside }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Watch {
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let SavedAnswer { index, list } = SavedAnswer::<Stamp, Vec<Handle>>::read(deserializer)?;
        Ok(Self::of(index, list))
    }
}

impl Serialize for Contacts {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let list: Vec<_> = self.pairs().collect();
        SavedAnswer { index: self.polled.index, list }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Contacts {
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let SavedAnswer { index, list } = SavedAnswer::<Indexes, Vec<[Handle; 2]>>::read(deserializer)?;
        let is_of_one_index = index.is_some_and(|(_, second)| second.is_none());
        if is_of_one_index && !list.iter().all(|[a, b]| a <= b) {
            return Err(W::Error::custom("a pair does not begin with its lower handle"));
        }
        Ok(Self::restored(index, Ascending::of(&list)))
    }
}
