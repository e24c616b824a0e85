//! The rows of operations that change an index, and of those that are done at one call.

use quadrille::{AnyOf, Corridor, Handle, Periodic, Polygon, Ray, Rect, Segment};

use quadrille_support::Real;
use quadrille_support::oracle::Relation;

use super::fuse::Hook::{self, Clone, Closure, Debug, Drop, Into, Iterator, Metric, Region};
use super::fuse::{Corner, Counted, Crate, Fused, Lent, Listed, Named, call};
use super::stage::{EACH, Stage, list, place, span, that, touching};

/// The objects that may be there after a panic.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Then {
    /// All is as it was.
    Unchanged,
    /// Each object is as it was, or as the whole operation would have left it.
    Partly,
    /// The same; and a cursor may say that it has to begin anew.
    PartlyAnew,
}

/// An operation, and the places where a caller's code runs in it.
pub(super) struct Change<S, const D: usize> {
    /// The public functions through which that code comes.
    pub(super) covers: &'static [&'static str],
    pub(super) hooks: &'static [Hook],
    pub(super) then: Then,
    pub(super) run: fn(&mut Stage<S, D>),
}

const fn change<S, const D: usize>(
    covers: &'static [&'static str],
    hooks: &'static [Hook],
    then: Then,
    run: fn(&mut Stage<S, D>),
) -> Change<S, D> {
    Change { covers, hooks, then, run }
}

/// New objects with the numbers from 100 on.
fn newcomers<S: Real, const D: usize>(count: u32) -> Listed<impl std::iter::Iterator<Item = (Corner<S, D>, Counted)>> {
    Listed((0..count).map(|n| (Corner(place(n)), Counted::new(100 + n))))
}

fn nowhere<S: Real, const D: usize>() -> Corner<S, D> {
    Corner([S::of(f64::NAN); D])
}

pub(super) fn inserting<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    use Then::Unchanged;
    vec![
        change(&["SpatialIndex::insert"], &[Into], Unchanged, |stage| {
            stage.index.insert(stage.points, Corner(place(70)), Counted::new(70)).expect("finite");
        }),
        change(&["SpatialIndex::insert"], &[Into], Unchanged, |stage| {
            stage.index.insert(stage.rects, Crate(span(70)), Counted::new(70)).expect("finite");
        }),
        change(&["SpatialIndex::insert"], &[Into, Drop], Unchanged, |stage| {
            stage.index.insert(stage.points, nowhere(), Counted::new(70)).expect_err("nowhere");
        }),
        change(&["SpatialIndex::insert_any"], &[Into], Unchanged, |stage| {
            stage.index.insert_any(Named(stage.rects.id()), span(70), Counted::new(70)).expect("finite");
        }),
        // Fewer than there are: one after the other. More: the tree is built anew.
        change(&["SpatialIndex::insert_batch"], &[Iterator, Into], Unchanged, |stage| {
            stage.index.insert_batch(stage.points, newcomers(5)).expect("finite");
        }),
        change(&["SpatialIndex::insert_batch"], &[Iterator, Into], Unchanged, |stage| {
            stage.index.insert_batch(stage.points, newcomers(2 * EACH)).expect("finite");
        }),
        change(&["SpatialIndex::insert_batch"], &[Iterator, Into], Unchanged, |stage| {
            let objects = (0..2 * EACH).map(|n| (Crate(span(n)), Counted::new(100 + n)));
            stage.index.insert_batch(stage.rects, Listed(objects)).expect("finite");
        }),
        change(&["SpatialIndex::insert_batch"], &[Iterator, Into, Drop], Unchanged, |stage| {
            let last = std::iter::once((nowhere(), Counted::new(99)));
            let objects = newcomers(9).0.chain(last).chain(newcomers(3).0);
            assert_eq!(stage.index.insert_batch(stage.points, Listed(objects)).map_err(|error| error.position), Err(9));
        }),
    ]
}

