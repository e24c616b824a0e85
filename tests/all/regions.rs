//! Regions that are not boxes: every shape and every query against a linear list, exact on a lattice of whole numbers,
//! and at awkward coordinates against the shapes' own answers; the rules that implementors must keep.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use quadrille::{
    AnyOf, Ball, Convex, Corridor, HalfSpace, Handle, IntoRegion, KnownShape, Polygon, Query, Rect, Region, Segment,
};

use quadrille_support::filled::{Filled, common, drained_in_every_way};
use quadrille_support::lattice::{Block, Figure, Lattice, blocks, figure, hull, polygon};
use quadrille_support::oracle::{Relation, Span, sorted};
use quadrille_support::properties::for_all;
use quadrille_support::scene::{Scene, roomy_scenes, scenes};
use quadrille_support::shapes::{Asks, Ring, drawn};
use quadrille_support::spot::{Outline, Spot, outline};
use quadrille_support::{Real, assert_sound, in_one_space, in_spaces};

/// Runs generic tests of polygons for one scalar, and with the feature `other-spaces` for the other one.
macro_rules! in_plane {
    ($($test:ident),+ $(,)?) => {
        $(mod $test {
            #[cfg(not(feature = "other-spaces"))]
            #[test]
            fn f32() {
                super::$test::<f32>();
            }

            #[cfg(feature = "other-spaces")]
            #[test]
            fn f64() {
                super::$test::<f64>();
            }
        })+
    };
}

in_plane!(polygons_on_a_lattice, polygons_at_awkward_places, polygons_keep_the_rules);
in_one_space!(
    known_behind_a_pointer,
    figures_on_a_lattice,
    shapes_at_awkward_places,
    nowhere_and_everywhere,
    a_dense_crowd,
    touching
);
in_spaces!(implementors_keep_the_rules);

/// Whoever takes corners from elsewhere can see that a region meets nothing.
#[test]
fn bounds_of_empty_regions_are_empty() {
    fn assert_empty(region: &impl Region<f32, 2>) {
        assert!(region.bounds().is_empty(), "{:?}", region.bounds());
        assert!(!region.intersects(&Rect::everything()));
    }
    let (square, plain) = ([[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]], Rect::new([0.0_f32, 0.0], [9.0, 9.0]));
    assert!(!plain.is_empty() && !Rect::from_point([0.0_f32, 0.0]).is_empty() && !Rect::<f32>::everything().is_empty());
    assert!(!Region::<f32, 2>::bounds(&Polygon::new(square)).is_empty());
    assert_empty(&plain.expanded(-5.0));
    assert_empty(&Polygon::<f32>::new(Vec::<[f32; 2]>::new()));
    for odd in [f32::NAN, f32::INFINITY] {
        assert_empty(&Polygon::new([[0.0, 0.0], [9.0, odd], [9.0, 9.0]]));
        assert_empty(&Polygon::new(square).with_ring([[odd, 2.0]]).with_ring(square));
        assert_empty(&Segment::new([0.0, 0.0], [odd, 9.0]));
        assert_empty(&Corridor::new([[0.0, 0.0], [odd, 9.0]], 1.0));
    }
    assert_empty(&Ball::new([0.0, f32::NAN], 1.0));
    assert_empty(&Ball::new([0.0, 0.0], f32::NAN));
    assert_empty(&Ball::new([0.0, 0.0], -1.0));
    assert_empty(&Corridor::<f32, 2>::new(Vec::<[f32; 2]>::new(), 1.0));
    assert_empty(&AnyOf::new(Vec::<Ball<f32, 2>>::new()));
    assert_empty(&Convex::new(&[HalfSpace::new([1.0, f32::NAN], 1.0)]).within(plain));
}

