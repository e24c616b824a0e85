//! Crowds: chains of two or more buckets, whose entries no cell can divide. The buckets of a crowd have boxes around their
//! entries, in knots of up to 64, and so have the knots, up to one top knot. So whoever looks for entries reads few of
//! the buckets.
//!
//! Crowds grow and shrink as R-trees do. Their boxes are always exact. The directory names the first bucket of a crowd in
//! the order of its knots.
//!
//! Keeps T3 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::{array, mem};

use super::knot::{Knot, Member, POOR, Seat, any, growth};
use super::{Arena, BUCKET_SLOTS};
use crate::geometry::{Rect, Scalar};
use crate::key::{BucketId, Handle};
use crate::tree::median::half_of;

/// Reading.
impl<S: Scalar, const D: usize> Arena<S, D> {
    #[inline]
    pub(crate) fn seat(&self, bucket: BucketId) -> Seat {
        self.seats[bucket.index()]
    }

    /// The top knot of the crowd that a bucket is in.
    #[inline]
    pub(crate) fn crowd_of(&self, bucket: BucketId) -> Option<u32> {
        if self.head(bucket).more { Some(self.knots.top_of(self.seat(bucket).knot)) } else { None }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn next_in_crowd(&self, of: BucketId, next: impl Fn(&Knot<S, D>, u8) -> Option<u8>) -> Option<BucketId> {
        let Seat { knot, at } = self.seat(of);
        self.knots.first_from(knot, at + 1, next)
    }

    /// The first bucket of a chain whose box meets a region, given the first one.
    #[inline]
    pub(crate) fn first_meeting(&self, first: BucketId, region: &Rect<S, D>) -> Option<BucketId> {
        let Some(top) = self.crowd_of(first) else { return Some(first) };
        self.knots.first_from(top, 0, |of, from| of.next_meeting(from, region))
    }

    /// The box around the entries of a bucket of a crowd.
    pub(crate) fn box_of(&self, bucket: BucketId) -> Rect<S, D> {
        let Seat { knot, at } = self.seat(bucket);
        self.knots.get(knot).around(at)
    }

    fn least_in(&self, bucket: BucketId) -> Handle {
        let Seat { knot, at } = self.seat(bucket);
        self.knots.get(knot).members()[usize::from(at)].least
    }

    /// The bucket of a crowd whose box grows least to hold a shape.
    pub(crate) fn closest(&self, top: u32, shape: &Rect<S, D>) -> BucketId {
        let mut knot = self.knots.get(top);
        loop {
            let number = knot.members()[usize::from(knot.closest(shape))].number;
            if !knot.is_upper {
                return BucketId::numbered(number);
            }
            knot = self.knots.get(number);
        }
    }

    /// Where a poor member of a knot may go: of the others with room, that whose box grows least to hold its box.
    pub(in crate::tree) fn partner(&self, seat: Seat, len: impl Fn(u32) -> usize) -> Option<u32> {
        let knot = self.knots.get(seat.knot);
        let number = |at: u8| knot.members()[usize::from(at)].number;
        let (shape, own) = (knot.around(seat.at), len(number(seat.at)));
        let has_room = |at| at != seat.at && own <= POOR && len(number(at)) + own <= BUCKET_SLOTS;
        let others = knot.boxes().filter(|&(at, _)| has_room(at));
        let growths = others.map(|(at, around)| (growth(&around, &shape), number(at)));
        growths.reduce(|one, other| if other.0 < one.0 { other } else { one }).map(|(_, number)| number)
    }

    /// The smallest box around the entries of a bucket, and the lowest of their handles.
    pub(crate) fn summary_of(&self, bucket: BucketId) -> (Rect<S, D>, Handle) {
        let least = self.places_in(bucket).map(|place| self.handle(place)).min();
        (self.bounds_of(bucket), least.unwrap_or_default())
    }

    fn bounds_of(&self, bucket: BucketId) -> Rect<S, D> {
        self.bucket(bucket).bounds(self.head(bucket).used).unwrap_or_else(Rect::nowhere)
    }
}

/// Changing.
impl<S: Scalar, const D: usize> Arena<S, D> {
    /// Makes a crowd of the buckets of a chain, each with its entries. Of one bucket it is none until another one joins.
    pub(in crate::tree) fn new_crowd(&mut self, buckets: &[BucketId]) {
        let mut members = Vec::with_capacity(buckets.len());
        let mut len = 0;
        for &bucket in buckets {
            let (shape, least) = self.summary_of(bucket);
            let head = self.head_mut(bucket);
            (head.more, head.is_plain) = (true, false);
            len += head.used.count_ones();
            members.push((Member { number: bucket.number(), least }, shape));
        }
        let mut is_upper = false;
        loop {
            let mut above = Vec::with_capacity(members.len().div_ceil(BUCKET_SLOTS));
            for of_knot in members.chunks(BUCKET_SLOTS) {
                let knot = self.knots.add(Knot::new(is_upper));
                for (member, shape) in of_knot {
                    self.push(knot, *member, shape);
                }
                let (shape, least) = self.knots.get(knot).summary();
                above.push((Member { number: knot, least }, shape));
            }
            (members, is_upper) = (above, true);
            if let [(top, _)] = members[..] {
                self.knots.get_mut(top.number).len = len;
                return;
            }
        }
    }

