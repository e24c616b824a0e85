//! The numbered invariants of `docs/invariants.md` as code. Each failed check names an invariant by its number.
//!
//! Only tests check the invariants that speak of queries and of changes.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::{fmt, mem};

use crate::geometry::{Rect, Scalar};
use crate::grid::{Block, CELLS, axis_bits, shift_at};
use crate::index::SpatialIndex;
use crate::key::{BucketId, Kind, NodeId, Place};
use crate::space::Space;
use crate::tree::{Arena, Head, Node, OWN_LIST, Seat, Slot, with_kind};

/// An invariant of the index does not hold. This is a bug of this crate.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// if let Err(error) = index.check_integrity() {
///     panic!("a bug of quadrille: {error}"); // names the invariant and the place
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invariant {invariant} does not hold: {detail}")]
#[non_exhaustive]
pub struct IntegrityError {
    /// The number of the invariant in `docs/invariants.md`.
    pub invariant: &'static str,
    /// The place, and the difference between found and expected.
    pub detail: String,
}

fn ensure<A: Copy + PartialEq + fmt::Debug>(
    invariant: &'static str,
    found: A,
    expected: A,
    place: impl FnOnce() -> String,
) -> Result<(), IntegrityError> {
    if found == expected {
        return Ok(());
    }
    Err(IntegrityError { invariant, detail: format!("{}: found {found:?}, expected {expected:?}", place()) })
}

/// The totals of a subtree.
#[derive(Clone, Copy, Default)]
struct Totals {
    len: usize,
    nodes: usize,
    buckets: usize,
    knots: usize,
    reach: u32,
}

impl Totals {
    fn add(&mut self, other: Self) {
        self.len += other.len;
        self.nodes += other.nodes;
        self.buckets += other.buckets;
        self.knots += other.knots;
        self.reach = self.reach.max(other.reach);
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Checks all invariants that can be checked from the state of the index.
    ///
    /// It is made for tests. An error is a bug of this crate, not of its users. Takes time in proportion to the number
    /// of objects.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// index.move_to(handles[0], [99.0, 1.0])?;
    /// assert_eq!(index.check_integrity(), Ok(()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`IntegrityError`] names the first invariant that does not hold.
    pub fn check_integrity(&self) -> Result<(), IntegrityError> {
        let space = &self.space;
        let len = check_trees(space)?;
        ensure("S2", space.places.len(), len, || "objects in the store".into())?;
        let (free, listed) = space.places.free_slots();
        ensure("S2", listed, Some(free), || "free slots in their list".into())?;
        ensure("S3", self.values.count(), len, || "values".into())?;
        // The trees are sound, so a query may go through them.
        self.iter()
            .map(|object| object.handle())
            .try_for_each(|handle| ensure("S3", self.get(handle).is_some(), true, || format!("value of {handle:?}")))
    }
}

fn check_trees<S: Scalar, const D: usize>(space: &Space<S, D>) -> Result<usize, IntegrityError> {
    let (trees, arena) = (&space.trees, space.trees.arena());
    let checker = Checker { space, arena };
    let mut found = Totals::default();
    for layer in space.layers.iter().map(|layer| layer.number) {
        ensure("L1", trees.rules(layer).map(|rules| rules.kind), space.layers.kind_of_number(layer), || {
            format!("kind of the tree of layer {layer}")
        })?;
        let Some(root) = trees.root(layer) else { continue };
        let node = arena.node(root);
        let is_root = (node.parent, node.depth, node.origin, node.layer, node.shift);
        ensure("T1", is_root, (None, 0, [0; D], layer, shift_at::<D>(0)), || format!("{root:?}"))?;
        found.add(checker.subtree(root)?);
    }
    let kinds = [Kind::Points, Kind::Rects];
    let buckets_used = kinds.map(|kind| arena.buckets().used(kind)).iter().sum();
    ensure("T9", found.nodes + arena.all_free_nodes().len(), arena.nodes_len(), || "nodes in use and free".into())?;
    let used = (buckets_used, arena.knots.used());
    ensure("T9", used, (found.buckets, found.knots), || "buckets and knots in use".into())?;
    for kind in kinds {
        let free = arena.buckets().all_free(kind);
        ensure("T9", free.clone().count(), arena.buckets().free_len(kind), || format!("free buckets of {kind:?}"))?;
        for bucket in free {
            ensure("T9", positions_in_use(arena, bucket), 0, || format!("positions filled in free {bucket:?}"))?;
        }
    }
    Ok(found.len)
}

/// The positions in a bucket that hold a shape, as bits.
fn positions_in_use<S: Scalar, const D: usize>(arena: &Arena<S, D>, bucket: BucketId) -> u64 {
    let is_used = |shape: &Rect<S, D>| !shape.min()[0].to_f64().is_nan();
    with_kind!(arena.bucket(bucket), |stored| stored.entries_where(u64::MAX, is_used))
}

struct Checker<'a, S, const D: usize> {
    space: &'a Space<S, D>,
    arena: &'a Arena<S, D>,
}

