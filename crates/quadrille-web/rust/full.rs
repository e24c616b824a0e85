//! Nearest objects, rays, casts, balls, polygons, caps, pairs, neighbors, and what is asked about the whole world.

use quadrille::{Ball, Cast, CellKind, Handle, Kind, Nearest, Neighbors, Pairs, Ray, Rect};
#[cfg(not(feature = "space"))]
use quadrille::{Cap, GreatCircle, IntoRegion, Polygon, Region};

use crate::export::export;
use crate::handles::Handles;
use crate::torus::Torus;
use crate::{D, S, Shape, World, corners, list, set};

/// The polygon in `numbers_in`, of so many corners, whose rings end as `ids_in` says.
#[cfg(not(feature = "space"))]
pub(crate) fn polygon(world: &World, rings: u32) -> Area {
    let mut from = 0;
    // All rings are of one type: the code of another would be as long again.
    let none: Vec<[S; 2]> = Vec::new();
    Area::Polygon(world.ids_in[..rings as usize].iter().fold(Polygon::new(none), |polygon, &to| {
        let ring = corners(&world.numbers_in[2 * from..], to as usize - from, Kind::Points);
        let ring: Vec<[S; 2]> = ring.map(|[at, _]| at).collect();
        from = to as usize;
        polygon.with_ring(ring)
    }))
}

/// All within so many meters of a place in degrees.
#[cfg(not(feature = "space"))]
pub(crate) fn cap([longitude, latitude]: [S; D], meters: S) -> Area {
    let [longitude, latitude, meters] = [longitude, latitude, meters].map(f64::from);
    Area::Cap(GreatCircle::new([longitude, latitude]).within(meters))
}

/// Regions of one type: queries are compiled for both at once.
#[cfg(not(feature = "space"))]
pub(crate) enum Area {
    Polygon(Polygon<S>),
    /// It needs no images.
    Cap(Cap),
}

#[cfg(not(feature = "space"))]
impl Region<S, D> for &Area {
    fn bounds(&self) -> Shape {
        match self {
            Area::Polygon(polygon) => polygon.bounds(),
            Area::Cap(cap) => cap.bounds(),
        }
    }

    fn intersects(&self, rect: &Shape) -> bool {
        match self {
            Area::Polygon(polygon) => polygon.intersects(rect),
            Area::Cap(cap) => cap.intersects(rect),
        }
    }

    fn contains(&self, rect: &Shape) -> bool {
        match self {
            Area::Polygon(polygon) => polygon.contains(rect),
            Area::Cap(cap) => cap.contains(rect),
        }
    }
}

#[cfg(not(feature = "space"))]
impl IntoRegion<S, D> for &Area {
    type Region = Self;

    fn into_region(self) -> Self {
        self
    }
}

fn position_of_nan(mut points: impl Iterator<Item = [S; D]>) -> Option<usize> {
    points.position(|at| at.iter().any(|at| at.is_nan()))
}

/// Makes a list of ids, and one of distances or times.
fn list_ranked(ids: &mut Vec<u32>, numbers: &mut Vec<S>, found: impl Iterator<Item = (u32, S)>) {
    ids.clear();
    numbers.clear();
    for (id, number) in found {
        ids.push(id);
        numbers.push(number);
    }
}

/// The objects that were hit.
#[derive(Default)]
pub(crate) struct Hits {
    ids: Vec<u32>,
    times: Vec<S>,
    normals: Vec<S>,
    /// 1 for those that what moves touches at its start.
    touching: Vec<u32>,
}

impl Hits {
    fn clear(&mut self) {
        self.ids.clear();
        self.times.clear();
        self.normals.clear();
        self.touching.clear();
    }

    // It is long, and stands in every loop over hits.
    #[inline(never)]
    fn push(&mut self, id: u32, time: S, normal: [S; D], touches: bool) {
        self.ids.push(id);
        self.times.push(time);
        self.normals.extend(normal);
        self.touching.push(u32::from(touches));
    }
}

