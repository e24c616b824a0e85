//! Markers, beside a list of cells that is gone through again for each.

use std::array;
use std::collections::BTreeSet;

use quadrille::{CellSizeError, Cluster, Handle, Markers, Periodic, Rect};

use quadrille_support::markers::{Listed, RADIUS, SHARE, SIDE, apart, number};
use quadrille_support::{Dice, Index, Real, in_spaces};

in_spaces!(
    beside_a_list,
    views_beside_a_list,
    each_object_once,
    in_tiles,
    tiles_while_objects_move,
    parts_change_nothing,
    of_awkward_input,
    they_stay_where_they_are
);

/// Objects in towns and between them.
fn scene<S: Real, const D: usize>(dice: &mut Dice, len: u32) -> (Index<S, D>, Vec<Handle>) {
    let mut index = Index::new(Rect::new([S::of(0.0); D], [S::of(SIDE); D])).expect("a world");
    let layer = index.add_point_layer().expect("a layer");
    let towns: [[f64; D]; 5] = array::from_fn(|_| array::from_fn(|_| dice.fraction() * SIDE));
    let handles = (0..len).map(|number| {
        let town = towns[dice.below(towns.len())];
        let spread = if number % 3 == 0 { SIDE } else { 80.0 };
        let at: [S; D] = array::from_fn(|axis| S::of(town[axis] + (dice.fraction() - 0.5) * spread));
        index.insert(layer, at, number).expect("finite")
    });
    let handles = handles.collect();
    (index, handles)
}

fn stir<S: Real, const D: usize>(index: &mut Index<S, D>, handles: &[Handle], dice: &mut Dice, by: f64) {
    for &handle in handles {
        let at = index.get_shape(handle).min().map(|at| S::of(at.value() + (dice.fraction() - 0.5) * by));
        index.move_to(handle, at).expect("finite");
    }
}

/// The shape of an object.
trait Shapes<S, const D: usize> {
    fn get_shape(&self, handle: Handle) -> Rect<S, D>;
}

impl<S: Real, const D: usize> Shapes<S, D> for Index<S, D> {
    fn get_shape(&self, handle: Handle) -> Rect<S, D> {
        self.object(handle).expect("it is there").shape()
    }
}

/// Polls both about a view, the first from a copy of its memory too, and compares.
fn poll_both<S: Real, const D: usize>(
    index: &Index<S, D>,
    markers: &mut Markers<S, D>,
    listed: &mut Listed<S, D>,
    view: Rect<S, D>,
) -> Vec<(u64, Cluster<S, D>)> {
    let mut again = markers.clone();
    let ask = |bounds, size| index.intersecting(bounds).clusters(size);
    let found = markers.poll(view, ask).expect("a radius");
    assert_eq!(again.poll(view, ask).expect("a radius"), found, "the same again");
    assert_eq!((&again.come, &again.gone), (&markers.come, &markers.gone));
    let cells: Vec<_> = index.iter().clusters(S::of(RADIUS) / S::of(3.0)).expect("a size").collect();
    let expected = listed.poll(view, &cells);
    assert_eq!(found.len(), expected.len(), "in {view:?}");
    for ((number, marker), (listed, count, mean)) in found.iter().zip(&expected) {
        assert_eq!((number, marker.count), (listed, *count), "in {view:?}");
        assert!(apart(marker.mean, *mean) < 1e-3);
    }
    for (at, (_, one)) in found.iter().enumerate() {
        let least = found[..at].iter().map(|(_, other)| apart(one.mean, other.mean)).fold(SIDE, f64::min);
        assert!(SHARE * RADIUS < least + 1e-3, "{least} apart");
    }
    assert_eq!((&markers.come, &markers.gone), (&listed.come, &listed.gone), "in {view:?}");
    let mut settled = markers.clone();
    assert_eq!(settled.poll(view, ask).expect("a radius"), found, "nothing has changed");
    assert!(settled.come.is_empty() && settled.gone.is_empty());
    found
}

