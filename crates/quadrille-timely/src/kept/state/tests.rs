//! Bytes that no program of ours wrote, under a checksum that is right.

use std::rc::Rc;

use quadrille::{Ball, Polygon, Rect};

use super::{Foreign, Given, State};
use crate::partition::Partition;
use crate::question::{Area, Layers, Question};
use crate::row::{Role, Row};
use crate::shard::Shard;
use crate::world::World;

const WORKERS: usize = 3;

fn world() -> World {
    let mut world = World::new(Rect::new([0.0, 0.0], [100.0, 100.0])).and_then(|world| world.reach(5.0)).unwrap();
    world.add_points().unwrap();
    world.add_rects().unwrap();
    world.add_local_points().unwrap();
    world
}

fn row(role: Role, layer: u8, id: u64, side: f32) -> Row<f32, 2> {
    Row { to: 0, role, layer, id, shape: Rect::new([7.0, 9.0], [7.0 + side, 9.0 + side]) }
}

fn standing() -> Vec<(u32, Question)> {
    let areas = [
        Area::Rect(Rect::new([0.0, 0.0], [50.0, 50.0])),
        Area::Ball(Ball::new([60.0, 60.0], 10.0)),
        Area::Polygon(Polygon::new([[0.0, 0.0], [90.0, 0.0], [0.0, 90.0]])),
    ];
    let fences = areas.map(|area| Question::Fence { layers: Layers::ALL, area: Some(area) });
    let contacts = Question::Contacts { layers: Layers::of(1), distance: Some(2.0) };
    (1..).zip(fences.into_iter().chain([contacts])).collect()
}

fn state() -> State<f32, 2> {
    State {
        world: world().in_words(),
        starts: world().first_partition(WORKERS).starts().to_vec(),
        objects: vec![row(Role::Own, 0, 1, 0.0), row(Role::Own, 1, 2, 3.0), row(Role::Own, 2, 300, 0.0)],
        standing: standing(),
    }
}

fn given() -> Given<f32, 2> {
    Given { rows: vec![row(Role::Own, 0, u64::MAX, 0.0), row(Role::Gone, 0, 1 << 63, 0.0)], questions: standing() }
}

/// The bytes with each bit of each byte flipped, and with some numbers in the place of each word.
fn spoilt(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let flipped = (0..8 * bytes.len()).map(|bit| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    });
    let words = [0, 1 << 20, 1 << 40, u64::MAX - 7, u64::MAX];
    let replaced = (0..bytes.len() - 7).flat_map(move |at| {
        words.map(|word| {
            let mut bytes = bytes.to_vec();
            bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
            bytes
        })
    });
    flipped.chain(replaced)
}

/// The bytes cut short anywhere, and with more behind them.
fn of_wrong_length(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len()).map(|length| bytes[..length].to_vec()).chain([[bytes, &[0]].concat(), [bytes, bytes].concat()])
}

fn read(bytes: &[u8]) -> Result<State<f32, 2>, Foreign> {
    State::from_bytes(bytes, &world(), WORKERS)
}

#[test]
fn a_state_of_a_wrong_length_is_foreign() {
    let bytes = state().to_bytes();
    assert_eq!(read(&bytes).unwrap().to_bytes(), bytes);
    for bytes in of_wrong_length(&bytes) {
        read(&bytes).unwrap_err();
    }
}

#[test]
fn a_block_of_a_wrong_length_is_foreign() {
    let bytes = given().to_bytes();
    assert_eq!(Given::from_bytes(&bytes, &world()).unwrap().to_bytes(), bytes);
    for bytes in of_wrong_length(&bytes) {
        Given::from_bytes(&bytes, &world()).unwrap_err();
    }
}

/// If it can be read, a worker can begin with it.
#[test]
fn no_byte_of_a_state_brings_a_worker_down() {
    let (world, whole) = (world(), state());
    let partition = |starts| Rc::new(Partition::from_starts(world.bounds(), world.reach, starts));
    let known = partition(whole.starts.clone());
    for bytes in spoilt(&whole.to_bytes()) {
        let Ok(state) = read(&bytes) else { continue };
        let partition = if state.starts == whole.starts { Rc::clone(&known) } else { partition(state.starts) };
        assert_eq!(partition.workers(), WORKERS);
        Shard::new(&world, partition, 0).restore(&state.objects, &state.standing);
    }
}

/// If it can be read, its rows belong to layers of the world.
#[test]
fn no_byte_of_a_block_names_another_world() {
    let world = world();
    for bytes in spoilt(&given().to_bytes()) {
        let Ok(given) = Given::from_bytes(&bytes, &world) else { continue };
        for row in given.rows {
            assert!(row.role == Role::Gone || usize::from(row.layer) < world.layers.len(), "{row:?}");
        }
    }
}
