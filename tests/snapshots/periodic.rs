//! Cursors of a world without edges: saved and restored between any two steps, and bytes that nobody saved.

use quadrille::{
    Ball, ContainedIn, Cursor, Intersecting, Periodic, Predicate, Rect, Region, Scalar, SpatialIndex, Wrapped,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::format::{FORMATS, Format};
use crate::hostile::{as_json, assert_refused, goes_on};
use crate::play::{Dice, Play};

/// The world of `Play`.
fn torus<S: Scalar, const D: usize>(dice: &mut Dice) -> Periodic<S, D> {
    let world = Rect::new([S::from_f64(0.0); D], [S::from_f64(1000.0); D]);
    Periodic::new(world).expect("a world").on_axes([(); D].map(|()| dice.below(4) != 0))
}

/// Brings all objects into the world.
fn wrap_all<S: Scalar, const D: usize>(index: &mut SpatialIndex<u32, S, D>, torus: &Periodic<S, D>) {
    for layer in index.layers().collect::<Vec<_>>() {
        if let Some(points) = index.point_layer(layer) {
            let _ = index.update(points, |_, _, shape| torus.wrap(shape.min()));
        } else if let Some(rects) = index.rect_layer(layer) {
            let _ = index.update(rects, |_, _, shape| torus.wrap_rect(shape));
        }
    }
}

/// Goes on through files, and gives what the cursor gives without.
fn through_files<P, S, const D: usize, R>(
    index: &SpatialIndex<u32, S, D>,
    cursor: Cursor<P, S, D, Wrapped<R, D>>,
    dice: &mut Dice,
) -> usize
where
    P: Predicate + Clone,
    S: Scalar + Serialize + DeserializeOwned,
    R: Region<S, D> + Clone + Serialize + DeserializeOwned,
{
    let expected: Vec<_> = index.resume(cursor.clone()).expect("its index").map(|object| object.handle()).collect();
    let (mut found, mut cursor, mut index) = (Vec::new(), cursor, index.clone());
    for saved in 0.. {
        let format = FORMATS[saved % 2];
        cursor = format.through(&cursor);
        if dice.below(4) == 0 {
            index = format.index(&index, false);
        }
        let budget = [1, 3, 50][dice.below(3)];
        if dice.below(3) == 0 {
            found.extend(cursor.step(&index).expect("its index").map(|object| object.handle()));
        } else if cursor.run(&index, budget, |object| found.push(object.handle())).expect("its index").done {
            break;
        }
    }
    let [mut of_files, mut kept] = [found, expected];
    of_files.sort_unstable();
    kept.sort_unstable();
    assert_eq!(of_files, kept);
    kept.len()
}

fn saved_between_steps<S: Scalar + Serialize + DeserializeOwned, const D: usize>() {
    let (mut dice, mut yielded) = (Dice::new(31), 0);
    for _ in 0..12 {
        let operations = 20 + dice.below(100);
        let mut index = Play::<S, D>::after(&mut dice, operations).index;
        let torus = torus::<S, D>(&mut dice);
        wrap_all(&mut index, &torus);
        let min = [(); D].map(|()| S::from_f64(dice.share() * 1200.0 - 200.0));
        let view = Rect::new(min, min.map(|at| S::from_f64(at.to_f64() + 700.0)));
        yielded += through_files(&index, index.intersecting(view).periodic(&torus).pause(), &mut dice);
        yielded += through_files(&index, index.contained_in(view).periodic(&torus).pause().distinct(), &mut dice);
        yielded += through_files(&index, index.containing(min).periodic(&torus).pause(), &mut dice);
        yielded += through_files(&index, index.near(view).periodic(&torus).pause(), &mut dice);
        let near = index.within_distance(min, S::from_f64(300.0)).periodic(&torus);
        yielded += through_files(&index, near.pause(), &mut dice);
    }
    assert!(500 < yielded, "{yielded}");
}

#[test]
fn saved_between_steps_f32_2d() {
    saved_between_steps::<f32, 2>();
}

#[test]
fn saved_between_steps_f64_3d() {
    saved_between_steps::<f64, 3>();
}

/// Whatever the bytes say, a cursor ends, and gives objects of the index, each once.
#[test]
fn cursors_of_any_origin() {
    let mut dice = Dice::new(37);
    for _ in 0..8 {
        let mut index = Play::<f32, 2>::after(&mut dice, 60).index;
        let torus = torus::<f32, 2>(&mut dice);
        wrap_all(&mut index, &torus);
        let ball = Ball::new([5.0, 995.0], 400.0);
        let mut cursor = index.contained_in(ball).periodic(&torus).pause();
        let _ = cursor.run(&index, 1 + dice.below(6), |_| {}).expect("its index");
        let saved = Format::Json.save(&cursor);
        let loaded = goes_on(&saved, &mut dice, |cursor: &mut Cursor<ContainedIn, f32, 2, Wrapped<Ball>>| {
            while let Ok(Some(object)) = cursor.step(&index) {
                assert!(index.contains(object.handle()));
            }
        });
        assert!(20 < loaded, "{loaded}");
    }
}

#[test]
fn images_that_no_region_has_are_refused() {
    type Saved = Cursor<Intersecting, f64, 2, Wrapped<Rect<f64>>>;
    let torus = Periodic::<f64>::new(Rect::new([0.0; 2], [10.0; 2])).expect("a world");
    let mut index = SpatialIndex::<u32, f64, 2>::new(torus.world()).expect("a world");
    let layer = index.add_point_layer().expect("a layer");
    index.insert_batch(layer, [([1.0; 2], 1), ([9.0; 2], 2)]).expect("finite");
    let mut cursor = index.intersecting(Rect::new([-2.0; 2], [2.0; 2])).periodic(&torus).pause();
    assert!(cursor.step(&index).expect("its index").is_some());
    let saved = as_json(&cursor);
    let bits = |number: f64| json!(number.to_bits().cast_signed());
    let images = "no such images";
    for count in [0, 11, 255] {
        assert_refused::<Saved>(&saved, |value| value["region"]["count"][0] = json!(count), images);
    }
    assert_refused::<Saved>(&saved, |value| value["region"]["periods"][1] = bits(-1.0), images);
    let too_far = |value: &mut serde_json::Value| {
        (value["region"]["periods"][1], value["region"]["count"][1]) = (bits(f64::MAX), json!(9));
    };
    assert_refused::<Saved>(&saved, too_far, images);
    assert_refused::<Saved>(&saved, |value| value["region"]["first"][0] = bits(f64::MAX), images);
    assert_refused::<Saved>(&saved, |value| value["region"]["first"][0] = bits(f64::NAN), "not finite");
    assert_refused::<Saved>(&saved, |value| value["progress"][1] = json!(4), "no such image");
    assert_refused::<Saved>(&saved, |value| value["progress"][1] = json!(u16::MAX), "no such image");
    // A plain region has one image.
    let mut cursor = index.intersecting(torus.world()).pause();
    assert!(cursor.step(&index).expect("its index").is_some());
    let saved = as_json(&cursor);
    assert_refused::<Cursor<Intersecting, f64>>(&saved, |value| value["progress"][1] = json!(1), "no such image");
}
