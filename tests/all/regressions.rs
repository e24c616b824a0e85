//! One named test for each bug that was fixed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use quadrille::{
    Ball, BatchError, CellKind, Handle, LayerError, LayerSettings, Nearest, ObjectError, Periodic, Quadtree, Rect,
};
use quadrille_support::inside::{Inside, UnitRange};

pub(crate) fn world() -> Rect<f32, 2> {
    Rect::new([0.0, 0.0], [1024.0, 1024.0])
}

pub(crate) fn square(x: f32, y: f32, side: f32) -> Rect<f32, 2> {
    Rect::new([x, y], [x + side, y + side])
}

/// A bucket's reach did not cover the entry that came over from another one of its chain.
#[test]
fn reach_covers_what_comes_over_in_a_chain() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_rect_layer_with(LayerSettings::new().depth_max(0).split_above(1)).unwrap();
    let small: Vec<_> = (0..65).map(|n| index.insert(layer, square(8.0, 8.0, 1.0), n).unwrap()).collect();
    index.insert(layer, square(8.0, 8.0, 200.0), 65).unwrap();
    index.remove(small[3]).unwrap();
    index.check_integrity().unwrap();
    assert_eq!(index.intersecting([100.0, 100.0]).count(), 1);
}

/// Merging two blocks into a chain of buckets raised the reach of its first bucket only.
#[test]
fn reach_covers_all_buckets_of_a_merged_chain() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(100)).unwrap();
    for n in 0..40 {
        index.insert(layer, square(8.0, 8.0, 1.0), n).unwrap();
    }
    let right: Vec<_> = (0..61).map(|n| index.insert(layer, square(900.0, 8.0, 100.0), n).unwrap()).collect();
    assert_eq!(index.stats().buckets, 2);
    for &handle in &right[..26] {
        index.remove(handle).unwrap();
        index.check_integrity().unwrap();
    }
    assert_eq!(index.stats().chain_max, 2, "75 objects in one block");
    assert_eq!(index.intersecting([990.0, 100.0]).count(), 35);
}

/// An object that grew while it moved to another node raised the reach of the nodes on its way down, not of those above.
#[test]
fn reach_covers_what_grew_far_below_the_root() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(1)).unwrap();
    let objects: Vec<_> =
        (0..9_u16).map(|n| index.insert(layer, square(f32::from(n), 0.0, 0.01), n).unwrap()).collect();
    // Still small enough for the nodes below the root, but another block, and a longer reach.
    index.move_to(objects[4], square(12.0, 12.0, 14.0)).unwrap();
    index.check_integrity().unwrap();
    assert_eq!(index.intersecting([25.0, 25.0]).count(), 1);
}

/// `near` yielded all blocks of a node that its region touched.
#[test]
fn near_asks_every_block() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_point_layer().unwrap();
    for n in 0..1024_u16 {
        index.insert(layer, [f32::from(n), f32::from(n)], n).unwrap();
    }
    assert!(index.near([1.0, 1.0]).count() <= 64);
}

/// Where a unit is less than the step between two floats, the bounds of cells near the last were infinite.
#[test]
fn only_the_last_units_reach_to_infinity() {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [f32::MAX, f32::MAX])).unwrap();
    let layer = index.add_point_layer_with(LayerSettings::new().split_above(1)).unwrap();
    for step in 0..40 {
        index.insert(layer, [f32::from_bits(f32::MAX.to_bits() - step); 2], ()).unwrap();
    }
    let last = (1 << 30) - 1;
    let mut finite = 0;
    for cell in index.cells(layer).filter(|cell| cell.units().max[0] < last) {
        assert!(cell.bounds().max()[0].is_finite(), "{cell:?}");
        finite += 1;
    }
    assert!(finite > 20, "{finite} cells");
}

