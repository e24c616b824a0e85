//! The main operations, each once over all objects, for counting instructions: `benches/instructions.sh` runs this
//! under valgrind, where the noise of a machine does not count.
//!
//! `cargo bench -p quadrille-benches --bench instructions -- [OPERATION]…` alone prints nanoseconds, the least of several rounds: a first
//! look, no more. OPERATION is the beginning of a name, such as `points` or `rects/next`, or with `--exactly` a name;
//! `--list` prints the names, `--once` runs a single round.

mod workload;

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use quadrille::{Periodic, Polygon, Quadtree, Ray, Rect, SearchBuffer, Segment};

use workload::{Dice, Filled, OBJECTS, RECT_SIDE, SIDE, Shape};

const ROUNDS: u32 = 7;
const QUERIES: u16 = 10_000;
/// As many as there are objects.
const ALL: u32 = OBJECTS as u32;

fn main() {
    let (flags, wanted): (Vec<String>, Vec<String>) = env::args().skip(1).partition(|word| word.starts_with("--"));
    let has = |wanted: &str| flags.iter().any(|flag| flag == wanted);
    let rounds = if has("--once") { 1 } else { ROUNDS };
    let mut run = Run { wanted, exactly: has("--exactly"), lists: has("--list"), rounds };
    operations::<[f32; 2]>(&mut run, 0.0);
    operations::<Rect>(&mut run, RECT_SIDE);
}

/// Which operations are run, and how.
struct Run {
    /// The beginnings of names; none stands for all.
    wanted: Vec<String>,
    /// Whether `wanted` are whole names.
    exactly: bool,
    /// Whether names are all that is printed.
    lists: bool,
    rounds: u32,
}

impl Run {
    /// Prints how many operations were done and how long one took.
    ///
    /// `prepare`, which is not counted, makes the object of `work` out of the one that the round before has left; there
    /// it compares the answers with a scan of all objects.
    fn operation<W>(
        &mut self,
        name: &str,
        count: u32,
        mut prepare: impl FnMut(Option<W>) -> W,
        mut work: impl FnMut(&mut W),
    ) {
        let is_meant = |wanted: &String| if self.exactly { wanted == name } else { name.starts_with(wanted.as_str()) };
        if !self.wanted.is_empty() && !self.wanted.iter().any(is_meant) {
            return;
        }
        if self.lists {
            return println!("{name}");
        }
        let mut least = Duration::MAX;
        let mut prepared = None;
        for _ in 0..self.rounds {
            let mut ready = prepare(prepared.take());
            let start = Instant::now();
            measured(|| work(&mut ready));
            least = least.min(start.elapsed());
            prepared = Some(ready);
        }
        println!("{name:24} {count:8} operations, {:8.1} ns each", least.as_secs_f64() * 1e9 / f64::from(count));
    }
}

/// Only instructions in here are counted: the script has valgrind look for this name.
#[inline(never)]
fn measured(work: impl FnOnce()) {
    work();
}

