//! Polygons of many corners and of many rings beside a scan of all edges, which is decided by whole numbers: rough, smooth
//! and convex outlines, such as cross themselves, spirals, combs, islands in any order. The boxes begin and end at corners.

use std::f64::consts::TAU;

use quadrille::{Polygon, Quadtree, Rect};

use quadrille_support::scan::{At, Scan, ends};
use quadrille_support::{Dice, Real};

/// Numbers that `S` holds exactly, also multiplied by the step.
fn scaled<S: Real>(at: At, step: f64) -> [S; 2] {
    #[expect(clippy::cast_precision_loss, reason = "of 24 bits, or of 53")]
    at.map(|at| {
        let scaled = S::of(at as f64 * step);
        assert!((scaled.value() / step).to_bits() == (at as f64).to_bits() || at == 0, "{at} times {step}");
        scaled
    })
}

/// Boxes between corners and places right beside them, of every size, points and lines among them.
fn boxes(rings: &[Vec<At>], count: usize, dice: &mut Dice) -> Vec<[At; 2]> {
    let corners: Vec<At> = rings.iter().flatten().copied().collect();
    let mut at = |near: Option<At>| {
        let corner = corners[dice.below(corners.len())];
        let mut nudge = || [-1, 0, 0, 0, 1][dice.below(5)];
        let beside = near.map_or(corner, |near| [0, 1].map(|axis| i64::midpoint(near[axis], corner[axis])));
        beside.map(|at| at + nudge())
    };
    let one = |number: usize| {
        let a = at(None);
        let b = match number % 6 {
            0 => a,
            1 => at(None),
            2 => [at(None)[0], a[1]],
            3 => [a[0], at(None)[1]],
            _ => {
                let near = at(Some(a));
                let near = at(Some([(near[0] + 3 * a[0]) / 4, (near[1] + 3 * a[1]) / 4]));
                if number.is_multiple_of(2) { near } else { [near[0], a[1] + (near[0] - a[0]).abs()] }
            }
        };
        [[a[0].min(b[0]), a[1].min(b[1])], [a[0].max(b[0]), a[1].max(b[1])]]
    };
    (0..count).map(one).collect()
}

/// All answers about some boxes, for each step that the numbers can be multiplied by.
fn agree<S: Real>(about: &str, rings: &[Vec<At>], steps: &[f64], dice: &mut Dice) {
    let scan = Scan::of(rings);
    let [min, max] = [0, 1].map(|end| {
        [0, 1].map(|axis| {
            let ends = scan.0.iter().map(|edge| ends(*edge, axis)[end]);
            if end == 0 { ends.min() } else { ends.max() }.expect("edges")
        })
    });
    let is_within = |part: &[At; 2]| (0..2).all(|axis| min[axis] <= part[0][axis] && part[1][axis] <= max[axis]);
    let boxes = boxes(rings, 240, dice);
    let expected: Vec<_> =
        boxes.iter().map(|part| [scan.intersects(*part), is_within(part) && scan.contains(*part)]).collect();
    for &step in steps {
        let ring = |ring: &Vec<At>| ring.iter().map(|&at| scaled::<S>(at, step)).collect::<Vec<_>>();
        let polygon =
            rings[1..].iter().fold(Polygon::new(ring(&rings[0])), |polygon, more| polygon.with_ring(ring(more)));
        for (part, expected) in boxes.iter().zip(&expected) {
            let [min, max] = part.map(|at| scaled::<S>(at, step));
            let rect = Rect::new(min, max);
            assert_eq!(
                [polygon.intersects(&rect), polygon.contains(&rect)],
                *expected,
                "{about}: {part:?} at {step:e}"
            );
            assert!(min != max || polygon.contains_point(min) == expected[0]);
        }
    }
    let of = |answer: [bool; 2]| expected.iter().filter(|expected| **expected == answer).count();
    let all = [[false, false], [true, false], [true, true]].map(of);
    assert!(all.iter().all(|count| 0 < *count), "{about} has all answers: {all:?}");
}

#[expect(clippy::cast_possible_truncation, reason = "of 53 bits at most")]
fn around(corners: u32, radius: impl Fn(f64) -> f64) -> Vec<At> {
    let corner = |number: u32| {
        let turn = f64::from(number) / f64::from(corners) * TAU;
        let radius = radius(turn);
        [(radius * turn.cos()) as i64, (radius * turn.sin()) as i64]
    };
    (0..corners).map(corner).collect()
}

