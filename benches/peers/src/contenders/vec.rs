//! A plain `Vec` that is looked through from one end to the other. It takes part where something is asked: nothing
//! changes faster or weighs less, so elsewhere the comparison would say nothing.

use crate::contender::{Contender, Dynamic, Index, Roster, Setting};
use crate::data::{Point, Rect, Shape};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(Contender::dynamic::<List<Point>>("Vec").only(Workload::is_query).unweighed());
    roster.rects.push(Contender::dynamic::<List<Rect>>("Vec").only(Workload::is_query).unweighed());
}

struct List<P> {
    objects: Vec<(P, u64)>,
    /// Where each object is, by its id.
    places: Vec<u32>,
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
