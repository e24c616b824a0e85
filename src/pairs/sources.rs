//! The sources of pairs: the groups whose entries look for partners, one after the other.
//!
//! All groups are sources, in the order of the walk, or those of a list are. It does not know how partners are found.
//! Keeps invariant Q11 of `docs/invariants.md`, as far as a list of sources is concerned.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::group::Group;
use super::group_walk::{GroupWalk, SideTree, Window};
use super::sides::Sides;
use super::sorted::SortedChains;
use crate::geometry::Scalar;
use crate::key::{LayerSet, Place};
use crate::space::Space;
use crate::tree::{BUCKET_SLOTS, positions};

/// From this number of sources on, it pays to sort the long chains that they meet in another layer.
const MANY: usize = 16;

/// A group whose entries look for partners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) tree: SideTree,
    pub(super) group: Group,
    /// Those entries, as bits.
    pub(super) entries: u64,
}

impl Source {
    pub(super) const NONE: Self = Self { tree: SideTree::NONE, group: Group::NONE, entries: 0 };

    /// Some entries of a space, by bucket.
    pub(super) fn of_places<S: Scalar, const D: usize>(space: &Space<S, D>, mut places: Vec<Place>) -> Arc<[Self]> {
        places.sort_unstable();
        let of_bucket = |places: &[Place]| {
            let bucket = places[0].first_of_bucket();
            let entries = places.iter().fold(0, |entries, place| entries | 1 << place.position());
            Self { tree: SideTree::of_bucket(space, 0, bucket), group: Group::Bucket(bucket), entries }
        };
        places.chunk_by(|a, b| a.first_of_bucket() == b.first_of_bucket()).map(of_bucket).collect()
    }
}

/// The sources that are still to come.
#[derive(Clone)]
pub(super) struct Sources {
    /// Where the sources are listed, and which of the list are still to come.
    list: Arc<[Source]>,
    rest: Range<usize>,
    /// Whether only entries in the list are sources: a pair without any of them does not count. They are in the order of
    /// places.
    are_some: bool,
    /// The layers of each side that have not been walked over.
    layers: [LayerSet; 2],
    /// The next tree of the layer at hand, and the walk over the one before.
    next_tree: Option<SideTree>,
    groups: GroupWalk,
    /// The layer at hand, by its side and number, and those that it is paired with.
    layer: Option<(usize, u8)>,
    pub(super) partners: LayerSet,
}

impl Sources {
    /// All groups of one side, or of both.
    pub(super) fn all(are_one: bool) -> Self {
        let layers = [LayerSet::ALL, if are_one { LayerSet::NONE } else { LayerSet::ALL }];
        Self { layers, ..Self::listed(Arc::default(), 0..0, false) }
    }

    /// Some entries of the only side.
    pub(super) fn some(list: Arc<[Source]>) -> Self {
        let rest = 0..list.len();
        Self::listed(list, rest, true)
    }

    fn listed(list: Arc<[Source]>, rest: Range<usize>, are_some: bool) -> Self {
        Self {
            list,
            rest,
            are_some,
            layers: [LayerSet::NONE; 2],
            next_tree: None,
            groups: GroupWalk::OVER,
            layer: None,
            partners: LayerSet::NONE,
        }
    }

    /// The list, if only some entries are sources.
    pub(super) fn list_of_some(&self) -> Option<&Arc<[Source]>> {
        self.are_some.then_some(&self.list)
    }

    pub(super) fn are_some(&self) -> bool {
        self.are_some
    }

    /// Whether the sources are so many that it pays to sort the long chains of another layer.
    pub(super) fn are_many<S: Scalar, const D: usize>(&self, sides: &Sides<'_, '_, S, D>, tree: SideTree) -> bool {
        if self.are_some {
            return MANY <= self.list.len();
        }
        MANY * BUCKET_SLOTS <= sides.space(tree.side).len_in(LayerSet::of_number(tree.layer))
    }

