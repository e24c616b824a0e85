//! Movers, some of them players with a view; who enters each view and who leaves it.

mod others;
mod quadrille;

use ::quadrille::Rect;

use crate::measure::{Contender, Outcome, Plan, Row, Scene, Threads, race};
use crate::places::{Places, stepped};

/// Where all are now. Every so-manieth is a player.
type Movers = Vec<[f32; 2]>;

const MOVERS_A_PLAYER: usize = 10;
/// Half the sides of a view: with some 60 movers, where they are even.
const VIEW: [f32; 2] = [32.0, 24.0];

fn view(movers: &Movers, player: usize) -> Rect {
    Rect::from_center_half(movers[player * MOVERS_A_PLAYER], VIEW)
}

fn players(movers: &Movers) -> usize {
    movers.len() / MOVERS_A_PLAYER
}

/// The news of a player.
#[derive(Clone, Debug, Default)]
struct News {
    entered: Vec<u32>,
    left: Vec<u32>,
}

fn outcome<'a>(news: impl Iterator<Item = &'a News>) -> Outcome {
    let mut outcome = Outcome::default();
    for (player, news) in (0..).zip(news) {
        for (kind, movers) in (1..).zip([&news.entered, &news.left]) {
            movers.iter().for_each(|&mover| outcome.add([kind, player, u64::from(mover)]));
        }
    }
    outcome
}

/// A way to find all in a window.
trait Windows: Sized + Sync {
    fn new(movers: &Movers, side: f32) -> Self;
    fn follow(&mut self, movers: &Movers, threads: Threads);
    fn each_in(&self, view: &Rect, seen: impl FnMut(u32));
}

pub(crate) fn run(scene: &Scene, plan: Plan) -> Vec<Row> {
    let mut places = Places::new(scene.distribution, scene.objects, 47.0);
    let draw = |places: &mut Places| (places.point(), places.step(1.0));
    let movers = places.sorted(scene.objects, draw, |&(at, _)| at);
    let (mut movers, mut steps): (Movers, Vec<_>) = movers.into_iter().unzip();
    let (side, threads) = (places.side, plan.threads);
    let contenders = vec![
        Contender::new("quadrille", quadrille::Watches::new(&movers, side, threads)),
        Contender::new("quadrille, own sets", others::Sets::<quadrille::Tree>::new(&movers, side, threads)),
        Contender::new("grid by hand", others::Sets::<others::Grid>::new(&movers, side, threads)),
        Contender::new("rstar", others::Sets::<others::Rstar>::new(&movers, side, threads)),
    ];
    let next = || {
        for (at, step) in movers.iter_mut().zip(&mut steps) {
            *at = [0, 1].map(|axis| stepped(at[axis], &mut step[axis], 0.0, side));
        }
        movers.clone()
    };
    race(scene, plan, contenders, next)
}
