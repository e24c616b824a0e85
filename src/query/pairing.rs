//! Where a query for pairs stands: plain data that borrows nothing.
//!
//! Bucket by bucket, in the order of their numbers: the bucket at hand *asks*, by the smallest box around its entries,
//! the trees of the layers that it is paired with, and is compared with each bucket that it *meets* there. Of two
//! layers the one with fewer objects asks the other, of two buckets of one layer the one with the lower number; so each
//! pair of buckets comes up once.

use crate::geometry::{Level, Nearness, Rect, Scalar, dispatch, level};
use crate::grid::Grid;
use crate::index::SpatialIndex;
use crate::key::{BucketId, Kind, LayerSet, NodeId, Place};
use crate::layer::{Forest, Layers, with_trees};
use crate::tree::{Bucket, Trees, Walk, positions};

use super::Intersecting;
use super::probe::Question;
use super::tile::{Bounds, Compare, CompareIn, Tile, Touching};

/// So few entries of one bucket are compared with all of the other, without a look which of those come near.
const FEW: u32 = 3;

/// An index, as far as pairs are concerned.
#[derive(Clone, Copy)]
pub(super) struct Side<'a, S, const D: usize> {
    grid: &'a Grid<S, D>,
    forest: &'a Forest<S, D>,
    layers: &'a Layers,
}

impl<'a, S: Scalar, const D: usize> Side<'a, S, D> {
    pub(super) fn of<T>(index: &'a SpatialIndex<T, S, D>) -> Self {
        Self { grid: &index.grid, forest: &index.forest, layers: &index.layers }
    }

    /// The entries of a bucket that share a point with a box, as bits.
    fn touching(&self, level: Level, first: Place, region: &Rect<S, D>) -> u64 {
        with_trees!(self.forest, first.kind(), |trees| {
            touching(level, trees.bucket(first.bucket()), trees.head(first.bucket()).used, region)
        })
    }

    /// The smallest box around some entries of a bucket, or around all.
    fn bounds(&self, first: Place, some: Option<u64>, level: Level) -> Rect<S, D> {
        with_trees!(self.forest, first.kind(), |trees| {
            let bucket = trees.bucket(first.bucket());
            let Some(some) = some else {
                return dispatch(level, Bounds::new(bucket, trees.head(first.bucket()).used));
            };
            let shapes = positions(some).map(|position| bucket.shape(position));
            shapes.reduce(|a, b| a.union(&b)).unwrap_or_else(Rect::nowhere)
        })
    }

    /// Which entries a bucket has, as bits.
    fn used(&self, first: Place) -> u64 {
        with_trees!(self.forest, first.kind(), |trees| trees.head(first.bucket()).used)
    }

    /// How many objects a living layer has.
    fn len(&self, layer: u8) -> usize {
        self.layers.kind_of_number(layer).map_or(0, |kind| self.forest.len(kind, layer))
    }
}

/// What is paired: the objects of one index with each other, or with those of another.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a, S, const D: usize> {
    sides: [Side<'a, S, D>; 2],
    are_one: bool,
}

impl<'a, S: Scalar, const D: usize> Sides<'a, S, D> {
    pub(super) fn within<T>(index: &'a SpatialIndex<T, S, D>) -> Self {
        Self { sides: [Side::of(index); 2], are_one: true }
    }

    /// How many buckets there are that may ask.
    fn buckets(&self) -> u32 {
        let of = |side: &Side<'a, S, D>| side.forest.points.buckets() + side.forest.rects.buckets();
        self.sides.iter().take(if self.are_one { 1 } else { 2 }).map(of).sum()
    }

    /// The bucket with a number among all that may ask: its side, and its first place.
    fn bucket(&self, mut number: u32) -> (usize, Place) {
        let mut side = 0;
        loop {
            let forest = self.sides[side].forest;
            for (kind, buckets) in [(Kind::Points, forest.points.buckets()), (Kind::Rects, forest.rects.buckets())] {
                if number < buckets {
                    return (side, Place::new(kind, BucketId(number), 0));
                }
                number -= buckets;
            }
            side += 1;
        }
    }
}

