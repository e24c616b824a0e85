//! The order of a crowd: which of many entries lie close together.
//!
//! Entries are sorted into classes of similar lengths first, so that flat and tall ones part, and giants and dwarfs.
//! The entries of a class are in Morton order, in squares that are as long on each axis as the entries are. So entries
//! that are long on an axis are not told apart on it, as that would not keep them from meeting. Entries that lie in one
//! square of the finest kind are put in order again among themselves, as there may be any number of them.
//!
//! It knows no pairs.

use core::array;

use crate::geometry::{Rect, Scalar};
use crate::key::Place;
use crate::tree::BUCKET_SLOTS;

/// The ratio to the mean length on an axis from which on an entry counts as long, or its inverse as short, there.
const UNLIKE: f64 = 8.0;

/// From this number on, entries in one square are put in order again.
const MANY: usize = 2 * BUCKET_SLOTS;

/// On so many levels crowded squares are ordered anew. Nothing says that a level parts them evenly, so without a limit
/// there could be as many levels as entries.
const LEVELS: u32 = 12;

/// A place, by its lower half; the upper half is what it is sorted by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ranked(u64);

impl Ranked {
    pub(super) fn new(rank: u32, place: Place) -> Self {
        Self(u64::from(rank) << 32 | u64::from(place.bits()))
    }

    pub(super) fn rank(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(super) fn place(self) -> Place {
        Place::from_bits(self.0 as u32)
    }
}

/// Puts entries in order, given where to find their shapes. Afterwards their rank is their class.
pub(super) fn arrange<S: Scalar, const D: usize>(entries: &mut [Ranked], shape: &impl Fn(Place) -> Rect<S, D>) {
    let spread = Spread::of(entries, shape);
    for entry in &mut *entries {
        *entry = Ranked::new(spread.class_of(&shape(entry.place())), entry.place());
    }
    if entries.iter().all(|entry| entry.rank() == entries[0].rank()) {
        return order(entries, &spread, shape, LEVELS);
    }
    entries.sort_unstable();
    for of_class in entries.chunk_by_mut(|a, b| a.rank() == b.rank()) {
        order(of_class, &Spread::of(of_class, shape), shape, LEVELS);
    }
}

/// Puts entries of one class in Morton order; keeps their rank. Crowded squares are ordered anew, on some levels.
fn order<S: Scalar, const D: usize>(
    entries: &mut [Ranked],
    spread: &Spread<S, D>,
    shape: &impl Fn(Place) -> Rect<S, D>,
    levels: u32,
) {
    let class = entries[0].rank();
    let squares = Squares::within(spread);
    for entry in &mut *entries {
        *entry = Ranked::new(squares.number_of(&shape(entry.place()).min()), entry.place());
    }
    entries.sort_unstable();
    let are_equal = entries[0].rank() == entries[entries.len() - 1].rank();
    for of_one in entries.chunk_by_mut(|a, b| a.rank() == b.rank()) {
        if !are_equal && MANY < of_one.len() && levels != 0 {
            order(of_one, &Spread::of(of_one, shape), shape, levels - 1);
        }
    }
    for entry in entries {
        *entry = Ranked::new(class, entry.place());
    }
}

/// Half the length of a box on an axis. The whole might overflow.
fn half_length<S: Scalar, const D: usize>(shape: &Rect<S, D>, axis: usize) -> f64 {
    shape.max()[axis].to_f64() * 0.5 - shape.min()[axis].to_f64() * 0.5
}

/// Where entries lie, and how long they are.
struct Spread<S, const D: usize> {
    /// The smallest box around their minimum corners.
    anchors: Rect<S, D>,
    /// The means of their halved lengths.
    lengths: [f64; D],
}

impl<S: Scalar, const D: usize> Spread<S, D> {
    fn of(entries: &[Ranked], shape: &impl Fn(Place) -> Rect<S, D>) -> Self {
        let (mut low, mut high, mut lengths) = ([S::INFINITY; D], [S::NEG_INFINITY; D], [0.0; D]);
        let each = 1.0 / f64::from(entries.len() as u32);
        for entry in entries {
            let shape = shape(entry.place());
            for axis in 0..D {
                let min = shape.min()[axis];
                low[axis] = if min < low[axis] { min } else { low[axis] };
                high[axis] = if high[axis] < min { min } else { high[axis] };
                lengths[axis] += half_length(&shape, axis) * each;
            }
        }
        Self { anchors: Rect::ordered(low, high), lengths }
    }

