//! Watches: what has entered and left between two polls, beside lists that are compared.

use proptest::prelude::*;
use quadrille::{Ball, Handle, Intersecting, PollError, Quadtree, Rect, Watch};

use quadrille_support::oracle::Relation;
use quadrille_support::properties::for_all;
use quadrille_support::questions::{Question, Region, region};
use quadrille_support::run::Run;
use quadrille_support::scene::scenes;
use quadrille_support::step::{Step, insert, settings, step};
use quadrille_support::{Real, in_spaces};

in_spaces!(beside_lists);

/// An event in the life of a watch.
#[derive(Clone, Debug)]
enum Act {
    Change(Step),
    Region(Region),
    Poll,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => step().prop_map(Act::Change),
        1 => region().prop_map(Act::Region),
        3 => Just(Act::Poll),
    ]
}

/// A watch beside a list of what was inside.
struct Watched<S, const D: usize> {
    watch: Watch<Intersecting, S, D>,
    question: Question<S, D>,
    inside: Vec<Handle>,
}

impl<S: Real, const D: usize> Watched<S, D> {
    fn poll(&mut self, run: &Run<S, D>) {
        let Question { region, asked, excluded } = &self.question;
        let now = run.model.answer(Relation::Intersecting, region, asked, *excluded);
        let without = |these: &[Handle], others: &[Handle]| -> Vec<Handle> {
            these.iter().copied().filter(|handle| !others.contains(handle)).collect()
        };
        let changes = self.watch.poll(&run.index).expect("the same index");
        assert_eq!(changes.entered, without(&now, &self.inside), "entered {region:?}");
        assert_eq!(changes.left, without(&self.inside, &now), "left {region:?}");
        assert_eq!(self.watch.inside(), now);
        self.inside = now;
    }
}

/// Each change is reported once, whatever caused it.
fn beside_lists<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    let strategy = (
        0..scenes.len(),
        prop::collection::vec((any::<bool>(), settings()), 0..3),
        prop::collection::vec(insert(), 0..100),
        (region(), any::<u8>(), any::<bool>(), prop::option::weighted(0.3, any::<u16>()), 0_usize..10),
        prop::collection::vec(act(), 1..60),
    );
    for_all(64, strategy, |(scene, layers, inserts, (region, asked, all_but_these, excluded, taken), acts)| {
        let mut run = Run::<S, D>::with_layers(&scenes[scene], layers, &inserts);
        let question = run.question(&region, asked, all_but_these, excluded);
        let mut query = question.narrow(run.index.intersecting(question.region.rect()));
        // The watch begins anew, whatever the query has yielded.
        query.by_ref().take(taken).for_each(drop);
        let mut watched = Watched { watch: query.watch(), question, inside: Vec::new() };
        for act in &acts {
            match act {
                Act::Change(step) => run.take(step),
                Act::Region(region) => {
                    watched.question.region = region.span(&run.index.world());
                    watched.watch.set_region(watched.question.region.rect());
                }
                Act::Poll => watched.poll(&run),
            }
        }
        watched.poll(&run);
        watched.poll(&run);
        assert_eq!(watched.watch.clone().inside(), watched.inside);
    });
}

/// An index of one layer, and two objects in it.
fn two() -> (Quadtree<&'static str>, [Handle; 2]) {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let units = index.add_point_layer().unwrap();
    let objects = [([5.0, 5.0], "scout"), ([8.0, 8.0], "guard")];
    let handles = objects.map(|(place, value)| index.insert(units, place, value).unwrap());
    (index, handles)
}

#[test]
fn another_index_is_an_error_and_changes_nothing() {
    let (index, handles) = two();
    let (other, _) = two();
    let mut watch = index.iter().watch();
    assert_eq!(watch.poll(&index).unwrap().entered, handles);
    assert_eq!(watch.poll(&other), Err(PollError::OtherIndex));
    assert_eq!(PollError::OtherIndex.to_string(), "the watch is of another index");
    assert_eq!(watch.inside(), handles);
    assert!(watch.poll(&index).unwrap().entered.is_empty());
    assert!(watch.poll(&index.clone()).unwrap().left.is_empty(), "a clone is the same index");
}

#[test]
fn an_object_in_the_slot_of_another_is_another() {
    let (mut index, [scout, guard]) = two();
    let units = index.layer(scout).unwrap();
    let mut watch = index.within_distance([5.0, 5.0], 2.0).in_layers(units).watch();
    assert_eq!(watch.poll(&index).unwrap().entered, [scout]);
    index.remove(scout);
    index.move_to(guard, [5.0, 6.0]).unwrap();
    let changes = watch.poll(&index).unwrap();
    assert_eq!((changes.entered, changes.left), (&[guard][..], &[scout][..]));
    watch.set_region(Ball::new([50.0, 50.0], f32::NAN));
    assert_eq!(watch.poll(&index).unwrap().left, [guard]);
}

#[test]
fn clearing_and_another_world_are_changes_like_others() {
    let (mut index, handles) = two();
    let mut watch = index.containing([5.0, 5.0]).watch();
    assert_eq!(watch.poll(&index).unwrap().entered, &handles[..1]);
    index.set_world(Rect::new([0.0, 0.0], [7.0, 7.0])).unwrap();
    assert!(watch.poll(&index).unwrap().left.is_empty());
    index.clear();
    assert_eq!(watch.poll(&index).unwrap().left, &handles[..1]);
}

#[test]
fn a_watch_is_plain_data() {
    fn plain<W: Send + Sync + Clone + core::fmt::Debug + 'static>(_: &W) {}
    let (index, _) = two();
    let mut watch = index.iter().watch();
    plain(&watch);
    watch.poll(&index).unwrap();
    let shown = format!("{watch:?}");
    assert!(shown.starts_with("Watch { predicate: Near") && shown.contains("inside: 2"), "{shown}");
    assert_eq!(watch.region(), &Rect::everything());
}
