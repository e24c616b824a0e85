//! Every identifier in the crate: of objects, layers, nodes and buckets, and of places in buckets. The only part that
//! names `slotmap`.
//!
//! Keeps a part of L1 of `docs/invariants.md`: stamps are unique.

#[cfg(feature = "serde")]
mod saved;
mod stamp;

use core::num::NonZeroU32;
use core::ops::{BitAnd, BitOr, BitXor, Not, Sub};

use slotmap::{Key, KeyData};

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
    /// The lower half is the number of the object's [`slot`](Self::slot); the upper half counts how often the slot was filled and
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

/// How many layers an index can hold: one for each bit of a [`LayerSet`].
pub(crate) const LAYERS_MAX: usize = 64;

/// The identifier of a layer of either kind.
///
/// No two layers share an identifier, not even in different indexes. A clone of an index has the layers of its
/// original. A layer added to only one of the two is unknown to the other. The identifier of a removed layer stays
/// invalid, even if its number is given to another layer.
///
/// ```
/// # use quadrille::{LayerId, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// let ids: [LayerId; 2] = [walls.id(), units.id()]; // layers of both kinds in one list
/// assert_eq!(ids.map(|id| index.len_in(id)), [0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayerId {
    pub(crate) number: u8,
    /// The stamp of the layer's index; clones have the same.
    pub(crate) index: Stamp,
    pub(crate) stamp: Stamp,
}

impl LayerId {
    /// The layer's number in its index, below 64: its bit in a [`LayerSet`].
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// assert_eq!((walls.id().number(), units.id().number()), (0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn number(self) -> u8 {
        self.number
    }
}

/// A set of layers, one bit for each layer number.
///
/// Use operators: `walls | units`, `!walls`, `LayerSet::ALL - units`. A set is just 64 bits, so it cannot tell whether
/// a layer was removed or belongs to another index. Numbers of removed layers are reused last.
///
/// ```
/// use quadrille::{LayerSet, Quadtree, Rect};
///
/// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0]))?;
/// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// assert!((walls | units).contains(units));
/// assert_eq!(!walls & units, LayerSet::from(units));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LayerSet(u64);

impl LayerSet {
    /// Every layer, including those added later.
    ///
    /// ```
    /// # use quadrille::{LayerSet, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// assert_eq!(index.len_in(LayerSet::ALL), index.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const ALL: Self = Self(u64::MAX);
    /// No layer.
    ///
    /// ```
    /// # use quadrille::{LayerSet, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// assert_eq!(index.len_in(LayerSet::NONE), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const NONE: Self = Self(0);

    /// The set as bits, the layer with number 0 in the lowest.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// assert_eq!((walls | units).to_bits(), 0b11);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// The set with these bits, the layer with number 0 in the lowest.
    ///
    /// ```
    /// # use quadrille::{LayerSet, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// assert_eq!(LayerSet::from_bits(0b11), walls | units);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Whether the layer's number is in the set.
    ///
    /// ```
    /// # use quadrille::{LayerSet, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// let solid = LayerSet::from(walls);
    /// assert!(solid.contains(walls) && !solid.contains(units));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contains(self, layer: impl Into<LayerId>) -> bool {
        self.has(layer.into().number)
    }

    /// Whether the set is empty.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// assert!((!walls & walls).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set of one layer, by its number.
    pub(crate) fn of_number(number: u8) -> Self {
        Self(1 << number)
    }

    pub(crate) fn has(self, number: u8) -> bool {
        self.0 >> number & 1 == 1
    }

    /// Removes and returns the lowest number.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let number = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(number)
    }
}

impl From<LayerId> for LayerSet {
    fn from(layer: LayerId) -> Self {
        Self::of_number(layer.number)
    }
}

impl Not for LayerSet {
    type Output = LayerSet;
    fn not(self) -> LayerSet {
        LayerSet(!self.0)
    }
}

impl Not for LayerId {
    type Output = LayerSet;
    fn not(self) -> LayerSet {
        !LayerSet::from(self)
    }
}

