//! Sorted chains: copies of the entries of long chains, in parts that lie close together.
//!
//! A chain is long where no cell can divide its entries: many objects too long for the cells of a node, outside the
//! world, or in one unit. Its buckets hold entries in the order of their insertion, so each bucket extends over the
//! whole chain, and every bucket would have to be compared with every other one. In a sorted chain each 64 entries
//! that lie close together are a part. Bounds of 1, 8, 64 … parts exclude most of them without a look at each.
//!
//! It does not know what the parts are compared with. Keeps its part of invariants Q12 and Q13 of `docs/invariants.md`.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use super::group::Group;
use super::order::{Entry, put_in_order};
use crate::geometry::{Rect, Scalar};
use crate::key::{BucketId, Handle, Place};
use crate::space::Space;
use crate::tree::{Arena, BUCKET_SLOTS, BucketRef, RectBucket, positions};

/// How many parts, or bounds of a level, the bounds of the next level are around.
const PER_LEVEL: usize = 8;

/// The sorted chains that a query has met, by side and by the bucket that they begin with. A clone shares them.
#[derive(Clone)]
pub(super) struct SortedChains<S, const D: usize>(BTreeMap<(usize, Place), Arc<SortedChain<S, D>>>);

impl<S: Scalar, const D: usize> SortedChains<S, D> {
    pub(super) fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// The chain that begins with a bucket, which has been sorted.
    pub(super) fn get(&self, side: usize, chain: Place) -> &SortedChain<S, D> {
        &self.0[&(side, chain)]
    }

    /// The chain from a bucket on, sorted now if it is not yet.
    pub(super) fn sort(&mut self, side: usize, arena: &Arena<S, D>, bucket: BucketId) -> &SortedChain<S, D> {
        let first = Place::new(bucket, 0);
        self.0.entry((side, first)).or_insert_with(|| Arc::new(SortedChain::of(arena, bucket)))
    }

    /// Where the entries of a group are stored, and the positions in use, as bits.
    #[inline(always)]
    pub(super) fn entries<'g>(
        &'g self,
        space: &'g Space<S, D>,
        side: usize,
        group: Group,
    ) -> (BucketRef<'g, S, D>, u64) {
        match group {
            Group::Bucket(first) => {
                let (arena, bucket) = (space.trees.arena(), first.bucket());
                (arena.bucket(bucket), arena.head(bucket).used)
            }
            Group::Part { chain, number } => {
                let part = &self.get(side, chain).parts[number as usize];
                (BucketRef::Rects(&part.entries), u64::MAX >> (BUCKET_SLOTS as u32 - u32::from(part.len)))
            }
        }
    }
}

/// The entries of a long chain, sorted.
pub(super) struct SortedChain<S, const D: usize> {
    parts: Vec<Part<S, D>>,
    /// By level: the bounds of 1 part, of 8, of 64 ….
    bounds: Vec<Vec<Rect<S, D>>>,
}

/// Up to 64 entries. All positions from 0 on are in use.
struct Part<S, const D: usize> {
    entries: RectBucket<S, D>,
    places: [Place; BUCKET_SLOTS],
    len: u8,
}

impl<S: Scalar, const D: usize> SortedChain<S, D> {
    /// Sorts the entries of a chain from a bucket on.
    fn of(arena: &Arena<S, D>, bucket: BucketId) -> Self {
        let mut entries = Vec::with_capacity(arena.total(bucket) as usize);
        for bucket in arena.chain(Some(bucket)) {
            let places = positions(arena.head(bucket).used).map(|position| Place::new(bucket, position));
            entries.extend(places.map(|place| Entry { class: 0, shape: arena.shape(place), place }));
        }
        put_in_order(&mut entries);
        let mut parts = Vec::with_capacity(entries.len() / BUCKET_SLOTS + 1);
        for of_class in entries.chunk_by(|a, b| a.class == b.class) {
            parts.extend(of_class.chunks(BUCKET_SLOTS).map(|entries| Part::of(entries, arena)));
        }
        Self { bounds: levels(&parts), parts }
    }

    /// The first part from a number on whose bounds meet a box.
    pub(super) fn next_meeting(&self, from: u32, region: &Rect<S, D>) -> Option<u32> {
        let mut at = from as usize;
        while at < self.parts.len() {
            let mut passed = PER_LEVEL.pow(self.bounds.len() as u32);
            let apart = self.bounds.iter().rev().any(|bounds| {
                passed /= PER_LEVEL;
                at.is_multiple_of(passed) && !bounds[at / passed].intersects(region)
            });
            if !apart {
                return Some(at as u32);
            }
            at += passed;
        }
        None
    }

    /// Where the tree stores an entry, and its handle.
    pub(super) fn entry(&self, number: u32, position: u8) -> (Place, Handle) {
        let part = &self.parts[number as usize];
        (part.places[usize::from(position) % BUCKET_SLOTS], part.entries.handle(position))
    }
}

impl<S: Scalar, const D: usize> Part<S, D> {
    fn of(entries: &[Entry<S, D>], arena: &Arena<S, D>) -> Self {
        let mut part =
            Self { entries: RectBucket::vacant(), places: [Place::NONE; BUCKET_SLOTS], len: entries.len() as u8 };
        for (position, entry) in entries.iter().enumerate() {
            part.entries.set(position as u8, &entry.shape, arena.handle(entry.place));
            part.places[position] = entry.place;
        }
        part
    }

    fn bounds(&self) -> Rect<S, D> {
        bounds_around((0..self.len).map(|position| self.entries.shape(position)))
    }
}

/// The bounds of 1 part, of 8, of 64 …, up to a level of at most eight.
fn levels<S: Scalar, const D: usize>(parts: &[Part<S, D>]) -> Vec<Vec<Rect<S, D>>> {
    let mut levels = Vec::new();
    let mut level: Vec<_> = parts.iter().map(Part::bounds).collect();
    while level.len() > PER_LEVEL {
        let above = level.chunks(PER_LEVEL).map(|below| bounds_around(below.iter().copied())).collect();
        levels.push(mem::replace(&mut level, above));
    }
    levels.push(level);
    levels
}

fn bounds_around<S: Scalar, const D: usize>(shapes: impl Iterator<Item = Rect<S, D>>) -> Rect<S, D> {
    shapes.reduce(|a, b| a.hull(&b)).unwrap_or_else(Rect::nowhere)
}
