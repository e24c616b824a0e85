//! Places and boxes are brought into the world; those that were not.

use std::collections::BTreeSet;

use quadrille::{Handle, Periodic, Quadtree, Ray, Rect};

use quadrille_support::images::{block, handles, number, point};
use quadrille_support::{Dice, Index, Real, in_spaces};

in_spaces!(places_are_wrapped, hostile_places_are_wrapped, rectangles_keep_their_size);

/// Numbers in the world, at its borders and next to them, far away and huge, for worlds of all sorts.
fn places_are_wrapped<S: Real, const D: usize>() {
    for (min, max) in [(0.0, 1.0), (-180.0, 180.0), (0.1, 100.3), (-1e-3, 2e-3), (4096.0, 4097.0), (-7.0, -5.0)] {
        let world = Rect::new([S::of(min); D], [S::of(max); D]);
        let [min, max] = [world.min()[0], world.max()[0]];
        let torus = Periodic::new(world).expect("a world");
        let period = max.value() - min.value();
        let mut dice = Dice::new(53);
        for _ in 0..2000 {
            let times = number(&mut dice, -9, 9) * [1.0, 0.37, 1e3, 1e9][dice.below(4)];
            let near = S::of([min, max][dice.below(2)].value() + times * period);
            let at = [near.down(), near, near.up(), near.up().up(), S::of(near.value() + dice.fraction() * period)]
                [dice.below(5)];
            let wrapped = torus.wrap([at; D])[0];
            assert!(min <= wrapped && wrapped < max, "{at} in {world:?} gives {wrapped}");
            if min <= at && at < max {
                assert_eq!(at, wrapped, "it was in the world");
            }
            // Right but for the rounding of the result: exact remainders are compared, as on a circle.
            let off =
                ((wrapped.value() - min.value()) % period - (at.value() % period - min.value() % period)) % period;
            let off = off.abs().min((period - off.abs()).abs());
            let coarse = (max.up().value() - max.value()).max(min.up().value() - min.value());
            assert!(off <= 2.0 * coarse, "{at} in {world:?} gives {wrapped}, off by {off}");
            assert_eq!(torus.wrap([wrapped; D])[0], wrapped);
        }
    }
}

fn hostile_places_are_wrapped<S: Real, const D: usize>() {
    let one = S::of(1.0);
    let torus = Periodic::new(Rect::new([S::of(0.0); D], [one; D])).expect("a world");
    let wrap = |at: S| torus.wrap([at; D])[0];
    for at in [S::LARGEST, S::of(-S::LARGEST.value()), S::SMALLEST, S::of(-S::SMALLEST.value()), S::of(-0.0)] {
        assert!(S::of(0.0) <= wrap(at) && wrap(at) < one, "{at}");
    }
    assert_eq!(wrap(S::of(-S::SMALLEST.value())), S::of(0.0), "what rounds to the upper border is at the lower one");
    assert_eq!(wrap(one), S::of(0.0));
    assert_eq!(wrap(one.down()), one.down());
    assert_eq!(wrap(S::of(-0.25)), S::of(0.75));
    assert!(wrap(S::of(f64::NAN)).value().is_nan() && wrap(S::of(f64::INFINITY)).value().is_infinite());
    let fixed = torus.on_axes([false; D]);
    assert_eq!(fixed.wrap([S::of(9.0); D]), [S::of(9.0); D]);
    // Two corners of a world that differ by one rounding: one number is left.
    let thin = S::of(S::FAR);
    let world = Rect::new([thin; D], [thin.up(); D]);
    if let Ok(torus) = Periodic::new(world) {
        for at in [thin.down(), thin.up(), S::of(0.0), S::LARGEST] {
            assert_eq!(torus.wrap([at; D]), [thin; D], "{at}");
        }
    }
    // Ends of displacements.
    let way = |from: f64, to: f64| torus.displacement([S::of(from); D], [S::of(to); D])[0].value();
    assert_eq!([way(0.75, 0.25), way(0.25, 0.75), way(0.875, 0.125), way(0.125, 0.875)], [-0.5, -0.5, 0.25, -0.25]);
    assert_eq!([way(0.0, 0.0), way(-3.0, 4.25), way(5.0, -4.25)], [0.0, 0.25, -0.25]);
    assert!(way(0.0, f64::NAN).is_nan() && way(f64::INFINITY, 0.0).is_nan());
    for world in [
        Rect::new([S::of(0.0); D], [S::of(0.0); D]),
        Rect::new([S::of(f64::NAN); D], [one; D]),
        Rect::new([S::of(f64::NEG_INFINITY); D], [one; D]),
        Rect::new([S::of(-S::LARGEST.value()); D], [S::LARGEST; D]),
    ] {
        assert_eq!(Periodic::new(world).is_err(), Index::<S, D>::new(world).is_err(), "{world:?}");
        assert!(Periodic::new(world).is_err(), "{world:?}");
    }
}

