//! Boxes over runs of consecutive pieces of a line, and over runs of those: where a long line passes. Knows no pieces.
//!
//! The pieces stay in the order of the line, where neighbours are close together, so nothing is sorted, and each level
//! takes an eighth of the memory of the one below, however the line winds. (Burton: *Representation of the many-sided
//! polygons and polygonal lines for rapid processing*, CACM 20, 1977. Ballard's strip trees, CACM 24, 1981, are the same with
//! turned boxes.)

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// How many pieces, or runs of the level below, make a run.
const FAN: usize = 8;

/// With at most so many pieces there are no runs: to look at all of them is faster then.
pub(super) const FEW: usize = 24;

/// The runs of a number of pieces, with a summary `R` of each.
#[derive(Clone, PartialEq)]
pub(super) struct Runs<R> {
    pieces: usize,
    /// Runs of pieces, runs of runs, and so on, up to a level of `FAN` at most. Only the last run of a level is shorter
    /// than the others.
    levels: Vec<Vec<R>>,
}

impl<R: Copy> Runs<R> {
    /// The runs of some pieces; `joined` makes a run of its first part and of its last.
    pub(super) fn new(pieces: impl Iterator<Item = R>, joined: impl Fn(&R, &R) -> R) -> Self {
        let mut runs = Self { pieces: 0, levels: Vec::new() };
        let mut level = grouped(pieces.inspect(|_| runs.pieces += 1), &joined);
        if runs.pieces > FEW {
            while level.len() > FAN {
                let above = grouped(level.iter().copied(), &joined);
                runs.levels.push(level);
                level = above;
            }
            runs.levels.push(level);
        }
        runs
    }

    /// Goes through the runs in order, into those that `opens` says, down to the numbers of their pieces, until `stops`
    /// says so: whether it did.
    #[inline]
    pub(super) fn search(&self, opens: impl Fn(&R) -> bool, stops: impl Fn(Range<usize>) -> bool) -> bool {
        let Some(top) = self.levels.len().checked_sub(1) else { return stops(0..self.pieces) };
        let (mut level, mut number) = (top, 0);
        // Whatever the level, its last run ends where all end.
        while let Some(run) = self.levels[level].get(number) {
            let opens = opens(run);
            if opens && 0 < level {
                (level, number) = (level - 1, number * FAN);
                continue;
            }
            if opens && stops(number * FAN..self.pieces.min((number + 1) * FAN)) {
                return true;
            }
            number += 1;
            while level < top && number.is_multiple_of(FAN) {
                (level, number) = (level + 1, number / FAN);
            }
        }
        false
    }
}

/// Each `FAN` of them as one; the last may be fewer.
fn grouped<R: Copy>(parts: impl Iterator<Item = R>, joined: impl Fn(&R, &R) -> R) -> Vec<R> {
    let mut runs: Vec<R> = Vec::new();
    for (number, part) in parts.enumerate() {
        match runs.last_mut() {
            Some(run) if !number.is_multiple_of(FAN) => *run = joined(run, &part),
            _ => runs.push(part),
        }
    }
    runs
}

/// Not the runs, which follow from the pieces.
impl<R> fmt::Debug for Runs<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runs").field("pieces", &self.pieces).finish_non_exhaustive()
    }
}
