//! Views in apps as users write them: late plugins, late clients, avatars, budgets, quiet ticks.

use std::collections::BTreeSet;

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy_replicon::prelude::*;
use bevy_replicon::server::server_tick::ServerTick;
use bevy_replicon::server::visibility::client_visibility::ClientVisibility;
use quadrille_bevy::{Ball, EntityIndex, InView, LayerSet, SpatialAppExt, Tracking, View, ViewPlugin, Zone};

#[derive(Component, Clone, Copy)]
struct Position([f32; 2]);

/// A server in which each update is a tick.
fn server() -> App {
    let mut app = App::new();
    start(app.add_plugins(ViewPlugin::<2>::new()).track(Tracking::<&Position>::points(|position| position.0)));
    app
}

fn start(app: &mut App) {
    add_replicon(app);
    run(app);
}

fn add_replicon(app: &mut App) {
    app.add_plugins((MinimalPlugins, StatesPlugin, RepliconPlugins.set(ServerPlugin::new(PostUpdate))));
}

fn run(app: &mut App) {
    app.finish();
    app.world_mut().resource_mut::<NextState<ServerState>>().set(ServerState::Running);
    app.update();
}

fn zone(app: &App, radius: f32) -> Zone {
    app.world().resource::<EntityIndex>().zone(LayerSet::ALL, Ball::new([0.0, 0.0], radius))
}

fn spawn_at(app: &mut App, x: f32) -> Entity {
    app.world_mut().spawn((Position([x, 0.0]), InView)).id()
}

fn client(app: &mut App, view: View) -> Entity {
    app.world_mut().spawn((AuthorizedClient, view)).id()
}

fn sees(app: &App, client: Entity, entity: Entity) -> bool {
    app.world().get::<ClientVisibility>(client).expect("a client").get(entity).is_empty()
}

fn shown(app: &App, client: Entity) -> BTreeSet<Entity> {
    app.world().get::<View>(client).expect("a view").entities().collect()
}

/// Replicon may send before a view has looked.
#[test]
fn whoever_is_new_is_hidden_at_once() {
    let mut app = server();
    let view = View::new([zone(&app, 5.0)]);
    let (with_view, blind) = (client(&mut app, view), app.world_mut().spawn(AuthorizedClient).id());
    let near = spawn_at(&mut app, 1.0);
    assert!(!sees(&app, with_view, near) && !sees(&app, blind, near));
    app.update();
    assert!(sees(&app, with_view, near) && !sees(&app, blind, near));
    let late = app.world_mut().spawn(AuthorizedClient).id();
    assert!(!sees(&app, late, near));
    app.world_mut().entity_mut(near).remove::<InView>();
    assert!(sees(&app, with_view, near) && sees(&app, blind, near) && sees(&app, late, near));
    app.world_mut().entity_mut(near).insert(InView);
    assert!(sees(&app, with_view, near), "it is shown still");
    assert!(!sees(&app, blind, near));
    app.world_mut().entity_mut(with_view).remove::<View>();
    assert!(!sees(&app, with_view, near));
}

#[test]
fn a_view_may_come_before_its_client() {
    let mut app = server();
    let near = spawn_at(&mut app, 1.0);
    let view = View::new([zone(&app, 5.0)]);
    let client = app.world_mut().spawn(view).id();
    app.update();
    app.world_mut().entity_mut(client).insert(AuthorizedClient);
    assert!(!sees(&app, client, near));
    app.update();
    assert!(sees(&app, client, near));
    // Begun anew by replicon's component.
    app.world_mut().entity_mut(client).insert(ClientVisibility::default());
    assert!(sees(&app, client, near));
    // Then it serves another client.
    let view = app.world_mut().entity_mut(client).remove::<ClientVisibility>().take::<View>().expect("a view");
    let client = self::client(&mut app, view);
    app.update();
    assert!(sees(&app, client, near));
}

/// No observer sees it.
#[test]
fn a_view_that_is_assigned_in_place_begins_anew() {
    let mut app = server();
    let [near, far] = [1.0, 8.0].map(|x| spawn_at(&mut app, x));
    let [narrow, wide, third] = [5.0, 20.0, 5.0].map(|radius| View::new([zone(&app, radius)]));
    let [one, other] = [wide, narrow].map(|view| client(&mut app, view));
    let seen = |app: &App| [one, other].map(|client| [near, far].map(|entity| sees(app, client, entity)));
    app.update();
    assert_eq!(seen(&app), [[true, true], [true, false]]);
    let mut views = app.world_mut().query::<&mut View>();
    let [mut a, mut b] = views.get_many_mut(app.world_mut(), [one, other]).expect("two views");
    std::mem::swap(&mut *a, &mut *b);
    app.update();
    assert_eq!(seen(&app), [[true, false], [true, true]]);
    *app.world_mut().get_mut::<View>(other).expect("a view") = third;
    app.update();
    assert_eq!(seen(&app), [[true, false], [true, false]]);
}

#[test]
fn entities_may_come_before_the_app_runs() {
    let mut app = App::new();
    app.add_plugins(ViewPlugin::<2>::new()).track(Tracking::<&Position>::points(|position| position.0));
    add_replicon(&mut app);
    let [near, far] = [1.0, 60.0].map(|x| spawn_at(&mut app, x));
    run(&mut app);
    let view = View::new([zone(&app, 5.0)]);
    let client = client(&mut app, view);
    assert!(!sees(&app, client, near) && !sees(&app, client, far));
    app.update();
    assert!(sees(&app, client, near) && !sees(&app, client, far));
}