/// Equal to a list in each frame, the first without a memory; the same again from the same memory.
fn beside_a_list<S: Real, const D: usize>() {
    let (mut come, mut gone, mut split, mut merged) = (0, 0, 0, 0);
    for seed in 0..3 {
        let mut dice = Dice::new(seed);
        let (mut index, handles) = scene::<S, D>(&mut dice, 500);
        let (mut markers, mut listed) = (Markers::<S, D>::new(S::of(RADIUS)), Listed::NEW);
        for frame in 0..12 {
            poll_both(&index, &mut markers, &mut listed, Rect::everything());
            if 0 < frame {
                come += listed.come.len();
                split += listed.come.iter().filter(|(_, from)| from.is_some()).count();
                gone += listed.gone.len();
                merged += listed.gone.iter().filter(|(_, into)| into.is_some()).count();
            }
            stir(&mut index, &handles, &mut dice, if frame % 4 == 3 { 200.0 } else { 20.0 });
        }
    }
    assert!(0 < split && split < come && 0 < merged && merged < gone, "{come} {split} {gone} {merged}");
}

/// The world in four parts on an axis, and what lies around.
fn tiles<S: Real, const D: usize>() -> Vec<Rect<S, D>> {
    let tiles = (-2..6).flat_map(|x| (-2..6).map(move |y| [x, y]));
    let tiles = tiles.map(|tile| {
        let ends = |by: f64| {
            array::from_fn(|axis| match tile.get(axis) {
                Some(&tile) => S::of((f64::from(tile) + by) * SIDE / 4.0),
                None => S::of(if by == 0.0 { -SIDE } else { 2.0 * SIDE }),
            })
        };
        Rect::new(ends(0.0), ends(1.0))
    });
    tiles.collect()
}

/// Equal to a list where views and tiles are polled in any order while some objects move.
fn views_beside_a_list<S: Real, const D: usize>() {
    for seed in 0..3 {
        let mut dice = Dice::new(100 + seed);
        let (mut index, handles) = scene::<S, D>(&mut dice, 400);
        let (mut markers, mut listed, tiles) = (Markers::<S, D>::new(S::of(RADIUS)), Listed::NEW, tiles::<S, D>());
        for step in 0..40 {
            let corner: [S; D] = array::from_fn(|_| S::of(dice.fraction() * SIDE));
            let size = dice.fraction() * 400.0;
            let view = match step % 3 {
                0 => tiles[dice.below(tiles.len())],
                _ => Rect::new(corner, corner.map(|at| S::of(at.value() + size))),
            };
            poll_both(&index, &mut markers, &mut listed, view);
            if step % 4 == 0 {
                let (from, by) = (dice.below(200), [3.0, 30.0, 120.0][dice.below(3)]);
                stir(&mut index, &handles[from..from + 200], &mut dice, by);
            }
        }
    }
}

/// After objects have moved, tiles that are polled one after another, in any order, soon have each object once, and change nothing more.
fn tiles_while_objects_move<S: Real, const D: usize>() {
    let (mut rounds, mut late) = (0, 0);
    for seed in 0..2 {
        let mut dice = Dice::new(200 + seed);
        let (mut index, handles) = scene::<S, D>(&mut dice, 600);
        let (mut markers, mut tiles) = (Markers::<S, D>::new(S::of(RADIUS)), tiles::<S, D>());
        for frame in 0..9 {
            let ask = |bounds, size| index.intersecting(bounds).clusters(size);
            let mut last = Vec::new();
            for round in 0..3 {
                (0..tiles.len()).for_each(|at| tiles.swap(at, dice.below(at + 1)));
                let (mut all, mut changes) = (Vec::new(), 0);
                for tile in &tiles {
                    all.extend(counts(&markers.poll(*tile, ask).expect("a radius")));
                    changes += markers.come.len() + markers.gone.len();
                }
                all.sort_unstable();
                let sum: usize = all.iter().map(|marker| marker.1).sum();
                let is_one = sum == handles.len();
                rounds += 1;
                late += usize::from(!is_one || 0 < round && 0 < changes);
                if 1 < round {
                    assert!(is_one && changes == 0, "seed {seed}, frame {frame}, round {round}: {sum}, {changes}");
                }
                last = all;
            }
            assert_eq!(counts(&markers.poll(Rect::everything(), ask).expect("a radius")), last);
            assert!(markers.come.is_empty() && markers.gone.is_empty());
            stir(&mut index, &handles, &mut dice, [4.0, 20.0, 100.0][frame % 3]);
        }
    }
    assert!(late * 50 < rounds, "{late} of {rounds} rounds");
}

