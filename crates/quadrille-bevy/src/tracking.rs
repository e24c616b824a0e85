//! A tracking: which components of which entities go into which layer, and in which schedule. Knows no index.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bevy_app::PostUpdate;
use bevy_ecs::component::ComponentId;
use bevy_ecs::prelude::*;
use bevy_ecs::query::{QueryData, QueryFilter, ReadOnlyQueryData};
use bevy_ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use quadrille::{Kind, Rect, Scalar};

/// The components that say where an entity is, as bevy's queries write them: `&C`, or two of them, `(&Place, &Size)`.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use quadrille_bevy::{Rect, Tracking};
/// #[derive(Component)]
/// struct Place([f32; 2]);
///
/// #[derive(Component)]
/// struct Size(f32);
///
/// let bodies = Tracking::<(&Place, &Size)>::rects(|(place, size)| Rect::from_center_half(place.0, [size.0; 2]));
/// ```
pub trait TrackedData: ReadOnlyQueryData + 'static {
    /// The component that names the layer, if nothing else does.
    type First: Component;
    /// Finds the entities of which one of the components has changed.
    type Changed: QueryFilter + 'static;

    /// For each of the components, a function that registers it with a world.
    fn components() -> Vec<fn(&mut World) -> ComponentId>;
}

impl<A: Component> TrackedData for &'static A {
    type First = A;
    type Changed = Changed<A>;

    fn components() -> Vec<fn(&mut World) -> ComponentId> {
        vec![World::register_component::<A>]
    }
}

impl<A: Component, B: Component> TrackedData for (&'static A, &'static B) {
    type First = A;
    type Changed = Or<(Changed<A>, Changed<B>)>;

    fn components() -> Vec<fn(&mut World) -> ComponentId> {
        vec![World::register_component::<A>, World::register_component::<B>]
    }
}

/// A layer to be: which components are tracked, by which function, of which entities, and when. Give it to
/// [`SpatialAppExt::track`](crate::SpatialAppExt::track).
///
/// `Q` is what is tracked, such as `&Transform`: see [`TrackedData`]. `D` and `S` are the dimensions and the coordinates of
/// the index. `F` is what [`with`](Self::with) and [`without`](Self::without) make.
///
/// ```
/// # use bevy_app::{App, FixedUpdate};
/// # use bevy_ecs::prelude::*;
/// # use quadrille_bevy::{Rect, SpatialAppExt, Tracking};
/// # #[derive(Component)]
/// # struct Position([f32; 2]);
/// # #[derive(Component)]
/// # struct Wall(Rect);
/// # #[derive(Component)]
/// # struct Enemy;
/// # #[derive(Component)]
/// # struct Hidden;
/// App::new()
///     .track(Tracking::<&Position>::points(|position| position.0))
///     .track(Tracking::<&Position>::points(|position| position.0).with::<Enemy>().without::<Hidden>())
///     .track(Tracking::<&Wall>::rects(|wall| wall.0).in_schedule(FixedUpdate));
/// ```
pub struct Tracking<Q: TrackedData, const D: usize = 2, S = f32, F = ()> {
    pub(crate) shape: Arc<ShapeOf<Q, D, S>>,
    pub(crate) rules: Rules,
    filter: PhantomData<fn() -> F>,
}

/// The function that says where an entity is.
pub(crate) type ShapeOf<Q, const D: usize, S> =
    dyn for<'w, 's> Fn(<Q as QueryData>::Item<'w, 's>) -> Rect<S, D> + Send + Sync;

/// The part of a tracking that is data: all but its types.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) kind: Kind,
    pub(crate) name: LayerName,
    pub(crate) schedule: InternedScheduleLabel,
    /// The type of the user's function.
    pub(crate) function: TypeId,
    /// Components that an entity must have besides the tracked ones.
    pub(crate) markers: Vec<fn(&mut World) -> ComponentId>,
    /// Components that an entity must not have.
    pub(crate) excluded: Vec<fn(&mut World) -> ComponentId>,
}

/// The type that names a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayerName {
    id: TypeId,
    pub(crate) text: &'static str,
}

impl LayerName {
    pub(crate) fn of<L: 'static>() -> Self {
        Self { id: TypeId::of::<L>(), text: type_name::<L>() }
    }
}

impl<Q: TrackedData, const D: usize, S: Scalar> Tracking<Q, D, S> {
    /// Tracks entities as points. The function says where an entity is: as an array, or as anything that converts into one.
    ///
    /// A point that is not finite is refused, and the entity stays where it was: see
    /// [`EntityIndex::refused`](crate::EntityIndex::refused).
    ///
    /// ```
    /// # #[cfg(feature = "transform")] {
    /// use bevy_transform::components::{GlobalTransform, Transform};
    /// # use quadrille_bevy::Tracking;
    /// let in_2d = Tracking::<&GlobalTransform>::points(|at| at.translation().truncate());
    /// let in_3d = Tracking::<&Transform, 3>::points(|at| at.translation);
    /// # }
    /// ```
    #[must_use]
    pub fn points<P: Into<[S; D]>>(place: impl Fn(Q::Item<'_, '_>) -> P + Send + Sync + 'static) -> Self {
        let function = place.type_id();
        Self::new(Kind::Points, function, move |item: Q::Item<'_, '_>| Rect::from_point(place(item)))
    }

