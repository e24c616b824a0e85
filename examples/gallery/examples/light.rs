//! Walls and lamps that wander between them: each lamp's visibility polygon, from the walls that the index returns.
//!
//!     cargo run --release -p quadrille-gallery --example light -- --verify

use std::f32::consts::TAU;
use std::process::ExitCode;

use quadrille::{Ball, Handle, Layer, Quadtree, Ray, Rect, Rects};
use quadrille_gallery::brute::entry;
use quadrille_gallery::text::{float, single};
use quadrille_gallery::{Ink, Mark, Picture, Program, Show, Stopwatch, grouped, palette};
use rand::{Rng, RngExt};

const ROOM: [f32; 2] = [1600.0, 900.0];
const LAMPS: [&str; 5] = [palette::GOLD, palette::TREE, palette::ALARM, palette::STONE, palette::VIOLET];
/// How far a lamp shines.
const REACH: f32 = 420.0;
/// Rays pass a corner so far to its left and right, in radians.
const ASIDE: f32 = 1e-4;

struct Room {
    index: Quadtree<()>,
    walls: Layer<Rects>,
    handles: Vec<(Handle, Rect)>,
}

fn main() -> ExitCode {
    let about = "Walls and wandering lamps: the visibility polygon of each lamp.";
    Program { name: "light", about, objects: 300, ticks: 60 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let room = Room::new(show.objects(), show.last_tick(), &mut show.dice())?;
    let (mut lighting, mut scanning, mut rays_cast) = (Stopwatch::default(), Stopwatch::default(), 0);
    for tick in show.ticks() {
        for lamp in (0..LAMPS.len()).map(|number| lamp(number, tick)) {
            let lit = lighting.time(|| room.lit_from(lamp));
            rays_cast += lit.len();
            if show.verify() {
                let reach = Ball::new(lamp, REACH);
                let walls = room.handles.iter().filter(|(_, wall)| reach.intersects(wall)).map(|&(handle, _)| handle);
                show.same("the walls in reach", room.index.intersecting(reach).map(|wall| wall.handle()), walls)?;
                for angle in room.angles(lamp) {
                    let hit = room.first_hit(lamp, angle).map(|(wall, _)| wall);
                    let expected = scanning.time(|| room.first_hit_by_brute_force(lamp, angle));
                    show.equal("the wall that a ray hits", &hit, &expected)?;
                }
            }
        }
    }
    show.figure("rays cast", grouped(&rays_cast));
    show.figure("one lamp's polygon", lighting);
    show.figure("one ray of it", format!("{:.0} ns", lighting.total().as_secs_f64() * 1e9 / float(rays_cast)));
    if show.verify() {
        show.figure("one ray by brute force", scanning);
    }
    show.draw(room.picture(show.last_tick()))
}

/// Where a lamp is in a tick.
fn lamp(number: usize, tick: usize) -> [f32; 2] {
    let (number, time) = (float(number), 0.03 * float(tick));
    let [x, y] = [(1.3 * number + time * (1.0 + 0.2 * number)).cos(), (2.1 * number + time).sin()];
    [ROOM[0] * single(0.5 + 0.42 * x), ROOM[1] * single(0.5 + 0.4 * y)]
}

impl Room {
    fn new(count: usize, last: usize, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut index = Quadtree::new(Rect::new([0.0; 2], ROOM))?;
        let walls = index.add_rect_layer()?;
        // No lamp ever stands in a wall.
        let lamps: Vec<[f32; 2]> = (0..LAMPS.len()).flat_map(|n| (0..=last).map(move |tick| lamp(n, tick))).collect();
        let mut handles = Vec::new();
        while handles.len() < count {
            let center = ROOM.map(|side| dice.random_range(0.0..side));
            let half = [(); 2].map(|()| dice.random_range(2.0..16.0));
            let wall = Rect::from_center_half(center, half);
            if !lamps.iter().any(|&lamp| wall.expanded(6.0).contains_point(lamp)) {
                handles.push((index.insert(walls, wall, ())?, wall));
            }
        }
        Ok(Self { index, walls, handles })
    }

    /// The corners of the polygon that a lamp lights up.
    fn lit_from(&self, lamp: [f32; 2]) -> Vec<[f32; 2]> {
        let end = |angle| self.first_hit(lamp, angle).map_or_else(|| ray(lamp, angle).at(1.0), |(_, point)| point);
        self.angles(lamp).into_iter().map(end).collect()
    }

    /// Where the outline may have a corner: beside the corners of the walls in reach, and all round.
    fn angles(&self, [x, y]: [f32; 2]) -> Vec<f32> {
        let mut angles: Vec<f32> = (0..180_u8).map(|part| TAU * (f32::from(part) / 180.0 - 0.5)).collect();
        for wall in self.index.intersecting(Ball::new([x, y], REACH)).in_layers(self.walls) {
            let angle = |[corner_x, corner_y]: [f32; 2]| (corner_y - y).atan2(corner_x - x);
            angles.extend(corners(wall.shape()).map(angle).into_iter().flat_map(|at| [at - ASIDE, at + ASIDE]));
        }
        angles.sort_unstable_by(f32::total_cmp);
        angles
    }

    fn first_hit(&self, lamp: [f32; 2], angle: f32) -> Option<(Handle, [f32; 2])> {
        let hit = self.index.raycast(ray(lamp, angle)).in_layers(self.walls).next()?;
        Some((hit.object.handle(), hit.point()))
    }

    fn first_hit_by_brute_force(&self, lamp: [f32; 2], angle: f32) -> Option<Handle> {
        let ray = ray(lamp, angle);
        let entries = self.handles.iter().filter_map(|&(handle, wall)| Some((entry(ray, wall)?, handle)));
        entries.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, handle)| handle)
    }

    fn picture(&self, tick: usize) -> Picture {
        let mut picture = Picture::new("Light: what each lamp sees between the walls", [1200.0, 675.0]);
        let mut panel = picture.whole(self.index.world());
        let wall = Ink::fill("#31416f").edged("#5a6ea8", 0.8);
        let bulb = Ink::fill(palette::WHITE);
        let outline = Ink::line(palette::PAPER, 0.6).opacity(0.35);
        for (number, color) in LAMPS.into_iter().enumerate() {
            let lamp = lamp(number, tick);
            panel.glow(color, lamp, REACH, self.lit_from(lamp));
        }
        let lamps = (0..LAMPS.len()).map(|number| lamp(number, tick));
        panel.polygons(&outline, lamps.clone().map(|lamp| self.lit_from(lamp)));
        panel.boxes(&wall, self.handles.iter().map(|&(_, wall)| wall));
        panel.dots(&bulb, 4.0, lamps);
        picture.add(panel);
        picture.legend(Mark::Dot, &bulb, format!("{} lamps", LAMPS.len()));
        picture.legend(Mark::Box, &wall, format!("{} walls", grouped(&self.handles.len())));
        picture.legend(Mark::Line, &outline, "the edge of the light");
        picture
    }
}

fn ray(lamp: [f32; 2], angle: f32) -> Ray {
    let (sin, cos) = angle.sin_cos();
    Ray::segment(lamp, [lamp[0] + REACH * cos, lamp[1] + REACH * sin])
}

fn corners(wall: Rect) -> [[f32; 2]; 4] {
    let ([left, bottom], [right, top]) = (wall.min(), wall.max());
    [[left, bottom], [right, bottom], [right, top], [left, top]]
}
