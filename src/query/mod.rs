//! Queries: lazy iterators over the objects that stand in some relation to a region.
//!
//! One file per query: its predicate, which is three small answers for one axis and three for regions that are not
//! boxes, and its method on the index. Here is what they share. A query keeps its place as plain data; only [`Query`]
//! borrows the index.
//!
//! Beside them the ordered queries, `nearest`, `raycast` and `cast`: `search` finds what comes first by some ranking,
//! `ranked` makes an iterator of searches, `sweeping` ranks by time.
//!
//! A `cursor` is a query put aside while the index changes; `course` is how it goes on in a layer, `resumed` the iterator.
//! A `watch` asks a query again and again and tells what has changed.
//!
//! And the queries for pairs: `askers` says what is paired, `pairing` is where such a query stands, `tile` compares two
//! buckets.
//!
//! | on an axis | intersecting | nearest | raycast, cast |
//! |---|---|---|---|
//! | apart | no | the gap counts | when the gap has closed, if it does |
//! | touching | yes | 0 | from the time of the touch until they part |
//! | overlapping | yes | 0 | from `t = 0` on |
//! | NaN in the question | no | never comes | no |
//! | infinite end of the question | yes | 0 inside, all alike beyond | no for a ray; a cast rectangle may |
//! | no motion on the axis | | | always or never |
//!
//! Keeps invariants Q1 to Q13, C1 to C6 and W1 of `docs/invariants.md`.

mod askers;
mod cast;
mod contained_in;
mod containing;
mod course;
mod cursor;
mod intersecting;
mod join;
mod near;
mod nearest;
mod object;
mod pairing;
mod pairs;
mod pairs_of;
#[cfg(feature = "rayon")]
mod parallel;
mod probe;
mod ranked;
mod raycast;
mod resumed;
mod search;
mod state;
mod sweeping;
mod tile;
mod watch;
mod within_distance;

use core::fmt;
use core::iter::FusedIterator;

use crate::geometry::{Hits, Rect, Region, Scalar, Simd};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet};

pub use cast::{Cast, CastHit};
pub use contained_in::ContainedIn;
pub use containing::Containing;
pub use cursor::{Cursor, CursorRun, ResumeError};
pub use intersecting::Intersecting;
pub use join::Join;
pub use near::Near;
pub use nearest::{Nearest, Neighbor};
pub use pairs::Pairs;
#[cfg(feature = "rayon")]
pub use parallel::{ParJoin, ParPairs};
pub use ranked::SearchBuffer;
pub use raycast::{RayHit, Raycast};
pub use resumed::Resumed;
pub use watch::{Changes, PollError, Watch};

use probe::{Shape, Square};
use state::State;

/// The name of a predicate, for `Debug`.
fn name_of<P>() -> &'static str {
    core::any::type_name::<P>().rsplit("::").next().unwrap_or_default()
}

mod sealed {
    pub trait Sealed {}
}

/// A relation between an object and a region that can be decided axis by axis: [`Near`], [`Intersecting`],
/// [`ContainedIn`] and [`Containing`]. Sealed.
pub trait Predicate: sealed::Sealed + Copy + fmt::Debug {
    /// Whether objects are tested one by one. If not, all match that are filed where the walk comes.
    #[doc(hidden)]
    const TESTED: bool = true;

    /// Whether the relation is one to the region's bounds, whatever the region's shape.
    #[doc(hidden)]
    const BY_BOUNDS: bool = false;

    /// Whether the relation holds on one axis, between the region and each of several objects.
    #[doc(hidden)]
    fn holds<V: Simd, S: Scalar>(region: [S::Lanes<V>; 2], objects: [S::Lanes<V>; 2]) -> Hits<V, S>;

    /// The units in which the anchors of matching objects lie, given the first and last unit of the region, and the
    /// largest extent of the objects. Empty if the first is after the last.
    #[doc(hidden)]
    fn anchors(region: [u32; 2], reach: u32) -> [u32; 2];

    /// The units in which the anchors of objects lie that surely match, if their extents are at most `reach`. Empty if
    /// the first is after the last.
    #[doc(hidden)]
    fn covered(region: [u32; 2], reach: u32) -> [u32; 2];

