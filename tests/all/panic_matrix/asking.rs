//! The rows of questions that are done at one call, and of things made of a query.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use quadrille::{Ball, CellSizeError, Handle, Markers, Periodic, Ray, Rect};

use quadrille_support::Real;
use quadrille_support::oracle::Relation;
#[cfg(feature = "rayon")]
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::changes::{Change, Then, change};
use super::fuse::Hook::{Clone, Closure, Debug, Into, Iterator, Metric, Region};
use super::fuse::{Corner, Crate, Fused, Lent, Listed, Named, call};
use super::stage::{EACH, Stage, list, place, that, touching};

/// Queries that are used up by one call: what they answer is right, or a panic.
pub(super) fn asking<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    use Then::Unchanged;
    fn view<S: Real, const D: usize>(stage: &Stage<S, D>) -> Fused<S, D> {
        Fused(stage.view)
    }
    vec![
        change(&["SpatialIndex::intersecting"], &[Into, Region], Unchanged, |stage| {
            let count = stage.index.intersecting(view(stage)).count();
            assert_eq!(count, that(Relation::Intersecting, &list(&stage.index), &stage.view).len());
        }),
        change(&["SpatialIndex::contained_in"], &[Into, Region], Unchanged, |stage| {
            let count = stage.index.contained_in(view(stage)).count();
            assert_eq!(count, that(Relation::ContainedIn, &list(&stage.index), &stage.view).len());
        }),
        change(&["SpatialIndex::intersecting", "Query::in_layers"], &[Into, Region, Closure], Unchanged, |stage| {
            let query = stage.index.intersecting(view(stage)).in_layers(Named(stage.rects.id()));
            let count = query.fold(0, |count, _| {
                call(Closure);
                count + 1
            });
            let list = list(&stage.index);
            let found = that(Relation::Intersecting, &list, &stage.view);
            assert_eq!(count, found.iter().filter(|handle| list[handle].layer == stage.rects.id()).count());
        }),
        change(&["SpatialIndex::near", "Query::exists"], &[Into, Region], Unchanged, |stage| {
            assert!(stage.index.near(view(stage)).exists() && stage.index.contained_in(view(stage)).exists());
        }),
        change(&["SpatialIndex::containing"], &[Into, Region], Unchanged, |stage| {
            let point = Fused(Rect::from_point(place(30)));
            let found = that(Relation::Containing, &list(&stage.index), &point.0);
            assert_eq!(stage.index.containing(point).count(), found.len());
        }),
        change(&["SpatialIndex::within_distance"], &[Into], Unchanged, |stage| {
            let near = stage.index.within_distance(Corner(place(30)), S::of(9.0));
            assert_eq!(near.count(), stage.index.nearest(Rect::from_point(place(30))).within(S::of(9.0)).count());
        }),
        change(&["SpatialIndex::nearest", "Nearest::in_layers"], &[Into], Unchanged, |stage| {
            let nearest = stage.index.nearest(Crate(stage.view)).in_layers(Named(stage.points.id()));
            assert_eq!(nearest.count(), stage.index.len_in(stage.points));
        }),
        change(&["SpatialIndex::cast", "Cast::in_layers"], &[Into], Unchanged, |stage| {
            let cast = stage.index.cast(Crate(stage.view), Corner(place(9)));
            assert!(cast.clone().exists() && cast.clone().in_layers(Named(stage.points.id())).count() <= cast.count());
        }),
        change(&["SpatialIndex::cast_ball"], &[Into], Unchanged, |stage| {
            let ball = Ball::new(place(20), S::of(1e3));
            assert_eq!(stage.index.cast_ball(ball, Corner(place(9))).count(), stage.index.intersecting(ball).count());
        }),
        change(&["SpatialIndex::nearest_by", "NearestBy::exists"], &[Metric, Clone, Debug], Unchanged, |stage| {
            let nearest = stage.index.nearest_by(Fused(stage.view)).within(0.0);
            let copy = nearest.clone();
            assert!(copy.exists() && format!("{nearest:?}").starts_with("NearestBy"));
        }),
        change(&["NearestBy::in_layers"], &[Into], Unchanged, |stage| {
            let query = stage.index.nearest_by(Fused(stage.view)).in_layers(Named(stage.points.id()));
            assert_eq!(query.count(), stage.index.len_in(stage.points));
        }),
        change(&["Join::between", "Join::in_layers"], &[Into, Closure], Unchanged, |stage| {
            let names = || Named(stage.rects.id());
            let pairs = stage.index.pairs().between(names(), names()).in_layers(names());
            pairs.for_each(|_| call(Closure));
        }),
        change(&[], &[Closure], Unchanged, |stage| stage.index.values().for_each(|_| call(Closure))),
        change(
            &[
                "SpatialIndex::len_in",
                "SpatialIndex::stats_in",
                "SpatialIndex::bounds",
                "SpatialIndex::layer_kind",
                "SpatialIndex::point_layer",
                "SpatialIndex::rect_layer",
            ],
            &[Into],
            Unchanged,
            |stage| {
                let name = || Named(stage.rects.id());
                assert_eq!(stage.index.len_in(name()), EACH as usize - 1);
                assert_eq!(stage.index.stats_in(name()).objects, EACH as usize - 1);
                assert!(stage.index.bounds(name()).is_some());
                assert_eq!(
                    (stage.index.rect_layer(name()), stage.index.point_layer(name())),
                    (Some(stage.rects), None)
                );
                assert_eq!(stage.index.layer_kind(name()), Some(quadrille::Kind::Rects));
            },
        ),
        change(&["SpatialIndex::cells", "SpatialIndex::cell_at", "LayerSet::contains"], &[Into], Unchanged, |stage| {
            let name = || Named(stage.rects.id());
            assert!(stage.index.cells(name()).count() > 3 && quadrille::LayerSet::ALL.contains(name()));
            assert!(stage.index.cell_at(name(), Corner(place(3))).is_some());
        }),
    ]
}

