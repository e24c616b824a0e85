//! `blocking` of casts at its edges: touching, overlapping, corners, walls without thickness, strange skins.

use quadrille::{Rect, SearchBuffer};

use quadrille_support::{Index, Real, in_spaces};

use super::ordered_edges::{along, at, layered, rect, thrown};

in_spaces!(
    what_blocks,
    what_is_touched_blocks_who_goes_in,
    overlapping_at_the_start,
    blocked_at_corners,
    walls_without_thickness,
    strange_skins,
    a_skin_on_the_way,
);

/// The objects that block a motion with a skin, and when.
fn blocks<S: Real, const D: usize>(
    index: &Index<S, D>,
    from: Rect<S, D>,
    motion: [S; D],
    skin: f64,
) -> Vec<(u32, f64, [S; D])> {
    let hits = index.cast(from, motion).blocking(S::of(skin));
    hits.map(|hit| (*hit.object.value(), hit.t.value(), hit.normal())).collect()
}

fn what_blocks<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    index.insert(rects, rect(at(20.0, 10.0), at(22.0, 30.0)), 1).expect("finite");
    let from = rect(at(8.0, 8.0), at(10.0, 12.0));
    let left = along(0, -1.0);
    assert_eq!(blocks(&index, from, at(16.0, 0.0), 0.0), [(1, 0.625, left)]);
    assert_eq!(blocks(&index, from, at(16.0, 0.0), 2.0), [(1, 0.5, left)]);
    // Exactly at the end, and no later. A skin is as near as it gets, so what would be beyond the end is none.
    assert_eq!(blocks(&index, from, at(8.0, 0.0), 2.0), [(1, 1.0, left)]);
    assert_eq!(blocks(&index, from, at(8.0, 0.0), 1.5), []);
    // It starts within the skin.
    assert_eq!(blocks(&index, from, at(16.0, 0.0), 11.0), [(1, 0.0, left)]);
    assert_eq!(blocks(&index, from, at(-1.0, 0.0), 11.0), []);
    assert_eq!(blocks(&index, from, at(0.0, 0.0), 11.0), []);
    // It passes below, and touches the corner; with a skin that is too near.
    assert_eq!(thrown(&index, from, at(20.0, -4.0)), [(1, 0.5)]);
    assert_eq!(blocks(&index, from, at(20.0, -4.0), 0.0), []);
    assert_eq!(blocks(&index, from, at(20.0, -5.0), 1.0).len(), 1);
    assert_eq!(blocks(&index, from, at(20.0, -8.0), 1.0), []);
    // Just below, straight on: nearer than the skin, but no nearer than before.
    let below = rect(at(8.0, 6.0), at(10.0, 9.5));
    assert_eq!(blocks(&index, below, at(16.0, 0.0), 1.0), []);
    assert_eq!(blocks(&index, below, at(16.0, -0.001), 1.0), []);
    assert_eq!(blocks(&index, below, at(16.0, 0.001), 1.0).len(), 1);
}

fn what_is_touched_blocks_who_goes_in<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    for tile in 0..16 {
        let min = f64::from(tile) * 4.0;
        index.insert(rects, rect(at(min, 0.0), at(min + 4.0, 64.0)), tile).expect("finite");
    }
    // On the second axis it stands right above.
    let from = rect(at(6.0, 64.0), at(9.0, 66.0));
    for (way, count) in [((4.0, 0.0), 0), ((-4.0, 0.0), 0), ((4.0, 1.0), 0), ((0.0, 5.0), 0), ((4.0, -1.0), 3)] {
        let motion = at(way.0, way.1);
        assert_eq!(thrown(&index, from, motion).first(), Some(&(1, 0.0)), "all of them begin with a touch");
        assert_eq!(blocks(&index, from, motion, 0.0).len(), count, "{way:?}");
    }
    let hit = index.cast(from, at(4.0, -1.0)).blocking(S::of(0.0)).next().expect("the floor");
    assert_eq!((hit.t.value(), hit.touches_at_start()), (0.0, true));
    assert_eq!(hit.normal(), along(1, 1.0));
    // By a skin above, or by half of one.
    for gap in [0.25, 0.5] {
        let from = rect(at(6.0, 64.0 + gap), at(9.0, 66.0 + gap));
        assert_eq!(blocks(&index, from, at(4.0, 0.0), 0.5), []);
        assert_eq!(blocks(&index, from, at(4.0, -1.0), 0.5)[0], (1, 0.0, along(1, 1.0)));
    }
}

