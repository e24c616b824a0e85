//! Which nodes and buckets are prefetched when trees exceed the cache. Changes no result.
//!
//! In large trees nodes and buckets lie far apart, and a query spends most of its time waiting for them. The processor
//! waits only once for requests made together.

use core::slice;

use super::arena::{Arena, Node, Slot};
use super::bucket::with_kind;
use crate::geometry::Scalar;
use crate::grid::{Address, axis_bits, cell_at, fits_below};
use crate::key::{BucketId, NodeId, Place};
use crate::prefetch::{outgrows_cache, prefetch};

impl<S: Scalar, const D: usize> Arena<S, D> {
    /// Whether prefetching is worthwhile: whether the buckets outgrow the cache.
    #[inline]
    pub(crate) fn outgrow_cache(&self) -> bool {
        outgrows_cache(self.buckets().bytes())
    }

    /// Begins to fetch an own list, if there is one, and the children and buckets in some occupied cells of a node.
    #[inline]
    pub(crate) fn prefetch_parts(&self, node: &Node<D>, own: Option<BucketId>, cells: impl FnOnce() -> u64) {
        if self.outgrow_cache() {
            self.prefetch_slots(node, cells());
            if let Some(own) = own {
                self.prefetch_bucket(own);
            }
        }
    }

    /// Begins to fetch the entry at a place, and the head of its bucket.
    #[inline]
    pub(crate) fn prefetch_entry(&self, place: Place) {
        prefetch(slice::from_ref(self.head(place.bucket())));
        with_kind!(self.bucket(place.bucket()), |bucket| bucket.prefetch_shape(place.position()));
    }

    /// Begins to fetch the entries of a bucket: the handles, and `with_shapes` also the shapes.
    #[inline(always)]
    pub(crate) fn prefetch_entries(&self, bucket: BucketId, with_shapes: bool) {
        with_kind!(self.bucket(bucket), |bucket| {
            if with_shapes {
                bucket.prefetch_shapes();
            }
            bucket.prefetch_handles();
        });
    }

    // Out of line, so that small trees pay only for the test.
    #[inline(never)]
    fn prefetch_slots(&self, node: &Node<D>, mut cells: u64) {
        while let Some((_, slot)) = node.next_slot(&mut cells) {
            match slot {
                Slot::Bucket(first) => self.prefetch_bucket(first),
                Slot::Child(child) => self.node(child).prefetch(),
                Slot::Vacant => {}
            }
        }
    }

    /// Begins to fetch the head of a bucket, and its shapes.
    #[inline]
    pub(crate) fn prefetch_bucket(&self, bucket: BucketId) {
        prefetch(slice::from_ref(self.head(bucket)));
        with_kind!(self.bucket(bucket), |bucket| bucket.prefetch_shapes());
    }

    /// The lowest node to which an entry with this address belongs, in the subtree of a node. Begins to fetch its bucket.
    #[inline(never)]
    pub(super) fn lowest(&self, mut node: NodeId, address: &Address<D>) -> NodeId {
        let mut shift = self.node(node).shift;
        while fits_below(address.extent, shift) {
            match self.node(node).slot(cell_at(address.anchor, shift)) {
                Slot::Child(child) => node = child,
                Slot::Bucket(first) => {
                    prefetch(slice::from_ref(self.head(first)));
                    // Only the head shows which cache line is needed, but all lines are in one page of virtual memory.
                    with_kind!(self.bucket(first), |bucket| bucket.prefetch_shape(0));
                    break;
                }
                Slot::Vacant => break,
            }
            shift -= axis_bits::<D>() as u8;
        }
        node
    }
}
