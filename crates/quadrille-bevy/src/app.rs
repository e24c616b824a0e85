//! The additions to an app: the plugin, the systems that keep the index up to date, and the observers.

use std::any::TypeId;
use std::mem;

use bevy_app::{App, Plugin};
use bevy_ecs::component::ComponentId;
use bevy_ecs::entity_disabling::DefaultQueryFilters;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryFilter;
use bevy_ecs::system::IntoObserverSystem;
use quadrille::{AddLayerError, LayerId, Rect, Scalar};

use crate::index::EntityIndex;
use crate::tracking::{Rules, TrackedData, Tracking};
use crate::zone;

/// The systems of this crate, in each schedule of a [`Tracking`]. They run in this order.
///
/// Order your own before or after them, or all of them among others:
///
/// ```
/// # use bevy_app::{App, PostUpdate};
/// # use bevy_ecs::prelude::*;
/// # use quadrille_bevy::{SpatialAppExt, SpatialQuery, SpatialSystems, Tracking};
/// # #[derive(Component)]
/// # struct Position([f32; 2]);
/// fn collide(space: SpatialQuery) { /* as things are in this frame */ }
///
/// App::new()
///     .track(Tracking::<&Position>::points(|position| position.0))
///     .add_systems(PostUpdate, collide.after(SpatialSystems::Update))
///     .update();
/// ```
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpatialSystems {
    /// The index is brought up to date. With the feature `transform`, after bevy has computed `GlobalTransform`.
    Update,
    /// Each [`Zone`](crate::Zone) tells who has entered and left.
    Zones,
    /// Each [`View`](crate::View) shows its client who is inside: in [`PostUpdate`](bevy_app::PostUpdate), before replicon sends.
    #[cfg(feature = "replicon")]
    Views,
}

/// Gives the index its world: where most entities will be.
///
/// The world is a hint, and entities outside are found too: see [`SpatialIndex`](crate::SpatialIndex). Without the plugin it
/// reaches from -32768 to 32768 on each axis. The plugin may be added several times, also before or after the first
/// [`track`](SpatialAppExt::track); of several worlds the index takes the box around them all. One that is no world (it is
/// not finite, or has no extent) is logged as an error and passed over.
///
/// ```
/// # use bevy_app::App;
/// # use quadrille_bevy::{EntityIndex, Rect, SpatialPlugin};
/// let mut app = App::new();
/// app.add_plugins(SpatialPlugin::new(Rect::new([0.0, 0.0], [100.0, 100.0])));
/// app.add_plugins(SpatialPlugin::new(Rect::new([50.0, 50.0], [150.0, 80.0]))); // of another part of the game
/// assert_eq!(app.world().resource::<EntityIndex>().world(), Rect::new([0.0, 0.0], [150.0, 100.0]));
/// ```
#[derive(Clone, Debug)]
pub struct SpatialPlugin<const D: usize = 2, S = f32> {
    /// The world.
    pub world: Rect<S, D>,
}

impl<const D: usize> SpatialPlugin<D> {
    /// For an index with `f32` coordinates. For `f64`, write `SpatialPlugin { world }`.
    #[must_use]
    pub fn new(world: Rect<f32, D>) -> Self {
        Self { world }
    }
}

impl<const D: usize, S: Scalar> Plugin for SpatialPlugin<D, S> {
    fn build(&self, app: &mut App) {
        if let Err(error) = index_of(app.world_mut()).include_world(self.world) {
            log::error!("the index keeps its world: {error}");
        }
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// The index of a world, which is made if need be.
fn index_of<const D: usize, S: Scalar>(world: &mut World) -> Mut<'_, EntityIndex<D, S>> {
    if !world.contains_resource::<EntityIndex<D, S>>() {
        world.insert_resource(EntityIndex::<D, S>::new());
    }
    world.resource_mut()
}

/// A [`Tracking`] cannot be added to an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// The name is that of a layer with other components, another function or another schedule.
    #[error("`{name}` names another layer already: give this one a name of its own by `Tracking::named`")]
    NameTaken {
        /// The type that names the layer.
        name: &'static str,
    },
    /// The index has as many layers as it can have.
    #[error(transparent)]
    AddLayer(#[from] AddLayerError),
}

/// Tracks components of an app.
pub trait SpatialAppExt {
    /// Keeps a layer of the index in step with components. See [`Tracking`].
    ///
    /// Each plugin of a game may track what it needs. The same tracking may be added again, by the same function, and is
    /// shared. This logs the errors that [`try_track`](Self::try_track) returns; the index is then unchanged.
    fn track<Q, F, const D: usize, S>(&mut self, tracking: Tracking<Q, D, S, F>) -> &mut Self
    where
        Q: TrackedData,
        F: QueryFilter + 'static,
        S: Scalar,
    {
        if let Err(error) = self.try_track(tracking) {
            log::error!("{error}");
        }
        self
    }

