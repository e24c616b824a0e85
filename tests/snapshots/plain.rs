//! Handles, layers, boxes, regions, cursors, watches and contacts: saved with their index, or alone.

use quadrille::{
    AnyOf, Ball, Compact, Contacts, Corridor, Cursor, HalfSpace, Handle, Intersecting, Layer, LayerId, LayerSet,
    LayerSettings, Near, Points, Polygon, Quadtree, Ray, Rect, Scalar, Segment, SpatialIndex, Watch,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::format::{FORMATS, Format};

#[derive(Serialize, Deserialize)]
struct Game {
    index: Quadtree<String>,
    #[serde(with = "quadrille::compact")]
    walls: Quadtree<u8, f64>,
    units: Layer<Points>,
    heroes: Vec<Handle>,
    view: Cursor<Intersecting>,
    all: Cursor<Near>,
    zone: Ball,
    in_zone: Watch,
    lakes: AnyOf<Polygon>,
    in_lakes: Watch,
    close: Contacts,
}

fn game() -> Game {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).expect("a world");
    let units = index.add_point_layer().expect("there is room");
    let place = |n: u16| [f32::from(n % 20) * 5.0, f32::from(n / 20)];
    let heroes = index.insert_batch(units, (0..1000).map(|n| (place(n), n.to_string()))).expect("finite");
    let mut view = index.intersecting(Rect::new([0.0, 0.0], [50.0, 50.0])).pause().distinct();
    assert!(!view.run(&index, 3, |_| {}).expect("its index").done);
    let mut all = index.iter().pause();
    assert!(all.step(&index).expect("its index").is_some());
    let (mut in_zone, mut in_lakes, mut close) = (Watch::new(), Watch::new(), Contacts::new());
    let zone = Ball::new([20.0, 20.0], 10.0);
    assert_eq!(in_zone.poll(index.intersecting(zone)).expect("its index").left, []);
    let lake = |x: f32| Polygon::new([[x, 0.0], [x + 9.0, 9.0], [x, 30.0]]).with_ring([[x + 1.0, 5.0]]);
    let lakes = AnyOf::new([lake(18.0), lake(60.0)]);
    assert!(in_lakes.poll(index.intersecting(&lakes)).expect("its index").entered.contains(&heroes[20 * 21 + 4]));
    assert_eq!(close.poll(index.pairs_of(&heroes[5..50]).within(1.0)).expect("its index").begun.len(), 50);
    Game {
        index,
        walls: Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).expect("a world"),
        units,
        heroes,
        view,
        all,
        zone,
        in_zone,
        lakes,
        in_lakes,
        close,
    }
}

/// A struct with all of them lives on as it would have without.
#[test]
fn a_game_goes_on() {
    for format in FORMATS {
        let [mut here, mut there] = {
            let here = game();
            let there = format.through(&here);
            [here, there]
        };
        let [seen_here, by_loaded] = [&mut here, &mut there].map(|game| {
            let Game { index, units, heroes, view, all, zone, in_zone, lakes, in_lakes, close, .. } = game;
            let (mover, goner) = (heroes[10], in_zone.inside()[0]);
            index.move_to(mover, [21.0, 21.0]).expect("it lives");
            index.remove(goner);
            heroes.push(index.insert(*units, [1.0, 1.0], "squire".to_owned()).expect("its layer"));
            let mut seen = vec![];
            while !view.run(index, 5, |object| seen.push(object.handle())).expect("its index").done {}
            seen.extend(index.resume(all.clone()).expect("its index").map(|object| object.handle()));
            let changes = in_zone.poll(index.intersecting(*zone)).expect("its index");
            assert_eq!((changes.entered, changes.left), (&[mover][..], &[goner][..]));
            seen.extend(&*heroes);
            let changes = in_lakes.poll(index.intersecting(&*lakes)).expect("its index");
            assert_eq!(changes.entered, [mover]);
            seen.extend(changes.left);
            let changes = close.poll(index.pairs_of(&heroes[5..50]).within(1.0)).expect("its index");
            assert!(changes.ended.contains(&[mover, heroes[30]]) && changes.ended.len() < 5, "{changes:?}");
            seen.extend(changes.begun.iter().chain(changes.ended).flatten());
            seen
        });
        assert!(seen_here == by_loaded, "{format:?}");
        assert!(1000 < seen_here.len());
    }
}