/// A region that is kept, and asked about by reference.
#[test]
fn regions_by_reference() {
    let mut filled = Filled::<f32, 2>::new(Lattice::each::<f32>()[0].index(), 4);
    for at in 0_u8..64 {
        filled.insert(false, Span::at([f32::from(at), 32.0]));
    }
    let ring = Ring::new([32.0, 32.0], 8.0, 16.0);
    let handles = |query: Query<'_, u32, _, f32, 2, &Ring<f32, 2>>| {
        drained_in_every_way::<quadrille::Intersecting, _, 2, _>(query, Handle::default())
    };
    let by_value: Vec<_> = filled.index.intersecting(ring).map(|object| object.handle()).collect();
    assert_eq!(handles(filled.index.intersecting(&ring)), by_value);
    assert_eq!(by_value.len(), 18);
}

/// A region that another one is in, behind a pointer. It may keep to itself what that is, and counts the boxes that it is asked about.
#[derive(Debug)]
struct Held<R> {
    region: Box<R>,
    tells: bool,
    asked: Cell<u32>,
}

impl<S: Real, const D: usize, R: Region<S, D>> Region<S, D> for Held<R> {
    fn bounds(&self) -> Rect<S, D> {
        self.region.bounds()
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.region.intersects(rect)
    }

    fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.region.contains(rect)
    }

    fn shape(&self) -> KnownShape<'_, S, D> {
        if self.tells { self.region.shape() } else { KnownShape::Other }
    }
}

impl<S: Real, const D: usize, R: Region<S, D>> IntoRegion<S, D> for &Held<R> {
    type Region = Self;

    fn into_region(self) -> Self {
        self
    }
}

/// Queries learn a shape from `shape` as they do from its type: they answer alike, and hardly ask the region.
fn known_behind_a_pointer<S: Real, const D: usize>() {
    let mut filled = Filled::<S, D>::new(Lattice::each::<S>()[0].index(), 4);
    let mut dice = quadrille_support::Dice::new(3);
    for number in 0..3000 {
        let min = [(); D].map(|()| dice.fraction() * 60.0);
        let extent = if number % 2 == 0 { 0.0 } else { dice.fraction() * 4.0 };
        let span = Rect::new(min.map(S::of), min.map(|at| S::of(at + extent)));
        filled.insert(number % 2 == 1, Span::of_rect(&span));
    }
    let point = |at: f64| [S::of(at); D];
    compare_held(&filled, Rect::new(point(11.0), point(40.5)), 0.0);
    compare_held(&filled, Ball::new(point(30.0), S::of(9.5)), 0.7);
    compare_held(&filled, Segment::new(point(-3.0), point(59.0)), 0.5);
}

/// Of the questions to a region that keeps its shape to itself, at most a part is asked of one that tells it.
fn compare_held<S: Real, const D: usize, R>(filled: &Filled<S, D>, region: R, part: f64)
where
    R: Region<S, D> + IntoRegion<S, D, Region = R> + Copy + Debug,
{
    let index = &filled.index;
    let [telling, silent] = [true, false].map(|tells| Held { region: Box::new(region), tells, asked: Cell::new(0) });
    let torus = quadrille::Periodic::new(index.world()).expect("a world");
    macro_rules! alike {
        ($($query:ident)+) => {$(
            let plain: Vec<_> = index.$query(region).map(|object| object.handle()).collect();
            assert!(!plain.is_empty() || stringify!($query) == "containing" || stringify!($query) == "contained_in");
            for held in [&telling, &silent] {
                assert!(index.$query(held).map(|object| object.handle()).eq(plain.iter().copied()), "{held:?}");
                assert_eq!(index.$query(held).count(), plain.len(), "{held:?}");
            }
            let around = sorted(index.$query(region).periodic(&torus).map(|object| object.handle()));
            assert_eq!(sorted(index.$query(&telling).periodic(&torus).map(|object| object.handle())), around);
        )+};
    }
    alike!(near contained_in containing intersecting);
    for held in [&telling, &silent] {
        held.asked.set(0);
        index.intersecting(held).for_each(drop);
    }
    let [few, many] = [&telling, &silent].map(|held| f64::from(held.asked.get()));
    assert!(few <= part * many, "{few} of {many} about {region:?}");
}

