//! A log in files that is torn, damaged, or gone.

use crate::support::{block, blocks, copied, filled, open, read, segments, small};
use proptest::prelude::*;
use quadrille_durable::{FileLog, FileLogOptions, Log, LogError, Origin, Torn};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// A number of blocks that fill some segments.
const TICKS: std::ops::Range<u64> = 5..25;

fn cut(file: &Path, len: u64) {
    fs::OpenOptions::new().write(true).open(file).unwrap().set_len(len).unwrap();
}

#[test]
fn a_log_torn_anywhere_in_its_last_block_loses_that_one_and_tells() {
    let whole = tempfile::tempdir().unwrap();
    // Long enough, and in one segment with the one before it.
    let lens = filled(whole.path(), [7, 8, 9]);
    let (start, end) = (lens[1], lens[2]);
    assert!(end > start + 100 && segments(whole.path()).len() == 1);
    // Behind the block stands the mark that it was synced.
    let mark = end - 56;
    for len in start..end {
        let torn = copied(whole.path());
        let file = segments(torn.path()).pop().unwrap();
        cut(&file, len);
        let mut log = open(torn.path()).unwrap();
        let kept = if len < mark { 7..=8 } else { 7..=9 };
        let (lost, after) = if len < mark { (len - start, Some(8)) } else { (len - mark, Some(9)) };
        let tick = (len >= start + 56 && len < mark).then_some(9);
        let expected = Torn { place: file.display().to_string(), bytes: lost, after, tick };
        assert_eq!(log.torn(), (lost > 0).then_some(&expected), "cut at {len}");
        assert_eq!((log.origin(), log.durable()), (Origin::Filled, after));
        assert_eq!(read(&mut log, None).unwrap(), blocks(kept.clone()));
        // It goes on, and is whole from then on.
        log.append(12, block(12)).unwrap();
        drop(log);
        let mut log = open(torn.path()).unwrap();
        assert_eq!(log.torn(), None);
        assert_eq!(read(&mut log, None).unwrap(), blocks(kept.chain([12])));
    }
}

#[test]
fn long_blocks_are_read_though_their_memory_was_let_go_and_used_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = FileLog::open(dir.path(), 3, &FileLogOptions { segment: 5_000_000, ..small() }).unwrap();
    let (mut memory, mut expected) = (Vec::new(), Vec::new());
    for tick in 0..30 {
        memory.clear();
        memory.extend(block(10 * tick + 2).repeat(1 + 300_000 / (1 + block(10 * tick + 2).len())));
        expected.push((tick, memory.clone()));
        log.append(tick, memory).unwrap();
        log.flush().unwrap();
        memory = log.spare();
        assert_eq!(memory, expected.last().unwrap().1);
    }
    assert!(segments(dir.path()).len() == 2 && log.spare().is_empty());
    assert_eq!(read(&mut log, None).unwrap(), expected);
    drop(log);
    assert_eq!(read(&mut open(dir.path()).unwrap(), Some(7)).unwrap(), expected[8..]);
}

#[test]
fn an_end_of_zeros_is_torn() {
    let dir = tempfile::tempdir().unwrap();
    let lens = filled(dir.path(), [7, 8]);
    // A loss of power may leave the length of a file and not its bytes.
    cut(&segments(dir.path())[0], lens[1] + 5000);
    let mut log = open(dir.path()).unwrap();
    assert_eq!((log.torn().unwrap().bytes, log.torn().unwrap().after), (5000, Some(8)));
    assert_eq!(read(&mut log, None).unwrap(), blocks([7, 8]));
}

#[test]
fn a_block_that_was_never_synced_may_be_whole_behind_one_that_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path()).unwrap();
    log.append(1, block(1)).unwrap();
    log.flush().unwrap();
    drop(log);
    let file = segments(dir.path()).pop().unwrap();
    let start = usize::try_from(fs::metadata(&file).unwrap().len()).unwrap();
    // Until both are in one write, which the thread decides.
    let bytes = loop {
        cut(&file, start as u64);
        let mut log = FileLog::open(dir.path(), 3, &FileLogOptions::default()).unwrap();
        log.append(7, vec![7; 100]).unwrap();
        log.append(8, vec![8; 100]).unwrap();
        drop(log);
        let bytes = fs::read(&file).unwrap();
        if bytes.len() == start + 2 * (56 + 100) + 56 {
            break bytes;
        }
    };
    // A loss of power has kept the second block, not the first, and no mark.
    let mut torn = bytes[..bytes.len() - 56].to_vec();
    torn[start + 60] ^= 1;
    fs::write(&file, &torn).unwrap();
    let mut log = open(dir.path()).unwrap();
    assert_eq!(log.torn().map(|torn| (torn.bytes, torn.tick)), Some((312, Some(7))));
    assert_eq!(read(&mut log, None).unwrap(), blocks([1]));
    drop(log);
    // The mark says that both were synced: that is damage.
    let mut damaged = bytes;
    damaged[start + 60] ^= 1;
    fs::write(&file, &damaged).unwrap();
    let error = open(dir.path()).unwrap_err();
    assert!(matches!(error, LogError::Damaged { at, after: Some(1), .. } if at == start as u64), "{error}");
    assert_eq!(fs::read(&file).unwrap(), damaged, "nothing is cut off");
}

