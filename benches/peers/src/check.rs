//! The referee: what the right answers are.
//!
//! A plain scan of all objects decides, but it is slow; so answers come from cells of packed objects, and the scan
//! proves a sample of them anew in every scene.

use crate::data::{Point, Rect, WORLD};
use crate::exact::{square, square_of};

/// What a query's results add up to, whatever their order.
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
}

/// Objects by the cell of their minimum corner, cell after cell in one list.
pub(crate) struct Referee {
    cells: usize,
    starts: Vec<u32>,
    entries: Vec<(Rect, u32)>,
    /// The largest extents: how far before a window an object may begin that meets it.
    reach: [f32; 2],
}

impl Referee {
    pub(crate) fn new(bounds: impl ExactSizeIterator<Item = Rect> + Clone) -> Self {
        let cells = ((bounds.len() as f32 / 4.0).sqrt() as usize).clamp(1, 1024);
        let mut referee = Self { cells, starts: vec![0; cells * cells + 1], entries: Vec::new(), reach: [0.0; 2] };
        let mut reach = [0.0_f32; 2];
        for rect in bounds.clone() {
            let size = rect.size();
            reach = [reach[0].max(size[0]), reach[1].max(size[1])];
            let cell = referee.cell_of(&rect);
            referee.starts[cell + 1] += 1;
        }
        referee.reach = reach;
        for cell in 0..cells * cells {
            referee.starts[cell + 1] += referee.starts[cell];
        }
        let mut next = referee.starts.clone();
        referee.entries = vec![(Rect::WORLD, 0); bounds.len()];
        for (id, rect) in bounds.enumerate() {
            let slot = &mut next[referee.cell_of(&rect)];
            referee.entries[*slot as usize] = (rect, id as u32);
            *slot += 1;
        }
        referee
    }

    fn column(&self, coordinate: f32) -> usize {
        // What is before the first cell or behind the last is in it.
        ((coordinate * (self.cells as f32 / WORLD)) as usize).min(self.cells - 1)
    }

    fn cell_of(&self, rect: &Rect) -> usize {
        self.column(rect.min[1]) * self.cells + self.column(rect.min[0])
    }

    pub(crate) fn each_in(&self, window: &Rect, mut hit: impl FnMut(u32)) {
        self.each_in_with_bounds(window, |_, id| hit(id));
    }

    pub(crate) fn each_in_with_bounds(&self, window: &Rect, mut hit: impl FnMut(&Rect, u32)) {
        let columns = [self.column(window.min[0] - self.reach[0]), self.column(window.max[0])];
        for row in self.column(window.min[1] - self.reach[1])..=self.column(window.max[1]) {
            let [from, to] = columns.map(|column| row * self.cells + column);
            let entries = &self.entries[self.starts[from] as usize..self.starts[to + 1] as usize];
            entries.iter().filter(|(rect, _)| rect.meets(window)).for_each(|(rect, id)| hit(rect, *id));
        }
    }

    /// All objects, for a plain scan.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Rect, u32)> {
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
    pub(crate) fn answers(&self, windows: &[Rect]) -> Answers {
        self.answers_where(windows, 0.0, Rect::meets)
    }

    /// The answers about what is no further from points; the first few are proved by a plain scan.
    ///
    /// # Panics
    /// If the scan finds anything else.
    pub(crate) fn answers_within(&self, points: &[Point], distance: f32) -> Answers {
        let points: Vec<Rect> = points.iter().copied().map(Rect::at).collect();
        let limit = square_of(distance);
        self.answers_where(&points, distance, |point, rect| square(point, rect) <= limit)
    }

    /// What fulfils a condition, which is no further from what is asked about on any axis.
    fn answers_where(&self, asked: &[Rect], distance: f32, fulfils: impl Fn(&Rect, &Rect) -> bool) -> Answers {
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

    /// What a contender that gives objects these names must have counted, for its first `count` queries.
    pub(crate) fn tallies(&self, count: usize, name: impl Fn(u32) -> u64) -> Vec<Tally> {
        let tally = |query| {
            let mut tally = Tally::default();
            self.of(query).iter().for_each(|&id| tally.add(name(id)));
            tally
        };
        (0..count).map(tally).collect()
    }

    /// Whether each first hit is one of the hits, and none is missing where there are some.
    pub(crate) fn has_firsts(&self, firsts: &[Option<u64>], name: impl Fn(u32) -> u64) -> bool {
        firsts.iter().enumerate().all(|(query, first)| match first {
            Some(found) => self.of(query).iter().any(|&id| name(id) == *found),
            None => self.of(query).is_empty(),
        })
    }

    /// How many objects a query finds on average.
    pub(crate) fn mean(&self) -> f64 {
        self.ids.len() as f64 / self.ends.len().max(1) as f64
    }
}
