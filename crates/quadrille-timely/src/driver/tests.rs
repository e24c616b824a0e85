//! A worker that fails ends the others.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use quadrille::Rect;

use super::{Brake, Keeper, WorkError, work};
use crate::feed::{Feed, FeedError};
use crate::program::Program;
use crate::question::Question;
use crate::row::Row;
use crate::world::World;

const LAST: u64 = 3;

struct Idle;

impl Program<f32, 2> for Idle {
    fn feed(&mut self, _: u64, _: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        Ok(())
    }
    fn is_last(&self, tick: u64) -> bool {
        tick == LAST
    }
}

/// Fails when all has been answered.
struct Full(bool);

impl Keeper<f32, 2> for Full {
    fn log(&mut self, _: u64, _: Vec<u8>) -> Result<(), FeedError> {
        Ok(())
    }
    fn spare(&mut self) -> Vec<u8> {
        Vec::new()
    }
    fn wants(&self, _: u64) -> bool {
        false
    }
    fn take(&mut self, _: u64, _: &[u32], _: &mut dyn Iterator<Item = Row<f32, 2>>, _: &[(u32, Question<f32, 2>)]) {}
    fn answered(&mut self, before: u64) -> Result<(), FeedError> {
        let fails = self.0 && before > LAST;
        if fails { Err(FeedError::NotKept("a test".into())) } else { Ok(()) }
    }
}

#[test]
fn a_worker_that_fails_at_the_very_end_keeps_nobody_waiting() {
    let world = World::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let brake = Arc::new(Brake::default());
    let guards = timely::execute(timely::Config::process(2), move |timely| {
        let keeper: Rc<RefCell<dyn Keeper<f32, 2>>> = Rc::new(RefCell::new(Full(timely.index() == 1)));
        work(timely, &world, Box::new(|_| Box::new(Idle)), None, BTreeMap::new(), Some(keeper), &brake)
    });
    let results: Vec<_> = guards.unwrap().join().into_iter().map(Result::unwrap).collect();
    assert!(results[0].is_ok() || results[0] == Err(WorkError::Other), "{results:?}");
    assert!(matches!(results[1], Err(WorkError::Feed { tick: LAST, .. })), "{results:?}");
}
