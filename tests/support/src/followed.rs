//! Cursors followed through changes, beside an oracle that knows which objects were left alone.

use std::collections::{BTreeMap, BTreeSet};

use quadrille::{Cursor, Handle, IntoRegion, LayerId, ObjectRef, Predicate, Rect, Region, ResumeError};

use super::oracle::{Model, Relation, Span};
use super::questions::{Question, near_by_definition};
use super::{Index, Real};

/// How a cursor goes on.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// By so many single steps.
    Next,
    /// As an iterator, of which so many objects are taken.
    Resume,
    /// By one run with that budget.
    Run,
    /// As a clone, by so many single steps.
    Clone,
}

/// The form of a query: `near` without a relation; about a box, or about a shape that happens to be one.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub relation: Option<Relation>,
    pub shaped: bool,
    pub distinct: bool,
}

/// Called with each object that comes.
type See<'a, S, const D: usize> = &'a mut dyn FnMut(ObjectRef<'_, u32, S, D>);

/// A cursor whatever it asks.
trait Paused<S, const D: usize> {
    /// Goes on; says whether it is done.
    fn go_on(&mut self, index: &Index<S, D>, way: Way, amount: usize, see: See<S, D>) -> Result<bool, ResumeError>;
}

impl<P, R, S, const D: usize> Paused<S, D> for Cursor<P, S, D, R>
where
    P: Predicate,
    R: Region<S, D> + Clone,
    S: Real,
{
    fn go_on(&mut self, index: &Index<S, D>, way: Way, amount: usize, see: See<S, D>) -> Result<bool, ResumeError> {
        match way {
            Way::Next | Way::Clone => {
                if matches!(way, Way::Clone) {
                    *self = self.clone();
                }
                for _ in 0..amount {
                    let Some(object) = self.step(index)? else { return Ok(true) };
                    see(object);
                }
                Ok(false)
            }
            Way::Resume => {
                let mut resumed = index.resume(self.clone())?;
                let mut taken = 0;
                resumed.by_ref().take(amount).for_each(|object| {
                    taken += 1;
                    see(object);
                });
                *self = resumed.pause();
                Ok(taken < amount)
            }
            Way::Run => {
                let mut seen = 0;
                let run = self.run(index, amount, |object| {
                    seen += 1;
                    see(object);
                })?;
                assert_eq!(run.yielded, seen);
                assert!(run.done || run.visited >= amount, "it stopped before its budget was spent: {run:?}");
                Ok(run.done)
            }
        }
    }
}

/// A box that the index does not recognise as one.
#[derive(Clone, Copy, Debug)]
pub struct Shaped<S, const D: usize>(Rect<S, D>);

impl<S, const D: usize> From<Rect<S, D>> for Shaped<S, D> {
    fn from(rect: Rect<S, D>) -> Self {
        Self(rect)
    }
}

impl<S: Real, const D: usize> Region<S, D> for Shaped<S, D> {
    fn bounds(&self) -> Rect<S, D> {
        self.0
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        self.0.intersection(rect).is_some()
    }

    fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.0.contains(rect)
    }
}

impl<S: Real, const D: usize> IntoRegion<S, D> for Shaped<S, D> {
    type Region = Self;

    fn into_region(self) -> Self {
        self
    }
}

/// The layer and the place of each object.
type Places<S, const D: usize> = BTreeMap<Handle, (LayerId, Span<S, D>)>;

pub fn places<S: Real, const D: usize>(model: &Model<S, D>) -> Places<S, D> {
    model.objects.iter().map(|known| (known.handle, (known.layer, known.span))).collect()
}

/// A cursor, and what is known of its past.
pub struct Followed<S, const D: usize> {
    paused: Box<dyn Paused<S, D>>,
    form: Form,
    question: Question<S, D>,
    /// Objects that have matched and not changed all the while: they must be yielded.
    due: BTreeSet<Handle>,
    /// Objects that were yielded and have not changed since: they must not come again.
    settled: BTreeSet<Handle>,
    ever: BTreeSet<Handle>,
    pub done: bool,
}

