//! The knots of crowds: in each up to 64 boxes side by side, around buckets or around other knots. Knows no bucket.
//!
//! Grows by rows of eight, since most crowds are small.

use alloc::vec::Vec;

use crate::geometry::{
    LANES, Rect, Scalar, Select, Simd, SimdBase, SimdMask, around, extend, level, no_bounds, splat, with_vectors,
};
use crate::key::{BucketId, Handle};

/// Where a bucket or a knot is in its crowd: the number of a knot, and a position there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    pub(crate) knot: u32,
    pub(crate) at: u8,
}

impl Seat {
    /// The seat of a bucket that is in no crowd.
    pub(crate) const NONE: Self = Self { knot: u32::MAX, at: 0 };
}

/// A bucket or a knot, by its number, and the lowest slot inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) number: u32,
    pub(crate) least: u32,
}

/// The smallest box around some entries, and the lowest of their slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary<S, const D: usize> {
    pub(crate) around: Rect<S, D>,
    pub(crate) least: u32,
}

impl<S: Scalar, const D: usize> Summary<S, D> {
    /// That of no entries.
    pub(in crate::tree) const NONE: Self =
        Self { around: Rect::ordered([S::INFINITY; D], [S::NEG_INFINITY; D]), least: u32::MAX };

    pub(in crate::tree) fn new(shape: &Rect<S, D>, handle: Handle) -> Self {
        Self { around: *shape, least: handle.slot_number() }
    }

    /// Whether it is the same after some of the entries, with the summary `from`, have got the summary `to`.
    #[inline]
    pub(in crate::tree) fn stays(&self, from: &Self, to: &Self) -> bool {
        self.is_around(from, to) && self.is_least(from, to)
    }

    #[inline]
    fn is_around(&self, from: &Self, to: &Self) -> bool {
        (0..D).all(|axis| {
            let [around, from, to] = [self, from, to].map(|of| [of.around.min()[axis], of.around.max()[axis]]);
            (from[0] == to[0] || around[0] < from[0] && around[0] < to[0])
                && (from[1] == to[1] || from[1] < around[1] && to[1] < around[1])
        })
    }

    #[inline]
    fn is_least(&self, from: &Self, to: &Self) -> bool {
        from.least == to.least || self.least < from.least && self.least < to.least
    }

    /// The new one after that. Only what may have receded is measured.
    pub(super) fn after(
        &self,
        from: &Self,
        to: &Self,
        bounds: impl FnOnce() -> Rect<S, D>,
        least: impl FnOnce() -> u32,
    ) -> Self {
        let grows = self.is_around(from, to) || to.around.contains(&from.around);
        let sinks = self.is_least(from, to) || to.least < from.least;
        Self {
            around: if grows { self.around.hull(&to.around) } else { bounds() },
            least: if sinks { self.least.min(to.least) } else { least() },
        }
    }
}

/// Up to 64 boxes side by side, without gaps.
#[derive(Clone, Debug)]
pub(crate) struct Knot<S, const D: usize> {
    /// Where it is itself; `None` for the top knot of a crowd.
    pub(crate) seat: Option<Seat>,
    /// Whether its members are knots.
    pub(crate) is_upper: bool,
    /// The entries of the crowd; only the top knot counts them.
    pub(crate) len: u32,
    members: Vec<Member>,
    /// The minima and maxima on each axis of the boxes of each eight members.
    rows: Vec<[[[S; LANES]; 2]; D]>,
}

