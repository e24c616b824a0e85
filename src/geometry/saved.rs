//! The data form of coordinates and of shapes. A NaN is neither saved nor loaded.
//!
//! Readable formats lose some coordinates. JSON knows no infinity, so shapes write it as text. `serde_json` by default
//! misreads the last digit of some `f64`, so coordinates of objects, which must come back to the last bit, are written as
//! the bits of the `f64`.

use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeTuple};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Ball, Images, Ray, Rect, RectError, Scalar, Segment, Wrapped};

/// A coordinate or length of a shape, as a number that people can read where the format allows it.
#[derive(Clone, Copy)]
pub(crate) struct Readable<S>(pub(crate) S);

impl<S: Scalar + Serialize> Serialize for Readable<S> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let Self(value) = self;
        let number = value.to_f64();
        if number.is_nan() {
            Err(W::Error::custom(NO_NUMBER))
        } else if serializer.is_human_readable() && number.is_infinite() {
            serializer.serialize_str(if 0.0 < number { "inf" } else { "-inf" })
        } else {
            value.serialize(serializer)
        }
    }
}

impl<'de, S: Scalar + Deserialize<'de>> Deserialize<'de> for Readable<S> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let value = if deserializer.is_human_readable() {
            match NumberOrText::deserialize(deserializer)? {
                NumberOrText::Number(number) => S::from_f64(number),
                NumberOrText::Text(text) if text == "inf" => S::INFINITY,
                NumberOrText::Text(text) if text == "-inf" => S::NEG_INFINITY,
                NumberOrText::Text(_) => S::NAN,
            }
        } else {
            S::deserialize(deserializer)?
        };
        if value.to_f64().is_nan() { Err(R::Error::custom(NO_NUMBER)) } else { Ok(Self(value)) }
    }
}

const NO_NUMBER: &str = "a coordinate is a number that is not NaN, \"inf\" or \"-inf\"";

#[derive(Deserialize)]
#[serde(untagged, expecting = "a coordinate is a number that is not NaN, \"inf\" or \"-inf\"")]
enum NumberOrText {
    Number(f64),
    Text(String),
}

/// A coordinate that comes back to the last bit, in every format. It must be finite.
#[derive(Clone, Copy)]
pub(crate) struct Exact<S>(pub(crate) S);

impl<S: Scalar> Exact<S> {
    /// Whether the bits are written instead of the number. Readers round a number to `f64` well enough for an `f32`.
    fn as_bits(is_human_readable: bool) -> bool {
        is_human_readable && size_of::<S>() == size_of::<f64>()
    }
}

impl<S: Scalar + Serialize> Serialize for Exact<S> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        if Self::as_bits(serializer.is_human_readable()) {
            // Signed, since some formats know no larger numbers.
            return serializer.serialize_i64(self.0.to_f64().to_bits().cast_signed());
        }
        self.0.serialize(serializer)
    }
}

impl<'de, S: Scalar + Deserialize<'de>> Deserialize<'de> for Exact<S> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let value = if Self::as_bits(deserializer.is_human_readable()) {
            S::from_f64(f64::from_bits(i64::deserialize(deserializer)?.cast_unsigned()))
        } else {
            S::deserialize(deserializer)?
        };
        if value.is_finite() { Ok(Self(value)) } else { Err(R::Error::custom("a coordinate is not finite")) }
    }
}

/// An array that is written without its length.
#[derive(Clone, Copy)]
pub(crate) struct Array<C, const N: usize>(pub(crate) [C; N]);

impl<C: Serialize, const N: usize> Serialize for Array<C, N> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let mut tuple = serializer.serialize_tuple(N)?;
        self.0.iter().try_for_each(|element| tuple.serialize_element(element))?;
        tuple.end()
    }
}

impl<'de, C: Copy + Deserialize<'de>, const N: usize> Deserialize<'de> for Array<C, N> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_tuple(N, OfArray(PhantomData))
    }
}

impl<S: Copy, const D: usize> Array<Readable<S>, D> {
    pub(crate) fn of(numbers: [S; D]) -> Self {
        Self(numbers.map(Readable))
    }

    pub(crate) fn numbers(self) -> [S; D] {
        self.0.map(|Readable(number)| number)
    }
}

struct OfArray<C, const N: usize>(PhantomData<C>);

impl<'de, C: Copy + Deserialize<'de>, const N: usize> Visitor<'de> for OfArray<C, N> {
    type Value = Array<C, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{N} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Array<C, N>, A::Error> {
        let mut read = [None; N];
        for (place, element) in read.iter_mut().enumerate() {
            *element = Some(elements.next_element()?.ok_or_else(|| A::Error::invalid_length(place, &self))?);
        }
        Ok(Array(read.map(|element| element.expect("all were read"))))
    }
}

/// A box whose coordinates come back to the last bit. They must be finite. `ENDS` is 1 for a point, which has a single
/// corner.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "Corners<S, D, ENDS>", try_from = "Corners<S, D, ENDS>")]
#[serde(bound(serialize = "S: Scalar + Serialize", deserialize = "S: Scalar + Deserialize<'de>"))]
pub(crate) struct ExactRect<S: Scalar, const D: usize, const ENDS: usize>(pub(crate) Rect<S, D>);