/// A bucket with entries that a query for pairs is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    /// Its first place.
    pub(super) bucket: Place,
    /// Which entries, as bits.
    pub(super) entries: u64,
}

/// Those entries of a bucket that are listed.
fn listed_of(listed: &[Listed], bucket: Place) -> u64 {
    listed.binary_search_by_key(&bucket, |of| of.bucket).map_or(0, |found| listed[found].entries)
}

/// Where a query for pairs stands.
#[derive(Clone, Copy)]
pub(super) struct Pairing<S, const D: usize> {
    /// The first object of each pair is in the first set of layers, the second in the second.
    between: [LayerSet; 2],
    nearness: Nearness<S>,
    /// The numbers of the buckets that are still to ask: of those that are listed, or of all.
    next_to_ask: u32,
    last_to_ask: u32,
    /// The bucket that asks, by its first place; its side and layer; and which of its entries ask.
    asking: Place,
    side: usize,
    layer: u8,
    asks: u64,
    question: Question<Intersecting, Rect<S, D>, S, D>,
    /// The layers that the asking bucket's layer asks, and those of them that the bucket has still to ask.
    partners: LayerSet,
    partners_left: LayerSet,
    /// The layer that is being asked.
    asked: u8,
    asked_kind: Kind,
    walk: Walk,
    /// The rest of the chain at hand.
    chain: BucketId,
    covered: bool,
    /// The bucket that is met, by its first place.
    met: Place,
    /// The entries that are still to be compared with the other bucket: of the one that is met, or of the one that asks.
    rows: u64,
    rows_are_met: bool,
    /// The entries of the other bucket that may be hit; if that is the same bucket, those behind the row in addition.
    columns: u64,
    /// Whether the bucket that asks gives the second object of each pair.
    is_flipped: bool,
    tile: Tile,
    level: Level,
}

impl<S: Scalar, const D: usize> Pairing<S, D> {
    /// All pairs, or those of which one object at least is listed.
    pub(super) fn new(sides: &Sides<'_, S, D>, listed: Option<&[Listed]>) -> Self {
        Self {
            between: [LayerSet::ALL; 2],
            nearness: Nearness::Touching,
            next_to_ask: 0,
            last_to_ask: listed.map_or_else(|| sides.buckets(), |listed| listed.len() as u32),
            asking: Place::NONE,
            side: 0,
            layer: 0,
            asks: 0,
            question: Question::new(sides.sides[0].grid, Rect::nowhere()),
            partners: LayerSet::NONE,
            partners_left: LayerSet::NONE,
            asked: 0,
            asked_kind: Kind::Points,
            walk: Walk::over(NodeId::NONE),
            chain: BucketId::NONE,
            covered: false,
            met: Place::NONE,
            rows: 0,
            rows_are_met: false,
            columns: 0,
            is_flipped: false,
            tile: Tile::EMPTY,
            level: level(),
        }
    }

    /// The next pair of places.
    #[inline]
    pub(super) fn next(&mut self, sides: &Sides<'_, S, D>, listed: Option<&[Listed]>) -> Option<[Place; 2]> {
        loop {
            if let Some(pair) = self.tile.next() {
                return Some(pair);
            }
            if !self.advance(sides, listed) {
                return None;
            }
        }
    }

    /// How many pairs are still to come.
    pub(super) fn count(&mut self, sides: &Sides<'_, S, D>, listed: Option<&[Listed]>) -> usize {
        let mut count = 0;
        loop {
            count += self.tile.pairs();
            if !self.advance(sides, listed) {
                return count;
            }
        }
    }

    /// Goes on to the next tile with hits; `false` when there is none.
    pub(super) fn advance(&mut self, sides: &Sides<'_, S, D>, listed: Option<&[Listed]>) -> bool {
        self.tile.clear();
        loop {
            if self.rows != 0 {
                if self.compare(sides) {
                    return true;
                }
            } else if !self.meet_next(sides, listed)
                && !self.ask_next_layer(sides)
                && !self.ask_next_bucket(sides, listed)
            {
                return false;
            }
        }
    }