fn rectangles_keep_their_size<S: Real, const D: usize>() {
    let mut dice = Dice::new(59);
    let torus = Periodic::new(Rect::new([S::of(-8.0); D], [S::of(8.0); D])).expect("a world");
    for _ in 0..500 {
        let rect = block::<S, D>(&mut dice, -100, 100, 40);
        let wrapped = torus.wrap_rect(rect);
        assert_eq!((wrapped.size(), wrapped.min()), (rect.size(), torus.wrap(rect.min())));
        assert_eq!(torus.wrap_rect(wrapped), wrapped);
        // Off the lattice a point stays a point, and corners stay in order.
        let by = S::of(dice.fraction() * 1e6);
        let off = torus.wrap_rect(Rect::from_point([by; D]));
        assert_eq!(off.min(), off.max());
        let off = torus.wrap_rect(rect.translated([by; D]));
        assert!((0..D).all(|axis| off.min()[axis] <= off.max()[axis]), "{off:?}");
    }
    let nan = torus.wrap_rect(Rect::from_point([S::of(f64::NAN); D]));
    assert!(!nan.intersects(&Rect::everything()));
}

/// An object that was inserted outside may be missed, but is never yielded twice, and costs nothing but that.
#[test]
fn objects_outside_come_once_at_most() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [16.0, 16.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    let mut dice = Dice::new(61);
    for value in 0..60 {
        index.insert(points, point::<f32, 2>(&mut dice, -100, 100), value).unwrap();
        index.insert(rects, block::<f32, 2>(&mut dice, -100, 100, 30), value).unwrap();
    }
    for _ in 0..100 {
        let region = block::<f32, 2>(&mut dice, -30, 30, 40);
        let found = handles(index.intersecting(region).periodic(&torus));
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
        let found = handles(index.nearest(region).periodic(&torus).map(|near| near.object));
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
    }
    let pairs: Vec<_> =
        index.pairs().periodic(&torus).within(3.0).map(|(one, other)| [one.handle(), other.handle()]).collect();
    let ordered = |[a, b]: &[Handle; 2]| if a < b { (*a, *b) } else { (*b, *a) };
    assert_eq!(pairs.iter().map(ordered).collect::<BTreeSet<_>>().len(), pairs.len());
}

/// Where it is nearest, though it is found farther away at first.
#[test]
fn an_object_outside_comes_by_its_nearest_image() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [16.0, 16.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert(points, [-8.0, 8.0], 0).unwrap();
    let near: Vec<_> = index.nearest([2.0, 8.0]).periodic(&torus).map(|near| near.distance()).collect();
    assert_eq!(near, [6.0]);
    let hit: Vec<_> = index.raycast(Ray::new([2.0, 8.0], [-1.0, 0.0])).periodic(&torus).map(|hit| hit.t).collect();
    assert_eq!(hit, [10.0]);
}

