//! The position of a query for pairs: plain data that borrows nothing.
//!
//! Sources look for partners one bucket at a time, in the order of the walk. The smallest box around the entries of a
//! source selects the buckets of the target layers, and the source is compared with each of them. Of two layers, the
//! one with fewer objects is the source; of two buckets of one layer, the one that the walk comes to first. So each
//! pair of buckets is compared once. Where only some objects are sources, all others are targets, and of two sources
//! the one with the lower place finds the pair.
//!
//! It does not know how two buckets are compared. Keeps invariants Q11 and Q13 of `docs/invariants.md`.

#[cfg(feature = "rayon")]
use alloc::vec::Vec;

use super::bucket_pair::{BucketPair, Compare, Quantize};
use super::quantized::Quantized;
use super::sources::{Source, Task};
use crate::geometry::{Level, Proximity, Scalar, dispatch, level};
use crate::grid::UnitRange;
use crate::key::{BucketId, Kind, LayerSet, Place};
use crate::tree::{Everything, Probe, Walk, with_trees};

/// The probe of a source: it selects the units in which the anchors of objects may lie that meet its bounds.
struct Surroundings<const D: usize> {
    units: UnitRange<D>,
}

impl<const D: usize> Probe<D> for Surroundings<D> {
    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        UnitRange { min: self.units.min.map(|first| first.saturating_sub(reach)), max: self.units.max }
    }

    #[inline]
    fn covered(&self, _: u32) -> UnitRange<D> {
        // Every bucket is compared, so none is covered.
        UnitRange::nowhere()
    }
}

/// A layer, and the part of its chains that is to come.
#[derive(Clone, Copy)]
struct Course {
    layer: u8,
    kind: Kind,
    walk: Walk,
    /// The rest of the chain at hand.
    chain: Option<BucketId>,
}

impl Course {
    const NOWHERE: Self = Self { layer: 0, kind: Kind::Points, walk: Walk::NOWHERE, chain: None };

    /// Skips everything that is to come.
    fn end(&mut self) {
        (self.walk, self.chain) = (Walk::NOWHERE, None);
    }
}

/// The layer whose buckets are the sources.
#[derive(Clone, Copy)]
struct SourceLayer {
    /// The index of its space in the task.
    side: usize,
    course: Course,
    /// The layers that it is paired with.
    partners: LayerSet,
}

/// The bucket that is the source.
#[derive(Clone, Copy)]
struct SourceBucket<S, const D: usize> {
    /// Its first place.
    place: Place,
    entries: u64,
    boxes: Quantized<S, D>,
    /// The units of the entries' bounds, stretched by the distance.
    units: UnitRange<D>,
    /// The target layers that are still to come.
    partners: LayerSet,
}

/// The target: the layer that is searched for partners.
#[derive(Clone, Copy)]
struct Target {
    course: Course,
    /// Whether the source has the second object of each pair.
    is_flipped: bool,
    /// The bucket that is compared, by its first place, and its entries that are still to be compared.
    met: Place,
    rows: u64,
}

/// The position of a query for pairs.
#[derive(Clone, Copy)]
pub(super) struct Pairing<S, const D: usize> {
    /// The first object of each pair is in the first set of layers, the second in the second.
    between: [LayerSet; 2],
    /// `None` if no distance is close enough.
    proximity: Option<Proximity<S>>,
    /// The part of the list of sources that is still to come.
    list: [u32; 2],
    /// The layers of each space that have not been sources.
    to_come: [LayerSet; 2],
    layer: SourceLayer,
    source: SourceBucket<S, D>,
    target: Target,
    pub(super) found: BucketPair,
    level: Level,
}

impl<S: Scalar, const D: usize> Pairing<S, D> {
    pub(super) fn new(between: [LayerSet; 2], proximity: Option<Proximity<S>>, task: &Task<'_, '_, S, D>) -> Self {
        let (list, to_come) = match task.sources.list() {
            Some(list) => ([0, list.len() as u32], [LayerSet::NONE; 2]),
            None => ([0; 2], [LayerSet::ALL, if task.are_one { LayerSet::NONE } else { LayerSet::ALL }]),
        };
        Self {
            between,
            proximity,
            list,
            to_come,
            layer: SourceLayer { side: 0, course: Course::NOWHERE, partners: LayerSet::NONE },
            source: SourceBucket {
                place: Place::NONE,
                entries: 0,
                boxes: Quantized::none(),
                units: UnitRange { min: [0; D], max: [0; D] },
                partners: LayerSet::NONE,
            },
            target: Target { course: Course::NOWHERE, is_flipped: false, met: Place::NONE, rows: 0 },
            found: BucketPair::EMPTY,
            level: level(),
        }
    }

    pub(super) fn between(&self) -> [LayerSet; 2] {
        self.between
    }

