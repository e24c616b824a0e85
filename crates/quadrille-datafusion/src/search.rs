//! The candidates that an index has for a batch of boxes.
//!
//! Where many boxes come at once, they are put into an index of their own and the two are joined, which is several times
//! as fast as asking for one box after the other. A join cannot stop in the middle, so it is given up where it finds too
//! many pairs. These boxes are asked for one by one, by queries that can be paused.

use std::fmt::Debug;
use std::sync::Arc;

use datafusion::common::Result;
use quadrille::{Cursor, Intersecting};

use crate::coordinate::Scale;
use crate::corners::{Corners, Operands};
use crate::index::{Boxed, Rows, parts};

/// An index over the boxes of rows, in two or three dimensions.
pub(crate) trait BoxIndex: Debug + Send + Sync {
    /// Begins to search for the candidates of a batch of boxes.
    fn search(self: Arc<Self>, boxes: &Corners) -> Box<dyn Search>;
}

/// Builds an index over the boxes of rows.
pub(crate) fn build(operands: &Operands, scales: &[Scale]) -> Result<Arc<dyn BoxIndex>> {
    if scales.len() == 2 {
        Ok(Arc::new(built::<2>(operands, scales)?))
    } else {
        Ok(Arc::new(built::<3>(operands, scales)?))
    }
}

fn built<const D: usize>(operands: &Operands, scales: &[Scale]) -> Result<Rows<D>> {
    let mut index = Rows::new(operands.are_points())?;
    for rows in parts(operands.rows()) {
        let corners = operands.slice(&rows).corners(scales)?;
        #[expect(clippy::cast_possible_truncation, reason = "the build side is limited")]
        let first = rows.start as u32;
        index.insert(boxes_of(&corners).map(|(rect, row)| (rect, first + row)))?;
    }
    Ok(index)
}

fn boxes_of<const D: usize>(corners: &Corners) -> impl Iterator<Item = Boxed<D>> {
    corners.rows().map(|row| (corners.rect(row), row))
}

impl<const D: usize> BoxIndex for Rows<D> {
    fn search(self: Arc<Self>, boxes: &Corners) -> Box<dyn Search> {
        let (are_points, boxes) = (boxes.are_points(), boxes_of(boxes).collect::<Vec<_>>());
        let limits = Limits::of(self.index.len(), boxes.len());
        Box::new(RowSearch::new(self, are_points, boxes, limits))
    }
}

/// Pairs of rows whose boxes may share a point: those of the build side, and those of the probe side.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) build: Vec<u32>,
    pub(crate) probe: Vec<u32>,
}

impl Candidates {
    fn push(&mut self, build: u32, probe: u32) {
        self.build.push(build);
        self.probe.push(probe);
    }

    /// The number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.build.len()
    }

    /// Moves pairs from the end of others, until there are `limit`.
    fn take_from(&mut self, others: &mut Self, limit: usize) {
        let rest = others.len() - others.len().min(limit.saturating_sub(self.len()));
        self.build.extend(others.build.drain(rest..));
        self.probe.extend(others.probe.drain(rest..));
    }
}

/// A search for candidates, which can stop anywhere.
pub(crate) trait Search: Send {
    /// Finds further candidates, until there are `limit` of them; `false` if there are no more.
    fn find(&mut self, limit: usize, candidates: &mut Candidates) -> Result<bool>;
}

/// When boxes are joined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Fewer boxes are asked for one by one.
    boxes_min: usize,
    /// Joins with more pairs are given up.
    pairs_max: usize,
}

impl Limits {
    /// Those for so many rows in the index and so many boxes to search.
    ///
    /// A join goes through the index once, so it pays if boxes are many in proportion.
    fn of(rows: usize, boxes: usize) -> Self {
        Self { boxes_min: (rows / 16).max(32), pairs_max: boxes.saturating_mul(4).max(1 << 16) }
    }
}

/// How many boxes are worth to be searched at once in an index of so many rows. More cost more memory, and a join of them
/// cannot stop in the middle.
pub(crate) fn boxes_at_once(rows: usize) -> usize {
    (rows / 4).min(1 << 18)
}

/// A search for the boxes of rows.
pub(crate) struct RowSearch<const D: usize> {
    index: Arc<Rows<D>>,
    are_points: bool,
    boxes: Vec<Boxed<D>>,
    limits: Limits,
    /// The boxes before this one are done.
    next: usize,
    /// The boxes before this one are asked for one by one.
    singly: usize,
    /// So many boxes are joined next.
    joined: usize,
    /// The pairs that a join has found.
    found: Candidates,
    /// The query for the next box, if it was begun.
    paused: Option<Cursor<Intersecting, f32, D>>,
}

