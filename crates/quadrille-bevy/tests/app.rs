//! Apps as users write them: several plugins, schedules, transforms, zones, and what is refused.

use bevy_app::{App, FixedUpdate, Last, Plugin, PostUpdate, Startup, Update};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use quadrille::{IntoRegion, Polygon, Region};
use quadrille_bevy::{
    Ball, EntityIndex, LayerError, LayerId, LayerSet, NotTracked, Rect, SpatialAppExt, SpatialPlugin, SpatialQuery,
    SpatialSystems, TrackError, Tracking, Zone, ZoneEntered, ZoneLeft, update_now,
};

#[derive(Component, Clone, Copy)]
struct Position([f32; 2]);

#[derive(Component, Clone)]
struct Wall(Rect);

#[derive(Component)]
struct Enemy;

fn positions() -> Tracking<&'static Position> {
    Tracking::<&Position>::points(|position| position.0)
}

fn walls() -> Tracking<&'static Wall> {
    Tracking::<&Wall>::rects(|wall| wall.0)
}

fn app() -> App {
    let mut app = App::new();
    app.add_plugins(SpatialPlugin::new(Rect::new([0.0, 0.0], [100.0, 100.0]))).track(positions()).track(walls());
    app
}

fn index(app: &App) -> &EntityIndex {
    app.world().resource()
}

#[derive(Resource, Default)]
struct Touched(Vec<(Entity, Entity)>);

/// Bodies in walls.
fn touch(space: SpatialQuery, mut touched: ResMut<Touched>) -> Result {
    let pairs = space.pairs().between(space.layer::<Position>()?, space.layer::<Wall>()?);
    touched.0 = pairs.map(|(body, wall)| (*body.value(), *wall.value())).collect();
    Ok(())
}

