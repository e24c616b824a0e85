//! Sorted chains: copies of the entries of long chains, in parts that lie close together.
//!
//! A chain is long where no cell can divide its entries: many objects too long for the cells of a node, outside the
//! world, or in one unit. Its buckets hold entries in the order of their insertion, so each bucket extends over the
//! whole chain, and every bucket would have to be compared with every other one. In a sorted chain each 64 entries
//! that lie close together are a part. Bounds of 1, 8, 64 … parts exclude most of them without a look at each.
//!
//! Entries are sorted into classes of similar lengths first, which separates wide from tall boxes and large from small
//! ones. The entries of a class are divided in two on one axis, and so is each half, as in a k-d tree. The axis is the
//! one on which the entries lie the most of their lengths apart. Where they are too long to be told apart, a division
//! would not keep them from meeting.
//!
//! It does not know what the parts are compared with. Keeps its part of invariants Q12 and Q13 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem;

use crate::geometry::{Rect, Scalar};
use crate::key::{BucketId, Handle, Place};
use crate::tree::{Arena, BUCKET_SLOTS, BucketRef, RectBucket};

/// The number of parts, or of bounds of a level, that each bounds of the next level enclose.
const PER_LEVEL: usize = 8;

/// An entry counts as long on an axis if it is this many times as long as the mean, and as short in the inverse case.
const UNLIKE: f64 = 8.0;

/// If entries lie more of their lengths apart than this on two axes, the wider axis is divided.
const LENGTHS: f64 = 64.0;

/// The entries of a long chain, sorted.
pub(super) struct SortedChain<S, const D: usize> {
    parts: Vec<ChainPart<S, D>>,
    /// By level: the bounds of 1 part, of 8, of 64 ….
    bounds: Vec<Vec<Rect<S, D>>>,
}

/// Up to 64 entries. All positions from 0 on are in use.
struct ChainPart<S, const D: usize> {
    entries: RectBucket<S, D>,
    places: [Place; BUCKET_SLOTS],
    len: u8,
}