/// Groups by cell.
pub(super) fn grouping<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    use Then::Unchanged;
    vec![
        change(&["SpatialIndex::intersecting", "Query::matching"], &[Into, Region, Closure], Unchanged, |stage| {
            let some = stage.index.intersecting(Fused(stage.view)).matching(|object| {
                call(Closure);
                object.handle().slot() % 2 == 0
            });
            let mut found = that(Relation::Intersecting, &list(&stage.index), &stage.view);
            found.retain(|handle| handle.slot() % 2 == 0);
            assert_eq!(some.clone().count(), found.len());
            assert_eq!(
                some.clone().clusters(S::of(1e3)).expect("a size").map(|cluster| cluster.count).sum::<usize>(),
                found.len()
            );
            let mut cursor = some.pause();
            let mut yielded = 0;
            while !cursor.run(&stage.index, 1, |_| yielded += 1).expect("the same index").done {}
            assert_eq!(yielded, found.len());
        }),
        change(
            &["Query::clusters", "Clusters::map_reduce", "Clusters::counts", "Clusters::cell_of"],
            &[Into, Region, Closure],
            Unchanged,
            |stage| {
                let clusters = stage.index.intersecting(Fused(stage.view)).clusters(S::of(7.0)).expect("a size");
                assert!(clusters.cell_of(Corner(place(30))).is_some());
                let all = that(Relation::Intersecting, &list(&stage.index), &stage.view).len();
                let reduced = clusters.clone().map_reduce(
                    |_| {
                        call(Closure);
                        1
                    },
                    |sum, one| {
                        call(Closure);
                        *sum += one;
                    },
                );
                assert_eq!(reduced.iter().map(|(_, sum)| sum).sum::<usize>(), all);
                assert_eq!(clusters.clone().counts().iter().map(|(_, count)| count).sum::<usize>(), all);
                assert_eq!(clusters.map(|cluster| cluster.count).sum::<usize>(), all);
            },
        ),
    ]
}

