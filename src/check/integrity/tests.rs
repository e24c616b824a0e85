//! Faults planted in sound indexes. The check finds each and names the broken invariant.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use crate::geometry::Rect;
use crate::index::Quadtree;
use crate::key::{BucketId, Handle, Kind, NodeId, Place};
use crate::layer::LayerSettings;
use crate::tree::{Arena, OfKind, RectBucket, Slot};

type Index = Quadtree<u32>;

/// An index with nodes on two levels, own lists, a chain of three buckets, and a layer of points.
fn sound() -> Index {
    let mut index = Index::new(Rect::new([0.0, 0.0], [256.0, 256.0])).unwrap();
    let boxes = index.add_rect_layer_with(LayerSettings::new().split_above(4)).unwrap();
    let points = index.add_point_layer().unwrap();
    let mut value = 0;
    let mut insert = |min: [f32; 2], side: f32| {
        index.insert(boxes, Rect::new(min, min.map(|at| at + side)), value).unwrap();
        value += 1;
    };
    for n in 0..64_u16 {
        insert([f32::from(n % 8) * 32.0 + 1.0, f32::from(n / 8) * 32.0 + 1.0], 3.0);
        insert([f32::from(n % 8) * 3.0 + 64.0, f32::from(n / 8) * 3.0 + 64.0], 0.5);
    }
    for _ in 0..130 {
        insert([200.5, 200.5], 0.0);
    }
    insert([10.0, 10.0], 200.0);
    for value in 0..9_u16 {
        index.insert(points, [f32::from(value), 9.0], 0).unwrap();
    }
    index.check_integrity().unwrap();
    index
}

fn arena(index: &mut Index) -> &mut Arena<f32, 2> {
    index.space.trees.breakable()
}

fn boxes(index: &mut Index, bucket: BucketId) -> &mut RectBucket<f32, 2> {
    match arena(index).breakable_bucket(bucket) {
        OfKind::Points(_) => panic!("a bucket of points"),
        OfKind::Rects(bucket) => bucket,
    }
}

fn root(index: &Index) -> NodeId {
    index.space.trees.root(0).unwrap()
}

/// A child of the root.
fn child(index: &Index) -> NodeId {
    let node = index.space.trees.arena().node(root(index));
    let children = (0..64).find_map(|cell| if let Slot::Child(child) = node.slot(cell) { Some(child) } else { None });
    children.unwrap()
}

/// Changes the rules of all nodes, because all nodes of a tree must have the same rules.
fn split_all_above(index: &mut Index, objects: u32) {
    let mut nodes = vec![root(index)];
    while let Some(node) = nodes.pop() {
        let node = arena(index).breakable_node(node);
        node.rules.split_above = objects;
        nodes.extend(
            (0..64).filter_map(|cell| if let Slot::Child(child) = node.slot(cell) { Some(child) } else { None }),
        );
    }
}

/// The only bucket of a chain below the root.
fn bucket(index: &Index) -> BucketId {
    first_of(index, |buckets| buckets == 1)
}

fn chain(index: &Index) -> BucketId {
    first_of(index, |buckets| buckets == 3)
}

fn first_of(index: &Index, holds: impl Fn(usize) -> bool) -> BucketId {
    let arena = index.space.trees.arena();
    let places =
        index.space.places.iter().map(|(_, place)| place).filter(|&place| index.space.kind_of(place) == Kind::Rects);
    let mut firsts = places.map(|place| arena.first_of(place.bucket()));
    firsts.find(|&first| holds(arena.chain(Some(first)).count()) && !arena.head(first).is_own_list()).unwrap()
}

/// The first entry of a bucket.
fn entry(index: &Index, bucket: BucketId) -> (Handle, Rect<f32>, u8) {
    let arena = index.space.trees.arena();
    let position = arena.head(bucket).used.trailing_zeros() as u8;
    let place = Place::new(bucket, position);
    (arena.handle(place), arena.shape(place), position)
}

fn set_shape(index: &mut Index, bucket: BucketId, change: impl Fn(Rect<f32>) -> Rect<f32>) {
    let (_, shape, position) = entry(index, bucket);
    boxes(index, bucket).set_shape(position, &change(shape));
}

