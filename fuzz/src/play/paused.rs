//! Cursors, watches and contacts: what is paused on an index, goes on after changes, and on clones.

use std::collections::{BTreeMap, BTreeSet};

use quadrille::{Contacts, Handle, Join, LayerId, ObjectRef, PollError, ResumeError, Watch};
use quadrille_support::couples::Wanted;
use quadrille_support::followed::{Followed, Form, Shaped, Way, places};
use quadrille_support::oracle::{Model, Relation, Span};
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
    contacts: Vec<Met<S, D>>,
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

/// A filter of pairs, in whatever order they come.
fn is_wanted(pair: [Handle; 2]) -> bool {
    let [one, other] = pair.map(Handle::to_bits);
    !(one ^ other).is_multiple_of(3)
}

/// A watch and what it asks.
struct Watched<S, const D: usize> {
    watch: Watch,
    relation: Option<Relation>,
    is_shaped: bool,
    question: Question<S, D>,
    /// The objects inside at the last poll, and all objects then; nothing if the region is another one.
    inside: BTreeSet<Handle>,
    before: Option<Model<S, D>>,
    /// The index that it is asked of, and its clones.
    index: u32,
    /// Whether it has seen an object of it.
    is_bound: bool,
}

/// Contacts and what they ask.
struct Met<S, const D: usize> {
    contacts: Contacts,
    wanted: Wanted<S>,
    /// Some objects, if these are the pairs of some.
    of: Option<BTreeSet<Handle>>,
    is_join: bool,
    pairs: BTreeSet<[Handle; 2]>,
    /// The objects at the last poll, and whether its pairs were filtered.
    before: Option<([Model<S, D>; 2], bool)>,
    /// The indexes that they are asked of, and their clones.
    indexes: [u32; 2],
    /// Whether they have seen a pair of them.
    is_bound: bool,
}

impl<S: Real, const D: usize> Watched<S, D> {
    fn answer<'a>(&self, index: &'a Index<S, D>) -> Vec<ObjectRef<'a, u32, S, D>> {
        let (question, rect) = (&self.question, self.question.region.rect());
        let shaped = Shaped::from(rect);
        match (self.relation, self.is_shaped) {
            (Some(Relation::Intersecting), false) => question.narrow(index.intersecting(rect)).collect(),
            (Some(Relation::Intersecting), true) => question.narrow(index.intersecting(shaped)).collect(),
            (Some(Relation::ContainedIn), false) => question.narrow(index.contained_in(rect)).collect(),
            (Some(Relation::ContainedIn), true) => question.narrow(index.contained_in(shaped)).collect(),
            (Some(Relation::Containing), _) => question.narrow(index.containing(rect)).collect(),
            (None, _) => question.narrow(index.near(rect)).collect(),
        }
    }
}

/// A pair of objects of two indexes, or of one.
type Pair<'a, S, const D: usize> = (ObjectRef<'a, u32, S, D>, ObjectRef<'a, u32, S, D>);

fn handles<S: Real, const D: usize>((one, other): &Pair<'_, S, D>) -> [Handle; 2] {
    [one.handle(), other.handle()]
}

