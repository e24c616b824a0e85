//! Snapshots: the newest common one, damaged ones, and old ones removed.

use crate::support::files;
use proptest::prelude::*;
use quadrille_durable::{Common, Passed, SnapshotError, Snapshots};
use std::fs;
use std::path::Path;

fn state(worker: usize, tick: u64) -> Vec<u8> {
    (0..50 + worker as u64).map(|at| (tick * 31 + at * 7).to_le_bytes()[0] ^ u8::try_from(worker).unwrap()).collect()
}

fn saved(dir: &Path, workers: usize, ticks: &[u64]) -> Snapshots {
    let snapshots = Snapshots::open(dir, workers).unwrap();
    for tick in ticks {
        for worker in 0..workers {
            snapshots.save(worker, *tick, &state(worker, *tick)).unwrap();
        }
    }
    snapshots
}

#[test]
fn the_newest_common_tick_is_found_whatever_the_number_of_workers_was() {
    let dir = tempfile::tempdir().unwrap();
    let two = Snapshots::open(dir.path().join("not/yet/there"), 2).unwrap();
    assert_eq!(two.last_common().unwrap(), None);

    let two = saved(dir.path(), 2, &[10, 20]);
    two.save(1, 30, b"only this one").unwrap();
    let common = two.last_common().unwrap().unwrap();
    let passed = vec![Passed::Incomplete { tick: 30, workers: 2, missing: vec![0] }];
    assert_eq!(common, Common { tick: 20, workers: 2, passed });
    assert_eq!(two.load(1, &common).unwrap(), state(1, 20));

    // Four go on where two were.
    let four = Snapshots::open(dir.path(), 4).unwrap();
    assert_eq!(four.last_common().unwrap().unwrap(), common);
    assert_eq!(four.forget_after(Some(20)).unwrap(), 1);
    let four = saved(dir.path(), 4, &[25]);
    let common = four.last_common().unwrap().unwrap();
    assert_eq!((common.tick, common.workers, common.passed.len()), (25, 4, 0));
    assert_eq!(four.load(3, &common).unwrap(), state(3, 25));
}

#[test]
fn a_world_that_died_during_its_first_snapshot_has_none() {
    let dir = tempfile::tempdir().unwrap();
    let snapshots = Snapshots::open(dir.path(), 2).unwrap();
    snapshots.save(0, 10, b"state").unwrap();
    fs::write(dir.path().join("00001.new"), b"sta").unwrap();
    assert_eq!(snapshots.last_common().unwrap(), None);
    assert_eq!(snapshots.forget_after(None).unwrap(), 1);
    assert_eq!(files(dir.path()).len(), 1, "the part of a file stays until this worker saves again");
    snapshots.save(1, 10, b"state").unwrap();
    assert_eq!(files(dir.path()).len(), 1);
}

#[test]
fn a_snapshot_cut_short_anywhere_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let snapshots = saved(dir.path(), 2, &[10, 20]);
    let newest = files(dir.path()).pop().unwrap();
    let bytes = fs::read(&newest).unwrap();
    for cut in 0..bytes.len() {
        fs::write(&newest, &bytes[..cut]).unwrap();
        let common = snapshots.last_common().unwrap().unwrap();
        let passed = vec![Passed::Damaged { tick: 20, workers: 2, worker: 1, path: newest.clone() }];
        assert_eq!(common, Common { tick: 10, workers: 2, passed });
        let asked = Common { tick: 20, ..common };
        assert!(matches!(snapshots.load(1, &asked), Err(SnapshotError::Damaged { path }) if path == newest));
    }
    // The older one is damaged too: the world does not begin anew by mistake.
    fs::write(&files(dir.path())[0], b"").unwrap();
    let error = snapshots.last_common().unwrap_err();
    assert!(matches!(&error, SnapshotError::NoneCommon { passed, .. } if passed.len() == 2), "{error}");
}

#[test]
fn a_file_under_the_name_of_another_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let snapshots = saved(dir.path(), 2, &[10, 20]);
    let all = files(dir.path());
    fs::copy(&all[0], &all[2]).unwrap();
    assert_eq!(snapshots.last_common().unwrap().unwrap().tick, 10);
    fs::copy(&all[0], &all[1]).unwrap();
    assert!(matches!(snapshots.last_common(), Err(SnapshotError::NoneCommon { .. })));
}

