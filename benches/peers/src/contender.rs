//! What a contender is: the traits that an adapter implements, and the list they all end up in.
//!
//! The loops over all objects or queries are in here, generic, so that each is compiled together with the contender's
//! own code; behind the `dyn` there is one call for a whole pass.

use serde::Serialize;

use crate::check::{Referee, Tally};
use crate::data::{Form, Point, Rect, Shape, half_for};
use crate::workload::Workload;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Objects come, go and move one by one.
    Dynamic,
    /// Built once; a change of objects is a new build.
    Static,
    /// Written by hand for this data: what is left to gain, not a rival.
    Bound,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dynamic => "dynamic",
            Self::Static => "static",
            Self::Bound => "bound",
        }
    }
}

/// What a user knows of the objects to come, for contenders that have to be told a cell size or a capacity.
pub(crate) struct Setting {
    pub(crate) n: usize,
    /// Numbers of objects, and the side of a square cell that holds as many around an object.
    cells: Vec<(u32, f32)>,
}

impl Setting {
    pub(crate) fn new<P: Shape>(shapes: &[P]) -> Self {
        let centers: Vec<Point> = shapes.iter().map(|shape| shape.bounds().center()).collect();
        let referee = Referee::new(centers.iter().map(|&center| Rect::at(center)));
        let sample: Vec<Point> = centers.iter().step_by(centers.len() / 500 + 1).copied().collect();
        let cells = [2, 4, 8, 16, 32, 64].map(|objects| (objects, 2.0 * half_for(&referee, &sample, objects))).into();
        Self { n: shapes.len(), cells }
    }

    /// The side of a cell that holds about so many objects where there are objects.
    pub(crate) fn cell_for(&self, objects: u32) -> f32 {
        let cell = self.cells.iter().find(|(number, _)| objects <= *number).or(self.cells.last());
        cell.map_or(1.0, |(_, side)| side.max(1.0))
    }
}

/// An index that answers. Objects have ids from 0; hits come by *names*, which are whatever the index yields at no
/// cost: its own handles where it has some.
pub(crate) trait Index<P: Shape>: Sized {
    /// Builds from all objects at once, in the way that the contender does it best.
    fn build(setting: &Setting, shapes: &[P]) -> Self;

    /// Visits each object that meets the window, in the contender's cheapest way.
    fn each_in(&mut self, window: &Rect, hit: impl FnMut(u64));

    /// Any one object that meets the window, found without looking for the others.
    fn any_in(&mut self, _window: &Rect) -> Option<u64> {
        unreachable!("a contender that cannot stop early is listed without `first`")
    }

    /// Visits each object that holds the point.
    fn each_at(&mut self, point: Point, hit: impl FnMut(u64)) {
        self.each_in(&Rect::at(point), hit);
    }

    /// The name of an object.
    fn name(&self, id: u32) -> u64 {
        u64::from(id)
    }

    /// Bytes to add to those allocated: what C code allocated, the 8-byte values that a user keeps in an array beside
    /// the index; less what only this harness needs, such as handles by id.
    fn bytes_apart(&self) -> isize {
        0
    }

    fn answer(&mut self, windows: &[Rect], answers: &mut [Tally]) {
        for (window, answer) in windows.iter().zip(answers) {
            let mut tally = Tally::default();
            self.each_in(window, |name| tally.add(name));
            *answer = tally;
        }
    }

    fn answer_points(&mut self, points: &[Point], answers: &mut [Tally]) {
        for (point, answer) in points.iter().zip(answers) {
            let mut tally = Tally::default();
            self.each_at(*point, |name| tally.add(name));
            *answer = tally;
        }
    }

    fn answer_first(&mut self, windows: &[Rect], answers: &mut [Option<u64>]) {
        for (window, answer) in windows.iter().zip(answers) {
            *answer = self.any_in(window);
        }
    }
}

/// An index whose objects come, go and move one by one. The loops are to be replaced by contenders with operations for
/// many objects at once.
pub(crate) trait Dynamic<P: Shape>: Index<P> {
    fn new(setting: &Setting) -> Self;

    /// Adds an object. Ids come in order.
    fn insert(&mut self, id: u32, shape: P);

    fn move_to(&mut self, id: u32, before: P, after: P);

    /// A move to somewhere far away, where the contender has another operation for that.
    fn teleport(&mut self, id: u32, before: P, after: P) {
        self.move_to(id, before, after);
    }

    fn remove(&mut self, id: u32, shape: P);

    /// What must be called after changes, before the next query.
    fn settle(&mut self) {}

    fn insert_all(&mut self, shapes: &[P]) {
        (0..).zip(shapes).for_each(|(id, &shape)| self.insert(id, shape));
        self.settle();
    }

    fn move_all(&mut self, before: &[P], after: &[P]) {
        (0..).zip(before.iter().zip(after)).for_each(|(id, (&before, &after))| self.move_to(id, before, after));
        self.settle();
    }

    fn teleport_all(&mut self, before: &[P], after: &[P]) {
        (0..).zip(before.iter().zip(after)).for_each(|(id, (&before, &after))| self.teleport(id, before, after));
        self.settle();
    }

    fn remove_all(&mut self, ids: &[u32], shapes: &[P]) {
        for &id in ids {
            self.remove(id, shapes[id as usize]);
        }
        self.settle();
    }

    /// Built by insertion: what [`Index::build`] is if nothing is better.
    fn filled(setting: &Setting, shapes: &[P]) -> Self {
        let mut index = Self::new(setting);
        index.insert_all(shapes);
        index
    }
}

