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

/// So many items are passed over by one comparison.
const BLOCK: usize = 16;

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
        // Up to where the old items are copied, and looked at: those that stay are copied in one piece between two changes.
        let (mut copied, mut at) = (0, 0);
        for new in now.iter().copied().map(Some).chain([None]) {
            let end = new.map_or(items.len(), |new| at + count_below(&items[at..], new));
            while let Some(ahead) = items[at..end].iter().position(|&item| is_named(item)) {
                at += ahead;
                next.extend_from_slice(&items[copied..at]);
                gone.push(items[at]);
                at += 1;
                copied = at;
            }
            at = end;
            let Some(new) = new else { break };
            if items.get(at) == Some(&new) {
                at += 1;
            } else {
                next.extend_from_slice(&items[copied..at]);
                next.push(new);
                come.push(new);
                copied = at;
            }
        }
        if !come.is_empty() || !gone.is_empty() {
            next.extend_from_slice(&items[copied..]);
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

/// The number of items below another one, in a list in ascending order. Goes forward, as memory is fetched fastest.
fn count_below<H: Copy + Ord>(items: &[H], other: H) -> usize {
    let blocks = items.chunks_exact(BLOCK).take_while(|block| block[BLOCK - 1] < other).count() * BLOCK;
    blocks + items[blocks..].iter().take_while(|&&item| item < other).count()
}

/// Leaves out the lists that are kept for their memory.
impl<I: Copy, H: Clone> Clone for LastAnswer<I, H> {
    fn clone(&self) -> Self {
        Self::of(self.index, self.items.clone())
    }
}
