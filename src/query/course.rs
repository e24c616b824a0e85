//! How a cursor goes on in a layer while it has the index at hand: step by step, each of them counted.
//!
//! The plain query does without: it pays nothing for being able to stop, and is turned into a course when it does.

use alloc::vec::Vec;

use crate::geometry::{Level, Rect, Region, Scalar, Simd, Vectorized, dispatch, level};
use crate::grid::{Grid, UnitRange, comes_after};
use crate::index::SpatialIndex;
use crate::key::{BucketId, Handle, Kind, NodeId, Place};
use crate::layer::with_trees;
use crate::tree::{Bucket, Probe, Trees, Visit, Walk, positions};

use super::Predicate;
use super::probe::Question;
use super::state::Matches;

/// How many nodes and buckets may be visited, and how many have been.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meter {
    budget: usize,
    pub(super) visited: usize,
}

impl Meter {
    pub(super) fn new(budget: usize) -> Self {
        Self { budget, visited: 0 }
    }

    pub(super) fn endless() -> Self {
        Self::new(usize::MAX)
    }

    #[inline]
    pub(super) fn is_spent(&self) -> bool {
        self.budget <= self.visited
    }
}

/// What has become of a course.
#[derive(Clone, Copy, Debug)]
pub(super) enum Advance {
    /// It is at a bucket with hits.
    Hits,
    /// The budget is spent, and it has come further.
    Spent,
    /// There is nothing more in the layer.
    End,
}

/// Where a cursor stands in one layer while it has the index at hand.
#[derive(Clone, Debug)]
pub(super) struct Course<const D: usize> {
    pub(super) layer: u8,
    kind: Kind,
    /// How far in world order the layer was done when the course began.
    from: Option<[u32; D]>,
    walk: Walk,
    /// The rest of the chain at hand.
    chain: BucketId,
    /// Whether all of the chain matches untested.
    covered: bool,
    /// The first place in the bucket at hand.
    bucket: Place,
    /// The bucket's matches that are still to be yielded.
    hits: u64,
    excluded: Place,
    level: Level,
}

/// The question as a course puts it to its walk. A type of its own: one walk compiled for queries and courses would be
/// inlined in neither, and queries would pay for it.
struct Paced<Q>(Q);

impl<Q: Probe<D>, const D: usize> Probe<D> for Paced<Q> {
    const JUDGES: bool = Q::JUDGES;

    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        self.0.anchors(reach)
    }

    #[inline]
    fn covered(&self, reach: u32) -> UnitRange<D> {
        self.0.covered(reach)
    }

    #[inline]
    fn judge(&self, units: &UnitRange<D>, reach: u32, may_cover: bool) -> Option<bool> {
        self.0.judge(units, reach, may_cover)
    }
}

/// Testing one object.
struct Test<'a, P, R, S, const D: usize> {
    question: &'a Question<P, R, S, D>,
    object: Rect<S, D>,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Vectorized for Test<'_, P, R, S, D> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> bool {
        self.question.matches_one(&self.object, simd)
    }
}

/// Whether the object at a place, of that shape, matches.
pub(super) fn matches_at<T, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
    question: &Question<P, R, S, D>,
    index: &SpatialIndex<T, S, D>,
    place: Place,
    object: Rect<S, D>,
) -> bool {
    if P::TESTED {
        return dispatch(level(), Test { question, object });
    }
    with_trees!(index.forest, place.kind(), |trees| {
        trees.is_met(&question.over(&index.grid), trees.first_of(place.bucket()))
    })
}

impl<const D: usize> Course<D> {
    /// Begins in a layer behind a place in world order, or at the layer's first.
    pub(super) fn begin<T, S: Scalar>(
        index: &SpatialIndex<T, S, D>,
        (layer, kind): (u8, Kind),
        from: Option<[u32; D]>,
        excluded: Option<Handle>,
    ) -> Self {
        let walk = with_trees!(index.forest, kind, |trees| match from {
            Some(passed) if passed == [0; D] => Walk::over(NodeId::NONE),
            Some(passed) => Walk::after(trees, trees.root(layer), passed),
            None => Walk::over(trees.root(layer)),
        });
        Self {
            layer,
            kind,
            from,
            walk,
            chain: BucketId::NONE,
            covered: false,
            bucket: Place::NONE,
            hits: 0,
            excluded: excluded.and_then(|handle| index.store.place(handle)).unwrap_or(Place::NONE),
            level: level(),
        }
    }

    /// That of a query, if it is in a layer.
    pub(super) fn of_query(
        (layer, kind): (u8, Kind),
        walk: Walk,
        chain: BucketId,
        bucket: Place,
        hits: u64,
        excluded: Place,
    ) -> Option<Self> {
        if walk.is_over() && chain.is_none() && hits == 0 {
            return None;
        }
        Some(Self { layer, kind, from: None, walk, chain, covered: false, bucket, hits, excluded, level: level() })
    }

