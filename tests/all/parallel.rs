//! Pairs, joins and regions by several threads: the same as by one, in the same order.

use std::thread;
use std::time::Duration;

use quadrille::{Handle, Layer, LayerSettings, Points, Quadtree, Rect, SearchBuffer};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use quadrille_support::couples::{Couple, Scattered, names};
use quadrille_support::oracle::Span;
use quadrille_support::run::Run;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(the_same_in_the_same_order, regions_in_the_same_order);

/// Pairs, those of some, and joins; from the start, and when they have begun.
fn the_same_in_the_same_order<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let mut dice = Dice::new(41);
    for (number, objects) in [400, 900, 30, 300].into_iter().enumerate() {
        let layer = scattered.add_layer(number % 2 == 1);
        for _ in 0..objects {
            let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 256.0).floor() / 4.0));
            let max = min.map(|min: S| S::of(min.value() + (dice.fraction() * 8.0).floor() / 4.0));
            scattered.insert(layer, Span { min, max });
        }
    }
    // So many outside the world that they are sorted.
    for _ in 0..800 {
        let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 256.0).floor() / 4.0 + 1000.0));
        let max = min.map(|min: S| S::of(min.value() + (dice.fraction() * 8.0).floor() / 4.0));
        scattered.insert(scattered.layers[1], Span { min, max });
    }
    let (index, first) = (&scattered.index, scattered.layers[0].id());
    let some: Vec<Handle> = scattered.objects.iter().step_by(3).map(|known| known.handle).collect();
    for distance in [0.0, 1.0] {
        macro_rules! same {
            ($pairs:expr) => {{
                let pairs = $pairs.within(S::of(distance));
                let all: Vec<Couple> = pairs.clone().map(names).collect();
                assert!(!all.is_empty());
                for taken in [0, 1, all.len() / 2, all.len()] {
                    let mut begun = pairs.clone();
                    assert_eq!(begun.by_ref().take(taken).count(), taken);
                    let rest: Vec<Couple> = begun.clone().into_par_iter().map(names).collect();
                    assert_eq!(rest, all[taken..], "after {taken}");
                    assert_eq!(begun.into_par_iter().count(), rest.len());
                }
            }};
        }
        same!(index.pairs());
        same!(index.pairs().between(!first, first));
        same!(index.pairs_of(&some));
        same!(index.join(index));
    }
}

/// Region queries: all objects, a part, a ball; from the start, when they have begun, and without one object.
fn regions_in_the_same_order<S: Real, const D: usize>() {
    let mut run = Run::<S, D>::new(&roomy_scenes::<S>()[0]);
    let mut dice = Dice::new(43);
    for number in 0..3000 {
        let far = if number % 5 == 0 { 1000.0 } else { 0.0 };
        let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 256.0).floor() / 4.0 + far));
        let max = min.map(|min: S| S::of(min.value() + (dice.fraction() * 8.0).floor() / 4.0));
        run.insert_rect(Span { min, max });
    }
    run.insert_rect(Span::cube(S::of(10.0), S::of(30.0)));
    let index = &run.index;
    let half = Rect::new([S::of(10.0); D], [S::of(40.0); D]);
    macro_rules! same {
        ($query:expr) => {{
            let query = $query;
            let all: Vec<Handle> = query.clone().map(|object| object.handle()).collect();
            assert!(!all.is_empty());
            for taken in [0, 1, all.len() / 2, all.len()] {
                let mut begun = query.clone();
                assert_eq!(begun.by_ref().take(taken).count(), taken);
                let rest: Vec<Handle> = begun.clone().into_par_iter().map(|object| object.handle()).collect();
                assert_eq!(rest, all[taken..], "after {taken}");
                if let Some(&last) = rest.last() {
                    let without: Vec<Handle> =
                        begun.excluding(last).into_par_iter().map(|object| object.handle()).collect();
                    assert_eq!(without, rest[..rest.len() - 1]);
                }
            }
            let parallel = query.into_par_iter();
            assert!(format!("{parallel:?}").starts_with("Par(Query { predicate: "), "{parallel:?}");
            let first = parallel.find_first(|_| true).map(|object| object.handle());
            assert_eq!(first, all.first().copied());
        }};
    }
    same!(index.iter());
    same!(index.intersecting(half));
    same!(index.contained_in(half));
    same!(index.containing([S::of(20.0); D]));
    same!(index.near(half));
    same!(index.within_distance([S::of(20.0); D], S::of(15.0)));
}