fn operations<P: Shape>(run: &mut Run, side_mean: f32) {
    let shapes = &workload::shapes::<P>();
    let name = |operation: &str| format!("{}/{operation}", P::NAME);
    run.operation(
        &name("insert"),
        ALL,
        |_| workload::empty::<P>(),
        |(index, layer)| {
            for &shape in shapes {
                index.insert(*layer, shape, ()).expect("shapes are finite");
            }
        },
    );
    run.operation(
        &name("insert_batch"),
        ALL,
        |_| workload::empty::<P>(),
        |(index, layer)| drop(index.insert_batch(*layer, shapes.iter().map(|&shape| (shape, ()))).expect("finite")),
    );
    run.operation(
        &name("optimize"),
        ALL,
        |before| sound(before, shapes),
        |filled: &mut Filled<P>| filled.index.optimize(),
    );
    // A whole pass.
    run.operation(
        &name("optimize_step"),
        ALL,
        |_| sound(None, shapes),
        |filled: &mut Filled<P>| while !filled.index.optimize_step(64).done {},
    );
    run.operation(
        &name("remove"),
        ALL,
        |_| Filled::with(shapes),
        |filled| {
            for &(handle, _) in &filled.objects {
                black_box(filled.index.remove(handle));
            }
        },
    );
    // In its block; to a neighbour; to anywhere.
    for (operation, step) in [("move", 1.0), ("hop", 100.0), ("teleport", SIDE)] {
        moves(run, &name(operation), shapes, step);
    }
    batches(run, shapes);
    for results in [10_u16, 100, 1000] {
        let windows = &windows(SIDE * (f32::from(results) / 100_000.0).sqrt() - side_mean);
        queries(run, &name(&format!("next{results}")), shapes, |index| {
            for &window in windows {
                for object in index.intersecting(window) {
                    black_box(object.handle());
                }
            }
        });
        queries(run, &name(&format!("fold{results}")), shapes, |index| {
            for &window in windows {
                index.intersecting(window).for_each(|object| _ = black_box(object.handle()));
            }
        });
        queries(run, &name(&format!("list{results}")), shapes, |index| {
            let mut found = Vec::new();
            for &window in windows {
                found.clear();
                index.intersecting(window).handles_into(&mut found);
                black_box(&found);
            }
        });
        queries(run, &name(&format!("count{results}")), shapes, |index| {
            for &window in windows {
                black_box(index.intersecting(window).count());
            }
        });
        queries(run, &name(&format!("first{results}")), shapes, |index| {
            for &window in windows {
                black_box(index.intersecting(window).next().map(|object| object.handle()));
            }
        });
    }
    let centers = &windows(0.0);
    shapes_of_regions(run, shapes, centers);
    queries(run, &name("stab"), shapes, |index| {
        for point in centers {
            for object in index.containing(point.min()) {
                black_box(object.handle());
            }
        }
    });
    empty_answers(run, shapes, centers);
    cursors(run, shapes);
    ordered(run, shapes, centers);
    pairs(run, shapes);
    periodic(run, shapes, centers);
}

/// Where nothing is: among all objects, and in a layer without objects. It is what a query costs before its first result.
fn empty_answers<P: Shape>(run: &mut Run, shapes: &[P], points: &[Rect]) {
    let ask = |index: &Quadtree<()>, points: &[Rect]| {
        for &point in points {
            black_box(index.intersecting(point).next().map(|object| object.handle()));
        }
    };
    // As many as the other queries, some of them twice.
    let prepare = |before: Option<(Filled<P>, Vec<Rect>)>| {
        let filled = sound(before.map(|(filled, _)| filled), shapes);
        let vacant: Vec<_> =
            points.iter().filter(|&&point| !filled.index.intersecting(point).exists()).copied().collect();
        (filled, vacant.into_iter().cycle().take(QUERIES.into()).collect())
    };
    let name = |operation: &str| format!("{}/{operation}", P::NAME);
    run.operation(&name("empty"), QUERIES.into(), prepare, |(filled, vacant)| ask(&filled.index, vacant));
    let prepare = |_: Option<_>| workload::empty::<P>();
    run.operation(&name("empty_layer"), QUERIES.into(), prepare, |(index, _)| ask(index, points));
}

