//! The search for pairs: its position, from which it goes on to the next two groups with pairs.
//!
//! It is a nested loop. Sources look for partners one group at a time. The smallest box around the entries of a source,
//! stretched by the distance, is its window: it selects the groups of the target layers that the source is compared
//! with. Of two layers, the one with fewer objects is the source; of two groups of one layer, the one that comes first.
//! So each pair of groups is compared once. If only some objects are sources, all objects are targets. The source with
//! the lower place then finds a pair of two sources.
//!
//! The entries of a source may lie far apart, compared to the targets. Then the source meets far more groups than each
//! of its entries would. Once it has met too many, its entries look for the rest one by one.
//!
//! It does not know how two groups are compared. Keeps invariants Q11 and Q13 of `docs/invariants.md`.

use alloc::boxed::Box;
#[cfg(feature = "rayon")]
use core::ops::Range;

use super::bucket_pair::{BucketPair, Comparison, hits_of};
use super::group_walk::{GroupWalk, Window};
use super::images::{SourceImages, source_entries};
use super::quantized::Quantized;
use super::sides::{Group, Sides};
use super::sources::{Source, Sources};
use super::target::Target;
use crate::geometry::{Level, PeriodicSpace, Proximity, Scalar, level};
use crate::key::{Kind, LayerSet, Place};

/// All entries of a source together look for partners in at most this many groups, and one more for every two entries.
/// Beyond that it is cheaper to test the entries one by one.
const TOGETHER: u32 = 8;

/// The position of a search for pairs.
#[derive(Clone)]
pub(super) struct PairSearch<'a, 'b, S, const D: usize> {
    pub(super) sides: Sides<'a, 'b, S, D>,
    distance: S,
    proximity: Proximity<S>,
    sources: Sources,
    source: Source,
    /// The entries of the source that look for partners: all, or one. Their bounds, quantized if several; their window.
    looking: u64,
    boxes: Quantized<S, D>,
    window: Window<S, D>,
    /// The layers where the source has not looked for partners.
    partners: LayerSet,
    target: Target,
    pub(super) found: BucketPair,
    /// Whether the pairs are only counted.
    pub(super) is_count: bool,
    level: Level,
    /// Pairs of two sources are found by that in the lower place. The place of the source here, or above all places where
    /// no other source finds any.
    finder: Option<Place>,
    /// A periodic world, the images of the source in it if it may need them, and whether it is in one.
    world: Option<PeriodicSpace<S, D>>,
    images: Option<Box<SourceImages<S, D>>>,
    is_away: bool,
}

impl<'a, 'b, S: Scalar, const D: usize> PairSearch<'a, 'b, S, D> {
    pub(super) fn new(sides: Sides<'a, 'b, S, D>, proximity: Proximity<S>, sources: Sources) -> Self {
        Self {
            sides,
            distance: S::from(0),
            proximity,
            sources,
            source: Source::NONE,
            looking: 0,
            boxes: Quantized::none(),
            window: Window::everywhere(),
            partners: LayerSet::NONE,
            target: Target::none(0),
            found: BucketPair::default(),
            is_count: false,
            level: level(),
            finder: None,
            world: None,
            images: None,
            is_away: false,
        }
    }

    /// Begins again, with another distance.
    pub(super) fn restart(&mut self, distance: S) {
        let (mut sources, proximity) = (self.sources.restarted(self.sides.are_one), Proximity::within(distance));
        if proximity.is_none() {
            sources.end();
        }
        let new = Self::new(self.sides, proximity.unwrap_or(Proximity::Touching), sources);
        *self = Self { distance, ..new }.in_world(self.world);
    }

    /// Begins again, in a periodic world if there is one.
    pub(super) fn wrap(&mut self, world: PeriodicSpace<S, D>) {
        self.world = Some(world);
        self.restart(self.distance);
    }

    fn in_world(self, world: Option<PeriodicSpace<S, D>>) -> Self {
        let images = world.and_then(|world| SourceImages::new(world, self.distance)).map(Box::new);
        Self { world, images, ..self }
    }