impl<S: Space, const D: usize> Met<S, D> {
    fn answer<'a>(&self, [a, b]: [&'a Side<S, D>; 2]) -> Vec<Pair<'a, S, D>> {
        let pairs = match &self.of {
            _ if self.is_join => a.index.join(&b.index),
            Some(of) => a.index.pairs_of(of),
            None => a.index.pairs(),
        };
        self.narrow(pairs, [0, 1])
    }

    /// The pairs that have one of the objects that moved on their sides.
    fn answer_of<'a>(&self, [a, b]: [&'a Side<S, D>; 2], moved: &[Vec<Handle>; 2]) -> Vec<Pair<'a, S, D>> {
        if self.is_join {
            let turned = self.narrow(b.index.join_of(&moved[1], &a.index), [1, 0]);
            let mut pairs = self.narrow(a.index.join_of(&moved[0], &b.index), [0, 1]);
            pairs.extend(turned.into_iter().map(|(one, other)| (other, one)));
            return pairs;
        }
        let mut pairs = self.narrow(a.index.pairs_of(&moved[0]), [0, 1]);
        pairs.retain(|pair| self.of.as_ref().is_none_or(|of| handles(pair).iter().any(|one| of.contains(one))));
        pairs
    }

    /// The pairs near enough, whose first object is in layers of the one place and the second in those of the other.
    fn narrow<'a>(&self, pairs: Join<'a, 'a, u32, u32, S, D>, order: [usize; 2]) -> Vec<Pair<'a, S, D>> {
        let [first, second] = order.map(|place| set_of(&self.wanted.between[place]));
        let pairs = pairs.between(first, second);
        if let Some(distance) = self.wanted.within { pairs.within(distance).collect() } else { pairs.collect() }
    }
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
                self.poll_watch(on, *watch, region, 128 <= *watch);
            }
            Op::BeginContacts { .. } => self.begin_contacts(on, op),
            Op::PollContacts { contacts, other, .. } => {
                let is_filtered = 128 <= *other;
                let other = usize::from(*other) % self.sides.len();
                self.poll_contacts([on, other], *contacts, is_filtered, 128 <= *contacts);
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
        let (watch, inside, index) = (Watch::new(), BTreeSet::new(), self.sides[on].era[0]);
        let (before, is_bound) = (None, false);
        self.paused.watches.push(Watched { watch, relation, is_shaped, question, inside, before, index, is_bound });
        if MOST < self.paused.watches.len() {
            self.paused.watches.remove(0);
        }
    }

    /// Polls a watch, told of what has changed since the last poll if that suffices and is wanted.
    fn poll_watch(&mut self, on: usize, pick: u8, region: Option<Span<S, D>>, is_told: bool) {
        let Some(place) = usize::from(pick).checked_rem(self.paused.watches.len()) else { return };
        let side = &self.sides[on];
        let watched = &mut self.paused.watches[place];
        let is_foreign = watched.index != side.era[0];
        if is_foreign && (!watched.is_bound || self.sides.iter().any(|side| side.is_restored)) {
            return;
        }
        if let Some(region) = region {
            (watched.question.region, watched.before) = (region, None);
        }
        let mut answer = watched.answer(&side.index);
        if is_foreign {
            if !answer.is_empty() {
                agree!(watched.watch.poll(answer).err(), Some(PollError::OtherIndex), "polling a foreign answer");
            }
            return;
        }
        let before = watched.before.replace(side.model.clone()).filter(|_| is_told && watched.relation.is_some());
        let changes = if let Some(before) = before {
            let moved = side.model.changed_since(&before);
            answer.retain(|object| moved.contains(&object.handle()));
            watched.is_bound |= !answer.is_empty();
            watched.watch.poll_moved(&moved, answer)
        } else {
            watched.is_bound |= !answer.is_empty();
            watched.watch.poll(answer)
        };
        let came = changes.map(|changes| [changes.entered.to_vec(), changes.left.to_vec()]);
        let question = &watched.question;
        let Question { region, asked, excluded } = question;
        let now = if let Some(relation) = watched.relation {
            side.model.answer(relation, region, asked, *excluded)
        } else {
            near_by_definition(&side.index, question)
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
        let of: Option<BTreeSet<_>> = (form % 4 == 2).then(|| {
            let living = self.some_handles(on, 12, *seed).into_iter();
            living.filter(|handle| a.model.find(*handle).is_some()).collect()
        });
        let (contacts, pairs, indexes) = (Contacts::new(), BTreeSet::new(), [a.era[0], b.era[0]]);
        let (before, is_bound) = (None, false);
        self.paused.contacts.push(Met { contacts, wanted, of, is_join, pairs, before, indexes, is_bound });
        if MOST < self.paused.contacts.len() {
            self.paused.contacts.remove(0);
        }
    }

    /// Polls contacts, told of what has changed since the last poll if that suffices and is wanted.
    fn poll_contacts(&mut self, on: [usize; 2], pick: u8, is_filtered: bool, is_told: bool) {
        let Some(place) = usize::from(pick).checked_rem(self.paused.contacts.len()) else { return };
        let met = &mut self.paused.contacts[place];
        let on = if met.is_join { on } else { [on[0], on[0]] };
        let sides = on.map(|on| &self.sides[on]);
        let eras = sides.map(|side| side.era[0]);
        let is_certain = eras == met.indexes || !self.sides.iter().any(|side| side.is_restored);
        if !is_certain || met.is_join && on[0] == on[1] {
            return;
        }
        let passes = |pair: [Handle; 2]| !is_filtered || is_wanted(pair);
        let mut answer = met.answer(sides);
        answer.retain(|pair| passes(handles(pair)));
        if eras != met.indexes {
            if met.is_bound && !answer.is_empty() {
                agree!(met.contacts.poll(answer).err(), Some(PollError::OtherIndex), "polling foreign pairs");
            }
            return;
        }
        let now = (sides.map(|side| side.model.clone()), is_filtered);
        let before = met.before.replace(now).filter(|(_, was_filtered)| is_told && *was_filtered == is_filtered);
        let moved = before.map(|(before, _)| [0, 1].map(|place| sides[place].model.changed_since(&before[place])));
        if let Some(moved) = &moved {
            answer = met.answer_of(sides, moved);
            answer.retain(|pair| passes(handles(pair)));
        }
        met.is_bound |= !answer.is_empty();
        let changes = match &moved {
            Some([one, other]) if met.is_join => met.contacts.poll_join_moved([one, other], answer),
            Some([one, _]) => met.contacts.poll_moved(one, answer),
            None => met.contacts.poll(answer),
        };
        let came = changes.map(|changes| [changes.begun.to_vec(), changes.ended.to_vec()]);
        let now = if met.is_join {
            couples::between(sides, &met.wanted)
        } else {
            couples::within(sides[0], &met.wanted, met.of.as_ref())
        };
        let now: BTreeSet<_> = now.into_iter().map(|(a, b)| [a, b]).filter(|&pair| passes(pair)).collect();
        let begun: Vec<_> = now.difference(&met.pairs).copied().collect();
        let ended: Vec<_> = met.pairs.difference(&now).copied().collect();
        agree!(came, Ok([begun, ended]), "begun and ended, {:?}", met.wanted);
        let pairs: Vec<_> = now.iter().copied().collect();
        agree!(met.contacts.pairs().collect::<Vec<_>>(), pairs, "the contacts, {:?}", met.wanted);
        met.pairs = now;
    }
}
