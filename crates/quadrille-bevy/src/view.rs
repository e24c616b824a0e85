//! Views: which entities a client of `bevy_replicon` is sent. They consist of zones, which know nothing of clients.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::mem;

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::entity::{EntityHashMap, EntityHashSet};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::Allow;
use bevy_replicon::prelude::{Replicated, ScopeLifetime, ServerSystems};
use bevy_replicon::server::server_tick::ServerTick;
use bevy_replicon::server::visibility::client_visibility::ClientVisibility;
use bevy_replicon::server::visibility::filters_mask::FilterBit;
use bevy_replicon::server::visibility::registry::FilterRegistry;
use bevy_replicon::shared::replication::registry::ReplicationRegistry;
use quadrille::{IntoRegion, Rect, Scalar};

use crate::app::SpatialSystems;
use crate::budget::{Budget, Candidate};
use crate::index::EntityIndex;
use crate::zone::Zone;

/// Sends a client of `bevy_replicon` those entities with [`InView`] that its [`View`] shows, and no others.
///
/// Views look in [`SpatialSystems::Views`], in each frame in which replicon sends. The plugin may be added several times, before
/// or after those of replicon. An app has views of one space: in 2D or in 3D, with `f32` or with `f64`. A plugin for another
/// one is logged as an error and passed over.
///
/// ```
/// # use bevy_app::{App, Update};
/// # use bevy_ecs::prelude::*;
/// # use bevy_replicon::prelude::*;
/// use quadrille_bevy::{Ball, InView, SpatialAppExt, SpatialQuery, Tracking, View, ViewPlugin};
///
/// #[derive(Component)]
/// struct Position([f32; 2]);
///
/// #[derive(Component)]
/// struct Avatar(Entity);
///
/// fn spawn_avatar(client: On<Add<AuthorizedClient>>, space: SpatialQuery, mut commands: Commands) -> Result {
///     let avatar = commands.spawn((Position([50.0, 50.0]), InView)).id();
///     let view = View::new([space.zone(space.layer::<Position>()?, Ball::new([50.0, 50.0], 30.0))]);
///     commands.entity(client.entity).insert((Avatar(avatar), view));
///     Ok(())
/// }
///
/// fn follow(mut clients: Query<(&Avatar, &mut View)>, moved: Query<&Position, Changed<Position>>) -> Result {
///     for (avatar, mut view) in &mut clients {
///         if let Ok(position) = moved.get(avatar.0) {
///             view.set_region(0, Ball::new(position.0, 30.0))?;
///         }
///     }
///     Ok(())
/// }
///
/// # let mut app = App::new();
/// // Beside replicon's own plugins:
/// app.add_plugins(ViewPlugin::<2>::new())
///     .track(Tracking::<&Position>::points(|position| position.0))
///     .add_observer(spawn_avatar)
///     .add_systems(Update, follow);
/// # app.finish();
/// # app.update();
/// ```
#[derive(Debug, Default)]
pub struct ViewPlugin<const D: usize = 2, S = f32> {
    space: PhantomData<fn() -> S>,
}

impl<const D: usize> ViewPlugin<D> {
    /// For views with `f32` coordinates. For `f64`, write `ViewPlugin::<2, f64>::default()`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<const D: usize, S: Scalar> Plugin for ViewPlugin<D, S> {
    fn build(&self, app: &mut App) {
        register::<D, S>(app);
    }