fn overlapping_at_the_start<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    index.insert(rects, rect(at(10.0, 10.0), at(30.0, 20.0)), 1).expect("finite");
    // Deepest on the first axis: by 4 from the left, by 1 from above.
    let from = rect(at(8.0, 19.0), at(14.0, 40.0));
    for skin in [0.0, 2.0] {
        for free in [at(1.0, 0.0), at(-1.0, 0.0), at(1.0, 1.0), at(0.0, 1e-9), at(0.0, 0.0)] {
            assert_eq!(blocks(&index, from, free, skin), [], "{free:?}");
        }
        assert_eq!(blocks(&index, from, at(-100.0, -1e-9), skin), [(1, 0.0, along(1, 1.0))]);
    }
    let hit = index.cast(from, at(0.0, -1.0)).blocking(S::of(0.0)).next().expect("further in");
    assert!(hit.touches_at_start());
    // By the next number, so that it can move along.
    let rounded = rect(at(14.0, S::of(20.0).down().value()), at(16.0, 25.0));
    assert_eq!(blocks(&index, rounded, at(5.0, 0.0), 0.0), []);
    assert_eq!(blocks(&index, rounded, at(5.0, -1.0), 0.0).len(), 1);
    // In the middle of an equal one: out by the lowest side.
    let equal = rect(at(10.0, 10.0), at(30.0, 20.0));
    assert_eq!(blocks(&index, equal, at(0.0, 1.0), 0.0), [(1, 0.0, along(1, -1.0))]);
    assert_eq!(blocks(&index, equal, at(0.0, -1.0), 0.0), []);
}

fn blocked_at_corners<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    index.insert(rects, rect(at(20.0, 20.0), at(30.0, 30.0)), 1).expect("finite");
    index.insert(rects, rect(at(10.0, 20.0), at(20.0, 30.0)), 2).expect("finite");
    // On the third axis it stands within.
    let at = |first: f64, second: f64, third: f64| core::array::from_fn(|axis| S::of([first, second, third][axis]));
    // Straight into the corner of the first, and from below into the second.
    let from = rect(at(16.0, 16.0, 22.0), at(18.0, 18.0, 24.0));
    let motion = at(4.0, 4.0, 0.0);
    let [left, below] = [along(0, -1.0), along(1, -1.0)];
    assert_eq!(blocks(&index, from, motion, 0.0), [(2, 0.5, below), (1, 0.5, left)], "the corner comes last");
    assert_eq!(blocks(&index, from, motion, 1.0), [(2, 0.25, below), (1, 0.25, left)], "the corner comes last");
    // From a touch of corners.
    let near = rect(at(18.0, 18.0, 22.0), at(20.0, 20.0, 24.0));
    assert_eq!(blocks(&index, near, at(1.0, 1.0, 0.0), 0.0), [(2, 0.0, below), (1, 0.0, left)]);
    assert_eq!(blocks(&index, near, at(1.0, -1.0, 0.0), 0.0), []);
    assert_eq!(blocks(&index, near, at(1.0, 0.0, 0.0), 0.0), []);
}

