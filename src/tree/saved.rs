//! The data form of all trees: roots, arena, and progress of the defragmentation pass. The caller supplies
//! the layers' rules and names.
//!
//! Keeps M1 of `docs/invariants.md` across saving, and S1: the places of all entries are listed.

use alloc::vec::Vec;

use serde::de::Error;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::Trees;
use super::arena::{Arena, SavedArena};
use super::pass::{Pass, Reached};
use super::rules::Rules;
use crate::geometry::{Array, Rect, Scalar};
use crate::grid::UNIT_MAX;
use crate::key::{BucketId, Handle, Kind, NodeId};

/// Trees as they were read: unchecked.
#[derive(Deserialize)]
#[serde(rename = "Trees", bound(deserialize = "S: Scalar + Deserialize<'de>"))]
pub(crate) struct SavedTrees<S: Scalar, const D: usize> {
    /// The layer and the root of each tree, by layer.
    roots: Vec<(u8, u32)>,
    arena: SavedArena<S, D>,
    pass: SavedPass<D>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Pass")]
struct SavedPass<const D: usize> {
    layer: u8,
    /// The first unit, the logarithm of the volume, and whether it is a whole node.
    reached: Option<(Array<u32, D>, u8, bool)>,
    bucket: Option<u32>,
    placed: [u32; 2],
}

impl<S: Scalar + Serialize, const D: usize> Serialize for Trees<S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let layers = 0..self.list.len() as u8;
        let roots: Vec<_> = layers.filter_map(|layer| Some((layer, self.root(layer)?.number()))).collect();
        let mut parts = serializer.serialize_struct("Trees", 3)?;
        parts.serialize_field("roots", &roots)?;
        parts.serialize_field("arena", self.arena())?;
        parts.serialize_field("pass", &SavedPass::of(&self.pass))?;
        parts.end()
    }
}

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Gives a layer's tree a root. Returns its rules; `None` if there is no such layer.
    fn take_root(&mut self, layer: u8, root: NodeId) -> Option<Rules> {
        let tree = self.list.get_mut(usize::from(layer))?.as_mut()?;
        tree.root = Some(root);
        Some(tree.rules)
    }

    /// Stores entries of any origin in a layer's tree, which must be empty. Lists no places.
    ///
    /// # Errors
    /// If there is no room for the entries.
    pub(crate) fn build_checked(&mut self, layer: u8, entries: &[(Rect<S, D>, Handle)]) -> Result<(), &'static str> {
        let kind = self.living_rules(layer).kind;
        if !self.arena().has_room_for(kind, entries.len()) && !self.has_room_to_build(layer, entries) {
            return Err("the index is full");
        }
        self.build(layer, entries);
        Ok(())
    }
}

impl<S: Scalar, const D: usize> SavedTrees<S, D> {
    /// Restores the trees of layers, which must be empty. `name` makes a handle from its slot number. Lists no places.
    pub(crate) fn restore<E: Error>(
        self,
        trees: &mut Trees<S, D>,
        name: impl FnMut(u32) -> Result<Handle, E>,
    ) -> Result<(), E> {
        let is_sorted = self.roots.is_sorted_by(|a, b| a.0 < b.0);
        let mut roots = Vec::new();
        for (layer, root) in self.roots {
            let rules = trees.take_root(layer, NodeId::numbered(root)).filter(|_| is_sorted);
            let rules = rules.ok_or_else(|| E::custom("L1: a tree is of no layer, or not the only one"))?;
            roots.push((layer, rules, root));
        }
        trees.forest.arena = self.arena.restore(roots, name)?;
        trees.pass = self.pass.restore(trees.arena())?;
        Ok(())
    }
}

impl<const D: usize> SavedPass<D> {
    fn of(pass: &Pass<D>) -> Self {
        let saved = |Reached { origin, volume_log2, is_node }| (Array(origin), volume_log2, is_node);
        Self {
            layer: pass.layer,
            reached: pass.reached.map(saved),
            bucket: pass.bucket.map(BucketId::number),
            placed: pass.placed,
        }
    }

    /// Restores the pass over the buckets of an arena.
    fn restore<S: Scalar, E: Error>(self, arena: &Arena<S, D>) -> Result<Pass<D>, E> {
        let Self { layer, reached, bucket, placed } = self;
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
        Ok(Pass { layer, reached, bucket: bucket.map(BucketId::numbered), placed })
    }
}
