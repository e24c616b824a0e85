//! Where a query for pairs stands: plain data that borrows nothing.
//!
//! Bucket by bucket, in the order of the walk, the bucket at hand *asks*: by the smallest box around its entries the
//! trees of the layers that it is paired with. It is compared with each bucket that it *meets* there. Of two layers the
//! one with fewer objects asks the other; of two buckets of one layer the one that the walk comes to first. So each pair
//! of buckets comes up once. Where only some objects ask, all others are asked; of two that ask, the place decides.

#[cfg(feature = "rayon")]
use alloc::vec::Vec;

use crate::geometry::{Level, Proximity, Scalar, Stripes, dispatch, level};
use crate::grid::UnitRange;
use crate::key::{BucketId, Kind, LayerSet, NodeId, Place};
use crate::layer::with_trees;
use crate::tree::{Everything, Probe, Walk};

use super::askers::{Asking, Task};
use super::tile::{Compare, Divide, Tile};

/// What a bucket asks of the walk: where anchors may lie of what meets its bounds.
struct Around<const D: usize> {
    units: UnitRange<D>,
}

impl<const D: usize> Probe<D> for Around<D> {
    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        UnitRange { min: self.units.min.map(|first| first.saturating_sub(reach)), max: self.units.max }
    }

    #[inline]
    fn covered(&self, _: u32) -> UnitRange<D> {
        // Each bucket is looked at.
        UnitRange { min: [1; D], max: [0; D] }
    }
}

/// Where a query for pairs stands.
#[derive(Clone, Copy)]
pub(super) struct Pairing<S, const D: usize> {
    /// The first object of each pair is in the first set of layers, the second in the second.
    between: [LayerSet; 2],
    /// None, if nothing is near enough.
    proximity: Option<Proximity<S>>,
    /// Those of a list that are still to ask.
    list: [u32; 2],
    /// The layers of each side whose buckets have not begun to ask.
    to_ask: [LayerSet; 2],
    /// The layer whose buckets ask: its side, number and kind, and the layers that it asks.
    side: usize,
    layer: u8,
    kind: Kind,
    partners: LayerSet,
    /// The buckets of that layer that are still to ask, and the rest of the chain at hand.
    walk: Walk,
    chain: BucketId,
    /// The bucket that asks, by its first place; which of its entries ask, and where they lie.
    asking: Place,
    asks: u64,
    stripes: Stripes<S, D>,
    units: UnitRange<D>,
    /// The layers that it has still to ask.
    partners_left: LayerSet,
    /// The layer that it asks: its number and kind, the walk there, and the rest of the chain at hand.
    asked: u8,
    asked_kind: Kind,
    asked_walk: Walk,
    asked_chain: BucketId,
    /// Whether the bucket that asks has the second object of each pair.
    is_flipped: bool,
    /// The bucket that is met, by its first place, and its entries that are still to be compared.
    met: Place,
    rows: u64,
    pub(super) tile: Tile,
    level: Level,
}

impl<S: Scalar, const D: usize> Pairing<S, D> {
    pub(super) fn new(between: [LayerSet; 2], proximity: Option<Proximity<S>>, task: &Task<'_, '_, S, D>) -> Self {
        let (list, to_ask) = match task.askers.list() {
            Some(list) => ([0, list.len() as u32], [LayerSet::NONE; 2]),
            None => ([0; 2], [LayerSet::ALL, if task.sides.are_one { LayerSet::NONE } else { LayerSet::ALL }]),
        };
        Self {
            between,
            proximity,
            list,
            to_ask,
            side: 0,
            layer: 0,
            kind: Kind::Points,
            partners: LayerSet::NONE,
            walk: Walk::over(NodeId::NONE),
            chain: BucketId::NONE,
            asking: Place::NONE,
            asks: 0,
            stripes: Stripes::none(),
            units: UnitRange { min: [0; D], max: [0; D] },
            partners_left: LayerSet::NONE,
            asked: 0,
            asked_kind: Kind::Points,
            asked_walk: Walk::over(NodeId::NONE),
            asked_chain: BucketId::NONE,
            is_flipped: false,
            met: Place::NONE,
            rows: 0,
            tile: Tile::EMPTY,
            level: level(),
        }
    }

    pub(super) fn between(&self) -> [LayerSet; 2] {
        self.between
    }

    /// Restricts the layers of the first and the second objects, within those that they were restricted to before.
    pub(super) fn restrict(&mut self, layers: [LayerSet; 2], task: &Task<'_, '_, S, D>) {
        self.between = [self.between[0] & layers[0], self.between[1] & layers[1]];
        self.partners = self.partners(task);
        self.partners_left = self.partners_left & self.partners;
        if self.partners.is_empty() {
            (self.walk, self.chain) = (Walk::over(NodeId::NONE), BucketId::NONE);
        }
        match self.are_between(task, self.asked) {
            Some(is_flipped) if is_flipped == self.is_flipped => {}
            Some(is_flipped) => {
                self.is_flipped = is_flipped;
                self.tile.flip();
            }
            None => {
                (self.asked_walk, self.asked_chain) = (Walk::over(NodeId::NONE), BucketId::NONE);
                self.rows = 0;
                self.tile = Tile::EMPTY;
            }
        }
    }