    /// Tracks entities as rectangles. The function gives the box of an entity. One that is not finite is refused, as for
    /// [`points`](Self::points).
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use quadrille_bevy::{Rect, Tracking};
    /// #[derive(Component)]
    /// struct Wall {
    ///     from: [f32; 2],
    ///     to: [f32; 2],
    /// }
    ///
    /// let walls = Tracking::<&Wall>::rects(|wall| Rect::new(wall.from, wall.to));
    /// ```
    #[must_use]
    pub fn rects(shape: impl Fn(Q::Item<'_, '_>) -> Rect<S, D> + Send + Sync + 'static) -> Self {
        Self::new(Kind::Rects, shape.type_id(), shape)
    }

    fn new(
        kind: Kind,
        function: TypeId,
        shape: impl Fn(Q::Item<'_, '_>) -> Rect<S, D> + Send + Sync + 'static,
    ) -> Self {
        let name = LayerName::of::<Q::First>();
        let schedule = PostUpdate.intern();
        let rules = Rules { kind, name, schedule, function, markers: Vec::new(), excluded: Vec::new() };
        Self { shape: Arc::new(shape), rules, filter: PhantomData }
    }
}

impl<Q: TrackedData, const D: usize, S: Scalar, F: QueryFilter> Tracking<Q, D, S, F> {
    /// Tracks only entities that have a marker too. The layer is then named by it.
    ///
    /// An entity that loses the marker leaves the index at once; one that gets it is there after the next update.
    ///
    /// ```
    /// # use bevy_app::App;
    /// # use bevy_ecs::prelude::*;
    /// # use quadrille_bevy::{EntityIndex, SpatialAppExt, Tracking};
    /// # #[derive(Component)]
    /// # struct Position([f32; 2]);
    /// # #[derive(Component)]
    /// # struct Enemy;
    /// # let mut app = App::new();
    /// app.track(Tracking::<&Position>::points(|position| position.0).with::<Enemy>());
    /// let index = app.world().resource::<EntityIndex>();
    /// assert!(index.layer::<Enemy>().is_ok());
    /// assert!(index.layer::<Position>().is_err());
    /// ```
    #[must_use]
    pub fn with<M: Component>(mut self) -> Tracking<Q, D, S, (F, With<M>)> {
        self.rules.markers.push(World::register_component::<M>);
        self.rules.name = LayerName::of::<M>();
        Tracking { shape: self.shape, rules: self.rules, filter: PhantomData }
    }

    /// Tracks no entity that has this component. Disabled entities are never tracked, so these need no mention.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use quadrille_bevy::Tracking;
    /// # #[derive(Component)]
    /// # struct Position([f32; 2]);
    /// #[derive(Component)]
    /// struct Dead;
    ///
    /// let living = Tracking::<&Position>::points(|position| position.0).without::<Dead>();
    /// ```
    #[must_use]
    pub fn without<M: Component>(mut self) -> Tracking<Q, D, S, (F, Without<M>)> {
        self.rules.excluded.push(World::register_component::<M>);
        Tracking { shape: self.shape, rules: self.rules, filter: PhantomData }
    }

    /// Names the layer by another type, which need not be a component. Of several names, the last one counts.
    ///
    /// ```
    /// # use bevy_app::App;
    /// # use bevy_ecs::prelude::*;
    /// # use quadrille_bevy::{Rect, SpatialAppExt, Tracking};
    /// # #[derive(Component)]
    /// # struct Position([f32; 2]);
    /// struct Sight; // what an entity sees, beside the layer of where it is
    ///
    /// App::new()
    ///     .track(Tracking::<&Position>::points(|position| position.0))
    ///     .track(Tracking::<&Position>::rects(|position| Rect::from_center_half(position.0, [9.0; 2])).named::<Sight>());
    /// ```
    #[must_use]
    pub fn named<L: 'static>(mut self) -> Self {
        self.rules.name = LayerName::of::<L>();
        self
    }

    /// Brings the layer up to date in another schedule than [`PostUpdate`].
    ///
    /// In [`FixedUpdate`](bevy_app::FixedUpdate) that is once in each step. Bevy computes `GlobalTransform` in `PostUpdate`
    /// only, so track `Transform` there.
    ///
    /// ```
    /// # use bevy_app::FixedUpdate;
    /// # use bevy_ecs::prelude::*;
    /// # use quadrille_bevy::Tracking;
    /// # #[derive(Component)]
    /// # struct Position([f32; 2]);
    /// let bodies = Tracking::<&Position>::points(|position| position.0).in_schedule(FixedUpdate);
    /// ```
    #[must_use]
    pub fn in_schedule(mut self, schedule: impl ScheduleLabel) -> Self {
        self.rules.schedule = schedule.intern();
        self
    }
}

impl<Q: TrackedData, const D: usize, S, F> fmt::Debug for Tracking<Q, D, S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rules { kind, name, schedule, .. } = &self.rules;
        f.debug_struct("Tracking")
            .field("layer", &name.text)
            .field("kind", kind)
            .field("schedule", schedule)
            .finish_non_exhaustive()
    }
}