/// Calls a function with a region for what the figure is; not at all where there is no such region.
macro_rules! with_region {
    ($figure:expr, $lattice:expr, |$region:ident| $body:expr) => {
        match $figure {
            Figure::Ball { center, radius } => {
                let $region = Ball::new($lattice.point::<S, D>(*center), $lattice.length(*radius));
                $body
            }
            Figure::Ring { outer: 0, .. } => {}
            Figure::Ring { center, inner, outer } => {
                let [inner, outer] = [*inner, *outer].map(|steps| $lattice.length(steps));
                let $region = Ring::new($lattice.point::<S, D>(*center), inner, outer);
                $body
            }
            Figure::Segment { from, to } => {
                let $region = Segment::new($lattice.point::<S, D>(*from), $lattice.point::<S, D>(*to));
                $body
            }
            Figure::Convex { planes, within } => {
                let half_spaces: Vec<_> = planes.iter().map(|plane| $lattice.half_space::<S, D>(plane)).collect();
                let mut $region = Convex::new(&half_spaces);
                if let Some(within) = within {
                    $region = $region.within($lattice.span::<S, D>(within).rect());
                }
                $body
            }
            Figure::Polygon { .. } => {}
        }
    };
}

/// Boxes on a lattice, by handle.
fn on_lattice<S: Real, const D: usize>(
    lattice: &Lattice,
    split_above: u32,
    blocks: Vec<(bool, Block)>,
) -> (Filled<S, D>, BTreeMap<Handle, Block>) {
    let mut filled = Filled::new(lattice.index(), split_above);
    let insert = |(rects, block)| (filled.insert(rects, lattice.span(&block)), block);
    let objects = blocks.into_iter().map(insert).collect();
    assert_sound(&filled.index, "filling");
    (filled, objects)
}

/// Objects at awkward places.
fn at_places<S: Real, const D: usize>(
    scene: &Scene<S>,
    split_above: u32,
    objects: Vec<(bool, Outline)>,
) -> (Filled<S, D>, Rect<S, D>) {
    let mut filled = Filled::new(scene.index(), split_above);
    let world = scene.world();
    for (rects, outline) in objects {
        filled.insert(rects, outline.span(&world));
    }
    assert_sound(&filled.index, "filling");
    (filled, world)
}

/// Whole numbers, so that edges coincide and the oracle is exact, also where the steps are as large and as small as the
/// scalar allows.
fn figures_on_a_lattice<S: Real, const D: usize>() {
    let lattices = Lattice::each::<S>();
    let strategy = (0..lattices.len(), 1_u32..12, blocks(), prop::collection::vec(figure(), 1..6));
    for_all(64, strategy, |(lattice, split_above, blocks, figures)| {
        let lattice = lattices[lattice];
        let (filled, objects) = on_lattice::<S, D>(&lattice, split_above, blocks);
        for figure in &figures {
            let holds = |relation, _: &Span<S, D>, handle| figure.holds::<D>(relation, &objects[&handle]);
            with_region!(figure, lattice, |region| filled.ask(&region, &holds));
            if let Figure::Ball { center, radius } = figure {
                let found = filled.index.within_distance(lattice.point::<S, D>(*center), lattice.length(*radius));
                let expected = filled.model.handles(|known| holds(Relation::Intersecting, &known.span, known.handle));
                assert_eq!(sorted(found.map(|object| object.handle())), expected, "within a distance");
            }
        }
    });
}

/// As [`figures_on_a_lattice`], for what there is in a plane only.
fn polygons_on_a_lattice<S: Real>() {
    let lattices = Lattice::each::<S>();
    for_all(64, (0..lattices.len(), 1_u32..12, blocks(), polygon()), |(lattice, split_above, blocks, figure)| {
        let lattice = lattices[lattice];
        let (filled, objects) = on_lattice::<S, 2>(&lattice, split_above, blocks);
        let Figure::Polygon { around, clockwise } = &figure else { unreachable!("filtered") };
        let mut corners: Vec<[S; 2]> = hull(around).iter().map(|&corner| lattice.point(corner)).collect();
        if *clockwise {
            corners.reverse();
        }
        filled.ask(&&Polygon::new(corners), &|relation, _, handle| figure.holds::<2>(relation, &objects[&handle]));
    });
}

