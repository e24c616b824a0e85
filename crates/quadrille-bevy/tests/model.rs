//! Random spawns, despawns, moves, markers and disabling, beside a scan of the world.

mod dice;

use std::collections::{BTreeMap, BTreeSet};

use bevy_app::{App, FixedUpdate, PostUpdate};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use dice::Dice;
use quadrille::Scalar;
use quadrille_bevy::{
    Ball, EntityIndex, LayerId, LayerSet, Rect, SpatialAppExt, SpatialPlugin, Tracking, Zone, ZoneEntered, ZoneLeft,
    update_now,
};

#[derive(Component, Clone, Copy)]
struct Place<const D: usize, S: Scalar>([S; D]);

#[derive(Component, Clone, Copy)]
struct Size<S: Scalar>(S);

#[derive(Component, Default)]
struct Enemy;

#[derive(Component, Default)]
struct Hidden;

/// The name of the layer of rectangles.
struct Bodies;

/// Who is in the zone, by its events alone.
#[derive(Resource, Default)]
struct Inside(BTreeSet<Entity>);

fn body<const D: usize, S: Scalar>(place: &Place<D, S>, size: &Size<S>) -> Rect<S, D> {
    Rect::from_center_half(place.0, [size.0; D])
}

fn app<const D: usize, S: Scalar>(schedule: impl ScheduleLabel + Clone) -> App {
    let mut app = App::new();
    app.track(Tracking::<&Place<D, S>, D, S>::points(|place| place.0).in_schedule(schedule.clone()))
        .track(Tracking::<&Place<D, S>, D, S>::points(|place| place.0).with::<Enemy>().in_schedule(schedule.clone()))
        .track(
            Tracking::<(&Place<D, S>, &Size<S>), D, S>::rects(|(place, size)| body(place, size))
                .without::<Hidden>()
                .named::<Bodies>()
                .in_schedule(schedule),
        )
        .add_plugins(SpatialPlugin { world: Rect::<S, D>::new([S::from(0); D], [S::from(15); D]) })
        .init_resource::<Inside>()
        .add_observer(|event: On<ZoneEntered>, mut inside: ResMut<Inside>| {
            assert!(inside.0.insert(event.entered), "whoever enters was outside");
        })
        .add_observer(|event: On<ZoneLeft>, mut inside: ResMut<Inside>| {
            assert!(inside.0.remove(&event.left), "whoever leaves was inside");
        });
    app
}

type Shapes<const D: usize, S> = Vec<(Entity, [S; D], [S; D])>;

/// The objects that each layer should hold, by a scan of the world.
fn scan<const D: usize, S: Scalar>(world: &World, living: &[Entity]) -> [Shapes<D, S>; 3] {
    let mut layers = [const { Vec::new() }; 3];
    for entity in living.iter().map(|&entity| world.entity(entity)) {
        let Some(place) = entity.get::<Place<D, S>>().filter(|_| !entity.contains::<Disabled>()) else {
            continue;
        };
        layers[0].push((entity.id(), place.0, place.0));
        if entity.contains::<Enemy>() {
            layers[1].push((entity.id(), place.0, place.0));
        }
        if let Some(size) = entity.get::<Size<S>>().filter(|_| !entity.contains::<Hidden>()) {
            let shape = body(place, size);
            layers[2].push((entity.id(), shape.min(), shape.max()));
        }
    }
    for layer in &mut layers {
        layer.sort_unstable_by_key(|known| known.0);
    }
    layers
}

fn index<const D: usize, S: Scalar>(app: &App) -> &EntityIndex<D, S> {
    app.world().resource()
}

fn layers<const D: usize, S: Scalar>(index: &EntityIndex<D, S>) -> [LayerId; 3] {
    [index.layer::<Place<D, S>>(), index.layer::<Enemy>(), index.layer::<Bodies>()].map(|layer| layer.expect("tracked"))
}

fn assert_in_step<const D: usize, S: Scalar>(app: &App, living: &[Entity]) {
    let index = index::<D, S>(app);
    index.check_integrity().expect("sound");
    for (layer, expected) in layers(index).into_iter().zip(scan::<D, S>(app.world(), living)) {
        let objects = index.iter().in_layers(layer);
        let mut stored: Shapes<D, S> =
            objects.map(|object| (*object.value(), object.shape().min(), object.shape().max())).collect();
        stored.sort_unstable_by_key(|known| known.0);
        assert_eq!(stored, expected);
        let known: BTreeMap<_, _> = expected.into_iter().map(|(entity, min, max)| (entity, (min, max))).collect();
        for &entity in living {
            let object = index.object_of(layer, entity).expect("of this index");
            assert_eq!(object.map(|object| (object.shape().min(), object.shape().max())), known.get(&entity).copied());
        }
    }
}