/// The limits of a cast.
struct Limits {
    layers: u32,
    k: u32,
    except: Handle,
    /// A negative one is none: then what is only touched counts too.
    skin: S,
}

/// The hits of a cast.
// Once for boxes and balls.
#[inline(never)]
fn list_cast(hits: &mut Hits, handles: &Handles, torus: Torus, cast: Cast<'_, '_, (), S, D>, limits: &Limits) {
    hits.clear();
    let found = cast.in_layers(set(limits.layers)).excluding(limits.except);
    let found = if limits.skin < 0.0 { found } else { found.blocking(limits.skin) };
    for hit in torus.query(found, Cast::periodic).take(limits.k as usize) {
        hits.push(handles.id(hit.object.handle()), hit.t, hit.normal(), hit.touches_at_start());
    }
}

impl World {
    /// Says where the lists of hits lie, and returns how many hits there are.
    fn answer_hits(&mut self) -> u32 {
        let Hits { ids, times, normals, touching } = &self.hits;
        self.head.ids = ids.as_ptr();
        self.head.numbers = times.as_ptr();
        self.head.normals = normals.as_ptr();
        self.head.touching = touching.as_ptr();
        ids.len() as u32
    }
}

/// Pairs in this world, within a set of layers; with `between` not 0, those with one object of each set.
pub(crate) fn among(
    torus: Torus,
    pairs: Pairs<'_, (), S, D>,
    (layers, between): (u32, u32),
    within: S,
) -> Pairs<'_, (), S, D> {
    let (pairs, layers, between) = (torus.query(pairs.within(within), Pairs::periodic), set(layers), set(between));
    if between.is_empty() { pairs.in_layers(layers) } else { pairs.between(layers, between) }
}

