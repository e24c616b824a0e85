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
use crate::tree::{OfKind, Rules, SavedEntry, Trees, with_kind};

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
    /// The space. `fill` restores the trees of its layers, and names their objects by the slots that these fill. The caller
    /// checks that entries lie where they should.
    pub(crate) fn restore<E: Error>(
        self,
        fill: impl FnOnce(&mut Trees<S, D>, &Layers, &mut Slots) -> Result<(), E>,
    ) -> Result<Space<S, D>, E> {
        let Self { world: ExactRect(world), era: [index, world_stamp, cleared], layers, rules, slots } = self;
        let mut trees = Trees::new(Grid::new(world).map_err(E::custom)?);
        let (layers, mut slots) = (layers.restore(index)?, slots.emptied()?);
        if layers.iter().count() != rules.len() {
            return Err(E::custom("L1: each living layer has one pair of rules"));
        }
        for (layer, (split_above, depth_max)) in layers.iter().zip(rules) {
            let settings = LayerSettings::new().split_above(split_above).depth_max(depth_max);
            let rules = settings.rules::<D>(layers.kind(layer).map_err(E::custom)?);
            trees.add_tree(layer.number, rules.map_err(E::custom)?);
        }
        fill(&mut trees, &layers, &mut slots)?;
        let era = Era { index, world: world_stamp, cleared };
        let mut space = Space { layers, trees, places: slots.places()?, era, left: 0 };
        space.relink_in(&space.trees.all_buckets());
        Ok(space)
    }
}

/// Builds the trees of layers from their objects.
pub(crate) fn build<S: Scalar, E: Error, const D: usize>(
    trees: &mut Trees<S, D>,
    layers: &Layers,
    objects: Vec<Objects<S, D>>,
    slots: &mut Slots,
) -> Result<(), E> {
    if objects.len() != layers.iter().count() {
        return Err(E::custom("L1: each living layer has one list of objects"));
    }
    for (layer, objects) in layers.iter().zip(objects) {
        if layers.kind(layer) != Ok(objects.kind()) {
            return Err(E::custom("L1: a layer has objects of the other kind"));
        }
        with_kind!(objects, |objects| build_tree(trees, layer.number, objects, slots))?;
    }
    Ok(())
}

/// Builds a layer's tree from objects in the order of slots.
fn build_tree<S: Scalar, E: Error, const D: usize, const ENDS: usize>(
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
