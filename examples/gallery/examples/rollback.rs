//! Snapshots: an editor that undoes and redoes, and two players in lockstep whose late inputs roll the game back.
//!
//!     cargo run --release -p quadrille-gallery --example rollback -- --verify

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::ExitCode;

use quadrille::{Handle, Layer, Points, Quadtree, Rect, Rects};
use quadrille_gallery::text::{float, single};
use quadrille_gallery::{Ink, Mark, Picture, Program, Show, Stopwatch, grouped, palette};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

const ARENA: [f32; 2] = [1600.0, 700.0];
/// No input is later than so many ticks.
const LATE_MAX: usize = 12;
const EDITS: usize = 100;

/// An object: a crate, a ship of a player, or a shot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Thing {
    Crate,
    Ship { velocity: [f32; 2] },
    Shot { velocity: [f32; 2], ticks_left: u16 },
}

/// The state of a game: all that the rules read and write.
#[derive(Clone, Serialize, Deserialize)]
struct Game {
    index: Quadtree<Thing>,
    crates: Layer<Rects>,
    moving: Layer<Points>,
    ships: [Handle; 2],
    ticks: usize,
}

/// A player's steering in one tick.
type Input = [f32; 2];

/// One player's machine: the game as far as it is known for certain, and snapshots of what was guessed since.
struct Machine {
    player: usize,
    /// The snapshots of the last ticks, each from before its tick, with the inputs it went on with.
    past: VecDeque<(Game, [Input; 2])>,
    now: Game,
    /// The tick of the last input of the other that has come.
    heard: Option<usize>,
    rolled_back: Vec<usize>,
    wrong_guesses: Vec<[f32; 2]>,
}

