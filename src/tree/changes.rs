//! Objects and whole layers into the trees that they belong to, and out. The tree is found here, and changed by `forest`.
//!
//! Keeps T10, S1 and its part of L2 of `docs/invariants.md`.

use alloc::vec;
use alloc::vec::Vec;

use super::choice::{is_for_root_list, is_thin, may_be_thin};
use super::entries::ByGrid;
use super::forest::{Forest, Record, Taken, records};
use super::{Entry, Rules, Tree, TreeId, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Grid, GridId, UnitRange};
use crate::key::{BucketId, Handle, Kind, Place};

/// Single objects.
impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Begins to fetch the bucket where an object with this address over the main grid is likely to be stored.
    #[inline]
    pub(crate) fn prefetch_way(&self, layer: u8, address: &Address<D>) {
        if self.arena().outgrow_cache()
            && let Some(root) = self.root(TreeId::main(layer))
        {
            self.arena().lowest(root, address);
        }
    }

    /// Begins to fetch the memory that a move of the entry at a place to a finite shape is likely to need.
    #[inline]
    pub(crate) fn prefetch_move(&self, kind: Kind, place: Place, shape: &Rect<S, D>) {
        if self.arena().head(place.bucket()).is_plain {
            self.forest.prefetch_move(place, &self.grid.address_of_move(kind, shape));
        }
    }

    /// Stores an object in the tree of its layer that it belongs to, and returns its place. Its units are those of the main
    /// grid.
    #[inline(always)]
    pub(crate) fn insert(
        &mut self,
        kind: Kind,
        layer: u8,
        units: &UnitRange<D>,
        shape: Rect<S, D>,
        handle: Handle,
    ) -> Place {
        let address = Address::of(units);
        if self.may_leave_main(kind == Kind::Rects && is_thin(units), || layer, &address)
            && let Some(place) = self.insert_beside_main(layer, &shape, handle)
        {
            return place;
        }
        let root = self.root_or_new(TreeId::main(layer));
        self.forest.insert(&self.grid, root, &Entry::new(kind, shape, handle, address))
    }

    /// Stores an object beside the main tree, if it belongs there, and returns its place.
    #[inline(never)]
    fn insert_beside_main(&mut self, layer: u8, shape: &Rect<S, D>, handle: Handle) -> Option<Place> {
        let grid = self.choose(layer, shape, self.len(layer), self.in_root_list(layer) + 1);
        (!grid.is_main()).then(|| self.insert_into(TreeId { layer, grid }, *shape, handle))
    }

    /// Stores an object in a tree. Returns its place.
    pub(super) fn insert_into(&mut self, tree: TreeId, shape: Rect<S, D>, handle: Handle) -> Place {
        let root = self.root_or_new(tree);
        let kind = self.arena().node(root).rules.kind;
        let (forest, grid) = self.forest_over(tree);
        forest.insert(grid, root, &Entry::new(kind, shape, handle, grid.address(&shape)))
    }

    /// Removes the entry at a place.
    pub(crate) fn remove(&mut self, place: Place) {
        if self.arena().head(place.bucket()).is_plain {
            return self.forest.remove(&self.grid, place);
        }
        let (forest, grid) = self.forest_over(self.tree_of(place));
        forest.remove(grid, place);
    }

    /// Removes the entries at these positions of buckets.
    pub(crate) fn remove_all(&mut self, mut taken: Taken) {
        while let Some(&(bucket, _)) = taken.last() {
            // Nearly always all are over the main grid.
            let over = self.grid_of(bucket).id();
            let (others, of_grid): (Taken, Taken) =
                taken.into_iter().partition(|&(bucket, _)| self.grid_of(bucket).id() != over);
            let grid = *self.grid_of(bucket);
            self.forest.remove_all(&grid, of_grid);
            taken = others;
        }
    }

    /// Changes the shape of the entry at a place if it is of this kind and surely may stay there. Returns whether it did.
    #[inline(always)]
    pub(crate) fn move_in_place(&mut self, kind: Kind, place: Place, shape: &Rect<S, D>, address: &Address<D>) -> bool {
        self.keeps(kind, place, address) && self.forest.move_in_place(kind, place, shape, address.extent)
    }

    /// Whether the entry at a place, of this kind, surely stays in its block with a new address over the main grid, [for a
    /// move](crate::grid::Grid::address_of_move).
    #[inline(always)]
    pub(crate) fn keeps(&self, kind: Kind, place: Place, address: &Address<D>) -> bool {
        self.arena().head(place.bucket()).is_plain && self.arena().keeps(kind, place.bucket(), address)
    }

    /// The address over its tree's grid of a finite shape with which an entry of a bucket may stay there. `None` if it may
    /// not.
    #[inline(always)]
    pub(super) fn address_kept(&self, kind: Kind, bucket: BucketId, shape: &Rect<S, D>) -> Option<Address<D>> {
        let grid = self.grid_of(bucket);
        let (over, address) = (grid.id(), grid.address(shape));
        let around = self.grid.first_around(&self.grid.address(shape), shape);
        // Whether an object is thin matters only when it leaves its block.
        let is_near = around == over || !around.is_large() && !over.is_large();
        (is_near && self.arena().keeps(kind, bucket, &address)).then_some(address)
    }

    /// Stores the entry at a place elsewhere, given its new address over the main grid. Returns its new place.
    #[inline(never)]
    pub(crate) fn move_elsewhere(&mut self, kind: Kind, place: Place, entry: &Entry<S, D>) -> Place {
        let is_plain = self.arena().head(place.bucket()).is_plain;
        let may_be_thin = kind == Kind::Rects && may_be_thin(&entry.shape);
        if is_plain && !self.may_leave_main(may_be_thin, || self.arena().layer_of(place), &entry.address) {
            return self.forest.move_within(&self.grid, place, entry);
        }
        self.move_chosen(kind, place, entry)
    }

    /// As `move_elsewhere`, for an entry that is in a tree other than the main one, or may belong in one.
    #[cold]
    #[inline(never)]
    fn move_chosen(&mut self, kind: Kind, place: Place, &Entry { shape, handle, .. }: &Entry<S, D>) -> Place {
        if let Some(Address { extent, .. }) = self.address_kept(kind, place.bucket(), &shape) {
            self.forest.move_in_place(kind, place, &shape, extent);
            return place;
        }
        let from = self.tree_of(place);
        let layer = from.layer;
        let to = TreeId { grid: self.choose(layer, &shape, self.len(layer), self.in_root_list(layer) + 1), ..from };
        if from == to {
            let (forest, grid) = self.forest_over(from);
            return forest.move_within(grid, place, &Entry::new(kind, shape, handle, grid.address(&shape)));
        }
        // It leaves its old node last, so that no new node gets the old one's number.
        let moved = self.insert_into(to, shape, handle);
        self.remove(place);
        moved
    }
}