/// Questions to a world without edges.
pub(super) fn wrapping<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    use Then::Unchanged;
    fn torus<S: Real, const D: usize>(stage: &Stage<S, D>) -> Periodic<S, D> {
        Periodic::new(stage.index.world()).expect("the world of an index")
    }
    vec![
        change(&["Periodic::wrap", "Periodic::displacement"], &[Into], Unchanged, |stage| {
            let at = || Corner(place(9));
            assert_eq!(torus(stage).wrap(at()), place(9));
            assert_eq!(torus(stage).displacement(at(), at()), [S::of(0.0); D]);
        }),
        change(
            &["SpatialIndex::intersecting", "Query::in_layers", "Query::exists"],
            &[Into, Region, Clone, Closure],
            Unchanged,
            |stage| {
                let around = stage.view.translated([S::of(40.0); D]);
                let query = stage.index.intersecting(Fused(around)).periodic(&torus(stage));
                assert!(query.clone().exists());
                query.in_layers(Named(stage.rects.id())).for_each(|_| call(Closure));
            },
        ),
        change(&["SpatialIndex::contained_in", "SpatialIndex::containing"], &[Into, Region], Unchanged, |stage| {
            let (torus, point) = (torus(stage), Fused(Rect::from_point(place(30))));
            assert!(stage.index.contained_in(Fused(stage.view)).periodic(&torus).count() < stage.index.len());
            assert!(stage.index.containing(point).periodic(&torus).count() < stage.index.len());
        }),
        change(
            &[
                "SpatialIndex::within_distance",
                "SpatialIndex::nearest",
                "SpatialIndex::cast",
                "Nearest::in_layers",
                "Cast::in_layers",
            ],
            &[Into],
            Unchanged,
            |stage| {
                let (torus, name) = (torus(stage), || Named(stage.points.id()));
                let near = stage.index.within_distance(Corner(place(30)), S::of(9.0)).periodic(&torus);
                assert!(near.count() < stage.index.len());
                let nearest = stage.index.nearest(Crate(stage.view)).periodic(&torus);
                assert_eq!(nearest.in_layers(name()).count(), stage.index.len_in(stage.points));
                let cast = stage.index.cast(Crate(stage.view), Corner(place(9))).periodic(&torus);
                assert!(cast.in_layers(name()).exists());
                let rays = stage.index.raycast(Ray::segment(place(0), place(9))).periodic(&torus);
                assert!(rays.clone().in_layers(name()).count() <= rays.count());
            },
        ),
        change(&["Join::between", "Join::in_layers"], &[Into, Closure], Unchanged, |stage| {
            let names = || Named(stage.rects.id());
            let pairs = stage.index.pairs().periodic(&torus(stage)).between(names(), names()).in_layers(names());
            pairs.for_each(|_| call(Closure));
        }),
        change(&["SpatialIndex::pairs_of"], &[Into, Iterator, Closure], Unchanged, |stage| {
            let moved = Listed(stage.handles[..9].iter().map(|&handle| Lent(handle)));
            let (torus, is_of) = (torus(stage), |one: &Handle| stage.handles[..9].contains(one));
            let all = stage.index.pairs().periodic(&torus);
            let expected = all.filter(|(one, other)| is_of(&one.handle()) || is_of(&other.handle()));
            let of_some = stage.index.pairs_of(moved).periodic(&torus);
            assert_eq!(of_some.inspect(|_| call(Closure)).count(), expected.count());
        }),
    ]
}

/// The handles of all objects, and of those that were removed.
fn all_named<S: Real, const D: usize>(stage: &Stage<S, D>) -> Vec<Handle> {
    stage.handles.iter().copied().chain(stage.index.iter().map(|object| object.handle())).collect()
}

/// Pairs of some objects.
pub(super) fn asking_of_some<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    use Then::Unchanged;
    vec![
        change(&["SpatialIndex::pairs_of"], &[Into, Iterator], Unchanged, |stage| {
            let moved = Listed(stage.handles[..9].iter().map(|&handle| Lent(handle)));
            let touching = touching(&list(&stage.index));
            let expected = touching.iter().filter(|[a, b]| [a, b].iter().any(|one| stage.handles[..9].contains(one)));
            assert_eq!(stage.index.pairs_of(moved).count(), expected.count());
        }),
        change(&["SpatialIndex::join_of"], &[Into, Iterator], Unchanged, |stage| {
            let moved = Listed(stage.handles[..9].iter().map(|&handle| Lent(handle)));
            let index = &stage.index;
            let joined = index.join(index).filter(|(one, _)| stage.handles[..9].contains(&one.handle()));
            assert_eq!(index.join_of(moved, index).count(), joined.count());
        }),
        change(&["SpatialIndex::neighbors_of", "Neighbors::map"], &[Into, Iterator, Closure], Unchanged, |stage| {
            let some = Listed(stage.handles[..9].iter().map(|&handle| Lent(handle)));
            let told = stage.index.neighbors_of(some).map(|_, _| call(Closure)).count();
            assert_eq!(told, stage.handles[..9].iter().filter(|&&handle| stage.index.contains(handle)).count());
        }),
        change(&["Neighbors::matching"], &[Closure], Unchanged, |stage| {
            let near = stage.index.neighbors().matching(|_| {
                call(Closure);
                true
            });
            assert_eq!(near.map(|_, _| ()).count(), stage.index.len());
        }),
        change(&["SpatialIndex::neighbors_at"], &[Into, Iterator], Unchanged, |stage| {
            let points = Listed([3, 9].into_iter().map(|at| Corner(place(at))));
            assert_eq!(stage.index.neighbors_at(points).map(|_, _| ()).count(), 2);
        }),
        change(
            &["Neighbors::between", "Neighbors::in_layers", "Neighbors::for_each"],
            &[Into, Closure],
            Unchanged,
            |stage| {
                let names = || Named(stage.rects.id());
                let all = stage.index.neighbors().between(names(), names()).in_layers(names());
                all.for_each(|_, others| others.for_each(|_| call(Closure)));
            },
        ),
    ]
}

