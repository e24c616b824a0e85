//! quadrille: `Contacts`, told of all pairs or of those that have moved, as the guide has it.

use quadrille::{Contacts, Handle, Layer, Quadtree, Rect, Rects};
use rayon::prelude::*;

use super::{Changes, Fat, Found, Moves, ordered};
use crate::measure::{Outcome, Program, Threads};

struct Index {
    /// Values are numbers of boxes.
    tree: Quadtree<u32>,
    layer: Layer<Rects>,
    handles: Vec<Handle>,
    moved: Vec<Handle>,
    contacts: Contacts,
    threads: Threads,
}

impl Index {
    fn new(boxes: &[Rect], side: f32, threads: Threads) -> Self {
        let mut tree = Quadtree::new(Rect::new([0.0; 2], [side; 2])).expect("a world");
        let layer = tree.add_rect_layer().expect("a layer");
        let handles = tree.insert_batch(layer, boxes.iter().copied().zip(0..)).expect("all are finite");
        let mut contacts = Contacts::new();
        contacts.poll(tree.pairs()).expect("one index");
        Self { tree, layer, handles, moved: Vec::new(), contacts, threads }
    }

    fn move_all(&mut self, moves: &[(u32, Rect)]) {
        self.moved.clear();
        self.moved.extend(moves.iter().map(|&(number, _)| self.handles[number as usize]));
        let moved = if self.threads == Threads::All && moves.len() == self.handles.len() {
            self.tree.par_update(self.layer, |_, &number, _| moves[number as usize].1).expect("its layer")
        } else {
            self.tree.move_batch(self.moved.iter().copied().zip(moves.iter().map(|&(_, rect)| rect)))
        };
        assert!(moved.refused.is_empty());
    }

    /// Asks about all, if half have moved, else about these.
    fn poll(&mut self) -> quadrille::ContactChanges<'_> {
        let (tree, moved) = (&self.tree, &self.moved);
        let polled = match (self.handles.len() <= 2 * moved.len(), self.threads) {
            (true, Threads::One) => self.contacts.poll(tree.pairs()),
            (true, Threads::All) => self.contacts.par_poll(tree.pairs()),
            (false, Threads::One) => self.contacts.poll_moved(moved, tree.pairs_of(moved)),
            (false, Threads::All) => {
                self.contacts.poll_moved(moved, tree.pairs_of(moved).into_par_iter().collect::<Vec<_>>())
            }
        };
        polled.expect("one index")
    }
}

/// None is removed, so slots are in the order of the boxes.
fn numbers(pair: [Handle; 2]) -> [u32; 2] {
    let [a, b] = pair.map(|handle| handle.slot() as u32 - 1);
    ordered(a, b)
}

/// Boxes as they are.
pub(super) struct Tight {
    index: Index,
    changes: Changes,
}

impl Tight {
    pub(super) fn new(boxes: &[Rect], side: f32, threads: Threads) -> Self {
        Self { index: Index::new(boxes, side, threads), changes: Changes::default() }
    }
}

impl Program<Moves> for Tight {
    fn tick(&mut self, moves: &Moves) {
        self.index.move_all(moves);
        self.changes.clear();
        let changes = self.index.poll();
        self.changes.begun.extend(changes.begun.iter().copied().map(numbers));
        self.changes.ended.extend(changes.ended.iter().copied().map(numbers));
    }

    fn outcome(&self) -> Outcome {
        self.changes.outcome()
    }
}

/// Boxes as they are; a map remembers the pairs, in no order.
pub(super) struct Map {
    index: Index,
    found: Found,
}

impl Map {
    pub(super) fn new(boxes: &[Rect], side: f32, threads: Threads) -> Self {
        let index = Index::new(boxes, side, threads);
        let mut found = Found::default();
        index.tree.pairs().for_each(|(a, b)| found.add(ordered(*a.value(), *b.value())));
        Self { index, found }
    }
}

impl Program<Moves> for Map {
    fn tick(&mut self, moves: &Moves) {
        self.index.move_all(moves);
        let (pairs, threads) = (self.index.tree.pairs(), self.index.threads);
        self.found.renew(|found| match threads {
            Threads::One => pairs.for_each(|(a, b)| found.add(ordered(*a.value(), *b.value()))),
            Threads::All => {
                let pairs = pairs.into_par_iter().map(|(a, b)| ordered(*a.value(), *b.value()));
                pairs.collect::<Vec<_>>().into_iter().for_each(|pair| found.add(pair));
            }
        });
    }

    fn outcome(&self) -> Outcome {
        self.found.changes.outcome()
    }
}

/// Boxes with margins; the pairs of these are tested in each tick.
pub(super) struct Margins {
    index: Index,
    fat: Fat,
    candidates: Vec<([u32; 2], bool)>,
    changes: Changes,
}

impl Margins {
    pub(super) fn new(boxes: &[Rect], side: f32, threads: Threads) -> Self {
        let fat = Fat::new(boxes);
        let index = Index::new(&fat.stored, side, threads);
        let mut candidates: Vec<_> = index.contacts.pairs().map(|pair| (numbers(pair), false)).collect();
        candidates.iter_mut().for_each(|(pair, touches)| {
            fat.test(*pair, touches, &mut Changes::default());
        });
        Self { index, fat, candidates, changes: Changes::default() }
    }
}

impl Program<Moves> for Margins {
    fn tick(&mut self, moves: &Moves) {
        let mut stored = Moves::new();
        self.fat.move_all(moves, |number, rect| stored.push((number, rect)));
        self.index.move_all(&stored);
        let begun = self.index.poll().begun.iter();
        self.candidates.extend(begun.map(|&pair| (numbers(pair), false)));
        self.changes.clear();
        let Self { fat, changes, .. } = self;
        self.candidates.retain_mut(|(pair, touches)| fat.test(*pair, touches, changes));
    }

    fn outcome(&self) -> Outcome {
        self.changes.outcome()
    }
}
