//! Walkers that slide along walls, bullets that bounce off them, and an eye in the middle that sees what no wall hides.
//!
//!     cargo run --release -p quadrille-gallery --example arena -- --verify

use std::f32::consts::{PI, TAU};
use std::process::ExitCode;

use anyhow::ensure;
use quadrille::{Handle, Layer, Quadtree, Ray, Rect, Rects, Segment};
use quadrille_gallery::text::{float, single};
use quadrille_gallery::{Ink, Mark, Picture, Program, Show, Stopwatch, grouped, palette};
use rand::{Rng, RngExt};

const FIELD: [f32; 2] = [1600.0, 900.0];
const EYE: [f32; 2] = [800.0, 450.0];
/// How far the eye sees.
const SIGHT: f32 = 520.0;
const PILLARS: usize = 26;
const BULLETS: usize = 7;
/// The distance that bodies keep from walls.
const SKIN: f32 = 0.01;
/// A trail is so many ticks long, in parts that fade.
const TRAIL: usize = 75;
const FADES: [f64; 3] = [0.15, 0.35, 0.75];
/// Those who turn left, and those who turn right.
const COLORS: [&str; 2] = [palette::TREE, palette::VIOLET];

/// A stop of a body: at which wall, when, and the outward direction of its side.
type Stop = (Handle, f32, [f32; 2]);

/// The walls, in the index and as a list.
struct Arena {
    index: Quadtree<()>,
    layer: Layer<Rects>,
    walls: Vec<(Handle, Rect)>,
}

struct Walker {
    body: Rect,
    /// Which way it goes round the eye: 1 or -1.
    turn: f32,
    /// Where it goes for so many ticks, because it got stuck.
    detour: (u8, f32),
    trail: Vec<[f32; 2]>,
}

struct Bullet {
    velocity: [f32; 2],
    trace: Vec<[f32; 2]>,
}

