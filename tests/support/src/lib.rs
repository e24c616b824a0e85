//! Shared by the tests: scalars with neighbours, worlds and awkward coordinates, a linear list as the oracle.
#![allow(
    missing_docs,
    missing_debug_implementations,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::new_without_default,
    clippy::return_self_not_must_use,
    reason = "public for the tests beside it only"
)]

pub mod agreement;
pub mod batches;
pub mod couples;
pub mod filled;
pub mod followed;
pub mod images;
pub mod inside;
#[cfg(instances)]
pub mod instances;
pub mod lattice;
pub mod line;
pub mod markers;
pub mod measure;
pub mod oracle;
pub mod order;
pub mod pairs;
pub mod properties;
pub mod questions;
pub mod run;
pub mod scan;
pub mod scene;
pub mod shapes;
pub mod spot;
pub mod stage;
pub mod step;
pub mod told;

use quadrille::{Handle, Layer, LayerId, LayerSettings, Moved, ObjectError, Points, Rects, Scalar, SpatialIndex};

use oracle::{Model, Span};

/// The index as the tests hold it: the value is a number that says which object it is.
pub type Index<S, const D: usize> = SpatialIndex<u32, S, D>;

/// Units a side of the world.
pub const UNITS: u32 = 1 << 30;

/// A scalar with its neighbours and its extremes, told apart from the library's own constants.
pub trait Real: Scalar {
    /// The largest finite number.
    const LARGEST: Self;
    /// The smallest number above zero.
    const SMALLEST: Self;
    /// Where neighbouring numbers lie one apart (or half of one).
    const FAR: f64;

    /// The nearest number of this type.
    fn of(value: f64) -> Self;

    /// The same number, exactly.
    fn value(self) -> f64;

    /// The next number above.
    fn up(self) -> Self;

    /// The next number below.
    fn down(self) -> Self;

    /// The difference, rounded as this type rounds.
    fn minus(self, other: Self) -> Self;

    /// The unit that holds this coordinate: the definition, not the library's code.
    fn unit(self, origin: Self, side: Self) -> u32 {
        self.unit_beyond(origin, side).min(UNITS - 1)
    }

    /// The same, counted on beyond the world.
    fn unit_beyond(self, origin: Self, side: Self) -> u32;
}

macro_rules! real {
    ($scalar:ident, $far:expr) => {
        impl Real for $scalar {
            const LARGEST: Self = $scalar::MAX;
            const SMALLEST: Self = $scalar::from_bits(1);
            const FAR: f64 = $far;

            #[allow(clippy::cast_possible_truncation, reason = "rounding to this type is the point")]
            fn of(value: f64) -> Self {
                value as $scalar
            }

            fn value(self) -> f64 {
                f64::from(self)
            }

            fn up(self) -> Self {
                if self == 0.0 {
                    Self::SMALLEST
                } else if self > 0.0 {
                    $scalar::from_bits(self.to_bits() + 1)
                } else {
                    $scalar::from_bits(self.to_bits() - 1)
                }
            }

            fn down(self) -> Self {
                -(-self).up()
            }

            fn minus(self, other: Self) -> Self {
                self - other
            }

            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the cast saturates, and that is the definition"
            )]
            fn unit_beyond(self, origin: Self, side: Self) -> u32 {
                let scale = 1_073_741_824.0 / side;
                (((self - origin) * scale) as u32).min(2 * UNITS - 2)
            }
        }
    };
}

real!(f32, 1e7);
real!(f64, 4e15);

/// Runs generic tests for one scalar in one dimension. With the feature `two-spaces` of the tests they run for the others too, but
/// in two combinations only, as no code depends on both; with `other-spaces` the other two run instead.
#[macro_export]
macro_rules! in_spaces {
    ($($test:ident),+ $(,)?) => {
        $(mod $test {
            #[cfg(not(feature = "other-spaces"))]
            $crate::tests_in!($test, f32_2d: f32, 2);
            #[cfg(all(feature = "two-spaces", not(feature = "other-spaces")))]
            $crate::tests_in!($test, f64_3d: f64, 3);
            #[cfg(feature = "other-spaces")]
            $crate::tests_in!($test, f32_3d: f32, 3; f64_2d: f64, 2);
        })+
    };
}