pub(super) fn moving<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    use Then::{Partly, Unchanged};
    vec![
        change(&["SpatialIndex::move_to"], &[Into], Unchanged, |stage| {
            stage.index.move_to(stage.handles[1], Corner(place(70))).expect("a point");
        }),
        change(&["SpatialIndex::move_to"], &[Into], Unchanged, |stage| {
            stage.index.move_to(stage.handles[EACH as usize], Crate(span(70))).expect("a box");
        }),
        change(&["SpatialIndex::move_by"], &[Into], Unchanged, |stage| {
            stage.index.move_by(stage.handles[1], Corner(place(3))).expect("finite");
        }),
        change(&["SpatialIndex::move_batch"], &[Iterator, Into], Partly, |stage| {
            let places = stage.handles[..EACH as usize].iter().zip(30..);
            let moved = stage.index.move_batch(Listed(places.map(|(&handle, n)| (handle, Corner(place(n))))));
            assert_eq!(moved.refused.len(), 1, "the one that was removed");
        }),
        change(&["SpatialIndex::move_batch"], &[Iterator, Into], Partly, |stage| {
            let places = stage.handles[EACH as usize..].iter().zip(70..);
            let moved = stage.index.move_batch(Listed(places.map(|(&handle, n)| (handle, Crate(span(n))))));
            assert_eq!(moved.refused.len(), 1, "the one that was removed");
        }),
        change(&["SpatialIndex::update"], &[Closure, Into, Debug], Partly, |stage| {
            let moved = stage.index.update(stage.points, |_, mut value, at| {
                call(Closure);
                let _ = format!("{value:?}");
                let to = place(value.0 * 3);
                value.0 += 1000;
                call(Closure);
                Corner(if value.0 % 5 == 0 { at.min() } else { to })
            });
            assert!(moved.expect("a layer").refused.is_empty());
        }),
        change(&["SpatialIndex::update"], &[Closure, Into], Partly, |stage| {
            let moved = stage.index.update(stage.rects, |_, value, at| {
                call(Closure);
                Crate(if value.0 % 5 == 0 { at } else { span(value.0 * 3) })
            });
            assert!(moved.expect("a layer").refused.is_empty());
        }),
        change(&["SpatialIndex::set_layer"], &[Into], Unchanged, |stage| {
            stage.index.set_layer(stage.handles[1], Named(stage.spare.id())).expect("of the same kind");
        }),
        change(&[], &[Closure], Partly, |stage| {
            stage.index.values_mut().for_each(|value| {
                call(Closure);
                value.0 += 1000;
            });
        }),
        change(&["IterMut::in_layers"], &[Into, Closure], Partly, |stage| {
            stage.index.iter_mut().in_layers(Named(stage.rects.id())).for_each(|(_, _, value)| {
                call(Closure);
                value.0 += 1000;
            });
        }),
    ]
}

