//! Any log against a plain list of blocks, in random order of calls; opened again in between.

use crate::support::{block, read, small};
use proptest::prelude::*;
use quadrille_durable::{FileLog, Log, LogError, Origin};

/// A call of a log.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    /// Ticks ahead of the last one.
    Append(u64),
    Flush,
    /// Ticks behind the last one.
    Read(u64),
    Truncate(u64),
    Cut(u64),
    Reopen,
}

pub(crate) fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = prop_oneof![
        8 => (1..4_u64).prop_map(Call::Append),
        2 => Just(Call::Flush),
        2 => (0..20_u64).prop_map(Call::Read),
        2 => (0..20_u64).prop_map(Call::Truncate),
        1 => (0..9_u64).prop_map(Call::Cut),
        2 => Just(Call::Reopen),
    ];
    prop::collection::vec(call, 1..60)
}

/// All blocks that were appended and not cut off, and the tick that may have been let go of.
#[derive(Default)]
struct Model {
    ticks: Vec<u64>,
    let_go: u64,
}

impl Model {
    fn last(&self) -> Option<u64> {
        self.ticks.last().copied()
    }

    fn behind(&self, ticks: u64) -> Option<u64> {
        self.last()?.checked_sub(ticks)
    }

    /// Compares all that can be asked. Only a beginning is removed, of blocks that were let go of.
    fn check(&self, log: &mut dyn Log) {
        log.flush().unwrap();
        let removed = log.removed();
        assert!(removed < Some(self.let_go) || removed.is_none());
        let kept: Vec<u64> = self.ticks.iter().copied().filter(|tick| Some(*tick) > removed).collect();
        assert_eq!((log.first(), log.last()), (kept.first().copied(), self.last()));
        assert_eq!(read(log, removed).unwrap(), crate::support::blocks(kept));
        assert_eq!(log.durable(), self.last());
    }
}

/// Makes the calls, and compares after each one that waits.
pub(crate) fn try_out(open: &mut dyn FnMut() -> Box<dyn Log>, calls: &[Call]) {
    let mut model = Model::default();
    let mut log = Some(open());
    assert_eq!(log.as_ref().unwrap().origin(), Origin::New);
    for call in calls {
        let open_log = log.as_mut().unwrap();
        match *call {
            Call::Append(ahead) => {
                let tick = model.last().map_or(ahead - 1, |last| last + ahead);
                open_log.append(tick, block(tick)).unwrap();
                model.ticks.push(tick);
                let again = open_log.append(tick, Vec::new());
                assert!(matches!(again, Err(LogError::Order { last, .. }) if last == Some(tick)));
            }
            Call::Flush => {
                open_log.flush().unwrap();
                assert_eq!(open_log.durable(), model.last());
                assert!(open_log.first() <= open_log.last());
            }
            Call::Read(behind) => {
                let after = model.behind(behind);
                open_log.flush().unwrap();
                match read(&mut **open_log, after) {
                    Ok(found) => {
                        let ticks = model.ticks.iter().copied().filter(|tick| Some(*tick) > after);
                        assert_eq!(found, crate::support::blocks(ticks));
                    }
                    Err(LogError::Truncated { .. }) => assert!(after < open_log.removed()),
                    Err(error) => panic!("{error}"),
                }
            }
            Call::Truncate(behind) => {
                let tick = model.behind(behind).unwrap_or(0);
                open_log.truncate_before(tick).unwrap();
                model.let_go = model.let_go.max(tick);
                open_log.flush().unwrap();
                model.check(&mut **open_log);
            }
            Call::Cut(behind) => {
                let tick = model.behind(behind);
                open_log.flush().unwrap();
                match open_log.cut_after(tick) {
                    Ok(()) => model.ticks.retain(|at| Some(*at) <= tick),
                    Err(LogError::Truncated { .. }) => assert!(tick < open_log.removed()),
                    Err(error) => panic!("{error}"),
                }
                model.check(&mut **open_log);
            }
            Call::Reopen => {
                drop(log.take());
                let mut again = open();
                assert_eq!(again.origin(), if model.ticks.is_empty() { Origin::Empty } else { Origin::Filled });
                assert_eq!(again.torn(), None);
                model.check(&mut *again);
                log = Some(again);
            }
        }
    }
    model.check(&mut *log.unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_log_in_files_is_a_list_of_blocks(calls in calls()) {
        let dir = tempfile::tempdir().unwrap();
        try_out(&mut || Box::new(FileLog::open(dir.path(), 3, &small()).unwrap()), &calls);
    }
}