/// Layers that were added to an index and to its clone had the same identity, whatever their kinds.
#[test]
fn layers_added_after_a_clone_are_told_apart() {
    let mut a: Quadtree<u16> = Quadtree::new(world()).unwrap();
    let shared = a.add_point_layer().unwrap();
    let object = a.insert(shared, [5.0, 5.0], 0).unwrap();
    let mut b = a.clone();
    let (points, more) = (a.add_point_layer().unwrap(), a.add_point_layer().unwrap());
    let (rects, other) = (b.add_rect_layer().unwrap(), b.add_point_layer().unwrap());
    let wall = b.insert(rects, square(1.0, 1.0, 8.0), 1).unwrap();
    assert!(points.id() != rects.id() && more.id() != other.id());
    for layer in [points, more] {
        let foreign = LayerError::Foreign { number: layer.id().number() };
        assert_eq!(b.insert(layer, [1.0, 1.0], 7), Err(ObjectError::Layer(foreign)));
        let refused = BatchError { position: 0, reason: ObjectError::Layer(foreign) };
        assert_eq!(b.insert_batch(layer, [([1.0, 1.0], 7)]), Err(refused));
        assert_eq!(b.set_layer(object, layer), Err(ObjectError::Layer(foreign)));
        assert_eq!(b.update(layer, |_, _, _| [1.0, 1.0]), Err(foreign));
        assert_eq!(b.remove_layer(layer), Err(foreign));
        assert_eq!(b.cells(layer).count(), 0);
        assert!(b.cell_at(layer, [1.0, 1.0]).is_none());
        b.check_integrity().unwrap();
    }
    assert_eq!((b.len(), b.len_in(rects), b.shape(wall)), (2, 1, Some(square(1.0, 1.0, 8.0))));
    for index in [&mut a, &mut b] {
        index.insert(shared, [6.0, 6.0], 2).unwrap();
        index.check_integrity().unwrap();
    }
    // A layer that one of the two has removed lives on in the other.
    assert_eq!(a.remove_layer(shared), Ok(2));
    assert_eq!(a.insert(shared, [1.0, 1.0], 7), Err(LayerError::Dead { number: 0 }.into()));
    b.insert(shared, [1.0, 1.0], 7).unwrap();
    b.check_integrity().unwrap();
}

/// The same where the numbers of layers are used again. (Then a layer of a clone may be taken for one that was removed.)
#[test]
fn numbers_given_out_again_after_a_clone_are_told_apart() {
    let mut a: Quadtree<u16> = Quadtree::new(world()).unwrap();
    let layers: Vec<_> = (0..64).map(|_| a.add_point_layer().unwrap()).collect();
    let mut b = a.clone();
    a.remove_layer(layers[9]).unwrap();
    b.remove_layer(layers[9]).unwrap();
    let (points, rects) = (a.add_point_layer().unwrap(), b.add_rect_layer().unwrap());
    assert_eq!(points.id().number(), rects.id().number());
    assert_eq!(b.insert(points, [1.0, 1.0], 7), Err(LayerError::Dead { number: 9 }.into()));
    assert_eq!(a.insert(rects, square(1.0, 1.0, 1.0), 7), Err(LayerError::Foreign { number: 9 }.into()));
    let mut elsewhere: Quadtree<u16> = Quadtree::new(world()).unwrap();
    elsewhere.add_point_layer().unwrap();
    assert_eq!(elsewhere.insert(layers[0], [1.0, 1.0], 7), Err(LayerError::Foreign { number: 0 }.into()));
    for index in [a, b, elsewhere] {
        index.check_integrity().unwrap();
        assert!(index.is_empty());
    }
}

/// A layer of an unrelated index was called dead, if it was added between two layers that had its number here.
#[test]
fn layers_of_unrelated_indexes_are_never_dead() {
    let [mut a, mut b]: [Quadtree<u16>; 2] = [(); 2].map(|()| Quadtree::new(world()).unwrap());
    let first = a.add_point_layer().unwrap();
    (1..64).for_each(|_| assert!(a.add_point_layer().is_ok()));
    let foreign = b.add_point_layer().unwrap();
    a.remove_layer(first).unwrap();
    let again = a.add_rect_layer().unwrap();
    assert_eq!([first, foreign].map(|layer| layer.id().number()), [again.id().number(); 2]);
    assert_eq!(a.insert(foreign, [1.0, 1.0], 7), Err(LayerError::Foreign { number: 0 }.into()));
    assert_eq!(a.insert(first, [1.0, 1.0], 7), Err(LayerError::Dead { number: 0 }.into()));
    // A clone has removed what its original had.
    assert_eq!(a.clone().insert(first, [1.0, 1.0], 7), Err(LayerError::Dead { number: 0 }.into()));
}

