//! Cursors, watches and contacts: what is paused on an index, goes on after changes, and on clones.

use std::collections::{BTreeMap, BTreeSet};

use quadrille::{Contacts, Handle, IntoRegion, LayerId, PollError, Predicate, Rect, Region, ResumeError, Watch};
use quadrille_support::couples::Wanted;
use quadrille_support::followed::{Followed, Form, Shaped, Way, places};
use quadrille_support::oracle::{Asked, Relation, Span};
use quadrille_support::questions::{Question, near_by_definition, set_of};
use quadrille_support::{Index, Real};

use super::regions::RELATIONS;
use super::side::Side;
use super::{Space, Stage, agree, couples};
use crate::op::Op;

/// Of each sort, at most so many at once.
const MOST: usize = 6;

/// Where each object was, for each index with cursors.
type Before<S, const D: usize> = Vec<Option<BTreeMap<Handle, (LayerId, Span<S, D>)>>>;

/// Cursors, watches and contacts.
pub(super) struct Paused<S, const D: usize> {
    cursors: Vec<OnSide<Followed<S, D>>>,
    watches: Vec<Watched<S, D>>,
    contacts: Vec<Met<S>>,
}

impl<S, const D: usize> Default for Paused<S, D> {
    fn default() -> Self {
        Self { cursors: Vec::new(), watches: Vec::new(), contacts: Vec::new() }
    }
}

/// A cursor that is followed on one index.
struct OnSide<F> {
    followed: F,
    side: usize,
    era: [u32; 3],
}

/// A watch, whatever it asks.
trait Poll<S, const D: usize> {
    fn poll(&mut self, index: &Index<S, D>) -> Result<[Vec<Handle>; 2], PollError>;
    fn set_region(&mut self, region: Rect<S, D>);
    fn inside(&self) -> &[Handle];
}

impl<P: Predicate, S: Real, const D: usize, R> Poll<S, D> for Watch<P, S, D, R>
where
    R: Region<S, D> + IntoRegion<S, D, Region = R> + From<Rect<S, D>> + Clone,
{
    fn poll(&mut self, index: &Index<S, D>) -> Result<[Vec<Handle>; 2], PollError> {
        let changes = self.poll(index)?;
        Ok([changes.entered.to_vec(), changes.left.to_vec()])
    }

    fn set_region(&mut self, region: Rect<S, D>) {
        self.set_region(R::from(region));
    }

    fn inside(&self) -> &[Handle] {
        self.inside()
    }
}

/// A filter of pairs, in whatever order they come.
fn is_wanted(pair: [Handle; 2]) -> bool {
    let [one, other] = pair.map(Handle::to_bits);
    !(one ^ other).is_multiple_of(3)
}

/// A watch and what it asks.
struct Watched<S, const D: usize> {
    watch: Box<dyn Poll<S, D>>,
    relation: Option<Relation>,
    region: Span<S, D>,
    asked: Asked,
    excluded: Option<Handle>,
    /// The objects at the last poll.
    inside: BTreeSet<Handle>,
    /// The index that it belongs to, and its clones.
    index: u32,
}

/// Contacts and what they ask.
struct Met<S> {
    contacts: Contacts<S>,
    wanted: Wanted<S>,
    /// Some objects, if these are the pairs of some.
    of: Option<BTreeSet<Handle>>,
    is_join: bool,
    pairs: BTreeSet<[Handle; 2]>,
    indexes: [u32; 2],
}

impl<S: Space, const D: usize> Paused<S, D> {
    /// Where the objects are before an operation.
    pub(super) fn before(&self, sides: &[Side<S, D>]) -> Before<S, D> {
        let has_cursors = |side: usize| self.cursors.iter().any(|cursor| cursor.side == side);
        let places = |(number, side): (usize, &Side<S, D>)| has_cursors(number).then(|| places(&side.model));
        sides.iter().enumerate().map(places).collect()
    }

