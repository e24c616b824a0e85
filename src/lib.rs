//! A layered spatial index for things that move.
//!
//! A [`SpatialIndex`] holds many *layers* of points or rectangles over one world. Every object has a stable
//! [`Handle`], so moving and removing start where the object is and search for nothing. Every query is a lazy iterator
//! that costs nothing more once you stop asking, and looks only at the layers you name. In 2D it is a quadtree, in 3D
//! an octree.
//!
//! ```
//! use quadrille::{Quadtree, Rect};
//!
//! let mut index = Quadtree::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?;
//! let walls = index.add_rect_layer()?;
//! let units = index.add_point_layer()?;
//!
//! index.insert(walls, Rect::new([100.0, 0.0], [110.0, 500.0]), "wall")?;
//! let scout = index.insert(units, [90.0, 40.0], "scout")?;
//! index.move_to(scout, [104.0, 42.0])?; // same handle, new place
//!
//! let view = Rect::new([80.0, 0.0], [120.0, 100.0]);
//! assert_eq!(index.intersecting(view).count(), 2);
//! assert!(index.containing([104.0, 42.0]).in_layers(walls).exists()); // stops at the first hit
//! assert_eq!(index.remove(scout), Some("scout"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The parts
//!
//! - [`SpatialIndex`], or [`Quadtree`] and [`Octree`]: objects in, out and elsewhere; layers; queries.
//! - [`Layer`], of [`Points`] or of [`Rects`], and [`LayerSet`], written `walls | units` or `!walls`.
//! - [`Rect`]: a box with edges along the axes. A point is whatever converts into `[S; D]`: arrays, tuples, the vectors
//!   of `glam` and `mint`.
//! - [`Query`]: the iterator that all queries return whose answers are in no order. It yields [`ObjectRef`]s, which know
//!   their handle, shape and layer at once, and look up their value when asked. [`Nearest`], [`Raycast`] and [`Cast`]
//!   yield them in order. A [`Cursor`] is such a query put aside.
//!
//! # The queries
//!
//! | yields | method |
//! |---|---|
//! | what shares a point with the region | [`intersecting`](SpatialIndex::intersecting) |
//! | what lies wholly inside the region | [`contained_in`](SpatialIndex::contained_in) |
//! | what wholly contains the region | [`containing`](SpatialIndex::containing) |
//! | what is filed where the region reaches: a superset of *intersecting*, untested | [`near`](SpatialIndex::near) |
//! | what is at most so far from a point | [`within_distance`](SpatialIndex::within_distance) |
//!
//! and those that yield in order, with where or when:
//!
//! | yields | in the order of | method |
//! |---|---|---|
//! | all, or those `.within(distance)` | distance from a point or rectangle | [`nearest`](SpatialIndex::nearest) |
//! | what a [`Ray`] or segment hits | the ray's parameter where it enters | [`raycast`](SpatialIndex::raycast) |
//! | what a rectangle touches while it moves | the part of the motion until then | [`cast`](SpatialIndex::cast) |
//!
//! and those that yield pairs of objects, each pair once:
//!
//! | yields pairs that share a point, or `.within(distance)` | method |
//! |---|---|
//! | of all layers, or of some | [`pairs`](SpatialIndex::pairs) |
//! | between two sets of layers | [`pairs_between`](SpatialIndex::pairs_between) |
//! | of which one is among some objects | [`pairs_of`](SpatialIndex::pairs_of) |
//! | of an object here and one in another index | [`join`](SpatialIndex::join) |
//!
//! A region is a [`Rect`], a point, a [`Ball`], a [`Segment`], a [`ConvexPolygon`], a [`Convex`] shape between planes, or
//! a shape of your own: see [`Region`]. All of them are closed: touching counts. A region with a NaN meets nothing; an
//! infinite one is fine. Each object comes at most once. No query collects before it yields, and none allocates; but an
//! ordered one does when it is asked for a second object, unless it is lent a [`SearchBuffer`].
//!
//! `next` gives the first hit and stops there; [`exists`](Query::exists) says whether there is one; `count` counts what
//! lies inside the region by counters, without visiting it. An [`ObjectRef`] has the first four queries too, and
//! `nearest`, about its own shape, itself left out.
//!
//! # Queries that outlive their borrow
//!
//! A query borrows the index. [`pause`](Query::pause) makes a [`Cursor`] of it, which is plain data: kept across frames,
//! sent to another thread, cloned, while the index changes. It goes on as an iterator
//! ([`resume`](SpatialIndex::resume)), step by step ([`Cursor::next`]), or by slices of bounded cost ([`Cursor::run`]).
//!
//! What matches and is left alone all the while comes **exactly once**, whatever happens to all else. What was removed does
//! not come. What moves, or is new, comes or does not; a moved object possibly again at its new place, unless the cursor
//! is told to be [`distinct`](Cursor::distinct). Whatever comes matches at that time. After
//! [`set_world`](SpatialIndex::set_world) or [`clear`](SpatialIndex::clear), and on another index, going on is an error.
//!
//! [`watch`](Query::watch) makes a [`Watch`], which asks the question again at each [`poll`](Watch::poll), and tells what
//! has entered and what has left since: an area of interest.
//!
//! # Which layer for what
//!
//! What has no size belongs into a layer of points: there a move costs least. What has a size belongs into a layer of
//! rectangles, of whatever mixture of sizes: the size sets how deep an object may sink, so one large rectangle does not
//! weigh on small ones. Put apart in layers what you ask for apart: a layer that is not asked for is not visited.
//!
//! # Many at once
//!
//! - [`insert_batch`](SpatialIndex::insert_batch) builds a layer top-down: faster than one insertion after the other,
//!   and better laid out in memory.
//! - [`update`](SpatialIndex::update) moves a whole layer in the order of memory: the way to move everything in every
//!   tick.
//! - [`move_batch`](SpatialIndex::move_batch) moves what can be moved and names the rest; among a million objects in half
//!   to three quarters of the time of as many single moves.
//! - [`optimize`](SpatialIndex::optimize) lays everything out anew, when objects have come one by one or moved far;
//!   [`optimize_step`](SpatialIndex::optimize_step) mends the order of memory a little in each frame.
//!
//! Where you move objects one by one, do it in the order of their handles if you can: then at least the store is read
//! from front to back.
//!
//! # The world is a hint
//!
//! It sets the resolution: its longest side is divided into 2^30 units. Objects outside are filed and found all the
//! same, but they share the cells at the edge, so a crowd of them there makes queries there slow. When the world has
//! grown, [`set_world`](SpatialIndex::set_world) files everything anew and keeps all handles.
//!
//! # Looking inside
//!
//! [`cells`](SpatialIndex::cells) walks the nodes and blocks of a layer's tree, to draw them;
//! [`stats`](SpatialIndex::stats) counts them; [`check_integrity`](SpatialIndex::check_integrity) verifies all
//! invariants, for tests.
//!
//! # When not to use this crate
//!
//! - Below some hundred objects a plain `Vec` is simpler and as fast.
//! - If nothing ever moves, a static index that is built once takes less memory and answers large windows faster.
//! - If everything jumps far in every tick, building a static index anew each tick is faster.
//! - For distances in more than three dimensions, use a k-d tree.
//!
//! # Features
//!
//! - `std` (default): the standard library, which knows at run time whether the processor has wider vectors than its
//!   architecture promises, and offers a way to fetch memory ahead, for large indexes. Without it the crate needs
//!   `alloc` and atomics of 32 bits.
//! - `rayon`: [`Pairs`] and [`Join`] become parallel by rayon's `into_par_iter`. Needs `std`.
//!
//! Needs Rust 1.89. There is no `unsafe` in this crate.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