    /// The place of the next hit in the bucket at hand, if it has one.
    #[inline]
    pub(super) fn next_hit(&mut self) -> Option<Place> {
        if self.hits == 0 {
            return None;
        }
        let place = self.bucket.at(self.hits.trailing_zeros() as u8);
        self.hits &= self.hits - 1;
        Some(place)
    }

    /// Goes on to the next bucket with hits.
    pub(super) fn advance<T, P: Predicate, R: Region<S, D>, S: Scalar>(
        &mut self,
        question: &Question<P, R, S, D>,
        index: &SpatialIndex<T, S, D>,
        meter: &mut Meter,
    ) -> Advance {
        with_trees!(index.forest, self.kind, |trees| self.advance_in(question, &index.grid, trees, meter))
    }

    fn advance_in<P: Predicate, R: Region<S, D>, B: Bucket<S, D>, S: Scalar>(
        &mut self,
        question: &Question<P, R, S, D>,
        grid: &Grid<S, D>,
        trees: &Trees<B, S, D>,
        meter: &mut Meter,
    ) -> Advance {
        let probe = Paced(question.over(grid));
        loop {
            if meter.is_spent() && self.has_come_further(trees) {
                return Advance::Spent;
            }
            if self.chain.is_none() {
                match self.walk.next(trees, &probe) {
                    None => return Advance::End,
                    Some(Visit::Node(_)) => {
                        meter.visited += 1;
                        continue;
                    }
                    Some(Visit::Chain { first, covered }) => (self.chain, self.covered) = (first, covered),
                }
            }
            let bucket = self.chain;
            meter.visited += 1;
            // Asked first: the region is the user's, and may panic.
            self.hits = self.matches(question, grid, trees, bucket, self.covered);
            self.bucket = Place::new(B::KIND, bucket, 0);
            self.chain = trees.next_in_chain(bucket);
            if self.hits != 0 {
                return Advance::Hits;
            }
        }
    }

    /// The matches of a bucket that were not done before the course began, as bits.
    fn matches<P: Predicate, R: Region<S, D>, B: Bucket<S, D>, S: Scalar>(
        &self,
        question: &Question<P, R, S, D>,
        grid: &Grid<S, D>,
        trees: &Trees<B, S, D>,
        bucket: BucketId,
        covered: bool,
    ) -> u64 {
        let block = &trees.head(bucket).block;
        let hits = dispatch(self.level, Matches { question, trees, bucket, covered })
            & !self.excluded.bit_in(Place::new(B::KIND, bucket, 0));
        match self.from {
            // Only blocks and own lists around that place have entries on both sides of it.
            Some(from) if block.holds(from) => those_after(from, grid, trees, bucket, hits),
            _ => hits,
        }
    }

    /// How far in world order the layer is done.
    fn passed<B, S>(&self, trees: &Trees<B, S, D>) -> Option<[u32; D]> {
        let passed = self.walk.passed(trees);
        match (passed, self.from) {
            (Some(passed), Some(from)) if !comes_after(passed, from) => Some(from),
            (None, from) => from,
            _ => passed,
        }
    }

    fn has_come_further<B, S>(&self, trees: &Trees<B, S, D>) -> bool {
        self.passed(trees) != self.from
    }

    /// Ends the course before the layer's end. Adds what is owed to a list, the next one last, and says how far in world
    /// order the layer is done but for that.
    pub(super) fn halt<T, P: Predicate, R: Region<S, D>, S: Scalar>(
        mut self,
        question: &Question<P, R, S, D>,
        index: &SpatialIndex<T, S, D>,
        owed: &mut Vec<Handle>,
        meter: &mut Meter,
    ) -> Option<[u32; D]> {
        while let Some(place) = self.next_hit() {
            owed.push(index.forest.handle(place));
        }
        let passed = with_trees!(index.forest, self.kind, |trees| {
            let mut owe = |bucket, hits| {
                meter.visited += 1;
                owed.extend(positions(hits).map(|position| trees.bucket(bucket).handle(position)));
            };
            for bucket in trees.chain(self.chain) {
                owe(bucket, self.matches(question, &index.grid, trees, bucket, false));
            }
            let passed = self.passed(trees);
            if let Some(passed) = passed {
                let probe = question.over(&index.grid);
                let own_lists = self.walk.own_lists(trees).filter(|&own| trees.is_met(&probe, own));
                for bucket in own_lists.flat_map(|own| trees.chain(own)) {
                    let hits = self.matches(question, &index.grid, trees, bucket, false);
                    owe(bucket, hits & !those_after(passed, &index.grid, trees, bucket, hits));
                }
            }
            passed
        });
        owed.reverse();
        passed
    }
}

/// Those of a bucket's hits whose anchors come after a place in world order.
fn those_after<B: Bucket<S, D>, S: Scalar, const D: usize>(
    passed: [u32; D],
    grid: &Grid<S, D>,
    trees: &Trees<B, S, D>,
    bucket: BucketId,
    hits: u64,
) -> u64 {
    let anchor = |position| grid.address(&trees.bucket(bucket).shape(position)).anchor;
    positions(hits)
        .filter(|&position| comes_after(anchor(position), passed))
        .fold(0, |after, position| after | 1 << position)
}