    /// Takes in what the operation has changed.
    pub(super) fn after(&mut self, sides: &[Side<S, D>], before: &Before<S, D>) {
        for OnSide { followed, side: on, era } in &mut self.cursors {
            let side = &sides[*on];
            if let Some(before) = &before[*on]
                && *era == side.era
            {
                followed.watch(&side.index, &side.model, before);
            }
        }
    }

    /// Every second cursor goes over to a clone.
    pub(super) fn share(&mut self, from: usize, to: usize) {
        let of_original = self.cursors.iter_mut().filter(|cursor| cursor.side == from);
        of_original.skip(1).step_by(2).for_each(|cursor| cursor.side = to);
    }

    pub(super) fn drop_index(&mut self, gone: usize) {
        self.cursors.retain(|cursor| cursor.side != gone);
        for cursor in &mut self.cursors {
            cursor.side -= usize::from(gone < cursor.side);
        }
    }

    /// Drops the cursors of an index that is replaced.
    #[cfg(feature = "snapshots")]
    pub(super) fn drop_cursors_on(&mut self, on: usize) {
        self.cursors.retain(|cursor| cursor.side != on);
    }
}

impl<S: Space, const D: usize> Stage<S, D> {
    pub(super) fn ask_paused(&mut self, on: usize, op: &Op) {
        match op {
            Op::BeginCursor { relation, region, layers, excluded, taken, form, .. } => {
                let question = self.question(on, region.span(&self.sides[on].index.world()), *layers, excluded.0);
                let relation = RELATIONS[usize::from(relation % 4)];
                let form = Form { relation, shaped: form & 1 == 1, distinct: form & 2 == 2 };
                let side = &self.sides[on];
                let followed = Followed::begin(&side.index, &side.model, question, form, (taken % 64).into());
                self.paused.cursors.push(OnSide { followed, side: on, era: side.era });
                if MOST < self.paused.cursors.len() {
                    self.paused.cursors.remove(0);
                }
            }
            Op::GoOn { cursor, way, amount, .. } => self.go_on(on, *cursor, *way, *amount),
            Op::BeginWatch { relation, region, layers, excluded, .. } => {
                let question = self.question(on, region.span(&self.sides[on].index.world()), *layers, excluded.0);
                self.begin_watch(on, RELATIONS[usize::from(relation % 4)], relation & 4 == 4, question);
            }
            Op::PollWatch { watch, region, .. } => {
                let region = region.0.as_ref().map(|region| region.span(&self.sides[on].index.world()));
                self.poll_watch(on, *watch, region);
            }
            Op::BeginContacts { .. } => self.begin_contacts(on, op),
            Op::PollContacts { contacts, other, .. } => {
                let filter = if *other < 128 { |_| true } else { is_wanted };
                let other = usize::from(*other) % self.sides.len();
                self.poll_contacts([on, other], *contacts, filter);
            }
            _ => {}
        }
    }

    /// A handle that names nothing now excludes nothing, whatever it will name elsewhere.
    fn question(
        &self,
        on: usize,
        region: Span<S, D>,
        layers: crate::field::Layers,
        excluded: Option<u16>,
    ) -> Question<S, D> {
        let side = &self.sides[on];
        let excluded = excluded.map(|pick| self.handle(on, pick)).filter(|handle| side.model.find(*handle).is_some());
        Question { region, asked: side.asked(layers), excluded }
    }

