//! The answer of a query, and its differences from the last one. It does not know whether an answer consists of objects
//! or of pairs.

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

/// So many items are passed over by one comparison.
const BLOCK: usize = 16;

/// An answer of items `H` (handles, or pairs of them), and its differences from the last one, which lies beside it.
pub(super) struct Polled<I, H> {
    /// The name of the items' index. None before the first item.
    pub(super) index: Option<I>,
    /// The answer, in ascending order, each item once. It and the differences are kept for their memory.
    now: Vec<H>,
    pub(super) come: Vec<H>,
    pub(super) gone: Vec<H>,
}

impl<I, H> Polled<I, H> {
    pub(super) const fn of(index: Option<I>) -> Self {
        Self { index, now: Vec::new(), come: Vec::new(), gone: Vec::new() }
    }
}

impl<I: Copy + PartialEq, H: Copy + Ord> Polled<I, H> {
    /// Reads an answer. Changes nothing if an item is of another index.
    pub(super) fn read(&mut self, answer: impl Iterator<Item = (I, H)>) -> Result<(), PollError> {
        self.now.clear();
        let (mut index, mut is_of_one) = (self.index, true);
        // Regions and filters are the user's and may panic, so nothing is compared until the answer is complete.
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

    /// Lists the differences from the last answer, which comes in pieces. The answer is about the items that are named;
    /// all others are in it too if they were in the last one.
    #[inline]
    pub(super) fn compare<'h>(&mut self, last: impl Iterator<Item = &'h [H]>, is_named: impl Fn(H) -> bool)
    where
        H: 'h,
    {
        let Self { now, come, gone, .. } = self;
        come.clear();
        gone.clear();
        let mut now = now.iter().copied().peekable();
        for mut items in last {
            while !items.is_empty() {
                let (below, others) = items.split_at(now.peek().map_or(items.len(), |&new| count_below(items, new)));
                gone.extend(below.iter().copied().filter(|&item| is_named(item)));
                items = others;
                let Some(&item) = items.first() else { break };
                if now.next_if_eq(&item).is_some() {
                    items = &items[1..];
                } else {
                    come.extend(now.next());
                }
            }
        }
        come.extend(now);
    }

    /// Makes the last answer, in `items`, the one that was compared with it. `spare` is memory.
    pub(super) fn replace(&self, items: &mut Vec<H>, spare: &mut Vec<H>) {
        if !self.gone.is_empty() || !self.come.is_empty() {
            spare.clear();
            merge(items, &self.gone, &self.come, spare);
            mem::swap(items, spare);
        }
    }
}

/// Appends items without those that are gone and with those that have come. All lists ascend.
pub(super) fn merge<H: Copy + Ord>(mut items: &[H], mut gone: &[H], mut come: &[H], into: &mut Vec<H>) {
    while let Some(&item) = gone.first().into_iter().chain(come.first()).min() {
        let (below, others) = items.split_at(count_below(items, item));
        into.extend_from_slice(below);
        items = others;
        if come.first() == Some(&item) {
            into.push(item);
            come = &come[1..];
        } else {
            items = &items[1..];
            gone = &gone[1..];
        }
    }
    into.extend_from_slice(items);
}

/// The number of items below another one, in a list in ascending order. Goes forward, as memory is fetched fastest.
fn count_below<H: Copy + Ord>(items: &[H], other: H) -> usize {
    let blocks = items.chunks_exact(BLOCK).take_while(|block| block[BLOCK - 1] < other).count() * BLOCK;
    blocks + items[blocks..].iter().take_while(|&&item| item < other).count()
}
