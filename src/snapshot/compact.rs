//! The compact form of an index: its objects with their handles, without trees. It is smaller than the exact
//! form, and does not depend on how this version of the crate splits trees.
//!
//! [`Compact`] saves an index in this form; for a field of a struct, serde finds it by
//! `#[serde(with = "quadrille::compact")]`. Needs the feature `serde`.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use quadrille::Quadtree;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Level {
//!     name: String,
//!     #[serde(with = "quadrille::compact")]
//!     walls: Quadtree<u32>,
//! }
//! # }
//! ```

use alloc::vec::Vec;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Chunk, ValuesOf, checked};
use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::space::{Objects, SavedSpace, build};

/// An index to be saved, or as it was loaded, in the compact form; needs the feature `serde`.
///
/// The form has the objects with their handles. The trees are built when it is loaded, as
/// [`optimize`](SpatialIndex::optimize) builds them.
///
/// It keeps all that the [exact form](SpatialIndex#impl-Serialize-for-SpatialIndex<T,+S,+D>) keeps, handles and the order
/// in which free ones are reused included. The exception is the *order of results*, which depends on how the trees are
/// split. Cursors and watches continue. The results of `near` depend on the trees too, so its cursors and watches may find
/// other objects.
///
/// Save `Compact(&index)`, and load `Compact<SpatialIndex<…>>`. Loading checks the bytes as for the exact form.
///
/// ```
/// use quadrille::{Compact, Quadtree, Rect};
///
/// let mut index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// let scout = index.insert(units, [1.0, 2.0], 7)?;
/// let text = serde_json::to_string(&Compact(&index))?;
///
/// let Compact(loaded) = serde_json::from_str::<Compact<Quadtree<u32>>>(&text)?;
/// assert_eq!(loaded.get(scout), Some(&7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Compact<I>(pub I);

impl<T: Serialize, S: Scalar + Serialize, const D: usize> Serialize for Compact<&SpatialIndex<T, S, D>> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serialize(self.0, serializer)
    }
}

impl<T: Serialize, S: Scalar + Serialize, const D: usize> Serialize for Compact<SpatialIndex<T, S, D>> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serialize(&self.0, serializer)
    }
}

impl<'de, T, S, const D: usize> Deserialize<'de> for Compact<SpatialIndex<T, S, D>>
where
    T: Deserialize<'de>,
    S: Scalar + Deserialize<'de>,
{
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserialize(deserializer).map(Self)
    }
}

/// Saves an index in the compact form, for `#[serde(with = "quadrille::compact")]`.
///
/// ```
/// use quadrille::{Quadtree, Rect, compact};
///
/// let index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let mut text = Vec::new();
/// compact::serialize(&index, &mut serde_json::Serializer::new(&mut text))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The format's own errors.
pub fn serialize<T, S, W, const D: usize>(index: &SpatialIndex<T, S, D>, serializer: W) -> Result<W::Ok, W::Error>
where
    T: Serialize,
    S: Scalar + Serialize,
    W: Serializer,
{
    let mut parts = serializer.serialize_struct("SpatialIndex", 4)?;
    parts.serialize_field("compact", &CompactForm::<S, D>::THIS)?;
    parts.serialize_field("space", &index.space.saved())?;
    parts.serialize_field("objects", &index.space.objects())?;
    parts.serialize_field("values", &ValuesOf(index))?;
    parts.end()
}

/// Loads an index from the compact form, for `#[serde(with = "quadrille::compact")]`.
///
/// ```
/// use quadrille::{Quadtree, compact};
///
/// let cut_short = br#"{"compact":[4,4,2],"space":"#;
/// let loaded: Result<Quadtree<u32>, _> = compact::deserialize(&mut serde_json::Deserializer::from_slice(cut_short));
/// assert!(loaded.is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The format's own errors, also if the bytes make no sound index.
pub fn deserialize<'de, T, S, R, const D: usize>(deserializer: R) -> Result<SpatialIndex<T, S, D>, R::Error>
where
    T: Deserialize<'de>,
    S: Scalar + Deserialize<'de>,
    R: Deserializer<'de>,
{
    const { assert!(D == 2 || D == 3, "quadrille indexes planes (D = 2) and space (D = 3)") };
    let SavedCompact { space, objects, values, .. } = SavedCompact::<T, S, D>::deserialize(deserializer)?;
    checked(space.restore(|trees, layers, slots| build(trees, layers, objects, slots))?, values)
}

/// The form in this version.
type CompactForm<S, const D: usize> = super::FormNumber<S, 6, D>;

#[derive(Deserialize)]
#[serde(rename = "SpatialIndex", bound(deserialize = "T: Deserialize<'de>, S: Scalar + Deserialize<'de>"))]
struct SavedCompact<T, S: Scalar, const D: usize> {
    #[serde(rename = "compact")]
    _form: CompactForm<S, D>,
    space: SavedSpace<S, D>,
    objects: Vec<Objects<S, D>>,
    values: Vec<Chunk<T>>,
}
