//! The price of a world without edges: neighbours within a distance, the nearest, all pairs, and those of some objects, with `Periodic`
//! and without.
//!
//!     cargo bench -p quadrille-benches --bench torus
//!
//! Every object asks. Before that, the answers are compared with those of nine questions to the plain index.

#![expect(clippy::cast_precision_loss, reason = "numbers of objects are small, and of random numbers 24 bits are left")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use quadrille::{Handle, Periodic, Quadtree, Rect};

const SIDE: f32 = 16_384.0;
const ROUNDS: usize = 15;

/// Uniform numbers, always the same.
fn places(count: usize) -> Vec<[f32; 2]> {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 * SIDE
    };
    (0..count).map(|_| [next(), next()]).collect()
}

/// Asks some questions; returns the number of answers.
type Ask<'a, Q> = &'a dyn Fn(&[Q]) -> usize;

/// Prints the time of one of so many questions, and the ratio to the plain index. They take turns by some hundred questions, and the
/// best of all rounds counts for each, so that a busy machine disturbs little.
fn compare<Q>(name: &str, questions: &[Q], asked: usize, ask: [Ask<'_, Q>; 2]) {
    let chunks: Vec<&[Q]> = questions.chunks(200).collect();
    let mut best = vec![[Duration::MAX; 2]; chunks.len()];
    let mut found = [0; 2];
    for _ in 0..ROUNDS {
        found = [0; 2];
        for (chunk, best) in chunks.iter().zip(&mut best) {
            for one in 0..2 {
                let begun = Instant::now();
                found[one] += black_box(ask[one](chunk));
                best[one] = best[one].min(begun.elapsed());
            }
        }
    }
    let [plain, torus] = [0, 1].map(|one| best.iter().map(|best| best[one]).sum::<Duration>().as_secs_f64());
    let each = plain * 1e9 / asked as f64;
    println!("{name:<26} plain {each:7.1} ns   torus {:5.3}   found {} and {}", torus / plain, found[0], found[1]);
}

/// The objects near a place, asked at its nine images.
fn by_images(index: &Quadtree<()>, [x, y]: [f32; 2], radius: f32) -> usize {
    let shifts = [-SIDE, 0.0, SIDE];
    let images = shifts.iter().flat_map(|by| shifts.map(|and_by| [x + by, y + and_by]));
    images.map(|at| index.within_distance(at, radius).count()).sum()
}

fn main() {
    for objects in [10_000, 100_000] {
        let torus = Periodic::new(Rect::new([0.0; 2], [SIDE; 2])).expect("a world");
        let mut index = Quadtree::<()>::new(torus.world()).expect("a world");
        let points = index.add_point_layer().expect("a layer");
        let places = places(objects);
        let handles = index.insert_batch(points, places.iter().map(|&at| (at, ()))).expect("finite");
        let some: Vec<Handle> = handles.into_iter().step_by(100).collect();
        println!("{objects} points");
        for neighbours in [6.0, 30.0] {
            let radius = SIDE * (neighbours / objects as f32 / std::f32::consts::PI).sqrt();
            for &at in places.iter().take(10_000) {
                assert_eq!(
                    index.within_distance(at, radius).periodic(&torus).count(),
                    by_images(&index, at, radius),
                    "{at:?}"
                );
            }
            compare(
                &format!("  within, {neighbours} neighbours"),
                &places,
                objects,
                [
                    &|all| all.iter().map(|&at| index.within_distance(at, radius).fold(0, |count, _| count + 1)).sum(),
                    &|all| {
                        all.iter()
                            .map(|&at| index.within_distance(at, radius).periodic(&torus).fold(0, |count, _| count + 1))
                            .sum()
                    },
                ],
            );
            compare(
                "  the same by next",
                &places,
                objects,
                [&|all| all.iter().map(|&at| by_next(index.within_distance(at, radius))).sum(), &|all| {
                    all.iter().map(|&at| by_next(index.within_distance(at, radius).periodic(&torus))).sum()
                }],
            );
            compare(
                "  all pairs, an object",
                &[()],
                objects,
                [&|_| index.pairs().within(radius).fold(0, |count, _| count + 1), &|_| {
                    index.pairs().periodic(&torus).within(radius).fold(0, |count, _| count + 1)
                }],
            );
            compare(
                "  pairs of one in a hundred",
                &[()],
                some.len(),
                [&|_| index.pairs_of(&some).within(radius).fold(0, |count, _| count + 1), &|_| {
                    index.pairs_of(&some).periodic(&torus).within(radius).fold(0, |count, _| count + 1)
                }],
            );
        }
        for wanted in [1, 10] {
            compare(
                &format!("  nearest {wanted}"),
                &places,
                objects,
                [&|all| all.iter().map(|&at| index.nearest(at).take(wanted).count()).sum(), &|all| {
                    all.iter().map(|&at| index.nearest(at).periodic(&torus).take(wanted).count()).sum()
                }],
            );
        }
    }
}

fn by_next(mut query: impl Iterator) -> usize {
    std::iter::from_fn(|| query.next()).count()
}
