//! Markers as a list of cells that is gone through again for each.

use core::array;
use std::collections::BTreeSet;

use quadrille::{Ball, Cluster, Rect};

use super::Real;

pub const SIDE: f64 = 1000.0;
pub const RADIUS: f64 = 60.0;
/// The rule: how far two means are apart, how far a mean may be from its center, and how far the mean of what lies around that goes
/// where nothing has changed.
pub const SHARE: f64 = 0.75;
const FOLLOW: f64 = 0.1;
const STILL: f64 = 1e-6;
/// Rounding moves it too.
const ROUNDING: f64 = 16.0;

pub fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("few"))
}

pub fn near<S: Real, const D: usize>(one: [S; D], other: [S; D], distance: f64) -> bool {
    Ball::new(one, S::of(distance)).intersects(&Rect::from_point(other))
}

pub fn apart<S: Real, const D: usize>(one: [S; D], other: [S; D]) -> f64 {
    (0..D).map(|axis| (one[axis].value() - other[axis].value()).powi(2)).sum::<f64>().sqrt()
}

/// A center, the cells that it has, and the mean of all around it.
#[derive(Clone)]
struct Taken<S, const D: usize> {
    number: Option<u64>,
    center: [S; D],
    around: [S; D],
    cells: Vec<usize>,
    is_over: bool,
}

pub type Listing<S, const D: usize> = Vec<(u64, usize, [S; D])>;

/// The memory as a list: numbers, centers, and means of what was around them.
pub struct Listed<S, const D: usize> {
    next: u64,
    known: Vec<Taken<S, D>>,
    pub come: Vec<(u64, Option<u64>)>,
    pub gone: Vec<(u64, Option<u64>)>,
}

impl<S: Real, const D: usize> Listed<S, D> {
    pub const NEW: Self = Self { next: 0, known: Vec::new(), come: Vec::new(), gone: Vec::new() };

    fn mean(cells: &[Cluster<S, D>], of: &[usize]) -> [S; D] {
        let count: usize = of.iter().map(|&cell| cells[cell].count).sum();
        let sum = |axis: usize| {
            of.iter().map(|&cell| number(cells[cell].count) * cells[cell].mean[axis].value()).sum::<f64>()
        };
        array::from_fn(|axis| S::of(sum(axis) / number(count)))
    }

    /// Each cell goes to the nearest center that reaches it. Returns those that none reaches.
    fn share(cells: &[Cluster<S, D>], all: &mut [Taken<S, D>]) -> Vec<usize> {
        for one in all.iter_mut() {
            one.cells.clear();
        }
        let mut left = Vec::new();
        for (at, cell) in cells.iter().enumerate() {
            let reach = all.iter_mut().filter(|one| !one.is_over && near(one.center, cell.mean, RADIUS));
            match reach.min_by(|a, b| apart(a.center, cell.mean).total_cmp(&apart(b.center, cell.mean))) {
                Some(nearest) => nearest.cells.push(at),
                None => left.push(at),
            }
        }
        left
    }

    fn around(cells: &[Cluster<S, D>], center: [S; D]) -> [S; D] {
        let all: Vec<usize> = (0..cells.len()).filter(|&cell| near(center, cells[cell].mean, RADIUS)).collect();
        Self::mean(cells, &all)
    }

    /// Polls about a view. The cells are all that there are.
    pub fn poll(&mut self, view: Rect<S, D>, cells: &[Cluster<S, D>]) -> Listing<S, D> {
        let zone = view.expanded(S::of(3.0 * RADIUS));
        let mut all = self.known.clone();
        Self::share(cells, &mut all);
        let means: Vec<_> = all.iter().map(|one| Self::mean(cells, &one.cells)).collect();
        for one in all.iter_mut().filter(|one| one.cells.is_empty() && zone.contains_point(one.center)) {
            one.is_over = true;
        }
        let is_left: Vec<bool> = all.iter().map(|one| !one.is_over).collect();
        for at in 0..all.len() {
            let is_second = (0..at).any(|other| is_left[other] && all[other].number == all[at].number);
            let (one, mean) = (&mut all[at], means[at]);
            let is_whole = is_left[at] && zone.contains_point(one.center);
            let largest = one.around.iter().map(|at| at.value().abs()).fold(0.0, f64::max);
            let still = STILL * RADIUS + largest * S::EPSILON.value() * ROUNDING;
            if !is_whole || near(one.around, Self::around(cells, one.center), still) {
                continue;
            }
            one.is_over = is_second;
            if !near(one.center, mean, FOLLOW * RADIUS) && zone.contains_point(mean) {
                one.center = mean;
            }
        }
        let mut left = Self::share(cells, &mut all);
        left.retain(|&cell| zone.contains_point(cells[cell].mean));
        while let Some(&fullest) = left.iter().min_by_key(|&&cell| (usize::MAX - cells[cell].count, cells[cell].cell)) {
            let center = cells[fullest].mean;
            left.retain(|&cell| !near(center, cells[cell].mean, RADIUS));
            all.push(Taken { number: None, center, around: center, cells: Vec::new(), is_over: false });
        }
        Self::share(cells, &mut all);
        for one in all.iter_mut().filter(|one| zone.contains_point(one.center)) {
            one.around = Self::around(cells, one.center);
            one.is_over |= one.cells.is_empty();
        }
        let groups = Self::merged(cells, &all, zone);
        self.name(view, cells, all, &groups)
    }

