//! The tree of `Box2D`, through boxdd's safe wrapper, kept up as `Box2D` does it: proxies with margins are enlarged, the parts of the tree
//! above them are built anew, and the proxies that were stored anew are sought in it. It has no threads of its own.

use boxdd::{Aabb, DynamicTree, Foundation, TreeProxyId, Vec2};
use quadrille::Rect;
use rustc_hash::FxHashMap;

use super::{Changes, Fat, Moves, USUAL, ordered};
use crate::measure::{Outcome, Program};

pub(super) struct Margins {
    tree: DynamicTree,
    proxies: Vec<TreeProxyId>,
    fat: Fat,
    /// Those that were stored anew in this tick, and whether a box is one of these.
    moved: Vec<u32>,
    is_moved: Vec<bool>,
    candidates: FxHashMap<[u32; 2], bool>,
    changes: Changes,
}

/// An eighth of half the diagonal of a box, up to a twentieth of the usual length, and four times the slop of a two-hundredth that
/// `Box2D` adds to each.
pub(super) fn own_margin(rect: &Rect) -> f32 {
    let [width, height] = [0, 1].map(|axis| rect.max()[axis] - rect.min()[axis]);
    (0.0625 * width.hypot(height)).min(0.05 * USUAL) + 0.02 * USUAL
}

fn aabb(rect: &Rect) -> Aabb {
    let vec2 = |[x, y]: [f32; 2]| Vec2::new(x, y);
    Aabb::new(vec2(rect.min()), vec2(rect.max())).expect("the box is valid")
}

impl Margins {
    pub(super) fn new(fat: Fat) -> Self {
        let boxes = &fat.tight;
        Foundation::initialize_default().expect("nothing else was set");
        let mut tree = DynamicTree::with_capacity(boxes.len()).expect("there is room");
        let proxy = |(number, stored)| tree.create_proxy(aabb(stored), u64::MAX, number).expect("the box is valid");
        let proxies = (0..).zip(&fat.stored).map(proxy).collect();
        tree.rebuild(true).expect("the tree is valid");
        let (moved, is_moved) = ((0..).take(boxes.len()).collect(), vec![true; boxes.len()]);
        let (candidates, changes) = (FxHashMap::default(), Changes::default());
        let mut made = Self { tree, proxies, fat, moved, is_moved, candidates, changes };
        made.find();
        made
    }

    /// Seeks the partners of those that were stored anew.
    fn find(&mut self) {
        let Self { tree, fat, moved, is_moved, candidates, changes, .. } = self;
        for &number in &*moved {
            let mut visit = |_, other: u64| {
                // Of two that have moved, one finds the other.
                if other != u64::from(number) && !(is_moved[other as usize] && other < u64::from(number)) {
                    candidates.entry(ordered(number, other as u32)).or_insert(false);
                }
                true
            };
            tree.query_all(aabb(&fat.stored[number as usize]), &mut visit).expect("the box is valid");
        }
        moved.drain(..).for_each(|number| is_moved[number as usize] = false);
        changes.clear();
        candidates.retain(|pair, touches| fat.test(*pair, touches, changes));
    }
}

impl Program<Moves> for Margins {
    fn tick(&mut self, moves: &Moves) {
        let Self { tree, proxies, fat, moved, is_moved, .. } = self;
        fat.move_all(moves, |number, stored| {
            tree.enlarge_proxy(proxies[number as usize], aabb(&stored)).expect("the box has left its proxy");
            moved.push(number);
            is_moved[number as usize] = true;
        });
        tree.rebuild(false).expect("the tree is valid");
        self.find();
    }

    fn outcome(&self) -> Outcome {
        self.changes.outcome()
    }
}
