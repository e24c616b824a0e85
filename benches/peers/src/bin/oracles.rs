//! Answers compared with those of other programs: `cargo run --release -p quadrille-peers --features oracles --bin oracles`.
//!
//! The boxes of the states and counties of the United States and its airports are stored in quadrille, in the R*-tree of
//! `SQLite` and in `rstar`. All three are asked the same windows and nearest objects, while the objects move. `SQLite` keeps
//! `f32`, rounded outward: so all coordinates are numbers of `f32`. It measures distances in `f64`, one by one. The first
//! difference ends the program with exit code 1.

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;
use quadrille::{Handle, Quadtree, Rect};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use rusqlite::{Connection, Statement, params};

type Failure = Box<dyn Error>;

/// Compares quadrille's answers with those of other programs
#[derive(Debug, Parser)]
#[command(name = "oracles", about)]
struct Arguments {
    /// How often all objects move
    #[arg(long, default_value_t = 8)]
    rounds: usize,
    /// Questions of each kind in each round
    #[arg(long, default_value_t = 2000)]
    questions: usize,
    /// The seed of moves and questions
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// So many nearest objects are compared.
const NEAREST: u32 = 8;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(compared) => {
            println!("{compared} answers, no difference");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<usize, Failure> {
    let mut random = Pcg64Mcg::seed_from_u64(arguments.seed);
    let mut compared = 0;
    for (name, shapes) in [("boxes", boxes()?), ("airports", airports()?)] {
        println!("{} {name}", shapes.len());
        let database = Connection::open_in_memory()?;
        let mut scene = Scene::new(shapes, &database)?;
        for round in 0..arguments.rounds {
            for _ in 0..arguments.questions {
                compared += scene.compare(&mut random).map_err(|error| format!("{name}, round {round}: {error}"))?;
            }
            scene.wander(&mut random, &database)?;
        }
    }
    Ok(compared)
}

fn boxes() -> Result<Vec<Rect>, Failure> {
    let mut lines = include_str!("../../../../examples/airspace/data/us-air/regions.csv").lines().skip(1);
    lines.try_fold(Vec::new(), |mut boxes, line| {
        let numbers = line.split(',').skip(2).take(4).map(str::parse::<f32>).collect::<Result<Vec<_>, _>>()?;
        let [west, south, east, north] = numbers[..] else { return Err(format!("no box: {line}").into()) };
        boxes.push(Rect::new([west, south], [east, north]));
        Ok(boxes)
    })
}

fn airports() -> Result<Vec<Rect>, Failure> {
    let mut lines = include_str!("../../../../examples/airspace/data/us-air/airports.csv").lines().skip(1);
    lines.try_fold(Vec::new(), |mut airports, line| {
        // Names may hold commas; the last two fields do not.
        let mut fields = line.rsplit(',');
        let (lat, lon) = (fields.next().ok_or("no latitude")?.parse()?, fields.next().ok_or("no longitude")?.parse()?);
        airports.push(Rect::new([lon, lat], [lon, lat]));
        Ok(airports)
    })
}

type Boxed = GeomWithData<Rectangle<[f32; 2]>, u32>;

fn boxed(shape: Rect, number: u32) -> Boxed {
    GeomWithData::new(Rectangle::from_corners(shape.min(), shape.max()), number)
}

/// The same objects in three indexes. An object's number is its place in `shapes`.
struct Scene<'a> {
    shapes: Vec<Rect>,
    index: Quadtree<u32>,
    handles: Vec<Handle>,
    rstar: RTree<Boxed>,
    windows: Statement<'a>,
    within: Statement<'a>,
    nearest: Statement<'a>,
}

impl<'a> Scene<'a> {
    fn new(shapes: Vec<Rect>, database: &'a Connection) -> Result<Self, Failure> {
        let mut index = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
        let numbered = || shapes.iter().copied().zip(0_u32..);
        let handles = if shapes.iter().all(|shape| shape.area() <= 0.0) {
            let layer = index.add_point_layer()?;
            index.insert_batch(layer, numbered().map(|(shape, number)| (shape.min(), number)))?
        } else {
            let layer = index.add_rect_layer()?;
            index.insert_batch(layer, numbered())?
        };
        let rstar = RTree::bulk_load(numbered().map(|(shape, number)| boxed(shape, number)).collect());
        database.execute_batch("CREATE VIRTUAL TABLE objects USING rtree(id, x0, x1, y0, y1)")?;
        let mut insert = database.prepare("INSERT INTO objects VALUES (?, ?, ?, ?, ?)")?;
        for (shape, number) in numbered() {
            let ([x0, y0], [x1, y1]) = (shape.min(), shape.max());
            insert.execute(params![number, x0, x1, y0, y1])?;
        }
        Ok(Self {
            index,
            handles,
            rstar,
            windows: database
                .prepare("SELECT id FROM objects WHERE x1 >= ?1 AND x0 <= ?3 AND y1 >= ?2 AND y0 <= ?4 ORDER BY id")?,
            within: database
                .prepare("SELECT id FROM objects WHERE x0 >= ?1 AND x1 <= ?3 AND y0 >= ?2 AND y1 <= ?4 ORDER BY id")?,
            nearest: database.prepare(
                "SELECT dx * dx + dy * dy AS d FROM (SELECT max(x0 - ?1, 0, ?1 - x1) AS dx, \
                 max(y0 - ?2, 0, ?2 - y1) AS dy FROM objects) ORDER BY d LIMIT ?3",
            )?,
            shapes,
        })
    }

