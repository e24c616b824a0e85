//! Polygons with holes, against exact fractions on a lattice; several regions as one, against each of them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use quadrille::{AnyOf, Ball, Handle, IntoRegion, Polygon, Rect, Region, Segment};

use quadrille_support::filled::Filled;
use quadrille_support::lattice::{Block, Knot, Lattice, blocks};
use quadrille_support::oracle::{Relation, Span, sorted};
use quadrille_support::properties::for_all;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{Dice, Real, in_one_space};

in_one_space!(any_of_several);

/// The directions in which rings have corners, from their center.
const DIRECTIONS: [[i64; 2]; 16] = [
    [2, 0],
    [2, 1],
    [1, 1],
    [1, 2],
    [0, 2],
    [-1, 2],
    [-1, 1],
    [-2, 1],
    [-2, 0],
    [-2, -1],
    [-1, -1],
    [-1, -2],
    [0, -2],
    [1, -2],
    [1, -1],
    [2, -1],
];

/// Rings around one center, each within the one before: how far their corners are in each direction.
fn rings() -> impl Strategy<Value = Vec<Vec<Knot>>> {
    let lengths = prop::collection::vec(prop::collection::vec(0_i64..5, 16), 1..4);
    (lengths, [5_i64..12, 5_i64..12], any::<bool>()).prop_map(|(lengths, center, closes)| {
        let mut outer = vec![6; 16];
        // Not even a hole of no area: both of its sides would be inside.
        let mut least = [2, 1, 0].into_iter();
        let ring = |lengths: Vec<i64>| {
            let least = least.next().expect("three rings at most");
            outer = outer.iter().zip(lengths).map(|(&outer, length)| (outer - 1).min(length + least)).collect();
            let corner = |(length, [x, y]): (&i64, [i64; 2])| [center[0] + length * x, center[1] + length * y, 0];
            let mut corners: Vec<_> = outer.iter().zip(DIRECTIONS).map(corner).collect();
            corners.extend(closes.then(|| corners[0]));
            corners
        };
        lengths.into_iter().map(ring).collect()
    })
}

/// A fraction, the denominator above 0.
#[derive(Clone, Copy, Debug)]
struct Fraction(i64, i64);

impl Fraction {
    fn new(numerator: i64, denominator: i64) -> Self {
        if denominator < 0 { Self(-numerator, -denominator) } else { Self(numerator, denominator) }
    }

    fn middle(a: Self, b: Self) -> Self {
        Self(a.0 * b.1 + b.0 * a.1, 2 * a.1 * b.1)
    }

    fn compare(self, other: Self) -> std::cmp::Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
}

/// The oracle: points of fractions on horizontal lines, decided by whole numbers.
struct Rings<'a>(&'a [Vec<Knot>]);

