//! The referee: it knows the right answers.
//!
//! A plain scan of all objects decides, but it is slow; so answers come from cells of packed objects, and the scan
//! proves a sample of them anew in every scene.

use std::array::from_fn;
use std::ops::Range;

use crate::data::{Point, Rect, Scalar, greater, lesser};
use crate::exact::{Square, square, square_of};

/// The sum of a query's results, whatever their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    count: u32,
    sum: u64,
    xor: u64,
}

impl Tally {
    #[inline]
    pub(crate) fn add(&mut self, name: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(name);
        self.xor ^= name;
    }

    /// So many results without names.
    #[inline]
    pub(crate) fn of_count(count: usize) -> Self {
        Self { count: count as u32, ..Self::default() }
    }
}

/// Objects by the cell of their minimum corner, cell after cell in one list.
///
/// The cells divide the bounds of all minimum corners, in rows along the first axis.
pub(crate) struct Referee<S = f32, const D: usize = 2> {
    /// On each axis.
    cells: usize,
    /// The corner of the first cell.
    corner: [f64; D],
    /// Cells for a unit of length, on each axis.
    scale: [f64; D],
    starts: Vec<u32>,
    entries: Vec<(Rect<S, D>, u32)>,
    /// The largest extents: how far before a window an object may begin that meets it.
    reach: Point<S, D>,
}

/// One row of cells: the columns of the other axes.
type Row<const D: usize> = [usize; D];

impl<S: Scalar, const D: usize> Referee<S, D> {
    pub(crate) fn new(bounds: impl ExactSizeIterator<Item = Rect<S, D>> + Clone) -> Self {
        let cells = ((bounds.len() as f64 / 4.0).powf(1.0 / D as f64) as usize).clamp(1, 1024);
        let world = Rect::world();
        let first = bounds.clone().next().map_or(world.min, |rect| rect.min);
        let (mut low, mut high, mut reach) = (first, first, world.min);
        for rect in bounds.clone() {
            low = from_fn(|axis| lesser(low[axis], rect.min[axis]));
            high = from_fn(|axis| greater(high[axis], rect.min[axis]));
            reach = from_fn(|axis| greater(reach[axis], rect.size()[axis]));
        }
        let corner = low.map(Scalar::to_f64);
        let scale = from_fn(|axis| cells as f64 / (high[axis].to_f64() - corner[axis]).max(1.0));
        let starts = vec![0; cells.pow(D as u32) + 1];
        let mut referee = Self { cells, corner, scale, starts, entries: Vec::new(), reach };
        referee.fill(bounds);
        referee
    }

    fn fill(&mut self, bounds: impl ExactSizeIterator<Item = Rect<S, D>> + Clone) {
        for rect in bounds.clone() {
            let cell = self.cell_of(&rect);
            self.starts[cell + 1] += 1;
        }
        for cell in 1..self.starts.len() {
            self.starts[cell] += self.starts[cell - 1];
        }
        let mut next = self.starts.clone();
        self.entries = vec![(Rect::world(), 0); bounds.len()];
        for (id, rect) in bounds.enumerate() {
            let slot = &mut next[self.cell_of(&rect)];
            self.entries[*slot as usize] = (rect, id as u32);
            *slot += 1;
        }
    }

    /// The first cell holds all before it, and the last one all behind it.
    fn column(&self, axis: usize, coordinate: f64) -> usize {
        (((coordinate - self.corner[axis]) * self.scale[axis]) as usize).min(self.cells - 1)
    }

    fn cell_of(&self, rect: &Rect<S, D>) -> usize {
        self.number(from_fn(|axis| self.column(axis, rect.min[axis].to_f64())))
    }

    fn number(&self, columns: [usize; D]) -> usize {
        columns.iter().rev().fold(0, |number, column| number * self.cells + column)
    }