type Corners<S, const D: usize, const ENDS: usize> = Array<Array<Exact<S>, D>, ENDS>;

impl<S: Scalar, const D: usize, const ENDS: usize> From<ExactRect<S, D, ENDS>> for Corners<S, D, ENDS> {
    fn from(ExactRect(rect): ExactRect<S, D, ENDS>) -> Self {
        let corners = [rect.min(), rect.max()].map(|corner| Array(corner.map(Exact)));
        Self(core::array::from_fn(|end| corners[end]))
    }
}

impl<S: Scalar, const D: usize, const ENDS: usize> TryFrom<Corners<S, D, ENDS>> for ExactRect<S, D, ENDS> {
    type Error = RectError;

    fn try_from(Array(corners): Corners<S, D, ENDS>) -> Result<Self, RectError> {
        let corner = |end: usize| corners[end].0.map(|Exact(value)| value);
        Rect::try_new(corner(0), corner(ENDS - 1)).map(Self)
    }
}

/// Saves a shape as the arguments of its constructor.
macro_rules! save_as {
    ($shape:ident as $saved:ident, $name:literal { $($array:ident)*; $($number:ident)? }, $made:expr) => {
        #[derive(Serialize, Deserialize)]
        #[serde(rename = $name)]
        #[serde(bound(serialize = "S: Scalar + Serialize", deserialize = "S: Scalar + Deserialize<'de>"))]
        struct $saved<S, const D: usize> {
            $($array: Array<Readable<S>, D>,)*
            $($number: Readable<S>,)?
        }

        impl<S: Scalar + Serialize, const D: usize> Serialize for $shape<S, D> {
            fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
                let saved = $saved {
                    $($array: Array::of(self.$array()),)*
                    $($number: Readable(self.$number()),)?
                };
                saved.serialize(serializer)
            }
        }

        impl<'de, S: Scalar + Deserialize<'de>, const D: usize> Deserialize<'de> for $shape<S, D> {
            fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
                let saved = $saved::<S, D>::deserialize(deserializer)?;
                $(let $array: [S; D] = saved.$array.numbers();)*
                $(let $number = saved.$number.0;)?
                ($made)($($array,)* $($number)?).map_err(R::Error::custom)
            }
        }
    };
}

pub(crate) use save_as;

save_as!(Rect as SavedRect, "Rect" { min max; }, Rect::try_new);
save_as!(Ball as SavedBall, "Ball" { center; radius }, |center, radius| Ok::<_, &str>(Ball::new(center, radius)));
save_as!(Segment as SavedSegment, "Segment" { from to; }, |from, to| Ok::<_, &str>(Segment::new(from, to)));
/// The arguments that a ray was made of.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Ray", bound(serialize = "S: Scalar + Serialize", deserialize = "S: Scalar + Deserialize<'de>"))]
enum SavedRay<S, const D: usize> {
    Ray { origin: Array<Readable<S>, D>, direction: Array<Readable<S>, D> },
    Segment(Segment<S, D>),
}

impl<S: Scalar + Serialize, const D: usize> Serialize for Ray<S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let saved = match self.end {
            Some(end) => SavedRay::Segment(Segment::new(self.origin(), end)),
            None => SavedRay::Ray { origin: Array::of(self.origin()), direction: Array::of(self.direction()) },
        };
        saved.serialize(serializer)
    }
}

impl<'de, S: Scalar + Deserialize<'de>, const D: usize> Deserialize<'de> for Ray<S, D> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        Ok(match SavedRay::deserialize(deserializer)? {
            SavedRay::Ray { origin, direction } => Self::new(origin.numbers(), direction.numbers()),
            SavedRay::Segment(segment) => segment.into(),
        })
    }
}

/// A region with its images: the periods, the first image in periods, and the number of images, on each axis.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Wrapped")]
struct SavedWrapped<R, const D: usize> {
    region: R,
    periods: Array<Exact<f64>, D>,
    first: Array<Exact<f64>, D>,
    count: Array<u8, D>,
}

impl<R: Serialize, const D: usize> Serialize for Wrapped<R, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let Self { region, images: Images { periods, first, count } } = self;
        let exact = |numbers: &[f64; D]| Array(numbers.map(Exact));
        SavedWrapped { region, periods: exact(periods), first: exact(first), count: Array(*count) }
            .serialize(serializer)
    }
}

impl<'de, R: Deserialize<'de>, const D: usize> Deserialize<'de> for Wrapped<R, D> {
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        let SavedWrapped { region, periods, first, count } = SavedWrapped::deserialize(deserializer)?;
        let numbers = |Array(numbers): Array<Exact<f64>, D>| numbers.map(|Exact(number)| number);
        let images = Images::of_parts(numbers(periods), numbers(first), count.0)
            .ok_or_else(|| W::Error::custom("there are no such images of a region"))?;
        Ok(Self::new(region, images))
    }
}
