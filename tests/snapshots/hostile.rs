//! Bytes that nobody saved: an error, or a sound index; never a panic, and never much more memory than there are bytes.

use std::fmt::Debug;

use quadrille::{
    AnyOf, Compact, Contacts, Cursor, Handle, Intersecting, LayerSettings, Markers, Polygon, Rect, Scalar,
    SpatialIndex, Watch,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::format::Format;
use crate::most_bytes_while;
use crate::play::{Dice, Play};

/// How many bytes of memory one byte of a file may cost. A bucket of boxes of `f64` in 3D has 3 600 bytes, and is saved as
/// 66 if it is free.
const FACTOR: usize = 60;

/// The memory taken whatever the bytes are: the last page of buckets, of 64, is allocated whole.
const BASE: usize = 1 << 18;

/// Loads an index; if that works, it must be sound, and must stay so.
fn load<S, const D: usize>(format: Format, bytes: &[u8], is_compact: bool, dice: &mut Dice) -> bool
where
    S: Scalar + Serialize + DeserializeOwned,
{
    let (loaded, bytes_taken) = most_bytes_while(|| {
        if is_compact {
            format.load(bytes).map(|Compact(index)| index)
        } else {
            format.load::<SpatialIndex<u32, S, D>>(bytes)
        }
    });
    // The compact form has objects only, and a layer may be split down to single ones.
    let factor = if is_compact { 20 * FACTOR } else { FACTOR };
    assert!(bytes_taken <= factor * bytes.len() + BASE, "{bytes_taken} bytes of {}", bytes.len());
    let Ok(index) = loaded else { return false };
    assert_eq!(index.check_integrity(), Ok(()));
    live_on(index, dice);
    true
}

fn live_on<S: Scalar, const D: usize>(index: SpatialIndex<u32, S, D>, dice: &mut Dice) {
    let handles = index.iter().map(|object| object.handle()).collect();
    let points = index.layers().filter_map(|layer| index.point_layer(layer)).collect();
    let rects = index.layers().filter_map(|layer| index.rect_layer(layer)).collect();
    let mut play = Play { index, points, rects, handles, clears: true };
    play.answers(dice);
    for _ in 0..6 {
        play.operate(dice);
    }
    while !play.index.optimize_step(100).done {}
    play.answers(dice);
    assert_eq!(play.index.check_integrity(), Ok(()));
}

/// Changes some bytes, cuts some off, or puts some in.
pub(crate) fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..=dice.below(3) {
        let at = dice.below(bytes.len());
        match dice.below(8) {
            0 => bytes.truncate(at.max(1)),
            1 => drop(bytes.drain(at..(at + 1 + dice.below(20)).min(bytes.len() - 1).max(at))),
            2 => bytes.insert(at, dice.bits() as u8),
            3 => bytes[at] = [0, 1, 2, 127, 128, 255][dice.below(6)],
            4 => bytes[at] = dice.bits() as u8,
            5 => bytes[at] = bytes[at].wrapping_add(1),
            6 => bytes[at] = bytes[at].wrapping_sub(1),
            _ => bytes[at] ^= 1 << dice.below(8),
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
}

/// A part of a text that has no parts, chosen level by level, so that rare ones are chosen as often as frequent ones; or a
/// list that is not empty, if that is asked for.
fn part<'a>(value: &'a mut Value, may_be_list: bool, dice: &mut Dice) -> &'a mut Value {
    let stops = match value {
        Value::Array(list) => list.is_empty() || may_be_list && dice.below(3) == 0,
        Value::Object(_) => false,
        _ => true,
    };
    if stops {
        return value;
    }
    let parts: Vec<_> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        _ => unreachable!("it has parts"),
    };
    let chosen = dice.below(parts.len());
    part(parts.into_iter().nth(chosen).expect("there are so many"), may_be_list, dice)
}