    /// The class of an entry: a digit for each axis, by how its length compares to the mean.
    fn class_of(&self, shape: &Rect<S, D>) -> u32 {
        self.lengths.iter().enumerate().fold(0, |class, (axis, mean)| {
            let length = half_length(shape, axis);
            class * 3 + u32::from(*mean <= length * UNLIKE) + u32::from(*mean * UNLIKE < length)
        })
    }
}

/// Squares of a size that fits to the entries, numbered in Morton order. All numbers are halved, so that none
/// overflows.
struct Squares<const D: usize> {
    low: [f64; D],
    per_unit: [f64; D],
}

impl<const D: usize> Squares<D> {
    /// The number of bits for each axis.
    const BITS: usize = if D < 2 { 16 } else { 32 / D };

    const STEPS: f64 = (1_u32 << Self::BITS) as f64 - 1.0;

    /// A byte with its bits so far apart that those of the other axes fit in between.
    const SPREAD: [u32; 256] = {
        let mut spread = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut bit = 0;
            while bit < 8 && bit * D < 32 {
                spread[byte] |= (byte as u32 >> bit & 1) << (bit * D);
                bit += 1;
            }
            byte += 1;
        }
        spread
    };

    fn within<S: Scalar>(spread: &Spread<S, D>) -> Self {
        let Spread { anchors, lengths } = spread;
        let per_unit = array::from_fn(|axis| {
            let extent = half_length(anchors, axis);
            let steps = (extent / lengths[axis]).min(Self::STEPS);
            let per_unit = steps / extent;
            if per_unit.is_finite() { per_unit } else { 0.0 }
        });
        Self { low: anchors.min().map(|low| low.to_f64() * 0.5), per_unit }
    }

    fn number_of<S: Scalar>(&self, at: &[S; D]) -> u32 {
        (0..D).fold(0, |number, axis| {
            let step = ((at[axis].to_f64() * 0.5 - self.low[axis]) * self.per_unit[axis]).to_u32();
            let bytes = step.to_le_bytes();
            let spread =
                Self::SPREAD[usize::from(bytes[0])] | Self::SPREAD[usize::from(bytes[1])].wrapping_shl(8 * D as u32);
            number | spread << axis
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::cell::Cell;

    use super::*;

    /// Lengths and places that let each level split off a single entry: all others are within the mean length of those
    /// that are left.
    #[test]
    fn uneven_crowds_do_not_take_a_level_for_each_entry() {
        const COUNT: u32 = 2_000;
        let mut sum = 0.0;
        let shapes: Vec<Rect<f64, 2>> = (1..=COUNT)
            .map(|number| {
                let length = f64::from(COUNT / 8 + number);
                sum += length;
                let min = if number == 1 { 0.0 } else { sum / f64::from(number) * (1.0 + 1e-9) };
                Rect::new([min, 0.0], [min + length, 1.0])
            })
            .collect();
        let looks = Cell::new(0);
        let shape = |place: Place| {
            looks.set(looks.get() + 1);
            shapes[place.bits() as usize]
        };
        let mut entries: Vec<_> = (0..COUNT).map(|number| Ranked::new(0, Place::from_bits(number))).collect();
        arrange(&mut entries, &shape);
        assert!(looks.get() <= 64 * COUNT, "{} looks at {COUNT} shapes", looks.get());
        let mut places: Vec<_> = entries.iter().map(|entry| entry.place().bits()).collect();
        places.sort_unstable();
        assert!(places.into_iter().eq(0..COUNT), "each once");
    }
}
