//! The data form of watches and contacts: the last answer as a list, and its index.
//!
//! Keeps W1 of `docs/invariants.md` across saving.

use alloc::vec::Vec;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::contacts::Indexes;
use super::last_answer::LastAnswer;
use super::{Contacts, Watch};
use crate::key::{Handle, Stamp};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Saved")]
struct SavedAnswer<I, L> {
    index: Option<I>,
    /// In ascending order, each item once.
    list: L,
}

impl<I: Copy + Serialize, H: Serialize> Serialize for LastAnswer<I, H> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        SavedAnswer { index: self.index, list: &self.items }.serialize(serializer)
    }
}

impl<'de, I: Deserialize<'de>, H: Deserialize<'de> + Ord> Deserialize<'de> for LastAnswer<I, H> {
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let SavedAnswer { index, list } = SavedAnswer::<I, Vec<H>>::deserialize(deserializer)?;
        if !list.is_sorted_by(|a, b| a < b) {
            return Err(W::Error::custom("what was inside does not ascend"));
        }
        if index.is_none() && !list.is_empty() {
            return Err(W::Error::custom("what was inside is of no index"));
        }
        Ok(Self::of(index, list))
    }
}

impl Serialize for Watch {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        self.last.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Watch {
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let last: LastAnswer<Stamp, Handle> = LastAnswer::deserialize(deserializer)?;
        last.index.into_iter().for_each(Stamp::keep);
        Ok(Self { last })
    }
}

impl Serialize for Contacts {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        self.last.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Contacts {
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let last: LastAnswer<Indexes, [Handle; 2]> = LastAnswer::deserialize(deserializer)?;
        let is_of_one_index = last.index.is_some_and(|(_, second)| second.is_none());
        if is_of_one_index && !last.items.iter().all(|[a, b]| a <= b) {
            return Err(W::Error::custom("a pair does not begin with its lower handle"));
        }
        last.index.into_iter().flat_map(|(first, second)| [Some(first), second]).flatten().for_each(Stamp::keep);
        Ok(Self { last })
    }
}
