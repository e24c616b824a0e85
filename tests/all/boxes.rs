//! Boxes made of boxes: unions, larger ones, moved ones; with the numbers at which they become infinite or empty.

use core::array;

use quadrille::Rect;

use quadrille_support::oracle::Span;
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(unions, expansions, translations, pairs_of_corners, overlaps, centers);

/// Boxes with ends at few whole numbers, so that edges coincide; some without extent.
fn boxes<S: Real, const D: usize>() -> Vec<Rect<S, D>> {
    let mut dice = Dice::new(11);
    let mut corner = || array::from_fn::<S, D, _>(|_| S::of(f64::from(u32::try_from(dice.below(6)).expect("small"))));
    (0..40).map(|_| Rect::new(corner(), corner())).collect()
}

fn nan<S: Real>() -> S {
    S::of(f64::NAN)
}

/// A box contains the union of two exactly if it contains both; one with a NaN counts for nothing.
fn unions<S: Real, const D: usize>() {
    let boxes = boxes::<S, D>();
    for a in &boxes {
        for b in &boxes {
            let union = a.union(b);
            assert_eq!(union, b.union(a));
            assert!(union.contains(a) && union.contains(b));
            for other in boxes.iter().filter(|other| other.contains(a) && other.contains(b)) {
                assert!(other.contains(&union), "{union:?} is not the smallest around {a:?} and {b:?}");
            }
        }
        let mut half = Span::of_rect(a);
        half.max[D - 1] = nan();
        for empty in [Rect::from_point([nan(); D]), half.rect()] {
            assert_eq!((a.union(&empty), empty.union(a)), (*a, *a));
            assert!(empty.union(&empty).is_empty());
        }
        assert_eq!(a.union(&Rect::everything()), Rect::everything());
    }
}

fn expansions<S: Real, const D: usize>() {
    for rect in boxes::<S, D>() {
        let larger = rect.expanded(S::of(1.5));
        assert!(larger.contains(&rect));
        assert_eq!(larger.expanded(S::of(-1.5)), rect);
        assert_eq!(larger.size(), rect.size().map(|side| S::of(side.value() + 3.0)));
        // Half the shortest side may go; more leaves nothing.
        let shortest = rect.size().into_iter().map(S::value).fold(f64::INFINITY, f64::min);
        let least = rect.expanded(S::of(-shortest / 2.0));
        assert!(rect.contains(&least) && !least.is_empty(), "{rect:?}");
        assert!(rect.expanded(S::of(-shortest / 2.0 - 0.25)).is_empty(), "{rect:?}");
        assert_eq!(rect.expanded(S::of(f64::INFINITY)), Rect::everything());
        assert_eq!(rect.expanded(S::LARGEST).expanded(S::LARGEST), Rect::everything(), "overflow");
        assert!(rect.expanded(nan()).is_empty() && rect.expanded(S::of(f64::NEG_INFINITY)).is_empty());
    }
    assert!(Rect::<S, D>::everything().expanded(S::of(f64::NEG_INFINITY)).is_empty());
    assert!(Rect::from_point([nan(); D]).expanded(S::of(1.0)).is_empty());
}

fn translations<S: Real, const D: usize>() {
    for rect in boxes::<S, D>() {
        let offset: [S; D] = array::from_fn(|axis| S::of([2.0, -3.0, 0.5][axis]));
        let moved = rect.translated(offset);
        assert_eq!(moved.size(), rect.size());
        assert_eq!(moved.translated(offset.map(|part| S::of(-part.value()))), rect);
        assert_eq!(rect.translated([S::of(0.0); D]), rect);
        assert!(rect.translated([nan(); D]).is_empty());
        let far = rect.translated([S::LARGEST; D]).translated([S::LARGEST; D]);
        assert_eq!(far.min(), [S::of(f64::INFINITY); D]);
    }
    // The corners are rounded apart, and stay in order.
    let tiny = Rect::new([S::of(0.0); D], [S::SMALLEST; D]).translated([S::of(1.0); D]);
    assert_eq!(tiny, Rect::from_point([S::of(1.0); D]));
}

/// A pair of corners is sorted, as by `new`, also where one is NaN.
fn pairs_of_corners<S: Real, const D: usize>() {
    for rect in boxes::<S, D>() {
        assert_eq!(Rect::from((rect.min(), rect.max())), rect);
        assert_eq!(Rect::from((rect.max(), rect.min())), rect);
        assert!(Rect::from((rect.min(), [nan(); D])).is_empty());
    }
}

/// Two boxes overlap exactly if what they have in common has an extent on every axis; boxes without one lie strictly inside.
fn overlaps<S: Real, const D: usize>() {
    let boxes = boxes::<S, D>();
    let has_extent = |rect: &Rect<S, D>| rect.size().iter().all(|side| S::of(0.0) < *side);
    for a in &boxes {
        for b in &boxes {
            assert_eq!(a.overlaps(b), b.overlaps(a));
            assert!(!a.overlaps(b) || a.intersects(b));
            if has_extent(a) && has_extent(b) {
                assert_eq!(a.overlaps(b), a.intersection(b).is_some_and(|part| has_extent(&part)));
            }
            let point = Rect::from_point(b.min());
            let is_inside = (0..D).all(|axis| a.min()[axis] < b.min()[axis] && b.min()[axis] < a.max()[axis]);
            assert_eq!(a.overlaps(&point), is_inside);
        }
        assert!(!a.overlaps(&Rect::from_point([nan(); D])));
    }
}

#[test]
fn areas_and_volumes() {
    assert_eq!(Rect::new([1.0_f32, 2.0], [4.0, 1.0]).area().to_bits(), 3.0_f32.to_bits());
    assert_eq!(Rect::new([1.0_f64, 3.0, 0.0], [4.0, 1.0, 0.5]).volume().to_bits(), 3.0_f64.to_bits());
    assert!(Rect::new([-f32::MAX, 0.0], [f32::MAX, 1.0]).area().is_infinite());
    assert!(Rect::new([0.0, f64::NEG_INFINITY], [0.0, f64::INFINITY]).area().is_nan());
}

/// The center lies in the box, be its coordinates as large or small as can be.
fn centers<S: Real, const D: usize>() {
    let (tiny, largest) = (S::SMALLEST.value(), S::LARGEST.value());
    let ends: Vec<S> = [0.0, tiny, tiny * 2.0, tiny * 3.0, 1.0, largest / 2.0, largest].map(S::of).to_vec();
    let both = || ends.iter().flat_map(|end| [*end, S::of(-end.value())]);
    for (a, b) in both().flat_map(|a| both().map(move |b| (a, b))) {
        let rect = Rect::<S, D>::new([a; D], [b; D]);
        assert!(rect.contains_point(rect.center()), "{rect:?}");
    }
    assert_eq!(Rect::<S, D>::new([S::of(-1.0); D], [S::of(4.0); D]).center(), [S::of(1.5); D]);
    assert!(Rect::<S, D>::everything().center().iter().all(|end| end.value().is_nan()));
    let half = Rect::<S, D>::new([S::of(1.0); D], [S::of(f64::INFINITY); D]);
    assert_eq!(half.center(), [S::of(f64::INFINITY); D]);
}