    /// As [`track`](Self::track), and returns the layer.
    ///
    /// # Errors
    /// [`TrackError`] if another layer has the same name, or if there are 64 layers. Nothing is changed then.
    fn try_track<Q, F, const D: usize, S>(&mut self, tracking: Tracking<Q, D, S, F>) -> Result<LayerId, TrackError>
    where
        Q: TrackedData,
        F: QueryFilter + 'static,
        S: Scalar;
}

impl SpatialAppExt for App {
    fn try_track<Q, F, const D: usize, S>(&mut self, tracking: Tracking<Q, D, S, F>) -> Result<LayerId, TrackError>
    where
        Q: TrackedData,
        F: QueryFilter + 'static,
        S: Scalar,
    {
        let Rules { name, schedule, kind, function, .. } = tracking.rules;
        let of_type = TypeId::of::<Tracking<Q, D, S, F>>();
        let mut index = index_of::<D, S>(self.world_mut());
        if let Some(known) = index.layers.iter().find(|layer| layer.rules.name == name) {
            let other = &known.rules;
            let is_same =
                (known.tracking, other.function, other.kind, other.schedule) == (of_type, function, kind, schedule);
            return if is_same { Ok(known.id) } else { Err(TrackError::NameTaken { name: name.text }) };
        }
        let is_new_schedule = index.layers.iter().all(|layer| layer.rules.schedule != schedule);
        let number = index.add_layer(tracking.rules.clone(), of_type)?;
        let layer = index.layers[number].id;

        if is_new_schedule {
            self.configure_sets(schedule, (SpatialSystems::Update, SpatialSystems::Zones).chain())
                .add_systems(schedule, zone::look::<D, S>.in_set(SpatialSystems::Zones));
            #[cfg(feature = "transform")]
            self.configure_sets(schedule, SpatialSystems::Update.after(bevy_transform::TransformSystems::Propagate));
        }
        observe::<Q, D, S>(self.world_mut(), number, &tracking.rules);
        keep_up_to_date(self, number, tracking);
        Ok(layer)
    }
}

/// Adds the system that places entities whose components have changed, and those that have come back.
fn keep_up_to_date<Q, F, const D: usize, S>(app: &mut App, number: usize, tracking: Tracking<Q, D, S, F>)
where
    Q: TrackedData,
    F: QueryFilter + 'static,
    S: Scalar,
{
    let Tracking { shape, rules, .. } = tracking;
    let update = move |mut index: ResMut<EntityIndex<D, S>>,
                       changed: Query<(Entity, Q), (Q::Changed, F)>,
                       tracked: Query<Q, F>| {
        // An index that is not touched does not count as changed.
        if changed.is_empty() && index.layers[number].returned.is_empty() {
            return;
        }
        let returned = mem::take(&mut index.layers[number].returned);
        index.place(number, returned.iter().filter_map(|&entity| Some((entity, shape(tracked.get(entity).ok()?)))));
        index.place(number, changed.iter().map(|(entity, item)| (entity, shape(item))));
    };
    let at_once = app.world_mut().register_system(update.clone());
    index_of::<D, S>(app.world_mut()).updates.push(at_once);
    app.add_systems(rules.schedule, update.in_set(SpatialSystems::Update));
}

/// Adds the observers of what no change detection shows: that an entity is despawned, disabled or enabled again, and that
/// it loses or gets one of the components that decide whether it is tracked.
fn observe<Q: TrackedData, const D: usize, S: Scalar>(world: &mut World, number: usize, rules: &Rules) {
    let mut register = |components: &[fn(&mut World) -> ComponentId]| -> Vec<ComponentId> {
        components.iter().map(|register| register(world)).collect()
    };
    let (tracked, markers, mut excluded) =
        (register(&Q::components()), register(&rules.markers), register(&rules.excluded));
    let needed = [tracked, markers.clone()].concat();
    if let Some(filters) = world.get_resource::<DefaultQueryFilters>() {
        excluded.extend(filters.disabling_ids());
    }

    add_observer(world, &needed, move |removed: On<Remove<()>>, mut index: ResMut<EntityIndex<D, S>>| {
        index.forget(number, removed.entity);
    });
    add_observer(world, &excluded, move |added: On<Add<()>>, mut index: ResMut<EntityIndex<D, S>>| {
        index.forget(number, added.entity);
    });
    add_observer(world, &markers, move |added: On<Add<()>>, mut index: ResMut<EntityIndex<D, S>>| {
        index.layers[number].returned.insert(added.entity);
    });
    add_observer(world, &excluded, move |removed: On<Remove<()>>, mut index: ResMut<EntityIndex<D, S>>| {
        index.layers[number].returned.insert(removed.entity);
    });
}

/// Adds an observer of some components.
fn add_observer<E: EventPattern, M>(
    world: &mut World,
    components: &[ComponentId],
    system: impl IntoObserverSystem<E, M>,
) {
    // One without components would observe them all.
    if !components.is_empty() {
        world.spawn(Observer::new(system).with_components(components.iter().copied()));
    }
}

/// Brings all layers of an index up to date at once, without waiting for their schedules. Zones look later, in their turn.
///
/// It is a function of a world, a system that needs the world for itself, and a command: `commands.queue(update_now::<2,
/// f32>)`. Its cost is that of what has changed since it was last called; at the first time, of all tracked entities.
///
/// # Errors
/// If one of the systems is gone: they are entities of the world, and somebody has despawned it.
///
/// ```
/// # use bevy_app::App;
/// # use bevy_ecs::prelude::*;
/// # use quadrille_bevy::{EntityIndex, SpatialAppExt, Tracking, update_now};
/// # #[derive(Component)]
/// # struct Position([f32; 2]);
/// let mut app = App::new();
/// app.track(Tracking::<&Position>::points(|position| position.0));
/// app.world_mut().spawn(Position([1.0, 2.0]));
/// assert!(app.world().resource::<EntityIndex>().is_empty());
/// update_now::<2, f32>(app.world_mut())?;
/// assert_eq!(app.world().resource::<EntityIndex>().len(), 1);
/// # Ok::<(), BevyError>(())
/// ```
pub fn update_now<const D: usize, S: Scalar>(world: &mut World) -> Result<(), BevyError> {
    let updates = world.get_resource::<EntityIndex<D, S>>().map(|index| index.updates.clone());
    for update in updates.unwrap_or_default() {
        world.run_system(update)?;
    }
    Ok(())
}
