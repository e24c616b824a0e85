//! Where boxes that no cell can divide are divided in two: at the median of their middles or their lengths on an axis.
//!
//! Knows no buckets. The same boxes in the same order are always divided alike.

use alloc::vec::Vec;
use core::array;

use crate::geometry::{Rect, Scalar};
use crate::key::Handle;
use crate::tree::bucket::{BUCKET_SLOTS, positions};

/// As many boxes as a bucket holds.
type Boxes<S, const D: usize> = [Rect<S, D>; BUCKET_SLOTS];

/// An order of boxes on an axis: by their middles, or by their lengths.
#[derive(Clone, Copy)]
struct Order {
    axis: usize,
    by_length: bool,
}

/// Half a coordinate: a sum or a difference of two does not overflow.
fn half<S: Scalar>(at: S) -> f64 {
    at.to_f64() * 0.5
}

impl Order {
    /// The order in which the halves of some boxes are the smallest, and the upper half.
    fn best<S: Scalar, const D: usize>(boxes: &Boxes<S, D>) -> (Self, u64) {
        let are_points = boxes.iter().all(|shape| shape.min() == shape.max());
        let orders = (0..D).flat_map(|axis| [false, true].map(|by_length| Self { axis, by_length }));
        let halves = orders.filter(|order| !order.by_length || !are_points).map(|order| (order, order.upper(boxes)));
        let costs = halves.map(|of| (cost(boxes, of.1), of));
        costs.reduce(|one, other| if other.0 < one.0 { other } else { one }).expect("there is an axis").1
    }

    fn of<S: Scalar, const D: usize>(self, shape: &Rect<S, D>) -> f64 {
        let [min, max] = [shape.min(), shape.max()].map(|corner| half(corner[self.axis]));
        if self.by_length { max - min } else { min + max }
    }

    /// The upper half of some boxes, as bits.
    fn upper<S: Scalar, const D: usize>(self, boxes: &Boxes<S, D>) -> u64 {
        const POSITION: u64 = BUCKET_SLOTS as u64 - 1;
        // Positions take the last bits, which do not matter in differences, however far away all are.
        let mut keys: [u64; BUCKET_SLOTS] = array::from_fn(|position| {
            key(self.of(&boxes[position]) - self.of(&boxes[0])) & !POSITION | position as u64
        });
        let (_, _, rest) = keys.select_nth_unstable(BUCKET_SLOTS / 2 - 1);
        rest.iter().fold(0, |upper, key| upper | 1 << (key & POSITION))
    }
}

/// A whole number, which is compared faster, in the order of `total_cmp`.
fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    if number.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

/// How much of small windows two halves of boxes meet, the upper one as bits: about the area of both, stretched by an eighth
/// of the longest side.
fn cost<S: Scalar, const D: usize>(boxes: &Boxes<S, D>, upper: u64) -> f64 {
    let halves = [!upper, upper].map(|half| {
        positions(half).map(|at| boxes[usize::from(at)]).reduce(|a, b| a.hull(&b)).unwrap_or_else(Rect::nowhere)
    });
    let side = |of: &Rect<S, D>, axis: usize| half(of.max()[axis]) - half(of.min()[axis]);
    let whole = halves[0].hull(&halves[1]);
    let longest = (0..D).map(|axis| side(&whole, axis)).fold(f64::MIN_POSITIVE, f64::max);
    halves.iter().map(|of| (0..D).map(|axis| side(of, axis) / longest + 0.125).product::<f64>()).sum()
}

/// The half of some boxes that goes elsewhere, as bits: not the first of them.
pub(super) fn half_of<S: Scalar, const D: usize>(boxes: &Boxes<S, D>) -> u64 {
    let (_, upper) = Order::best(boxes);
    if upper & 1 == 0 { upper } else { !upper }
}

/// An entry, behind a key by which some are divided.
type Keyed<S, const D: usize> = (u64, Handle, Rect<S, D>);

/// Entries in an order in which each 64 from the first one on lie close together, and so each 128, 256 and so on.
pub(super) fn arranged<S: Scalar, const D: usize>(entries: Vec<(Rect<S, D>, Handle)>) -> Vec<Keyed<S, D>> {
    let mut entries: Vec<_> = entries.into_iter().map(|(shape, handle)| (0, handle, shape)).collect();
    arrange(&mut entries);
    entries
}

fn arrange<S: Scalar, const D: usize>(entries: &mut [Keyed<S, D>]) {
    if entries.len() <= BUCKET_SLOTS {
        return;
    }
    // The best order of some of them.
    let (order, _) = Order::best(&array::from_fn(|nth| entries[entries.len() / BUCKET_SLOTS * nth].2));
    for (rank, _, shape) in &mut *entries {
        *rank = key(order.of(shape));
    }
    let middle = entries.len().next_power_of_two() / 2;
    entries.select_nth_unstable_by_key(middle, |&(rank, handle, _)| (rank, handle));
    let (low, high) = entries.split_at_mut(middle);
    arrange(low);
    arrange(high);
}
