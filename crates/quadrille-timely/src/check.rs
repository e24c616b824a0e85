//! The rows and questions that no world can hold.

use quadrille::{Kind as LayerKind, Rect};

use crate::Coordinate;
use crate::question::{Layers, Question};
use crate::row::{Role, Row};
use crate::world::{LayerPlan, World};

/// Why a row was refused. Nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FeedError {
    /// The world has no such layer.
    #[error("there is no layer {layer}; the world has {layers}")]
    NoLayer {
        /// The number given.
        layer: u8,
        /// How many layers there are.
        layers: usize,
    },
    /// The layers of a question are none of the world's.
    #[error("question {number} names none of the world's {layers} layers: bits {asked:#b}")]
    NoLayers {
        /// The question.
        number: u32,
        /// The [`Layers`] given, as bits.
        asked: u32,
        /// How many layers there are.
        layers: usize,
    },
    /// A coordinate is NaN or infinite, or a minimum is above its maximum.
    #[error("object {id} has no finite shape: {shape}")]
    NotFinite {
        /// The object.
        id: u64,
        /// Its shape.
        shape: String,
    },
    /// A layer of points takes no boxes.
    #[error("object {id} has an extent; layer {layer} holds points")]
    NotAPoint {
        /// The object.
        id: u64,
        /// The layer.
        layer: u8,
    },
    /// Another worker remembers where the object was.
    #[error(
        "object {id} is fed by worker {reader}, not by worker {worker}; a world with a directory takes it from any"
    )]
    OtherReader {
        /// The object.
        id: u64,
        /// The worker that feeds it.
        reader: usize,
        /// This worker.
        worker: usize,
    },
    /// The world's [reader](World::reader) names no worker.
    #[error("object {id} is to be fed by worker {reader}; there are {workers}")]
    NoWorker {
        /// The object.
        id: u64,
        /// The number that the world's reader gave.
        reader: usize,
        /// How many workers there are.
        workers: usize,
    },
    /// Objects of a local layer leave by their own step.
    #[error("object {id} was not fed, so it cannot be taken out here")]
    Unknown {
        /// The object.
        id: u64,
    },
    /// The row is about a tick that is closed.
    #[error("a row about tick {tick} came late: the open tick is {open}")]
    Late {
        /// The tick given.
        tick: u64,
        /// The open one.
        open: u64,
    },
    /// The row is about a tick that is not open yet.
    #[error("a row about tick {tick} came early: the open tick is {open}")]
    Early {
        /// The tick given.
        tick: u64,
        /// The open one.
        open: u64,
    },
    /// Pairs are found up to the world's reach only.
    #[error("a distance of {distance}; the world's reach is {reach}, and it cannot be negative")]
    BeyondReach {
        /// The distance given.
        distance: f64,
        /// The reach of the world.
        reach: f64,
    },
    /// A point or an area has a NaN, or an area is empty: a ball with a negative radius, a polygon without corners.
    #[error("question {number} has a coordinate that is not a number")]
    NotANumber {
        /// The question.
        number: u32,
    },
    /// Rows, or the state after a tick, cannot be kept.
    #[error("the world cannot be kept: {0}")]
    NotKept(String),
    /// An error of the program that feeds.
    #[error("the program that feeds the world failed: {0}")]
    Program(String),
}

/// Data that another process sends, or has kept, is checked once more.
impl<S: Coordinate, const D: usize> World<S, D> {
    /// Checks where an object is, and returns its layer.
    #[inline]
    pub(crate) fn check_row(&self, layer: u8, id: u64, shape: &Rect<S, D>) -> Result<LayerPlan, FeedError> {
        let Some(&plan) = self.layers.get(usize::from(layer)) else {
            return Err(FeedError::NoLayer { layer, layers: self.layers.len() });
        };
        let (min, max) = (shape.min(), shape.max());
        if !(0..D).all(|axis| min[axis].is_finite() && max[axis].is_finite() && min[axis] <= max[axis]) {
            return Err(FeedError::NotFinite { id, shape: format!("{shape:?}") });
        }
        if plan.kind == LayerKind::Points && min != max {
            return Err(FeedError::NotAPoint { id, layer });
        }
        Ok(plan)
    }

    /// Whether a row of another process is one of such a world.
    #[inline]
    pub(crate) fn has_room_for(&self, row: &Row<S, D>) -> bool {
        row.role == Role::Gone || self.check_row(row.layer, row.id, &row.shape).is_ok()
    }

    /// Checks a question, and returns its [place](Question::place).
    pub(crate) fn check_question(
        &self,
        number: u32,
        question: &Question<S, D>,
    ) -> Result<Option<Rect<S, D>>, FeedError> {
        let (Layers(asked), layers) = (question.layers(), self.layers.len());
        // `Layers::ALL` is all that there are, even none.
        if asked != u32::MAX && asked.trailing_zeros() as usize >= layers {
            return Err(FeedError::NoLayers { number, asked, layers });
        }
        if let Question::Pairs { distance, .. } | Question::Contacts { distance: Some(distance), .. } = *question {
            let reach = self.reach;
            if !(S::default() <= distance && distance <= reach) {
                return Err(FeedError::BeyondReach { distance: distance.to_f64(), reach: reach.to_f64() });
            }
        }
        let place = question.place();
        if place.is_some_and(|place| place.min().iter().chain(&place.max()).any(|c| c.partial_cmp(c).is_none())) {
            return Err(FeedError::NotANumber { number });
        }
        Ok(place)
    }
}