fn comes_back<A: Serialize + for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug>(value: &A) {
    for format in FORMATS {
        assert_eq!(&format.through(value), value, "{format:?}");
    }
}

#[test]
fn plain_types_come_back() {
    let Game { index, units, heroes, .. } = game();
    comes_back(&heroes);
    comes_back(&Handle::default());
    comes_back(&units);
    comes_back(&units.id());
    comes_back(&(LayerSet::from(units), LayerSet::ALL - units, quadrille::Kind::Rects));
    comes_back(&LayerSettings::new().split_above(3).depth_max(2));
    comes_back(&Rect::new([0.1_f32, -0.0], [f32::MAX, 1e-40]));
    comes_back(&Rect::<f64, 3>::everything());
    comes_back(&Ball::new([0.1_f32, 5.0], 2.5));
    comes_back(&Segment::new([0.1_f32, 5.0, 1.0], [2.5, 1.0, 1.0]));
    comes_back(&Corridor::new([[0.1_f32, 5.0], [2.5, 1.0]], 0.3));
    comes_back(&Corridor::new((0..40).map(|at| [f64::from(at), 0.1, 3.0]), f64::INFINITY));
    comes_back(&HalfSpace::new([0.5_f64, 5.0], 2.5));
    comes_back(&Ray::new([0.1_f32, 5.0], [2.5, f32::INFINITY]));
    comes_back(&Ray::segment([0.5_f64, 5.0, 0.0], [0.5, -7.25, -0.0]));
    comes_back(&Ray::segment([-1e308_f64, 2.0], [1e308, 0.0])); // the difference overflows
    assert_eq!(
        serde_json::to_string(&Rect::new([0.5, 1.0], [f64::INFINITY, 2.0])).expect("saved"),
        r#"{"min":[0.5,1.0],"max":["inf",2.0]}"#
    );
    drop(index);
}

#[cfg(feature = "std")]
#[test]
fn caps_come_back() {
    use quadrille::GreatCircle;

    comes_back(&GreatCircle::new([179.9, -17.0]).within(50_000.0));
    comes_back(&GreatCircle::new([0.1, 90.0]).with_radius(1737.4).within(f64::INFINITY));
}

