//! The rest of a query, chain by chain: for those that do not take it hit by hit.

use super::question::Question;
use super::relation::Predicate;
use super::scanner::Scanner;
use crate::geometry::{Level, Rect, Region, Scalar, with_vectors};
use crate::grid::Grid;
use crate::key::{BucketId, NodeId, Place};
use crate::space::Space;
use crate::tree::{Node, StickingOut, Visit};

/// A bucket that a query meets, or a chain of them from there on.
#[derive(Clone, Copy)]
pub(crate) struct Met {
    pub(crate) bucket: BucketId,
    /// Whether it is the first of its chain.
    pub(crate) is_first: bool,
    /// Whether all its entries match without a test.
    pub(crate) covered: bool,
    /// In which image.
    pub(crate) image: u16,
}

impl Met {
    /// The entries of the bucket that match.
    pub(crate) fn hits<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
        level: Level,
    ) -> u64 {
        let (arena, asked) = (space.trees.arena(), question.in_image(self.image));
        let hits = with_vectors!(level, |simd| asked.matches(arena, self.bucket, self.covered, simd));
        hits & !question.excluded.bits_in(Place::new(self.bucket, 0))
    }
}

/// Goes through all chains that are left, including the rest of the current one. Enters a child whose objects all match only
/// if `enters` returns `true`.
pub(crate) fn each_chain<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
    question: &Question<P, R, S, D>,
    mut scanner: Scanner,
    space: &Space<S, D>,
    mut enters: impl FnMut(&Grid<S, D>, NodeId) -> bool,
    mut each: impl FnMut(&Grid<S, D>, Met),
) {
    let arena = space.trees.arena();
    loop {
        let grid = space.trees.tree_grid(scanner.tree);
        let (probe, image) = (question.over(scanner.image, grid), scanner.image);
        if let Some(bucket) = scanner.chain.take() {
            each(grid, Met { bucket, is_first: false, covered: scanner.covered, image });
        }
        scanner.walk.go(
            arena,
            &probe,
            |child| enters(grid, child),
            |_, visit| {
                if let Visit::Chain { first, covered } = visit {
                    each(grid, Met { bucket: first, is_first: true, covered, image });
                }
                true
            },
        );
        let Some(walk) = scanner.begin_next(question, space) else { return };
        scanner.walk = walk;
    }
}

/// Goes through all buckets that a query meets in the layers that are left, those that it has passed too, except those whose
/// objects surely lie inside a box; only in trees for which `is_asked` says so of the root.
pub(crate) fn each_bucket_beyond<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
    question: &Question<P, R, S, D>,
    mut scanner: Scanner,
    space: &Space<S, D>,
    inside: &Rect<S, D>,
    is_asked: impl Fn(&Grid<S, D>, &Node<D>) -> bool,
    mut each: impl FnMut(Met),
) {
    let arena = space.trees.arena();
    scanner.begin_again();
    while let Some(mut walk) = scanner.begin_next(question, space) {
        let (grid, image) = (space.trees.tree_grid(scanner.tree), scanner.image);
        if !space.trees.root(scanner.tree).is_some_and(|root| is_asked(grid, arena.node(root))) {
            continue;
        }
        let probe = StickingOut { of: &question.over(image, grid), inside: grid.range(inside) };
        while let Some((first, _)) = walk.next_chain(arena, &probe) {
            arena.chain(Some(first)).for_each(|bucket| each(Met { bucket, is_first: false, covered: false, image }));
        }
    }
}
