//! The data form of the trees of one kind: their roots, their arena, and how far the defragmentation pass has come.
//! Knows neither the layers' rules nor their names, which the caller brings.
//!
//! Keeps M1 of `docs/invariants.md` across saving, and S1: the places of all entries are listed.

use alloc::vec::Vec;

use serde::de::Error;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::arena::SavedArena;
use super::bucket::Bucket;
use super::pass::{Pass, Reached};
use super::rules::Rules;
use super::slender::Slender;
use super::slender_tree::SlenderTree;
use super::{Entry, Trees};
use crate::geometry::{Array, Scalar};
use crate::grid::{Aspect, Block, Grid, UNIT_MAX, axis_bits, cell_at, depth_limit, shift_at};
use crate::key::{BucketId, Handle, NodeId};

/// Trees as they were read: unchecked.
#[derive(Deserialize)]
#[serde(rename = "Trees", bound(deserialize = "B: Bucket<D>, B::Scalar: Deserialize<'de>"))]
pub(crate) struct SavedTrees<B, const D: usize> {
    /// The numbers of roots, each with the numbers of its layer and aspect.
    roots: Vec<(u8, u8, u32)>,
    arena: SavedArena<B, D>,
    pass: SavedPass<D>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Pass")]
struct SavedPass<const D: usize> {
    layer: u8,
    aspect: u8,
    reached: Option<SavedReached<D>>,
    bucket: Option<u32>,
    next: u32,
}

/// A block by the depth of its node.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Reached")]
struct SavedReached<const D: usize> {
    is_node: bool,
    depth: u8,
    origin: Array<u32, D>,
    span: u8,
}

impl<B: Bucket<D, Scalar = S>, S: Scalar + Serialize, const D: usize> Serialize for Trees<B, S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let layers = 0..self.by_layer.len() as u8;
        let square = layers.filter_map(|layer| Some((layer, Aspect::SQUARE.number(), self.root(layer)?.number())));
        let slender = self.slender.iter().map(|tree| (tree.layer, tree.aspect.number(), tree.root.number()));
        let roots: Vec<_> = square.chain(slender).collect();
        let mut parts = serializer.serialize_struct("Trees", 3)?;
        parts.serialize_field("roots", &roots)?;
        parts.serialize_field("arena", self.arena())?;
        parts.serialize_field("pass", &SavedPass::of(&self.pass))?;
        parts.end()
    }
}

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// The rules of a layer's tree.
    pub(crate) fn rules(&self, layer: u8) -> Option<Rules> {
        self.by_layer.get(usize::from(layer)).and_then(Option::as_ref).map(|tree| tree.rules)
    }

    /// Gives a layer a root, in the order of layers and aspects; returns the rules of its tree. `None` if there is no such
    /// layer, or such a tree already.
    fn take_root(&mut self, layer: u8, aspect: u8, root: NodeId) -> Option<Rules> {
        let aspect = Aspect::numbered::<D>(aspect)?;
        let tree = self.by_layer.get_mut(usize::from(layer)).and_then(Option::as_mut)?;
        if aspect.is_square() {
            return tree.root.replace(root).is_none().then_some(tree.rules);
        }
        let is_next = self.slender.last().is_none_or(|last| (last.layer, last.aspect) < (layer, aspect));
        // A layer with objects has a tree of the grid's aspect.
        let rules = ((B::EXTENDED || aspect.is_far()) && is_next && tree.root.is_some())
            .then_some(Rules { aspect, ..tree.rules })?;
        self.slender.push(SlenderTree { layer, aspect, root });
        Some(rules)
    }

    /// Stores entries of any origin in a layer's trees of their aspects, which must be empty; lists their places.
    ///
    /// # Errors
    /// If there is no room for them, or if the aspects do not rise, or are not those of such a layer.
    pub(crate) fn build_checked(&mut self, layer: u8, entries: Slender<S, D>) -> Result<(), &'static str> {
        let is_of_kind = |aspect: Aspect| aspect.is_square() || B::EXTENDED || aspect.is_far();
        let begins_square = entries.first().is_none_or(|(aspect, _)| aspect.is_square());
        if !begins_square || !entries.is_sorted_by(|a, b| a.0 < b.0) || !entries.iter().all(|(a, _)| is_of_kind(*a)) {
            return Err("L1: trees of a layer are not in the order of their aspects");
        }
        let len = entries.iter().map(|(_, of_aspect)| of_aspect.len()).sum();
        let mut by_aspect = entries.into_iter();
        let square = by_aspect.next().map_or_else(Vec::new, |(_, entries)| entries);
        if self.arena().has_room_for(len) {
            self.build_layer(layer, &square, square.len(), by_aspect.collect());
            return Ok(());
        }
        for (shape, handle) in square.into_iter().chain(by_aspect.flat_map(|(_, entries)| entries)) {
            if !self.arena().has_room() {
                return Err("the index is full");
            }
            let entry = Entry { shape, handle, address: self.grid().address(&shape) };
            let place = self.insert_slender(layer, &entry).unwrap_or_else(|| self.insert(layer, &entry));
            self.chains.moved_mut().push((handle, place));
        }
        Ok(())
    }
}

