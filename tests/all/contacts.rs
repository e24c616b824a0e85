//! Watches of pairs: which have begun and ended between two polls, beside a look at all pairs.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use quadrille::{Contacts, Handle, PollError, Quadtree, Rect};

use quadrille_support::couples::{Wanted, between, layers_of, near, near_enough, near_in_both};
use quadrille_support::oracle::Asked;
use quadrille_support::properties::for_all;
use quadrille_support::questions::{drawn_layers, set_of};
use quadrille_support::run::Run;
use quadrille_support::scene::{scenes, side_of};
use quadrille_support::spot::{Spot, awkward};
use quadrille_support::step::{Step, insert, settings, step};
use quadrille_support::told::{Poll, Told, poll};
use quadrille_support::{Real, in_spaces};

in_spaces!(beside_all_pairs, joins_told_what_moved);

#[derive(Clone, Debug)]
enum Act {
    Change(Step),
    Poll(Poll),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![3 => step().prop_map(Act::Change), 1 => poll().prop_map(Act::Poll)]
}

fn without(these: &[[Handle; 2]], others: &[[Handle; 2]]) -> Vec<[Handle; 2]> {
    these.iter().filter(|pair| others.binary_search(pair).is_err()).copied().collect()
}

/// The pairs that there are after a poll about named ones: the named ones of now, and the others of before.
fn after(before: &[[Handle; 2]], now: &[[Handle; 2]], is_named: impl Fn(&[Handle; 2]) -> bool) -> Vec<[Handle; 2]> {
    let last = before.iter().filter(|pair| !is_named(pair));
    let mut pairs: Vec<_> = now.iter().filter(|pair| is_named(pair)).chain(last).copied().collect();
    pairs.sort_unstable();
    pairs
}

/// Contacts beside the list of pairs at the last poll.
struct Watched<S, const D: usize> {
    contacts: Contacts,
    wanted: Wanted<S>,
    /// The objects of which each pair has one, if it is restricted to some.
    some: Option<Vec<Handle>>,
    /// Whether some pairs are refused by a filter.
    filtered: bool,
    pairs: Vec<[Handle; 2]>,
    told: Told<S, D>,
}

/// The filter: two thirds of all pairs.
fn passes(a: Handle, b: Handle) -> bool {
    !a.to_bits().wrapping_add(b.to_bits()).is_multiple_of(3)
}

impl<S: Real, const D: usize> Watched<S, D> {
    fn poll(&mut self, run: &Run<S, D>, poll: Poll) {
        let objects = &run.model.objects;
        let is_of_some =
            |a: Handle, b: Handle| self.some.as_ref().is_none_or(|some| some.contains(&a) || some.contains(&b));
        let is_there = |a: Handle, b: Handle| is_of_some(a, b) && (!self.filtered || passes(a, b));
        let all = between(&near(objects, &self.wanted), &layers_of(objects), &self.wanted);
        let all: Vec<[Handle; 2]> = all.into_iter().filter(|&(a, b)| is_there(a, b)).map(<[Handle; 2]>::from).collect();
        let moved = self.told.of(run, poll);
        let query = match (&moved, &self.some) {
            (Some(moved), _) => run.index.pairs_of(moved),
            (None, Some(some)) => run.index.pairs_of(some),
            (None, None) => run.index.pairs(),
        };
        let query = query.between(set_of(&self.wanted.between[0]), set_of(&self.wanted.between[1]));
        let query = if let Some(within) = self.wanted.within { query.within(within) } else { query };
        #[cfg(feature = "rayon")]
        let answered = query.clone();
        let answer = query.filter(|(a, b)| is_there(a.handle(), b.handle()));
        #[cfg(feature = "rayon")]
        let mut by_threads = self.contacts.clone();
        let changes = match &moved {
            Some(moved) => self.contacts.poll_moved(moved, answer),
            None => self.contacts.poll(answer),
        };
        let changes = changes.expect("the same index");
        let told: Option<BTreeSet<Handle>> = moved.map(|moved| moved.into_iter().collect());
        let named = |pair: &[Handle; 2]| told.as_ref().is_none_or(|told| pair.iter().any(|one| told.contains(one)));
        let now = after(&self.pairs, &all, named);
        assert!(now == all || poll == Poll::Forgetful, "told of all that changed");
        assert_eq!(changes.begun, without(&now, &self.pairs), "begun, {poll:?}");
        assert_eq!(changes.ended, without(&self.pairs, &now), "ended, {poll:?}");
        #[cfg(feature = "rayon")]
        if told.is_none() {
            let answer: Vec<_> = answered.filter(|(a, b)| is_there(a.handle(), b.handle())).collect();
            assert_eq!(by_threads.par_poll(answer).expect("the same index"), changes, "by threads");
            assert!(by_threads.pairs().eq(now.iter().copied()), "by threads");
        }
        assert!(self.contacts.pairs().eq(now.iter().copied()));
        let mut partners: BTreeMap<Handle, Vec<Handle>> = BTreeMap::from([(Handle::default(), Vec::new())]);
        for [a, b] in &now {
            partners.entry(*a).or_default().push(*b);
            partners.entry(*b).or_default().push(*a);
        }
        for (object, partners) in partners {
            assert!(self.contacts.of(object).eq(partners), "the partners of {object:?}");
        }
        self.pairs = now;
    }
}