/// However the tree is split, and wherever the world lies, a query yields what the shape says of each object.
fn shapes_at_awkward_places<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    let objects = prop::collection::vec((any::<bool>(), outline()), 0..100);
    let strategy = (0..scenes.len(), 1_u32..12, objects, prop::collection::vec(drawn(), 1..6));
    for_all(64, strategy, |(scene, split_above, objects, shapes)| {
        let (mut filled, world) = at_places::<S, D>(&scenes[scene], split_above, objects);
        for shape in &shapes {
            shape.put(&world, &mut filled);
        }
    });
}

fn polygons_at_awkward_places<S: Real>() {
    let scenes = scenes::<S>();
    let objects = prop::collection::vec((any::<bool>(), outline()), 0..100);
    for_all(64, (0..scenes.len(), 1_u32..12, objects, drawn()), |(scene, split_above, objects, shape)| {
        let (mut filled, world) = at_places::<S, 2>(&scenes[scene], split_above, objects);
        let corners = shape.polygon(&world);
        let (outer, inner) = corners.split_at(corners.len() / 2);
        let hollow = Polygon::new(outer.iter().copied()).with_ring(inner.iter().copied());
        filled.about(&hollow);
        filled.about(&Polygon::new(corners));
    });
}

/// Boxes, of which the region is asked whether its answers agree.
struct Rules<S, const D: usize> {
    boxes: Vec<Rect<S, D>>,
}

impl<S: Real, const D: usize> Asks<S, D> for Rules<S, D> {
    fn about<I: IntoRegion<S, D> + Clone + Debug>(&mut self, region: I)
    where
        I::Region: Clone + Debug,
    {
        let shape = region.into_region();
        let bounds = shape.bounds();
        let inside: Vec<_> = self.boxes.iter().filter_map(|rect| common(&bounds, rect)).collect();
        for a in &inside {
            assert!(!shape.contains(a) || shape.intersects(a), "contains, but does not meet {a:?}: {shape:?}");
            for part in inside.iter().filter_map(|b| common(a, b)) {
                assert!(!shape.intersects(&part) || shape.intersects(a), "meets {part:?}, not {a:?}: {shape:?}");
                assert!(!shape.contains(a) || shape.contains(&part), "contains {a:?}, not {part:?}: {shape:?}");
            }
        }
    }
}

/// Boxes that differ by as little as can be.
fn boxes() -> impl Strategy<Value = Vec<(Outline, bool, usize, bool)>> {
    prop::collection::vec((outline(), any::<bool>(), 0_usize..3, any::<bool>()), 1..12)
}

impl<S: Real, const D: usize> Rules<S, D> {
    fn of(world: &Rect<S, D>, outlines: Vec<(Outline, bool, usize, bool)>) -> Self {
        let mut boxes = vec![Rect::everything()];
        for (outline, grows, axis, at_min) in outlines {
            let Span { mut min, mut max } = outline.span(world);
            boxes.push(Rect::new(min, max));
            let (ends, upward) = if at_min { (&mut min, !grows) } else { (&mut max, grows) };
            let end = &mut ends[axis % D];
            *end = Spot::finite((if upward { end.up() } else { end.down() }).value());
            boxes.push(Rect::new(min, max));
        }
        Self { boxes }
    }
}

/// The rules of [`Region`].
fn implementors_keep_the_rules<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    for_all(512, (0..scenes.len(), boxes(), drawn()), |(scene, boxes, shape)| {
        let world = scenes[scene].world::<D>();
        shape.put(&world, &mut Rules::of(&world, boxes));
    });
}

fn polygons_keep_the_rules<S: Real>() {
    let scenes = scenes::<S>();
    for_all(512, (0..scenes.len(), boxes(), drawn()), |(scene, boxes, shape)| {
        let world = scenes[scene].world::<2>();
        let (mut rules, corners) = (Rules::of(&world, boxes), shape.polygon(&world));
        let (outer, inner) = corners.split_at(corners.len() / 2);
        rules.about(Polygon::new(outer.iter().copied()).with_ring(inner.iter().copied()));
        rules.about(Polygon::new(corners));
    });
}

