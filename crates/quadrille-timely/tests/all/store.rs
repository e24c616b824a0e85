//! The store beside lists, and files that are not as they were written.

use std::error::Error;
use std::fs;
use std::iter;
use std::sync::Arc;

use quadrille::Rect;

use super::support::{ALONE, block, file, log};
use crate::kept::keeper::Keeper;
use crate::kept::store::{Begin, Change, Of, Store, StoreError};
use crate::kept::writer::Writer;
use crate::row::Row;
use crate::world::World;

const TWO: Of = Of { process: 1, processes: 2, threads: 2 };

fn change(tick: u64, worker: usize) -> Change {
    Change::Log(tick, worker, block(tick + worker as u64))
}

#[test]
fn what_is_given_comes_back_and_what_is_cut_is_gone() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let path = file(dir.path());
    let store = Store::create(&path, TWO, &[Change::Save(0, 2, vec![1]), Change::Save(0, 3, vec![])])?;
    assert_eq!((store.of(), store.snapshots()?, store.logged(0)?), (TWO, vec![0], 0));
    assert_eq!((store.snapshot(0, 2)?, store.snapshot(0, 3)?), (vec![1], vec![]));
    store.change(&(1..=9).flat_map(|tick| [change(tick, 2), change(tick, 3)]).collect::<Vec<_>>())?;
    store.change(&[
        change(10, 3),
        Change::Save(4, 2, block(1)),
        Change::Save(4, 3, block(2)),
        Change::Save(8, 3, vec![]),
    ])?;
    drop(store);

    let store = Store::open(&path)?;
    // Worker 2 lacks tick 10, and the snapshot of tick 8.
    assert_eq!((store.snapshots()?, store.logged(0)?, store.logged(4)?), (vec![0, 4], 9, 9));
    assert!(matches!(store.snapshot(8, 2), Err(StoreError::Missing { tick: 8, worker: 2, .. })));
    assert_eq!(log(&store, 8)?, [(9, 2, block(11)), (9, 3, block(12)), (10, 3, block(13))]);
    store.change(&[Change::Prune(4)])?;
    assert_eq!((store.snapshots()?, log(&store, 0)?.len()), (vec![4], 11));
    let begin = Begin { tick: 4, until: 7, others: block(99) };
    store.change(&[Change::Begin(begin.clone())])?;
    assert_eq!((store.snapshots()?, store.logged(4)?), (vec![4], 7));
    assert!(store.snapshot(8, 3).is_err());
    assert_eq!((store.begin()?, store.begin()?), (Some(begin), None));
    Ok(())
}

/// Longer bytes than a page holds go in parts; shorter ones take their place in whole.
#[test]
fn bytes_of_any_length_come_back_as_they_were() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let path = file(dir.path());
    let part = (256 << 10) - 128;
    let long = |len: usize| (0..len).map(|at| ((at * 31) >> 3) as u8).collect::<Vec<_>>();
    let lengths = [2 * part + 1, 2 * part, part + 1, part, part - 1, 1, 0];
    let store = Store::create(&path, ALONE, &[])?;
    for len in lengths {
        let begin = Begin { tick: 4, until: 4, others: long(len) };
        store.change(&[Change::Begin(begin.clone()), Change::Log(5, 0, long(len)), Change::Save(4, 0, long(len))])?;
        assert_eq!((store.snapshot(4, 0)?, log(&store, 0)?), (long(len), vec![(5, 0, long(len))]), "{len}");
        assert_eq!((store.snapshots()?, store.logged(4)?, store.begin()?), (vec![4], 5, Some(begin)));
    }
    store.change(&lengths.iter().zip(6..).map(|(len, tick)| Change::Log(tick, 0, long(*len))).collect::<Vec<_>>())?;
    drop(store);
    let store = Store::open(&path)?;
    let all: Vec<_> = lengths.iter().zip(6..).map(|(len, tick)| (tick, 0, long(*len))).collect();
    assert_eq!((store.logged(5)?, log(&store, 5)?), (12, all));
    store.change(&[Change::Prune(11)])?;
    assert_eq!(log(&store, 0)?, [(12, 0, vec![])]);
    Ok(())
}

