//! Two galaxies: Barnes–Hut over the cells of a point layer, beside the sum over all pairs.
//!
//!     cargo run --release -p quadrille-gallery --example gravity -- --verify

use std::f64::consts::TAU;
use std::ops::Range;
use std::process::ExitCode;

use quadrille::{CellKind, Handle, Layer, LayerSettings, Points, Quadtree, Rect};
use quadrille_gallery::text::{float, percent};
use quadrille_gallery::{Ink, Mark, Picture, Program, Show, Stopwatch, palette};
use rand::{Rng, RngExt};
use rayon::prelude::*;

type Vector = [f64; 2];

const HALF: Vector = [56.0, 31.5];
/// A cell counts as one body if it is smaller than this share of its distance.
const THETA: f64 = 0.6;
/// So near, gravity grows no more.
const SOFT: f64 = 0.15;
const STEP: f64 = 0.025;

struct Universe {
    index: Quadtree<u32, f64>,
    stars: Layer<Points>,
    handles: Vec<Handle>,
    places: Vec<Vector>,
    velocities: Vec<Vector>,
    /// Whether it belongs to the smaller galaxy.
    are_small: Vec<bool>,
    mass: f64,
}

/// A node or a block of the tree, as a body.
struct Cell {
    center: Vector,
    size: f64,
    /// Its bodies, in a list that has those of each cell one after the other.
    bodies: Range<usize>,
    kind: CellKind,
    /// The first cell in the list that is not part of this one.
    next: usize,
}

/// The cells of the tree, parents before children, and the places of the bodies.
#[derive(Default)]
struct Cells {
    cells: Vec<Cell>,
    bodies: Vec<Vector>,
}

