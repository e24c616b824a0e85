//! One moment of the replay, as much of it as a picture shows.

use std::collections::HashSet;

use quadrille::{CellKind, Rect};

use crate::clock::Minute;
use crate::data::Position;
use crate::replay::Replay;

/// How many minutes of its way an aircraft trails behind it.
pub(crate) const TRAIL_MINUTES: f64 = 6.0;

/// As many are drawn at most: more would hide each other.
const AIRCRAFT_MAX: usize = 3000;
const ENCOUNTERS_MAX: usize = 500;

/// A square or a block of squares of the aircraft's tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeCell {
    /// A node, or one of the blocks its cells are grouped into.
    pub(crate) kind: CellKind,
    /// Where it is; infinite at the edge of the world.
    pub(crate) bounds: Rect<f64, 2>,
    /// How many aircraft are in it.
    pub(crate) len: usize,
}

/// The content of the index at one moment.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The moment.
    pub(crate) minute: Minute,
    /// The nodes and blocks of the aircraft's tree.
    pub(crate) cells: Vec<TreeCell>,
    /// How many aircraft are in the air.
    pub(crate) airborne: usize,
    /// Where an aircraft was some minutes ago, and where it is, for a sample of them.
    pub(crate) aircraft: Vec<[Position; 2]>,
    /// How many pairs are near each other.
    pub(crate) encounters: usize,
    /// Whether there are too many to be drawn.
    pub(crate) are_sampled: bool,
    /// Where: half-way between the two, for a sample of the aircraft that come first in a pair. All pairs may be millions.
    pub(crate) encounters_at: Vec<Position>,
}

impl Snapshot {
    /// Looks at the replay as it is now.
    pub(crate) fn take(replay: &Replay, minute: Minute) -> Self {
        let (sky, fleet) = (&replay.sky, &replay.fleet);
        let cells = sky.index.cells(sky.aircraft).map(|cell| TreeCell {
            kind: cell.kind(),
            bounds: cell.bounds(),
            len: cell.len(),
        });
        let (mut encounters, mut encounters_at) = (0, Vec::new());
        let mut shown = HashSet::new();
        for (one, other) in sky.encounters() {
            encounters += 1;
            if shown.insert(one.handle()) {
                let ([x, y], [other_x, other_y]) = (one.shape().min(), other.shape().min());
                encounters_at.push([f64::midpoint(x, other_x), f64::midpoint(y, other_y)]);
            }
        }
        let are_sampled = ENCOUNTERS_MAX < encounters_at.len();
        let encounters_at = sample(encounters_at.into_iter(), ENCOUNTERS_MAX);
        let legs = sample(fleet.legs().iter(), AIRCRAFT_MAX);
        let aircraft = legs.iter().map(|leg| [leg.position_before(TRAIL_MINUTES), leg.position()]).collect();
        Self { minute, cells: cells.collect(), airborne: fleet.len(), aircraft, encounters, are_sampled, encounters_at }
    }

    /// How many blocks of cells the aircraft's tree has.
    pub(crate) fn blocks(&self) -> usize {
        self.cells.iter().filter(|cell| cell.kind == CellKind::Block).count()
    }
}

/// One of every few, no more than so many.
fn sample<V>(of: impl ExactSizeIterator<Item = V>, max: usize) -> Vec<V> {
    let every = of.len().div_ceil(max).max(1);
    of.step_by(every).collect()
}
