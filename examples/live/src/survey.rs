//! A polygon that is followed within an allowance of time: what it does not suffice for goes on in the next tick, from a
//! paused query.
//!
//! Each test of a place looks at every corner of the polygon, so a star over a full sky would hold up all views for a second.

use std::time::{Duration, Instant};

use quadrille::{Cursor, Handle, Intersecting, LayerId, ObjectRef, Polygon, Watch};

use crate::follow::Seen;
use crate::globe::Index;

/// How many corners are looked at in one go, at least: the allowance is looked at again after that.
const CORNERS_A_STEP: usize = 20_000;
/// How many places and squares are tested in a visit, at most: those of a bucket, and its square twice.
const TESTS_A_VISIT: usize = 66;

/// The time that all surveys of a tick have. Each takes an equal share; a share that is not used is left to the others. Once
/// it is spent, the others wait for the next tick.
#[derive(Debug)]
pub struct Allowance {
    left: Duration,
    surveys: u32,
}

/// A polygon that is followed.
#[derive(Debug)]
pub struct Survey {
    layer: LayerId,
    polygon: Polygon,
    /// How many visits a step has.
    visits: usize,
    round: Option<Round>,
    watch: Option<Watch>,
}

/// One answer, as far as it has come.
#[derive(Debug)]
struct Round {
    stage: Stage,
    /// Those found, no more than can be listed and one.
    found: Vec<Handle>,
    count: usize,
    ticks: u32,
}

#[derive(Debug)]
enum Stage {
    /// The polygon's query is paused.
    Asking(Box<Cursor<Intersecting, f32, 2, Polygon>>),
    /// A paused query may miss who moves behind it. So those who were inside and were not found are looked at once more.
    Doubting(Vec<Handle>),
}

impl Allowance {
    /// So much time for so many surveys.
    #[must_use]
    pub fn new(left: Duration, surveys: u32) -> Self {
        Self { left, surveys }
    }

    /// Does work that is told how much time it has.
    fn spend<R>(&mut self, work: impl FnOnce(Duration) -> R) -> R {
        let (share, begun) = (self.left / self.surveys.max(1), Instant::now());
        let result = work(share);
        self.left = self.left.saturating_sub(begun.elapsed());
        self.surveys = self.surveys.saturating_sub(1);
        result
    }
}

impl Survey {
    /// Follows a polygon.
    #[must_use]
    pub fn new(layer: LayerId, polygon: Polygon) -> Self {
        let visits = (CORNERS_A_STEP / (TESTS_A_VISIT * polygon.edges().count().max(1))).max(1);
        Self { layer, polygon, visits, round: None, watch: None }
    }

    /// How many were found so far, if no answer has been given yet.
    #[must_use]
    pub fn found_so_far(&self) -> Option<usize> {
        self.round.as_ref().filter(|_| self.watch.is_none()).map(|round| round.count)
    }

    /// Goes on for a share of the allowance, by a step at least if there is any. Once all is looked at, gives the answer, as
    /// [`Follow`](crate::follow::Follow) does, and the number of ticks that it took.
    pub fn look<'i>(
        &mut self,
        index: &'i Index,
        limit: usize,
        allowance: &mut Allowance,
    ) -> Option<(u32, Seen<'_, impl Iterator<Item = ObjectRef<'i, u32>> + use<'i>>)> {
        let Self { layer, polygon, visits, round, watch } = self;
        let mut going = round.take().unwrap_or_else(|| Round {
            stage: Stage::Asking(Box::new(index.intersecting(polygon.clone()).in_layers(*layer).pause())),
            found: Vec::new(),
            count: 0,
            ticks: 0,
        });
        going.ticks += 1;
        let inside = watch.as_ref().map_or(&[][..], Watch::inside);
        let is_done = allowance.spend(|share| {
            let (begun, mut time) = (Instant::now(), Duration::ZERO);
            while time < share {
                if going.step(index, polygon, *visits, limit, inside) {
                    return true;
                }
                time = begun.elapsed();
            }
            false
        });
        if !is_done {
            *round = Some(going);
            return None;
        }
        let Round { found, count, ticks, .. } = going;
        if limit < found.len() {
            *watch = None;
            return Some((ticks, Seen::Crowd { count: count.max(found.len()) }));
        }
        let fresh = watch.is_none();
        let answer = found.into_iter().filter_map(move |handle| index.object(handle));
        Some((ticks, Seen::List { fresh, watch: watch.get_or_insert_default(), answer }))
    }
}

impl Round {
    /// Goes on by so many visits, or by as many tests. Returns whether all is looked at.
    fn step(&mut self, index: &Index, polygon: &Polygon, visits: usize, limit: usize, inside: &[Handle]) -> bool {
        match &mut self.stage {
            Stage::Asking(cursor) => {
                let run = cursor.run(index, visits, |object| {
                    self.count += 1;
                    if self.found.len() <= limit {
                        self.found.push(object.handle());
                    }
                });
                if run.expect("the index is never cleared").done {
                    self.doubt(limit, inside);
                }
            }
            Stage::Doubting(doubtful) => {
                for handle in doubtful.drain(doubtful.len().saturating_sub(TESTS_A_VISIT * visits)..) {
                    if index.shape(handle).is_some_and(|place| polygon.intersects(&place)) {
                        self.found.push(handle);
                    }
                }
            }
        }
        matches!(&self.stage, Stage::Doubting(doubtful) if doubtful.is_empty())
    }

    /// The query is done: who was inside, and is not found, though the list is whole?
    fn doubt(&mut self, limit: usize, inside: &[Handle]) {
        // Who moved ahead of the query may have been found twice.
        if self.found.len() <= limit {
            self.found.sort_unstable();
            self.found.dedup();
        }
        // Within one tick nobody moves, and none is missed.
        let is_sure = self.ticks == 1 || limit < self.found.len();
        let missed = inside.iter().filter(|handle| !is_sure && self.found.binary_search(handle).is_err());
        self.stage = Stage::Doubting(missed.copied().collect());
    }
}

#[cfg(test)]
mod tests;
