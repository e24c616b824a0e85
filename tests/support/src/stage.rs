//! An index of all sorts of objects, and ways to change it.

use std::collections::BTreeSet;

use quadrille::{Handle, LayerSettings, Rect};

use super::oracle::Span;
use super::{AnyLayer, Dice, Index, Real, assert_sound};

pub const SIDE: f64 = 64.0;

/// Objects of all sizes in two layers of each kind, some outside the world.
pub struct Stage<S, const D: usize> {
    pub index: Index<S, D>,
    pub layers: [AnyLayer; 4],
    pub handles: Vec<Handle>,
    dice: Dice,
}

impl<S: Real, const D: usize> Stage<S, D> {
    pub fn new(objects: usize, seed: u64) -> Self {
        let mut index = Index::new(Rect::new([S::of(0.0); D], [S::of(SIDE); D])).expect("a world");
        let layers = [false, true, false, true]
            .map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(6)));
        let mut stage = Self { index, layers, handles: Vec::new(), dice: Dice::new(seed) };
        for _ in 0..objects {
            stage.insert();
        }
        stage
    }

    /// Mostly small, sometimes as large as the world, on a lattice that is coarse compared with units.
    fn span(&mut self) -> Span<S, D> {
        let step = SIDE / 512.0;
        let side = step * f64::from(1_u32 << self.dice.below(10)) * if self.dice.below(3) == 0 { 1.0 } else { 0.0625 };
        let min = core::array::from_fn(|_| ((self.dice.fraction() * 560.0).floor() - 24.0) * step);
        Span { min: min.map(S::of), max: min.map(|min| S::of(min + side)) }
    }

    pub fn insert(&mut self) -> Handle {
        let (layer, span) = (self.layers[self.dice.below(4)], self.span());
        let handle = layer.insert(&mut self.index, layer.trimmed(span), 0).expect("finite");
        self.handles.push(handle);
        handle
    }

    pub fn layer_of(&self, handle: Handle) -> AnyLayer {
        let id = self.index.layer(handle).expect("it is there");
        *self.layers.iter().find(|layer| layer.id() == id).expect("one of the layers")
    }

    pub fn teleport(&mut self, handle: Handle) {
        let (layer, span) = (self.layer_of(handle), self.span());
        layer.move_to(&mut self.index, handle, layer.trimmed(span)).expect("finite");
    }

    pub fn transfer(&mut self, handle: Handle) {
        let from = self.layer_of(handle);
        let into = self.layers.into_iter().find(|to| *to != from && to.holds_rects() == from.holds_rects());
        into.expect("there are two of a kind").take(&mut self.index, handle).expect("of that kind");
    }

    /// Changes all objects but some, in one of nine ways.
    pub fn disturb(&mut self, how: usize, alone: &BTreeSet<Handle>) {
        let others: Vec<_> = self.index.iter().map(|object| object.handle()).filter(|h| !alone.contains(h)).collect();
        match how % 9 {
            0 => (0..1500).for_each(|_| _ = self.insert()),
            1 => others.iter().for_each(|&other| _ = self.index.remove(other)),
            2 => self.index.optimize(),
            3 => self.index.shrink_to_fit(),
            4 => others.iter().for_each(|&other| self.teleport(other)),
            5 => others.iter().for_each(|&other| self.transfer(other)),
            6 => while !self.index.optimize_step(7).done {},
            7 => {
                // Blocks of few objects merge, and split again where many come.
                others.iter().skip(7).for_each(|&other| _ = self.index.remove(other));
                (0..200).for_each(|_| _ = self.insert());
            }
            _ => self.crowd(),
        }
        assert_sound(&self.index, "a disturbance");
    }

    /// Many in one place.
    fn crowd(&mut self) {
        let (layer, span) = (self.layers[self.dice.below(4)], self.span());
        for _ in 0..300 {
            layer.insert(&mut self.index, layer.trimmed(span), 0).expect("finite");
        }
    }

    pub fn middle() -> Rect<S, D> {
        Rect::new([S::of(SIDE * 0.2); D], [S::of(SIDE * 0.7); D])
    }
}