    fn finish(&self, app: &mut App) {
        // The plugins of replicon may have been added later. An app without its server sends nothing.
        register::<D, S>(app);
        let limited = app.world().get_resource::<Limited>();
        if limited.is_some_and(|limited| limited.views != TypeId::of::<View<D, S>>()) {
            log::error!("the app has views of another space already: this plugin does nothing");
        }
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// A replicated entity that is sent to no client but those whose [`View`] shows it.
///
/// Without it, an entity is sent to all clients, as ever. With it, and in no layer of a view, it is sent to none. Either way
/// all filters of replicon hold too.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(immutable)]
#[require(Replicated)]
pub struct InView;

/// A component of a client's entity: some zones, and what the client is shown of the entities inside.
///
/// It shows an entity that is in one of the zones at least: say, units within 50 metres and towers within 200. An entity
/// that leaves them, or the index, is hidden; one that is despawned is gone for the client too. With a
/// [budget](Self::within_budget) it shows the most important of them.
///
/// The view may be inserted before the client is authorized. A view in place of another one, or none, hides what the old
/// one has shown; what both show is not sent again.
///
/// See [`ViewPlugin`] for an example.
#[derive(Component)]
pub struct View<const D: usize = 2, S: Scalar = f32> {
    zones: Vec<Zone<D, S>>,
    /// For each entity, in how many answers it is: it may be in several layers, and layers in several zones.
    inside: EntityHashMap<u32>,
    shown: EntityHashSet,
    /// Who may have come or gone since the client was told.
    changed: Vec<Entity>,
    /// The client that is shown this.
    client: Option<Entity>,
    budget: Option<Budget>,
}

/// A view has no zone of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the view has {zones} zones, and none of number {number}")]
#[non_exhaustive]
pub struct NoSuchZone {
    /// The number that was asked for.
    pub number: usize,
    /// How many zones there are. They are numbered from 0.
    pub zones: usize,
}

impl<const D: usize, S: Scalar> View<D, S> {
    /// A view of some zones: see [`EntityIndex::zone`].
    #[must_use]
    pub fn new(zones: impl IntoIterator<Item = Zone<D, S>>) -> Self {
        let (inside, shown, changed) = Default::default();
        Self { zones: zones.into_iter().collect(), inside, shown, changed, client: None, budget: None }
    }

    /// Shows so many entities at most: those that are nearest to the center of their zone.
    #[must_use]
    pub fn within_budget(self, most: usize) -> Self {
        self.within_budget_by(most, |candidate| candidate.distance)
    }

    /// Shows so many entities at most: those of the lowest ranks. Of equal ranks the lower `Entity` comes first, and NaN comes last.
    ///
    /// The function may read all components of the entity and of the client. It is called for each entity inside, whenever
    /// the view looks and more are inside than may be shown; in several zones or layers, the lowest rank counts.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use quadrille_bevy::{View, Zone};
    /// #[derive(Component)]
    /// struct Boss;
    ///
    /// fn limited(zone: Zone) -> View {
    ///     View::new([zone]).within_budget_by(100, |candidate| {
    ///         // Who is shown may go a little farther than who is not: so nobody comes and goes in each tick.
    ///         let distance = if candidate.is_shown { 0.9 * candidate.distance } else { candidate.distance };
    ///         if candidate.entity.contains::<Boss>() { 0.1 * distance } else { distance }
    ///     })
    /// }
    /// ```
    #[must_use]
    pub fn within_budget_by(
        mut self,
        most: usize,
        rank: impl Fn(&Candidate<'_>) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.budget = Some(Budget { most, rank: Box::new(rank) });
        self
    }

    /// Gives a zone another region, such as one around the place of the avatar. The next look shows the difference.
    ///
    /// # Errors
    /// [`NoSuchZone`] if there is no zone of this number: they have the order in which they were given, from 0.
    pub fn set_region<R>(&mut self, number: usize, region: R) -> Result<(), NoSuchZone>
    where
        R: IntoRegion<S, D, Region: Send + Sync + 'static>,
    {
        let zones = self.zones.len();
        self.zones.get_mut(number).ok_or(NoSuchZone { number, zones })?.set_region(region);
        Ok(())
    }

    /// The entities that the client was shown at the last look. (Those without [`InView`] it sees anyway.)
    pub fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        self.shown.iter().copied()
    }

    /// Begins anew.
    fn forget(&mut self) {
        self.zones.iter_mut().for_each(Zone::forget);
        self.inside.clear();
        self.shown.clear();
        self.changed.clear();
        self.client = None;
    }

    /// Lets the zones look, and lists the entities that may have come or gone.
    fn look(&mut self, index: &EntityIndex<D, S>) {
        let Self { zones, inside, shown, changed, .. } = self;
        for zone in &mut *zones {
            let outcome = zone.look(index, |entity, is_inside| {
                let answers = inside.entry(entity).or_default();
                *answers = if is_inside { *answers + 1 } else { *answers - 1 };
                if *answers == 0 {
                    inside.remove(&entity);
                }
                changed.push(entity);
            });
            if outcome.is_err() {
                // The app has another index now, whose entities are found at the next look.
                zones.iter_mut().for_each(Zone::forget);
                inside.clear();
                return changed.extend(&*shown);
            }
        }
    }

    /// Whom to show to the client now, and whom no longer. As long as there is room, all inside are shown.
    fn news(
        &self,
        index: &EntityIndex<D, S>,
        client: EntityRef<'_>,
        entities: &Query<EntityRef>,
    ) -> Vec<(Entity, bool)> {
        let has_left = |entity: &Entity| !self.inside.contains_key(entity) && self.shown.contains(entity);
        let mut news: Vec<_> = self.changed.iter().copied().filter(has_left).map(|entity| (entity, false)).collect();
        let Some(budget) = self.budget.as_ref().filter(|budget| budget.most < self.inside.len()) else {
            let hidden = self.inside.keys().filter(|entity| !self.shown.contains(*entity));
            news.extend(hidden.map(|&entity| (entity, true)));
            return news;
        };
        let (mut ranked, mut found) = (Vec::with_capacity(self.inside.len()), 0);
        for zone in &self.zones {
            let center = Rect::from_point(zone.center());
            for (object, entity) in zone.objects(index) {
                found += 1;
                let is_shown = self.shown.contains(&entity);
                let Ok(entity) = entities.get(entity) else {
                    news.extend(is_shown.then_some((entity, false)));
                    continue;
                };
                let distance = center.distance_squared(&object.shape()).sqrt();
                ranked.push(budget.rank(&Candidate { client, entity, distance, is_shown }));
            }
        }
        news.extend(budget.news(ranked, found == self.inside.len()));
        news
    }
}

impl<const D: usize, S: Scalar> fmt::Debug for View<D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("zones", &self.zones).field("shown", &self.shown.len()).finish_non_exhaustive()
    }
}

