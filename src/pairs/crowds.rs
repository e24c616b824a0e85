//! The crowds that a query for pairs has met, each sorted once.
//!
//! It does not know what is compared with them.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::crowd::Crowd;
use super::group::{Group, Storage};
use crate::geometry::Scalar;
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{BucketId, Handle, Kind, Place};
use crate::space::Space;
use crate::tree::{Arena, Bucket, with_trees};

/// From this number of buckets on, the rest of a chain is sorted.
const MANY: u32 = if cfg!(test) { 2 } else { 8 };

/// The crowds of two spaces. A clone shares those that are there.
#[derive(Clone)]
pub(super) struct Crowds<S, const D: usize> {
    list: Vec<Arc<Crowd<S, D>>>,
    /// Their numbers in the list, by the index of the space and the bucket that the chain begins with.
    numbers: BTreeMap<(usize, Place), u32>,
}

/// Whether so much is behind the first bucket of a chain that it is worth sorting.
#[inline]
pub(super) fn is_crowded<B, const D: usize>(arena: &Arena<B, D>, first: BucketId) -> bool {
    MANY <= arena.rest_of_chain(first)
}

impl<S: Scalar, const D: usize> Crowds<S, D> {
    pub(super) fn none() -> Self {
        Self { list: Vec::new(), numbers: BTreeMap::new() }
    }

    pub(super) fn get(&self, number: u32) -> &Crowd<S, D> {
        &self.list[number as usize]
    }

    /// The number of the crowd of a chain from a bucket on, which is sorted if it is not known yet.
    pub(super) fn number_of<B: Bucket<D, Scalar = S>>(
        &mut self,
        side: usize,
        arena: &Arena<B, D>,
        bucket: BucketId,
    ) -> u32 {
        let Self { list, numbers } = self;
        let first = Place::new(B::KIND, bucket, 0);
        *numbers.entry((side, first)).or_insert_with(|| {
            list.push(Arc::new(Crowd::of(arena, bucket)));
            list.len() as u32 - 1
        })
    }

    /// An entry of a group, given the handles if the group is a bucket.
    #[inline]
    pub(super) fn object<'a, T>(
        &self,
        index: &'a SpatialIndex<T, S, D>,
        group: Group,
        position: u8,
        handles: &[Handle],
    ) -> ObjectRef<'a, T, S, D> {
        let (place, handle) = match group {
            Group::Bucket(first) => (first.at(position), handles[usize::from(position)]),
            Group::Part { crowd, number } => self.get(crowd).entry(number, position),
        };
        ObjectRef::new(index, place, handle)
    }

    /// A bucket of the chain that a group is of, by its first place.
    pub(super) fn bucket_of(&self, group: Group) -> Place {
        match group {
            Group::Bucket(first) => first,
            Group::Part { crowd, .. } => self.get(crowd).bucket(),
        }
    }

    /// The entries of a group.
    #[inline(always)]
    pub(super) fn storage<'a>(&'a self, space: &'a Space<S, D>, group: Group) -> Storage<'a, S, D> {
        match group {
            Group::Bucket(first) => match first.kind() {
                Kind::Points => Storage::Points(space.forest.points.arena().bucket(first.bucket())),
                Kind::Rects => Storage::Rects(space.forest.rects.arena().bucket(first.bucket())),
            },
            Group::Part { crowd, number } => Storage::Rects(self.get(crowd).entries(number)),
        }
    }

    /// The positions of a group that hold an entry, as bits.
    #[inline(always)]
    pub(super) fn used(&self, space: &Space<S, D>, group: Group) -> u64 {
        match group {
            Group::Bucket(first) => {
                with_trees!(space.forest, first.kind(), |trees| trees.arena().head(first.bucket()).used)
            }
            Group::Part { crowd, number } => self.get(crowd).used(number),
        }
    }
}
