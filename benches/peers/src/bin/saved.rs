//! Sizes and times of saved indexes, beside those of other indexes that serde knows: `cargo run --release -p quadrille-peers
//! --features saved --bin saved`.
//!
//! Each index has the same points or boxes of `f32` in 2D, each with a number of 32 bits. What is called *moved* was built
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
    println!("objects index form format bytes_each save_ns_each load_ns_each");
    for count in [100_000, 1_000_000] {
        for are_rects in [false, true] {
            let mut random = Pcg64Mcg::seed_from_u64(1);
            let mut coordinate = || random.random_range(0.0..SIDE);
            let size = if are_rects { SIDE / (count as f32).sqrt() } else { 0.0 };
            let mut corners = || {
                let min = [coordinate(), coordinate()];
                let by = [coordinate() / SIDE * size, coordinate() / SIDE * size];
                [min, [min[0] + by[0], min[1] + by[1]]]
            };
            let objects: Vec<Corners> = (0..count).map(|_| corners()).collect();
            let kind = if are_rects { "rects" } else { "points" };
            let index = quadrille_of(&objects, are_rects);
            measure(count, kind, "quadrille exact", &index);
            measure(count, kind, "quadrille compact", &Compact(index.clone()));
            let mut index = index;
            let handles: Vec<_> = index.iter().map(|object| object.handle()).collect();
            let far = SIDE / (count as f32).sqrt();
            for handle in handles {
                let by = [coordinate_of(&mut random, far), coordinate_of(&mut random, far)];
                index.move_by(handle, by).expect("it lives");
            }
            measure(count, kind, "quadrille exact, moved", &index);
            measure(count, kind, "quadrille compact, moved", &Compact(index));
            if are_rects {
                let with_data = |(number, &[min, max]): (usize, &Corners)| {
                    GeomWithData::new(Rectangle::from_corners(min, max), number as u32)
                };
                measure(count, kind, "rstar", &RTree::bulk_load(objects.iter().enumerate().map(with_data).collect()));
            } else {
                let with_data = |(number, &[min, _]): (usize, &Corners)| GeomWithData::new(min, number as u32);
                measure(count, kind, "rstar", &RTree::bulk_load(objects.iter().enumerate().map(with_data).collect()));
            }
            let leaves = objects
                .iter()
                .enumerate()
                .map(|(number, &[min, max])| (number, Aabb::new(Vector::from(min), Vector::from(max))));
            measure(count, kind, "parry2d", &Bvh::from_iter(BvhBuildStrategy::default(), leaves));
            built(count, kind, &objects, are_rects);
        }
    }
}

fn coordinate_of(random: &mut Pcg64Mcg, far: f32) -> f32 {
    random.random_range(-far..far)
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
fn built(count: usize, kind: &str, objects: &[Corners], are_rects: bool) {
    let least = (0..ROUNDS).map(|_| nanoseconds(|| quadrille_of(objects, are_rects)).1).min();
    println!("{count} {kind}, quadrille insert_batch, -, -, -, {:.1}", each(least.unwrap_or(0), count));
}

fn measure<A: Serialize + DeserializeOwned>(count: usize, kind: &str, form: &str, index: &A) {
    let binary = |bytes: &[u8]| postcard::from_bytes::<A>(bytes).expect("it is loaded");
    let text = |bytes: &[u8]| serde_json::from_slice::<A>(bytes).expect("it is loaded");
    report(count, kind, form, "postcard", || postcard::to_allocvec(index).expect("it is saved"), binary);
    report(count, kind, form, "JSON", || serde_json::to_vec(index).expect("it is saved"), text);
}

fn report<A>(
    count: usize,
    kind: &str,
    form: &str,
    format: &str,
    save: impl Fn() -> Vec<u8>,
    load: impl Fn(&[u8]) -> A,
) {
    let (mut least_save, mut least_load, mut len) = (u128::MAX, u128::MAX, 0);
    for _ in 0..ROUNDS {
        let (bytes, time) = nanoseconds(&save);
        (len, least_save) = (bytes.len(), least_save.min(time));
        least_load = least_load.min(nanoseconds(|| load(&bytes)).1);
    }
    let [bytes, save, load] = [len as u128, least_save, least_load].map(|number| each(number, count));
    println!("{count} {kind}, {form}, {format}, {bytes:.1}, {save:.1}, {load:.1}");
}

fn each(number: u128, count: usize) -> f64 {
    number as f64 / count as f64
}

fn nanoseconds<A>(what: impl FnOnce() -> A) -> (A, u128) {
    let begin = Instant::now();
    let outcome = black_box(what());
    (outcome, begin.elapsed().as_nanos())
}