impl<S: Scalar, const D: usize> Checker<'_, S, D> {
    fn subtree(&self, id: NodeId) -> Result<Totals, IntegrityError> {
        let node = self.arena.node(id);
        let rules = node.rules;
        ensure("T1", node.depth <= rules.depth_max, true, || format!("depth {} of {id:?}", node.depth))?;
        let mut found = Totals { nodes: 1, ..Totals::default() };
        if let Some(own) = node.own {
            ensure("T2", rules.kind, Kind::Rects, || format!("own list of {id:?}, whose objects have no extent"))?;
            found.add(self.chain(own, id, OWN_LIST)?);
        }
        let own = mem::take(&mut found.reach);
        let mut cell = 0;
        while cell < CELLS as u8 {
            let (part, span) = self.cell(id, node, cell)?;
            found.add(part);
            cell += 1 << span;
        }
        ensure("T7", node.len as usize, found.len, || format!("objects counted in {id:?}"))?;
        ensure("T6", found.reach <= node.reach, true, || {
            format!("reach {} of {id:?}, below which {} is needed", node.reach, found.reach)
        })?;
        self.check_merged(id, node)?;
        Ok(Totals { reach: node.reach.max(own), ..found })
    }

    /// The totals of the cell, or of the block that begins with it, and the span of that block.
    fn cell(&self, id: NodeId, node: &Node<D>, cell: u8) -> Result<(Totals, u8), IntegrityError> {
        match node.slot(cell) {
            Slot::Vacant => Ok((Totals::default(), 0)),
            Slot::Bucket(first) => {
                let span = self.arena.head(first).block.span;
                let is_aligned = u32::from(span) <= cell.trailing_zeros();
                ensure("T2", is_aligned, true, || format!("block of 2^{span} cells from {cell} on, of {id:?}"))?;
                for of_block in cell..cell + (1 << span) {
                    let (found, named) = (node.first_of_block(of_block), node.slot(of_block));
                    ensure("T2", (found, named), (cell, node.slot(cell)), || format!("cell {of_block} of {id:?}"))?;
                }
                Ok((self.chain(first, id, cell)?, span))
            }
            Slot::Child(child) => {
                let below = self.arena.node(child);
                let origin = Block::new(node.origin, node.shift, cell, 0).origin;
                ensure("T2", node.first_of_block(cell), cell, || format!("cell {cell} of {id:?}"))?;
                let links =
                    (below.parent, below.cell, below.depth, below.layer, below.origin, below.shift, below.rules);
                let shift = node.shift.checked_sub(axis_bits::<D>() as u8).unwrap_or(u8::MAX);
                let expected = (Some(id), cell, node.depth + 1, node.layer, origin, shift, node.rules);
                ensure("T1", links, expected, || format!("links and rules of {child:?}"))?;
                Ok((self.subtree(child)?, 0))
            }
        }
    }

    fn chain(&self, first: BucketId, node: NodeId, cell: u8) -> Result<Totals, IntegrityError> {
        let (arena, chain_head) = (self.arena, *self.arena.head(first));
        let mut found = Totals { reach: chain_head.reach, ..Totals::default() };
        let mut buckets = vec![first];
        if let Some(top) = arena.crowd_of(first) {
            ensure("T3", arena.knots.get(top).seat, None, || format!("seat of {top}, the top of a crowd"))?;
            buckets.clear();
            self.knot(top, &mut buckets, &mut found)?;
            ensure("T3", (buckets[0], 1 < buckets.len()), (first, true), || {
                format!("buckets of the crowd of {first:?}")
            })?;
        }
        for &bucket in &buckets {
            let (head, home) = (arena.head(bucket), arena.new_head(node, cell, chain_head.block.span));
            let place = (head.node, head.cell, head.block, arena.buckets().kind(bucket));
            let expected = (node, cell, home.block, arena.node(node).rules.kind);
            ensure("T2", place, expected, || format!("node, cell, block and kind of {bucket:?}"))?;
            let is_plain = home.is_plain && buckets.len() == 1;
            let sizes = (head.extent_max_log2, head.is_plain);
            ensure("T5", sizes, (home.extent_max_log2, is_plain), || format!("extents and grid of {bucket:?}"))?;
            ensure("T3", head.used != 0, true, || format!("positions in use of {bucket:?}: {:b}", head.used))?;
            ensure("T6", head.reach <= chain_head.reach, true, || format!("reach {} of {bucket:?}", head.reach))?;
            ensure("T9", positions_in_use(arena, bucket), head.used, || format!("positions filled in {bucket:?}"))?;
            arena.places_in(bucket).try_for_each(|place| self.entry(head, place))?;
            found.len += head.used.count_ones() as usize;
        }
        found.buckets = buckets.len();
        let (rules, total) = (arena.node(node).rules, arena.total(first) as usize);
        ensure("T3", total, found.len, || format!("entries counted in the chain of {first:?}"))?;
        let may_be_full = cell == OWN_LIST || chain_head.block.span == 0 || total <= rules.split_above as usize;
        ensure("T8", may_be_full, true, || format!("{total} entries in a block: {first:?}"))?;
        Ok(found)
    }

    /// Checks a knot of a crowd and all below it, and lists its buckets.
    fn knot(&self, number: u32, buckets: &mut Vec<BucketId>, found: &mut Totals) -> Result<(), IntegrityError> {
        let (arena, knot) = (self.arena, self.arena.knots.get(number));
        found.knots += 1;
        ensure("T3", knot.members().is_empty(), false, || format!("members of knot {number}"))?;
        for (below, at, of) in knot.summaries() {
            let seat = Seat { knot: number, at };
            let (told, exact) = if knot.is_upper {
                let knot = arena.knots.get(below);
                self.knot(below, buckets, found)?;
                (knot.seat, knot.summary())
            } else {
                let bucket = BucketId::numbered(below);
                buckets.push(bucket);
                let is_in = arena.head(bucket).more;
                (is_in.then(|| arena.seat(bucket)), arena.summary_of(bucket))
            };
            ensure("T3", told, Some(seat), || format!("seat of member {at} of knot {number}"))?;
            ensure("T3", of, exact, || format!("box and lowest slot of member {at} of knot {number}"))?;
        }
        Ok(())
    }

    fn entry(&self, head: &Head<D>, place: Place) -> Result<(), IntegrityError> {
        let (shape, handle) = (self.arena.shape(place), self.arena.handle(place));
        let address = self.space.grid().address(&shape);
        ensure("G1", shape.check_finite().is_ok(), true, || format!("finite coordinates of {shape:?}"))?;
        ensure("T4", head.block.holds(address.anchor), true, || format!("{address:?} in {:?}", head.block))?;
        let [min_log2, max_log2] = self.arena.extents_log2(head.node, head.cell);
        let (least, most) = ((1 << min_log2) - 1, (1_u32 << max_log2) - 2);
        ensure("T5", least <= address.extent && address.extent <= most, true, || {
            format!("extent {} of {handle:?}, allowed from {least} to {most}", address.extent)
        })?;
        ensure("T6", address.extent <= head.reach, true, || {
            format!("extent {} at reach {}", address.extent, head.reach)
        })?;
        ensure("S1", self.space.place(handle), Some(place), || format!("place of {handle:?}"))
    }

    /// Checks that sparse halves of blocks and sparse nodes below the root have been merged.
    fn check_merged(&self, id: NodeId, node: &Node<D>) -> Result<(), IntegrityError> {
        let merge_at = node.rules.merge_at();
        let may_stay = node.parent.is_none() || merge_at < node.len;
        ensure("T8", may_stay, true, || format!("{} objects in {id:?}", node.len))?;
        for span in 0..6 {
            for lower in (0..CELLS as u8).step_by(2 << span) {
                let halves = [lower, lower + (1 << span)].map(|cell| self.sole_chain(node, cell, span));
                let [Some(lower_len), Some(upper_len)] = halves else { continue };
                let together = lower_len + upper_len;
                // Only a removal from the sparser half merges them, so the other half may have lost entries later.
                ensure("T8", together == 0 || merge_at / 2 < together, true, || {
                    format!("{together} entries in both halves of cells {lower}.. (span {span}) of {id:?}")
                })?;
            }
        }
        Ok(())
    }

    /// The number of entries in a block, if it is vacant or is the whole block of one chain.
    fn sole_chain(&self, node: &Node<D>, cell: u8, span: u8) -> Option<u32> {
        match node.slot(cell) {
            Slot::Bucket(first) => (self.arena.head(first).block.span == span).then(|| self.arena.total(first)),
            Slot::Vacant => node.is_vacant(cell, span).then_some(0),
            Slot::Child(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
