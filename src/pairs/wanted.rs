//! Which neighbors are wanted: all that are near enough, or the nearest few; and how far to look for these.
//!
//! The nearest are looked for within a reach, which is a guess. If it holds enough, they are among those. It is raised for
//! the centers around which it holds too few, and lowered where it holds far too many. A bad guess costs time alone: what it
//! holds is counted. It knows no objects. Keeps
//! Q18 of `docs/invariants.md`.

use core::ops::Range;

use crate::geometry::{Proximity, Scalar};

/// A reach is lowered so often at most, to a quarter each time.
const LOWERED_MOST: u32 = 8;

/// A reach is raised so often at most. Then all is gathered: of those that match there may be fewer than are wanted.
const RAISED_MOST: u32 = 8;

/// The neighbors that are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<S> {
    /// `None` if nothing is near enough.
    pub(super) proximity: Option<Proximity<S>>,
    /// Only this many, the nearest.
    pub(super) nearest: Option<usize>,
    distance: Option<S>,
}

impl<S: Scalar> Wanted<S> {
    /// All that share a point.
    pub(super) const TOUCHING: Self = Self { proximity: Some(Proximity::Touching), nearest: None, distance: None };

    /// At most so far away.
    pub(super) fn within(self, distance: S) -> Self {
        Self { proximity: Proximity::within(distance), distance: Some(distance), ..self }
    }

    /// Only the nearest; without a distance they may be anywhere.
    pub(super) fn nearest(self, count: usize) -> Self {
        let nearest = Self { nearest: Some(count), ..self };
        if self.distance.is_some() { nearest } else { Self { distance: None, ..nearest.within(S::INFINITY) } }
    }

    /// A reach, if it is less than the distance.
    fn reach(&self, reach: f64) -> Option<S> {
        let reach = S::from_f64(reach);
        (reach < self.distance.unwrap_or(S::INFINITY)).then_some(reach)
    }
}

/// Some centers, by their positions in a list, whose neighbors are gathered at once.
#[derive(Clone, Debug, Default)]
pub(super) struct CenterPart<S> {
    pub(super) centers: Range<usize>,
    /// Where the nearest are looked for. `None` if all that are near enough are gathered.
    pub(super) reach: Option<S>,
    raised: u32,
    lowered: u32,
}

impl<S: Scalar> CenterPart<S> {
    /// All centers up to one, with a first guess of the reach.
    pub(super) fn up_to(end: usize, wanted: &Wanted<S>, guess: Option<f64>) -> Self {
        let reach = guess.and_then(|guess| wanted.reach(guess));
        Self { centers: 0..end, reach, raised: 0, lowered: 0 }
    }

    /// The condition on what is gathered.
    pub(super) fn proximity(&self, wanted: &Wanted<S>) -> Option<Proximity<S>> {
        self.reach.map_or(wanted.proximity, Proximity::within)
    }

    /// The same part up to a center, and from there on.
    pub(super) fn split(&self, middle: usize) -> [Self; 2] {
        let Range { start, end } = self.centers;
        [start..middle, middle..end].map(|centers| Self { centers, ..self.clone() })
    }

    /// Whether too many may be found because of the reach.
    pub(super) fn may_be_lowered(&self) -> bool {
        self.reach.is_some() && self.raised == 0 && self.lowered < LOWERED_MOST
    }

    pub(super) fn lowered(self) -> Self {
        let reach = self.reach.map(|reach| S::from_f64(reach.to_f64() * 0.25));
        Self { reach, lowered: self.lowered + 1, ..self }
    }

    /// The first few centers, which have too few, again; each time the reach grows by more.
    pub(super) fn raised(&self, count: usize, wanted: &Wanted<S>) -> Self {
        let raised = self.raised + 1;
        let raise = |reach: S| wanted.reach(reach.to_f64() * f64::from(1 << raised));
        // From 0 on it would not grow.
        let reach = self.reach.filter(|&reach| S::default() < reach && raised < RAISED_MOST).and_then(raise);
        Self { centers: self.centers.start..self.centers.start + count, reach, raised, ..*self }
    }
}
