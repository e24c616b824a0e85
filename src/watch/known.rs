//! The last answer, with which a new one is compared item by item, in whatever order it comes: only what is new is sorted.
//!
//! A table says where items lie in the list, as marks for all slots would, but it is hardly longer than the list: slots
//! that leave the same remainder share a cell. Their items are at the position that it names, or behind it.

use alloc::vec::Vec;

use crate::key::Handle;
use crate::prefetch::prefetch;

/// An item of an answer.
pub(super) trait Item: Copy + Default + Ord {
    /// The number of items, from the position in the table on, that are looked at before the others.
    const NEAR: usize;

    /// The number of the slot by which items are ordered first.
    fn slot(self) -> usize;

    /// How far an item may be behind the first one of its slot.
    #[inline]
    fn ahead_of(self, _first: Self) -> usize {
        0
    }
}

impl Item for Handle {
    const NEAR: usize = 1;

    #[inline]
    fn slot(self) -> usize {
        Self::slot(self)
    }
}

impl Item for [Handle; 2] {
    /// Few objects are the first one of more pairs.
    const NEAR: usize = 4;

    #[inline]
    fn slot(self) -> usize {
        self[0].slot()
    }

    /// Of hundreds of partners, most are in slots that follow one another.
    #[inline]
    fn ahead_of(self, first: Self) -> usize {
        self[1].slot().wrapping_sub(first[1].slot())
    }
}

/// A number in the table. Short lists take short ones.
pub(super) trait Start: Copy + TryFrom<usize> + TryInto<usize> {}

impl<P: Copy + TryFrom<usize> + TryInto<usize>> Start for P {}

/// The number of items that are fetched ahead.
const FETCHED: usize = 256;

/// Lists of more bytes are not in the first caches.
const LARGE: usize = 512 << 10;

/// Items of the last answer, in ascending order, and which of them are in the new one too.
pub(super) struct Known<'l, H, P = u32> {
    items: &'l mut Vec<H>,
    /// For each remainder of slots, 1 more than the position of the first item. 0 if there is none.
    starts: &'l mut [P],
    /// Whether each item has come again.
    again: &'l mut [bool],
    has_starts: bool,
}

/// The memory of a table for long lists.
pub(super) struct Memory {
    starts: Vec<u32>,
    again: Vec<bool>,
}

impl Memory {
    pub(super) const fn new() -> Self {
        Self { starts: Vec::new(), again: Vec::new() }
    }
}

impl<'l, H: Item> Known<'l, H> {
    /// With a table in memory that is kept.
    pub(super) fn of(items: &'l mut Vec<H>, memory: &'l mut Memory) -> Self {
        let Memory { starts, again } = memory;
        let slots = items.last().map_or(1, |last| last.slot().saturating_add(1));
        starts.clear();
        starts.resize((2 * items.len()).min(slots).next_power_of_two(), 0);
        again.clear();
        again.resize(items.len(), false);
        Self::new(items, starts, again)
    }
}

impl<'l, H: Item, P: Start> Known<'l, H, P> {
    /// With a table as long as a power of two, and room for as many marks as there are items. All are 0 and false.
    #[inline]
    pub(super) fn new(items: &'l mut Vec<H>, starts: &'l mut [P], again: &'l mut [bool]) -> Self {
        // They are read once some of the answer has come.
        prefetch(&items[..items.len().min(FETCHED)]);
        Self { items, starts, again, has_starts: false }
    }

    /// Notes which of some items are among these, and lists the others.
    #[inline(never)]
    pub(super) fn compare(&mut self, some: &[H], come: &mut Vec<H>) {
        if !self.has_starts {
            self.fill();
        }
        self.fetch(some);
        come.extend(some.iter().filter(|&&item| !self.finds(item)));
    }

    /// Notes that an item has come again, if it is among these. The table must be made.
    #[inline(always)]
    pub(super) fn finds(&mut self, item: H) -> bool {
        self.position(item).map(|position| self.note(position)).is_some()
    }

