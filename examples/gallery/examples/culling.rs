//! A scene much larger than the screen, and a camera that pans, zooms and turns: what it sees in each frame.
//!
//!     cargo run --release -p quadrille-gallery --example culling -- --verify

use std::process::ExitCode;

use quadrille::{Handle, Layer, LayerId, Polygon, Quadtree, Rect, Rects};
use quadrille_gallery::text::{float, percent, single};
use quadrille_gallery::{Ink, Mark, Panel, Picture, Program, Show, Stopwatch, grouped, palette};
use rand::{Rng, RngExt};

const SIDE: f32 = 8000.0;
const SCREEN: [f32; 2] = [16.0, 9.0];

/// The scene, from bottom to top: what is drawn first is covered by what follows.
struct Scene {
    index: Quadtree<()>,
    lakes: Layer<Rects>,
    houses: Layer<Rects>,
    trees: Layer<Rects>,
    /// All of it, for brute force.
    shapes: Vec<(Handle, Rect)>,
}

#[derive(Clone, Copy)]
struct Camera {
    center: [f32; 2],
    /// How much of the world a unit of the screen shows.
    zoom: f32,
    angle: f32,
}

fn main() -> ExitCode {
    let about = "A scene larger than the screen, and what a camera sees that pans, zooms and turns.";
    Program { name: "culling", about, objects: 100_000, ticks: 200 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let scene = Scene::new(show.objects(), &mut show.dice())?;
    let (mut asking, mut scanning) = (Stopwatch::default(), Stopwatch::default());
    let (mut seen, mut drawn, mut frames) = (Vec::new(), 0, 0);

    for frame in show.ticks() {
        let view = Polygon::new(Camera::at(frame).corners());
        seen.clear();
        asking.time(|| seen.extend(scene.index.intersecting(&view).map(|sprite| sprite.handle())));
        drawn += seen.len();
        frames += 1;
        if show.verify() {
            let all = scanning.time(|| -> Vec<Handle> {
                let meeting = scene.shapes.iter().filter(|(_, shape)| view.intersects(shape));
                meeting.map(|&(handle, _)| handle).collect()
            });
            show.same("the sprites in view", seen.iter().copied(), all)?;
        }
    }

    show.figure("sprites in the scene", grouped(&scene.index.len()));
    show.figure("sprites in view, a frame", grouped(&(drawn / frames)));
    show.figure("share of the scene", percent(float(drawn / frames) / float(scene.index.len())));
    show.figure("to ask the index, a frame", asking);
    if show.verify() {
        show.figure("to look at every sprite, a frame", scanning);
        show.figure("the index is faster", format!("{:.0} times", scanning.ratio(&asking)));
    }
    show.draw(scene.picture(show.last_tick()))
}

impl Camera {
    /// Where the camera is in a frame, how close, and how tilted.
    fn at(frame: usize) -> Self {
        let [pan, swing, zoom, turn] = [0.017, 0.029, 0.04, 0.023].map(|speed: f64| speed * float(frame));
        let [x, y] = [0.5 + 0.33 * pan.cos(), 0.5 + 0.33 * swing.sin()];
        let zoom = 45.0 * (0.8 * zoom.sin()).exp();
        let [x, y, zoom, angle] = [x * f64::from(SIDE), y * f64::from(SIDE), zoom, turn].map(single);
        Self { center: [x, y], zoom, angle }
    }

    /// The corners of the screen, in the world.
    fn corners(&self) -> [[f32; 2]; 4] {
        let (sin, cos) = self.angle.sin_cos();
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]: [f32; 2]| {
            let [x, y] = [x * SCREEN[0] / 2.0 * self.zoom, y * SCREEN[1] / 2.0 * self.zoom];
            [self.center[0] + cos * x - sin * y, self.center[1] + sin * x + cos * y]
        })
    }

    /// From the world to the screen.
    fn project(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let ([x, y], (sin, cos)) = ([x - self.center[0], y - self.center[1]], self.angle.sin_cos());
        [(cos * x + sin * y) / self.zoom, (cos * y - sin * x) / self.zoom]
    }
}

