//! New shapes for all objects of a layer, on one thread or several.
//!
//! Keeps E1 and L2 of `docs/invariants.md`.

#[cfg(feature = "rayon")]
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

use super::{BatchMoved, SpatialIndex};
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind};
use crate::layer::{IntoShape, Layer, LayerError, LayerKind};
use crate::prefetch::outgrows_cache;
use crate::store::ValueTable;
#[cfg(feature = "rayon")]
use crate::threads::{PARTS, each_part};
use crate::tree::Leaving;

/// Access to an object's value. The value is looked up only when it is dereferenced.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let moved = index.update(units, |_, mut value, at| {
///     *value += 1; // looked up here
///     at.min()
/// })?;
/// assert_eq!(index.get(handles[0]), Some(&1));
/// # assert!(moved.refused.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ValueMut<'a, T> {
    values: &'a mut ValueTable<T>,
    handle: Handle,
}

impl<T> Deref for ValueMut<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.values.of_entry(self.handle)
    }
}

impl<T> DerefMut for ValueMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.values.get_mut(self.handle).expect("every entry has a value")
    }
}

impl<T: fmt::Debug> fmt::Debug for ValueMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Gives every object of a layer the new shape that `shape_of` returns for it.
    ///
    /// `update` visits a layer in the order of memory, and takes time in proportion to the layer. If the layer has
    /// fewer objects than there are buckets of its kind, the order is that of queries. Use `update` if the new shape follows from
    /// the old one and the value. If positions live outside the index, such as in an ECS or an array, use
    /// [`move_to`](Self::move_to) or [`move_batch`](Self::move_batch).
    ///
    /// `shape_of` is called once for each object, with the handle, the value and the shape. The value is looked up only
    /// if it is used. The shape of a point is a box without extent. Objects that leave their blocks are stored again
    /// after all calls: one by one, or if they are half of the layer (a quarter if the index outgrows 8 MB), by
    /// building the layer anew as [`insert_batch`](Self::insert_batch) does. If `shape_of` panics, each object that it was
    /// called for may or may not have moved.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], 0.5)?; // its speed
    /// let moved = index.update(units, |_, speed, at| [at.min()[0] + *speed, at.min()[1]])?;
    /// assert!(moved.refused.is_empty());
    /// assert_eq!(index.shape(scout), Some(Rect::from_point([1.5, 2.0])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LayerError`] if the layer is not one of this index. Objects whose new shapes are not finite stay as they are;
    /// [`BatchMoved::refused`] names them.
    pub fn update<K: LayerKind, P: IntoShape<K, S, D>>(
        &mut self,
        layer: Layer<K>,
        mut shape_of: impl FnMut(Handle, ValueMut<'_, T>, Rect<S, D>) -> P,
    ) -> Result<BatchMoved, LayerError> {
        let number = self.space.layers.number(layer)?;
        let outgrows_cache = self.outgrows_cache();
        let values = &mut self.values;
        let fetch = |values: &mut ValueTable<T>, handles: &[Handle]| values.prefetch(handles, outgrows_cache);
        let shape_of = |values: &mut ValueTable<T>, handle, shape| {
            shape_of(handle, ValueMut { values, handle }, shape).into_shape()
        };
        let leaving = match K::KIND {
            Kind::Points => self.space.trees.update::<1, _>(number, values, fetch, shape_of),
            Kind::Rects => self.space.trees.update::<2, _>(number, values, fetch, shape_of),
        };
        Ok(self.store_leaving(K::KIND, number, leaving))
    }

    /// As [`update`](Self::update), on the threads of rayon's current pool, for closures that change no value (else see
    /// [`par_update_mut`](Self::par_update_mut)). The pool is
    /// yours: all cores, or that in whose `install` you call.
    ///
    /// The outcome is that of `update` to the last bit, for any number of threads: the same places, the same handles in
    /// [`BatchMoved::refused`], the same order of results. Only the order of the calls differs from run to run. The value is
    /// looked up for each object.
    ///
    /// Threads share the calls, and what is stored in place. Objects that leave their blocks are then stored by one thread,
    /// so it gains most if few do, or if `shape_of` takes long. On one thread, for a layer with fewer objects than there are
    /// buckets of its kind, and in the first 30 microseconds, it is `update`: so it costs no more for a few objects. If `shape_of` panics, other threads may go on for a while.
    ///
    /// It serves positions outside the index too, if they are in an array by [slot](Handle::slot) or by value:
    ///
    /// ```
    /// use quadrille::{Quadtree, Rect};
    ///
    /// let mut index: Quadtree<usize> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let mut positions = vec![[1.0, 2.0], [3.0, 4.0]];
    /// index.insert_batch(units, positions.iter().copied().zip(0..))?;
    /// positions[1] = [90.0, 4.0];
    /// let moved = index.par_update(units, |_, &number, _| positions[number])?;
    /// assert!(moved.refused.is_empty());
    /// assert_eq!(index.nearest([99.0, 0.0]).next().map(|near| *near.object.value()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As `update`.
    #[cfg(feature = "rayon")]
    pub fn par_update<K: LayerKind, P: IntoShape<K, S, D>>(
        &mut self,
        layer: Layer<K>,
        shape_of: impl Fn(Handle, &T, Rect<S, D>) -> P + Sync,
    ) -> Result<BatchMoved, LayerError>
    where
        T: Sync,
    {
        let number = self.space.layers.number(layer)?;
        let (values, outgrows_cache) = (&self.values, self.outgrows_cache());
        let shape_of = |handle, shape| shape_of(handle, values.of_entry(handle), shape).into_shape();
        let fetch = |handles: &[Handle]| values.prefetch(handles, outgrows_cache);
        let leaving = self.space.trees.par_update(number, fetch, shape_of);
        Ok(self.store_leaving(K::KIND, number, leaving))
    }

    /// As [`par_update`](Self::par_update), for closures that change values too. The outcome is that of `update`.
    ///
    /// Values lie by slot, shapes by place. So threads share the calls by slot, and keep the new shapes in a list by slot;
    /// then they store these. The first step jumps from shape to shape, unless objects were inserted in the [order of
    /// places](Self::sort_by_place). If `shape_of` panics, all shapes are as before. For a layer of fewer objects than a
    /// quarter of all slots, it is `update`.
    ///
    /// ```
    /// use quadrille::{Quadtree, Rect};
    ///
    /// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], 0.5)?; // its speed
    /// let moved = index.par_update_mut(units, |_, speed, at| {
    ///     *speed *= 2.0;
    ///     [at.min()[0] + *speed, at.min()[1]]
    /// })?;
    /// assert!(moved.refused.is_empty());
    /// assert_eq!((index.get(scout), index.shape(scout)), (Some(&1.0), Some(Rect::from_point([2.0, 2.0]))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As `update`.
    #[cfg(feature = "rayon")]
    pub fn par_update_mut<K: LayerKind, P: IntoShape<K, S, D>>(
        &mut self,
        layer: Layer<K>,
        shape_of: impl Fn(Handle, &mut T, Rect<S, D>) -> P + Sync,
    ) -> Result<BatchMoved, LayerError>
    where
        T: Send,
    {
        let number = self.space.layers.number(layer)?;
        if rayon::current_num_threads() == 1 || self.len_in(layer) < self.slots() / 4 {
            return self.update(layer, |handle, mut value, shape| shape_of(handle, &mut value, shape));
        }
        let (space, values) = (&self.space, self.values.iter_mut().into_slice());
        let of_slot = |(slot, value): (usize, &mut Option<T>)| {
            let handle = space.places.handle_at(slot)?;
            let (arena, place) = (space.trees.arena(), space.place(handle)?);
            let value = value.as_mut().filter(|_| arena.layer_of(place) == number)?;
            Some(shape_of(handle, value, arena.shape(place)).into_shape())
        };
        let len = values.len().div_ceil(PARTS).max(1);
        let parts = (0..).step_by(len).zip(values.chunks_mut(len)).collect();
        let shapes: Vec<Vec<_>> =
            each_part(parts, || (), |(), (first, values)| (first..).zip(values).map(of_slot).collect());
        let shape_of = |of: Handle, old| shapes[of.slot() / len][of.slot() % len].unwrap_or(old);
        let leaving = self.space.trees.par_update(number, |_| {}, shape_of);
        Ok(self.store_leaving(K::KIND, number, leaving))
    }

    /// Whether what an update reads outgrows the cache.
    fn outgrows_cache(&self) -> bool {
        outgrows_cache(self.space.trees.arena().buckets().bytes() + self.values.bytes())
    }

    /// Stores the objects that did not stay where they are.
    fn store_leaving(&mut self, kind: Kind, layer: u8, leaving: Leaving<S, D>) -> BatchMoved {
        let Leaving { mut moves, refused, .. } = leaving;
        let mut outcome = BatchMoved {
            in_place: self.space.trees.len(layer) - moves.len() - refused.len(),
            elsewhere: self.space.build_moved(kind, moves.len(), &mut moves),
            refused: refused.into_iter().map(|(handle, error)| (handle, error.into())).collect(),
        };
        self.move_each(kind, &moves, true, &mut outcome);
        outcome
    }
}
