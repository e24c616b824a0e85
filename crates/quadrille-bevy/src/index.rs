//! The index as a resource: which entity has which handle in which layer. Knows no system.

use std::any::TypeId;
use std::fmt;
use std::ops::Deref;

use bevy_ecs::entity::EntityHashSet;
use bevy_ecs::prelude::*;
use bevy_ecs::system::{SystemId, SystemParam};
use quadrille::{
    AddLayerError, BatchError, Handle, Kind, LayerError, LayerId, ObjectRef, Rect, Scalar, SpatialIndex, WorldError,
};

use crate::handles::Handles;
use crate::journal::{Change, Journal, Version};
use crate::tracking::{LayerName, Rules};

/// The index of all tracked entities, a resource. [`SpatialQuery`] reads it.
///
/// Systems of this crate change it. You can change its memory and its world: see [`optimize`](Self::optimize) and
/// [`set_world`](Self::set_world).
#[derive(Resource)]
pub struct EntityIndex<const D: usize = 2, S: Scalar = f32> {
    index: SpatialIndex<Entity, S, D>,
    pub(crate) layers: Vec<EntityLayer>,
    /// The systems that bring the layers up to date, for `update_now`.
    pub(crate) updates: Vec<SystemId>,
    is_world_given: bool,
    journal: Journal<D, S>,
    /// Kept for its memory.
    moves: Vec<(Handle, Rect<S, D>)>,
}

/// A layer of the index, with the rules of its tracking. Systems and observers name it by its number in the list.
pub(crate) struct EntityLayer {
    pub(crate) id: LayerId,
    pub(crate) rules: Rules,
    /// The type of the tracking.
    pub(crate) tracking: TypeId,
    handles: Handles,
    refused: EntityHashSet,
    /// Entities that may have come back without a change of a tracked component: enabled again, or marked.
    pub(crate) returned: EntityHashSet,
}

/// No layer has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` names no layer of this index: give it to `App::track`")]
#[non_exhaustive]
pub struct NotTracked {
    /// The type that was asked for.
    pub name: &'static str,
}

/// The world that an index has until a plugin gives one.
const HALF_OF_DEFAULT: u16 = 1 << 15;

impl<const D: usize, S: Scalar> EntityIndex<D, S> {
    pub(crate) fn new() -> Self {
        let world = Rect::from_center_half([S::default(); D], [S::from(HALF_OF_DEFAULT); D]);
        let index = SpatialIndex::new(world).expect("the default world has an extent and is finite");
        let (layers, updates, moves) = Default::default();
        Self { index, layers, updates, is_world_given: false, journal: Journal::new(&world), moves }
    }

    /// Gives the index a world, or a larger one if it has been given one before.
    pub(crate) fn include_world(&mut self, world: Rect<S, D>) -> Result<(), WorldError> {
        let world = if self.is_world_given { self.index.world().union(&world) } else { world };
        self.set_world(world)?;
        self.is_world_given = true;
        Ok(())
    }

    /// Adds a layer, and returns its number.
    pub(crate) fn add_layer(&mut self, rules: Rules, tracking: TypeId) -> Result<usize, AddLayerError> {
        let id = match rules.kind {
            Kind::Points => self.index.add_point_layer()?.id(),
            Kind::Rects => self.index.add_rect_layer()?.id(),
        };
        let (handles, refused, returned) = Default::default();
        self.layers.push(EntityLayer { id, rules, tracking, handles, refused, returned });
        Ok(self.layers.len() - 1)
    }