/// The layers of both objects, and whether only some objects count.
#[derive(Clone, Debug)]
struct Asking {
    first: (u8, bool),
    second: (u8, bool),
    within: Option<Spot>,
    some: bool,
    filtered: bool,
}

fn asking() -> impl Strategy<Value = Asking> {
    let layers = || (any::<u8>(), prop::bool::weighted(0.9));
    (layers(), layers(), prop::option::weighted(0.5, awkward()), prop::bool::weighted(0.3), any::<bool>())
        .prop_map(|(first, second, within, some, filtered)| Asking { first, second, within, some, filtered })
}

/// Each change is reported once, whatever caused it.
fn beside_all_pairs<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    let strategy = (
        0..scenes.len(),
        prop::collection::vec((any::<bool>(), settings()), 0..3),
        prop::collection::vec(insert(), 0..60),
        asking(),
        prop::collection::vec(act(), 1..60),
    );
    for_all(48, strategy, |(scene, layers, inserts, asking, acts)| {
        let mut run = Run::<S, D>::with_layers(&scenes[scene], layers, &inserts);
        let asked: [Asked; 2] =
            [asking.first, asking.second].map(|(bits, all_but_these)| drawn_layers(&run.index, bits, all_but_these));
        let some: Option<Vec<Handle>> =
            asking.some.then(|| run.model.objects.iter().step_by(3).map(|known| known.handle).collect());
        let within = asking.within.map(|spot| spot.resolve(S::of(0.0), side_of(&run.index.world())));
        let wanted = Wanted { between: asked, within };
        let filtered = asking.filtered;
        let told = Told::nothing();
        let mut watched = Watched { contacts: Contacts::new(), wanted, some, filtered, pairs: Vec::new(), told };
        for act in &acts {
            match act {
                Act::Change(step) => run.take(step),
                Act::Poll(poll) => watched.poll(&run, *poll),
            }
        }
        watched.poll(&run, Poll::Moved);
        watched.poll(&run, Poll::Whole);
        assert!(watched.contacts.clone().pairs().eq(watched.pairs));
    });
}

/// A join beside the list of pairs: polls are told what moved in the first index, in the second, or in both. Handles of
/// both indexes are the same numbers.
fn joins_told_what_moved<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    let act = || (any::<bool>(), act());
    let strategy = (
        0..scenes.len(),
        [prop::collection::vec(insert(), 0..40), prop::collection::vec(insert(), 0..40)],
        prop::option::weighted(0.5, awkward()),
        prop::collection::vec(act(), 1..50),
    );
    for_all(48, strategy, |(scene, inserts, within, acts)| {
        let mut runs = inserts.map(|inserts| Run::<S, D>::of(&scenes[scene], &inserts));
        let within = within.map(|spot| spot.resolve(S::of(0.0), side_of(&runs[0].index.world())));
        let wanted = Wanted { within, ..Wanted::touching() };
        let told = [Told::nothing(), Told::nothing()];
        let mut joined = Joined { contacts: Contacts::new(), wanted, pairs: Vec::new(), told };
        for (is_second, act) in acts.iter().chain([&(true, Act::Poll(Poll::Moved)), &(false, Act::Poll(Poll::Whole))]) {
            match act {
                Act::Change(step) => runs[usize::from(*is_second)].take(step),
                Act::Poll(poll) => joined.poll(&runs, *poll),
            }
        }
    });
}

