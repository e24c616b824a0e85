//! The data form of a space: the part that both forms of an index share, and the trees. The exact form has the trees as
//! they are. The compact form has objects, and loading builds the trees.
//!
//! Keeps L1, L2, S1 and S2 of `docs/invariants.md` for bytes of any origin.

use alloc::vec::Vec;
use core::mem;

use serde::de::Error;
use serde::{Deserialize, Serialize};

use super::{Era, Space};
use crate::geometry::{ExactRect, Rect, Scalar};
use crate::grid::Grid;
use crate::key::{Handle, Kind, Stamp};
use crate::layer::{LayerSettings, Layers, SavedLayers};
use crate::store::{SavedSlots, Slots};
use crate::tree::{OfKind, Rules, SavedEntry, SavedTrees, Trees, with_kind};

/// A space without its trees.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Space", bound(serialize = "S: Scalar + Serialize", deserialize = "S: Scalar + Deserialize<'de>"))]
pub(crate) struct SavedSpace<S: Scalar, const D: usize> {
    world: ExactRect<S, D, 2>,
    /// The stamps of the index, of its world and of its latest `clear`.
    era: [Stamp; 3],
    layers: SavedLayers,
    /// `split_above` and `depth_max` of each living layer, by rising number.
    rules: Vec<(u32, u8)>,
    slots: SavedSlots,
}

/// The objects of a layer in the order of slots. The number of each says how far its slot is behind the one before.
pub(crate) type Objects<S, const D: usize> = OfKind<Vec<SavedEntry<S, D, 1>>, Vec<SavedEntry<S, D, 2>>>;

/// A space whose trees are to be restored.
pub(crate) struct UnbuiltSpace<S, const D: usize> {
    grid: Grid<S, D>,
    era: Era,
    layers: Layers,
    /// Of the living layers.
    rules: Vec<(u8, Rules)>,
    slots: Slots,
}

impl<S: Scalar, const D: usize> Space<S, D> {
    /// The space without its trees.
    pub(crate) fn saved(&self) -> SavedSpace<S, D> {
        let Era { index, world, cleared } = self.era;
        let rules = self.layers.iter().filter_map(|layer| self.trees.rules(layer.number));
        SavedSpace {
            world: ExactRect(self.grid().world()),
            era: [index, world, cleared],
            layers: self.layers.saved(),
            rules: rules.map(|Rules { split_above, depth_max, .. }| (split_above, depth_max)).collect(),
            slots: self.places.saved(),
        }
    }

    /// The objects of the living layers, by rising number.
    pub(crate) fn objects(&self) -> Vec<Objects<S, D>> {
        let of_layer = |layer| match self.layers.kind_of_number(layer)? {
            Kind::Points => Some(Objects::Points(by_slot(self.trees.entries(layer)))),
            Kind::Rects => Some(Objects::Rects(by_slot(self.trees.entries(layer)))),
        };
        self.layers.iter().filter_map(|layer| of_layer(layer.number)).collect()
    }

    /// Keeps later stamps and layer identifiers different from the ones of this space.
    pub(crate) fn keep_stamps(&self) {
        let Era { index, world, cleared } = self.era;
        [index, world, cleared].into_iter().for_each(Stamp::keep);
        self.layers.keep_stamps();
    }
}

fn by_slot<S: Scalar, const D: usize, const ENDS: usize>(
    mut entries: Vec<(Rect<S, D>, Handle)>,
) -> Vec<SavedEntry<S, D, ENDS>> {
    entries.sort_unstable_by_key(|&(_, handle)| handle.slot_number());
    let mut before = 0;
    let mut number = |handle: Handle| handle.slot_number() - mem::replace(&mut before, handle.slot_number());
    entries.into_iter().map(|(shape, handle)| (number(handle), ExactRect(shape))).collect()
}

impl<S: Scalar, const D: usize> SavedSpace<S, D> {
    pub(crate) fn restore<E: Error>(self) -> Result<UnbuiltSpace<S, D>, E> {
        let Self { world: ExactRect(world), era: [index, world_stamp, cleared], layers, rules, slots } = self;
        let grid = Grid::new(world).map_err(E::custom)?;
        let layers = layers.restore(index)?;
        let kinds = layers.iter().map(|layer| (layer.number, layers.kind_of_number(layer.number)));
        let kinds: Vec<_> = kinds.filter_map(|(layer, kind)| Some((layer, kind?))).collect();
        if kinds.len() != rules.len() {
            return Err(E::custom("L1: each living layer has one pair of rules"));
        }
        let checked = |((layer, kind), (split_above, depth_max))| {
            let settings = LayerSettings::new().split_above(split_above).depth_max(depth_max);
            settings.rules::<D>(kind).map(|rules| (layer, rules))
        };
        let rules: Result<_, _> = kinds.into_iter().zip(rules).map(checked).collect();
        let era = Era { index, world: world_stamp, cleared };
        Ok(UnbuiltSpace { grid, era, layers, rules: rules.map_err(E::custom)?, slots: slots.emptied()? })
    }
}

impl<S: Scalar, const D: usize> UnbuiltSpace<S, D> {
    /// The space with its trees as they were. The caller checks that entries lie where they should.
    pub(crate) fn with_trees<E: Error>(mut self, trees: SavedTrees<S, D>) -> Result<Space<S, D>, E> {
        let trees = trees.restore(self.grid, self.rules.iter().copied(), |slot| self.slots.fill(slot))?;
        self.end(trees)
    }

    /// The space with trees built from the objects.
    pub(crate) fn with_objects<E: Error>(mut self, objects: Vec<Objects<S, D>>) -> Result<Space<S, D>, E> {
        let mut trees = Trees::new(self.grid);
        if objects.len() != self.rules.len() {
            return Err(E::custom("L1: each living layer has one list of objects"));
        }
        for (&(layer, rules), objects) in self.rules.iter().zip(objects) {
            trees.add_tree(layer, rules);
            if objects.kind() != rules.kind {
                return Err(E::custom("L1: a layer has objects of the other kind"));
            }
            with_kind!(objects, |objects| build(&mut trees, layer, objects, &mut self.slots))?;
        }
        self.end(trees)
    }

    fn end<E: Error>(self, trees: Trees<S, D>) -> Result<Space<S, D>, E> {
        let Self { era, layers, slots, .. } = self;
        let mut space = Space { layers, trees, places: slots.places()?, era, left: 0 };
        space.relink_in(&space.trees.all_buckets());
        Ok(space)
    }
}

/// Builds a layer's tree from objects in the order of slots.
fn build<S: Scalar, E: Error, const D: usize, const ENDS: usize>(
    trees: &mut Trees<S, D>,
    layer: u8,
    objects: Vec<SavedEntry<S, D, ENDS>>,
    slots: &mut Slots,
) -> Result<(), E> {
    let mut entries: Vec<(Rect<S, D>, Handle)> = Vec::with_capacity(objects.len());
    let mut slot = 0_u32;
    for (number, ExactRect(shape)) in objects {
        slot = slot.checked_add(number).ok_or_else(|| E::custom("S1: a slot does not exist"))?;
        entries.push((shape, slots.fill(slot)?));
    }
    trees.build_checked(layer, &entries).map_err(E::custom)
}
