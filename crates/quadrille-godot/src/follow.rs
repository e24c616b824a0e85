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
    for (signal, news) in signals.map(StringName::from).into_iter().zip(news) {
        for ids in news {
            emitter.emit_signal(&signal, &ids.map(|id| node(id).to_variant()));
        }
    }
}

/// The nodes of a group by their ids, as they were when it was looked at last; those without a position are `None`.
pub(crate) type Nodes<N> = Vec<Option<(i64, Gd<N>)>>;

/// Takes over the nodes of a group that has changed. To ask a node for its class costs more than all else, so only new ones are
/// asked. Runs that are as before are compared at once, in steps that grow with each, and halve where something has changed.
pub(crate) fn take_over<N: Inherits<Node>>(
    nodes: &mut Nodes<N>, before: &AnyArray, now: &AnyArray, is_here: impl Fn(Gd<Node>) -> bool,
) {
    let (mut known, mut from, mut to, mut step) = (mem::take(nodes), 0, 0, 1);
    while to < now.len() {
        let part = |all: &AnyArray, from: usize| all.subarray_shallow(from..from + step, None);
        if from + step <= known.len() && to + step <= now.len() && part(before, from) == part(now, to) {
            nodes.extend(known[from..from + step].iter_mut().map(Option::take));
            (from, to, step) = (from + step, to + step, 64.min(2 * step));
        } else if step > 1 {
            step /= 2;
        } else if from < known.len() && !before.at(from).try_to().is_ok_and(&is_here) {
            from += 1;
        } else {
            nodes.push(now.at(to).try_to::<Gd<N>>().ok().map(|node| (node.instance_id().to_i64(), node)));
            to += 1;
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
    pub(crate) fn update<N: GodotClass, const D: usize>(
        &mut self, core: &mut Core<D>, nodes: &Nodes<N>, place: impl Fn(&Gd<N>) -> Outcome<Rect<real, D>>, layer: i64,
        within: f64,
    ) -> Outcome<News<2>> {
        let (layer, mut ids, mut shapes) = (numbered(&core.rects, layer)?, Vec::new(), Vec::new());
        for (id, node) in nodes.iter().flatten() {
            self.ids.insert(*id);
            match place(node) {
                Ok(shape) if core.handles.contains_key(id) => {
                    ids.push(*id);
                    shapes.push(shape);
                }
                shape => drop(told("update", || core.insert(&[*id], vec![shape?], layer))),
            }
        }
        told("update", || core.shift(&ids, shapes));
        let mut before = FxHashSet::default();
        if self.ids.len() > nodes.iter().flatten().count() {
            before = mem::replace(&mut self.ids, nodes.iter().flatten().map(|node| node.0).collect());
        }
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