/// Before an update the index may lag behind, but whoever should not be there is gone.
fn assert_no_ghosts<const D: usize, S: Scalar>(app: &App, living: &[Entity]) {
    let index = index::<D, S>(app);
    for (layer, present) in layers(index).into_iter().zip(scan::<D, S>(app.world(), living)) {
        for object in index.iter().in_layers(layer) {
            assert!(present.iter().any(|known| known.0 == *object.value()), "what is gone leaves at once");
        }
    }
}

/// Adds a component, or removes it.
fn toggle<C: Component + Default>(entity: &mut EntityWorldMut) {
    if entity.contains::<C>() {
        entity.remove::<C>();
    } else {
        entity.insert(C::default());
    }
}

fn change<const D: usize, S: Scalar>(world: &mut World, living: &mut Vec<Entity>, dice: &mut Dice) {
    let (place, size) = (Place::<D, S>(dice.place()), Size(dice.coordinate::<S>()));
    if living.is_empty() || dice.below(4) == 0 {
        living.push(match dice.below(4) {
            0 => world.spawn(place).id(),
            1 => world.spawn((place, Enemy)).id(),
            2 => world.spawn((place, size, Disabled)).id(),
            _ => world.spawn((place, size, Enemy)).id(),
        });
        return;
    }
    let chosen = dice.below(living.len());
    let entity = &mut world.entity_mut(living[chosen]);
    match dice.below(10) {
        0 => {
            world.despawn(living.swap_remove(chosen));
        }
        1 | 2 => toggle::<Disabled>(entity),
        3 => toggle::<Enemy>(entity),
        4 => toggle::<Hidden>(entity),
        5 => {
            entity.remove::<Place<D, S>>();
        }
        6 => {
            entity.insert((place, size));
        }
        7 => {
            entity.remove::<Size<S>>();
        }
        _ => {
            if let Some(mut present) = entity.get_mut::<Place<D, S>>() {
                *present = place;
            }
        }
    }
}

fn assert_zone_is_right<const D: usize, S: Scalar>(app: &App, zone: Entity, living: &[Entity], ball: &Ball<S, D>) {
    let [_, enemies, _] = scan::<D, S>(app.world(), living);
    let is_inside = |at: &[S; D]| {
        let squares = at.iter().zip(ball.center()).map(|(&a, b)| (a.to_f64() - b.to_f64()).powi(2));
        squares.sum::<f64>() <= ball.radius().to_f64().powi(2)
    };
    let expected: BTreeSet<_> = enemies.iter().filter(|enemy| is_inside(&enemy.1)).map(|enemy| enemy.0).collect();
    assert_eq!(app.world().resource::<Inside>().0, expected, "the events tell who is inside");
    let zone = app.world().get::<Zone<D, S>>(zone).expect("a zone");
    assert_eq!(zone.entities().collect::<BTreeSet<_>>(), expected);
}

fn random_changes<const D: usize, S: Scalar>(schedule: impl ScheduleLabel + Clone, rounds: usize) {
    let mut app = app::<D, S>(schedule.clone());
    let tick = move |app: &mut App| {
        if schedule.intern() == PostUpdate.intern() {
            app.update();
        } else {
            app.world_mut().run_schedule(schedule.clone());
        }
    };
    let (mut living, mut dice) = (Vec::new(), Dice(7));
    let ball = |dice: &mut Dice| Ball::<S, D>::new(dice.place(), dice.coordinate());
    let mut region = ball(&mut dice);
    let enemies = index::<D, S>(&app).layer::<Enemy>().expect("tracked");
    let zone = index::<D, S>(&app).zone(enemies, region);
    let zone = app.world_mut().spawn(zone).id();
    for round in 0..rounds {
        for _ in 0..dice.below(12) {
            change::<D, S>(app.world_mut(), &mut living, &mut dice);
        }
        assert_no_ghosts::<D, S>(&app, &living);
        if dice.below(4) == 0 {
            update_now::<D, S>(app.world_mut()).expect("the systems are there");
            assert_in_step::<D, S>(&app, &living);
            continue;
        }
        if dice.below(3) == 0 {
            region = ball(&mut dice);
            app.world_mut().get_mut::<Zone<D, S>>(zone).expect("a zone").set_region(region);
        }
        tick(&mut app);
        assert_in_step::<D, S>(&app, &living);
        assert_zone_is_right::<D, S>(&app, zone, &living, &region);
        if round == rounds / 2 {
            let mut index = app.world_mut().resource_mut::<EntityIndex<D, S>>();
            index.set_world(Rect::new([S::from(5); D], [S::from(9); D])).expect("a world");
            index.optimize();
        }
    }
    assert!(20 < living.len());
}

