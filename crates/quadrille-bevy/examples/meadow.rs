//! Sheep, wolves and hedges, in a picture: layers by marker, a simulation in fixed steps, and a zone that tells who comes
//! and goes. Needs no window.
//!
//! ```sh
//! cargo run --example meadow -- meadow.svg
//! ```

use std::collections::BTreeSet;
use std::fmt::Write;

use bevy_app::{App, FixedUpdate};
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_transform::components::Transform;
use quadrille_bevy::{
    Ball, EntityIndex, LayerId, Rect, SpatialAppExt, SpatialPlugin, SpatialQuery, SpatialSystems, Tracking,
    ZoneEntered, ZoneLeft, update_now,
};

const MEADOW: Vec2 = Vec2::new(1200.0, 700.0);
const FOLD: Vec2 = Vec2::new(620.0, 350.0);
const FOLD_RADIUS: f32 = 170.0;
const STEPS: usize = 400;
/// Only the last steps are drawn as trails.
const TRAIL: usize = 72;

#[derive(Component)]
struct Sheep;

#[derive(Component)]
struct Wolf {
    /// Steps until it is hungry again.
    sated: u32,
}

/// Half the sides of a hedge.
#[derive(Component)]
struct Hedge(Vec2);

#[derive(Component)]
struct Heading(Vec2);

#[derive(Component, Default)]
struct Trail(Vec<Vec2>);

/// The entities that are inside according to the zone's events.
#[derive(Resource, Default)]
struct Told {
    inside: BTreeSet<Entity>,
    entered: Vec<Vec2>,
    left: Vec<Vec2>,
    caught: Vec<Vec2>,
}

fn at(transform: &Transform) -> Vec2 {
    transform.translation.truncate()
}

fn hedge(transform: &Transform, hedge: &Hedge) -> Rect {
    Rect::from_center_half(at(transform), hedge.0)
}

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins(SpatialPlugin::new(Rect::new([0.0, 0.0], MEADOW)))
        .track(Tracking::<&Transform>::points(at).with::<Sheep>().in_schedule(FixedUpdate))
        .track(Tracking::<&Transform>::points(at).with::<Wolf>().in_schedule(FixedUpdate))
        .track(
            Tracking::<(&Transform, &Hedge)>::rects(|(transform, size)| hedge(transform, size))
                .named::<Hedge>()
                .in_schedule(FixedUpdate),
        )
        .add_systems(FixedUpdate, (graze, hunt, leave_trails).chain().before(SpatialSystems::Update))
        .init_resource::<Told>()
        .add_observer(enter)
        .add_observer(leave);
    populate(app.world_mut())?;
    let sheep = app.world().resource::<EntityIndex>().layer::<Sheep>()?;
    let fold = app.world().resource::<EntityIndex>().zone(sheep, Ball::new(FOLD, FOLD_RADIUS));
    app.world_mut().spawn(fold);

    for _ in 0..STEPS {
        // An app with bevy's time does so by itself, as often as time has passed.
        app.world_mut().run_schedule(FixedUpdate);
        assert_told_right(app.world_mut());
    }
    let picture = draw(app.world_mut());
    let path = std::env::args().nth(1).unwrap_or_else(|| "meadow.svg".into());
    std::fs::write(&path, picture)?;
    println!("{path}: after each of {STEPS} steps, the events told who is in the fold");
    Ok(())
}

fn populate(world: &mut World) -> Result {
    let mut dice = 4_u64;
    let mut random = |limit: f32| {
        dice = dice.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        f32::from(u16::try_from(dice >> 48).expect("16 bits")) / 65536.0 * limit
    };
    for number in 0..26 {
        let (long, short) = (20.0 + random(70.0), 5.0 + random(5.0));
        let half = if number % 2 == 0 { Vec2::new(long, short) } else { Vec2::new(short, long) };
        let center = Vec2::new(random(MEADOW.x), random(MEADOW.y));
        if FOLD.distance(center) > FOLD_RADIUS * 0.6 {
            world.spawn((Transform::from_translation(center.extend(0.0)), Hedge(half)));
        }
    }
    // The hedges are asked before the first step.
    update_now::<2, f32>(world)?;
    for number in 0..190 {
        let place = Vec2::new(random(MEADOW.x), random(MEADOW.y));
        if world.resource::<EntityIndex>().intersecting(place).exists() {
            continue;
        }
        let heading = Heading(Vec2::from_angle(random(std::f32::consts::TAU)));
        let body = (Transform::from_translation(place.extend(0.0)), heading, Trail::default());
        if number < 4 {
            world.spawn((body, Wolf { sated: 0 }));
        } else {
            world.spawn((body, Sheep));
        }
    }
    Ok(())
}

