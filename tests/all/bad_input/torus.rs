//! The rows of periodic worlds.

use quadrille::{Periodic, PeriodicIndex, Ray, Rect};
use quadrille_support::Real;

use super::outcome::Outcome;
use super::rows::{Row, Take, handles};
use super::setting::{Lying, Setting};

fn torus<S: Real, const D: usize>(on: &Setting<S, D>) -> Periodic<S, D> {
    Periodic::new(on.index.world()).expect("the world of an index")
}

fn world<S: Real, const D: usize>(on: &Setting<S, D>) -> PeriodicIndex<'_, u32, S, D> {
    torus(on).over(&on.index)
}

fn at<S: Real, const D: usize>() -> [S; D] {
    Setting::<S, D>::sound_point()
}

pub(super) fn torus_rows<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    [places(), questions(), filters()].into_iter().flatten().collect()
}

const fn row<S, const D: usize>(names: &'static str, take: Take<S, D>) -> Row<S, D> {
    Row { names, take }
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

fn questions<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Number, Point, Rect as Boxed};
    vec![
        row(
            "PeriodicIndex::intersecting(region)",
            Boxed(|on, region| {
                let found = handles(world(on).intersecting(region));
                assert!(on.index.intersecting(region).all(|object| found.contains(&object.handle())));
                on.found(&found, None)
            }),
        ),
        row(
            "PeriodicIndex::contained_in(region)",
            Boxed(|on, region| on.found(&handles(world(on).contained_in(region)), None)),
        ),
        row(
            "PeriodicIndex::containing(region)",
            Boxed(|on, region| on.found(&handles(world(on).containing(region)), None)),
        ),
        row(
            "PeriodicIndex::within_distance(point)",
            Point(|on, at| on.found(&handles(world(on).within_distance(at, S::of(9.0))), None)),
        ),
        row(
            "PeriodicIndex::within_distance(distance)",
            Number(|on, distance| on.found(&handles(world(on).within_distance(at::<S, D>(), distance)), None)),
        ),
        row(
            "PeriodicIndex::nearest(target)",
            Boxed(|on, target| on.found(&handles(world(on).nearest(target).map(|found| found.object)), None)),
        ),
        row(
            "PeriodicNearest::within(distance)",
            Number(|on, distance| {
                let found = world(on).nearest(at::<S, D>()).within(distance);
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "PeriodicNearest::beyond(distance)",
            Number(|on, distance| {
                let found = world(on).nearest(at::<S, D>()).beyond(distance);
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "PeriodicIndex::raycast(ray)",
            Point(|on, bad| {
                let rays = [Ray::new(bad, at()), Ray::new(at(), bad), Ray::segment(at(), bad), Ray::segment(bad, at())];
                let outcomes = rays.map(|ray| Outcome::of_count(world(on).raycast(ray).count(), on.index.len()));
                outcomes.into_iter().reduce(|all, one| all.merged(&one, "rays")).expect("four")
            }),
        ),
        row(
            "PeriodicRaycast::until(t)",
            Number(|on, t| {
                let hits = world(on).raycast(Ray::new([S::of(0.0); D], [S::of(1.0); D])).until(t);
                on.found(&handles(hits.map(|hit| hit.object)), None)
            }),
        ),
        row(
            "PeriodicIndex::cast(from)",
            Boxed(|on, from| on.found(&handles(world(on).cast(from, [S::of(9.0); D]).map(|hit| hit.object)), None)),
        ),
        row(
            "PeriodicIndex::cast(motion)",
            Point(|on, motion| {
                let hits = world(on).cast(Setting::sound_rect(), motion);
                on.found(&handles(hits.map(|hit| hit.object)), None)
            }),
        ),
        row(
            "PeriodicIndex::pairs_of(objects)",
            Take::Handle(|on, handle| {
                let of_one = world(on).pairs_of([handle]).count();
                if of_one == 0 { Outcome::Nothing } else { Outcome::Ok }
            }),
        ),
        row(
            "PeriodicIndex::pairs_of(objects)",
            Take::List(|on, hint| {
                let count = world(on).pairs_of(Lying([on.rect].into_iter(), hint)).count();
                Outcome::of_bool(count == world(on).pairs_of([on.rect]).count())
            }),
        ),
        row(
            "PeriodicPairs::within(distance)",
            Number(|on, distance| {
                let (count, all) = (world(on).pairs().within(distance).count(), on.index.len());
                Outcome::of_count(count, all * (all - 1) / 2)
            }),
        ),
    ]
}

fn filters<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Handle, Layers};
    vec![
        row(
            "PeriodicQuery::excluding(objects), PeriodicNearest::excluding(objects), PeriodicRaycast::excluding(objects), \
             PeriodicCast::excluding(objects)",
            Handle(|on, handle| {
                let found = world(on).nearest(at::<S, D>()).excluding(handle).count();
                assert_eq!(world(on).intersecting(Rect::everything()).excluding(handle).count(), found);
                assert_eq!(world(on).cast(Rect::everything(), at::<S, D>()).excluding(handle).count(), found);
                Outcome::of_count(found, on.index.len())
            }),
        ),
        row(
            "PeriodicQuery::in_layers(layers), PeriodicNearest::in_layers(layers), PeriodicRaycast::in_layers(layers), \
             PeriodicCast::in_layers(layers)",
            Layers(|on, layers| {
                let found = world(on).nearest(at::<S, D>()).in_layers(layers).count();
                assert_eq!(world(on).intersecting(Rect::everything()).in_layers(layers).count(), found);
                assert_eq!(world(on).cast(Rect::everything(), at::<S, D>()).in_layers(layers).count(), found);
                Outcome::of_count(found, on.index.len())
            }),
        ),
        row(
            "PeriodicPairs::in_layers(layers), PeriodicPairs::between(first), PeriodicPairs::between(second)",
            Layers(|on, layers| {
                let pairs = || world(on).pairs().within(S::of(9.0));
                let counts =
                    [pairs().between(layers, on.points), pairs().between(on.points, layers)].map(Iterator::count);
                assert_eq!(counts[0], counts[1]);
                Outcome::of_count(pairs().in_layers(layers).count(), pairs().count())
            }),
        ),
    ]
}
