//! The standing questions that a shard knows.

use std::collections::BTreeMap;
use std::rc::Rc;

use quadrille::{Contacts, Handle, Layer, Rect, Rects, SpatialIndex};
use rustc_hash::FxHashMap;

use crate::Coordinate;
use crate::question::{Area, Layers, Question};

/// A fence in the index of fences.
#[derive(Debug)]
pub(super) struct Fence<S: Coordinate, const D: usize> {
    pub(super) number: u32,
    pub(super) layers: Layers,
    pub(super) area: Rc<Area<S, D>>,
}

/// A question about contacts, and the pairs that it has reported.
#[derive(Debug)]
pub(super) struct Close<S> {
    pub(super) layers: Layers,
    pub(super) distance: S,
    pub(super) memory: Contacts,
    /// Whether it has not been reported yet.
    pub(super) new: bool,
}

pub(super) struct Standing<S: Coordinate, const D: usize> {
    pub(super) close: BTreeMap<u32, Close<S>>,
    /// All fences of the world.
    pub(super) all: BTreeMap<u32, (Layers, Rc<Area<S, D>>)>,
    /// Those that meet cells of this worker.
    pub(super) fences: SpatialIndex<Fence<S, D>, S, D>,
    layer: Layer<Rects>,
    by_number: BTreeMap<u32, Handle>,
    pub(super) inside: Contacts,
    /// Fences that began, changed or ended in this tick.
    pub(super) changed: Vec<Handle>,
    /// Numbers of those that left this worker in this tick, by a new partition or a new area.
    pub(super) left: FxHashMap<Handle, u32>,
}

impl<S: Coordinate, const D: usize> Standing<S, D> {
    pub(super) fn new(world: Rect<S, D>) -> Self {
        let mut fences = SpatialIndex::new(world).expect("checked when the world was made");
        let layer = fences.add_rect_layer().expect("the first layer");
        Self {
            close: BTreeMap::new(),
            all: BTreeMap::new(),
            fences,
            layer,
            by_number: BTreeMap::new(),
            inside: Contacts::new(),
            changed: Vec::new(),
            left: FxHashMap::default(),
        }
    }

    /// The number of a fence, unless it has ended.
    pub(super) fn number_of(&self, fence: Handle) -> Option<u32> {
        self.fences.get(fence).map(|fence| fence.number).or_else(|| self.left.get(&fence).copied())
    }

    /// Whether anybody needs to know what moved.
    #[inline]
    pub(super) fn asks_what_moved(&self) -> bool {
        !self.close.is_empty() || !self.all.is_empty()
    }

    /// All standing questions.
    pub(super) fn questions(&self) -> impl Iterator<Item = (u32, Question<S, D>)> + '_ {
        let close = self.close.iter().map(|(&number, close)| {
            (number, Question::Contacts { layers: close.layers, distance: Some(close.distance) })
        });
        let fences = self.all.iter().map(|(&number, (layers, area))| {
            (number, Question::Fence { layers: *layers, area: Some(Area::clone(area)) })
        });
        close.chain(fences)
    }

    pub(super) fn set_close(&mut self, number: u32, layers: Layers, distance: Option<S>) {
        match distance {
            Some(distance) => {
                // A new distance compares with what was within the old one.
                let memory = self.close.remove(&number).map_or_else(Contacts::new, |old| old.memory);
                self.close.insert(number, Close { layers, distance, memory, new: true });
            }
            None => drop(self.close.remove(&number)),
        }
    }

    /// Puts a fence into the index, or takes it out.
    pub(super) fn set_fence(&mut self, number: u32, fence: Option<Fence<S, D>>) {
        let known = self.by_number.get(&number).copied();
        let handle = match (known, fence) {
            (None, None) => return,
            (Some(handle), None) => {
                self.fences.remove(handle);
                self.by_number.remove(&number);
                self.left.insert(handle, number);
                handle
            }
            (Some(handle), Some(fence)) => {
                self.fences.move_to(handle, finite(&fence.area.bounds())).expect("a finite box");
                *self.fences.get_mut(handle).expect("it is kept by its number") = fence;
                handle
            }
            (None, Some(fence)) => {
                let handle = self.fences.insert(self.layer, finite(&fence.area.bounds()), fence).expect("a finite box");
                self.by_number.insert(number, handle);
                handle
            }
        };
        self.changed.push(handle);
    }
}

/// A box with the largest numbers in place of infinite ones.
fn finite<S: Coordinate, const D: usize>(rect: &Rect<S, D>) -> Rect<S, D> {
    let least = S::from_f64(-S::MAX.to_f64());
    let within = |c: S| {
        if S::MAX < c {
            S::MAX
        } else if c < least {
            least
        } else {
            c
        }
    };
    Rect::new(rect.min().map(within), rect.max().map(within))
}
