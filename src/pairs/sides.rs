//! The two sides of a query for pairs: their spaces, the layers that are paired, and the groups that entries are in.
//!
//! A side is a space. Pairs within an index have one side only, 0, whose objects are paired with each other. The sides
//! do not know how pairs are found. Keeps invariant Q11 of `docs/invariants.md`, as far as layers are concerned.

use crate::geometry::Scalar;
use crate::key::{LayerSet, Place};
use crate::space::Space;
use crate::tree::BucketRef;

/// Up to 64 entries that are compared as a whole: a bucket of a side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) side: usize,
    /// The first place of the bucket.
    pub(super) bucket: Place,
}

impl Group {
    pub(super) const NONE: Self = Self { side: 0, bucket: Place::NONE };
}

/// The spaces and layers whose objects are paired.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a, 'b, S, const D: usize> {
    first: &'a Space<S, D>,
    second: &'b Space<S, D>,
    /// Whether both are one space.
    pub(super) are_one: bool,
    /// The first object of each pair is in the first set of layers, the second in the second.
    pub(super) layers: [LayerSet; 2],
}

impl<'a, 'b, S: Scalar, const D: usize> Sides<'a, 'b, S, D> {
    pub(super) fn new(first: &'a Space<S, D>, second: &'b Space<S, D>, are_one: bool) -> Self {
        Self { first, second, are_one, layers: [LayerSet::ALL; 2] }
    }

    #[inline]
    pub(super) fn space<'s>(&self, side: usize) -> &'s Space<S, D>
    where
        'a: 's,
        'b: 's,
    {
        if side == 0 { self.first } else { self.second }
    }

    /// The side that holds the partners of the objects of a side.
    #[inline]
    pub(super) fn opposite(&self, side: usize) -> usize {
        if self.are_one { 0 } else { 1 - side }
    }

    /// `None` if objects of a layer are not paired with objects of a layer on the opposite side. Otherwise, whether
    /// they come second.
    pub(super) fn are_paired(&self, side: usize, layer: u8, other: u8) -> Option<bool> {
        let are = |first: u8, second: u8| self.layers[0].has(first) && self.layers[1].has(second);
        let is_straight = (self.are_one || side == 0) && are(layer, other);
        let is_flipped = (self.are_one || side == 1) && are(other, layer);
        (is_straight || is_flipped).then_some(!is_straight)
    }

    /// The layers where a layer's objects look for partners: all that it is paired with, or only those with at least as
    /// many objects. Objects of smaller layers then find the other pairs.
    pub(super) fn partners(&self, side: usize, layer: u8, are_all: bool) -> LayerSet {
        let opposite = self.opposite(side);
        let order = |side: usize, layer: u8| (self.space(side).len_in(LayerSet::of_number(layer)), side, layer);
        let (mut partners, mut candidates) = (LayerSet::NONE, self.space(opposite).layers.living);
        while let Some(other) = candidates.pop() {
            let is_smaller = are_all || order(side, layer) <= order(opposite, other);
            if is_smaller && self.are_paired(side, layer, other).is_some() {
                partners = partners | LayerSet::of_number(other);
            }
        }
        partners
    }

    /// Where the entries of a group are stored, and the positions in use, as bits.
    #[inline(always)]
    pub(super) fn entries(&self, group: Group) -> (BucketRef<'_, S, D>, u64) {
        let Group { side, bucket: first } = group;
        let (arena, bucket) = (self.space(side).trees.arena(), first.bucket());
        (arena.bucket(bucket), arena.head(bucket).used)
    }
}
