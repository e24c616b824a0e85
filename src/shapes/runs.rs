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

/// Up to this many pieces there are no runs: looking at all of them is faster.
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
    /// The runs of a number of pieces; `joined` makes a run of its first part and of its last.
    pub(super) fn new(pieces: usize, each: impl Iterator<Item = R>, joined: impl Fn(&R, &R) -> R) -> Self {
        let mut levels = Vec::new();
        if pieces > FEW {
            levels.push(grouped(each, &joined));
        }
        while let Some(level) = levels.last()
            && level.len() > FAN
        {
            let above = grouped(level.iter().copied(), &joined);
            levels.push(above);
        }
        Self { pieces, levels }
    }

    /// None: all pieces are looked at.
    pub(super) fn none(pieces: usize) -> Self {
        Self { pieces, levels: Vec::new() }
    }

    /// Goes through the runs in order, into those that `opens` says, down to the numbers of their pieces, until `stops`
    /// says so: whether it did. It tells of the pieces of neighbours at once.
    #[inline]
    pub(super) fn search(&self, opens: impl Fn(&R) -> bool, stops: impl Fn(Range<usize>) -> bool) -> bool {
        match self.levels.len().checked_sub(1) {
            None => stops(0..self.pieces),
            Some(top) => self.search_in(top, 0..self.levels[top].len(), &opens, &stops),
        }
    }

    /// The same for some runs of a level.
    fn search_in(
        &self,
        level: usize,
        numbers: Range<usize>,
        opens: &impl Fn(&R) -> bool,
        stops: &impl Fn(Range<usize>) -> bool,
    ) -> bool {
        let (runs, end) = (&self.levels[level], numbers.end);
        if 0 < level {
            let len = self.levels[level - 1].len();
            let go_in = |at: usize| self.search_in(level - 1, at * FAN..len.min((at + 1) * FAN), opens, stops);
            return runs[numbers.clone()].iter().zip(numbers).any(|(run, number)| opens(run) && go_in(number));
        }
        let mut first = numbers.start;
        let is_gap = |number: usize| number == end || !opens(&runs[number]);
        for number in numbers.start..=end {
            if is_gap(number) {
                if first < number && stops(first * FAN..self.pieces.min(number * FAN)) {
                    return true;
                }
                first = number + 1;
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