impl<B: Bucket<D>, const D: usize> SavedTrees<B, D> {
    /// The trees of the layers given, over a grid. `name` makes a handle of the number of its slot; the places of all
    /// entries are listed as moved.
    pub(crate) fn restore<E: Error>(
        self,
        grid: Grid<B::Scalar, D>,
        layers: impl IntoIterator<Item = (u8, Rules)>,
        mut name: impl FnMut(u32) -> Result<Handle, E>,
    ) -> Result<Trees<B, B::Scalar, D>, E> {
        let mut trees = Trees::new(grid);
        layers.into_iter().for_each(|(layer, rules)| trees.add_tree(layer, rules));
        let mut roots = Vec::new();
        for (layer, aspect, root) in self.roots {
            let rules = trees.take_root(layer, aspect, NodeId::numbered(root));
            let rules =
                rules.ok_or_else(|| E::custom("L1: a tree is of no layer of its kind, or is not the only one"))?;
            roots.push((layer, rules, root));
        }
        let mut moved = Vec::new();
        *trees.arena_mut() = self.arena.restore(roots, |slot, place| {
            let handle = name(slot)?;
            moved.push((handle, place));
            Ok(handle)
        })?;
        *trees.chains.moved_mut() = moved;
        trees.pass = self.pass.restore(trees.arena().buckets_len())?;
        Ok(trees)
    }
}

impl<const D: usize> SavedPass<D> {
    fn of(pass: &Pass<D>) -> Self {
        let reached = match pass.reached {
            Reached::Nothing => None,
            Reached::Chain(block) => Some(SavedReached::of(&block, false)),
            Reached::Node(block) => Some(SavedReached::of(&block, true)),
        };
        Self {
            layer: pass.layer,
            aspect: pass.aspect.number(),
            reached,
            bucket: pass.bucket.map(BucketId::number),
            next: pass.next,
        }
    }

    /// The pass, over so many buckets.
    fn restore<E: Error>(self, buckets: usize) -> Result<Pass<D>, E> {
        let Self { layer, aspect, reached, bucket, next } = self;
        let aspect =
            Aspect::numbered::<D>(aspect).ok_or_else(|| E::custom("M1: a pass is at an aspect that does not exist"))?;
        if buckets < next as usize || bucket.is_some_and(|bucket| buckets <= bucket as usize) {
            return Err(E::custom("M1: a pass is at a bucket that does not exist"));
        }
        let reached = match reached {
            None => Reached::Nothing,
            Some(reached) => reached.restore().ok_or_else(|| E::custom("M1: a pass has reached no block"))?,
        };
        Ok(Pass { layer, aspect, reached, bucket: bucket.map(BucketId::numbered), next })
    }
}

impl<const D: usize> SavedReached<D> {
    fn of(block: &Block<D>, is_node: bool) -> Self {
        let shift = (block.volume_log2() - block.span) / D as u8;
        let depth = (0..=depth_limit::<D>()).find(|&depth| shift_at::<D>(depth) == shift);
        let depth = depth.expect("blocks are of nodes");
        Self { is_node, depth, origin: Array(block.origin), span: block.span }
    }

    /// The node or block that was reached; `None` if there is no such block in any node.
    fn restore(self) -> Option<Reached<D>> {
        let Self { is_node, depth, origin: Array(origin), span } = self;
        if depth_limit::<D>() < depth || is_node && span != 6 || origin.iter().any(|&unit| UNIT_MAX < unit) || 6 < span
        {
            return None;
        }
        let shift = shift_at::<D>(depth);
        let node =
            origin.map(|unit| unit >> (u32::from(shift) + axis_bits::<D>()) << (u32::from(shift) + axis_bits::<D>()));
        let cell = cell_at(origin, shift);
        let block = Block::new(node, shift, cell, span);
        let is_aligned = block.origin == origin && cell.trailing_zeros() >= span.into();
        is_aligned.then_some(if is_node { Reached::Node(block) } else { Reached::Chain(block) })
    }
}
