//! Queries: lazy iterators over the objects that stand in some relation to a region.
//!
//! One file per query: its predicate, which is three small answers for one axis, and its method on the index. Here is
//! what they share. A query keeps its place as plain data; only [`Query`] borrows the index.
//!
//! Beside them the ordered queries, `nearest`, `raycast` and `cast`: `search` finds what comes first by some ranking,
//! `ranked` makes an iterator of searches, `sweeping` ranks by time.
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
//! Keeps invariants Q1 to Q8 of `docs/invariants.md`.

mod cast;
mod contained_in;
mod containing;
mod intersecting;
mod near;
mod nearest;
mod ranked;
mod raycast;
mod search;
mod state;
mod sweeping;

use core::fmt;
use core::iter::FusedIterator;

use crate::geometry::{Rect, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet};

pub use cast::{Cast, CastHit};
pub use contained_in::ContainedIn;
pub use containing::Containing;
pub use intersecting::Intersecting;
pub use near::Near;
pub use nearest::{Nearest, Neighbor};
pub use ranked::SearchBuffer;
pub use raycast::{RayHit, Raycast};

use state::State;

mod sealed {
    pub trait Sealed {}
}

/// A relation between an object and a region that can be decided axis by axis: [`Near`], [`Intersecting`],
/// [`ContainedIn`] and [`Containing`]. Sealed.
pub trait Predicate: sealed::Sealed + Copy + fmt::Debug {
    /// Whether objects are tested one by one. If not, all match that are filed where the walk comes.
    #[doc(hidden)]
    const TESTED: bool = true;

    /// Whether the relation holds on one axis, between the region and each of several objects.
    #[doc(hidden)]
    fn holds<S: Scalar>(region: [S::Lanes; 2], objects: [S::Lanes; 2]) -> S::Lanes;

    /// The units in which the anchors of matching objects lie, given the first and last unit of the region, and the
    /// largest extent of the objects. Empty if the first is after the last.
    #[doc(hidden)]
    fn anchors(region: [u32; 2], reach: u32) -> [u32; 2];

    /// The units in which the anchors of objects lie that surely match, if their extents are at most `reach`. Empty if
    /// the first is after the last.
    #[doc(hidden)]
    fn covered(region: [u32; 2], reach: u32) -> [u32; 2];
}

/// The objects that stand in the relation `P` to a region.
///
/// Made by [`near`](SpatialIndex::near), [`intersecting`](SpatialIndex::intersecting),
/// [`contained_in`](SpatialIndex::contained_in), [`containing`](SpatialIndex::containing) and
/// [`iter`](SpatialIndex::iter). Yields each object once, layers by rising number, in the same order whenever the same
/// operations led to the index. Does nothing before the first call of `next`, never allocates, and costs nothing more
/// when it is dropped early. Cloning it keeps a place to come back to.
#[must_use = "a query does nothing until it is iterated"]
pub struct Query<'a, T, P, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    state: State<P, S, D>,
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize> Query<'a, T, P, S, D> {
    fn new(index: &'a SpatialIndex<T, S, D>, region: Rect<S, D>) -> Self {
        Self { index, state: State::new(&index.grid, region) }
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

    /// Whether there is (still) any object: stops at the first.
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.next().is_some()
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize> Iterator for Query<'a, T, P, S, D> {
    type Item = ObjectRef<'a, T, S, D>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.state.next(self.index).map(|place| ObjectRef::new(self.index, place))
    }

    fn fold<A, F: FnMut(A, Self::Item) -> A>(mut self, init: A, mut f: F) -> A {
        let index = self.index;
        self.state.fold(index, init, |folded, place| f(folded, ObjectRef::new(index, place)))
    }

    fn count(mut self) -> usize {
        self.state.count(self.index)
    }
}

impl<T, P: Predicate, S: Scalar, const D: usize> FusedIterator for Query<'_, T, P, S, D> {}

impl<T, P: Predicate, S: Scalar, const D: usize> Clone for Query<'_, T, P, S, D> {
    fn clone(&self) -> Self {
        Self { index: self.index, state: self.state }
    }
}

impl<T, P: Predicate, S: Scalar, const D: usize> fmt::Debug for Query<'_, T, P, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let predicate = core::any::type_name::<P>().rsplit("::").next().unwrap_or_default();
        f.debug_struct("Query")
            .field("predicate", &format_args!("{predicate}"))
            .field("region", self.state.region())
            .field("layers_to_come", &self.state.layers_to_come())
            .finish_non_exhaustive()
    }
}