/// Each object is in one marker, whose count, mean, bounds and handle are those of its objects.
fn each_object_once<S: Real, const D: usize>() {
    let mut dice = Dice::new(7);
    let (mut index, handles) = scene::<S, D>(&mut dice, 600);
    for radius in [20.0, 41.0, 41.5, 300.0, 1e6] {
        let mut markers = Markers::<S, D>::new(S::of(radius));
        for _ in 0..4 {
            stir(&mut index, &handles, &mut dice, 50.0);
            let ask = |bounds, size| {
                let clusters = index.intersecting(bounds).clusters(size)?;
                Ok::<_, CellSizeError>(clusters.map_reduce(|object| vec![object.handle()], Extend::extend))
            };
            let found = markers.poll_reduced(Rect::everything(), ask, Extend::extend).expect("a radius");
            let mut seen = BTreeSet::new();
            for (_, marker, members) in &found {
                assert_eq!(marker.count, members.len());
                assert!(members.iter().all(|member| seen.insert(*member)), "each once");
                let corners = members.iter().map(|member| index.get_shape(*member).min());
                assert_eq!(Some(marker.bounds), Rect::from_points(corners.clone()));
                assert_eq!(Some(&marker.handle), members.iter().min_by_key(|member| member.slot()));
                for axis in 0..D {
                    let sum: f64 = corners.clone().map(|corner| corner[axis].value()).sum();
                    assert!((sum / number(marker.count) - marker.mean[axis].value()).abs() < 1e-3);
                }
            }
            assert_eq!(seen.len(), handles.len());
            assert_eq!(1e5 < radius, found.len() == 1, "{} of {radius}", found.len());
        }
    }
}

fn counts<S: Real, const D: usize>(found: &[(u64, Cluster<S, D>)]) -> Vec<(u64, usize)> {
    found.iter().map(|(number, marker)| (*number, marker.count)).collect()
}

/// Views beside each other, asked for one after another, have each marker once, and as a view of all has it.
fn in_tiles<S: Real, const D: usize>() {
    (1..5).for_each(in_tiles_of::<S, D>);
}

fn in_tiles_of<S: Real, const D: usize>(seed: u64) {
    let mut dice = Dice::new(seed);
    let (index, handles) = scene::<S, D>(&mut dice, 600);
    let ask = |bounds, size| index.intersecting(bounds).clusters(size);
    let mut markers = Markers::<S, D>::new(S::of(RADIUS));
    let tiles = tiles::<S, D>();
    let mut by_tile: Vec<_> = tiles.iter().flat_map(|tile| markers.poll(*tile, ask).expect("a radius")).collect();
    by_tile.sort_by_key(|(number, _)| *number);
    assert_eq!(by_tile.iter().map(|(_, marker)| marker.count).sum::<usize>(), handles.len());
    let all = markers.poll(Rect::everything(), ask).expect("a radius");
    assert!(markers.come.is_empty() && markers.gone.is_empty());
    // Who adds up in another order rounds otherwise.
    assert_eq!(counts(&by_tile), counts(&all));
    // Half a tile aside, those that were there are there.
    let aside = tiles[27].translated([S::of(SIDE / 8.0); D]);
    let moved = markers.poll(aside, ask).expect("a radius");
    let mut there = all;
    there.retain(|(_, marker)| aside.contains_point(marker.mean));
    assert_eq!(counts(&moved), counts(&there));
}

/// Polls about parts of the world change nothing where nothing has moved, also where markers at the edge are not seen whole.
fn parts_change_nothing<S: Real, const D: usize>() {
    let mut dice = Dice::new(17);
    let (mut index, handles) = scene::<S, D>(&mut dice, 400);
    let mut markers = Markers::<S, D>::new(S::of(RADIUS));
    for _ in 0..6 {
        let ask = |bounds, size| index.intersecting(bounds).clusters(size);
        let all = counts(&markers.poll(Rect::everything(), ask).expect("a radius"));
        for _ in 0..40 {
            let corner: [S; D] = array::from_fn(|_| S::of(dice.fraction() * SIDE));
            let view = Rect::new(corner, corner.map(|at| S::of(at.value() + 90.0)));
            let _ = markers.poll(view, ask).expect("a radius");
            assert!(markers.come.is_empty() && markers.gone.is_empty(), "{:?} {:?}", markers.come, markers.gone);
        }
        assert_eq!(counts(&markers.poll(Rect::everything(), ask).expect("a radius")), all);
        stir(&mut index, &handles, &mut dice, 20.0);
    }
}

