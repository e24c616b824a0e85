//! broccoli: a k-d tree with sweep and prune, rebuilt.
//!
//! Its tree borrows the objects, so between passes only the tree's data is kept, and a pass puts the tree together
//! again. It has no way to stop at a first hit. It takes boxes that merely touch for apart, and a point for
//! empty: so windows are opened by one step of an `f32`, and points are asked for by `find_all_in_rect`.

use broccoli::aabb::BBox;
use broccoli::aabb::pin::AabbPin;
use broccoli::axgeom::{CastResult, Ray, Rect as Range2, vec2};
use broccoli::queries::knearest::AabbKnearest;
use broccoli::queries::raycast::AabbRaycast;
use broccoli::{Tree, TreeData, bbox};

use crate::check::Tally;
use crate::contender::{Contender, Roster};
use crate::data::{Form, Point, Rect, Shape};
use crate::exact::Segment;
use crate::index::{Index, Setting};
use crate::nearby::{TEN, Ten};
use crate::workload::{From, Workload};

pub(super) fn enlist(roster: &mut Roster) {
    fn listed<P: Shape>() -> Contender<P> {
        let offered = [Workload::Nearest(1, From::Inside), Workload::Nearest(10, From::Inside)];
        Contender::rebuilt::<Broccoli>("broccoli").without(&[Workload::First]).offering(&offered)
    }
    roster.points.push(listed());
    roster.rects.push(listed().offering(&[Workload::Raycast, Workload::Pairs, Workload::Join]));
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

    fn answer_nearest(&mut self, points: &[Point], answers: &mut [Option<u64>]) {
        let mut tree = Tree::from_tree_data(&mut self.objects, &self.tree);
        for (&[x, y], answer) in points.iter().zip(answers) {
            let nearest = tree.find_knearest(vec2(x, y), 1, AabbKnearest).into_vec();
            *answer = nearest.into_iter().next().map(|mut nearest| *nearest.bot.destruct_mut().1);
        }
    }

    fn answer_nearest_ten(&mut self, points: &[Point], answers: &mut [Ten]) {
        let mut tree = Tree::from_tree_data(&mut self.objects, &self.tree);
        for (&[x, y], answer) in points.iter().zip(answers) {
            let mut ten = Ten::default();
            // Of objects as far away it yields all, which may be more than ten.
            let nearest = tree.find_knearest(vec2(x, y), TEN, AabbKnearest).into_vec();
            nearest.into_iter().take(TEN).for_each(|mut nearest| ten.add(*nearest.bot.destruct_mut().1));
            *answer = ten;
        }
    }

    fn answer_along(&mut self, segments: &[Segment], answers: &mut [Option<u64>]) {
        let mut tree = Tree::from_tree_data(&mut self.objects, &self.tree);
        for (segment, answer) in segments.iter().zip(answers) {
            let ([x, y], [right, up]) = (segment.from, segment.way());
            let ray = Ray { point: vec2(x, y), dir: vec2(right, up) };
            *answer = match tree.cast_ray(ray, AabbRaycast) {
                // Its rays have no end.
                CastResult::Hit(hit) if hit.mag <= 1.0 => {
                    hit.elems.into_iter().next().map(|mut object| *object.destruct_mut().1)
                }
                _ => None,
            };
        }
    }

    fn each_pair(&mut self, _distance: f32, mut pair: impl FnMut(u64, u64)) {
        let mut tree = Tree::from_tree_data(&mut self.objects, &self.tree);
        tree.find_colliding_pairs(|mut a, mut b| pair(*a.destruct_mut().1, *b.destruct_mut().1));
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        // Its own join finds only what is wholly inside, by the same loop over a rectangle after the other.
        let mut tree = Tree::from_tree_data(&mut self.objects, &self.tree);
        for other in &others.objects {
            let mut rect = other.rect;
            let opened = Rect { min: [rect.x.start, rect.y.start], max: [rect.x.end, rect.y.end] }.opened();
            rect = range(&opened);
            tree.find_all_intersect_rect(AabbPin::new(&mut rect), |_, mut object| {
                pair(*object.destruct_mut().1, other.inner);
            });
        }
    }

    fn answer_points(&mut self, points: &[Point], answers: &mut [Tally]) {
        let windows: Vec<Rect> = points.iter().copied().map(Rect::at).collect();
        Index::<P>::answer(self, &windows, answers);
    }
}
