//! Operations on indexes as wholes and on their layers.

use std::collections::BTreeSet;

use quadrille::{LayerSet, Rect};
use quadrille_support::agreement::assert_agrees;
use quadrille_support::{AnyLayer, Index};

use super::side::Side;
use super::{SIDES_MAX, Space, Stage, agree};
use crate::field::{Layers, Settings, Shape};

/// Names that are kept so that they can be tried elsewhere and later, at most.
const NAMES_MAX: usize = 48;

impl<S: Space, const D: usize> Stage<S, D> {
    pub(super) fn new_index(&mut self, scene: u8) {
        let scene = &self.scenes[usize::from(scene) % self.scenes.len()];
        let index: Index<S, D> = scene.index();
        let era = [self.era(), self.era(), self.era()];
        if self.sides.len() < SIDES_MAX {
            self.sides.push(Side::new(index, era));
        }
    }

    pub(super) fn clone_index(&mut self, on: usize) {
        let new = self.sides.len();
        if new < SIDES_MAX {
            let side = self.sides[on].clone();
            self.sides.push(side);
            // Every second cursor goes on in the clone.
            self.paused.share(on, new);
        }
    }

    pub(super) fn drop_index(&mut self, on: usize) {
        if 1 < self.sides.len() {
            self.everything(on);
            self.sides.remove(on);
            self.paused.drop_index(on);
        }
    }

    /// A number that was never used.
    pub(super) fn era(&mut self) -> u32 {
        self.next_era += 1;
        self.next_era
    }

    fn know_layer(&mut self, layer: Option<AnyLayer>) {
        self.layers.extend(layer);
        if NAMES_MAX < self.layers.len() {
            self.layers.remove(0);
        }
    }

    pub(super) fn add_layer(&mut self, on: usize, settings: Settings) {
        if self.sides[on].layers.len() < 10 {
            let layer = self.sides[on].add_layer(settings);
            self.know_layer(layer);
        }
    }

    pub(super) fn fill_layers(&mut self, on: usize, rects: bool) {
        let settings = Settings { rects, depth_max: None, split_above: 2 };
        while let Some(layer) = self.sides[on].add_layer(settings) {
            self.know_layer(Some(layer));
        }
    }

    pub(super) fn remove_layer(&mut self, on: usize, pick: u8) {
        if let Some(layer) = self.layer(on, pick) {
            self.sides[on].remove_layer(layer);
        }
    }

    pub(super) fn remove_many_layers(&mut self, on: usize, keep: u8) {
        let side = &mut self.sides[on];
        while usize::from(keep % 8) < side.layers.len() {
            // Not in the order in which they were added.
            let place = side.layers.len() / 2;
            side.remove_layer(side.layers[place]);
        }
    }

    pub(super) fn clear(&mut self, on: usize) {
        let era = self.era();
        let side = &mut self.sides[on];
        side.index.clear();
        side.forget(|_| true);
        side.era[2] = era;
    }

    pub(super) fn clear_in(&mut self, on: usize, layers: Layers) {
        let side = &mut self.sides[on];
        let asked = side.asked(layers);
        side.index.clear_in(quadrille_support::questions::set_of(&asked));
        side.forget(|known| asked.holds(known.layer));
    }

    pub(super) fn set_world(&mut self, on: usize, scene: u8) {
        let world = self.scenes[usize::from(scene) % self.scenes.len()].world();
        let era = self.era();
        let side = &mut self.sides[on];
        agree!(side.index.set_world(world), Ok(()), "the world {world:?}");
        agree!(side.index.world(), world, "the world");
        side.era[1] = era;
    }

    /// Perhaps it is a world; if not, nothing changes.
    pub(super) fn set_no_world(&mut self, on: usize, shape: &Shape) {
        let era = self.era();
        let side = &mut self.sides[on];
        let before = side.index.world();
        let world = shape.span(&before).rect();
        let is_set = side.index.set_world(world).is_ok();
        let is_finite = |corner: [S; D]| corner.iter().all(|at| at.value().is_finite());
        if !(is_finite(world.min()) && is_finite(world.max())) || world.min() == world.max() {
            agree!(is_set, false, "the world {world:?} is set");
        }
        if is_set {
            // Its rules are not restated here: but not for long.
            agree!(side.index.check_integrity(), Ok(()), "the invariants in {world:?}");
            agree!(side.index.set_world(before), Ok(()), "the world {before:?} again");
            side.era[1] = era;
        }
        agree!(side.index.world(), before, "the world");
    }