impl Rings<'_> {
    fn edges(&self) -> impl Iterator<Item = [Knot; 2]> + '_ {
        self.0.iter().flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)).map(|(&from, &to)| [from, to]))
    }

    /// Whether the point at `x` on the line `twice_y / 2` is inside or on an edge.
    fn holds(&self, x: Fraction, twice_y: i64) -> bool {
        let mut is_inside = false;
        for [[x0, y0, _], [x1, y1, _]] in self.edges() {
            let (y0, y1) = (2 * y0, 2 * y1);
            if y0 == y1 {
                let ends = [Fraction(x0.min(x1), 1), Fraction(x0.max(x1), 1)];
                if y0 == twice_y && ends[0].compare(x).is_le() && x.compare(ends[1]).is_le() {
                    return true;
                }
                continue;
            }
            if twice_y < y0.min(y1) || y0.max(y1) < twice_y {
                continue;
            }
            let crossing = Fraction::new(x0 * (y1 - y0) + (x1 - x0) * (twice_y - y0), y1 - y0);
            if crossing.compare(x).is_eq() {
                return true;
            }
            // Of the ends of an edge the upper one belongs to it: each height is crossed once.
            is_inside ^= (y0 < twice_y) != (y1 < twice_y) && crossing.compare(x).is_lt();
        }
        is_inside
    }

    /// Where edges meet the line `twice_y / 2` from `first` to `last`, those ends included.
    fn cuts(&self, twice_y: i64, [first, last]: [i64; 2]) -> Vec<Fraction> {
        let mut cuts = vec![Fraction(first, 1), Fraction(last, 1)];
        for [[x0, y0, _], [x1, y1, _]] in self.edges() {
            let (y0, y1) = (2 * y0, 2 * y1);
            if y0 == y1 {
                cuts.extend([x0, x1].into_iter().filter(|_| y0 == twice_y).map(|x| Fraction(x, 1)));
            } else if y0.min(y1) <= twice_y && twice_y <= y0.max(y1) {
                cuts.push(Fraction::new(x0 * (y1 - y0) + (x1 - x0) * (twice_y - y0), y1 - y0));
            }
        }
        let ends = [Fraction(first, 1), Fraction(last, 1)];
        cuts.retain(|cut| ends[0].compare(*cut).is_le() && cut.compare(ends[1]).is_le());
        cuts.sort_by(|a, b| a.compare(*b));
        cuts
    }

    /// Points of a line, of which some lie in the rings if any of the line does, and all if the whole line does.
    fn samples(&self, twice_y: i64, ends: [i64; 2]) -> Vec<bool> {
        let cuts = self.cuts(twice_y, ends);
        let middles = cuts.windows(2).map(|pair| Fraction::middle(pair[0], pair[1]));
        cuts.iter().copied().chain(middles).map(|x| self.holds(x, twice_y)).collect()
    }

    /// The same of the sides of a box and of lines across it. They are enough: a part of the plane between edges that the
    /// box meets either reaches one of its sides, or lies inside and reaches from one whole height to the next.
    fn of_box(&self, block: &Block) -> Vec<bool> {
        let ([x0, y0, _], [x1, y1, _]) = (block.min, block.max);
        let mut samples: Vec<bool> = (2 * y0..=2 * y1).flat_map(|twice_y| self.samples(twice_y, [x0, x1])).collect();
        let transposed: Vec<Vec<Knot>> =
            self.0.iter().map(|ring| ring.iter().map(|&[x, y, _]| [y, x, 0]).collect()).collect();
        samples.extend([x0, x1].into_iter().flat_map(|x| Rings(&transposed).samples(2 * x, [y0, y1])));
        samples
    }

    fn bounds(&self) -> Block {
        let corners = self.0.iter().flatten().map(|&[x, y, _]| Block { min: [x, y, 0], max: [x, y, 0] });
        corners
            .reduce(|a, b| Block {
                min: std::array::from_fn(|axis| a.min[axis].min(b.min[axis])),
                max: std::array::from_fn(|axis| a.max[axis].max(b.max[axis])),
            })
            .expect("corners")
    }

    fn answer(&self, relation: Relation, block: &Block) -> bool {
        match relation {
            Relation::Intersecting => self.of_box(block).contains(&true),
            Relation::ContainedIn => !self.of_box(block).contains(&false),
            Relation::Containing => {
                let Block { min, max } = self.bounds();
                (0..2).all(|axis| block.min[axis] <= min[axis] && max[axis] <= block.max[axis])
            }
        }
    }
}

fn polygon<S: Real>(lattice: &Lattice, rings: &[Vec<Knot>]) -> Polygon<S> {
    let points = |ring: &[Knot]| ring.iter().map(|&corner| lattice.point::<S, 2>(corner)).collect::<Vec<_>>();
    let hollow = |polygon: Polygon<S>, ring: &Vec<Knot>| polygon.with_ring(points(ring));
    rings[1..].iter().fold(Polygon::new(points(&rings[0])), hollow)
}

