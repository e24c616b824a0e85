//! Long thin rectangles: what queries among them cost.

use quadrille::{LayerSettings, Rect};

use quadrille_support::{Dice, Index, Real, assert_sound, in_spaces};

in_spaces!(windows_among_thin_boxes, thin_boxes_come_one_by_one, nearest_among_thin_boxes);

const SIDE: f64 = 1000.0;

/// A box that is `ratio` times as long as wide, along one axis or another; as long as the world at most.
fn long_box<S: Real, const D: usize>(dice: &mut Dice, number: usize, width: f64, ratio: f64) -> Rect<S, D> {
    let side = |axis: usize| if axis == number % D { (width * ratio).min(SIDE) } else { width };
    let min: [f64; D] = core::array::from_fn(|axis| dice.fraction() * (SIDE - side(axis)));
    let max: [f64; D] = core::array::from_fn(|axis| min[axis] + side(axis));
    Rect::new(min.map(S::of), max.map(S::of))
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn width<const D: usize>(objects: usize) -> f64 {
    0.3 * SIDE / (objects as f64).powf(1.0 / f64::from(u8::try_from(D).expect("2 or 3")))
}

fn world<S: Real, const D: usize>() -> Rect<S, D> {
    Rect::new([S::of(0.0); D], [S::of(SIDE); D])
}

/// The nodes and buckets that windows and stabs visit, and the objects that they find.
fn visits<S: Real, const D: usize>(index: &Index<S, D>, objects: usize) -> [usize; 2] {
    let (mut dice, side) = (Dice::new(3), 8.0 * width::<D>(objects));
    let (mut visited, mut found) = (0, 0);
    for _ in 0..60 {
        let min: [S; D] = core::array::from_fn(|_| S::of(dice.fraction() * (SIDE - side)));
        let window = Rect::new(min, min.map(|end| S::of(end.value() + side)));
        let mut asked = index.intersecting(window).pause();
        visited += asked.run(index, usize::MAX, |_| found += 1).expect("the same index").visited;
        let mut asked = index.containing(min).pause();
        visited += asked.run(index, usize::MAX, |_| found += 1).expect("the same index").visited;
    }
    [visited, found]
}

/// Beside what it finds, a window among long thin boxes costs some times what it costs among squares, whatever the
/// number of objects, and however the boxes have come to be long.
fn windows_among_thin_boxes<S: Real, const D: usize>() {
    for objects in [2000, 20_000] {
        let all = |ratio: f64, were_square: bool| {
            let mut dice = Dice::new(5);
            let mut boxes = |ratio: f64| -> Vec<_> {
                let long = |number| long_box::<S, D>(&mut dice, number, width::<D>(objects), ratio);
                (0..objects).map(long).collect()
            };
            let mut index = Index::<S, D>::new(world()).expect("a world");
            let layer = index.add_rect_layer().expect("a layer");
            let first = boxes(if were_square { 1.0 } else { ratio }).into_iter().map(|shape| (shape, 0));
            let handles = index.insert_batch(layer, first).expect("finite");
            if were_square {
                for (handle, shape) in handles.into_iter().zip(boxes(ratio)) {
                    index.move_to(handle, shape).expect("finite");
                }
            }
            visits(&index, objects)
        };
        let [square, _] = all(1.0, false);
        for (ratio, were_square, times) in [(10.0, false, 3), (100.0, false, 6), (1e9, false, 6), (100.0, true, 6)] {
            let [visited, found] = all(ratio, were_square);
            assert!(
                visited <= times * square + found / 4,
                "{objects} objects {ratio} times as long, square at first: {were_square}: \
                 {visited} visits find {found}, {square} among squares"
            );
        }
    }
}

/// The nearest of many thin boxes, of all lengths and in all directions, are those of a linear list, wherever the target is.
fn nearest_among_thin_boxes<S: Real, const D: usize>() {
    let mut dice = Dice::new(13);
    let mut index = Index::<S, D>::new(world()).expect("a world");
    let layer = index.add_rect_layer().expect("a layer");
    let mut boxes = Vec::new();
    for number in 0..6000 {
        let side = |axis: usize, share: f64| share * if axis == number % D { 0.3 * SIDE } else { 0.0002 * SIDE };
        let min: [f64; D] = core::array::from_fn(|_| dice.fraction() * 0.7 * SIDE);
        let max: [f64; D] = core::array::from_fn(|axis| min[axis] + side(axis, dice.fraction()));
        boxes.push(Rect::new(min.map(S::of), max.map(S::of)));
    }
    index.insert_batch(layer, boxes.iter().map(|&shape| (shape, 0))).expect("finite");
    for number in 0..150 {
        let reach = [1.0, 3.0, 100.0][number % 3] * SIDE;
        let target: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() - 0.5) * reach + 0.5 * SIDE));
        let found = index.nearest(target).take(5).map(|near| near.distance_squared.value());
        let square = |shape: &Rect<S, D>| {
            let away = |axis: usize| {
                let [at, min, max] = [target[axis], shape.min()[axis], shape.max()[axis]].map(Real::value);
                (min - at).max(at - max).max(0.0)
            };
            (0..D).map(|axis| away(axis).powi(2)).sum::<f64>()
        };
        let mut squares: Vec<_> = boxes.iter().map(square).collect();
        squares.sort_by(f64::total_cmp);
        for (found, square) in found.zip(squares) {
            assert!((found - square).abs() <= 1e-5 * square, "{target:?}: {found} instead of {square}");
        }
    }
}

/// Thin boxes that come, move, turn and go one by one leave an index that is sound, and empty in the end.
fn thin_boxes_come_one_by_one<S: Real, const D: usize>() {
    let mut dice = Dice::new(8);
    let mut index = Index::<S, D>::new(world()).expect("a world");
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(8)).expect("a layer");
    let mut handles = Vec::new();
    for number in 0..1500 {
        let ratio = [1.0, 20.0, 200.0, 1e9][number / 7 % 4];
        handles.push(index.insert(layer, long_box(&mut dice, number, 0.5, ratio), 0).expect("finite"));
    }
    assert_sound(&index, "boxes have come");
    for (number, &handle) in handles.iter().enumerate() {
        let ratio = [200.0, 1.0, 1e9, 20.0][number / 5 % 4];
        index.move_to(handle, long_box::<S, D>(&mut dice, number / 3, 0.5, ratio)).expect("finite");
    }
    assert_sound(&index, "boxes have moved");
    let right = |end: [S; D]| end.map(|end| S::of(end.value() + 1.0));
    let moved =
        index.update(layer, |_, _, shape| Rect::new(right(shape.min()), right(shape.max()))).expect("the same layer");
    assert_eq!(moved.in_place + moved.elsewhere, handles.len());
    assert_sound(&index, "all have moved a little");
    index.optimize();
    assert_sound(&index, "all are stored anew");
    for handle in handles {
        assert!(index.remove(handle).is_some());
    }
    assert_sound(&index, "all are gone");
    assert_eq!(index.iter().count(), 0);
}
