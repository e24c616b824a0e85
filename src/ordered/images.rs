//! An ordered query in the images of a periodic world.
//!
//! A search goes over the trees at home first. Then it goes over them in each image that may still have a result, the
//! nearest one first, all under one limit. An object counts in the image where its rank is least. Nothing in an image has
//! a lower rank than the hull of all objects has there, so nearly always home is enough. Keeps Q16 of
//! `docs/invariants.md`.

use alloc::vec::Vec;

use super::ranking::Criterion;
use crate::geometry::{Images, PeriodicSpace, Rank, Rect, Scalar};

/// The images of a criterion that is at home.
#[derive(Clone, Copy)]
pub(super) struct Elsewhere<'s, Q, S, const D: usize> {
    criterion: &'s Q,
    torus: &'s PeriodicSpace<S, D>,
    images: Images<D>,
    /// The number of the image at home.
    pub(super) home: usize,
    /// No object has a lower rank in another image.
    pub(super) edge: Rank,
}

impl<'s, Q: Criterion<S, D>, S: Scalar, const D: usize> Elsewhere<'s, Q, S, D> {
    /// The images in which an object may rank up to a limit.
    #[inline]
    pub(super) fn new(criterion: &'s Q, torus: &'s PeriodicSpace<S, D>, limit: Rank) -> Self {
        let images = criterion.images(torus, limit);
        let edge = if images.len() == 1 { Rank::NEVER } else { criterion.edge(torus) };
        Self { criterion, torus, images, home: images.home(), edge }
    }

    /// The criterion in an image.
    pub(super) fn criterion(&self, image: usize) -> Q {
        self.criterion.shifted(self.images.offset(image))
    }

    /// The images but home that may have an object up to a limit, by falling bounds of the ranks there.
    pub(super) fn others(&self, limit: Rank) -> Vec<(Rank, usize)> {
        // A search that is over wants nothing.
        if limit.is_never() || limit < self.edge {
            return Vec::new();
        }
        let bound = |image| Some((self.criterion(image).bound(&self.torus.hull)?, image));
        let others = (0..self.images.len()).filter(|&image| image != self.home).filter_map(bound);
        let mut others: Vec<_> = others.filter(|&(bound, _)| bound <= limit).collect();
        others.sort_unstable_by(|a, b| b.cmp(a));
        others
    }

    /// The first image in which an object has its least rank, which is at most this one. `None` if there is no such image.
    pub(super) fn image_of(&self, rank: Rank, shape: &Rect<S, D>) -> Option<usize> {
        let (mut least, mut first) = (rank, None);
        for image in 0..self.images.len() {
            if let Some(rank) = self.criterion(image).rank(shape)
                && (rank < least || rank == least && first.is_none())
            {
                (least, first) = (rank, Some(image));
            }
        }
        first
    }
}