/// All queries about polygons with holes and islands, in plain numbers and in the largest and smallest.
fn on_a_lattice<S: Real>() {
    let lattices = Lattice::each::<S>();
    for_all(64, (0..lattices.len(), 1_u32..12, blocks(), rings()), |(lattice, split_above, blocks, rings)| {
        let lattice = lattices[lattice];
        let mut filled = Filled::<S, 2>::new(lattice.index(), split_above);
        let (polygon, oracle) = (polygon::<S>(&lattice, &rings), Rings(&rings));
        let insert = |(rects, block): (bool, Block)| {
            let answers = Relation::EVERY.map(|relation| oracle.answer(relation, &block));
            (filled.insert(rects, lattice.span(&block)), answers)
        };
        let answers: BTreeMap<Handle, [bool; 3]> = blocks.into_iter().map(insert).collect();
        filled.ask(&&polygon, &|relation, _, handle| answers[&handle][relation as usize]);
    });
}

#[cfg(not(feature = "other-spaces"))]
#[test]
fn on_a_lattice_f32() {
    on_a_lattice::<f32>();
}

#[cfg(feature = "other-spaces")]
#[test]
fn on_a_lattice_f64() {
    on_a_lattice::<f64>();
}

/// A convex polygon is asked in a way of its own, which gives the same answers. A ring that is a corner of the other one
/// makes it one of several rings, and changes nothing else.
#[test]
fn convex_ones_agree() {
    let corners = [[10.0_f32, 0.0], [20.0, 10.0], [15.0, 25.0], [0.0, 20.0], [0.0, 20.0], [2.0, 6.0]];
    let mut clockwise = corners;
    clockwise.reverse();
    for corners in [corners, clockwise] {
        let polygon = Polygon::new(corners);
        agree(&polygon, &polygon.clone().with_ring([corners[0]]));
    }
}

fn agree(convex: &Polygon, polygon: &Polygon) {
    assert_eq!(convex.bounds(), polygon.bounds());
    let mut dice = Dice::new(9);
    let mut answers = BTreeSet::new();
    for _ in 0..5000 {
        let mut at = || [dice.fraction() * 26.0 - 3.0, dice.fraction() * 31.0 - 3.0].map(f32::of);
        let (min, size) = (at(), at());
        let rect = Rect::new(min, [min[0] + size[0] * 0.2, min[1] + size[1] * 0.2]);
        let answer = [polygon.intersects(&rect), polygon.contains(&rect)];
        assert_eq!(answer, [convex.intersects(&rect), convex.contains(&rect)], "{rect:?}");
        answers.insert(answer);
    }
    assert_eq!(answers.len(), 3);
}

/// Rings that turn to one side only, but more than once around, are not convex: where they overlap is outside.
#[test]
fn rings_that_go_around_twice() {
    let corners = [[10.0_f32, 0.0], [20.0, 10.0], [15.0, 25.0], [5.0, 25.0], [0.0, 10.0]];
    let star = [0, 2, 4, 1, 3].map(|corner| corners[corner]);
    let twice = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4].map(|corner| corners[corner]);
    for polygon in [Polygon::new(star), Polygon::new(twice)] {
        assert!(!polygon.intersects(&Rect::from_point([10.0, 13.0])), "{polygon:?}");
        assert!(polygon.contains(&Rect::from_point([10.0, 0.0])), "{polygon:?}");
    }
}

/// A ring that runs out along a level line and back, and turns to the left everywhere else, is not convex.
#[test]
fn a_ring_with_a_level_spike() {
    let ring = [[0.0_f32, 0.0], [4.0, 0.0], [1.0, 0.0], [1.0, -2.0], [5.0, 3.0], [0.0, 3.0]];
    let mut clockwise = ring;
    clockwise.reverse();
    for polygon in [ring, clockwise].map(Polygon::new) {
        let inside = [[1.5, -0.5], [3.0, 2.0], [4.0, 0.0]].map(|at| polygon.contains_point(at));
        assert_eq!((inside, polygon.contains_point([0.5, -0.5])), ([true; 3], false), "{polygon:?}");
    }
}