/// While all objects tremble, markers seldom come and go, where new ones would.
fn they_stay_where_they_are<S: Real, const D: usize>() {
    let mut dice = Dice::new(11);
    let (mut index, handles) = scene::<S, D>(&mut dice, 1500);
    let mut markers = Markers::<S, D>::new(S::of(RADIUS));
    let (mut changes, mut total, mut anew) = (0, 0, 0);
    let mut last = BTreeSet::new();
    for frame in 0..20 {
        let ask = |bounds, size| index.intersecting(bounds).clusters(size);
        total += markers.poll(Rect::everything(), ask).expect("a radius").len();
        let fresh = Markers::new(S::of(RADIUS)).poll(Rect::everything(), ask).expect("a radius");
        // A circle is the same if its middle is within a tenth of the radius.
        let fresh: BTreeSet<_> =
            fresh.iter().map(|(_, marker)| marker.mean.map(|at| format!("{:.0}", at.value() / RADIUS * 5.0))).collect();
        if 0 < frame {
            changes += markers.come.len() + markers.gone.len();
            anew += fresh.symmetric_difference(&last).count();
        }
        last = fresh;
        stir(&mut index, &handles, &mut dice, 4.0);
    }
    assert!(changes * 20 < total && changes * 5 < anew, "{changes} changes of {total}, {anew} without a memory");
}

/// Radii that are none, answers that are none of cells, worlds that wrap around.
fn of_awkward_input<S: Real, const D: usize>() {
    let mut dice = Dice::new(13);
    let (index, handles) = scene::<S, D>(&mut dice, 200);
    let ask = |bounds, size| index.intersecting(bounds).clusters(size);
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-30] {
        let mut markers = Markers::<S, D>::new(S::of(radius));
        assert!(markers.poll(Rect::everything(), ask).is_err(), "{radius}");
        // Whoever groups by cells of another size has markers all the same.
        let cells = |_, _| index.iter().clusters(S::of(5.0));
        let found = markers.poll(Rect::everything(), cells).expect("a size");
        assert_eq!(found.iter().map(|(_, marker)| marker.count).sum::<usize>(), handles.len());
    }
    let mut markers = Markers::<S, D>::new(S::of(RADIUS));
    let cell = index.iter().clusters(S::of(5.0)).expect("a size").next().expect("one");
    let large = |sign: f64| Cluster { mean: [S::of(sign * S::LARGEST.value()); D], ..cell };
    let none = [Cluster { count: 0, ..cell }, Cluster { mean: [S::of(f64::NAN); D], ..cell }];
    let cells = none.into_iter().chain([large(1.0), large(-1.0), cell, cell]);
    for _ in 0..2 {
        let found = markers.poll(Rect::everything(), |_, _| Ok::<_, ()>(cells.clone())).expect("cells");
        assert_eq!(found.len(), 3);
    }
    assert_eq!(markers.poll(Rect::everything(), |_, _| Err::<Vec<_>, _>(7)), Err(7));
    assert!(markers.come.is_empty());
    // A view across the border has those of both sides once, where they are stored.
    let torus = Periodic::new(index.world()).expect("a world");
    let view = Rect::new([S::of(SIDE * 0.5); D], [S::of(SIDE * 1.5); D]);
    let mut markers = Markers::<S, D>::new(S::of(RADIUS));
    let wrapped = |bounds, size| index.intersecting(bounds).periodic(&torus).clusters(size);
    let first = markers.poll(view, wrapped).expect("a radius");
    let count = markers.come.len();
    assert_eq!(markers.poll(view, wrapped).expect("a radius"), first);
    assert!(markers.come.is_empty() && 0 < count, "nothing is remembered twice");
}
