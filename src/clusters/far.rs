//! Objects so far away that their cells would have no numbers.

use crate::geometry::{Region, Scalar, larger};
use crate::grid::{CellSizeError, Squares};
use crate::query::{Predicate, Question, Scanner, each_bucket_beyond};
use crate::space::Space;
use crate::tree::{positions, with_kind};

/// Refuses cells if an object of a query is in one without numbers.
pub(super) fn check<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
    space: &Space<S, D>,
    (question, scanner): (&Question<P, R, S, D>, &Scanner),
    squares: &Squares<S, D>,
) -> Result<(), CellSizeError> {
    let arena = space.trees.arena();
    let mut farthest = 0.0;
    each_bucket_beyond(
        question,
        *scanner,
        space,
        &squares.numbered(),
        |grid, root| squares.may_leave(grid, root.rules.kind),
        |met| {
            let distances = |hits| {
                with_kind!(arena.bucket(met.bucket), |stored| positions(hits)
                    .fold(0.0, |most, at| larger(most, squares.distance(stored.shape(at).center()))))
            };
            // Hardly ever is any so far, and the region may be slow.
            if squares.check(distances(arena.head(met.bucket).used)).is_err() {
                farthest = larger(farthest, distances(met.hits(question, space, scanner.level)));
            }
        },
    );
    squares.check(farthest)
}
