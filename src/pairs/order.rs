//! The order of a sorted chain: entries that lie close together come together.
//!
//! Entries are sorted into classes of similar lengths first, which separates wide from tall boxes and large from small
//! ones. The entries of a class are divided in two on one axis, and so is each half again, as in a k-d tree. The axis is
//! the one on which they lie the most of their lengths apart: where they are too long to be told apart, a division would
//! not keep them from meeting.
//!
//! It knows no pairs.

use core::cmp::Ordering;

use crate::geometry::{Rect, Scalar};
use crate::key::Place;
use crate::tree::BUCKET_SLOTS;

/// The ratio to the mean length on an axis from which on an entry counts as long, or its inverse as short, there.
const UNLIKE: f64 = 8.0;

/// Of two axes on which entries lie more of their lengths apart than this, the wider one is divided.
const LENGTHS: f64 = 64.0;

/// An entry of a chain, by its place.
pub(super) struct Entry<S, const D: usize> {
    pub(super) class: u32,
    pub(super) shape: Rect<S, D>,
    pub(super) place: Place,
}

/// Puts entries in order. Only those of one class come together.
pub(super) fn put_in_order<S: Scalar, const D: usize>(entries: &mut [Entry<S, D>]) {
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

/// Divides entries until each 64 from the first one on lie close together. So do then each 128, 256 and so on.
fn divide<S: Scalar, const D: usize>(entries: &mut [Entry<S, D>], spread: &Spread<D>) {
    if entries.len() <= BUCKET_SLOTS {
        return;
    }
    let (axis, middle) = (spread.widest_axis(), entries.len().next_power_of_two() / 2);
    let at = |entry: &Entry<S, D>| entry.shape.min()[axis];
    let compare = |a: &Entry<S, D>, b: &Entry<S, D>| at(a).partial_cmp(&at(b)).unwrap_or(Ordering::Equal);
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
    fn of<S: Scalar>(entries: &[Entry<S, D>]) -> Self {
        let mut spread = Self { low: [f64::INFINITY; D], high: [f64::NEG_INFINITY; D], lengths: [0.0; D] };
        let each = 1.0 / f64::from(entries.len() as u32);
        for Entry { shape, .. } in entries {
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