    /// Restricts the layers of the first and the second objects further.
    pub(super) fn restrict(&mut self, [first, second]: [LayerSet; 2]) {
        let layers = &mut self.sides.layers;
        *layers = [layers[0] & first, layers[1] & second];
        self.sources.restrict(&self.sides);
        let Source { layer, group, .. } = self.source;
        match self.sides.are_paired(group.side, layer, self.target.layer) {
            Some(is_flipped) if is_flipped == self.target.is_flipped => {}
            Some(is_flipped) => {
                self.target.is_flipped = is_flipped;
                self.found.flip();
            }
            None => {
                self.target = Target::none(self.target.layer);
                self.found.clear();
            }
        }
    }

    /// Lists the sources that are still to come, and returns their numbers.
    #[cfg(feature = "rayon")]
    pub(super) fn list_sources(&mut self) -> Range<usize> {
        self.sources.list(&self.sides);
        self.sources.rest.clone()
    }

    /// The search for the partners of some listed sources. With the first of them, it goes on where this one stands.
    #[cfg(feature = "rayon")]
    pub(super) fn part(&self, sources: Range<usize>) -> Self {
        let (goes_on, of) = (sources.start == self.sources.rest.start, self.sources.part(sources));
        if goes_on {
            return Self { sources: of, ..self.clone() };
        }
        let new = Self { distance: self.distance, ..Self::new(self.sides, self.proximity, of) };
        new.in_world(self.world)
    }

    /// The number of pairs in the next two groups; `None` if no more are compared.
    pub(super) fn count_next(&mut self) -> Option<usize> {
        if self.found.is_empty() {
            if self.target.left == 0 && !self.next_group() {
                return None;
            }
            if let Some(all) = self.count_all() {
                return Some(all);
            }
            self.compare();
        }
        let count = self.found.len();
        self.found.clear();
        Some(count)
    }

    /// The number of pairs in the target's group, without a comparison, if all entries are near to all that look.
    fn count_all(&mut self) -> Option<usize> {
        let Proximity::Within(within) = &self.proximity else { return None };
        let (own, Target { group, left, .. }) = (&self.boxes.bounds, self.target);
        if self.is_away || group == self.source.group || !within.holds_for_all(own, own) {
            return None;
        }
        let (bucket, used) = self.sides.entries(group);
        within.holds_for_all(own, &bucket.bounds(used)).then(|| {
            self.target.left = 0;
            (left.count_ones() * self.looking.count_ones()) as usize
        })
    }

    /// Goes on to the next two groups with pairs; `false` if there are none.
    pub(super) fn advance(&mut self) -> bool {
        while self.target.left != 0 || self.next_group() {
            self.compare();
            if !self.found.is_empty() {
                return true;
            }
        }
        self.found.clear();
        false
    }

    /// Goes on to the next group that may have partners of the source, or of a later one.
    fn next_group(&mut self) -> bool {
        while !self.meet_next() {
            if self.next_entry() || self.next_layer() || self.next_image() {
                continue;
            }
            if !self.next_source() {
                return false;
            }
            if self.target.left != 0 {
                break;
            }
        }
        true
    }

    /// Begins the next source with the pairs among its own entries, if these are requested.
    fn next_source(&mut self) -> bool {
        let Some(source) = self.sources.next(&self.sides) else { return false };
        self.source = source;
        self.partners = self.sources.partners;
        self.is_away = false;
        self.finder = (self.sources.are_some && self.sides.are_one).then_some(source.group.bucket);
        self.look_for_partners_of(source.entries);
        if let Some(images) = &mut self.images {
            images.begin(source, self.window.region);
        }
        let layer = source.layer;
        self.target = Target::none(layer);
        if self.sides.are_one && self.partners.has(layer) {
            self.target.group = source.group;
            self.target.left = self.sides.entries(source.group).1 & !source.passed;
        }
        true
    }

