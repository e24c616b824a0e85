//! The source and the target at hand: parts of the position of a query for pairs. Does not know how it advances.

use super::course::{Course, Surroundings};
use super::group::Group;
use super::quantized::Quantized;
use crate::key::LayerSet;

/// The number of groups, beside one for every two entries, that all entries of a source meet together. To meet more
/// would cost more than to go on one by one.
pub(super) const TOGETHER: u32 = 8;

/// From this number of sources on, it pays to sort the crowds that they meet.
pub(super) const SOURCES_MANY: usize = 16;

/// The layer whose groups are the sources.
#[derive(Clone, Copy)]
pub(super) struct SourceLayer {
    pub(super) course: Course,
    /// The layers that it is paired with.
    pub(super) partners: LayerSet,
}

/// The group that is the source.
#[derive(Clone, Copy)]
pub(super) struct SourceGroup<S, const D: usize> {
    pub(super) group: Group,
    /// Its entries that are sources, as bits.
    pub(super) all: u64,
    /// Those that look for partners at present: all of them, or one.
    pub(super) entries: u64,
    /// Their quantized bounds.
    pub(super) boxes: Quantized<S, D>,
    pub(super) around: Surroundings<S, D>,
    /// The target layers that are still to come.
    pub(super) partners: LayerSet,
}

/// The target: the layer that is searched for partners.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) course: Course,
    /// Whether the source has the second object of each pair.
    pub(super) is_flipped: bool,
    /// The group that is compared, and its entries that are still to be compared.
    pub(super) met: Group,
    pub(super) rows: u64,
    /// How many more groups the entries of the source meet together, before they go on one by one.
    pub(super) to_meet: u32,
    /// Where they go on one by one, and which of them are still to do so.
    pub(super) resumed: Course,
    pub(super) one_by_one: u64,
}