/// `insert_batch` reserved memory for as many objects as the iterator promised.
#[test]
fn batches_do_not_believe_size_hints() {
    struct Boaster(u16, usize);
    impl Iterator for Boaster {
        type Item = ([f32; 2], u16);
        fn next(&mut self) -> Option<Self::Item> {
            self.0 = self.0.checked_sub(1)?;
            Some(([f32::from(self.0), 1.0], self.0))
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.1, None)
        }
    }
    for promised in [usize::MAX, 1 << 50, 0] {
        let mut index = Quadtree::new(world()).unwrap();
        let layer = index.add_point_layer().unwrap();
        for objects in [200, 50] {
            assert_eq!(index.insert_batch(layer, Boaster(objects, promised)).unwrap().len(), usize::from(objects));
        }
        index.check_integrity().unwrap();
        assert_eq!(index.len(), 250);
    }
}

/// The squares that rectangles are stored under, by value, whatever level of the tree they belong to.
fn squares(index: &Quadtree<u16>) -> BTreeMap<u16, UnitRange<2>> {
    index.check_integrity().unwrap();
    index.iter().map(|object| (*object.value(), index.cell_of(object.handle()).unwrap().units())).collect()
}

/// Where size alone decides, a rectangle's level does not follow from its size; its square does: the smallest that is
/// more than half as long as the rectangle. It is a cell, or, where smaller rectangles have made a node of the cell, the
/// node with its own list, one level below.
#[test]
fn size_alone_decides_on_a_square() {
    let side = |n: u16| f32::from(3_u16 << (n % 10)) * if n % 20 < 10 { 1.0 } else { 1024.0 } / 4096.0;
    let shape = |n: u16| square(f32::from(n * 57 % 509), f32::from(n * 83 % 511), side(n));
    let square_of = |n: u16| {
        // A unit is 2^-20.
        let extent = 768_u32 << (n % 20);
        let log2 = (0..30).step_by(3).find(|log2| extent < 2 << log2).unwrap_or(30);
        let min = [n * 57 % 509, n * 83 % 511].map(|at| u32::from(at) << 20 >> log2 << log2);
        UnitRange { min, max: min.map(|unit| unit + ((1 << log2) - 1)) }
    };
    let expected: BTreeMap<u16, UnitRange<2>> = (0..300).map(|n| (n, square_of(n))).collect();
    let orders: [fn(u16) -> u16; 4] = [|n| n, |n| 299 - n, |n| n * 7 % 300 * 7 % 300, |n| n % 15 * 20 + n / 15];
    for order in orders {
        let mut index = Quadtree::new(world()).unwrap();
        let layer = index.add_rect_layer_with(LayerSettings::new().split_above(0)).unwrap();
        let handles: Vec<_> = (0..300).map(|n| index.insert(layer, shape(order(n)), order(n)).unwrap()).collect();
        assert_eq!(squares(&index), expected);
        for &handle in &handles {
            let home = index.shape(handle).unwrap();
            let [x, y] = home.min();
            for away in [square(900.0, 3.0, 0.25), square(x, y, 100.0), square(x, y, 0.001), home] {
                index.move_to(handle, away).unwrap();
            }
        }
        assert_eq!(squares(&index), expected);
        let batch =
            index.insert_batch(layer, (0..400).map(|n| (square(f32::from(n), 7.0, 1.0 / 512.0), 1000 + n))).unwrap();
        index.optimize();
        for handle in batch {
            index.remove(handle).unwrap();
        }
        assert_eq!(squares(&index), expected);
        index.optimize();
        assert_eq!(squares(&index), expected);
    }
}

/// Of several calls of `beyond` the greatest holds, in whatever order they come.
#[test]
fn the_greatest_beyond_holds() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_point_layer().unwrap();
    for n in 0..10_u16 {
        index.insert(layer, [f32::from(n), 0.0], n).unwrap();
    }
    let values = |distances: [f32; 3]| -> Vec<u16> {
        let nearest = distances.into_iter().fold(index.nearest([0.0, 0.0]), Nearest::beyond);
        nearest.map(|found| *found.object.value()).collect()
    };
    for distances in [[7.0, 2.0, 5.0], [2.0, 7.0, 5.0], [2.0, 5.0, 7.0], [7.0, -1.0, 0.0]] {
        assert_eq!(values(distances), [7, 8, 9], "{distances:?}");
    }
    assert!(values([7.0, f32::NAN, 2.0]).is_empty());
    // So it does when some have come already.
    let mut nearest = index.nearest([0.0, 0.0]);
    assert_eq!(nearest.by_ref().take(5).count(), 5);
    assert_eq!(nearest.clone().beyond(2.0).count(), 5);
    assert_eq!(nearest.beyond(7.0).count(), 3);
}

