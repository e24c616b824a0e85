//! Zones: components that tell which entities enter and leave a region.

use std::collections::BTreeMap;
use std::fmt;

use bevy_ecs::prelude::*;
use quadrille::{
    Changes, Handle, IntoRegion, KnownShape, LayerSet, ObjectRef, PollError, Rect, Region, Scalar, SpatialIndex, Watch,
};

use crate::index::EntityIndex;
use crate::journal::Version;

/// A component that tells which entities enter and leave a region, by the events [`ZoneEntered`] and [`ZoneLeft`] on its
/// own entity. [`EntityIndex::zone`] makes it.
///
/// Zones look after each update of the index, in [`SpatialSystems::Zones`](crate::SpatialSystems), if it or the region has
/// changed. If few entities have changed, a look costs about a nanosecond for each of them; else as much as the query. An
/// entity is inside if it shares a point with the region. One that is despawned or disabled has left. A change that was
/// undone between two looks is not told.
///
/// ```
/// use bevy_app::{App, Startup};
/// use bevy_ecs::prelude::*;
/// use quadrille_bevy::{Ball, SpatialAppExt, SpatialQuery, Tracking, ZoneEntered};
///
/// #[derive(Component)]
/// struct Position([f32; 2]);
///
/// #[derive(Resource, Default)]
/// struct Alarms(Vec<Entity>);
///
/// fn set_alarm(space: SpatialQuery, mut commands: Commands) -> Result {
///     let zone = space.zone(space.layer::<Position>()?, Ball::new([50.0, 50.0], 10.0));
///     commands.spawn(zone).observe(|event: On<ZoneEntered>, mut alarms: ResMut<Alarms>| alarms.0.push(event.entered));
///     Ok(())
/// }
///
/// let mut app = App::new();
/// app.track(Tracking::<&Position>::points(|position| position.0))
///     .init_resource::<Alarms>()
///     .add_systems(Startup, set_alarm);
/// app.update();
/// let intruder = app.world_mut().spawn(Position([55.0, 50.0])).id();
/// app.update();
/// assert_eq!(app.world().resource::<Alarms>().0, [intruder]);
/// ```
#[derive(Component)]
pub struct Zone<const D: usize = 2, S: Scalar = f32> {
    layers: LayerSet,
    region: Box<dyn Ask<D, S>>,
    watch: Watch,
    /// The index no longer knows whose handle has left it.
    inside: BTreeMap<Handle, Entity>,
    /// The state of the index at the last look. `None` if the whole question must be asked.
    seen: Option<Version>,
}

/// An entity has entered a [`Zone`]. The event is on the zone's entity.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneEntered {
    /// The entity with the zone.
    #[event_target]
    pub zone: Entity,
    /// Who has entered.
    pub entered: Entity,
}

/// An entity has left a [`Zone`]. The event is on the zone's entity.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneLeft {
    /// The entity with the zone.
    #[event_target]
    pub zone: Entity,
    /// Who has left; it may be despawned.
    pub left: Entity,
}

impl<const D: usize, S: Scalar> EntityIndex<D, S> {
    /// A [`Zone`], which tells who enters and leaves a region. Spawn it, or insert it into an entity.
    ///
    /// It looks at some layers. An entity that is in two of them is told for each.
    #[must_use]
    pub fn zone<R>(&self, layers: impl Into<LayerSet>, region: R) -> Zone<D, S>
    where
        R: IntoRegion<S, D, Region: Send + Sync + 'static>,
    {
        let (watch, inside) = Default::default();
        Zone { layers: layers.into(), region: Box::new(region.into_region()), watch, inside, seen: None }
    }
}

impl<const D: usize, S: Scalar> Zone<D, S> {
    /// Gives the zone another region. The next look tells the difference.
    pub fn set_region<R>(&mut self, region: R)
    where
        R: IntoRegion<S, D, Region: Send + Sync + 'static>,
    {
        self.region = Box::new(region.into_region());
        self.seen = None;
    }