#[test]
fn systems_ask_after_the_update() {
    let mut app = app();
    app.init_resource::<Touched>().add_systems(PostUpdate, touch.after(SpatialSystems::Update));
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

/// Each step of a simulation sees what the step before it has done.
#[test]
fn fixed_steps_see_each_other() {
    #[derive(Resource, Default)]
    struct Seen(Vec<[f32; 2]>);

    fn step(space: SpatialQuery, mut positions: Query<&mut Position>, mut seen: ResMut<Seen>) {
        seen.0.extend(space.iter().map(|object| object.shape().min()));
        for mut position in &mut positions {
            position.0[0] += 1.0;
        }
    }

    let mut app = App::new();
    app.track(positions().in_schedule(FixedUpdate))
        .init_resource::<Seen>()
        .add_systems(FixedUpdate, step.before(SpatialSystems::Update));
    app.world_mut().spawn(Position([0.0, 0.0]));
    for _ in 0..3 {
        app.world_mut().run_schedule(FixedUpdate);
    }
    assert_eq!(app.world().resource::<Seen>().0, [[1.0, 0.0], [2.0, 0.0]]);
}

#[test]
fn what_is_not_finite_stays_where_it_was() {
    let mut app = app();
    let [body, never] = [7.0, f32::NAN].map(|x| app.world_mut().spawn(Position([x, 50.0])).id());
    app.update();
    let layer = index(&app).layer::<Position>().expect("tracked");
    assert_eq!(index(&app).object_of(layer, never).map(|object| object.is_some()), Ok(false));
    let handle = index(&app).object_of(layer, body).expect("tracked").expect("it is there").handle();
    for (x, is_refused) in [(f32::NAN, true), (f32::INFINITY, true), (9.0, false)] {
        app.world_mut().get_mut::<Position>(body).expect("alive").0[0] = x;
        app.update();
        assert_eq!(refused(&app, layer).contains(&body), is_refused);
        let x = if is_refused { 7.0 } else { x };
        assert_eq!(index(&app).shape(handle), Some(Rect::from_point([x, 50.0])));
    }
    assert_eq!(refused(&app, layer), [never]);
    app.world_mut().despawn(never);
    assert_eq!(refused(&app, layer), []);
}

/// New entities go in together, but for those that are refused.
#[test]
fn what_is_not_finite_keeps_no_other_out() {
    let mut app = app();
    let places = [[1.0, 1.0], [f32::NAN, 1.0], [2.0, 1.0], [3.0, f32::INFINITY], [4.0, 1.0]];
    let bodies = places.map(|place| app.world_mut().spawn((Position(place), Wall(Rect::from_point(place)))).id());
    app.update();
    for layer in [index(&app).layer::<Position>(), index(&app).layer::<Wall>()].map(Result::unwrap) {
        let is_there = bodies.map(|body| index(&app).object_of(layer, body).expect("tracked").is_some());
        assert_eq!(is_there, [true, false, true, false, true]);
        let refused = refused(&app, layer);
        assert_eq!(bodies.map(|body| !refused.contains(&body)), is_there);
    }
}

fn refused(app: &App, layer: LayerId) -> Vec<Entity> {
    index(app).refused(layer).expect("tracked").collect()
}

#[test]
fn a_layer_of_another_index_is_an_error() {
    let [mut one, other] = [app(), app()];
    let body = one.world_mut().spawn(Position([1.0, 1.0])).id();
    one.update();
    let stranger = index(&other).layer::<Position>().expect("tracked");
    let error = LayerError::Foreign { number: stranger.number() };
    assert_eq!(index(&one).object_of(stranger, body).map(|_| ()), Err(error));
    assert_eq!(index(&one).refused(stranger).map(|_| ()), Err(error));
}

/// An entity may be in two layers, and leave one of them; a copy of an entity is another one.
#[test]
fn components_are_apart() {
    let mut app = app();
    let both = app.world_mut().spawn((Position([5.0, 5.0]), Wall(Rect::new([0.0, 0.0], [9.0, 9.0])))).id();
    app.update();
    let copy = app.world_mut().entity_mut(both).clone_and_spawn();
    app.update();
    let near: Vec<_> = index(&app).intersecting([5.0, 5.0]).map(|object| *object.value()).collect();
    assert_eq!([both, copy].map(|one| near.iter().filter(|&&entity| entity == one).count()), [2, 2]);
    app.world_mut().entity_mut(both).remove::<Wall>();
    let [positions, walls] = [index(&app).layer::<Position>(), index(&app).layer::<Wall>()].map(Result::unwrap);
    assert_eq!((index(&app).len_in(positions), index(&app).len_in(walls)), (2, 1));
}

/// An index at rest does not count as changed, so what depends on it can rest too.
#[test]
fn at_rest_nothing_is_touched() {
    #[derive(Resource, Default)]
    struct Touches(usize);

    let mut app = app();
    app.init_resource::<Touches>().add_systems(Last, |index: Res<EntityIndex>, mut touches: ResMut<Touches>| {
        touches.0 += usize::from(index.is_changed());
    });
    let body = app.world_mut().spawn(Position([1.0, 1.0])).id();
    for _ in 0..3 {
        app.update();
    }
    assert_eq!(app.world().resource::<Touches>().0, 1);
    app.world_mut().get_mut::<Position>(body).expect("alive").0[0] = 2.0;
    app.update();
    app.update();
    assert_eq!(app.world().resource::<Touches>().0, 2);
}

#[test]
fn what_is_not_tracked_is_an_error() {
    let app = app();
    let error = index(&app).layer::<Enemy>().expect_err("not tracked");
    assert_eq!(error, NotTracked::clone(&error));
    assert_eq!(error.to_string(), "`app::Enemy` names no layer of this index: give it to `App::track`");
}

#[test]
fn plugins_share_an_index() {
    struct Units;
    impl Plugin for Units {
        fn build(&self, app: &mut App) {
            app.add_plugins(SpatialPlugin::new(Rect::new([0.0, 0.0], [10.0, 10.0]))).track(positions());
        }
    }
    struct Buildings;
    impl Plugin for Buildings {
        fn build(&self, app: &mut App) {
            app.track(walls()).track(positions()).add_plugins(SpatialPlugin::new(Rect::new([5.0, 5.0], [20.0, 7.0])));
        }
    }
    for is_units_first in [false, true] {
        let mut app = App::new();
        if is_units_first {
            app.add_plugins((Units, Buildings));
        } else {
            app.add_plugins((Buildings, Units));
        }
        app.world_mut().spawn((Position([1.0, 1.0]), Wall(Rect::new([1.0, 1.0], [2.0, 2.0]))));
        app.update();
        assert_eq!(index(&app).world(), Rect::new([0.0, 0.0], [20.0, 10.0]));
        assert_eq!((index(&app).layers().count(), index(&app).len()), (2, 2), "the positions are shared");
    }
}

#[test]
fn a_name_has_one_layer() {
    let mut app = app();
    let layer = app.try_track(positions()).expect("the same");
    assert_eq!(index(&app).layer::<Position>(), Ok(layer));
    let others = [
        app.try_track(positions().in_schedule(FixedUpdate)),
        app.try_track(positions().with::<Enemy>().named::<Position>()),
        app.try_track(Tracking::<&Position>::points(|position| [position.0[1], position.0[0]])),
        app.try_track(Tracking::<&Position>::rects(|position| Rect::from_point(position.0))),
        app.try_track(walls().named::<Position>()),
    ];
    for other in others {
        assert_eq!(other, Err(TrackError::NameTaken { name: "app::Position" }));
    }
    assert_eq!(index(&app).layers().count(), 2);
    app.track(walls().named::<Position>()); // logged
    app.world_mut().spawn(Position([1.0, 1.0]));
    app.update();
    assert_eq!(index(&app).len(), 1);
}

#[test]
fn a_world_that_is_none_is_passed_over() {
    let mut app = App::new();
    app.add_plugins(SpatialPlugin::new(Rect::new([f32::NAN, 0.0], [1.0, 1.0])));
    assert_eq!(index(&app).world(), Rect::new([-32768.0; 2], [32768.0; 2]));
    app.add_plugins(SpatialPlugin::new(Rect::new([0.0, 0.0], [1.0, 1.0])));
    assert_eq!(index(&app).world(), Rect::new([0.0, 0.0], [1.0, 1.0]));
}

/// A game may track after it has spawned.
#[test]
fn tracking_finds_what_is_there() {
    let mut app = App::new();
    app.world_mut().spawn(Position([1.0, 1.0]));
    app.world_mut().spawn((Position([2.0, 1.0]), Enemy));
    app.update();
    app.track(positions()).track(positions().with::<Enemy>());
    app.update();
    let [all, enemies] = [index(&app).layer::<Position>(), index(&app).layer::<Enemy>()].map(Result::unwrap);
    assert_eq!((index(&app).len_in(all), index(&app).len_in(enemies)), (2, 1));
}

#[test]
fn the_index_is_brought_up_to_date_at_once() {
    let mut app = app();
    app.add_systems(Update, |mut commands: Commands| {
        commands.spawn(Position([1.0, 1.0]));
        commands.queue(update_now::<2, f32>);
        commands.queue(|world: &mut World| assert_eq!(world.resource::<EntityIndex>().len(), 1));
    });
    app.update();
    app.add_systems(Startup, update_now::<2, f32>);
    assert!(update_now::<3, f64>(app.world_mut()).is_ok(), "nothing is tracked there");
}

/// All components by which bevy's queries pass over an entity, and no others.
#[test]
fn disabled_entities_are_not_there() {
    #[derive(Component)]
    struct Prefab;

    let mut app = App::new();
    app.register_disabling_component::<Prefab>();
    app.track(positions()).track(positions().with::<Prefab>());
    let body = app.world_mut().spawn((Position([1.0, 1.0]), Prefab)).id();
    app.update();
    let [all, prefabs] = [index(&app).layer::<Position>(), index(&app).layer::<Prefab>()].map(Result::unwrap);
    let lens = |app: &App| [all, prefabs].map(|layer| index(app).len_in(layer));
    assert_eq!(lens(&app), [0, 1], "who asks for prefabs gets them");
    app.world_mut().entity_mut(body).remove::<Prefab>();
    app.update();
    assert_eq!(lens(&app), [1, 0]);
    app.world_mut().entity_mut(body).insert(Disabled);
    assert_eq!(lens(&app), [0, 0]);
    app.world_mut().get_mut::<Position>(body).expect("alive").0 = [7.0, 7.0];
    app.update();
    app.world_mut().entity_mut(body).remove::<Disabled>();
    app.update();
    assert_eq!(lens(&app), [1, 0]);
    assert!(index(&app).intersecting([7.0, 7.0]).exists(), "where it is now");
}

#[derive(Resource, Default)]
struct Told(Vec<(bool, Entity)>);

/// Events come to the zone's own observers, those of others not.
#[test]
fn zones_tell_their_own_observers() {
    let mut app = app();
    app.init_resource::<Told>();
    let region = Ball::new([50.0, 50.0], 5.0);
    let zones = [(); 2].map(|()| index(&app).zone(LayerSet::ALL, region));
    let [zone, _] = zones.map(|zone| app.world_mut().spawn(zone).id());
    app.world_mut()
        .entity_mut(zone)
        .observe(|event: On<ZoneEntered>, mut told: ResMut<Told>| told.0.push((true, event.entered)))
        .observe(|event: On<ZoneLeft>, mut told: ResMut<Told>| told.0.push((false, event.left)));
    let body = app.world_mut().spawn(Position([52.0, 50.0])).id();
    let told_after = |app: &mut App, change: fn(&mut World, [Entity; 2])| {
        change(app.world_mut(), [zone, body]);
        app.update();
        std::mem::take(&mut app.world_mut().resource_mut::<Told>().0)
    };
    assert_eq!(told_after(&mut app, |_, _| ()), [(true, body)]);
    assert_eq!(told_after(&mut app, |_, _| ()), []);
    let set_region = |world: &mut World, [zone, _]: [Entity; 2]| {
        world.get_mut::<Zone>(zone).expect("a zone").set_region([0.0, 0.0]);
    };
    assert_eq!(told_after(&mut app, set_region), [(false, body)], "the zone has moved");
    let follow = |world: &mut World, [_, body]: [Entity; 2]| {
        world.get_mut::<Position>(body).expect("alive").0 = [0.0, 0.0];
    };
    assert_eq!(told_after(&mut app, follow), [(true, body)]);
    let disable = |world: &mut World, [_, body]: [Entity; 2]| {
        world.entity_mut(body).insert(Disabled);
    };
    assert_eq!(told_after(&mut app, disable), [(false, body)]);
    let enable = |world: &mut World, [_, body]: [Entity; 2]| {
        world.entity_mut(body).remove::<Disabled>();
    };
    assert_eq!(told_after(&mut app, enable), [(true, body)]);
    let despawn = |world: &mut World, [_, body]: [Entity; 2]| assert!(world.despawn(body));
    assert_eq!(told_after(&mut app, despawn), [(false, body)]);
    assert_eq!(told_after(&mut app, |world, [zone, _]| assert!(world.despawn(zone))), []);
}

/// A zone is told of few moves, and asks its whole question if there are many. Its answer is that of a query.
#[test]
fn zones_answer_as_queries_do() {
    /// All points beyond a line.
    #[derive(Clone)]
    struct Beyond(f32);
    impl Region<f32, 2> for Beyond {
        fn bounds(&self) -> Rect {
            Rect::new([self.0, 20.0], [80.0, 80.0])
        }
        fn intersects(&self, rect: &Rect) -> bool {
            assert!(self.bounds().contains(rect), "it is asked about its bounds only");
            true
        }
        fn contains(&self, rect: &Rect) -> bool {
            self.intersects(rect)
        }
    }
    impl IntoRegion<f32, 2> for Beyond {
        type Region = Self;
        fn into_region(self) -> Self {
            self
        }
    }

    fn same(app: &mut App, layers: LayerSet, region: impl IntoRegion<f32, 2, Region: Send + Sync> + Clone + 'static) {
        let zone = index(app).zone(layers, region.clone());
        let zone = app.world_mut().spawn(zone).id();
        for round in 0_u16..60 {
            let moves = if round % 9 == 0 { 300 } else { round % 12 };
            let mut bodies = app.world_mut().query::<(&mut Position, &mut Wall)>();
            let some = bodies.iter_mut(app.world_mut()).skip(usize::from(round)).step_by(3).take(moves.into());
            for (number, (mut position, mut wall)) in (0_u16..).zip(some) {
                position.0 = [number * 37 + round * 11, number * 53 + round * 29].map(|at| f32::from(at % 100));
                wall.0 = Rect::from_center_half(position.0, [2.0, f32::from(round % 5)]);
            }
            app.update();
            let mut inside: Vec<_> = app.world().get::<Zone>(zone).expect("a zone").entities().collect();
            let found = index(app).intersecting(region.clone()).in_layers(layers).map(|object| *object.value());
            let mut found: Vec<_> = found.collect();
            inside.sort_unstable();
            found.sort_unstable();
            assert_eq!(inside, found, "round {round}");
            assert!(!found.is_empty());
        }
        app.world_mut().despawn(zone);
    }

    let mut app = app();
    for number in 0..400_u16 {
        let at = [number * 7 % 100, number * 13 % 100].map(f32::from);
        app.world_mut().spawn((Position(at), Wall(Rect::from_point(at))));
    }
    app.update();
    let [bodies, walls] = [index(&app).layer::<Position>(), index(&app).layer::<Wall>()].map(Result::unwrap);
    same(&mut app, bodies.into(), Ball::new([50.0, 50.0], 40.0));
    same(&mut app, LayerSet::ALL, Ball::new([50.0, 50.0], 5.0));
    same(&mut app, walls.into(), Rect::new([20.0, 20.0], [70.0, 70.0]));
    same(&mut app, walls.into(), Polygon::new([[10.0, 10.0], [90.0, 20.0], [40.0, 90.0]]));
    same(&mut app, LayerSet::ALL, Beyond(60.0));
}

/// A zone that nobody looks at for a while, since it is disabled, misses nothing.
#[test]
fn a_disabled_zone_catches_up() {
    let mut app = app();
    let zone = index(&app).zone(LayerSet::ALL, Ball::new([50.0, 50.0], 5.0));
    let zone = app.world_mut().spawn(zone).id();
    let bodies = [(); 1000].map(|()| app.world_mut().spawn(Position([50.0, 50.0])).id());
    app.update();
    app.world_mut().entity_mut(zone).insert(Disabled);
    for place in 0_u8..4 {
        for body in bodies {
            app.world_mut().get_mut::<Position>(body).expect("alive").0 = [f32::from(place); 2];
        }
        app.update();
    }
    app.world_mut().get_mut::<Zone>(zone).expect("a zone").set_region(Ball::new([50.0, 50.0], 6.0));
    app.world_mut().despawn(bodies[0]);
    app.world_mut().spawn(Position([50.0, 50.0]));
    app.update();
    app.world_mut().entity_mut(zone).remove::<Disabled>();
    app.update();
    assert_eq!(app.world().get::<Zone>(zone).expect("a zone").entities().count(), 1);
}

/// A zone that is taken to another app begins anew there.
#[test]
fn a_zone_changes_worlds() {
    let [mut one, mut other] = [app(), app()];
    let zone = index(&one).zone(LayerSet::ALL, Ball::new([50.0, 50.0], 5.0));
    let zone = one.world_mut().spawn(zone).id();
    let strangers = [&mut one, &mut other].map(|app| app.world_mut().spawn(Position([50.0, 50.0])).id());
    one.update();
    let zone = one.world_mut().entity_mut(zone).take::<Zone>().expect("a zone");
    assert_eq!(zone.entities().collect::<Vec<_>>(), [strangers[0]]);
    let zone = other.world_mut().spawn(zone).id();
    other.update();
    other.world_mut().spawn(Position([1.0, 1.0]));
    other.update();
    let zone = other.world().get::<Zone>(zone).expect("a zone");
    assert_eq!(zone.entities().collect::<Vec<_>>(), [strangers[1]]);
}

/// An app may have an index of each sort; `f64` keeps what `f32` would round.
#[test]
fn indexes_of_several_sorts() {
    #[derive(Component)]
    struct Far([f64; 3]);

    let mut app = app();
    app.track(Tracking::<&Far, 3, f64>::points(|far| far.0));
    let at = [1e9 + 0.25, -1e9, 7.5];
    let ship = app.world_mut().spawn((Far(at), Position([1.0, 1.0]))).id();
    app.update();
    let space = app.world().resource::<EntityIndex<3, f64>>();
    assert_eq!(
        space.nearest([0.0; 3]).next().map(|near| (*near.object.value(), near.object.shape().min())),
        Some((ship, at))
    );
    assert_eq!(index(&app).len(), 1);
}

#[cfg(feature = "transform")]
mod transforms {
    use bevy_transform::TransformPlugin;
    use bevy_transform::components::{GlobalTransform, Transform};
    use quadrille::ObjectRef;

    use super::*;

    /// A child moves with its parent, and is found there in the same frame.
    #[test]
    fn transforms_work_out_of_the_box() {
        let mut app = App::new();
        app.track(Tracking::<&GlobalTransform>::points(|at| at.translation().truncate()))
            .track(Tracking::<&GlobalTransform, 3>::points(GlobalTransform::translation))
            .track(Tracking::<&Transform, 3>::points(|at| at.translation))
            .add_plugins(TransformPlugin);
        let world = app.world_mut();
        let parent = world.spawn(Transform::from_xyz(10.0, 0.0, 0.0)).id();
        let child = world.spawn((Transform::from_xyz(0.0, 5.0, 1.0), ChildOf(parent))).id();
        for x in [10.0, 20.0] {
            app.world_mut().get_mut::<Transform>(parent).expect("alive").translation.x = x;
            app.update();
            let flat = app.world().resource::<EntityIndex>();
            let layer = flat.layer::<GlobalTransform>().expect("tracked");
            let at = |object: Option<ObjectRef<Entity>>| object.map(|object| object.shape().min());
            assert_eq!(flat.object_of(layer, child).map(at), Ok(Some([x, 5.0])));
            let space = app.world().resource::<EntityIndex<3>>();
            let [global, local] = [space.layer::<GlobalTransform>(), space.layer::<Transform>()]
                .map(|layer| space.object_of(layer.expect("tracked"), child).expect("of this index"))
                .map(|object| object.map(|object| object.shape().min()));
            assert_eq!((global, local), (Some([x, 5.0, 1.0]), Some([0.0, 5.0, 1.0])));
        }
    }
}