/// Whole layers.
impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Builds the same trees over another main grid. Lists no places. Entries keep their trees, unless the world `is_new`.
    pub(crate) fn rebuilt(&self, grid: Grid<S, D>, is_new: bool) -> Self {
        let mut rebuilt = Self::new(grid);
        for &Tree { id: TreeId { layer, .. }, rules, .. } in self.list.iter().filter(|tree| tree.grid.is_main()) {
            rebuilt.add_tree(layer, rules);
            let mut entries = self.entries_by_grid(layer);
            let mut kept = entries[0].1.len();
            if is_new {
                kept = 0;
                let others: Vec<_> = entries.drain(1..).flat_map(|(_, of_tree)| of_tree).collect();
                entries[0].1.extend(others);
            }
            rebuilt.build_layer(layer, entries, kept);
        }
        rebuilt
    }

    /// Rebuilds a layer's trees from their entries and new ones. Lists no places.
    pub(crate) fn build_with(&mut self, layer: u8, mut new: Vec<(Rect<S, D>, Handle)>) {
        let mut entries = self.entries_by_grid(layer);
        let main = &mut entries[0].1;
        let kept = main.len();
        if kept == 0 {
            *main = new;
        } else {
            main.append(&mut new);
        }
        self.clear(layer);
        self.build_layer(layer, entries, kept);
    }

    /// Rebuilds a layer's trees, with new shapes for the entries at some positions of buckets. Lists no places.
    pub(crate) fn build_moved(&mut self, layer: u8, taken: &Taken, moved: Vec<(Rect<S, D>, Handle)>) {
        self.forest.blank(taken);
        self.build_with(layer, moved);
    }

    /// Frees all nodes and buckets of a layer's trees. The rules stay.
    pub(crate) fn clear(&mut self, layer: u8) {
        let roots: Vec<_> = self.all_trees(layer).filter_map(|tree| tree.root).collect();
        for root in roots {
            self.forest.clear(root);
        }
        self.list.retain(|tree| tree.id.layer != layer || tree.grid.is_main());
        self.list.iter_mut().filter(|tree| tree.id.layer == layer).for_each(|main| main.root = None);
    }

    /// Stores entries in a layer's trees, which must be empty. Lists no places. Entries of the main tree from index `kept` on
    /// may belong to other trees, and are moved there.
    pub(super) fn build_layer(&mut self, layer: u8, mut entries: ByGrid<S, D>, kept: usize) {
        let (main_records, kind) = (self.records_of_main(layer, &mut entries, kept), self.living_rules(layer).kind);
        self.build(TreeId::main(layer), &entries[0].1, main_records);
        for (grid, of_tree) in &entries[1..] {
            self.build(TreeId { layer, grid: *grid }, of_tree, records(&self.grid().variant(*grid), kind, of_tree));
        }
    }

    /// Whether there is room for a layer's trees, built anew from their entries and new ones: counted.
    #[cold]
    pub(crate) fn has_room_with(&self, layer: u8, new: &[(Rect<S, D>, Handle)]) -> bool {
        let mut entries = self.entries_by_grid(layer);
        let kept = entries[0].1.len();
        entries[0].1.extend_from_slice(new);
        self.records_of_main(layer, &mut entries, kept);
        self.has_room_to_build(layer, &entries)
    }

    /// Whether there is room for a layer's trees, built anew from these entries: counted.
    #[cold]
    pub(super) fn has_room_to_build(&self, layer: u8, entries: &ByGrid<S, D>) -> bool {
        let kind = self.living_rules(layer).kind;
        self.count(layer, entries) <= self.arena().buckets().room(kind) + self.buckets_of(layer).len()
    }

    /// How many buckets a layer's trees take, built anew from these entries.
    pub(crate) fn count(&self, layer: u8, entries: &ByGrid<S, D>) -> usize {
        let rules = self.living_rules(layer);
        let of_tree = |(grid, of_tree): &(GridId, Vec<_>)| {
            let records = records(&self.grid().variant(*grid), rules.kind, of_tree);
            Forest::<S, D>::count(Rules { grid: *grid, ..rules }, records)
        };
        entries.iter().map(of_tree).sum()
    }

    /// The records of the main tree's entries. Those from index `kept` on that belong to other trees are moved there first.
    fn records_of_main(&self, layer: u8, entries: &mut ByGrid<S, D>, kept: usize) -> Vec<Record<D>> {
        let main = &entries[0].1;
        let mut main_records = records(self.grid(), self.living_rules(layer).kind, main);
        if self.any_may_leave_main(main.len(), &main[kept..], &main_records[kept..]) {
            self.distribute(layer, entries, &mut main_records, kept);
        }
        main_records
    }

    /// Moves the main tree's entries from index `kept` on to the trees that they belong to, with their records.
    #[cold]
    fn distribute(&self, layer: u8, entries: &mut ByGrid<S, D>, main_records: &mut Vec<Record<D>>, kept: usize) {
        let objects = entries[0].1.len();
        // Counted before, so that the order of a batch does not matter.
        let in_root_list = main_records.iter().filter(|record| is_for_root_list(&record.address)).count();
        let mut end = kept;
        for at in kept..objects {
            let (entry, address) = (entries[0].1[at], main_records[at].address);
            let may_leave = address.is_at_edge() || may_be_thin(&entry.0);
            let grid = if may_leave { self.choose(layer, &entry.0, objects, in_root_list) } else { GridId::MAIN };
            if grid.is_main() {
                if end < at {
                    entries[0].1[end] = entry;
                    main_records[end] = Record { address, number: end as u32 };
                }
                end += 1;
                continue;
            }
            match entries.iter_mut().find(|(other, _)| *other == grid) {
                Some((_, of_tree)) => of_tree.push(entry),
                None => entries.push((grid, vec![entry])),
            }
        }
        entries[0].1.truncate(end);
        main_records.truncate(end);
    }

    /// Stores entries in a tree, which must be empty. Lists no places.
    fn build(&mut self, tree: TreeId, entries: &[(Rect<S, D>, Handle)], records: Vec<Record<D>>) {
        let root = self.root_or_new(tree);
        self.forest.build(root, entries, records);
    }
}
