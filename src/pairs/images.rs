//! Pairs in a periodic world. Once a source has met its partners where it is, it looks for them in each image: a copy of
//! its entries, moved by whole periods, is compared as any other source is.
//!
//! Two objects may be close in several images, and in each of them one or the other may be the one that is moved. A pair
//! comes at the first of these. One test decides in any case: a pair found in the earlier of two opposite images is tested
//! in the later one, with the other object moved. Keeps Q15 of `docs/invariants.md`.

use super::sides::{Group, Sides};
use super::sources::Source;
use crate::geometry::{Images, PeriodicSpace, Proximity, Rect, Scalar};
use crate::key::Handle;
use crate::tree::{BucketRef, RectBucket, positions};

/// The images of a source.
#[derive(Clone)]
pub(super) struct SourceImages<S, const D: usize> {
    world: PeriodicSpace<S, D>,
    proximity: Proximity<S>,
    /// More than the proximity by more than all rounding when an object is moved.
    loose: Proximity<S>,
    images: Images<D>,
    /// The next image of the source, and the one in which it is.
    next: usize,
    current: usize,
    /// The source where it is, and its window there.
    source: Source,
    window: Rect<S, D>,
    /// The entries of the source in the image.
    moved: RectBucket<S, D>,
}

/// An object of a pair: the side that it is of, its handle and its shape.
type End<S, const D: usize> = (usize, Handle, Rect<S, D>);

impl<S: Scalar, const D: usize> SourceImages<S, D> {
    /// The images in which an object may be within a distance of another. As for the nearest object, the neighbours are
    /// enough.
    pub(super) fn new(world: PeriodicSpace<S, D>, distance: S) -> Option<Self> {
        let proximity = Proximity::within(distance)?;
        let [first, last] = [world.hull.min(), world.hull.max()].map(Rect::from_point);
        // Objects that are all close where they are need no images.
        if proximity.holds(&first, &last) {
            return None;
        }
        let length = (0..D).filter(|&axis| world.periods[axis] != 0.0).fold(0.0, |sum, axis| {
            let [first, last] = [&first, &last].map(|corner| corner.min()[axis].to_f64());
            sum + first.abs() + last.abs() + world.periods[axis]
        });
        let slack = (length + distance.to_f64()) * (16.0 * S::EPSILON.to_f64());
        let loose = Proximity::within(S::from_f64(distance.to_f64() + slack).next_up())?;
        let images = Images::neighbours(world.periods);
        let (source, window, moved) = (Source::NONE, Rect::nowhere(), RectBucket::vacant());
        Some(Self { world, proximity, loose, images, next: 0, current: 0, source, window, moved })
    }

    /// Begins with a source, where it is.
    pub(super) fn begin(&mut self, source: Source, window: Rect<S, D>) {
        (self.next, self.source, self.window) = (0, source, window);
    }

    /// Goes on to the next image that comes near the objects. Returns the entries of the source that do.
    pub(super) fn turn(&mut self, sides: &Sides<'_, '_, S, D>) -> Option<u64> {
        while self.next < self.images.len() {
            let (number, by) = (self.next, self.images.offset(self.next));
            self.next += 1;
            let comes_near = |shape: &Rect<S, D>| self.loose.stretched(&shape.shifted(by)).intersects(&self.world.hull);
            if number == self.images.home() || !comes_near(&self.window) {
                continue;
            }
            let (bucket, _) = sides.entries(self.source.group);
            let mut entries = 0;
            for position in positions(self.source.entries) {
                let shape = bucket.shape(position);
                if comes_near(&shape) {
                    self.moved.set(position, &shape.shifted(by), Handle::default());
                    entries |= 1 << position;
                }
            }
            if entries != 0 {
                self.current = number;
                return Some(entries);
            }
        }
        None
    }

    /// The proximity to compare by.
    pub(super) fn proximity(&self) -> &Proximity<S> {
        if self.are_earlier() { &self.loose } else { &self.proximity }
    }

    /// Whether the source is in the earlier one of two opposite images.
    pub(super) fn are_earlier(&self) -> bool {
        self.current < self.images.home()
    }

    /// Whether an entry of the source and one of another group are a pair that comes here.
    pub(super) fn is_pair(&self, sides: &Sides<'_, '_, S, D>, position: u8, target: Group, other: u8) -> bool {
        let end = |group: Group, position: u8| {
            let entries = sides.entries(group).0;
            (group.side, entries.handles()[usize::from(position)], entries.shape(position))
        };
        let (of_source, of_target) = (end(self.source.group, position), end(target, other));
        if self.are_earlier() {
            let opposite = self.images.len() - 1 - self.current;
            self.are_close(opposite, &of_target, &of_source) && self.is_first(opposite, &of_target, &of_source)
        } else {
            self.is_first(self.current, &of_source, &of_target)
        }
    }

    /// Whether two objects, one of them moved, are not the same and are not close before.
    fn is_first(&self, number: usize, moved: &End<S, D>, other: &End<S, D>) -> bool {
        let home = self.images.home();
        let is_before = |at: usize, one: &End<S, D>, other: &End<S, D>| {
            (at, one.0, one.1) < (number, moved.0, moved.1) && self.are_close(at, one, other)
        };
        (moved.0, moved.1) != (other.0, other.1)
            && !self.are_close(home, moved, other)
            && !(home + 1..=number).any(|at| is_before(at, moved, other) || is_before(at, other, moved))
    }

    fn are_close(&self, number: usize, moved: &End<S, D>, other: &End<S, D>) -> bool {
        self.proximity.holds(&moved.2.shifted(self.images.offset(number)), &other.2)
    }
}

/// Where the entries of the source are stored: in an image, those that are moved.
#[inline]
pub(super) fn source_entries<'s, S: Scalar, const D: usize>(
    sides: &'s Sides<'_, '_, S, D>,
    source: Group,
    images: Option<&'s SourceImages<S, D>>,
) -> BucketRef<'s, S, D> {
    images.map_or_else(|| sides.entries(source).0, |images| BucketRef::Rects(&images.moved))
}