/// One ring of about so many corners, by name.
fn outlines(corners: u32, size: f64, dice: &mut Dice) -> Vec<(&'static str, Vec<Vec<At>>)> {
    let noise: Vec<f64> = (0..corners).map(|_| dice.fraction()).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of a corner")]
    let rough =
        |turn: f64| size * (0.4 + 0.6 * noise[(turn / TAU * f64::from(corners)).round() as usize % noise.len()]);
    let smooth = |turn: f64| size * (0.7 + 0.2 * (5.0 * turn).sin() + 0.1 * (17.0 * turn).cos());
    let convex = around(corners, |_| size);
    let mut clockwise = convex.clone();
    clockwise.reverse();
    // Three times around, then back beside the way out.
    let turns = |turn: f64, inner: f64| size * (0.1 + 0.25 * turn / TAU - inner);
    let out = |inner: f64| {
        let way = (0..corners / 2).map(move |number| f64::from(number) / f64::from(corners / 2) * 3.0 * TAU);
        #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
        way.map(move |turn| [turn.cos(), turn.sin()].map(|part| (part * turns(turn, inner)) as i64))
    };
    let back: Vec<At> = out(0.05).collect();
    let spiral = out(0.0).chain(back.into_iter().rev()).collect();
    #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
    let tooth = (size / f64::from(corners) * 4.0).max(2.0) as i64;
    let comb = (0..i64::from(corners))
        .map(|number| [number * tooth / 2, [0, 10, 10, 0][number.unsigned_abs() as usize % 4] * tooth]);
    let mut comb: Vec<At> = comb.collect();
    comb.extend([[comb[comb.len() - 1][0], -tooth], [0, -tooth]]);
    vec![
        ("rough", vec![around(corners, rough)]),
        ("smooth", vec![around(corners, smooth)]),
        ("convex", vec![convex]),
        ("convex, clockwise", vec![clockwise]),
        ("with a rough hole", vec![around(corners, |_| size), around(corners, |turn| rough(turn) * 0.9)]),
        ("spiral", vec![spiral]),
        ("comb", vec![comb]),
    ]
}

/// Corners drawn from a few places, so that edges coincide, cross, and have no length.
fn crossing(corners: usize, side: usize, dice: &mut Dice) -> Vec<At> {
    #[expect(clippy::cast_possible_wrap, reason = "small numbers")]
    (0..corners).map(|_| [(); 2].map(|()| dice.below(side) as i64)).collect()
}

/// Small rings in any order, apart from each other, some with a hole, which comes much later.
fn islands(count: i64, corners: u32, dice: &mut Dice) -> Vec<Vec<At>> {
    let mut rings: Vec<Vec<At>> = Vec::new();
    for number in 0..count * count {
        let (x, y) = (number % count * 256, number / count * 256);
        let mut place = |ring: Vec<At>| {
            rings.push(ring.into_iter().map(|at| [at[0] + x, at[1] + y]).collect());
            let other = dice.below(rings.len());
            let last = rings.len() - 1;
            rings.swap(other, last);
        };
        place(around(corners, |turn| 90.0 + 40.0 * (3.0 * turn).sin()));
        if number % 3 == 0 {
            place(around(corners / 2, |turn| 30.0 + 15.0 * (2.0 * turn).sin()));
        }
    }
    rings
}

fn steps<S: Real>() -> [f64; 3] {
    let far = if S::FAR < 1e8 { [100, -120] } else { [960, -1000] };
    [1.0, 2.0_f64.powi(far[0]), 2.0_f64.powi(far[1])]
}

fn as_a_scan_says<S: Real>() {
    let mut dice = Dice::new(1);
    let size = if S::FAR < 1e8 { 3e6 } else { 2e15 };
    for corners in [23, 25, 64, 65, 300, 1100] {
        for (name, rings) in outlines(corners, size, &mut dice) {
            agree::<S>(
                &format!("{name}, {corners}"),
                &rings,
                &steps::<S>()[..if corners < 1000 { 3 } else { 1 }],
                &mut dice,
            );
        }
    }
    for (corners, side) in [(24, 5), (30, 9), (90, 9), (200, 30), (600, 200)] {
        for _ in 0..4 {
            let rings = [crossing(corners, side, &mut dice), crossing(corners / 3, side, &mut dice)];
            agree::<S>(&format!("crossing, {corners}"), &rings, &steps::<S>(), &mut dice);
        }
    }
    for (count, corners) in [(3, 4), (4, 13), (12, 8)] {
        agree::<S>(
            &format!("islands of {corners}"),
            &islands(count, corners, &mut dice),
            &steps::<S>()[..1],
            &mut dice,
        );
    }
}

#[test]
fn as_a_scan_says_f32() {
    as_a_scan_says::<f32>();
}

#[test]
fn as_a_scan_says_f64() {
    as_a_scan_says::<f64>();
}