    /// All objects of a row of cells, from a column to another.
    fn row(&self, row: Row<D>, columns: [usize; 2]) -> &[(Rect<S, D>, u32)] {
        let [from, to] = columns.map(|column| self.number(from_fn(|axis| if axis == 0 { column } else { row[axis] })));
        &self.entries[self.starts[from] as usize..self.starts[to + 1] as usize]
    }

    /// All rows whose columns lie in these ranges; that of the first axis does not matter.
    fn rows(mut ranges: [Range<usize>; D]) -> impl Iterator<Item = Row<D>> {
        ranges[0] = 0..1;
        let count = ranges.iter().map(Range::len).product();
        (0..count).map(move |mut number| {
            from_fn(|axis| {
                let length = ranges[axis].len();
                let column = ranges[axis].start + number % length;
                number /= length;
                column
            })
        })
    }

    pub(crate) fn each_in(&self, window: &Rect<S, D>, mut hit: impl FnMut(u32)) {
        self.each_in_with_bounds(window, |_, id| hit(id));
    }

    pub(crate) fn each_in_with_bounds(&self, window: &Rect<S, D>, mut hit: impl FnMut(&Rect<S, D>, u32)) {
        let low = |axis: usize| self.column(axis, (window.min[axis] - self.reach[axis]).to_f64());
        let high = |axis: usize| self.column(axis, window.max[axis].to_f64());
        for row in Self::rows(from_fn(|axis| low(axis)..high(axis) + 1)) {
            let entries = self.row(row, [low(0), high(0)]);
            entries.iter().filter(|(rect, _)| rect.meets(window)).for_each(|(rect, id)| hit(rect, *id));
        }
    }

    /// Visits all objects no further from a point than a distance, and a few others.
    pub(crate) fn each_near(&self, point: Point<S, D>, distance: f64, mut visit: impl FnMut(&Rect<S, D>, u32)) {
        let point = point.map(Scalar::to_f64);
        let columns = |axis: usize, distance: f64| {
            let reach = self.reach[axis].to_f64();
            [self.column(axis, point[axis] - distance - reach), self.column(axis, point[axis] + distance)]
        };
        let ranges = from_fn(|axis| {
            let [low, high] = columns(axis, distance);
            low..high + 1
        });
        for row in Self::rows(ranges) {
            let gap: f64 = (1..D).map(|axis| self.gap(axis, row[axis], point[axis]).powi(2)).sum();
            let left = distance.powi(2) - gap;
            if 0.0 <= left {
                self.row(row, columns(0, left.sqrt())).iter().for_each(|(rect, id)| visit(rect, *id));
            }
        }
    }

    /// How far a coordinate is at least from objects of a column of cells; a little less, for rounding.
    fn gap(&self, axis: usize, column: usize, coordinate: f64) -> f64 {
        let side = 1.0 / self.scale[axis];
        let low = self.corner[axis] + column as f64 * side;
        let high = low + side + self.reach[axis].to_f64();
        ((low - coordinate).max(coordinate - high) - 0.01).max(0.0)
    }

    /// The extent of the box of all minimum corners on an axis.
    fn corners_on(&self, axis: usize) -> [f64; 2] {
        let low = self.corner[axis];
        [low, low + self.cells as f64 / self.scale[axis]]
    }

    /// The point closest to a point in the box of all minimum corners.
    pub(crate) fn closest(&self, point: Point<S, D>) -> Point<S, D> {
        from_fn(|axis| {
            let [low, high] = self.corners_on(axis);
            S::from_f64(point[axis].to_f64().clamp(low, high))
        })
    }

    /// The distance of a point to an object is no larger than this.
    pub(crate) fn farthest(&self, point: Point<S, D>) -> f64 {
        let on_axis = |axis: usize| {
            let ([low, high], coordinate) = (self.corners_on(axis), point[axis].to_f64());
            (coordinate - low).abs().max((coordinate - high).abs()) + self.reach[axis].to_f64()
        };
        (0..D).map(on_axis).sum()
    }