/// Changes the meaning and not the form: a number becomes another that could be there, or another of the same text.
fn mutate_meaning(text: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(text).expect("what was saved");
    for _ in 0..=dice.below(2) {
        let other = part(&mut value, false, dice).clone();
        let one = part(&mut value, false, dice);
        let special = [0_u64, 1, 2, 3, 5, 63, 64, 127, 255, 1 << 25, 1 << 30, u32::MAX.into(), u64::MAX >> 1];
        *one = match (dice.below(6), one.as_i64(), one.as_f64()) {
            (0, ..) => json!(special[dice.below(special.len())]),
            (1, Some(number), _) => json!(number.wrapping_add(1)),
            (2, Some(number), _) => json!(number.wrapping_sub(1)),
            (3, _, Some(number)) => json!(number * 1.5),
            _ => other,
        };
    }
    // Parts of lists are left out, are there twice, or change places.
    if dice.below(4) == 0
        && let Value::Array(list) = part(&mut value, true, dice)
        && !list.is_empty()
    {
        let [one, other] = [(); 2].map(|()| dice.below(list.len()));
        match dice.below(3) {
            0 => drop(list.remove(one)),
            1 => list.insert(one, list[other].clone()),
            _ => list.swap(one, other),
        }
    }
    serde_json::to_vec(&value).expect("it was loaded")
}

fn bytes_of_any_origin<S, const D: usize>(rounds: usize)
where
    S: Scalar + Serialize + DeserializeOwned,
{
    let mut loaded = [0; 3];
    for seed in 0..24 {
        let mut dice = Dice::new(seed);
        let operations = 5 + dice.below(40);
        let play = Play::<S, D>::after(&mut dice, operations);
        for is_compact in [false, true] {
            let save = |format: Format| {
                if is_compact { format.save(&Compact(&play.index)) } else { format.save(&play.index) }
            };
            let [binary, text] = [Format::Postcard, Format::Json].map(save);
            assert!(load::<S, D>(Format::Postcard, &binary, is_compact, &mut dice));
            for _ in 0..rounds {
                let [mut bytes, mut letters] = [binary.clone(), text.clone()];
                mutate(&mut bytes, &mut dice);
                loaded[0] += usize::from(load::<S, D>(Format::Postcard, &bytes, is_compact, &mut dice));
                if dice.below(4) == 0 {
                    mutate(&mut letters, &mut dice);
                    loaded[1] += usize::from(load::<S, D>(Format::Json, &letters, is_compact, &mut dice));
                }
                if dice.below(2) == 0 {
                    let changed = mutate_meaning(&text, &mut dice);
                    loaded[2] += usize::from(load::<S, D>(Format::Json, &changed, is_compact, &mut dice));
                }
            }
        }
    }
    // It would prove little if nothing came in.
    assert!(loaded.iter().all(|&loaded| 10 < loaded), "{loaded:?}");
}

#[test]
fn bytes_of_any_origin_f32_2d() {
    bytes_of_any_origin::<f32, 2>(60);
}

#[test]
fn bytes_of_any_origin_f64_3d() {
    bytes_of_any_origin::<f64, 3>(25);
}

/// A block that begins at no aligned cell is refused: its objects would not be found, and a removal would merge it with
/// cells beyond the node.
#[test]
fn blocks_are_aligned() {
    let mut index: quadrille::Quadtree<u32> = quadrille::Quadtree::new(Rect::new([0.0, 0.0], [64.0, 64.0])).unwrap();
    let layer = index.add_point_layer().unwrap();
    index.insert_batch(layer, [([0.5, 0.5], 0), ([0.25, 0.25], 1)]).unwrap();
    let mut saved: Value = serde_json::from_slice(&Format::Json.save(&index)).expect("what was saved");
    let cell = saved.pointer_mut("/trees/arena/nodes/0/cells/0").expect("a cell");
    assert_eq!(*cell, json!(1), "all cells share the bucket");
    *cell = json!(0);
    let text = serde_json::to_vec(&saved).expect("it was loaded");
    let error = Format::Json.load::<quadrille::Quadtree<u32>>(&text).map(drop).expect_err("cells 1 to 63 are no block");
    assert!(error.contains("T4"), "{error}");
}

/// A page of boxes with their minimum corners alone.
fn as_points(page: &Value) -> Value {
    let mut buckets = page["Rects"].clone();
    for bucket in buckets.as_array_mut().expect("buckets") {
        for entry in bucket["entries"].as_array_mut().expect("entries").iter_mut().filter(|entry| !entry.is_null()) {
            entry[1].as_array_mut().expect("two corners").truncate(1);
        }
    }
    json!({ "Points": buckets })
}

