//! A server with views and its clients, all without a network: what each client has after each tick, beside all pairs of
//! clients and entities.

use std::collections::{BTreeMap, BTreeSet};

use crate::dice::Dice;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy_replicon::prelude::*;
use bevy_replicon::server::visibility::client_visibility::ClientVisibility;
use bevy_replicon::test_app::{ServerTestAppExt, TestClientEntity};
use quadrille_bevy::quadrille::Scalar;
use quadrille_bevy::{
    Ball, EntityIndex, InView, LayerSet, Rect, SpatialAppExt, SpatialPlugin, Tracking, View, ViewPlugin,
};
use serde::{Deserialize, Serialize};

/// The number of an entity, which a client is sent.
#[derive(Component, Clone, Copy, Serialize, Deserialize)]
struct Number(u32);

#[derive(Component, Clone, Copy)]
struct Place<const D: usize, S: Scalar>([S; D]);

#[derive(Component, Default)]
struct Unit;

#[derive(Component, Default)]
struct Tower;

/// How unimportant an entity is. NaN comes last.
#[derive(Component, Clone, Copy)]
struct Factor(f64);

/// A client whose favourites come first: the entities whose number it divides.
#[derive(Component, Clone, Copy)]
struct Favours(u32);

/// The numbers that a client has been told to spawn and to despawn.
#[derive(Resource, Default)]
struct Told {
    came: Vec<u32>,
    left: Vec<u32>,
}

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, StatesPlugin, RepliconPlugins.set(ServerPlugin::new(PostUpdate))));
    app.replicate::<Number>();
    app
}

fn client_app() -> App {
    let mut app = app();
    app.init_resource::<Told>()
        .add_observer(|added: On<Add<Number>>, numbers: Query<&Number>, mut told: ResMut<Told>| {
            told.came.push(numbers.get(added.entity).expect("just added").0);
        })
        .add_observer(|removed: On<Remove<Number>>, numbers: Query<&Number>, mut told: ResMut<Told>| {
            told.left.push(numbers.get(removed.entity).expect("still there").0);
        });
    app.finish();
    app
}

fn server_app<const D: usize, S: Scalar>() -> App {
    let mut app = App::new();
    // Before the plugins of replicon: the order does not matter.
    app.add_plugins(ViewPlugin::<D, S>::default());
    app.add_plugins((MinimalPlugins, StatesPlugin, RepliconPlugins.set(ServerPlugin::new(PostUpdate))));
    app.replicate::<Number>()
        .add_plugins(SpatialPlugin { world: Rect::<S, D>::new([S::from(0); D], [S::from(15); D]) })
        .track(Tracking::<&Place<D, S>, D, S>::points(|place| place.0).with::<Unit>())
        .track(Tracking::<&Place<D, S>, D, S>::points(|place| place.0).with::<Tower>());
    app.finish();
    app
}

/// The parts of a client's view, for the scan.
#[derive(Clone, Copy)]
struct Sight<const D: usize, S: Scalar> {
    units: Ball<S, D>,
    towers: Rect<S, D>,
    all: Ball<S, D>,
    budget: Option<usize>,
}

impl<const D: usize, S: Scalar> Sight<D, S> {
    fn random(dice: &mut Dice) -> Self {
        let towers = Rect::new(dice.place(), dice.place());
        let [units, all] =
            [(); 2].map(|()| Ball::new(dice.place(), S::from(u16::try_from(dice.below(9)).expect("small"))));
        let budget = (dice.below(2) == 0).then(|| dice.below(12));
        Self { units, towers, all, budget }
    }

    fn view(&self, index: &EntityIndex<D, S>) -> View<D, S> {
        let [units, towers] = [index.layer::<Unit>(), index.layer::<Tower>()].map(|layer| layer.expect("tracked"));
        let zones =
            [index.zone(units, self.units), index.zone(towers, self.towers), index.zone(LayerSet::ALL, self.all)];
        let Some(budget) = self.budget else { return View::new(zones) };
        View::new(zones).within_budget_by(budget, |candidate| {
            let number = candidate.entity.get::<Number>().expect("all have one").0;
            let favours = candidate.client.get::<Favours>().is_some_and(|favours| number.is_multiple_of(favours.0));
            let factor = candidate.entity.get::<Factor>().map_or(1.0, |factor| factor.0);
            if favours { -1.0 } else { candidate.distance * factor }
        })
    }