/// The entity of a client is its avatar.
#[test]
fn a_client_may_be_seen() {
    let mut app = server();
    let [small, large] = [5.0, 20.0].map(|radius| View::new([zone(&app, radius)]));
    let [small, large] = [small, large].map(|view| client(&mut app, view));
    app.world_mut().entity_mut(small).insert((Position([0.0, 0.0]), InView));
    app.world_mut().entity_mut(large).insert((Position([10.0, 0.0]), InView));
    app.update();
    assert_eq!([(small, small), (small, large)].map(|(a, b)| sees(&app, a, b)), [true, false]);
    assert_eq!([(large, small), (large, large)].map(|(a, b)| sees(&app, a, b)), [true, true]);
}

#[test]
fn the_nearest_come_first() {
    let mut app = server();
    let view = View::new([zone(&app, 50.0)]).within_budget(2);
    let client = client(&mut app, view);
    let [a, b, c, far] = [3.0, 1.0, 2.0, 60.0].map(|x| spawn_at(&mut app, x));
    app.update();
    assert_eq!(shown(&app, client), BTreeSet::from([b, c]));
    app.world_mut().get_mut::<Position>(a).expect("alive").0 = [0.5, 0.0];
    app.update();
    assert_eq!(shown(&app, client), BTreeSet::from([a, b]));
    app.world_mut().entity_mut(a).insert(Disabled);
    app.update();
    assert_eq!(shown(&app, client), BTreeSet::from([b, c]), "there is room again");
    app.world_mut().despawn(b);
    app.update();
    assert_eq!(shown(&app, client), BTreeSet::from([c]), "the other one is too far away");
    assert!(!sees(&app, client, far) && sees(&app, client, c));
}

/// Who is shown already may go a little farther than who is not.
#[test]
fn a_rank_may_hold_on_to_whom_it_shows() {
    let mut app = server();
    let view = View::new([zone(&app, 50.0)]).within_budget_by(1, |candidate| {
        assert!(format!("{candidate:?}").contains("distance"));
        candidate.distance - if candidate.is_shown { 1.0 } else { 0.0 }
    });
    let client = client(&mut app, view);
    let [a, b] = [1.0, 1.5].map(|x| spawn_at(&mut app, x));
    app.update();
    for (x, first) in [(1.9, a), (2.4, a), (2.6, b), (2.0, b), (0.4, a)] {
        app.world_mut().get_mut::<Position>(a).expect("alive").0 = [x, 0.0];
        app.update();
        assert_eq!(shown(&app, client), BTreeSet::from([first]), "{x}");
    }
}

#[derive(Resource, Default)]
struct Tells(usize);

/// A view that has not changed is not told again.
#[test]
fn a_quiet_tick_tells_nothing() {
    let mut app = server();
    // Replicon writes to the component as often as it sends.
    app.world_mut().resource_mut::<NextState<ServerState>>().set(ServerState::Stopped);
    app.update();
    app.init_resource::<Tells>().add_systems(
        Last,
        |clients: Query<(), Changed<ClientVisibility>>, mut tells: ResMut<Tells>| {
            tells.0 += clients.iter().count();
        },
    );
    let tells = |app: &mut App, change: fn(&mut World, Entity)| {
        let body = app.world_mut().query_filtered::<Entity, With<Position>>().iter(app.world()).next();
        if let Some(body) = body {
            change(app.world_mut(), body);
        }
        app.world_mut().resource_mut::<ServerTick>().increment();
        app.update();
        std::mem::take(&mut app.world_mut().resource_mut::<Tells>().0)
    };
    let views = [View::new([zone(&app, 5.0)]), View::new([zone(&app, 5.0), zone(&app, 7.0)]).within_budget(2)];
    for view in views {
        client(&mut app, view);
    }
    for x in [1.0, 2.0] {
        spawn_at(&mut app, x);
    }
    assert_eq!(tells(&mut app, |_, _| ()), 2);
    assert_eq!(tells(&mut app, |_, _| ()), 0);
    let within = |world: &mut World, body: Entity| world.get_mut::<Position>(body).expect("alive").0 = [4.0, 0.0];
    assert_eq!(tells(&mut app, within), 0, "both see it still");
    let between = |world: &mut World, body: Entity| world.get_mut::<Position>(body).expect("alive").0 = [6.0, 0.0];
    assert_eq!(tells(&mut app, between), 1);
    assert_eq!(tells(&mut app, |_, _| ()), 0);
    let outside = |world: &mut World, body: Entity| world.get_mut::<Position>(body).expect("alive").0 = [8.0, 0.0];
    assert_eq!(tells(&mut app, outside), 1);
    assert_eq!(tells(&mut app, |_, _| ()), 0);
}

/// Another space has an index and views of its own, which would contradict these.
#[test]
fn a_second_space_is_passed_over() {
    let mut app = App::new();
    app.add_plugins((ViewPlugin::<2>::new(), ViewPlugin::<3>::new(), ViewPlugin::<2>::new()));
    start(app.track(Tracking::<&Position>::points(|position| position.0)));
    let view = View::new([zone(&app, 5.0)]);
    let client = client(&mut app, view);
    let [near, far] = [1.0, 9.0].map(|x| spawn_at(&mut app, x));
    app.update();
    assert!(sees(&app, client, near) && !sees(&app, client, far));
}

/// On a client of the game, or in a game of one player, there is no server.
#[test]
fn without_a_server_there_is_nothing_to_do() {
    let mut app = App::new();
    app.add_plugins(ViewPlugin::<2>::new()).track(Tracking::<&Position>::points(|position| position.0));
    app.finish();
    spawn_at(&mut app, 1.0);
    app.update();
    assert_eq!(app.world().resource::<EntityIndex>().len(), 1);
}