#[test]
fn pruning_keeps_two_at_least_and_counts_common_ones() {
    let dir = tempfile::tempdir().unwrap();
    let snapshots = saved(dir.path(), 2, &[10]);
    assert_eq!(snapshots.prune(2).unwrap(), None);
    let snapshots = saved(dir.path(), 2, &[20, 30, 40]);
    snapshots.save(0, 50, b"alone").unwrap();
    assert_eq!(snapshots.prune(3).unwrap(), Some(20));
    assert_eq!(files(dir.path()).len(), 7);
    assert_eq!(snapshots.prune(0).unwrap(), Some(30));
    assert_eq!(files(dir.path()).len(), 5);
    assert_eq!(snapshots.prune(5).unwrap(), None);
    assert_eq!(snapshots.last_common().unwrap().unwrap().tick, 40);
}

#[test]
fn names_that_no_snapshot_has_are_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let snapshots = saved(dir.path(), 2, &[10]);
    for name in ["00000000000000000099-00000-of-70000", "00000000000000000099-00000-of-4000000000", "99-0-of-1"] {
        fs::write(dir.path().join(format!("{name}.snapshot")), b"not ours").unwrap();
    }
    assert_eq!(snapshots.last_common().unwrap(), Some(Common { tick: 10, workers: 2, passed: Vec::new() }));
    let error = Snapshots::open(dir.path(), 70_000).unwrap_err();
    assert!(matches!(error, SnapshotError::Workers { workers: 70_000, .. }));
}

#[test]
fn a_worker_beyond_the_limit_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let error = Snapshots::open(dir.path(), 2).unwrap().save(2, 7, b"").unwrap_err();
    assert!(matches!(error, SnapshotError::Worker { worker: 2, workers: 2, .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn flipped_bytes_give_an_older_snapshot_or_an_error(
        flips in prop::collection::vec((0..4_usize, any::<prop::sample::Index>(), 1..=255_u8), 1..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let snapshots = saved(dir.path(), 2, &[10, 20]);
        let before: Vec<Vec<u8>> = files(dir.path()).iter().map(|file| fs::read(file).unwrap()).collect();
        let mut after = before.clone();
        for (file, at, flip) in flips {
            let at = at.index(after[file].len());
            after[file][at] ^= flip;
        }
        for (file, bytes) in files(dir.path()).iter().zip(&after) {
            fs::write(file, bytes).unwrap();
        }
        let intact = |tick: usize| (0..2).all(|worker| after[2 * tick + worker] == before[2 * tick + worker]);
        match snapshots.last_common() {
            Ok(common) => {
                let common = common.unwrap();
                prop_assert_eq!(common.tick, if intact(1) { 20 } else { 10 });
                prop_assert_eq!(common.passed.is_empty(), common.tick == 20);
                for worker in 0..2 {
                    prop_assert_eq!(snapshots.load(worker, &common).unwrap(), state(worker, common.tick));
                }
            }
            Err(SnapshotError::NoneCommon { .. }) => prop_assert!(!intact(0) && !intact(1)),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }
}

#[test]
fn a_process_of_an_older_start_cannot_save_for_a_newer_one() {
    let dir = tempfile::tempdir().unwrap();
    let old = saved(&dir.path().join("1"), 2, &[10, 20]);
    old.save(0, 30, b"alone").unwrap();
    let new = Snapshots::open(dir.path().join("2"), 2).unwrap();
    new.save(1, 10, b"of another").unwrap();
    let common = old.last_common().unwrap().unwrap();
    assert!(matches!(old.hand_over(&common, &new), Err(SnapshotError::Io { .. })));
    let new = Snapshots::open(dir.path().join("3"), 2).unwrap();
    old.hand_over(&common, &new).unwrap();
    // The older one goes on for a while.
    old.save(1, 30, b"late").unwrap();
    assert_eq!(old.forget_after(None).unwrap(), 6);
    assert_eq!(new.last_common().unwrap(), Some(Common { tick: 20, workers: 2, passed: Vec::new() }));
    assert_eq!(new.load(1, &common).unwrap(), state(1, 20));
    fs::remove_dir_all(dir.path().join("1")).unwrap();
    let error = old.save(0, 40, b"later").unwrap_err();
    assert!(matches!(error, SnapshotError::Replaced { .. }), "{error}");
}
