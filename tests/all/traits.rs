//! The types among the rest of Rust: shared between threads, copied, compared, converted.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::iter::FusedIterator;
use std::mem::size_of;

use quadrille::{
    AddLayerError, Answer, Answers, AnyOf, Around, Ball, Cast, Cell, CellKey, Cells, Contacts, ContainedIn, Containing,
    Corridor, Cursor, CursorRun, Handle, Hit, IntegrityError, Intersecting, IterMut, Join, Layer, LayerError, LayerId,
    LayerSet, LayerSettings, Markers, Matches, Near, Nearest, NearestBy, Neighbor, NeighborBy, Neighbors, NotFinite,
    Object, ObjectError, ObjectRef, Octree, Pairs, Periodic, Points, Polygon, Quadtree, Query, Ray, Rect, RectError,
    Rects, ResumeError, Resumed, SearchBuffer, Segment, SpatialIndex, Stats, Watch, WorldError, Wrapped,
};

use quadrille_support::agreement::snapshot;
use quadrille_support::oracle::Span;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{AnyLayer, Real, assert_sound, in_spaces};

in_spaces!(crosses_threads, queries_are_values, points_of_all_sorts, clones_part);

fn is_send_and_sync<T: Send + Sync>() {}

fn is_a_value<T: Copy + Eq + Hash + Debug + Send + Sync + Unpin + 'static>() {}

fn is_an_error<T: std::error::Error + Clone + PartialEq + Send + Sync + 'static>() {}

/// A metric that is plain data.
struct ByNumber;

/// A value that can do nothing: not be cloned, shown or compared.
struct Opaque(u8);

#[test]
fn names_are_values() {
    is_a_value::<Handle>();
    is_a_value::<LayerId>();
    is_a_value::<LayerSet>();
    is_a_value::<Layer<Points>>();
    is_a_value::<Layer<Rects>>();
    is_a_value::<LayerSettings>();
    is_a_value::<CellKey<2>>();
    assert_eq!(size_of::<Handle>(), 8);
    assert_eq!(size_of::<Option<Handle>>(), 8);
    assert_eq!(size_of::<LayerSet>(), 8);
    assert_eq!(Handle::default(), Handle::default());
    assert_eq!(LayerSettings::default(), LayerSettings::new());
}

#[test]
fn errors_are_errors() {
    is_an_error::<RectError>();
    is_an_error::<WorldError>();
    is_an_error::<NotFinite>();
    is_an_error::<AddLayerError>();
    is_an_error::<LayerError>();
    is_an_error::<ObjectError>();
    is_an_error::<ResumeError>();
    is_send_and_sync::<IntegrityError>();
    let _: fn(IntegrityError) -> Box<dyn std::error::Error + Send + Sync> = |error| error.into();
}