/// A ring so large that all are scaled anew: the others are still found where they are.
#[test]
fn a_huge_ring_beside_a_small_one() {
    let corners = (0..100).map(|number| f64::from(number) / 100.0 * std::f64::consts::TAU);
    let circle = Polygon::new(corners.map(|turn| [turn.cos() * 100.0, turn.sin() * 100.0]));
    let both = circle.clone().with_ring([[1e90, 1e90], [2e90, 1e90], [1e90, 2e90]]);
    let places = [[0.0, 0.0], [99.0, 0.0], [101.0, 0.0], [0.0, -99.0], [70.0, 70.0], [71.0, 71.0]];
    let inside = places.map(|at| circle.contains_point(at));
    assert_eq!(inside, [true, true, false, true, true, false]);
    assert_eq!(places.map(|at| both.contains_point(at)), inside);
    assert!(both.contains_point([1.25e90, 1.25e90]) && !both.contains_point([5e89, 5e89]));
}

/// Without corners, with one, with two, and with numbers that are none.
#[test]
fn degenerate_ones() {
    let nothing = Polygon::<f32>::new([[0.0_f32; 2]; 0]);
    assert!(!nothing.intersects(&Rect::everything()) && !nothing.contains(&Rect::from_point([0.0, 0.0])));
    let later = nothing.clone().with_ring([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]).with_ring([[0.0_f32; 2]; 0]);
    assert!(later.contains(&Rect::from_point([0.5, 0.5])), "a ring without corners changes nothing");
    for bad in [f32::NAN, f32::INFINITY] {
        let refused = [later.clone().with_ring([[bad, 0.0]]), Polygon::new([[0.0, bad]]).with_ring([[1.0, 1.0]])];
        assert!(refused.iter().all(|polygon| !polygon.intersects(&Rect::everything())), "{bad}");
    }
    let point = Polygon::new([[3.0_f32, 4.0]]);
    assert!(point.contains(&Rect::from_point([3.0, 4.0])) && !point.intersects(&Rect::from_point([3.0, 4.5])));
    let line = Polygon::new([[1.0_f64, 1.0], [4.0, 1.0]]);
    assert!(
        line.contains(&Rect::new([1.0, 1.0], [4.0, 1.0]))
            && !line.intersects(&Rect::from_point([2.0, 1.0_f64.next_up()]))
    );
    assert!(!line.contains(&Rect::new([1.0, 1.0], [4.5, 1.0])));
}

/// Corners may be twice the largest number apart.
#[test]
fn of_the_largest_numbers() {
    let corners = [[-f64::MAX, -f64::MAX], [f64::MAX, -f64::MAX], [f64::MAX, f64::MAX]];
    let convex = Polygon::new(corners);
    let polygon = convex.clone().with_ring([corners[0]]);
    for (place, is_inside) in [([0.0, 0.0], true), ([0.0, -1e300], true), ([0.0, 1e300], false)] {
        let rect = Rect::from_point(place);
        assert_eq!([polygon.intersects(&rect), polygon.contains(&rect)], [is_inside; 2], "{place:?}");
        assert_eq!([convex.intersects(&rect), convex.contains(&rect)], [is_inside; 2], "{place:?}, convex");
    }
}

/// Any of several is each of them, each object once.
/// A box lies inside where edges end at its sides and corners, whichever way they go.
#[test]
fn edges_may_end_at_a_box() {
    let around = Polygon::new([[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]]);
    let unit = Rect::new([-1.0, -1.0], [1.0, 1.0]);
    let ends = [[-1.0, -1.0], [-1.0, 0.0], [-1.0, 1.0], [0.0, -1.0], [0.0, 1.0], [1.0, -1.0], [1.0, 0.0], [1.0, 1.0]];
    for end @ [x, y] in ends {
        let hole = [end, [4.0 * x, 4.0 * y], [4.0 * x - y, 4.0 * y + x]];
        for hole in [hole, [hole[0], hole[2], hole[1]]] {
            assert!(around.clone().with_ring(hole).contains(&unit), "{hole:?}");
        }
    }
}

