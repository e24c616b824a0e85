//! The rows of calls that are given an index: another one, a clone, one that was begun anew.

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
        row("Watch::poll(index)", Take::Index(|on, index| Outcome::of(on.index.iter().watch().poll(index).map(drop)))),
        row(
            "Contacts::poll(index)",
            Take::Index(|on, index| Outcome::of(on.index.pairs().watch().poll(index).map(drop))),
        ),
        row(
            "Contacts::poll_where(index)",
            Take::Index(|on, index| Outcome::of(on.index.pairs().watch().poll_where(index, |_, _| true).map(drop))),
        ),
        row(
            "Contacts::poll_join(index)",
            Take::Index(|on, index| {
                Outcome::of(on.index.join(&on.other).watch().poll_join(index, &on.other).map(drop))
            }),
        ),
        row(
            "Contacts::poll_join(other)",
            Take::Index(|on, index| {
                Outcome::of(on.other.join(&on.index).watch().poll_join(&on.other, index).map(drop))
            }),
        ),
        row(
            "Contacts::poll_join_where(index)",
            Take::Index(|on, index| {
                let mut contacts = on.index.join(&on.other).watch();
                Outcome::of(contacts.poll_join_where(index, &on.other, |_, _| true).map(drop))
            }),
        ),
        row(
            "Contacts::poll_join_where(other)",
            Take::Index(|on, index| {
                let mut contacts = on.other.join(&on.index).watch();
                Outcome::of(contacts.poll_join_where(&on.other, index, |_, _| true).map(drop))
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
