//! The last answer of a query, and its difference from the next one. It does not know whether an answer consists of
//! objects or of pairs.

use alloc::vec::Vec;
use core::mem;

/// An answer cannot be compared with the last one.
///
/// ```
/// # use quadrille::{PollError, Quadtree, Rect, Watch};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut inside = Watch::new();
/// inside.poll(index.iter())?;
/// let mut other: Quadtree<u16> = Quadtree::new(index.world())?;
/// let others = other.add_point_layer()?;
/// other.insert(others, [1.0, 2.0], 7)?;
/// assert_eq!(inside.poll(other.iter()), Err(PollError::OtherIndex));
/// assert!(inside.poll(index.clone().iter()).is_ok()); // a clone will do
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PollError {
    /// An object is of another index than the first object that was ever polled, and not of a clone of that index.
    #[error("the watch is of another index")]
    OtherIndex,
}

/// The items `H` of the last answer (handles, or pairs of them), and the name `I` of their index.
pub(super) struct LastAnswer<I, H> {
    /// None before the first item.
    pub(super) index: Option<I>,
    /// In ascending order, each once.
    pub(super) items: Vec<H>,
    /// The items of the answer that is being read. It and the two differences are kept for their memory.
    now: Vec<H>,
    pub(super) come: Vec<H>,
    pub(super) gone: Vec<H>,
}

impl<I, H> LastAnswer<I, H> {
    pub(super) const fn new() -> Self {
        Self::of(None, Vec::new())
    }

    pub(super) const fn of(index: Option<I>, items: Vec<H>) -> Self {
        Self { index, items, now: Vec::new(), come: Vec::new(), gone: Vec::new() }
    }
}

impl<I: Copy + PartialEq, H: Copy + Ord> LastAnswer<I, H> {
    /// Replaces the answer by the next one, and lists the differences. Changes nothing if an item is of another index.
    pub(super) fn replace(&mut self, answer: impl Iterator<Item = (I, H)>) -> Result<(), PollError> {
        self.now.clear();
        let (mut index, mut is_of_one) = (self.index, true);
        // Regions and filters are the user's and may panic, so the last answer is kept until this one is complete.
        answer.for_each(|(of, item)| {
            is_of_one &= *index.get_or_insert(of) == of;
            self.now.push(item);
        });
        if !is_of_one {
            return Err(PollError::OtherIndex);
        }
        self.index = index;
        self.now.sort_unstable();
        self.now.dedup();
        only_in(&self.now, &self.items, &mut self.come);
        only_in(&self.items, &self.now, &mut self.gone);
        mem::swap(&mut self.items, &mut self.now);
        Ok(())
    }
}

/// Collects the items of one ascending list that are not in another one.
fn only_in<H: Copy + Ord>(these: &[H], others: &[H], only: &mut Vec<H>) {
    only.clear();
    let mut others = others.iter().peekable();
    for this in these {
        while others.next_if(|other| *other < this).is_some() {}
        if others.peek() != Some(&this) {
            only.push(*this);
        }
    }
}

/// Leaves out the lists that are kept for their memory.
impl<I: Copy, H: Clone> Clone for LastAnswer<I, H> {
    fn clone(&self) -> Self {
        Self::of(self.index, self.items.clone())
    }
}
