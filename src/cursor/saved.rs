//! The data form of a cursor: all but the units of its region, which follow from the world of its index.
//!
//! Keeps C1 to C5 of `docs/invariants.md` across saving. Whatever the bytes say, a cursor continues only in its own
//! index, and yields only matches.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Cursor, Progress};
use crate::geometry::{Array, Region, Scalar};
use crate::grid::UNIT_MAX;
use crate::key::{Excluded, Handle, LayerSet, Stamp};
use crate::query::{Predicate, Question};
use crate::space::Era;

/// Layer, image, the place in world order, and whether the root's list is to come.
type SavedProgress<const D: usize> = (u8, u16, Option<Array<u32, D>>, bool);

#[derive(Serialize, Deserialize)]
#[serde(rename = "Cursor")]
struct Saved<R, H, E, Y, const D: usize> {
    /// The stamps of the index, of its world and of its latest `clear`.
    era: [Stamp; 3],
    region: R,
    layers: LayerSet,
    /// The current layer, how far it is done, and whether the root's own list is to come.
    progress: Option<SavedProgress<D>>,
    pending: H,
    excluded: E,
    yielded: Option<Y>,
}

impl<P, S, R: Serialize, const D: usize> Serialize for Cursor<P, S, D, R> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let Era { index, world, cleared } = self.era;
        let saved = Saved {
            era: [index, world, cleared],
            region: &self.question.region,
            layers: self.layers,
            progress: self.progress.map(|progress| {
                let Progress { layer, image, passed, is_before_root_list } = progress;
                (layer, image, passed.map(Array), is_before_root_list)
            }),
            pending: &self.pending,
            excluded: self.excluded.all(),
            yielded: self.yielded.as_ref(),
        };
        saved.serialize(serializer)
    }
}

impl<'de, P: Predicate, S: Scalar, R: Region<S, D> + Deserialize<'de>, const D: usize> Deserialize<'de>
    for Cursor<P, S, D, R>
{
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let saved = Saved::<R, Vec<Handle>, Vec<Handle>, BTreeSet<Handle>, D>::deserialize(deserializer)?;
        let Saved { era: [index, world, cleared], region, layers, progress, pending, excluded: out, yielded } = saved;
        let progress = progress.map(|(layer, image, passed, is_before_root_list)| Progress {
            layer,
            image,
            passed: passed.map(|Array(passed)| passed),
            is_before_root_list,
        });
        if progress
            .and_then(|progress| progress.passed)
            .is_some_and(|passed| passed.iter().any(|&unit| UNIT_MAX < unit))
        {
            return Err(W::Error::custom("a cursor has passed more units than there are"));
        }
        let (era, mut excluded) = (Era { index, world, cleared }, Excluded::none());
        excluded.add(out);
        let question = Question::unlocated(region);
        if progress.is_some_and(|progress| question.images() <= usize::from(progress.image)) {
            return Err(W::Error::custom("there is no such image of the region"));
        }
        Ok(Self { era, question, layers, progress, pending, excluded, yielded, condition: () })
    }
}