/// A contender at work: one call is one pass over all objects or queries.
pub(crate) trait Runner<P> {
    fn clear(&mut self);
    fn build(&mut self, setting: &Setting, shapes: &[P]);
    fn insert_all(&mut self, setting: &Setting, shapes: &[P]);
    fn move_all(&mut self, setting: &Setting, before: &[P], after: &[P]);
    fn teleport_all(&mut self, setting: &Setting, before: &[P], after: &[P]);
    fn remove_all(&mut self, ids: &[u32], shapes: &[P]);
    fn answer(&mut self, windows: &[Rect], answers: &mut [Tally]);
    fn answer_points(&mut self, points: &[Point], answers: &mut [Tally]);
    fn answer_first(&mut self, windows: &[Rect], answers: &mut [Option<u64>]);
    fn name(&self, id: u32) -> u64;
    fn bytes_apart(&self) -> isize;
}

/// An index between two builds.
struct Slot<I>(Option<I>);

impl<I> Slot<I> {
    fn index(&self) -> &I {
        self.0.as_ref().expect("it was built")
    }

    fn index_mut(&mut self) -> &mut I {
        self.0.as_mut().expect("it was built")
    }
}

/// What is the same for indexes that change and for those that are rebuilt.
macro_rules! answers {
    () => {
        fn clear(&mut self) {
            self.0.0 = None;
        }

        fn build(&mut self, setting: &Setting, shapes: &[P]) {
            self.0.0 = Some(I::build(setting, shapes));
        }

        fn answer(&mut self, windows: &[Rect], answers: &mut [Tally]) {
            self.0.index_mut().answer(windows, answers);
        }

        fn answer_points(&mut self, points: &[Point], answers: &mut [Tally]) {
            self.0.index_mut().answer_points(points, answers);
        }

        fn answer_first(&mut self, windows: &[Rect], answers: &mut [Option<u64>]) {
            self.0.index_mut().answer_first(windows, answers);
        }

        fn name(&self, id: u32) -> u64 {
            self.0.index().name(id)
        }

        fn bytes_apart(&self) -> isize {
            self.0.index().bytes_apart()
        }
    };
}

struct Changed<I>(Slot<I>);

impl<P: Shape, I: Dynamic<P>> Runner<P> for Changed<I> {
    answers!();

    fn insert_all(&mut self, setting: &Setting, shapes: &[P]) {
        self.0.0 = Some(I::filled(setting, shapes));
    }

    fn move_all(&mut self, _setting: &Setting, before: &[P], after: &[P]) {
        self.0.index_mut().move_all(before, after);
    }

    fn teleport_all(&mut self, _setting: &Setting, before: &[P], after: &[P]) {
        self.0.index_mut().teleport_all(before, after);
    }

    fn remove_all(&mut self, ids: &[u32], shapes: &[P]) {
        self.0.index_mut().remove_all(ids, shapes);
    }
}

struct Rebuilt<I>(Slot<I>);

impl<P: Shape, I: Index<P>> Runner<P> for Rebuilt<I> {
    answers!();

    fn insert_all(&mut self, _setting: &Setting, _shapes: &[P]) {
        unreachable!("static contenders take no part in `insert`")
    }

    fn move_all(&mut self, setting: &Setting, _before: &[P], after: &[P]) {
        self.build(setting, after);
    }

    fn teleport_all(&mut self, setting: &Setting, _before: &[P], after: &[P]) {
        self.build(setting, after);
    }

    fn remove_all(&mut self, _ids: &[u32], _shapes: &[P]) {
        unreachable!("static contenders take no part in `remove`")
    }
}

/// A contender in the list.
pub(crate) struct Contender<P> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    without: Vec<Workload>,
    /// Whether its bytes are counted.
    pub(crate) weighed: bool,
    pub(crate) runner: Box<dyn Runner<P>>,
}

impl<P: Shape> Contender<P> {
    pub(crate) fn dynamic<I: Dynamic<P> + 'static>(name: &'static str) -> Self {
        Self {
            name,
            kind: Kind::Dynamic,
            without: Vec::new(),
            weighed: true,
            runner: Box::new(Changed::<I>(Slot(None))),
        }
    }

    pub(crate) fn rebuilt<I: Index<P> + 'static>(name: &'static str) -> Self {
        let without = vec![Workload::Insert, Workload::Remove];
        Self { name, kind: Kind::Static, without, weighed: true, runner: Box::new(Rebuilt::<I>(Slot(None))) }
    }

    /// Written by hand, not a rival.
    pub(crate) fn bound(self) -> Self {
        Self { kind: Kind::Bound, ..self }
    }

    /// Not compared by bytes.
    pub(crate) fn unweighed(self) -> Self {
        Self { weighed: false, ..self }
    }

    /// Takes no part in these workloads.
    pub(crate) fn without(mut self, workloads: &[Workload]) -> Self {
        self.without.extend(workloads);
        self
    }

    /// Takes part in nothing but these workloads.
    pub(crate) fn only(mut self, wanted: impl Fn(Workload) -> bool) -> Self {
        self.without = Workload::ALL.into_iter().filter(|&workload| !wanted(workload)).collect();
        self
    }

    pub(crate) fn takes_part(&self, workload: Workload) -> bool {
        workload.suits(P::FORM) && !self.without.contains(&workload)
    }
}

/// All contenders, by what they hold.
#[derive(Default)]
pub(crate) struct Roster {
    pub(crate) points: Vec<Contender<Point>>,
    pub(crate) rects: Vec<Contender<Rect>>,
}

impl Roster {
    pub(crate) fn names(&self, form: Form) -> Vec<&'static str> {
        match form {
            Form::Point => self.points.iter().map(|contender| contender.name).collect(),
            Form::Rect => self.rects.iter().map(|contender| contender.name).collect(),
        }
    }
}
