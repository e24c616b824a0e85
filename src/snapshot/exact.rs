//! The exact form of an index: its trees as they are.

use alloc::vec::Vec;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Chunk, ValuesOf, checked};
use crate::geometry::Scalar;
use crate::index::SpatialIndex;
use crate::space::SavedSpace;
use crate::tree::SavedTrees;

/// The form in this version.
type ExactForm<S, const D: usize> = super::FormNumber<S, 5, D>;

/// Saves the index exactly as it is; needs the feature `serde`. See [`Compact`](crate::Compact) for a form that is smaller
/// and does not depend on how trees are split.
///
/// A loaded index does the same as the saved one: the same operations give the same handles and the same order of
/// results. Handles, generations, the order in which free ones are given out, identifiers and settings of layers and the
/// state of `optimize_step` are all kept, so saved handles, layers, cursors and watches fit.
///
/// Loading checks the bytes. If they make no sound index, it returns the format's error, which names the invariant
/// (`docs/invariants.md` in the repository). No bytes cause a panic. A loaded index takes as much memory as it took when it was
/// saved, in the worst case some sixty times as much as a binary format needs for it, if most of its buckets hold one object;
/// `T` adds its size for each slot that was ever in use and not cut off.
///
/// # Identities
///
/// Layers, indexes and worlds have numbers that are unique in a process. A loaded index keeps its saved numbers, and
/// everything made later in the process gets other numbers. So:
///
/// - In the process that saved it, it is the same index as the original, as a clone is: layers, cursors and watches of the
///   original fit, but for layers that were added after saving.
/// - In another process too, saved layers, cursors and watches fit. But an index that was made in that process *before*
///   loading may have been given the same numbers. The two cannot tell their layers apart, as no two indexes can tell
///   their handles apart. Where it matters, load first.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use quadrille::{Handle, Layer, Points, Quadtree, Rect};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Game {
///     index: Quadtree<String>,
///     units: Layer<Points>,
///     hero: Handle,
/// }
///
/// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// let hero = index.insert(units, [1.0, 2.0], "hero".to_owned())?;
/// let saved = serde_json::to_string(&Game { index, units, hero })?; // or any other format
///
/// let mut game: Game = serde_json::from_str(&saved)?;
/// assert_eq!(game.index.get(game.hero).unwrap(), "hero");
/// game.index.insert(game.units, [3.0, 4.0], "squire".to_owned())?;
///
/// let cut_short = &saved[..saved.len() / 2];
/// assert!(serde_json::from_str::<Game>(cut_short).is_err());
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<T: Serialize, S: Scalar + Serialize, const D: usize> Serialize for SpatialIndex<T, S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let mut parts = serializer.serialize_struct("SpatialIndex", 4)?;
        parts.serialize_field("exact", &ExactForm::<S, D>::THIS)?;
        parts.serialize_field("space", &self.space.saved())?;
        parts.serialize_field("trees", &self.space.trees)?;
        parts.serialize_field("values", &ValuesOf(self))?;
        parts.end()
    }
}

#[derive(Deserialize)]
#[serde(rename = "SpatialIndex", bound(deserialize = "T: Deserialize<'de>, S: Scalar + Deserialize<'de>"))]
struct SavedExact<T, S: Scalar, const D: usize> {
    #[serde(rename = "exact")]
    _form: ExactForm<S, D>,
    space: SavedSpace<S, D>,
    trees: SavedTrees<S, D>,
    values: Vec<Chunk<T>>,
}

/// Loads the exact form; needs the feature `serde`. The error of bytes that make no sound index is that of the format.
impl<'de, T: Deserialize<'de>, S: Scalar + Deserialize<'de>, const D: usize> Deserialize<'de>
    for SpatialIndex<T, S, D>
{
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        const { assert!(D == 2 || D == 3, "quadrille indexes planes (D = 2) and space (D = 3)") };
        let SavedExact { space, trees, values, .. } = SavedExact::<T, S, D>::deserialize(deserializer)?;
        checked(space.restore(|into, _, slots| trees.restore(into, |slot| slots.fill(slot)))?, values)
    }
}
