//! The visitor of a running query, which acts at the nodes and buckets that the query comes to. It knows no query.

use crate::key::BucketId;
use crate::tree::Walk;

/// The acts of a running query at each visit.
pub(crate) trait Visitor {
    /// The matches in a bucket, as bits; all of its entries match if it is covered. The user's region may be asked.
    fn matches(&self, bucket: BucketId, covered: bool) -> u64;

    /// Whether buckets may be visited before their turn, more and more at once.
    #[inline(always)]
    fn looks_ahead(&self) -> bool {
        true
    }

    /// Called for each node and bucket.
    #[inline(always)]
    fn visit(&mut self) {}

    /// Whether a chain has been dealt with as a whole, so that its buckets are not visited.
    #[inline(always)]
    fn takes(&mut self, _first: BucketId, _covered: bool) -> bool {
        false
    }

    /// Whether the query stops after a visit.
    #[inline(always)]
    fn pauses(&self, _: &Walk) -> bool {
        false
    }
}
