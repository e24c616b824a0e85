//! An ordered query in all images of its target, by one order. Knows neither distances nor times.
//!
//! The query at home is asked alone at first. Nothing in another image has a lower rank than the hull of all objects has
//! there, so an image waits until the query comes to that rank. Nearly always none is needed. The queries that are open are
//! merged, and an object is yielded where its rank is least. Keeps Q16 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::iter;

use super::images::Images;
use crate::geometry::{Rank, Rect, Scalar};
use crate::ordered::{Elsewhere, Found, NO_FLOOR, Position};

/// The query in one image, and the next object that it has found.
#[derive(Clone)]
struct Stream<Q> {
    query: Q,
    image: usize,
    head: Option<Found>,
    is_over: bool,
}

impl<Q> Stream<Q> {
    fn new(query: Q, image: usize) -> Self {
        Self { query, image, head: None, is_over: false }
    }

    /// The next object, which stays the next one.
    #[inline]
    fn peek<S, const D: usize>(&mut self) -> Option<Found>
    where
        Q: Elsewhere<S, D>,
    {
        if self.head.is_none() && !self.is_over {
            self.head = self.query.find();
            self.is_over = self.head.is_none();
        }
        self.head
    }

    /// The query from a position on, with another filter.
    fn again<S, const D: usize>(mut self, floor: Position, filter: impl Fn(Q) -> Q) -> Self
    where
        Q: Elsewhere<S, D>,
    {
        self.query.rewind(floor);
        Self::new(filter(self.query), self.image)
    }
}

/// The images that have not been asked yet.
#[derive(Clone)]
enum Waiting {
    /// All but the one at home. Their bounds are not known.
    All,
    /// All but the one at home, and their least bound.
    AllFrom(Rank),
    /// These, by falling bounds.
    Some(Vec<(Rank, usize)>),
}

/// The position of an ordered query in all images.
#[derive(Clone)]
pub(super) struct Merge<Q, S, const D: usize> {
    images: Images<D>,
    hull: Rect<S, D>,
    home: Stream<Q>,
    others: Vec<Stream<Q>>,
    waiting: Waiting,
    /// Objects up to here have been yielded, or must not be.
    floor: Position,
}

impl<Q: Elsewhere<S, D>, S: Scalar, const D: usize> Merge<Q, S, D> {
    /// The query must not have been iterated.
    #[inline]
    pub(super) fn new(images: Images<D>, hull: Rect<S, D>, query: Q) -> Self {
        let waiting = if images.len() == 1 { Waiting::Some(Vec::new()) } else { Waiting::All };
        let (home, floor) = (images.home(), query.floor());
        let by = images.offset(home);
        let query = if by.iter().all(|&by| by == 0.0) { query } else { query.shifted(by, floor) };
        Self { images, hull, home: Stream::new(query, home), others: Vec::new(), waiting, floor }
    }

    pub(super) fn query(&self) -> &Q {
        &self.home.query
    }

