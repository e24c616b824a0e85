//! Corridors beside whole numbers, on a lattice; of many pieces beside each piece alone; and queries about them.

use quadrille::{Ball, Corridor, Rect};

use proptest::prelude::*;
use quadrille_support::filled::Filled;
use quadrille_support::lattice::{Lattice, blocks};
use quadrille_support::line::{Line, points};
use quadrille_support::oracle::{Relation, Span};
use quadrille_support::properties::for_all;
use quadrille_support::shapes::Asks;
use quadrille_support::{Dice, Real, in_one_space, in_spaces};

in_one_space!(on_a_lattice);
in_spaces!(of_each_piece, strange_ones);

fn line() -> impl Strategy<Value = Line> {
    let knot = [0_i64..17, 0_i64..17, 0_i64..17];
    // Ways of 3 and 4 and of 6 and 8 have whole lengths, so that boxes touch slanted pieces.
    let step = prop_oneof![
        Just([3, 4, 0]),
        Just([-4, 3, 0]),
        Just([8, -6, 0]),
        Just([0, 3, 4]),
        Just([0, 0, 0]),
        [-5_i64..6, -5_i64..6, -5_i64..6]
    ];
    (knot, prop::collection::vec(step, 0..8), 0_i64..7).prop_map(|(first, steps, distance)| {
        let mut knots = vec![first];
        for step in steps {
            let last = knots[knots.len() - 1];
            knots.push([0, 1, 2].map(|axis| last[axis] + step[axis]));
        }
        Line { knots, distance }
    })
}

/// All queries about corridors, in plain numbers and in the largest and smallest. In space only points are decided exactly.
fn on_a_lattice<S: Real, const D: usize>() {
    let lattices = Lattice::each::<S>();
    for_all(64, (0..lattices.len(), 1_u32..12, blocks(), line()), |(lattice, split_above, blocks, mut line)| {
        let lattice = lattices[lattice];
        line.knots.iter_mut().for_each(|knot| knot[D..].fill(0));
        let corridor =
            Corridor::new(line.knots.iter().map(|knot| lattice.point::<S, D>(*knot)), lattice.length(line.distance));
        let mut filled = Filled::<S, D>::new(lattice.index(), split_above);
        for (rects, mut block) in blocks {
            block.min[D..].fill(0);
            block.max[D..].fill(0);
            filled.insert(rects, lattice.span(&block));
            let rect = lattice.span::<S, D>(&block).rect();
            let answer = [corridor.intersects(&rect), corridor.contains(&rect)];
            if D == 2 || block.min == block.max {
                let meets = if D == 2 { line.meets(&block) } else { line.holds(block.min) };
                assert_eq!(answer, [meets, line.contains::<D>(&block)], "{block:?} and {line:?}");
            } else {
                let holds: Vec<bool> = points::<D>(&block).map(|at| line.holds(at)).collect();
                assert!(answer[0] || !holds.contains(&true), "misses {block:?}: {line:?}");
                assert!(!answer[1] || !holds.contains(&false), "does not contain {block:?}: {line:?}");
            }
        }
        filled.about(&corridor);
    });
}

#[test]
fn on_a_lattice_in_the_plane() {
    on_a_lattice::<f32, 2>();
}

/// A corridor of many pieces is each of them.
fn of_each_piece<S: Real, const D: usize>() {
    let mut dice = Dice::new(11);
    for pieces in [1, 24, 25, 70, 600] {
        let mut at = [0.0; D];
        let points: Vec<[S; D]> = (0..=pieces)
            .map(|_| {
                at = at.map(|at| at + dice.fraction() * 2.0 - 1.0);
                at.map(S::of)
            })
            .collect();
        let distance = S::of(0.4);
        let whole = Corridor::new(points.iter().copied(), distance);
        assert_eq!((whole.points(), whole.distance()), (&points[..], distance));
        let each: Vec<_> = points.windows(2).map(|ends| Corridor::new(ends.iter().copied(), distance)).collect();
        let mut seen = [0; 3];
        for _ in 0..400 {
            let near = points[dice.below(points.len())];
            let min = near.map(|at| at.value() + dice.fraction() * 4.0 - 2.0);
            let size = [0.0, 0.2, 1.0, 6.0][dice.below(4)];
            let max = min.map(|min| S::of(min + dice.fraction() * size));
            let rect = Rect::new(min.map(S::of), max);
            let answer = [whole.intersects(&rect), whole.contains(&rect)];
            let pieces =
                [each.iter().any(|piece| piece.intersects(&rect)), each.iter().any(|piece| piece.contains(&rect))];
            assert_eq!(answer, pieces, "{rect:?} of {pieces:?}");
            seen[usize::from(answer[0]) + usize::from(answer[1])] += 1;
            assert_eq!(whole.contains_point(min.map(S::of)), whole.intersects(&Rect::from_point(min.map(S::of))));
        }
        assert!(pieces < 24 || seen.iter().all(|count| 5 < *count), "{seen:?}");
        assert!(each.iter().all(|piece| whole.bounds().contains(&piece.bounds())));
    }
}

