//! Watches: what has entered and left between two polls, beside lists that are compared.

use proptest::prelude::*;
use quadrille::{Ball, Handle, PollError, Quadtree, Rect, Watch};

use quadrille_support::oracle::Relation;
use quadrille_support::properties::for_all;
use quadrille_support::questions::{Question, Region, region};
use quadrille_support::run::Run;
use quadrille_support::scene::scenes;
use quadrille_support::step::{Step, insert, settings, step};
use quadrille_support::told::{Poll, Told, poll};
use quadrille_support::{Real, in_spaces};

in_spaces!(beside_lists);

/// An event in the life of a watch.
#[derive(Clone, Debug)]
enum Act {
    Change(Step),
    Region(Region),
    Poll(Poll),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => step().prop_map(Act::Change),
        1 => region().prop_map(Act::Region),
        3 => poll().prop_map(Act::Poll),
    ]
}

/// A watch beside a list of what was inside.
struct Watched<S, const D: usize> {
    watch: Watch,
    question: Question<S, D>,
    /// The answers are passed through it.
    filter: fn(Handle) -> bool,
    inside: Vec<Handle>,
    told: Told<S, D>,
    /// Whether it has been told of all that changed since a whole poll about the same region.
    is_whole: bool,
}

impl<S: Real, const D: usize> Watched<S, D> {
    fn poll(&mut self, run: &Run<S, D>, poll: Poll) {
        let Question { region, asked, excluded } = &self.question;
        let mut now = run.model.answer(Relation::Intersecting, region, asked, *excluded);
        now.retain(|&handle| (self.filter)(handle));
        let named = self.told.of(run, poll);
        if let Some(named) = &named {
            let all = now.clone();
            now.retain(|handle| named.contains(handle));
            now.extend(self.inside.iter().filter(|handle| !named.contains(handle)));
            now.sort();
            self.is_whole &= poll == Poll::Moved;
            assert!(now == all || !self.is_whole, "told of all that changed");
        } else {
            self.is_whole = true;
        }
        let without = |these: &[Handle], others: &[Handle]| -> Vec<Handle> {
            these.iter().copied().filter(|handle| !others.contains(handle)).collect()
        };
        let changes = if let Some(named) = &named {
            let there = named.iter().filter_map(|&handle| run.index.object(handle)).filter(|object| {
                let (rect, handle) = (region.rect(), object.handle());
                let is_asked = asked.holds(object.layer()) && Some(handle) != *excluded;
                is_asked && rect.intersects(&object.shape()) && (self.filter)(handle)
            });
            self.watch.poll_moved(named, there)
        } else {
            let query = self.question.narrow(run.index.intersecting(region.rect()));
            self.watch.poll(query.filter(|object| (self.filter)(object.handle())))
        };
        let changes = changes.expect("the same index");
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
        (region(), any::<u8>(), any::<bool>(), prop::option::weighted(0.3, any::<u16>()), any::<bool>()),
        prop::collection::vec(act(), 1..60),
    );
    for_all(64, strategy, |(scene, layers, inserts, (region, asked, all_but_these, excluded, filtered), acts)| {
        let mut run = Run::<S, D>::with_layers(&scenes[scene], layers, &inserts);
        let question = run.question(&region, asked, all_but_these, excluded);
        let filter: fn(Handle) -> bool = if filtered { |handle| handle.to_bits() % 3 != 0 } else { |_| true };
        let (watch, inside, told) = (Watch::new(), Vec::new(), Told::nothing());
        let mut watched = Watched { watch, question, filter, inside, told, is_whole: true };
        for act in &acts {
            match act {
                Act::Change(step) => run.take(step),
                Act::Region(region) => {
                    watched.question.region = region.span(&run.index.world());
                    watched.is_whole = false;
                }
                Act::Poll(poll) => watched.poll(&run, *poll),
            }
        }
        watched.poll(&run, Poll::Whole);
        watched.poll(&run, Poll::Moved);
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
    let mut watch = Watch::new();
    assert_eq!(watch.poll(index.iter()).unwrap().entered, handles);
    assert_eq!(watch.poll(other.iter()), Err(PollError::OtherIndex));
    assert_eq!(PollError::OtherIndex.to_string(), "the watch is of another index");
    assert_eq!(watch.inside(), handles);
    assert!(watch.poll(index.iter()).unwrap().entered.is_empty());
    assert!(watch.poll(index.clone().iter()).unwrap().left.is_empty(), "a clone is the same index");
    // Nor do the objects of two indexes come into one list.
    assert_eq!(watch.poll(index.iter().chain(&other)), Err(PollError::OtherIndex));
    assert_eq!(Watch::new().poll(other.iter().chain(&index)), Err(PollError::OtherIndex));
    assert_eq!(watch.inside(), handles);
    // It stays with its index when nothing is inside.
    assert_eq!(watch.poll(other.iter().take(0)).unwrap().left, handles);
    assert_eq!(watch.poll(other.iter()), Err(PollError::OtherIndex));
    assert_eq!(watch.poll(index.iter()).unwrap().entered, handles);
}

#[test]
fn an_object_in_the_slot_of_another_is_another() {
    let (mut index, [scout, guard]) = two();
    let units = index.layer(scout).unwrap();
    let mut watch = Watch::default();
    let near = |at: [f32; 2], distance| Ball::new(at, distance);
    assert_eq!(watch.poll(index.intersecting(near([5.0, 5.0], 2.0)).in_layers(units)).unwrap().entered, [scout]);
    index.remove(scout);
    index.move_to(guard, [5.0, 6.0]).unwrap();
    let changes = watch.poll(index.intersecting(near([5.0, 5.0], 2.0)).in_layers(units)).unwrap();
    assert_eq!((changes.entered, changes.left), (&[guard][..], &[scout][..]));
    assert_eq!(watch.poll(index.intersecting(near([50.0, 50.0], f32::NAN))).unwrap().left, [guard]);
}

#[test]
fn clearing_and_another_world_are_changes_like_others() {
    let (mut index, handles) = two();
    let mut watch = Watch::new();
    assert_eq!(watch.poll(index.containing([5.0, 5.0])).unwrap().entered, &handles[..1]);
    index.set_world(Rect::new([0.0, 0.0], [7.0, 7.0])).unwrap();
    assert!(watch.poll(index.containing([5.0, 5.0])).unwrap().left.is_empty());
    index.clear();
    assert_eq!(watch.poll(index.containing([5.0, 5.0])).unwrap().left, &handles[..1]);
}

/// Two views of one player: who is in both is inside once.
#[test]
fn an_object_that_comes_twice_is_inside_once() {
    let (index, [scout, guard]) = two();
    let mut watch = Watch::new();
    let views = |y: f32| {
        let views = [Rect::new([0.0, 0.0], [6.0, y]), Rect::new([0.0, 0.0], [9.0, y])];
        views.into_iter().flat_map(|view| index.intersecting(view))
    };
    assert_eq!(watch.poll(views(9.0)).unwrap().entered, [scout, guard]);
    assert_eq!(watch.poll(views(9.0)).unwrap().entered, []);
    assert_eq!(watch.poll(views(6.0)).unwrap().left, [guard]);
    assert_eq!(watch.inside(), [scout]);
}

#[test]
fn a_watch_is_plain_data() {
    fn plain<W: Send + Sync + Clone + Default + core::fmt::Debug + 'static>(_: &W) {}
    let (index, _) = two();
    let mut watch = Watch::new();
    plain(&watch);
    watch.poll(index.iter()).unwrap();
    assert_eq!(format!("{watch:?}"), "Watch { inside: 2, .. }");
}