    /// Fetches what the look-ups of some items will read: the processor waits once for all.
    pub(super) fn fetch(&self, some: &[H]) {
        if size_of_val(&**self.items) <= LARGE {
            return;
        }
        let mask = self.starts.len() - 1;
        let start =
            |item: H| self.starts.get(item.slot() & mask..).and_then(|starts| starts.get(..1)).unwrap_or_default();
        for &item in some {
            prefetch(start(item));
        }
        for start in some.iter().filter_map(|&item| start(item).first()) {
            let start = (*start).try_into().unwrap_or(usize::MAX).saturating_sub(1);
            prefetch(self.items.get(start..start.saturating_add(1)).unwrap_or_default());
        }
    }

    /// Makes the table.
    #[inline(always)]
    pub(super) fn fill(&mut self) {
        self.has_starts = true;
        let mask = self.starts.len() - 1;
        for (position, item) in self.items.iter().enumerate().rev() {
            // From a position before its own, an item is found as well. Lists for shorter numbers are short.
            if let Ok(start) = P::try_from((position + 1).min(u32::MAX as usize)) {
                self.starts[item.slot() & mask] = start;
            }
        }
    }

    /// Notes that an item has come again.
    #[inline(always)]
    pub(super) fn note(&mut self, position: usize) {
        self.again[position] = true;
    }

    /// The position of an item, once the table is made.
    #[inline(always)]
    pub(super) fn position(&self, item: H) -> Option<usize> {
        let start = self.starts[item.slot() & (self.starts.len() - 1)];
        let start = start.try_into().unwrap_or(usize::MAX).checked_sub(1)?;
        let mut found = None;
        if let Some(near) = self.items.get(start..start + H::NEAR) {
            // Without a branch on which of them it is.
            for (ahead, other) in near.iter().enumerate() {
                found = if *other == item { Some(start + ahead) } else { found };
            }
        }
        found.or_else(|| self.find_behind(start, item))
    }

    #[inline(never)]
    fn find_behind(&self, start: usize, item: H) -> Option<usize> {
        let likely = start.wrapping_add(item.ahead_of(self.items[start]));
        if self.items.get(likely) == Some(&item) {
            return Some(likely);
        }
        let position = start + place_ahead(&self.items[start..], &item);
        (self.items.get(position) == Some(&item)).then_some(position)
    }

    /// Takes the items out that have not come again, and lists them.
    pub(super) fn part_with(self, gone: &mut Vec<H>) {
        let mut again = self.again.iter();
        self.items.retain(|&item| {
            let stays = again.next().is_some_and(|again| *again);
            if !stays {
                gone.push(item);
            }
            stays
        });
    }
}

/// Takes some items out of a list, which are there. All lists ascend.
pub(super) fn take_out<H: Copy + Ord>(items: &mut Vec<H>, gone: &[H]) {
    let (mut to, mut from) = (0, 0);
    for item in gone {
        let at = from + place_ahead(&items[from..], item);
        items.copy_within(from..at, to);
        to += at - from;
        from = at + 1;
    }
    items.copy_within(from.., to);
    items.truncate(items.len() - gone.len());
}

/// Puts others in, which are not.
#[inline]
pub(super) fn put_in<H: Copy + Ord>(items: &mut Vec<H>, come: &[H]) {
    let mut end = items.len();
    items.extend_from_slice(come);
    for (before, item) in come.iter().enumerate().rev() {
        let at = place_behind(&items[..end], item);
        items.copy_within(at..end, at + before + 1);
        items[at + before] = *item;
        end = at;
    }
}

/// The place of an item in a list, mostly near the beginning.
fn place_ahead<H: Ord>(items: &[H], item: &H) -> usize {
    let mut near = 1;
    while items.get(near - 1).is_some_and(|other| other < item) {
        near *= 2;
    }
    items[..near.min(items.len())].partition_point(|other| other < item)
}

/// The place of an item in a list, mostly near the end.
fn place_behind<H: Ord>(items: &[H], item: &H) -> usize {
    let mut near = 1;
    while near <= items.len() && *item < items[items.len() - near] {
        near *= 2;
    }
    let far = items.len().saturating_sub(near);
    far + items[far..].partition_point(|other| other < item)
}