    /// Goes on with the source in its next image, in a periodic world. All partners count there, but of two opposite images
    /// one is enough if objects of one layer are all sources.
    #[inline(always)]
    fn next_image(&mut self) -> bool {
        self.images.is_some() && self.turn_image()
    }

    #[cold]
    #[inline(never)]
    fn turn_image(&mut self) -> bool {
        let Some(images) = &mut self.images else { return false };
        let Some(entries) = images.turn(&self.sides) else { return false };
        let layer = self.source.layer;
        // Of two images that are opposite, the later one finds the pairs of two sources.
        self.finder = self.finder.and(images.are_earlier().then_some(Place::NONE));
        self.is_away = true;
        self.source.entries = entries;
        self.target = Target::none(layer);
        // Those that `sources` has may be of a later layer.
        self.partners = self.sides.partners(self.source.group.side, layer, self.sources.are_some);
        if images.are_earlier() && self.sides.are_one && !self.sources.are_some {
            self.partners = self.partners & !LayerSet::of_number(layer);
        }
        self.look_for_partners_of(entries);
        true
    }

    /// Begins the next layer where the source may have partners.
    fn next_layer(&mut self) -> bool {
        let Source { layer: own, group, entries, .. } = self.source;
        let side = self.sides.opposite(group.side);
        let space = self.sides.space(side);
        let layer = loop {
            let Some(layer) = space.next_layer(&mut self.partners) else { return false };
            if let Some(is_flipped) = self.sides.are_paired(group.side, own, layer) {
                (self.target.layer, self.target.is_flipped) = (layer, is_flipped);
                break layer;
            }
        };
        let is_own = self.sides.are_one && layer == own;
        let mut groups = GroupWalk::new(space, side, layer);
        // In its own layer the groups before a source have found their pairs, unless only some entries are sources.
        if is_own && !self.sources.are_some && !self.is_away {
            groups = groups.after(space, group);
        }
        if self.looking != entries {
            self.look_for_partners_of(entries);
        }
        (self.target.groups, self.target.group) = (groups, Group::NONE);
        self.target.together = self.together(is_own);
        true
    }

    /// In how many groups of a tree all entries of the source may look together. In none, if they would meet far more:
    /// the first block that they meet shows it.
    fn together(&mut self, is_own: bool) -> u32 {
        let entries = self.source.entries.count_ones();
        if entries == 1 || self.is_count && 2.0 <= f64::from(entries) * self.share_of_one() {
            return u32::MAX;
        }
        let limit = TOGETHER + entries / 2;
        // Groups of one layer lie about as close as their entries.
        let may_meet = is_own || self.target.groups.blocks_met(&self.sides, &self.window) < f64::from(limit);
        if may_meet { limit } else { 0 }
    }

    /// The part of the window that one entry would look at if the distance were all that counts.
    fn share_of_one(&self) -> f64 {
        let (region, across) = (self.window.region.to_f64(), 2.0 * self.proximity().radius().to_f64());
        (0..D).map(|axis| (across / (region.max()[axis] - region.min()[axis])).min(1.0)).product()
    }

    /// Lets the next entry of the source go on alone, if the entries go on one by one.
    fn next_entry(&mut self) -> bool {
        let target = &mut self.target;
        if target.together == 0 {
            target.one_by_one = self.source.entries;
            target.from = target.groups;
            if target.group != Group::NONE {
                let space = self.sides.space(target.group.side);
                target.from = target.groups.after(space, target.group);
            }
        }
        if target.one_by_one == 0 {
            return false;
        }
        let entry = target.one_by_one & target.one_by_one.wrapping_neg();
        target.one_by_one ^= entry;
        (target.groups, target.together) = (target.from, u32::MAX);
        self.look_for_partners_of(entry);
        true
    }

