//! The numbers of nodes and buckets, and of places in buckets.

use core::num::NonZeroU32;

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

impl Default for Place {
    fn default() -> Self {
        Self::NONE
    }
}

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