    /// Sets a filter. What has been found but not yielded is sought again.
    pub(super) fn with(mut self, filter: impl Fn(Q) -> Q) -> Self {
        let floor = self.floor;
        self.home = self.home.again(floor, &filter);
        self.others = self.others.into_iter().map(|stream| stream.again(floor, &filter)).collect();
        self.floor = self.home.query.floor();
        self
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Q::Item> {
        if self.others.is_empty()
            && let Some(item) = self.next_at_home()
        {
            return Some(item);
        }
        self.next_of_all()
    }

    /// The next object, if it is found at home before any other image is to be opened.
    #[inline]
    fn next_at_home(&mut self) -> Option<Q::Item> {
        let found = self.home.peek()?;
        if self.edge().is_some_and(|edge| edge <= found.rank) {
            return None;
        }
        self.home.head = None;
        self.floor = found.position();
        Some(self.home.query.to_item(found))
    }

    #[inline(never)]
    fn next_of_all(&mut self) -> Option<Q::Item> {
        loop {
            let (first, edge) = (self.first(), self.edge());
            match first {
                Some((image, found)) if edge.is_none_or(|edge| found.rank < edge) => {
                    if let Some(item) = self.take(image, found) {
                        return Some(item);
                    }
                }
                None if edge.is_none() => return None,
                _ => self.open(),
            }
        }
    }

    /// The first object in the images that are open, and its image.
    fn first(&mut self) -> Option<(usize, Found)> {
        let heads = iter::once(&mut self.home).chain(&mut self.others).filter_map(|stream| {
            let found = stream.peek()?;
            Some((stream.image, found))
        });
        heads.min_by(|(_, a), (_, b)| a.compare(b))
    }

    /// Takes the first object from its stream; `None` if it has a lesser rank in another image, or if it comes too late: from
    /// an image that opened after farther ones had been yielded, as only those outside the world do.
    fn take(&mut self, image: usize, found: Found) -> Option<Q::Item> {
        let mut streams = iter::once(&mut self.home).chain(&mut self.others);
        let stream = streams.find(|stream| stream.image == image)?;
        stream.head = None;
        if found.position() <= self.floor {
            return None;
        }
        let (item, shape) = (stream.query.to_item(found), stream.query.shape(&found));
        // Below the edge, nothing else is nearer in an image that waits.
        if self.others.is_empty() || self.is_least(image, found.rank, &shape) {
            self.floor = found.position();
            return Some(item);
        }
        None
    }

    /// Whether an object has no lesser rank in any other image, and an equal one in none before.
    fn is_least(&self, image: usize, rank: Rank, shape: &Rect<S, D>) -> bool {
        self.images.each().all(|(number, by)| {
            number == image || self.query().rank_shifted(by, shape).is_none_or(|other| (rank, image) < (other, number))
        })
    }

    /// The images other than that at home which may have objects, each with a lower bound of their ranks.
    fn bounds(&self) -> impl Iterator<Item = (Rank, usize)> {
        let (home, limit) = (self.home.image, self.query().limit());
        let others = self.images.each().filter(move |&(number, _)| number != home);
        let bounds = others.filter_map(|(number, by)| Some((self.query().rank_shifted(by, &self.hull)?, number)));
        bounds.filter(move |&(bound, _)| bound <= limit)
    }

    /// The least bound of all images other than that at home.
    fn least_bound(&self) -> Option<Rank> {
        let rank = |by| self.query().rank_shifted(by, &self.hull);
        // Then an image away on several axes is no nearer than one on a single axis.
        if self.query().grows_by_axis() && rank([0.0; D]) == Some(Rank::ZERO) {
            return self.images.beside().filter_map(rank).min().filter(|&bound| bound <= self.query().limit());
        }
        self.bounds().map(|(bound, _)| bound).min()
    }

    /// The least bound of the images that wait.
    #[inline]
    fn edge(&mut self) -> Option<Rank> {
        if let Waiting::All = self.waiting {
            self.waiting = self.least_bound().map_or(Waiting::Some(Vec::new()), Waiting::AllFrom);
        }
        match &self.waiting {
            Waiting::All => None,
            Waiting::AllFrom(edge) => Some(*edge),
            Waiting::Some(images) => images.last().map(|&(bound, _)| bound),
        }
    }

    /// Begins to ask in the image with the least bound.
    fn open(&mut self) {
        if !matches!(self.waiting, Waiting::Some(_)) {
            let mut images: Vec<_> = self.bounds().collect();
            images.sort_unstable_by(|a, b| b.cmp(a));
            self.waiting = Waiting::Some(images);
        }
        let Waiting::Some(images) = &mut self.waiting else { return };
        let Some((bound, image)) = images.pop() else { return };
        // Nothing there comes before its bound.
        let floor = if self.floor.0 < bound { NO_FLOOR } else { self.floor };
        let query = self.home.query.shifted(self.images.away(image), floor);
        self.others.push(Stream::new(query, image));
    }
}
