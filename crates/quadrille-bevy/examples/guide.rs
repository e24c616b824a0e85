//! The program of the guide's chapter about bevy, `docs/guide/bevy.md`.

use bevy_app::{App, FixedUpdate};
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_transform::components::Transform;
use quadrille_bevy::quadrille::Contacts;
use quadrille_bevy::{
    EntityIndex, Rect, SpatialAppExt, SpatialPlugin, SpatialQuery, SpatialSystems, Tracking, ZoneEntered, update_now,
};

const HALF: Vec2 = Vec2::new(1.0, 1.0); // half the sides of a hero
const REACH: f32 = 2.0;
const SKIN: f32 = 0.001;

#[derive(Component)]
struct Hero {
    coins: u32,
}

#[derive(Component)]
struct Coin;

/// Half the sides of a wall.
#[derive(Component)]
struct Wall(Vec2);

#[derive(Resource, Default)]
struct Visitors(Vec<Entity>);

fn at(transform: &Transform) -> Vec2 {
    transform.translation.truncate()
}

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins(SpatialPlugin::new(Rect::new([0.0, 0.0], [100.0, 100.0])))
        .track(Tracking::<&Transform>::points(at).with::<Coin>().in_schedule(FixedUpdate))
        .track(Tracking::<&Transform>::points(at).with::<Hero>().in_schedule(FixedUpdate))
        .track(
            Tracking::<(&Transform, &Wall)>::rects(|(transform, wall)| Rect::from_center_half(at(transform), wall.0))
                .named::<Wall>()
                .in_schedule(FixedUpdate),
        )
        .init_resource::<Visitors>()
        .add_systems(FixedUpdate, (walk.before(SpatialSystems::Update), collect.after(SpatialSystems::Update)));

    let world = app.world_mut();
    world.spawn((Transform::from_xyz(60.0, 50.0, 0.0), Wall(Vec2::new(1.0, 30.0))));
    for coin in 0_u8..10 {
        world.spawn((Transform::from_xyz(10.0 * f32::from(coin) + 5.0, 51.0, 0.0), Coin));
    }
    let hero = world.spawn((Transform::from_xyz(10.0, 50.0, 0.0), Hero { coins: 0 })).id();

    // The wall must be in the index before the first hero walks.
    update_now::<2, f32>(world)?;
    let index = world.resource::<EntityIndex>();
    let gate = index.zone(index.layer::<Hero>()?, Rect::new([50.0, 0.0], [60.0, 100.0]));
    world.spawn(gate).observe(|event: On<ZoneEntered>, mut visitors: ResMut<Visitors>| visitors.0.push(event.entered));

    for _ in 0..100 {
        app.world_mut().run_schedule(FixedUpdate); // in a game bevy's time does that
    }
    let world = app.world();
    let stands = at(world.get::<Transform>(hero).expect("a hero"));
    assert!((stands - Vec2::new(58.0, 50.0)).length() < 0.01); // at the wall
    assert_eq!(world.get::<Hero>(hero).expect("a hero").coins, 5); // at 15, 25, 35, 45, 55
    assert_eq!(world.resource::<Visitors>().0, [hero]);
    assert_eq!(world.resource::<EntityIndex>().len(), 1 + 1 + 5);
    Ok(())
}

/// Heroes go to the right as far as they can.
fn walk(space: SpatialQuery, mut heroes: Query<&mut Transform, With<Hero>>) -> Result {
    let walls = space.layer::<Wall>()?;
    for mut hero in &mut heroes {
        let motion = Vec2::new(1.0, 0.0);
        let body = Rect::from_center_half(at(&hero), HALF);
        let hit = space.cast(body, motion).in_layers(walls).blocking(SKIN).next();
        let t = hit.map_or(1.0, |hit| hit.t);
        hero.translation += (motion * t).extend(0.0);
    }
    Ok(())
}

/// Whoever comes near to a coin takes it.
fn collect(
    space: SpatialQuery,
    mut near: Local<Contacts>,
    mut heroes: Query<&mut Hero>,
    mut commands: Commands,
) -> Result {
    let (coins, takers) = (space.layer::<Coin>()?, space.layer::<Hero>()?);
    for pair in near.poll(space.pairs().between(coins, takers).within(REACH))?.begun {
        let [coin, hero] = pair.map(|handle| space.object(handle).expect("the answer is of this moment"));
        let (coin, hero) = if coin.layer() == coins { (coin, hero) } else { (hero, coin) };
        heroes.get_mut(*hero.value())?.coins += 1;
        commands.entity(*coin.value()).despawn();
    }
    Ok(())
}