/// Objects so close together that a query looks first at the edges near all of them, which are longer than all of these are
/// apart: at corners, on edges, between them, and beyond the polygon.
fn crowds_among_long_edges<S: Real>() {
    let mut dice = Dice::new(11);
    for (corners, side) in [(24, 5), (60, 9), (200, 60)] {
        let rings: [Vec<At>; 2] = [corners, corners / 3]
            .map(|corners| crossing(corners, side, &mut dice).into_iter().map(|at| at.map(|at| 8 * at)).collect());
        let scan = Scan::of(&rings);
        for step in steps::<S>().into_iter().take(2) {
            let ring = |ring: &Vec<At>| ring.iter().map(|&at| scaled::<S>(at, step)).collect::<Vec<_>>();
            let polygon = Polygon::new(ring(&rings[0])).with_ring(ring(&rings[1]));
            let world = Rect::new(scaled::<S>([-64; 2], step), scaled::<S>([576; 2], step));
            let mut index: Quadtree<[At; 2], S> = Quadtree::new(world).unwrap();
            let (points, boxes) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
            for _ in 0..20 {
                let corner = rings[0][dice.below(rings[0].len())];
                for number in 0..60 {
                    let min = corner.map(|at| at + [-6, -5, -3, -2, -1, 0, 1, 2, 4, 5][dice.below(10)]);
                    let max = min.map(|at| at + [0, 0, 1, 3][dice.below(4)]);
                    let rect = Rect::new(scaled::<S>(min, step), scaled::<S>(max, step));
                    if number % 2 == 0 {
                        index.insert(points, rect.min(), [min; 2]).unwrap();
                    } else {
                        index.insert(boxes, rect, [min, max]).unwrap();
                    }
                }
            }
            let inside =
                |part: &[At; 2]| polygon.bounds().contains(&Rect::new(scaled(part[0], step), scaled(part[1], step)));
            let found = |query: &mut dyn Iterator<Item = [At; 2]>| {
                let mut found: Vec<_> = query.collect();
                found.sort_unstable();
                found
            };
            let all =
                |holds: &dyn Fn(&[At; 2]) -> bool| found(&mut index.iter().map(|object| *object.value()).filter(holds));
            assert_eq!(
                found(&mut index.intersecting(&polygon).map(|object| *object.value())),
                all(&|part| scan.intersects(*part)),
            );
            assert_eq!(
                found(&mut index.contained_in(&polygon).map(|object| *object.value())),
                all(&|part| inside(part) && scan.contains(*part)),
            );
        }
    }
}

#[test]
fn crowds_among_long_edges_f32() {
    crowds_among_long_edges::<f32>();
}

#[test]
fn crowds_among_long_edges_f64() {
    crowds_among_long_edges::<f64>();
}

/// Rings of quite different sizes, each with coordinates that are tiny beside those of the next.
#[test]
fn each_ring_outgrows_the_last() {
    let mut dice = Dice::new(5);
    let square = |half: i64| vec![[-half, -half], [half, -half], [half, half], [-half, half]];
    let mut rings: Vec<Vec<At>> = (0..50).map(|power| square(1 << power)).collect();
    agree::<f64>("squares", &rings, &steps::<f64>(), &mut dice);
    rings.reverse();
    agree::<f64>("squares, the largest first", &rings, &steps::<f64>(), &mut dice);
}

/// A polygon is what its rings are, however they come: the same edges make the same answers, but only the same order makes it equal.
#[test]
fn the_order_of_rings_does_not_matter() {
    let mut dice = Dice::new(7);
    let rings = islands(6, 9, &mut dice);
    let polygon = |rings: &[Vec<At>]| {
        let ring = |ring: &Vec<At>| ring.iter().map(|&at| scaled::<f32>(at, 1.0)).collect::<Vec<_>>();
        rings[1..].iter().fold(Polygon::new(ring(&rings[0])), |polygon, more| polygon.with_ring(ring(more)))
    };
    let (one, mut reversed) = (polygon(&rings), rings.clone());
    reversed.reverse();
    let other = polygon(&reversed);
    assert!(one == polygon(&rings) && one != other);
    assert!(
        one.edges().eq(rings
            .iter()
            .flat_map(|ring| Scan::of(std::slice::from_ref(ring)).0)
            .map(|edge| edge.map(|at| scaled::<f32>(at, 1.0))))
    );
    for [min, max] in boxes(&rings, 2000, &mut dice) {
        let rect = Rect::new(scaled(min, 1.0), scaled(max, 1.0));
        let [one, other] = [&one, &other].map(|polygon| [polygon.intersects(&rect), polygon.contains(&rect)]);
        assert_eq!(one, other, "{rect:?}");
    }
}

/// Ten thousand rings, one by one, and as many questions: neither takes a time that grows with the square.
#[test]
fn ten_thousand_islands() {
    let mut dice = Dice::new(3);
    let rings = islands(87, 4, &mut dice);
    let polygon = rings.iter().fold(Polygon::new([[0.0_f32; 2]; 0]), |polygon, ring| {
        polygon.with_ring(ring.iter().map(|&at| scaled::<f32>(at, 1.0)))
    });
    let inside =
        (0..30_000).filter(|_| polygon.contains_point([(); 2].map(|()| f32::of(dice.fraction() * 87.0 * 256.0))));
    let inside = inside.count();
    assert!((1_000..20_000).contains(&inside), "{inside}");
}