/// Points that are near to each other, half a pair an object, or rectangles that touch; the same by object; those of a tenth of them; those
/// of a hundredth in an index of its own with all; and those in a world so large that its units part no objects.
fn pairs<P: Shape>(run: &mut Run, shapes: &[P]) {
    let name = |operation: &str| format!("{}/{operation}", P::NAME);
    let near = if P::NAME == "points" { 30.0 } else { 0.0 };
    let prepare = |before: Option<Filled<P>>| sound(before, shapes);
    run.operation(&name("pairs"), ALL, prepare, |filled| {
        for (one, other) in filled.index.pairs().within(near) {
            black_box((one.handle(), other.handle()));
        }
    });
    run.operation(&name("neighbors"), ALL, prepare, |filled| {
        filled.index.neighbors().within(near).for_each(|one, others| {
            for other in others {
                black_box((one.handle, other.handle));
            }
        });
    });
    for (cells, size) in [("clusters", SIDE / 16.0), ("clusters_elsewhere", SIDE / 15.0)] {
        run.operation(&name(cells), ALL, prepare, |filled| {
            for cluster in filled.index.iter().clusters(size).expect("a size") {
                black_box(cluster);
            }
        });
    }
    run.operation(&name("clusters_counts"), ALL, prepare, |filled| {
        black_box(filled.index.iter().clusters(SIDE / 16.0).expect("a size").counts());
    });
    run.operation(&name("pairs_of"), ALL / 10, prepare, |filled| {
        let some = filled.objects.iter().step_by(10).map(|&(handle, _)| handle);
        for (one, other) in filled.index.pairs_of(some).within(near) {
            black_box((one.handle(), other.handle()));
        }
    });
    let few = Filled::with(&shapes[..shapes.len() / 100]);
    run.operation(&name("join"), ALL / 100, prepare, |filled| {
        for (one, other) in few.index.join(&filled.index).within(near) {
            black_box((one.handle(), other.handle()));
        }
    });
    let crowded = |before: Option<Quadtree<()>>| {
        before.unwrap_or_else(|| {
            let mut index = Quadtree::new(Rect::new([0.0; 2], [SIDE * 1e9; 2])).expect("the world has an extent");
            let layer = P::add_layer(&mut index);
            for &shape in &shapes[..shapes.len() / 10] {
                index.insert(layer, shape, ()).expect("shapes are finite");
            }
            index
        })
    };
    run.operation(&name("crowd"), ALL / 10, crowded, |index| {
        for (one, other) in index.pairs().within(3.0 * near) {
            black_box((one.handle(), other.handle()));
        }
    });
}

/// The same questions to the index as to a world without edges: few of them come near a border. And the pairs of a hundredth of
/// the objects, spread over the world.
fn periodic<P: Shape>(run: &mut Run, shapes: &[P], centers: &[Rect]) {
    let torus = Periodic::new(Rect::new([0.0; 2], [SIDE; 2])).expect("the world has an extent");
    let name = |operation: &str| format!("{}/{operation}", P::NAME);
    for (wanted, operation) in [(1, "torus_nearest1"), (10, "torus_nearest10")] {
        queries(run, &name(operation), shapes, |index| {
            for center in centers {
                for neighbor in index.nearest(center.min()).periodic(&torus).take(wanted) {
                    black_box(neighbor.object.handle());
                }
            }
        });
    }
    let radius = SIDE * (0.0001 / std::f32::consts::PI).sqrt();
    queries(run, &name("ball10"), shapes, |index| {
        for center in centers {
            index.within_distance(center.min(), radius).for_each(|object| _ = black_box(object.handle()));
        }
    });
    queries(run, &name("torus_ball10"), shapes, |index| {
        for center in centers {
            index
                .within_distance(center.min(), radius)
                .periodic(&torus)
                .for_each(|object| _ = black_box(object.handle()));
        }
    });
    let prepare = |before: Option<Filled<P>>| sound(before, shapes);
    run.operation(&name("few_pairs_of"), ALL / 100, prepare, |filled| {
        let some = filled.objects.iter().step_by(100).map(|&(handle, _)| handle);
        for (one, other) in filled.index.pairs_of(some) {
            black_box((one.handle(), other.handle()));
        }
    });
}

/// Windows of a hundred, paused after ten; and by single steps of a cursor.
fn cursors<P: Shape>(run: &mut Run, shapes: &[P]) {
    let windows = &windows(SIDE * 0.001_f32.sqrt());
    queries(run, &format!("{}/pause100", P::NAME), shapes, |index| {
        for &window in windows {
            let mut query = index.intersecting(window);
            query.by_ref().take(10).for_each(|object| _ = black_box(object.handle()));
            for object in index.resume(query.pause()).expect("the same index") {
                black_box(object.handle());
            }
        }
    });
    queries(run, &format!("{}/steps100", P::NAME), shapes, |index| {
        for &window in windows {
            let mut cursor = index.intersecting(window).pause();
            while let Some(object) = cursor.step(index).expect("the same index") {
                black_box(object.handle());
            }
        }
    });
}