// Reading order: each module may use only those above it; `tests/architecture.rs` reads this list.
mod geometry;
mod key;
mod grid;
mod prefetch;
mod tree;
mod layer;
mod store;
mod space;
mod index;
mod query;
mod ordered;
mod pairs;
mod cursor;
mod watch;
mod check;

pub use check::{Cell, CellKind, CellObjects, Cells, IntegrityError, LayerStats, Stats};
pub use cursor::{Cursor, CursorRun, ResumeError, Resumed};
pub use geometry::{
    Ball, Convex, ConvexPolygon, HalfSpace, IntoRect, IntoRegion, NotFinite, Point, Ray, Rect, RectError, Region,
    Scalar, Segment,
};
pub use grid::{UnitRange, WorldError};
pub use index::{BatchMoved, InsertBatchError, ObjectRef, Octree, OptimizeStep, Quadtree, SpatialIndex, ValueMut};
pub use key::{Handle, Kind, LayerId, LayerSet};
pub use layer::{AddLayerError, IntoShape, Layer, LayerError, LayerKind, LayerSettings, Points, Rects};
pub use ordered::{
    AlongMotion, AlongRay, ByDistance, Cast, CastHit, Nearest, Neighbor, Order, Ordered, RayHit, Raycast, SearchBuffer,
};
pub use pairs::{Join, Pairs};
pub use query::{ContainedIn, Containing, Intersecting, Near, Predicate, Query};
pub use space::{Full, InsertError, MoveError, Moved, NoSuchObject, SetLayerError, WrongKind};

pub use watch::{Changes, PollError, Watch};

#[cfg(feature = "rayon")]
pub use pairs::{ParJoin, ParPairs};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
