//! Cursors: queries paused while the index changes.

use proptest::prelude::*;
use quadrille::ResumeError;

use quadrille_support::followed::{Followed, Form, Way, places};
use quadrille_support::oracle::Relation;
use quadrille_support::properties::for_all;
use quadrille_support::questions::{Region, region};
use quadrille_support::run::Run;
use quadrille_support::scene::scenes;
use quadrille_support::step::{Step, insert, settings, step};
use quadrille_support::{Real, assert_sound, in_spaces};

in_spaces!(through_changes);

/// An event in the life of an index and its cursors.
#[derive(Clone, Debug)]
enum Act {
    Change(Step),
    Begin { form: Form, region: Region, layers: u8, all_but_these: bool, excluded: Option<u16>, taken: u8 },
    GoOn { which: u8, way: Way, amount: u8 },
}

fn form() -> impl Strategy<Value = Form> {
    const RELATIONS: [Option<Relation>; 5] = [
        None,
        Some(Relation::Intersecting),
        Some(Relation::Intersecting),
        Some(Relation::ContainedIn),
        Some(Relation::Containing),
    ];
    (prop::sample::select(&RELATIONS[..]), any::<bool>(), any::<bool>()).prop_map(|(relation, shaped, distinct)| Form {
        relation,
        shaped,
        distinct,
    })
}

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![Just(Way::Next), Just(Way::Resume), Just(Way::Run), Just(Way::Clone)]
}

fn begin() -> impl Strategy<Value = Act> {
    let region = prop_oneof![2 => region(), 1 => Just(Region::Everything)];
    let layers = prop_oneof![3 => Just((0, true)), 1 => (any::<u8>(), any::<bool>())];
    let excluded = prop::option::weighted(0.3, any::<u16>());
    (form(), region, layers, excluded, 0_u8..30).prop_map(|(form, region, (layers, all_but_these), excluded, taken)| {
        Act::Begin { form, region, layers, all_but_these, excluded, taken }
    })
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        5 => step().prop_map(Act::Change),
        1 => begin(),
        4 => (any::<u8>(), way(), prop_oneof![2 => 0_u8..4, 1 => 0_u8..40])
            .prop_map(|(which, way, amount)| Act::GoOn { which, way, amount }),
    ]
}

/// Whatever happens to the index, unchanged objects come once, and all that come match.
fn through_changes<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    let strategy = (
        0..scenes.len(),
        prop::collection::vec((any::<bool>(), settings()), 0..3),
        prop::collection::vec(insert(), 0..200),
        begin(),
        prop::collection::vec(act(), 1..80),
    );
    for_all(64, strategy, |(scene, layers, inserts, first, acts)| {
        let mut run = Run::<S, D>::with_layers(&scenes[scene], layers, &inserts);
        let mut followed = Vec::new();
        take(&mut run, &mut followed, &first);
        for act in &acts {
            take(&mut run, &mut followed, act);
        }
        for mut last in followed {
            let mut calls = 0;
            while !last.done {
                last.go_on(&run.index, &run.model, Way::Run, 1).expect("the same index");
                calls += 1;
                assert!(calls < 10_000, "it does not end");
            }
            last.go_on(&run.index, &run.model, Way::Next, 1).expect("the same index");
        }
    });
}

/// Takes one act, and checks the cursors after it.
fn take<S: Real, const D: usize>(run: &mut Run<S, D>, followed: &mut Vec<Followed<S, D>>, act: &Act) {
    match act {
        Act::Change(step) => {
            let before = places(&run.model);
            run.take(step);
            assert_sound(&run.index, "a step");
            if matches!(step, Step::SetWorld { .. }) {
                for mut old in followed.drain(..) {
                    assert_eq!(old.go_on(&run.index, &run.model, Way::Next, 1), Err(ResumeError::WorldSet));
                }
            }
            for one in followed {
                one.watch(&run.index, &run.model, &before);
            }
        }
        Act::Begin { form, region, layers, all_but_these, excluded, taken } => {
            let question = run.question(region, *layers, *all_but_these, *excluded);
            followed.push(Followed::begin(&run.index, &run.model, question, *form, (*taken).into()));
        }
        Act::GoOn { which, way, amount } => {
            if let Some(place) = usize::from(*which).checked_rem(followed.len()) {
                followed[place].go_on(&run.index, &run.model, *way, (*amount).into()).expect("the same index");
            }
        }
    }
}
