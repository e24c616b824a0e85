//! Where boxes that no cell can divide are divided in two: at the median of their middles or their lengths on an axis.
//!
//! Knows no buckets. The same boxes in the same order are always divided alike.

use core::array;

use crate::geometry::{Rect, Scalar};
use crate::key::Handle;
use crate::tree::bucket::{BUCKET_SLOTS, positions};

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
    /// The order in which the halves of some boxes are the smallest.
    fn best<S: Scalar, const D: usize>(boxes: &[Rect<S, D>]) -> Self {
        let orders = (0..D).flat_map(|axis| [false, true].map(|by_length| Self { axis, by_length }));
        let costs = orders.map(|order| (order, order.cost(boxes)));
        let best = costs.reduce(|one, other| if other.1 < one.1 { other } else { one });
        best.map_or(Self { axis: 0, by_length: false }, |(order, _)| order)
    }

    fn key<S: Scalar, const D: usize>(self, shape: &Rect<S, D>) -> f64 {
        let [min, max] = [shape.min(), shape.max()].map(|corner| half(corner[self.axis]));
        if self.by_length { max - min } else { min + max }
    }

    /// The upper half of up to 64 boxes.
    fn upper<S: Scalar, const D: usize>(self, boxes: &[Rect<S, D>]) -> u64 {
        let mut keys = [(0.0, 0); BUCKET_SLOTS];
        for (position, (key, shape)) in keys.iter_mut().zip(boxes).enumerate() {
            *key = (self.key(shape), position);
        }
        let keys = &mut keys[..boxes.len()];
        let compare = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let middle = keys.len() / 2;
        keys.select_nth_unstable_by(middle, compare);
        keys[middle..].iter().fold(0, |upper, &(_, position)| upper | 1 << position)
    }

    /// How much of small windows the two halves meet: about the area of both, stretched by an eighth of the longest side.
    fn cost<S: Scalar, const D: usize>(self, boxes: &[Rect<S, D>]) -> f64 {
        let upper = self.upper(boxes);
        let all = u64::MAX >> (BUCKET_SLOTS - boxes.len());
        let halves = [all & !upper, upper].map(|half| {
            positions(half).map(|at| boxes[usize::from(at)]).reduce(|a, b| a.hull(&b)).unwrap_or_else(Rect::nowhere)
        });
        let side = |of: &Rect<S, D>, axis: usize| half(of.max()[axis]) - half(of.min()[axis]);
        let whole = halves[0].hull(&halves[1]);
        let longest = (0..D).map(|axis| side(&whole, axis)).fold(f64::MIN_POSITIVE, f64::max);
        halves.iter().map(|of| (0..D).map(|axis| side(of, axis) / longest + 0.125).product::<f64>()).sum()
    }
}

/// The half of at most 64 boxes that goes elsewhere, as bits: never all, and not the first of them.
pub(super) fn half_of<S: Scalar, const D: usize>(boxes: &[Rect<S, D>]) -> u64 {
    let upper = Order::best(boxes).upper(boxes);
    let all = u64::MAX >> (BUCKET_SLOTS - boxes.len());
    if upper & 1 == 0 { upper } else { all & !upper }
}

/// Puts entries in an order in which each 64 from the first one on lie close together, and so each 128, 256 and so on.
pub(super) fn arrange<S: Scalar, const D: usize>(entries: &mut [(Rect<S, D>, Handle)]) {
    if entries.len() <= BUCKET_SLOTS {
        return;
    }
    let order = order_of_many(entries);
    let middle = entries.len().next_power_of_two() / 2;
    entries.select_nth_unstable_by(middle, |a, b| order.key(&a.0).total_cmp(&order.key(&b.0)).then(a.1.cmp(&b.1)));
    let (low, high) = entries.split_at_mut(middle);
    arrange(low);
    arrange(high);
}

/// The best order of as many of some entries as a bucket holds.
fn order_of_many<S: Scalar, const D: usize>(entries: &[(Rect<S, D>, Handle)]) -> Order {
    let some: [_; BUCKET_SLOTS] = array::from_fn(|nth| entries[entries.len() / BUCKET_SLOTS * nth].0);
    Order::best(&some)
}