/// The set operators for one type on the left; on the right, anything that converts into a set.
macro_rules! set_operators {
    ($left:ty $(, $kind:ident)?) => {
        impl<$($kind,)? R: Into<LayerSet>> BitOr<R> for $left {
            type Output = LayerSet;
            fn bitor(self, right: R) -> LayerSet {
                LayerSet::from_bits(LayerSet::from(self).to_bits() | right.into().to_bits())
            }
        }
        impl<$($kind,)? R: Into<LayerSet>> BitAnd<R> for $left {
            type Output = LayerSet;
            fn bitand(self, right: R) -> LayerSet {
                LayerSet::from_bits(LayerSet::from(self).to_bits() & right.into().to_bits())
            }
        }
        impl<$($kind,)? R: Into<LayerSet>> BitXor<R> for $left {
            type Output = LayerSet;
            fn bitxor(self, right: R) -> LayerSet {
                LayerSet::from_bits(LayerSet::from(self).to_bits() ^ right.into().to_bits())
            }
        }
        impl<$($kind,)? R: Into<LayerSet>> Sub<R> for $left {
            type Output = LayerSet;
            fn sub(self, right: R) -> LayerSet {
                LayerSet::from_bits(LayerSet::from(self).to_bits() & !right.into().to_bits())
            }
        }
    };
}
pub(crate) use set_operators;

set_operators!(LayerSet);
set_operators!(LayerId);

/// The kind of shapes that a layer holds.
///
/// ```
/// # use quadrille::{Kind, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// for layer in index.layers() {
///     match index.layer_kind(layer) {
///         Some(Kind::Points) => println!("a layer of points"),
///         Some(Kind::Rects) => println!("a layer of rectangles"),
///         None => println!("no layer of this index"),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Points.
    Points,
    /// Rectangles (cuboids in 3D).
    Rects,
}

/// A bit that is set in every number, so that none is zero. Setting and clearing it is cheaper than adding and
/// subtracting one.
const NOT_ZERO: NonZeroU32 = NonZeroU32::new(1 << 31).expect("a bit is set");

/// The number of an element of an arena. An `Option` of it has the same size.
macro_rules! arena_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) struct $name(NonZeroU32);

        impl $name {
            #[inline]
            pub(crate) fn index(self) -> usize {
                self.number() as usize
            }

            /// The number, counted from 0.
            #[inline]
            pub(crate) fn number(self) -> u32 {
                self.0.get() & !NOT_ZERO.get()
            }

            /// The element with this number, counted from 0.
            #[inline]
            pub(crate) fn numbered(number: u32) -> Self {
                Self(NOT_ZERO | number)
            }

            /// The number of the next element pushed onto an arena of `len` elements.
            pub(crate) fn next(len: usize) -> Self {
                let number = u32::try_from(len).ok().filter(|&number| number < NOT_ZERO.get());
                Self::numbered(number.expect("arenas stay below 2^31 elements"))
            }
        }
    };
}

arena_id! {
    /// The number of a node.
    NodeId
}
arena_id! {
    /// The number of a bucket.
    BucketId
}

const _: () = assert!(size_of::<Option<BucketId>>() == 4);

/// The number of buckets that a [`Place`] can name; lower in unit tests, so that they can reach the limit.
pub(crate) const BUCKETS_MAX: usize = if cfg!(test) { 1 << 12 } else { (1 << 26) - 64 };

/// Where an entry lies: bucket and position, in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(u32);

impl Place {
    /// No place. No entry lies there, since `BUCKETS_MAX` is lower than the bits of a place allow.
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// Fills memory that is overwritten before it is read: clear bits are the fastest to write.
    pub(crate) const BLANK: Self = Self(0);

    const POSITION_BITS: u32 = 6;

    #[inline]
    pub(crate) fn new(bucket: BucketId, position: u8) -> Self {
        Self(bucket.number() << Self::POSITION_BITS | u32::from(position))
    }

    #[inline]
    pub(crate) fn bucket(self) -> BucketId {
        BucketId::numbered(self.0 >> Self::POSITION_BITS)
    }

    #[inline]
    pub(crate) fn position(self) -> u8 {
        (self.0 & 63) as u8
    }

    /// The place at position 0 of the same bucket.
    #[inline]
    pub(crate) fn first_of_bucket(self) -> Self {
        Self(self.0 & !63)
    }

    /// Another position in the same bucket. This place must be at position 0.
    #[inline]
    pub(crate) fn at(self, position: u8) -> Self {
        Self(self.0 | u32::from(position))
    }

    #[inline]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bit of the position, if the place is in the bucket whose first place is `first`; otherwise 0.
    #[inline]
    pub(crate) fn bit_in(self, first: Self) -> u64 {
        if (self.0 ^ first.0) >> Self::POSITION_BITS == 0 { 1 << self.position() } else { 0 }
    }
}
