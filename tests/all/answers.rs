//! Batches of questions: each answer is that of the single query, whatever the order in which they are asked.

use quadrille::{Answers, Handle, Rect, SearchBuffer};

use quadrille_support::stage::{SIDE, Stage};
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(answers_are_those_of_single_queries, memory_is_used_again, many_and_none, a_panic_leaves_whole_answers);

/// Boxes on a lattice, some outside the world, and some that no query finds ordinary.
fn regions<S: Real, const D: usize>() -> Vec<Rect<S, D>> {
    let mut dice = Dice::new(3);
    let mut regions: Vec<_> = (0..200)
        .map(|_| {
            let min: [f64; D] = core::array::from_fn(|_| (dice.fraction() * 90.0).floor() - 10.0);
            let side = f64::from(dice.below(4) as u32 * 4);
            Rect::new(min.map(S::of), min.map(|min| S::of(min + side)))
        })
        .collect();
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
        regions.push(Rect::new([S::of(odd); D], [S::of(1.0); D]));
        regions.push(Rect::from_point([S::of(odd); D]));
    }
    regions.push(Rect::everything());
    regions
}

fn answers_are_those_of_single_queries<S: Real, const D: usize>() {
    let stage = Stage::<S, D>::new(600, 7);
    let (index, regions) = (&stage.index, regions::<S, D>());
    let asked = stage.layers[0].id() | stage.layers[1].id();
    macro_rules! compare {
        ($($method:ident),+) => {$({
            let found: Answers<Handle> = index.query_batch(regions.iter().copied(), |region, answer| {
                let query = index.$method(*region).in_layers(asked).excluding(stage.handles[answer.number()]);
                answer.extend(query.map(|object| object.handle()));
            });
            assert_eq!((found.len(), found.offsets.len()), (regions.len(), regions.len() + 1));
            for (number, region) in regions.iter().enumerate() {
                let single = index.$method(*region).in_layers(asked).excluding(stage.handles[number]);
                let single: Vec<_> = single.map(|object| object.handle()).collect();
                assert_eq!(found.get(number), Some(&single[..]), "{} {region:?}", stringify!($method));
            }
            assert!(found.iter().flatten().eq(&found.items) && !found.items.is_empty());
            assert_eq!((found.get(regions.len()), found.get(usize::MAX)), (None, None));
        })+};
    }
    compare!(intersecting, contained_in, containing, near);
    let mut buffer = SearchBuffer::new();
    for k in [1, 10] {
        let nearest: Answers<(Handle, S)> = index.query_batch(regions.iter().copied(), |region, answer| {
            let nearest = index.nearest(*region).in_layers(asked).within(S::of(9.0)).reusing(&mut buffer);
            answer.extend(nearest.take(k).map(|near| (near.object.handle(), near.distance_squared)));
        });
        for (region, found) in regions.iter().zip(nearest.iter()) {
            let single = index.nearest(*region).in_layers(asked).within(S::of(9.0)).take(k);
            let single: Vec<_> = single.map(|near| (near.object.handle(), near.distance_squared)).collect();
            assert_eq!(found, single, "{region:?}");
        }
    }
}

fn memory_is_used_again<S: Real, const D: usize>() {
    let stage = Stage::<S, D>::new(200, 5);
    let regions = regions::<S, D>();
    let mut found = Answers::<Handle>::new();
    assert_eq!((found.offsets.len(), found.is_empty()), (1, true));
    let mut fill = |regions: &[Rect<S, D>]| {
        found.fill(&stage.index, regions.iter().copied(), |region, answer| {
            answer.extend(stage.index.intersecting(*region).map(|object| object.handle()));
        });
        (found.len(), found.items.len(), found.offsets.as_ptr(), found.items.as_ptr())
    };
    let (all, some, again) = (fill(&regions), fill(&regions[..9]), fill(&regions));
    assert_eq!(all, again);
    assert_eq!((some.0, some.2, some.3), (9, all.2, all.3));
}

/// More questions than are sorted together, each asked once; and none.
fn many_and_none<S: Real, const D: usize>() {
    let stage = Stage::<S, D>::new(20, 5);
    let place = |number: usize| [S::of(f64::from((number * 37 % 101) as u32) * SIDE / 101.0); D];
    let mut asked = 0;
    let found = stage.index.query_batch((0..40_000).map(place), |at, answer| {
        asked += 1;
        assert_eq!(at.min(), place(answer.number()));
        answer.extend((0..answer.number() % 3).map(|part| answer.number() * 3 + part).collect::<Vec<_>>());
    });
    assert_eq!(asked, 40_000);
    let expected: Vec<_> = (0..40_000).flat_map(|number| (0..number % 3).map(move |part| number * 3 + part)).collect();
    assert_eq!((found.len(), &found.items), (40_000, &expected));
    assert_eq!(found.iter().next_back(), found.get(39_999));
    let none = stage.index.query_batch(Vec::<[S; D]>::new(), |_, answer| answer.extend([1]));
    assert_eq!((none.offsets.as_slice(), none.items.len(), none.iter().len()), (&[0][..], 0, 0));
}

/// Also where a caller has spoilt the lists.
fn a_panic_leaves_whole_answers<S: Real, const D: usize>() {
    let stage = Stage::<S, D>::new(20, 5);
    let mut found = Answers::<usize>::new();
    for last in [0, 5, 20_000] {
        let fill = || {
            found.fill(&stage.index, (0..30_000).map(|_| [S::of(1.0); D]), |_, answer| {
                assert!(answer.number() != last, "enough");
                answer.extend([answer.number()]);
            });
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(fill)).is_err());
        assert_eq!(found.len(), last);
        assert!(found.iter().flatten().copied().eq(0..last));
    }
    found.items.truncate(1);
    assert_eq!((found.get(0), found.get(7)), (Some(&[0][..]), None));
    assert_eq!(found.iter().map(<[usize]>::len).sum::<usize>(), 1);
    found.offsets.reverse();
    assert!(found.get(0).is_none() && found.iter().all(<[usize]>::is_empty));
}
