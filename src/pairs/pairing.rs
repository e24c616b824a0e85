//! The position of a query for pairs: plain data that borrows nothing.
//!
//! Sources look for partners one group at a time, in the order of the walk. The smallest box around the entries of a
//! source selects the groups of the target layers, and the source is compared with each of them. Of two layers, the
//! one with fewer objects is the source; of two groups of one layer, the one that comes first. So each pair of groups
//! is compared once. Where only some objects are sources, all others are targets, and of two sources the one with the
//! lower place finds the pair.
//!
//! A source whose entries lie far apart, beside how close the targets lie, meets far more groups than each of its
//! entries would. Once it has met so many, its entries look for the rest one by one.
//!
//! It does not know how two groups are compared. Keeps invariants Q11 and Q13 of `docs/invariants.md`.

#[cfg(feature = "rayon")]
use alloc::vec::Vec;

use super::at_hand::{SourceGroup, SourceLayer, TOGETHER, Target};
use super::bucket_pair::{BucketPair, Compare, Meeting, Quantize, Scan};
use super::course::{Course, Surroundings};
use super::crowds::Crowds;
use super::group::{Group, Storage};
use super::quantized::Quantized;
use super::sources::{Source, Task};
use crate::geometry::{Level, Proximity, Scalar, dispatch, level};
use crate::key::LayerSet;
use crate::space::Space;
use crate::tree::TreeId;

