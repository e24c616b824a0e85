//! Warnings: objects that are crowded since the world does not fit them.
//!
//! It knows no remedy but another world: objects that are equal stay crowded in any.

use core::fmt;

use crate::geometry::{Rect, Scalar};
use crate::grid::GridId;
use crate::key::{BucketId, LayerId};
use crate::tree::{Everything, Trees, Walk, positions};

/// Chains of so many buckets are crowded: a query looks through all of them.
const CROWDED: u32 = 8;

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
    /// Different objects are crowded outside the world: at its edge, or so closely that they cannot be told apart from as
    /// far away.
    OutsideWorld {
        /// Their layer.
        layer: LayerId,
        /// Their number.
        objects: usize,
    },
    /// Different objects are crowded in squares of one unit, which is the finest that the world resolves.
    WorldTooLarge {
        /// Their layer.
        layer: LayerId,
        /// Their number.
        objects: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutsideWorld { layer, objects } => {
                write!(
                    f,
                    "{objects} objects of layer {} are crowded outside the world: include them by `set_world`",
                    layer.number()
                )
            }
            Self::WorldTooLarge { layer, objects } => write!(
                f,
                "{objects} objects of layer {} are crowded in single units of the world: choose a smaller one by `set_world`",
                layer.number()
            ),
        }
    }
}

/// The warnings about a layer. Only crowded chains are looked through.
pub(super) fn warnings<S: Scalar, const D: usize>(
    layer: LayerId,
    trees: &Trees<S, D>,
) -> impl Iterator<Item = Warning> + use<S, D> {
    let (mut outside, mut unresolved) = (0, 0);
    let arena = trees.arena();
    for tree in trees.trees(layer.number) {
        let mut walk = Walk::from_root(tree.root);
        while let Some((first, _)) = walk.next_chain(arena, &Everything) {
            if CROWDED <= arena.rest_of_chain(first) + 1 {
                let (beyond, finer) = parted_by_another_world(first, trees, tree.grid.id());
                outside += beyond;
                unresolved += finer;
            }
        }
    }
    let warnings = [
        (outside, Warning::OutsideWorld { layer, objects: outside }),
        (unresolved, Warning::WorldTooLarge { layer, objects: unresolved }),
    ];
    warnings.into_iter().filter(|(objects, _)| *objects > 0).map(|(_, warning)| warning)
}

/// How many entries of a chain lie outside the world, and how many of the others a finer one would part.
fn parted_by_another_world<S: Scalar, const D: usize>(
    first: BucketId,
    trees: &Trees<S, D>,
    grid: GridId,
) -> (usize, usize) {
    let (arena, world) = (trees.arena(), trees.grid().world());
    let shapes = || {
        arena.chain(Some(first)).flat_map(|bucket| {
            positions(arena.head(bucket).used).map(move |position| arena.bucket(bucket).shape(position))
        })
    };
    let is_inside = |shape: &Rect<S, D>| grid.is_large() || world.contains_point(shape.min());
    let mut inside = shapes().filter(is_inside);
    let units = arena.head(first).block.units();
    let is_finest = !arena.head(first).is_own_list() && units.min == units.max;
    let differ = is_finest && inside.next().is_some_and(|first| inside.any(|shape| shape != first));
    let inside = shapes().filter(is_inside).count();
    let unresolved = if differ { inside } else { 0 };
    if grid.is_large() { (unresolved, 0) } else { (arena.total(first) as usize - inside, unresolved) }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;
    use crate::{Quadtree, SpatialIndex};

    /// The warnings about 2000 objects on a lattice from 0 to 100 on each axis, by the side of the world.
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
        // Larger grids part those outside.
        assert_eq!(warnings_in(&mut index, 1e-3), []);
    }

    /// So far away that not even a larger grid parts them.
    #[test]
    fn a_crowd_far_outside_is_named() {
        let mut index: Quadtree<u16, f64> = SpatialIndex::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
        let points = index.add_point_layer().unwrap();
        for number in 0..2000 {
            index.insert(points, [1e9 + f64::from(number % 50) * 1e-6, 5.0], number).unwrap();
        }
        let outside = Warning::OutsideWorld { layer: points.id(), objects: 2000 };
        assert_eq!(index.stats().warnings, [outside]);
        assert!(outside.to_string().starts_with("2000 objects of layer 0 are crowded outside the world"));
    }

    /// No world parts them.
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