/// Each number that leads somewhere, wrong on its own: the error says what is wrong.
#[test]
fn numbers_that_lead_astray() {
    let index = Play::<f32, 2>::of_rects(&mut Dice::new(11), 700).index;
    let saved: Value = serde_json::from_slice(&Format::Json.save(&index)).expect("what was saved");
    let refused = |place: &str, wrong: Value, why: &str| {
        let mut changed = saved.clone();
        *changed.pointer_mut(place).unwrap_or_else(|| panic!("there is no {place}")) = wrong;
        let text = serde_json::to_vec(&changed).expect("it was loaded");
        let error = Format::Json.load::<SpatialIndex<u32>>(&text).map(drop).expect_err(place);
        assert!(error.contains(why), "{place}: {error}");
    };
    refused("/space/world/1", json!([0.0, 1.0]), "a size");
    refused("/space/world/1", json!([-1.0, 1.0]), "minimum");
    refused("/space/rules/0", json!([64, 10]), "depth_max");
    refused("/space/rules", json!([]), "rules");
    refused("/space/layers/numbers/0/kind", json!("Points"), "T6");
    refused("/space/layers/removed", json!(u64::MAX), "L1");
    refused("/space/slots/free", json!([1]), "slot 1");
    refused("/space/slots/emptied/0", json!(u32::MAX), "emptied");
    refused("/values/0", json!("seven"), "invalid type");
    refused("/values", json!([1, 2]), "values");
    refused("/trees/roots", json!([[0, 0], [0, 0]]), "L1");
    refused("/trees/roots", json!([[1, 0]]), "L1");
    refused("/trees/roots", json!([[0, 1_000_000]]), "T1");
    refused("/trees/arena/free_nodes", json!([0]), "T9");
    refused("/trees/arena/listed_pages", json!([[], [1000]]), "T9");
    refused("/trees/arena/listed_pages", json!([[0], []]), "T9");
    refused("/trees/arena/pages/0", json!({ "Rects": [] }), "T9");
    refused("/trees/arena/pages/0", as_points(&saved["trees"]["arena"]["pages"][0]), "of the other kind");
    refused("/trees/arena/nodes/0/reach", json!(u32::MAX), "T6");
    refused("/trees/arena/nodes/0/reach", json!(0), "T6");
    refused("/trees/arena/nodes/0/own", json!(1_000_000), "T3");
    refused("/trees/arena/nodes/0/cells/0", json!(2), "T");
    refused("/trees/arena/nodes/0/cells/0", json!(1), "");
    refused("/trees/arena/pages/0/Rects/0/crowd", json!(1), "T3");
    refused("/trees/arena/pages/0/Rects/0/crowd", json!(1_000_000), "T3");
    refused("/trees/arena/pages/0/Rects/0/reach", json!(u32::MAX), "T6");
    refused("/trees/arena/pages/0/Rects/0/entries/0", json!([1_000_000, [[1.0, 1.0], [2.0, 2.0]]]), "slot 1000000");
    refused("/trees/arena/pages/0/Rects/0/entries/0/1/0/0", json!(1e30), "");
    refused("/trees/arena/pages/0/Rects/0/entries/0", json!(null), "");
    refused("/trees/pass/placed/1", json!(1_000_000), "M1");
    refused("/trees/pass/bucket", json!(1_000_000), "M1");
    refused("/trees/pass/reached", json!([[1 << 30, 0], 0, false]), "M1");
}

/// The most memory beside its bytes is taken by free buckets, and buckets of one object each.
#[test]
fn memory_of_what_is_nearly_empty() {
    let mut dice = Dice::new(5);
    for split_above in [1, 64] {
        let world = Rect::new([0.0; 3], [1000.0; 3]);
        let mut index: SpatialIndex<u32, f64, 3> = SpatialIndex::new(world).expect("a world");
        let settings = LayerSettings::new().split_above(split_above);
        let layer = index.add_rect_layer_with(settings).expect("there is room");
        let objects = if split_above == 1 { 2000 } else { 40_000 };
        let rects: Vec<_> = (0..objects).map(|_| (dice.rect(), 0)).collect();
        index.insert_batch(layer, rects).expect("finite");
        for is_empty in [false, true] {
            if is_empty {
                index.clear();
            }
            let saved = Format::Postcard.save(&index);
            let (loaded, taken) = most_bytes_while(|| Format::Postcard.load::<SpatialIndex<u32, f64, 3>>(&saved));
            assert_eq!(loaded.map(|index| index.len()), Ok(index.len()));
            assert!(taken <= FACTOR * saved.len() + BASE, "{taken} bytes of {}", saved.len());
        }
    }
}

/// Lengths that promise more than there is take no memory.
#[test]
fn lengths_that_lie() {
    let play = Play::<f32, 2>::after(&mut Dice::new(3), 30);
    lengths_lie(&play.index);
    let lake = Polygon::new([[0.0_f32, 0.0], [1.0, 0.0], [0.0, 1.0]]).with_ring([[5.0, 5.0]]);
    lengths_lie(&AnyOf::<_, f32, 2>::new([lake.clone(), lake]));
    let mut contacts = Contacts::new();
    contacts.poll(play.index.pairs_of(&play.handles)).expect("its index");
    lengths_lie(&contacts);
}