/// The position of a query for pairs.
#[derive(Clone, Copy)]
pub(super) struct Pairing<S, const D: usize> {
    /// The first object of each pair is in the first set of layers, the second in the second.
    between: [LayerSet; 2],
    /// `None` if no distance is close enough.
    pub(super) proximity: Option<Proximity<S>>,
    /// The part of the list of sources that is still to come.
    list: [u32; 2],
    /// The layers of each space that have not been sources.
    to_come: [LayerSet; 2],
    layer: SourceLayer,
    source: SourceGroup<S, D>,
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
            layer: SourceLayer { course: Course::NOWHERE, partners: LayerSet::NONE },
            source: SourceGroup {
                group: Group::NONE,
                all: 0,
                entries: 0,
                boxes: Quantized::none(),
                around: Surroundings::nowhere(),
                partners: LayerSet::NONE,
            },
            target: Target {
                course: Course::NOWHERE,
                is_flipped: false,
                met: Group::NONE,
                rows: 0,
                to_meet: u32::MAX,
                resumed: Course::NOWHERE,
                one_by_one: 0,
            },
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
        match self.are_between(task, self.target.course.tree.layer) {
            Some(is_flipped) if is_flipped == self.target.is_flipped => {}
            Some(is_flipped) => {
                self.target.is_flipped = is_flipped;
                self.found.flip();
            }
            None => {
                self.target.course.end();
                (self.target.rows, self.target.one_by_one, self.target.to_meet) = (0, 0, u32::MAX);
                self.found.clear();
            }
        }
    }

    /// Lists the sources that are still to come, where all buckets are sources. From then on, the list is used.
    #[cfg(feature = "rayon")]
    pub(super) fn list_rest(&mut self, task: &Task<'_, '_, S, D>, crowds: &mut Crowds<S, D>) -> Vec<Source> {
        let mut rest = *self;
        let list: Vec<_> = core::iter::from_fn(|| rest.next_source(task, crowds)).collect();
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
    pub(super) fn count(&mut self, task: &Task<'_, '_, S, D>, crowds: &mut Crowds<S, D>) -> usize {
        let mut count = self.found.len();
        while self.advance(task, crowds) {
            count += self.found.len();
        }
        count
    }

    /// Advances to the next two groups with pairs; `false` when there are none.
    pub(super) fn advance(&mut self, task: &Task<'_, '_, S, D>, crowds: &mut Crowds<S, D>) -> bool {
        let Some(proximity) = self.proximity else { return false };
        loop {
            if self.target.rows != 0 {
                self.compare(&proximity, task, crowds);
                if !self.found.is_empty() {
                    return true;
                }
            } else if !self.meet_next(task, crowds)
                && !self.begin_entry(&proximity, task, crowds)
                && !self.begin_target(&proximity, task, crowds)
                && !self.begin_source(&proximity, task, crowds)
            {
                self.found.clear();
                return false;
            }
        }
    }

    /// The index of the target's space in the task.
    fn target_side(&self, task: &Task<'_, '_, S, D>) -> usize {
        if task.are_one { 0 } else { 1 - self.layer.course.side }
    }

    /// Begins the next source with the pairs among its own entries, if these are requested.
    fn begin_source(&mut self, proximity: &Proximity<S>, task: &Task<'_, '_, S, D>, crowds: &mut Crowds<S, D>) -> bool {
        let Some(Source { group, entries, .. }) = self.next_source(task, crowds) else { return false };
        (self.source.group, self.source.all) = (group, entries);
        self.source.partners = self.layer.partners;
        self.look_for_partners_of(entries, proximity, task, crowds);
        let Course { side, tree: TreeId { layer, .. }, .. } = self.layer.course;
        if task.are_one && self.layer.partners.has(layer) {
            (self.target.course.tree.layer, self.target.is_flipped) = (layer, false);
            (self.target.met, self.target.rows) = (group, crowds.used(task.spaces[side], group));
        }
        true
    }

    /// Makes some of the source's entries look for partners, by their quantized bounds.
    fn look_for_partners_of(
        &mut self,
        entries: u64,
        proximity: &Proximity<S>,
        task: &Task<'_, '_, S, D>,
        crowds: &Crowds<S, D>,
    ) {
        let SourceGroup { group, boxes, .. } = &mut self.source;
        let space = task.spaces[self.layer.course.side];
        let storage = crowds.storage(space, *group);
        let bounds = if entries.is_power_of_two() {
            storage.shape(entries.trailing_zeros() as u8)
        } else {
            let used = crowds.used(space, *group);
            match storage {
                Storage::Points(bucket) => dispatch(self.level, Quantize { bucket, used, entries, boxes }),
                Storage::Rects(bucket) => dispatch(self.level, Quantize { bucket, used, entries, boxes }),
            }
            *boxes.bounds()
        };
        let region = proximity.stretched(&bounds);
        let units = task.spaces[self.target_side(task)].grid().range(&region);
        (self.source.entries, self.source.around) = (entries, Surroundings { region, units });
    }

    /// The next source, and its layer.
    fn next_source(&mut self, task: &Task<'_, '_, S, D>, crowds: &mut Crowds<S, D>) -> Option<Source> {
        if let Some(list) = task.sources.list() {
            return self.next_in_list(list, task, crowds);
        }
        loop {
            let course = &mut self.layer.course;
            let (side, space) = (course.side, task.spaces[course.side]);
            if let Some(group) = course.next_of_all(space, crowds) {
                return Some(Source { side: side as u8, group, entries: crowds.used(space, group) });
            }
            if !self.begin_source_layer(task) {
                return None;
            }
        }
    }

    fn next_in_list(&mut self, list: &[Source], task: &Task<'_, '_, S, D>, crowds: &Crowds<S, D>) -> Option<Source> {
        loop {
            let [next, end] = self.list;
            if next == end {
                return None;
            }
            self.list[0] += 1;
            let source = list[next as usize];
            let side = usize::from(source.side);
            let bucket = crowds.bucket_of(source.group);
            let tree = task.spaces[side].forest.tree_of(bucket);
            let course = &mut self.layer.course;
            if (side, tree.layer) != (course.side, course.tree.layer) || self.source.group == Group::NONE {
                (course.side, course.tree) = (side, TreeId::main(tree.kind, tree.layer));
                self.layer.partners = self.partners(task);
            }
            if !self.layer.partners.is_empty() {
                self.layer.course.tree = tree;
                return Some(source);
            }
        }
    }

    /// Moves on to the next layer whose groups are sources; `false` when there is none.
    fn begin_source_layer(&mut self, task: &Task<'_, '_, S, D>) -> bool {
        if let Some(next) = self.layer.course.next_tree(task.spaces[self.layer.course.side]) {
            self.layer.course = next;
            return true;
        }
        for (side, space) in task.spaces.iter().enumerate() {
            while let Some((layer, kind)) = space.next_layer(&mut self.to_come[side]) {
                self.layer.course = Course::over(space, side, TreeId::main(kind, layer), true);
                self.layer.partners = self.partners(task);
                if !self.layer.partners.is_empty() {
                    return true;
                }
                self.layer.course.end();
            }
        }
        false
    }

    /// The layers that the source layer is paired with.
    fn partners(&self, task: &Task<'_, '_, S, D>) -> LayerSet {
        let Course { side, tree: TreeId { layer, .. }, .. } = self.layer.course;
        let target_side = self.target_side(task);
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
        let Course { side, tree: TreeId { layer, .. }, .. } = self.layer.course;
        let are = |first: u8, second: u8| self.between[0].has(first) && self.between[1].has(second);
        let is_straight = (task.are_one || side == 0) && are(layer, other);
        let is_flipped = (task.are_one || side == 1) && are(other, layer);
        (is_straight || is_flipped).then_some(!is_straight)
    }

    /// Moves on to the next target layer of the source at hand.
    fn begin_target(&mut self, proximity: &Proximity<S>, task: &Task<'_, '_, S, D>, crowds: &mut Crowds<S, D>) -> bool {
        let side = self.target_side(task);
        let space = task.spaces[side];
        loop {
            let (course, is_flipped) = if let Some(course) = self.target.course.next_tree(space) {
                (course, self.target.is_flipped)
            } else {
                let Some((layer, kind)) = space.next_layer(&mut self.source.partners) else { return false };
                let Some(is_flipped) = self.are_between(task, layer) else { continue };
                let is_own = task.are_one && layer == self.layer.course.tree.layer;
                let is_rest = is_own && !task.sources.are_some();
                let own = is_rest.then_some((self.layer.course.tree, self.source.group));
                let Course { side: source_side, tree: TreeId { layer: source_layer, .. }, .. } = self.layer.course;
                let sorts = is_rest || task.has_many_sources(source_side, source_layer);
                (Course::of_targets(space, (side, layer, kind), own, sorts, crowds), is_flipped)
            };
            let is_own = task.are_one && course.tree.layer == self.layer.course.tree.layer;
            (self.target.course, self.target.is_flipped) = (course, is_flipped);
            if self.source.entries != self.source.all {
                self.look_for_partners_of(self.source.all, proximity, task, crowds);
            }
            self.target.met = Group::NONE;
            self.target.to_meet = self.together(is_own, course, space, crowds);
            return true;
        }
    }

    /// Moves on to the next group that the bounds of the source select.
    fn meet_next(&mut self, task: &Task<'_, '_, S, D>, crowds: &mut Crowds<S, D>) -> bool {
        let (space, level) = (task.spaces[self.target_side(task)], self.level);
        let Target { course, met, rows, to_meet, .. } = &mut self.target;
        let region = &self.source.around.region;
        loop {
            // A single entry would meet the buckets of a chain too.
            let is_counted = !course.is_in_chain();
            if is_counted && *to_meet == 0 {
                return false;
            }
            let Some(group) = course.next_around(space, &self.source.around, crowds) else { return false };
            if task.are_one && group == self.source.group {
                continue;
            }
            *to_meet -= u32::from(is_counted);
            let entries = crowds.used(space, group);
            *rows = match crowds.storage(space, group) {
                Storage::Points(bucket) => dispatch(level, Meeting { bucket, entries, region }),
                Storage::Rects(bucket) => dispatch(level, Meeting { bucket, entries, region }),
            };
            *met = group;
            if *rows != 0 && task.sources.are_some() {
                *rows &= !task.sources.found_elsewhere(group, *rows, self.source.group, crowds);
            }
            #[cfg(test)]
            {
                self.found.visits[0] += 1;
            }
            if *rows != 0 {
                return true;
            }
        }
    }

    /// How many groups of a layer the source's entries meet together, before they go on one by one: none if the first
    /// block that they meet shows that they would meet far more.
    fn together(&self, is_own: bool, course: Course, space: &Space<S, D>, crowds: &mut Crowds<S, D>) -> u32 {
        if self.source.all.is_power_of_two() {
            return u32::MAX;
        }
        let limit = TOGETHER + self.source.all.count_ones() / 2;
        // Groups of one layer lie about as close as their entries.
        if is_own || course.met_like_next(space, &self.source.around, crowds) < f64::from(limit) { limit } else { 0 }
    }

    /// Begins with the next entry of a source that goes on entry by entry.
    fn begin_entry(&mut self, proximity: &Proximity<S>, task: &Task<'_, '_, S, D>, crowds: &Crowds<S, D>) -> bool {
        let space = task.spaces[self.target_side(task)];
        let target = &mut self.target;
        if target.to_meet == 0 {
            target.one_by_one = self.source.all;
            target.resumed = if target.met == Group::NONE {
                target.course
            } else {
                target.course.again(space, crowds.bucket_of(target.met))
            };
        }
        if target.one_by_one == 0 {
            return false;
        }
        let entry = target.one_by_one & target.one_by_one.wrapping_neg();
        target.one_by_one ^= entry;
        (target.course, target.to_meet) = (target.resumed, u32::MAX);
        self.look_for_partners_of(entry, proximity, task, crowds);
        true
    }

    /// Compares the next rows of the target's group with the source.
    fn compare(&mut self, proximity: &Proximity<S>, task: &Task<'_, '_, S, D>, crowds: &Crowds<S, D>) {
        let Target { met, rows, is_flipped, .. } = self.target;
        let SourceGroup { group, entries, boxes, .. } = &self.source;
        let target = crowds.storage(task.spaces[self.target_side(task)], met);
        let source = crowds.storage(task.spaces[self.layer.course.side], *group);
        let (found, level) = (&mut self.found, self.level);
        let (columns, is_one) = (*entries, task.are_one && met == *group);
        if columns.is_power_of_two() {
            let position = columns.trailing_zeros() as u8;
            let (shape, is_point) = (source.shape(position), matches!(source, Storage::Points(_)));
            let columns = if is_one { rows & !columns } else { rows };
            let hits = match target {
                Storage::Points(bucket) => dispatch(level, Scan { shape, is_point, bucket, columns, proximity }),
                Storage::Rects(bucket) => dispatch(level, Scan { shape, is_point: false, bucket, columns, proximity }),
            };
            found.begin(*group, met, !is_flipped);
            found.set_only_row(position, hits);
            self.target.rows = 0;
            return;
        }
        found.begin(met, *group, is_flipped);
        macro_rules! compare {
            ($rows_in:expr, $bucket:expr) => {{
                let (rows_in, bucket) = ($rows_in, $bucket);
                dispatch(level, Compare { rows_in, rows, bucket, columns, boxes, is_one, proximity, found })
            }};
        }
        self.target.rows = match (target, source) {
            (Storage::Points(rows_in), Storage::Points(bucket)) => compare!(rows_in, bucket),
            (Storage::Points(rows_in), Storage::Rects(bucket)) => compare!(rows_in, bucket),
            (Storage::Rects(rows_in), Storage::Points(bucket)) => compare!(rows_in, bucket),
            (Storage::Rects(rows_in), Storage::Rects(bucket)) => compare!(rows_in, bucket),
        };
    }
}
