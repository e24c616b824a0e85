//! The ordered queries against a linear list that is sorted: random objects, every answer drained, in exact order.

mod support;

use proptest::prelude::*;
use quadrille::{Handle, LayerSet, Nearest, SearchBuffer};

use support::asking::{Region, region, set_of};
use support::oracle::{Asked, Known, Span};
use support::order::{Distance, squared};
use support::properties::for_all;
use support::run::Run;
use support::scene::{Scene, scenes, side_of};
use support::spot::{Spot, awkward, outline};
use support::step::{Step, settings, steps};
use support::{Real, all_spaces};

all_spaces!(nearest_of_changed, nearest_of_many);

/// Which objects a question is about, and who is left out.
#[derive(Clone, Debug)]
struct Filter {
    layers: u8,
    all_but_these: bool,
    excluded: Option<u16>,
    /// How many objects are taken before the filter is set, if not all are asked at once.
    taken: u8,
}

fn filter() -> impl Strategy<Value = Filter> {
    (any::<u8>(), prop::bool::weighted(0.8), prop::option::weighted(0.4, any::<u16>()), 0_u8..40)
        .prop_map(|(layers, all_but_these, excluded, taken)| Filter { layers, all_but_these, excluded, taken })
}

impl Filter {
    fn excluded<S: Real, const D: usize>(&self, run: &Run<S, D>) -> Option<Handle> {
        let objects = &run.model.objects;
        self.excluded.and_then(|pick| usize::from(pick).checked_rem(objects.len())).map(|place| objects[place].handle)
    }

    fn asked<S: Real, const D: usize>(&self, run: &Run<S, D>) -> Asked {
        let layers = run.index.layers().enumerate().filter(|(place, _)| self.layers >> (place % 8) & 1 == 1);
        let layers = if self.layers & 0xC0 == 0 { layers.map(|(_, layer)| layer).collect() } else { Vec::new() };
        Asked { layers, all_but_these: self.all_but_these }
    }
}

/// A question for what is nearest.
#[derive(Clone, Debug)]
struct Near {
    target: Region,
    within: Option<Spot>,
    beyond: Option<Spot>,
    filter: Filter,
}

fn near() -> impl Strategy<Value = Near> {
    let length = || prop::option::weighted(0.3, awkward());
    (region(), length(), length(), filter()).prop_map(|(target, within, beyond, filter)| Near {
        target,
        within,
        beyond,
        filter,
    })
}

/// The objects, and then changes of all sorts.
fn run_of<S: Real, const D: usize>(scene: &Scene<S>, steps: &[Step]) -> Run<S, D> {
    let mut run = Run::new(scene);
    steps.iter().for_each(|step| run.take(step));
    run
}

/// After random changes.
fn nearest_of_changed<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    let strategy = (0..scenes.len(), steps(), prop::collection::vec(near(), 1..6));
    for_all(48, strategy, |(scene, steps, questions)| {
        let run = run_of::<S, D>(&scenes[scene], &steps);
        questions.iter().for_each(|question| ask_nearest(&run, question));
    });
}

/// Among many objects, in layers of all settings.
fn nearest_of_many<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    for_all(48, (0..scenes.len(), many(), prop::collection::vec(near(), 1..8)), |(scene, steps, questions)| {
        let run = run_of::<S, D>(&scenes[scene], &steps);
        questions.iter().for_each(|question| ask_nearest(&run, question));
    });
}

fn many() -> impl Strategy<Value = Vec<Step>> {
    let layer = (any::<bool>(), settings()).prop_map(|(rects, settings)| Step::AddLayer { rects, settings });
    let insert = prop_oneof![
        12 => (any::<u8>(), outline()).prop_map(|(layer, outline)| Step::Insert { layer, outline }),
        1 => (any::<u8>(), outline(), 1_u8..80)
            .prop_map(|(layer, outline, count)| Step::Crowd { layer, outline, count }),
    ];
    (prop::collection::vec(layer, 1..5), prop::collection::vec(insert, 1..200)).prop_map(|(layers, inserts)| {
        let mut steps = layers;
        steps.extend(inserts);
        steps
    })
}