/// A value that takes no bytes, but memory.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
struct Bytesless {
    #[serde(skip)]
    _memory: [u64; 4],
}

/// Only the lengths of lists say then how many values there are, and they may lie.
#[test]
fn values_without_bytes_are_limited_by_the_bytes() {
    let mut index: quadrille::Quadtree<Bytesless> =
        quadrille::Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let layer = index.add_point_layer().unwrap();
    index.insert(layer, [0.5, 0.5], Bytesless::default()).unwrap();
    let saved = Format::Postcard.save(&index);
    let (before, lists) = saved.split_at(saved.len() - 2);
    assert_eq!(lists, [1, 1], "one list with one value");
    let many: &[u8] = &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F];
    for lies in [[many, &[1]].concat(), [&[1], many].concat(), [many, &[64; 1000]].concat(), [many, many].concat()] {
        let bytes = [before, &lies].concat();
        let (loaded, taken) =
            most_bytes_while(|| Format::Postcard.load::<quadrille::Quadtree<Bytesless>>(&bytes).map(drop));
        assert!(loaded.is_err());
        assert!(taken <= 64 * size_of::<Bytesless>() * bytes.len() + (1 << 21), "{taken} bytes: {loaded:?}");
    }
}

fn lengths_lie<A: Serialize + DeserializeOwned>(thing: &A) {
    let saved = Format::Postcard.save(thing);
    for at in 0..saved.len().min(3000) {
        let bytes = [&saved[..at], &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], &saved[at..]].concat();
        let (loaded, taken) = most_bytes_while(|| Format::Postcard.load::<A>(&bytes).map(drop));
        // serde reserves a mebibyte for a list whose length is said beforehand.
        assert!(taken <= FACTOR * bytes.len() + (1 << 21), "{taken} bytes: {loaded:?}");
    }
}

/// Loads something that goes on in an index; it may find less or nothing, but goes on.
pub(crate) fn goes_on<A: DeserializeOwned>(saved: &[u8], dice: &mut Dice, go_on: impl Fn(&mut A)) -> usize {
    let mut loaded = 0;
    for _ in 0..400 {
        let changed = mutate_meaning(saved, dice);
        if let Ok(mut thing) = Format::Json.load::<A>(&changed) {
            loaded += 1;
            go_on(&mut thing);
        }
    }
    loaded
}

#[test]
fn cursors_and_watches_of_any_origin() {
    let mut dice = Dice::new(7);
    for _ in 0..8 {
        let index = Play::<f32, 2>::after(&mut dice, 30).index;
        let region = dice.rect();
        let mut cursor = index.intersecting(region).pause().distinct();
        let _ = cursor.run(&index, 1 + dice.below(4), |_| {}).expect("its index");
        let loaded = goes_on(&Format::Json.save(&cursor), &mut dice, |cursor: &mut Cursor<Intersecting>| {
            let region = format!("{cursor:?}");
            while let Ok(Some(object)) = cursor.step(&index) {
                let shape = object.shape();
                assert!(index.contains(object.handle()), "{region}: {shape:?}");
            }
        });
        let mut watch = Watch::new();
        watch.poll(index.intersecting(region)).expect("its index");
        let polled = goes_on(&Format::Json.save(&watch), &mut dice, |watch: &mut Watch| {
            drop(watch.poll(index.intersecting(region)).map(debug));
        });
        assert!(20 < loaded && 20 < polled, "{loaded} {polled}");
    }
}

/// Markers go on where they were, whatever has been written into them.
#[test]
fn markers_of_any_origin() {
    let mut dice = Dice::new(13);
    let index = Play::<f32, 2>::of_rects(&mut dice, 60).index;
    let all = |markers: &mut Markers| {
        markers.poll(Rect::everything(), |bounds, size| index.intersecting(bounds).clusters(size))
    };
    let mut markers = Markers::new(30.0);
    let found = all(&mut markers).expect("a radius");
    let mut loaded: Markers = Format::Json.load(&Format::Json.save(&markers)).expect("what was saved");
    assert_eq!(all(&mut loaded).expect("a radius"), found);
    let polled =
        goes_on(&Format::Json.save(&markers), &mut dice, |markers: &mut Markers| drop(all(markers).map(debug)));
    assert!(20 < polled && 1 < found.len(), "{polled} of {}", found.len());
    assert!(loaded.come.is_empty(), "{:?}", loaded.come);
}