    /// The side that is being asked.
    fn asked_side(&self, sides: &Sides<'_, S, D>) -> usize {
        if sides.are_one { 0 } else { 1 - self.side }
    }

    /// Whether one of the sides is asked about itself.
    fn asks_itself(&self, sides: &Sides<'_, S, D>) -> bool {
        sides.are_one && self.asked == self.layer
    }

    /// Goes on to the next bucket that asks.
    fn ask_next_bucket(&mut self, sides: &Sides<'_, S, D>, listed: Option<&[Listed]>) -> bool {
        while self.next_to_ask < self.last_to_ask {
            let number = self.next_to_ask;
            self.next_to_ask += 1;
            let (side, first, asks) = match listed {
                Some(listed) => {
                    let Listed { bucket, entries } = listed[number as usize];
                    (0, bucket, entries)
                }
                None => {
                    let (side, first) = sides.bucket(number);
                    (side, first, sides.sides[side].used(first))
                }
            };
            // Free ones have none.
            if asks == 0 {
                continue;
            }
            let layer = sides.sides[side].forest.layer_of(first);
            if (side, layer) != (self.side, self.layer) || self.asking == Place::NONE {
                (self.side, self.layer) = (side, layer);
                self.partners = self.partners(sides, listed.is_some());
            }
            (self.asking, self.asks) = (first, asks);
            if !self.partners.is_empty() {
                self.begin(sides, listed.is_some());
                return true;
            }
        }
        false
    }

    /// The layers that the layer at hand asks.
    fn partners(&self, sides: &Sides<'_, S, D>, is_listed: bool) -> LayerSet {
        let asked_side = self.asked_side(sides);
        let others = sides.sides[asked_side];
        let order = |side: usize, layer: u8| (sides.sides[side].len(layer), side, layer);
        let mut partners = LayerSet::NONE;
        let mut candidates = others.layers.living();
        while let Some(other) = candidates.pop() {
            let is_meant = self.are_between(sides, other).is_some();
            if is_meant && (is_listed || order(self.side, self.layer) <= order(asked_side, other)) {
                partners = partners | others.layers.id(usize::from(other));
            }
        }
        partners
    }

    /// Whether objects of the layer at hand are to be paired with those of another; and if so, whether they come second.
    fn are_between(&self, sides: &Sides<'_, S, D>, other: u8) -> Option<bool> {
        let is_straight = |[first, second]: [u8; 2]| self.between[0].has(first) && self.between[1].has(second);
        let pair = [self.layer, other];
        let flipped = [other, self.layer];
        match (sides.are_one, self.side) {
            (true, _) => is_straight(pair).then_some(false).or_else(|| is_straight(flipped).then_some(true)),
            (false, 0) => is_straight(pair).then_some(false),
            (false, _) => is_straight(flipped).then_some(true),
        }
    }

    /// Begins with a bucket that asks: with itself, if it is paired with its own layer.
    fn begin(&mut self, sides: &Sides<'_, S, D>, is_listed: bool) {
        let bounds = sides.sides[self.side].bounds(self.asking, (is_listed).then_some(self.asks), self.level);
        let grid = sides.sides[self.asked_side(sides)].grid;
        self.question = Question::new(grid, self.nearness.stretched(&bounds));
        self.partners_left = self.partners;
        if sides.are_one && self.partners.has(self.layer) {
            (self.asked, self.is_flipped) = (self.layer, false);
            self.met = self.asking;
            (self.rows, self.rows_are_met, self.columns) = (self.asks, false, !self.asks);
        }
    }

    /// Goes on to the next layer that the bucket at hand asks.
    fn ask_next_layer(&mut self, sides: &Sides<'_, S, D>) -> bool {
        let Some(layer) = self.partners_left.pop() else { return false };
        let side = sides.sides[self.asked_side(sides)];
        let (Some(kind), Some(is_flipped)) = (side.layers.kind_of_number(layer), self.are_between(sides, layer)) else {
            unreachable!("partners live, and are meant");
        };
        (self.asked, self.asked_kind, self.is_flipped) = (layer, kind, is_flipped);
        self.walk = Walk::over(with_trees!(side.forest, kind, |trees| trees.root(layer)));
        true
    }