    fn go_on(&mut self, on: usize, pick: u8, way: u8, amount: u8) {
        let Some(place) = usize::from(pick).checked_rem(self.paused.cursors.len()) else { return };
        let OnSide { followed, side: own, era } = &mut self.paused.cursors[place];
        let way = [Way::Next, Way::Resume, Way::Run, Way::Clone][usize::from(way % 4)];
        // Half of the amounts are small, so that cursors last.
        let amount = usize::from(if amount.is_multiple_of(2) { amount % 4 } else { amount }).max(1);
        let differs = |sides: &[Side<S, D>], on: usize| {
            let now = sides[on].era;
            match (now[0] == era[0], now[1] == era[1], now[2] == era[2]) {
                (false, ..) => Some(ResumeError::OtherIndex),
                (_, false, _) => Some(ResumeError::WorldSet),
                (.., false) => Some(ResumeError::Cleared),
                _ => None,
            }
        };
        let is_certain = !self.sides.iter().any(|side| side.is_restored);
        // On another index, it is refused and stays as it was; where it would go on, it goes on on its own.
        for on in [on, *own] {
            let expected = differs(&self.sides, on);
            let is_asked = if expected.is_some() { is_certain } else { on == *own };
            if is_asked {
                let side = &self.sides[on];
                let came = followed.go_on(&side.index, &side.model, way, amount);
                agree!(came.err(), expected, "whether a cursor goes on");
            }
        }
        if differs(&self.sides, *own).is_some() {
            self.paused.cursors.remove(place);
        }
    }

    pub(super) fn end_cursors(&mut self) {
        for OnSide { mut followed, side, era } in std::mem::take(&mut self.paused.cursors) {
            let side = &self.sides[side];
            let mut calls = 0;
            while !followed.done && era == side.era {
                let came = followed.go_on(&side.index, &side.model, Way::Run, 3);
                agree!(came, Ok(()), "whether a cursor goes on at last");
                calls += 1;
                agree!(calls < 100_000, true, "a cursor ends");
            }
        }
    }

    fn begin_watch(&mut self, on: usize, relation: Option<Relation>, is_shaped: bool, question: Question<S, D>) {
        let side = &self.sides[on];
        let (index, rect) = (&side.index, question.region.rect());
        let shaped = Shaped::from(rect);
        let watch: Box<dyn Poll<S, D>> = match (relation, is_shaped) {
            (Some(Relation::Intersecting), false) => Box::new(question.narrow(index.intersecting(rect)).watch()),
            (Some(Relation::Intersecting), true) => Box::new(question.narrow(index.intersecting(shaped)).watch()),
            (Some(Relation::ContainedIn), false) => Box::new(question.narrow(index.contained_in(rect)).watch()),
            (Some(Relation::ContainedIn), true) => Box::new(question.narrow(index.contained_in(shaped)).watch()),
            (Some(Relation::Containing), _) => Box::new(question.narrow(index.containing(rect)).watch()),
            (None, _) => Box::new(question.narrow(index.near(rect)).watch()),
        };
        let Question { region, asked, excluded } = question;
        let inside = BTreeSet::new();
        self.paused.watches.push(Watched { watch, relation, region, asked, excluded, inside, index: side.era[0] });
        if MOST < self.paused.watches.len() {
            self.paused.watches.remove(0);
        }
    }

    fn poll_watch(&mut self, on: usize, pick: u8, region: Option<Span<S, D>>) {
        let Some(place) = usize::from(pick).checked_rem(self.paused.watches.len()) else { return };
        let side = &self.sides[on];
        let watched = &mut self.paused.watches[place];
        if watched.index != side.era[0] && self.sides.iter().any(|side| side.is_restored) {
            return;
        }
        if let Some(region) = region {
            watched.watch.set_region(region.rect());
            watched.region = region;
        }
        let came = watched.watch.poll(&side.index);
        if watched.index != side.era[0] {
            agree!(came, Err(PollError::OtherIndex), "polling a watch of another index");
            return;
        }
        let Watched { region, asked, excluded, .. } = &*watched;
        let now = if let Some(relation) = watched.relation {
            side.model.answer(relation, region, asked, *excluded)
        } else {
            let question = Question { region: *region, asked: asked.clone(), excluded: *excluded };
            near_by_definition(&side.index, &question)
        };
        let now: BTreeSet<_> = now.into_iter().collect();
        let entered: Vec<_> = now.difference(&watched.inside).copied().collect();
        let left: Vec<_> = watched.inside.difference(&now).copied().collect();
        agree!(came, Ok([entered, left]), "entered and left, {:?} of {region}", watched.relation);
        let inside: Vec<_> = now.iter().copied().collect();
        agree!(watched.watch.inside(), inside, "inside, {:?} of {region}", watched.relation);
        watched.inside = now;
    }

