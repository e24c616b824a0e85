//! From the caller's id to what is known of the object: pages of an array where ids are small, a hash map elsewhere.

use rustc_hash::FxHashMap;

/// Ids below this have their place in a page.
const DENSE: u64 = 1 << 22;
/// The ids of a page, a bit each.
const PAGE: u64 = u64::BITS as u64;

#[derive(Clone, Debug)]
pub(crate) struct Ids<T> {
    pages: Vec<Page<T>>,
    sparse: FxHashMap<u64, T>,
}

/// Only what is known takes memory: of many workers, each knows few of the ids.
#[derive(Clone, Debug)]
struct Page<T> {
    known: u64,
    /// Of each bit that is set, in order.
    of: Vec<T>,
}

impl<T> Default for Ids<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), sparse: FxHashMap::default() }
    }
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { known: 0, of: Vec::new() }
    }
}

fn bit(id: u64) -> u64 {
    1 << (id % PAGE)
}

impl<T: Copy> Page<T> {
    fn has(&self, bit: u64) -> bool {
        self.known & bit != 0
    }

    fn rank(&self, bit: u64) -> usize {
        (self.known & (bit - 1)).count_ones() as usize
    }

    #[inline]
    fn insert(&mut self, bit: u64, of: T) -> Option<T> {
        let rank = self.rank(bit);
        if self.has(bit) {
            return Some(std::mem::replace(&mut self.of[rank], of));
        }
        self.add(bit, rank, of);
        None
    }

    #[cold]
    fn add(&mut self, bit: u64, rank: usize, of: T) {
        if self.of.len() == self.of.capacity() {
            // Not twice as many: there are many pages.
            self.of.reserve_exact(8);
        }
        self.of.insert(rank, of);
        self.known |= bit;
    }

    fn remove(&mut self, bit: u64) -> Option<T> {
        let rank = self.rank(bit);
        self.has(bit).then(|| {
            self.known &= !bit;
            self.of.remove(rank)
        })
    }
}

impl<T: Copy> Ids<T> {
    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<T> {
        if id >= DENSE {
            return self.sparse.get(&id).copied();
        }
        let (page, bit) = (self.pages.get((id / PAGE) as usize)?, bit(id));
        page.has(bit).then(|| page.of[page.rank(bit)])
    }

    #[inline]
    pub(crate) fn insert(&mut self, id: u64, of: T) -> Option<T> {
        if id >= DENSE {
            return self.sparse.insert(id, of);
        }
        let page = (id / PAGE) as usize;
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, Page::default);
        }
        self.pages[page].insert(bit(id), of)
    }

    #[inline]
    pub(crate) fn remove(&mut self, id: u64) -> Option<T> {
        if id >= DENSE {
            return self.sparse.remove(&id);
        }
        self.pages.get_mut((id / PAGE) as usize)?.remove(bit(id))
    }

    /// Puts it in or takes it out, and returns what was there.
    #[inline]
    pub(crate) fn replace(&mut self, id: u64, of: Option<T>) -> Option<T> {
        match of {
            Some(of) => self.insert(id, of),
            None => self.remove(id),
        }
    }

    /// All, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, T)> + '_ {
        let ids = |page: &Page<T>, first| (first..first + PAGE).filter(|id| page.has(bit(*id))).collect::<Vec<_>>();
        let pages = self.pages.iter().zip((0..).step_by(PAGE as usize));
        let dense = pages.flat_map(move |(page, first)| ids(page, first).into_iter().zip(page.of.iter().copied()));
        dense.chain(self.sparse.iter().map(|(id, of)| (*id, *of)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::all::common::Dice;

    #[test]
    fn ids_know_what_a_map_knows() {
        let (mut dice, mut ids, mut map) = (Dice(3), Ids::default(), BTreeMap::new());
        for step in 0..20_000_u64 {
            let id = match dice.roll(8) {
                0 => DENSE - 2 + dice.roll(4),
                1 => dice.roll(1 << 62),
                _ => dice.roll(300),
            };
            if dice.one_in(2) {
                assert_eq!(ids.replace(id, Some(step)), map.insert(id, step));
            } else {
                assert_eq!(ids.replace(id, None), map.remove(&id));
            }
            let id = dice.roll(300);
            assert_eq!(ids.get(id), map.get(&id).copied());
            if step % 100 == 0 {
                assert_eq!(ids.iter().collect::<BTreeMap<_, _>>(), map);
            }
        }
    }
}