#[test]
fn in_step_in_each_frame() {
    random_changes::<2, f32>(PostUpdate, 120);
    random_changes::<3, f64>(PostUpdate, 80);
}

#[test]
fn in_step_in_each_fixed_step() {
    random_changes::<3, f32>(FixedUpdate, 120);
    random_changes::<2, f64>(FixedUpdate, 80);
}

/// However many change, be it more than the journal keeps, zones answer as queries do.
fn zones_hear_of_all<const D: usize, S: Scalar>() {
    const BODIES: usize = 5000;
    let (mut app, mut dice) = (App::new(), Dice(3));
    app.track(Tracking::<&Place<D, S>, D, S>::points(|place| place.0))
        .add_plugins(SpatialPlugin { world: Rect::<S, D>::new([S::from(0); D], [S::from(15); D]) });
    let mut living: Vec<_> = (0..BODIES).map(|_| app.world_mut().spawn(Place::<D, S>(dice.place())).id()).collect();
    let layer = index::<D, S>(&app).layer::<Place<D, S>>().expect("tracked");
    let regions: Vec<_> = (0..12_u16).map(|radius| Ball::<S, D>::new(dice.place(), S::from(radius / 2))).collect();
    let zones: Vec<_> = regions.iter().map(|&ball| index::<D, S>(&app).zone(layer, ball)).collect();
    let zones: Vec<_> = zones.into_iter().map(|zone| app.world_mut().spawn(zone).id()).collect();
    for round in 0..42 {
        for _ in 0..[1, 20, 200, 700, 1200, 1300, 4900][round % 7] {
            let chosen = dice.below(living.len());
            match dice.below(20) {
                0 => assert!(app.world_mut().despawn(living.swap_remove(chosen))),
                1 => living.push(app.world_mut().spawn(Place::<D, S>(dice.place())).id()),
                _ => app.world_mut().get_mut::<Place<D, S>>(living[chosen]).expect("alive").0 = dice.place(),
            }
        }
        match dice.below(5) {
            0 => {
                update_now::<D, S>(app.world_mut()).expect("the systems are there");
                continue;
            }
            1 => {
                let world = Rect::new([S::from(0); D], [S::from(1 + u16::try_from(round).expect("small")); D]);
                app.world_mut().resource_mut::<EntityIndex<D, S>>().set_world(world).expect("a world");
            }
            _ => {}
        }
        app.update();
        for (&zone, &region) in zones.iter().zip(&regions) {
            let found = index::<D, S>(&app).intersecting(region).map(|object| *object.value());
            let zone = app.world().get::<Zone<D, S>>(zone).expect("a zone");
            assert_eq!(zone.entities().collect::<BTreeSet<_>>(), found.collect::<BTreeSet<_>>(), "round {round}");
        }
    }
}

#[test]
fn zones_hear_of_many_changes() {
    zones_hear_of_all::<2, f32>();
    zones_hear_of_all::<3, f64>();
}

/// A ball decides by distances, which are rounded: it may hold a point outside its bounds, however small the world is.
#[test]
fn zones_hear_of_what_rounding_brings_in() {
    let mut app = App::new();
    app.track(Tracking::<&Place<2, f64>, 2, f64>::points(|place| place.0))
        .add_plugins(SpatialPlugin { world: Rect::<f64, 2>::new([-1e-6; 2], [1e-6; 2]) });
    let ball = Ball::<f64, 2>::new([-1e10, 0.0], 1e10);
    let zone = index::<2, f64>(&app).zone(LayerSet::ALL, ball);
    let zone = app.world_mut().spawn(zone).id();
    let body = app.world_mut().spawn(Place([1.0, 0.0])).id();
    for place in [5e-7, 1.0, 2e-7] {
        app.update();
        app.world_mut().get_mut::<Place<2, f64>>(body).expect("alive").0 = [place, 0.0];
        app.update();
        let inside = index::<2, f64>(&app).intersecting(ball).count();
        assert_eq!(app.world().get::<Zone<2, f64>>(zone).expect("a zone").entities().count(), inside, "at {place}");
    }
}
