//! Inserting, moving and removing objects. The trees report which entries moved, and this part updates their places.
//!
//! Keeps S1 and E1 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::mem;

use super::Space;
use super::error::ObjectError;
use crate::geometry::{Rect, Scalar};
use crate::key::{BUCKETS_MAX, Handle, Kind, LayerId, Place};
use crate::tree::{Entry, Taken};

/// Layers of fewer objects are never built anew for moves: they fit into few buckets.
const BUILT_FROM: usize = 64;

/// The effect of a move.
///
/// ```
/// # use quadrille::{Moved, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// let scout = index.insert(units, [1.0, 2.0], "scout")?;
/// assert_eq!(index.move_to(scout, [1.5, 2.0])?, Moved::InPlace);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moved {
    /// The object stayed in its node, possibly in another block of it.
    InPlace,
    /// The object was stored in another node.
    Elsewhere,
}

impl<S: Scalar, const D: usize> Space<S, D> {
    /// Stores an entry for a handle that has none.
    #[inline(always)]
    pub(crate) fn insert(&mut self, layer: u8, entry: &Entry<S, D>) {
        let place = self.trees.insert(layer, entry);
        self.relink(entry.handle, place);
    }

    /// Changes an object's shape.
    #[inline(always)]
    pub(crate) fn move_to(&mut self, handle: Handle, kind: Kind, shape: Rect<S, D>) -> Result<Moved, ObjectError> {
        let place = self.place_or_error(handle)?;
        shape.check_finite()?;
        let address = self.grid().address_of_move(kind, &shape);
        if self.trees.move_in_place(kind, place, &shape, &address) {
            return Ok(Moved::InPlace);
        }
        self.move_elsewhere(kind, place, Entry::new(kind, shape, handle, address))
    }

    /// Moves a point to a box without extent.
    #[cold]
    #[inline(never)]
    fn move_as_box(&mut self, handle: Handle, called: Kind, shape: Rect<S, D>) -> Result<Moved, ObjectError> {
        if called == Kind::Points || shape.min() != shape.max() {
            return Err(wrong_kind(called));
        }
        self.move_to(handle, Kind::Points, shape)
    }

    /// Moves the entry at a place to another place. The result says whether that is in the same node.
    // Out of line, so that a move in place makes no entry.
    #[inline(never)]
    fn move_elsewhere(&mut self, kind: Kind, place: Place, entry: Entry<S, D>) -> Result<Moved, ObjectError> {
        if self.kind_of(place) != kind {
            return self.move_as_box(entry.handle, kind, entry.shape);
        }
        self.check_room(kind)?;
        let before = self.trees.arena().node_of(place);
        self.left = self.left.wrapping_add(1);
        let place = self.trees.forest.move_within(place, &entry);
        self.relink(entry.handle, place);
        let after = self.place(entry.handle).map(|place| self.trees.arena().node_of(place));
        Ok(if after == Some(before) { Moved::InPlace } else { Moved::Elsewhere })
    }

    /// Whether an object stays in its block with a shape, given to it by a call for this kind.
    pub(crate) fn stays(&self, handle: Handle, kind: Kind, shape: &Rect<S, D>) -> Result<bool, ObjectError> {
        let place = self.place_or_error(handle)?;
        shape.check_finite()?;
        let of = self.kind_of(place);
        if of != kind && (kind == Kind::Points || shape.min() != shape.max()) {
            return Err(wrong_kind(kind));
        }
        Ok(self.trees.may_stay(of, place.bucket(), shape, &self.grid().address_of_move(of, shape)))
    }

    /// A layer is built anew where one object in this many leaves its block.
    pub(crate) fn built_share(&self) -> usize {
        if self.trees.arena().outgrow_cache() { 4 } else { 2 }
    }

    /// How many moves have left their blocks since another count of them.
    pub(crate) fn left_since(&self, before: usize) -> usize {
        self.left.wrapping_sub(before)
    }