    /// Whether objects may match whose anchors lie in a square, and that themselves lie in that square stretched by
    /// their reach. Asked where the region is not a box.
    #[doc(hidden)]
    fn concerns<S: Scalar, const D: usize>(shape: &Shape<'_, impl Region<S, D>, S, D>, square: &Square<S, D>) -> bool;

    /// Whether all these objects surely match.
    #[doc(hidden)]
    fn covers<S: Scalar, const D: usize>(shape: &Shape<'_, impl Region<S, D>, S, D>, square: &Square<S, D>) -> bool;

    /// Whether the relation to a ball is to be near enough to its center.
    #[doc(hidden)]
    const BY_DISTANCE: bool = false;

    /// Whether an object matches a region that is not a box, given that it matches the region's bounds.
    #[doc(hidden)]
    fn holds_for_shape<S: Scalar, const D: usize>(
        shape: &Shape<'_, impl Region<S, D>, S, D>,
        object: &Rect<S, D>,
    ) -> bool;
}

/// The objects that stand in the relation `P` to a region `R`.
///
/// Made by [`near`](SpatialIndex::near), [`intersecting`](SpatialIndex::intersecting),
/// [`contained_in`](SpatialIndex::contained_in), [`containing`](SpatialIndex::containing),
/// [`within_distance`](SpatialIndex::within_distance) and [`iter`](SpatialIndex::iter), and by methods of the same names
/// on [`ObjectRef`]. Yields each object once, layers by rising number, in the same order whenever the same
/// operations led to the index. Does nothing before the first call of `next`, never allocates, and costs nothing more
/// when it is dropped early. Cloning it keeps a place to come back to.
#[must_use = "a query does nothing until it is iterated"]
pub struct Query<'a, T, P, S = f32, const D: usize = 2, R = Rect<S, D>> {
    index: &'a SpatialIndex<T, S, D>,
    state: State<P, R, S, D>,
    /// The handles of the bucket at hand.
    handles: &'a [Handle],
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> Query<'a, T, P, S, D, R> {
    fn new(index: &'a SpatialIndex<T, S, D>, region: R) -> Self {
        Self { index, state: State::new(&index.grid, region), handles: &[] }
    }

    /// Restricts the query to a set of layers, within those it was restricted to before.
    ///
    /// The trees of other layers are not visited. Called after the first `next` it holds for what is still to come.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// index.insert(units, [5.0, 2.0], "unit")?;
    /// assert_eq!(index.intersecting([5.0, 2.0]).count(), 2);
    /// assert_eq!(index.intersecting([5.0, 2.0]).in_layers(!walls).count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(mut self, layers: impl Into<LayerSet>) -> Self {
        self.state.restrict(layers.into());
        self
    }

    /// Leaves out one object: of several calls before the first `next` the last. Called later it holds for what is still to
    /// come, as all filters do.
    pub fn excluding(mut self, object: Handle) -> Self {
        self.state.exclude(self.index.store.place(object));
        self
    }

    /// The next hit of the bucket at hand, which has one.
    #[inline]
    fn next_hit(&mut self) -> ObjectRef<'a, T, S, D> {
        let place = self.state.next_hit();
        ObjectRef::new(self.index, place, self.handles[usize::from(place.position())])
    }

    /// Whether there is (still) any object: stops at the first.
    #[doc(alias = "any")]
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.next().is_some()
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> Iterator for Query<'a, T, P, S, D, R> {
    type Item = ObjectRef<'a, T, S, D>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if !self.state.has_hits() {
            let bucket = self.state.advance(self.index)?;
            self.handles = self.index.forest.handles(bucket);
        }
        Some(self.next_hit())
    }

    fn fold<A, F: FnMut(A, Self::Item) -> A>(mut self, init: A, mut f: F) -> A {
        let mut folded = init;
        loop {
            // Kept apart from `self`, and so in registers.
            let (bucket, mut hits) = self.state.take_hits();
            while hits != 0 {
                let position = hits.trailing_zeros() as u8;
                hits &= hits - 1;
                let handle = self.handles[usize::from(position)];
                folded = f(folded, ObjectRef::new(self.index, bucket.at(position), handle));
            }
            let Some(bucket) = self.state.advance(self.index) else { return folded };
            self.handles = self.index.forest.handles(bucket);
        }
    }

    /// How many objects are (still) to come.
    ///
    /// Costs what it costs to look at the edge of the region: what lies wholly inside is not visited but counted by
    /// the counters of nodes and buckets.
    fn count(mut self) -> usize {
        self.state.count(self.index)
    }
}

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> FusedIterator for Query<'_, T, P, S, D, R> {}

impl<T, P: Clone, S: Scalar, const D: usize, R: Clone> Clone for Query<'_, T, P, S, D, R> {
    fn clone(&self) -> Self {
        Self { index: self.index, state: self.state.clone(), handles: self.handles }
    }
}

impl<T, P, S: Scalar, const D: usize, R: fmt::Debug> fmt::Debug for Query<'_, T, P, S, D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("predicate", &format_args!("{}", name_of::<P>()))
            .field("region", self.state.region())
            .field("layers_to_come", &self.state.layers_to_come())
            .finish_non_exhaustive()
    }
}
