//! Warnings: objects that are crowded, or outside, because the world does not fit them.
//!
//! The only remedy is another world, so equal objects give no warning: they are crowded in any world.

use alloc::vec::Vec;
use core::fmt;

use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, GridId, UNIT_MAX};
use crate::key::{BucketId, LayerId};
use crate::tree::{Arena, Trees};

/// Chains of at least this many buckets are crowded: a query looks through all of them.
pub(super) const CROWDED: usize = 8;

/// Fewer objects, outside the world or in shared units, fit into one bucket: they cost a query next to nothing.
const FEW: usize = 64;

/// A reason why queries are slow, as a part of [`Stats`](crate::Stats). Its `Display` says what to do.
///
/// ```
/// # use quadrille::{Quadtree, Rect, Warning};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// index.set_world(Rect::new([-1e12, -1e12], [1e12, 1e12]))?; // far too large
/// index.insert_batch(units, (0..1000_u16).map(|n| ([f32::from(n % 40), f32::from(n / 40)], n)))?;
/// for warning in index.stats().warnings {
///     println!("{warning}"); // says what to do
///     assert!(matches!(warning, Warning::WorldTooLarge { .. }));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Most objects of the layer are outside the world, where queries and moves take several times as long. Or different
    /// objects are crowded there: they are at its edge, or close together and so far away that no larger grid separates
    /// them.
    OutsideWorld {
        /// Their layer.
        layer: LayerId,
        /// Their number.
        objects: usize,
    },
    /// Different objects are crowded in squares of one unit, the finest that the world resolves; or most objects of the
    /// layer share their units with others. Far from where the world begins, many units may have only one coordinate.
    WorldTooLarge {
        /// Their layer.
        layer: LayerId,
        /// Their number.
        objects: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (layer, objects, remedy) = match self {
            Self::OutsideWorld { layer, objects } => (layer, objects, "outside the world: include them by `set_world`"),
            Self::WorldTooLarge { layer, objects } => {
                (layer, objects, "crowded in single units of the world: choose a smaller one by `set_world`")
            }
        };
        write!(f, "{objects} objects of layer {} are {remedy}", layer.number())
    }
}

/// The objects of a layer for which another world would be better: those outside of it, and those that are crowded.
#[derive(Default)]
pub(super) struct Crowd {
    objects: usize,
    outside: usize,
    crowded_outside: usize,
    /// The number inside the world, in squares of one unit.
    unresolved: usize,
    /// The number inside the world that share their units with others.
    sharing: usize,
}

impl Crowd {
    /// Counts the entries of a chain over a grid.
    pub(super) fn count(&mut self, objects: usize, grid: GridId) {
        self.objects += objects;
        self.outside += if grid.is_large() { objects } else { 0 };
    }

    /// Counts the entries of a crowded chain.
    pub(super) fn add_chain<S: Scalar, const D: usize>(&mut self, first: BucketId, trees: &Trees<S, D>, grid: GridId) {
        let (arena, world) = (trees.arena(), trees.grid().world());
        let shapes = arena.places_in_chain(first).map(|place| arena.shape(place));
        let is_inside = |shape: &Rect<S, D>| grid.is_large() || world.contains_point(shape.min());
        let inside: Vec<_> = shapes.filter(is_inside).collect();
        let units = arena.head(first).block.units();
        let is_finest = !arena.head(first).is_own_list() && units.min == units.max;
        let differ = is_finest && inside.iter().any(|shape| *shape != inside[0]);
        let unresolved = if differ { inside.len() } else { 0 };
        if grid.is_large() {
            self.crowded_outside += unresolved;
        } else {
            self.crowded_outside += arena.total(first) as usize - inside.len();
            self.unresolved += unresolved;
        }
    }

    /// Counts the entries of a chain that begin elsewhere than others, but in the same unit.
    pub(super) fn add_sharing<S: Scalar, const D: usize>(
        &mut self,
        first: BucketId,
        arena: &Arena<S, D>,
        grid: &Grid<S, D>,
    ) {
        // A difference from the origin is a number: at the far end of the grid, these are so many units apart.
        let step = (f64::from(UNIT_MAX) * S::EPSILON.to_f64()).to_u32();
        let units = arena.head(first).block.units();
        // In a much larger block a bucket has room for its objects in units of their own.
        if 16 * step.max(1) <= units.max[0] - units.min[0] || grid.id().is_large() {
            return;
        }
        let corners = arena.places_in_chain(first).map(|place| arena.shape(place).min());
        let inside = corners.filter(|&place| grid.world().contains_point(place));
        let mut places: Vec<_> = inside.map(|place| (grid.units(place), place)).collect();
        places.sort_unstable_by_key(|&(unit, _)| unit);
        let differ = |unit: &&[([u32; D], [S; D])]| unit.iter().any(|&(_, place)| place != unit[0].1);
        self.sharing += places.chunk_by(|a, b| a.0 == b.0).filter(differ).map(<[_]>::len).sum::<usize>();
    }