    /// Gives objects new shapes by building their layer anew, and takes them off the list, if enough leave their blocks that
    /// moves one by one cost more: measured for jumps of one block and of the whole world. Returns how many left.
    pub(crate) fn build_moved(&mut self, kind: Kind, leaving: usize, moves: &mut Vec<(Rect<S, D>, Handle)>) -> usize {
        let place = |(_, handle): &(_, Handle)| self.place(*handle).expect("only objects are moved");
        let Some(layer) = moves.first().map(|first| self.trees.arena().layer_of(place(first))) else { return 0 };
        let len = self.trees.len(layer);
        if BUILT_FROM <= len && len <= leaving * self.built_share() && self.has_room_for(kind, len)
            // Of an object that comes twice the last move counts.
            && let Some(taken) = self.trees.by_bucket_once(moves.iter().map(place))
            && taken.iter().all(|&(bucket, _)| self.trees.arena().layer_of(Place::new(bucket, 0)) == layer)
        {
            self.trees.build_moved(layer, &taken, mem::take(moves));
            self.relink_in(&self.trees.buckets_of(layer));
            return leaving;
        }
        0
    }

    /// Puts an object into another layer of the same kind.
    pub(crate) fn set_layer(&mut self, handle: Handle, layer: LayerId) -> Result<(), ObjectError> {
        let place = self.place_or_error(handle)?;
        let kind = self.layers.kind(layer)?;
        if self.kind_of(place) != kind {
            return Err(wrong_kind(kind));
        }
        if self.trees.arena().layer_of(place) == layer.number {
            return Ok(());
        }
        self.check_room(kind)?;
        let shape = self.trees.arena().shape(place);
        self.trees.forest.remove(place);
        let address = self.grid().address_of(kind, &shape);
        self.insert(layer.number, &Entry::new(kind, shape, handle, address));
        Ok(())
    }

    /// Removes the entry at a place.
    #[inline]
    pub(crate) fn remove(&mut self, place: Place) {
        self.trees.forest.remove(place);
        self.relink_moved();
    }

    /// Removes the entries at these positions of buckets.
    pub(crate) fn remove_all(&mut self, taken: Taken) {
        self.trees.forest.remove_all(taken);
        self.relink_moved();
    }

    /// Rebuilds a layer's tree from its objects and from new ones, whose handles exist already.
    pub(crate) fn build_with(&mut self, layer: u8, new: Vec<(Rect<S, D>, Handle)>) {
        self.trees.build_with(layer, new);
        self.relink_in(&self.trees.buckets_of(layer));
    }

    /// Whether there is room for one more entry, and for this many others at once.
    pub(crate) fn has_room_for(&self, kind: Kind, objects: usize) -> bool {
        self.trees.arena().has_room_for(kind, objects)
    }

    /// Whether there is room for a layer built anew with new objects. They need a bucket each at most, which nearly always decides.
    pub(crate) fn has_room_with(&self, kind: Kind, layer: u8, new: &[(Rect<S, D>, Handle)]) -> bool {
        self.has_room_for(kind, self.trees.len(layer) + new.len()) || self.trees.has_room_with(layer, new)
    }

    #[inline]
    pub(crate) fn check_room(&self, kind: Kind) -> Result<(), ObjectError> {
        if self.has_room_for(kind, 0) { Ok(()) } else { Err(self.full()) }
    }

    #[cold]
    fn full(&self) -> ObjectError {
        let used = [Kind::Points, Kind::Rects].map(|kind| self.trees.arena().buckets().used(kind));
        ObjectError::Full { buckets: used.iter().sum(), buckets_max: BUCKETS_MAX }
    }

    /// The kind of the shape at a place.
    #[inline]
    pub(crate) fn kind_of(&self, place: Place) -> Kind {
        self.trees.arena().buckets().kind(place.bucket())
    }

    #[inline]
    pub(crate) fn place_or_error(&self, handle: Handle) -> Result<Place, ObjectError> {
        self.place(handle).ok_or(ObjectError::NoSuchObject { handle })
    }

    /// Records the place of an object's entry, then the places of entries that moved. This one may be among them.
    #[inline]
    fn relink(&mut self, handle: Handle, place: Place) {
        self.places.relink([(handle, place)]);
        self.relink_moved();
    }
}

/// The error of a call for one kind about an object of the other.
#[cold]
fn wrong_kind(called: Kind) -> ObjectError {
    let object = if called == Kind::Points { Kind::Rects } else { Kind::Points };
    ObjectError::WrongKind { object, called }
}