/// An image that opens late has an object outside nearer than what came before. It is left out, so that distances ascend.
#[test]
fn an_object_outside_does_not_come_late() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [16.0, 16.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert_batch(points, [([15.5, 8.0], 0), ([17.0, 8.0], 1), ([8.0, 0.0], 2)]).unwrap();
    let found: Vec<_> =
        index.nearest([8.0, 8.0]).periodic(&torus).map(|near| (near.distance(), *near.object.value())).collect();
    assert_eq!(found, [(7.5, 0), (8.0, 2)]);
}

/// The image that gave a hit was not among those up to the hit's own time, since its start is rounded.
#[test]
fn hits_at_the_border_lie_on_their_objects() {
    let torus = Periodic::new(Rect::new([-180.0_f32; 2], [180.0; 2])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let walls = index.add_rect_layer().unwrap();
    index.insert(walls, Rect::new([-180.0, 1.0], [-170.0, 50.0]), 0).unwrap();
    for x in [100.0, 100.0_f32.next_down(), 99.9, 101.3] {
        let hit = index.raycast(Ray::new([x, 0.0], [1.0, 0.1])).periodic(&torus).next().unwrap();
        assert_eq!((hit.point()[0], hit.normal()), (-180.0, [-1.0, 0.0]), "from {x}");
        let hit = index.cast([x, 0.0], [100.0, 10.0]).periodic(&torus).next().unwrap();
        assert_eq!(hit.normal(), [-1.0, 0.0], "from {x}");
    }
}

/// The reach of a tree did not bound objects that are as long as two worlds, that begin before the world, or that end by a
/// rounding beyond it.
#[test]
fn objects_are_found_however_far_they_stick_out() {
    let count = |world: [f32; 2], torus: [f32; 2], object: [[f32; 2]; 2], window: [[f32; 2]; 2]| {
        let torus = Periodic::new(Rect::new([torus[0]; 2], [torus[1]; 2])).unwrap();
        let mut index = Quadtree::<u32>::new(Rect::new([world[0]; 2], [world[1]; 2])).unwrap();
        let rects = index.add_rect_layer().unwrap();
        index.insert(rects, Rect::new(object[0], object[1]), 0).unwrap();
        index.intersecting(Rect::new(window[0], window[1])).periodic(&torus).count()
    };
    assert_eq!(count([40.0, 60.0], [0.0, 100.0], [[59.0, 45.0], [200.0, 50.0]], [[30.0, 46.0], [31.0, 47.0]]), 1);
    assert_eq!(count([0.0, 1.0], [-30.0, -5.0], [[-10.0; 2], [0.9; 2]], [[-25.0; 2], [-24.5; 2]]), 1);
    assert_eq!(count([-100.0, 0.0], [-100.0, 0.0], [[-1e-6; 2], [3e-6; 2]], [[1e-6; 2], [2e-6; 2]]), 1);

    let torus = Periodic::new(Rect::new([0.0; 2], [16.0; 2])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let rects = index.add_rect_layer().unwrap();
    index.insert(rects, Rect::new([10.0, 11.0], [68.0, 16.0]), 0).unwrap();
    let body = Rect::new([5.0, 13.0], [12.0, 22.0]);
    let hit = index.cast(body, [-14.0, 1.0]).periodic(&torus).blocking(0.5).next().unwrap();
    assert_eq!(hit.normal(), [1.0, 0.0]);
}

/// Home is a rounding away, so an object that has come would come again.
#[test]
fn an_ordered_query_that_becomes_periodic_begins_again() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert_batch(points, [([0.1, 50.0], 0), ([33.3, 50.0], 1), ([77.7, 50.0], 2)]).unwrap();
    let mut nearest = index.nearest([-22.3, 50.0]);
    assert!(nearest.next().is_some());
    let found: Vec<_> = nearest.periodic(&torus).map(|near| *near.object.value()).collect();
    assert_eq!(found, [2, 0, 1]);
}