/// Many boxes that overlap: queries take much of the squares inside a shape untested, though objects stored there may
/// stick out.
fn a_dense_crowd<S: Real, const D: usize>() {
    let mut filled = Filled::<S, D>::new(Lattice::each::<S>()[0].index(), 8);
    let (a_side, apart) = if D == 2 { (60, 1.0) } else { (15, 4.0) };
    let places = (0..3600).map(|number: i32| [number % a_side, number / a_side % a_side, number / a_side / a_side]);
    for place in places.filter(|place| D == 3 || place[2] == 0) {
        let min: [S; D] = core::array::from_fn(|axis| S::of(f64::from(place[axis]) * apart));
        filled.insert(true, Span { min, max: min.map(|min| S::of(min.value() + 1.5 * apart)) });
    }
    let expect = |found: usize, all: usize| assert!(0 < found && found < all, "{found} of {all}");
    macro_rules! assert_agrees {
        ($($region:expr),+) => {$(
            let (region, bounds) = ($region, Region::<S, D>::bounds(&$region));
            let contained = filled.model.handles(|known| region.contains(&known.span.rect()));
            assert_eq!(sorted(filled.index.contained_in(region).map(|object| object.handle())), contained);
            assert_eq!(filled.index.contained_in(region).count(), contained.len());
            let met = filled.model.handles(|known| {
                common(&bounds, &known.span.rect()).is_some_and(|part| region.intersects(&part))
            });
            assert_eq!(sorted(filled.index.intersecting(region).map(|object| object.handle())), met);
            assert_eq!(filled.index.intersecting(region).count(), met.len());
            expect(contained.len(), met.len());
            expect(met.len(), filled.index.len());
        )+};
    }
    let center = [S::of(31.0); D];
    let slope = [HalfSpace::new([S::of(1.0); D], S::of(31.0 * if D == 2 { 2.0 } else { 3.0 }))];
    assert_agrees!(
        Ball::new(center, S::of(27.0)),
        Ring::new(center, S::of(10.0), S::of(28.0)),
        Convex::new(&slope),
        Convex::new(&slope).within(Rect::new([S::of(4.0); D], [S::of(60.0); D]))
    );
}

/// Shapes that touch meet; shapes one number apart do not, in `f64` a few numbers.
fn touching<S: Real, const D: usize>() {
    let number = |value: f64| S::of(value);
    let beyond = |value: f64| if S::FAR < 1e8 { S::of(value).up() } else { S::of(value * (1.0 + 1e-14)) };
    let point = |x: f64, y: f64| -> [S; D] { core::array::from_fn(|axis| number([x, y, 0.0][axis])) };
    let ball = Ball::new(point(0.0, 0.0), number(5.0));
    let corner = |x: S, y: S| {
        let min: [S; D] = core::array::from_fn(|axis| [x, y, number(0.0)][axis]);
        Rect::new(min, [number(9.0); D])
    };
    assert!(ball.intersects(&corner(number(3.0), number(4.0))));
    assert!(!ball.intersects(&corner(beyond(3.0), number(4.0))));
    assert!(ball.intersects(&corner(number(5.0), number(0.0))));
    assert!(!ball.intersects(&corner(beyond(5.0), number(0.0))));
    assert!(ball.contains(&Rect::new(point(-3.0, -4.0), point(3.0, 4.0))));
    assert!(!ball.contains(&Rect::new(point(-3.0, -4.0), point(3.0, 4.000_001))));
    assert_eq!(ball.bounds(), Rect::new([number(-5.0); D], [number(5.0); D]));
    let tilted = Segment::new(point(0.0, 0.0), point(8.0, 4.0));
    assert!(tilted.intersects(&Rect::new(point(2.0, 1.0), point(2.0, 3.0))));
    assert!(tilted.intersects(&Rect::new(point(8.0, 4.0), point(9.0, 9.0))));
    let above = Rect::new(core::array::from_fn(|axis| [number(2.0), beyond(1.0), number(0.0)][axis]), point(2.0, 3.0));
    assert!(!tilted.intersects(&above));
    assert!(
        tilted.contains(&Rect::from_point(point(6.0, 3.0)))
            && !tilted.contains(&Rect::new(point(2.0, 1.0), point(4.0, 2.0)))
    );
    let plane = [HalfSpace::new(point(3.0, 4.0), number(25.0))];
    let half = Convex::new(&plane);
    assert!(half.intersects(&corner(number(3.0), number(4.0))) && !half.intersects(&corner(beyond(3.0), number(4.0))));
    assert!(half.contains(&Rect::new(point(-9.0, -9.0), point(3.0, 4.0))));
    assert_eq!((plane[0].normal(), plane[0].offset()), (point(3.0, 4.0), number(25.0)));
    assert_eq!(HalfSpace::behind(point(3.0, 4.0), point(3.0, 4.0)), plane[0]);
}