impl<S: Real, const D: usize> Followed<S, D> {
    /// A query, paused after so many objects.
    pub fn begin(index: &Index<S, D>, model: &Model<S, D>, question: Question<S, D>, form: Form, taken: usize) -> Self {
        let mut seen = Vec::new();
        macro_rules! paused {
            ($query:expr) => {{
                let mut query = question.narrow($query);
                if form.distinct {
                    Box::new(query.pause().distinct())
                } else {
                    seen.extend(query.by_ref().take(taken).map(|object| object.handle()));
                    Box::new(query.pause())
                }
            }};
        }
        macro_rules! begun {
            ($region:expr) => {{
                let region = $region;
                let paused: Box<dyn Paused<S, D>> = match form.relation {
                    None => paused!(index.near(region)),
                    Some(Relation::Intersecting) => paused!(index.intersecting(region)),
                    Some(Relation::ContainedIn) => paused!(index.contained_in(region)),
                    Some(Relation::Containing) => paused!(index.containing(region)),
                };
                paused
            }};
        }
        let region = question.region.rect();
        let paused = if form.shaped { begun!(Shaped(region)) } else { begun!(region) };
        let mut followed = Self {
            paused,
            form,
            question,
            due: BTreeSet::new(),
            settled: BTreeSet::new(),
            ever: BTreeSet::new(),
            done: false,
        };
        followed.due = followed.matching(index, model);
        for handle in seen {
            followed.note(handle, index, model);
        }
        followed
    }

    /// The objects that a query yields for sure as the index is now.
    fn matching(&self, index: &Index<S, D>, model: &Model<S, D>) -> BTreeSet<Handle> {
        let Question { region, asked, excluded } = &self.question;
        match self.form.relation {
            Some(relation) => model.answer(relation, region, asked, *excluded).into_iter().collect(),
            // How far a shape is from a square is not told apart here.
            None if self.form.shaped => {
                model.answer(Relation::Intersecting, region, asked, *excluded).into_iter().collect()
            }
            None => near_by_definition(index, &self.question).into_iter().collect(),
        }
    }

    /// Records that an object was yielded.
    fn note(&mut self, handle: Handle, index: &Index<S, D>, model: &Model<S, D>) {
        let known = model.find(handle).expect("what is yielded is there");
        let Question { region, asked, excluded } = &self.question;
        assert!(asked.holds(known.layer) && Some(handle) != *excluded, "{known:?} was not asked for");
        match self.form.relation {
            Some(relation) => assert!(relation.holds(&known.span, region), "{known:?} does not match"),
            None if self.form.shaped => {}
            None => assert!(near_by_definition(index, &self.question).contains(&handle), "{known:?} is not near"),
        }
        assert!(self.settled.insert(handle), "{known:?} comes again, though nothing has become of it");
        let is_new = self.ever.insert(handle);
        assert!(is_new || !self.form.distinct, "{known:?} comes again");
    }

    /// Takes in what has changed since the objects were in those places.
    pub fn watch(&mut self, index: &Index<S, D>, model: &Model<S, D>, before: &Places<S, D>) {
        let now = places(model);
        let is_alone = |handle: &Handle| now.contains_key(handle) && now.get(handle) == before.get(handle);
        self.settled.retain(is_alone);
        self.due.retain(is_alone);
        if self.form.relation.is_none() {
            let matching = self.matching(index, model);
            self.due.retain(|handle| matching.contains(handle));
        }
    }

    /// Goes on, and compares with what is known.
    pub fn go_on(
        &mut self,
        index: &Index<S, D>,
        model: &Model<S, D>,
        way: Way,
        amount: usize,
    ) -> Result<(), ResumeError> {
        let mut seen = Vec::new();
        let done = self.paused.go_on(index, way, amount, &mut |object| seen.push(object.handle()))?;
        assert!(!self.done || seen.is_empty() && (done || amount == 0), "it was done before");
        self.done |= done;
        for handle in seen {
            self.note(handle, index, model);
        }
        if self.done {
            let missed: Vec<_> = self.due.difference(&self.ever).map(|&handle| model.find(handle)).collect();
            assert!(missed.is_empty(), "done, but for {missed:?} of {:?}, {:?}", self.question, self.form);
        }
        Ok(())
    }
}
