//! The two types of coordinates, and their bytes on the wire.

use quadrille::Scalar;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A coordinate: `f32` or `f64`. Sealed, as [`Scalar`] is.
pub trait Coordinate: Scalar + Serialize + DeserializeOwned {
    /// The number of its bytes.
    #[doc(hidden)]
    const BYTES: usize;
    /// Puts it into as many bytes.
    #[doc(hidden)]
    fn put(self, bytes: &mut [u8]);
    /// Takes one from the front; none if there are too few bytes.
    #[doc(hidden)]
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! coordinate {
    ($($of:ty)+) => {$(
        impl Coordinate for $of {
            const BYTES: usize = size_of::<Self>();
            #[inline]
            fn put(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                take(bytes).map(Self::from_le_bytes)
            }
        }
    )+};
}
coordinate! { f32 f64 }

/// Takes bytes from the front; none if there are too few.
#[inline]
pub(crate) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*head)
}

/// Takes the coordinates of a corner from the front; none if there are too few bytes.
#[inline]
pub(crate) fn corner<S: Coordinate, const D: usize>(bytes: &mut &[u8]) -> Option<[S; D]> {
    let mut corner = [S::default(); D];
    for coordinate in &mut corner {
        *coordinate = S::read(bytes)?;
    }
    Some(corner)
}