    /// All objects, for a plain scan.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Rect<S, D>, u32)> {
        self.entries.iter().map(|(rect, id)| (rect, *id))
    }

    /// How many answers a plain scan has time to prove.
    pub(crate) fn provable(&self) -> usize {
        (4_000_000 / self.entries.len().max(1)).clamp(4, 100)
    }

    /// The answers to windows; the first few are proved by a plain scan.
    ///
    /// # Panics
    /// If the scan finds anything else: then no figure means anything.
    pub(crate) fn answers(&self, windows: &[Rect<S, D>]) -> Answers {
        self.answers_where(windows, S::from_f64(0.0), Rect::meets)
    }

    /// The answers about all objects no further from points; the first few are proved by a plain scan.
    ///
    /// # Panics
    /// If the scan finds anything else.
    pub(crate) fn answers_within(&self, points: &[Point<S, D>], distance: S) -> Answers {
        let points: Vec<Rect<S, D>> = points.iter().copied().map(Rect::at).collect();
        let limit: Square = square_of(distance);
        self.answers_where(&points, distance, |point, rect| square(point, rect) <= limit)
    }

    /// All objects that fulfil a condition, and are no further from the questions on any axis.
    fn answers_where(
        &self,
        asked: &[Rect<S, D>],
        distance: S,
        fulfils: impl Fn(&Rect<S, D>, &Rect<S, D>) -> bool,
    ) -> Answers {
        let mut answers = Answers { ends: Vec::with_capacity(asked.len()), ids: Vec::new() };
        for about in asked {
            self.each_in_with_bounds(&about.grown(distance), |rect, id| {
                answers.ids.extend(fulfils(about, rect).then_some(id));
            });
            answers.ends.push(answers.ids.len());
        }
        for (query, about) in asked.iter().enumerate().take(self.provable()) {
            let scan = self.entries().filter(|(rect, _)| fulfils(about, rect));
            let mut scanned: Vec<u32> = scan.map(|(_, id)| id).collect();
            let mut answered = answers.of(query).to_vec();
            scanned.sort_unstable();
            answered.sort_unstable();
            assert_eq!(scanned, answered, "the referee is wrong about {about:?}");
        }
        answers
    }
}

/// The ids of the objects that each of many questions is about.
pub(crate) struct Answers {
    ends: Vec<usize>,
    ids: Vec<u32>,
}

impl Answers {
    pub(crate) fn of(&self, query: usize) -> &[u32] {
        let start = query.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ids[start..self.ends[query]]
    }

    /// The tallies of a contender that gives objects these names, for its first `count` queries.
    pub(crate) fn tallies(&self, count: usize, name: impl Fn(u32) -> u64) -> Vec<Tally> {
        let tally = |query| {
            let mut tally = Tally::default();
            self.of(query).iter().for_each(|&id| tally.add(name(id)));
            tally
        };
        (0..count).map(tally).collect()
    }

    /// The numbers of results of the first `count` queries.
    pub(crate) fn counts(&self, count: usize) -> impl Iterator<Item = usize> {
        (0..count).map(|query| self.of(query).len())
    }

    /// Whether an object of this name is among the results of a query.
    pub(crate) fn has(&self, query: usize, found: u64, name: impl Fn(u32) -> u64) -> bool {
        self.of(query).iter().any(|&id| name(id) == found)
    }

    /// Whether each first hit is one of the hits, and none is missing where there are some.
    pub(crate) fn has_firsts(&self, firsts: &[Option<u64>], name: impl Fn(u32) -> u64) -> bool {
        firsts.iter().enumerate().all(|(query, first)| match first {
            Some(found) => self.has(query, *found, &name),
            None => self.of(query).is_empty(),
        })
    }

    /// How many objects a query finds on average.
    pub(crate) fn mean(&self) -> f64 {
        self.ids.len() as f64 / self.ends.len().max(1) as f64
    }
}
