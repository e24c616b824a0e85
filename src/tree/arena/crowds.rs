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

use super::knot::{Knot, POOR, Seat, Summary, any, growth};
use super::{Arena, BUCKET_SLOTS};
use crate::geometry::{Rect, Scalar, level, with_vectors};
use crate::key::BucketId;
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
        self.summary_in(bucket).around
    }

    /// The box around the entries of a bucket of a crowd, and the lowest of their slots, as its knot has them.
    #[inline]
    pub(in crate::tree) fn summary_in(&self, bucket: BucketId) -> Summary<S, D> {
        let Seat { knot, at } = self.seat(bucket);
        self.knots.get(knot).summary_at(at)
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
        let others = knot.summaries().filter(|&(_, at, _)| has_room(at));
        let growths = others.map(|(number, _, of)| (growth(&of.around, &shape), number));
        growths.reduce(|one, other| if other.0 < one.0 { other } else { one }).map(|(_, number)| number)
    }

    /// The smallest box around the entries of a bucket, and the lowest of their slots.
    pub(crate) fn summary_of(&self, bucket: BucketId) -> Summary<S, D> {
        Summary { around: self.bounds_of(bucket), least: self.least_of(bucket) }
    }

    fn least_of(&self, bucket: BucketId) -> u32 {
        let (used, handles) = (self.head(bucket).used, self.bucket(bucket).handles());
        with_vectors!(level(), |_simd| {
            let slots =
                (0..).zip(handles).map(|(at, handle)| handle.slot_number() | ((used >> at & 1) as u32).wrapping_sub(1));
            slots.fold(u32::MAX, u32::min)
        })
    }

    pub(crate) fn bounds_of(&self, bucket: BucketId) -> Rect<S, D> {
        self.bucket(bucket).bounds(self.head(bucket).used)
    }
}

/// Changing.
impl<S: Scalar, const D: usize> Arena<S, D> {
    /// Makes a crowd of the buckets of a chain, each with its entries. Of one bucket it is none until another one joins.
    pub(in crate::tree) fn new_crowd(&mut self, buckets: &[BucketId]) {
        let mut members = Vec::with_capacity(buckets.len());
        let mut len = 0;
        for &bucket in buckets {
            let of = self.summary_of(bucket);
            let head = self.head_mut(bucket);
            (head.more, head.is_plain) = (true, false);
            len += head.used.count_ones();
            members.push((bucket.number(), of));
        }
        let mut is_upper = false;
        loop {
            let mut above = Vec::with_capacity(members.len().div_ceil(BUCKET_SLOTS));
            for of_knot in members.chunks(BUCKET_SLOTS) {
                let knot = self.knots.add(Knot::new(is_upper));
                for (number, of) in of_knot {
                    self.push(knot, *number, of);
                }
                above.push((knot, self.knots.get(knot).summary()));
            }
            (members, is_upper) = (above, true);
            if let [(top, _)] = members[..] {
                self.knots.get_mut(top).len = len;
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

    pub(super) fn push(&mut self, knot: u32, number: u32, of: &Summary<S, D>) {
        let at = self.knots.get_mut(knot).push(number, of);
        self.settle_in(knot, at);
    }

    /// Makes the boxes around a bucket of a crowd exact after an entry with the summary `from` has got the summary `to`: be
    /// it that it has moved, or that it has come or gone.
    pub(in crate::tree) fn exchange(&mut self, bucket: BucketId, from: &Summary<S, D>, to: &Summary<S, D>) {
        let before = self.summary_in(bucket);
        if !before.stays(from, to) {
            let after = before.after(from, to, || self.bounds_of(bucket), || self.least_of(bucket));
            self.change(self.seat(bucket), &after);
        }
    }

    /// Makes the boxes around a bucket exact, if it is in a crowd. Its entries have changed.
    pub(in crate::tree) fn tighten(&mut self, bucket: BucketId) {
        if self.head(bucket).more && self.head(bucket).used != 0 {
            self.change(self.seat(bucket), &self.summary_of(bucket));
        }
    }

    /// The same for all buckets.
    pub(in crate::tree) fn tighten_all(&mut self) {
        if self.knots.used() != 0 {
            (0..self.heads.len() as u32).for_each(|number| self.tighten(BucketId::numbered(number)));
        }
    }

    /// Gives a member of a knot its summary, and makes the boxes around the knot exact.
    fn change(&mut self, Seat { knot, at }: Seat, to: &Summary<S, D>) {
        let from = self.knots.get(knot).summary_at(at);
        self.knots.get_mut(knot).set(at, to);
        let of = self.knots.get(knot);
        let Some(seat) = of.seat else { return };
        let before = self.knots.get(seat.knot).summary_at(seat.at);
        if !before.stays(&from, to) {
            let after = before.after(&from, to, || of.bounds(), || of.least());
            self.change(seat, &after);
        }
    }

    /// Makes the boxes around a knot exact. Its members have changed.
    fn tighten_knot(&mut self, knot: u32) {
        if let Some(seat) = self.knots.get(knot).seat {
            self.change(seat, &self.knots.get(knot).summary());
        }
    }

    /// Adds a bucket with this summary to the knot of another one.
    pub(in crate::tree) fn join(&mut self, bucket: BucketId, beside: BucketId, of: &Summary<S, D>) {
        if self.knots.get(self.seat(beside).knot).members().len() == BUCKET_SLOTS {
            self.divide_knot(self.seat(beside).knot);
        }
        self.push(self.seat(beside).knot, bucket.number(), of);
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
            let (top, of) = (self.knots.add(Knot::new(true)), self.knots.get(knot).summary());
            self.knots.get_mut(top).len = self.knots.get(knot).len;
            self.push(top, knot, &of);
        }
        let is_upper = self.knots.get(knot).is_upper;
        let members = mem::replace(self.knots.get_mut(knot), Knot::new(is_upper));
        let seat = members.seat.expect("a knot that is divided has one above");
        self.knots.get_mut(knot).seat = Some(seat);
        let (new, upper) = (self.knots.add(Knot::new(is_upper)), half_of(&boxes));
        for (number, at, of) in members.summaries() {
            self.push(if upper >> at & 1 == 0 { knot } else { new }, number, &of);
        }
        let of = self.knots.get(new).summary();
        self.push(seat.knot, new, &of);
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
            of.summaries().for_each(|(number, _, of)| self.push(into, number, &of));
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
