//! Layers: their identifiers, kinds and settings, and which of them are alive.
//!
//! Keeps L1 of `docs/invariants.md`.

mod registry;
#[cfg(feature = "serde")]
mod saved;
mod settings;

use core::fmt;
use core::hash::Hash;
use core::marker::PhantomData;

use crate::geometry::{Rect, Scalar};
use crate::key::{Kind, LayerId, LayerSet, set_operators};

pub(crate) use registry::Layers;
pub use registry::{AddLayerError, LayerError};
#[cfg(feature = "serde")]
pub(crate) use saved::SavedLayers;
pub use settings::LayerSettings;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Points {}
    impl Sealed for super::Rects {}
}

/// The kind of layer that holds points.
///
/// ```
/// # use quadrille::{Layer, ObjectError, Points, Quadtree};
/// fn scatter(index: &mut Quadtree<u8>, sparks: Layer<Points>) -> Result<(), ObjectError> {
///     index.insert(sparks, [1.0, 2.0], 0).map(drop)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Points {}

/// The kind of layer that holds rectangles (cuboids in 3D), of any sizes.
///
/// ```
/// # use quadrille::{Layer, ObjectError, Quadtree, Rect, Rects};
/// fn build(index: &mut Quadtree<u8>, walls: Layer<Rects>) -> Result<(), ObjectError> {
///     index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), 0).map(drop)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rects {}

/// The kind of shapes that a layer holds: [`Points`] or [`Rects`]. Sealed.
///
/// ```
/// # use quadrille::{Kind, Layer, LayerKind};
/// fn describe<K: LayerKind>(_: Layer<K>) -> &'static str {
///     match K::KIND {
///         Kind::Points => "points",
///         Kind::Rects => "rectangles",
///     }
/// }
/// ```
pub trait LayerKind: sealed::Sealed + Copy + Eq + Hash {
    /// The kind as a value.
    const KIND: Kind;
}

impl LayerKind for Points {
    const KIND: Kind = Kind::Points;
}

impl LayerKind for Rects {
    const KIND: Kind = Kind::Rects;
}

/// The identifier of a layer that holds shapes of kind `K`.
///
/// Plain data. It is valid while the layer lives.
///
/// ```
/// # use quadrille::{Layer, Points, Quadtree, Rects};
/// struct Game {
///     index: Quadtree<&'static str>,
///     walls: Layer<Rects>,
///     units: Layer<Points>,
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layer<K> {
    id: LayerId,
    holds: PhantomData<fn() -> K>,
}

impl<K> Layer<K> {
    pub(crate) fn new(id: LayerId) -> Self {
        Self { id, holds: PhantomData }
    }

    /// The identifier without the kind.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// assert_eq!(index.layers().next(), Some(walls.id()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn id(self) -> LayerId {
        self.id
    }
}

impl<K> fmt::Debug for Layer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Layer").field(&self.id).finish()
    }
}

impl<K> From<Layer<K>> for LayerId {
    fn from(layer: Layer<K>) -> Self {
        layer.id
    }
}

impl<K> From<Layer<K>> for LayerSet {
    fn from(layer: Layer<K>) -> Self {
        layer.id.into()
    }
}

set_operators!(Layer<K>, K);

/// A shape that a layer of kind `K` can hold.
///
/// A layer of [`Points`] takes anything that converts into `[S; D]`; a layer of [`Rects`] takes [`Rect`].
///
/// ```
/// # use quadrille::{Handle, IntoShape, Layer, LayerKind, Quadtree};
/// // A function of your own for layers of both kinds.
/// fn spawn<K: LayerKind>(index: &mut Quadtree<()>, layer: Layer<K>, shape: impl IntoShape<K, f32, 2>) -> Option<Handle> {
///     index.insert(layer, shape, ()).ok()
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a layer of `{K}` cannot hold `{Self}`",
    label = "not a shape for a layer of `{K}`",
    note = "a layer of `Points` takes points: anything that converts into `[{S}; {D}]`",
    note = "a layer of `Rects` takes rectangles: `Rect<{S}, {D}>`, and a point as `Rect::from_point(point)`",
    note = "this index has `{S}` coordinates: write `1.0`, not `1`, and convert numbers of other types"
)]
pub trait IntoShape<K, S, const D: usize> {
    /// The shape as a box; a point is a box without extent.
    fn into_shape(self) -> Rect<S, D>;
}

impl<S: Scalar, const D: usize> IntoShape<Rects, S, D> for Rect<S, D> {
    fn into_shape(self) -> Rect<S, D> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<S: Scalar, const D: usize, P: Into<[S; D]>> IntoShape<Points, S, D> for P {
    fn into_shape(self) -> Rect<S, D> {
        Rect::from_point(self)
    }
}
