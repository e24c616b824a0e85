//! The rows of functions that exist in the plane only.

use quadrille::{GreatCircle, Polygon, Rect};

use quadrille_support::Real;

use super::outcome::Outcome;
use super::rows::{Row, Take};
use super::setting::Lying;
use super::shapes::asked;

fn corners<S: Real>(bad: [S; 2]) -> [[S; 2]; 3] {
    [[S::of(10.0); 2], [S::of(40.0), S::of(12.0)], bad]
}

fn triangle<S: Real>() -> [[S; 2]; 3] {
    corners([S::of(20.0), S::of(40.0)])
}

pub(super) fn plane<S: Real>() -> Vec<Row<S, 2>> {
    let row = |names: &'static str, take: Take<S, 2>| Row { names, take };
    vec![
        row(
            "Polygon::new(corners)",
            Take::Point(|on, bad| {
                let count = on.index.intersecting(&Polygon::new(corners(bad))).count();
                Outcome::of_count(count, on.index.len())
            }),
        ),
        row(
            "Polygon::new(corners)",
            Take::List(|_, hint| {
                let polygon = Polygon::new(Lying(triangle::<S>().into_iter(), hint));
                Outcome::of_bool(polygon.edges().count() == 3)
            }),
        ),
        row(
            "Polygon::with_ring(corners)",
            Take::Point(|on, bad| {
                let polygon = Polygon::new(triangle()).with_ring(corners(bad));
                Outcome::of_count(on.index.intersecting(&polygon).count(), on.index.len())
            }),
        ),
        row(
            "Polygon::with_ring(corners)",
            Take::List(|_, hint| {
                let polygon = Polygon::new(triangle::<S>()).with_ring(Lying(triangle().into_iter(), hint));
                Outcome::of_bool(polygon.edges().count() == 6)
            }),
        ),
        row(
            "Polygon::intersects(rect), Polygon::contains(rect)",
            Take::Rect(|_, rect| {
                let polygon = Polygon::new(triangle());
                asked(&rect, polygon.intersects(&rect), polygon.contains(&rect))
            }),
        ),
        row(
            "Polygon::contains_point(point)",
            Take::Point(|_, point| Outcome::of_bool(Polygon::new(triangle()).contains_point(point))),
        ),
        row(
            "GreatCircle::new(place)",
            Take::Point(|_, place| {
                let from = GreatCircle::new(place.map(S::value));
                Outcome::of_number(from.distance_to(&Rect::from_point([S::of(9.0); 2])))
            }),
        ),
        row(
            "GreatCircle::with_radius(radius)",
            Take::Number(|_, radius| {
                let from = GreatCircle::new([1.0, 2.0]).with_radius(radius.value());
                Outcome::of_number(from.distance_to(&Rect::from_point([S::of(9.0); 2])))
            }),
        ),
        row(
            "GreatCircle::within(distance)",
            Take::Number(|on, distance| {
                let cap = GreatCircle::new([1.0, 2.0]).within(distance.value());
                Outcome::of_count(on.index.intersecting(cap).count(), on.index.len())
            }),
        ),
        row(
            "GreatCircle::distance_to(rect)",
            Take::Rect(|_, rect| Outcome::of_number(GreatCircle::new([1.0, 2.0]).distance_to(&rect))),
        ),
    ]
}