fn walls_without_thickness<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    index.insert(rects, rect(at(20.0, 10.0), at(20.0, 30.0)), 1).expect("finite");
    let bullet = rect(at(10.0, 15.0), at(10.0, 15.0));
    let left = along(0, -1.0);
    assert_eq!(blocks(&index, bullet, at(20.0, 0.0), 0.0), [(1, 0.5, left)]);
    assert_eq!(blocks(&index, bullet, at(20.0, 0.0), 5.0), [(1, 0.25, left)]);
    // Along its edge, and along the wall.
    let beside = rect(at(10.0, 10.0), at(10.0, 10.0));
    assert_eq!(blocks(&index, beside, at(20.0, 0.0), 0.0), []);
    let along_it = rect(at(20.0, 0.0), at(20.0, 0.0));
    assert_eq!(blocks(&index, along_it, at(0.0, 40.0), 0.0), []);
    // Exactly in the wall it may go to both sides; just before it, only to one.
    let inside = rect(at(20.0, 15.0), at(20.0, 15.0));
    assert!(
        blocks(&index, inside, at(1.0, 0.0), 0.0).is_empty() && blocks(&index, inside, at(-1.0, 0.0), 0.0).is_empty()
    );
    let before = S::of(20.0).down().value();
    let before = rect(at(before, 15.0), at(before, 15.0));
    assert_eq!(blocks(&index, before, at(1.0, 0.0), 1.0), [(1, 0.0, left)]);
    assert_eq!(blocks(&index, before, at(-1.0, 0.0), 1.0), []);
}

fn strange_skins<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    index.insert(rects, rect(at(20.0, 10.0), at(22.0, 30.0)), 1).expect("finite");
    let from = rect(at(8.0, 8.0), at(10.0, 12.0));
    let none = blocks(&index, from, at(20.0, 0.0), 0.0);
    assert_eq!(none.len(), 1);
    for skin in [-1.0, f64::NEG_INFINITY, -0.0, S::SMALLEST.value()] {
        assert_eq!(blocks(&index, from, at(20.0, 0.0), skin), none, "{skin}");
    }
    assert_eq!(blocks(&index, from, at(20.0, 0.0), f64::NAN), []);
    // All that it would ever enter is in its way.
    for skin in [f64::INFINITY, S::LARGEST.value()] {
        assert_eq!(blocks(&index, from, at(1e-9, 0.0), skin), [(1, 0.0, along(0, -1.0))]);
        assert_eq!(blocks(&index, from, at(-1.0, 0.0), skin), []);
    }
    let half = rect(at(f64::NEG_INFINITY, f64::NEG_INFINITY), at(10.0, f64::INFINITY));
    assert_eq!(blocks(&index, half, at(20.0, 0.0), 0.0), none);
    assert_eq!(blocks(&index, from, at(f64::NAN, 0.0), 0.0), []);
    let endless = blocks(&index, from, at(f64::INFINITY, 0.0), 0.0);
    assert_eq!(endless, blocks(&index, from, at(S::LARGEST.value(), 0.0), 0.0));
    assert_eq!(endless, [(1, S::of(10.0 / S::LARGEST.value()).value(), along(0, -1.0))]);
}

/// The last call holds, and after the first `next` it begins the query again.
fn a_skin_on_the_way<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    for value in 0..40 {
        let min = 10.0 + f64::from(value);
        index.insert(rects, rect(at(min, 10.0), at(min + 0.5, 30.0)), value).expect("finite");
    }
    let from = rect(at(2.0, 12.0), at(4.0, 14.0));
    let mut plain = index.cast(from, at(32.0, 0.0));
    assert_eq!(plain.by_ref().take(5).count(), 5);
    let skinned = plain.blocking(S::of(9.0)).blocking(S::of(2.0));
    let all: Vec<_> = skinned.clone().map(|hit| (*hit.object.value(), hit.t.value())).collect();
    assert_eq!(all, (0..29).map(|value| (value, (4.0 + f64::from(value)) / 32.0)).collect::<Vec<_>>());
    // To the end, and again.
    let mut whole = skinned.clone();
    assert_eq!(whole.by_ref().count(), 29);
    assert_eq!(whole.next().map(|hit| *hit.object.value()), None);
    assert_eq!(whole.blocking(S::of(2.0)).count(), 29);
    let mut buffer = SearchBuffer::new();
    for _ in 0..3 {
        assert_eq!(skinned.clone().reusing(&mut buffer).count(), 29);
    }
}
