//! An index beside an ECS: positions live in the ECS, and each entity carries its handle.
//!
//!     cargo run --example hecs
//!
//! The value of an object in the index is its entity, so each side leads to the other. Entities move in the ECS; then all
//! new positions go into the index at once.

use std::error::Error;

use hecs::{Entity, World};
use quadrille::{Contacts, Handle, LayerId, Quadtree, Rect};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

struct Position([f32; 2]);
struct Velocity([f32; 2]);

const SIDE: f32 = 500.0;

/// The index, and what is watched in it.
struct Space {
    index: Quadtree<Entity>,
    contacts: Contacts,
}

fn spawn(
    world: &mut World,
    index: &mut Quadtree<Entity>,
    layer: LayerId,
    dice: &mut Pcg32,
) -> Result<(), Box<dyn Error>> {
    let [at, velocity] =
        [0.0..SIDE, -2.0..2.0].map(|range| [dice.random_range(range.clone()), dice.random_range(range)]);
    let entity = world.spawn((Position(at), Velocity(velocity)));
    let handle = index.insert_any(layer, Rect::from_point(at), entity)?;
    world.insert_one(entity, handle)?;
    Ok(())
}

/// Despawns an entity on both sides.
fn despawn(world: &mut World, index: &mut Quadtree<Entity>, entity: Entity) -> Result<(), Box<dyn Error>> {
    let handle = *world.get::<&Handle>(entity)?;
    index.remove(handle);
    world.despawn(entity)?;
    Ok(())
}

/// Moves all entities, then the index.
fn step(world: &mut World, index: &mut Quadtree<Entity>) {
    for (position, velocity) in world.query_mut::<(&mut Position, &mut Velocity)>() {
        for axis in 0..2 {
            position.0[axis] += velocity.0[axis];
            if !(0.0..SIDE).contains(&position.0[axis]) {
                velocity.0[axis] = -velocity.0[axis];
            }
        }
    }
    let positions =
        world.query_mut::<(&Handle, &Position)>().into_iter().map(|(&handle, position)| (handle, position.0));
    let moved = index.move_batch(positions);
    assert!(moved.refused.is_empty(), "all positions are finite and all handles live");
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::new();
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE]))?;
    let units = index.add_point_layer()?.id();
    let mut dice = Pcg32::seed_from_u64(1);
    for _ in 0..2000 {
        spawn(&mut world, &mut index, units, &mut dice)?;
    }
    let mut space = Space { index, contacts: Contacts::new() };
    let (mut begun, mut ended) = (0, 0);
    for tick in 0..100 {
        step(&mut world, &mut space.index);
        let changes = space.contacts.poll(space.index.pairs().within(1.0))?;
        begun += changes.begun.len();
        ended += changes.ended.len();
        // The first who meet in a tick vanish, and others come.
        if tick % 10 == 0
            && let Some(&pair) = changes.begun.first()
        {
            for entity in pair.map(|handle| space.index.get(handle).copied()).into_iter().flatten() {
                despawn(&mut world, &mut space.index, entity)?;
                spawn(&mut world, &mut space.index, units, &mut dice)?;
            }
        }
    }
    println!("In 100 ticks {begun} meetings of {} units began, and {ended} ended.", world.len());

    // From the index to the ECS: the velocity of who is nearest to the middle.
    let near = space.index.nearest([SIDE / 2.0; 2]).next().ok_or("nobody is left")?;
    let velocity = world.get::<&Velocity>(*near.object.value())?;
    println!("Nearest to the middle: {:?}, on the way by {:?}.", near.object.value(), velocity.0);

    // Both sides agree.
    assert_eq!(space.index.len(), world.len() as usize);
    for object in &space.index {
        let entity = *object.value();
        assert_eq!(object.shape(), Rect::from_point(world.get::<&Position>(entity)?.0));
        assert_eq!(object.handle(), *world.get::<&Handle>(entity)?);
    }
    println!("Index and ECS agree.");
    Ok(())
}
