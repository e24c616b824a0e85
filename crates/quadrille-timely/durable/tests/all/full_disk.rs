//! Disks that take nothing more.

use crate::support::{DIR, block, dir, open, program, read, segments};
use quadrille_durable::{FileLog, FileLogOptions, Log, LogError, SnapshotError, Snapshots};
use std::fs;
use std::process::{Command, Stdio};

#[test]
#[cfg(target_os = "linux")]
fn a_snapshot_that_finds_no_room_leaves_the_older_one_of_its_tick() {
    let dir = tempfile::tempdir().unwrap();
    let snapshots = Snapshots::open(dir.path(), 1).unwrap();
    snapshots.save(0, 10, b"old").unwrap();
    // The device that is always full stands where the new file is written aside.
    let aside = dir.path().join("00000.new");
    std::os::unix::fs::symlink("/dev/full", &aside).unwrap();
    let error = snapshots.save(0, 10, b"new").unwrap_err();
    let full = std::io::ErrorKind::StorageFull;
    assert!(matches!(&error, SnapshotError::Io { path, source, .. } if *path == aside && source.kind() == full));
    let common = snapshots.last_common().unwrap().unwrap();
    assert_eq!(snapshots.load(0, &common).unwrap(), b"old");
    snapshots.save(0, 10, b"new").unwrap();
    assert_eq!(snapshots.load(0, &common).unwrap(), b"new");
}

/// Writes until the log refuses: all that was durable must still be there, and each later call must refuse too.
#[test]
#[ignore = "a process of another test"]
fn filler() {
    let mut log = FileLog::open(dir(), 3, &FileLogOptions::default()).unwrap();
    let error = (0..).find_map(|tick| {
        // A file system that is slow must not make this one a matter of memory.
        if tick % 10 == 0 {
            log.flush().err().or_else(|| log.append(tick, block(tick)).err())
        } else {
            log.append(tick, block(tick)).err()
        }
    });
    let error = error.unwrap();
    assert!(
        matches!(&error, LogError::Io { source, .. } if source.kind() == std::io::ErrorKind::FileTooLarge),
        "{error:?}"
    );
    let next = log.last().unwrap() + 1;
    for error in [log.append(next, Vec::new()), log.flush(), log.truncate_before(3), log.cut_after(Some(1))] {
        assert!(matches!(error, Err(LogError::Io { .. })));
    }
    fs::write(dir().join("durable"), log.durable().unwrap().to_string()).unwrap();
}

#[test]
#[cfg(unix)]
fn a_log_that_finds_no_room_keeps_what_was_durable_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let target = program("full_disk::filler");
    // A limit of some 100 kB for each file; without the trap the signal would end the process.
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$@\"", "sh"])
        .arg(target.get_program())
        .args(target.get_args());
    let status = limited.env(DIR, dir.path()).stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
    let durable: u64 = fs::read_to_string(dir.path().join("durable")).unwrap().parse().unwrap();
    assert!(fs::metadata(&segments(dir.path())[0]).unwrap().len() > 50_000);

    // There is room again: a torn end is cut off, and the log goes on.
    let mut log = open(dir.path()).unwrap();
    let last = log.last().unwrap();
    assert!(last >= durable && durable > 10);
    log.append(last + 1, block(last + 1)).unwrap();
    assert_eq!(read(&mut log, None).unwrap(), crate::support::blocks(0..=last + 1));
}

#[test]
fn a_directory_that_vanishes_is_told_when_a_segment_is_to_be_made() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path()).unwrap();
    log.append(0, vec![0; 2000]).unwrap();
    log.flush().unwrap();
    fs::remove_dir_all(dir.path().join("worker-00003")).unwrap();
    log.append(1, Vec::new()).unwrap();
    assert!(matches!(log.flush(), Err(LogError::Io { .. })));
}

#[test]
fn a_slow_disk_makes_append_wait_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path()).unwrap();
    // The queue takes 1000 bytes: one that is longer goes alone.
    for tick in 0..50 {
        log.append(tick, vec![tick.to_le_bytes()[0]; 700 * (1 + usize::from(tick % 7 == 0))]).unwrap();
    }
    let found = read(&mut log, None).unwrap();
    assert!(
        found
            .iter()
            .enumerate()
            .all(|(at, (tick, bytes))| *tick == at as u64 && bytes.iter().all(|byte| usize::from(*byte) == at))
    );
    assert_eq!(found.len(), 50);
}
