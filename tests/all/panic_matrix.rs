//! A caller's code panics: at each of its calls, in every place where it runs. The index stays sound, nothing is leaked or
//! dropped twice, and cursors, watches and contacts that live on tell the truth.

mod answers;
mod asking;
mod changes;
mod covered;
mod fuse;
mod stage;

use std::collections::BTreeSet;

use quadrille::Handle;
use quadrille_support::{Real, in_spaces};

use answers::{Answer, answers};
use asking::{asking, asking_of_some, grouping, watching, wrapping};
use changes::{Change, Then, inserting, moving, removing, shaping};
use fuse::{Counted, Hook, burn, go_on, light, put_out};
use stage::{List, Stage, list, that};

in_spaces!(changes_are_interrupted, answers_are_interrupted);

fn rows<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    [inserting(), moving(), removing(), asking(), asking_of_some(), grouping(), wrapping(), watching(), shaping()]
        .into_iter()
        .flatten()
        .collect()
}

fn changes_are_interrupted<S: Real, const D: usize>() {
    let template = Stage::<S, D>::new();
    for (number, row) in rows::<S, D>().iter().enumerate() {
        interrupt_change(&template, row, &format!("change {number} by {:?} of {:?}", row.hooks, row.covers));
    }
}

fn interrupt_change<S: Real, const D: usize>(template: &Stage<S, D>, row: &Change<S, D>, what: &str) {
    let others = Counted::alive();
    let before = list(&template.index);
    let mut whole = template.clone();
    (row.run)(&mut whole);
    let after = list(&whole.index);
    whole.assert_truthful(row.then == Then::PartlyAnew, what);
    let mut burnt = Vec::new();
    loop {
        let what = format!("{what}, call {}", burnt.len());
        let mut stage = template.clone();
        let outcome = burn(row.hooks, burnt.len(), || (row.run)(&mut stage));
        let now = list(&stage.index);
        match outcome {
            Ok(()) => assert_eq!(now, after, "{what}"),
            Err(_) if row.then == Then::Unchanged => assert_eq!(now, before, "{what}"),
            Err(_) => assert_partly(&now, &before, &after, &what),
        }
        let alive = others + isize::try_from(stage.index.len()).expect("a few");
        assert_eq!(Counted::alive(), alive, "{what}: values leaked or dropped twice");
        stage.assert_truthful(row.then == Then::PartlyAnew, &what);
        assert_eq!(Counted::alive(), others, "{what}: values leaked or dropped twice");
        match outcome {
            Ok(()) => break,
            Err(hook) => burnt.push(hook),
        }
    }
    assert!(row.hooks.iter().all(|hook| burnt.contains(hook)), "{what}: not all of these are called, but {burnt:?}");
}

/// Each object is as it was before, or as the whole operation would have left it; its shape and its value each by itself.
fn assert_partly<S: Real, const D: usize>(now: &List<S, D>, before: &List<S, D>, after: &List<S, D>, what: &str) {
    let all: BTreeSet<&Handle> = now.keys().chain(before.keys()).chain(after.keys()).collect();
    for handle in all {
        let place = |list: &List<S, D>| list.get(handle).map(|known| (known.layer, known.span));
        let number = |list: &List<S, D>| list.get(handle).map(|known| known.number);
        assert!([place(before), place(after)].contains(&place(now)), "{what}: place of {handle:?}");
        assert!([number(before), number(after)].contains(&number(now)), "{what}: value of {handle:?}");
    }
}

fn answers_are_interrupted<S: Real, const D: usize>() {
    let stage = Stage::<S, D>::new();
    for (number, row) in answers::<S, D>().iter().enumerate() {
        for &taken in row.taken {
            let what = format!("answer {number} by {:?} of {:?}, {taken} taken", row.hooks, row.covers);
            interrupt_answer(&stage, row, taken, &what);
        }
    }
}

fn interrupt_answer<S: Real, const D: usize>(stage: &Stage<S, D>, row: &Answer<S, D>, taken: usize, what: &str) {
    let mut expected = Vec::new();
    let mut step = (row.make)(stage, taken);
    while step(&mut expected) {}
    let plain = expected.clone();
    expected.sort_unstable();
    if let Some(relation) = row.relation {
        assert_eq!(expected, that(relation, &list(&stage.index), &stage.view), "{what}");
    }
    let mut burnt = Vec::new();
    loop {
        light(row.hooks, burnt.len());
        let (mut found, panicked) = drain_again(stage, row, taken);
        put_out();
        let Some(hook) = panicked else {
            assert_eq!(found, plain, "{what}");
            break;
        };
        found.sort_unstable();
        assert_eq!(found, expected, "{what}, call {}", burnt.len());
        burnt.push(hook);
    }
    assert!(row.hooks.iter().all(|hook| burnt.contains(hook)), "{what}: not all of these are called, but {burnt:?}");
}

/// All that a query finds that goes on after a panic, and the hook that panicked.
fn drain_again<S: Real, const D: usize>(
    stage: &Stage<S, D>,
    row: &Answer<S, D>,
    taken: usize,
) -> (Vec<Handle>, Option<Hook>) {
    let (mut found, mut panicked) = (Vec::new(), None);
    let mut step = go_on(|| (row.make)(stage, taken)).unwrap_or_else(|hook| {
        panicked = Some(hook);
        (row.make)(stage, taken)
    });
    loop {
        match go_on(|| step(&mut found)) {
            Ok(true) => {}
            Ok(false) => return (found, panicked),
            Err(hook) => panicked = Some(hook),
        }
    }
}

/// An index that is dropped while a value panics drops all others.
#[test]
fn dropping_is_interrupted() {
    let others = Counted::alive();
    for number in 0.. {
        let stage = Stage::<f32, 2>::new();
        if burn(&[Hook::Drop], number, || drop(stage)).is_ok() {
            assert_eq!(number, 2 * stage::EACH as usize - 1, "all have been dropped");
            break;
        }
        assert_eq!(Counted::alive(), others, "value {number}");
    }
}