#[test]
fn a_store_in_use_is_not_opened_twice() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let store = Store::create(&file(dir.path()), ALONE, &[])?;
    assert!(matches!(Store::open(&file(dir.path())), Err(StoreError::InUse { .. })));
    let writer = Writer::start(store)?;
    assert!(matches!(Store::open(&file(dir.path())), Err(StoreError::InUse { .. })));
    drop(writer);
    Store::open(&file(dir.path()))?;
    Ok(())
}

/// Two processes that do not know of each other: neither removes what the other one may still need.
#[test]
fn what_all_have_saved_replaces_what_is_older() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let mut world = World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).and_then(|world| world.in_flight(3))?;
    world.add_points()?;
    let paths = [0, 1].map(|process| dir.path().join(format!("{process}")));
    let (mut writers, mut keepers) = (Vec::new(), Vec::new());
    for (process, path) in paths.iter().enumerate() {
        let of = Of { process, processes: 2, threads: 1 };
        let writer = Arc::new(Writer::start(Store::create(path, of, &[Change::Save(0, process, vec![])])?)?);
        keepers.push(Keeper::new(4, &world, Arc::clone(&writer), process));
        writers.push(writer);
    }
    let kept = || paths.clone().map(|path| Store::open(&path).unwrap());
    for tick in 1..=19 {
        for keeper in &mut keepers {
            keeper.log(tick, block(tick))?;
            if keeper.wants(tick) {
                keeper.take(tick, &[], iter::empty::<Row<f32, 2>>(), &[]);
            }
            keeper.answered(tick + 1)?;
            keeper.finish()?;
        }
        assert!(writers.iter().all(|writer| writer.durable() == tick));
    }
    drop((writers, keepers));
    // All have answered tick 19, so all have given the state after tick 16, and that after tick 12 is durable.
    for store in kept() {
        assert_eq!((store.snapshots()?, store.logged(12)?, log(&store, 0)?.len()), (vec![12, 16], 19, 7));
    }
    Ok(())
}

/// More bytes than may wait, from two threads, and memory that comes back.
#[test]
fn workers_that_are_faster_than_the_disk_wait_for_it() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let of = Of { process: 0, processes: 1, threads: 2 };
    let writer = Arc::new(Writer::start(Store::create(&file(dir.path()), of, &[])?)?);
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let writer = &writer;
            scope.spawn(move || {
                for tick in 1..=20 {
                    let mut bytes = writer.spare();
                    bytes.resize(6 << 20, tick as u8);
                    writer.log(tick, worker, bytes).unwrap();
                }
            });
        }
    });
    writer.flush()?;
    assert_eq!(writer.durable(), 20);
    assert!(!writer.spare().is_empty());
    drop(writer);
    let store = Store::open(&file(dir.path()))?;
    assert_eq!((store.logged(0)?, log(&store, 19)?[1].2.len()), (20, 6 << 20));
    Ok(())
}

/// Each part cut off, each flipped, and files of something else: an error that names the file, or all is there.
#[test]
fn a_file_that_others_have_changed_is_an_error() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let path = file(dir.path());
    let changes: Vec<Change> =
        (1..=40).flat_map(|tick| [change(tick, 0), Change::Save(tick, 0, block(tick))]).collect();
    drop(Store::create(&path, ALONE, &changes)?);
    let whole = fs::read(&path)?;
    let all = |store: &Store| -> Result<_, StoreError> { Ok((store.snapshots()?, log(store, 0)?)) };
    let expected = all(&Store::open(&path)?)?;
    let (mut errors, step) = (0, whole.len() / 60);
    for nth in 0..60 {
        let (mut cut, mut flipped) = (whole[..nth * step].to_vec(), whole.clone());
        flipped[nth * step + nth] ^= 0x10;
        for bytes in [&mut cut, &mut flipped] {
            fs::write(&path, bytes)?;
            match Store::open(&path) {
                Ok(store) => assert_eq!(all(&store)?, expected, "{nth}"),
                Err(error) => {
                    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
                    errors += 1;
                }
            }
        }
    }
    assert!(errors > 60, "{errors}");
    for bytes in [vec![], b"snapshot".to_vec(), vec![0; 100_000], vec![0xFF; 100_000]] {
        fs::write(&path, bytes)?;
        assert!(Store::open(&path).is_err());
    }
    Ok(())
}
