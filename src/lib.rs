//! A layered spatial index for things that move.
//!
//! A [`SpatialIndex`] holds many *layers* of points or rectangles over one world. Every object has a stable [`Handle`]
//! that leads straight to it, so moves and removals need no search. Every query is a lazy iterator: it does no more
//! work once you stop, and it looks only at the layers you name. In 2D the index is a quadtree, in 3D an octree.
//!
//! ```
//! use quadrille::{Quadtree, Rect};
//!
//! let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?;
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
//! - [`SpatialIndex`], or [`Quadtree`] and [`Octree`]: holds objects and layers, and answers queries.
//! - [`Layer`], of [`Points`] or of [`Rects`], and [`LayerSet`], written `walls | units` or `!walls`.
//! - [`Rect`]: a box with edges along the axes. A point is any type that converts into `[S; D]`: arrays, tuples, the
//!   [vectors of other crates](#points-and-boxes-of-other-crates).
//! - [`Query`], [`Nearest`], [`Cast`], [`Join`] and others: the iterators that queries return. They yield
//!   [`ObjectRef`]s, which hold handle, shape and layer, and look up the value only on request. A [`Cursor`] is a
//!   paused [`Query`].
//!
//! The [guide](https://github.com/quadrille-rs/quadrille/tree/main/docs/guide) shows how to use them, and when another
//! crate is the better choice.
//!
//! # `f32` or `f64`, 2D or 3D
//!
//! Coordinates are `f32` unless the type says otherwise: `Quadtree<&str>` is `Quadtree<&str, f32>`. Write the type, as
//! above: if Rust infers it, plain number literals make an index of `f64`. `f32` is faster and smaller; use `f64` if
//! coordinates have more than seven digits.
//!
//! [`Octree`] is the same in 3D, where [`Rect`] is a cuboid and [`Ball`] a ball. All regions work in 3D except
//! [`Polygon`].
//!
//! ```
//! use quadrille::{Octree, Rect};
//!
//! let mut sky: Octree<&str, f64> = Octree::new(Rect::new([0.0; 3], [1000.0; 3]))?;
//! let planes = sky.add_point_layer()?;
//! sky.insert(planes, [100.0, 200.0, 10.0], "plane")?;
//! assert!(sky.within_distance([100.0, 200.0, 0.0], 10.0).exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The queries
//!
//! | yields each object that | method |
//! |---|---|
//! | shares a point with the region | [`intersecting`](SpatialIndex::intersecting) |
//! | lies wholly inside the region | [`contained_in`](SpatialIndex::contained_in) |
//! | wholly contains the region | [`containing`](SpatialIndex::containing) |
//! | lies in tree cells that the region reaches: a superset of *intersecting*, not tested | [`near`](SpatialIndex::near) |
//! | is at most a given distance from a point | [`within_distance`](SpatialIndex::within_distance) |
//!
//! Ordered queries:
//!
//! | yields | in the order of | method |
//! |---|---|---|
//! | all objects, or those `.within(distance)` | distance from a point or rectangle | [`nearest`](SpatialIndex::nearest) |
//! | all objects, or those `.within(distance)` | distance by your own [`Metric`], such as over the globe | [`nearest_by`](SpatialIndex::nearest_by) |
//! | objects that a [`Ray`] or segment hits | the ray's parameter at entry | [`raycast`](SpatialIndex::raycast) |
//! | objects that a moving rectangle or ball touches, or only those [`blocking`](Cast::blocking) it | the time of impact | [`cast`](SpatialIndex::cast), [`cast_ball`](SpatialIndex::cast_ball) |
//!
//! Queries for pairs, each pair once:
//!
//! | yields pairs that share a point, or `.within(distance)` | method |
//! |---|---|
//! | in all layers, or in some | [`pairs`](SpatialIndex::pairs) |
//! | between two sets of layers | [`pairs().between`](Pairs::between) |
//! | with at least one of some given objects | [`pairs_of`](SpatialIndex::pairs_of) |
//! | of an object here and one in another index | [`join`](SpatialIndex::join) |
//!
//! For each object, or [some](SpatialIndex::neighbors_of), or [points](SpatialIndex::neighbors_at), all that is near it:
//! [`neighbors`](SpatialIndex::neighbors), as for a flock. For the objects of a region query by square cells, as on a map:
//! [`clusters`](Query::clusters), and [`Markers`] by radius.
//!
//! A region is a [`Rect`], a point, a [`Ball`], a [`Segment`], a [`Polygon`] with or without holes, a [`Corridor`] along
//! a line, a [`Convex`] shape between planes, a [`Cap`] of the globe, [`AnyOf`] several, or your own shape: see [`Region`]. All
//! shapes are closed, so touching counts; the repository's `docs/guarantees.md` lists the edge rules. To exclude touching,
//! filter by [`Rect::overlaps`]. Each object comes at most once.
//!
//! `next` returns the first hit and stops there; [`exists`](Query::exists) says whether there is one. `count` uses
//! counters for everything wholly inside the region, and visits only the region's edge. No query but `clusters` collects
//! its answer before it yields. Few allocate:
//! - An ordered query allocates from its second object on (from the first with `beyond`, `after` or a metric, or across a border of
//!   a periodic world), unless you lend it a [`SearchBuffer`].
//! - `pairs_of` and `join_of` allocate their lists of objects, `neighbors` room for what lies around a bucket, `clusters` room
//!   for each cell, and `excluding` of two or more objects a list of them.
//!
//! In a world that wraps around, such as a torus, queries ask across the borders by their method `periodic`: see [`Periodic`].
//!
//! An [`ObjectRef`] has the first four queries and `nearest` too. They start from its own shape and exclude it.
//!
//! # Queries that outlive their borrow
//!
//! A query borrows the index. [`pause`](Query::pause) turns it into a [`Cursor`], which is plain data: keep it across
//! frames, clone it, or send it to another thread, while the index changes. It continues as an iterator
//! ([`resume`](SpatialIndex::resume)), step by step ([`Cursor::step`]), or in slices of bounded cost ([`Cursor::run`]).
//! An object that matches all the time and is not changed itself comes **exactly once**, whatever happens to the
//! others.
//!
//! A [`Watch`] remembers an answer, for an area of interest. Pass the query to each [`poll`](Watch::poll): it reports
//! the objects that have entered the answer and those that have left it. [`Contacts`] does the same for pairs: it
//! reports those that have begun and those that have ended. Told what has [moved](Contacts::poll_moved), they look at
//! nothing else.
//!
//! # Which layer for what
//!
//! Put objects without size into a layer of points, where moves cost least. Put objects with a size into a layer of
//! rectangles, and mix sizes freely: the size of an object decides how deep it is stored, so a large rectangle does not
//! burden small ones. Put objects that you query separately into separate layers: a query skips the layers it does not
//! ask for.
//!
//! # Many at once
//!
//! - [`insert_batch`](SpatialIndex::insert_batch) builds a layer top-down. That is faster than single insertions, and
//!   gives a better layout in memory.
//! - [`update`](SpatialIndex::update) visits a layer in the order of memory. Use it if the new shape follows from the
//!   old one and the value.
//! - [`move_to`](SpatialIndex::move_to) and [`move_batch`](SpatialIndex::move_batch) are for positions that live
//!   outside the index, in an ECS or an array. `move_batch` moves all objects that it can and names the others. Both
//!   are fastest in the order of handles, because they then read places from front to back.
//! - [`query_batch`](SpatialIndex::query_batch) answers many questions, such as windows or `nearest`, in the order of
//!   space, and puts the answers into two lists.
//! - [`optimize`](SpatialIndex::optimize) rebuilds everything, for use after many single insertions or long moves;
//!   [`optimize_step`](SpatialIndex::optimize_step) improves the order of memory a little in each frame.
//!
//! # Threads
//!
//! An index is `Send` and `Sync` if its values are. Any number of threads may query one `&index` at the same time,
//! without a lock; changes need `&mut`. Cursors and watches are plain data and can move between threads. With the
//! feature `rayon`, several threads search regions, pairs or neighbors together, poll contacts by `par_poll`, and share the
//! work of `par_update`.
//!
//! ```
//! # use quadrille::{Quadtree, Rect};
//! let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
//! let units = index.add_point_layer()?;
//! index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
//! let halves = [Rect::new([0.0, 0.0], [49.0, 99.0]), Rect::new([50.0, 0.0], [99.0, 99.0])];
//! let shared = &index;
//! let counts = std::thread::scope(|scope| {
//!     let threads = halves.map(|half| scope.spawn(move || shared.intersecting(half).count()));
//!     threads.map(|thread| thread.join().expect("no query panics"))
//! });
//! assert_eq!(counts, [50, 50]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Points and boxes of other crates
//!
//! A type that converts into `[S; D]` can be passed wherever a point is expected. A box is made of two points, by
//! [`Rect::new`] or from a pair. To convert back, use `from` on an array. This needs no feature, so this crate is tied
//! to no version of those crates; the tests convert all of them.
//!
//! | crate | points | a box |
//! |---|---|---|
//! | `glam` | `Vec2`, `DVec2`, `Vec3`, `Vec3A`, `DVec3` | a pair of vectors: `Rect::from((a, b))` |
//! | `mint` | `Point2`, `Vector2`, `Point3`, `Vector3` | a pair of points |
//! | `nalgebra` | `Point2`, `Vector2`, `Point3`, `Vector3` | a pair of points |
//! | `euclid` | `Point2D`, `Vector2D`, `Point3D`, `Vector3D` | `Box2D`, `Box3D`: `Rect::new(of.min, of.max)` |
//! | `geo-types` | `Coord`, `Point` | `Rect`: `Rect::new(of.min(), of.max())`; with the feature `geo-types` `from`, also for polygons; lines and polygons are regions |
//! | `parry2d`, `parry3d` | their `Vector`s | `Aabb`: `Rect::new(of.mins, of.maxs)` |
//!
//! # The world is a hint
//!
//! It sets the resolution: its longest side is divided into 2^30 units. Objects outside are stored and found like all
//! others. If the world has grown, [`set_world`](SpatialIndex::set_world) and [`fit_world`](SpatialIndex::fit_world) store
//! everything again and keep all handles.
//!
//! # All objects
//!
//! [`iter`](SpatialIndex::iter) is a query over everything, and `index.iter().in_layers(layer)` one over a layer: both
//! yield [`ObjectRef`]s with handles. [`values`](SpatialIndex::values), [`values_mut`](SpatialIndex::values_mut) and
//! [`iter_mut`](SpatialIndex::iter_mut) go through values in the order of memory; [`drain`](SpatialIndex::drain) and
//! `into_iter` take the objects out. Keep your own data about objects in a `SecondaryMap<Handle, _>`, or in an array by
//! [`slot`](Handle::slot): see [`Handle`]. [`bounds`](SpatialIndex::bounds) is the smallest box around the objects of
//! some layers.
//!
//! If the kind of a layer is known only at run time, as in an editor or a loader,
//! [`insert_any`](SpatialIndex::insert_any) takes a box for a layer of either kind, as
//! [`move_to`](SpatialIndex::move_to) does, and [`point_layer`](SpatialIndex::point_layer) makes a typed [`Layer`] of a
//! [`LayerId`].
//!
//! # Looking inside
//!
//! [`cells`](SpatialIndex::cells) walks the nodes and blocks of a layer's tree, to draw them;
//! [`stats`](SpatialIndex::stats) counts them;
//! [`check_integrity`](SpatialIndex::check_integrity) verifies the structure, for tests.
//!
//! # When not to use this crate
//!
//! - Below a few hundred objects a plain `Vec` is simpler and as fast.
//! - If nothing ever moves, a static index takes less memory and answers large windows faster.
//! - If everything jumps far in every tick, rebuilding a static index each tick is faster.
//! - For distances in more than three dimensions, use a k-d tree.
//!
//! # Features
//!
//! - `std` (default): the standard library. It detects at run time whether the processor has wider vectors than its
//!   architecture guarantees.
//! - `libm`: replaces `std` where there is none; one of the two is needed. Without `std` the crate needs `alloc` and
//!   32-bit atomics.
//! - `geo-types`: that crate's boxes, lines, line strings, polygons and multi-polygons are regions; boxes and polygons
//!   convert into [`Rect`] and [`Polygon`].
//! - `rayon`: [`Query`], [`Pairs`] and [`Join`] become parallel by rayon's `into_par_iter`, [`Neighbors`] by `par_map`, and
//!   `SpatialIndex::par_update` moves a layer and `Contacts::par_poll` polls in parallel. Needs `std`.
//! - `serde`: saves and restores an index, exactly (see its `Serialize`) or in a smaller form by `Compact`. Also saves
//!   handles, layers, regions that borrow nothing, rays, half-spaces, cursors, watches, contacts and markers.
//!
//! Needs Rust 1.89. There is no `unsafe` in this crate.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("quadrille needs one of the features `std` and `libm`: with `default-features = false`, enable `libm`");

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

