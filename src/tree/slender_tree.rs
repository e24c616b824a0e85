//! The root of a tree of thin or far objects. Knows no nodes.

use crate::grid::Aspect;
use crate::key::NodeId;

/// The tree of an aspect in a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlenderTree {
    pub(super) layer: u8,
    pub(super) aspect: Aspect,
    pub(super) root: NodeId,
}