    /// Makes some entries of the source look for partners.
    fn look_for_partners_of(&mut self, entries: u64) {
        let group = self.source.group;
        let bucket = source_entries(&self.sides, group, self.images.as_deref().filter(|_| self.is_away));
        if entries.is_power_of_two() {
            self.boxes.bounds = bucket.shape(entries.trailing_zeros() as u8);
        } else {
            self.boxes.quantize(self.level, bucket, entries);
        }
        let grid = self.sides.space(self.sides.opposite(group.side)).grid();
        (self.looking, self.window) = (entries, Window::new(self.proximity().stretched(&self.boxes.bounds), grid));
    }

    /// Goes on to the next group of the tree with entries in the window. `false` if there is none, or if the entries go
    /// on one by one because they have met too many groups together.
    fn meet_next(&mut self) -> bool {
        let (finder, is_at_home) = (self.finder, !self.is_away);
        let Target { groups, group: at, left, together, .. } = &mut self.target;
        loop {
            if *together == 0 {
                return false;
            }
            let Some(group) = groups.next(&self.sides, &self.window) else { return false };
            if group == self.source.group && is_at_home {
                continue;
            }
            *together -= 1;
            let (bucket, mut entries) = self.sides.entries(group);
            // Many sources find many groups that have found them already. A few are looked up if they match.
            let are_few = self.looking.is_power_of_two();
            if let Some(finder) = finder
                && !are_few
            {
                entries &= !self.sources.found_elsewhere(finder, group);
                if entries == 0 {
                    continue;
                }
            }
            *left = hits_of(self.level, bucket, &self.window.region, false, entries, &Proximity::Touching);
            *at = group;
            if let Some(finder) = finder
                && *left != 0
                && are_few
            {
                *left &= !self.sources.found_elsewhere(finder, group);
            }
            #[cfg(test)]
            crate::tree::tests::count(crate::tree::tests::GROUPS, 1);
            if *left != 0 {
                return true;
            }
        }
    }

    /// Compares the next entries of the target's group with the source.
    fn compare(&mut self) {
        let Target { group, left, is_flipped, .. } = self.target;
        let (own, others) = (self.source.group, self.looking);
        let images = self.images.as_deref().filter(|_| self.is_away);
        let (entries_in, others_in) = (self.sides.entries(group).0, source_entries(&self.sides, own, images));
        let proximity = images.map_or(&self.proximity, SourceImages::proximity);
        let (found, is_one) = (&mut self.found, group == own && images.is_none());
        if others.is_power_of_two() {
            let position = others.trailing_zeros() as u8;
            let (shape, is_point) = (others_in.shape(position), others_in.kind() == Kind::Points);
            let entries = if is_one { left & !others } else { left };
            found.begin(own, group, !is_flipped);
            #[cfg(test)]
            crate::tree::tests::count(crate::tree::tests::ENTRIES, 1);
            // Those in the window of a single entry touch it.
            let is_decided = matches!(proximity, Proximity::Touching) && !is_one;
            let hits = if is_decided {
                entries
            } else {
                hits_of(self.level, entries_in, &shape, is_point, entries, proximity)
            };
            found.push(position, hits);
            self.target.left = 0;
        } else {
            found.begin(group, own, is_flipped);
            let comparison = Comparison { entries: left, others, boxes: &self.boxes, is_one, proximity, found };
            self.target.left = comparison.between(self.level, entries_in, others_in);
        }
        if self.is_away {
            self.keep_pairs_of_image(others.is_power_of_two());
        }
    }

    /// Drops the pairs that come in another image. The entries of those found are of the source, or of the target.
    #[cold]
    #[inline(never)]
    fn keep_pairs_of_image(&mut self, are_of_source: bool) {
        let (Some(images), sides, group) = (&self.images, &self.sides, self.target.group) else { return };
        self.found.retain(|entry, hit| {
            let [position, other] = if are_of_source { [entry, hit] } else { [hit, entry] };
            images.is_pair(sides, position, group, other)
        });
    }

    /// The proximity to compare by.
    fn proximity(&self) -> &Proximity<S> {
        self.images.as_ref().filter(|_| self.is_away).map_or(&self.proximity, |images| images.proximity())
    }
}
