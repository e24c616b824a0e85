//! Polls of watches and contacts, and the objects that they are told of.

use proptest::prelude::*;
use quadrille::Handle;

use super::Real;
use super::oracle::Model;
use super::run::Run;

/// How a poll asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Poll {
    Whole,
    /// Told of all objects that have changed.
    Moved,
    /// Told of some of them, and of others that have not changed.
    Forgetful,
}

pub fn poll() -> BoxedStrategy<Poll> {
    prop_oneof![2 => Just(Poll::Whole), 5 => Just(Poll::Moved), 1 => Just(Poll::Forgetful)].boxed()
}

/// The objects at the last poll.
pub struct Told<S, const D: usize> {
    before: Model<S, D>,
    /// The objects that had changed already, if some of them were forgotten.
    forgotten: Vec<Handle>,
}

impl<S: Real, const D: usize> Told<S, D> {
    pub fn nothing() -> Self {
        Self { before: Model::new(), forgotten: Vec::new() }
    }

    /// The objects that a poll is told of, some of them twice and some of them dead; `None` for a whole poll.
    pub fn of(&mut self, run: &Run<S, D>, poll: Poll) -> Option<Vec<Handle>> {
        let mut changed = run.model.changed_since(&self.before);
        changed.append(&mut self.forgotten);
        self.before = run.model.clone();
        match poll {
            Poll::Whole => None,
            Poll::Moved => {
                let twice = changed.iter().take(3).chain(&run.gone).copied().collect::<Vec<_>>();
                Some(changed.into_iter().rev().chain(twice).collect())
            }
            Poll::Forgetful => {
                let others = run.model.objects.iter().map(|known| known.handle).step_by(5);
                let told = changed.iter().copied().step_by(2).chain(others).collect();
                self.forgotten = changed;
                Some(told)
            }
        }
    }
}