/// An index is sent to another thread, asked from several at once, and sent back.
fn crosses_threads<S: Real, const D: usize>() {
    is_send_and_sync::<SpatialIndex<String, S, D>>();
    is_send_and_sync::<Query<'_, String, Near, S, D>>();
    is_send_and_sync::<(Cursor<Near, S, D>, CursorRun, Resumed<'_, String, Near, S, D>)>();
    is_send_and_sync::<ObjectRef<'_, String, S, D>>();
    is_send_and_sync::<Cell<'_, String, S, D>>();
    is_send_and_sync::<Cells<'_, String, S, D>>();
    is_send_and_sync::<(std::vec::IntoIter<Object<String, S, D>>, IterMut<'_, String, S, D>)>();
    is_send_and_sync::<Matches<'_, S, D>>();
    is_send_and_sync::<(Rect<S, D>, Polygon<S>, Corridor<S, D>, AnyOf<Ball<S, D>, S, D>)>();
    is_send_and_sync::<Stats>();
    is_send_and_sync::<(Join<'_, '_, String, u8, S, D>, Pairs<'_, String, S, D>)>();
    is_send_and_sync::<(Neighbors<'_, String, S, D>, Around<'_, '_, String, S, D>)>();
    is_send_and_sync::<(Watch, Contacts, Markers, Answers<Handle>, Answer<'_, Handle>)>();
    is_send_and_sync::<(NearestBy<'_, '_, String, ByNumber, S, D>, NeighborBy<'_, String, S, D>)>();
    is_send_and_sync::<(Nearest<'_, '_, String, S, D>, Neighbor<'_, String, S, D>)>();
    is_send_and_sync::<(Periodic<S, D>, Query<'_, String, Intersecting, S, D, Wrapped<Rect<S, D>, D>>)>();
    is_send_and_sync::<(Cast<'_, '_, String, S, D>, Hit<'_, String, S, D>, Ray<S, D>, SearchBuffer)>();
    let mut index = SpatialIndex::<String, S, D>::new(roomy_scenes::<S>()[0].world()).expect("a world");
    let layer = index.add_point_layer().expect("a layer");
    let filled = std::thread::spawn(move || {
        for value in 0..200 {
            index.insert(layer, [S::of(f64::from(value) / 4.0); D], value.to_string()).expect("finite");
        }
        index
    });
    let index = filled.join().expect("the thread ends");
    assert!((&index).into_iter().map(|object| object.handle()).eq(index.iter().map(|object| object.handle())));
    let query = index.iter();
    let counts = std::thread::scope(|scope| {
        let threads = [0.0, 10.0, 20.0].map(|from| {
            let (index, rest) = (&index, query.clone());
            scope.spawn(move || {
                let region = Rect::new([S::of(from); D], [S::of(from + 10.0); D]);
                (index.intersecting(region).filter(|object| !object.value().is_empty()).count(), rest.count())
            })
        });
        threads.map(|thread| thread.join().expect("the thread ends"))
    });
    assert_eq!(counts, [(41, 200); 3]);
}

/// Queries are cloned and shown whatever the values are, and stay at their end.
fn queries_are_values<S: Real, const D: usize>() {
    fn check<'a, S: Real, const D: usize>(
        query: impl FusedIterator<Item = ObjectRef<'a, Opaque, S, D>> + Clone + Debug,
        name: &str,
    ) {
        let (again, mut first) = (query.clone(), query);
        let shown = format!("{first:?}");
        assert!(shown.contains("Query") && shown.contains(name), "{shown}");
        let object = first.next().expect("one object");
        let copy = object;
        assert_eq!((copy.handle(), copy.value().0), (object.handle(), 7));
        assert!(format!("{object:?}").contains("handle"), "{object:?}");
        assert!(first.next().is_none() && first.next().is_none());
        assert_eq!(again.count(), 1);
    }
    let mut index = SpatialIndex::<Opaque, S, D>::new(roomy_scenes::<S>()[0].world()).expect("a world");
    let layer = index.add_rect_layer().expect("a layer");
    assert!(format!("{layer:?}").starts_with("Layer("), "{layer:?}");
    let rect = Rect::new([S::of(1.0); D], [S::of(2.0); D]);
    index.insert(layer, rect, Opaque(7)).expect("finite");
    check::<S, D>(index.iter(), "Near");
    check::<S, D>(index.intersecting(rect), "Intersecting");
    check::<S, D>(index.contained_in(rect), "ContainedIn");
    check::<S, D>(index.containing(rect), "Containing");
    let _: [Option<Query<'_, Opaque, Near, S, D>>; 1] = [Some(index.near(rect))];
    let _: Query<'_, Opaque, Intersecting, S, D> = index.intersecting(rect);
    let _: Query<'_, Opaque, ContainedIn, S, D> = index.contained_in(rect);
    let _: Query<'_, Opaque, Containing, S, D> = index.containing(rect);
    let ball = Ball::new([S::of(1.0); D], S::of(2.0));
    check::<S, D>(index.within_distance(ball.center(), ball.radius()), "Intersecting");
    check::<S, D>(index.containing(Segment::new([S::of(1.0); D], [S::of(2.0); D])), "Containing");
    let _: Query<'_, Opaque, Near, S, D, Ball<S, D>> = index.near(ball);
    let torus = Periodic::new(index.world()).expect("a world");
    check::<S, D>(index.containing(rect).periodic(&torus), "Containing");
    check::<S, D>(index.near(rect).periodic(&torus), "Intersecting");
    let _: Query<'_, Opaque, Intersecting, S, D, Wrapped<Rect<S, D>, D>> = index.iter().periodic(&torus);
    let cells = index.cells(layer);
    assert_eq!(cells.clone().count(), cells.count());
    assert!(index.cells(layer).all(|cell| !format!("{cell:?}").is_empty()));
}

/// A clone holds the same under the same handles, and goes its own way from there.
fn clones_part<S: Real, const D: usize>() {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let layer = AnyLayer::add(&mut index, true, LayerSettings::new().split_above(2));
    let span = |at: u32| Span::cube(S::of(f64::from(at)), S::of(f64::from(at) + 1.5));
    let handles: Vec<_> = (0..40).map(|at| layer.insert(&mut index, span(at), at).expect("finite")).collect();
    let before = snapshot(&index);
    let mut clone = index.clone();
    // All but the figures: a clone has no memory to spare.
    assert_eq!(snapshot(&clone)[2..], before[2..]);
    assert_eq!(clone.remove(handles[3]), Some(3));
    layer.move_to(&mut clone, handles[4], span(50)).expect("finite");
    *clone.get_mut(handles[5]).expect("a live object") = 99;
    assert_sound(&clone, "changes of a clone");
    assert_eq!(snapshot(&index), before, "the original is as it was");
    assert_eq!((clone.len(), clone.get(handles[5]), clone.contains(handles[3])), (39, Some(&99), false));
}

/// A point as users have it.
#[derive(Clone, Copy)]
struct Vector<S, const D: usize> {
    coordinates: [S; D],
}

impl<S, const D: usize> From<Vector<S, D>> for [S; D] {
    fn from(vector: Vector<S, D>) -> Self {
        vector.coordinates
    }
}

/// Whatever converts into an array is a point, for objects and for regions.
fn points_of_all_sorts<S: Real, const D: usize>() {
    let mut index = SpatialIndex::<u8, S, D>::new(roomy_scenes::<S>()[0].world()).expect("a world");
    let layer = index.add_point_layer().expect("a layer");
    let vector = |at: f64| Vector { coordinates: [S::of(at); D] };
    let handle = index.insert(layer, vector(1.0), 1).expect("finite");
    assert_eq!(index.shape(handle), Some(Rect::from_point([S::of(1.0); D])));
    index.move_to(handle, vector(2.0)).expect("finite");
    for found in [
        index.intersecting(vector(2.0)).count(),
        index.contained_in(vector(2.0)).count(),
        index.containing(vector(2.0)).count(),
        index.near(vector(2.0)).count(),
        index.nearest(vector(2.0)).count(),
        index.cast(vector(1.0), vector(1.0)).count(),
        index.raycast(Ray::new(vector(1.0), vector(1.0))).count(),
        index.raycast(Segment::new(vector(1.0), vector(2.0)).into()).count(),
    ] {
        assert_eq!(found, 1);
    }
    assert!(index.cell_at(layer, vector(2.0)).is_some());
    let around = Rect::new(vector(3.0), vector(1.0));
    assert_eq!((around.min(), around.max()), ([S::of(1.0); D], [S::of(3.0); D]));
    assert!(around.contains_point(vector(3.0)) && !around.contains_point(vector(3.5)));
    assert_eq!(Rect::from_points([vector(3.0), vector(1.0), vector(2.0)]), Some(around));
    assert_eq!(Rect::<S, D>::from_points(Vec::<Vector<S, D>>::new()), None);
    assert_eq!(Rect::from_center_half(vector(2.0), vector(1.0)), around);
    assert_eq!(Rect::try_new(vector(1.0), vector(3.0)), Ok(around));
    assert_eq!((around.center(), around.size()), ([S::of(2.0); D], [S::of(2.0); D]));
}

#[test]
fn tuples_are_points() {
    let mut plane = Quadtree::<u8>::new(Rect::new((0.0, 0.0), (10.0, 10.0))).expect("a world");
    let layer = plane.add_point_layer().expect("a layer");
    let handle = plane.insert(layer, (1.0, 2.0), 1).expect("finite");
    assert_eq!(plane.intersecting((1.0, 2.0)).map(|object| object.handle()).collect::<Vec<_>>(), [handle]);
    let mut space = Octree::<u8, f64>::new(Rect::new((0.0, 0.0, 0.0), (10.0, 10.0, 10.0))).expect("a world");
    let layer = space.add_point_layer().expect("a layer");
    let handle = space.insert(layer, (1.0, 2.0, 3.0), 1).expect("finite");
    assert_eq!(space.containing((1.0, 2.0, 3.0)).map(|object| object.handle()).collect::<Vec<_>>(), [handle]);
}

/// Every operator between layers, names of layers and sets, in every mix.
#[test]
fn sets_of_layers_are_written_with_operators() {
    let mut index = Quadtree::<()>::new(Rect::new([0.0, 0.0], [1.0, 1.0])).expect("a world");
    let (points, rects) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
    let [p, r] = [points.id(), rects.id()].map(|layer| 1_u64 << layer.number());
    assert_ne!(p, r);
    macro_rules! assert_all {
        ($($left:expr, $left_bits:expr; $right:expr, $right_bits:expr)+) => {$(
            assert_eq!(($left | $right).to_bits(), $left_bits | $right_bits);
            assert_eq!(($left & $right).to_bits(), $left_bits & $right_bits);
            assert_eq!(($left ^ $right).to_bits(), $left_bits ^ $right_bits);
            assert_eq!(($left - $right).to_bits(), $left_bits & !$right_bits);
            assert_eq!((!$left).to_bits(), !$left_bits);
        )+};
    }
    let (set, id) = (LayerSet::from(points), rects.id());
    assert_all! {
        points, p; rects, r
        points, p; points, p
        points, p; id, r
        points, p; set, p
        id, r; points, p
        id, r; id, r
        id, r; set, p
        set, p; rects, r
        set, p; id, r
        set, p; set, p
        LayerSet::ALL, u64::MAX; rects, r
        LayerSet::NONE, 0; rects, r
    }
    assert!((points | rects).contains(id) && !(!rects).contains(id) && !set.contains(rects));
    assert!(LayerSet::ALL.contains(points) && !LayerSet::NONE.contains(points));
    assert_eq!(LayerSet::from_bits((points | id).to_bits()), points | rects);
    let distinct: HashSet<_> = [points.into(), set, LayerSet::from(points.id())].into();
    assert_eq!(distinct.len(), 1);
    assert_eq!(LayerId::from(points), points.id());
}
