//! Removing many objects at once.
//!
//! Keeps E1 and S3 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::borrow::Borrow;

use super::SpatialIndex;
use super::batch::BatchError;
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, LayerSet, Place};
use crate::space::ObjectError;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Removes many objects, all or none. Returns their values in the order of the batch.
    ///
    /// Leaves the objects and free slots that calls of [`remove`](Self::remove) in this order would. From
    /// some hundredths of the objects on it takes a fraction of their time, because it visits each bucket once.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert_eq!(index.remove_batch([handles[7], handles[3]])?, [7, 3]);
    /// assert!(index.remove_batch(handles).is_err()); // two of these are gone, so none is removed
    /// assert_eq!(index.len(), 98);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError`] names the first handle that names no object, or else the first that comes twice. The index is then
    /// unchanged.
    pub fn remove_batch(
        &mut self,
        handles: impl IntoIterator<Item = impl Borrow<Handle>>,
    ) -> Result<Vec<T>, BatchError> {
        let mut found = Vec::new();
        for (position, handle) in handles.into_iter().enumerate() {
            let handle = *handle.borrow();
            let place = self.space.place_or_error(handle).map_err(|reason| BatchError { position, reason })?;
            found.push((handle, place));
        }
        self.remove_found(&found).ok_or_else(|| repeated(&found))
    }

    /// Removes all objects for which `keep` returns `false`. Asks `keep` about every object, layer by layer, before it
    /// removes the first one.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// index.retain(|_, shape, value| shape.min()[0] < 50.0 && *value % 2 == 0);
    /// assert_eq!(index.len(), 25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(Handle, Rect<S, D>, &mut T) -> bool) {
        let mut unwanted = Vec::new();
        let mut layers = LayerSet::ALL;
        while let Some(layer) = self.space.next_layer(&mut layers) {
            for place in self.space.trees.places(layer) {
                let handle = self.space.trees.arena().handle(place);
                let value = self.values.get_mut(handle);
                if value.is_some_and(|value| !keep(handle, self.space.trees.arena().shape(place), value)) {
                    unwanted.push((handle, place));
                }
            }
        }
        let removed = self.remove_found(&unwanted);
        debug_assert!(removed.is_some(), "the walk comes to each object once");
    }

    /// Removes the objects with these handles at these places. Returns their values, or `None` if one comes twice.
    fn remove_found(&mut self, found: &[(Handle, Place)]) -> Option<Vec<T>> {
        let taken = self.space.trees.by_bucket_once(found.iter().map(|&(_, place)| place))?;
        let mut values = Vec::with_capacity(found.len());
        for &(handle, _) in found {
            self.space.places.remove(handle);
            values.extend(self.values.remove(handle));
        }
        self.space.remove_all(taken);
        Some(values)
    }
}

/// The error of a batch in which a handle comes twice.
#[cold]
fn repeated(found: &[(Handle, Place)]) -> BatchError {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&position| found[position].1);
    let is_again = |pair: &[usize]| found[pair[0]].1 == found[pair[1]].1;
    let again = order.windows(2).filter(|pair| is_again(pair)).map(|pair| pair[1]);
    let position = again.min().expect("a place comes twice");
    BatchError { position, reason: ObjectError::Repeated { handle: found[position].0 } }
}