    /// Moves every object by up to half a degree on each axis, in all three indexes.
    fn wander(&mut self, random: &mut Pcg64Mcg, database: &Connection) -> Result<(), Failure> {
        let mut update = database.prepare("UPDATE objects SET x0 = ?2, x1 = ?3, y0 = ?4, y1 = ?5 WHERE id = ?1")?;
        for ((shape, number), &handle) in self.shapes.iter_mut().zip(0_u32..).zip(&self.handles) {
            let step: [f32; 2] = [(); 2].map(|()| random.random_range(-0.5..0.5));
            let moved = |corner: [f32; 2]| [corner[0] + step[0], corner[1] + step[1]];
            self.rstar.remove(&boxed(*shape, number)).ok_or("rstar has lost a box")?;
            *shape = Rect::new(moved(shape.min()), moved(shape.max()));
            self.rstar.insert(boxed(*shape, number));
            self.index.move_by(handle, step)?;
            let ([x0, y0], [x1, y1]) = (shape.min(), shape.max());
            update.execute(params![number, x0, x1, y0, y1])?;
        }
        self.index.check_integrity()?;
        Ok(())
    }

    /// Asks one question of each kind; returns the number of answers compared.
    fn compare(&mut self, random: &mut Pcg64Mcg) -> Result<usize, Failure> {
        let window = window(&self.shapes, random);
        let of_index = |found: &mut dyn Iterator<Item = u32>| {
            let mut numbers: Vec<_> = found.collect();
            numbers.sort_unstable();
            numbers
        };
        let envelope = AABB::from_corners(window.min(), window.max());

        let ours = of_index(&mut self.index.intersecting(window).map(|object| *object.value()));
        let theirs = of_index(&mut self.rstar.locate_in_envelope_intersecting(envelope).map(|object| object.data));
        same("intersecting", window, "rstar", &ours, &theirs)?;
        same("intersecting", window, "SQLite", &ours, &numbers(&mut self.windows, window)?)?;
        let mut compared = ours.len();

        let ours = of_index(&mut self.index.contained_in(window).map(|object| *object.value()));
        let theirs = of_index(&mut self.rstar.locate_in_envelope(envelope).map(|object| object.data));
        same("contained_in", window, "rstar", &ours, &theirs)?;
        same("contained_in", window, "SQLite", &ours, &numbers(&mut self.within, window)?)?;
        compared += ours.len();

        let point = window.min();
        let ours = of_index(&mut self.index.containing(point).map(|object| *object.value()));
        same("containing", point, "SQLite", &ours, &numbers(&mut self.windows, Rect::new(point, point))?)?;
        compared += ours.len();

        let of_sqlite = self.nearest.query_map(params![point[0], point[1], NEAREST], |row| row.get::<_, f64>(0))?;
        let of_sqlite = of_sqlite.collect::<Result<Vec<_>, _>>()?;
        let found = self.index.nearest(point).take(NEAREST as usize).map(|found| f64::from(found.distance_squared));
        near("SQLite", point, found, of_sqlite)?;
        let of_rstar = self.rstar.nearest_neighbor_iter_with_distance_2(point).map(|(_, square)| f64::from(square));
        let found = self.index.nearest(point).take(NEAREST as usize).map(|found| f64::from(found.distance_squared));
        near("rstar", point, found, of_rstar.take(NEAREST as usize))?;
        Ok(compared + NEAREST as usize)
    }
}

/// Around an object, of a size from next to nothing to a continent; one in four ends on a corner of the object.
fn window(shapes: &[Rect], random: &mut Pcg64Mcg) -> Rect {
    let shape = shapes[random.random_range(0..shapes.len())];
    if random.random_range(0..4) == 0 {
        let side = random.random_range(0.0..5.0);
        return Rect::new(shape.max(), shape.max().map(|end| end + side));
    }
    let half = 20.0 * random.random_range(0.0_f32..1.0).powi(4);
    let center = shape.min().map(|start| start + random.random_range(-1.0..1.0));
    Rect::from_center_half(center, [half, half * random.random_range(0.1..1.0)])
}

fn numbers(statement: &mut Statement<'_>, window: Rect) -> Result<Vec<u32>, Failure> {
    let ([x0, y0], [x1, y1]) = (window.min(), window.max());
    Ok(statement.query_map(params![x0, y0, x1, y1], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

fn same(query: &str, asked: impl std::fmt::Debug, other: &str, ours: &[u32], theirs: &[u32]) -> Result<(), Failure> {
    if ours == theirs {
        return Ok(());
    }
    Err(format!("{query}({asked:?}): quadrille says {ours:?}, {other} says {theirs:?}").into())
}

/// Squares of distances are computed in another order, and some of them in `f64`: so they agree within some roundings.
fn near(
    other: &str,
    target: [f32; 2],
    ours: impl Iterator<Item = f64>,
    theirs: impl IntoIterator<Item = f64>,
) -> Result<(), Failure> {
    let (ours, theirs): (Vec<_>, Vec<_>) = (ours.collect(), theirs.into_iter().collect());
    let agree = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * a.max(*b) + 1e-12;
    if ours.len() == theirs.len() && ours.iter().zip(&theirs).all(agree) {
        return Ok(());
    }
    Err(format!("nearest({target:?}): quadrille says {ours:?}, {other} says {theirs:?}, as squares").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_others() {
        let compared = run(&Arguments { rounds: 2, questions: 50, seed: 7 }).unwrap();
        assert!(compared > 10_000, "{compared}");
    }
}