/// Things made of a query: watches and cursors, their clones and forms.
pub(super) fn watching<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    use Then::Unchanged;
    vec![
        change(&["Watch::poll"], &[Region, Closure], Unchanged, |stage| {
            let answer = stage.index.intersecting(Fused(stage.view)).filter(|_| {
                call(Closure);
                true
            });
            stage.zone.poll(answer).expect("the same index");
        }),
        change(&["Watch::poll_moved"], &[Closure], Unchanged, |stage| {
            let moved = all_named(stage);
            let there = moved.iter().filter_map(|&handle| stage.index.object(handle)).filter(|object| {
                call(Closure);
                stage.view.intersects(&object.shape())
            });
            stage.zone.poll_moved(&moved, there).expect("the same index");
        }),
        change(&["Markers::poll", "Markers::poll_reduced"], &[Region, Closure], Unchanged, |stage| {
            let mut markers = Markers::new(S::of(9.0));
            let ask = |_, size| stage.index.intersecting(Fused(stage.view)).clusters(size);
            let before = markers.poll(stage.view, ask).expect("a radius").len();
            let reduced = |_, size| {
                Ok::<_, CellSizeError>(ask(stage.view, size)?.map_reduce(|_| call(Closure), |(), ()| call(Closure)))
            };
            let outcome =
                catch_unwind(AssertUnwindSafe(|| markers.poll_reduced(stage.view, reduced, |(), ()| call(Closure))));
            let after = markers.poll(stage.view, ask).expect("a radius").len();
            assert!(after == before && markers.come.is_empty(), "the memory is what it was");
            if let Err(panic) = outcome {
                resume_unwind(panic);
            }
        }),
        change(&["Contacts::poll_moved"], &[Closure], Unchanged, |stage| {
            let moved = all_named(stage);
            let answer = stage.index.pairs_of(&moved).filter(|_| {
                call(Closure);
                true
            });
            stage.contacts.poll_moved(&moved, answer).expect("the same index");
        }),
        change(&["Contacts::poll_join_moved"], &[Closure], Unchanged, |stage| {
            let moved = all_named(stage);
            let answer = stage.index.pairs_of(&moved).inspect(|_| call(Closure));
            stage.contacts.poll_join_moved([&moved[..9], &moved[9..]], answer).expect("the same index");
        }),
        change(&["Contacts::poll"], &[Closure], Unchanged, |stage| {
            let answer = stage.index.pairs().filter(|_| {
                call(Closure);
                true
            });
            stage.contacts.poll(answer).expect("the same index");
        }),
        #[cfg(feature = "rayon")]
        change(&["Contacts::par_poll"], &[Closure], Unchanged, |stage| {
            // As for `par_update`, this thread alone.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let answer = ParallelIterator::filter(stage.index.pairs().into_par_iter(), |_| {
                call(Closure);
                true
            });
            stage.contacts.par_poll(answer).expect("the same index");
        }),
        change(&["Query::pause", "SpatialIndex::resume"], &[Clone, Region, Debug], Unchanged, |stage| {
            let mut query = stage.index.intersecting(Fused(stage.view));
            assert!(query.next().is_some());
            let cursor = query.pause();
            assert!(format!("{cursor:?}").contains("pending"));
            let resumed = stage.index.resume(cursor.clone()).expect("the same index");
            let _ = stage.index.resume(resumed.pause()).expect("the same index").count();
        }),
    ]
}
