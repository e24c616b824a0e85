//! Groups and zones share this in both dimensions: whom they follow, who touches, who is inside.

use std::mem;

use godot::prelude::*;
use quadrille::{Contacts, Handle, IntoRegion, Layer, Rect, Rects, Watch};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::{Core, numbered};
use crate::index::told;
use crate::shapes::{Outcome, distance};

/// The ids of what has begun, and of what has ended.
pub(crate) type News<const N: usize> = [Vec<[i64; N]>; 2];

/// Emits two signals, with a node for each id. Of one that was freed there is none.
pub(crate) fn tell<const N: usize>(emitter: &mut Object, signals: [&str; 2], news: News<N>) {
    let node = |id| InstanceId::try_from_i64(id).and_then(|id| Gd::<Node>::try_from_instance_id(id).ok());
    for (signal, news) in signals.into_iter().zip(news) {
        for ids in news {
            emitter.emit_signal(signal, &ids.map(|id| node(id).to_variant()));
        }
    }
}

/// Those whom a group follows.
#[derive(Default)]
pub(crate) struct Followed {
    ids: FxHashSet<i64>,
    contacts: Contacts,
}

impl Followed {
    /// Moves those that are known, inserts the others, and takes out those that are here no more. Returns the contacts.
    pub(crate) fn update<const D: usize>(
        &mut self, core: &mut Core<D>, nodes: impl Iterator<Item = (i64, Outcome<Rect<real, D>>)>, layer: i64,
        within: f64,
    ) -> Outcome<News<2>> {
        let (layer, before, mut moves) = (numbered(&core.rects, layer)?, mem::take(&mut self.ids), Vec::new());
        for (id, shape) in nodes {
            self.ids.insert(id);
            match shape {
                Ok(shape) if core.handles.contains_key(&id) => moves.push((id, shape)),
                shape => drop(told("update", || core.insert(&[id], vec![shape?], layer))),
            }
        }
        let (ids, shapes): (Vec<_>, Vec<_>) = moves.into_iter().unzip();
        told("update", || core.shift(&ids, shapes));
        let contacts = if within < 0.0 { Ok(News::default()) } else { self.touching(core, layer, within) };
        // Somebody else may have taken some out.
        let _ = core.remove(&before.difference(&self.ids).copied().collect::<Vec<_>>());
        contacts
    }

    fn touching<const D: usize>(&mut self, core: &Core<D>, layer: Layer<Rects>, within: f64) -> Outcome<News<2>> {
        let pairs = core.objects.pairs().within(distance("contact_distance", within)?).in_layers(layer);
        let are_here = |[one, other]: [&i64; 2]| self.ids.contains(one) && self.ids.contains(other);
        let pairs = pairs.filter(|(one, other)| are_here([one.value(), other.value()]));
        let Ok(changes) = self.contacts.poll(pairs) else {
            // The index is another one than before.
            self.contacts = Contacts::new();
            return Ok(News::default());
        };
        let id = |handle: Handle| core.objects.get(handle).copied().unwrap_or_default();
        Ok([changes.begun, changes.ended].map(|pairs| pairs.iter().map(|pair| pair.map(id)).collect()))
    }
}

/// Those inside a zone.
#[derive(Default)]
pub(crate) struct Inside {
    watch: Watch,
    pub(crate) ids: FxHashMap<Handle, i64>,
}

impl Inside {
    pub(crate) fn look<const D: usize>(
        &mut self, core: &Core<D>, region: Outcome<impl IntoRegion<real, D>>, layer: i64,
    ) -> Outcome<News<1>> {
        let Ok(changes) = self.watch.poll(core.objects.intersecting(region?).in_layers(numbered(&core.rects, layer)?))
        else {
            // The index is another one than before.
            return Ok([vec![], mem::take(self).ids.into_values().map(|id| [id]).collect()]);
        };
        let left = changes.left.iter().filter_map(|handle| self.ids.remove(handle).map(|id| [id])).collect();
        for &handle in changes.entered {
            self.ids.insert(handle, *core.objects.get(handle).expect("it was found just now"));
        }
        Ok([changes.entered.iter().map(|handle| [self.ids[handle]]).collect(), left])
    }
}
