//! parry's `Bvh`, kept up as rapier does it: leaves updated in place, a part optimized, all refitted; pairs in a hash map.
//!
//! Its detection of changes works with margins only.

use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use quadrille::Rect;
use rustc_hash::FxHashMap;

use super::{Changes, Fat, Found, Moves, ordered};
use crate::measure::{Outcome, Program, Threads};

pub(super) fn aabb(rect: &Rect) -> Aabb {
    Aabb::new(Vector::from_array(rect.min()), Vector::from_array(rect.max()))
}

struct Tree {
    bvh: Bvh,
    workspace: BvhWorkspace,
    threads: Threads,
}

impl Tree {
    fn new(boxes: &[Rect], threads: Threads) -> Self {
        let bvh = Bvh::from_iter(BvhBuildStrategy::default(), boxes.iter().map(aabb).enumerate());
        Self { bvh, workspace: BvhWorkspace::default(), threads }
    }

    fn move_all(&mut self, moves: &[(u32, Rect)], margin: f32) {
        match self.threads {
            Threads::One => {
                for (number, rect) in moves {
                    self.bvh.insert_or_update_partially(aabb(rect), *number, margin);
                }
                self.bvh.optimize_incremental(&mut self.workspace);
                self.bvh.refit(&mut self.workspace);
            }
            Threads::All => {
                let updates: Vec<_> = moves.iter().map(|(number, rect)| (aabb(rect), *number, margin)).collect();
                self.bvh.insert_or_update_batch_partially_parallel(&updates, &mut Vec::new());
                self.bvh.optimize_incremental(&mut self.workspace);
                self.bvh.refit_parallel(&mut self.workspace);
            }
        }
    }

    fn pairs<const CHANGED: bool>(&mut self, mut pair: impl FnMut([u32; 2])) {
        match self.threads {
            Threads::One => {
                self.bvh.traverse_bvtt_single_tree::<CHANGED>(&mut self.workspace, &mut |a, b| pair(ordered(a, b)));
            }
            Threads::All => {
                let pairs = self.bvh.traverse_bvtt_single_tree_parallel::<CHANGED>();
                pairs.into_iter().for_each(|(a, b)| pair(ordered(a, b)));
            }
        }
    }
}

/// Boxes as they are.
pub(super) struct Tight {
    tree: Tree,
    found: Found,
}

impl Tight {
    pub(super) fn new(boxes: &[Rect], threads: Threads) -> Self {
        let mut tree = Tree::new(boxes, threads);
        let mut found = Found::default();
        tree.pairs::<false>(|pair| found.add(pair));
        Self { tree, found }
    }
}

impl Program<Moves> for Tight {
    fn tick(&mut self, moves: &Moves) {
        self.tree.move_all(moves, 0.0);
        self.found.renew(|found| self.tree.pairs::<false>(|pair| found.add(pair)));
    }

    fn outcome(&self) -> Outcome {
        self.found.changes.outcome()
    }
}

/// Boxes with margins. The tree adds them itself.
pub(super) struct Margins {
    tree: Tree,
    fat: Fat,
    candidates: FxHashMap<[u32; 2], bool>,
    changes: Changes,
}

impl Margins {
    pub(super) fn new(boxes: &[Rect], threads: Threads) -> Self {
        let fat = Fat::new(boxes);
        let mut tree = Tree::new(&fat.stored, threads);
        let mut candidates = FxHashMap::default();
        tree.pairs::<false>(|pair| {
            let mut touches = false;
            fat.test(pair, &mut touches, &mut Changes::default());
            candidates.insert(pair, touches);
        });
        Self { tree, fat, candidates, changes: Changes::default() }
    }
}

impl Program<Moves> for Margins {
    fn tick(&mut self, moves: &Moves) {
        let mut stored = Moves::new();
        // It adds the margin to the box that it is given.
        self.fat.move_all(moves, |number, rect| stored.push((number, rect.expanded(-super::MARGIN))));
        self.tree.move_all(&stored, super::MARGIN);
        let Self { tree, fat, candidates, changes } = self;
        tree.pairs::<true>(|pair| {
            candidates.entry(pair).or_insert(false);
        });
        changes.clear();
        candidates.retain(|pair, touches| fat.test(*pair, touches, changes));
    }

    fn outcome(&self) -> Outcome {
        self.changes.outcome()
    }
}