/// Contacts of a join beside the list of pairs at the last poll.
struct Joined<S, const D: usize> {
    contacts: Contacts,
    wanted: Wanted<S>,
    pairs: Vec<[Handle; 2]>,
    told: [Told<S, D>; 2],
}

impl<S: Real, const D: usize> Joined<S, D> {
    fn poll(&mut self, runs: &[Run<S, D>; 2], poll: Poll) {
        let [first, second] = runs;
        let all = near_in_both([&first.model.objects, &second.model.objects], &self.wanted);
        let all: Vec<_> = all.into_iter().map(<[Handle; 2]>::from).collect();
        let moved = [0, 1].map(|side| self.told[side].of(&runs[side], poll));
        let (now, changes) = if let [Some(of_first), Some(of_second)] = &moved {
            let named = |pair: &[Handle; 2]| of_first.contains(&pair[0]) || of_second.contains(&pair[1]);
            let turned = near_enough(second.index.join_of(of_second, &first.index), &self.wanted).map(|(b, a)| (a, b));
            let straight = near_enough(first.index.join_of(of_first, &second.index), &self.wanted);
            let now = after(&self.pairs, &all, named);
            let answer = straight.chain(turned);
            let changes = if of_second.is_empty() {
                self.contacts.poll_moved(of_first, answer)
            } else {
                self.contacts.poll_join_moved([of_first, of_second], answer)
            };
            (now, changes)
        } else {
            (all.clone(), self.contacts.poll(near_enough(first.index.join(&second.index), &self.wanted)))
        };
        let changes = changes.expect("the same indexes");
        assert!(now == all || poll == Poll::Forgetful, "told of all that changed");
        assert_eq!(changes.begun, without(&now, &self.pairs), "begun, {poll:?}");
        assert_eq!(changes.ended, without(&self.pairs, &now), "ended, {poll:?}");
        assert!(self.contacts.pairs().eq(now.iter().copied()));
        for of_one in now.chunk_by(|one, other| one[0] == other[0]) {
            let object = of_one[0][0];
            assert!(self.contacts.of(object).eq(of_one.iter().map(|pair| pair[1])), "the partners of {object:?}");
        }
        self.pairs = now;
    }
}

/// A pair of the answer without a named object is there too. Lists are of the index that they are said to be of.
#[test]
fn the_names_decide_what_ends() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let units = index.add_point_layer().unwrap();
    let [a, b, c] = [1.0_f32, 1.0, 1.0].map(|x| index.insert(units, [x, 0.0], ()).unwrap());
    let mut contacts = Contacts::new();
    // The first poll may be one of these.
    assert_eq!(contacts.poll_moved(&[c], index.pairs_of([c])).unwrap().begun, [[a, c], [b, c]]);
    assert_eq!(contacts.poll_moved(&[], index.pairs()).unwrap().begun, [[a, b]]);
    assert_eq!(contacts.poll_moved(&[c, Handle::default()], index.pairs().take(0)).unwrap().ended, [[a, c], [b, c]]);
    // Within one index, both lists are of that index.
    assert_eq!(contacts.poll_join_moved([&[], &[a]], index.pairs().take(0)).unwrap().ended, [[a, b]]);
    let other = index.clone();
    let mut contacts = Contacts::new();
    contacts.poll(index.join(&other)).unwrap();
    assert_eq!(contacts.len(), 9);
    let nothing = || index.join(&other).take(0);
    assert_eq!(contacts.poll_join_moved([&[], &[a]], nothing()).unwrap().ended, [[a, a], [b, a], [c, a]]);
    assert_eq!(contacts.poll_moved(&[a], nothing()).unwrap().ended, [[a, b], [a, c]]);
    assert_eq!(contacts.poll_moved(&[b], index.pairs()).map(|_| ()), Err(PollError::OtherIndex));
    assert!(contacts.pairs().eq([[b, b], [b, c], [c, b], [c, c]]));
}

