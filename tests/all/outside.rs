//! Objects outside the world: a query finds them nearly as soon as those inside.

use quadrille::Rect;

use quadrille_support::{Dice, Index, Real, assert_sound, in_spaces};

in_spaces!(
    a_crowd_outside_is_soon_found,
    objects_cross_the_border,
    the_next_number_outside,
    squares_at_the_end_of_numbers
);

const SIDE: f64 = 64.0;
const WINDOWS: usize = 60;

/// Objects between 0 and 64, in a world of that size so many sides away.
fn filled<S: Real, const D: usize>(away: f64, objects: usize, is_batch: bool) -> Index<S, D> {
    let first = S::of(away * SIDE);
    let world = Rect::new([first; D], [S::of(away * SIDE + SIDE); D]);
    let mut index = Index::<S, D>::new(world).expect("a world");
    let (points, rects) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
    let mut dice = Dice::new(7);
    let places: Vec<[S; D]> = (0..objects).map(|_| core::array::from_fn(|_| S::of(dice.fraction() * SIDE))).collect();
    let boxed = |place: [S; D]| Rect::new(place, place.map(|at| S::of(at.value() + 0.25)));
    if is_batch {
        index.insert_batch(points, places.iter().map(|&place| (place, 0))).expect("finite");
        index.insert_batch(rects, places.iter().map(|&place| (boxed(place), 0))).expect("finite");
    } else {
        for place in places {
            index.insert(points, place, 0).expect("finite");
            index.insert(rects, boxed(place), 0).expect("finite");
        }
    }
    index
}

/// The nodes and buckets that windows visit, and the objects that they find.
fn visits<S: Real, const D: usize>(index: &Index<S, D>) -> [usize; 2] {
    let mut dice = Dice::new(3);
    let (mut visited, mut found) = (0, 0);
    for _ in 0..WINDOWS {
        let min: [S; D] = core::array::from_fn(|_| S::of(dice.fraction() * (SIDE - 2.0)));
        let mut asked = index.intersecting(Rect::new(min, min.map(|end| S::of(end.value() + 2.0)))).pause();
        visited += asked.run(index, usize::MAX, |_| found += 1).expect("the same index").visited;
    }
    [visited, found]
}

/// Beside it, a hundred and three thousand sides away: windows visit some nodes and buckets more than in a world around the objects, however many these are.
fn a_crowd_outside_is_soon_found<S: Real, const D: usize>() {
    for (is_batch, objects) in [(false, 1000), (true, 16_000)] {
        let [inside, found] = visits(&filled::<S, D>(0.0, objects, is_batch));
        for away in [-1.0, 1.0, 100.0, -3000.0] {
            let index = filled::<S, D>(away, objects, is_batch);
            assert_sound(&index, "objects outside");
            let outside = visits(&index);
            assert_eq!(outside[1], found, "{away} sides away");
            // A node for each level above the crowd, and buckets that are less full.
            let more = WINDOWS * 2 * 24 + inside / 2;
            assert!(outside[0] <= inside + more, "{away} sides away: {} visits, {inside} inside", outside[0]);
        }
    }
}

/// Objects that leave the world and come back, step by step, are never lost, and leave no trace.
fn objects_cross_the_border<S: Real, const D: usize>() {
    let mut index = filled::<S, D>(0.0, 300, false);
    let handles: Vec<_> = index.iter().map(|object| object.handle()).collect();
    let places: Vec<_> = handles.iter().map(|&handle| index.shape(handle).expect("it lives").min()).collect();
    for step in [0.5, 1.0, 3.0, 100.0, 1e5, 1e5, -1e5, -1e5, -100.0, -3.0, -1.0, -0.5, -2.0, -1e4, 1e4, 2.0] {
        let moved = |at: S| S::of(at.value() + step * SIDE);
        for &handle in &handles {
            let shape = index.shape(handle).expect("it lives");
            let (min, max) = (shape.min().map(moved), shape.max().map(moved));
            index.move_to(handle, Rect::new(min, max)).expect("finite");
        }
        assert_sound(&index, "on the way");
        assert_eq!(index.intersecting(Rect::everything()).count(), handles.len());
    }
    for (handle, place) in handles.into_iter().zip(places) {
        let at = index.shape(handle).expect("it lives").min();
        let off = (0..D).map(|axis| (at[axis].value() - place[axis].value()).abs()).fold(0.0, f64::max);
        assert!(off < 16.0, "{at:?}, once {place:?}");
    }
}

/// By a number beside the end of the world it is decided, however that is rounded, in one way for all operations.
fn the_next_number_outside<S: Real, const D: usize>() {
    let worlds = [(0.0, 1e12), (863.874, 18_148.014), (-11_970.600_000_000_002, 7323.36), (-41.2526, 140.5912)];
    for (min, max) in worlds.map(|(min, max)| (S::of(min), S::of(max))) {
        let mut index = Index::<S, D>::new(Rect::new([min; D], [max; D])).expect("a world");
        let (points, rects) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
        let (scout, wall) = (index.insert(points, [min; D], 0), index.insert(rects, Rect::from_point([min; D]), 0));
        let (scout, wall) = (scout.expect("finite"), wall.expect("finite"));
        let (mut below, mut above) = (min, max);
        for _ in 0..6 {
            (below, above) = (below.down(), above.up());
            for place in [below, above] {
                let mut at = [min; D];
                at[0] = place;
                index.move_to(scout, at).expect("finite");
                index.move_to(wall, Rect::from_point(at)).expect("finite");
                assert_sound(&index, "moved");
                assert_eq!(index.intersecting(at).count(), 2);
                for place in [[min; D], at] {
                    let moved = index.update(points, |_, _, _| place).expect("its layer");
                    assert!(moved.refused.is_empty());
                    assert_sound(&index, "updated");
                }
                index.move_to(scout, [min; D]).expect("finite");
                index.move_to(wall, Rect::from_point([min; D])).expect("finite");
            }
        }
    }
}

/// Squares of cells are finite and not empty, where a grid around the world would not have room either.
fn squares_at_the_end_of_numbers<S: Real, const D: usize>() {
    let largest = S::LARGEST.value();
    let side = largest * 2.0_f64.powi(-18);
    for (min, max) in [(-largest, side - largest), (largest - side, largest), (-largest / 2.0, side - largest / 2.0)] {
        let world = Rect::new([S::of(min); D], [S::of(max); D]);
        let mut index = Index::<S, D>::new(world).expect("a world");
        let points = index.add_point_layer().expect("a layer");
        for place in [-largest, -largest / 2.0, -1.0, 0.0, 1.0, largest / 2.0, largest] {
            index.insert(points, [S::of(place); D], 0).expect("finite");
        }
        assert_sound(&index, "at the end of numbers");
        for cell in index.cells(points) {
            let square = cell.square();
            let sides = (0..D).map(|axis| [square.min()[axis].value(), square.max()[axis].value()]);
            assert!(sides.into_iter().all(|[min, max]| min.is_finite() && max.is_finite() && min < max), "{square:?}");
        }
    }
}