    /// The ranks by which an entity may be seen; none if it is in no zone.
    fn ranks(&self, entity: EntityRef, favours: Option<Favours>) -> Vec<f64> {
        let Some(place) = entity.get::<Place<D, S>>().filter(|_| !entity.contains::<Disabled>()) else {
            return Vec::new();
        };
        let (is_unit, is_tower) = (entity.contains::<Unit>(), entity.contains::<Tower>());
        let distance = |center: [S; D]| {
            let squares = place.0.iter().zip(center).map(|(&a, b)| (a.to_f64() - b.to_f64()).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let is_in = |ball: &Ball<S, D>| distance(ball.center()) <= ball.radius().to_f64();
        let mut distances = Vec::new();
        if is_unit && is_in(&self.units) {
            distances.push(distance(self.units.center()));
        }
        let sides = || self.towers.min().into_iter().zip(self.towers.max());
        if is_tower && place.0.iter().zip(sides()).all(|(&at, (min, max))| min <= at && at <= max) {
            distances.push(distance(self.towers.center()));
        }
        if (is_unit || is_tower) && is_in(&self.all) {
            distances.push(distance(self.all.center()));
        }
        let number = entity.get::<Number>().expect("all have one").0;
        let is_favourite = favours.is_some_and(|favours| number.is_multiple_of(favours.0));
        let factor = entity.get::<Factor>().map_or(1.0, |factor| factor.0);
        let rank = |distance: f64| if is_favourite { -1.0 } else { distance * factor };
        distances.into_iter().map(rank).collect()
    }
}

struct Client<const D: usize, S: Scalar> {
    app: App,
    sight: Option<Sight<D, S>>,
    favours: Option<Favours>,
    has: BTreeSet<u32>,
}

impl<const D: usize, S: Scalar> Client<D, S> {
    fn entity(&self) -> Entity {
        **self.app.world().resource::<TestClientEntity>()
    }

    /// All that the client should have, by a scan.
    fn scan(&self, server: &World, living: &[Entity]) -> BTreeSet<u32> {
        let (mut has, mut inside) = (BTreeSet::new(), BTreeMap::new());
        for entity in living.iter().map(|&entity| server.entity(entity)) {
            let number = entity.get::<Number>().expect("all have one").0;
            let ranks = self.sight.map_or_else(Vec::new, |sight| sight.ranks(entity, self.favours));
            let worst = |rank: f64| if rank.is_nan() { f64::INFINITY } else { rank };
            if let Some(rank) = ranks.into_iter().map(worst).min_by(f64::total_cmp) {
                inside.insert(entity.id(), (rank, number, entity.contains::<InView>()));
            }
            if !entity.contains::<InView>() {
                has.insert(number);
            }
        }
        let mut inside: Vec<_> = inside.into_iter().collect();
        inside.sort_by(|(a, (first, ..)), (b, (second, ..))| first.total_cmp(second).then(a.cmp(b)));
        let most = self.sight.and_then(|sight| sight.budget).unwrap_or(usize::MAX);
        has.extend(inside.into_iter().take(most).map(|(_, (_, number, _))| number));
        has
    }
}

impl<const D: usize, S: Scalar> Client<D, S> {
    /// The client has what it should have, and has been told nothing but the difference from before.
    fn check(&mut self, server: &World, living: &[Entity]) {
        let seen = self.scan(server, living);
        let told = std::mem::take(&mut *self.app.world_mut().resource_mut::<Told>());
        let difference = |a: &BTreeSet<u32>, b: &BTreeSet<u32>| a.difference(b).copied().collect::<Vec<_>>();
        assert_eq!(sorted(told.came), difference(&seen, &self.has), "who has come");
        assert_eq!(sorted(told.left), difference(&self.has, &seen), "who has left");
        let mut numbers = self.app.world_mut().query::<&Number>();
        let has: Vec<_> = numbers.iter(self.app.world()).map(|number| number.0).collect();
        assert_eq!(sorted(has), seen.iter().copied().collect::<Vec<_>>());
        self.has = seen;
    }
}

fn sorted(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers
}

struct Game<const D: usize, S: Scalar> {
    server: App,
    clients: Vec<Client<D, S>>,
    living: Vec<Entity>,
    dead: Vec<Entity>,
    spawned: u32,
    dice: Dice,
}

impl<const D: usize, S: Scalar> Game<D, S> {
    fn new(seed: u64) -> Self {
        let (clients, living, dead) = Default::default();
        Self { server: server_app::<D, S>(), clients, living, dead, spawned: 0, dice: Dice(seed) }
    }

    fn spawn(&mut self) {
        self.spawned += 1;
        let common = (Number(self.spawned), Place::<D, S>(self.dice.place()), Replicated);
        let mut entity = self.server.world_mut().spawn(common);
        for (choice, marker) in [insert::<Unit> as fn(&mut EntityWorldMut), insert::<Tower>].into_iter().enumerate() {
            if self.dice.below(3) != choice {
                marker(&mut entity);
            }
        }
        if self.dice.below(4) != 0 {
            entity.insert(InView);
        }
        match self.dice.below(6) {
            0 => entity.insert(Factor(f64::NAN)),
            1 | 2 => entity.insert(Factor(0.25)),
            _ => &mut entity,
        };
        self.living.push(entity.id());
    }

    fn change_an_entity(&mut self) {
        if self.living.len() < 30 || self.dice.below(5) == 0 {
            self.spawn();
            return;
        }
        let chosen = self.dice.below(self.living.len());
        let place = Place::<D, S>(self.dice.place());
        let mut entity = self.server.world_mut().entity_mut(self.living[chosen]);
        match self.dice.below(12) {
            0 | 1 => {
                // Of a disabled entity bevy_replicon 0.45.5 sends no despawn.
                entity.remove::<Disabled>();
                entity.despawn();
                self.dead.push(self.living.swap_remove(chosen));
            }
            2 => toggle::<InView>(&mut entity),
            3 => toggle::<Disabled>(&mut entity),
            4 => toggle::<Unit>(&mut entity),
            5 => toggle::<Tower>(&mut entity),
            6 => {
                entity.remove::<Place<D, S>>();
            }
            _ => {
                entity.insert(place);
            }
        }
    }

    /// Clients come and go between two ticks. (Each time the server sends, which is no news to the others.)
    fn change_the_clients(&mut self) {
        if self.clients.is_empty() || (self.clients.len() < 4 && self.dice.below(3) == 0) {
            let mut app = client_app();
            self.server.connect_client(&mut app);
            let mut client = Client { app, sight: None, favours: None, has: BTreeSet::new() };
            client.check(self.server.world(), &self.living);
            self.clients.push(client);
        } else if self.dice.below(4) == 0 {
            let mut gone = self.clients.swap_remove(self.dice.below(self.clients.len()));
            self.server.disconnect_client(&mut gone.app);
        }
    }

    fn change_a_view(&mut self) {
        let chosen = self.dice.below(self.clients.len());
        let client = &mut self.clients[chosen];
        let entity = client.entity();
        let mut on_server = self.server.world_mut().entity_mut(entity);
        match (1 + self.dice.below(7), &mut client.sight) {
            (1, sight) => {
                on_server.remove::<View<D, S>>();
                *sight = None;
            }
            (2, Some(_)) => {
                // Once more the same, with a memory that no longer holds.
                let view = on_server.take::<View<D, S>>().expect("a view");
                on_server.insert(view);
            }
            (3, _) => {
                client.favours = Some(Favours(2 + u32::try_from(self.dice.below(3)).expect("small")));
                on_server.insert(client.favours.expect("just set"));
            }
            (4..=6, Some(sight)) => {
                sight.units = Sight::random(&mut self.dice).units;
                sight.towers = Sight::random(&mut self.dice).towers;
                let mut view = on_server.get_mut::<View<D, S>>().expect("a view");
                view.set_region(0, sight.units).expect("a zone");
                view.set_region(1, sight.towers).expect("a zone");
                let error = view.set_region(3, sight.units).expect_err("there are three");
                assert_eq!(error.to_string(), "the view has 3 zones, and none of number 3");
            }
            (_, sight) => {
                let new = Sight::random(&mut self.dice);
                let view = new.view(self.server.world().resource());
                self.server.world_mut().entity_mut(entity).insert(view);
                *sight = Some(new);
            }
        }
    }

    fn tick(&mut self) {
        self.server.update();
        for client in &mut self.clients {
            self.server.exchange_with_client(&mut client.app);
            client.app.update();
            // All that it has received.
            self.server.exchange_with_client(&mut client.app);
            client.check(self.server.world(), &self.living);
            let visibility = self.server.world().get::<ClientVisibility>(client.entity()).expect("it is authorized");
            assert!(self.dead.iter().all(|&dead| visibility.get(dead).is_empty()), "what is dead is forgotten");
        }
    }
}

fn insert<C: Component + Default>(entity: &mut EntityWorldMut) {
    entity.insert(C::default());
}

/// Adds a component, or removes it.
fn toggle<C: Component + Default>(entity: &mut EntityWorldMut) {
    if entity.contains::<C>() {
        entity.remove::<C>();
    } else {
        insert::<C>(entity);
    }
}

fn random_games<const D: usize, S: Scalar>(seeds: u64, ticks: usize) {
    let (mut came, mut hidden) = (0, 0);
    for seed in 0..seeds {
        let mut game = Game::<D, S>::new(seed);
        for tick in 0..ticks {
            if tick % 4 == 0 {
                game.change_the_clients();
            }
            for _ in 0..game.dice.below(12) {
                game.change_an_entity();
            }
            for _ in 0..game.dice.below(3) {
                if !game.clients.is_empty() {
                    game.change_a_view();
                }
            }
            game.tick();
            let has = game.clients.iter().map(|client| client.has.len());
            came += has.clone().sum::<usize>();
            hidden += has.map(|has| game.living.len() - has).sum::<usize>();
        }
    }
    assert!(1000 < came && 1000 < hidden, "{came} {hidden}");
}

#[test]
fn each_client_has_what_a_scan_says() {
    random_games::<2, f32>(3, 120);
    random_games::<3, f64>(2, 120);
}
