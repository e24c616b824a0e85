//! Many objects at once: inserting a batch and moving a batch.
//!
//! Keeps E1 and L2 of `docs/invariants.md`.

use alloc::vec::Vec;

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind};
use crate::layer::{IntoShape, Layer, LayerKind};
use crate::space::{Moved, ObjectError};

/// The number of moves whose memory is fetched together.
const GROUP: usize = 16;

/// The number of moves after which `move_batch` looks how many left their blocks.
const CHUNK: usize = 256;

/// Of this many further moves, it looks at one.
const SAMPLED: usize = 64;

/// The most elements to reserve ahead, because the size hint of an iterator may be wrong.
const fn reserved_at_most<E>() -> usize {
    const BYTES: usize = 64 << 20;
    if size_of::<E>() == 0 { BYTES } else { BYTES / size_of::<E>() }
}

/// A batch was not inserted or removed. The index is unchanged; values that were not inserted are dropped.
///
/// ```
/// # use quadrille::{ObjectError, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// let batch = [([1.0, 2.0], "scout"), ([1.0, f32::NAN], "ghost")];
/// let error = index.insert_batch(units, batch).unwrap_err();
/// assert_eq!(error.to_string(), "object 1 of the batch: coordinate NaN on axis 1 is not finite");
/// let scout = index.insert(units, [1.0, 2.0], "scout")?;
/// let error = index.remove_batch([scout, scout]).unwrap_err();
/// assert_eq!((error.position, error.reason), (1, ObjectError::Repeated { handle: scout }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("object {position} of the batch: {reason}")]
pub struct BatchError {
    /// The position in the batch of the object that was refused, counted from 0.
    pub position: usize,
    /// The reason.
    pub reason: ObjectError,
}

/// The outcome of many moves, as [`SpatialIndex::update`] and [`SpatialIndex::move_batch`] return it.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let moved = index.move_batch([(handles[0], [1.0, 50.0]), (handles[1], [f32::INFINITY, 0.0])]);
/// for (handle, reason) in &moved.refused {
///     println!("{handle:?} stays where it is: {reason}");
/// }
/// assert_eq!((moved.in_place + moved.elsewhere, moved.refused.len()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchMoved {
    /// The number of objects that stayed in their nodes; of those for which a layer was built anew, in their blocks.
    pub in_place: usize,
    /// The number of the other objects that moved.
    pub elsewhere: usize,
    /// The objects that were not moved, with the reasons.
    pub refused: Vec<(Handle, ObjectError)>,
}

impl BatchMoved {
    /// The number of moves.
    fn all(&self) -> usize {
        self.in_place + self.elsewhere + self.refused.len()
    }

