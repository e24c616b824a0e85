//! Worlds that wrap around, behind a feature: without it a `Torus` is nothing, and queries go to the index alone.

#[cfg(feature = "full")]
use crate::S;
use crate::Shape;

#[cfg(feature = "torus")]
type Inner = Option<quadrille::Periodic<crate::S, { crate::D }>>;
#[cfg(not(feature = "torus"))]
type Inner = ();

/// How a world wraps around, if it does.
#[derive(Clone, Copy)]
pub(crate) struct Torus(pub(crate) Inner);

#[cfg(feature = "torus")]
impl Torus {
    /// Bits of `wraps` name the axes on which the world wraps around. None if it cannot.
    pub(crate) fn new(wraps: u32, extent: Shape) -> Option<Self> {
        if wraps == 0 {
            return Some(Self(None));
        }
        let torus = quadrille::Periodic::new(extent).ok()?;
        Some(Self(Some(torus.on_axes(core::array::from_fn(|axis| wraps >> axis & 1 != 0)))))
    }

    pub(crate) fn wraps(self) -> bool {
        self.0.is_some()
    }

    /// Where the world wraps around, the place inside it.
    // It is long, and stands in every loop over shapes.
    #[inline(never)]
    pub(crate) fn wrap(self, shape: Shape) -> Shape {
        self.0.map_or(shape, |torus| torus.wrap_rect(shape))
    }
}

#[cfg(not(feature = "torus"))]
impl Torus {
    pub(crate) fn new(wraps: u32, _: Shape) -> Option<Self> {
        (wraps == 0).then_some(Self(()))
    }

    #[cfg(feature = "full")]
    pub(crate) fn wraps(self) -> bool {
        false
    }

    pub(crate) fn wrap(self, shape: Shape) -> Shape {
        shape
    }
}

/// Casts that blocking objects stop.
#[cfg(feature = "full")]
pub(crate) trait Blocking {
    fn stopped(self, skin: S) -> Self;
}

#[cfg(feature = "full")]
impl<T> Blocking for quadrille::Cast<'_, '_, T, S, { crate::D }> {
    fn stopped(self, skin: S) -> Self {
        self.blocking(skin)
    }
}

/// A world that wraps around has no such casts: the glue refuses a skin there.
#[cfg(feature = "torus")]
impl<T> Blocking for quadrille::PeriodicCast<'_, T, S, { crate::D }> {
    fn stopped(self, _: S) -> Self {
        self
    }
}

/// Whether worlds may wrap around: the glue looks whether this function is there.
#[unsafe(no_mangle)]
#[cfg(feature = "torus")]
pub extern "C" fn periodic() {}

/// Asks the index, or the world that wraps around: their queries have the same names.
#[cfg(feature = "torus")]
macro_rules! over {
    ($world:expr, $index:ident => $ask:expr) => {
        match $world.torus.0 {
            None => {
                let $index = &$world.index;
                $ask
            }
            Some(torus) => {
                let $index = torus.over(&$world.index);
                $ask
            }
        }
    };
}
#[cfg(not(feature = "torus"))]
macro_rules! over {
    ($world:expr, $index:ident => $ask:expr) => {{
        let $index = &$world.index;
        $ask
    }};
}
pub(crate) use over;