/// Without points, with one, without distance, and with numbers that are none.
fn strange_ones<S: Real, const D: usize>() {
    let mut filled = Filled::<S, D>::new(Lattice::each::<S>()[0].index(), 2);
    for at in 0..64 {
        filled.insert(at % 2 == 0, Span::at([S::of(f64::from(at)); D]));
    }
    let [nan, infinity, zero, five] = [f64::NAN, f64::INFINITY, 0.0, 5.0].map(S::of);
    let points = |ends: &[S]| ends.iter().map(|&at| [at; D]).collect::<Vec<_>>();
    let nowhere = |_, _: &Span<S, D>, _| false;
    let empty = [
        Corridor::new(points(&[]), five),
        Corridor::new(points(&[zero, nan]), five),
        Corridor::new(points(&[zero, infinity]), five),
        Corridor::new(points(&[zero, five]), nan),
        Corridor::new(points(&[zero, five]), S::of(-1.0)),
        Corridor::new(points(&[zero, five]), S::of(f64::NEG_INFINITY)),
    ];
    for empty in &empty {
        filled.ask(&empty, &nowhere);
    }
    let all = |relation, _: &Span<S, D>, _| relation != Relation::Containing;
    filled.ask(&&Corridor::new(points(&[five]), infinity), &all);
    filled.ask(&&Corridor::new(points(&[zero, five]), infinity), &all);
    let [one, twice] = [points(&[five]), points(&[five, five])].map(|points| Corridor::new(points, five));
    let ball = Ball::new([five; D], five);
    for corridor in [&one, &twice] {
        filled.ask(&corridor, &|relation, span, _| match relation {
            Relation::Intersecting => ball.intersects(&span.rect()),
            Relation::ContainedIn => ball.contains(&span.rect()),
            Relation::Containing => relation.holds(span, &Span::of_rect(&ball.bounds())),
        });
    }
    let diagonal = Corridor::new(points(&[zero, S::of(40.0)]), zero);
    assert_eq!(filled.index.intersecting(&diagonal).count(), 41);
    assert_eq!(filled.index.contained_in(&diagonal).count(), 41);
}

/// Pieces may be as long as numbers go, and as short.
#[test]
fn of_the_largest_and_smallest_numbers() {
    let [least, most] = [f64::from_bits(1), f64::MAX];
    let across = Corridor::new([[-most, -most], [most, most]], 1e300);
    assert!(across.contains_point([0.0, 1e300]) && !across.contains_point([0.0, 2e300]));
    let wide = Corridor::new([[0.0, -most], [0.0, most]], most);
    assert!(wide.contains_point([most, 0.0]) && wide.contains(&Rect::new([-most, -1.0], [most, 1.0])));
    let tiny = Corridor::new([[0.0, 0.0], [64.0 * least, 0.0]], 8.0 * least);
    assert!(tiny.contains_point([32.0 * least, 8.0 * least]) && !tiny.contains_point([32.0 * least, 9.0 * least]));
    let short = Corridor::new([[0.0, 0.0], [1e-300, 1e-300]], 1.0);
    assert!(short.contains_point([-0.6, 0.8]) && !short.contains_point([-0.9, 0.9]));
    assert!(!short.contains_point([0.8, -0.8]), "beside the middle, in a corner of the bounds");
}

/// A box as long as a steep piece, beside it as seen from one end.
#[test]
fn beside_a_steep_piece() {
    let steep = Corridor::new([[0.0_f32, 0.0, 0.0], [8.0, 8.0, 50.0]], 2.0);
    let beside = |at: f32| Rect::new([0.0, at, 0.0], [0.5, at + 1.0, 50.0]);
    assert!(steep.intersects(&beside(3.0)) && !steep.intersects(&beside(5.0)));
    // The same with the axes in another order.
    let turned = |rect: Rect<f32, 3>| {
        let ([x, y, z], [to_x, to_y, to_z]) = (rect.min(), rect.max());
        Rect::new([z, x, y], [to_z, to_x, to_y])
    };
    let steep = Corridor::new([[0.0_f32, 0.0, 0.0], [50.0, 8.0, 8.0]], 2.0);
    assert!(steep.intersects(&turned(beside(3.0))) && !steep.intersects(&turned(beside(5.0))));
}
