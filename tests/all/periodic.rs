//! Worlds without edges, beside linear lists of all images: on coarse lattices, where borders coincide and sums are exact.

#![expect(clippy::float_cmp, reason = "sums on the lattice are exact")]

mod borders;
mod cursors;
mod joins;
mod neighbors;
mod ordered;
mod pairs;
mod places;
mod regions;
mod unrolled;
mod ways;

use core::array;
use std::collections::BTreeSet;

use quadrille::{Contacts, Convex, HalfSpace, Handle, Periodic, Quadtree, Ray, Rect, Watch};

use quadrille_support::images::{Scene, handles};
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(endless_questions_end);

/// Regions, rays and distances without an end, and those that are no numbers, end; nothing comes twice.
fn endless_questions_end<S: Real, const D: usize>() {
    let mut dice = Dice::new(47);
    let scene = Scene::<S, D>::new(&mut dice, 20);
    let (index, torus, all) = (&scene.index, &scene.torus, scene.list.len());
    let at = scene.torus.world().center();
    let [infinity, nan] = [f64::INFINITY, f64::NAN].map(S::of);
    let count = |found: Vec<Handle>| {
        let distinct: BTreeSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), found.len());
        found.len()
    };
    assert_eq!(count(handles(index.intersecting(Rect::everything()).periodic(torus))), all);
    assert_eq!(count(handles(index.contained_in(Rect::everything()).periodic(torus))), all);
    assert_eq!(index.containing(Rect::everything()).periodic(torus).count(), 0);
    assert_eq!(count(handles(index.within_distance(at, infinity).periodic(torus))), all);
    assert_eq!(count(handles(index.within_distance(at, S::LARGEST).periodic(torus))), all);
    for axis in 0..D {
        let mut from = [S::of(f64::NEG_INFINITY); D];
        from[axis] = at[axis];
        let half = Rect::new(from, [infinity; D]);
        assert!(count(handles(index.intersecting(half).periodic(torus))) <= all);
        let mut normal = [S::of(1.0); D];
        normal[axis] = S::of(-2.0);
        let half_spaces = [HalfSpace::behind(at, normal)];
        assert!(count(handles(index.intersecting(Convex::new(&half_spaces)).periodic(torus))) <= all);
        let mut bad = at;
        bad[axis] = nan;
        assert_eq!(
            index.intersecting(bad).periodic(torus).count()
                + index.nearest(bad).periodic(torus).count()
                + index.within_distance(bad, nan).periodic(torus).count(),
            0
        );
        assert_eq!(
            index.raycast(Ray::new(bad, at)).periodic(torus).count()
                + index.raycast(Ray::new(at, bad)).periodic(torus).count(),
            0
        );
        assert_eq!(index.cast(bad, at).periodic(torus).count() + index.cast(at, bad).periodic(torus).count(), 0);
        bad[axis] = infinity;
        assert_eq!(index.within_distance(bad, S::of(1.0)).periodic(torus).count(), 0);
        assert!(
            index.nearest(bad).periodic(torus).count() <= all
                && index.raycast(Ray::new(bad, at)).periodic(torus).count() == 0
        );
        // An infinite motion is the longest.
        let touched = |by: [S; D]| handles(index.cast(at, by).periodic(torus).map(|hit| hit.object));
        let endless = touched(bad);
        bad[axis] = S::LARGEST;
        assert!(index.nearest(bad).periodic(torus).count() <= all && count(touched(bad)) <= all);
        assert_eq!(endless, touched(bad));
        let ray = Ray::new(at, array::from_fn::<_, D, _>(|other| S::of(if other == axis { 1.0 } else { 0.37 })));
        let hits: Vec<_> = index.raycast(ray).periodic(torus).map(|hit| (hit.t.value(), hit.object.handle())).collect();
        assert!(hits.is_sorted_by(|a, b| a.0 < b.0 || a.0 == b.0 && a.1 < b.1), "{hits:?}");
        assert!(count(hits.into_iter().map(|hit| hit.1).collect()) <= all);
        assert!(index.raycast(Ray::segment(at, bad)).periodic(torus).count() <= all);
    }
    assert_eq!(count(handles(index.nearest(Rect::everything()).periodic(torus).map(|near| near.object))), all);
    assert_eq!(index.pairs().periodic(torus).within(infinity).count(), all * (all - 1) / 2);
    assert_eq!(
        index.pairs().periodic(torus).within(nan).count() + index.pairs().periodic(torus).within(S::of(-1.0)).count(),
        0
    );
    assert_eq!(
        index.nearest(at).periodic(torus).within(S::of(-1.0)).count()
            + index.raycast(Ray::new(at, at)).periodic(torus).until(nan).count(),
        0
    );
}

/// Watches and contacts take the answers as they are.
#[test]
fn answers_are_watched() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    let [one, other] = [[99.0, 99.0], [1.0, 1.0]].map(|at| index.insert(points, at, 0).unwrap());
    let (mut watch, mut contacts) = (Watch::new(), Contacts::new());
    let area = Rect::new([-2.0, -2.0], [2.0, 2.0]);
    assert_eq!(watch.poll(index.intersecting(area).periodic(&torus)).unwrap().entered, [one, other]);
    assert_eq!(contacts.poll(index.pairs().periodic(&torus).within(3.0)).unwrap().begun.len(), 1);
    index.move_to(other, torus.wrap([103.0, 1.0])).unwrap();
    assert_eq!(watch.poll(index.intersecting(area).periodic(&torus)).unwrap().left, [other]);
    assert_eq!(contacts.poll(index.pairs().periodic(&torus).within(3.0)).unwrap().ended.len(), 1);
}

/// Brought home, a start may be rounded to just before the world, and one from very far away to anywhere.
#[test]
fn starts_just_outside_and_far_away() {
    let torus = Periodic::<f64>::new(Rect::new([0.0, 0.0], [3.0, 3.0])).unwrap();
    let mut index = Quadtree::<u32, f64>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert(points, [2.5, 1.0], 0).unwrap();
    let from = [(-3.0_f64).next_down(), 1.0];
    let hit = index.raycast(Ray::new(from, [-1.0, 0.0])).periodic(&torus).next().expect("beyond the border");
    assert!((hit.t - 0.5).abs() < 1e-9, "{hit:?}");
    assert_eq!(index.cast(from, [-1.0, 0.0]).periodic(&torus).count(), 1);
    for far in [1e17, -1e17, 1e25, 1e300] {
        let hits = index.raycast(Ray::new([far, 1.0], [1.0, 0.0])).periodic(&torus);
        assert!(hits.count() <= 1, "{far}");
        assert_eq!(index.nearest([far, 1.0]).periodic(&torus).count(), 1);
        assert!(index.cast([far, 1.0], [4.0, 0.0]).blocking(1e6).periodic(&torus).count() <= 1);
        assert!(index.cast([0.0, 1.0], [4.0, 0.0]).periodic(&torus).blocking(far).count() <= 1);
    }
}
