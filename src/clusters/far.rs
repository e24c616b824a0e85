//! Objects so far away that their cells would have no numbers.

use crate::geometry::{Region, Scalar, larger};
use crate::grid::{CellSizeError, Squares};
use crate::key::Place;
use crate::query::{Condition, Predicate, Query, each_bucket_beyond};
use crate::tree::{positions, with_kind};

/// Refuses cells if an object of a query is in one without numbers.
pub(super) fn check<T, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize, C: Condition<T, S, D>>(
    query: &Query<'_, T, P, S, D, R, C>,
    squares: &Squares<S, D>,
) -> Result<(), CellSizeError> {
    let (question, scanner, space) = (&query.question, query.scanner, &query.index.space);
    let arena = space.trees.arena();
    let mut farthest = 0.0;
    each_bucket_beyond(question, scanner, space, &squares.numbered(), |met| {
        let distances = |hits| {
            with_kind!(arena.bucket(met.bucket), |stored| positions(hits)
                .fold(0.0, |most, at| larger(most, squares.distance(stored.shape(at).center()))))
        };
        // Hardly ever is any so far, and the region may be slow.
        if squares.check(distances(arena.head(met.bucket).used)).is_err() {
            let hits = met.hits(&question.in_image(met.image), space, scanner.level);
            farthest = larger(farthest, distances(query.kept(Place::new(met.bucket, 0), hits)));
        }
    });
    squares.check(farthest)
}