/// Pairs of two indexes, the first of the first one.
#[test]
fn joins_are_watched_too() {
    let scene = &scenes::<f32>()[0];
    let mut first = Run::<f32, 2>::new(scene);
    let mut second = Run::<f32, 2>::new(scene);
    let at = |x: f32| quadrille_support::oracle::Span { min: [x, x], max: [x + 2.0, x + 2.0] };
    for x in [1.0, 5.0, 9.0, 30.0] {
        first.insert_rect(at(x));
        second.insert_rect(at(x + 1.5));
        second.insert_rect(at(x - 40.0));
    }
    let mut contacts = Contacts::new();
    let all = |first: &Run<f32, 2>, second: &Run<f32, 2>| -> Vec<[Handle; 2]> {
        let lists = [&first.model.objects[..], &second.model.objects[..]];
        near_in_both(lists, &Wanted::touching()).into_iter().map(<[Handle; 2]>::from).collect()
    };
    let changes = contacts.poll(first.index.join(&second.index)).unwrap();
    assert_eq!((changes.begun, changes.ended), (&all(&first, &second)[..], &[][..]));
    assert!(3 < changes.begun.len());
    let lost = changes.begun[1];
    second.index.remove(lost[1]);
    second.model.remove(lost[1]);
    let changes = contacts.poll(first.index.join(&second.index)).unwrap();
    assert!(changes.ended.contains(&lost) && changes.begun.is_empty());
    assert!(contacts.pairs().eq(all(&first, &second)));
    let kept = contacts.pairs().next().unwrap();
    let answer = first.index.join(&second.index).filter(|(one, _)| one.handle() == kept[0]);
    let changes = contacts.poll(answer).unwrap();
    assert!(changes.begun.is_empty() && !changes.ended.is_empty());
    assert!(contacts.pairs().all(|pair| pair[0] == kept[0]));
    contacts.poll(first.index.join(&second.index)).unwrap();
    for refused in [
        contacts.poll(second.index.join(&first.index)).map(|_| ()),
        contacts.poll(first.index.join(&first.index)).map(|_| ()),
    ] {
        assert_eq!(refused, Err(PollError::OtherIndex));
    }
    assert!(contacts.pairs().eq(all(&first, &second)));
}

/// Within one index both are that index: a clone is the same index, but not half of it.
#[test]
fn another_index_is_an_error_and_changes_nothing() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let bodies = index.add_rect_layer().unwrap();
    let [a, b] = [1.0_f32, 2.0].map(|x| index.insert(bodies, Rect::new([x, 0.0], [x + 2.0, 1.0]), ()).unwrap());
    let mut contacts = Contacts::default();
    assert_eq!(contacts.poll(index.pairs()).unwrap().begun, [[a.min(b), a.max(b)]]);
    let (mut other, clone) = (Quadtree::<()>::new(index.world()).unwrap(), index.clone());
    let others = other.add_point_layer().unwrap();
    other.insert_batch(others, [([5.0, 5.0], ()), ([5.0, 5.0], ())]).unwrap();
    assert_eq!(contacts.poll(other.pairs()).map(|_| ()), Err(PollError::OtherIndex));
    assert_eq!(contacts.poll(index.join(&clone)).map(|_| ()), Err(PollError::OtherIndex));
    assert_eq!(contacts.len(), 1);
    assert!(contacts.poll(clone.pairs()).unwrap().begun.is_empty());
    // The object that takes the slot of another one is another.
    index.remove(a);
    let c = index.insert(bodies, Rect::new([1.0, 0.0], [3.0, 1.0]), ()).unwrap();
    let changes = contacts.poll(index.pairs()).unwrap();
    assert_eq!((changes.begun.len(), changes.ended), (1, &[[a.min(b), a.max(b)]][..]));
    assert!(changes.begun[0].contains(&c));
    index.clear();
    assert_eq!(contacts.poll(index.pairs()).unwrap().ended.len(), 1);
    assert_eq!(format!("{contacts:?}"), "Contacts { pairs: 0, .. }");
}