    /// The buckets that are still to ask, of those of which all do. What is left of this then goes by the list.
    #[cfg(feature = "rayon")]
    pub(super) fn list_rest(&mut self, task: &Task<'_, '_, S, D>) -> Vec<Asking> {
        let mut rest = *self;
        let list: Vec<_> = core::iter::from_fn(|| rest.next_to_ask(task)).collect();
        (self.walk, self.chain, self.to_ask) = (Walk::over(NodeId::NONE), BucketId::NONE, [LayerSet::NONE; 2]);
        self.list = [0, list.len() as u32];
        list
    }

    /// Divides what is still to come into two parts, if it is worth it: the first half of the list, and the second.
    #[cfg(feature = "rayon")]
    pub(super) fn split(&mut self, task: &Task<'_, '_, S, D>) -> Option<Self> {
        let [next, end] = self.list;
        let half = (end - next) / 2;
        (half > 0).then(|| {
            self.list[1] = next + half;
            Self { list: [next + half, end], ..Self::new(self.between, self.proximity, task) }
        })
    }

    /// How many pairs are still to come.
    pub(super) fn count(&mut self, task: &Task<'_, '_, S, D>) -> usize {
        let mut count = self.tile.pairs();
        while self.advance(task) {
            count += self.tile.pairs();
        }
        count
    }

    /// Goes on to the next tile with pairs; `false` when there is none.
    pub(super) fn advance(&mut self, task: &Task<'_, '_, S, D>) -> bool {
        let Some(proximity) = self.proximity else { return false };
        loop {
            if self.rows != 0 {
                self.compare(&proximity, task);
                if !self.tile.is_empty() {
                    return true;
                }
            } else if !self.meet_next(task) && !self.ask_next_layer(task) && !self.ask_with_next(&proximity, task) {
                self.tile = Tile::EMPTY;
                return false;
            }
        }
    }

    /// The number of the side that is being asked.
    fn asked_side(&self, task: &Task<'_, '_, S, D>) -> usize {
        if task.sides.are_one { 0 } else { 1 - self.side }
    }

    /// Goes on to the next bucket that asks, and begins with that by pairing its own entries, if they are to be paired.
    fn ask_with_next(&mut self, proximity: &Proximity<S>, task: &Task<'_, '_, S, D>) -> bool {
        let Some(Asking { bucket: asking, entries, .. }) = self.next_to_ask(task) else { return false };
        let side = task.sides.sides[self.side];
        let used = with_trees!(side.forest, self.kind, |trees| {
            let (bucket, used) = (trees.bucket(asking.bucket()), trees.head(asking.bucket()).used);
            dispatch(self.level, Divide { bucket, used, entries, stripes: &mut self.stripes });
            used
        });
        (self.asking, self.asks) = (asking, entries);
        let region = proximity.stretched(self.stripes.bounds());
        self.units = task.sides.sides[self.asked_side(task)].grid.range(&region);
        self.partners_left = self.partners;
        if task.sides.are_one && self.partners.has(self.layer) {
            (self.asked, self.is_flipped) = (self.layer, false);
            (self.met, self.rows) = (asking, used);
        }
        true
    }

    /// The next bucket that asks, and its layer.
    pub(super) fn next_to_ask(&mut self, task: &Task<'_, '_, S, D>) -> Option<Asking> {
        if let Some(list) = task.askers.list() {
            return self.next_in_list(list, task);
        }
        loop {
            let forest = task.sides.sides[self.side].forest;
            let next = with_trees!(forest, self.kind, |trees| {
                if self.chain.is_none()
                    && let Some((first, _)) = self.walk.next_chain(trees, &Everything)
                {
                    self.chain = first;
                }
                let bucket = self.chain;
                (!bucket.is_none()).then(|| {
                    self.chain = trees.next_in_chain(bucket);
                    let entries = trees.head(bucket).used;
                    Asking { side: self.side as u8, bucket: Place::new(self.kind, bucket, 0), entries }
                })
            });
            if next.is_some() {
                return next;
            }
            if !self.begin_next_layer(task) {
                return None;
            }
        }
    }

    fn next_in_list(&mut self, list: &[Asking], task: &Task<'_, '_, S, D>) -> Option<Asking> {
        loop {
            let [next, end] = self.list;
            if next == end {
                return None;
            }
            self.list[0] += 1;
            let asking = list[next as usize];
            let layer = task.sides.sides[usize::from(asking.side)].forest.layer_of(asking.bucket);
            if (usize::from(asking.side), layer) != (self.side, self.layer) || self.asking == Place::NONE {
                (self.side, self.layer, self.kind) = (asking.side.into(), layer, asking.bucket.kind());
                self.partners = self.partners(task);
            }
            if !self.partners.is_empty() {
                return Some(asking);
            }
        }
    }

