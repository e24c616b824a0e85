//! The rows of calls that are given an index: another one, a clone, one that was begun anew.

use quadrille::{Contacts, Watch};
use quadrille_support::{Index, Real};

use super::outcome::Outcome;
use super::rows::{Row, Take};
use super::setting::Setting;

pub(super) fn elsewhere<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    let row = |names: &'static str, take: Take<S, D>| Row { names, take };
    vec![
        row(
            "SpatialIndex::resume(cursor)",
            Take::Index(|on, index| Outcome::of(index.resume(on.index.iter().pause()).map(drop))),
        ),
        row("Cursor::step(index)", Take::Index(|on, index| Outcome::of(on.index.iter().pause().step(index).map(drop)))),
        row(
            "Cursor::run(index)",
            Take::Index(|on, index| Outcome::of(on.index.iter().pause().run(index, 1, |_| {}).map(drop))),
        ),
        row(
            "Watch::poll(answer)",
            Take::Index(|on, index| {
                let mut watch = Watch::new();
                watch.poll(on.index.iter()).expect("the first index");
                Outcome::of(watch.poll(index.iter()).map(drop))
            }),
        ),
        row(
            "Contacts::poll(answer)",
            Take::Index(|on, index| {
                let mut contacts = Contacts::new();
                contacts.poll(on.index.pairs()).expect("the first index");
                Outcome::of(contacts.poll(index.pairs()).map(drop))
            }),
        ),
        #[cfg(feature = "rayon")]
        row(
            "Contacts::par_poll(answer)",
            Take::Index(|on, index| {
                let mut contacts = Contacts::new();
                contacts.par_poll(on.index.pairs()).expect("the first index");
                Outcome::of(contacts.par_poll(index.pairs()).map(drop))
            }),
        ),
        row(
            "Watch::poll_moved(answer)",
            Take::Index(|on, index| {
                let mut watch = Watch::new();
                watch.poll(on.index.iter()).expect("the first index");
                Outcome::of(watch.poll_moved(&[on.rect], index.iter()).map(drop))
            }),
        ),
        row(
            "Contacts::poll_moved(answer), Contacts::poll_join_moved(answer)",
            Take::Index(|on, index| {
                let mut contacts = Contacts::new();
                contacts.poll(on.index.pairs()).expect("the first index");
                let outcome = Outcome::of(contacts.clone().poll_moved(&[on.rect], index.pairs()).map(drop));
                assert_eq!(Outcome::of(contacts.poll_join_moved([&[], &[on.rect]], index.pairs()).map(drop)), outcome);
                outcome
            }),
        ),
        row(
            "SpatialIndex::join_of(other)",
            Take::Index(|on, index| {
                let all: Vec<_> = on.index.iter().map(|object| object.handle()).collect();
                let count = on.index.join_of(all, index).count();
                Outcome::of_count(count, on.index.len() * index.len())
            }),
        ),
        row(
            "SpatialIndex::join(other)",
            Take::Index(|on, index| {
                let count = on.index.join(index).count();
                Outcome::of_count(count, on.index.len() * index.len())
            }),
        ),
    ]
}

/// The rows of polls that are told of a handle, and of the pairs that they take.
pub(super) fn told<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    let row = |names: &'static str, take: Take<S, D>| Row { names, take };
    vec![
        row(
            "SpatialIndex::join_of(objects)",
            Take::Handle(|on, handle| {
                let of_one = on.index.join_of([handle], &on.index).count();
                if of_one == 0 { Outcome::Nothing } else { Outcome::Ok }
            }),
        ),
        row(
            "Watch::poll_moved(moved)",
            Take::Handle(|on, handle| {
                let mut watch = Watch::new();
                watch.poll(on.index.iter()).expect("its index");
                Outcome::of(watch.poll_moved(&[handle], on.index.object(handle)).map(drop))
            }),
        ),
        row(
            "Contacts::of(object)",
            Take::Handle(|on, object| {
                let mut contacts = Contacts::new();
                contacts.poll(on.index.pairs()).expect("one index");
                let found = contacts.of(object).count();
                Outcome::of_count(found, on.index.len())
            }),
        ),
        row(
            "Contacts::poll_moved(moved), Contacts::poll_join_moved(moved)",
            Take::Handle(|on, handle| {
                let mut contacts = Contacts::new();
                contacts.poll(on.index.pairs()).expect("its index");
                Outcome::of(contacts.poll_moved(&[handle], on.index.pairs_of([handle])).map(drop))
            }),
        ),
    ]
}

pub(super) fn indexes<S: Real, const D: usize>(setting: &Setting<S, D>) -> Vec<(&'static str, Index<S, D>)> {
    let (mut set, mut cleared) = (setting.index.clone(), setting.index.clone());
    set.set_world(Setting::sound_rect()).expect("a world");
    cleared.clear();
    vec![
        ("another index", setting.other.clone()),
        ("a clone", setting.index.clone()),
        ("a clone with another world", set),
        ("a clone that was cleared", cleared),
    ]
}