    /// Moves entities of a layer, and inserts those that are not there yet. Each must come once.
    pub(crate) fn place(&mut self, number: usize, shapes: impl IntoIterator<Item = (Entity, Rect<S, D>)>) {
        let EntityLayer { id, rules, handles, refused, .. } = &mut self.layers[number];
        let (mut new, mut refused_before) = (Vec::new(), EntityHashSet::default());
        // Functions of the user may panic, and be called again.
        self.moves.clear();
        shapes.into_iter().for_each(|(entity, shape)| {
            if !refused.is_empty() {
                refused_before.extend(refused.take(&entity));
            }
            match handles.get(entity) {
                Some(handle) => self.moves.push((handle, shape)),
                None => new.push((entity, shape)),
            }
        });
        let is_told = self.moves.len() + new.len() <= self.journal.room(self.index.len());
        if is_told {
            self.journal.trim(self.index.len());
            for &(handle, shape) in &self.moves {
                self.journal.add(handle, [self.index.shape(handle), Some(shape)]);
            }
        } else {
            self.journal.clear();
        }
        let moves = self.moves.drain(..);
        let outcome = match rules.kind {
            // As boxes they would be moved too, but in twice the time.
            Kind::Points => self.index.move_batch(moves.map(|(handle, shape)| (handle, shape.min()))),
            Kind::Rects => self.index.move_batch(moves),
        };
        let stay = outcome.refused.into_iter().filter_map(|(handle, error)| Some((*self.index.get(handle)?, error)));
        let mut failures: Vec<_> = stay.collect();

        let is_finite = |(_, shape): &(_, Rect<S, D>)| {
            [shape.min(), shape.max()].as_flattened().iter().all(|at| at.to_f64().is_finite())
        };
        let (finite, others): (Vec<_>, Vec<_>) = new.into_iter().partition(is_finite);
        let mut known = |entity, handle, shape| {
            handles.insert(entity, handle);
            if is_told {
                self.journal.add(handle, [None, Some(shape)]);
            }
        };
        let together = insert_together(&mut self.index, *id, &finite).unwrap_or_default();
        finite.iter().zip(&together).for_each(|(&(entity, shape), &handle)| known(entity, handle, shape));
        // A batch goes in as a whole or not at all. Without room for all of it, some still fit.
        for (entity, shape) in finite.into_iter().skip(together.len()).chain(others) {
            match self.index.insert_any(*id, shape, entity) {
                Ok(handle) => known(entity, handle, shape),
                Err(error) => failures.push((entity, error)),
            }
        }
        for (entity, error) in failures {
            refused.insert(entity);
            if !refused_before.contains(&entity) {
                log::warn!("the index refuses the shape of {entity} in the layer `{}`: {error}", rules.name.text);
            }
        }
    }

    /// Removes an entity from a layer, if it is there.
    pub(crate) fn forget(&mut self, number: usize, entity: Entity) {
        let layer = &mut self.layers[number];
        layer.refused.remove(&entity);
        if let Some(handle) = layer.handles.remove(entity) {
            self.journal.trim(self.index.len());
            self.journal.add(handle, [self.index.shape(handle), None]);
            self.index.remove(handle);
        }
    }

    /// The present version; `None` if nothing was ever tracked.
    pub(crate) fn version(&self) -> Option<Version> {
        Some(self.journal.version(self.layers.first()?.id))
    }

    /// How many changes there were since a version; `None` if they are not known.
    pub(crate) fn changes_since(&self, version: Option<Version>) -> Option<usize> {
        self.journal.since(self.layers.first()?.id, version?)
    }

    /// See [`Journal::last_near`].
    pub(crate) fn last_changes_near(&self, last: usize, bounds: &Rect<S, D>) -> impl Iterator<Item = &Change<D, S>> {
        self.journal.last_near(last, bounds)
    }