    /// Counts entries in a crowd and out. Returns how many there are.
    pub(in crate::tree) fn count_in_crowd(&mut self, bucket: BucketId, more: u32, fewer: u32) -> u32 {
        let top = self.knots.top_of(self.seat(bucket).knot);
        let len = &mut self.knots.get_mut(top).len;
        *len = *len + more - fewer;
        *len
    }

    /// Tells a member where it is now.
    fn settle_in(&mut self, knot: u32, at: u8) {
        let (of, seat) = (self.knots.get(knot), Seat { knot, at });
        let (number, is_upper) = (of.members()[usize::from(at)].number, of.is_upper);
        if is_upper {
            self.knots.get_mut(number).seat = Some(seat);
        } else {
            self.seats[number as usize] = seat;
        }
    }

    pub(super) fn push(&mut self, knot: u32, member: Member, shape: &Rect<S, D>) {
        let at = self.knots.get_mut(knot).push(member, shape);
        self.settle_in(knot, at);
    }

    /// Extends the boxes around a bucket to hold a shape.
    pub(in crate::tree) fn enclose(&mut self, bucket: BucketId, shape: &Rect<S, D>, handle: Handle) {
        self.change(self.seat(bucket), &self.box_of(bucket).hull(shape), self.least_in(bucket).min(handle));
    }

    /// Makes the boxes around a bucket exact, if it is in a crowd. Its entries have changed.
    pub(in crate::tree) fn tighten(&mut self, bucket: BucketId) {
        if self.head(bucket).more && self.head(bucket).used != 0 {
            let (shape, least) = self.summary_of(bucket);
            self.change(self.seat(bucket), &shape, least);
        }
    }

    /// The same for all buckets.
    pub(in crate::tree) fn tighten_all(&mut self) {
        if self.knots.used() != 0 {
            (0..self.heads.len() as u32).for_each(|number| self.tighten(BucketId::numbered(number)));
        }
    }

    /// Makes the boxes around a bucket of a crowd exact, where its handles are the same.
    pub(in crate::tree) fn tighten_box(&mut self, bucket: BucketId) {
        self.change(self.seat(bucket), &self.bounds_of(bucket), self.least_in(bucket));
    }

    /// The same where an entry with this shape and handle has left.
    pub(in crate::tree) fn tighten_without(&mut self, bucket: BucketId, shape: &Rect<S, D>, handle: Handle) {
        let nowhere = Rect::ordered([S::INFINITY; D], [S::NEG_INFINITY; D]);
        if self.least_in(bucket) == handle {
            self.tighten(bucket);
        } else if !stays([&self.box_of(bucket), shape, &nowhere]) {
            self.tighten_box(bucket);
        }
    }

    /// Gives a member of a knot its box and its lowest handle, and makes the boxes around the knot exact.
    fn change(&mut self, Seat { knot, at }: Seat, shape: &Rect<S, D>, least: Handle) {
        let (before, of) = (self.knots.get(knot).around(at), self.knots.get_mut(knot));
        let is_as_low = of.set(at, shape, least) == least;
        let stays = |seat: Seat| stays([&self.knots.get(seat.knot).around(seat.at), &before, shape]);
        if !(is_as_low && self.knots.get(knot).seat.is_none_or(stays)) {
            self.tighten_knot(knot);
        }
    }

    /// Makes the boxes around a knot exact. Its members have changed.
    fn tighten_knot(&mut self, knot: u32) {
        if let Some(seat) = self.knots.get(knot).seat {
            let (shape, least) = self.knots.get(knot).summary();
            self.change(seat, &shape, least);
        }
    }

    /// Adds a bucket to the knot of another one, with this box and lowest handle.
    pub(in crate::tree) fn join(&mut self, bucket: BucketId, beside: BucketId, shape: &Rect<S, D>, least: Handle) {
        if self.knots.get(self.seat(beside).knot).members().len() == BUCKET_SLOTS {
            self.divide_knot(self.seat(beside).knot);
        }
        self.push(self.seat(beside).knot, Member { number: bucket.number(), least }, shape);
        self.tighten_knot(self.seat(bucket).knot);
    }

