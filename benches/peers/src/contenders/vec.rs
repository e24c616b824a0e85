//! A plain `Vec` that is looked through from one end to the other. It takes part where something is asked: nothing
//! changes faster or weighs less, so elsewhere the comparison would say nothing.

use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Shape};
use crate::exact::Segment;
use crate::index::{Dynamic, Index, Setting};
use crate::nearby::TEN;
use crate::workload::Workload;

use super::nearest_so_far::{NearestSoFar, square};

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(Contender::dynamic::<List<Point>>("Vec").only(Workload::is_query).unweighed());
    roster.rects.push(Contender::dynamic::<List<Rect>>("Vec").only(Workload::is_query).unweighed());
}

struct List<P> {
    objects: Vec<(P, u64)>,
    /// Where each object is, by its id.
    places: Vec<u32>,
}

impl<P: Shape> List<P> {
    fn nearest_of<const K: usize>(&self, point: Point) -> NearestSoFar<K> {
        let mut nearest = NearestSoFar::new();
        for (shape, value) in &self.objects {
            nearest.add(square(point, &shape.bounds()), *value);
        }
        nearest
    }
}

impl<P: Shape> Index<P> for List<P> {
    fn build(setting: &Setting, shapes: &[P]) -> Self {
        Self::filled(setting, shapes)
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        for (shape, value) in &self.objects {
            if shape.bounds().meets(window) {
                hit(*value);
            }
        }
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        self.objects.iter().find(|(shape, _)| shape.bounds().meets(window)).map(|(_, value)| *value)
    }

    fn nearest(&mut self, point: Point) -> Option<u64> {
        self.nearest_of::<1>(point).names().next()
    }

    fn nearest_ten(&mut self, point: Point, found: impl FnMut(u64)) {
        self.nearest_of::<TEN>(point).names().for_each(found);
    }

    fn each_within(&mut self, point: Point, distance: f32, mut hit: impl FnMut(u64)) {
        for (shape, value) in &self.objects {
            if square(point, &shape.bounds()) <= distance * distance {
                hit(*value);
            }
        }
    }

    fn first_along(&mut self, segment: &Segment) -> Option<u64> {
        let entries = self.objects.iter().filter_map(|(shape, value)| Some((segment.entry(&shape.bounds())?, *value)));
        entries.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, value)| value)
    }
}

impl<P: Shape> Dynamic<P> for List<P> {
    fn new(_setting: &Setting) -> Self {
        Self { objects: Vec::new(), places: Vec::new() }
    }

    fn insert(&mut self, id: u32, shape: P) {
        self.places.push(self.objects.len() as u32);
        self.objects.push((shape, u64::from(id)));
    }

    fn move_to(&mut self, id: u32, _before: P, after: P) {
        self.objects[self.places[id as usize] as usize].0 = after;
    }

    fn remove(&mut self, id: u32, _shape: P) {
        let place = self.places[id as usize];
        self.objects.swap_remove(place as usize);
        if let Some((_, last)) = self.objects.get(place as usize) {
            self.places[*last as usize] = place;
        }
    }
}
