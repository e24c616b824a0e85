//! Directories of another shape, of another start, of another world.

use quadrille::Rect;

use super::{Change, Kept, Of, RecoveryError, Role, Row, StoreError, World, bytes_of, worker_of};
use crate::simulation::disk::Simulated;

fn kept(dir: &tempfile::TempDir) -> Kept {
    Kept { dir: dir.path().join("world") }
}

/// A torn file is none, by its checksums; this one is whole, and not ours.
#[test]
fn a_snapshot_of_a_wrong_length_is_foreign() {
    let dir = tempfile::tempdir().unwrap();
    let (kept, world) = (kept(&dir), World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap());
    assert_eq!(kept.prepare(&world, 2, 1).unwrap(), 0);
    let save = |bytes: &[u8]| {
        let stores = kept.stores(1).unwrap();
        stores[1].change(&[Change::Save(0, 1, bytes.to_vec())]).unwrap();
    };
    let bytes = kept.stores(1).unwrap()[1].snapshot(0, 1).unwrap();
    for length in [0, 1, 2, 9, 17, 40, bytes.len() - 1] {
        save(&bytes[..length]);
        let error = kept.prepare(&world, 2, 1).unwrap_err();
        assert!(matches!(error, RecoveryError::Foreign(_)), "{error}");
    }
    save(&bytes);
    assert_eq!(kept.prepare(&world, 2, 1).unwrap(), 0);
}

#[test]
fn no_start_begins_beside_a_process_of_an_older_one_or_unprepared() {
    let dir = tempfile::tempdir().unwrap();
    let (kept, world) = (kept(&dir), World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap());
    let open = |process, processes, threads| kept.open(&world, Of { process, processes, threads });
    assert!(matches!(open(0, 2, 1), Err(RecoveryError::NotPrepared { workers: 2, .. })));
    assert_eq!(kept.prepare(&world, 2, 1).unwrap(), 0);
    let old = open(1, 2, 1).unwrap();
    for (processes, threads) in [(2, 1), (3, 1), (1, 2)] {
        let error = kept.prepare(&world, processes, threads).unwrap_err();
        assert!(matches!(error, RecoveryError::Store(StoreError::InUse { .. })), "{error}");
    }
    drop(old);
    // It has begun already, and the others have other numbers.
    for (process, processes, threads) in [(1, 2, 1), (0, 1, 2), (2, 3, 1)] {
        let error = open(process, processes, threads).map(drop).unwrap_err();
        assert!(matches!(error, RecoveryError::NotPrepared { .. }), "{error}");
    }
    assert_eq!(kept.prepare(&world, 1, 2).unwrap(), 0);
    assert_eq!(open(0, 1, 2).unwrap().replays.len(), 2);
}

/// It had made a directory, and died before the name was synced; the next one used that, and removed the old one.
#[test]
fn a_start_after_one_that_died_outlives_a_loss_of_power() {
    let mut world = World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap();
    let layer = world.add_points().unwrap();
    let row = Row { to: 0, role: Role::Own, layer, id: 7, shape: Rect::from_point([0.5, 0.5]) };
    let died_at = |operation, seed| {
        let disk = Simulated::new(seed);
        let kept = Kept { dir: disk.root().join("world") };
        kept.prepare(&world, 1, 1).unwrap();
        let state = bytes_of(&world, &world.first_partition(1), vec![row], vec![]);
        kept.stores(1).unwrap()[0].change(&[Change::Save(0, 0, state)]).unwrap();
        disk.die_after(operation);
        let _ = kept.prepare(&world, 2, 1);
        disk.set_dead(false);
        disk.break_locks();
        (disk, kept)
    };
    let has_both = |operation: &u64| died_at(*operation, 0).1.numbers().unwrap() == [1, 2];
    let made = (50..1000).find(has_both).expect("the second is made before the first is removed");
    for (operation, seed) in (made..made + 3).flat_map(|operation| (0..8).map(move |seed| (operation, seed))) {
        let (disk, kept) = died_at(operation, seed);
        kept.prepare(&world, 2, 1).unwrap();
        disk.lose_power();
        kept.prepare(&world, 2, 1).unwrap();
        let of = |process| Of { process, processes: 2, threads: 1 };
        let has =
            |process| kept.open(&world, of(process)).unwrap().start.objects.iter().any(|other| other.id == row.id);
        assert!(has(0) || has(1), "died at {operation}, seed {seed}");
    }
}