fn main() -> ExitCode {
    let about = "Two galaxies: Barnes-Hut over the cells of the tree beside the direct sum, error and speed.";
    Program { name: "gravity", about, objects: 8000, ticks: 120 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let mut universe = Universe::new(show.objects(), &mut show.dice())?;
    let (mut building, mut pulling) = (Stopwatch::default(), Stopwatch::default());
    for tick in show.ticks() {
        let cells = building.time(|| Cells::of(&universe));
        let pulls = pulling.time(|| universe.pulls(|at| cells.pull(at, THETA)));
        universe.advance(&pulls);
        if show.verify() && tick % 30 == 0 {
            universe.verify(show)?;
        }
    }
    show.figure("to gather masses in cells, a tick", building);
    show.figure("to pull every star by cells, a tick", pulling);
    for [name, value] in universe.compare() {
        show.figure(&name, value);
    }
    show.draw(universe.picture())
}

impl Cells {
    /// Walks the tree: children come after their parents, so the bodies of each cell are a range.
    fn of(universe: &Universe) -> Self {
        let mut this = Self::default();
        let mut open: Vec<(u8, usize)> = Vec::new();
        for cell in universe.index.cells(universe.stars) {
            // The blocks of a node are beside the nodes below it.
            let level = cell.depth() + u8::from(cell.kind() == CellKind::Block);
            this.close(&mut open, level);
            open.push((level, this.cells.len()));
            let (first, size) = (this.bodies.len(), cell.square().size()[0].max(cell.square().size()[1]));
            this.cells.push(Cell { center: [0.0; 2], size, bodies: first..first, kind: cell.kind(), next: 0 });
            this.bodies.extend(cell.objects().map(|star| star.shape().min()));
        }
        this.close(&mut open, 0);
        this
    }

    /// The cells of this level and of all below are complete.
    fn close(&mut self, open: &mut Vec<(u8, usize)>, level: u8) {
        while let Some((_, number)) = open.pop_if(|(other, _)| level <= *other) {
            let next = self.cells.len();
            let cell = &mut self.cells[number];
            (cell.bodies.end, cell.next) = (self.bodies.len(), next);
            let bodies = &self.bodies[cell.bodies.clone()];
            let sum = bodies.iter().fold([0.0; 2], |sum, body| [sum[0] + body[0], sum[1] + body[1]]);
            cell.center = sum.map(|sum| sum / float(bodies.len()));
        }
    }

    /// The pull of everything on a place: cells that are small for their distance at once, others part by part.
    fn pull(&self, at: Vector, theta: f64) -> Vector {
        let (mut sum, mut number) = ([0.0; 2], 0);
        while let Some(cell) = self.cells.get(number) {
            let [x, y] = [cell.center[0] - at[0], cell.center[1] - at[1]];
            if cell.size * cell.size < theta * theta * (x * x + y * y) {
                add_pull(&mut sum, at, cell.center, float(cell.bodies.len()));
            } else if cell.kind == CellKind::Block {
                self.bodies[cell.bodies.clone()].iter().for_each(|&body| add_pull(&mut sum, at, body, 1.0));
            } else {
                number += 1;
                continue;
            }
            number = cell.next;
        }
        sum
    }
}

/// Adds the pull of a mass at one place on another.
fn add_pull(sum: &mut Vector, at: Vector, from: Vector, mass: f64) {
    let [x, y] = [from[0] - at[0], from[1] - at[1]];
    let squared = x * x + y * y + SOFT * SOFT;
    let strength = mass / (squared * squared.sqrt());
    *sum = [sum[0] + strength * x, sum[1] + strength * y];
}

impl Universe {
    fn new(count: usize, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut index = Quadtree::new(Rect::from_center_half([0.0; 2], HALF))?;
        // Small buckets: fewer stars are too near to count together.
        let stars = index.add_point_layer_with(LayerSettings::new().split_above(8))?;
        let mut bodies = Vec::new();
        for number in 0..count {
            let is_small = number % 3 == 0;
            let ([x, y], drift, turn) =
                if is_small { ([21.0, 8.0], [-2.6, -0.8], -1.0) } else { ([-11.0, -4.0], [1.3, 0.4], 1.0) };
            let share = if is_small { 1.0 / 3.0 } else { 2.0 / 3.0 };
            let reach = 24.0 * f64::sqrt(share);
            let (radius, angle) = (reach * dice.random_range(0.0_f64..1.0).powf(0.8), dice.random_range(0.0..TAU));
            // Fast enough not to fall into the middle: the mass nearer to it pulls inward.
            let inside = 4000.0 * share * (radius / reach).powf(1.25);
            let speed = turn * (inside / (radius + 0.5)).sqrt() * 0.9;
            let at = [x + radius * angle.cos(), y + radius * angle.sin()];
            let velocity = [drift[0] - speed * angle.sin(), drift[1] + speed * angle.cos()];
            bodies.push((at, (velocity, is_small)));
        }
        index.sort_by_place(&mut bodies, |&(at, _)| at);
        let (places, (velocities, are_small)): (Vec<_>, (_, _)) = bodies.into_iter().unzip();
        let handles = index.insert_batch(stars, places.iter().copied().zip(0..))?;
        Ok(Self { index, stars, handles, places, velocities, are_small, mass: 4000.0 / float(count) })
    }

    fn pulls(&self, pull: impl Fn(Vector) -> Vector + Sync) -> Vec<Vector> {
        self.places.par_iter().map(|&at| pull(at)).collect()
    }

    /// The pull on one star by all others, one after the other.
    fn direct(&self, at: Vector) -> Vector {
        let mut sum = [0.0; 2];
        self.places.iter().for_each(|&body| add_pull(&mut sum, at, body, 1.0));
        sum
    }

    fn advance(&mut self, pulls: &[Vector]) {
        for ((place, velocity), pull) in self.places.iter_mut().zip(&mut self.velocities).zip(pulls) {
            for axis in 0..2 {
                velocity[axis] += self.mass * pull[axis] * STEP;
                place[axis] += velocity[axis] * STEP;
            }
        }
        let moved = self.index.move_batch(self.handles.iter().copied().zip(self.places.iter().copied()));
        assert!(moved.refused.is_empty(), "all places are finite");
    }

    /// Every star is in one cell; and where no cell counts as one body, the sum is the direct one.
    fn verify(&self, show: &mut Show) -> anyhow::Result<()> {
        let cells = Cells::of(self);
        let bits = |places: &[Vector]| places.iter().map(|at| at.map(f64::to_bits)).collect::<Vec<_>>();
        show.same("the stars in cells", bits(&cells.bodies), bits(&self.places))?;
        for (cell, of_tree) in cells.cells.iter().zip(self.index.cells(self.stars)) {
            show.equal("how many stars a cell has", &of_tree.len(), &cell.bodies.len())?;
        }
        let direct = self.pulls(|at| self.direct(at));
        let [exact, near] = [0.0, THETA].map(|theta| error(&self.pulls(|at| cells.pull(at, theta)), &direct));
        show.equal("whether the sum over all cells is the direct one", &(exact < 1e-12), &true)?;
        Ok(show.equal("whether the error is below 2 %", &(near < 0.02), &true)?)
    }

    /// Lines about error and speed: of the direct sum, then of several thetas.
    fn compare(&self) -> Vec<[String; 2]> {
        let (mut directly, mut lines) = (Stopwatch::default(), Vec::new());
        let direct = directly.time(|| self.pulls(|at| self.direct(at)));
        lines.push(["to pull every star by every other".to_owned(), directly.to_string()]);
        for theta in [THETA, 0.3, 1.0] {
            let mut by_cells = Stopwatch::default();
            let pulls = by_cells.time(|| {
                let cells = Cells::of(self);
                self.pulls(|at| cells.pull(at, theta))
            });
            let (error, faster) = (percent(error(&pulls, &direct)), directly.ratio(&by_cells));
            let line = format!("error {error}, {faster:.0} times as fast");
            lines.push([format!("theta {theta}"), line]);
        }
        lines
    }

    fn picture(&self) -> Picture {
        let mut picture =
            Picture::new("Gravity: two galaxies, and the cells whose masses count as one", [1200.0, 675.0]);
        let mut panel = picture.whole(self.index.world());
        let galaxies = [Ink::fill(palette::ALARM).opacity(0.8), Ink::fill(palette::GOLD).opacity(0.75)];
        panel.cells(self.index.cells(self.stars));
        for (ink, small) in galaxies.iter().zip([true, false]) {
            let stars = self.places.iter().zip(&self.are_small).filter(|&(_, &is_small)| is_small == small);
            panel.dots(ink, 0.9, stars.map(|(&at, _)| at));
        }
        picture.add(panel);
        picture.legend(Mark::Dot, &galaxies[1], "a large galaxy");
        picture.legend(Mark::Dot, &galaxies[0], "a small one");
        picture.legend_of_cells(format!("cells: one pulls as one body if it is smaller than {THETA} of its distance"));
        picture
    }
}

/// How far pulls are from others, as a share of these.
fn error(found: &[Vector], expected: &[Vector]) -> f64 {
    let squared = |[x, y]: Vector| x * x + y * y;
    let apart: f64 =
        found.iter().zip(expected).map(|(one, other)| squared([one[0] - other[0], one[1] - other[1]])).sum();
    let all: f64 = expected.iter().map(|&pull| squared(pull)).sum();
    (apart / all.max(f64::MIN_POSITIVE)).sqrt()
}
