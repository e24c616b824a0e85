//! Who sees whom: views beside the loop over all pairs of replicon's example, in one run, answers compared.
//!
//! `cargo bench -p quadrille-bevy-replicon` prints the times of a tick. As a test it compares a few answers. Each server runs
//! all its ticks before the next one does, as if it were alone, and answers are compared in every tenth: the
//! others, and a comparison, leave nothing of it in the caches.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::hint::black_box;
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy_replicon::prelude::*;
use bevy_replicon::server::server_tick::ServerTick;
use bevy_replicon::server::visibility::client_visibility::ClientVisibility;
use bevy_replicon::server::visibility::filters_mask::FilterBit;
use bevy_replicon::server::visibility::registry::FilterRegistry;
use bevy_replicon::shared::replication::registry::ReplicationRegistry;
use quadrille_bevy::{
    Ball, EntityIndex, InView, LayerSet, Rect, SpatialAppExt, SpatialPlugin, SpatialSystems, Tracking, View, ViewPlugin,
};

const CLIENTS: usize = 100;
const ENTITIES: usize = 10_000;
const SIDE: f32 = 1000.0;
/// So that a client sees about a hundred entities.
const RADIUS: f32 = 56.4;
const SPEED: f32 = 2.0;
/// In one of so many ticks the answer is read.
const READ: usize = 10;

#[derive(Component)]
struct Position(Vec2);

#[derive(Component)]
struct Avatar(Entity);

#[derive(Resource, Clone, Copy)]
struct RangeBit(FilterBit);

#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: f32) -> f32 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let part = u16::try_from(self.0 >> 48).expect("16 bits");
        f32::from(part) / 65536.0 * limit
    }
}

struct Server {
    app: App,
    entities: Vec<Entity>,
    clients: Vec<Entity>,
}

impl Server {
    fn new(prepare: fn(&mut App), extra: fn(&mut EntityWorldMut), places: &[Vec2]) -> Self {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            StatesPlugin,
            RepliconPlugins.set(ServerPlugin { tick_schedule: None, ..default() }),
        ));
        prepare(&mut app);
        app.finish();
        let world = app.world_mut();
        let entities: Vec<_> = places
            .iter()
            .map(|&place| {
                let mut entity = world.spawn((Position(place), Replicated));
                extra(&mut entity);
                entity.id()
            })
            .collect();
        let clients =
            entities[..CLIENTS].iter().map(|&avatar| world.spawn((AuthorizedClient, Avatar(avatar))).id()).collect();
        Self { app, entities, clients }
    }

    /// Moves entities, and measures what the server does until it knows who sees whom.
    fn tick(&mut self, moved: &[(usize, Vec2)]) -> Duration {
        let world = self.app.world_mut();
        for &(number, place) in moved {
            world.get_mut::<Position>(self.entities[number]).expect("alive").0 = place;
        }
        world.resource_mut::<ServerTick>().increment();
        let start = Instant::now();
        world.run_schedule(PostUpdate);
        start.elapsed()
    }

    /// Whom the clients see, all pairs.
    fn answer(&self) -> Vec<bool> {
        let of = |&client: &Entity| {
            let visibility = self.app.world().get::<ClientVisibility>(client).expect("a client");
            self.entities.iter().map(|&entity| visibility.get(entity).is_empty())
        };
        self.clients.iter().flat_map(of).collect()
    }
}

/// As the example in the documentation of `ClientVisibility::set`, for one range.
fn all_pairs(app: &mut App) {
    let bit = app.world_mut().resource_scope(|world, mut filters: Mut<FilterRegistry>| {
        world.resource_scope(|world, mut components: Mut<ReplicationRegistry>| {
            filters.register_scope::<Entity>(world, &mut components, ScopeLifetime::WhileVisible)
        })
    });
    app.insert_resource(RangeBit(bit)).add_systems(PostUpdate, update_range_visibility);
}

fn update_range_visibility(
    bit: Res<RangeBit>,
    entities: Query<(Entity, &Position)>,
    mut clients: Query<(&Avatar, &mut ClientVisibility)>,
) -> Result {
    for (avatar, mut visibility) in &mut clients {
        let (_, at) = entities.get(avatar.0)?;
        for (entity, position) in &entities {
            visibility.set(entity, bit.0, at.0.distance(position.0) <= RADIUS);
        }
    }
    Ok(())
}

