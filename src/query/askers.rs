//! What is paired with what, and which buckets ask for that.

use crate::geometry::Scalar;
use crate::grid::Grid;
use crate::index::SpatialIndex;
use crate::key::{Kind, NodeId, Place};
use crate::layer::{Forest, Layers, with_trees};

/// An index, as far as pairs are concerned.
#[derive(Clone, Copy)]
pub(super) struct Side<'a, S, const D: usize> {
    pub(super) grid: &'a Grid<S, D>,
    pub(super) forest: &'a Forest<S, D>,
    pub(super) layers: &'a Layers,
}

impl<'a, S: Scalar, const D: usize> Side<'a, S, D> {
    fn of<T>(index: &'a SpatialIndex<T, S, D>) -> Self {
        Self { grid: &index.grid, forest: &index.forest, layers: &index.layers }
    }

    /// How many objects a living layer has.
    pub(super) fn len(&self, layer: u8) -> usize {
        self.layers.kind_of_number(layer).map_or(0, |kind| self.forest.len(kind, layer))
    }

    pub(super) fn root(&self, kind: Kind, layer: u8) -> NodeId {
        with_trees!(self.forest, kind, |trees| trees.root(layer))
    }
}

/// What is paired: the objects of one index with each other, or with those of another.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a, S, const D: usize> {
    pub(super) sides: [Side<'a, S, D>; 2],
    pub(super) are_one: bool,
}

impl<'a, S: Scalar, const D: usize> Sides<'a, S, D> {
    pub(super) fn within<T>(index: &'a SpatialIndex<T, S, D>) -> Self {
        Self { sides: [Side::of(index); 2], are_one: true }
    }

    pub(super) fn between<T, U>(index: &'a SpatialIndex<T, S, D>, other: &'a SpatialIndex<U, S, D>) -> Self {
        Self { sides: [Side::of(index), Side::of(other)], are_one: false }
    }
}

/// A bucket with entries that ask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking {
    pub(super) side: u8,
    /// Its first place.
    pub(super) bucket: Place,
    /// Which entries, as bits.
    pub(super) entries: u64,
}

/// Which buckets ask, and what that means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Askers<'l> {
    /// All, as the walk comes to them.
    All,
    /// All of these, which another walk has come to.
    #[cfg(feature = "rayon")]
    Listed(&'l [Asking]),
    /// Some entries of these, in the order of places: pairs of others do not count.
    Some(&'l [Asking]),
}

impl<'l> Askers<'l> {
    pub(super) fn list(self) -> Option<&'l [Asking]> {
        match self {
            Self::All => None,
            #[cfg(feature = "rayon")]
            Self::Listed(list) => Some(list),
            Self::Some(list) => Some(list),
        }
    }

    /// Whether pairs of others do not count.
    pub(super) fn are_some(self) -> bool {
        matches!(self, Self::Some(_))
    }

    /// The entries of a bucket that pair themselves with those of another.
    pub(super) fn entries_before(self, bucket: Place, other: Place) -> u64 {
        match self {
            Self::Some(list) if bucket < other => {
                list.binary_search_by_key(&bucket, |of| of.bucket).map_or(0, |found| list[found].entries)
            }
            _ => 0,
        }
    }
}

/// What is paired, and who asks.
#[derive(Clone, Copy)]
pub(super) struct Task<'a, 'l, S, const D: usize> {
    pub(super) sides: Sides<'a, S, D>,
    pub(super) askers: Askers<'l>,
}
