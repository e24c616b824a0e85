//! The search for pairs: its position, from which it goes on to the next two groups with pairs.
//!
//! It is a nested loop. Sources look for partners one group at a time. The smallest box around the entries of a source,
//! stretched by the distance, is its window: it selects the groups of the target layers that the source is compared
//! with. Of two layers, the one with fewer objects is the source; of two groups of one layer, the one that comes first.
//! So each pair of groups is compared once. Where only some objects are sources, all others are targets, and of two
//! sources the one with the lower place finds the pair.
//!
//! A source whose entries lie far apart, beside how close the targets lie, meets far more groups than each of its
//! entries would. Once it has met so many, its entries look for the rest one by one.
//!
//! It does not know how two groups are compared. Keeps invariants Q11 and Q13 of `docs/invariants.md`.

use core::mem;

use super::bucket_pair::{BucketPair, Compare, Comparison, Quantize, hits_of};
use super::group::Group;
use super::group_walk::{GroupWalk, SideTree, Window};
use super::quantized::Quantized;
use super::sides::Sides;
use super::sorted::SortedChains;
use super::sources::{Source, Sources};
use crate::geometry::{Level, Proximity, Scalar, dispatch, level};
use crate::key::{Kind, LayerSet};
use crate::tree::with_kind;

/// All entries of a source look for partners together in at most so many groups, and one more for every two of them.
/// Beyond that it is cheaper to go on one by one.
const TOGETHER: u32 = 8;

/// The position of a search for pairs.
#[derive(Clone)]
pub(super) struct PairSearch<'a, 'b, S, const D: usize> {
    pub(super) sides: Sides<'a, 'b, S, D>,
    /// `None` if no distance is close enough.
    pub(super) proximity: Option<Proximity<S>>,
    pub(super) sources: Sources,
    source: Source,
    /// The entries of the source that look for partners at present: all of them, or one; with their quantized bounds
    /// if they are several, and their window.
    looking: u64,
    boxes: Quantized<S, D>,
    window: Window<S, D>,
    /// The layers where the source has not looked for partners.
    partners: LayerSet,
    target: Target,
    pub(super) chains: SortedChains<S, D>,
    pub(super) found: BucketPair,
    level: Level,
}

/// The layer where the source looks for partners, and how far it has come.
#[derive(Clone, Copy)]
struct Target {
    layer: u8,
    /// Whether the source has the second object of each pair.
    is_flipped: bool,
    /// The next tree of the layer, and the walk over the one before.
    next_tree: Option<SideTree>,
    groups: GroupWalk,
    /// The group that the walk has come to, and its entries that are still to be compared.
    group: Group,
    rows: u64,
    /// How many more groups all entries of the source meet together.
    together: u32,
    /// The entries of the source that then go on one by one, and where each of them does.
    one_by_one: u64,
    from: GroupWalk,
}

impl Target {
    /// Nothing is left to compare.
    fn none(layer: u8) -> Self {
        Self {
            layer,
            is_flipped: false,
            next_tree: None,
            groups: GroupWalk::OVER,
            group: Group::NONE,
            rows: 0,
            together: u32::MAX,
            one_by_one: 0,
            from: GroupWalk::OVER,
        }
    }
}

impl<'a, 'b, S: Scalar, const D: usize> PairSearch<'a, 'b, S, D> {
    pub(super) fn new(sides: Sides<'a, 'b, S, D>, proximity: Option<Proximity<S>>, sources: Sources) -> Self {
        Self {
            sides,
            proximity,
            sources,
            source: Source::NONE,
            looking: 0,
            boxes: Quantized::none(),
            window: Window::everywhere(),
            partners: LayerSet::NONE,
            target: Target::none(0),
            chains: SortedChains::none(),
            found: BucketPair::EMPTY,
            level: level(),
        }
    }

    /// Begins again, with another distance.
    pub(super) fn restart(&mut self, proximity: Option<Proximity<S>>) {
        let some = self.sources.list_of_some().map(|list| Sources::some(list.clone()));
        let sources = some.unwrap_or_else(|| Sources::all(self.sides.are_one));
        let chains = mem::replace(&mut self.chains, SortedChains::none());
        *self = Self { chains, ..Self::new(self.sides, proximity, sources) };
    }

