//! Both dimensions share this: objects under ids of the user, in layers as Godot numbers them.

use std::mem;

use godot::prelude::*;
use quadrille::{
    Around, Handle, IntoRegion, IntoShape, Layer, LayerKind, LayerSet, ObjectError, Points, Rect, Rects, SpatialIndex,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::shapes::{Outcome, distance};

/// All layers.
pub(crate) const ALL: i64 = u32::MAX as i64;

/// Layers of Godot. Each is two of the library: one of points, and one of boxes.
const LAYERS: usize = 32;

pub(crate) struct Core<const D: usize> {
    pub(crate) objects: SpatialIndex<i64, real, D>,
    pub(crate) points: Vec<Layer<Points>>,
    pub(crate) rects: Vec<Layer<Rects>>,
    pub(crate) handles: FxHashMap<i64, Handle>,
    used: LayerSet,
    /// Memory for neighbors.
    told: Vec<i64>,
}

impl<const D: usize> Default for Core<D> {
    fn default() -> Self {
        let mut objects = SpatialIndex::new(Rect::new([-32768.0; D], [32768.0; D])).expect("a world");
        let points = (0..LAYERS).map(|_| objects.add_point_layer().expect("there may be 64")).collect();
        let rects = (0..LAYERS).map(|_| objects.add_rect_layer().expect("there may be 64")).collect();
        Self { objects, points, rects, handles: FxHashMap::default(), used: LayerSet::NONE, told: Vec::new() }
    }
}

/// One of the layers, which Godot counts from 1.
pub(crate) fn numbered<L: Copy>(layers: &[L], layer: i64) -> Outcome<L> {
    let found = layer.checked_sub(1).and_then(|number| layers.get(usize::try_from(number).ok()?));
    Ok(*found.ok_or_else(|| format!("layer {layer}: there are 1 to {LAYERS}"))?)
}

/// How many were refused, and why the first was.
fn all_but(refused: &[(i64, String)], all: usize) -> Outcome<bool> {
    match refused {
        [] => Ok(true),
        [(id, reason), ..] => Err(format!("id {id}: {reason} ({} of {all} refused)", refused.len()).into()),
    }
}

pub(crate) fn same_length(some: usize, names: &str, others: usize, other_names: &str) -> Outcome {
    if some == others { Ok(()) } else { Err(format!("{some} {names} and {others} {other_names}").into()) }
}

pub(crate) fn most(max_results: i64) -> Outcome<usize> {
    Ok(usize::try_from(max_results).map_err(|_| format!("max_results {max_results} is below 0"))?)
}

const UNKNOWN: &str = "there is no such object";

impl<const D: usize> Core<D> {
    /// The layers of a mask, whose lowest bit is layer 1; without those that have never been used, which cost too.
    pub(crate) fn layers(&self, mask: i64) -> Outcome<LayerSet> {
        let bits = u64::from(u32::try_from(mask).map_err(|_| format!("mask {mask} is not of 32 bits"))?);
        Ok(self.used & LayerSet::from_bits(bits << LAYERS | bits))
    }

    pub(crate) fn insert<K: LayerKind>(
        &mut self, ids: &[i64], shapes: Vec<impl IntoShape<K, real, D>>, layer: Layer<K>,
    ) -> Outcome<bool> {
        same_length(ids.len(), "ids", shapes.len(), "shapes")?;
        let mut new = FxHashSet::default();
        if let Some(id) = ids.iter().find(|&id| self.handles.contains_key(id) || !new.insert(*id)) {
            return Err(format!("id {id} is taken").into());
        }
        let handles = self.objects.insert_batch(layer, shapes.into_iter().zip(ids.iter().copied()))?;
        self.used = self.used | layer;
        self.handles.extend(ids.iter().copied().zip(handles));
        Ok(true)
    }

    pub(crate) fn shift<K: LayerKind>(&mut self, ids: &[i64], to: Vec<impl IntoShape<K, real, D>>) -> Outcome<bool> {
        same_length(ids.len(), "ids", to.len(), "shapes")?;
        let mut refused = Vec::new();
        let moves = ids.iter().zip(to).filter_map(|(&id, shape)| {
            let handle = self.handles.get(&id).copied();
            if handle.is_none() {
                refused.push((id, UNKNOWN.to_owned()));
            }
            Some((handle?, shape))
        });
        for (handle, error) in self.objects.move_batch(moves).refused {
            let reason = match error {
                ObjectError::WrongKind { object, .. } => format!("it is one of {object:?}"),
                other => other.to_string(),
            };
            refused.push((self.objects.get(handle).copied().unwrap_or_default(), reason));
        }
        all_but(&refused, ids.len())
    }

    pub(crate) fn remove(&mut self, ids: &[i64]) -> Outcome<bool> {
        let mut take = |id| self.handles.remove(id).and_then(|handle| self.objects.remove(handle));
        let refused = ids.iter().filter(|id| take(id).is_none()).map(|id| (*id, UNKNOWN.to_owned()));
        all_but(&refused.collect::<Vec<_>>(), ids.len())
    }

    pub(crate) fn clear(&mut self) {
        self.objects.clear();
        self.handles.clear();
    }

    fn handle(&self, id: i64) -> Outcome<Handle> {
        Ok(*self.handles.get(&id).ok_or_else(|| format!("id {id}: {UNKNOWN}"))?)
    }

    pub(crate) fn shape(&self, id: i64) -> Outcome<Rect<real, D>> {
        Ok(self.objects.shape(self.handle(id)?).expect("a known handle"))
    }

    /// Those that are known. Others are not found anyway.
    pub(crate) fn known(&self, ids: &PackedInt64Array) -> Vec<Handle> {
        ids.as_slice().iter().filter_map(|id| self.handles.get(id).copied()).collect()
    }

    pub(crate) fn query<I: IntoRegion<real, D, Via>, Via>(&self, region: I, mask: i64) -> Outcome<PackedInt64Array> {
        Ok(self.objects.intersecting(region).in_layers(self.layers(mask)?).map(|object| *object.value()).collect())
    }

    pub(crate) fn pairs(&self, within: f64, mask: i64, other_mask: i64) -> Outcome<PackedInt64Array> {
        let pairs = self.objects.pairs().within(distance("distance", within)?);
        let pairs = pairs.between(self.layers(mask)?, self.layers(other_mask)?);
        Ok(pairs.flat_map(|(one, other)| [*one.value(), *other.value()]).collect::<Vec<_>>().into())
    }

    /// Passes the neighbors of each object on, with the object's position among the ids; and with the position of each slot.
    fn around(
        &self, ids: &[i64], within: f64, mask: i64, most: usize,
        mut each: impl FnMut(usize, &[u32], Around<'_, '_, i64, real, D>),
    ) -> Outcome {
        let (mut handles, mut positions) = (Vec::new(), vec![u32::MAX; self.objects.slots()]);
        for (position, &id) in ids.iter().enumerate() {
            let handle = self.handle(id)?;
            if positions[handle.slot()] != u32::MAX {
                return Err(format!("id {id}: it came before").into());
            }
            positions[handle.slot()] = u32::try_from(position)?;
            handles.push(handle);
        }
        // A list of most objects costs more than what it leaves out.
        let are_few = 2 * ids.len() < self.objects.len();
        let neighbors = if are_few { self.objects.neighbors_of(handles) } else { self.objects.neighbors() };
        let neighbors = neighbors.within(distance("distance", within)?).between(self.used, self.layers(mask)?);
        let neighbors = if most == 0 { neighbors } else { neighbors.nearest(most) };
        neighbors.for_each(|center, around| match positions[center.handle.slot()] {
            u32::MAX => {}
            position => each(position as usize, &positions, around),
        });
        Ok(())
    }

    /// The neighbors of each, in the order of the ids.
    pub(crate) fn neighbors(&mut self, ids: &[i64], within: f64, mask: i64, most: usize) -> Outcome<VarDictionary> {
        let (mut told, mut ranges) = (mem::take(&mut self.told), vec![0..0; ids.len()]);
        told.clear();
        self.around(ids, within, mask, most, |position, _, around| {
            let start = told.len();
            told.extend(around.map(|other| *other.value));
            ranges[position] = start..told.len();
        })?;
        let (mut offsets, mut found) = (vec![0], PackedInt64Array::new());
        found.resize(told.len());
        let mut rest = found.as_mut_slice();
        for range in ranges {
            rest.split_off_mut(..range.len()).expect("as many in all").copy_from_slice(&told[range]);
            offsets.push(i32::try_from(told.len() - rest.len())?);
        }
        self.told = told;
        Ok(vdict! { "offsets" => &PackedInt32Array::from(offsets), "ids" => &found })
    }

    /// The mean of what is known of the neighbors of each, or else what is known of itself.
    pub(crate) fn means(&self, ids: &[i64], values: &[[real; D]], within: f64, mask: i64) -> Outcome<Vec<[real; D]>> {
        same_length(ids.len(), "ids", values.len(), "values")?;
        let mut means = values.to_vec();
        self.around(ids, within, mask, 0, |position, positions, around| {
            let (mut count, mut sum) = (0.0, [0.0; D]);
            for value in around.filter_map(|other| values.get(positions[other.handle.slot()] as usize)) {
                count += 1.0;
                sum.iter_mut().zip(value).for_each(|(sum, part)| *sum += part);
            }
            if count > 0.0 {
                means[position] = sum.map(|sum| sum / count);
            }
        })?;
        Ok(means)
    }
}
