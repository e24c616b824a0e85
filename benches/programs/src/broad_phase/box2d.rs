//! The tree of `Box2D`, through boxdd's safe wrapper, kept up as `Box2D` does it: proxies with margins are enlarged, the parts of the tree
//! above them are built anew, and the proxies that were stored anew are sought in it. It has no threads of its own.

use boxdd::{Aabb, DynamicTree, Foundation, TreeProxyId, Vec2};
use quadrille::Rect;
use rustc_hash::FxHashMap;

use super::{Changes, Fat, Moves, ordered};
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

fn aabb(rect: &Rect) -> Aabb {
    let vec2 = |[x, y]: [f32; 2]| Vec2::new(x, y);
    Aabb::new(vec2(rect.min()), vec2(rect.max())).expect("the box is valid")
}

impl Margins {
    pub(super) fn new(boxes: &[Rect]) -> Self {
        Foundation::initialize_default().expect("nothing else was set");
        let mut tree = DynamicTree::with_capacity(boxes.len()).expect("there is room");
        let fat = Fat::new(boxes);
        let proxy = |(number, stored)| tree.create_proxy(aabb(stored), u64::MAX, number).expect("the box is valid");
        let proxies = (0..).zip(&fat.stored).map(proxy).collect();
        tree.rebuild(true).expect("the tree is valid");
        let moved = (0..).take(boxes.len()).collect();
        let (candidates, changes) = (FxHashMap::default(), Changes::default());
        let mut made = Self { tree, proxies, fat, moved, is_moved: vec![true; boxes.len()], candidates, changes };
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