// Reading order: each module may use only those above it; `tests/all/architecture.rs` reads this list.
mod geometry;
mod key;
mod grid;
mod prefetch;
#[cfg(feature = "rayon")]
mod threads;
mod tree;
mod layer;
mod store;
mod space;
mod index;
mod periodic;
mod answers;
mod query;
mod clusters;
mod ordered;
mod pairs;
mod cursor;
mod watch;
mod check;
#[cfg(feature = "serde")]
mod snapshot;
// The top floor: parts that use what this file exports, as another package could.
mod shapes;
#[cfg(feature = "std")]
mod globe;
mod markers;

pub use answers::{Answer, Answers};
pub use check::{Cell, CellKey, CellKind, Cells, IntegrityError, Stats};
pub use clusters::{CellSizeError, Cluster, Clusters};
pub use cursor::{Cursor, CursorRun, ResumeError, Resumed};
pub use geometry::{
    Ball, IntoRegion, KnownShape, NotFinite, Ray, Rect, RectError, RectRegion, Region, Scalar, Segment, Wrapped,
};
#[cfg(feature = "std")]
pub use globe::{Cap, GreatCircle};
pub use grid::WorldError;
pub use index::{
    BatchError, BatchMoved, IterMut, Object, ObjectRef, Octree, OptimizeStep, Quadtree, SpatialIndex, ValueMut,
};
pub use key::{Handle, IntoHandles, Kind, LayerId, LayerSet};
pub use layer::{AddLayerError, IntoShape, Layer, LayerError, LayerKind, LayerSettings, Points, Rects};
pub use markers::Markers;
pub use ordered::{Cast, Hit, Metric, Nearest, NearestBy, Neighbor, NeighborBy, SearchBuffer};
pub use pairs::{Around, Join, Neighbors, Pairs};
pub use periodic::Periodic;
pub use query::{ContainedIn, Containing, Intersecting, Matches, Near, Predicate, Query};
pub use shapes::{AnyOf, Convex, Corridor, HalfSpace, Polygon};
pub use space::{Moved, ObjectError};
pub use watch::{Changes, ContactChanges, Contacts, PollError, Watch};

#[cfg(feature = "serde")]
pub use snapshot::compact::{self, Compact};
#[cfg(feature = "rayon")]
pub use threads::Par;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