pub(super) fn removing<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    use Then::{Partly, PartlyAnew, Unchanged};
    vec![
        change(&["SpatialIndex::retain"], &[Closure], Unchanged, |stage| {
            stage.index.retain(|_, _, value| {
                call(Closure);
                value.0 % 3 == 0
            });
        }),
        change(&["SpatialIndex::retain"], &[Drop], Partly, |stage| stage.index.retain(|_, _, value| value.0 % 3 == 0)),
        change(&[], &[Drop], Partly, |stage| drop(stage.index.remove(stage.handles[1]))),
        change(&["SpatialIndex::remove_layer"], &[Into], Unchanged, |stage| {
            stage.index.remove_layer(Named(stage.rects.id())).expect("a layer");
        }),
        change(&[], &[Drop], Partly, |stage| {
            stage.index.remove_layer(stage.rects).expect("a layer");
        }),
        change(&["SpatialIndex::clear_in"], &[Into], Unchanged, |stage| stage.index.clear_in(Named(stage.points.id()))),
        change(&[], &[Drop], Partly, |stage| stage.index.clear_in(stage.points | stage.rects)),
        change(&[], &[Drop], PartlyAnew, |stage| stage.index.clear()),
        change(&["SpatialIndex::drain_in"], &[Into], Unchanged, |stage| {
            stage.index.drain_in(Named(stage.points.id())).for_each(drop);
        }),
        change(&[], &[Drop, Closure, Debug], Partly, |stage| {
            let mut drain = stage.index.drain_in(stage.points);
            drain.by_ref().take(5).for_each(|object| {
                call(Closure);
                assert!(format!("{object:?}").contains("value"));
            });
        }),
        change(&[], &[Drop, Closure], PartlyAnew, |stage| {
            stage.index.drain().rev().for_each(|_| call(Closure));
        }),
        change(&[], &[Drop, Clone], Unchanged, |stage| drop(stage.index.clone())),
        change(&[], &[Drop, Clone], Unchanged, |stage| {
            let copy = stage.index.clone();
            copy.into_iter().take(9).for_each(drop);
        }),
        change(&[], &[Drop, Clone], PartlyAnew, |stage| {
            let copy = stage.index.clone();
            stage.index.clone_from(&copy);
        }),
    ]
}

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
        change(&["Raycast::in_layers"], &[Into], Unchanged, |stage| {
            let rays = stage.index.raycast(Ray::segment(place(0), place(9)));
            assert!(rays.clone().in_layers(Named(stage.points.id())).count() <= rays.count());
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
            &["PeriodicIndex::intersecting", "PeriodicQuery::in_layers", "PeriodicQuery::exists"],
            &[Into, Region, Clone, Closure],
            Unchanged,
            |stage| {
                let around = stage.view.translated([S::of(40.0); D]);
                let query = torus(stage).over(&stage.index).intersecting(Fused(around));
                assert!(query.clone().exists());
                query.in_layers(Named(stage.rects.id())).for_each(|_| call(Closure));
            },
        ),
        change(&["PeriodicIndex::contained_in", "PeriodicIndex::containing"], &[Into, Region], Unchanged, |stage| {
            let (torus, point) = (torus(stage), Fused(Rect::from_point(place(30))));
            let world = torus.over(&stage.index);
            assert!(world.contained_in(Fused(stage.view)).count() < stage.index.len());
            assert!(world.containing(point).count() < stage.index.len());
        }),
        change(
            &[
                "PeriodicIndex::within_distance",
                "PeriodicIndex::nearest",
                "PeriodicIndex::cast",
                "PeriodicNearest::in_layers",
                "PeriodicCast::in_layers",
                "PeriodicRaycast::in_layers",
            ],
            &[Into],
            Unchanged,
            |stage| {
                let (torus, name) = (torus(stage), || Named(stage.points.id()));
                let world = torus.over(&stage.index);
                assert!(world.within_distance(Corner(place(30)), S::of(9.0)).count() < stage.index.len());
                assert_eq!(
                    world.nearest(Crate(stage.view)).in_layers(name()).count(),
                    stage.index.len_in(stage.points)
                );
                assert!(world.cast(Crate(stage.view), Corner(place(9))).in_layers(name()).exists());
                let rays = world.raycast(Ray::segment(place(0), place(9)));
                assert!(rays.clone().in_layers(name()).count() <= rays.count());
            },
        ),
        change(&["PeriodicPairs::between", "PeriodicPairs::in_layers"], &[Into, Closure], Unchanged, |stage| {
            let names = || Named(stage.rects.id());
            let torus = torus(stage);
            let pairs = torus.over(&stage.index).pairs().between(names(), names()).in_layers(names());
            pairs.for_each(|_| call(Closure));
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

/// Shapes and regions that are made of a caller's points.
pub(super) fn shaping<S: Real, const D: usize>() -> Vec<Change<S, D>> {
    use Then::Unchanged;
    fn at<S: Real, const D: usize>() -> Corner<S, D> {
        Corner(place(9))
    }
    vec![
        change(
            &[
                "Rect::new",
                "Rect::try_new",
                "Rect::from_center_half",
                "Rect::from_point",
                "Rect::from_points",
                "Rect::from_rects",
            ],
            &[Into, Iterator],
            Unchanged,
            |_| {
                let same =
                    [Rect::new(at(), at()), Rect::from_point(at()), Rect::from_center_half(at(), [S::of(0.0); D])];
                assert!(same.iter().all(|rect| Ok(*rect) == Rect::try_new(at(), at())));
                assert_eq!(Rect::from_points(Listed([at(), at()].into_iter())), Some(same[0]));
                assert_eq!(Rect::from_rects(Listed(same.into_iter())), Some(same[0]));
            },
        ),
        change(&["Rect::contains_point", "Rect::translated"], &[Into], Unchanged, |_| {
            assert!(!Rect::<S, D>::everything().translated(at()).contains_point([S::of(f64::NAN); D]));
            assert!(Rect::<S, D>::everything().contains_point(at()));
        }),
        change(
            &["Segment::new", "Ray::new", "Ray::segment", "Ball::new", "HalfSpace::new", "HalfSpace::behind"],
            &[Into],
            Unchanged,
            |_| {
                assert_eq!(Segment::<S, D>::new(at(), at()).from(), Ray::<S, D>::new(at(), at()).origin());
                assert_eq!(Ray::<S, D>::segment(at(), at()).until(), S::of(1.0));
                assert_eq!(quadrille::Ball::<S, D>::new(at(), S::of(1.0)).center(), place(9));
                let spaces = [quadrille::HalfSpace::new(at(), S::of(1.0)), quadrille::HalfSpace::behind(at(), at())];
                assert_eq!(spaces.map(|space: quadrille::HalfSpace<S, D>| space.normal()), [place(9); 2]);
            },
        ),
        change(&["AnyOf::new"], &[Into, Iterator, Region, Clone, Debug], Unchanged, |stage| {
            let views = [span(3), span(30), stage.view].map(Fused);
            let any = AnyOf::new(Listed(views.into_iter()));
            assert!(format!("{any:?}").contains("AnyOf"));
            let of_all = stage.index.intersecting(any.clone()).count();
            assert!(of_all >= stage.index.intersecting(stage.view).count());
        }),
        change(&["Corridor::new", "Corridor::contains_point"], &[Into, Iterator], Unchanged, |_| {
            let corridor = Corridor::<S, D>::new(Listed([at(), at()].into_iter()), S::of(1.0));
            assert!(corridor.contains_point(at()) && corridor.points() == [place(9); 2]);
        }),
        change(
            &["Polygon::new", "Polygon::with_ring", "Polygon::contains_point", "GreatCircle::new"],
            &[Into, Iterator],
            Unchanged,
            |_| {
                let corner = |at: [i32; 2]| Corner(at.map(|at| S::of(f64::from(at))));
                let corners = || Listed([[0, 0], [4, 0], [0, 4]].into_iter().map(corner));
                let polygon = Polygon::new(corners()).with_ring(corners());
                assert!(polygon.edges().count() == 6 && polygon.contains_point(corner([2, 2])));
                #[cfg(feature = "std")]
                let _ = quadrille::GreatCircle::new(Corner([1.0, 2.0]));
            },
        ),
    ]
}
