//! broccoli: a k-d tree with sweep and prune, rebuilt.
//!
//! Its tree borrows the objects, so between passes only the tree's data is kept, and a pass puts the tree together
//! again. It has no way to stop at a first hit. It takes what merely touches for apart, and a point for empty: so
//! windows are opened by one step of an `f32`, and points are asked for as what lies inside.

use broccoli::aabb::BBox;
use broccoli::aabb::pin::AabbPin;
use broccoli::axgeom::Rect as Range2;
use broccoli::{Tree, TreeData, bbox};

use crate::check::Tally;
use crate::contender::{Contender, Index, Roster, Setting};
use crate::data::{Form, Point, Rect, Shape};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(Contender::rebuilt::<Broccoli>("broccoli").without(&[Workload::First]));
    roster.rects.push(Contender::rebuilt::<Broccoli>("broccoli").without(&[Workload::First]));
}

type Object = BBox<f32, u64>;

struct Broccoli {
    objects: Vec<Object>,
    tree: TreeData<f32>,
}

fn range(rect: &Rect) -> Range2<f32> {
    Range2::new(rect.min[0], rect.max[0], rect.min[1], rect.max[1])
}

fn each_in<P: Shape>(tree: &mut Tree<Object>, window: &Rect, mut hit: impl FnMut(u64)) {
    if P::FORM == Form::Point {
        tree.find_all_in_rect(AabbPin::new(&mut range(window)), |_, mut object| hit(*object.destruct_mut().1));
    } else {
        let mut window = range(&window.opened());
        tree.find_all_intersect_rect(AabbPin::new(&mut window), |_, mut object| hit(*object.destruct_mut().1));
    }
}

impl<P: Shape> Index<P> for Broccoli {
    fn build(_setting: &Setting, shapes: &[P]) -> Self {
        let mut objects: Vec<Object> = (0..).zip(shapes).map(|(id, shape)| bbox(range(&shape.bounds()), id)).collect();
        let tree = Tree::new(&mut objects).get_tree_data();
        Self { objects, tree }
    }

    fn each_in(&mut self, window: &Rect, hit: impl FnMut(u64)) {
        each_in::<P>(&mut Tree::from_tree_data(&mut self.objects, &self.tree), window, hit);
    }

    fn answer(&mut self, windows: &[Rect], answers: &mut [Tally]) {
        let mut tree = Tree::from_tree_data(&mut self.objects, &self.tree);
        for (window, answer) in windows.iter().zip(answers) {
            let mut tally = Tally::default();
            each_in::<P>(&mut tree, window, |id| tally.add(id));
            *answer = tally;
        }
    }

    fn answer_points(&mut self, points: &[Point], answers: &mut [Tally]) {
        let windows: Vec<Rect> = points.iter().copied().map(Rect::at).collect();
        Index::<P>::answer(self, &windows, answers);
    }
}
