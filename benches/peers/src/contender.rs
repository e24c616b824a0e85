//! What a contender is, and the list they all end up in. Behind the `dyn` there is one call for a whole pass over all
//! objects or queries.

use serde::Serialize;

use crate::check::Tally;
use crate::couples;
use crate::data::{Form, Point, Rect, Shape};
use crate::index::{Dynamic, Index, Setting};
use crate::question::{Question, Replies};
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

/// A contender at work: one call is one pass over all objects or queries.
pub(crate) trait Runner<P> {
    fn clear(&mut self);
    fn build(&mut self, setting: &Setting, shapes: &[P]);
    fn insert_all(&mut self, setting: &Setting, shapes: &[P]);
    fn move_all(&mut self, setting: &Setting, before: &[P], after: &[P]);
    fn teleport_all(&mut self, setting: &Setting, before: &[P], after: &[P]);
    fn remove_all(&mut self, ids: &[u32], shapes: &[P]);
    fn answer(&mut self, windows: &[Rect], answers: &mut [Tally]);
    fn ask(&mut self, question: Question, replies: &mut Replies);
    /// All pairs of objects that are no further apart; who is static builds first.
    fn pairs(&mut self, setting: &Setting, shapes: &[P], distance: f32) -> Tally;
    /// Builds another index, for `join`.
    fn build_others(&mut self, setting: &Setting, others: &[P]);
    /// All pairs of an object and one of the others that meet; who is static builds the others first.
    fn join(&mut self, setting: &Setting, others: &[P]) -> Tally;
    fn name(&self, id: u32) -> u64;
    /// The name of one of the others.
    fn name_of_other(&self, id: u32) -> u64;
    fn bytes_apart(&self) -> isize;
}

/// An index between two builds, and another to join it with.
struct Slot<I> {
    index: Option<I>,
    others: Option<I>,
}

const BUILT: &str = "it was built";

impl<I> Slot<I> {
    const EMPTY: Self = Self { index: None, others: None };

    fn index(&self) -> &I {
        self.index.as_ref().expect(BUILT)
    }

    fn index_mut(&mut self) -> &mut I {
        self.index.as_mut().expect(BUILT)
    }

    fn pairs<P: Shape>(&mut self, distance: f32) -> Tally
    where
        I: Index<P>,
    {
        let mut tally = Tally::default();
        self.index_mut().each_pair(distance, |a, b| tally.add(couples::pair(a, b)));
        tally
    }

    fn join<P: Shape>(&mut self) -> Tally
    where
        I: Index<P>,
    {
        let (index, others) = (self.index.as_mut().expect(BUILT), self.others.as_mut().expect(BUILT));
        let mut tally = Tally::default();
        index.each_joined(others, |a, b| tally.add(couples::joined(a, b)));
        tally
    }
}

/// What is the same for indexes that change and for those that are rebuilt.
macro_rules! answers {
    () => {
        fn clear(&mut self) {
            self.0 = Slot::EMPTY;
        }

        fn build(&mut self, setting: &Setting, shapes: &[P]) {
            self.0.index = Some(I::build(setting, shapes));
        }

        fn answer(&mut self, windows: &[Rect], answers: &mut [Tally]) {
            self.0.index_mut().answer(windows, answers);
        }

        fn ask(&mut self, question: Question, replies: &mut Replies) {
            replies.ask(self.0.index_mut(), question);
        }

        fn build_others(&mut self, setting: &Setting, others: &[P]) {
            self.0.others = Some(I::build(setting, others));
        }

        fn name(&self, id: u32) -> u64 {
            self.0.index().name(id)
        }

        fn name_of_other(&self, id: u32) -> u64 {
            self.0.others.as_ref().expect(BUILT).name(id)
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
        self.0.index = Some(I::filled(setting, shapes));
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

    fn pairs(&mut self, _setting: &Setting, _shapes: &[P], distance: f32) -> Tally {
        self.0.pairs(distance)
    }

    fn join(&mut self, _setting: &Setting, _others: &[P]) -> Tally {
        self.0.join()
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

    fn pairs(&mut self, setting: &Setting, shapes: &[P], distance: f32) -> Tally {
        self.build(setting, shapes);
        self.0.pairs(distance)
    }

    fn join(&mut self, setting: &Setting, others: &[P]) -> Tally {
        self.build_others(setting, others);
        self.0.join()
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
        let without = Workload::OFFERED.to_vec();
        Self { name, kind: Kind::Dynamic, without, weighed: true, runner: Box::new(Changed::<I>(Slot::EMPTY)) }
    }

    pub(crate) fn rebuilt<I: Index<P> + 'static>(name: &'static str) -> Self {
        let without = [&Workload::OFFERED[..], &[Workload::Insert, Workload::Remove]].concat();
        Self { name, kind: Kind::Static, without, weighed: true, runner: Box::new(Rebuilt::<I>(Slot::EMPTY)) }
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

    /// Takes part in these workloads too, since its API has them.
    pub(crate) fn offering(mut self, workloads: &[Workload]) -> Self {
        self.without.retain(|workload| !workloads.contains(workload));
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
