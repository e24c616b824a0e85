//! What a contender can do: the traits that an adapter implements.
//!
//! The loops over all objects or queries are in here, generic, so that each is compiled together with the contender's
//! own code.

use crate::check::{Referee, Tally};
use crate::data::{Point, Rect, Shape, half_for};
use crate::exact::Segment;
use crate::nearby::Ten;

/// Why no contender is asked what it does not offer.
const NOT_OFFERED: &str = "only those take part that are listed as offering it";

/// What a user knows of the objects to come, for contenders that have to be told a cell size or a capacity.
pub(crate) struct Setting {
    pub(crate) n: usize,
    /// Numbers of objects, and the side of a square cell that holds as many around an object.
    cells: Vec<(u32, f32)>,
}

impl Setting {
    pub(crate) fn new<P: Shape>(shapes: &[P]) -> Self {
        let centers: Vec<Point> = shapes.iter().map(|shape| shape.bounds().center()).collect();
        let referee = Referee::new(centers.iter().map(|&center| Rect::at(center)));
        let sample: Vec<Point> = centers.iter().step_by(centers.len() / 500 + 1).copied().collect();
        let cells = [2, 4, 8, 16, 32, 64].map(|objects| (objects, 2.0 * half_for(&referee, &sample, objects))).into();
        Self { n: shapes.len(), cells }
    }

    /// The side of a cell that holds about so many objects where there are objects.
    pub(crate) fn cell_for(&self, objects: u32) -> f32 {
        let cell = self.cells.iter().find(|(number, _)| objects <= *number).or(self.cells.last());
        cell.map_or(1.0, |(_, side)| side.max(1.0))
    }
}

/// An index that answers. Objects have ids from 0; hits come by *names*, which are whatever the index yields at no
/// cost: its own handles where it has some.
pub(crate) trait Index<P: Shape>: Sized {
    /// Builds from all objects at once, in the way that the contender does it best.
    fn build(setting: &Setting, shapes: &[P]) -> Self;

    /// Visits each object that meets the window, in the contender's cheapest way.
    fn each_in(&mut self, window: &Rect, hit: impl FnMut(u64));

    /// Any one object that meets the window, found without looking for the others.
    fn any_in(&mut self, _window: &Rect) -> Option<u64> {
        unreachable!("a contender that cannot stop early is listed without `first`")
    }

    /// Visits each object that holds the point.
    fn each_at(&mut self, point: Point, hit: impl FnMut(u64)) {
        self.each_in(&Rect::at(point), hit);
    }

    /// The nearest object to a point.
    fn nearest(&mut self, _point: Point) -> Option<u64> {
        unreachable!("{NOT_OFFERED}")
    }

    /// Visits the ten nearest objects to a point, the nearest first.
    fn nearest_ten(&mut self, _point: Point, _found: impl FnMut(u64)) {
        unreachable!("{NOT_OFFERED}")
    }

    /// Visits each object that is no further from a point.
    fn each_within(&mut self, _point: Point, _distance: f32, _hit: impl FnMut(u64)) {
        unreachable!("{NOT_OFFERED}")
    }

    /// The object that a segment enters first.
    fn first_along(&mut self, _segment: &Segment) -> Option<u64> {
        unreachable!("{NOT_OFFERED}")
    }

    /// Visits once each pair of objects that are no further apart; that distance is 0 for rectangles, and not for
    /// points.
    fn each_pair(&mut self, _distance: f32, _pair: impl FnMut(u64, u64)) {
        unreachable!("{NOT_OFFERED}")
    }

    /// Visits each pair of an object of this index and one of another that meet.
    fn each_joined(&mut self, _others: &mut Self, _pair: impl FnMut(u64, u64)) {
        unreachable!("{NOT_OFFERED}")
    }

    /// The name of an object.
    fn name(&self, id: u32) -> u64 {
        u64::from(id)
    }

    /// Bytes to add to those allocated: what C code allocated, the 8-byte values that a user keeps in an array beside
    /// the index; less what only this harness needs, such as handles by id.
    fn bytes_apart(&self) -> isize {
        0
    }

    fn answer(&mut self, windows: &[Rect], answers: &mut [Tally]) {
        for (window, answer) in windows.iter().zip(answers) {
            let mut tally = Tally::default();
            self.each_in(window, |name| tally.add(name));
            *answer = tally;
        }
    }

    fn answer_points(&mut self, points: &[Point], answers: &mut [Tally]) {
        for (point, answer) in points.iter().zip(answers) {
            let mut tally = Tally::default();
            self.each_at(*point, |name| tally.add(name));
            *answer = tally;
        }
    }

    fn answer_first(&mut self, windows: &[Rect], answers: &mut [Option<u64>]) {
        for (window, answer) in windows.iter().zip(answers) {
            *answer = self.any_in(window);
        }
    }

    fn answer_nearest(&mut self, points: &[Point], answers: &mut [Option<u64>]) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.nearest(*point);
        }
    }

    fn answer_nearest_ten(&mut self, points: &[Point], answers: &mut [Ten]) {
        for (point, answer) in points.iter().zip(answers) {
            let mut ten = Ten::default();
            self.nearest_ten(*point, |name| ten.add(name));
            *answer = ten;
        }
    }

    fn answer_within(&mut self, points: &[Point], distance: f32, answers: &mut [Tally]) {
        for (point, answer) in points.iter().zip(answers) {
            let mut tally = Tally::default();
            self.each_within(*point, distance, |name| tally.add(name));
            *answer = tally;
        }
    }

    fn answer_along(&mut self, segments: &[Segment], answers: &mut [Option<u64>]) {
        for (segment, answer) in segments.iter().zip(answers) {
            *answer = self.first_along(segment);
        }
    }
}

/// An index whose objects come, go and move one by one. The loops are to be replaced by contenders with operations for
/// many objects at once.
pub(crate) trait Dynamic<P: Shape>: Index<P> {
    fn new(setting: &Setting) -> Self;

    /// Adds an object. Ids come in order.
    fn insert(&mut self, id: u32, shape: P);

    fn move_to(&mut self, id: u32, before: P, after: P);

    /// A move to somewhere far away, where the contender has another operation for that.
    fn teleport(&mut self, id: u32, before: P, after: P) {
        self.move_to(id, before, after);
    }

    fn remove(&mut self, id: u32, shape: P);

    /// What must be called after changes, before the next query.
    fn settle(&mut self) {}

    fn insert_all(&mut self, shapes: &[P]) {
        (0..).zip(shapes).for_each(|(id, &shape)| self.insert(id, shape));
        self.settle();
    }

    fn move_all(&mut self, before: &[P], after: &[P]) {
        (0..).zip(before.iter().zip(after)).for_each(|(id, (&before, &after))| self.move_to(id, before, after));
        self.settle();
    }

    fn teleport_all(&mut self, before: &[P], after: &[P]) {
        (0..).zip(before.iter().zip(after)).for_each(|(id, (&before, &after))| self.teleport(id, before, after));
        self.settle();
    }

    fn remove_all(&mut self, ids: &[u32], shapes: &[P]) {
        for &id in ids {
            self.remove(id, shapes[id as usize]);
        }
        self.settle();
    }

    /// Built by insertion: what [`Index::build`] is if nothing is better.
    fn filled(setting: &Setting, shapes: &[P]) -> Self {
        let mut index = Self::new(setting);
        index.insert_all(shapes);
        index
    }
}