    pub(super) fn optimize_step(&mut self, on: usize, budget: u8) {
        let side = &mut self.sides[on];
        let before: Vec<_> = side.index.iter().map(|object| object.handle()).collect();
        let step = side.index.optimize_step(budget.into());
        let budget = usize::from(budget).max(1);
        agree!(step.visited <= budget && step.moved <= 128 * step.visited, true, "{step:?} of a budget of {budget}");
        agree!(step.done || step.visited == budget, true, "{step:?} stops before its budget of {budget} is spent");
        let after: Vec<_> = side.index.iter().map(|object| object.handle()).collect();
        agree!(after, before, "the order of `iter` around a step of defragmentation");
    }

    pub(super) fn shrink_to_fit(&mut self, on: usize) {
        let index = &mut self.sides[on].index;
        index.shrink_to_fit();
        let bytes = index.stats().bytes;
        index.shrink_to_fit();
        agree!(index.stats().bytes, bytes, "the second time there is nothing to shrink: bytes");
    }

    /// The bounds of each layer and of all, and the world that fits.
    fn bounds(&self, on: usize) {
        let side = &self.sides[on];
        let mut all: Option<Rect<S, D>> = None;
        for layer in &side.layers {
            let objects = side.model.objects.iter().filter(|known| known.layer == layer.id());
            let corners = objects.flat_map(|known| [known.span.min, known.span.max]);
            let expected: Option<Rect<S, D>> = Rect::from_points(corners);
            agree!(side.index.bounds(layer.id()), expected, "the bounds of {layer:?}");
            all = Rect::from_rects(all.into_iter().chain(expected));
        }
        agree!(side.index.bounds(LayerSet::ALL), all, "the bounds of all layers");
        let mut fitted = side.index.clone();
        if fitted.fit_world().is_ok() {
            agree!(fitted.check_integrity(), Ok(()), "the invariants in a world that fits {all:?}");
            agree!(all.is_none_or(|all| fitted.world().contains(&all)), true, "{all:?} in the world that fits");
            agree!(fitted.bounds(LayerSet::ALL), all, "the bounds in a world that fits");
        }
    }

    /// Everything that an index shows.
    pub(super) fn everything(&mut self, on: usize) {
        let side = &self.sides[on];
        assert_agrees(&side.index, &side.model, &side.layers);
        let mut values: Vec<_> = side.index.values().copied().collect();
        let mut expected: Vec<_> = side.model.objects.iter().map(|known| known.value).collect();
        values.sort_unstable();
        expected.sort_unstable();
        agree!(values, expected, "the values");
        let by_slot: BTreeSet<_> = (0..side.index.slots()).filter_map(|slot| side.index.handle_at(slot)).collect();
        let known: BTreeSet<_> = side.model.objects.iter().map(|known| known.handle).collect();
        agree!(by_slot, known, "the objects by slot");
        self.bounds(on);
        let side = &self.sides[on];
        let living: BTreeSet<_> = side.layers.iter().map(|layer| layer.id()).collect();
        for layer in &self.layers {
            let id = layer.id();
            let kind = side.index.layer_kind(id);
            agree!(kind.is_some(), living.contains(&id), "whether {id:?} lives");
            let is_point = side.index.point_layer(id).is_some();
            let is_rect = side.index.rect_layer(id).is_some();
            let lives = living.contains(&id);
            agree!(
                [is_point, is_rect],
                [lives && !layer.holds_rects(), lives && layer.holds_rects()],
                "kinds of {id:?}"
            );
        }
        let order: Vec<_> = side.index.iter().map(|object| object.handle()).collect();
        self.hash_all(&order);
    }
}