/// Sheep keep together, flee from wolves and go around hedges.
fn graze(space: SpatialQuery, mut flock: Query<(&mut Transform, &mut Heading), With<Sheep>>) -> Result {
    let [sheep, wolves, hedges] = [space.layer::<Sheep>()?, space.layer::<Wolf>()?, space.layer::<Hedge>()?];
    for (mut transform, mut heading) in &mut flock {
        let here = at(&transform);
        let mut wish = heading.0 + (MEADOW / 2.0 - here) / 4000.0;
        for other in space.within_distance(here, 50.0).in_layers(sheep) {
            let away = here - Vec2::from(other.shape().min());
            wish += away.normalize_or_zero() * if away.length() < 17.0 { 0.4 } else { -0.02 };
        }
        for wolf in space.within_distance(here, 85.0).in_layers(wolves) {
            wish += (here - Vec2::from(wolf.shape().min())).normalize_or_zero() * 2.0;
        }
        if let Some(near) = space.nearest(here).in_layers(hedges).within(18.0).next() {
            let shape = near.object.shape();
            wish += (here - here.clamp(shape.min().into(), shape.max().into())).normalize_or_zero();
        }
        heading.0 = heading.0.lerp(wish.normalize_or_zero(), 0.15);
        go(&space, hedges, &mut transform, &mut heading, 1.5);
    }
    Ok(())
}

/// A hungry wolf runs to the nearest sheep.
fn hunt(
    space: SpatialQuery,
    mut wolves: Query<(&mut Transform, &mut Heading, &mut Wolf)>,
    mut told: ResMut<Told>,
    mut commands: Commands,
) -> Result {
    let [sheep, hedges] = [space.layer::<Sheep>()?, space.layer::<Hedge>()?];
    for (mut transform, mut heading, mut wolf) in &mut wolves {
        let here = at(&transform);
        wolf.sated = wolf.sated.saturating_sub(1);
        let Some(prey) = space.nearest(here).in_layers(sheep).next().filter(|_| wolf.sated == 0) else {
            continue;
        };
        let there = Vec2::from(prey.object.shape().min());
        if here.distance(there) < 8.0 {
            commands.entity(*prey.object.value()).try_despawn();
            told.caught.push(there);
            wolf.sated = 120;
        }
        heading.0 = heading.0.lerp((there - here).normalize_or_zero(), 0.2);
        go(&space, hedges, &mut transform, &mut heading, 2.1);
    }
    Ok(())
}

/// A step that ends in no hedge.
fn go(space: &SpatialQuery, hedges: LayerId, transform: &mut Transform, heading: &mut Heading, speed: f32) {
    let next = (at(transform) + heading.0 * speed).clamp(Vec2::ZERO, MEADOW);
    if space.intersecting(next).in_layers(hedges).exists() {
        heading.0 = heading.0.perp();
    } else {
        transform.translation = next.extend(0.0);
    }
}

fn leave_trails(mut movers: Query<(&Transform, &mut Trail)>) {
    for (transform, mut trail) in &mut movers {
        trail.0.push(at(transform));
    }
}

fn enter(event: On<ZoneEntered>, places: Query<&Transform>, mut told: ResMut<Told>) -> Result {
    assert!(told.inside.insert(event.entered));
    told.entered.push(at(places.get(event.entered)?));
    Ok(())
}

fn leave(event: On<ZoneLeft>, places: Query<&Transform>, mut told: ResMut<Told>) {
    assert!(told.inside.remove(&event.left));
    // Whoever was caught inside is no more.
    told.left.extend(places.get(event.left).map(at));
}

