//! The sources of pairs: the groups whose entries look for partners, one after the other.
//!
//! All groups are sources, in the order of the walk, or only some entries, from a list. It does not know how partners
//! are found. Keeps invariant Q11 of `docs/invariants.md`, as far as a list of sources is concerned.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::group_walk::{GroupWalk, Window};
use super::sides::{Group, Sides};
use crate::geometry::Scalar;
use crate::key::{LayerSet, Place};
use crate::space::Space;

/// So few entries of a bucket look for partners one by one from the start: to look together, they would first have to be
/// quantized, and to meet all groups that lie between them.
const FEW: u32 = 3;

/// A group whose entries look for partners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) layer: u8,
    pub(super) group: Group,
    /// The entries that look for partners, as bits.
    pub(super) entries: u64,
    /// The entries of the group that have looked for theirs already.
    pub(super) passed: u64,
}

impl Source {
    pub(super) const NONE: Self = Self { layer: 0, group: Group::NONE, entries: 0, passed: 0 };

    /// Some entries of a space, by bucket.
    pub(super) fn of_places<S: Scalar, const D: usize>(space: &Space<S, D>, places: Vec<Place>) -> Arc<[Self]> {
        let source = |(bucket, entries)| {
            let bucket = Place::new(bucket, 0);
            let (layer, group) = (space.trees.arena().layer_of(bucket), Group { bucket, ..Group::NONE });
            Self { layer, group, entries, passed: 0 }
        };
        space.trees.by_bucket(places.into_iter()).into_iter().map(source).collect()
    }
}

/// The sources that are still to come.
#[derive(Clone)]
pub(super) struct Sources {
    /// The sources, where they are listed, and which of them are still to come.
    list: Arc<[Source]>,
    pub(super) rest: Range<usize>,
    /// The last source from the list, with the entries of it that are still to come.
    begun: Source,
    /// Whether only entries in the list are sources, so that each pair has one of them. Then they are of side 0, and the
    /// list is in the order of places.
    pub(super) are_some: bool,
    /// Whether each source is told, with or without partners, and looks for all of them.
    are_centers: bool,
    /// The layers of each side that have not been walked over.
    layers: [LayerSet; 2],
    groups: GroupWalk,
    /// The current layer, by its side and number, and the layers where its objects look for partners.
    layer: Option<(usize, u8)>,
    pub(super) partners: LayerSet,
}

impl Sources {
    /// All groups of both sides, which may be one; or only some entries of side 0.
    pub(super) fn new(are_one: bool, some: Option<Arc<[Source]>>) -> Self {
        let layers = match (&some, are_one) {
            (Some(_), _) => [LayerSet::NONE; 2],
            (None, true) => [LayerSet::ALL, LayerSet::NONE],
            (None, false) => [LayerSet::ALL; 2],
        };
        let (are_some, list) = (some.is_some(), some.unwrap_or_default());
        let (rest, partners) = (0..list.len(), LayerSet::NONE);
        let (begun, groups) = (Source::NONE, GroupWalk::OVER);
        Self { list, rest, begun, are_some, are_centers: false, layers, groups, layer: None, partners }
    }

    /// All groups of one side that are of the first layers, or only some entries.
    pub(super) fn centers(some: Option<Arc<[Source]>>) -> Self {
        Self { are_centers: true, ..Self::new(true, some) }
    }

    /// The same sources from the first one on.
    pub(super) fn restarted(&self, are_one: bool) -> Self {
        Self::new(are_one, self.are_some.then(|| Arc::clone(&self.list)))
    }

    /// Drops all sources that are still to come.
    pub(super) fn end(&mut self) {
        (self.rest, self.begun) = (0..0, Source::NONE);
        (self.layers, self.groups) = ([LayerSet::NONE; 2], GroupWalk::OVER);
    }