impl<S: Scalar, const D: usize> Knot<S, D> {
    pub(crate) fn new(is_upper: bool) -> Self {
        Self { seat: None, is_upper, len: 0, members: Vec::new(), rows: Vec::new() }
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The box around a member.
    pub(crate) fn around(&self, at: u8) -> Rect<S, D> {
        let (row, lane) = (&self.rows[usize::from(at) / LANES], usize::from(at) % LANES);
        let corner = |end: usize| core::array::from_fn(|axis| row[axis][end][lane]);
        Rect::ordered(corner(0), corner(1))
    }

    /// The number of rows of eight boxes.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The boxes of a row; NaN behind the last one.
    #[inline(always)]
    pub(crate) fn row<V: Simd>(&self, simd: V, row: usize) -> [[S::Lanes<V>; 2]; D] {
        let mut lanes = [[S::Lanes::splat(simd, S::NAN); 2]; D];
        for (lanes, ends) in lanes.iter_mut().zip(&self.rows[row]) {
            *lanes = [S::Lanes::load_array(simd, ends[0]), S::Lanes::load_array(simd, ends[1])];
        }
        lanes
    }

    fn set_box(&mut self, at: u8, shape: &Rect<S, D>) {
        let (row, lane) = (&mut self.rows[usize::from(at) / LANES], usize::from(at) % LANES);
        for (axis, [min, max]) in row.iter_mut().enumerate() {
            (min[lane], max[lane]) = (shape.min()[axis], shape.max()[axis]);
        }
    }

    /// The box around a member, and its lowest slot.
    #[inline]
    pub(super) fn summary_at(&self, at: u8) -> Summary<S, D> {
        Summary { around: self.around(at), least: self.members[usize::from(at)].least }
    }

    /// Of all members: their numbers, positions and summaries.
    pub(crate) fn summaries(&self) -> impl Iterator<Item = (u32, u8, Summary<S, D>)> + '_ {
        (0..).zip(&self.members).map(|(at, member)| (member.number, at, self.summary_at(at)))
    }

    pub(super) fn set(&mut self, at: u8, to: &Summary<S, D>) {
        self.set_box(at, &to.around);
        self.members[usize::from(at)].least = to.least;
    }

    /// Adds a member behind the others. There must be room. Returns its position.
    pub(crate) fn push(&mut self, number: u32, of: &Summary<S, D>) -> u8 {
        let at = self.members.len();
        if at == self.rows.len() * LANES {
            self.members.reserve_exact(LANES);
            self.rows.reserve_exact(1);
            self.rows.push([[[S::NAN; LANES]; 2]; D]);
        }
        self.members.push(Member { number, least: of.least });
        self.set_box(at as u8, &of.around);
        at as u8
    }

    /// Removes a member. The last one takes its place.
    pub(crate) fn swap_remove(&mut self, at: u8) {
        let last = self.members.len() as u8 - 1;
        let shape = self.around(last);
        self.set_box(at, &shape);
        self.members.swap_remove(usize::from(at));
        let nowhere = Rect::ordered([S::NAN; D], [S::NAN; D]);
        self.set_box(last, &nowhere);
        if usize::from(last).is_multiple_of(LANES) {
            self.rows.pop();
        }
    }

    pub(crate) fn rename(&mut self, at: u8, number: u32) {
        self.members[usize::from(at)].number = number;
    }

    /// The box around all members, and the lowest slot inside.
    pub(crate) fn summary(&self) -> Summary<S, D> {
        Summary { around: self.bounds(), least: self.least() }
    }

    pub(super) fn least(&self) -> u32 {
        with_vectors!(level(), |_simd| self.members.iter().fold(u32::MAX, |least, member| least.min(member.least)))
    }

    pub(crate) fn bounds(&self) -> Rect<S, D> {
        with_vectors!(level(), |simd| {
            let mut bounds = no_bounds::<_, S, D>(simd);
            for number in 0..self.rows() {
                let row = self.row(simd, number);
                extend::<_, S, D>(&mut bounds, &row, row[0][0].simd_le(row[0][0]));
            }
            around::<_, S, D>(&bounds)
        })
    }

    /// The first member from a position on whose box shares a point with a region.
    pub(crate) fn next_meeting(&self, from: u8, region: &Rect<S, D>) -> Option<u8> {
        with_vectors!(level(), |simd| {
            let region = splat(simd, region);
            let first = usize::from(from) / LANES;
            let mut left = u32::MAX << (usize::from(from) % LANES);
            for number in first..self.rows() {
                let mut met = left;
                for ([from, to], [min, max]) in region.into_iter().zip(self.row(simd, number)) {
                    met &= u32::from((min.simd_le(to) & from.simd_le(max)).to_bitmask() as u8);
                }
                if met != 0 {
                    return Some((number * LANES) as u8 + met.trailing_zeros() as u8);
                }
                left = u32::MAX;
            }
            None
        })
    }

