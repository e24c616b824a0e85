//! The rows of regions and of boxes.

use quadrille::{AnyOf, Ball, Convex, Corridor, HalfSpace, Ray, Rect, Segment};

use quadrille_support::Real;
use quadrille_support::oracle::{Relation, Span};

use super::outcome::Outcome;
use super::rows::{Row, Take, at, handles, row, sound};
use super::setting::Lying;

/// Regions of other shapes, asked by a query; and by boxes.
pub(super) fn regions<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Number, Point, Rect};
    fn half<S: Real, const D: usize>() -> HalfSpace<S, D> {
        HalfSpace::behind([S::of(35.5); D], [S::of(1.0); D])
    }
    vec![
        row(
            "Ball::new(center)",
            Point(|on, center| on.found(&handles(on.index.intersecting(Ball::new(center, S::of(9.0)))), None)),
        ),
        row(
            "Ball::new(radius)",
            Number(|on, radius| on.found(&handles(on.index.intersecting(Ball::new(at::<S, D>(), radius))), None)),
        ),
        row(
            "Segment::new(from), Segment::new(to)",
            Point(|on, end| {
                let [there, back] = [Segment::new(at::<S, D>(), end), Segment::new(end, at::<S, D>())]
                    .map(|segment| on.index.intersecting(segment).count());
                assert_eq!(there, back);
                Outcome::of_count(there, on.index.len())
            }),
        ),
        row(
            "HalfSpace::new(normal)",
            Point(|on, normal| {
                let spaces = [HalfSpace::new(normal, S::of(30.0))];
                on.found(&handles(on.index.intersecting(Convex::new(&spaces))), None)
            }),
        ),
        row(
            "HalfSpace::new(offset)",
            Number(|on, offset| {
                let spaces = [HalfSpace::new([S::of(1.0); D], offset)];
                on.found(&handles(on.index.intersecting(Convex::new(&spaces))), None)
            }),
        ),
        row(
            "HalfSpace::behind(point)",
            Point(|on, point| {
                let spaces = [HalfSpace::behind(point, [S::of(1.0); D])];
                on.found(&handles(on.index.intersecting(Convex::new(&spaces))), None)
            }),
        ),
        row(
            "HalfSpace::behind(normal), Convex::new(half_spaces)",
            Point(|on, normal| {
                let spaces = [HalfSpace::behind(at::<S, D>(), normal)];
                on.found(&handles(on.index.intersecting(Convex::new(&spaces))), None)
            }),
        ),
        row(
            "Convex::within(bounds)",
            Rect(|on, bounds| on.found(&handles(on.index.intersecting(Convex::new(&[half()]).within(bounds))), None)),
        ),
        row(
            "Ball::intersects(rect), Ball::contains(rect)",
            Rect(|_, rect| {
                let ball = Ball::new(at::<S, D>(), S::of(9.0));
                asked(&rect, ball.intersects(&rect), ball.contains(&rect))
            }),
        ),
        row(
            "Segment::intersects(rect), Segment::contains(rect)",
            Rect(|_, rect| {
                let segment = Segment::new(at::<S, D>(), [S::of(9.0); D]);
                asked(&rect, segment.intersects(&rect), segment.contains(&rect))
            }),
        ),
        row(
            "Convex::intersects(rect), Convex::contains(rect)",
            Rect(|_, rect| {
                let spaces = [half()];
                let convex = Convex::<S, D>::new(&spaces);
                asked(&rect, convex.intersects(&rect), convex.contains(&rect))
            }),
        ),
        row(
            "AnyOf::intersects(rect), AnyOf::contains(rect)",
            Rect(|_, rect| {
                let any = AnyOf::<_, S, D>::new([sound()]);
                asked(&rect, any.intersects(&rect), any.contains(&rect))
            }),
        ),
        row(
            "AnyOf::new(regions)",
            Rect(|on, region| {
                let found = on
                    .index
                    .intersecting(AnyOf::<_, S, D>::new([region, quadrille::Rect::from_point([S::of(1.5); D])]));
                on.found(&handles(found), None)
            }),
        ),
    ]
}

pub(super) fn corridors<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{List, Number, Point, Rect};
    vec![
        row(
            "Corridor::new(points)",
            Point(|on, end| {
                let corridor = Corridor::new([at::<S, D>(), end], S::of(9.0));
                Outcome::of_count(on.index.intersecting(&corridor).count(), on.index.len())
            }),
        ),
        row(
            "Corridor::new(points)",
            List(|_, hint| {
                let points = Lying([at::<S, D>(), [S::of(9.0); D]].into_iter(), hint);
                Outcome::of_bool(Corridor::new(points, S::of(9.0)).points().len() == 2)
            }),
        ),
        row(
            "Corridor::new(distance)",
            Number(|on, distance| {
                let corridor = Corridor::new([at::<S, D>(), [S::of(9.0); D]], distance);
                Outcome::of_count(on.index.intersecting(&corridor).count(), on.index.len())
            }),
        ),
        row(
            "Corridor::intersects(rect), Corridor::contains(rect)",
            Rect(|_, rect| {
                let corridor = Corridor::new([at::<S, D>(), [S::of(9.0); D]], S::of(9.0));
                asked(&rect, corridor.intersects(&rect), corridor.contains(&rect))
            }),
        ),
        row(
            "Corridor::contains_point(point)",
            Point(|_, point| {
                let corridor = Corridor::new([at::<S, D>(), [S::of(9.0); D]], S::of(9.0));
                Outcome::of_bool(corridor.contains_point(point))
            }),
        ),
    ]
}