/// A line lies inside if its ends are on edges, whichever way these go, but not if it leaves through a corner.
#[test]
fn lines_end_at_edges_and_leave_through_corners() {
    let diamond = [[0.0, -4.0], [4.0, 0.0], [0.0, 4.0], [-4.0, 0.0]];
    let beyond = [[8.0, 8.0], [9.0, 8.0], [9.0, 9.0], [8.0, 9.0]];
    for reversed in [false, true] {
        let mut ring = diamond;
        if reversed {
            ring.reverse();
        }
        let polygon = Polygon::new(ring).with_ring(beyond);
        let lines =
            [([-3.0, 1.0], [3.0, 1.0], true), ([-1.0, 1.0], [4.0, 1.0], false), ([1.0, 0.0], [8.0, 0.0], false)];
        for (from, to, is_inside) in lines {
            assert_eq!(polygon.contains(&Rect::new(from, to)), is_inside, "{from:?} {to:?} of {ring:?}");
            let transposed = Rect::new([from[1], from[0]], [to[1], to[0]]);
            assert_eq!(polygon.contains(&transposed), is_inside, "{transposed:?} of {ring:?}");
        }
    }
}

/// Numbers that are too small to count beside the largest corner count as 0.
#[test]
fn small_numbers_count_as_zero() {
    let above_the_diagonal = Polygon::new([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    let meets = |x: f64| above_the_diagonal.intersects(&Rect::from_point([x, 0.0]));
    assert_eq!([0.0, 1e-200, 1e-100].map(meets), [true, true, false]);
}

fn any_of_several<S: Real, const D: usize>() {
    let mut filled = Filled::<S, D>::new(roomy_scenes::<S>()[0].index(), 4);
    let mut dice = Dice::new(17);
    let mut at = |scale: f64| -> [S; D] { std::array::from_fn(|_| S::of((dice.fraction() * 16.0).floor() * scale)) };
    for number in 0..200 {
        let min = at(if number % 3 == 0 { 4.0 } else { 1.0 });
        let max: [S; D] = at(0.25);
        let max = std::array::from_fn(|axis| S::of(min[axis].value() + max[axis].value()));
        let rects = number % 2 == 0;
        filled.insert(rects, if rects { Span { min, max } } else { Span::at(min) });
    }
    let corner = |number: f64| [S::of(number); D];
    let balls = [8.0, 12.0, 44.0].map(|center| Ball::new(corner(center), S::of(9.0)));
    let rects = [(0.0, 12.0), (8.0, 16.0), (40.0, 41.0)].map(|(min, max)| Rect::new(corner(min), corner(max)));
    let segments = [(0.0, 60.0), (2.0, 31.0)].map(|(from, to)| Segment::new(corner(from), corner(to)));
    macro_rules! assert_union {
        ($($regions:expr),+) => {$(
            let regions = $regions;
            let any = AnyOf::new(regions);
            assert_eq!(any.regions().count(), regions.len());
            let bounds = Span::of_rect(&any.bounds());
            for region in regions {
                assert!(any.bounds().contains(&Region::<S, D>::bounds(&region)));
            }
            filled.ask(&&any, &|relation, span, _| match relation {
                Relation::Intersecting => regions.iter().any(|region| {
                    Region::<S, D>::bounds(region).intersection(&span.rect()).is_some_and(|part| region.intersects(&part))
                }),
                Relation::ContainedIn => regions.iter().any(|region| region.contains(&span.rect())),
                Relation::Containing => relation.holds(span, &bounds),
            });
            let mut each: Vec<Handle> = Vec::new();
            for region in regions {
                each.extend(filled.index.intersecting(region).map(|object| object.handle()));
            }
            let apart = each.len();
            each.sort_unstable();
            each.dedup();
            assert!(each.len() < apart, "some are met twice");
            assert_eq!(sorted(filled.index.intersecting(&any).map(|object| object.handle())), each);
            assert_eq!(filled.index.intersecting(any).count(), each.len());
        )+};
    }
    assert_union!(balls, rects, segments);
    let none = AnyOf::<Rect<S, D>, S, D>::new([Rect::from_point([S::of(f64::NAN); D])]);
    assert!(none.regions().next().is_none() && !filled.index.intersecting(&none).exists());
    let points = AnyOf::<Rect<S, D>, S, D>::new([corner(4.0), corner(8.0)]);
    let found = filled.index.intersecting(points.into_region()).count();
    assert_eq!(found, [4.0, 8.0].map(|at| filled.index.intersecting(corner(at)).count()).into_iter().sum::<usize>());
}