impl<S: Scalar, const D: usize> SortedChain<S, D> {
    /// Sorts the entries of a chain from a bucket on.
    pub(super) fn of(arena: &Arena<S, D>, bucket: BucketId) -> Self {
        let mut entries = Vec::with_capacity(arena.total(bucket) as usize);
        for bucket in arena.chain(Some(bucket)) {
            let places = arena.places_in(bucket);
            entries.extend(places.map(|place| ChainEntry { class: 0, shape: arena.shape(place), place }));
        }
        put_in_order(&mut entries);
        let mut parts = Vec::with_capacity(entries.len() / BUCKET_SLOTS + 1);
        for of_class in entries.chunk_by(|a, b| a.class == b.class) {
            parts.extend(of_class.chunks(BUCKET_SLOTS).map(|entries| ChainPart::of(entries, arena)));
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

    /// The entries of a part, and their positions, as bits.
    pub(super) fn part(&self, number: u32) -> (&RectBucket<S, D>, u64) {
        let part = &self.parts[number as usize];
        (&part.entries, part.used())
    }

    /// Where the tree stores an entry, and its handle.
    pub(super) fn entry(&self, number: u32, position: u8) -> (Place, Handle) {
        let part = &self.parts[number as usize];
        (part.places[usize::from(position) % BUCKET_SLOTS], part.entries.handle(position))
    }
}

impl<S: Scalar, const D: usize> ChainPart<S, D> {
    fn of(entries: &[ChainEntry<S, D>], arena: &Arena<S, D>) -> Self {
        let mut part =
            Self { entries: RectBucket::vacant(), places: [Place::NONE; BUCKET_SLOTS], len: entries.len() as u8 };
        for (position, entry) in entries.iter().enumerate() {
            part.entries.set(position as u8, &entry.shape, arena.handle(entry.place));
            part.places[position] = entry.place;
        }
        part
    }

    /// The positions in use, as bits.
    fn used(&self) -> u64 {
        u64::MAX >> (BUCKET_SLOTS as u32 - u32::from(self.len))
    }

    fn bounds(&self) -> Rect<S, D> {
        BucketRef::Rects(&self.entries).bounds(self.used()).unwrap_or_else(Rect::nowhere)
    }
}

/// The bounds of 1 part, of 8, of 64 …, up to a level of at most eight.
fn levels<S: Scalar, const D: usize>(parts: &[ChainPart<S, D>]) -> Vec<Vec<Rect<S, D>>> {
    let mut levels = Vec::new();
    let mut level: Vec<_> = parts.iter().map(ChainPart::bounds).collect();
    while level.len() > PER_LEVEL {
        let around = |below: &[Rect<S, D>]| below.iter().fold(below[0], |bounds, part| bounds.hull(part));
        let above = level.chunks(PER_LEVEL).map(around).collect();
        levels.push(mem::replace(&mut level, above));
    }
    levels.push(level);
    levels
}

/// An entry of a chain, by its place.
struct ChainEntry<S, const D: usize> {
    class: u32,
    shape: Rect<S, D>,
    place: Place,
}

/// Puts entries in order, class by class.
fn put_in_order<S: Scalar, const D: usize>(entries: &mut [ChainEntry<S, D>]) {
    let spread = Spread::of(entries);
    for entry in &mut *entries {
        entry.class = spread.class_of(&entry.shape);
    }
    if entries.iter().all(|entry| entry.class == entries[0].class) {
        return divide(entries, &spread);
    }
    entries.sort_unstable_by_key(|entry| entry.class);
    for of_class in entries.chunk_by_mut(|a, b| a.class == b.class) {
        divide(of_class, &Spread::of(of_class));
    }
}

/// Divides entries until each 64 from the first one on lie close together, and so each 128, 256 and so on.
fn divide<S: Scalar, const D: usize>(entries: &mut [ChainEntry<S, D>], spread: &Spread<D>) {
    if entries.len() <= BUCKET_SLOTS {
        return;
    }
    let (axis, middle) = (spread.widest_axis(), entries.len().next_power_of_two() / 2);
    let at = |entry: &ChainEntry<S, D>| entry.shape.min()[axis];
    let compare = |a: &ChainEntry<S, D>, b: &ChainEntry<S, D>| at(a).partial_cmp(&at(b)).unwrap_or(Ordering::Equal);
    let (_, entry, _) = entries.select_nth_unstable_by(middle, compare);
    let [mut low, mut high] = [*spread; 2];
    (low.high[axis], high.low[axis]) = (half(at(entry)), half(at(entry)));
    divide(&mut entries[..middle], &low);
    divide(&mut entries[middle..], &high);
}

/// Half a coordinate: a difference of two does not overflow.
fn half<S: Scalar>(at: S) -> f64 {
    at.to_f64() * 0.5
}

/// Where entries lie, and how long they are. All numbers are halved.
#[derive(Clone, Copy)]
struct Spread<const D: usize> {
    /// The least and the greatest coordinates of their minimum corners.
    low: [f64; D],
    high: [f64; D],
    /// Their mean lengths.
    lengths: [f64; D],
}

impl<const D: usize> Spread<D> {
    fn of<S: Scalar>(entries: &[ChainEntry<S, D>]) -> Self {
        let mut spread = Self { low: [f64::INFINITY; D], high: [f64::NEG_INFINITY; D], lengths: [0.0; D] };
        let each = 1.0 / f64::from(entries.len() as u32);
        for ChainEntry { shape, .. } in entries {
            for axis in 0..D {
                let min = half(shape.min()[axis]);
                spread.low[axis] = spread.low[axis].min(min);
                spread.high[axis] = spread.high[axis].max(min);
                spread.lengths[axis] += (half(shape.max()[axis]) - min) * each;
            }
        }
        spread
    }

    /// The class of an entry: a digit for each axis, by how its length compares to the mean.
    fn class_of<S: Scalar>(&self, shape: &Rect<S, D>) -> u32 {
        self.lengths.iter().enumerate().fold(0, |class, (axis, mean)| {
            let length = half(shape.max()[axis]) - half(shape.min()[axis]);
            class * 3 + u32::from(*mean <= length * UNLIKE) + u32::from(*mean * UNLIKE < length)
        })
    }

    /// The axis on which entries lie the most of their lengths apart.
    fn widest_axis(&self) -> usize {
        let width = |axis: usize| self.high[axis] - self.low[axis];
        // Without any length the ratio is infinite or NaN, so the minimum is the other number.
        let lengths = |axis: usize| (width(axis) / self.lengths[axis]).min(LENGTHS);
        let compare = |&a: &usize, &b: &usize| lengths(a).total_cmp(&lengths(b)).then(width(a).total_cmp(&width(b)));
        (0..D).max_by(compare).unwrap_or(0)
    }
}