    /// Restricts the layers of the first and the second objects further.
    pub(super) fn restrict(&mut self, layers: [LayerSet; 2], task: &Task<'_, '_, S, D>) {
        self.between = [self.between[0] & layers[0], self.between[1] & layers[1]];
        self.layer.partners = self.partners(task);
        self.source.partners = self.source.partners & self.layer.partners;
        if self.layer.partners.is_empty() {
            self.layer.course.end();
        }
        match self.are_between(task, self.target.course.layer) {
            Some(is_flipped) if is_flipped == self.target.is_flipped => {}
            Some(is_flipped) => {
                self.target.is_flipped = is_flipped;
                self.found.flip();
            }
            None => {
                self.target.course.end();
                self.target.rows = 0;
                self.found = BucketPair::EMPTY;
            }
        }
    }

    /// Lists the sources that are still to come, where all buckets are sources. From then on, the list is used.
    #[cfg(feature = "rayon")]
    pub(super) fn list_rest(&mut self, task: &Task<'_, '_, S, D>) -> Vec<Source> {
        let mut rest = *self;
        let list: Vec<_> = core::iter::from_fn(|| rest.next_source(task)).collect();
        self.layer.course.end();
        self.to_come = [LayerSet::NONE; 2];
        self.list = [0, list.len() as u32];
        list
    }

    /// Splits off the second half of the list, if there is more than one source left.
    #[cfg(feature = "rayon")]
    pub(super) fn split(&mut self, task: &Task<'_, '_, S, D>) -> Option<Self> {
        let [next, end] = self.list;
        let half = (end - next) / 2;
        (half > 0).then(|| {
            self.list[1] = next + half;
            Self { list: [next + half, end], ..Self::new(self.between, self.proximity, task) }
        })
    }

    /// The number of pairs that are still to come.
    pub(super) fn count(&mut self, task: &Task<'_, '_, S, D>) -> usize {
        let mut count = self.found.len();
        while self.advance(task) {
            count += self.found.len();
        }
        count
    }

    /// Advances to the next two buckets with pairs; `false` when there are none.
    pub(super) fn advance(&mut self, task: &Task<'_, '_, S, D>) -> bool {
        let Some(proximity) = self.proximity else { return false };
        loop {
            if self.target.rows != 0 {
                self.compare(&proximity, task);
                if !self.found.is_empty() {
                    return true;
                }
            } else if !self.meet_next(task) && !self.begin_target(task) && !self.begin_source(&proximity, task) {
                self.found = BucketPair::EMPTY;
                return false;
            }
        }
    }

    /// The index of the target's space in the task.
    fn target_side(&self, task: &Task<'_, '_, S, D>) -> usize {
        if task.are_one { 0 } else { 1 - self.layer.side }
    }

    /// Begins the next source with the pairs among its own entries, if these are requested.
    fn begin_source(&mut self, proximity: &Proximity<S>, task: &Task<'_, '_, S, D>) -> bool {
        let Some(Source { bucket: place, entries, .. }) = self.next_source(task) else { return false };
        let Course { layer, kind, .. } = self.layer.course;
        let used = with_trees!(task.spaces[self.layer.side].forest, kind, |trees| {
            let (bucket, used) = (trees.arena().bucket(place.bucket()), trees.arena().head(place.bucket()).used);
            dispatch(self.level, Quantize { bucket, used, entries, boxes: &mut self.source.boxes });
            used
        });
        (self.source.place, self.source.entries) = (place, entries);
        let region = proximity.stretched(self.source.boxes.bounds());
        self.source.units = task.spaces[self.target_side(task)].grid().range(&region);
        self.source.partners = self.layer.partners;
        if task.are_one && self.layer.partners.has(layer) {
            (self.target.course.layer, self.target.is_flipped) = (layer, false);
            (self.target.met, self.target.rows) = (place, used);
        }
        true
    }

    /// The next source, and its layer.
    fn next_source(&mut self, task: &Task<'_, '_, S, D>) -> Option<Source> {
        if let Some(list) = task.sources.list() {
            return self.next_in_list(list, task);
        }
        loop {
            let SourceLayer { side, course, .. } = &mut self.layer;
            let kind = course.kind;
            let next = with_trees!(task.spaces[*side].forest, kind, |trees| {
                let arena = trees.arena();
                let first = || course.walk.next_chain(arena, &Everything).map(|(first, _)| first);
                course.chain.take().or_else(first).map(|bucket| {
                    course.chain = arena.next_in_chain(bucket);
                    let entries = arena.head(bucket).used;
                    Source { side: *side as u8, bucket: Place::new(kind, bucket, 0), entries }
                })
            });
            if next.is_some() {
                return next;
            }
            if !self.begin_source_layer(task) {
                return None;
            }
        }
    }

    fn next_in_list(&mut self, list: &[Source], task: &Task<'_, '_, S, D>) -> Option<Source> {
        loop {
            let [next, end] = self.list;
            if next == end {
                return None;
            }
            self.list[0] += 1;
            let source = list[next as usize];
            let side = usize::from(source.side);
            let layer = task.spaces[side].forest.layer_of(source.bucket);
            let course = &mut self.layer.course;
            if (side, layer) != (self.layer.side, course.layer) || self.source.place == Place::NONE {
                (course.layer, course.kind) = (layer, source.bucket.kind());
                self.layer.side = side;
                self.layer.partners = self.partners(task);
            }
            if !self.layer.partners.is_empty() {
                return Some(source);
            }
        }
    }