impl Scene {
    /// Mostly trees in woods, some houses in villages, few lakes.
    fn new(count: usize, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut index = Quadtree::new(Rect::new([0.0; 2], [SIDE; 2]))?;
        let [lakes, houses, trees] = [index.add_rect_layer()?, index.add_rect_layer()?, index.add_rect_layer()?];
        let mut shapes = Vec::new();
        for (layer, share, groups, spread, half) in [
            (lakes, 2000, 20, 900.0, 60.0..160.0),
            (houses, 12, 60, 160.0, 5.0..14.0),
            (trees, 1, 120, 420.0, 2.0..5.0),
        ] {
            let centers: Vec<[f32; 2]> = (0..groups).map(|_| [(); 2].map(|()| dice.random_range(0.0..SIDE))).collect();
            let sprites = (0..count / share).map(|number| {
                let center = centers[number % groups].map(|at| at + spread * bell(dice));
                let half = [(); 2].map(|()| dice.random_range(half.clone()));
                Rect::from_center_half(center, half)
            });
            let mut sprites: Vec<Rect> = sprites.collect();
            index.sort_by_place(&mut sprites, |&shape| shape);
            let handles = index.insert_batch(layer, sprites.iter().map(|&shape| (shape, ())))?;
            shapes.extend(handles.into_iter().zip(sprites));
        }
        Ok(Self { index, lakes, houses, trees, shapes })
    }

    fn picture(&self, last: usize) -> Picture {
        let mut picture = Picture::new("Culling: one sprite in a hundred is on the screen", [1200.0, 431.0]);
        let screen = Rect::from_center_half([0.0; 2], SCREEN.map(|side| side / 2.0));
        let [mut map, mut view] = picture.columns([(9.0, self.index.world()), (16.0, screen)]);
        let kinds = [
            (self.lakes.id(), Ink::fill(palette::STONE).opacity(0.6), "lakes"),
            (self.houses.id(), Ink::fill(palette::GOLD).opacity(0.9), "houses"),
            (self.trees.id(), Ink::fill(palette::LEAF).opacity(0.6), "trees"),
        ];
        map.frame();
        view.frame();
        for (layer, ink, _) in &kinds {
            // All trees would hide the rest of the map.
            let every = if *layer == self.trees.id() { 20 } else { 1 };
            map.boxes(ink, self.index.iter().in_layers(*layer).step_by(every).map(|sprite| sprite.shape()));
            self.draw_view(&mut view, Camera::at(last), *layer, ink);
        }
        let (way, frame) = (Ink::line(palette::PAPER, 1.2).opacity(0.8), Ink::line(palette::ALARM, 2.0));
        map.ways(&way, [(0..=last).map(|frame| Camera::at(frame).center)]);
        map.polygons(&frame, [Camera::at(last).corners()]);
        view.boxes(&frame, [screen.expanded(-0.03)]);
        picture.add(map);
        picture.add(view);
        for (layer, ink, name) in &kinds {
            picture.legend(Mark::Box, ink, format!("{} {name}", grouped(&self.index.len_in(*layer))));
        }
        picture.legend(Mark::Line, &way, "the camera's way");
        picture.legend(Mark::Box, &frame, "the screen");
        picture
    }

    /// Draws the sprites of a layer that the camera sees, as it sees them.
    fn draw_view(&self, panel: &mut Panel, camera: Camera, layer: LayerId, ink: &Ink) {
        let view = Polygon::new(camera.corners());
        let sprites = self.index.intersecting(&view).in_layers(layer);
        panel.polygons(
            ink,
            sprites.map(|sprite| {
                let ([left, bottom], [right, top]) = (sprite.shape().min(), sprite.shape().max());
                [[left, bottom], [right, bottom], [right, top], [left, top]].map(|corner| camera.project(corner))
            }),
        );
    }
}

/// A number around 0, seldom beyond 1 either way.
fn bell(dice: &mut impl Rng) -> f32 {
    (0..4).map(|_| dice.random_range(-0.5..0.5)).sum()
}