/// A region meets all that it contains, and nothing that is nowhere.
pub(super) fn asked<S: Real, const D: usize>(rect: &Rect<S, D>, intersects: bool, contains: bool) -> Outcome {
    assert!(intersects || !contains, "what lies inside meets");
    let is_nowhere = rect.min().into_iter().chain(rect.max()).any(|end| end.value().is_nan());
    assert!(!is_nowhere || !intersects, "an empty box meets nothing");
    Outcome::of_bool(intersects)
}

/// The answer about a sound box, which is that of the oracle.
fn related<S: Real, const D: usize>(relation: Relation, other: &quadrille::Rect<S, D>, holds: bool) -> Outcome {
    assert_eq!(holds, relation.holds(&Span::of_rect(&sound()), &Span::of_rect(other)));
    Outcome::of_bool(holds)
}

pub(super) fn boxes<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Number, Point, Rect as Boxed};
    vec![
        row(
            "Rect::new(corner), Rect::new(opposite)",
            Point(|_, bad| {
                let [one, other] = [Rect::new(bad, at()), Rect::new(at(), bad)];
                Outcome::of_rect(&one).merged(&Outcome::of_rect(&other), "corners")
            }),
        ),
        row("Rect::try_new(min)", Point(|_, min| Outcome::of(Rect::try_new(min, [S::of(1e7); D])))),
        row("Rect::try_new(max)", Point(|_, max| Outcome::of(Rect::try_new([S::of(-1e7); D], max)))),
        row(
            "Rect::from_center_half(center)",
            Point(|_, center| Outcome::of_rect(&Rect::from_center_half(center, [S::of(1.0); D]))),
        ),
        row("Rect::from_center_half(half)", Point(|_, half| Outcome::of_rect(&Rect::from_center_half(at(), half)))),
        row("Rect::from_point(point)", Point(|_, point| Outcome::of_rect(&Rect::from_point(point)))),
        row(
            "Rect::from_points(points)",
            Point(|_, bad| Rect::from_points([at(), bad]).map_or(Outcome::None, |rect| Outcome::of_rect(&rect))),
        ),
        row("Rect::contains_point(point)", Point(|_, point| Outcome::of_bool(sound::<S, D>().contains_point(point)))),
        row("Rect::closest_point(point)", Point(|_, point| Outcome::of_numbers(sound::<S, D>().closest_point(point)))),
        row("Rect::distance(point)", Point(|_, point| Outcome::of_numbers([sound::<S, D>().distance(point)]))),
        row(
            "Segment::closest_point(point)",
            Point(|_, point| Outcome::of_numbers(Segment::new(at::<S, D>(), [S::of(9.0); D]).closest_point(point))),
        ),
        row(
            "Segment::distance(point)",
            Point(|_, point| Outcome::of_numbers([Segment::new(at::<S, D>(), [S::of(9.0); D]).distance(point)])),
        ),
        row("Rect::translated(offset)", Point(|_, offset| Outcome::of_rect(&sound::<S, D>().translated(offset)))),
        row("Rect::expanded(by)", Number(|_, by| Outcome::of_rect(&sound::<S, D>().expanded(by)))),
        row(
            "Rect::intersects(other)",
            Boxed(|_, other| related(Relation::Intersecting, &other, sound().intersects(&other))),
        ),
        row("Rect::contains(other)", Boxed(|_, other| related(Relation::Containing, &other, sound().contains(&other)))),
        row(
            "Rect::overlaps(other)",
            Boxed(|_, other| {
                assert!(sound().intersects(&other) || !sound().overlaps(&other));
                Outcome::of_bool(sound().overlaps(&other))
            }),
        ),
        row(
            "Rect::intersection(other)",
            Boxed(|_, other| {
                assert_eq!(sound().intersection(&other).is_some(), sound().intersects(&other));
                Outcome::of_bool(sound().intersection(&other).is_some())
            }),
        ),
        row(
            "Rect::from_rects(rects)",
            Boxed(|_, bad| Rect::from_rects([sound(), bad]).map_or(Outcome::None, |rect| Outcome::of_rect(&rect))),
        ),
        row("Rect::union(other)", Boxed(|_, other| Outcome::of_rect(&sound().union(&other)))),
        row("Rect::distance_squared(other)", Boxed(|_, other| Outcome::of_number(sound().distance_squared(&other)))),
        row("Ray::at(t)", Number(|_, t| Outcome::of_numbers(Ray::new(at::<S, D>(), [S::of(1.0); D]).at(t)))),
    ]
}
