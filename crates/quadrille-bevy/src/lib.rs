//! A [quadrille] index of entities, kept in step with their components.
//!
//! Tell the plugin which components say where an entity is; each gets a layer of one index. Once in each frame, in
//! [`PostUpdate`], the plugin moves what has changed: by change detection, so entities at rest cost nothing, and in place,
//! so nothing is rebuilt. An entity that is despawned, or loses the component, leaves the index at once, by an observer. Systems
//! ask by the parameter [`SpatialQuery`], which has all queries of [`SpatialIndex`]; the value of an object is its
//! [`Entity`].
//!
//! ```
//! use bevy_app::{App, Update};
//! use bevy_ecs::prelude::*;
//! use quadrille_bevy::{Rect, Spatial, SpatialPlugin, SpatialQuery};
//!
//! #[derive(Component)]
//! struct Position([f32; 2]);
//!
//! impl Spatial for Position {
//!     fn shape(&self) -> Rect {
//!         Rect::from_point(self.0)
//!     }
//! }
//!
//! #[derive(Resource, Default)]
//! struct Seen(usize);
//!
//! fn look(space: SpatialQuery, mut seen: ResMut<Seen>) {
//!     seen.0 = space.within_distance([10.0, 10.0], 5.0).count();
//! }
//!
//! let mut app = App::new();
//! let world = Rect::new([0.0, 0.0], [1000.0, 1000.0]);
//! app.add_plugins(SpatialPlugin::new(world).with_points::<Position>())
//!     .init_resource::<Seen>()
//!     .add_systems(Update, look);
//! app.world_mut().spawn(Position([12.0, 11.0]));
//! app.update(); // indexed at the end of this frame
//! app.update();
//! assert_eq!(app.world().resource::<Seen>().0, 1);
//! ```
//!
//! In 3D write `Spatial<3>`, `SpatialPlugin<3>` and `SpatialQuery<3>`.

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

pub use quadrille;
pub use quadrille::{Handle, Kind, LayerId, Rect, SpatialIndex};

/// A component that says where its entity is.
pub trait Spatial<const D: usize = 2>: Component {
    /// The box of the entity; of a point, [`Rect::from_point`].
    ///
    /// A shape that is not finite is refused: the entity stays where it was. See [`Tracked::is_refused`].
    fn shape(&self) -> Rect<f32, D>;
}

/// The index of all entities that the plugin tracks.
///
/// It is read by [`SpatialQuery`]. To change it is up to the plugin; what may be changed by you is its memory and its
/// world: see [`optimize`](Self::optimize) and [`set_world`](Self::set_world).
#[derive(Resource)]
pub struct EntityIndex<const D: usize = 2> {
    index: SpatialIndex<Entity, f32, D>,
    layers: HashMap<TypeId, LayerId>,
}

impl<const D: usize> EntityIndex<D> {
    fn add_layer<C: Spatial<D>>(&mut self, kind: Kind) {
        let layer = match kind {
            Kind::Points => self.index.add_point_layer().map(LayerId::from),
            Kind::Rects => self.index.add_rect_layer().map(LayerId::from),
        };
        let layer = layer.expect("an index has room for 64 layers");
        let before = self.layers.insert(TypeId::of::<C>(), layer);
        assert!(before.is_none(), "{} is tracked twice", type_name::<C>());
    }

    /// The layer of a component.
    ///
    /// # Panics
    /// If the plugin does not track the component.
    #[must_use]
    pub fn layer<C: Spatial<D>>(&self) -> LayerId {
        let layer = self.layers.get(&TypeId::of::<C>());
        *layer.unwrap_or_else(|| panic!("{} is not tracked: tell the plugin", type_name::<C>()))
    }

    /// Lays everything out anew in memory: see [`SpatialIndex::optimize`].
    pub fn optimize(&mut self) {
        self.index.optimize();
    }

    /// Gives the index another world: see [`SpatialIndex::set_world`].
    ///
    /// # Errors
    /// [`WorldError`](quadrille::WorldError) if it is no world.
    pub fn set_world(&mut self, world: Rect<f32, D>) -> Result<(), quadrille::WorldError> {
        self.index.set_world(world)
    }
}

impl<const D: usize> Deref for EntityIndex<D> {
    type Target = SpatialIndex<Entity, f32, D>;

    fn deref(&self) -> &Self::Target {
        &self.index
    }
}

impl<const D: usize> fmt::Debug for EntityIndex<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index.fmt(f)
    }
}

/// A system parameter that asks the index: all queries of [`SpatialIndex`].
#[derive(SystemParam)]
pub struct SpatialQuery<'w, const D: usize = 2> {
    index: Res<'w, EntityIndex<D>>,
}