#[test]
fn polygons_and_contacts_of_any_origin() {
    let mut dice = Dice::new(9);
    for _ in 0..8 {
        let index = Play::<f32, 2>::of_rects(&mut dice, 60).index;
        let triangles = [(); 3].map(|()| Polygon::new([(); 3].map(|()| dice.point::<f32, 2>())));
        let lakes = AnyOf::<Polygon>::new(triangles);
        let polled = goes_on(&Format::Json.save(&lakes), &mut dice, |lakes: &mut AnyOf<Polygon>| {
            assert!(index.intersecting(&*lakes).count() <= index.len());
        });
        let some: Vec<Handle> = index.iter().map(|object| object.handle()).step_by(3).collect();
        let mut contacts = Contacts::new();
        contacts.poll(index.pairs_of(&some).within(50.0)).expect("its index");
        let met = goes_on(&Format::Json.save(&contacts), &mut dice, |contacts: &mut Contacts| {
            drop(contacts.poll(index.pairs_of(&some).within(50.0)).map(debug));
            drop(contacts.poll(index.join(&index.clone())).map(debug));
        });
        assert!(20 < polled && 20 < met, "{polled} {met}");
    }
}

/// A saved answer, changed in some way, is refused for a reason.
pub(crate) fn assert_refused<A: DeserializeOwned>(saved: &Value, change: impl Fn(&mut Value), why: &str) {
    let mut value = saved.clone();
    change(&mut value);
    let loaded = Format::Json.load::<A>(&serde_json::to_vec(&value).expect("text")).map(drop);
    let error = loaded.expect_err(why);
    assert!(error.contains(why), "{error}");
}

pub(crate) fn as_json(thing: &impl Serialize) -> Value {
    serde_json::from_slice(&Format::Json.save(thing)).expect("what was saved")
}

/// It would be inside twice, and leave but once.
#[test]
fn an_object_stands_once_in_a_saved_watch() {
    let index = Play::<f32, 2>::of_rects(&mut Dice::new(11), 700).index;
    let mut watch = Watch::new();
    watch.poll(index.iter()).expect("its index");
    let saved = as_json(&watch);
    assert_refused::<Watch>(&saved, |value| value["list"][0] = value["list"][1].clone(), "ascend");
    assert_refused::<Watch>(&saved, |value| value["list"].as_array_mut().expect("a list").reverse(), "ascend");
    assert_refused::<Watch>(&saved, |value| value["index"] = Value::Null, "no index");
}

/// It would end and begin though it goes on.
#[test]
fn a_saved_pair_begins_with_its_lower_handle() {
    let mut index = quadrille::Quadtree::<()>::new(Rect::new([0.0, 0.0], [9.0, 9.0])).expect("a world");
    let points = index.add_point_layer().expect("room");
    index.insert_batch(points, [([1.0, 1.0], ()), ([1.0, 1.0], ())]).expect("finite");
    let mut contacts = Contacts::new();
    contacts.poll(index.pairs()).expect("its index");
    let saved = as_json(&contacts);
    let reverse = |value: &mut Value| value["list"][0].as_array_mut().expect("a pair").reverse();
    assert_refused::<Contacts>(&saved, reverse, "lower handle");
    // Those of a join have no lower handle.
    let mut contacts = Contacts::new();
    contacts.poll(index.join(&index.clone())).expect("its index");
    assert_eq!(contacts.len(), 4);
    let loaded = Format::Json.load::<Contacts>(&Format::Json.save(&contacts)).expect("what was saved");
    assert!(loaded.pairs().eq(contacts.pairs()));
}

#[test]
fn a_pair_stands_once_in_saved_contacts() {
    let index = Play::<f32, 2>::of_rects(&mut Dice::new(11), 700).index;
    let mut contacts = Contacts::new();
    contacts.poll(index.pairs()).expect("its index");
    let saved = as_json(&contacts);
    assert_refused::<Contacts>(&saved, |value| value["list"][0] = value["list"][1].clone(), "ascend");
    assert_refused::<Contacts>(&saved, |value| value["list"].as_array_mut().expect("a list").reverse(), "ascend");
    assert_refused::<Contacts>(&saved, |value| value["index"] = Value::Null, "no index");
}

fn debug(thing: impl Debug) -> String {
    format!("{thing:?}")
}
