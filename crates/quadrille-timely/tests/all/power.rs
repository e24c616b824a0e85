//! A store whose process dies at any of its operations, on a disk that loses power once another process has gone on.

use super::support::{ALONE, block, file, log};
use crate::kept::store::{Begin, Change, Store, StoreError};
use crate::kept::writer::Writer;
use crate::simulation::disk::{Simulated, sync_dir};

/// Returns whether the process died at this operation, and did not end its work before.
fn died_at(operation: u64, seed: u64, more: u64) -> bool {
    let disk = Simulated::new(seed);
    let (dir, path) = (disk.root(), file(&disk.root()));
    drop(Store::create(&path, ALONE, &[Change::Save(0, 0, vec![])]).unwrap());
    sync_dir(&dir).unwrap();
    // Writes ticks, saves and prunes, cuts the newest off, and goes on.
    let worked = || -> Result<(), StoreError> {
        let store = Store::open(&path)?;
        let writer = Writer::start(store)?;
        for tick in 1..=8 {
            writer.log(tick, 0, block(tick))?;
            if tick % 3 == 0 {
                writer.save(tick, 0, block(tick))?;
                writer.prune(tick - 3);
            }
        }
        writer.flush()?;
        drop(writer);
        let store = Store::open(&path)?;
        store.change(&[Change::Begin(Begin { tick: 6, until: 7, others: block(1) })])?;
        store.begin()?;
        store.change(&[Change::Log(8, 0, block(8))])
    };
    disk.die_after(operation);
    let died = worked().is_err();
    disk.set_dead(false);
    disk.break_locks();

    let open = || Store::open(&path).unwrap_or_else(|error| panic!("died at {operation}, seed {seed}: {error}"));
    let store = open();
    let newest = *store.snapshots().unwrap().last().unwrap();
    let last = store.logged(newest).unwrap();
    for tick in last + 1..=last + more {
        store.change(&[Change::Log(tick, 0, block(tick))]).unwrap();
    }
    let kept = (store.snapshots().unwrap(), log(&store, 0).unwrap());
    assert!(kept.1.iter().all(|(tick, _, bytes)| *bytes == block(*tick)));
    assert_eq!(store.snapshot(newest, 0).unwrap(), if newest == 0 { vec![] } else { block(newest) });
    drop(store);
    disk.lose_power();

    let store = open();
    assert_eq!((store.snapshots().unwrap(), log(&store, 0).unwrap()), kept, "died at {operation}, seed {seed}");
    died
}

#[test]
fn a_store_taken_over_from_a_dead_process_outlives_a_loss_of_power() {
    for (seed, more) in (0..4).flat_map(|seed| [0, 3].map(|more| (seed, more))) {
        let moments = (0..1000).take_while(|operation| died_at(*operation, seed, more)).count();
        assert!((50..1000).contains(&moments), "{moments}");
    }
}
