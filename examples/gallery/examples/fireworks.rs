//! Sparks that rise, burst, fall and fade: a particle system moved in each tick, and the cells of its tree around it.
//!
//!     cargo run --release -p quadrille-gallery --example fireworks -- --verify

use std::collections::BTreeMap;
use std::f32::consts::TAU;
use std::process::ExitCode;

use quadrille::{CellKind, Handle, Layer, LayerSettings, Points, Quadtree, Rect};
use quadrille_gallery::{Animation, Ink, Mark, Picture, Program, Show, Stopwatch, grouped, palette};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;

const SKY: [f32; 2] = [1600.0, 900.0];
const COLORS: [&str; 5] = [palette::GOLD, palette::ALARM, palette::LEAF, palette::VIOLET, palette::STONE];
/// Ticks from one rocket to the next.
const PAUSE: usize = 9;
/// Every other one of the last ticks is animated.
const ANIMATED: usize = 38;

/// The value of an object. Its place is that of the object.
#[derive(Clone, Copy, Debug)]
struct Spark {
    velocity: [f32; 2],
    color: usize,
    ticks_left: u16,
    /// A rocket bursts at its end.
    is_rocket: bool,
}

struct Sky {
    index: Quadtree<Spark>,
    sparks: Layer<Points>,
    dice: Pcg64,
    /// How many sparks a rocket becomes.
    a_burst: usize,
}

#[derive(Default)]
struct Times {
    insert: Stopwatch,
    update: Stopwatch,
    remove: Stopwatch,
}