/// Many pairs, of which those of few objects are looked up, and those of many found by a scan. Both lists name objects of
/// their own index.
#[test]
fn told_among_many_pairs() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let units = index.add_point_layer().unwrap();
    let at = |number: u32| {
        [number.wrapping_mul(2_654_435_761) >> 16, number.wrapping_mul(40_503) % 7919]
            .map(|x| f32::from((x % 100) as u8))
    };
    let units = index.insert_batch(units, (0..600).map(|number| (at(number), ()))).unwrap();
    let mut other = index.clone();
    let [mut whole, mut told, mut whole_join, mut told_join] = [(); 4].map(|()| Contacts::new());
    for contacts in [&mut whole, &mut told] {
        contacts.poll(index.pairs().within(3.0)).unwrap();
    }
    for contacts in [&mut whole_join, &mut told_join] {
        contacts.poll(index.join(&other).within(3.0)).unwrap();
    }
    let mut seed = 1;
    for (round, count) in [0, 1, 1, 2, 3, 40, 1, 0, 5, 600, 2, 1, 30, 8, 1].into_iter().cycle().take(60).enumerate() {
        let mut moved = [Vec::new(), Vec::new()];
        for number in 0..count {
            seed += 1;
            let (side, unit) = (number % 2, units[(seed * 7 + number) % units.len()]);
            let of = if side == 0 { &mut index } else { &mut other };
            if round % 4 == 3 && of.remove(unit).is_some() || of.move_to(unit, at(seed as u32)).is_ok() {
                moved[side].push(unit);
            }
        }
        let [first, second] = &moved;
        let expected = whole.poll(index.pairs().within(3.0)).unwrap();
        let changes = told.poll_moved(first, index.pairs_of(first).within(3.0)).unwrap();
        assert_eq!(changes, expected, "round {round}");
        let expected = whole_join.poll(index.join(&other).within(3.0)).unwrap();
        let turned = other.join_of(second, &index).within(3.0).map(|(b, a)| (a, b));
        let answer = index.join_of(first, &other).within(3.0).chain(turned);
        assert_eq!(told_join.poll_join_moved([first, second], answer).unwrap(), expected, "round {round}");
        assert!(told.pairs().eq(whole.pairs()) && told_join.pairs().eq(whole_join.pairs()), "round {round}");
    }
    assert!(told.len() > 200 && told_join.len() > 400);
    #[cfg(feature = "rayon")]
    by_threads(&index, &other);
}

/// Several threads find the same changes, and refuse pairs of another index wherever they come.
#[cfg(feature = "rayon")]
fn by_threads(index: &Quadtree<()>, other: &Quadtree<()>) {
    use rayon::prelude::*;

    let pairs = |distance: f32| index.pairs().within(distance);
    let [mut one, mut all] = [(); 2].map(|()| Contacts::new());
    for distance in [3.0, 1.0, 4.0, 4.0, 0.0, 2.0] {
        assert_eq!(all.par_poll(pairs(distance)), one.poll(pairs(distance)), "within {distance}");
        assert!(all.pairs().eq(one.pairs()));
    }
    let twice = pairs(3.0).into_par_iter().chain(pairs(4.0).into_par_iter());
    assert_eq!(all.par_poll(twice), one.poll(pairs(4.0)));
    let strange: Quadtree<()> = {
        let mut strange = Quadtree::new(index.world()).unwrap();
        let units = strange.add_point_layer().unwrap();
        strange.insert_batch(units, [([5.0, 5.0], ()), ([5.0, 5.0], ())]).unwrap();
        strange
    };
    for refused in [
        all.par_poll(pairs(4.0).into_par_iter().chain(strange.pairs().into_par_iter())).map(drop),
        all.par_poll(strange.pairs().into_par_iter().chain(pairs(4.0).into_par_iter())).map(drop),
        Contacts::new().par_poll(strange.pairs().into_par_iter().chain(pairs(4.0).into_par_iter())).map(drop),
        all.par_poll(index.join(other)).map(drop),
    ] {
        assert_eq!(refused, Err(PollError::OtherIndex));
    }
    assert!(all.pairs().eq(one.pairs()));
}

/// An index and its clone are two: both orders of a pair may come, and are two pairs.
#[test]
fn an_index_beside_its_clone_keeps_the_order() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let units = index.add_point_layer().unwrap();
    let [a, b] = [1.0_f32, 2.0].map(|x| index.insert(units, [x, 0.0], ()).unwrap());
    let before = index.clone();
    index.move_to(b, [1.0, 0.0]).unwrap();
    let mut contacts = Contacts::new();
    assert_eq!(contacts.poll(index.join(&before)).unwrap().begun, [[a, a], [b, a]]);
    // With itself, a pair is named by its lower handle first, and an object may be paired with itself.
    let mut contacts = Contacts::new();
    assert_eq!(contacts.poll(index.join(&index)).unwrap().begun, [[a, a], [a, b], [b, b]]);
}
