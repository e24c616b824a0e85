//! A contender, and the list of all of them. Behind the `dyn` there is one call for a whole pass over all
//! objects or queries.

use serde::Serialize;

use crate::check::Tally;
use crate::couples;
use crate::data::{Form, Point, Rect, Scalar, Shape};
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
    /// Written by hand for this data: it shows the gain that is left, and is no rival.
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
pub(crate) trait Runner<P, S, const D: usize> {
    fn clear(&mut self);
    fn build(&mut self, setting: &Setting<S>, shapes: &[P]);
    fn insert_all(&mut self, setting: &Setting<S>, shapes: &[P]);
    fn move_all(&mut self, setting: &Setting<S>, before: &[P], after: &[P]);
    fn update_all(&mut self, setting: &Setting<S>, before: &[P], after: &[P], step: Point<S, D>);
    fn teleport_all(&mut self, setting: &Setting<S>, before: &[P], after: &[P]);
    fn move_few(&mut self, before: &[P], after: &[P]);
    fn remove_all(&mut self, ids: &[u32], shapes: &[P]);
    fn answer(&mut self, windows: &[Rect<S, D>], answers: &mut [Tally]);
    fn ask(&mut self, question: Question<'_, S, D>, replies: &mut Replies);
    /// All pairs of objects that are no further apart; static contenders build first.
    fn pairs(&mut self, setting: &Setting<S>, shapes: &[P], distance: S) -> Tally;
    /// The name of any pair of objects that meet; static contenders build first.
    fn any_pair(&mut self, setting: &Setting<S>, shapes: &[P]) -> Option<u64>;
    /// Builds another index, for `join`.
    fn build_others(&mut self, setting: &Setting<S>, others: &[P]);
    /// All pairs of an object and one of the others that meet; static contenders build the others first.
    fn join(&mut self, setting: &Setting<S>, others: &[P]) -> Tally;
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

    fn pairs<P: Shape<S, D>, S: Scalar, const D: usize>(&mut self, distance: S) -> Tally
    where
        I: Index<P, S, D>,
    {
        let mut tally = Tally::default();
        self.index_mut().each_pair(distance, |a, b| tally.add(couples::pair(a, b)));
        tally
    }

    fn any_pair<P: Shape<S, D>, S: Scalar, const D: usize>(&mut self) -> Option<u64>
    where
        I: Index<P, S, D>,
    {
        self.index_mut().any_pair().map(|(a, b)| couples::pair(a, b))
    }

    fn join<P: Shape<S, D>, S: Scalar, const D: usize>(&mut self) -> Tally
    where
        I: Index<P, S, D>,
    {
        let (index, others) = (self.index.as_mut().expect(BUILT), self.others.as_mut().expect(BUILT));
        let mut tally = Tally::default();
        index.each_joined(others, |a, b| tally.add(couples::joined(a, b)));
        tally
    }
}

/// The methods that are the same for indexes that change and for those that are rebuilt.
macro_rules! answers {
    () => {
        fn clear(&mut self) {
            self.0 = Slot::EMPTY;
        }

        fn build(&mut self, setting: &Setting<S>, shapes: &[P]) {
            self.0.index = Some(I::build(setting, shapes));
        }

        fn answer(&mut self, windows: &[Rect<S, D>], answers: &mut [Tally]) {
            self.0.index_mut().answer(windows, answers);
        }

        fn ask(&mut self, question: Question<'_, S, D>, replies: &mut Replies) {
            replies.ask(self.0.index_mut(), question);
        }

        fn build_others(&mut self, setting: &Setting<S>, others: &[P]) {
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

impl<P: Shape<S, D>, S: Scalar, const D: usize, I: Dynamic<P, S, D>> Runner<P, S, D> for Changed<I> {
    answers!();

    fn insert_all(&mut self, setting: &Setting<S>, shapes: &[P]) {
        self.0.index = Some(I::filled(setting, shapes));
    }

    fn move_all(&mut self, _setting: &Setting<S>, before: &[P], after: &[P]) {
        self.0.index_mut().move_all(before, after);
    }

    fn update_all(&mut self, _setting: &Setting<S>, before: &[P], after: &[P], step: Point<S, D>) {
        self.0.index_mut().update_all(before, after, step);
    }

    fn move_few(&mut self, before: &[P], after: &[P]) {
        self.0.index_mut().move_few(before, after);
    }

    fn teleport_all(&mut self, _setting: &Setting<S>, before: &[P], after: &[P]) {
        self.0.index_mut().teleport_all(before, after);
    }

    fn remove_all(&mut self, ids: &[u32], shapes: &[P]) {
        self.0.index_mut().remove_all(ids, shapes);
    }

    fn pairs(&mut self, _setting: &Setting<S>, _shapes: &[P], distance: S) -> Tally {
        self.0.pairs(distance)
    }

    fn any_pair(&mut self, _setting: &Setting<S>, _shapes: &[P]) -> Option<u64> {
        self.0.any_pair()
    }

    fn join(&mut self, _setting: &Setting<S>, _others: &[P]) -> Tally {
        self.0.join()
    }
}

struct Rebuilt<I>(Slot<I>);

impl<P: Shape<S, D>, S: Scalar, const D: usize, I: Index<P, S, D>> Runner<P, S, D> for Rebuilt<I> {
    answers!();

    fn insert_all(&mut self, _setting: &Setting<S>, _shapes: &[P]) {
        unreachable!("static contenders take no part in `insert`")
    }

    fn move_all(&mut self, setting: &Setting<S>, _before: &[P], after: &[P]) {
        self.build(setting, after);
    }

    fn update_all(&mut self, setting: &Setting<S>, _before: &[P], after: &[P], _step: Point<S, D>) {
        self.build(setting, after);
    }

    fn move_few(&mut self, _before: &[P], _after: &[P]) {
        unreachable!("static contenders take no part in `few`")
    }

    fn teleport_all(&mut self, setting: &Setting<S>, _before: &[P], after: &[P]) {
        self.build(setting, after);
    }

    fn remove_all(&mut self, _ids: &[u32], _shapes: &[P]) {
        unreachable!("static contenders take no part in `remove`")
    }

    fn pairs(&mut self, setting: &Setting<S>, shapes: &[P], distance: S) -> Tally {
        self.build(setting, shapes);
        self.0.pairs(distance)
    }

    fn any_pair(&mut self, setting: &Setting<S>, shapes: &[P]) -> Option<u64> {
        self.build(setting, shapes);
        self.0.any_pair()
    }

    fn join(&mut self, setting: &Setting<S>, others: &[P]) -> Tally {
        self.build_others(setting, others);
        self.0.join()
    }
}

/// A contender in the list.
pub(crate) struct Contender<P, S = f32, const D: usize = 2> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    without: Vec<Workload>,
    /// Whether its bytes are counted.
    pub(crate) weighed: bool,
    /// Whether it takes part only where the unusual is measured, or where it is named.
    pub(crate) unusual: bool,
    pub(crate) runner: Box<dyn Runner<P, S, D>>,
}

impl<P: Shape<S, D>, S: Scalar, const D: usize> Contender<P, S, D> {
    pub(crate) fn dynamic<I: Dynamic<P, S, D> + 'static>(name: &'static str) -> Self {
        let without = Workload::OFFERED.to_vec();
        Self::new(name, Kind::Dynamic, without, Box::new(Changed::<I>(Slot::EMPTY)))
    }

    pub(crate) fn rebuilt<I: Index<P, S, D> + 'static>(name: &'static str) -> Self {
        let without = [&Workload::OFFERED[..], &[Workload::Insert, Workload::Remove]].concat();
        Self::new(name, Kind::Static, without, Box::new(Rebuilt::<I>(Slot::EMPTY)))
    }

    fn new(name: &'static str, kind: Kind, without: Vec<Workload>, runner: Box<dyn Runner<P, S, D>>) -> Self {
        Self { name, kind, without, weighed: true, unusual: false, runner }
    }

    /// Takes part only where the unusual is measured, or where it is named.
    pub(crate) fn unusual(self) -> Self {
        Self { unusual: true, ..self }
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
        workload.suits(P::FORM) && !self.without.contains(&workload.ability())
    }
}

/// All contenders of a space, by the form of their objects.
pub(crate) struct Roster<S = f32, const D: usize = 2> {
    pub(crate) points: Vec<Contender<Point<S, D>, S, D>>,
    pub(crate) rects: Vec<Contender<Rect<S, D>, S, D>>,
}

impl<S: Scalar, const D: usize> Roster<S, D> {
    /// With those that these functions add.
    pub(crate) fn of(all: &[fn(&mut Self)]) -> Self {
        let mut roster = Self { points: Vec::new(), rects: Vec::new() };
        for enlist in all {
            enlist(&mut roster);
        }
        roster
    }

    pub(crate) fn names(&self, form: Form) -> Vec<&'static str> {
        match form {
            Form::Point => self.points.iter().map(|contender| contender.name).collect(),
            Form::Rect => self.rects.iter().map(|contender| contender.name).collect(),
        }
    }
}
