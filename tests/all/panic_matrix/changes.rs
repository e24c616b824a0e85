//! A row of the matrix, and the rows of operations that change an index or make shapes.

use quadrille::{AnyOf, Corridor, Polygon, Ray, Rect, Segment};

use quadrille_support::Real;

use super::fuse::Hook::{self, Clone, Closure, Debug, Drop, Into, Iterator, Region};
use super::fuse::{Corner, Counted, Crate, Fused, Lent, Listed, Named, call};
use super::stage::{EACH, Stage, place, span};

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

pub(super) const fn change<S, const D: usize>(
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
        change(&["SpatialIndex::sort_by_place"], &[Closure, Into], Unchanged, |stage| {
            let mut items = [7, 70, 7, 30];
            stage.index.sort_by_place(&mut items, |&n| {
                call(Closure);
                Corner(place(n))
            });
            assert_ne!(items, [7, 70, 7, 30]);
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
        #[cfg(feature = "rayon")]
        change(&["SpatialIndex::par_update"], &[Closure, Into], Partly, |stage| {
            // Only this thread has the fuse; the tests of `par_update` have others. If it is in such a pool, it stays there.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let moved = stage.index.par_update(stage.points, |_, value, at| {
                call(Closure);
                Corner(if value.0 % 5 == 0 { at.min() } else { place(value.0 * 3) })
            });
            assert!(moved.expect("a layer").refused.is_empty());
        }),
        #[cfg(feature = "rayon")]
        change(&["SpatialIndex::par_update_mut"], &[Closure, Into], Partly, |stage| {
            // As for `par_update`, this thread alone.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let moved = stage.index.par_update_mut(stage.points, |_, value, at| {
                call(Closure);
                Corner(if value.0 % 5 == 0 { at.min() } else { place(value.0 * 3) })
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
        change(&["SpatialIndex::remove_batch"], &[Into, Iterator], Unchanged, |stage| {
            let removed = Listed(stage.handles[1..6].iter().map(|&handle| Lent(handle)));
            assert_eq!(stage.index.remove_batch(removed).expect("all live").len(), 5);
        }),
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
            &["Rect::closest_point", "Rect::distance", "Segment::closest_point", "Segment::distance"],
            &[Into],
            Unchanged,
            |_| {
                let everything = Rect::<S, D>::everything();
                assert_eq!((everything.closest_point(at()), everything.distance(at())), (place(9), S::of(0.0)));
                let road = Segment::<S, D>::new(at(), at());
                assert_eq!((road.closest_point(at()), road.distance(at())), (place(9), S::of(0.0)));
            },
        ),
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