    #[inline]
    fn count(&mut self, handle: Handle, outcome: Result<Moved, ObjectError>) {
        match outcome {
            Ok(Moved::InPlace) => self.in_place += 1,
            Ok(Moved::Elsewhere) => self.elsewhere += 1,
            Err(error) => self.refused.push((handle, error)),
        }
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Adds many objects to a layer, all or none. Returns their handles in the order of the batch.
    ///
    /// If the layer holds no more objects than the batch, its tree is rebuilt top-down. That is faster than inserting
    /// one object after the other, and fills buckets better (see [`optimize`](Self::optimize)).
    ///
    /// In an index that has never held an object, the handles have the [slots](Handle::slot) 1 to `n`, in order. Call
    /// [`sort_by_place`](Self::sort_by_place) first to have them in the order of space.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let refused = index.insert_batch(units, [([1.0, 2.0], "scout"), ([f32::NAN, 0.0], "ghost")]);
    /// assert_eq!(refused.unwrap_err().position, 1);
    /// assert!(index.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// An index implements neither `Extend` nor `FromIterator`. They name no layer and no world, and could only panic
    /// if an object is refused.
    ///
    /// # Errors
    /// [`BatchError`] names the first object that [`insert`](Self::insert) would refuse, and the reason. The
    /// index is then unchanged.
    pub fn insert_batch<K: LayerKind, P: IntoShape<K, S, D>>(
        &mut self,
        layer: Layer<K>,
        objects: impl IntoIterator<Item = (P, T)>,
    ) -> Result<Vec<Handle>, BatchError> {
        let at = |position: usize| move |reason: ObjectError| BatchError { position, reason };
        let number = self.space.layers.number(layer).map_err(|error| at(0)(error.into()))?;
        let objects = objects.into_iter();
        let hint = objects.size_hint().0;
        let mut new = Vec::with_capacity(hint.min(reserved_at_most::<(Rect<S, D>, Handle)>()));
        let mut values = Vec::with_capacity(1 + hint.min(reserved_at_most::<Option<T>>()));
        values.push(None);
        for (position, (shape, value)) in objects.enumerate() {
            let shape = shape.into_shape();
            shape.check_finite().map_err(|error| at(position)(error.into()))?;
            new.push((shape, Handle::default()));
            values.push(Some(value));
        }
        let len = self.len_in(layer);
        if len <= new.len() && self.space.has_room_with(K::KIND, number, &new) {
            return Ok(self.build_with(number, new, values));
        }
        let mut handles = Vec::with_capacity(new.len());
        let objects = new.into_iter().zip(values.into_iter().flatten());
        for (position, ((shape, _), value)) in objects.enumerate() {
            match self.insert_shape(K::KIND, number, shape, value) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    for handle in handles {
                        self.remove(handle);
                    }
                    return Err(at(position)(error));
                }
            }
        }
        Ok(handles)
    }

    /// Sorts items by the places of their shapes: into the order in which queries visit them once they are inserted. Equal
    /// places keep their order. Any layer of this world will do.
    ///
    /// Objects that are inserted in this order have their [slots](Handle::slot), and so their values, beside their
    /// neighbours in space. With many objects all that reads values, or moves by handle, then takes down to a third of the
    /// time, also long after they have begun to move. Sorting takes less time than it saves in `insert_batch`.
    ///
    /// `shape_of` is called once for each item. If it panics, the items keep their order. Items without finite coordinates,
    /// which [`insert_batch`](Self::insert_batch) refuses, come last.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let mut ships = [([10.0, 10.0], "gig"), ([90.0, 90.0], "brig"), ([11.0, 10.0], "dory")];
    /// index.sort_by_place(&mut ships, |ship| ship.0);
    /// assert_eq!(ships.map(|ship| ship.1), ["brig", "dory", "gig"]); // neighbours in space, side by side
    /// index.insert_batch(units, ships)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sort_by_place<K: LayerKind, P: IntoShape<K, S, D>, I>(
        &self,
        items: &mut [I],
        mut shape_of: impl FnMut(&I) -> P,
    ) {
        // The numbers of items have 32 bits. No index holds more.
        let sortable = items.len().min(u32::MAX as usize);
        let items = &mut items[..sortable];
        let turn = |(number, item)| self.space.grid().turn(&shape_of(item).into_shape()) << 32 | number;
        let mut turns: Vec<u128> = (0_u128..).zip(items.iter()).map(turn).collect();
        turns.sort_unstable();
        let mut from: Vec<u32> = turns.into_iter().map(|turn| turn as u32).collect();
        for to in 0..items.len() {
            // An item whose place was taken was moved on to the place of the one that took it.
            let mut at = from[to] as usize;
            while at < to {
                at = from[at] as usize;
            }
            from[to] = at as u32;
            items.swap(to, at);
        }
    }

    /// Makes the handles of new objects, and rebuilds a layer's tree from these and its old objects. A `None` precedes the
    /// values.
    fn build_with(&mut self, layer: u8, mut new: Vec<(Rect<S, D>, Handle)>, values: Vec<Option<T>>) -> Vec<Handle> {
        let handles = self.space.places.insert_many(new.len());
        self.values.insert_many(&handles, values);
        for ((_, of_entry), &handle) in new.iter_mut().zip(&handles) {
            *of_entry = handle;
        }
        self.space.build_with(layer, new);
        handles
    }

    /// Gives many objects new shapes, in the order given, as repeated calls of [`move_to`](Self::move_to) would. Moves
    /// every object that can be moved; [`BatchMoved::refused`] names the others.
    ///
    /// Use it if positions live outside the index. It is faster than `move_to` if the index is larger than the
    /// processor's cache, because memory is fetched for many moves at the same time. Give the moves in the order
    /// of handles if you can. If the iterator panics, the last moves that it gave may not have been made.
    ///
    /// Once many objects leave their blocks, it takes the rest of the batch together. If that is about one layer,
    /// names no object twice, and makes half of the layer (a quarter if the index outgrows 8 MB) leave, it builds the
    /// layer anew. So jumps of everything take about as long as [`insert_batch`](Self::insert_batch).
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], ())?;
    /// let moved = index.move_batch([(scout, [3.0, 4.0]), (scout, [f32::NAN, 0.0])]);
    /// assert_eq!((moved.in_place, moved.refused.len()), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "it lists the objects that were not moved"]
    pub fn move_batch<K: LayerKind, P: IntoShape<K, S, D>>(
        &mut self,
        moves: impl IntoIterator<Item = (Handle, P)>,
    ) -> BatchMoved {
        let mut outcome = BatchMoved::default();
        let mut moves = moves.into_iter().map(|(handle, shape)| (shape.into_shape(), handle));
        loop {
            let (before, left) = (outcome.all(), self.space.left_since(0));
            let some = moves.by_ref().take(CHUNK);
            if self.space.trees.arena().outgrow_cache() {
                self.move_each(K::KIND, &some.collect::<Vec<_>>(), false, &mut outcome);
            } else {
                for (shape, handle) in some {
                    outcome.count(handle, self.space.move_to(handle, K::KIND, shape));
                }
            }
            if outcome.all() == before {
                return outcome;
            }
            if CHUNK / self.space.built_share() < self.space.left_since(left) {
                let rest = moves.by_ref().take(self.len()).collect();
                self.move_far(K::KIND, rest, &mut outcome);
            }
        }
    }

    /// Moves many objects of which most are likely to leave their blocks.
    fn move_far(&mut self, kind: Kind, mut moves: Vec<(Rect<S, D>, Handle)>, outcome: &mut BatchMoved) {
        // Nearly always a few of them tell that too few do.
        let sample = moves.iter().step_by(SAMPLED);
        let leaves = |(shape, handle): &&(_, Handle)| self.space.stays(*handle, kind, shape) == Ok(false);
        if 10 * self.space.built_share() * sample.clone().filter(leaves).count() < 9 * sample.len() {
            return self.move_each(kind, &moves, true, outcome);
        }
        let mut kept = 0;
        moves.retain(|(shape, handle)| {
            let stays = self.space.stays(*handle, kind, shape);
            let stays = stays.inspect_err(|&error| outcome.refused.push((*handle, error)));
            kept += usize::from(stays == Ok(true));
            stays.is_ok()
        });
        outcome.elsewhere += self.space.build_moved(kind, moves.len() - kept, &mut moves);
        if moves.is_empty() {
            outcome.in_place += kept;
        }
        self.move_each(kind, &moves, true, outcome);
    }

    /// Moves one object after the other. If the trees outgrow the cache, it first fetches the memory of a group of moves, step
    /// by step for all of them, since each step tells where the next one is. Only those that leave their blocks need the last.
    pub(super) fn move_each(
        &mut self,
        kind: Kind,
        moves: &[(Rect<S, D>, Handle)],
        are_leaving: bool,
        outcome: &mut BatchMoved,
    ) {
        for (nth, group) in moves.chunks(GROUP).enumerate() {
            if self.space.trees.arena().outgrow_cache() {
                let next = moves.iter().skip((nth + 1) * GROUP).take(GROUP);
                next.for_each(|(_, handle)| self.space.places.prefetch(*handle));
                let places = || group.iter().filter_map(|(shape, handle)| Some((shape, self.space.place(*handle)?)));
                places().for_each(|(_, place)| self.space.trees.arena().prefetch_entry(place));
                for (shape, place) in places().filter(|(shape, _)| are_leaving && shape.check_finite().is_ok()) {
                    self.space.trees.forest.prefetch_move(kind, place, shape);
                }
            }
            for &(shape, handle) in group {
                outcome.count(handle, self.space.move_to(handle, kind, shape));
            }
        }
    }
}

#[cfg(test)]
mod tests;