fn main() -> ExitCode {
    let about = "Snapshots: an editor's undo, and the rollback of a game in lockstep; equal hashes.";
    Program { name: "rollback", about, objects: 2000, ticks: 400 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let start = Game::new(show.objects(), &mut show.dice())?;
    edit(show, start.clone())?;

    // The game that both should agree on: nobody's input is late.
    let mut in_time = start.clone();
    let mut machines = [0, 1].map(|player| Machine::new(player, start.clone()));
    let (mut stepping, mut cloning) = (Stopwatch::default(), Stopwatch::default());
    let (mut expected, mut guest, mut trail): (Vec<u64>, Option<Game>, _) =
        (Vec::new(), None, [Vec::new(), Vec::new()]);
    for tick in show.ticks() {
        expected.push(in_time.hash()?);
        cloning.time(|| in_time.clone());
        stepping.time(|| in_time.step([0, 1].map(|player| input(player, tick))))?;
        for machine in &mut machines {
            machine.play(tick)?;
            if show.verify() {
                // So far back, all inputs have come.
                let (certain, _) = machine.past.front().expect("at least this tick");
                show.equal("the hash of a player's game", &certain.hash()?, &expected[certain.ticks])?;
            }
        }
        trail.iter_mut().zip(in_time.ships).for_each(|(trail, ship)| trail.push(in_time.place(ship)));
        // Someone joins late, gets the bytes of the game, and plays on.
        if tick == show.last_tick() / 2 {
            let bytes = postcard::to_allocvec(&in_time)?;
            show.figure("a saved game", format!("{} bytes", grouped(&bytes.len())));
            guest = Some(postcard::from_bytes(&bytes)?);
        } else if let Some(guest) = &mut guest {
            guest.step([0, 1].map(|player| input(player, tick)))?;
            show.equal("the hash of a guest's game", &guest.hash()?, &in_time.hash()?)?;
        }
    }
    let rolled_back: usize = machines.iter().flat_map(|machine| &machine.rolled_back).sum();
    show.figure("ticks played again after a wrong guess", grouped(&rolled_back));
    show.figure("a tick of the game", stepping);
    show.figure("a snapshot of it", cloning);
    show.draw(picture(&in_time, &machines, &trail))
}

/// Edits, undoes all of it, and does it again: each step leads to where it was.
fn edit(show: &mut Show, mut game: Game) -> anyhow::Result<()> {
    let mut dice: Pcg64 = show.dice();
    let (mut undo, mut redo) = (Vec::new(), Vec::new());
    for _ in 0..EDITS {
        undo.push(game.clone());
        let crates: Vec<Handle> = game.index.iter().in_layers(game.crates).map(|object| object.handle()).collect();
        match (dice.random_range(0..3), crates.choose(&mut dice)) {
            (1, Some(&removed)) => drop(game.index.remove(removed)),
            (2, Some(&moved)) => drop(game.index.move_to(moved, a_crate(&mut dice))?),
            _ => drop(game.index.insert(game.crates, a_crate(&mut dice), Thing::Crate)?),
        }
    }
    let hashes = undo.iter().map(Game::hash).collect::<anyhow::Result<Vec<u64>>>()?;
    let last = game.hash()?;
    for &expected in hashes.iter().rev() {
        redo.push(std::mem::replace(&mut game, undo.pop().expect("as many as hashes")));
        show.equal("the hash after undo", &game.hash()?, &expected)?;
    }
    for &expected in hashes[1..].iter().chain([&last]) {
        game = redo.pop().expect("as many as undone");
        show.equal("the hash after redo", &game.hash()?, &expected)?;
    }
    Ok(())
}

/// How a player steers: for some time like this, then like that.
fn input(player: usize, tick: usize) -> Input {
    let turn = tick / (16 + 5 * player);
    let angle = float((turn * turn * 37 + turn * 11 + player * 170) % 360).to_radians();
    [angle.cos(), angle.sin()].map(single)
}

impl Game {
    fn new(count: usize, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut index = Quadtree::new(Rect::new([0.0; 2], ARENA))?;
        let (crates, moving) = (index.add_rect_layer()?, index.add_point_layer()?);
        index.insert_batch(crates, (0..count).map(|_| (a_crate(dice), Thing::Crate)))?;
        let mut ship = |x| index.insert(moving, [x, ARENA[1] / 2.0], Thing::Ship { velocity: [0.0; 2] });
        let ships = [ship(400.0)?, ship(1200.0)?];
        Ok(Self { index, crates, moving, ships, ticks: 0 })
    }

    /// The rules: ships steer and shoot, everything flies, shots and crates destroy each other.
    fn step(&mut self, inputs: [Input; 2]) -> anyhow::Result<()> {
        for (player, input) in inputs.into_iter().enumerate() {
            let at = self.place(self.ships[player]);
            if let Some(Thing::Ship { velocity }) = self.index.get_mut(self.ships[player]) {
                *velocity = std::array::from_fn(|axis| 0.97 * velocity[axis] + 0.3 * input[axis]);
            }
            if self.ticks.is_multiple_of(4) {
                let shot = Thing::Shot { velocity: input.map(|part| 14.0 * part), ticks_left: 30 };
                self.index.insert(self.moving, at, shot)?;
            }
        }
        let moved = self.index.update(self.moving, |_, mut thing, at| thing.fly(at.min()))?;
        anyhow::ensure!(moved.refused.is_empty(), "a place is not finite");
        let is_shot = |handle| matches!(self.index.get(handle), Some(Thing::Shot { .. }));
        let hits = self.index.pairs().between(self.crates, self.moving).map(|(hit, by)| [hit.handle(), by.handle()]);
        let hits: Vec<[Handle; 2]> = hits.filter(|&[_, by]| is_shot(by)).collect();
        for object in hits.into_iter().flatten() {
            self.index.remove(object);
        }
        self.index.retain(|_, _, thing| !matches!(thing, Thing::Shot { ticks_left: 0, .. }));
        self.ticks += 1;
        Ok(())
    }

    /// Of all bytes of the exact form: objects, places, handles, the order of results, which handle comes next.
    fn hash(&self) -> anyhow::Result<u64> {
        let mut hasher = DefaultHasher::new();
        postcard::to_allocvec(self)?.hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn place(&self, object: Handle) -> [f32; 2] {
        self.index.shape(object).expect("ships live").min()
    }
}

impl Thing {
    fn fly(&mut self, at: [f32; 2]) -> [f32; 2] {
        let velocity = match self {
            Self::Crate => return at,
            Self::Ship { velocity } => velocity,
            Self::Shot { velocity, ticks_left } => {
                *ticks_left -= 1;
                velocity
            }
        };
        std::array::from_fn(|axis| {
            let to = at[axis] + velocity[axis];
            if !(0.0..=ARENA[axis]).contains(&to) {
                velocity[axis] = -velocity[axis]; // off the wall
            }
            to.clamp(0.0, ARENA[axis])
        })
    }
}

fn a_crate(dice: &mut impl Rng) -> Rect {
    let half = dice.random_range(2.0..7.0);
    Rect::from_center_half(ARENA.map(|side| dice.random_range(half..side - half)), [half, half])
}

impl Machine {
    fn new(player: usize, now: Game) -> Self {
        Self { player, past: VecDeque::new(), now, heard: None, rolled_back: Vec::new(), wrong_guesses: Vec::new() }
    }

    /// How many ticks the other's inputs are late: now few, now many.
    fn late(tick: usize) -> usize {
        2 + (tick / 40 * 7) % (LATE_MAX - 2)
    }

    /// Takes what has come from the other, rolls back where it is not as guessed, and plays a tick.
    fn play(&mut self, tick: usize) -> anyhow::Result<()> {
        self.heard = self.heard.max(tick.checked_sub(Self::late(tick)));
        let first_wrong = self.past.iter().position(|(game, inputs)| self.inputs(game.ticks) != *inputs);
        let again = first_wrong.map_or(0, |first| self.past.len() - first);
        self.rolled_back.push(again);
        if again > 0 {
            self.wrong_guesses.push(self.now.place(self.now.ships[1 - self.player]));
            let undone = self.past.split_off(self.past.len() - again);
            self.now = undone.front().expect("more than none").0.clone();
        }
        while self.now.ticks <= tick {
            let inputs = self.inputs(self.now.ticks);
            self.past.push_back((self.now.clone(), inputs));
            self.now.step(inputs)?;
        }
        // Older ones are certain.
        while self.past.len() > LATE_MAX + 1 {
            self.past.pop_front();
        }
        Ok(())
    }

    /// One's own input and the other's; if that has not come, the guess that it goes on as last heard of.
    fn inputs(&self, tick: usize) -> [Input; 2] {
        let heard = self.heard.unwrap_or(0).min(tick);
        [0, 1].map(|player| input(player, if player == self.player { tick } else { heard }))
    }
}

fn picture(game: &Game, machines: &[Machine; 2], trail: &[Vec<[f32; 2]>; 2]) -> Picture {
    let mut picture = Picture::new("Rollback: late inputs, wrong guesses, and equal games in the end", [1200.0, 660.0]);
    let mut arena = picture.panel(Rect::new([16.0, 16.0], [1184.0, 527.0]), game.index.world());
    let (box_ink, shot) = (Ink::fill(palette::STONE).opacity(0.55), Ink::fill(palette::WHITE));
    let ships = [Ink::line(palette::GOLD, 2.0), Ink::line(palette::TREE, 2.0)];
    let wrong = Ink::fill(palette::ALARM);
    arena.frame();
    arena.boxes(&box_ink, game.index.iter().in_layers(game.crates).map(|object| object.shape()));
    for (ink, trail) in ships.iter().zip(trail) {
        arena.ways(ink, [trail.iter().copied()]);
    }
    arena.dots(&shot, 2.0, game.index.iter().in_layers(game.moving).map(|object| object.shape().min()));
    arena.dots(&wrong, 3.0, machines.iter().flat_map(|machine| machine.wrong_guesses.iter().copied()));
    picture.add(arena);

    // Below: how many ticks each machine played again, tick by tick.
    let place = Rect::new([16.0, 543.0], [1184.0, 660.0]);
    let mut line = picture.panel(place, Rect::new([0.0, -58.5], [1168.0, 58.5]));
    line.frame();
    for (machine, (ink, sign)) in machines.iter().zip(ships.iter().zip([1.0, -1.0])) {
        let wide = 1168.0 / float(machine.rolled_back.len());
        let bars = machine.rolled_back.iter().enumerate().filter(|(_, again)| **again > 0);
        line.lines(
            ink,
            bars.map(|(tick, &again)| {
                let x = wide * float(tick);
                [[x, 0.0], [x, sign * 4.0 * float(again)]]
            }),
        );
    }
    picture.add(line);
    picture.legend(Mark::Line, &ships[0], "player 1");
    picture.legend(Mark::Line, &ships[1], "player 2");
    picture.legend(Mark::Dot, &wrong, "where one was guessed to be, and was not");
    picture.legend(Mark::Line, &ships[0], "below: ticks played again");
    picture
}
