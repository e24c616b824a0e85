//! A log whose process dies at any of its operations, on a disk that loses power once another process has gone on.

use crate::support::{block, open, read};
use quadrille_durable::disk::Simulated;
use quadrille_durable::{Log, LogError, Origin};
use std::path::Path;

/// Fills several segments, cuts the newest off, goes on, and removes the oldest.
fn worked(dir: &Path) -> Result<(), LogError> {
    let mut log = open(dir)?;
    for tick in 1..=12 {
        log.append(tick, block(tick))?;
        log.flush()?;
    }
    log.cut_after(Some(5))?;
    for tick in 6..=12 {
        log.append(tick, block(tick))?;
    }
    log.truncate_before(8)?;
    log.flush()
}

/// Returns whether the process died at this operation, and did not end its work before.
fn died_at(operation: u64, seed: u64, more: u64) -> bool {
    let disk = Simulated::new(seed);
    disk.die_after(operation);
    let died = worked(&disk.root()).is_err();
    disk.set_dead(false);

    let mut log = open(&disk.root()).unwrap();
    for tick in 20..20 + more {
        log.append(tick, block(tick)).unwrap();
        log.flush().unwrap();
    }
    let (durable, removed) = (log.durable(), log.removed());
    let kept = read(&mut log, removed).unwrap();
    drop(log);
    disk.lose_power();

    let mut log = open(&disk.root()).unwrap_or_else(|error| panic!("died at {operation}, seed {seed}: {error}"));
    assert_eq!((log.durable(), log.removed()), (durable, removed), "died at {operation}, seed {seed}");
    assert_eq!(read(&mut log, removed).unwrap(), kept);
    assert_ne!(log.origin(), Origin::New, "died at {operation}, seed {seed}");
    died
}

/// The names of files and the note that it finds may not be synced.
#[test]
fn a_log_taken_over_from_a_dead_process_outlives_a_loss_of_power() {
    for (seed, more) in (0..8).flat_map(|seed| [0, 3].map(|more| (seed, more))) {
        let moments = (0..1000).take_while(|operation| died_at(*operation, seed, more)).count();
        assert!((50..1000).contains(&moments), "{moments}");
    }
}