    /// Goes on to the next bucket that comes near the one at hand.
    fn meet_next(&mut self, sides: &Sides<'_, S, D>, listed: Option<&[Listed]>) -> bool {
        let side = sides.sides[self.asked_side(sides)];
        with_trees!(side.forest, self.asked_kind, |trees| loop {
            if self.chain.is_none() {
                let Some(next) = self.walk.next_chain(trees, &self.question.over(side.grid)) else { return false };
                (self.chain, self.covered) = next;
            }
            let bucket = self.chain;
            self.chain = trees.next_in_chain(bucket);
            self.met = Place::new(self.asked_kind, bucket, 0);
            let comes_up_elsewhere = self.met == self.asking || (listed.is_none() && self.met < self.asking);
            if !(comes_up_elsewhere && self.asks_itself(sides)) && self.meet(sides, trees, listed) {
                return true;
            }
        })
    }

    /// Finds the rows to be compared of the bucket at hand and the one that it has come to; `false` if there are none.
    fn meet<B: Bucket<S, D>>(
        &mut self,
        sides: &Sides<'_, S, D>,
        trees: &Trees<B, S, D>,
        listed: Option<&[Listed]>,
    ) -> bool {
        let used = trees.head(self.met.bucket()).used;
        let bucket = trees.bucket(self.met.bucket());
        let mut coming_near = used;
        if !self.covered {
            coming_near = touching(self.level, bucket, used, self.question.region());
        }
        let mut columns = u64::MAX;
        if let Some(listed) = listed {
            columns = self.asks;
            if self.met < self.asking {
                coming_near &= !listed_of(listed, self.met);
            }
        }
        if coming_near == 0 {
            return false;
        }
        (self.rows, self.rows_are_met, self.columns) = (coming_near, true, columns);
        if coming_near.count_ones() > FEW {
            let shapes = positions(coming_near).map(|position| bucket.shape(position));
            let bounds = shapes.reduce(|a, b| a.union(&b)).unwrap_or_else(Rect::nowhere);
            let near = self.asks & sides.sides[self.side].touching(self.level, self.asking, &self.nearness.stretched(&bounds));
            if near.count_ones() < coming_near.count_ones() {
                (self.rows, self.rows_are_met, self.columns) = (near, false, coming_near);
            }
        }
        self.rows != 0
    }

    /// Compares the next rows of two buckets; `false` if there are no hits.
    fn compare(&mut self, sides: &Sides<'_, S, D>) -> bool {
        let asking = (sides.sides[self.side].forest, self.asking);
        let met = (sides.sides[self.asked_side(sides)].forest, self.met);
        let [rows, hits] = if self.rows_are_met { [met, asking] } else { [asking, met] };
        (self.tile.rows_in, self.tile.hits_in) = (rows.1, hits.1);
        self.tile.is_flipped = self.is_flipped != self.rows_are_met;
        let is_one = sides.are_one && self.met == self.asking;
        self.rows = with_trees!(rows.0, rows.1.kind(), |rows_of| {
            let rows_in = rows_of.bucket(rows.1.bucket());
            with_trees!(hits.0, hits.1.kind(), |trees| {
                let bucket = hits.1.bucket();
                let compare = Compare {
                    rows_in,
                    rows: self.rows,
                    bucket: trees.bucket(bucket),
                    used: trees.head(bucket).used,
                    columns: self.columns,
                    is_one,
                    nearness: &self.nearness,
                    tile: &mut self.tile,
                };
                dispatch(self.level, CompareIn::<_, _, S, D>(compare))
            })
        });
        !self.tile.is_empty()
    }
}

/// The entries of a bucket that share a point with a box, as bits.
fn touching<B: Bucket<S, D>, S: Scalar, const D: usize>(
    level: Level,
    bucket: &B,
    used: u64,
    region: &Rect<S, D>,
) -> u64 {
    dispatch(level, Touching { bucket, used, region })
}