    pub(super) fn warnings(self, layer: LayerId) -> impl Iterator<Item = Warning> {
        let Self { objects, outside, crowded_outside, unresolved, sharing } = self;
        let are_most = |some: usize| FEW <= some && objects < 2 * some;
        let outside = if are_most(outside) { outside } else { crowded_outside };
        let unresolved = if are_most(sharing) { sharing } else { unresolved };
        let outside = (0 < outside).then_some(Warning::OutsideWorld { layer, objects: outside });
        let too_large = (0 < unresolved).then_some(Warning::WorldTooLarge { layer, objects: unresolved });
        outside.into_iter().chain(too_large)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use core::array;

    use super::*;
    use crate::{Quadtree, SpatialIndex};

    /// The warnings about objects between 0 and 100 on each axis, in a world with this side.
    fn warnings_in(index: &mut Quadtree<u16>, side: f32) -> Vec<Warning> {
        index.set_world(Rect::new([0.0, 0.0], [side, side])).unwrap();
        index.stats().warnings
    }

    #[test]
    fn a_world_that_does_not_fit_is_named() {
        let mut index: Quadtree<u16> = SpatialIndex::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
        let points = index.add_point_layer().unwrap();
        let rects = index.add_rect_layer().unwrap();
        for number in 0..2000 {
            let place = [f32::from(number % 50) * 2.0, f32::from(number / 50) * 2.5];
            index.insert(points, place, number).unwrap();
            index.insert(rects, Rect::new(place, place.map(|at| at + 1.0)), number).unwrap();
        }
        let [points, rects] = [points.id(), rects.id()];
        let too_large = |layer| Warning::WorldTooLarge { layer, objects: 2000 };
        assert_eq!(warnings_in(&mut index, 1e12), [too_large(points), too_large(rects)]);
        assert_eq!(warnings_in(&mut index, 100.0), []);
    }

    /// Larger grids separate the objects outside, but a search looks into each.
    #[test]
    fn a_world_that_most_objects_are_outside_of_is_named() {
        let mut index: Quadtree<u16> = SpatialIndex::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
        let points = index.add_point_layer().unwrap();
        let few = index.add_point_layer().unwrap();
        for number in 0..2000 {
            index.insert(points, [f32::from(number % 50) * 2.0, f32::from(number / 50) * 2.5], number).unwrap();
        }
        index.insert(few, [500.0, 500.0], 0).unwrap();
        // 1044 are inside.
        assert_eq!(warnings_in(&mut index, 70.0), []);
        let outside = |objects| Warning::OutsideWorld { layer: points.id(), objects };
        assert_eq!(warnings_in(&mut index, 10.0), [outside(2000 - 6 * 5)]);
        assert_eq!(warnings_in(&mut index, 1e-3), [outside(1999)]);
        assert_eq!(outside(9).to_string(), "9 objects of layer 0 are outside the world: include them by `set_world`");
    }

    /// The objects are so far away that no larger grid separates them.
    #[test]
    fn a_crowd_far_outside_is_named() {
        let mut index: Quadtree<u16, f64> = SpatialIndex::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
        let points = index.add_point_layer().unwrap();
        for number in 0..2000 {
            index.insert(points, [1e9 + f64::from(number % 50) * 1e-6, 5.0], number).unwrap();
        }
        let outside = Warning::OutsideWorld { layer: points.id(), objects: 2000 };
        assert_eq!(index.stats().warnings, [outside]);
        assert!(outside.to_string().starts_with("2000 objects of layer 0 are outside the world"));
    }

    /// At the end of a world a million times as long, 64 units have one coordinate in `f32`, counted from where it begins:
    /// rays, windows and nearest take ten times as long there.
    #[test]
    fn a_crowd_that_shares_units_is_named() {
        fn warnings<S: Scalar, const D: usize>(begin: f64, end: f64) -> Vec<Warning> {
            let [begin, end] = [begin, end].map(|end| [S::from_f64(end); D]);
            let mut index: SpatialIndex<(), S, D> = SpatialIndex::new(Rect::new(begin, end)).unwrap();
            let layer = index.add_rect_layer().unwrap();
            for number in 0..20_000_u32 {
                let place = [number % 27, number / 27 % 27, number / 729];
                let place =
                    array::from_fn(|axis| S::from_f64(f64::from(place[axis]) * 37.0 + f64::from(number) * 1e-4));
                index.insert(layer, Rect::from_point(place), ()).unwrap();
            }
            index.stats().warnings
        }
        let shared = |warnings: &[Warning]| matches!(warnings[..], [Warning::WorldTooLarge { objects: 10_001.., .. }]);
        assert!(shared(&warnings::<f32, 2>(-1e9, 1e3)));
        assert!(shared(&warnings::<f32, 3>(-1e9, 1e3)));
        for [begin, end] in [[0.0, 1e6], [-1e6, 1e3], [0.0, 1e9]] {
            assert_eq!(warnings::<f32, 3>(begin, end), []);
        }
        assert_eq!(warnings::<f64, 3>(-1e9, 1e3), []);
    }

    /// No world separates them.
    #[test]
    fn equal_objects_are_no_reason_for_another_world() {
        let mut index: Quadtree<u16> = SpatialIndex::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
        let points = index.add_point_layer().unwrap();
        for number in 0..2000 {
            index.insert(points, [0.5, 0.5], number).unwrap();
        }
        assert_eq!(index.stats().warnings, []);
    }
}
