//! An ordered query in all images of its target, by one order. Knows neither distances nor times.
//!
//! The query at home is asked alone at first. Its answers are those of the index, up to the least rank that an object may
//! have in another image: the edge. Nearly always the query ends before. From there on the queries in all images are merged,
//! and an object is yielded where its rank is least. Nothing in an image has a lower rank than the hull of all objects has
//! there, so an image waits until the query comes to that rank. Keeps Q16 of `docs/invariants.md`.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::images::Images;
use crate::geometry::{Rank, Rect, Scalar};
use crate::ordered::{Elsewhere, Found, NO_FLOOR, Position};

/// The position of an ordered query in all images.
#[derive(Clone)]
pub(super) struct Merge<Q, S, const D: usize> {
    home: Q,
    /// No object has a lower rank in another image. There is no other image if it is `NEVER`.
    edge: Rank,
    there: There<S, D>,
    /// All images, once the query has come to the edge.
    merged: Option<Box<Merged<Q, S, D>>>,
}

impl<Q: Elsewhere<S, D> + Clone, S: Scalar, const D: usize> Merge<Q, S, D> {
    /// The query is that at home, and must not have been iterated. The edge is as in the field.
    #[inline(always)]
    pub(super) fn new(images: Images<D>, hull: Rect<S, D>, home: Q, edge: Rank) -> Self {
        Self { home, edge, there: There { images, hull }, merged: None }
    }

    /// Finds the edge by looking at all images.
    pub(super) fn with_edge(self) -> Self {
        let edge = self.there.bounds(&self.home).map(|(bound, _)| bound).min();
        Self { edge: edge.unwrap_or(Rank::NEVER), ..self }
    }

    pub(super) fn query(&self) -> &Q {
        &self.home
    }

    /// Sets a filter. Objects that have been found but not yielded are sought again.
    pub(super) fn with(mut self, filter: impl FnOnce(Q) -> Q) -> Self {
        if let Some(merged) = self.merged.take() {
            self.home.rewind(merged.floor);
        }
        self.home = filter(self.home);
        self
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Q::Item> {
        if self.merged.is_some() {
            return self.next_merged();
        }
        let floor = self.home.floor();
        match self.home.find() {
            Some(found) if found.rank < self.edge => Some(self.home.to_item(found)),
            found => self.next_beyond(floor, found),
        }
    }

    /// The next object, beyond the edge; `found` is the next one at home.
    #[cold]
    fn next_beyond(&mut self, floor: Position, found: Option<Found>) -> Option<Q::Item> {
        if self.edge.is_never() {
            return None;
        }
        self.merged = Some(Box::new(Merged::new(self.there, self.home.clone(), floor, found)));
        self.next_merged()
    }

    #[inline(never)]
    fn next_merged(&mut self) -> Option<Q::Item> {
        self.merged.as_mut()?.next()
    }
}

/// The images, and a box around all objects.
#[derive(Clone, Copy)]
struct There<S, const D: usize> {
    images: Images<D>,
    hull: Rect<S, D>,
}

impl<S: Scalar, const D: usize> There<S, D> {
    /// The images other than that at home which may have objects, each with a lower bound of their ranks.
    fn bounds<Q: Elsewhere<S, D>>(&self, query: &Q) -> impl Iterator<Item = (Rank, usize)> {
        let (home, limit) = (self.images.home(), query.limit());
        let others = self.images.each().filter(move |&(number, _)| number != home);
        let bounds = others.filter_map(|(number, by)| Some((query.rank_shifted(by, &self.hull)?, number)));
        bounds.filter(move |&(bound, _)| bound <= limit)
    }
}

/// The query in one image, and the next object that it has found.
#[derive(Clone)]
struct Stream<Q> {
    query: Q,
    image: usize,
    head: Option<Found>,
    is_over: bool,
}

/// The position in all images, of which some wait.
#[derive(Clone)]
struct Merged<Q, S, const D: usize> {
    there: There<S, D>,
    /// The images that are open, that at home first.
    streams: Vec<Stream<Q>>,
    /// The images that have not been asked yet, by falling bounds.
    waiting: Vec<(Rank, usize)>,
    /// Objects up to here have been yielded, or must not be.
    floor: Position,
}

impl<Q: Elsewhere<S, D>, S: Scalar, const D: usize> Merged<Q, S, D> {
    /// The query at home has found its next object.
    fn new(there: There<S, D>, query: Q, floor: Position, head: Option<Found>) -> Self {
        let mut waiting: Vec<_> = there.bounds(&query).collect();
        waiting.sort_unstable_by(|a, b| b.cmp(a));
        let home = Stream { query, image: there.images.home(), head, is_over: head.is_none() };
        Self { there, streams: Vec::from([home]), waiting, floor }
    }

    fn next(&mut self) -> Option<Q::Item> {
        loop {
            let edge = self.waiting.last().map(|&(bound, _)| bound);
            match self.first() {
                Some((stream, found)) if edge.is_none_or(|edge| found.rank < edge) => {
                    if let Some(item) = self.take(stream, found) {
                        return Some(item);
                    }
                }
                None if edge.is_none() => return None,
                _ => self.open(),
            }
        }
    }

    /// The first object in the images that are open, and the number of its stream.
    fn first(&mut self) -> Option<(usize, Found)> {
        for stream in self.streams.iter_mut().filter(|stream| stream.head.is_none() && !stream.is_over) {
            stream.head = stream.query.find();
            stream.is_over = stream.head.is_none();
        }
        let heads = self.streams.iter().enumerate().filter_map(|(number, stream)| Some((number, stream.head?)));
        heads.min_by(|(_, a), (_, b)| a.compare(b))
    }

    /// Takes the first object from its stream; `None` if it has a lesser rank in another image, or if it comes too late: from
    /// an image that opened after farther ones had been yielded, as only those outside the world do.
    fn take(&mut self, stream: usize, found: Found) -> Option<Q::Item> {
        let Stream { query, image, head, .. } = self.streams.get_mut(stream)?;
        *head = None;
        if found.position() <= self.floor {
            return None;
        }
        let (item, shape, image) = (query.to_item(found), query.shape(&found), *image);
        self.is_least(image, found.rank, &shape).then(|| {
            self.floor = found.position();
            item
        })
    }

    /// Whether an object has no lesser rank in any other image, and an equal one in none before.
    fn is_least(&self, image: usize, rank: Rank, shape: &Rect<S, D>) -> bool {
        let Some(Stream { query, .. }) = self.streams.first() else { return false };
        self.there.images.each().all(|(number, by)| {
            number == image || query.rank_shifted(by, shape).is_none_or(|other| (rank, image) < (other, number))
        })
    }

    /// Begins to ask in the image with the least bound.
    fn open(&mut self) {
        let (Some((bound, image)), Some(home)) = (self.waiting.pop(), self.streams.first()) else { return };
        // Nothing there comes before its bound.
        let floor = if self.floor.0 < bound { NO_FLOOR } else { self.floor };
        let query = home.query.shifted(self.there.images.away(image), floor);
        self.streams.push(Stream { query, image, head: None, is_over: false });
    }
}