    /// Goes on to the next layer whose buckets ask; `false` when there is none.
    fn begin_next_layer(&mut self, task: &Task<'_, '_, S, D>) -> bool {
        for (side, of) in task.sides.sides.iter().enumerate() {
            self.to_ask[side] = self.to_ask[side] & of.layers.living();
            while let Some(layer) = self.to_ask[side].pop() {
                let Some(kind) = of.layers.kind_of_number(layer) else { continue };
                (self.side, self.layer, self.kind) = (side, layer, kind);
                self.partners = self.partners(task);
                if !self.partners.is_empty() {
                    self.walk = Walk::over(of.root(kind, layer));
                    return true;
                }
            }
        }
        false
    }

    /// The layers that the layer at hand asks.
    fn partners(&self, task: &Task<'_, '_, S, D>) -> LayerSet {
        let asked_side = self.asked_side(task);
        let others = task.sides.sides[asked_side];
        let order = |side: usize, layer: u8| (task.sides.sides[side].len(layer), side, layer);
        let (mut partners, mut candidates) = (LayerSet::NONE, others.layers.living());
        while let Some(other) = candidates.pop() {
            let asks = task.askers.are_some() || order(self.side, self.layer) <= order(asked_side, other);
            if asks && self.are_between(task, other).is_some() {
                partners = partners | others.layers.id(usize::from(other));
            }
        }
        partners
    }

    /// Whether objects of the layer at hand are paired with those of another; and if so, whether they come second.
    fn are_between(&self, task: &Task<'_, '_, S, D>, other: u8) -> Option<bool> {
        let are_one = task.sides.are_one;
        let are = |first: u8, second: u8| self.between[0].has(first) && self.between[1].has(second);
        let is_straight = (are_one || self.side == 0) && are(self.layer, other);
        let is_flipped = (are_one || self.side == 1) && are(other, self.layer);
        (is_straight || is_flipped).then_some(!is_straight)
    }

    /// Goes on to the next layer that the bucket at hand asks.
    fn ask_next_layer(&mut self, task: &Task<'_, '_, S, D>) -> bool {
        let side = task.sides.sides[self.asked_side(task)];
        loop {
            let Some(layer) = self.partners_left.pop() else { return false };
            let Some(kind) = side.layers.kind_of_number(layer) else { continue };
            let Some(is_flipped) = self.are_between(task, layer) else { continue };
            (self.asked, self.asked_kind, self.is_flipped) = (layer, kind, is_flipped);
            let root = side.root(kind, layer);
            self.asked_walk = Walk::over(root);
            if task.sides.are_one && layer == self.layer && !task.askers.are_some() {
                let bucket = self.asking.bucket();
                with_trees!(side.forest, kind, |trees| {
                    self.asked_chain = trees.next_in_chain(bucket);
                    self.asked_walk = Walk::after_chain(trees, root, bucket);
                });
            }
            return true;
        }
    }

    /// Goes on to the next bucket that comes near the one at hand.
    fn meet_next(&mut self, task: &Task<'_, '_, S, D>) -> bool {
        let side = task.sides.sides[self.asked_side(task)];
        with_trees!(side.forest, self.asked_kind, |trees| loop {
            if self.asked_chain.is_none() {
                let Some((first, _)) = self.asked_walk.next_chain(trees, &Around { units: self.units }) else {
                    return false;
                };
                self.asked_chain = first;
            }
            let bucket = self.asked_chain;
            self.asked_chain = trees.next_in_chain(bucket);
            self.met = Place::new(self.asked_kind, bucket, 0);
            if task.sides.are_one && self.met == self.asking {
                continue;
            }
            self.rows = trees.head(bucket).used & !task.askers.entries_before(self.met, self.asking);
            if self.rows != 0 {
                return true;
            }
        })
    }

    /// Compares the next rows of the bucket that is met with the one that asks.
    fn compare(&mut self, proximity: &Proximity<S>, task: &Task<'_, '_, S, D>) {
        self.tile.begin(self.met, self.asking, self.is_flipped);
        let is_one = task.sides.are_one && self.met == self.asking;
        let [asking, met] = [self.side, self.asked_side(task)].map(|side| task.sides.sides[side].forest);
        self.rows = with_trees!(met, self.met.kind(), |met| {
            let rows_in = met.bucket(self.met.bucket());
            with_trees!(asking, self.asking.kind(), |asking| {
                dispatch(
                    self.level,
                    Compare {
                        rows_in,
                        rows: self.rows,
                        bucket: asking.bucket(self.asking.bucket()),
                        columns: self.asks,
                        stripes: &self.stripes,
                        is_one,
                        proximity,
                        tile: &mut self.tile,
                    },
                )
            })
        });
    }
}