    /// Moves on to the next layer whose buckets are sources; `false` when there is none.
    fn begin_source_layer(&mut self, task: &Task<'_, '_, S, D>) -> bool {
        for (side, space) in task.spaces.iter().enumerate() {
            while let Some((layer, kind)) = space.next_layer(&mut self.to_come[side]) {
                (self.layer.side, self.layer.course.layer, self.layer.course.kind) = (side, layer, kind);
                self.layer.partners = self.partners(task);
                if !self.layer.partners.is_empty() {
                    self.layer.course.walk = Walk::over(space.forest.root(kind, layer));
                    return true;
                }
            }
        }
        false
    }

    /// The layers that the source layer is paired with.
    fn partners(&self, task: &Task<'_, '_, S, D>) -> LayerSet {
        let (side, layer, target_side) = (self.layer.side, self.layer.course.layer, self.target_side(task));
        let others = task.spaces[target_side];
        let order = |side: usize, layer: u8| (task.spaces[side].len_in(LayerSet::of_number(layer)), side, layer);
        let (mut partners, mut candidates) = (LayerSet::NONE, others.layers.living());
        while let Some(other) = candidates.pop() {
            let is_source = task.sources.are_some() || order(side, layer) <= order(target_side, other);
            if is_source && self.are_between(task, other).is_some() {
                partners = partners | LayerSet::of_number(other);
            }
        }
        partners
    }

    /// Whether objects of the source layer are paired with those of another layer; if so, whether they come second.
    fn are_between(&self, task: &Task<'_, '_, S, D>, other: u8) -> Option<bool> {
        let (side, layer) = (self.layer.side, self.layer.course.layer);
        let are = |first: u8, second: u8| self.between[0].has(first) && self.between[1].has(second);
        let is_straight = (task.are_one || side == 0) && are(layer, other);
        let is_flipped = (task.are_one || side == 1) && are(other, layer);
        (is_straight || is_flipped).then_some(!is_straight)
    }

    /// Moves on to the next target layer of the source at hand.
    fn begin_target(&mut self, task: &Task<'_, '_, S, D>) -> bool {
        let space = task.spaces[self.target_side(task)];
        while let Some((layer, kind)) = space.next_layer(&mut self.source.partners) {
            let Some(is_flipped) = self.are_between(task, layer) else { continue };
            let mut course = Course { layer, kind, walk: Walk::over(space.forest.root(kind, layer)), chain: None };
            if task.are_one && layer == self.layer.course.layer && !task.sources.are_some() {
                let bucket = self.source.place.bucket();
                with_trees!(space.forest, kind, |trees| {
                    course.chain = trees.arena().next_in_chain(bucket);
                    course.walk = Walk::after_chain(trees.arena(), trees.root(layer), bucket);
                });
            }
            (self.target.course, self.target.is_flipped) = (course, is_flipped);
            return true;
        }
        false
    }

    /// Moves on to the next bucket that the bounds of the source select.
    fn meet_next(&mut self, task: &Task<'_, '_, S, D>) -> bool {
        let space = task.spaces[self.target_side(task)];
        let Target { course, met, rows, .. } = &mut self.target;
        with_trees!(space.forest, course.kind, |trees| {
            let arena = trees.arena();
            let around = Surroundings { units: self.source.units };
            loop {
                let first = || course.walk.next_chain(arena, &around).map(|(first, _)| first);
                let Some(bucket) = course.chain.take().or_else(first) else { return false };
                course.chain = arena.next_in_chain(bucket);
                *met = Place::new(course.kind, bucket, 0);
                if task.are_one && *met == self.source.place {
                    continue;
                }
                *rows = arena.head(bucket).used & !task.sources.entries_before(*met, self.source.place);
                if *rows != 0 {
                    return true;
                }
            }
        })
    }

    /// Compares the next rows of the target's bucket with the source.
    fn compare(&mut self, proximity: &Proximity<S>, task: &Task<'_, '_, S, D>) {
        let Target { met, rows, is_flipped, .. } = self.target;
        let SourceBucket { place, entries, boxes, .. } = &self.source;
        self.found.begin(met, *place, is_flipped);
        let is_one = task.are_one && met == *place;
        let [of_source, of_met] = [self.layer.side, self.target_side(task)].map(|side| &task.spaces[side].forest);
        self.target.rows = with_trees!(of_met, met.kind(), |trees| {
            let rows_in = trees.arena().bucket(met.bucket());
            with_trees!(of_source, place.kind(), |trees| {
                let bucket = trees.arena().bucket(place.bucket());
                let found = &mut self.found;
                dispatch(
                    self.level,
                    Compare { rows_in, rows, bucket, columns: *entries, boxes, is_one, proximity, found },
                )
            })
        });
    }
}
