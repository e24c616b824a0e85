//! Movers that enter and leave a view, as a watch tells it.

use quadrille::{Handle, Quadtree, Rect, Watch};
use quadrille_gallery::{Ink, Mark, Picture, palette};
use rand::RngExt;

use crate::canvas::{WORDS, dice, ensure_same};

const WORLD: [f32; 2] = [960.0, 460.0];
const TICKS: usize = 100;
/// The number of steps to the goal, if a mover went straight.
const STEPS: f32 = 100.0;
const MOVERS: usize = 34;

/// A mover and its way, one place a tick.
struct Mover {
    handle: Handle,
    velocity: [f32; 2],
    turn: f32,
    way: Vec<[f32; 2]>,
}

pub(crate) fn draw() -> anyhow::Result<Picture> {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], WORLD))?;
    let units = index.add_point_layer()?;
    let view = Rect::new([330.0, 110.0], [630.0, 350.0]);
    let mut dice = dice(3);
    let mut movers = Vec::new();
    for _ in 0..MOVERS {
        let [at, goal] = [(); 2].map(|()| WORLD.map(|side| dice.random_range(0.04 * side..0.96 * side)));
        // To the goal, but that each turns a little all the time.
        let velocity = [0, 1].map(|axis| (goal[axis] - at[axis]) / STEPS);
        let turn = dice.random_range(-0.014..0.014_f32);
        movers.push(Mover { handle: index.insert(units, at, ())?, velocity, turn, way: vec![at] });
    }

    let (mut watch, mut before) = (Watch::new(), Vec::new());
    let (mut entered, mut left): (Vec<[f32; 2]>, Vec<[f32; 2]>) = (Vec::new(), Vec::new());
    for tick in 0..=TICKS {
        if tick > 0 {
            for mover in &mut movers {
                index.move_to(mover.handle, mover.step())?;
            }
        }
        let changes = watch.poll(index.intersecting(view))?;
        let is_inside = |mover: &&Mover| view.contains_point(mover.at());
        let inside: Vec<Handle> = movers.iter().filter(is_inside).map(|mover| mover.handle).collect();
        let place = |handle: &Handle| index.shape(*handle).map(|shape| shape.min());
        if tick > 0 {
            entered.extend(changes.entered.iter().filter_map(place));
            left.extend(changes.left.iter().filter_map(place));
            anyhow::ensure!(changes.entered.iter().all(|one| inside.contains(one) && !before.contains(one)), "entered");
            anyhow::ensure!(changes.left.iter().all(|one| !inside.contains(one) && before.contains(one)), "left");
        }
        ensure_same("watch", watch.inside().iter().copied(), inside.iter().copied())?;
        before = inside;
    }

    let mut picture = Picture::new("A watch: who has entered, who has left", WORLD.map(f64::from));
    let mut panel = picture.whole(index.world());
    // Filled with a dark color, so that ways do not show inside of a ring.
    let [came, went] = [palette::LEAF, palette::ALARM].map(|color| Ink::fill("#13233f").edged(color, 2.6));
    let [inside, outside] = [Ink::line(palette::GOLD, 1.8), Ink::line(palette::STONE, 1.3).opacity(0.45)];
    panel.boxes(&Ink::fill(palette::WHITE).opacity(0.05).edged(palette::WHITE, 1.8), [view]);
    for mover in &movers {
        let steps = mover.way.windows(2).map(|step| [step[0], step[1]]);
        let (ins, outs): (Vec<_>, Vec<_>) = steps.partition(|step| view.contains_point(step[1]));
        panel.lines(&outside, outs);
        panel.lines(&inside, ins);
    }
    panel.rings(&came, 6.5, entered.iter().copied());
    panel.rings(&went, 6.5, left.iter().copied());
    let (at_home, away): (Vec<_>, Vec<_>) = movers.iter().partition(|mover| watch.inside().contains(&mover.handle));
    panel.dots(&Ink::fill(palette::STONE), 4.0, away.iter().map(|mover| mover.at()));
    panel.dots(&Ink::fill(palette::GOLD), 5.0, at_home.iter().map(|mover| mover.at()));
    panel.words([view.min()[0] + 8.0, view.max()[1] + 8.0], WORDS, "the view");
    picture.add(panel);
    picture.legend(Mark::Ring, &came, format!("entered: {}", entered.len()));
    picture.legend(Mark::Ring, &went, format!("left: {}", left.len()));
    picture.legend(Mark::Dot, &Ink::fill(palette::GOLD), format!("inside at the end: {}", at_home.len()));
    picture.legend(Mark::Line, &outside, "ways outside, of which nothing is told");
    Ok(picture)
}

impl Mover {
    fn at(&self) -> [f32; 2] {
        *self.way.last().expect("it begins somewhere")
    }

    /// One step, with a turn.
    fn step(&mut self) -> [f32; 2] {
        let ([x, y], [vx, vy]) = (self.at(), self.velocity);
        self.velocity = [vx - self.turn * vy, vy + self.turn * vx];
        let at = [x + vx, y + vy];
        self.way.push(at);
        at
    }
}
