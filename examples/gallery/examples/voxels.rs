//! The octree: a landscape of boxes, a scanner whose rays make a cloud of points of it, and a camera's frustum.
//!
//!     cargo run --release -p quadrille-gallery --example voxels -- --verify

use std::f64::consts::TAU;
use std::process::ExitCode;

use quadrille::{Convex, HalfSpace, Handle, Layer, LayerId, Octree, Points, Ray, Rect, Rects};
use quadrille_gallery::text::{float, percent, single};
use quadrille_gallery::{Ink, Mark, Panel, Picture, Program, Show, Stopwatch, grouped, palette};

type Vector = [f32; 3];
type Box3 = Rect<f32, 3>;

/// Columns on each axis.
const SIDE: usize = 48;
const HEIGHT: f32 = 20.0;
const SCANNER: Vector = [24.0, 24.0, 19.0];
const EYE: Vector = [4.0, 6.0, 15.0];
/// How far the camera sees.
const FAR: f32 = 30.0;

struct Land {
    index: Octree<()>,
    columns: Layer<Rects>,
    cloud: Layer<Points>,
    /// All of it, for brute force.
    objects: Vec<(Handle, Box3)>,
}

fn main() -> ExitCode {
    let about = "The octree: boxes, the cloud of points that a scanner's rays make of them, and a frustum.";
    Program { name: "voxels", about, objects: 20_000, ticks: 90 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let mut land = Land::new()?;
    let (mut casting, mut culling, mut scanning) = (Stopwatch::default(), Stopwatch::default(), Stopwatch::default());
    let rays: Vec<Ray<f32, 3>> = (0..show.objects()).map(|number| ray(number, show.objects())).collect();
    let mut points = Vec::new();
    for &ray in &rays {
        let hit = casting.time(|| land.index.raycast(ray).in_layers(land.columns).next());
        if show.verify() {
            let expected = scanning.time(|| land.first_hit_by_brute_force(ray));
            show.equal("the box that a ray hits", &hit.map(|hit| hit.object.handle()), &expected)?;
        }
        points.extend(hit.map(|hit| hit.point()));
    }
    land.index.sort_by_place(&mut points, |&point| point);
    let handles = land.index.insert_batch(land.cloud, points.iter().map(|&point| (point, ())))?;
    land.objects.extend(handles.into_iter().zip(points.into_iter().map(Rect::from_point)));

    let (mut seen, mut ticks) = (0, 0);
    for tick in show.ticks() {
        let frustum = Frustum::looking(heading(tick));
        let view = frustum.region();
        let found: Vec<Handle> = culling.time(|| land.index.intersecting(view).map(|object| object.handle()).collect());
        seen += found.len();
        ticks += 1;
        if show.verify() {
            let all = land.objects.iter().filter(|(_, shape)| view.intersects(shape)).map(|&(handle, _)| handle);
            show.same("what the camera sees", found, all)?;
        }
    }
    show.figure("boxes", grouped(&land.index.len_in(land.columns)));
    show.figure("points of the cloud", grouped(&land.index.len_in(land.cloud)));
    show.figure("one ray", casting);
    if show.verify() {
        show.figure("one ray by brute force", scanning);
    }
    show.figure("seen by the camera", percent(float(seen / ticks) / float(land.index.len())));
    show.figure("to ask what it sees, a tick", culling);
    show.draw(land.picture(heading(show.last_tick())))
}

/// Where the camera looks in a tick, in radians from the first axis.
fn heading(tick: usize) -> f64 {
    0.65 + 0.5 * (0.07 * float(tick)).sin()
}

/// Rays from the scanner to all sides below it, evenly.
fn ray(number: usize, count: usize) -> Ray<f32, 3> {
    let down = (float(number) + 0.5) / float(count);
    let (around, aside) = (float(number) * TAU * 0.618_034, (1.0 - down * down).sqrt());
    Ray::new(SCANNER, [aside * around.cos(), aside * around.sin(), -down].map(single))
}

impl Land {
    fn new() -> anyhow::Result<Self> {
        let side = single(float(SIDE));
        let mut index = Octree::new(Rect::new([0.0; 3], [side, side, HEIGHT]))?;
        let (columns, cloud) = (index.add_rect_layer()?, index.add_point_layer()?);
        let mut objects = Vec::new();
        for (x, y) in (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y))) {
            let [x, y, top] = [float(x), float(y), height(float(x), float(y))].map(single);
            let column = Rect::new([x, y, 0.0], [x + 1.0, y + 1.0, top]);
            objects.push((index.insert(columns, column, ())?, column));
        }
        Ok(Self { index, columns, cloud, objects })
    }

    fn first_hit_by_brute_force(&self, ray: Ray<f32, 3>) -> Option<Handle> {
        let entries = self.objects.iter().filter_map(|&(handle, shape)| Some((entry(ray, shape)?, handle)));
        entries.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, handle)| handle)
    }

    fn picture(&self, heading: f64) -> Picture {
        let mut picture = Picture::new("Voxels: what a scanner hits, and what a camera sees of it", [1200.0, 750.0]);
        let mut panel = picture.whole(Rect::new([-44.0, -25.5], [44.0, 30.5]));
        let frustum = Frustum::looking(heading);
        let seen = |layer: LayerId| self.index.intersecting(frustum.region()).in_layers(layer);
        let mut columns: Vec<Box3> = self.index.iter().in_layers(self.columns).map(|column| column.shape()).collect();
        // Things nearer to the viewer are drawn later.
        columns.sort_unstable_by(|one, other| depth(other).total_cmp(&depth(one)));
        for column in &columns {
            draw_column(&mut panel, column);
        }
        let (cloud, visible) = (Ink::fill(palette::PAPER).opacity(0.45), Ink::fill(palette::ALARM));
        let (beam, edge) = (Ink::line(palette::WHITE, 0.7).opacity(0.35), Ink::line(palette::GOLD, 1.4));
        let places = |points: &[Vector]| points.iter().copied().map(project).collect::<Vec<_>>();
        let all: Vec<Vector> = self.index.iter().in_layers(self.cloud).map(|point| point.shape().min()).collect();
        let in_view: Vec<Vector> = seen(self.cloud.id()).map(|point| point.shape().min()).collect();
        panel.dots(&cloud, 0.8, places(&all));
        panel.dots(&visible, 1.2, places(&in_view));
        panel.lines(&beam, all.iter().step_by(331).map(|&point| [project(SCANNER), project(point)]));
        panel.lines(&edge, frustum.edges().map(|edge| edge.map(project)));
        panel.dots(&Ink::fill(palette::WHITE), 4.0, [project(SCANNER)]);
        panel.dots(&Ink::fill(palette::GOLD), 4.0, [project(EYE)]);
        picture.add(panel);
        picture.legend(Mark::Dot, &Ink::fill(palette::WHITE), "the scanner, and some of its rays");
        picture.legend(Mark::Dot, &cloud, format!("{} points that it hits", grouped(&all.len())));
        picture.legend(Mark::Line, &edge, "the camera's frustum");
        picture.legend(Mark::Dot, &visible, format!("{} points in it", grouped(&in_view.len())));
        picture
    }
}

