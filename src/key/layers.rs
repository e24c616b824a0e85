//! The identifiers of layers, sets of them, and their kinds.

use super::Stamp;

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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LayerId {
    #[cfg_attr(feature = "serde", serde(deserialize_with = "super::saved::number_of_layer"))]
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

/// The number of no layer.
pub(crate) const NO_LAYER: u8 = u8::MAX;

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

/// The set operators for one type on the left; on the right, anything that converts into a set.
macro_rules! set_operators {
    ($left:ty $(, $kind:ident)?) => {
        impl<$($kind)?> core::ops::Not for $left {
            type Output = LayerSet;
            fn not(self) -> LayerSet {
                LayerSet::from_bits(!LayerSet::from(self).to_bits())
            }
        }
        set_operators! { $left, [$($kind,)?] BitOr::bitor, |left, right| left | right }
        set_operators! { $left, [$($kind,)?] BitAnd::bitand, |left, right| left & right }
        set_operators! { $left, [$($kind,)?] BitXor::bitxor, |left, right| left ^ right }
        set_operators! { $left, [$($kind,)?] Sub::sub, |left, right| left & !right }
    };
    ($left:ty, [$($kind:tt)*] $Operator:ident::$operator:ident, |$one:ident, $other:ident| $bits:expr) => {
        impl<$($kind)* R: Into<LayerSet>> core::ops::$Operator<R> for $left {
            type Output = LayerSet;
            fn $operator(self, right: R) -> LayerSet {
                let [$one, $other] = [LayerSet::from(self), right.into()].map(LayerSet::to_bits);
                LayerSet::from_bits($bits)
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