/// The number of an invariant, and a fault that breaks it.
type Fault = (&'static str, fn(&mut Index));

const FAULTS: [Fault; 35] = [
    ("G1", |index| set_shape(index, bucket(index), |shape| Rect::new(shape.min(), [f32::INFINITY; 2]))),
    ("L1", |index| {
        // The layer of boxes gets a tree of points.
        let rules = index.space.trees.rules(1).unwrap();
        index.space.trees.clear(0);
        index.space.trees.drop_tree(0);
        index.space.trees.add_tree(0, rules);
    }),
    ("T1", |index| {
        let root = root(index);
        arena(index).breakable_node(root).depth = 1;
    }),
    ("T1", |index| {
        let child = child(index);
        arena(index).breakable_node(child).parent = None;
    }),
    ("T1", |index| {
        let child = child(index);
        arena(index).breakable_node(child).cell ^= 1;
    }),
    ("T1", |index| {
        let child = child(index);
        arena(index).breakable_node(child).rules.depth_max = 0;
    }),
    ("T2", |index| {
        let bucket = bucket(index);
        arena(index).breakable_head(bucket).cell ^= 1;
    }),
    ("T2", |index| {
        let bucket = bucket(index);
        arena(index).breakable_head(bucket).block.origin[0] ^= 1 << 29;
    }),
    ("T2", |index| {
        let (bucket, child) = (bucket(index), child(index));
        arena(index).breakable_head(bucket).node = child;
    }),
    ("T2", |index| {
        // A bucket of points is the own list of the root.
        let root = root(index);
        let first = arena(index).node(root).own.unwrap();
        let own = *arena(index).head(first);
        let points = arena(index).buckets().nth(Kind::Points, 0).unwrap();
        *arena(index).breakable_head(points) = own;
        arena(index).breakable_node(root).own = Some(points);
    }),
    ("T3", |index| {
        let bucket = bucket(index);
        arena(index).breakable_head(bucket).used = 0;
    }),
    ("T3", |index| {
        let first = chain(index);
        arena(index).enlarge_box(first, &Rect::from_point([201.0, 201.0]));
    }),
    ("T3", |index| {
        let first = chain(index);
        let second = arena(index).next_in_chain(first).unwrap();
        arena(index).breakable_head(second).more = false;
    }),
    ("T3", |index| {
        let first = chain(index);
        arena(index).miscount(first);
    }),
    ("T3", |index| {
        let first = chain(index);
        let second = arena(index).next_in_chain(first).unwrap();
        arena(index).misname(second);
    }),
    ("T4", |index| {
        set_shape(index, bucket(index), |shape| shape.translated([128.0, 128.0].map(|by| by - shape.min()[0] % 64.0)));
    }),
    ("T5", |index| set_shape(index, bucket(index), |shape| Rect::new(shape.min(), shape.min().map(|at| at + 150.0)))),
    ("T5", |index| {
        let bucket = bucket(index);
        arena(index).breakable_head(bucket).extent_max_log2 += 1;
    }),
    ("T5", |index| {
        let bucket = bucket(index);
        arena(index).breakable_head(bucket).is_plain = false;
    }),
    ("T6", |index| {
        let root = root(index);
        arena(index).breakable_node(root).reach = 0;
    }),
    ("T6", |index| {
        let bucket = bucket(index);
        arena(index).breakable_head(bucket).reach = 0;
    }),
    ("T6", |index| {
        let first = chain(index);
        let second = arena(index).next_in_chain(first).unwrap();
        arena(index).breakable_head(second).reach = 1 << 20;
    }),
    ("T7", |index| {
        let root = root(index);
        arena(index).breakable_node(root).len += 1;
    }),
    ("T7", |index| {
        let child = child(index);
        arena(index).breakable_node(child).len -= 1;
    }),
    ("T8", |index| split_all_above(index, 1 << 20)),
    ("T8", |index| split_all_above(index, 1)),
    ("T9", |index| {
        let bucket = bucket(index);
        let unused = !arena(index).head(bucket).used;
        boxes(index, bucket).set_shape(unused.trailing_zeros() as u8, &Rect::from_point([1.0, 1.0]));
    }),
    ("T9", |index| {
        let bucket = bucket(index);
        arena(index).free_in_use(bucket);
    }),
    ("T9", |index| {
        let child = child(index);
        arena(index).free_node_in_use(child);
    }),
    ("S1", |index| {
        let (one, other) = (bucket(index), chain(index));
        let ((handle, ..), (.., position)) = (entry(index, other), entry(index, one));
        boxes(index, one).set_handle(position, handle);
    }),
    ("S2", |index| {
        index.space.places.insert();
    }),
    ("S2", |index| {
        let (handle, ..) = entry(index, chain(index));
        index.remove(handle);
        index.space.places.lose_free();
    }),
    ("S2", |index| {
        let (handle, ..) = entry(index, chain(index));
        index.remove(handle);
        let (other, ..) = entry(index, bucket(index));
        index.space.places.free_in_use(other);
    }),
    ("S3", |index| {
        let (handle, ..) = entry(index, chain(index));
        let value = index.remove(handle).unwrap();
        index.values.insert(handle, value);
    }),
    ("S3", |index| {
        let (handle, ..) = entry(index, bucket(index));
        index.values.remove(handle).unwrap();
    }),
];

#[test]
fn each_fault_is_named() {
    for (number, (invariant, plant)) in FAULTS.into_iter().enumerate() {
        let mut index = sound();
        plant(&mut index);
        let error = index.check_integrity().expect_err("a fault was planted");
        assert_eq!(error.invariant, invariant, "fault {number}: {error}");
    }
}

/// Each invariant that the check can name has a fault.
#[test]
fn each_invariant_has_a_fault() {
    let source = include_str!("../integrity.rs");
    let names = |text: &'static str| -> BTreeSet<&'static str> {
        text.split("ensure(\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
    };
    let planted: BTreeSet<_> = FAULTS.iter().map(|(invariant, _)| *invariant).collect();
    assert_eq!(names(source), planted);
    let numbers: Vec<_> = planted.into_iter().collect();
    assert!(10 < numbers.len(), "{numbers:?}");
}