/// Hills and a lake.
fn height(x: f64, y: f64) -> f64 {
    let hills = 5.0 + 3.2 * (x * 0.17 + 0.5).sin() * (y * 0.13).cos() + 2.4 * (x * 0.09 - y * 0.21).sin();
    let rough = 0.7 * (x * 1.7 + y * 2.3).sin() * (y * 1.1).cos();
    (2.0 * (hills + rough)).round().max(6.0) / 2.0
}

/// The latest entry into a box among the axes, unless the ray leaves it on another axis before.
fn entry(ray: Ray<f32, 3>, shape: Box3) -> Option<f64> {
    let (mut enters, mut leaves) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        let [from, step] = [ray.origin()[axis], ray.direction()[axis]].map(f64::from);
        let [one, other] = [shape.min()[axis], shape.max()[axis]].map(|side| (f64::from(side) - from) / step);
        enters = enters.max(one.min(other));
        leaves = leaves.min(one.max(other));
    }
    (enters <= leaves).then_some(enters)
}

/// A camera's view: an eye, and the four corners of what it sees, far away.
struct Frustum {
    far: [Vector; 4],
    planes: [HalfSpace<f32, 3>; 5],
}

impl Frustum {
    /// Looks along a heading and a little down.
    fn looking(heading: f64) -> Self {
        let (sin, cos) = heading.sin_cos();
        let ahead = normal([cos, sin, -0.32].map(single));
        let right = normal(cross(ahead, [0.0, 0.0, 1.0]));
        let up = cross(right, ahead);
        let far = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]: [f32; 2]| {
            let part = |axis: usize| ahead[axis] + 0.36 * x * right[axis] + 0.21 * y * up[axis];
            std::array::from_fn(|axis| EYE[axis] + FAR * part(axis))
        });
        // Each side contains the eye and two corners, and its normal points out.
        let side = |number: usize| {
            let [one, other] = [far[number], far[(number + 1) % 4]].map(|corner| minus(corner, EYE));
            HalfSpace::behind(EYE, cross(one, other))
        };
        Self { far, planes: [side(0), side(1), side(2), side(3), HalfSpace::behind(far[0], ahead)] }
    }

    fn region(&self) -> Convex<'_, f32, 3> {
        let bounds = Rect::from_points([EYE].iter().chain(&self.far).copied()).expect("five corners");
        Convex::new(&self.planes).within(bounds)
    }

    fn edges(&self) -> impl Iterator<Item = [Vector; 2]> {
        (0..4).flat_map(|number| [[EYE, self.far[number]], [self.far[number], self.far[(number + 1) % 4]]])
    }
}

fn minus(one: Vector, other: Vector) -> Vector {
    std::array::from_fn(|axis| one[axis] - other[axis])
}

fn cross(one: Vector, other: Vector) -> Vector {
    std::array::from_fn(|axis| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        one[next] * other[last] - one[last] * other[next]
    })
}

fn normal(vector: Vector) -> Vector {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    vector.map(|part| part / length)
}

/// From space to the picture: the viewer looks down from the side of the origin.
fn project([x, y, z]: Vector) -> [f32; 2] {
    [(x - y) * 0.9, z * 1.05 + (x + y) * 0.45 - 25.0]
}

fn depth(column: &Box3) -> f32 {
    column.min()[0] + column.min()[1]
}

/// The three faces of a column that the viewer sees.
fn draw_column(panel: &mut Panel, column: &Box3) {
    let ([x, y, z], [to_x, to_y, top]) = (column.min(), column.max());
    let colors = match top {
        ..=3.0 => ["#3f6fd8", "#2f55ab", "#274890"],
        ..=7.0 => ["#5f9e4f", "#4a7d3e", "#3d6833"],
        ..=9.0 => ["#8a8f6a", "#6d7154", "#5a5e46"],
        _ => ["#c9d3e6", "#9aa5bd", "#808aa3"],
    };
    let faces = [
        [[x, y, top], [to_x, y, top], [to_x, to_y, top], [x, to_y, top]],
        [[x, y, z], [to_x, y, z], [to_x, y, top], [x, y, top]],
        [[x, y, z], [x, to_y, z], [x, to_y, top], [x, y, top]],
    ];
    for (face, color) in faces.into_iter().zip(colors) {
        panel.polygons(&Ink::fill(color).edged(color, 0.4), [face.map(project)]);
    }
}
