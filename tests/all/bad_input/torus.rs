//! The rows of periodic worlds.

use quadrille::{Periodic, Ray, Rect};
use quadrille_support::Real;

use super::outcome::Outcome;
use super::rows::{Row, Take, at, handles, row};
use super::setting::{Lying, Setting};

fn torus<S: Real, const D: usize>(on: &Setting<S, D>) -> Periodic<S, D> {
    Periodic::new(on.index.world()).expect("the world of an index")
}

pub(super) fn torus_rows<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    [places(), regions(), questions(), filters()].into_iter().flatten().collect()
}

fn places<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Point, Rect as Boxed};
    vec![
        row("Periodic::new(world)", Boxed(|_, world| Outcome::of(Periodic::new(world)))),
        row("Periodic::wrap(point)", Point(|on, point| Outcome::of_numbers(torus(on).wrap(point)))),
        row("Periodic::wrap_rect(rect)", Boxed(|on, rect| Outcome::of_rect(&torus(on).wrap_rect(rect)))),
        row(
            "Periodic::displacement(from), Periodic::displacement(to)",
            Point(|on, bad| {
                let [there, back] = [torus(on).displacement(at(), bad), torus(on).displacement(bad, at())];
                Outcome::of_numbers(there).merged(&Outcome::of_numbers(back), "there and back")
            }),
        ),
    ]
}

fn regions<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Number, Point, Rect as Boxed};
    vec![
        row(
            "SpatialIndex::intersecting(region) on a torus",
            Boxed(|on, region| {
                let found = handles(on.index.intersecting(region).periodic(&torus(on)));
                assert!(on.index.intersecting(region).all(|object| found.contains(&object.handle())));
                on.found(&found, None)
            }),
        ),
        row(
            "SpatialIndex::contained_in(region) on a torus",
            Boxed(|on, region| on.found(&handles(on.index.contained_in(region).periodic(&torus(on))), None)),
        ),
        row(
            "SpatialIndex::containing(region) on a torus",
            Boxed(|on, region| on.found(&handles(on.index.containing(region).periodic(&torus(on))), None)),
        ),
        row(
            "SpatialIndex::within_distance(point) on a torus",
            Point(|on, at| on.found(&handles(on.index.within_distance(at, S::of(9.0)).periodic(&torus(on))), None)),
        ),
        row(
            "SpatialIndex::within_distance(distance) on a torus",
            Number(|on, distance| {
                on.found(&handles(on.index.within_distance(at::<S, D>(), distance).periodic(&torus(on))), None)
            }),
        ),
    ]
}

fn questions<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Number, Point, Rect as Boxed};
    vec![
        row(
            "SpatialIndex::nearest(target) on a torus",
            Boxed(|on, target| {
                on.found(&handles(on.index.nearest(target).periodic(&torus(on)).map(|found| found.object)), None)
            }),
        ),
        row(
            "Nearest::within(distance) on a torus",
            Number(|on, distance| {
                let found = on.index.nearest(at::<S, D>()).periodic(&torus(on)).within(distance);
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "Nearest::beyond(distance) on a torus",
            Number(|on, distance| {
                let found = on.index.nearest(at::<S, D>()).periodic(&torus(on)).beyond(distance);
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "SpatialIndex::raycast(ray) on a torus",
            Point(|on, bad| {
                let rays = [Ray::new(bad, at()), Ray::new(at(), bad), Ray::segment(at(), bad), Ray::segment(bad, at())];
                let outcomes = rays
                    .map(|ray| Outcome::of_count(on.index.raycast(ray).periodic(&torus(on)).count(), on.index.len()));
                outcomes.into_iter().reduce(|all, one| all.merged(&one, "rays")).expect("four")
            }),
        ),
        row(
            "Cast::until(t) on a torus",
            Number(|on, t| {
                let hits = on.index.raycast(Ray::new([S::of(0.0); D], [S::of(1.0); D])).periodic(&torus(on)).until(t);
                on.found(&handles(hits.map(|hit| hit.object)), None)
            }),
        ),
        row(
            "SpatialIndex::cast(from) on a torus",
            Boxed(|on, from| {
                on.found(
                    &handles(on.index.cast(from, [S::of(9.0); D]).periodic(&torus(on)).map(|hit| hit.object)),
                    None,
                )
            }),
        ),
        row(
            "SpatialIndex::cast(motion) on a torus",
            Point(|on, motion| {
                let hits = on.index.cast(Setting::sound_rect(), motion).periodic(&torus(on));
                on.found(&handles(hits.map(|hit| hit.object)), None)
            }),
        ),
        row(
            "SpatialIndex::pairs_of(objects) on a torus",
            Take::Handle(|on, handle| {
                let of_one = on.index.pairs_of([handle]).periodic(&torus(on)).count();
                if of_one == 0 { Outcome::Nothing } else { Outcome::Ok }
            }),
        ),
        row(
            "SpatialIndex::pairs_of(objects) on a torus",
            Take::List(|on, hint| {
                let count = on.index.pairs_of(Lying([on.rect].into_iter(), hint)).periodic(&torus(on)).count();
                Outcome::of_bool(count == on.index.pairs_of([on.rect]).periodic(&torus(on)).count())
            }),
        ),
        row(
            "Join::within(distance) on a torus",
            Number(|on, distance| {
                let (count, all) = (on.index.pairs().periodic(&torus(on)).within(distance).count(), on.index.len());
                Outcome::of_count(count, all * (all - 1) / 2)
            }),
        ),
    ]
}

fn filters<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Handle, Layers};
    vec![
        row(
            "Query::excluding(objects) on a torus, Nearest::excluding(objects) on a torus, \
             Cast::excluding(objects) on a torus",
            Handle(|on, handle| {
                let found = on.index.nearest(at::<S, D>()).periodic(&torus(on)).excluding(handle).count();
                let met = on.index.intersecting(Rect::everything()).periodic(&torus(on)).excluding(handle).count();
                let hit =
                    on.index.cast(Rect::everything(), at::<S, D>()).periodic(&torus(on)).excluding(handle).count();
                assert_eq!([met, hit], [found; 2]);
                Outcome::of_count(found, on.index.len())
            }),
        ),
        row(
            "Query::in_layers(layers) on a torus, Nearest::in_layers(layers) on a torus, \
             Cast::in_layers(layers) on a torus",
            Layers(|on, layers| {
                let found = on.index.nearest(at::<S, D>()).periodic(&torus(on)).in_layers(layers).count();
                let met = on.index.intersecting(Rect::everything()).periodic(&torus(on)).in_layers(layers).count();
                let hit =
                    on.index.cast(Rect::everything(), at::<S, D>()).periodic(&torus(on)).in_layers(layers).count();
                assert_eq!([met, hit], [found; 2]);
                Outcome::of_count(found, on.index.len())
            }),
        ),
        row(
            "Join::in_layers(layers) on a torus, Join::between(first) on a torus, \
             Join::between(second) on a torus",
            Layers(|on, layers| {
                let pairs = || on.index.pairs().periodic(&torus(on)).within(S::of(9.0));
                let counts =
                    [pairs().between(layers, on.points), pairs().between(on.points, layers)].map(Iterator::count);
                assert_eq!(counts[0], counts[1]);
                Outcome::of_count(pairs().in_layers(layers).count(), pairs().count())
            }),
        ),
    ]
}
