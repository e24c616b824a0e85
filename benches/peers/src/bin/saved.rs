//! Sizes and times of saved indexes, beside those of other indexes that serde knows: `cargo run --release -p quadrille-peers
//! --features saved --bin saved`.
//!
//! Each index has the same points or boxes of `f32` in 2D, each with a number of 32 bits. An index called *moved* was built
//! at once, and then each object has moved as far as a neighbour is.

use std::hint::black_box;
use std::time::Instant;

use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy};
use quadrille::{Compact, Quadtree, Rect};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rstar::RTree;
use rstar::primitives::{GeomWithData, Rectangle};
use serde::Serialize;
use serde::de::DeserializeOwned;

const SIDE: f32 = 16_384.0;

/// The least of so many rounds counts.
const ROUNDS: usize = 5;

type Corners = [[f32; 2]; 2];

fn main() {
    println!("objects, index, format, bytes of each, nanoseconds to save each, nanoseconds to load each");
    for count in [100_000_usize, 1_000_000] {
        for are_rects in [false, true] {
            let mut random = Pcg64Mcg::seed_from_u64(1);
            // About as far as a neighbour is.
            let far = SIDE / f32::from(u16::try_from(count.isqrt()).expect("they are not so many"));
            let objects: Vec<_> = (0..count).map(|_| corners(if are_rects { far } else { 0.0 }, &mut random)).collect();
            let what = format!("{count} {}", if are_rects { "boxes" } else { "points" });
            built(&what, &objects, are_rects);
            let mut index = quadrille_of(&objects, are_rects);
            measure(&what, count, "quadrille, exact", &index);
            measure(&what, count, "quadrille, compact", &Compact(index.clone()));
            let handles: Vec<_> = index.iter().map(|object| object.handle()).collect();
            for handle in handles {
                index.move_by(handle, [(); 2].map(|()| random.random_range(-far..far))).expect("it lives");
            }
            measure(&what, count, "quadrille, moved, exact", &index);
            measure(&what, count, "quadrille, moved, compact", &Compact(index));
            others(&what, &objects, are_rects);
        }
    }
}

/// The corners of a box somewhere, of at most that size.
fn corners(size: f32, random: &mut Pcg64Mcg) -> Corners {
    let min = [(); 2].map(|()| random.random_range(0.0..SIDE));
    [min, min.map(|min| min + random.random_range(0.0..1.0) * size)]
}

fn others(what: &str, objects: &[Corners], are_rects: bool) {
    let count = objects.len();
    let numbered = || objects.iter().zip(0_u32..);
    if are_rects {
        let with_number =
            |(&[min, max], number): (&Corners, _)| GeomWithData::new(Rectangle::from_corners(min, max), number);
        measure(what, count, "rstar", &RTree::bulk_load(numbered().map(with_number).collect()));
    } else {
        let with_number = |(&[min, _], number): (&Corners, _)| GeomWithData::new(min, number);
        measure(what, count, "rstar", &RTree::bulk_load(numbered().map(with_number).collect()));
    }
    let aabb = |&[min, max]: &Corners| Aabb::new(Vector::from(min), Vector::from(max));
    let leaves = objects.iter().map(aabb).enumerate();
    measure(what, count, "parry2d", &Bvh::from_iter(BvhBuildStrategy::default(), leaves));
}

fn quadrille_of(objects: &[Corners], are_rects: bool) -> Quadtree<u32> {
    let mut index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE])).expect("a world");
    let numbered = || objects.iter().zip(0_u32..);
    if are_rects {
        let layer = index.add_rect_layer().expect("there is room");
        index.insert_batch(layer, numbered().map(|(&[min, max], n)| (Rect::new(min, max), n))).expect("finite");
    } else {
        let layer = index.add_point_layer().expect("there is room");
        index.insert_batch(layer, numbered().map(|(&[min, _], n)| (min, n))).expect("finite");
    }
    index
}

/// The time of the batch that makes an index of the objects.
fn built(what: &str, objects: &[Corners], are_rects: bool) {
    let least = (0..ROUNDS).map(|_| nanoseconds(|| quadrille_of(objects, are_rects)).1).min();
    println!("{what}, quadrille, insert_batch, -, -, {:.1}", each(least.unwrap_or(0), objects.len()));
}

fn measure<A: Serialize + DeserializeOwned>(what: &str, count: usize, form: &str, index: &A) {
    let binary = |bytes: &[u8]| postcard::from_bytes::<A>(bytes).expect("it is loaded");
    let text = |bytes: &[u8]| serde_json::from_slice::<A>(bytes).expect("it is loaded");
    let line = |format: &str| format!("{what}, {form}, {format}");
    report(&line("postcard"), count, || postcard::to_allocvec(index).expect("it is saved"), binary);
    report(&line("JSON"), count, || serde_json::to_vec(index).expect("it is saved"), text);
}

fn report<A>(line: &str, count: usize, save: impl Fn() -> Vec<u8>, load: impl Fn(&[u8]) -> A) {
    let (mut least_save, mut least_load, mut len) = (u128::MAX, u128::MAX, 0);
    for _ in 0..ROUNDS {
        let (bytes, time) = nanoseconds(&save);
        (len, least_save) = (bytes.len(), least_save.min(time));
        least_load = least_load.min(nanoseconds(|| load(&bytes)).1);
    }
    let [bytes, save, load] = [len as u128, least_save, least_load].map(|number| each(number, count));
    println!("{line}, {bytes:.1}, {save:.1}, {load:.1}");
}

#[expect(clippy::cast_precision_loss, reason = "both numbers are far below 2^52")]
fn each(number: u128, count: usize) -> f64 {
    number as f64 / count as f64
}

fn nanoseconds<A>(what: impl FnOnce() -> A) -> (A, u128) {
    let begin = Instant::now();
    let outcome = black_box(what());
    (outcome, begin.elapsed().as_nanos())
}
