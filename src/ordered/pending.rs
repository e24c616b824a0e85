//! The steps that a best-first search has still to take, first ones first. Knows neither metrics nor trees.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::key::{Handle, NodeId, Place};

/// A part of a tree, or an object, that a search has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `2^span` cells of a node, from `cell` on.
    Cells { node: NodeId, cell: u8, span: u8 },
    /// A chain of buckets, by the first place of its first bucket. Its entries have not been read.
    Chain(Place),
    /// A bucket with a bound of what its entries are, by its first place.
    Bucket(Place),
    /// An object with a bound of its distance.
    Candidate(Place),
    /// An object with its distance.
    Object(Handle, Place),
}

/// A step that is still to be taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    /// A lower bound of the distances there; of an object, its distance. Never NaN nor negative zero.
    pub(super) distance: f64,
    pub(super) part: Part,
    pub(super) layer: u8,
}

impl Pending {
    /// The handle of an object. Everything else comes before all objects at the same distance, since it may hold one
    /// with a lower handle.
    fn handle(&self) -> Option<Handle> {
        match self.part {
            Part::Object(handle, _) => Some(handle),
            _ => None,
        }
    }
}

/// Of two steps, the later one is the lesser, since the heap gives the greatest one first.
impl Ord for Pending {
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then_with(|| other.handle().cmp(&self.handle()))
    }
}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Pending {}

/// Steps by ascending distance, and memory for those that a step leads to.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    steps: BinaryHeap<Pending>,
    next: Vec<Pending>,
}

impl Queue {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
    }

    pub(super) fn first(&self) -> Option<&Pending> {
        self.steps.peek()
    }

    /// Takes the first step out.
    pub(super) fn pop(&mut self) {
        self.steps.pop();
    }

    pub(super) fn push(&mut self, step: Pending) {
        self.steps.push(step);
    }

    /// Puts the steps that the first one leads to in its place. If `list` panics, nothing changes.
    pub(super) fn replace_first(&mut self, list: impl FnOnce(&mut Vec<Pending>)) {
        self.next.clear();
        list(&mut self.next);
        self.steps.pop();
        self.steps.extend(self.next.drain(..));
    }

    /// Takes over the steps of another queue, instead of its own.
    pub(super) fn take_over(&mut self, other: &mut Self) {
        self.clear();
        self.steps.append(&mut other.steps);
    }
}
