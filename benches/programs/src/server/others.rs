//! Sets by hand: a list for each player, and a mark for each mover, by which the new list is compared with the last one. Windows are found
//! by a grid by hand, sorted in each tick, or by rstar, built anew.

use std::cell::RefCell;
use std::ops::ControlFlow;

use quadrille::Rect;
use rstar::primitives::GeomWithData;
use rstar::{AABB, RTree};

use super::{Movers, News, VIEW, Windows, outcome, players, view};
use crate::cells::Cells;
use crate::measure::{Outcome, Program, Threads};

thread_local! {
    /// For each mover the last list that it was in, and the number of that list.
    static MARKS: RefCell<(Vec<u32>, u32)> = const { RefCell::new((Vec::new(), 0)) };
}

#[derive(Clone, Default)]
struct Player {
    seen: Vec<u32>,
    last: Vec<u32>,
    news: News,
}

impl Player {
    /// Compares the lists in as many steps as they are long.
    fn compare(&mut self, movers: usize, marks: &mut (Vec<u32>, u32)) {
        let Self { seen, last, news } = self;
        let (marks, mark) = marks;
        marks.resize(movers.max(marks.len()), 0);
        *mark += 2;
        news.entered.clear();
        news.left.clear();
        last.iter().for_each(|&mover| marks[mover as usize] = *mark);
        for &mover in &*seen {
            if marks[mover as usize] != *mark {
                news.entered.push(mover);
            }
            marks[mover as usize] = *mark + 1;
        }
        news.left.extend(last.iter().filter(|&&mover| marks[mover as usize] == *mark));
    }
}

pub(super) struct Sets<W> {
    windows: W,
    players: Vec<Player>,
    threads: Threads,
}

impl<W: Windows> Sets<W> {
    pub(super) fn new(movers: &Movers, side: f32, threads: Threads) -> Self {
        Self { windows: W::new(movers, side), players: vec![Player::default(); players(movers)], threads }
    }
}

impl<W: Windows> Program<Movers> for Sets<W> {
    fn tick(&mut self, movers: &Movers) {
        self.windows.follow(movers, self.threads);
        let windows = &self.windows;
        self.threads.each(&mut self.players, |number, player| {
            std::mem::swap(&mut player.seen, &mut player.last);
            player.seen.clear();
            windows.each_in(&view(movers, number), |mover| player.seen.push(mover));
            MARKS.with_borrow_mut(|marks| player.compare(movers.len(), marks));
        });
    }

    fn outcome(&self) -> Outcome {
        outcome(self.players.iter().map(|player| &player.news))
    }
}

/// A view is four or five cells high.
const CELL: f32 = VIEW[1] / 2.0;

pub(super) struct Grid {
    cells: Cells,
    sorted: Vec<([f32; 2], u32)>,
}

impl Windows for Grid {
    fn new(movers: &Movers, side: f32) -> Self {
        Self { cells: Cells::new(side, CELL), sorted: vec![([0.0; 2], 0); movers.len()] }
    }

    fn follow(&mut self, movers: &Movers, _threads: Threads) {
        self.cells.sort(movers.iter().copied(), |number, place| self.sorted[place] = (movers[number], number as u32));
    }

    fn each_in(&self, view: &Rect, mut seen: impl FnMut(u32)) {
        let ([left, low], [right, high]) = (view.min(), view.max());
        for run in self.cells.runs(view.min(), view.max()) {
            for &([x, y], mover) in &self.sorted[run] {
                if (left <= x) & (x <= right) & (low <= y) & (y <= high) {
                    seen(mover);
                }
            }
        }
    }
}

pub(super) struct Rstar(RTree<GeomWithData<[f32; 2], u32>>);

impl Windows for Rstar {
    fn new(_movers: &Movers, _side: f32) -> Self {
        Self(RTree::new())
    }

    fn follow(&mut self, movers: &Movers, _threads: Threads) {
        self.0 = RTree::bulk_load((0..).zip(movers).map(|(number, &at)| GeomWithData::new(at, number)).collect());
    }

    fn each_in(&self, view: &Rect, mut seen: impl FnMut(u32)) {
        let _ = self.0.locate_in_envelope_intersecting_int(AABB::from_corners(view.min(), view.max()), |mover| {
            seen(mover.data);
            ControlFlow::<()>::Continue(())
        });
    }
}
