//! Nearest objects, rays, casts, balls, polygons, pairs, and what is asked about the whole world.

#[cfg(not(feature = "space"))]
use quadrille::Polygon;
use quadrille::{CellKind, Ray, Rect};

use crate::export::export;
use crate::{D, S, World, over, set};

/// No object: the id that an answer has in its place, and that of no exclusion.
pub(crate) const NONE: u32 = u32::MAX;

/// The polygon in `numbers_in`, of so many corners, whose rings end as `ids_in` says.
#[cfg(not(feature = "space"))]
pub(crate) fn polygon(world: &World, rings: u32) -> Polygon<S> {
    let corners = |from: u32, to: u32| {
        world.numbers_in[2 * from as usize..2 * to as usize].chunks_exact(2).map(|at| [at[0], at[1]])
    };
    let mut from = 0;
    world.ids_in[..rings as usize].iter().fold(Polygon::new([[0.0; 2]; 0]), |polygon, &to| {
        let ring = corners(from, to);
        from = to;
        polygon.with_ring(ring)
    })
}

export! {
    fn within(world, layers: u32, distance: S; at) -> u32 {
        let mut ids = core::mem::take(&mut world.ids);
        ids.clear();
        over!(world, index => index.within_distance(at, distance).in_layers(set(layers)).for_each(|object| ids.push(*object.value())));
        world.ids = ids;
        world.answer()
    }

    fn nearest(world, layers: u32, k: u32, within: S, except: u32; at) -> u32 {
        let (mut ids, mut numbers) = (core::mem::take(&mut world.ids), core::mem::take(&mut world.numbers));
        ids.clear();
        numbers.clear();
        let except = world.handle(except);
        over!(world, index => for near in index.nearest(at).in_layers(set(layers)).within(within).excluding(except).take(k as usize) {
            ids.push(*near.object.value());
            numbers.push(near.distance());
        });
        (world.ids, world.numbers) = (ids, numbers);
        world.answer()
    }

    fn nearest_many(world, layers: u32, n: u32, k: u32, within: S) -> i32 {
        let points = world.numbers_in[..D * n as usize].chunks_exact(D).map(|at| core::array::from_fn::<S, D, _>(|axis| at[axis]));
        if let Some(position) = points.clone().position(|at| at.iter().any(|at| at.is_nan())) {
            world.head.position = position;
            return -1;
        }
        let mut answers = core::mem::take(&mut world.answers);
        over!(world, index => answers.fill(&world.index, points, |at, answer| {
            answer.extend(index.nearest(*at).in_layers(set(layers)).within(within).take(k as usize).map(|near| *near.object.value()));
        }));
        world.answers = answers;
        world.answer_batch().cast_signed()
    }

    fn raycast(world, layers: u32, k: u32, until: S, except: u32; from, direction) -> u32 {
        let (mut ids, mut numbers) = (core::mem::take(&mut world.ids), core::mem::take(&mut world.numbers));
        ids.clear();
        numbers.clear();
        let except = world.handle(except);
        over!(world, index => for hit in index.raycast(Ray::new(from, direction)).in_layers(set(layers)).excluding(except).until(until).take(k as usize) {
            ids.push(*hit.object.value());
            numbers.push(hit.t);
        });
        (world.ids, world.numbers) = (ids, numbers);
        world.answer()
    }

    fn cast(world, layers: u32, k: u32, except: u32; min, max, motion) -> u32 {
        let (mut ids, mut numbers) = (core::mem::take(&mut world.ids), core::mem::take(&mut world.numbers));
        ids.clear();
        numbers.clear();
        let except = world.handle(except);
        over!(world, index => for hit in index.cast(Rect::new(min, max), motion).in_layers(set(layers)).excluding(except).take(k as usize) {
            ids.push(*hit.object.value());
            numbers.push(hit.t);
        });
        (world.ids, world.numbers) = (ids, numbers);
        world.answer()
    }

    /// With `between` not 0, each pair has one of both sets.
    fn pairs(world, layers: u32, between: u32, within: S) -> u32 {
        let mut ids = core::mem::take(&mut world.ids);
        ids.clear();
        over!(world, index => {
            let pairs = index.pairs().within(within);
            let pairs = if between == 0 { pairs.in_layers(set(layers)) } else { pairs.between(set(layers), set(between)) };
            for (one, other) in pairs {
                ids.extend([*one.value(), *other.value()]);
            }
        });
        world.ids = ids;
        world.answer()
    }

    fn optimize(world) { world.index.optimize(); }

    /// Whether the objects have an extent that makes a world.
    fn fit_world(world) -> u32 { u32::from(!world.wraps() && world.index.fit_world().is_ok()) }

    /// Writes the corners of the box around all objects.
    fn bounds(world, layers: u32) -> u32 {
        let Some(bounds) = world.index.bounds(set(layers)) else { return 0 };
        world.numbers.clear();
        world.numbers.extend(bounds.min().into_iter().chain(bounds.max()));
        world.answer();
        1
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
        let mut ids = core::mem::take(&mut world.ids);
        ids.clear();
        over!(world, index => index.intersecting(&region).in_layers(set(layers)).for_each(|object| ids.push(*object.value())));
        world.ids = ids;
        world.answer()
    }
}
