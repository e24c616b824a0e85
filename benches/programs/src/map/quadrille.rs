//! quadrille, with the questions that its guide has for them.

use quadrille::{Handle, Polygon, Quadtree, Rect};

use super::{Point, Sum, TEN, Thing, Things, square};

pub(super) struct Tree {
    tree: Quadtree<u32>,
    handles: Vec<Handle>,
}

impl Tree {
    pub(super) fn new(things: &[Thing], side: f32) -> Self {
        let mut tree = Quadtree::new(Rect::new([0.0; 2], [side; 2])).expect("a world");
        let layer = tree.add_point_layer().expect("a layer");
        let handles = tree.insert_batch(layer, things.iter().copied()).expect("all are finite");
        Self { tree, handles }
    }
}

impl Things for Tree {
    fn move_some(&mut self, moves: &[(u32, Point)]) {
        let moved = self.tree.move_batch(moves.iter().map(|&(number, to)| (self.handles[number as usize], to)));
        assert!(moved.refused.is_empty());
    }

    fn in_window(&self, window: &Rect) -> Sum {
        let mut sum = Sum::default();
        self.tree.intersecting(*window).for_each(|thing| sum.add(*thing.value()));
        sum
    }

    fn nearest(&self, at: Point) -> u64 {
        self.tree.nearest(at).take(TEN).map(|near| square(at, near.object.shape().min())).sum()
    }

    fn in_lasso(&self, lasso: &[Point]) -> Sum {
        let mut sum = Sum::default();
        self.tree.intersecting(&Polygon::new(lasso.iter().copied())).for_each(|thing| sum.add(*thing.value()));
        sum
    }
}