fn main() -> ExitCode {
    let about = "Walkers that slide along walls, bullets that bounce, and an eye.";
    Program { name: "arena", about, objects: 260, ticks: 160 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let mut dice = show.dice();
    let arena = Arena::new(&mut dice)?;
    let mut walkers: Vec<Walker> = (0..show.objects()).map(|number| arena.walker(number, &mut dice)).collect();
    let mut bullets: Vec<Bullet> = (0..BULLETS).map(|_| Bullet::new(&arena, &mut dice)).collect();
    let [mut casting, mut scanning] = [Stopwatch::default(); 2];
    let (mut casts, mut stops) = (0, 0);
    for tick in show.ticks() {
        let mut cast = |body, motion| {
            let stop = casting.time(|| arena.stop(body, motion));
            if show.verify() {
                let expected = scanning.time(|| arena.stop_by_brute_force(body, motion));
                show.equal("what stops a body", &stop, &expected)?;
            }
            (casts, stops) = (casts + 1, stops + usize::from(stop.is_some()));
            anyhow::Ok(stop)
        };
        for walker in &mut walkers {
            walker.step(tick, &mut cast, &mut dice)?;
        }
        for bullet in &mut bullets {
            bullet.fly(&mut cast)?;
        }
        if show.verify() {
            for walker in &walkers {
                let is_inside = arena.walls.iter().any(|(_, wall)| wall.overlaps(&walker.body));
                ensure!(!is_inside, "in tick {tick} a walker is in a wall: {:?}", walker.body);
            }
        }
    }
    let (mut looking, mut seen) = (Stopwatch::default(), Vec::new());
    for walker in &walkers {
        let line = Segment::new(EYE, walker.body.center());
        let is_hidden = looking.time(|| arena.index.intersecting(line).in_layers(arena.layer).exists());
        if show.verify() {
            let expected = arena.walls.iter().any(|(_, wall)| line.intersects(wall));
            show.equal("whether a wall hides a walker", &is_hidden, &expected)?;
        }
        seen.extend((!is_hidden).then(|| walker.body.center()).filter(|&at| length(from_eye(at)) < SIGHT));
    }
    show.figure("walls", grouped(&arena.walls.len()));
    show.figure("casts, and how many met a wall", format!("{}, {}", grouped(&casts), grouped(&stops)));
    show.figure("one cast", casting);
    if show.verify() {
        show.figure("one cast by brute force", scanning);
    }
    show.figure("one line of sight", looking);
    show.draw(arena.picture(&walkers, &bullets, &seen))
}

impl Arena {
    fn new(dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut shapes = Vec::new();
        let [right, top] = FIELD;
        for (min, max) in [
            ([0.0, 0.0], [right, 14.0]),
            ([0.0, top - 14.0], [right, top]),
            ([0.0, 0.0], [14.0, top]),
            ([right - 14.0, 0.0], [right, top]),
        ] {
            shapes.push(Rect::new(min, max));
        }
        // Rings of little boxes: the gates of each lie elsewhere.
        ring(&mut shapes, EYE, 95.0, 7, 0.3);
        ring(&mut shapes, EYE, 195.0, 8, 0.9);
        ring(&mut shapes, EYE, 305.0, 12, 0.1);
        for (center, gates) in [([245.0, 225.0], 3), ([1355.0, 675.0], 3), ([245.0, 675.0], 2), ([1355.0, 225.0], 2)] {
            ring(&mut shapes, center, 110.0, gates, 0.5);
            ring(&mut shapes, center, 55.0, gates, 2.1);
        }
        let rings = shapes.len();
        while shapes.len() < rings + PILLARS {
            let center = FIELD.map(|side| dice.random_range(40.0..side - 40.0));
            let pillar = Rect::from_center_half(center, [(); 2].map(|()| dice.random_range(8.0..34.0)));
            if !shapes.iter().any(|shape| shape.intersects(&pillar.expanded(26.0))) && length(from_eye(center)) > 350.0
            {
                shapes.push(pillar);
            }
        }
        let mut index = Quadtree::new(Rect::new([0.0; 2], FIELD))?;
        let layer = index.add_rect_layer()?;
        let handles = index.insert_batch(layer, shapes.iter().map(|shape| (*shape, ())))?;
        Ok(Self { index, layer, walls: handles.into_iter().zip(shapes).collect() })
    }

    fn walker(&self, number: usize, dice: &mut impl Rng) -> Walker {
        let half = dice.random_range(3.0..5.5);
        let body = self.place(half, dice);
        let turn = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
        Walker { body, turn, detour: (0, 0.0), trail: vec![body.center()] }
    }

    /// A square where there is room.
    fn place(&self, half: f32, dice: &mut impl Rng) -> Rect {
        loop {
            let body = Rect::from_center_half(FIELD.map(|side| dice.random_range(0.0..side)), [half; 2]);
            if !self.index.intersecting(body.expanded(1.0)).exists() {
                return body;
            }
        }
    }

    /// The first wall in the way of a body.
    fn stop(&self, body: Rect, motion: [f32; 2]) -> Option<Stop> {
        let hit = self.index.cast(body, motion).in_layers(self.layer).blocking(SKIN).next()?;
        Some((hit.object.handle(), hit.t, hit.normal()))
    }

    fn stop_by_brute_force(&self, body: Rect, motion: [f32; 2]) -> Option<Stop> {
        let stops = self.walls.iter().filter_map(|&(handle, wall)| Some((block(body, motion, wall)?, handle)));
        let (Block { t, axis, .. }, handle) = stops.min_by(|(one, wall), (other, another)| {
            let times = one.t.total_cmp(&other.t).then(one.entry.total_cmp(&other.entry));
            times.then(one.is_corner.cmp(&other.is_corner)).then(wall.cmp(another))
        })?;
        let mut normal = [0.0; 2];
        normal[axis] = -motion[axis].signum();
        // Rounded up, as a cast tells it.
        let near = single(t);
        Some((handle, if f64::from(near) < t { near.next_up() } else { near }, normal))
    }

    /// The corners of what the eye sees.
    fn sight(&self) -> Vec<[f32; 2]> {
        let mut angles: Vec<f32> = (0..360_u16).map(|part| TAU * f32::from(part) / 360.0 - PI).collect();
        for &(_, wall) in &self.walls {
            let ([left, bottom], [right, top]) = (wall.min(), wall.max());
            for corner in [[left, bottom], [right, bottom], [right, top], [left, top]] {
                let [x, y] = from_eye(corner);
                angles.extend([-1e-4, 1e-4].map(|aside| y.atan2(x) + aside));
            }
        }
        angles.sort_unstable_by(f32::total_cmp);
        let end = |angle: f32| {
            let ray = Ray::segment(EYE, [EYE[0] + SIGHT * angle.cos(), EYE[1] + SIGHT * angle.sin()]);
            self.index.raycast(ray).in_layers(self.layer).next().map_or(ray.at(1.0), |hit| hit.point())
        };
        angles.into_iter().map(end).collect()
    }

    fn picture(&self, walkers: &[Walker], bullets: &[Bullet], seen: &[[f32; 2]]) -> Picture {
        let mut picture = Picture::new("Arena: who walks, slides, bounces and is seen", [1200.0, 675.0]);
        let mut panel = picture.whole(self.index.world());
        panel.glow(palette::GOLD, EYE, SIGHT, self.sight());
        let wall = Ink::fill("#3a4c80").edged("#6f86c8", 0.7);
        let teams = [0, 1].map(|team| walkers.iter().skip(team).step_by(2));
        for (team, color) in teams.clone().into_iter().zip(COLORS) {
            for (part, fade) in FADES.into_iter().enumerate() {
                let [from, to] = [part, part + 1].map(|part| TRAIL * part / FADES.len());
                let ways = team.clone().map(|walker| {
                    let trail = &walker.trail[walker.trail.len().saturating_sub(TRAIL + 1)..];
                    trail[from.min(trail.len() - 1)..=to.min(trail.len() - 1)].to_vec()
                });
                panel.ways(&Ink::line(color, 1.5).opacity(fade), ways);
            }
        }
        panel.boxes(&wall, self.walls.iter().map(|&(_, wall)| wall));
        let trace = Ink::line(palette::ALARM, 1.3).opacity(0.8);
        panel.ways(&trace, bullets.iter().map(|bullet| bullet.trace.clone()));
        let bodies = COLORS.map(Ink::fill);
        for (team, ink) in teams.into_iter().zip(&bodies) {
            panel.boxes(ink, team.map(|walker| walker.body));
        }
        let lit = Ink::fill(palette::WHITE);
        let in_sight = walkers.iter().map(|walker| walker.body).filter(|body| seen.contains(&body.center()));
        panel.boxes(&lit, in_sight);
        panel.dots(&Ink::fill(palette::ALARM), 3.0, bullets.iter().filter_map(|bullet| bullet.trace.last().copied()));
        panel.dots(&lit, 5.0, [EYE]);
        picture.add(panel);
        picture.legend(Mark::Box, &wall, format!("{} walls", grouped(&self.walls.len())));
        picture.legend(Mark::Box, &bodies[0], "walkers that turn left,");
        picture.legend(Mark::Box, &bodies[1], "or right");
        picture.legend(Mark::Box, &lit, "seen by the eye");
        picture.legend(Mark::Line, &trace, format!("{BULLETS} bullets"));
        picture
    }
}

impl Walker {
    /// One tick: round the eye, or aside for a while if walls left it no way on.
    fn step<E>(
        &mut self,
        tick: usize,
        cast: &mut impl FnMut(Rect, [f32; 2]) -> Result<Option<Stop>, E>,
        dice: &mut impl Rng,
    ) -> Result<(), E> {
        const SPEED: f32 = 3.0;
        let at = self.body.center();
        let [x, y] = from_eye(at);
        let sway = 0.8 * (0.05 * single(float(tick)) + 0.01 * x).sin();
        let heading = if self.detour.0 > 0 { self.detour.1 } else { y.atan2(x) + self.turn * (0.6 * PI + sway) };
        self.detour.0 = self.detour.0.saturating_sub(1);
        let mut motion = [SPEED * heading.cos(), SPEED * heading.sin()];
        // Each wall ends the motion on one axis.
        for _ in 0..2 {
            let stop = cast(self.body, motion)?;
            let t = stop.map_or(1.0, |(_, t, _)| t);
            self.body = self.body.translated(motion.map(|step| step * t));
            let Some((_, _, normal)) = stop else { break };
            for axis in 0..2 {
                motion[axis] *= if normal[axis] == 0.0 { 1.0 - t } else { 0.0 };
            }
        }
        let [moved_x, moved_y] = self.body.center();
        if length([moved_x - at[0], moved_y - at[1]]) < 0.25 * SPEED {
            self.detour = (dice.random_range(8..30), dice.random_range(0.0..TAU));
        }
        self.trail.push([moved_x, moved_y]);
        Ok(())
    }
}

impl Bullet {
    fn new(arena: &Arena, dice: &mut impl Rng) -> Self {
        const SPEED: f32 = 10.0;
        let angle = dice.random_range(0.0..TAU);
        let velocity = [SPEED * angle.cos(), SPEED * angle.sin()];
        Self { velocity, trace: vec![arena.place(0.0, dice).center()] }
    }

    /// One tick: a wall turns it around on the axis of the side that it meets.
    fn fly<E>(&mut self, cast: &mut impl FnMut(Rect, [f32; 2]) -> Result<Option<Stop>, E>) -> Result<(), E> {
        let mut left = 1.0;
        while left > 1e-3 {
            let at = self.trace[self.trace.len() - 1];
            let motion = self.velocity.map(|speed| speed * left);
            let stop = cast(Rect::from_point(at), motion)?;
            let (t, normal) = stop.map_or((1.0, [0.0; 2]), |(_, t, normal)| (t, normal));
            self.trace.push([at[0] + motion[0] * t, at[1] + motion[1] * t]);
            for (speed, along) in self.velocity.iter_mut().zip(normal) {
                *speed *= if along == 0.0 { 1.0 } else { -1.0 };
            }
            left *= 1.0 - t;
        }
        Ok(())
    }
}

/// A ring of little boxes with gates.
fn ring(shapes: &mut Vec<Rect>, [x, y]: [f32; 2], radius: f32, gates: u8, first: f32) {
    const HALF: f32 = 5.0;
    const GATE: f32 = 46.0;
    let mut angle = first;
    while angle < first + TAU {
        if (angle - first).rem_euclid(TAU / f32::from(gates)) > GATE / radius {
            let center = [x + radius * angle.cos(), y + radius * angle.sin()];
            shapes.push(Rect::from_center_half(center, [HALF; 2]));
        }
        angle += 1.7 * HALF / radius;
    }
}

/// How a wall blocks a body.
struct Block {
    /// When the skin touches it.
    t: f64,
    /// When the body would.
    entry: f64,
    /// The axis on which the gap closes last.
    axis: usize,
    is_corner: bool,
}

/// By the definition: whether a body that goes on would enter a wall. At the start it is not inside.
fn block(body: Rect, motion: [f32; 2], wall: Rect) -> Option<Block> {
    let is_free = |axis: usize| {
        let is_before = body.max()[axis] <= wall.min()[axis] && motion[axis] <= 0.0;
        is_before || (wall.max()[axis] <= body.min()[axis] && 0.0 <= motion[axis])
    };
    // On each axis the two overlap between two times.
    let times = |body: Rect| {
        [0, 1].map(|axis| {
            let end = |corner: [f32; 2]| f64::from(corner[axis]);
            let step = f64::from(motion[axis]);
            let (one, other) = (end(wall.min()) - end(body.max()), end(wall.max()) - end(body.min()));
            [(one / step).min(other / step), (one / step).max(other / step)]
        })
    };
    if is_free(0) || is_free(1) {
        return None;
    }
    let ([x, y], [own_x, own_y]) = (times(body.expanded(SKIN)), times(body));
    let t = x[0].max(y[0]).max(0.0);
    let crosses = x[0] < y[1] && y[0] < x[1];
    (crosses && t <= 1.0).then(|| Block {
        t,
        entry: own_x[0].max(own_y[0]),
        axis: usize::from(own_x[0] < own_y[0]),
        is_corner: own_x[0].total_cmp(&own_y[0]).is_eq(),
    })
}

fn from_eye([x, y]: [f32; 2]) -> [f32; 2] {
    [x - EYE[0], y - EYE[1]]
}

fn length([x, y]: [f32; 2]) -> f32 {
    x.hypot(y)
}