/// Many questions: the answers come in the order of the questions.
#[test]
fn answers_in_the_order_of_questions() {
    let mut run = Run::<f32, 2>::new(&roomy_scenes::<f32>()[0]);
    let mut dice = Dice::new(44);
    let mut point = || -> [f32; 2] { core::array::from_fn(|_| f32::of(dice.fraction() * 64.0)) };
    for _ in 0..2000 {
        run.insert_rect(Span::at(point()));
    }
    let (index, questions): (_, Vec<[f32; 2]>) = (&run.index, (0..500).map(|_| point()).collect());
    let nearest = |buffer: &mut SearchBuffer, at: [f32; 2]| -> Vec<Handle> {
        index.nearest(at).reusing(buffer).take(5).map(|near| near.object.handle()).collect()
    };
    let inside = |at: [f32; 2]| -> Vec<Handle> {
        index.intersecting(Rect::from_center_half(at, [2.0, 2.0])).map(|object| object.handle()).collect()
    };
    let mut buffer = SearchBuffer::new();
    let expected: Vec<_> = questions.iter().map(|&at| (nearest(&mut buffer, at), inside(at))).collect();
    let answers: Vec<_> =
        questions.par_iter().map_init(SearchBuffer::new, |buffer, &at| (nearest(buffer, at), inside(at))).collect();
    assert_eq!(answers, expected);
}

/// Points in many buckets, with their values.
fn crowd() -> (Quadtree<f32>, Layer<Points>) {
    let (mut dice, mut index) = (Dice::new(47), Quadtree::new(Rect::new([0.0; 2], [64.0; 2])).expect("a world"));
    let layer = index.add_point_layer_with(LayerSettings::new().split_above(4)).expect("few layers");
    let mut fraction = || f32::of(dice.fraction());
    index.insert_batch(layer, (0..3000).map(|_| ([fraction() * 64.0, fraction() * 64.0], fraction()))).expect("finite");
    (index, layer)
}

/// The work that one thread has begun does not pile up on its stack, however often it must wait for others: 64 KiB are enough.
#[test]
fn a_small_stack_is_enough() {
    let (mut index, layer) = crowd();
    let pool = ThreadPoolBuilder::new().num_threads(8).stack_size(64 << 10).build().expect("a few threads");
    // Some are slow, so that others take over their work.
    let wait = |at: Rect<f32>| {
        if at.min()[0].to_bits() % 64 == 0 {
            thread::sleep(Duration::from_micros(u64::from(at.min()[1].to_bits() % 256)));
        }
    };
    let at: Vec<[f32; 2]> = index.iter().map(|object| object.shape().min()).collect();
    pool.install(|| {
        for _ in 0..3 {
            let told = index.neighbors().within(1.0).par_map(|object, others| {
                wait(object.shape);
                others.len()
            });
            assert_eq!(told.collect::<Vec<_>>().len(), 3000);
            let told =
                index.neighbors_at(at.clone()).within(1.0).par_map(|number, _| wait(Rect::from_point(at[number])));
            assert_eq!(told.count(), 3000);
            let pairs = index.pairs().within(1.0).into_par_iter();
            assert!(pairs.inspect(|(object, _)| wait(object.shape())).count() > 1000);
            let joined = index.join(&index).within(0.5).into_par_iter();
            assert!(joined.inspect(|(object, _)| wait(object.shape())).count() > 3000);
            index.iter().into_par_iter().for_each(|object| wait(object.shape()));
            let moved = index.par_update(layer, |_, _, at| {
                wait(at);
                at.min().map(|end| 64.0 - end)
            });
            assert!(moved.expect("a layer").refused.is_empty());
        }
    });
}

/// How work is divided depends on the objects alone, so sums of floats are the same to the last bit.
#[test]
fn sums_do_not_depend_on_the_number_of_threads() {
    let (index, _) = crowd();
    let sums = [1, 2, 8].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads");
        pool.install(|| {
            let pairs = index.pairs().within(1.0).into_par_iter().map(|(a, b)| a.value() * b.value()).sum::<f32>();
            let around =
                index.neighbors().within(1.0).par_map(|_, others| others.map(|other| *other.value).sum::<f32>());
            let all = index.iter().into_par_iter().map(|object| *object.value());
            let folded = all.fold(|| 0.0, |sum: f32, value| sum + value.sqrt()).reduce(|| 0.0, |a, b| a + b);
            [pairs, around.sum::<f32>(), folded].map(f32::to_bits)
        })
    });
    assert!(sums.iter().all(|of_pool| *of_pool == sums[0]), "{sums:?}");
}