#[test]
fn a_directory_of_an_earlier_version_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let (kept, world) = (kept(&dir), World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap());
    std::fs::create_dir_all(kept.dir.join("snapshots/1")).unwrap();
    let error = kept.prepare(&world, 2, 1).unwrap_err();
    assert!(matches!(error, RecoveryError::Older { .. }), "{error}");
    assert!(!kept.dir.join("1").exists());
}

#[test]
fn a_process_loads_what_its_workers_hold_or_read() {
    let mut world = World::new(Rect::new([0.0_f32, 0.0], [100.0, 100.0])).unwrap().reach(3.0).unwrap();
    let layers = [world.add_local_rects().unwrap(), world.add_rects().unwrap()];
    let all: Vec<Row<f32, 2>> = (0..400_u64)
        .map(|id| {
            let min = [id * 37 % 101, id * 53 % 97].map(|c| c as f32);
            let shape = Rect::new(min, min.map(|c| c + (id % 5) as f32));
            Row { to: 0, role: Role::Own, layer: layers[id as usize % 2], id: id << 40, shape }
        })
        .collect();
    let partition = world.first_partition(4);
    for (processes, threads) in [(4, 1), (2, 2), (1, 4)] {
        let dir = tempfile::tempdir().unwrap();
        let kept = kept(&dir);
        kept.prepare(&world, processes, threads).unwrap();
        for store in kept.stores(1).unwrap() {
            let save = |worker| {
                let is_own = |row: &&Row<f32, 2>| usize::from(partition.owner(row.shape.min())) == worker;
                let objects = all.iter().filter(is_own).copied().collect();
                Change::Save(0, worker, bytes_of(&world, &partition, objects, vec![]))
            };
            store.change(&store.of().workers().map(save).collect::<Vec<_>>()).unwrap();
        }
        // The same numbers, and others that have to share it out anew.
        for (processes, threads) in [(processes, threads), (4, 1), (2, 2)] {
            kept.prepare(&world, processes, threads).unwrap();
            for process in 0..processes {
                let of = Of { process, processes, threads };
                let start = kept.open(&world, of).unwrap().start;
                assert_eq!(start.partition.starts(), partition.starts());
                let mut ids: Vec<u64> = start.objects.iter().map(|row| row.id).collect();
                ids.sort_unstable();
                let expected = all.iter().filter(|row| {
                    let mut holders = Vec::new();
                    partition.holders(&row.shape, &mut holders);
                    let reads = row.layer == layers[1] && of.workers().contains(&world.reader_of(row.id, 4));
                    reads || holders.iter().any(|holder| of.workers().contains(&usize::from(*holder)))
                });
                let mut expected: Vec<u64> = expected.map(|row| row.id).collect();
                expected.sort_unstable();
                assert_eq!(ids, expected, "{of:?}");
            }
        }
    }
}

#[test]
fn the_reader_of_an_object_takes_it_out_though_the_first_layer_is_local() {
    let world = World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap();
    let mut world = world.reader(|_, workers| workers - 1);
    let local = world.add_local_points().unwrap();
    let fed = world.add_points().unwrap();
    let row = |role, layer| Row { to: 0, role, layer, id: 4, shape: Rect::from_point([0.5, 0.5]) };
    assert_eq!(worker_of(&world, &row(Role::Own, local), 3), 1);
    assert_eq!(worker_of(&world, &row(Role::Own, fed), 3), 2);
    assert_eq!(worker_of(&world, &row(Role::Gone, 0), 3), 2);
}
