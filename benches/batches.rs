//! Many questions by `query_batch` and by a loop: windows of about 10 results, the nearest object and the nearest 10.
//!
//! 100 000 questions, in batches of several sizes. Both ways make the same lists. They take turns, and the figures are the
//! medians of the rounds: nanoseconds of processor time a question, and the loop's time divided by the batch's.
//!
//!     cargo bench --package quadrille-benches --bench batches [objects …]
#![expect(clippy::cast_precision_loss, reason = "numbers of objects and nanoseconds are small")]

mod workload;

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use quadrille::{Answers, Handle, Quadtree, Rect, SearchBuffer};

use workload::{Dice, RECT_SIDE, SIDE, Shape};

const QUESTIONS: usize = 100_000;
const SIZES: [usize; 3] = [1000, 10_000, QUESTIONS];
const ROUNDS: usize = 9;

/// The lists of a batch, made in two ways.
type Lists = Answers<(Handle, f32)>;

fn main() {
    let given: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    for objects in if given.is_empty() { vec![10_000, 100_000, 1_000_000] } else { given } {
        compare::<[f32; 2]>(objects, 0.0);
        compare::<Rect>(objects, RECT_SIDE);
    }
}

fn compare<P: Shape>(objects: usize, side_mean: f32) {
    // Rectangles keep their density.
    let scale = (100_000.0 / objects as f32).sqrt();
    let (mut index, layer) = workload::empty::<P>();
    let mut dice = Dice::new(1);
    let shapes = (0..objects).map(|_| {
        let shape = dice.shape::<P>().into_shape();
        let size = shape.size().map(|side| side * scale);
        (P::of(Rect::new(shape.min(), [shape.min()[0] + size[0], shape.min()[1] + size[1]])), ())
    });
    index.insert_batch(layer, shapes).expect("finite");
    let side = SIDE * (10.0 / objects as f32).sqrt() - side_mean * scale;
    let mut dice = Dice::new(2);
    let windows: Vec<Rect> = (0..QUESTIONS).map(|_| dice.rect_sized([side; 2])).collect();
    for size in SIZES {
        let report = |name: &str, [by_loop, by_batch]: [f64; 2]| {
            let ratio = by_loop / by_batch;
            println!("{objects} {}, {size} {name}: {by_loop:.0} {by_batch:.0} {ratio:.2}", P::NAME);
        };
        report("windows", windows_of(&index, &windows, size));
        for k in [1, 10] {
            report(&format!("nearest {k}"), nearest_of(&index, &windows, size, k));
        }
    }
}

fn windows_of(index: &Quadtree<()>, windows: &[Rect], size: usize) -> [f64; 2] {
    in_turn(
        &windows.chunks(size),
        |windows, lists| {
            for window in windows {
                index.intersecting(*window).for_each(|object| lists.items.push((object.handle(), 0.0)));
                lists.offsets.push(lists.items.len());
            }
        },
        |windows, lists| {
            lists.fill(index, windows.iter().copied(), |window, answer| {
                answer.extend(index.intersecting(*window).map(|object| (object.handle(), 0.0)));
            });
        },
    )
}

fn nearest_of(index: &Quadtree<()>, windows: &[Rect], size: usize, k: usize) -> [f64; 2] {
    let (mut one, mut other) = (SearchBuffer::new(), SearchBuffer::new());
    in_turn(
        &windows.chunks(size),
        |windows, lists| {
            for window in windows {
                let nearest = index.nearest(window.min()).reusing(&mut one).take(k);
                lists.items.extend(nearest.map(|near| (near.object.handle(), near.distance_squared)));
                lists.offsets.push(lists.items.len());
            }
        },
        |windows, lists| {
            lists.fill(index, windows.iter().map(Rect::min), |target, answer| {
                let nearest = index.nearest(*target).reusing(&mut other).take(k);
                answer.extend(nearest.map(|near| (near.object.handle(), near.distance_squared)));
            });
        },
    )
}

/// The median times of two ways to make the same lists, in nanoseconds a question.
fn in_turn<'a>(
    batches: &(impl Iterator<Item = &'a [Rect]> + Clone),
    one: impl FnMut(&[Rect], &mut Lists),
    other: impl FnMut(&[Rect], &mut Lists),
) -> [f64; 2] {
    fn take_time<'a>(
        batches: impl Iterator<Item = &'a [Rect]>,
        mut way: impl FnMut(&[Rect], &mut Lists),
        lists: &mut Lists,
    ) -> (f64, usize) {
        let (begin, mut items) = (now(), 0);
        for batch in batches {
            lists.offsets.truncate(1);
            lists.items.clear();
            way(batch, black_box(lists));
            items += lists.items.len();
        }
        ((now() - begin) / QUESTIONS as f64, items)
    }
    let (mut ways, mut lists, mut times) = ((one, other), [Lists::new(), Lists::new()], [Vec::new(), Vec::new()]);
    for _ in 0..ROUNDS {
        let (by_loop, of_loop) = take_time(batches.clone(), &mut ways.0, &mut lists[0]);
        let (by_batch, of_batch) = take_time(batches.clone(), &mut ways.1, &mut lists[1]);
        times[0].push(by_loop);
        times[1].push(by_batch);
        assert!(of_loop == of_batch && lists[0] == lists[1], "both ways give the same lists");
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

/// The processor time of this thread in nanoseconds; elsewhere than on Linux the time of day.
fn now() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let of_thread = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let number = of_thread.and_then(|times| times.split_whitespace().next()?.parse().ok());
    number.unwrap_or_else(|| BEGIN.elapsed().as_nanos() as f64)
}
