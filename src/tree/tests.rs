//! For tests: access for corrupting a tree, to prove that `check_integrity` reports it, and counts of work done.

use core::cell::Cell;

use super::arena::Summary;
use super::bucket::BucketMut;
use super::{Arena, Head, Node, Trees};
use crate::geometry::{Rect, Scalar};
use crate::key::{BucketId, NodeId};

/// Steps of walks; groups that a search for pairs looks at, and their entries.
pub(crate) const STEPS: usize = 0;
pub(crate) const GROUPS: usize = 1;
pub(crate) const ENTRIES: usize = 2;

std::thread_local! {
    static COUNTS: [Cell<usize>; 3] = const { [const { Cell::new(0) }; 3] };
}

/// Counts work of a kind that this thread does.
pub(crate) fn count(kind: usize, more: usize) {
    COUNTS.with(|counts| counts[kind].set(counts[kind].get() + more));
}

/// The number that this thread has counted of a kind since it was asked last.
pub(crate) fn counted(kind: usize) -> usize {
    COUNTS.with(|counts| counts[kind].take())
}

impl<S: Scalar, const D: usize> Trees<S, D> {
    pub(crate) fn breakable(&mut self) -> &mut Arena<S, D> {
        &mut self.forest.arena
    }
}

impl<S: Scalar, const D: usize> Arena<S, D> {
    pub(crate) fn breakable_node(&mut self, node: NodeId) -> &mut Node<D> {
        self.node_mut(node)
    }

    pub(crate) fn breakable_head(&mut self, bucket: BucketId) -> &mut Head<D> {
        self.head_mut(bucket)
    }

    pub(crate) fn breakable_bucket(&mut self, bucket: BucketId) -> BucketMut<'_, S, D> {
        self.bucket_mut(bucket)
    }

    /// Lists a bucket in use as free.
    pub(crate) fn free_in_use(&mut self, bucket: BucketId) {
        let used = self.head(bucket).used;
        self.free_bucket(bucket);
        self.head_mut(bucket).used = used;
    }

    /// Makes the boxes around a bucket of a crowd too large.
    pub(crate) fn enlarge_box(&mut self, bucket: BucketId, by: &Rect<S, D>) {
        self.exchange(bucket, &Summary::NONE, &Summary { around: *by, ..Summary::NONE });
    }

    /// Counts an entry of a crowd twice.
    pub(crate) fn miscount(&mut self, bucket: BucketId) {
        self.count_in_crowd(bucket, 1, 0);
    }

    /// Names another bucket of a chain as its first one.
    pub(crate) fn misname(&mut self, first: BucketId) {
        self.enter_in_directory(first);
    }

    /// Lists a node in use as free. It keeps its parent.
    pub(crate) fn free_node_in_use(&mut self, node: NodeId) {
        let parent = self.node(node).parent;
        self.free_node(node);
        self.node_mut(node).parent = parent;
    }
}