fn main() -> ExitCode {
    let about = "A particle system moved in each tick, and the cells of its tree; also as an animation.";
    Program { name: "fireworks", about, objects: 4000, ticks: 300 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let mut sky = Sky::new(show.objects(), show.dice())?;
    let (mut times, mut sparks_max, mut cells_max) = (Times::default(), 0, 0);
    let mut model = BTreeMap::new();
    let mut animation = Animation::new(90);
    for tick in show.ticks() {
        sky.tick(tick, &mut times, show.verify().then_some(&mut model))?;
        sparks_max = sparks_max.max(sky.index.len());
        cells_max = cells_max.max(sky.index.cells(sky.sparks).count());
        if show.verify() {
            sky.verify(show, &model)?;
        }
        if tick.is_multiple_of(2) && show.last_tick() < tick + ANIMATED {
            animation.push(sky.picture([400.0, 225.0], ""));
        }
    }
    show.figure("sparks at most", grouped(&sparks_max));
    show.figure("cells at most", grouped(&cells_max));
    show.figure("to move all sparks, a tick", times.update);
    show.figure("to insert the sparks of a burst", times.insert);
    show.figure("to remove the burnt out, a tick", times.remove);
    show.animate(&animation)?;
    show.draw(sky.picture([1200.0, 675.0], "Fireworks: all sparks move in each tick, and the tree with them"))
}

/// A plain list of the sparks, for brute force.
type Model = BTreeMap<Handle, ([f32; 2], Spark)>;

impl Sky {
    fn new(objects: usize, dice: Pcg64) -> anyhow::Result<Self> {
        let mut index = Quadtree::new(Rect::new([0.0; 2], SKY))?;
        // Small buckets, for a picture with many cells.
        let sparks = index.add_point_layer_with(LayerSettings::new().split_above(12))?;
        Ok(Self { index, sparks, dice, a_burst: objects.div_ceil(8) })
    }

    /// Moves all sparks, removes the burnt out, and adds new ones; a model does the same.
    fn tick(&mut self, tick: usize, times: &mut Times, model: Option<&mut Model>) -> anyhow::Result<()> {
        let mut new = Vec::new();
        if tick.is_multiple_of(PAUSE) {
            new.push(rocket(tick / PAUSE % COLORS.len(), &mut self.dice));
        }
        let moved = times.update.time(|| self.index.update(self.sparks, |_, mut spark, at| spark.fly(at.min())))?;
        assert!(moved.refused.is_empty(), "all places are finite");
        for rocket in self.index.iter().filter(|spark| spark.value().is_rocket && spark.value().ticks_left == 0) {
            let burst = Burst::new(rocket.shape().min(), rocket.value().color, &mut self.dice);
            new.extend((0..self.a_burst).map(|_| (burst.at, burst.spark(&mut self.dice))));
        }
        times.remove.time(|| self.index.retain(|_, _, spark| spark.ticks_left > 0));
        let handles = times.insert.time(|| self.index.insert_batch(self.sparks, new.iter().copied()))?;
        if let Some(model) = model {
            for (at, spark) in model.values_mut() {
                *at = spark.fly(*at);
            }
            model.retain(|_, (_, spark)| spark.ticks_left > 0);
            model.extend(handles.into_iter().zip(new));
        }
        Ok(())
    }

    /// The same sparks at the same places, in windows too, and each in the cell that says so.
    fn verify(&self, show: &mut Show, model: &Model) -> anyhow::Result<()> {
        let place = |at: [f32; 2]| at.map(f32::to_bits);
        let found = self.index.iter().map(|spark| (spark.handle(), place(spark.shape().min())));
        show.same("the sparks", found, model.iter().map(|(&handle, &(at, _))| (handle, place(at))))?;
        let window = Rect::new([300.0, 300.0], [900.0, 700.0]);
        let found = self.index.intersecting(window).map(|spark| spark.handle());
        let inside = model.iter().filter(|(_, (at, _))| window.contains_point(*at)).map(|(&handle, _)| handle);
        show.same("the sparks in a window", found, inside)?;
        let blocks = self.index.cells(self.sparks).filter(|cell| cell.kind() == CellKind::Block);
        let in_cells = blocks.flat_map(|block| {
            let strays = block.objects().filter(move |spark| !block.bounds().contains(&spark.shape()));
            assert_eq!(strays.count(), 0, "a cell holds what lies in it");
            block.objects().map(|spark| spark.handle())
        });
        Ok(show.same("the sparks in cells", in_cells, model.keys().copied())?)
    }

    fn picture(&self, size: [f64; 2], title: &str) -> Picture {
        let mut picture = Picture::new(title, size);
        let mut panel = picture.whole(self.index.world());
        panel.cells(self.index.cells(self.sparks));
        for (color, name) in COLORS.into_iter().enumerate() {
            // Those that are about to go out are fainter.
            for (ages, opacity) in [(0..12, 0.3), (12..30, 0.6), (30..u16::MAX, 1.0)] {
                let of_one_look = self.index.iter().filter(|spark| {
                    let spark = spark.value();
                    spark.color == color && ages.contains(&spark.ticks_left)
                });
                let trails = of_one_look.map(|spark| {
                    let (at, velocity) = (spark.shape().min(), spark.value().velocity);
                    [[at[0] - 2.0 * velocity[0], at[1] - 2.0 * velocity[1]], at]
                });
                panel.lines(&Ink::line(name, 1.8).opacity(opacity), trails);
            }
        }
        picture.add(panel);
        picture.legend(Mark::Line, &Ink::line(palette::GOLD, 2.0), format!("{} sparks", grouped(&self.index.len())));
        let cells = self.index.cells(self.sparks).count();
        picture.legend_of_cells(format!("the {cells} cells of their tree"));
        picture
    }
}

impl Spark {
    /// Flies on for a tick; gravity pulls, air slows down.
    fn fly(&mut self, [x, y]: [f32; 2]) -> [f32; 2] {
        let [right, up] = self.velocity;
        self.velocity = [right * 0.975, up * 0.975 - 0.09];
        self.ticks_left -= 1;
        [x + right, y + up]
    }
}

fn rocket(color: usize, dice: &mut impl Rng) -> ([f32; 2], Spark) {
    let velocity = [dice.random_range(-3.0..3.0), dice.random_range(20.0..27.0)];
    let at = [dice.random_range(250.0..1350.0), 0.0];
    (at, Spark { velocity, color, ticks_left: 44, is_rocket: true })
}

struct Burst {
    at: [f32; 2],
    color: usize,
    speed: f32,
}

impl Burst {
    fn new(at: [f32; 2], color: usize, dice: &mut impl Rng) -> Self {
        Self { at, color, speed: dice.random_range(4.0..9.0) }
    }

    fn spark(&self, dice: &mut impl Rng) -> Spark {
        let (sin, cos) = dice.random_range(0.0..TAU).sin_cos();
        let speed = self.speed * dice.random_range(0.1_f32..1.0).sqrt();
        let ticks_left = dice.random_range(40..70);
        Spark { velocity: [speed * cos, speed * sin], color: self.color, ticks_left, is_rocket: false }
    }
}
