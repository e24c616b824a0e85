//! The abilities of a contender: the traits that an adapter implements.
//!
//! The loops over all objects or queries are in here, generic, so that each is compiled together with the contender's
//! own code.

use crate::check::{Referee, Tally};
use crate::data::{Point, Rect, Scalar, Shape};
use crate::exact::Segment;
use crate::nearby::Ten;
use crate::scene::{half_for, sample};

/// The reason why a contender is not asked a question that it does not offer.
const NOT_OFFERED: &str = "only those take part that are listed as offering it";

/// A user's knowledge of the objects to come, for contenders that have to be told a cell size or a capacity.
pub(crate) struct Setting<S = f32> {
    pub(crate) n: usize,
    /// Numbers of objects, and the side of a square cell that holds as many around an object.
    cells: Vec<(u32, S)>,
}

impl<S: Scalar> Setting<S> {
    pub(crate) fn new<P: Shape<S, D>, const D: usize>(shapes: &[P]) -> Self {
        let referee = Referee::new(shapes.iter().map(|shape| Rect::at(shape.bounds().center())));
        let sample = sample(shapes);
        let side = |objects| half_for(&referee, &sample, objects) * S::from(2);
        Self { n: shapes.len(), cells: [2, 4, 8, 16, 32, 64].map(|objects| (objects, side(objects))).into() }
    }

    /// The side of a cell that holds about so many objects where there are objects.
    pub(crate) fn cell_for(&self, objects: u32) -> S {
        let cell = self.cells.iter().find(|(number, _)| objects <= *number).or(self.cells.last());
        cell.map(|&(_, side)| side).filter(|side| S::from(1) < *side).unwrap_or(S::from(1))
    }
}

/// An index that answers. Objects have ids from 0; hits come by *names*, which the index yields at no cost:
/// its own handles where it has some.
pub(crate) trait Index<P: Shape<S, D>, S: Scalar = f32, const D: usize = 2>: Sized {
    /// Builds from all objects at once, in the way that the contender does it best.
    fn build(setting: &Setting<S>, shapes: &[P]) -> Self;

    /// Visits each object that meets the window, in the contender's cheapest way.
    fn each_in(&mut self, window: &Rect<S, D>, hit: impl FnMut(u64));

    /// Visits the value of each object that meets the window. Values stand beside the index, by the ids of objects,
    /// unless the contender has them in it.
    fn each_value_in(&mut self, window: &Rect<S, D>, values: &[u64], mut hit: impl FnMut(u64)) {
        self.each_in(window, |name| hit(values[name as usize]));
    }

    /// How many objects meet the window.
    fn count_in(&mut self, window: &Rect<S, D>) -> usize {
        let mut count = 0;
        self.each_in(window, |_| count += 1);
        count
    }

    /// Whether an object meets the window.
    fn exists_in(&mut self, window: &Rect<S, D>) -> bool {
        self.any_in(window).is_some()
    }

    /// An object that a paused query of the window has found after its first call with a budget of 1.
    fn found_first_in(&mut self, _window: &Rect<S, D>) -> Option<u64> {
        unreachable!("{NOT_OFFERED}")
    }

    /// Any one object that meets the window, found without looking for the others.
    fn any_in(&mut self, _window: &Rect<S, D>) -> Option<u64> {
        unreachable!("a contender that cannot stop early is listed without `first`")
    }

    /// Visits each object that holds the point.
    fn each_at(&mut self, point: Point<S, D>, hit: impl FnMut(u64)) {
        self.each_in(&Rect::at(point), hit);
    }

    /// The nearest object to a point.
    fn nearest(&mut self, _point: Point<S, D>) -> Option<u64> {
        unreachable!("{NOT_OFFERED}")
    }

    /// Visits the ten nearest objects to a point, the nearest first.
    fn nearest_ten(&mut self, _point: Point<S, D>, _found: impl FnMut(u64)) {
        unreachable!("{NOT_OFFERED}")
    }

    /// Visits each object that is no further from a point.
    fn each_within(&mut self, _point: Point<S, D>, _distance: S, _hit: impl FnMut(u64)) {
        unreachable!("{NOT_OFFERED}")
    }

    /// The object that a segment enters first.
    fn first_along(&mut self, _segment: &Segment<S, D>) -> Option<u64> {
        unreachable!("{NOT_OFFERED}")
    }

    /// Visits once each pair of objects that are no further apart; that distance is 0 for rectangles, and not for
    /// points.
    fn each_pair(&mut self, _distance: S, _pair: impl FnMut(u64, u64)) {
        unreachable!("{NOT_OFFERED}")
    }