/// The entities that not everybody sees. Observers keep the set; a query would pass over those that are disabled.
#[derive(Resource)]
struct Limited {
    entities: EntityHashSet,
    /// The bit of replicon's masks that hides an entity which no view shows.
    bit: FilterBit,
    /// The type of the views.
    views: TypeId,
}

impl Limited {
    /// Tells a client that an entity is visible, or that it no longer is, if that is news to it.
    fn tell(&self, entity: Entity, is_visible: bool, shown: &mut EntityHashSet, client: &mut ClientVisibility) {
        let is_news = if is_visible { shown.insert(entity) } else { shown.remove(&entity) };
        // One that is despawned, or free for all, is no longer there.
        if is_news && self.entities.contains(&entity) {
            client.set(entity, self.bit, is_visible);
        }
    }
}

/// Prepares an app for views, once there is a server.
fn register<const D: usize, S: Scalar>(app: &mut App) {
    let world = app.world_mut();
    if world.contains_resource::<Limited>() || !world.contains_resource::<FilterRegistry>() {
        return;
    }
    let bit = world.resource_scope(|world, mut filters: Mut<FilterRegistry>| {
        world.resource_scope(|world, mut components: Mut<ReplicationRegistry>| {
            filters.register_scope::<Entity>(world, &mut components, ScopeLifetime::WhileVisible)
        })
    });
    // There are no clients yet, but there may be entities.
    let mut in_view = world.query_filtered::<Entity, (With<InView>, Allow<Disabled>)>();
    let entities: EntityHashSet = in_view.iter(world).collect();
    world.insert_resource(Limited { entities, bit, views: TypeId::of::<View<D, S>>() });
    app.add_observer(limit::<D, S>)
        .add_observer(free)
        .add_observer(meet::<D, S>)
        .add_observer(begin::<D, S>)
        .add_observer(end::<D, S>)
        .configure_sets(
            PostUpdate,
            SpatialSystems::Views
                .after(SpatialSystems::Zones)
                .after(ServerSystems::IncrementTick)
                .before(ServerSystems::Send),
        )
        .add_systems(
            PostUpdate,
            look::<D, S>
                .in_set(SpatialSystems::Views)
                .run_if(resource_exists::<EntityIndex<D, S>>)
                .run_if(resource_changed::<ServerTick>),
        );
}

