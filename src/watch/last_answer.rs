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
    /// The items of the answer that is being read, and those that there will be. They and the two differences are kept
    /// for their memory.
    now: Vec<H>,
    next: Vec<H>,
    pub(super) come: Vec<H>,
    pub(super) gone: Vec<H>,
}

impl<I, H> LastAnswer<I, H> {
    pub(super) const fn new() -> Self {
        Self::of(None, Vec::new())
    }

    pub(super) const fn of(index: Option<I>, items: Vec<H>) -> Self {
        Self { index, items, now: Vec::new(), next: Vec::new(), come: Vec::new(), gone: Vec::new() }
    }
}

impl<I: Copy + PartialEq, H: Copy + Ord> LastAnswer<I, H> {
    /// Replaces the answer by the next one, and lists the differences. Changes nothing if an item is of another index.
    ///
    /// The next answer is about the items that are named. All others are in it too if they were in the last one.
    #[inline]
    pub(super) fn replace(
        &mut self,
        is_named: impl Fn(H) -> bool,
        answer: impl Iterator<Item = (I, H)>,
    ) -> Result<(), PollError> {
        self.read(answer)?;
        let Self { items, now, next, come, gone, .. } = self;
        for list in [&mut *next, &mut *come, &mut *gone] {
            list.clear();
        }
        let mut answer = now.iter().copied();
        // The next item of the answer, and up to where the old ones are copied: in one piece between two changes.
        let (mut new, mut copied) = (answer.next(), 0);
        for (at, &item) in items.iter().enumerate() {
            if new.is_some_and(|new| new <= item) {
                while let Some(come_now) = new.filter(|new| *new < item) {
                    next.extend_from_slice(&items[copied..at]);
                    next.push(come_now);
                    come.push(come_now);
                    (new, copied) = (answer.next(), at);
                }
                if new == Some(item) {
                    new = answer.next();
                    continue;
                }
            }
            if is_named(item) {
                next.extend_from_slice(&items[copied..at]);
                gone.push(item);
                copied = at + 1;
            }
        }
        let behind = new.into_iter().chain(answer);
        come.extend(behind.clone());
        if !come.is_empty() || !gone.is_empty() {
            next.extend_from_slice(&items[copied..]);
            next.extend(behind);
            mem::swap(items, next);
        }
        Ok(())
    }

    /// Reads an answer into `now`, in ascending order.
    fn read(&mut self, answer: impl Iterator<Item = (I, H)>) -> Result<(), PollError> {
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
        Ok(())
    }
}

/// Leaves out the lists that are kept for their memory.
impl<I: Copy, H: Clone> Clone for LastAnswer<I, H> {
    fn clone(&self) -> Self {
        Self::of(self.index, self.items.clone())
    }
}