    fn begin_contacts(&mut self, on: usize, op: &Op) {
        let Op::BeginContacts { other, form, within, first, second, seed, .. } = op else { return };
        let other = usize::from(*other) % self.sides.len();
        let is_join = form % 4 == 3 && other != on;
        let other = if is_join { other } else { on };
        let between = [*first, if form % 4 == 0 || form % 4 == 2 { *first } else { *second }];
        let wanted = self.wanted([on, other], within.0, between);
        let [a, b] = [on, other].map(|on| &self.sides[on]);
        let sets = [0, 1].map(|place| set_of(&wanted.between[place]));
        let of: Option<BTreeSet<_>> = (form % 4 == 2).then(|| {
            let living = self.some_handles(on, 12, *seed).into_iter();
            living.filter(|handle| a.model.find(*handle).is_some()).collect()
        });
        let contacts = if is_join {
            let join = a.index.join(&b.index).between(sets[0], sets[1]);
            if let Some(distance) = wanted.within { join.within(distance).watch() } else { join.watch() }
        } else {
            let pairs = match &of {
                Some(of) => a.index.pairs_of(of).in_layers(sets[0]),
                None if form % 4 == 0 => a.index.pairs().in_layers(sets[0]),
                None => a.index.pairs().between(sets[0], sets[1]),
            };
            if let Some(distance) = wanted.within { pairs.within(distance).watch() } else { pairs.watch() }
        };
        let indexes = [a.era[0], b.era[0]];
        self.paused.contacts.push(Met { contacts, wanted, of, is_join, pairs: BTreeSet::new(), indexes });
        if MOST < self.paused.contacts.len() {
            self.paused.contacts.remove(0);
        }
    }

    fn poll_contacts(&mut self, on: [usize; 2], pick: u8, filter: fn([Handle; 2]) -> bool) {
        let Some(place) = usize::from(pick).checked_rem(self.paused.contacts.len()) else { return };
        let met = &mut self.paused.contacts[place];
        let on = if met.is_join { on } else { [on[0], on[0]] };
        let sides = on.map(|on| &self.sides[on]);
        let eras = sides.map(|side| side.era[0]);
        let is_certain = eras == met.indexes || !self.sides.iter().any(|side| side.is_restored);
        if !is_certain || met.is_join && on[0] == on[1] {
            return;
        }
        let came = if met.is_join {
            met.contacts.poll_join_where(&sides[0].index, &sides[1].index, |a, b| filter([a.handle(), b.handle()]))
        } else {
            met.contacts.poll_where(&sides[0].index, |a, b| filter([a.handle(), b.handle()]))
        };
        if eras != met.indexes {
            agree!(came.err(), Some(PollError::OtherIndex), "polling contacts of other indexes");
            return;
        }
        let came = came.map(|changes| [changes.begun.to_vec(), changes.ended.to_vec()]);
        let now = if met.is_join {
            couples::between(sides, &met.wanted)
        } else {
            couples::within(sides[0], &met.wanted, met.of.as_ref())
        };
        let now: BTreeSet<_> = now.into_iter().map(|(a, b)| [a, b]).filter(|&pair| filter(pair)).collect();
        let begun: Vec<_> = now.difference(&met.pairs).copied().collect();
        let ended: Vec<_> = met.pairs.difference(&now).copied().collect();
        agree!(came, Ok([begun, ended]), "begun and ended, {:?}", met.wanted);
        let pairs: Vec<_> = now.iter().copied().collect();
        agree!(met.contacts.pairs(), pairs, "the contacts, {:?}", met.wanted);
        met.pairs = now;
    }
}
