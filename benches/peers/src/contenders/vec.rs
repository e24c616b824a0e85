//! A plain `Vec` that is scanned from one end to the other. It takes part in queries only: nothing changes faster or
//! weighs less, so elsewhere the comparison would say nothing.

use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Scalar, Shape};
use crate::exact::Segment;
use crate::index::{Dynamic, Index, Setting};
use crate::nearby::TEN;
use crate::workload::Workload;

use super::nearest_so_far::NearestSoFar;

pub(super) fn enlist<S: Scalar, const D: usize>(roster: &mut Roster<S, D>) {
    roster.points.push(Contender::dynamic::<List<Point<S, D>>>("Vec").only(Workload::is_query).unweighed());
    roster.rects.push(Contender::dynamic::<List<Rect<S, D>>>("Vec").only(Workload::is_query).unweighed());
}

struct List<P> {
    objects: Vec<(P, u64)>,
    /// Where each object is, by its id.
    places: Vec<u32>,
}

impl<P> List<P> {
    fn nearest_of<S: Scalar, const D: usize, const K: usize>(&self, point: Point<S, D>) -> NearestSoFar<S, K>
    where
        P: Shape<S, D>,
    {
        let point = Rect::at(point);
        let mut nearest = NearestSoFar::new();
        for (shape, value) in &self.objects {
            nearest.add(point.gap_square(&shape.bounds()), *value);
        }
        nearest
    }
}

impl<P: Shape<S, D>, S: Scalar, const D: usize> Index<P, S, D> for List<P> {
    fn build(setting: &Setting<S>, shapes: &[P]) -> Self {
        Self::filled(setting, shapes)
    }

    fn each_in(&mut self, window: &Rect<S, D>, mut hit: impl FnMut(u64)) {
        for (shape, value) in &self.objects {
            if shape.bounds().meets(window) {
                hit(*value);
            }
        }
    }

    fn any_in(&mut self, window: &Rect<S, D>) -> Option<u64> {
        self.objects.iter().find(|(shape, _)| shape.bounds().meets(window)).map(|(_, value)| *value)
    }

    fn nearest(&mut self, point: Point<S, D>) -> Option<u64> {
        self.nearest_of::<S, D, 1>(point).names().next()
    }

    fn nearest_ten(&mut self, point: Point<S, D>, found: impl FnMut(u64)) {
        self.nearest_of::<S, D, TEN>(point).names().for_each(found);
    }

    fn each_within(&mut self, point: Point<S, D>, distance: S, mut hit: impl FnMut(u64)) {
        let point = Rect::at(point);
        for (shape, value) in &self.objects {
            if point.gap_square(&shape.bounds()) <= distance * distance {
                hit(*value);
            }
        }
    }

    fn first_along(&mut self, segment: &Segment<S, D>) -> Option<u64> {
        let entries = self.objects.iter().filter_map(|(shape, value)| Some((segment.entry(&shape.bounds())?, *value)));
        entries.min_by(|(a, _), (b, _)| a.to_f64().total_cmp(&b.to_f64())).map(|(_, value)| value)
    }
}

impl<P: Shape<S, D>, S: Scalar, const D: usize> Dynamic<P, S, D> for List<P> {
    fn new(_setting: &Setting<S>) -> Self {
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
