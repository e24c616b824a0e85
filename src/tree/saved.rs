//! The data form of all trees: roots, arena, and progress of the defragmentation pass. The caller supplies
//! the layers' rules and names.
//!
//! Keeps M1 of `docs/invariants.md` across saving, and S1: the places of all entries are listed.

use alloc::vec::Vec;

use serde::de::Error;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::arena::{Arena, SavedArena};
use super::entries::ByGrid;
use super::forest::Forest;
use super::pass::{Pass, Reached};
use super::rules::Rules;
use super::{Tree, TreeId, Trees};
use crate::geometry::{Array, Scalar};
use crate::grid::{Grid, GridId, UNIT_MAX};
use crate::key::{BucketId, Handle, Kind, NodeId};

/// Trees as they were read: unchecked.
#[derive(Deserialize)]
#[serde(rename = "Trees", bound(deserialize = "S: Scalar + Deserialize<'de>"))]
pub(crate) struct SavedTrees<S: Scalar, const D: usize> {
    /// The layer, the grid and the root of each tree, by number.
    roots: Vec<(u8, u8, u32)>,
    arena: SavedArena<S, D>,
    pass: SavedPass<D>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Pass")]
struct SavedPass<const D: usize> {
    layer: u8,
    grid: u8,
    /// The first unit, the logarithm of the volume, and whether it is a whole node.
    reached: Option<(Array<u32, D>, u8, bool)>,
    bucket: Option<u32>,
    placed: [u32; 2],
}

impl<S: Scalar + Serialize, const D: usize> Serialize for Trees<S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let named = |tree: &Tree<S, D>| Some((tree.id.layer, tree.grid.id().number(), tree.root?.number()));
        let mut roots: Vec<_> = self.list.iter().filter_map(named).collect();
        roots.sort_unstable();
        let mut parts = serializer.serialize_struct("Trees", 3)?;
        parts.serialize_field("roots", &roots)?;
        parts.serialize_field("arena", self.arena())?;
        parts.serialize_field("pass", &SavedPass::of(&self.pass))?;
        parts.end()
    }
}

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Adds a tree with a root to a layer. Returns the tree's rules. `None` if the layer may not have it, or has no main
    /// root yet.
    fn take_root(&mut self, layer: u8, grid: u8, root: NodeId) -> Option<Rules> {
        let grid = GridId::numbered::<D>(grid)?;
        let rules = Rules { grid, ..self.rules(layer)? };
        // A layer with objects has a main root.
        if !self.may_have(rules.kind, grid) || !grid.is_main() && self.root(TreeId::main(layer)).is_none() {
            return None;
        }
        let at = self.add_tree(layer, rules);
        self.list[at].root = Some(root);
        Some(rules)
    }

    /// Whether a layer of this kind may have a tree over a grid. Points are never thin, so they use no long grid.
    fn may_have(&self, kind: Kind, grid: GridId) -> bool {
        self.grid.has_variant(grid) && (grid.is_main() || kind == Kind::Rects || grid.is_large())
    }

    /// Stores entries of any origin in a layer's trees over their grids. The trees must be empty. Lists no places.
    ///
    /// # Errors
    /// If there is no room for the entries, or if the grids are not in rising order or not allowed in such a layer.
    pub(crate) fn build_checked(&mut self, layer: u8, mut entries: ByGrid<S, D>) -> Result<(), &'static str> {
        if entries.is_empty() {
            entries.push((GridId::MAIN, Vec::new()));
        }
        let kind = self.living_rules(layer).kind;
        let are_known = entries.iter().all(|(grid, _)| self.may_have(kind, *grid));
        if !entries[0].0.is_main() || !entries.is_sorted_by(|a, b| a.0 < b.0) || !are_known {
            return Err("L1: trees of a layer are not in the order of their grids");
        }
        let objects = entries.iter().map(|(_, of_tree)| of_tree.len()).sum();
        if !self.arena().has_room_for(kind, objects) && !self.has_room_to_build(layer, &entries) {
            return Err("the index is full");
        }
        // No tree is chosen anew: cursors go from tree to tree.
        let kept = entries[0].1.len();
        self.build_layer(layer, entries, kept);
        Ok(())
    }
}

impl<S: Scalar, const D: usize> SavedTrees<S, D> {
    /// Restores the trees of these layers, over a grid. `name` makes a handle from its slot number. Lists no places.
    pub(crate) fn restore<E: Error>(
        self,
        grid: Grid<S, D>,
        layers: impl IntoIterator<Item = (u8, Rules)>,
        name: impl FnMut(u32) -> Result<Handle, E>,
    ) -> Result<Trees<S, D>, E> {
        let mut trees = Trees::new(grid);
        for (layer, rules) in layers {
            trees.add_tree(layer, rules);
        }
        let is_sorted = self.roots.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1));
        let mut roots = Vec::new();
        for (layer, grid, root) in self.roots {
            let rules = trees.take_root(layer, grid, NodeId::numbered(root)).filter(|_| is_sorted);
            let rules = rules.ok_or_else(|| {
                E::custom("L1: a tree is of no layer, over a grid that the layer may not have, or not the only one")
            })?;
            roots.push((layer, rules, root));
        }
        trees.forest = Forest { arena: self.arena.restore(roots, name)?, moved: Vec::new() };
        trees.pass = self.pass.restore(trees.arena())?;
        Ok(trees)
    }
}

impl<const D: usize> SavedPass<D> {
    fn of(pass: &Pass<D>) -> Self {
        let saved = |Reached { origin, volume_log2, is_node }| (Array(origin), volume_log2, is_node);
        Self {
            layer: pass.tree.layer,
            grid: pass.tree.grid.number(),
            reached: pass.reached.map(saved),
            bucket: pass.bucket.map(BucketId::number),
            placed: pass.placed,
        }
    }

    /// Restores the pass over the buckets of an arena.
    fn restore<S: Scalar, E: Error>(self, arena: &Arena<S, D>) -> Result<Pass<D>, E> {
        let Self { layer, grid, reached, bucket, placed } = self;
        let grid =
            GridId::numbered::<D>(grid).ok_or_else(|| E::custom("M1: a pass is over a grid that does not exist"))?;
        let is_beyond = |kind: Kind| arena.buckets().len(kind) < placed[kind as usize] as usize;
        if [Kind::Points, Kind::Rects].into_iter().any(is_beyond)
            || bucket.is_some_and(|bucket| !arena.buckets().has(bucket))
        {
            return Err(E::custom("M1: a pass is at a bucket that does not exist"));
        }
        if reached.is_some_and(|(Array(origin), ..)| origin.iter().any(|&unit| UNIT_MAX < unit)) {
            return Err(E::custom("M1: a pass has reached no block"));
        }
        let reached = reached.map(|(Array(origin), volume_log2, is_node)| Reached { origin, volume_log2, is_node });
        Ok(Pass { tree: TreeId { layer, grid }, reached, bucket: bucket.map(BucketId::numbered), placed })
    }
}