/// Four squares in each of the root's cells, and more in one of them, which is a node therefore; these are named.
fn with_one_child() -> (Quadtree<u16>, Vec<Handle>) {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(4)).unwrap();
    for n in 0..256_u16 {
        index.insert(layer, square(f32::from(n % 16) * 64.0 + 8.0, f32::from(n / 16) * 64.0 + 8.0, 2.0), n).unwrap();
    }
    let crowd = (0..8_u16).map(|n| index.insert(layer, square(f32::from(n) * 14.0 + 520.0, 600.0, 2.0), n).unwrap());
    let crowd = crowd.collect();
    (index, crowd)
}

/// The nodes and blocks of the only layer, as they are walked.
fn all_cells(index: &Quadtree<u16>) -> Vec<(CellKind, UnitRange<2>)> {
    let layer = index.layers().next().unwrap();
    index.cells(layer).map(|cell| (cell.kind(), cell.units())).collect()
}

/// A block has no children: to skip them skips nothing.
#[test]
fn nothing_is_skipped_after_a_block() {
    let (index, _) = with_one_child();
    let mut cells = index.cells(index.layers().next().unwrap());
    let mut seen = Vec::new();
    while let Some(cell) = cells.next() {
        seen.push((cell.kind(), cell.units()));
        if cell.kind() == CellKind::Block {
            cells.skip_children();
        }
    }
    assert_eq!(seen, all_cells(&index));
}

/// A pass of `optimize_step` that was in a node goes on with the block that the node has merged into, and visits nothing
/// again.
#[test]
fn a_pass_goes_on_where_a_node_was_merged() {
    let (index, crowd) = with_one_child();
    let cells = all_cells(&index);
    let child = 1 + cells[1..].iter().position(|&(kind, _)| kind == CellKind::Node).unwrap();
    let square_of_child = cells[child].1;
    let blocks =
        cells.iter().filter(|(_, units)| *units != square_of_child && units.meets(&square_of_child)).count() - 1;
    assert!(child > 3 && child + blocks < cells.len() - 3 && blocks > 2, "{child} {blocks}");
    // Before the child there are the root, which is no bucket, and blocks.
    for visits in child..child + blocks {
        let mut index = index.clone();
        assert_eq!(index.optimize_step(visits).visited, visits);
        for &handle in &crowd {
            index.remove(handle);
        }
        let rest = index.intersecting(square(520.0, 520.0, 100.0)).map(|object| object.handle()).collect::<Vec<_>>();
        for &handle in &rest[2..] {
            index.remove(handle).unwrap();
        }
        let merged = index.cell_of(rest[0]).unwrap();
        assert_eq!((merged.kind(), merged.units(), merged.depth()), (CellKind::Block, square_of_child, 0));
        let cells = all_cells(&index);
        let to_come = cells.len() - cells.iter().skip(1).position(|&(_, units)| units == square_of_child).unwrap() - 1;
        let mut visited = 0;
        loop {
            let step = index.optimize_step(1);
            visited += step.visited;
            index.check_integrity().unwrap();
            if step.done {
                break;
            }
        }
        assert_eq!(visited, to_come, "after {visits} visits");
    }
}