/// The events and a look at all sheep agree.
fn assert_told_right(world: &mut World) {
    let mut flock = world.query_filtered::<(Entity, &Transform), With<Sheep>>();
    let ball = Ball::new(FOLD, FOLD_RADIUS);
    let inside = flock.iter(world).filter(|(_, transform)| ball.contains(&Rect::from_point(at(transform))));
    let inside: BTreeSet<_> = inside.map(|(entity, _)| entity).collect();
    assert_eq!(world.resource::<Told>().inside, inside);
}

fn draw(world: &mut World) -> String {
    let mut svg = String::new();
    let mut put = |line: String| writeln!(svg, "{line}").expect("a string takes all");
    let (width, height) = (MEADOW.x, MEADOW.y + 60.0);
    put(format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' font-family='sans-serif' font-size='21'>"
    ));
    put(format!("<rect width='{width}' height='{height}' fill='#10161d'/>"));
    put(format!(
        "<circle cx='{}' cy='{}' r='{FOLD_RADIUS}' fill='#4cc9f01c' stroke='#4cc9f0' stroke-width='2'/>",
        FOLD.x, FOLD.y
    ));
    let mut hedges = world.query::<(&Transform, &Hedge)>();
    for (transform, size) in hedges.iter(world) {
        let shape = hedge(transform, size);
        let ([x, y], [w, h]) = (shape.min(), shape.size());
        put(format!("<rect x='{x:.0}' y='{y:.0}' width='{w:.0}' height='{h:.0}' rx='5' fill='#2f6b45'/>"));
    }
    let mut movers = world.query::<(Entity, &Transform, &Trail, Has<Wolf>)>();
    let told = world.resource::<Told>();
    for (entity, transform, trail, is_wolf) in movers.iter(world) {
        let (color, radius) = match (is_wolf, told.inside.contains(&entity)) {
            (true, _) => ("#ef476f", 7.0),
            (false, true) => ("#ffd166", 4.5),
            (false, false) => ("#8fa3b8", 4.0),
        };
        let mut points = String::new();
        for place in trail.0[trail.0.len().saturating_sub(TRAIL)..].iter().step_by(8).chain([&at(transform)]) {
            write!(points, "{:.0},{:.0} ", place.x, place.y).expect("a string takes all");
        }
        put(format!("<polyline points='{points}' fill='none' stroke='{color}' stroke-opacity='.6'/>"));
        let here = at(transform);
        put(format!("<circle cx='{:.0}' cy='{:.0}' r='{radius}' fill='{color}'/>", here.x, here.y));
    }
    for (places, color) in [(&told.entered, "#06d6a0"), (&told.left, "#f78c6b"), (&told.caught, "#ef476f")] {
        for place in places {
            let (x, y) = (place.x, place.y);
            put(format!("<circle cx='{x:.0}' cy='{y:.0}' r='7' fill='none' stroke='{color}' stroke-width='1.5'/>"));
        }
    }
    let counts = [told.inside.len(), told.entered.len(), told.left.len(), told.caught.len()];
    let legend = [
        ("#ffd166", format!("in the fold: {}", counts[0])),
        ("#8fa3b8", "outside".into()),
        ("#ef476f", "wolves".into()),
        ("#2f6b45", "hedges".into()),
        ("#06d6a0", format!("entered here: {}", counts[1])),
        ("#f78c6b", format!("left here: {}", counts[2])),
        ("#ef476f", format!("caught here: {}", counts[3])),
    ];
    let (mut x, y) = (24.0, MEADOW.y + 38.0);
    for (number, (color, text)) in legend.into_iter().enumerate() {
        let fill = if number < 4 { color } else { "none" };
        put(format!("<circle cx='{x}' cy='{}' r='7' fill='{fill}' stroke='{color}' stroke-width='2'/>", y - 7.0));
        put(format!("<text x='{}' y='{y}' fill='#dfe7ef'>{text}</text>", x + 14.0));
        x += 44.0 + 11.0 * f32::from(u8::try_from(text.len()).expect("short"));
    }
    put("</svg>".into());
    svg
}
