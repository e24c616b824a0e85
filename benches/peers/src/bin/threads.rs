//! How queries scale over threads: `cargo run --release -p quadrille-peers --features threads --bin threads`.
//!
//! Each kind of work is done by a plain loop, and by pools of 1, 2, 4 … threads, as many as there are cores, in turns.
//! The median of several rounds counts, and all must come to the same sum.

use std::hint::black_box;
use std::num::NonZero;
use std::thread;
use std::time::Instant;

use quadrille::{Quadtree, Rect, SearchBuffer};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

const SIDE: f32 = 16_384.0;
const QUESTIONS: usize = 50_000;

/// An odd number, so that the median is one of them.
const ROUNDS: usize = 7;

type Index = Quadtree<u32>;

/// A kind of work, by one thread and by those of the pool that it is called in. Both give a sum of the answers.
struct Work {
    name: &'static str,
    plain: fn(&Scene) -> u64,
    parallel: fn(&Scene) -> u64,
}

const WORKS: [Work; 6] = [
    Work {
        name: "windows of 100, one for each question",
        plain: |scene| scene.centers.iter().map(|&center| scene.in_window(center)).sum(),
        parallel: |scene| scene.centers.par_iter().map(|&center| scene.in_window(center)).sum(),
    },
    Work {
        name: "nearest 10, one search for each question",
        plain: |scene| {
            let mut buffer = SearchBuffer::new();
            scene.centers.iter().map(|&center| scene.nearest(center, &mut buffer)).sum()
        },
        parallel: |scene| {
            scene.centers.par_iter().map_init(SearchBuffer::new, |buffer, &center| scene.nearest(center, buffer)).sum()
        },
    },
    Work {
        name: "one window of a tenth of all, to add values up",
        plain: |scene| scene.points.intersecting(scene.large).map(|point| u64::from(*point.value())).sum(),
        parallel: |scene| {
            scene.points.intersecting(scene.large).into_par_iter().map(|point| u64::from(*point.value())).sum()
        },
    },
    Work {
        name: "one window of a tenth of all, a search for each object",
        plain: |scene| {
            let mut buffer = SearchBuffer::new();
            scene.points.intersecting(scene.large).map(|point| scene.nearest(point.shape().min(), &mut buffer)).sum()
        },
        parallel: |scene| {
            let large = scene.points.intersecting(scene.large).into_par_iter();
            large.map_init(SearchBuffer::new, |buffer, point| scene.nearest(point.shape().min(), buffer)).sum()
        },
    },
    Work {
        name: "pairs of boxes",
        plain: |scene| scene.boxes.pairs().map(|(one, other)| u64::from(*one.value() ^ *other.value())).sum(),
        parallel: |scene| {
            scene.boxes.pairs().into_par_iter().map(|(one, other)| u64::from(*one.value() ^ *other.value())).sum()
        },
    },
    Work {
        name: "points joined with boxes",
        plain: |scene| scene.points.join(&scene.boxes).map(|(point, _)| u64::from(*point.value())).sum(),
        parallel: |scene| {
            scene.points.join(&scene.boxes).into_par_iter().map(|(point, _)| u64::from(*point.value())).sum()
        },
    },
];

struct Scene {
    points: Index,
    boxes: Index,
    centers: Vec<[f32; 2]>,
    /// Half the side of a window that holds a hundred points.
    half: f32,
    large: Rect<f32, 2>,
}

impl Scene {
    fn new(count: u16) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let objects = usize::from(count) * usize::from(count);
        // About as far as a neighbour is.
        let far = SIDE / f32::from(count);
        let mut at = || [(); 2].map(|()| random.random_range(0.0..SIDE));
        let [mut points, mut boxes] = [(); 2].map(|()| Index::new(Rect::new([0.0; 2], [SIDE; 2])).expect("a world"));
        let layer = points.add_point_layer().expect("there is room");
        points.insert_batch(layer, (0_u32..).map(|number| (at(), number)).take(objects)).expect("finite");
        let layer = boxes.add_rect_layer().expect("there is room");
        let rect = |min: [f32; 2]| Rect::new(min, min.map(|min| min + far));
        let rects: Vec<_> = (0_u32..).map(|number| (rect(at()), number)).take(objects).collect();
        boxes.insert_batch(layer, rects).expect("finite");
        let centers = (0..QUESTIONS).map(|_| at()).collect();
        let large = Rect::new([SIDE * 0.3; 2], [SIDE * 0.616; 2]);
        Self { points, boxes, centers, half: far * 5.0, large }
    }

    fn in_window(&self, center: [f32; 2]) -> u64 {
        let window = Rect::new(center.map(|at| at - self.half), center.map(|at| at + self.half));
        self.points.intersecting(window).map(|point| u64::from(*point.value())).sum()
    }

    fn nearest(&self, at: [f32; 2], buffer: &mut SearchBuffer) -> u64 {
        self.points.nearest(at).reusing(buffer).take(10).map(|near| u64::from(*near.object.value())).sum()
    }
}

fn main() {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let sizes = (0..).map(|power| 1 << power).take_while(|&threads| threads <= cores);
    let pools: Vec<ThreadPool> = sizes
        .map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started"))
        .collect();
    println!("objects, work, threads (0: a plain loop), milliseconds, times as fast as the loop");
    for count in [316, 1000] {
        let scene = Scene::new(count);
        for work in &WORKS {
            measure(u32::from(count) * u32::from(count), &scene, work, &pools);
        }
    }
}

fn measure(objects: u32, scene: &Scene, work: &Work, pools: &[ThreadPool]) {
    let mut times = vec![[0.0; ROUNDS]; pools.len() + 1];
    for round in 0..ROUNDS {
        let (sum, time) = milliseconds(|| (work.plain)(scene));
        times[0][round] = time;
        for (pool, times) in pools.iter().zip(&mut times[1..]) {
            let (found, time) = pool.install(|| milliseconds(|| (work.parallel)(scene)));
            assert_eq!(found, sum, "{}", work.name);
            times[round] = time;
        }
    }
    let medians: Vec<f64> = times.iter_mut().map(median).collect();
    let threads = [0].into_iter().chain(pools.iter().map(ThreadPool::current_num_threads));
    for (threads, &median) in threads.zip(&medians) {
        println!("{objects}, {}, {threads}, {median:.2}, {:.2}", work.name, medians[0] / median);
    }
}

fn median(times: &mut [f64; ROUNDS]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn milliseconds<A>(work: impl FnOnce() -> A) -> (A, f64) {
    let begin = Instant::now();
    let outcome = black_box(work());
    (outcome, begin.elapsed().as_secs_f64() * 1e3)
}
