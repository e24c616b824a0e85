//! The calls that `docs/guide/from.md` names for those who come from `bevy_spatial`.

#![cfg(feature = "transform")]

use bevy_app::{App, PostUpdate, Startup};
use bevy_ecs::prelude::*;
use bevy_math::{Vec2, Vec3Swizzles};
use bevy_transform::TransformPlugin;
use bevy_transform::components::{GlobalTransform, Transform};
use quadrille_bevy::{Rect, SpatialAppExt, SpatialPlugin, SpatialQuery, SpatialSystems, Tracking};

#[derive(Component)]
struct Sheep;

#[derive(Resource, Default)]
struct Found {
    nearest: Option<Entity>,
    five: Vec<Entity>,
    around: Vec<Entity>,
    on_screen: usize,
}

#[test]
fn the_program_runs() {
    let mut app = App::new();
    app.init_resource::<Found>().add_plugins(TransformPlugin).add_systems(Startup, setup);
    app.add_plugins(SpatialPlugin::new(Rect::new([0.0, 0.0], [1000.0, 1000.0])))
        .track(Tracking::<&GlobalTransform>::points(|at| at.translation().xy()).with::<Sheep>())
        .add_systems(PostUpdate, look.after(SpatialSystems::Update));
    app.update();
    let found = app.world().resource::<Found>();
    let near = |entity: &Entity| app.world().get::<Transform>(*entity).expect("a sheep").translation.x;
    assert_eq!(found.nearest.as_ref().map(near), Some(500.0));
    assert_eq!(found.five.iter().map(near).collect::<Vec<_>>(), [500.0, 510.0, 490.0, 520.0, 480.0]);
    assert_eq!((found.around.len(), found.on_screen), (10, 21));

    // It is gone at once, not after the next interval.
    let nearest = found.nearest.expect("it was found");
    app.world_mut().despawn(nearest);
    app.update();
    assert_ne!(app.world().resource::<Found>().nearest, Some(nearest));
}

fn setup(mut commands: Commands) {
    for sheep in 0_u8..100 {
        commands.spawn((Sheep, Transform::from_xyz(10.0 * f32::from(sheep), 500.0, 0.0)));
    }
}

fn look(space: SpatialQuery, mut found: ResMut<Found>) -> Result {
    let sheep = space.layer::<Sheep>()?;
    let here = Vec2::new(502.0, 500.0);
    let nearest = space.nearest(here).in_layers(sheep);
    found.five = nearest.clone().take(5).map(|near| *near.object.value()).collect();
    found.nearest = nearest.map(|near| *near.object.value()).next();
    found.around = space.within_distance(here, 50.0).in_layers(sheep).map(|near| *near.value()).collect();
    found.on_screen = space.intersecting(Rect::new([400.0, 400.0], [600.0, 600.0])).in_layers(sheep).count();
    Ok(())
}
