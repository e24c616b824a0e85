//! Which layers live, and which numbers are free.

use alloc::vec::Vec;
use core::iter;

use crate::key::{Kind, LAYERS_MAX, LayerId, LayerSet};

/// A layer cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddLayerError {
    /// All numbers of layers are in use.
    #[error("the index has {layers} layers, limit {layers_max}")]
    TooMany {
        /// How many layers there are.
        layers: usize,
        /// How many there can be.
        layers_max: usize,
    },
    /// The grid has no nodes as deep as that.
    #[error("depth_max is {depth_max}, limit {limit}")]
    DepthMax {
        /// The setting.
        depth_max: u8,
        /// The depth of nodes whose cells are single units.
        limit: u8,
    },
    /// Points have no size that could decide how deep they are filed.
    #[error("split_above is 0 in a layer of points, limit 1")]
    SplitAboveZero,
}

/// A layer's name does not name a layer of this index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayerError {
    /// The layer was removed.
    #[error("layer {number} was removed")]
    Dead {
        /// The layer's number.
        number: u8,
    },
    /// The layer belongs to another index.
    #[error("layer {number} belongs to another index")]
    Foreign {
        /// The layer's number.
        number: u8,
    },
}

/// One number of a layer.
#[derive(Clone, Copy, Debug)]
struct Number {
    /// How often the number was given out.
    generation: u32,
    /// What the living layer holds; `None` if the number is free.
    kind: Option<Kind>,
    /// When it became free: the number free for the longest time is given out next.
    freed: u64,
}

/// The layers of one index.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    index: u32,
    numbers: Vec<Number>,
    living: LayerSet,
    /// How many layers have been removed.
    removed: u64,
}

impl Layers {
    pub(crate) fn new(index: u32) -> Self {
        Self { index, numbers: Vec::new(), living: LayerSet::NONE, removed: 0 }
    }

    pub(crate) fn add(&mut self, kind: Kind) -> Result<LayerId, AddLayerError> {
        let layer = self.give_out(kind)?;
        self.living = self.living | layer;
        Ok(layer)
    }

    fn give_out(&mut self, kind: Kind) -> Result<LayerId, AddLayerError> {
        if self.numbers.len() < LAYERS_MAX {
            self.numbers.push(Number { generation: 0, kind: Some(kind), freed: 0 });
            return Ok(self.id(self.numbers.len() - 1));
        }
        let free = (0..LAYERS_MAX).filter(|&number| self.numbers[number].kind.is_none());
        let Some(number) = free.min_by_key(|&number| self.numbers[number].freed) else {
            return Err(AddLayerError::TooMany { layers: LAYERS_MAX, layers_max: LAYERS_MAX });
        };
        let of = &mut self.numbers[number];
        of.kind = Some(kind);
        of.generation = of.generation.wrapping_add(1);
        Ok(self.id(number))
    }

    pub(crate) fn remove(&mut self, layer: LayerId) {
        self.removed += 1;
        let number = &mut self.numbers[usize::from(layer.number)];
        (number.kind, number.freed) = (None, self.removed);
        self.living = self.living - layer;
    }

    /// What a layer holds.
    #[inline]
    pub(crate) fn kind(&self, layer: LayerId) -> Result<Kind, LayerError> {
        let number = layer.number;
        if layer.index != self.index {
            return Err(LayerError::Foreign { number });
        }
        let living = self.numbers.get(usize::from(number)).filter(|of| of.generation == layer.generation);
        living.and_then(|of| of.kind).ok_or(LayerError::Dead { number })
    }

    /// What the living layer with that number holds.
    #[inline]
    pub(crate) fn kind_of_number(&self, number: u8) -> Option<Kind> {
        self.numbers.get(usize::from(number)).and_then(|of| of.kind)
    }

    /// The name of the layer with a number that was given out.
    pub(crate) fn id(&self, number: usize) -> LayerId {
        LayerId { number: number as u8, generation: self.numbers[number].generation, index: self.index }
    }

    pub(crate) fn living(&self) -> LayerSet {
        self.living
    }

    /// The living layers by rising number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = LayerId> + '_ {
        let mut living = self.living;
        iter::from_fn(move || living.pop()).map(|number| self.id(usize::from(number)))
    }
}
