//! The registry of an index: which layers are alive, and which numbers are free.
//!
//! Keeps L1 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::iter;

use super::{Layer, LayerKind};
use crate::key::{Kind, LAYERS_MAX, LayerId, LayerSet, Stamp};

/// A layer was not added.
///
/// ```
/// # use quadrille::{AddLayerError, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// let error = std::iter::from_fn(|| Some(index.add_point_layer())).find_map(Result::err); // sooner or later
/// assert!(matches!(error, Some(AddLayerError::TooMany { layers_max: 64, .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddLayerError {
    /// All layer numbers are in use.
    #[error("the index has {layers} layers, the limit is {layers_max}")]
    TooMany {
        /// The number of layers.
        layers: usize,
        /// The limit.
        layers_max: usize,
    },
    /// `depth_max` exceeds the depth of the grid.
    #[error("depth_max is {depth_max}, the limit is {limit}")]
    DepthMax {
        /// The setting.
        depth_max: u8,
        /// The depth of nodes whose cells are single units.
        limit: u8,
    },
    /// `split_above` is 0, which only rectangles allow: points have no size to decide how deep they are stored.
    #[error("split_above is 0 in a layer of points, where it must be at least 1")]
    SplitAboveZero,
}

/// A layer does not belong to this index, or was removed.
///
/// ```
/// # use quadrille::{LayerError, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// index.remove_layer(units)?;
/// assert!(matches!(index.remove_layer(units), Err(LayerError::Dead { .. })));
/// # let mut other: Quadtree<&str> = Quadtree::new(index.world())?;
/// assert!(matches!(other.remove_layer(walls), Err(LayerError::Foreign { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayerError {
    /// The layer was removed. Also returned for a layer of a clone, if this index has since reused the number.
    #[error("layer {number} was removed")]
    Dead {
        /// The layer's number.
        number: u8,
    },
    /// The layer belongs to another index, which may be a clone of this one.
    #[error("layer {number} belongs to another index")]
    Foreign {
        /// The layer's number.
        number: u8,
    },
}

/// The state of one layer number.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename = "LayerNumber"))]
pub(super) struct Number {
    /// The stamps of the first and the last layer with this number in this index.
    pub(super) first: Stamp,
    pub(super) last: Stamp,
    /// The kind of the living layer; `None` if the number is free.
    pub(super) kind: Option<Kind>,
    /// The count of removals when it became free. The number that has been free longest is reused first.
    pub(super) freed: u64,
}

/// The layers of one index.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    /// The stamp of the index, which clones share.
    pub(super) index: Stamp,
    pub(super) numbers: Vec<Number>,
    pub(crate) living: LayerSet,
    /// How many layers have been removed.
    pub(super) removed: u64,
}

impl Layers {
    pub(crate) fn new(index: Stamp) -> Self {
        Self { index, numbers: Vec::with_capacity(1), living: LayerSet::NONE, removed: 0 }
    }

    pub(crate) fn add(&mut self, kind: Kind) -> Result<LayerId, AddLayerError> {
        let number = if self.numbers.len() < LAYERS_MAX {
            let stamp = Stamp::next();
            self.numbers.push(Number { first: stamp, last: stamp, kind: Some(kind), freed: 0 });
            self.numbers.len() - 1
        } else {
            let free = (0..LAYERS_MAX).filter(|&number| self.numbers[number].kind.is_none());
            let longest = free.min_by_key(|&number| self.numbers[number].freed);
            let number = longest.ok_or(AddLayerError::TooMany { layers: LAYERS_MAX, layers_max: LAYERS_MAX })?;
            let of = &mut self.numbers[number];
            (of.kind, of.last) = (Some(kind), Stamp::next());
            number
        };
        let layer = self.id(number);
        self.living = self.living | layer;
        Ok(layer)
    }

    pub(crate) fn remove(&mut self, layer: LayerId) {
        self.removed += 1;
        let number = &mut self.numbers[usize::from(layer.number)];
        (number.kind, number.freed) = (None, self.removed);
        self.living = self.living - layer;
    }

    /// The kind of a layer.
    #[inline]
    pub(crate) fn kind(&self, layer: LayerId) -> Result<Kind, LayerError> {
        let number = self.numbers.get(usize::from(layer.number));
        let living = number.filter(|of| of.last == layer.stamp).and_then(|of| of.kind);
        living.ok_or_else(|| self.error(layer))
    }

    /// The number of a layer that holds shapes of kind `K`.
    #[inline]
    pub(crate) fn number<K: LayerKind>(&self, layer: Layer<K>) -> Result<u8, LayerError> {
        let id = layer.id();
        if self.kind(id)? == K::KIND { Ok(id.number) } else { Err(LayerError::Foreign { number: id.number }) }
    }

    /// Why a layer does not belong to this index.
    #[cold]
    fn error(&self, LayerId { number, index, stamp }: LayerId) -> LayerError {
        match self.numbers.get(usize::from(number)) {
            // Layers outside this range were added to a clone.
            Some(of) if index == self.index && (of.first..=of.last).contains(&stamp) => LayerError::Dead { number },
            _ => LayerError::Foreign { number },
        }
    }

    /// The kind of the living layer with a number.
    #[inline]
    pub(crate) fn kind_of_number(&self, number: u8) -> Option<Kind> {
        self.numbers.get(usize::from(number)).and_then(|of| of.kind)
    }

    /// The identifier of the latest layer with this number, which must have been given out.
    pub(crate) fn id(&self, number: usize) -> LayerId {
        LayerId { number: number as u8, index: self.index, stamp: self.numbers[number].last }
    }

    /// The living layers by ascending number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = LayerId> + '_ {
        let mut living = self.living;
        iter::from_fn(move || living.pop()).map(|number| self.id(usize::from(number)))
    }
}
