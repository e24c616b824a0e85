//! The nearest objects, and whether found ones are as near.
//!
//! Distances are compared, not names: of objects as far away any will do, and a contender that computes in `f32` may
//! take two for as far away that differ by its rounding.

use crate::check::Referee;
use crate::data::{LATTICE, Point, Rect, Scalar};
use crate::exact::{Square, rounding, square};

/// How many objects the longer of the two questions is about.
pub(crate) const TEN: usize = 10;

/// The names of up to ten objects, in the order in which they were found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ten {
    names: [u64; TEN],
    count: u8,
}

impl Ten {
    /// Adds a name; more than ten are only counted.
    #[inline]
    pub(crate) fn add(&mut self, name: u64) {
        if let Some(place) = self.names.get_mut(usize::from(self.count)) {
            *place = name;
        }
        self.count = self.count.saturating_add(1);
    }

    /// The names, if there are no more than ten.
    pub(crate) fn names(&self) -> Option<&[u64]> {
        self.names.get(..usize::from(self.count))
    }
}

/// The objects nearest to each of many points.
pub(crate) struct Nearby {
    /// How many are asked for.
    wanted: usize,
    ends: Vec<usize>,
    /// By rising distance; those that may be taken for as near as the last wanted one included.
    found: Vec<(Square, u32)>,
}

impl Nearby {
    /// The answers to points; the first few are proved by a plain scan.
    ///
    /// # Panics
    /// If the scan finds anything else: then no figure means anything.
    pub(crate) fn new<S: Scalar, const D: usize>(
        referee: &Referee<S, D>,
        points: &[Point<S, D>],
        wanted: usize,
    ) -> Self {
        let mut nearby = Self { wanted, ends: Vec::with_capacity(points.len()), found: Vec::new() };
        for &point in points {
            nearby.found.append(&mut nearest(referee, point, wanted));
            nearby.ends.push(nearby.found.len());
        }
        for (query, &point) in points.iter().enumerate().take(referee.provable()) {
            let scanned =
                cut(referee.entries().map(|(rect, id)| (square(&Rect::at(point), rect), id)).collect(), wanted);
            assert_eq!(scanned, nearby.of(query), "the referee is wrong about what is near {point:?}");
        }
        nearby
    }

    fn of(&self, query: usize) -> &[(Square, u32)] {
        let start = query.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.found[start..self.ends[query]]
    }

    /// Whether these are the objects asked for, in order.
    pub(crate) fn are(&self, query: usize, names: &[u64], name: impl Fn(u32) -> u64) -> bool {
        let near = self.of(query);
        let as_near = |(place, found): (usize, &u64)| {
            let wanted = near[place].0;
            let is_found = |&&(_, id): &&(Square, u32)| name(id) == *found;
            near.iter().find(is_found).is_some_and(|(square, _)| square.abs_diff(wanted) <= rounding(wanted))
        };
        let distinct = (1..names.len()).all(|place| !names[..place].contains(&names[place]));
        names.len() == self.wanted.min(near.len()) && distinct && names.iter().enumerate().all(as_near)
    }
}

/// Sorted, without those that are surely farther than the last wanted one.
fn cut(mut found: Vec<(Square, u32)>, wanted: usize) -> Vec<(Square, u32)> {
    found.sort_unstable();
    if let Some(&(last, _)) = found.get(wanted - 1) {
        let last = last + rounding(last);
        found.truncate(found.partition_point(|&(square, _)| square <= last));
    }
    found
}

/// Looks around the closest place in larger and larger squares until there are enough objects, then wherever a nearer
/// one may be.
fn nearest<S: Scalar, const D: usize>(
    referee: &Referee<S, D>,
    point: Point<S, D>,
    wanted: usize,
) -> Vec<(Square, u32)> {
    let (closest, farthest) = (referee.closest(point), referee.farthest(point));
    let mut half = 4.0;
    let limit = loop {
        let mut squares = Vec::new();
        let window = Rect::around(closest, S::from_f64(half));
        referee.each_in_with_bounds(&window, |rect, _| squares.push(square(&Rect::at(point), rect)));
        squares.sort_unstable();
        match squares.get(wanted - 1) {
            Some(&last) => break ((last + rounding(last)) as f64).sqrt() / LATTICE + 1.0,
            None if farthest < half => break farthest,
            None => half *= 2.0,
        }
    };
    let mut found = Vec::new();
    referee.each_near(point, limit, |rect, id| found.push((square(&Rect::at(point), rect), id)));
    cut(found, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_told_from_others() {
        let shapes = [1.0_f32, 3.0, 2.0, 1000.0].map(|x| Rect::at([x, 0.0]));
        let nearby = Nearby::new(&Referee::new(shapes.into_iter()), &[[0.0, 0.0]], 2);
        let are = |names: &[u64]| nearby.are(0, names, u64::from);
        assert!(are(&[0, 2]));
        assert!(!are(&[2, 0]) && !are(&[0, 1]) && !are(&[0]) && !are(&[0, 0]) && !are(&[0, 2, 1]));
    }

    #[test]
    fn of_those_as_near_any_will_do() {
        let shapes = [[1.0_f32, 0.0], [0.0, 1.0], [0.0, 9.0]].map(Rect::at);
        let nearby = Nearby::new(&Referee::new(shapes.into_iter()), &[[0.0, 0.0]], 1);
        assert!(nearby.are(0, &[0], u64::from) && nearby.are(0, &[1], u64::from));
        assert!(!nearby.are(0, &[2], u64::from) && !nearby.are(0, &[], u64::from));
    }
}