    /// Any two objects that meet, found without looking for others.
    fn any_pair(&mut self) -> Option<(u64, u64)> {
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

    /// Bytes to add to those allocated: by C code, and the 8-byte values that a user keeps in an array beside
    /// the index; less those that only this harness needs, such as handles by id.
    fn bytes_apart(&self) -> isize {
        0
    }

    fn answer(&mut self, windows: &[Rect<S, D>], answers: &mut [Tally]) {
        for (window, answer) in windows.iter().zip(answers) {
            let mut tally = Tally::default();
            self.each_in(window, |name| tally.add(name));
            *answer = tally;
        }
    }

    fn answer_points(&mut self, points: &[Point<S, D>], answers: &mut [Tally]) {
        for (point, answer) in points.iter().zip(answers) {
            let mut tally = Tally::default();
            self.each_at(*point, |name| tally.add(name));
            *answer = tally;
        }
    }

    fn answer_values(&mut self, windows: &[Rect<S, D>], values: &[u64], answers: &mut [Tally]) {
        for (window, answer) in windows.iter().zip(answers) {
            let mut tally = Tally::default();
            self.each_value_in(window, values, |value| tally.add(value));
            *answer = tally;
        }
    }

    fn answer_counts(&mut self, windows: &[Rect<S, D>], answers: &mut [Tally]) {
        for (window, answer) in windows.iter().zip(answers) {
            *answer = Tally::of_count(self.count_in(window));
        }
    }

    fn answer_exists(&mut self, windows: &[Rect<S, D>], answers: &mut [Tally]) {
        for (window, answer) in windows.iter().zip(answers) {
            *answer = Tally::of_count(usize::from(self.exists_in(window)));
        }
    }

    fn answer_budget(&mut self, windows: &[Rect<S, D>], answers: &mut [Option<u64>]) {
        for (window, answer) in windows.iter().zip(answers) {
            *answer = self.found_first_in(window);
        }
    }

    fn answer_first(&mut self, windows: &[Rect<S, D>], answers: &mut [Option<u64>]) {
        for (window, answer) in windows.iter().zip(answers) {
            *answer = self.any_in(window);
        }
    }

    fn answer_nearest(&mut self, points: &[Point<S, D>], answers: &mut [Option<u64>]) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.nearest(*point);
        }
    }

    fn answer_nearest_ten(&mut self, points: &[Point<S, D>], answers: &mut [Ten]) {
        for (point, answer) in points.iter().zip(answers) {
            let mut ten = Ten::default();
            self.nearest_ten(*point, |name| ten.add(name));
            *answer = ten;
        }
    }

    fn answer_within(&mut self, points: &[Point<S, D>], distance: S, answers: &mut [Tally]) {
        for (point, answer) in points.iter().zip(answers) {
            let mut tally = Tally::default();
            self.each_within(*point, distance, |name| tally.add(name));
            *answer = tally;
        }
    }

    fn answer_along(&mut self, segments: &[Segment<S, D>], answers: &mut [Option<u64>]) {
        for (segment, answer) in segments.iter().zip(answers) {
            *answer = self.first_along(segment);
        }
    }
}

/// An index whose objects come, go and move one by one. The loops are to be replaced by contenders with operations for
/// many objects at once.
pub(crate) trait Dynamic<P: Shape<S, D>, S: Scalar = f32, const D: usize = 2>: Index<P, S, D> {
    fn new(setting: &Setting<S>) -> Self;

    /// Adds an object. Ids come in order.
    fn insert(&mut self, id: u32, shape: P);

    fn move_to(&mut self, id: u32, before: P, after: P);

    /// A move to somewhere far away, where the contender has another operation for that.
    fn teleport(&mut self, id: u32, before: P, after: P) {
        self.move_to(id, before, after);
    }

    fn remove(&mut self, id: u32, shape: P);

    /// Is called after changes, before the next query.
    fn settle(&mut self) {}

    fn insert_all(&mut self, shapes: &[P]) {
        (0..).zip(shapes).for_each(|(id, &shape)| self.insert(id, shape));
        self.settle();
    }

    fn move_all(&mut self, before: &[P], after: &[P]) {
        (0..).zip(before.iter().zip(after)).for_each(|(id, (&before, &after))| self.move_to(id, before, after));
        self.settle();
    }

    /// Moves all objects by the same step, but not out of the world.
    fn update_all(&mut self, before: &[P], after: &[P], _step: Point<S, D>) {
        self.move_all(before, after);
    }

    /// Moves the first few objects, without looking at all others.
    fn move_few(&mut self, _before: &[P], _after: &[P]) {
        unreachable!("{NOT_OFFERED}")
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

    /// Built by insertion, as [`Index::build`] does it if nothing is better.
    fn filled(setting: &Setting<S>, shapes: &[P]) -> Self {
        let mut index = Self::new(setting);
        index.insert_all(shapes);
        index
    }
}