/// The nearest objects, or the first ones on a way.
fn ordered<P: Shape>(run: &mut Run, shapes: &[P], centers: &[Rect]) {
    let name = |operation: &str| format!("{}/{operation}", P::NAME);
    queries(run, &name("nearest1"), shapes, |index| {
        for center in centers {
            black_box(index.nearest(center.min()).next().map(|neighbor| neighbor.object.handle()));
        }
    });
    queries(run, &name("nearest10"), shapes, |index| {
        let mut buffer = SearchBuffer::new();
        for center in centers {
            for neighbor in index.nearest(center.min()).reusing(&mut buffer).take(10) {
                black_box(neighbor.object.handle());
            }
        }
    });
    nearest100(run, &name("nearest100"), shapes, centers);
    // A small crowd in the middle of a wide world.
    let small: Vec<P> = shapes.iter().map(|&shape| P::of(workload::shrunk(shape.into_shape(), 0.25))).collect();
    queries(run, &name("nearest10_far"), &small, |index| {
        for center in centers {
            for neighbor in index.nearest(center.min()).take(10) {
                black_box(neighbor.object.handle());
            }
        }
    });
    nearest100(run, &name("nearest100_far"), &small, centers);
    // A hundred objects at each place.
    let tied: Vec<P> = (0..shapes.len()).map(|number| shapes[number / 100]).collect();
    nearest100(run, &name("nearest100_tied"), &tied, centers);
    rays(run, shapes, centers);
}

/// The nearest hundred, of each query with memory of its own.
fn nearest100<P: Shape>(run: &mut Run, name: &str, shapes: &[P], centers: &[Rect]) {
    queries(run, name, shapes, |index| {
        for center in centers {
            for neighbor in index.nearest(center.min()).take(100) {
                black_box(neighbor.object.handle());
            }
        }
    });
}

/// The first objects on a way.
fn rays<P: Shape>(run: &mut Run, shapes: &[P], centers: &[Rect]) {
    let name = |operation: &str| format!("{}/{operation}", P::NAME);
    // Through the world's whole width or less, to see some ten rectangles behind each other.
    let mut dice = Dice::new(6);
    let rays: Vec<Ray> =
        centers.iter().map(|center| Ray::segment(center.min(), dice.rect_sized([0.0; 2]).min())).collect();
    queries(run, &name("raycast1"), shapes, |index| {
        for &ray in &rays {
            black_box(index.raycast(ray).next().map(|hit| (hit.object.handle(), hit.t)));
        }
    });
    queries(run, &name("raycast"), shapes, |index| {
        let mut buffer = SearchBuffer::new();
        for &ray in &rays {
            for hit in index.raycast(ray).reusing(&mut buffer).take(10) {
                black_box((hit.object.handle(), hit.t));
            }
        }
    });
    // The same ways as regions: whether anything is there, and all that is.
    queries(run, &name("segment_exists"), shapes, |index| {
        for &ray in &rays {
            black_box(index.intersecting(Segment::new(ray.origin(), ray.at(1.0))).exists());
        }
    });
    queries(run, &name("segment"), shapes, |index| {
        for &ray in &rays {
            let segment = Segment::new(ray.origin(), ray.at(1.0));
            index.intersecting(segment).for_each(|object| _ = black_box(object.handle()));
        }
    });
    queries(run, &name("cast"), shapes, |index| {
        let mut buffer = SearchBuffer::new();
        for (&center, ray) in centers.iter().zip(&rays) {
            let from = Rect::new(center.min(), center.min().map(|end| end + 8.0));
            for hit in index.cast(from, ray.direction()).reusing(&mut buffer).take(10) {
                black_box((hit.object.handle(), hit.t));
            }
        }
    });
    queries(run, &name("blocking1"), shapes, |index| {
        for (&center, ray) in centers.iter().zip(&rays) {
            let from = Rect::new(center.min(), center.min().map(|end| end + 8.0));
            let first = index.cast(from, ray.direction()).blocking(0.01).next();
            black_box(first.map(|hit| (hit.object.handle(), hit.t, hit.normal())));
        }
    });
}

