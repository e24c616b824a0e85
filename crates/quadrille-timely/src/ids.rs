//! From the caller's id to what is known of the object: an array where ids are small, a hash map elsewhere.

use rustc_hash::FxHashMap;

/// Ids below this have their place in an array.
const DENSE: u64 = 1 << 22;

#[derive(Clone, Debug)]
pub(crate) struct Ids<T> {
    dense: Vec<Option<T>>,
    sparse: FxHashMap<u64, T>,
}

impl<T> Default for Ids<T> {
    fn default() -> Self {
        Self { dense: Vec::new(), sparse: FxHashMap::default() }
    }
}

impl<T: Copy> Ids<T> {
    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<T> {
        if id < DENSE { self.dense.get(id as usize).copied().flatten() } else { self.sparse.get(&id).copied() }
    }

    #[inline]
    pub(crate) fn insert(&mut self, id: u64, of: T) -> Option<T> {
        if id >= DENSE {
            return self.sparse.insert(id, of);
        }
        let at = id as usize;
        if at >= self.dense.len() {
            self.dense.resize(at + 1, None);
        }
        self.dense[at].replace(of)
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<T> {
        if id < DENSE { self.dense.get_mut(id as usize)?.take() } else { self.sparse.remove(&id) }
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
        let dense = self.dense.iter().enumerate().filter_map(|(id, of)| Some((id as u64, (*of)?)));
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