    /// The entities that were inside at the last look.
    pub fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        self.inside.values().copied()
    }

    /// Looks who is inside, and tells the differences: who it is, and whether it has entered or left.
    ///
    /// # Errors
    /// The zone has been moved here from another world, whose entities mean nothing in this one. It has forgotten them.
    pub(crate) fn look(
        &mut self,
        index: &EntityIndex<D, S>,
        mut tell: impl FnMut(Entity, bool),
    ) -> Result<(), PollError> {
        let changes = match self.crossed(index) {
            Some(crossed) if crossed.is_empty() => {
                self.seen = index.version();
                return Ok(());
            }
            Some(crossed) => {
                let is_inside = |object: &ObjectRef<'_, Entity, S, D>| {
                    self.layers.contains(object.layer()) && self.region.meets(&object.shape())
                };
                let inside = crossed.iter().filter_map(|&object| index.object(object).filter(is_inside));
                self.watch.poll_moved(&crossed, inside)
            }
            None => self.region.poll(index, self.layers, &mut self.watch),
        };
        // Only now, since the region may panic.
        self.seen = index.version();
        let changes = match changes {
            Ok(changes) => changes,
            Err(error) => {
                self.forget();
                return Err(error);
            }
        };
        for handle in changes.left {
            tell(self.inside.remove(handle).expect("what leaves has entered"), false);
        }
        for &handle in changes.entered {
            let entered = *index.get(handle).expect("it was found just now");
            self.inside.insert(handle, entered);
            tell(entered, true);
        }
        Ok(())
    }

    /// All objects that have come into the region or gone out of it since the last look, and maybe some others. `None` if
    /// the whole question must be asked, or tells sooner.
    fn crossed(&self, index: &EntityIndex<D, S>) -> Option<Vec<Handle>> {
        let changes = index.changes_since(self.seen)?;
        if changes > PASSED * (LEAST + self.inside.len()) {
            return None;
        }
        let (mut crossed, mut near) = (Vec::new(), 0);
        if changes == 0 {
            return Some(crossed);
        }
        for change in index.last_changes_near(changes, &self.region.bounds()) {
            near += 1;
            if near > LEAST + self.inside.len() {
                return None;
            }
            let [before, after] = change.shapes.map(|shape| shape.is_some_and(|shape| self.region.meets(&shape)));
            if before != after {
                crossed.push(change.object);
            }
        }
        Some(crossed)
    }

    /// The center of the box around the region.
    #[cfg(feature = "replicon")]
    pub(crate) fn center(&self) -> [S; D] {
        self.region.bounds().center()
    }

    /// The objects inside, an entity in several layers once for each.
    #[cfg(feature = "replicon")]
    pub(crate) fn objects<'a>(
        &'a self,
        index: &'a EntityIndex<D, S>,
    ) -> impl Iterator<Item = (ObjectRef<'a, Entity, S, D>, Entity)> {
        self.inside.iter().filter_map(|(&handle, &entity)| Some((index.object(handle)?, entity)))
    }

    /// Forgets who is inside: at the next look, all have entered.
    pub(crate) fn forget(&mut self) {
        (self.watch, self.inside, self.seen) = Default::default();
    }
}

impl<const D: usize, S: Scalar> fmt::Debug for Zone<D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zone").field("layers", &self.layers).field("inside", &self.inside.len()).finish_non_exhaustive()
    }
}

/// A query takes at least as long as to look at so many changes near a region, however few are inside.
const LEAST: usize = 16;

/// So many changes elsewhere are passed over while a query finds one object.
const PASSED: usize = 16;

/// Lets all zones look.
pub(crate) fn look<const D: usize, S: Scalar>(
    index: Res<EntityIndex<D, S>>,
    mut zones: Query<(Entity, &mut Zone<D, S>)>,
    mut commands: Commands,
) {
    for (entity, mut zone) in &mut zones {
        // One that comes from another world begins anew.
        let _ = zone.bypass_change_detection().look(&index, |other, is_inside| {
            if is_inside {
                commands.trigger(ZoneEntered { zone: entity, entered: other });
            } else {
                commands.trigger(ZoneLeft { zone: entity, left: other });
            }
        });
    }
}

/// A region, whatever its type.
trait Ask<const D: usize, S>: Send + Sync {
    /// Whether a box shares a point with the region, as a query decides it.
    fn meets(&self, shape: &Rect<S, D>) -> bool;

    fn bounds(&self) -> Rect<S, D>;

    fn poll<'w>(
        &self,
        index: &SpatialIndex<Entity, S, D>,
        layers: LayerSet,
        watch: &'w mut Watch,
    ) -> Result<Changes<'w>, PollError>;
}

impl<R: Region<S, D> + Send + Sync, const D: usize, S: Scalar> Ask<D, S> for R {
    fn meets(&self, shape: &Rect<S, D>) -> bool {
        // Users' regions are asked about what lies within their bounds.
        let part = || Region::bounds(self).intersection(shape);
        match self.shape() {
            // By the distance alone. Its bounds are rounded.
            KnownShape::Ball(ball) => ball.intersects(shape),
            KnownShape::Box => part().is_some(),
            _ => part().is_some_and(|part| self.intersects(&part)),
        }
    }

    fn bounds(&self) -> Rect<S, D> {
        Region::bounds(self)
    }

    fn poll<'w>(
        &self,
        index: &SpatialIndex<Entity, S, D>,
        layers: LayerSet,
        watch: &'w mut Watch,
    ) -> Result<Changes<'w>, PollError> {
        watch.poll(index.intersecting(Lent(self)).in_layers(layers))
    }
}

/// A region that is lent to a query.
struct Lent<'a, R>(&'a R);

impl<'a, R: Region<S, D>, const D: usize, S> IntoRegion<S, D> for Lent<'a, R> {
    type Region = &'a R;

    fn into_region(self) -> &'a R {
        self.0
    }
}