/// Clients and what they are shown, disabled ones too: replicon keeps books on these.
type Clients<'w, 's, const D: usize, S> =
    Query<'w, 's, (&'static mut ClientVisibility, Option<&'static View<D, S>>), Allow<Disabled>>;

fn is_shown<const D: usize, S: Scalar>(entity: Entity, view: Option<&View<D, S>>) -> bool {
    view.is_some_and(|view| view.shown.contains(&entity))
}

/// At once, since replicon may send before the next look.
fn limit<const D: usize, S: Scalar>(added: On<Add<InView>>, mut limited: ResMut<Limited>, mut clients: Clients<D, S>) {
    limited.entities.insert(added.entity);
    for (mut client, view) in &mut clients {
        client.set(added.entity, limited.bit, is_shown(added.entity, view));
    }
}

fn free(
    removed: On<Remove<InView>>,
    mut limited: ResMut<Limited>,
    mut clients: Query<&mut ClientVisibility, Allow<Disabled>>,
) {
    limited.entities.remove(&removed.entity);
    for mut client in &mut clients {
        client.set(removed.entity, limited.bit, true);
    }
}

fn meet<const D: usize, S: Scalar>(
    client: On<Insert<ClientVisibility>>,
    limited: Res<Limited>,
    mut clients: Clients<D, S>,
) {
    if let Ok((mut client, view)) = clients.get_mut(client.entity) {
        for &entity in &limited.entities {
            client.set(entity, limited.bit, is_shown(entity, view));
        }
    }
}

/// The view may have been used before, for another client.
fn begin<const D: usize, S: Scalar>(
    inserted: On<Insert<View<D, S>>>,
    mut views: Query<&mut View<D, S>, Allow<Disabled>>,
) {
    if let Ok(mut view) = views.get_mut(inserted.entity) {
        view.forget();
    }
}

fn end<const D: usize, S: Scalar>(
    discarded: On<Discard<View<D, S>>>,
    limited: Res<Limited>,
    mut clients: Query<(&mut View<D, S>, &mut ClientVisibility), Allow<Disabled>>,
) {
    if let Ok((mut view, mut client)) = clients.get_mut(discarded.entity) {
        for entity in mem::take(&mut view.shown) {
            if limited.entities.contains(&entity) {
                client.set(entity, limited.bit, false);
            }
        }
    }
}

type Looking<'w, 's, const D: usize, S> =
    Query<'w, 's, (Entity, &'static mut View<D, S>, &'static mut ClientVisibility)>;

/// Lets all views look.
fn look<const D: usize, S: Scalar>(
    index: Res<EntityIndex<D, S>>,
    limited: Res<Limited>,
    mut world: ParamSet<(Looking<D, S>, Query<EntityRef>)>,
) {
    let mut limited_by_budget = Vec::new();
    for (entity, mut view, mut client) in &mut world.p0() {
        let view = view.bypass_change_detection();
        if view.client != Some(entity) {
            // It may have been assigned or swapped in place, which no observer sees.
            view.forget();
            view.client = Some(entity);
            for &entity in &limited.entities {
                client.set(entity, limited.bit, false);
            }
        }
        view.look(&index);
        if view.budget.is_some() {
            limited_by_budget.push(entity);
            continue;
        }
        for entity in view.changed.drain(..) {
            limited.tell(entity, view.inside.contains_key(&entity), &mut view.shown, &mut client);
        }
    }

    // Functions of the user rank entities by any component, so nothing may be changed meanwhile.
    let entities = world.p1();
    let news = |entity| {
        let client = entities.get(entity).expect("it has just looked");
        let view = client.get::<View<D, S>>().expect("it has just looked");
        (entity, view.news(&index, client, &entities))
    };
    let news: Vec<_> = limited_by_budget.into_iter().map(news).collect();
    let mut clients = world.p0();
    for (entity, news) in news {
        let (_, mut view, mut client) = clients.get_mut(entity).expect("it has just looked");
        let view = view.bypass_change_detection();
        view.changed.clear();
        for (entity, is_visible) in news {
            limited.tell(entity, is_visible, &mut view.shown, &mut client);
        }
    }
}