    /// The next source.
    pub(super) fn next<S: Scalar, const D: usize>(&mut self, sides: &Sides<'_, '_, S, D>) -> Option<Source> {
        while let Some(source) = self.next_in_list() {
            // The processor fetches the next one while this one looks for partners.
            if let Some(next) = self.list.get(self.rest.start) {
                sides.space(next.group.side).trees.arena().prefetch_bucket(next.group.bucket.bucket());
            }
            let layer = (source.group.side, source.layer);
            if self.layer != Some(layer) {
                self.begin_layer(sides, layer);
            }
            if !self.partners.is_empty() {
                return Some(source);
            }
        }
        loop {
            if let Some(group) = self.groups.next(sides, &Window::everywhere()) {
                return Some(Source { layer: self.groups.layer, group, entries: sides.entries(group).1, passed: 0 });
            }
            if !self.next_layer(sides) {
                return None;
            }
        }
    }

    /// The next source of the list, or the next entry of one with few.
    fn next_in_list(&mut self) -> Option<Source> {
        if self.begun.entries == 0 {
            self.begun = self.list[self.rest.next()?];
        }
        let Source { entries: left, passed, .. } = self.begun;
        let are_few = self.are_some && (left | passed).count_ones() <= FEW;
        let entries = if are_few { left & left.wrapping_neg() } else { left };
        let source = Source { entries, ..self.begun };
        self.begun.entries ^= entries;
        self.begun.passed |= entries;
        Some(source)
    }

    /// Goes on to the next layer with partners; `false` if there is none.
    fn next_layer<S: Scalar, const D: usize>(&mut self, sides: &Sides<'_, '_, S, D>) -> bool {
        loop {
            let next = |side: usize| Some((side, sides.space(side).next_layer(&mut self.layers[side])?));
            let Some((side, layer)) = [0, 1].into_iter().find_map(next) else { return false };
            self.begin_layer(sides, (side, layer));
            if !self.partners.is_empty() {
                self.groups = GroupWalk::new(sides.space(side), side, layer);
                return true;
            }
        }
    }

    fn begin_layer<S: Scalar, const D: usize>(&mut self, sides: &Sides<'_, '_, S, D>, (side, layer): (usize, u8)) {
        self.layer = Some((side, layer));
        self.partners = match (self.are_centers, sides.layers[0].has(layer)) {
            (false, _) => sides.partners(side, layer, self.are_some),
            (true, true) => LayerSet::ALL,
            (true, false) => LayerSet::NONE,
        };
    }

    /// Adapts to the sides, whose layers have become fewer.
    pub(super) fn restrict<S: Scalar, const D: usize>(&mut self, sides: &Sides<'_, '_, S, D>) {
        let Some(layer) = self.layer else { return };
        self.begin_layer(sides, layer);
        if self.partners.is_empty() {
            self.groups = GroupWalk::OVER;
        }
    }

    /// The entries of a group that are sources themselves and find their pairs with this source, as bits.
    #[inline(never)]
    pub(super) fn found_elsewhere(&self, finder: Place, group: Group) -> u64 {
        let find = || self.list.binary_search_by_key(&group.bucket, |source| source.group.bucket);
        if group.bucket < finder { find().map_or(0, |at| self.list[at].entries) } else { 0 }
    }
}

/// For several threads.
#[cfg(feature = "rayon")]
impl Sources {
    /// Lists all sources that are still to come.
    pub(super) fn list<S: Scalar, const D: usize>(&mut self, sides: &Sides<'_, '_, S, D>) {
        if !self.are_some {
            let list: Arc<[Source]> = core::iter::from_fn(|| self.next(sides)).collect();
            self.rest = 0..list.len();
            (self.list, self.layer) = (list, None);
        }
    }

    /// The same list, of which these are still to come. With the first of them, what has begun goes on.
    pub(super) fn part(&self, rest: Range<usize>) -> Self {
        let begun = if rest.start == self.rest.start { self.begun } else { Source::NONE };
        Self { rest, begun, ..self.clone() }
    }
}