impl<const D: usize> RowSearch<D> {
    pub(crate) fn new(index: Arc<Rows<D>>, are_points: bool, boxes: Vec<Boxed<D>>, limits: Limits) -> Self {
        let joined = boxes.len();
        let found = Candidates::default();
        Self { index, are_points, boxes, limits, next: 0, singly: 0, joined, found, paused: None }
    }

    /// Joins the next boxes, or decides that they are asked for one by one.
    fn join(&mut self) -> Result<()> {
        let until = self.boxes.len().min(self.next + self.joined);
        let boxes = &self.boxes[self.next..until];
        if boxes.len() < self.limits.boxes_min {
            self.singly = until;
            return Ok(());
        }
        let mut probe = Rows::new(self.are_points)?;
        probe.insert(boxes.iter().copied())?;
        for (probed, built) in probe.index.join(&self.index.index) {
            if self.found.len() == self.limits.pairs_max {
                self.found = Candidates::default();
                self.singly = until;
                self.joined = self.joined.div_ceil(4);
                return Ok(());
            }
            self.found.push(*built.value(), *probed.value());
        }
        self.next = until;
        if self.found.len() < self.limits.pairs_max / 4 {
            self.joined = self.joined.saturating_mul(2);
        }
        Ok(())
    }

    /// Asks for the next box; `true` if there are enough candidates.
    fn ask(&mut self, limit: usize, candidates: &mut Candidates) -> bool {
        let (rect, row) = self.boxes[self.next];
        let cursor = self.paused.take().unwrap_or_else(|| self.index.index.intersecting(rect).pause());
        let mut query = self.index.index.resume(cursor).expect("the index never changes");
        while candidates.len() < limit {
            let Some(found) = query.next() else {
                self.next += 1;
                return false;
            };
            candidates.push(*found.value(), row);
        }
        self.paused = Some(query.pause());
        true
    }
}

impl<const D: usize> Search for RowSearch<D> {
    fn find(&mut self, limit: usize, candidates: &mut Candidates) -> Result<bool> {
        loop {
            candidates.take_from(&mut self.found, limit);
            if candidates.len() >= limit {
                return Ok(true);
            }
            if self.next < self.singly {
                if self.ask(limit, candidates) {
                    return Ok(true);
                }
            } else if self.next < self.boxes.len() {
                self.join()?;
            } else {
                return Ok(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use quadrille::Rect;

    use super::{Candidates, Limits, RowSearch, Search};
    use crate::index::{Boxed, Rows};

    fn boxes(extent_max: u8) -> impl Strategy<Value = Vec<Boxed<2>>> {
        let corner = proptest::array::uniform2(0..12_u8);
        let one = (corner, proptest::array::uniform2(0..=extent_max)).prop_map(|(min, extent)| {
            let min = min.map(f32::from);
            Rect::new(min, [min[0] + f32::from(extent[0]), min[1] + f32::from(extent[1])])
        });
        proptest::collection::vec(one, 0..40).prop_map(|all| all.into_iter().zip(0..).collect())
    }

    fn all_pairs(build: &[Boxed<2>], probe: &[Boxed<2>]) -> Vec<(u32, u32)> {
        let pairs = build.iter().flat_map(|first| probe.iter().map(move |second| (first, second)));
        pairs
            .filter(|(first, second)| first.0.intersects(&second.0))
            .map(|(first, second)| (first.1, second.1))
            .collect()
    }

    proptest! {
        #[test]
        fn every_pair_is_found_once_whatever_the_limits(
            build in boxes(4), probe in boxes(3), boxes_min in 0..20_usize, pairs_max in 1..60_usize, limit in 1..9_usize,
        ) {
            let mut index = Rows::<2>::new(false).expect("there is room");
            index.insert(build.iter().copied()).expect("there is room");
            let limits = Limits { boxes_min, pairs_max };
            let mut search = RowSearch::new(Arc::new(index), false, probe.clone(), limits);
            let mut found = Vec::new();
            let mut has_more = true;
            while has_more {
                let mut candidates = Candidates::default();
                has_more = search.find(limit, &mut candidates).expect("there is room");
                prop_assert!(candidates.len() <= limit);
                found.extend(candidates.build.into_iter().zip(candidates.probe));
            }
            found.sort_unstable();
            prop_assert_eq!(found, all_pairs(&build, &probe));
        }
    }
}