#[test]
fn gone_and_never_there_differ() {
    let dir = tempfile::tempdir().unwrap();
    let log = open(dir.path()).unwrap();
    assert_eq!((log.origin(), log.first(), log.last(), log.durable()), (Origin::New, None, None, None));
    drop(log);
    assert_eq!(open(dir.path()).unwrap().origin(), Origin::Empty);
    filled(dir.path(), TICKS);
    assert_eq!(open(dir.path()).unwrap().origin(), Origin::Filled);

    for segment in segments(dir.path()) {
        fs::remove_file(segment).unwrap();
    }
    assert!(matches!(open(dir.path()), Err(LogError::Lost { .. })));
    fs::remove_dir_all(dir.path().join("worker-00003")).unwrap();
    let log = open(dir.path()).unwrap();
    assert_eq!((log.origin(), log.last()), (Origin::New, None));
}

#[test]
fn a_missing_segment_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), TICKS);
    let count = segments(dir.path()).len();
    assert!(count > 3);
    for at in 1..count - 1 {
        let copy = copied(dir.path());
        fs::remove_file(&segments(copy.path())[at]).unwrap();
        assert!(matches!(open(copy.path()), Err(LogError::Missing { .. })));
    }
    // Without its first one it is like one that was truncated.
    fs::remove_file(&segments(dir.path())[0]).unwrap();
    let mut log = open(dir.path()).unwrap();
    let removed = log.removed().unwrap();
    assert!(matches!(read(&mut log, None), Err(LogError::Truncated { after: None, .. })));
    assert!(matches!(read(&mut log, Some(removed - 1)), Err(LogError::Truncated { .. })));
    assert_eq!(read(&mut log, Some(removed)).unwrap(), blocks(removed + 1..TICKS.end));
}

#[test]
fn a_segment_cut_short_where_another_follows_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), TICKS);
    let mut missing = 0;
    for at in 0..2 {
        let file = &segments(dir.path())[at];
        let bytes = fs::read(file).unwrap();
        for len in 0..bytes.len() - 56 {
            fs::write(file, &bytes[..len]).unwrap();
            let error = open(dir.path()).and_then(|mut log| read(&mut log, None)).unwrap_err();
            missing += usize::from(matches!(error, LogError::Missing { .. }));
        }
        fs::write(file, &bytes).unwrap();
    }
    assert!(missing > 2, "between two records nothing is damaged, and yet blocks are missing");
    assert_eq!(read(&mut open(dir.path()).unwrap(), None).unwrap(), blocks(TICKS));
}

#[test]
fn a_segment_of_another_log_is_foreign() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(dir.path(), TICKS);
    filled(other.path(), TICKS);
    for from in [&segments(other.path())[1], &segments(dir.path())[0]] {
        fs::copy(from, &segments(dir.path())[1]).unwrap();
        assert!(matches!(open(dir.path()), Err(LogError::Foreign { worker: 3, .. })));
    }
}

#[test]
fn a_second_writer_is_kept_off() {
    let dir = tempfile::tempdir().unwrap();
    let log = open(dir.path()).unwrap();
    assert!(matches!(open(dir.path()), Err(LogError::InUse { .. })));
    assert!(FileLog::open(dir.path(), 4, &small()).is_ok());
    drop(log);
    assert!(open(dir.path()).is_ok());
}

#[test]
fn truncation_removes_files_and_never_a_block_that_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = FileLog::open(dir.path(), 3, &FileLogOptions::default()).unwrap();
    for snapshot in 1..=10_u64 {
        for tick in 10 * snapshot..10 * (snapshot + 1) {
            log.append(tick, block(tick)).unwrap();
        }
        // Two snapshots are kept.
        log.truncate_before(10 * snapshot - 10).unwrap();
        log.flush().unwrap();
        assert!(segments(dir.path()).len() <= 3);
    }
    assert_eq!((log.removed(), log.first(), log.last()), (Some(89), Some(90), Some(109)));
    assert_eq!(read(&mut log, Some(89)).unwrap(), blocks(90..110));
}

#[test]
fn a_tick_that_files_cannot_name_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path()).unwrap();
    assert!(matches!(log.append(u64::MAX, Vec::new()), Err(LogError::Order { last: None, .. })));
    log.append(0, block(0)).unwrap();
    log.append(u64::MAX - 1, block(u64::MAX - 1)).unwrap();
    drop(log);
    assert_eq!(read(&mut open(dir.path()).unwrap(), None).unwrap(), blocks([0, u64::MAX - 1]));
}

proptest! {
    #[test]
    fn flipped_bytes_are_noticed(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..=255_u8), 1..4),
    ) {
        static WHOLE: LazyLock<TempDir> = LazyLock::new(|| {
            let dir = tempfile::tempdir().unwrap();
            filled(dir.path(), TICKS);
            dir
        });
        let dir = copied(WHOLE.path());
        for (file, at, flip) in &flips {
            let all = segments(dir.path());
            let file = &all[file.index(all.len())];
            let mut bytes = fs::read(file).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            fs::write(file, bytes).unwrap();
        }
        let Ok(mut log) = open(dir.path()) else { return Ok(()) };
        let torn = log.torn().cloned();
        let all = blocks(TICKS);
        // An end is only cut off where the last block and the mark behind it are hit both.
        match read(&mut log, None) {
            Ok(found) if flips.len() == 1 || torn.is_none() => prop_assert_eq!(found, all),
            Ok(found) => prop_assert!(all.starts_with(&found)),
            Err(LogError::Damaged { .. }) => (),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }
}
