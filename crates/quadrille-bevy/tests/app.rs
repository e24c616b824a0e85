//! An app in which things come, move, change and go, beside a list.

use bevy_app::{App, PostUpdate, Update};
use bevy_ecs::prelude::*;
use quadrille_bevy::{EntityIndex, Rect, Spatial, SpatialPlugin, SpatialQuery, SpatialUpdate, Tracked};

#[derive(Component, Clone, Copy)]
struct Position([f32; 2]);

impl Spatial for Position {
    fn shape(&self) -> Rect {
        Rect::from_point(self.0)
    }
}

#[derive(Component)]
struct Wall(Rect);

impl Spatial for Wall {
    fn shape(&self) -> Rect {
        self.0
    }
}

fn app() -> App {
    let mut app = App::new();
    let world = Rect::new([0.0, 0.0], [100.0, 100.0]);
    app.add_plugins(SpatialPlugin::new(world).with_points::<Position>().with_rects::<Wall>());
    app
}

fn index(app: &App) -> &EntityIndex {
    app.world().resource::<EntityIndex>()
}

/// The index holds all that the entities say.
fn assert_in_step(app: &mut App) {
    let mut query = app.world_mut().query::<(Entity, &Position, &Tracked<Position>)>();
    let mut expected: Vec<_> =
        query.iter(app.world()).map(|(entity, position, tracked)| (entity, position.0, tracked.handle())).collect();
    let index = index(app);
    let stored = index.iter().in_layers(index.layer::<Position>());
    let mut stored: Vec<_> = stored.map(|object| (*object.value(), object.shape().min(), object.handle())).collect();
    expected.sort_by_key(|known| known.0);
    stored.sort_by_key(|known| known.0);
    assert_eq!(stored, expected);
    assert!(index.check_integrity().is_ok());
}

#[test]
fn in_step_with_random_changes() {
    let mut app = app();
    let mut living: Vec<Entity> = Vec::new();
    let mut dice = 7_u64;
    let mut below = |limit: usize| {
        dice = dice.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        usize::try_from(dice >> 33).expect("31 bits") % limit
    };
    for round in 0..60_u16 {
        for _ in 0..below(30) {
            let [x, y] = [below(1000), below(1000)].map(|tenths| u16::try_from(tenths).expect("small"));
            let at = Position([x, y].map(|tenths| f32::from(tenths) * 0.1));
            let world = app.world_mut();
            match below(6) {
                0 | 1 => living.push(world.spawn(at).id()),
                2 if !living.is_empty() => {
                    world.despawn(living.swap_remove(below(living.len())));
                }
                3 if !living.is_empty() => {
                    let entity = living[below(living.len())];
                    world.entity_mut(entity).remove::<Position>();
                }
                4 if !living.is_empty() => {
                    world.entity_mut(living[below(living.len())]).insert(at);
                }
                _ if !living.is_empty() => {
                    let entity = living[below(living.len())];
                    if let Some(mut position) = world.get_mut::<Position>(entity) {
                        *position = at;
                    }
                }
                _ => {}
            }
        }
        let gone = index(&app).iter().filter(|object| !living.contains(object.value())).count();
        assert_eq!(gone, 0, "what is despawned leaves at once");
        app.update();
        assert_in_step(&mut app);
        if round == 30 {
            let mut index = app.world_mut().resource_mut::<EntityIndex>();
            index.set_world(Rect::new([0.0, 0.0], [50.0, 50.0])).expect("a world");
            index.optimize();
        }
    }
    assert!(20 < living.len());
}

#[derive(Resource, Default)]
struct Touched(Vec<(Entity, Entity)>);

/// Bodies in walls, right after the index is up to date.
fn touch(space: SpatialQuery, mut touched: ResMut<Touched>) {
    let pairs = space.pairs().between(space.layer::<Position>(), space.layer::<Wall>());
    touched.0 = pairs.map(|(body, wall)| (*body.value(), *wall.value())).collect();
}

#[test]
fn systems_ask() {
    let mut app = app();
    app.init_resource::<Touched>().add_systems(PostUpdate, touch.after(SpatialUpdate));
    app.add_systems(Update, |mut positions: Query<&mut Position>| {
        for mut position in &mut positions {
            position.0[0] += 1.0;
        }
    });
    let wall = app.world_mut().spawn(Wall(Rect::new([10.0, 0.0], [11.0, 100.0]))).id();
    let body = app.world_mut().spawn(Position([7.0, 50.0])).id();
    let mut hits = Vec::new();
    for _ in 0..6 {
        app.update();
        hits.push(app.world().resource::<Touched>().0.clone());
    }
    let hit = vec![(body, wall)];
    assert_eq!(hits, [vec![], vec![], hit.clone(), hit, vec![], vec![]]);
}

#[test]
fn what_is_not_finite_stays_where_it_was() {
    let mut app = app();
    let body = app.world_mut().spawn(Position([7.0, 50.0])).id();
    app.update();
    let handle = app.world().get::<Tracked<Position>>(body).expect("tracked").handle();
    for (x, is_refused) in [(f32::NAN, true), (f32::INFINITY, true), (9.0, false)] {
        app.world_mut().get_mut::<Position>(body).expect("alive").0[0] = x;
        app.update();
        let tracked = app.world().get::<Tracked<Position>>(body).expect("tracked");
        assert_eq!((tracked.handle(), tracked.is_refused()), (handle, is_refused));
        let x = if is_refused { 7.0 } else { x };
        assert_eq!(index(&app).shape(handle), Some(Rect::from_point([x, 50.0])));
    }
}

/// An entity may be in two layers, and forget one of them; a copy of an entity is another one.
#[test]
fn components_are_apart() {
    let mut app = app();
    let both = app.world_mut().spawn((Position([5.0, 5.0]), Wall(Rect::new([0.0, 0.0], [9.0, 9.0])))).id();
    app.update();
    assert_eq!(index(&app).len(), 2);
    let copy = app.world_mut().entity_mut(both).clone_and_spawn();
    app.update();
    let near: Vec<_> = index(&app).intersecting([5.0, 5.0]).map(|object| *object.value()).collect();
    assert_eq!(near.iter().filter(|&&entity| entity == both).count(), 2);
    assert_eq!(near.iter().filter(|&&entity| entity == copy).count(), 1, "what can be cloned has been");
    app.world_mut().entity_mut(both).remove::<Tracked<Wall>>();
    assert_eq!(index(&app).len_in(index(&app).layer::<Wall>()), 0);
    app.update();
    assert_in_step(&mut app);
}

#[test]
#[should_panic(expected = "is tracked twice")]
fn a_component_has_one_layer() {
    let world = Rect::new([0.0, 0.0], [1.0, 1.0]);
    App::new().add_plugins(SpatialPlugin::new(world).with_rects::<Wall>().with_points::<Wall>());
}
