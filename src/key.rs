//! Every identifier in the crate: of objects, layers, nodes and buckets, and of places in buckets. The only part that
//! names `slotmap`.
//!
//! Keeps a part of L1 of `docs/invariants.md`: stamps are unique.

mod excluded;
mod layers;
mod place;
#[cfg(feature = "serde")]
mod saved;
mod stamp;

use slotmap::{Key, KeyData};

pub(crate) use excluded::Excluded;
pub use excluded::IntoHandles;
pub(crate) use layers::NO_LAYER;
pub use layers::{Kind, LayerId, LayerSet};
pub(crate) use layers::{LAYERS_MAX, set_operators};
pub(crate) use place::{BUCKETS_MAX, BucketId, NodeId, Place};
pub(crate) use stamp::Stamp;

slotmap::new_key_type! {
    /// The identifier of an object. It is stable while the object lives: moving the object does not change it.
    ///
    /// The index never reuses the handle of a removed object, unless you go back to a clone or a saved form from before
    /// the handle was made. An index cannot tell a handle of another index from its own; keep them apart as you would
    /// the keys of two maps.
    /// `Handle::default()` names no object.
    ///
    /// A handle is a key of the crate `slotmap` (version 1): it implements `slotmap::Key`. Store your own data about
    /// objects in a `SecondaryMap<Handle, _>`. It is a list indexed by slot number, takes less than half the time of a
    /// hash map, and distinguishes old handles from new ones as the index does.
    ///
    /// ```
    /// use quadrille::{Handle, Quadtree, Rect};
    /// use slotmap::SecondaryMap;
    ///
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let mut speeds: SecondaryMap<Handle, f32> = SecondaryMap::new();
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// speeds.insert(scout, 0.5);
    /// assert_eq!(speeds.get(scout), Some(&0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct Handle;
}

impl Handle {
    /// The handle as a number, for places where only a number fits: a field of a foreign library, a network message, a
    /// table column.
    ///
    /// The same handle always gives the same number, and different handles give different numbers. The number is not 0.
    /// The lower half is the number of the object's [`slot`](Self::slot); the upper half grows whenever the slot is filled or
    /// emptied. So objects that live at the same time have different lower halves. These are small if there were never
    /// many objects at once.
    ///
    /// ```
    /// # use quadrille::{Handle, Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// let number: u64 = scout.to_bits();
    /// assert_eq!(index.get(Handle::from_bits(number)), Some(&"scout"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn to_bits(self) -> u64 {
        self.data().as_ffi()
    }

    /// The handle with a number returned by [`to_bits`](Self::to_bits).
    ///
    /// Any number may be given: nothing panics, now or when the handle is used. A number that `to_bits` never returns
    /// gives `Handle::default()`, which names no object. The number of an old handle, or of one that the index has not
    /// made, names no object either. The number of another index's handle may name an object here, as that handle
    /// itself may.
    ///
    /// ```
    /// # use quadrille::{Handle, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// assert_eq!(Handle::from_bits(scout.to_bits()), scout);
    /// assert_eq!(index.get(Handle::from_bits(12345)), None); // no such handle was made
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        let handle = Self::from(KeyData::from_ffi(bits));
        // Generations of handles are odd, and `KeyData` makes them so.
        if handle.to_bits() == bits { handle } else { Self::default() }
    }

    /// The handle for a slot, counted from 1, that was filled and emptied this many times: an odd number.
    #[inline]
    pub(crate) fn new(slot: u32, generation: u32) -> Self {
        Self::from(KeyData::from_ffi(u64::from(generation) << 32 | u64::from(slot)))
    }

    /// The number of the object's slot, to index a list of your own: no two objects that live at the same time share a
    /// slot.
    ///
    /// Slots are counted from 1. As long as nothing has been removed, objects get the slots 1, 2, 3 … in the order in
    /// which they are inserted, one by one or in a batch. Later ones take the slots of removed objects first. The
    /// object then in a slot has another handle: see [`SpatialIndex::handle_at`](crate::SpatialIndex::handle_at). A
    /// list must be [`slots`](crate::SpatialIndex::slots) long. The slot of `Handle::default()` is far beyond.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let handles = index.insert_batch(units, [([1.0, 2.0], "scout"), ([3.0, 4.0], "medic")])?;
    /// assert_eq!((handles[0].slot(), handles[1].slot()), (1, 2)); // the first objects of a new index
    /// let mut speeds = vec![0.0; index.slots()];
    /// speeds[handles[1].slot()] = 1.5;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn slot(self) -> usize {
        self.slot_number() as usize
    }

    /// The number of the slot, as it is stored.
    #[inline]
    pub(crate) fn slot_number(self) -> u32 {
        self.to_bits() as u32
    }

    /// How often the slot was filled and emptied.
    #[inline]
    pub(crate) fn generation(self) -> u32 {
        (self.to_bits() >> 32) as u32
    }
}

const _: () = assert!(size_of::<Option<Handle>>() == 8);