/// Regions that are not boxes, with a hundred points in them; the objects that an object meets; and counting nearly everything.
fn shapes_of_regions<P: Shape>(run: &mut Run, shapes: &[P], centers: &[Rect]) {
    let name = |operation: &str| format!("{}/{operation}", P::NAME);
    let radius = SIDE * (0.001 / std::f32::consts::PI).sqrt();
    queries(run, &name("ball100"), shapes, |index| {
        for center in centers {
            for object in index.within_distance(center.min(), radius) {
                black_box(object.handle());
            }
        }
    });
    queries(run, &name("ball_first100"), shapes, |index| {
        for center in centers {
            black_box(index.within_distance(center.min(), radius).exists());
        }
    });
    queries(run, &name("polygon100"), shapes, |index| {
        for center in centers {
            let [x, y] = center.min();
            let diamond = [[x - radius, y], [x, y - radius], [x + radius, y], [x, y + radius]];
            for object in index.intersecting(&Polygon::new(diamond)) {
                black_box(object.handle());
            }
        }
    });
    let prepare = |before: Option<Filled<P>>| sound(before, shapes);
    run.operation(&name("object"), QUERIES.into(), prepare, |filled| {
        for &(handle, _) in filled.objects.iter().take(QUERIES.into()) {
            let object = filled.index.object(handle).expect("an object");
            for other in object.intersecting() {
                black_box(other.handle());
            }
        }
    });
    let wide = &windows(SIDE * 0.9_f32.sqrt());
    queries(run, &name("count90000"), shapes, |index| {
        for &window in wide {
            black_box(index.intersecting(window).count());
        }
    });
}

/// Moves all objects, in the order of their insertion, by up to `step` on each axis, within the world.
fn moves<P: Shape>(run: &mut Run, name: &str, shapes: &[P], step: f32) {
    let mut dice = Dice::new(2);
    let prepare = |before: Option<Filled<P>>| sound(before, shapes).stepped(&mut dice, step);
    run.operation(name, ALL, prepare, |filled| {
        for &(handle, shape) in &filled.objects {
            black_box(filled.index.move_to(handle, shape).is_ok());
        }
    });
}

/// All objects by up to 1, in one call.
fn batches<P: Shape>(run: &mut Run, shapes: &[P]) {
    let name = |operation: &str| format!("{}/{operation}", P::NAME);
    let mut dice = Dice::new(2);
    run.operation(
        &name("move_batch"),
        ALL,
        |before: Option<Filled<P>>| sound(before, shapes).stepped(&mut dice, 1.0),
        |filled| _ = black_box(filled.index.move_batch(filled.objects.iter().copied())),
    );
    run.operation(
        &name("update"),
        ALL,
        |before: Option<Filled<P>>| before.unwrap_or_else(|| Filled::with(shapes)),
        |filled| {
            let mut by = -1.0;
            let moved = filled.index.update(filled.layer, |_, _, shape| {
                by = if by < 1.0 { by + 0.01 } else { -1.0 };
                P::of(workload::translated(shape, [by, by]))
            });
            _ = black_box(moved);
        },
    );
}

/// The index of the last round, if its answers are right; or all objects anew.
fn sound<P: Shape>(before: Option<Filled<P>>, shapes: &[P]) -> Filled<P> {
    let filled = before.unwrap_or_else(|| Filled::with(shapes));
    workload::assert_agrees(&filled);
    filled
}

fn queries<P: Shape>(run: &mut Run, name: &str, shapes: &[P], ask: impl Fn(&Quadtree<()>)) {
    let prepare = |before: Option<Filled<P>>| sound(before, shapes);
    run.operation(name, QUERIES.into(), prepare, |filled| ask(&filled.index));
}

fn windows(side: f32) -> Vec<Rect> {
    let mut dice = Dice::new(5);
    (0..QUERIES).map(|_| dice.rect_sized([side; 2])).collect()
}