    /// The next source.
    pub(super) fn next<S: Scalar, const D: usize>(
        &mut self,
        sides: &Sides<'_, '_, S, D>,
        chains: &mut SortedChains<S, D>,
    ) -> Option<Source> {
        while let Some(at) = self.rest.next() {
            let source = self.list[at];
            if self.layer != Some((source.tree.side, source.tree.layer)) {
                self.begin_layer(sides, source.tree.side, source.tree.layer);
            }
            if !self.partners.is_empty() {
                return Some(source);
            }
        }
        loop {
            let tree = self.groups.tree;
            let space = sides.space(tree.side);
            if let Some(group) = self.groups.next(space, &Window::everywhere(), chains) {
                return Some(Source { tree, group, entries: chains.entries(space, tree.side, group).1 });
            }
            if !self.begin_tree(sides) {
                return None;
            }
        }
    }

    /// Goes on to the next tree, of a layer that is paired with any; `false` when there is none.
    fn begin_tree<S: Scalar, const D: usize>(&mut self, sides: &Sides<'_, '_, S, D>) -> bool {
        loop {
            if let Some(tree) = self.next_tree {
                let space = sides.space(tree.side);
                (self.groups, self.next_tree) = (GroupWalk::new(space, tree, true), tree.next(space));
                return true;
            }
            let next_layer = |side: usize| Some((side, sides.space(side).next_layer(&mut self.layers[side])?));
            let Some((side, layer)) = [0, 1].into_iter().find_map(next_layer) else { return false };
            self.begin_layer(sides, side, layer);
            self.next_tree = (!self.partners.is_empty()).then(|| SideTree::first(side, layer));
        }
    }

    fn begin_layer<S: Scalar, const D: usize>(&mut self, sides: &Sides<'_, '_, S, D>, side: usize, layer: u8) {
        self.layer = Some((side, layer));
        self.partners = sides.partners(side, layer, self.are_some);
    }

    /// Follows the sides, whose layers have become fewer.
    pub(super) fn restrict<S: Scalar, const D: usize>(&mut self, sides: &Sides<'_, '_, S, D>) {
        let Some((side, layer)) = self.layer else { return };
        self.begin_layer(sides, side, layer);
        if self.partners.is_empty() {
            (self.next_tree, self.groups) = (None, GroupWalk::OVER);
        }
    }

    /// The entries of a group that are sources and find their pairs with a source themselves, as bits.
    #[inline(never)]
    pub(super) fn found_elsewhere<S: Scalar, const D: usize>(
        &self,
        group: Group,
        rows: u64,
        source: Source,
        chains: &SortedChains<S, D>,
    ) -> u64 {
        let finder = source.group.bucket();
        match group {
            Group::Bucket(bucket) => self.entries_before(bucket, finder),
            Group::Part { chain, number } => {
                let chain = chains.get(source.tree.side, chain);
                let is_before = |&position: &u8| {
                    let (place, _) = chain.entry(number, position);
                    let bucket = place.first_of_bucket();
                    // The pairs within a bucket are found there, not in a sorted chain.
                    bucket == finder || self.entries_before(bucket, finder) & place.bit_in(bucket) != 0
                };
                positions(rows).filter(is_before).fold(0, |before, position| before | 1 << position)
            }
        }
    }

    /// The entries of a bucket that are sources of the pairs with a later bucket `other`, as bits.
    fn entries_before(&self, bucket: Place, other: Place) -> u64 {
        let find = || self.list.binary_search_by_key(&bucket, |source| source.group.bucket());
        if bucket < other { find().map_or(0, |at| self.list[at].entries) } else { 0 }
    }
}

/// For several threads.
#[cfg(feature = "rayon")]
impl Sources {
    /// Lists all sources that are still to come.
    pub(super) fn list<S: Scalar, const D: usize>(
        &mut self,
        sides: &Sides<'_, '_, S, D>,
        chains: &mut SortedChains<S, D>,
    ) {
        if !self.are_some {
            let list: Arc<[Source]> = core::iter::from_fn(|| self.next(sides, chains)).collect();
            self.rest = 0..list.len();
            (self.list, self.layer) = (list, None);
        }
    }

    /// Splits off the second half of the list, if there is more than one source left.
    pub(super) fn split(&mut self) -> Option<Self> {
        let Range { start, end } = self.rest;
        let middle = start + (end - start) / 2;
        (start < middle).then(|| {
            self.rest = start..middle;
            Self::listed(Arc::clone(&self.list), middle..end, self.are_some)
        })
    }
}