export! {
    fn within(world, layers: u32, distance: S; at) -> u32 {
        list(&mut world.ids, &world.handles, world.torus.region(&world.index, Ball::new(at, distance), set(layers)));
        world.answer()
    }

    fn nearest(world, layers: u32, k: u32, within: S, except: u32; at) -> u32 {
        let except = world.handle(except);
        let nearest = world.index.nearest(at).in_layers(set(layers)).within(within).excluding(except);
        let nearest = world.torus.query(nearest, Nearest::periodic).take(k as usize);
        list_ranked(&mut world.ids, &mut world.numbers, nearest.map(|near| (world.handles.id(near.object.handle()), near.distance())));
        world.answer()
    }

    /// The points in `numbers_in`; -1 if one has a NaN.
    fn nearest_many(world, layers: u32, n: u32, k: u32, within: S) -> i32 {
        let points = corners(&world.numbers_in, n as usize, Kind::Points).map(|[at, _]| at);
        if let Some(position) = position_of_nan(points.clone()) {
            world.head.position = position;
            return -1;
        }
        world.answers.fill(&world.index, points, |at, answer| {
            let nearest = world.index.nearest(*at).in_layers(set(layers)).within(within);
            let nearest = world.torus.query(nearest, Nearest::periodic).take(k as usize);
            answer.extend(nearest.map(|near| world.handles.id(near.object.handle())));
        });
        world.answer_batch().cast_signed()
    }

    /// The order in space of the points in `numbers_in`; -1 if one has a NaN.
    fn order_of(world, n: u32) -> i32 {
        let World { index, ids, numbers_in, torus, head, .. } = world;
        let points = corners(numbers_in, n as usize, Kind::Points).map(|[at, _]| at);
        if let Some(position) = position_of_nan(points.clone()) {
            head.position = position;
            return -1;
        }
        let places = points.map(|at| torus.wrap(Rect::from_point(at)));
        let mut numbered: Vec<(u32, Shape)> = (0..).zip(places).collect();
        index.sort_by_place(&mut numbered, |point| point.1);
        ids.clear();
        ids.extend(numbered.iter().map(|point| point.0));
        world.answer().cast_signed()
    }

    fn raycast(world, layers: u32, k: u32, until: S, except: u32; from, direction) -> u32 {
        let except = world.handle(except);
        world.hits.clear();
        let found = world.index.raycast(Ray::new(from, direction)).in_layers(set(layers)).excluding(except).until(until);
        for hit in world.torus.query(found, Cast::periodic).take(k as usize) {
            world.hits.push(world.handles.id(hit.object.handle()), hit.t, hit.normal(), false);
        }
        world.answer_hits()
    }

    fn cast(world, layers: u32, k: u32, except: u32, skin: S; min, max, motion) -> u32 {
        let limits = Limits { layers, k, except: world.handle(except), skin };
        list_cast(&mut world.hits, &world.handles, world.torus, world.index.cast(Rect::new(min, max), motion), &limits);
        world.answer_hits()
    }

    fn cast_ball(world, layers: u32, k: u32, except: u32, skin: S, radius: S; center, motion) -> u32 {
        let limits = Limits { layers, k, except: world.handle(except), skin };
        list_cast(&mut world.hits, &world.handles, world.torus, world.index.cast_ball(Ball::new(center, radius), motion), &limits);
        world.answer_hits()
    }

    /// Pairs one after the other.
    fn pairs(world, layers: u32, between: u32, within: S) -> u32 {
        world.ids.clear();
        for (one, other) in among(world.torus, world.index.pairs(), (layers, between), within) {
            world.ids.extend([one, other].map(|object| world.handles.id(object.handle())));
        }
        world.answer()
    }

    /// The neighbors of each object of `layers`, in these or in `between`: `head.position` is the number of objects, whose ids
    /// are `head.centers`.
    fn neighbors(world, layers: u32, between: u32, within: S) -> u32 {
        let World { index, ids, handles, answers, torus, .. } = world;
        let around = set(if between == 0 { layers } else { between });
        let asked = index.neighbors().between(set(layers), around).within(within);
        ids.clear();
        answers.items.clear();
        answers.offsets.clear();
        answers.offsets.push(0);
        torus.query(asked, Neighbors::periodic).for_each(|object, others| {
            ids.push(handles.id(object.handle));
            answers.items.extend(others.map(|other| handles.id(other.handle)));
            answers.offsets.push(answers.items.len());
        });
        world.head.position = world.ids.len();
        world.head.centers = world.ids.as_ptr();
        world.answer_batch()
    }

    fn optimize(world) { world.index.optimize(); }

    /// Whether the objects have an extent that makes a world.
    fn fit_world(world) -> u32 { u32::from(!world.torus.wraps() && world.index.fit_world().is_ok()) }

    /// Writes the corners of the box around all objects.
    fn bounds(world, layers: u32) -> u32 {
        let Some(bounds) = world.index.bounds(set(layers)) else { return 0 };
        world.answer_shape(bounds)
    }

    /// The squares of a layer's tree, parents first; the ids are their depths.
    fn cells(world, layer: u32) -> u32 {
        let World { index, ids, numbers, .. } = world;
        ids.clear();
        numbers.clear();
        for cell in index.cells(world.layers[layer as usize]).filter(|cell| cell.kind() == CellKind::Block || cell.depth() == 0) {
            let square = cell.square();
            ids.push(u32::from(cell.depth()));
            numbers.extend(square.min().into_iter().chain(square.max()));
        }
        world.answer()
    }
}

#[cfg(not(feature = "space"))]
export! {
    fn within_polygon(world, layers: u32, rings: u32) -> u32 {
        let region = polygon(world, rings);
        list(&mut world.ids, &world.handles, world.torus.region(&world.index, &region, set(layers)));
        world.answer()
    }

    /// Over the globe.
    fn within_cap(world, layers: u32, meters: S; at) -> u32 {
        let region = cap(at, meters);
        list(&mut world.ids, &world.handles, world.index.intersecting(&region).in_layers(set(layers)));
        world.answer()
    }
}