/// The answer by sorting everything.
fn nearest_by_list<S: Real, const D: usize>(
    run: &Run<S, D>,
    target: &Span<S, D>,
    pass: impl Fn(&Known<S, D>, Distance) -> bool,
) -> Vec<(Handle, S)> {
    let mut ranked: Vec<_> = run
        .model
        .objects
        .iter()
        .map(|known| (Distance::between(target, &known.span), known))
        .filter(|(distance, known)| pass(known, *distance))
        .map(|(distance, known)| (distance, known.handle))
        .collect();
    ranked.sort_by(|a, b| a.0.compare(b.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().map(|(distance, handle)| (handle, squared(distance))).collect()
}

fn drain<S: Real, const D: usize>(query: Nearest<'_, '_, u32, S, D>) -> Vec<(Handle, S)> {
    query.map(|neighbor| (neighbor.object.handle(), neighbor.distance_squared)).collect()
}

fn ask_nearest<S: Real, const D: usize>(run: &Run<S, D>, question: &Near) {
    let index = &run.index;
    let target = question.target.span(&index.world());
    let is_nowhere = (0..D).any(|axis| target.min[axis].value().is_nan() || target.max[axis].value().is_nan());
    let length = |spot: Option<Spot>| spot.map(|spot| spot.resolve(S::of(0.0), side_of(&index.world())));
    let (within, beyond) = (length(question.within), length(question.beyond));
    let (asked, excluded) = (question.filter.asked(run), question.filter.excluded(run));
    let is_so_far = |distance: Distance| {
        within.is_none_or(|most| 0.0 <= most.value() && distance.compare(Distance::of(most)).is_le())
            && beyond.is_none_or(|least| least.value() < 0.0 || distance.compare(Distance::of(least)).is_ge())
    };
    let plain = |_: &Known<S, D>, distance| !is_nowhere && is_so_far(distance);
    let filtered = |known: &Known<S, D>, _: Distance| asked.holds(known.layer) && Some(known.handle) != excluded;

    let mut query = index.nearest(target.rect());
    query = if let Some(within) = within { query.within(within) } else { query };
    query = if let Some(beyond) = beyond { query.beyond(beyond) } else { query };
    let all = nearest_by_list(run, &target, plain);
    let layers = set_of(&asked);
    macro_rules! narrow {
        ($query:expr) => {
            match excluded {
                Some(excluded) => $query.in_layers(layers).excluding(excluded),
                None => $query.in_layers(layers),
            }
        };
    }
    let expected = nearest_by_list(run, &target, |known, distance| plain(known, distance) && filtered(known, distance));
    assert_eq!(drain(query.clone()), all, "{question:?}");
    assert_eq!(drain(narrow!(query.clone())), expected, "filtered: {question:?}");
    assert_eq!(query.clone().exists(), !all.is_empty());
    let mut buffer = SearchBuffer::new();
    for _ in 0..2 {
        assert_eq!(drain(query.clone().reusing(&mut buffer)), all, "with a buffer: {question:?}");
        // Left half full for the next one.
        assert!(query.clone().reusing(&mut buffer).take(2).count() <= 2);
    }
    // Filters on the way; a clone goes on from where it was taken.
    let taken = usize::from(question.filter.taken).min(all.len());
    let mut begun = query.clone();
    assert_eq!(begun.by_ref().take(taken).count(), taken);
    assert_eq!(drain(begun.clone()), all[taken..], "after {taken} of {question:?}");
    let passes = |handle: &Handle| {
        let known = run.model.find(*handle).expect("a known object");
        asked.holds(known.layer) && Some(*handle) != excluded
    };
    let rest: Vec<_> = all[taken..].iter().filter(|(handle, _)| passes(handle)).copied().collect();
    assert_eq!(drain(narrow!(begun.clone())), rest, "filtered after {taken} of {question:?}");
    let mut none = begun.in_layers(LayerSet::NONE);
    assert!(none.next().is_none() && none.next().is_none());
}