impl<const D: usize> Deref for SpatialQuery<'_, D> {
    type Target = EntityIndex<D>;

    fn deref(&self) -> &EntityIndex<D> {
        &self.index
    }
}

/// The place in the index of an entity with the component `C`. The plugin adds it.
///
/// Its handle leads to queries that start at the entity: `space.object(tracked.handle())`. To remove it makes the index
/// forget the entity.
#[derive(Component)]
#[component(clone_behavior = Ignore)]
pub struct Tracked<C: Send + Sync + 'static> {
    handle: Handle,
    is_refused: bool,
    component: PhantomData<fn() -> C>,
}

impl<C: Send + Sync + 'static> Tracked<C> {
    /// The entity's handle; before the first update after it was spawned, a handle of nothing.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// Whether the present shape of the component was refused, since it is not finite.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.is_refused
    }
}

impl<C: Send + Sync + 'static> Default for Tracked<C> {
    fn default() -> Self {
        Self { handle: Handle::default(), is_refused: false, component: PhantomData }
    }
}

impl<C: Send + Sync + 'static> fmt::Debug for Tracked<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracked").field("handle", &self.handle).field("is_refused", &self.is_refused).finish()
    }
}

/// The systems that bring the index up to date, in [`PostUpdate`]. Order your own before or after them.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpatialUpdate;

/// Adds an [`EntityIndex`] and keeps it in step with components.
#[derive(Clone, Debug)]
pub struct SpatialPlugin<const D: usize = 2> {
    world: Rect<f32, D>,
    components: Vec<fn(&mut App)>,
}

impl<const D: usize> SpatialPlugin<D> {
    /// An index over a world, which is a hint: see [`SpatialIndex`].
    #[must_use]
    pub fn new(world: Rect<f32, D>) -> Self {
        Self { world, components: Vec::new() }
    }

    /// Tracks a component in a layer of points: of its shape, the minimum corner counts.
    #[must_use]
    pub fn with_points<C: Spatial<D>>(mut self) -> Self {
        self.components.push(|app| track::<C, D>(app, Kind::Points));
        self
    }

    /// Tracks a component in a layer of rectangles.
    #[must_use]
    pub fn with_rects<C: Spatial<D>>(mut self) -> Self {
        self.components.push(|app| track::<C, D>(app, Kind::Rects));
        self
    }
}

impl<const D: usize> Plugin for SpatialPlugin<D> {
    fn build(&self, app: &mut App) {
        let index = SpatialIndex::new(self.world).expect("the plugin's world has an extent and is finite");
        app.insert_resource(EntityIndex { index, layers: HashMap::new() });
        for track in &self.components {
            track(app);
        }
    }
}

fn track<C: Spatial<D>, const D: usize>(app: &mut App, kind: Kind) {
    app.world_mut().resource_mut::<EntityIndex<D>>().add_layer::<C>(kind);
    app.register_required_components::<C, Tracked<C>>()
        .add_observer(forget::<C, D>)
        .add_systems(PostUpdate, update::<C, D>.in_set(SpatialUpdate));
}

/// The box that a layer of that kind stores.
fn stored<const D: usize>(shape: Rect<f32, D>, kind: Kind) -> Rect<f32, D> {
    match kind {
        Kind::Points => Rect::from_point(shape.min()),
        Kind::Rects => shape,
    }
}

/// Moves all entities whose component has changed, and inserts the new ones.
fn update<C: Spatial<D>, const D: usize>(
    mut of_all: ResMut<EntityIndex<D>>,
    mut changed: Query<(Entity, &C, &mut Tracked<C>), Changed<C>>,
) {
    if changed.is_empty() {
        return;
    }
    let layer = of_all.layer::<C>();
    let index = &mut of_all.index;
    let kind = index.layer_kind(layer).expect("the layer is never removed");
    for (entity, component, mut tracked) in &mut changed {
        let shape = stored(component.shape(), kind);
        let is_stored = if index.contains(tracked.handle) {
            index.move_to(tracked.handle, shape).is_ok()
        } else {
            index.insert_any(layer, shape, entity).map(|handle| tracked.handle = handle).is_ok()
        };
        if tracked.is_refused == is_stored {
            tracked.is_refused = !is_stored;
        }
    }
}

/// Removes an entity that is despawned or loses the component.
fn forget<C: Spatial<D>, const D: usize>(
    removed: On<Remove<(C, Tracked<C>)>>,
    mut of_all: ResMut<EntityIndex<D>>,
    mut tracked: Query<&mut Tracked<C>>,
) {
    if let Ok(mut tracked) = tracked.get_mut(removed.event().entity) {
        of_all.index.remove(std::mem::take(&mut tracked.handle));
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
