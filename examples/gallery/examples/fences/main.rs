//! A million fences of any shape, and a hundred thousand movers, of which a hundredth moves in a tick: who has entered
//! and left which fence. Then 23 000 shops with a circle around each, and a vehicle that is set at a time.
//!
//!     cargo run --release -p quadrille-gallery --example fences -- --verify

mod city;
mod shops;

use std::collections::BTreeMap;
use std::process::ExitCode;

use quadrille::{Handle, ObjectRef, Polygon, Rect};
use quadrille_gallery::{Ink, Mark, Picture, Program, Show, Stopwatch, grouped, palette};

use city::City;

/// So many fences are compared with brute force, in each tick.
const FEW: usize = 1500;

fn main() -> ExitCode {
    let about = "A million fences of any shape: who enters and leaves which one, at the cost of those who move.";
    Program { name: "fences", about, objects: 1_000_000, ticks: 600 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    if show.verify() {
        verify(show)?;
    }
    let mut dice = show.dice();
    let mut city = City::new(show.objects(), &mut dice)?;
    let mut traces = Traces::new(city.view());
    let [mut moving, mut polling] = [Stopwatch::default(); 2];
    let (mut entered, mut left) = (0, 0);
    city.poll_all()?;
    for tick in show.ticks() {
        moving.time(|| city.advance(tick, &mut dice))?;
        let [begun, ended] = polling.time(|| {
            let changes = city.poll()?;
            anyhow::Ok([changes.begun.to_vec(), changes.ended.to_vec()])
        })?;
        (entered, left) = (entered + begun.len(), left + ended.len());
        traces.record(&city, [&begun, &ended]);
    }
    show.figure("fences", grouped(&city.fences.len()));
    show.figure("movers", grouped(&city.movers.len()));
    show.figure("movers that move, a tick", grouped(&city.moved.len()));
    show.figure("movers in fences at the end, as pairs", grouped(&city.inside.len()));
    show.figure("entered, left", format!("{}, {}", grouped(&entered), grouped(&left)));
    show.figure("to move, a tick", moving);
    show.figure("to ask who entered and left, a tick", polling);
    let mut whole = Stopwatch::default();
    let before = city.inside.pairs().collect::<Vec<_>>();
    whole.time(|| city.poll_all())?;
    show.figure("to ask about all movers", whole);
    if show.verify() {
        show.same("pairs after all ticks", before, city.inside.pairs().collect::<Vec<_>>())?;
    }
    shops::play(show)?;
    show.draw(traces.picture(&city))
}

/// Plays a small city, and looks at every mover and fence in each tick.
fn verify(show: &mut Show) -> anyhow::Result<()> {
    let mut dice = show.dice();
    let mut city = City::new(FEW, &mut dice)?;
    let mut before = Vec::new();
    for tick in 0..city::EACH {
        city.advance(tick, &mut dice)?;
        let changes = if tick == 0 { city.poll_all()? } else { city.poll()? };
        let [begun, ended] = [changes.begun.to_vec(), changes.ended.to_vec()];
        let all = city.pairs_by_brute_force();
        let not_in = |one: &[[Handle; 2]], other: &[[Handle; 2]]| -> Vec<[Handle; 2]> {
            one.iter().filter(|pair| other.binary_search(pair).is_err()).copied().collect()
        };
        show.same("movers that enter", begun, not_in(&all, &before))?;
        show.same("movers that leave", ended, not_in(&before, &all))?;
        show.same("movers in fences", city.inside.pairs().collect::<Vec<_>>(), all.iter().copied())?;
        before = all;
    }
    Ok(())
}

/// The events in a part of the city.
struct Traces {
    view: Rect,
    steps: Vec<[[f32; 2]; 2]>,
    /// Where movers were when they had entered, and when they had left.
    events: [Vec<[f32; 2]>; 2],
}

impl Traces {
    fn new(view: Rect) -> Self {
        Self { view, steps: Vec::new(), events: [Vec::new(), Vec::new()] }
    }

    fn record(&mut self, city: &City, changes: [&[[Handle; 2]]; 2]) {
        let at = |mover: Handle| city.movers.shape(mover).expect("nobody is removed").min();
        for &mover in &city.moved {
            let from = city.movers.get(mover).expect("nobody is removed").from;
            if self.view.contains_point(from) {
                self.steps.push([from, at(mover)]);
            }
        }
        for (events, pairs) in self.events.iter_mut().zip(changes) {
            let seen = pairs.iter().map(|&[mover, _]| at(mover)).filter(|&at| self.view.contains_point(at));
            events.extend(seen);
        }
    }

    fn picture(&self, city: &City) -> Picture {
        let mut picture = Picture::new("Fences: who has entered and left which one", [1200.0, 675.0]);
        let mut panel = picture.whole(self.view);
        let shown: Vec<_> = city.fences.intersecting(self.view).collect();
        let mut inside: BTreeMap<Handle, usize> = BTreeMap::new();
        for [_, fence] in city.inside.pairs() {
            *inside.entry(fence).or_default() += 1;
        }
        let outline = |of: &dyn Fn(usize, bool) -> bool| -> Vec<Vec<[f32; 2]>> {
            let is_meant = |fence: &&ObjectRef<'_, Polygon>| {
                let count = inside.get(&fence.handle()).copied().unwrap_or_default();
                of(count, city::is_district(&fence.shape()))
            };
            shown.iter().filter(is_meant).map(|fence| fence.value().edges().map(|[from, _]| from).collect()).collect()
        };
        let district = Ink::fill(palette::VIOLET).opacity(0.1).edged(palette::VIOLET, 1.6);
        panel.polygons(&district, outline(&|_, is_district| is_district));
        let occupied = |color| Ink::fill(color).opacity(0.45).edged(color, 0.9);
        let inks = [Ink::line(palette::STONE, 0.8).opacity(0.45), occupied(palette::TREE), occupied(palette::GOLD)];
        for (number, ink) in inks.iter().enumerate() {
            let fits = |count: usize, is_district: bool| !is_district && count.min(2) == number;
            panel.polygons(ink, outline(&fits));
        }
        let (way, mover) = (Ink::line(palette::PAPER, 0.9).opacity(0.35), Ink::fill(palette::WHITE));
        let marks = [palette::LEAF, palette::ALARM].map(Ink::fill);
        panel.lines(&way, self.steps.iter().copied());
        for (mark, events) in marks.iter().zip(&self.events) {
            panel.dots(mark, 2.1, events.iter().copied());
        }
        panel.dots(&mover, 2.6, city.movers.intersecting(self.view).map(|mover| mover.shape().min()));
        picture.add(panel);
        let share = format!("a {}th of the city", grouped(&(city.fences.len() / shown.len().max(1))));
        picture.legend(Mark::Dot, &mover, format!("movers in {share}, and their ways"));
        picture.legend(Mark::Dot, &marks[0], format!("{} entered", grouped(&self.events[0].len())));
        picture.legend(Mark::Dot, &marks[1], format!("{} left", grouped(&self.events[1].len())));
        for (ink, words) in inks.iter().zip(["vacant", "one inside", "several"]) {
            picture.legend(Mark::Box, ink, words);
        }
        picture.legend(Mark::Box, &district, "a district, around thousands");
        picture
    }
}