fn views(app: &mut App) {
    app.add_plugins((ViewPlugin::<2>::new(), SpatialPlugin::new(Rect::new([0.0; 2], [SIDE; 2]))))
        .track(Tracking::<&Position>::points(|position| position.0))
        .add_systems(PostUpdate, follow.before(SpatialSystems::Views));
}

fn follow(mut clients: Query<(&Avatar, &mut View)>, moved: Query<&Position, Changed<Position>>) -> Result {
    for (avatar, mut view) in &mut clients {
        if let Ok(position) = moved.get(avatar.0) {
            view.set_region(0, Ball::new(position.0, RADIUS))?;
        }
    }
    Ok(())
}

fn give_views(server: &mut Server, budget: Option<usize>) {
    for &client in &server.clients {
        let world = server.app.world_mut();
        let view = View::new([world.resource::<EntityIndex>().zone(LayerSet::ALL, Ball::new([0.0; 2], RADIUS))]);
        world.entity_mut(client).insert(match budget {
            Some(most) => view.within_budget(most),
            None => view,
        });
    }
}

/// Places that change from tick to tick, the same for each server.
#[derive(Clone)]
struct Motion {
    dice: Dice,
    places: Vec<Vec2>,
}

impl Motion {
    fn new() -> Self {
        let mut dice = Dice(1);
        let places = (0..ENTITIES).map(|_| Vec2::new(dice.below(SIDE), dice.below(SIDE))).collect();
        Self { dice, places }
    }

    /// Moves one place in so many, others in each tick.
    fn next(&mut self, tick: usize, one_in: usize) -> Vec<(usize, Vec2)> {
        let Self { dice, places } = self;
        let moved = (0..ENTITIES).filter(|number| one_in != usize::MAX && (number + tick).is_multiple_of(one_in));
        moved
            .map(|number| {
                let step = Vec2::new(dice.below(2.0) - 1.0, dice.below(2.0) - 1.0) * SPEED;
                places[number] = (places[number] + step).clamp(Vec2::ZERO, Vec2::splat(SIDE));
                (number, places[number])
            })
            .collect()
    }
}

fn main() {
    let ticks = if std::env::args().any(|word| word == "--bench") { 300 } else { 2 };
    let mut motion = Motion::new();
    let in_view: fn(&mut EntityWorldMut) = |entity| {
        entity.insert(InView);
    };
    let pairs = Server::new(all_pairs, |_| (), &motion.places);
    let [mut ours, mut budget] = [(); 2].map(|()| Server::new(views, in_view, &motion.places));
    give_views(&mut ours, None);
    give_views(&mut budget, Some(50));
    let mut servers = [("all pairs", pairs), ("views", ours), ("views, the nearest 50", budget)];

    println!("{CLIENTS} clients, {ENTITIES} entities, a tick in us: minimum, median");
    for (name, one_in) in
        [("all move", 1), ("a tenth moves", 10), ("a hundredth moves", 100), ("none moves", usize::MAX)]
    {
        let before = motion.clone();
        let rows = servers.each_mut().map(|(what, server)| {
            motion = before.clone();
            let (mut times, mut answers, mut seen) = (Vec::new(), Vec::new(), 0);
            for tick in 0..ticks {
                times.push(server.tick(black_box(&motion.next(tick, one_in))));
                if tick % READ == 0 {
                    let answer = server.answer();
                    answers.push(BuildHasherDefault::<DefaultHasher>::new().hash_one(&answer));
                    seen = answer.into_iter().filter(|&sees| sees).count();
                }
            }
            times.remove(0);
            times.sort_unstable();
            (*what, [times[0], times[times.len() / 2]].map(|time| time.as_secs_f64() * 1e6), answers, seen)
        });
        assert!(rows[0].2 == rows[1].2, "the answers differ");
        println!("{name}, {} seen by a client", rows[0].3 / CLIENTS);
        for (what, [least, median], ..) in &rows {
            let [pairs_least, pairs_median] = rows[0].1;
            println!(
                "  {what:24} {least:8.0} {median:8.0}   {:6.1} {:6.1} times",
                pairs_least / least,
                pairs_median / median
            );
        }
    }
}
