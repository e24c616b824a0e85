//! A list in ascending order, cut into pieces: a change moves the items of one piece, not of the whole list.

use alloc::vec::Vec;

use super::known::{put_in, take_out};

/// The items of a piece. A piece of twice as many is cut in two.
const PIECE: usize = 128;

/// Items in ascending order, each once.
#[derive(Clone)]
pub(super) struct Ascending<H> {
    /// None is empty.
    pieces: Vec<Vec<H>>,
    len: usize,
}

impl<H> Ascending<H> {
    pub(super) const fn new() -> Self {
        Self { pieces: Vec::new(), len: 0 }
    }
}

impl<H: Copy + Ord> Ascending<H> {
    /// Of items that ascend.
    pub(super) fn of(items: &[H]) -> Self {
        Self { pieces: items.chunks(PIECE).map(<[H]>::to_vec).collect(), len: items.len() }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Lists all items.
    pub(super) fn list(&self, into: &mut Vec<H>) {
        into.clear();
        self.pieces.iter().for_each(|piece| into.extend_from_slice(piece));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = H> + Clone + '_ {
        self.pieces.iter().flatten().copied()
    }

    /// The items behind those for which the condition holds: those come first.
    pub(super) fn behind(&self, is_before: impl Fn(&H) -> bool) -> impl Iterator<Item = H> + '_ {
        let piece = self.pieces.partition_point(|piece| piece.last().is_some_and(&is_before));
        let (first, others) = match &self.pieces[piece..] {
            [first, others @ ..] => (&first[first.partition_point(&is_before)..], others),
            [] => (&[][..], &[][..]),
        };
        first.iter().chain(others.iter().flatten()).copied()
    }

    pub(super) fn contains(&self, item: H) -> bool {
        self.behind(|other| *other < item).next() == Some(item)
    }

    /// Takes some items out, which are there, and puts others in, which are not. Both lists ascend; `spare` is memory, or
    /// lists what is left already.
    ///
    /// Items go in and out one by one as long as these are fewer than the pieces, and most pieces are not nearly empty.
    /// Otherwise, one pass makes all pieces anew.
    pub(super) fn change(&mut self, gone: &[H], come: &[H], spare: &mut Vec<H>, is_left: bool) {
        self.len = self.len + come.len() - gone.len();
        if gone.len() + come.len() > self.pieces.len() || self.pieces.len() > 4 * self.len.div_ceil(PIECE) {
            if !is_left {
                self.list(spare);
                take_out(spare, gone);
            }
            put_in(spare, come);
            self.rebuild(spare);
            return;
        }
        for item in gone {
            let at = self.piece_of(item);
            self.pieces[at].retain(|other| other != item);
            if self.pieces[at].is_empty() {
                self.pieces.remove(at);
            }
        }
        for &item in come {
            // The last piece takes what is behind all others.
            let at = self.piece_of(&item).min(self.pieces.len().saturating_sub(1));
            let Some(piece) = self.pieces.get_mut(at) else {
                self.pieces.push([item].into());
                continue;
            };
            piece.insert(piece.partition_point(|other| *other < item), item);
            if piece.len() == 2 * PIECE {
                let upper = piece.split_off(PIECE);
                self.pieces.insert(at + 1, upper);
            }
        }
    }

    /// The first piece that does not end before an item.
    fn piece_of(&self, item: &H) -> usize {
        self.pieces.partition_point(|piece| piece.last().is_some_and(|last| last < item))
    }

    fn rebuild(&mut self, all: &[H]) {
        self.pieces.resize_with(all.len().div_ceil(PIECE), Vec::new);
        for (piece, items) in self.pieces.iter_mut().zip(all.chunks(PIECE)) {
            piece.clear();
            piece.extend_from_slice(items);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    /// Many small and some large changes beside a set. All pieces keep to their size.
    #[test]
    fn it_is_a_list_in_order() {
        let (mut list, mut set, mut spare, mut seed) = (Ascending::new(), BTreeSet::new(), Vec::new(), 7_u64);
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for round in 0..600 {
            let changes = if round % 40 == 0 { 3000 } else { draw(12) };
            // The list grows, and shrinks to nothing.
            let (span, emptied) = (20_000, round % 100 > 60);
            let (mut gone, mut come) = (BTreeSet::new(), BTreeSet::new());
            for _ in 0..changes {
                let item = draw(span);
                if set.contains(&item) {
                    gone.insert(item);
                } else if !emptied {
                    come.insert(item);
                }
            }
            if round % 100 == 99 {
                gone = set.clone();
            }
            set.retain(|item| !gone.contains(item));
            set.extend(&come);
            let [gone, come] = [gone, come].map(Vec::from_iter);
            list.change(&gone, &come, &mut spare, false);
            assert!(list.iter().eq(set.iter().copied()), "round {round}");
            assert!(list.pieces.iter().all(|piece| (1..2 * PIECE).contains(&piece.len())), "round {round}");
            assert_eq!(list.len(), set.len());
            assert!(list.pieces.len() <= 4 * list.len().div_ceil(PIECE), "most pieces are nearly empty");
            let item = draw(span);
            assert!(list.behind(|&other| other < item).eq(set.range(item..).copied()));
            assert_eq!(list.contains(item), set.contains(&item));
            assert!(Ascending::of(&Vec::from_iter(set.clone())).iter().eq(list.iter()));
        }
    }
}
