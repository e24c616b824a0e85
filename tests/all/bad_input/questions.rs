//! The rows of questions.

use quadrille::{Ball, LayerSet, Ray};

use quadrille_support::Real;
use quadrille_support::oracle::Relation;

use super::outcome::Outcome;
use super::rows::{Answer, Row, Take, at, handles, row, sound};
use super::setting::Lying;

pub(super) fn questions<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Count, Number, Point, Rect};
    vec![
        row(
            "SpatialIndex::intersecting(region)",
            Rect(|on, region| {
                on.found(&handles(on.index.intersecting(region)), Some((Relation::Intersecting, region)))
            }),
        ),
        row(
            "SpatialIndex::intersecting(region)",
            Point(|on, at| {
                let rect = quadrille::Rect::from_point(at);
                on.found(&handles(on.index.intersecting(at)), Some((Relation::Intersecting, rect)))
            }),
        ),
        row(
            "SpatialIndex::contained_in(region)",
            Rect(|on, region| on.found(&handles(on.index.contained_in(region)), Some((Relation::ContainedIn, region)))),
        ),
        row(
            "SpatialIndex::containing(region)",
            Rect(|on, region| on.found(&handles(on.index.containing(region)), Some((Relation::Containing, region)))),
        ),
        row(
            "SpatialIndex::near(region)",
            Rect(|on, region| {
                let found = handles(on.index.near(region));
                assert!(on.index.intersecting(region).all(|object| found.contains(&object.handle())));
                on.found(&found, None)
            }),
        ),
        row(
            "SpatialIndex::within_distance(point)",
            Point(|on, at| on.found(&handles(on.index.within_distance(at, S::of(9.0))), None)),
        ),
        row(
            "SpatialIndex::within_distance(distance)",
            Number(|on, distance| on.found(&handles(on.index.within_distance(at::<S, D>(), distance)), None)),
        ),
        row(
            "SpatialIndex::query_batch(questions), Answers::fill(questions)",
            Rect(|on, region| {
                let ask = |region: &quadrille::Rect<S, D>, answer: &mut quadrille::Answer<'_, _>| {
                    answer.extend(on.index.intersecting(*region).map(|object| object.handle()));
                };
                let mut answers = on.index.query_batch([region], ask);
                let found = on.found(&answers.items, Some((Relation::Intersecting, region)));
                answers.fill(&on.index, [region], ask);
                assert_eq!(on.found(&answers.items, Some((Relation::Intersecting, region))), found);
                found
            }),
        ),
        row(
            "Answers::get(number)",
            Count(|on, number| {
                let answers = on.index.query_batch([at::<S, D>()], |_, answer| answer.extend([0]));
                Outcome::of_option(answers.get(number))
            }),
        ),
        row(
            "SpatialIndex::nearest(target)",
            Rect(|on, target| on.found(&handles(on.index.nearest(target).map(|found| found.object)), None)),
        ),
        row(
            "Nearest::within(distance)",
            Number(|on, distance| {
                let found = on.index.nearest(at::<S, D>()).within(distance);
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "Nearest::beyond(distance)",
            Number(|on, distance| {
                let found = on.index.nearest(at::<S, D>()).beyond(distance);
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "SpatialIndex::nearest_by(metric)",
            Number(|on, answer| {
                let found = on.index.nearest_by(Answer(answer.value()));
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "NearestBy::within(distance)",
            Number(|on, distance| {
                let found = on.index.nearest_by(Answer(1.0)).within(distance.value());
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
    ]
}

/// Pages of ordered queries.
pub(super) fn pages<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Handle, Number};
    vec![
        row(
            "Nearest::after(position)",
            Handle(|on, handle| {
                let found = on.index.nearest(at::<S, D>()).after((0, handle));
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "NearestBy::after(position)",
            Number(|on, distance| {
                let found = on.index.nearest_by(Answer(1.0)).after((distance.value(), quadrille::Handle::default()));
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "Cast::after(position)",
            Handle(|on, handle| {
                let hits = on.index.raycast(Ray::new([S::of(0.0); D], [S::of(1.0); D])).after((0, handle));
                let touched = on.index.cast(sound(), [S::of(9.0); D]).after((0, handle));
                on.found(&handles(hits.map(|hit| hit.object)), None)
                    .merged(&on.found(&handles(touched.map(|hit| hit.object)), None), "ray and box")
            }),
        ),
    ]
}

pub(super) fn motions<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Number, Point, Rect};
    vec![
        row(
            "SpatialIndex::raycast(ray), Ray::new(origin)",
            Point(|on, origin| {
                let ray = Ray::new(origin, [S::of(1.0); D]);
                on.found(&handles(on.index.raycast(ray).map(|hit| hit.object)), None)
            }),
        ),
        row(
            "Ray::new(direction)",
            Point(|on, direction| {
                let ray = Ray::new(at::<S, D>(), direction);
                on.found(&handles(on.index.raycast(ray).map(|hit| hit.object)), None)
            }),
        ),
        row(
            "Ray::segment(from), Ray::segment(to)",
            Point(|on, end| {
                let [there, back] = [Ray::segment(at::<S, D>(), end), Ray::segment(end, at::<S, D>())]
                    .map(|ray| on.index.raycast(ray).count());
                Outcome::of_count(there, on.index.len())
                    .merged(&Outcome::of_count(back, on.index.len()), "back and forth")
            }),
        ),
        row(
            "Cast::until(t)",
            Number(|on, t| {
                let hits = on.index.raycast(Ray::new([S::of(0.0); D], [S::of(1.0); D])).until(t);
                on.found(&handles(hits.map(|hit| hit.object)), None)
            }),
        ),
        row(
            "SpatialIndex::cast(from)",
            Rect(|on, from| on.found(&handles(on.index.cast(from, [S::of(9.0); D]).map(|hit| hit.object)), None)),
        ),
        row(
            "SpatialIndex::cast(motion)",
            Point(|on, motion| on.found(&handles(on.index.cast(sound(), motion).map(|hit| hit.object)), None)),
        ),
        row(
            "SpatialIndex::cast_ball(ball)",
            Point(|on, center| {
                let ball = Ball::new(center, S::of(2.0));
                on.found(&handles(on.index.cast_ball(ball, [S::of(9.0); D]).map(|hit| hit.object)), None)
            }),
        ),
        row(
            "SpatialIndex::cast_ball(ball)",
            Number(|on, radius| {
                let ball = Ball::new(at::<S, D>(), radius);
                on.found(&handles(on.index.cast_ball(ball, [S::of(9.0); D]).map(|hit| hit.object)), None)
            }),
        ),
        row(
            "SpatialIndex::cast_ball(motion)",
            Point(|on, motion| {
                let ball = Ball::new(at::<S, D>(), S::of(2.0));
                on.found(&handles(on.index.cast_ball(ball, motion).map(|hit| hit.object)), None)
            }),
        ),
        row(
            "Cast::blocking(skin)",
            Number(|on, skin| {
                let query = on.index.cast([S::of(0.0); D], [S::of(9.0); D]).blocking(skin);
                on.found(&handles(query.map(|hit| hit.object)), None)
            }),
        ),
        row(
            "Join::within(distance)",
            Number(|on, distance| {
                let (count, all) = (on.index.pairs().within(distance).count(), on.index.len());
                Outcome::of_count(count, all * (all - 1) / 2)
            }),
        ),
        row("SpatialIndex::cell_at(point)", Point(|on, at| Outcome::of_option(on.index.cell_at(on.points, at)))),
    ]
}

pub(super) fn clusters<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Number, Point};
    vec![
        row(
            "Query::clusters(cell_size)",
            Number(|on, size| {
                Outcome::of(on.index.iter().clusters(size).map(|clusters| {
                    assert_eq!(clusters.map(|cluster| cluster.count).sum::<usize>(), on.index.len());
                }))
            }),
        ),
        row(
            "Query::clusters(cell_size)",
            // With an object there.
            Point(|on, at| {
                let mut index = on.index.clone();
                match index.insert(on.points, at, 0) {
                    Ok(_) => Outcome::of(index.iter().clusters(S::of(4.0))),
                    Err(error) => Outcome::error(&error),
                }
            }),
        ),
        row(
            "Markers::new(radius), Markers::poll(ask), Markers::poll_reduced(ask), Markers::poll_reduced(reduce)",
            Number(|on, radius| {
                let mut markers = quadrille::Markers::new(radius);
                let view = quadrille::Rect::everything();
                Outcome::of(markers.poll(view, |bounds, size| on.index.intersecting(bounds).clusters(size)))
            }),
        ),
        row(
            "Markers::poll(view), Markers::poll_reduced(view)",
            Take::Rect(|on, view| {
                let mut markers = quadrille::Markers::new(S::of(4.0));
                Outcome::of(markers.poll(view, |bounds, size| on.index.intersecting(bounds).clusters(size)))
            }),
        ),
        row(
            "Clusters::cell_of(point)",
            Point(|on, at| Outcome::of_option(on.index.iter().clusters(S::of(4.0)).expect("a size").cell_of(at))),
        ),
    ]
}

pub(super) fn neighbors<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Count, Handle, Layers, List, Number, Point};
    vec![
        row(
            "Neighbors::within(distance)",
            Number(|on, distance| {
                let (neighbors, all) = (on.index.neighbors().within(distance), on.index.len());
                Outcome::of_count(neighbors.map(|_, others| others.len()).sum(), all * (all - 1))
            }),
        ),
        row(
            "Neighbors::nearest(count)",
            Count(|on, count| {
                let (neighbors, all) = (on.index.neighbors().nearest(count), on.index.len());
                Outcome::of_count(neighbors.map(|_, others| others.len()).sum(), all * (all - 1))
            }),
        ),
        row(
            "Neighbors::excluding(objects)",
            Handle(|on, handle| {
                let near = on.index.neighbors_at([at::<S, D>()]).nearest(usize::MAX).excluding(handle);
                Outcome::of_count(near.map(|_, others| others.len()).sum(), on.index.len())
            }),
        ),
        row(
            "SpatialIndex::neighbors_at(points)",
            Point(|on, at| {
                let mut found = Vec::new();
                let near = on.index.neighbors_at([at]).within(S::of(9.0));
                near.for_each(|_, others| found.extend(others.map(|object| object.handle)));
                on.found(&found, None)
            }),
        ),
        row(
            "SpatialIndex::neighbors_at(points)",
            List(|on, hint| {
                let count = on.index.neighbors_at(Lying([at::<S, D>()].into_iter(), hint)).map(|_, _| ()).count();
                Outcome::of_bool(count == 1)
            }),
        ),
        row(
            "SpatialIndex::neighbors_of(objects)",
            List(|on, hint| {
                let count = on.index.neighbors_of(Lying([on.rect].into_iter(), hint)).map(|_, _| ()).count();
                Outcome::of_bool(count == 1)
            }),
        ),
        row(
            "SpatialIndex::neighbors_of(objects)",
            Handle(|on, handle| {
                let count = on.index.neighbors_of([handle]).map(|_, _| ()).count();
                if count == 0 { Outcome::Nothing } else { Outcome::Ok }
            }),
        ),
        row(
            "Neighbors::in_layers(layers), Neighbors::between(objects), Neighbors::between(neighbors)",
            Layers(|on, layers| {
                let all = || on.index.neighbors().within(S::of(9.0));
                let sum = |neighbors: quadrille::Neighbors<'_, u32, S, D>| -> usize {
                    neighbors.map(|_, others| others.len()).sum()
                };
                let counts = [all().between(layers, LayerSet::ALL), all().between(LayerSet::ALL, layers)].map(sum);
                assert_eq!(counts[0], counts[1]);
                Outcome::of_count(sum(all().in_layers(layers)), sum(all()))
            }),
        ),
    ]
}
