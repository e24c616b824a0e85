//! An index beside its oracle: a linear list, the layers that live, and the handles that were ever given out.

use std::collections::{BTreeSet, VecDeque};

use quadrille::{AddLayerError, Handle};
use quadrille_support::oracle::{Asked, Known, Model, Span};
use quadrille_support::{AnyLayer, Index};

use super::{Space, agree};
use crate::field::{Layers, Settings};

/// How many layers an index may have.
const LAYERS_MAX: usize = 64;

/// An index and what is known of it.
#[derive(Clone)]
pub(super) struct Side<S, const D: usize> {
    pub(super) index: Index<S, D>,
    pub(super) model: Model<S, D>,
    pub(super) layers: Vec<AnyLayer>,
    /// Handles of removed objects, the last ones.
    pub(super) gone: VecDeque<Handle>,
    /// All handles that were ever given out.
    given: BTreeSet<Handle>,
    /// How many numbers of layers were used, and those that are free again, the longest first.
    numbers: usize,
    free: VecDeque<u8>,
    /// Which index, world, and time since it was cleared; the same in clones.
    pub(super) era: [u32; 3],
    /// Whether it was restored: then it is not asked whether what belongs to others goes on here.
    pub(super) is_restored: bool,
}

impl<S: Space, const D: usize> Side<S, D> {
    pub(super) fn new(index: Index<S, D>, era: [u32; 3]) -> Self {
        Self {
            index,
            model: Model::new(),
            layers: Vec::new(),
            gone: VecDeque::new(),
            given: BTreeSet::new(),
            numbers: 0,
            free: VecDeque::new(),
            era,
            is_restored: false,
        }
    }

    pub(super) fn holds(&self, layer: AnyLayer) -> bool {
        self.layers.contains(&layer)
    }

    /// The layer of an object that is known.
    pub(super) fn layer_of(&self, known: &Known<S, D>) -> AnyLayer {
        *self.layers.iter().find(|layer| layer.id() == known.layer).expect("objects are in living layers")
    }

    /// Adds a layer if it may; the number must be the one that is due.
    pub(super) fn add_layer(&mut self, settings: Settings) -> Option<AnyLayer> {
        let build = settings.build();
        let added = if settings.rects {
            self.index.add_rect_layer_with(build).map(AnyLayer::Rects)
        } else {
            self.index.add_point_layer_with(build).map(AnyLayer::Points)
        };
        let limit = if D == 2 { 9 } else { 14 };
        let may = self.layers.len() < LAYERS_MAX
            && settings.depth_max.is_none_or(|depth_max| depth_max <= limit)
            && (settings.rects || settings.split_above > 0);
        agree!(added.is_ok(), may, "whether a layer of {settings} is added to {}", self.layers.len());
        if added == Err(AddLayerError::TooMany { layers: LAYERS_MAX, layers_max: LAYERS_MAX }) {
            agree!(self.layers.len(), LAYERS_MAX, "layers when there are too many");
        }
        let layer = added.ok()?;
        let number = if self.numbers < LAYERS_MAX {
            self.numbers += 1;
            (self.numbers - 1) as u8
        } else {
            self.free.pop_front().expect("a number is free")
        };
        agree!(layer.id().number(), number, "the number of a new layer");
        self.layers.push(layer);
        Some(layer)
    }

    pub(super) fn remove_layer(&mut self, layer: AnyLayer) {
        let removed = self.index.remove_layer(layer.id());
        if !self.holds(layer) {
            agree!(removed.is_err(), true, "removing a layer that is not there");
            return;
        }
        let inside = self.model.handles(|known| known.layer == layer.id());
        agree!(removed, Ok(inside.len()), "objects in a removed layer");
        self.layers.retain(|other| *other != layer);
        self.free.push_back(layer.id().number());
        self.forget(|known| known.layer == layer.id());
    }

    /// Notes a handle that the index has given out.
    pub(super) fn note(&mut self, handle: Handle, layer: AnyLayer, span: Span<S, D>, value: u32) {
        agree!(self.given.insert(handle), true, "{handle:?} is new");
        self.model.insert(handle, layer.id(), layer.trimmed(span), value);
    }

    /// Takes out of the list what the index has removed, and gives it.
    pub(super) fn forget(&mut self, is_removed: impl Fn(&Known<S, D>) -> bool) -> Vec<Known<S, D>> {
        let (removed, kept): (Vec<_>, Vec<_>) = self.model.objects.drain(..).partition(|known| is_removed(known));
        self.model.objects = kept;
        for known in &removed {
            self.gone.push_back(known.handle);
            if self.gone.len() > 16 {
                self.gone.pop_front();
            }
        }
        removed
    }

    /// Which layers are asked for: the bits name them in the order in which they were added.
    pub(super) fn asked(&self, layers: Layers) -> Asked {
        let named = self.layers.iter().enumerate().filter(|(place, _)| *place < 8 && layers.bits >> place & 1 == 1);
        Asked { layers: named.map(|(_, layer)| layer.id()).collect(), all_but_these: layers.all_but_these }
    }
}