    /// For each center the one that has its cells: whole ones whose means are near each other become one, those with the first pairs
    /// of them in each round.
    fn merged(cells: &[Cluster<S, D>], all: &[Taken<S, D>], zone: Rect<S, D>) -> Vec<usize> {
        let mut roots: Vec<usize> = (0..all.len()).collect();
        loop {
            let full = (0..all.len())
                .filter(|&at| roots[at] == at && !all[at].cells.is_empty() && zone.contains_point(all[at].center));
            let means: Vec<_> = full.map(|at| (at, Self::mean(cells, &Self::own(all, &roots, at)))).collect();
            let (mut used, mut is_done) = (BTreeSet::new(), true);
            for (at, (kept, one)) in means.iter().enumerate() {
                for (lost, _) in means[at + 1..].iter().filter(|(_, other)| near(*one, *other, SHARE * RADIUS)) {
                    is_done = false;
                    if used.insert(*kept) & used.insert(*lost) {
                        roots.iter_mut().filter(|root| **root == *lost).for_each(|root| *root = *kept);
                    }
                }
            }
            if is_done {
                return roots;
            }
        }
    }

    fn own(all: &[Taken<S, D>], roots: &[usize], root: usize) -> Vec<usize> {
        (0..all.len()).filter(|&one| roots[one] == root).flat_map(|one| all[one].cells.clone()).collect()
    }

    fn nearest(among: &[Taken<S, D>], to: [S; D]) -> Option<usize> {
        let within = (0..among.len()).filter(|&one| near(to, among[one].center, RADIUS));
        within.min_by(|&a, &b| apart(among[a].center, to).total_cmp(&apart(among[b].center, to)))
    }

    fn name(
        &mut self,
        view: Rect<S, D>,
        cells: &[Cluster<S, D>],
        mut all: Vec<Taken<S, D>>,
        roots: &[usize],
    ) -> Listing<S, D> {
        (self.come, self.gone) = (Vec::new(), Vec::new());
        let of = |known: &[Taken<S, D>], at: usize| known[at].number.expect("a number");
        let (mut used, mut found, mut seen) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
        for at in 0..all.len() {
            let own = Self::own(&all, roots, at);
            if own.is_empty() {
                continue;
            }
            let mean = Self::mean(cells, &own);
            if view.contains_point(mean) {
                seen.insert(at);
            }
            if !all[at].number.is_some_and(|number| used.insert(number) || !seen.contains(&at)) {
                let from = Self::nearest(&self.known, mean);
                let again = from.filter(|&from| all[from].is_over && used.insert(of(&self.known, from)));
                if again.is_none() {
                    self.come.push((self.next, from.map(|from| of(&self.known, from))));
                    self.next += 1;
                }
                all[at].number = Some(again.map_or(self.next - 1, |again| of(&self.known, again)));
            }
            if seen.contains(&at) {
                found.push((of(&all, at), own.iter().map(|&cell| cells[cell].count).sum(), mean));
            }
        }
        for at in 0..all.len() {
            if all[at].number.is_none() || seen.contains(&roots[at]) {
                all[at].number = all[roots[at]].number;
            }
        }
        all.retain(|one| !one.is_over);
        for (at, one) in self.known.iter().enumerate() {
            let number = of(&self.known, at);
            if all.iter().all(|other| other.number != one.number) && self.gone.iter().all(|gone| gone.0 != number) {
                self.gone.push((number, Self::nearest(&all, one.center).map(|into| of(&all, into))));
            }
        }
        self.gone.sort_unstable();
        self.known = all;
        found.sort_by_key(|found| found.0);
        found
    }
}
