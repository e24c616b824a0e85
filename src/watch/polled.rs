//! The answer of a query, and its differences from the last one. It does not know whether an answer consists of objects
//! or of pairs.

use alloc::vec::Vec;

#[cfg(feature = "rayon")]
use rayon::iter::ParallelIterator;

use super::known::{Item, Known, Start};

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

/// The number of items of an answer that are compared at once, while the items of the last answer are fetched.
const BATCH: usize = 64;

/// The differences of an answer of items `H` (handles, or pairs of them) from the last one, which lies beside it.
pub(super) struct Polled<I, H> {
    /// The name of the items' index. None before the first item.
    pub(super) index: Option<I>,
    /// In ascending order, kept for their memory.
    pub(super) come: Vec<H>,
    pub(super) gone: Vec<H>,
}

impl<I, H> Polled<I, H> {
    pub(super) const fn of(index: Option<I>) -> Self {
        Self { index, come: Vec::new(), gone: Vec::new() }
    }
}

impl<I: Copy + PartialEq, H: Item> Polled<I, H> {
    /// Reads an answer, lists its differences from the last one, and takes out of that what is gone. Changes nothing if an
    /// item is of another index.
    pub(super) fn read<P: Start>(
        &mut self,
        mut last: Known<'_, H, P>,
        answer: impl Iterator<Item = (I, H)>,
    ) -> Result<(), PollError> {
        self.read_by(answer, |some, come| last.compare(some, come))?;
        last.part_with(&mut self.gone);
        Ok(())
    }

    /// Reads an answer, and lists what is new in it: `compare` takes some items and adds to a list the ones that were not there.
    pub(super) fn read_by(
        &mut self,
        answer: impl Iterator<Item = (I, H)>,
        mut compare: impl FnMut(&[H], &mut Vec<H>),
    ) -> Result<(), PollError> {
        let Self { come, gone, .. } = self;
        come.clear();
        gone.clear();
        let (mut index, mut is_of_one) = (self.index, true);
        let (mut batch, mut len) = ([H::default(); BATCH], 0);
        // Regions and filters are the user's and may panic, so no list is changed until the answer is complete.
        answer.for_each(|(of, item)| {
            is_of_one &= *index.get_or_insert(of) == of;
            batch[len] = item;
            len += 1;
            if len == BATCH {
                compare(&batch, come);
                len = 0;
            }
        });
        compare(&batch[..len], come);
        self.end(index, is_of_one)
    }

    /// As `read`, by several threads.
    #[cfg(feature = "rayon")]
    pub(super) fn par_read(
        &mut self,
        mut last: Known<'_, H>,
        answer: impl ParallelIterator<Item = (I, H)>,
    ) -> Result<(), PollError>
    where
        I: Send + Sync,
        H: Send + Sync,
    {
        let Self { come, gone, .. } = self;
        come.clear();
        gone.clear();
        let (mut index, mut is_of_one) = (self.index, true);
        last.fill();
        let looked_up = answer.fold(
            || LookedUp { index, is_of_one: true, again: Vec::new(), come: Vec::new() },
            |mut part, (of, item)| {
                part.is_of_one &= *part.index.get_or_insert(of) == of;
                match last.position(item) {
                    Some(position) => part.again.push(position),
                    None => part.come.push(item),
                }
                part
            },
        );
        for part in looked_up.collect::<Vec<_>>() {
            is_of_one &= part.is_of_one && part.index.is_none_or(|of| *index.get_or_insert(of) == of);
            part.again.into_iter().for_each(|position| last.note(position));
            come.extend(part.come);
        }
        self.end(index, is_of_one)?;
        last.part_with(&mut self.gone);
        Ok(())
    }

    /// The answer is complete.
    fn end(&mut self, index: Option<I>, is_of_one: bool) -> Result<(), PollError> {
        if !is_of_one {
            return Err(PollError::OtherIndex);
        }
        self.index = index;
        self.come.sort_unstable();
        self.come.dedup();
        Ok(())
    }
}

/// The findings of one thread in its part of an answer.
#[cfg(feature = "rayon")]
struct LookedUp<I, H> {
    index: Option<I>,
    is_of_one: bool,
    /// Positions in the last answer.
    again: Vec<usize>,
    come: Vec<H>,
}
