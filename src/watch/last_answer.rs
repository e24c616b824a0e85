//! The last answer of a query, and its difference from the next one. It does not know whether an answer consists of
//! objects or of pairs.

use alloc::vec::Vec;
use core::{iter, mem};

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
        self.read(answer)?;
        only_in(&self.now, &self.items, &mut self.come);
        only_in(&self.items, &self.now, &mut self.gone);
        mem::swap(&mut self.items, &mut self.now);
        Ok(())
    }

    /// As `replace`, for some items: those that are not named are in the next answer too if they were in the last one.
    pub(super) fn replace_some(
        &mut self,
        is_named: impl Fn(H) -> bool,
        answer: impl Iterator<Item = (I, H)>,
    ) -> Result<(), PollError> {
        self.read(answer)?;
        only_in(&self.now, &self.items, &mut self.come);
        only_in(self.items.iter().filter(|&&item| is_named(item)), &self.now, &mut self.gone);
        if !self.come.is_empty() || !self.gone.is_empty() {
            differing(&self.items, &self.come, &self.gone, &mut self.now);
            mem::swap(&mut self.items, &mut self.now);
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

/// Collects the items of one ascending list that are not in another one.
fn only_in<'h, H: Copy + Ord + 'h>(these: impl IntoIterator<Item = &'h H>, mut others: &[H], only: &mut Vec<H>) {
    only.clear();
    for this in these {
        others = &others[below(others, this)..];
        match others.split_first() {
            Some((other, rest)) if other == this => others = rest,
            _ => only.push(*this),
        }
    }
}

/// Collects the items of an ascending list without those that have gone, and with those that have come.
fn differing<H: Copy + Ord>(mut items: &[H], come: &[H], gone: &[H], differing: &mut Vec<H>) {
    differing.clear();
    let (mut come, mut gone) = (come.iter().peekable(), gone.iter().peekable());
    let changes = iter::from_fn(|| match (come.peek(), gone.peek()) {
        (Some(next), Some(other)) if other < next => gone.next(),
        (None, _) => gone.next(),
        _ => come.next(),
    });
    for change in changes {
        let (same, rest) = items.split_at(below(items, change));
        differing.extend_from_slice(same);
        items = rest;
        match items.split_first() {
            Some((item, rest)) if item == change => items = rest,
            _ => differing.push(*change),
        }
    }
    differing.extend_from_slice(items);
}

/// How many items at the start of an ascending list are below one. Takes time by the logarithm of this number: an
/// exponential search (Bentley and Yao, 1976).
#[inline]
fn below<H: Ord>(items: &[H], one: &H) -> usize {
    let mut end = 1;
    while items.get(end - 1).is_some_and(|item| item < one) {
        end *= 2;
    }
    let start = end / 2;
    start + items[start..items.len().min(end)].partition_point(|item| item < one)
}

/// Leaves out the lists that are kept for their memory.
impl<I: Copy, H: Clone> Clone for LastAnswer<I, H> {
    fn clone(&self) -> Self {
        Self::of(self.index, self.items.clone())
    }
}