/// Bounds are the smallest that there are: none of these sums is a number.
#[test]
fn bounds_of_a_ball_are_rounded_outward() {
    for (center, radius) in [(1.0_f32, 1e-9), (16_777_216.0, 1.0), (-16_777_216.0, 1.0), (0.1, 0.2), (3.0, 0.7)] {
        let [exact_min, exact_max] = [f64::from(center) - f64::from(radius), f64::from(center) + f64::from(radius)];
        let bounds = Ball::new([center; 2], radius).bounds();
        for axis in 0..2 {
            let [min, max] = [bounds.min()[axis], bounds.max()[axis]];
            assert!(f64::from(min) <= exact_min && exact_min < f64::from(min.next_up()), "{center} {radius}: {min}");
            assert!(exact_max <= f64::from(max) && f64::from(max.next_down()) < exact_max, "{center} {radius}: {max}");
        }
    }
    let largest = Ball::new([f64::MAX, -f64::MAX], f64::MAX);
    assert_eq!(largest.bounds(), Rect::new([0.0, f64::NEG_INFINITY], [f64::INFINITY, 0.0]));
    assert!(
        largest.contains(&Rect::from_point([f64::MAX, -f64::MAX]))
            && !largest.intersects(&Rect::from_point([0.0, 0.0]))
    );
    assert!(largest.intersects(&Rect::from_point([0.0, -f64::MAX])));
}

/// Regions without a place, or without an end.
fn nowhere_and_everywhere<S: Real, const D: usize>() {
    let mut filled = Filled::<S, D>::new(roomy_scenes::<S>()[0].index(), 2);
    let mut places = [-4.0, 0.0, 7.0, 63.0, 64.0, 1e20].into_iter().flat_map(|at| [(false, at), (true, at)]);
    places.by_ref().for_each(|(rects, at)| _ = filled.insert(rects, Span::at([S::of(at); D])));
    let everywhere = Span::cube(S::of(-S::LARGEST.value()), S::LARGEST);
    filled.insert(true, everywhere);
    let [nan, infinity, one] = [f64::NAN, f64::INFINITY, 1.0].map(S::of);
    let nowhere = |_, _: &Span<S, D>, _| false;
    for (center, radius) in
        [(one, nan), (nan, one), (one, S::of(-1.0)), (infinity, one), (infinity, infinity), (nan, nan)]
    {
        filled.ask(&Ball::new([center; D], radius), &nowhere);
        assert!(!filled.index.within_distance([center; D], radius).exists());
    }
    for (from, to) in [(nan, one), (one, nan), (one, infinity), (S::of(-infinity.value()), infinity)] {
        filled.ask(&Segment::new([from; D], [to; D]), &nowhere);
    }
    for (part, offset) in [(nan, one), (one, nan), (infinity, one)] {
        filled.ask(&Convex::new(&[HalfSpace::new([part; D], offset)]), &nowhere);
    }
    filled.ask(&Convex::new(&[]).within(Rect::from_point([nan; D])), &nowhere);
    let all = |relation, _: &Span<S, D>, _| relation != Relation::Containing;
    filled.ask(&Ball::new([one; D], infinity), &all);
    filled.ask(&Convex::new(&[]), &all);
    filled.ask(&Convex::new(&[HalfSpace::new([S::of(0.0); D], S::of(0.0)), HalfSpace::new([one; D], infinity)]), &all);
    filled.ask(&Convex::new(&[HalfSpace::new([S::of(0.0); D], S::of(-1.0))]), &nowhere);
}