    /// The layer that a type names: the marker of a [`Tracking`](crate::Tracking), its first component, or the type that it
    /// gives as a name.
    ///
    /// # Errors
    /// [`NotTracked`] if no layer has this name.
    ///
    /// ```
    /// # use bevy_app::App;
    /// # use bevy_ecs::prelude::*;
    /// # use quadrille_bevy::{EntityIndex, SpatialAppExt, Tracking};
    /// # #[derive(Component)]
    /// # struct Position([f32; 2]);
    /// # #[derive(Component)]
    /// # struct Wall;
    /// # let mut app = App::new();
    /// app.track(Tracking::<&Position>::points(|position| position.0));
    /// let index = app.world().resource::<EntityIndex>();
    /// assert!(index.layer::<Position>().is_ok());
    /// assert!(index.layer::<Wall>().unwrap_err().to_string().contains("Wall` names no layer"));
    /// ```
    pub fn layer<L: 'static>(&self) -> Result<LayerId, NotTracked> {
        let name = LayerName::of::<L>();
        let layer = self.layers.iter().find(|layer| layer.rules.name == name);
        layer.map(|layer| layer.id).ok_or(NotTracked { name: name.text })
    }

    /// The object of an entity in a layer, with its handle and its shape; `None` if the entity is not there.
    ///
    /// Queries that start at the object leave it out.
    ///
    /// # Errors
    /// [`LayerError`] if the layer is one of another index.
    ///
    /// ```
    /// # use bevy_app::{App, Update};
    /// # use bevy_ecs::prelude::*;
    /// # use quadrille_bevy::{EntityIndex, SpatialAppExt, SpatialQuery, Tracking};
    /// # #[derive(Component)]
    /// # struct Position([f32; 2]);
    /// fn greet(space: SpatialQuery, people: Query<Entity, With<Position>>) -> Result {
    ///     let everybody = space.layer::<Position>()?;
    ///     for entity in &people {
    ///         let person = space.object_of(everybody, entity)?;
    ///         if let Some(near) = person.and_then(|person| person.nearest().within(10.0).next()) {
    ///             println!("{entity} is near to {}", near.object.value());
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// # App::new().track(Tracking::<&Position>::points(|position| position.0)).add_systems(Update, greet).update();
    /// ```
    pub fn object_of(&self, layer: LayerId, entity: Entity) -> Result<Option<ObjectRef<'_, Entity, S, D>>, LayerError> {
        let handle = self.entity_layer(layer)?.handles.get(entity);
        Ok(handle.and_then(|handle| self.index.object(handle)))
    }

    /// The entities of a layer whose present shape is refused since it is not finite. They stay where they were; one that
    /// was never finite is not in the index. Each is logged as a warning once.
    ///
    /// # Errors
    /// [`LayerError`] if the layer is one of another index.
    pub fn refused(&self, layer: LayerId) -> Result<impl Iterator<Item = Entity> + '_, LayerError> {
        Ok(self.entity_layer(layer)?.refused.iter().copied())
    }

    fn entity_layer(&self, layer: LayerId) -> Result<&EntityLayer, LayerError> {
        let known = self.layers.iter().find(|known| known.id == layer);
        known.ok_or(LayerError::Foreign { number: layer.number() })
    }

    /// Lays everything out anew in memory: see [`SpatialIndex::optimize`].
    pub fn optimize(&mut self) {
        self.index.optimize();
    }

    /// Gives the index another world: see [`SpatialIndex::set_world`].
    ///
    /// # Errors
    /// [`WorldError`] if it is no world.
    pub fn set_world(&mut self, world: Rect<S, D>) -> Result<(), WorldError> {
        self.index.set_world(world)?;
        self.journal.set_world(&self.index.world());
        Ok(())
    }
}

/// Adds entities to a layer, all or none.
fn insert_together<const D: usize, S: Scalar>(
    index: &mut SpatialIndex<Entity, S, D>,
    layer: LayerId,
    new: &[(Entity, Rect<S, D>)],
) -> Result<Vec<Handle>, BatchError> {
    if let Some(points) = index.point_layer(layer) {
        return index.insert_batch(points, new.iter().map(|&(entity, shape)| (shape.min(), entity)));
    }
    let rects = index.rect_layer(layer).expect("layers are never removed");
    index.insert_batch(rects, new.iter().map(|&(entity, shape)| (shape, entity)))
}

impl<const D: usize, S: Scalar> Deref for EntityIndex<D, S> {
    type Target = SpatialIndex<Entity, S, D>;

    fn deref(&self) -> &Self::Target {
        &self.index
    }
}

impl<const D: usize, S: Scalar> fmt::Debug for EntityIndex<D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index.fmt(f)
    }
}

/// A system parameter that asks the index: all queries of [`SpatialIndex`], and those of [`EntityIndex`].
///
/// A 3D index is asked by `SpatialQuery<3>`, one with `f64` by `SpatialQuery<2, f64>`. If the app has no such index, bevy
/// reports that it cannot run the system.
#[derive(SystemParam)]
pub struct SpatialQuery<'w, const D: usize = 2, S: Scalar = f32> {
    #[system_param(validation_message = "There is no such index: give `App::track` what it should hold")]
    index: Res<'w, EntityIndex<D, S>>,
}

impl<const D: usize, S: Scalar> Deref for SpatialQuery<'_, D, S> {
    type Target = EntityIndex<D, S>;

    fn deref(&self) -> &EntityIndex<D, S> {
        &self.index
    }
}
