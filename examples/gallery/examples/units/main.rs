//! Two classics of strategy games: what a soldier asks before it acts, and a flock of boids that steer by their neighbors.
//!
//!     cargo run --release -p quadrille-gallery --example units -- --verify --torus

mod battle;
mod flock;

use std::process::ExitCode;

use quadrille::Rect;
use quadrille_gallery::{Ink, Mark, Picture, Program, Show, grouped, palette};

use crate::battle::Battle;
use crate::flock::Flock;

fn main() -> ExitCode {
    let about = "Nearest enemy of a kind, line of sight, any in range; and a flock of boids.";
    let torus = ["torus", "Boids see their neighbors across the borders too"];
    Program { name: "units", about, objects: 50_000, ticks: 100 }.run_with_switch(Some(torus), play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let mut battle = Battle::new(&mut show.dice())?;
    let mut flock = Flock::new(show.objects(), show.switch(), &mut show.dice())?;
    for tick in show.ticks() {
        battle.tick(show)?;
        // Brute force looks at more than a billion pairs: once is enough.
        let verified = show.verify() && tick == show.last_tick();
        flock.tick(verified.then_some(&mut *show))?;
    }
    battle.print(show);
    flock.print(show);

    let mut picture = Picture::new("Units: whom they look for, whom they see, and whom they follow", [1080.0, 540.0]);
    let whole = |side: f32| Rect::new([0.0; 2], [side; 2]);
    let [mut left, mut right] = picture.columns([(1.0, whole(battle::SIDE)), (1.0, whole(flock::SIDE))]);
    left.frame();
    right.frame();
    battle.draw(&mut left);
    flock.draw(&mut right);
    picture.add(left);
    picture.add(right);
    picture.legend(Mark::Box, &battle::wall(), "walls");
    picture.legend(Mark::Dot, &Ink::fill(palette::TREE), "soldiers");
    picture.legend(Mark::Dot, &Ink::fill(palette::ALARM), "their enemies");
    picture.legend(Mark::Line, &battle::sight(), "the nearest archer, in sight");
    picture.legend(Mark::Line, &battle::no_sight(), "hidden");
    picture.legend(Mark::Line, &Ink::line(palette::GOLD, 2.0), format!("{} boids", grouped(&show.objects())));
    show.draw(picture)
}
