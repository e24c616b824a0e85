//! The widest vectors worth having, chosen at run time. The only place that names `fearless_simd`; knows no shapes.
//!
//! Code that is generic over [`Simd`] is compiled twice for x86-64, for its baseline and for AVX2, and [`with_vectors`]
//! chooses between the two. All functions between it and a comparison are `inline(always)`, since a function
//! that is not inlined is compiled without the wider vectors.

pub(crate) use fearless_simd::{
    Level, Select, Simd, SimdBase, SimdCombine, SimdFloat, SimdMask, SimdWiden, f32x8, f64x8, i8x64,
};

/// How many numbers are compared at once. The coordinates of this many 2D points in `f32` fill one cache line.
pub(crate) const LANES: usize = 8;

/// Several numbers, to be compared at once.
pub(crate) type Lanes<V, S> = <S as Vector>::Lanes<V>;

/// For each lane whether a comparison holds.
pub(crate) type Hits<V, S> = <<S as Vector>::Lanes<V> as SimdBase<V>>::Mask;

/// The widest vectors that the processor has.
#[inline]
pub(crate) fn level() -> Level {
    Level::try_detect().unwrap_or_else(Level::baseline)
}

/// Evaluates an expression with `$simd` as the vectors of a level: `with_vectors!(level, |simd| …)`. The expression is
/// compiled once for each width, as the body of a `move` closure.
#[cfg(target_arch = "x86_64")]
macro_rules! with_vectors {
    ($level:expr, |$simd:ident| $body:expr) => {{
        let level: $crate::geometry::Level = $level;
        if let Some($simd) = level.as_avx2() {
            $crate::geometry::Simd::vectorize(
                $simd,
                #[inline(always)]
                move || $body,
            )
        } else {
            // Vectors wider than AVX2 gain little, and every version has to be compiled.
            let $simd = level.as_sse2().expect("every x86-64 processor has SSE2");
            $crate::geometry::rarely(move || $body)
        }
    }};
}

/// The same for other processors.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! with_vectors {
    ($level:expr, |$simd:ident| $body:expr) => {
        fearless_simd::dispatch!($level, $simd => $body)
    };
}
pub(crate) use with_vectors;

/// A number that comes in vectors. The module is private, so no other crate can name or implement the trait.
pub trait Vector: Copy {
    /// Adding a value in 0..=255 to this constant rounds it to an integer, which [`low_byte`](Self::low_byte) then
    /// gives, less 128.
    const ROUNDING: Self;

    /// Several numbers, to be compared at once.
    type Lanes<V: Simd>: SimdBase<V, Element = Self, Array = [Self; LANES]>;

    /// The lowest eight bits of the fraction.
    fn low_byte(self) -> i8;

    /// The square root, rounded once. `core` has none; vectors have one without `std` too, and the same on all
    /// processors.
    fn square_root(self) -> Self;

    /// Several numbers as `f64`, which holds them exactly.
    fn widened<V: Simd>(lanes: Self::Lanes<V>) -> f64x8<V>;
}

macro_rules! impl_vector {
    ($float:ident, $lanes:ident, $rounding:expr, |$of:ident| $widened:expr) => {
        impl Vector for $float {
            const ROUNDING: Self = $rounding;

            type Lanes<V: Simd> = $lanes<V>;

            #[inline]
            fn low_byte(self) -> i8 {
                (self.to_bits() as u8).cast_signed()
            }

            fn square_root(self) -> Self {
                with_vectors!(level(), |simd| $lanes::splat(simd, self).sqrt().to_array()[0])
            }

            #[inline(always)]
            fn widened<V: Simd>($of: $lanes<V>) -> f64x8<V> {
                $widened
            }
        }
    };
}

// Neighbouring numbers are 1 apart here: this is 1.5 times the least power of two with that property, less 128.
impl_vector!(f32, f32x8, 12_582_912.0 - 128.0, |lanes| {
    let (low, high) = lanes.widen();
    low.combine(high)
});
impl_vector!(f64, f64x8, 6_755_399_441_055_744.0 - 128.0, |lanes| lanes);

/// Calls a function out of line, to keep the caller short: nearly all processors take its other branch.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(crate) fn rarely<X>(work: impl FnOnce() -> X) -> X {
    work()
}
