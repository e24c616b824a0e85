//! Worlds that wrap around, behind a feature: without it a `Torus` is nothing, and queries stay as they are.

#[cfg(feature = "full")]
use quadrille::Periodic;
use quadrille::{Intersecting, IntoRegion, LayerSet, Query};

use crate::{D, Index, S, Shape};

/// A query of a region as it is asked in a world.
#[cfg(feature = "torus")]
type Wrapped<'a, R> = Query<'a, (), Intersecting, S, D, quadrille::Wrapped<R, D>>;
#[cfg(not(feature = "torus"))]
type Wrapped<'a, R> = Query<'a, (), Intersecting, S, D, R>;

/// On which axes a world wraps around: maybe on none.
#[derive(Clone, Copy)]
pub(crate) struct Torus(#[cfg(feature = "torus")] Periodic<S, D>);

#[cfg(feature = "torus")]
impl Torus {
    /// Bits of `wraps` name the axes. None if the extent is no world.
    pub(crate) fn new(wraps: u32, extent: Shape) -> Option<Self> {
        Some(Self(Periodic::new(extent).ok()?.on_axes(core::array::from_fn(|axis| wraps >> axis & 1 != 0))))
    }

    pub(crate) fn wraps(self) -> bool {
        self.0.axes() != [false; D]
    }

    /// Where the world wraps around, the place inside it.
    // It is long, and stands in every loop over shapes.
    #[inline(never)]
    pub(crate) fn wrap(self, shape: Shape) -> Shape {
        self.0.wrap_rect(shape)
    }

    /// A box that all objects meet: where the world wraps around, they are kept inside it.
    pub(crate) fn everything(self) -> Shape {
        let (world, axes) = (self.0.world(), self.0.axes());
        let side = |end: [S; D], far: S| core::array::from_fn(|axis| if axes[axis] { end[axis] } else { far });
        Shape::new(side(world.min(), -S::INFINITY), side(world.max(), S::INFINITY))
    }

    /// The query for the objects in a region of this world.
    pub(crate) fn region<R: IntoRegion<S, D>>(self, index: &Index, of: R, layers: LayerSet) -> Wrapped<'_, R::Region> {
        index.intersecting(of).in_layers(layers).periodic(&self.0)
    }

    /// Any other query in this world, given its own method `periodic`.
    pub(crate) fn query<Q>(self, query: Q, periodic: impl FnOnce(Q, &Periodic<S, D>) -> Q) -> Q {
        periodic(query, &self.0)
    }
}

#[cfg(not(feature = "torus"))]
impl Torus {
    pub(crate) fn new(wraps: u32, _: Shape) -> Option<Self> {
        (wraps == 0).then_some(Self())
    }

    #[cfg(feature = "full")]
    pub(crate) fn wraps(self) -> bool {
        false
    }

    pub(crate) fn wrap(self, shape: Shape) -> Shape {
        shape
    }

    pub(crate) fn everything(self) -> Shape {
        Shape::new([-S::INFINITY; D], [S::INFINITY; D])
    }

    pub(crate) fn region<R: IntoRegion<S, D>>(self, index: &Index, of: R, layers: LayerSet) -> Wrapped<'_, R::Region> {
        index.intersecting(of).in_layers(layers)
    }

    #[cfg(feature = "full")]
    pub(crate) fn query<Q>(self, query: Q, _: impl FnOnce(Q, &Periodic<S, D>) -> Q) -> Q {
        query
    }
}

/// Whether worlds may wrap around: the glue looks whether this function is there.
#[unsafe(no_mangle)]
#[cfg(feature = "torus")]
pub extern "C" fn periodic() {}