    /// Moves half of the members of a full knot to a new one beside it.
    fn divide_knot(&mut self, knot: u32) {
        let boxes: [_; BUCKET_SLOTS] = array::from_fn(|at| self.knots.get(knot).around(at as u8));
        if let Some(seat) = self.knots.get(knot).seat {
            if self.knots.get(seat.knot).members().len() == BUCKET_SLOTS {
                self.divide_knot(seat.knot);
            }
        } else {
            let (top, (shape, least)) = (self.knots.add(Knot::new(true)), self.knots.get(knot).summary());
            self.knots.get_mut(top).len = self.knots.get(knot).len;
            self.push(top, Member { number: knot, least }, &shape);
        }
        let is_upper = self.knots.get(knot).is_upper;
        let members = mem::replace(self.knots.get_mut(knot), Knot::new(is_upper));
        let seat = members.seat.expect("a knot that is divided has one above");
        self.knots.get_mut(knot).seat = Some(seat);
        let (new, upper) = (self.knots.add(Knot::new(is_upper)), half_of(&boxes));
        for (&member, (at, shape)) in members.members().iter().zip(members.boxes()) {
            self.push(if upper >> at & 1 == 0 { knot } else { new }, member, &shape);
        }
        let (shape, least) = self.knots.get(new).summary();
        self.push(seat.knot, Member { number: new, least }, &shape);
        self.tighten_knot(knot);
    }

    /// Removes a bucket from its crowd, which is none any more if one bucket is left.
    pub(in crate::tree) fn leave(&mut self, bucket: BucketId) {
        let (seat, reach) = (self.seat(bucket), self.head(self.first_of(bucket)).reach);
        let top = self.knots.top_of(seat.knot);
        self.remove_member(seat);
        self.merge_knot(seat.knot);
        // There may be another first bucket, whose reach covers the chain.
        let first = self.lower_top(top);
        let head = self.head_mut(first);
        head.reach = head.reach.max(reach);
        self.enter_in_directory(first);
    }

    /// Makes the boxes around a knot exact that a member has left. If it is poor, its members join another knot.
    fn merge_knot(&mut self, knot: u32) {
        let of = self.knots.get(knot);
        let (Some(seat), len) = (of.seat, of.members().len()) else { return };
        if 0 < len {
            self.tighten_knot(knot);
            let Some(into) = self.partner(seat, |knot| self.knots.get(knot).members().len()) else { return };
            let of = self.knots.get(knot).clone();
            of.members().iter().zip(of.boxes()).for_each(|(&member, (_, shape))| self.push(into, member, &shape));
            self.tighten_knot(into);
        }
        self.knots.free(knot);
        self.remove_member(seat);
        self.merge_knot(seat.knot);
    }

    fn remove_member(&mut self, Seat { knot, at }: Seat) {
        self.knots.get_mut(knot).swap_remove(at);
        if usize::from(at) < self.knots.get(knot).members().len() {
            self.settle_in(knot, at);
        }
    }

    /// Ends knots at the top of a crowd that have one member. Returns the first bucket of the crowd.
    fn lower_top(&mut self, mut top: u32) -> BucketId {
        loop {
            let of = self.knots.get(top);
            let (number, len) = (of.members()[0].number, of.len);
            if 1 < of.members().len() {
                return self.knots.first_from(top, 0, any).expect("a crowd has buckets");
            }
            let is_upper = of.is_upper;
            self.knots.free(top);
            if !is_upper {
                let bucket = BucketId::numbered(number);
                self.alone(bucket);
                return bucket;
            }
            let below = self.knots.get_mut(number);
            (below.seat, below.len, top) = (None, len, number);
        }
    }

    /// Makes a bucket the only one of its chain.
    fn alone(&mut self, bucket: BucketId) {
        let head = *self.head(bucket);
        let is_plain = self.new_head(head.node, head.cell, head.block.span).is_plain;
        let head = self.head_mut(bucket);
        (head.more, head.is_plain) = (false, is_plain);
    }

    /// Frees the knots of a crowd. Its buckets are to be freed too.
    pub(in crate::tree) fn end_crowd(&mut self, top: u32) {
        let of = mem::replace(self.knots.get_mut(top), Knot::new(false));
        for member in of.members().iter().filter(|_| of.is_upper) {
            self.end_crowd(member.number);
        }
        self.knots.free(top);
    }

    /// The first bucket of a chain, given any of its buckets, as its knots have it.
    pub(super) fn first_beside(&self, bucket: BucketId) -> BucketId {
        self.crowd_of(bucket).and_then(|top| self.knots.first_from(top, 0, any)).unwrap_or(bucket)
    }

    /// Gives a bucket its new number, if it is in a crowd.
    pub(super) fn rename(&mut self, bucket: BucketId) {
        if self.head(bucket).more {
            let Seat { knot, at } = self.seat(bucket);
            self.knots.get_mut(knot).rename(at, bucket.number());
        }
    }
}

/// Whether a box around shapes is the same after one of them has changed.
#[inline]
pub(in crate::tree) fn stays<S: Scalar, const D: usize>(around_from_to: [&Rect<S, D>; 3]) -> bool {
    (0..D).all(|axis| {
        let [around, from, to] = around_from_to.map(|of| [of.min()[axis], of.max()[axis]]);
        (from[0] == to[0] || around[0] < from[0] && around[0] < to[0])
            && (from[1] == to[1] || from[1] < around[1] && to[1] < around[1])
    })
}