/// Runs generic tests that compile much code for each space: in one, and with the feature `other-spaces` in the other three.
#[macro_export]
macro_rules! in_one_space {
    ($($test:ident),+ $(,)?) => {
        $(mod $test {
            #[cfg(not(any(feature = "two-spaces", feature = "other-spaces")))]
            $crate::tests_in!($test, f32_2d: f32, 2);
            #[cfg(all(feature = "two-spaces", not(feature = "other-spaces")))]
            $crate::tests_in!($test, f64_3d: f64, 3);
            #[cfg(feature = "other-spaces")]
            $crate::tests_in!($test, f32_2d: f32, 2; f32_3d: f32, 3; f64_2d: f64, 2);
        })+
    };
}

/// The same test in some spaces.
#[macro_export]
macro_rules! tests_in {
    ($test:ident, $($space:ident: $scalar:ty, $dimension:literal);+) => {
        $(#[test]
        fn $space() {
            super::$test::<$scalar, $dimension>();
        })+
    };
}

/// A layer of either kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnyLayer {
    Points(Layer<Points>),
    Rects(Layer<Rects>),
}

impl AnyLayer {
    pub fn add<S: Real, const D: usize>(index: &mut Index<S, D>, rects: bool, settings: LayerSettings) -> Self {
        if rects {
            Self::Rects(index.add_rect_layer_with(settings).expect("a rect layer"))
        } else {
            Self::Points(index.add_point_layer_with(settings).expect("a point layer"))
        }
    }

    pub fn id(self) -> LayerId {
        match self {
            Self::Points(layer) => layer.id(),
            Self::Rects(layer) => layer.id(),
        }
    }

    pub fn holds_rects(self) -> bool {
        matches!(self, Self::Rects(_))
    }

    /// The part of the span that a layer of this kind keeps.
    pub fn trimmed<S: Real, const D: usize>(self, span: Span<S, D>) -> Span<S, D> {
        match self {
            Self::Points(_) => Span::at(span.min),
            Self::Rects(_) => span,
        }
    }

    pub fn insert<S: Real, const D: usize>(
        self,
        index: &mut Index<S, D>,
        span: Span<S, D>,
        value: u32,
    ) -> Result<Handle, ObjectError> {
        match self {
            Self::Points(layer) => index.insert(layer, span.min, value),
            Self::Rects(layer) => index.insert(layer, span.rect(), value),
        }
    }

    /// Inserts into the index and the oracle, trimmed.
    pub fn insert_in_both<S: Real, const D: usize>(
        self,
        index: &mut Index<S, D>,
        model: &mut Model<S, D>,
        span: Span<S, D>,
        value: u32,
    ) -> Handle {
        let span = self.trimmed(span);
        let handle = self.insert(index, span, value).expect("a finite shape");
        model.insert(handle, self.id(), span, value);
        handle
    }

    pub fn move_to<S: Real, const D: usize>(
        self,
        index: &mut Index<S, D>,
        handle: Handle,
        span: Span<S, D>,
    ) -> Result<Moved, ObjectError> {
        match self {
            Self::Points(_) => index.move_to(handle, span.min),
            Self::Rects(_) => index.move_to(handle, span.rect()),
        }
    }

    pub fn take<S: Real, const D: usize>(self, index: &mut Index<S, D>, handle: Handle) -> Result<(), ObjectError> {
        match self {
            Self::Points(layer) => index.set_layer(handle, layer),
            Self::Rects(layer) => index.set_layer(handle, layer),
        }
    }
}

/// Checks the numbered invariants and says what was done last.
pub fn assert_sound<S: Real, const D: usize>(index: &Index<S, D>, after: &str) {
    if let Err(broken) = index.check_integrity() {
        panic!("after {after}: {broken:?}");
    }
}

/// Small whole numbers that look random; the same for the same seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = (mixed ^ (mixed >> 31)) >> 33;
        usize::try_from(high).expect("31 bits") % limit
    }

    /// A number from 0 to 1, 1 left out, of 24 bits.
    pub fn fraction(&mut self) -> f64 {
        f64::from(u32::try_from(self.below(1 << 24)).expect("24 bits")) / f64::from(1 << 24)
    }
}