    /// Restricts the layers of the first and the second objects further.
    pub(super) fn restrict(&mut self, [first, second]: [LayerSet; 2]) {
        let layers = &mut self.sides.layers;
        *layers = [layers[0] & first, layers[1] & second];
        self.sources.restrict(&self.sides);
        let SideTree { side, layer, .. } = self.source.tree;
        match self.sides.are_paired(side, layer, self.target.layer) {
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

    /// Lists the sources that are still to come.
    #[cfg(feature = "rayon")]
    pub(super) fn list_sources(&mut self) {
        self.sources.list(&self.sides, &mut self.chains);
    }

    /// Splits off the search for the second half of the sources, which must be listed.
    #[cfg(feature = "rayon")]
    pub(super) fn split(&mut self) -> Option<Self> {
        let sources = self.sources.split()?;
        Some(Self { chains: self.chains.clone(), ..Self::new(self.sides, self.proximity, sources) })
    }

    /// The number of pairs that are still to come.
    pub(super) fn count(mut self) -> usize {
        let mut count = self.found.len();
        while self.advance() {
            count += self.found.len();
        }
        count
    }

    /// Goes on to the next two groups with pairs; `false` when there are none.
    pub(super) fn advance(&mut self) -> bool {
        let Some(proximity) = self.proximity else { return false };
        while self.target.rows != 0 || self.next_group(&proximity) {
            self.compare(&proximity);
            if !self.found.is_empty() {
                return true;
            }
        }
        self.found.clear();
        false
    }

    /// Goes on to the next group that may have partners of the source, or of a later one.
    fn next_group(&mut self, proximity: &Proximity<S>) -> bool {
        while !self.meet_next() {
            if !self.next_walk(proximity) {
                return false;
            }
            if self.target.rows != 0 {
                break;
            }
        }
        true
    }

    /// Begins the next walk over groups: for the next entry of the source, in the next tree, or for the next source.
    fn next_walk(&mut self, proximity: &Proximity<S>) -> bool {
        self.next_entry(proximity) || self.next_tree(proximity) || self.next_source(proximity)
    }

    /// Begins the next source with the pairs among its own entries, if these are requested.
    fn next_source(&mut self, proximity: &Proximity<S>) -> bool {
        let Some(source) = self.sources.next(&self.sides, &mut self.chains) else { return false };
        self.source = source;
        self.partners = self.sources.partners;
        self.look_for_partners_of(source.entries, proximity);
        let Source { tree: SideTree { side, layer, .. }, group, .. } = source;
        self.target = Target::none(layer);
        if self.sides.are_one && self.partners.has(layer) {
            self.target.group = group;
            self.target.rows = self.chains.entries(self.sides.space(side), side, group).1;
        }
        true
    }

    /// Begins the next tree where the source may have partners.
    fn next_tree(&mut self, proximity: &Proximity<S>) -> bool {
        let Source { tree: own, group, entries } = self.source;
        let side = self.sides.opposite(own.side);
        let space = self.sides.space(side);
        let is_own = |layer: u8| self.sides.are_one && layer == own.layer;
        // Unless only some entries are sources, those that come before in their own layer have found their pairs.
        let is_rest = |layer: u8| is_own(layer) && !self.sources.are_some();
        let tree = loop {
            if let Some(tree) = self.target.next_tree {
                break tree;
            }
            let Some(layer) = space.next_layer(&mut self.partners) else { return false };
            let Some(is_flipped) = self.sides.are_paired(own.side, own.layer, layer) else { continue };
            (self.target.layer, self.target.is_flipped) = (layer, is_flipped);
            self.target.next_tree = Some(if is_rest(layer) { own } else { SideTree::first(side, layer) });
        };
        let sorts = is_rest(tree.layer) || self.sources.are_many(&self.sides, own);
        let mut groups = GroupWalk::new(space, tree, sorts);
        if is_rest(tree.layer) && tree == own {
            groups = groups.after(space, group);
        }
        let is_own = is_own(tree.layer);
        if self.looking != entries {
            self.look_for_partners_of(entries, proximity);
        }
        (self.target.next_tree, self.target.groups, self.target.group) = (tree.next(space), groups, Group::NONE);
        self.target.together = self.together(is_own);
        true
    }

    /// In how many groups of a tree all entries of the source look together: in none if the first block that they meet
    /// shows that they would meet far more.
    fn together(&mut self, is_own: bool) -> u32 {
        if self.source.entries.is_power_of_two() {
            return u32::MAX;
        }
        let limit = TOGETHER + self.source.entries.count_ones() / 2;
        let groups = self.target.groups;
        let space = self.sides.space(groups.tree.side);
        // Groups of one layer lie about as close as their entries.
        let may_meet = is_own || groups.blocks_met(space, &self.window, &mut self.chains) < f64::from(limit);
        if may_meet { limit } else { 0 }
    }

    /// Lets the next entry of the source go on alone, if they do so.
    fn next_entry(&mut self, proximity: &Proximity<S>) -> bool {
        let target = &mut self.target;
        if target.together == 0 {
            target.one_by_one = self.source.entries;
            target.from = target.groups;
            if target.group != Group::NONE {
                let space = self.sides.space(target.groups.tree.side);
                target.from = target.groups.for_another_window(space, target.group);
            }
        }
        if target.one_by_one == 0 {
            return false;
        }
        let entry = target.one_by_one & target.one_by_one.wrapping_neg();
        target.one_by_one ^= entry;
        (target.groups, target.together) = (target.from, u32::MAX);
        self.look_for_partners_of(entry, proximity);
        true
    }

    /// Makes some of the source's entries look for partners.
    fn look_for_partners_of(&mut self, entries: u64, proximity: &Proximity<S>) {
        let Source { tree: SideTree { side, .. }, group, .. } = self.source;
        let (bucket, used) = self.chains.entries(self.sides.space(side), side, group);
        let bounds = if entries.is_power_of_two() {
            bucket.shape(entries.trailing_zeros() as u8)
        } else {
            let boxes = &mut self.boxes;
            with_kind!(bucket, |bucket| dispatch(self.level, Quantize { bucket, used, entries, boxes }));
            *self.boxes.bounds()
        };
        let grid = self.sides.space(self.sides.opposite(side)).grid();
        (self.looking, self.window) = (entries, Window::new(proximity.stretched(&bounds), grid));
    }

    /// Goes on to the next group of the tree with entries in the window; `false` if there is none, or if the entries of
    /// the source have met so many together that they go on one by one.
    fn meet_next(&mut self) -> bool {
        let Target { groups, group: at, rows, together, .. } = &mut self.target;
        let side = groups.tree.side;
        let (space, shape) = (self.sides.space(side), *self.window.region());
        loop {
            // A single entry would meet the buckets of a chain too.
            let is_counted = !groups.is_in_chain();
            if is_counted && *together == 0 {
                return false;
            }
            let Some(group) = groups.next(space, &self.window, &mut self.chains) else { return false };
            if self.sides.are_one && group == self.source.group {
                continue;
            }
            *together -= u32::from(is_counted);
            let (bucket, used) = self.chains.entries(space, side, group);
            *rows = hits_of(self.level, bucket, shape, false, used, &Proximity::Touching);
            *at = group;
            if *rows != 0 && self.sources.are_some() {
                *rows &= !self.sources.found_elsewhere(group, *rows, self.source, &self.chains);
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

    /// Compares the next rows of the target's group with the source.
    fn compare(&mut self, proximity: &Proximity<S>) {
        let Target { group, rows, is_flipped, .. } = self.target;
        let (side, columns) = (self.source.tree.side, self.looking);
        let opposite = self.sides.opposite(side);
        let (target, _) = self.chains.entries(self.sides.space(opposite), opposite, group);
        let (source, _) = self.chains.entries(self.sides.space(side), side, self.source.group);
        let (found, level) = (&mut self.found, self.level);
        let is_one = self.sides.are_one && group == self.source.group;
        if columns.is_power_of_two() {
            let position = columns.trailing_zeros() as u8;
            let (shape, is_point) = (source.shape(position), source.kind() == Kind::Points);
            let columns = if is_one { rows & !columns } else { rows };
            let hits = hits_of(level, target, shape, is_point, columns, proximity);
            found.begin(self.source.group, group, !is_flipped);
            found.set_only_row(position, hits);
            self.target.rows = 0;
            return;
        }
        found.begin(group, self.source.group, is_flipped);
        let of = Comparison { rows, columns, boxes: &self.boxes, is_one, proximity, found };
        self.target.rows = with_kind!(target, |rows_in| with_kind!(source, |bucket| {
            dispatch(level, Compare { rows_in, bucket, of })
        }));
    }
}
