//! A [quadrille] index of entities, kept in step with their components.
//!
//! Tell the app which components say where an entity is. Each [`Tracking`] gets a layer of one index. Once in each frame, in
//! [`PostUpdate`](bevy_app::PostUpdate), what has changed is moved: by change detection and in place, so nothing is rebuilt.
//! An entity that is despawned, disabled, or loses the component leaves the index at once, by an observer. Systems ask by the
//! parameter [`SpatialQuery`], which has all queries of [`SpatialIndex`]; the value of an object is its
//! [`Entity`](bevy_ecs::entity::Entity).
//!
//! ```
//! use bevy_app::{App, Update};
//! use bevy_ecs::prelude::*;
//! use quadrille_bevy::{Rect, SpatialAppExt, SpatialPlugin, SpatialQuery, Tracking};
//!
//! #[derive(Component)]
//! struct Position([f32; 2]);
//!
//! #[derive(Component)]
//! struct Enemy;
//!
//! #[derive(Resource, Default)]
//! struct Seen(usize);
//!
//! fn look(space: SpatialQuery, mut seen: ResMut<Seen>) -> Result {
//!     let enemies = space.layer::<Enemy>()?;
//!     seen.0 = space.within_distance([10.0, 10.0], 5.0).in_layers(enemies).count();
//!     Ok(())
//! }
//!
//! let mut app = App::new();
//! app.add_plugins(SpatialPlugin::new(Rect::new([0.0, 0.0], [1000.0, 1000.0])))
//!     .track(Tracking::<&Position>::points(|position| position.0).with::<Enemy>())
//!     .init_resource::<Seen>()
//!     .add_systems(Update, look);
//! app.world_mut().spawn((Position([12.0, 11.0]), Enemy));
//! app.world_mut().spawn(Position([10.0, 10.0]));
//! app.update(); // indexed at the end of this frame
//! app.update();
//! assert_eq!(app.world().resource::<Seen>().0, 1);
//! ```
//!
//! - **Any component will do**, of any crate: a function says where it is. `Tracking::<&GlobalTransform>::points(|at|
//!   at.translation().truncate())` tracks bevy's transforms; with the feature `transform`, which is on by default, the index
//!   is up to date after bevy has computed them.
//! - **Points or rectangles**, [`Tracking::points`] and [`Tracking::rects`], of one component or of two: `Tracking::<(&Position,
//!   &Size)>`.
//! - **Layers are named by types**: by the marker of [`Tracking::with`], or else by the component, or by any type with
//!   [`Tracking::named`]. [`EntityIndex::layer`] gives them to queries.
//! - **The schedule is yours**: [`Tracking::in_schedule`]; order your systems by [`SpatialSystems`]. [`update_now`] does not
//!   wait for it.
//! - **Zones** tell who has come and gone: [`EntityIndex::zone`].
//! - **Views** decide what the clients of `bevy_replicon` are sent, with the feature `replicon`: a client sees the zones around
//!   its avatar, as a whole or within a budget.
//! - **In 3D** write `Tracking::<&Position, 3>`, `SpatialPlugin<3>` and `SpatialQuery<3>`; for `f64`, `Tracking::<&Position, 2,
//!   f64>` and so on. An app may have an index of each sort.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod app;
#[cfg(feature = "replicon")]
mod budget;
mod handles;
mod index;
mod journal;
mod tracking;
#[cfg(feature = "replicon")]
mod view;
mod zone;

pub use app::{SpatialAppExt, SpatialPlugin, SpatialSystems, TrackError, update_now};
#[cfg(feature = "replicon")]
pub use budget::Candidate;
pub use index::{EntityIndex, NotTracked, SpatialQuery};
pub use quadrille;
pub use quadrille::{Ball, Kind, LayerError, LayerId, LayerSet, Rect, SpatialIndex};
pub use tracking::{TrackedData, Tracking};
#[cfg(feature = "replicon")]
pub use view::{InView, NoSuchZone, View, ViewPlugin};
pub use zone::{Zone, ZoneEntered, ZoneLeft};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