/// A slice of a cursor that only entered a node in which it had begun does not fall back to the node's beginning.
#[test]
fn a_cursor_does_not_fall_back() {
    // A crowd in the first cell that is walked of the root, and of a node below.
    for (corner, step) in [(896.0, 32.0), (112.0, 4.0)] {
        for taken in 1..=16 {
            let mut index = Quadtree::new(world()).unwrap();
            let layer = index.add_point_layer_with(LayerSettings::new().split_above(8)).unwrap();
            let at = |n: u16| f32::from(n) * step + corner + 1.0;
            for n in 0..16 {
                index.insert(layer, [at(n % 4), at(n / 4)], n).unwrap();
                index.insert(layer, [f32::from(n) * step / 8.0, 1.0], 16 + n).unwrap();
            }
            let mut query = index.iter();
            let mut seen: Vec<_> =
                query.by_ref().take(taken).map(|object| (*object.value(), object.handle())).collect();
            let mut cursor = query.pause();
            // The entries of a node of its own are merged into a block.
            let gone: Vec<_> = index.iter().skip(6).take(10).map(|object| (*object.value(), object.handle())).collect();
            let depth = index.cell_of(seen[0].1).unwrap().depth();
            for &(_, handle) in &gone {
                index.remove(handle).unwrap();
            }
            assert_eq!(index.cell_of(seen[0].1).unwrap().depth() + 1, depth);
            seen.retain(|object| !gone.contains(object));
            let mut slices = 0;
            while !cursor.run(&index, 1, |object| seen.push((*object.value(), object.handle()))).unwrap().done {
                slices += 1;
                assert!(slices < 1000, "it does not end");
            }
            let distinct: BTreeSet<_> = seen.iter().collect();
            assert_eq!((seen.len(), distinct.len()), (22, 22), "{taken}");
        }
    }
}

/// Objects that a cursor owes are charged to the budget: a visit for every 64.
#[test]
fn owed_objects_cost_visits() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_point_layer().unwrap();
    index.insert_batch(layer, (0..1000_u16).map(|n| ([5.0, 5.0], n))).unwrap();
    for budget in [1, 3] {
        let mut query = index.iter();
        assert!(query.next().is_some());
        let mut cursor = query.pause();
        let mut yielded = 1;
        loop {
            let run = cursor.run(&index, budget, |_| ()).unwrap();
            yielded += run.yielded;
            assert!(run.yielded <= 64 * budget && run.visited <= budget, "{run:?}");
            if run.done {
                break;
            }
        }
        assert_eq!(yielded, 1000);
    }
}

/// Where squares of distances are below all ordinary numbers, the estimate of how far to search was no rank, and the search
/// left out objects that it took to be done with.
#[test]
fn nearest_leaves_out_nothing_at_tiny_distances() {
    for log2 in [-400, -450, -451, -460, -500, -540] {
        let side = 2.0_f64.powi(log2);
        let mut index: Quadtree<u32, f64> = Quadtree::new(Rect::new([0.0; 2], [side; 2])).unwrap();
        let layer = index.add_point_layer().unwrap();
        let at = |n: u32| [f64::from(n * 7919 % 997) / 1024.0 * side, f64::from(n * 31 % 991) / 1024.0 * side];
        for n in 0..900 {
            index.insert(layer, at(n), n).unwrap();
        }
        let mut expected: Vec<_> = (0..900).map(|n| (at(n).map(|end| end / side), n)).collect();
        expected.sort_by(|(a, i), (b, j)| {
            let [a, b] = [a, b].map(|[x, y]| x * x + y * y);
            a.total_cmp(&b).then(i.cmp(j))
        });
        let found: Vec<_> = index.nearest([0.0; 2]).map(|near| *near.object.value()).collect();
        assert!(found.iter().eq(expected.iter().map(|(_, n)| n)), "2^{log2}: {} of 900", found.len());
    }
}

/// Points beyond the borders were looked for in the next images only, as if they were in the world.
#[test]
fn points_anywhere_have_the_neighbors_of_their_images() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [16.0, 16.0])).unwrap();
    let mut index: Quadtree<u32> = Quadtree::new(torus.world()).unwrap();
    let layer = index.add_point_layer().unwrap();
    index.insert(layer, [1.0, 8.0], 0).unwrap();
    for at in [[1.0, 8.0], [33.0, 8.0], [-31.0, -40.0], [1601.0, 8.0]] {
        let near =
            |distance| index.neighbors_at([at]).within(distance).periodic(&torus).map(|_, near| near.count()).next();
        assert_eq!((near(0.0), near(2.0)), (Some(1), Some(1)), "{at:?}");
        let nearest = index.neighbors_at([at]).nearest(1).periodic(&torus).map(|_, near| near.count()).next();
        assert_eq!(nearest, Some(1), "{at:?}");
    }
}