    /// The member whose box grows least by its sides to hold a shape; the last on a tie.
    pub(crate) fn closest(&self, shape: &Rect<S, D>) -> u8 {
        let [growths, rows] = with_vectors!(level(), |simd| {
            let (shape, zero) = (splat(simd, shape), S::Lanes::splat(simd, S::from(0)));
            let (mut least, mut rows) = (S::Lanes::splat(simd, S::INFINITY), zero);
            for number in 0..self.rows() {
                let boxes = self.row(simd, number);
                let mut growth = zero;
                for ([from, to], [min, max]) in shape.into_iter().zip(boxes) {
                    growth += (min - from).max(zero) + (to - max).max(zero);
                }
                // Processors differ on the maximum with a NaN.
                let is_least = growth.simd_le(least) & boxes[0][0].simd_le(boxes[0][0]);
                least = is_least.select(growth, least);
                rows = is_least.select(S::Lanes::splat(simd, S::from(number as u16)), rows);
            }
            [least.to_array(), rows.to_array()]
        });
        // Where growths overflow, those of no members are no greater.
        let lanes = 0..LANES.min(self.members.len());
        let of_lanes = lanes.map(|lane| (growths[lane], rows[lane].to_u32() as usize * LANES + lane));
        let last = |one: (S, usize), other: (S, usize)| {
            if other.0 < one.0 || other.0 == one.0 && one.1 < other.1 { other } else { one }
        };
        of_lanes.reduce(last).map_or(0, |(_, at)| at as u8)
    }

    /// Bytes of memory held.
    pub(super) fn bytes_held(&self) -> usize {
        self.members.capacity() * size_of::<Member>() + self.rows.capacity() * size_of::<[[[S; LANES]; 2]; D]>()
    }
}

/// By how much the sides of a box grow to hold a shape.
pub(in crate::tree) fn growth<S: Scalar, const D: usize>(of: &Rect<S, D>, shape: &Rect<S, D>) -> S {
    let hull = of.hull(shape);
    (0..D).fold(S::from(0), |sum, axis| sum + (of.min()[axis] - hull.min()[axis]) + (hull.max()[axis] - of.max()[axis]))
}

/// A bucket or a knot with so few entries or members joins another one that has room.
pub(in crate::tree) const POOR: usize = 16;

/// The knots of all crowds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knots<S, const D: usize> {
    pub(super) list: Vec<Knot<S, D>>,
    pub(super) free: Vec<u32>,
}

impl<S: Scalar, const D: usize> Knots<S, D> {
    pub(crate) fn get(&self, number: u32) -> &Knot<S, D> {
        &self.list[number as usize]
    }

    pub(super) fn get_mut(&mut self, number: u32) -> &mut Knot<S, D> {
        &mut self.list[number as usize]
    }

    /// The number of knots in use.
    pub(crate) fn used(&self) -> usize {
        self.list.len() - self.free.len()
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.list.capacity() * size_of::<Knot<S, D>>()
            + self.free.capacity() * size_of::<u32>()
            + self.list.iter().map(Knot::bytes_held).sum::<usize>()
    }

    pub(super) fn add(&mut self, knot: Knot<S, D>) -> u32 {
        if let Some(free) = self.free.pop() {
            *self.get_mut(free) = knot;
            return free;
        }
        self.list.push(knot);
        self.list.len() as u32 - 1
    }

    pub(super) fn free(&mut self, number: u32) {
        *self.get_mut(number) = Knot::new(false);
        self.free.push(number);
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
        self.free.shrink_to_fit();
    }

    /// The top knot of a crowd, given any of its knots.
    pub(crate) fn top_of(&self, mut knot: u32) -> u32 {
        while let Some(seat) = self.get(knot).seat {
            knot = seat.knot;
        }
        knot
    }

    /// The first bucket in and after a knot, from a member on, that `next` finds: in each knot, the first such member from
    /// a position on.
    pub(super) fn first_from(
        &self,
        mut knot: u32,
        mut at: u8,
        next: impl Fn(&Knot<S, D>, u8) -> Option<u8>,
    ) -> Option<BucketId> {
        loop {
            let of = self.get(knot);
            if let Some(met) = next(of, at) {
                let number = of.members()[usize::from(met)].number;
                if !of.is_upper {
                    return Some(BucketId::numbered(number));
                }
                (knot, at) = (number, 0);
            } else {
                let seat = of.seat?;
                (knot, at) = (seat.knot, seat.at + 1);
            }
        }
    }
}

/// Any member.
pub(super) fn any<S: Scalar, const D: usize>(of: &Knot<S, D>, from: u8) -> Option<u8> {
    (usize::from(from) < of.members().len()).then_some(from)
}