#[test]
fn polygons_come_back() {
    let triangle = Polygon::new([[0.0_f32, 0.0], [10.0, 0.0], [0.0, 10.0]]);
    assert_eq!(serde_json::to_string(&triangle).expect("saved"), r#"{"rings":[[[0.0,0.0],[10.0,0.0],[0.0,10.0]]]}"#);
    let through_its_first = [[0.0_f32, 0.0], [5.0, 0.0], [5.0, 5.0], [0.0, 0.0], [-5.0, 0.0], [-5.0, -5.0], [0.0, 0.0]];
    let more =
        [Polygon::new([[1.0_f32, 2.0]]), Polygon::new([[1.0_f32, 2.0], [3.0, 4.0]]), Polygon::new(through_its_first)];
    for polygon in more.into_iter().chain([triangle.clone().with_ring([[1.0, 1.0], [2.0, 1.0], [1.0, 2.0]]), triangle])
    {
        comes_back(&polygon);
        comes_back(&AnyOf::<_, f32, 2>::new([polygon.clone(), polygon]));
    }
    comes_back(&Polygon::new([[0.5_f64, 1e300], [0.1, 2.0]]));
    comes_back(&AnyOf::<_, f64, 3>::new([Ball::new([0.5, 1.0, 2.0], 0.5), Ball::new([9.0, 1.0, 2.0], -1.0)]));
    // Empty ones stay empty.
    for empty in [Polygon::new([[0.0_f32; 2]; 0]), Polygon::new([[1.0, f32::INFINITY]]).with_ring([[0.0, 0.0]])] {
        for format in FORMATS {
            let loaded = format.through(&empty);
            assert!(loaded.edges().eq(empty.edges()) && !loaded.intersects(&Rect::everything()), "{loaded:?}");
        }
    }
}

/// Contacts of two indexes know both.
#[test]
fn contacts_of_two_indexes_go_on() {
    let [mut one, mut other] = [(); 2].map(|()| Quadtree::<u8>::new(Rect::new([0.0; 2], [100.0; 2])).expect("a world"));
    let (points, boxes) = (one.add_point_layer().expect("room"), other.add_rect_layer().expect("room"));
    let scout = one.insert(points, [5.0, 5.0], 1).expect("finite");
    let park = other.insert(boxes, Rect::new([0.0, 0.0], [9.0, 9.0]), 2).expect("finite");
    let mut contacts = Contacts::new();
    assert_eq!(contacts.poll(one.join(&other)).expect("its indexes").begun, [[scout, park]]);
    for format in FORMATS {
        let (mut one, other, mut contacts) = format.through(&(one.clone(), other.clone(), contacts.clone()));
        assert!(contacts.poll(other.join(&one)).is_err() && contacts.poll(one.join(&one)).is_err());
        one.move_to(scout, [50.0, 50.0]).expect("it lives");
        let changes = contacts.poll(one.join(&other)).expect("its indexes");
        assert_eq!((changes.begun, changes.ended), (&[][..], &[[scout, park]][..]));
    }
}

/// Neither a NaN nor corners out of order come in, nor layers that cannot be.
#[test]
fn what_cannot_be_is_refused() {
    let rect = |text: &str| serde_json::from_str::<Rect>(text).map_err(|error| error.to_string());
    assert_eq!(rect(r#"{"min":[1,2],"max":[3,2]}"#), Ok(Rect::new([1.0, 2.0], [3.0, 2.0])));
    let refused =
        [r#"{"min":[1,2],"max":[3,1]}"#, r#"{"min":[1,2],"max":["NaN",2]}"#, r#"{"min":[1,2],"max":[null,2]}"#];
    for text in refused {
        assert!(rect(text).is_err(), "{text}");
    }
    let nan = postcard::to_allocvec(&([f32::NAN, 0.0], [1.0_f32, 1.0])).expect("saved");
    assert!(Format::Postcard.load::<Rect>(&nan).is_err());
    assert!(postcard::to_allocvec(&Rect::from_point([f32::NAN, 0.0])).is_err());
    assert!(Format::Postcard.load::<Ball>(&nan).is_err());
    for polygon in [Polygon::new([[f32::NAN, 0.0], [1.0, 1.0]]), Polygon::new([[1.0, 1.0], [f32::NAN, 0.0]])] {
        assert!(serde_json::to_string(&polygon).is_err() && postcard::to_allocvec(&polygon).is_err());
    }
    let corners = |last: f32| postcard::to_allocvec(&[vec![[0.0, 0.0], [1.0, last]]]).expect("saved");
    let rings = |last: f32| [&[1][..], &corners(last)].concat();
    assert!(Format::Postcard.load::<Polygon>(&rings(1.0)).is_ok());
    assert!(Format::Postcard.load::<Polygon>(&rings(f32::NAN)).is_err());
    let layer =
        |number: u8, stamp: u64| Format::Postcard.load::<LayerId>(&Format::Postcard.save(&(number, stamp, stamp)));
    assert!(layer(63, 0).is_ok() && layer(64, 0).is_err() && layer(255, 0).is_err() && layer(0, u64::MAX).is_ok());
}

/// Layers that are made after loading have identities of their own; those of the original are known, but not those that it
/// was given later.
#[test]
fn identities_hold() {
    let Game { mut index, units, .. } = game();
    let gone = index.add_rect_layer().expect("there is room");
    index.remove_layer(gone).expect("it lives");
    let bytes = Format::Postcard.save(&Compact(&index));
    let later = index.add_rect_layer().expect("there is room");
    let Compact(mut loaded) = Format::Postcard.load::<Compact<Quadtree<String>>>(&bytes).expect("loaded");
    assert!(loaded.insert(units, [1.0, 1.0], String::new()).is_ok());
    let dead = loaded.remove_layer(gone).expect_err("it was removed");
    assert!(matches!(dead, quadrille::LayerError::Dead { .. }), "{dead}");
    let foreign = loaded.remove_layer(later).expect_err("it was added later");
    assert!(matches!(foreign, quadrille::LayerError::Foreign { .. }), "{foreign}");
    let own = loaded.add_rect_layer().expect("there is room");
    assert_ne!(own, later);

    // An index with stamps of a process that has given out many.
    let far = 1 << 40;
    let id: LayerId = Format::Postcard.load(&Format::Postcard.save(&(0_u8, 0_u64, far + 5))).expect("loaded");
    let fresh = loaded.add_rect_layer().expect("there is room");
    assert!(id < LayerId::from(fresh) || id.number() != fresh.id().number());
    let text = serde_json::to_string(&fresh).expect("saved");
    let stamp: u64 = text.trim_end_matches('}').rsplit(':').next().expect("a number").parse().expect("a number");
    assert!(far + 5 < stamp, "{text}");
}

/// An index of a process that has given out many identities: those that follow here are others.
#[test]
fn identities_of_other_processes_are_kept() {
    let mut saved: serde_json::Value = serde_json::from_slice(&Format::Json.save(&game().index)).expect("text");
    let far = 1_u64 << 50;
    for place in ["/space/layers/numbers/0/first", "/space/layers/numbers/0/last", "/space/era/1"] {
        *saved.pointer_mut(place).expect("a stamp") = far.into();
    }
    let mut loaded: Quadtree<String> = serde_json::from_value(saved).expect("loaded");
    let old = loaded.layers().next().expect("a layer");
    let new = loaded.add_rect_layer().expect("there is room");
    let [old, new] = [old, new.id()].map(|layer| serde_json::to_value(layer).expect("saved")["stamp"].as_u64());
    assert_eq!(old, Some(far));
    assert!(old < new, "{new:?}");
}

/// Every version says which one it is.
#[test]
fn versions_are_told_apart() {
    let Game { index, .. } = game();
    let exact = String::from_utf8(Format::Json.save(&index)).expect("text");
    assert!(exact.starts_with(r#"{"exact":[5,4,2],"#));
    let error =
        Format::Json.load::<Quadtree<String>>(exact.replacen('5', "9", 1).as_bytes()).expect_err("another version");
    assert!(error.contains("expected form 5 of an index of f32 in 2D, found form 9 of"), "{error}");
    assert!(Format::Postcard.load::<Quadtree<String, f64>>(&Format::Postcard.save(&index)).is_err());
}

/// A cursor goes on in what is loaded, where a thin box is still to come.
#[test]
fn cursors_go_on_among_thin_boxes_in_the_compact_form() {
    let small = |n: u16| {
        let at = [f32::from(n % 64), f32::from(n / 64)];
        Rect::new(at, at.map(|end| end + 0.5))
    };
    let mut index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [64.0, 64.0])).unwrap();
    let layer = index.add_rect_layer().unwrap();
    let handles: Vec<_> = (0..4096).map(|n| index.insert(layer, small(n), 0).unwrap()).collect();
    index.insert(layer, Rect::new([32.0, 50.0], [62.0, 50.1]), 7).unwrap();
    for &handle in &handles[1..] {
        index.remove(handle).unwrap();
    }
    let mut query = index.intersecting(Rect::new([-1.0, -1.0], [99.0, 99.0]));
    assert_eq!(query.next().map(|object| *object.value()), Some(0));
    let cursor = query.pause();
    for format in [Format::Json, Format::Postcard] {
        let Compact(loaded) = format.load::<Compact<Quadtree<u32>>>(&format.save(&Compact(&index))).unwrap();
        loaded.check_integrity().unwrap();
        let rest = |index: &Quadtree<u32>| -> Vec<u32> {
            index.resume(cursor.clone()).unwrap().map(|object| *object.value()).collect()
        };
        assert_eq!((rest(&index), rest(&loaded)), (vec![7], vec![7]));
    }
}

/// A hundred points on a diagonal, in blocks of one, from the corner that queries come to last.
fn diagonal() -> (Quadtree<()>, Vec<Handle>) {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let units = index.add_point_layer_with(LayerSettings::new().split_above(1)).unwrap();
    let handles = index.insert_batch(units, (0..100_u8).map(|n| ([f32::from(n); 2], ()))).unwrap();
    (index, handles)
}

/// A distinct cursor that was saved and loaded yields nothing that was yielded before, not even from another place.
#[test]
fn a_loaded_cursor_remembers_what_it_has_yielded() {
    for format in FORMATS {
        let (mut index, handles) = diagonal();
        let mut cursor = index.iter().pause().distinct();
        let mut seen: Vec<Handle> = (0..10).map(|_| cursor.step(&index).unwrap().unwrap().handle()).collect();
        let mut loaded = format.through(&cursor);
        for &handle in &seen {
            index.move_to(handle, [0.5, 0.5]).unwrap(); // not passed yet
        }
        while let Some(object) = loaded.step(&index).unwrap() {
            seen.push(object.handle());
        }
        seen.sort_unstable();
        assert_eq!(seen, handles, "each once");
    }
}

/// A cursor that was saved and loaded still leaves out the excluded objects.
#[test]
fn a_loaded_cursor_leaves_out_the_excluded_objects() {
    for (format, out) in FORMATS.into_iter().flat_map(|format| [50..50, 50..51, 50..54].map(|out| (format, out))) {
        let (index, handles) = diagonal();
        let cursor = index.iter().excluding(&handles[out.clone()]).pause();
        let mut seen: Vec<Handle> =
            index.resume(format.through(&cursor)).unwrap().map(|object| object.handle()).collect();
        seen.sort_unstable();
        assert_eq!(seen, [&handles[..out.start], &handles[out.end..]].concat());
    }
}

/// The kind of coordinates, the dimensions and the form are saved, so no index is loaded as one of another type, not even an
/// empty one. (In text, the bits of an `f64` were taken for an `f32`; in a binary format, an empty index in the exact form
/// for one in the compact form.)
#[test]
fn indexes_of_other_types_are_refused() {
    fn refused<A: Serialize, B: DeserializeOwned>(index: &A, what: &str) {
        for format in FORMATS {
            assert!(format.load::<B>(&format.save(index)).is_err(), "{what} in {format:?}");
        }
    }
    fn each<S, R, const D: usize>(len: u16)
    where
        S: Scalar + Serialize + DeserializeOwned,
        R: Scalar + Serialize + DeserializeOwned,
    {
        let world = Rect::new([S::from(0); D], [S::from(100); D]);
        let mut index: SpatialIndex<u8, S, D> = SpatialIndex::new(world).expect("it has extent");
        if 0 < len {
            let units = index.add_point_layer().expect("there is room");
            let at = (0..len).map(|n| ([S::from(n % 100); D], 0));
            index.insert_batch(units, at).expect("finite");
        }
        refused::<_, SpatialIndex<u8, R, D>>(&index, "exact, other coordinates");
        refused::<_, Compact<SpatialIndex<u8, R, D>>>(&Compact(&index), "compact, other coordinates");
        refused::<_, Compact<SpatialIndex<u8, S, D>>>(&index, "exact as compact");
        refused::<_, SpatialIndex<u8, S, D>>(&Compact(&index), "compact as exact");
        if D == 2 {
            refused::<_, SpatialIndex<u8, S, 3>>(&index, "exact in 3D");
            refused::<_, Compact<SpatialIndex<u8, S, 3>>>(&Compact(&index), "compact in 3D");
        } else {
            refused::<_, SpatialIndex<u8, S, 2>>(&index, "exact in 2D");
            refused::<_, Compact<SpatialIndex<u8, S, 2>>>(&Compact(&index), "compact in 2D");
        }
    }
    for len in [400, 1, 0] {
        each::<f64, f32, 2>(len);
        each::<f32, f64, 2>(len);
        each::<f32, f64, 3>(len);
        each::<f64, f32, 3>(len);
    }
}