/// Where the squares of distances overflow, a ball hit what it moved away from, if the box around it had touched it.
#[test]
fn an_infinite_motion_away_meets_nothing() {
    let mut index: Quadtree<(), f64> = Quadtree::new(Rect::new([0.0, 0.0], [64.0, 64.0])).unwrap();
    let layer = index.add_point_layer().unwrap();
    index.insert(layer, [45.5, 51.0], ()).unwrap();
    let ball = Ball::new([31.5, 36.0], 16.0);
    for down in [-1e9, -1e200, f64::NEG_INFINITY] {
        assert_eq!(index.cast_ball(ball, [1e7, down]).next().map(|hit| hit.t), None, "{down}");
    }
}

/// The mean of centers beyond a tenth of the largest number was the end of the box around them.
#[test]
fn the_mean_of_large_numbers_is_their_mean() {
    let large = 2.0_f64.powi(1019);
    let mut index: Quadtree<(), f64> = Quadtree::new(Rect::new([0.0; 2], [large * 15.0; 2])).unwrap();
    let layer = index.add_rect_layer().unwrap();
    for part in 1..=10 {
        let [min, max] = [13.0 - 0.125 * f64::from(part), 13.0 + 0.125 * f64::from(part)].map(|part| [large * part; 2]);
        index.insert(layer, Rect::new(min, max), ()).unwrap();
    }
    for size in [large * 15.0, f64::MAX] {
        let cluster = index.iter().clusters(size).unwrap().next().unwrap();
        assert_eq!((cluster.count, cluster.mean.map(|mean| mean / large)), (10, [13.0; 2]), "{size}");
    }
}

/// Once a cluster had been taken, the numbers of objects in the others were none, and nothing was made of their objects.
/// The region met only done cells of the block around the cursor's place, so the rest of the block did not come.
#[test]
fn a_cursor_takes_up_a_block_in_its_midst() {
    let mut index: Quadtree<u8> = Quadtree::new(Rect::new([0.0, 0.0], [1024.0, 1024.0])).unwrap();
    let walls = index.add_rect_layer_with(LayerSettings::new().split_above(8)).unwrap();
    let row = |numbers: Range<u8>, y| numbers.map(move |n| (Rect::from_point([700.0 + f32::from(n), y]), n));
    let upper = index.insert_batch(walls, row(0..6, 620.0)).unwrap();
    let lower = index.insert_batch(walls, row(6..12, 400.0)).unwrap();
    let long = index.insert(walls, Rect::new([700.0, 420.0], [710.0, 640.0]), 12).unwrap();
    let region = Rect::new([690.0, 600.0], [730.0, 640.0]);
    let mut query = index.near(region);
    assert_eq!(query.by_ref().take(6).map(|object| *object.value()).max(), Some(5), "the upper ones come first");
    let cursor = query.pause();
    index.remove_batch([&upper[..4], &lower[..3], &[long]].concat()).unwrap();
    assert_eq!(index.near(region).count(), 5, "all in one block");
    let rest: BTreeSet<u8> = index.resume(cursor).unwrap().map(|object| *object.value()).collect();
    assert_eq!(rest, BTreeSet::from([9, 10, 11]));
}

#[test]
fn clusters_that_are_left_are_told_in_every_way() {
    let mut index: Quadtree<u32> = Quadtree::new(Rect::new([0.0; 2], [100.0; 2])).unwrap();
    let layer = index.add_point_layer().unwrap();
    index.insert_batch(layer, (0..100_u8).map(|n| ([f32::from(n), 50.0], 1))).unwrap();
    let mut left = index.iter().clusters(10.0).unwrap();
    assert!(left.next().is_some_and(|cluster| cluster.count == 10));
    let cells: Vec<_> = left.clone().map(|cluster| (cluster.cell, cluster.count)).collect();
    assert_eq!(cells.len(), 9);
    assert_eq!(left.clone().counts(), cells);
    let reduced = left.clone().map_reduce(|object| *object.value(), |sum, one| *sum += one);
    assert!(reduced.iter().map(|(cluster, sum)| (cluster.cell, *sum as usize)).eq(cells.iter().copied()));
    #[cfg(feature = "rayon")]
    {
        let reduced = left.par_map_reduce(|object| *object.value(), |sum, one| *sum += one);
        assert!(reduced.iter().map(|(cluster, sum)| (cluster.cell, *sum as usize)).eq(cells));
    }
}
