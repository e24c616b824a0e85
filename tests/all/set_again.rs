//! Settings of a query that are made again, or when it has begun.

use core::array;

use quadrille::{Periodic, Ray, Rect, SpatialIndex};

use quadrille_support::{Index, Real, in_spaces};

in_spaces!(limits_again, worlds_that_wrap_around_later);

/// A point with one coordinate on the first axis.
fn at<S: Real, const D: usize>(first: f64) -> [S; D] {
    array::from_fn(|axis| S::of(if axis == 0 { first } else { 50.0 }))
}

/// A hundred points in a row.
fn row<S: Real, const D: usize>() -> Index<S, D> {
    let mut index = SpatialIndex::new(Rect::new([S::of(0.0); D], [S::of(100.0); D])).expect("a world");
    let points = index.add_point_layer().expect("a layer");
    index.insert_batch(points, (0..100_u32).map(|n| (at(f64::from(n)), n))).expect("finite");
    index
}

fn limits_again<S: Real, const D: usize>() {
    let index = row::<S, D>();
    let first = |floors: [f64; 2]| {
        let [one, other] = floors.map(S::of);
        index.nearest(at(0.0)).beyond(one).beyond(other).next().map(|near| *near.object.value())
    };
    assert_eq!([first([5.0, 3.0]), first([3.0, 5.0]), first([3.0, -1.0])], [Some(5), Some(5), Some(3)]);
    // A floor below what was yielded changes nothing.
    let mut begun = index.nearest(at(0.0));
    assert_eq!(begun.by_ref().take(10).count(), 10);
    assert_eq!(begun.beyond(S::of(4.0)).next().map(|near| *near.object.value()), Some(10));
    assert_eq!(index.nearest(at(0.0)).take_with_ties(0).count(), 0);
    let tied = index.nearest(at(50.0)).take_with_ties(8).take_with_ties(2);
    assert_eq!(tied.map(|near| *near.object.value()).collect::<Vec<_>>(), [50, 49, 51]);
}

fn worlds_that_wrap_around_later<S: Real, const D: usize>() {
    let index = row::<S, D>();
    let torus = Periodic::new(Rect::new([S::of(0.0); D], [S::of(100.0); D])).expect("a torus");
    // After the first results all begin again.
    let mut near = index.nearest(at(98.0));
    assert_eq!(near.by_ref().take(5).count(), 5);
    assert_eq!(near.periodic(&torus).take(5).map(|near| *near.object.value()).collect::<Vec<_>>(), [98, 97, 99, 0, 96]);
    let ray = |first| Ray::new(at(first), array::from_fn(|axis| S::of(f64::from(u8::from(axis == 0)))));
    for first in [95.0, 195.0] {
        let mut hits = index.raycast(ray(first));
        hits.next();
        let found = hits.periodic(&torus).take(7).map(|hit| (*hit.object.value(), hit.t.value()));
        let expected = [95, 96, 97, 98, 99, 0, 1].into_iter().zip([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(found.eq(expected), "{first}");
    }
    let window = Rect::new(at::<S, D>(97.0), at(102.0));
    for taken in [0, 1, 3] {
        let mut met = index.intersecting(window);
        assert_eq!(met.by_ref().take(taken).count(), taken);
        let mut found: Vec<_> = met.periodic(&torus).map(|object| *object.value()).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2, 97, 98, 99]);
    }
}
