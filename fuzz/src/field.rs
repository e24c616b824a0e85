//! The arguments of operations: small values without a scalar, a dimension or a handle, which can be drawn from bytes,
//! written as text and read again.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use quadrille::{LayerSettings, Rect};
use quadrille_support::Real;
use quadrille_support::oracle::Span;
use quadrille_support::scene::side_of;
use quadrille_support::spot::{self, Fixed};

use crate::bytes::Bytes;

/// An argument of an operation.
pub trait Field: Sized + Display + FromStr {
    fn draw(bytes: &mut Bytes<'_>) -> Self;
}

impl Field for u8 {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        bytes.byte()
    }
}

impl Field for u16 {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        bytes.word()
    }
}

/// A small whole number, mostly around 0.
impl Field for i8 {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        bytes.below(28).cast_signed() - 3
    }
}

/// Set in one of two cases.
impl Field for bool {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        bytes.below(2) == 1
    }
}

/// The text is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoField;

fn number<T: FromStr>(text: &str) -> Result<T, NoField> {
    text.parse().map_err(|_| NoField)
}

/// A coordinate, said without its scalar and its world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    place: Place,
    /// So many neighbours further.
    nudge: i8,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// So many sixteenths of the side from the world's minimum: `16` is its maximum.
    Sixteenth(i8),
    /// The line `at` of those of cells of a level.
    Line { level: u8, at: u32 },
    /// One of [`NAMED`].
    Named(u8),
}

const NAMED: [&str; 9] = ["0", "-0", "tiny", "-tiny", "max", "-max", "inf", "-inf", "nan"];
const FIXED: [Fixed; 8] = [
    Fixed::Zero,
    Fixed::MinusZero,
    Fixed::Smallest,
    Fixed::MinusSmallest,
    Fixed::Largest,
    Fixed::MinusLargest,
    Fixed::Infinity,
    Fixed::MinusInfinity,
];

impl Spot {
    /// So many sixteenths from the world's minimum.
    pub fn sixteenth(at: i8) -> Self {
        Self { place: Place::Sixteenth(at), nudge: 0 }
    }

    /// The coordinate on an axis of a world that begins at `min` and whose longest side is `side`.
    pub fn resolve<S: Real>(self, min: S, side: S) -> S {
        let at = match self.place {
            Place::Sixteenth(at) => spot::at(at.into()),
            Place::Line { level, at } => spot::fine(level, at.into()),
            Place::Named(8) => return S::of(f64::NAN),
            Place::Named(name) => spot::fixed(FIXED[usize::from(name)]),
        };
        at.nudged(self.nudge).resolve(min, side)
    }

    /// A length in a world of that side.
    pub fn length<S: Real>(self, side: S) -> S {
        self.resolve(S::of(0.0), side)
    }

    /// On the lattice of sixteenths, this number of it.
    pub fn on_lattice(self) -> Option<i64> {
        match self {
            Self { place: Place::Sixteenth(at), nudge: 0 } => Some(at.into()),
            _ => None,
        }
    }

    fn finite(bytes: &mut Bytes<'_>) -> Self {
        let nudge = if bytes.below(6) == 0 { bytes.below(5).cast_signed() - 2 } else { 0 };
        let place = match bytes.below(20) {
            0..=11 => Place::Sixteenth(bytes.below(24).cast_signed() - 3),
            12..=18 => {
                let level = bytes.below(31);
                let at = u32::from(bytes.word()) | u32::from(bytes.word()) << 16;
                Place::Line { level, at: at % ((1 << level) + 1) }
            }
            _ => Place::Named(bytes.below(6)),
        };
        Self { place, nudge }
    }

    /// One of the largest numbers or of the smallest, or a neighbour.
    fn extreme(bytes: &mut Bytes<'_>) -> Self {
        Self { place: Place::Named(bytes.below(6)), nudge: bytes.below(7).cast_signed() - 3 }
    }

    /// A spot not far above.
    fn above(self, bytes: &mut Bytes<'_>) -> Self {
        let place = match self.place {
            Place::Sixteenth(at) if bytes.below(4) == 0 => {
                let level = 4 + bytes.below(24);
                let at = (u32::from(at.max(0).unsigned_abs()) << (level - 4)) + 1;
                Place::Line { level, at }
            }
            Place::Sixteenth(at) => Place::Sixteenth(at + bytes.below(3).cast_signed()),
            Place::Line { level, at } => Place::Line { level, at: at + u32::from(bytes.below(3)) },
            Place::Named(name) => Place::Named(name),
        };
        Self { place, nudge: self.nudge }
    }
}

impl Field for Spot {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        if bytes.below(64) == 0 {
            return Self { place: Place::Named(6 + bytes.below(3)), nudge: 0 };
        }
        Self::finite(bytes)
    }
}

impl Display for Spot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Sixteenth(at) => write!(f, "s{at}")?,
            Place::Line { level, at } => write!(f, "l{level}/{at}")?,
            Place::Named(name) => write!(f, "{}", NAMED[usize::from(name)])?,
        }
        if self.nudge == 0 { Ok(()) } else { write!(f, "^{}", self.nudge) }
    }
}

impl FromStr for Spot {
    type Err = NoField;

    fn from_str(text: &str) -> Result<Self, NoField> {
        let (place, nudge) = text.split_once('^').unwrap_or((text, "0"));
        let named = NAMED.iter().position(|name| *name == place);
        let place = if let Some(named) = named {
            Place::Named(named as u8)
        } else if let Some(at) = place.strip_prefix('s') {
            Place::Sixteenth(number(at)?)
        } else {
            let (level, at) = place.strip_prefix('l').and_then(|line| line.split_once('/')).ok_or(NoField)?;
            let level: u8 = number(level)?;
            Place::Line { level: level.min(34), at: number(at)? }
        };
        Ok(Self { place, nudge: number(nudge)? })
    }
}

/// A place: three coordinates, of which a plane uses two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner(pub [Spot; 3]);

impl Corner {
    pub fn resolve<S: Real, const D: usize>(&self, world: &Rect<S, D>) -> [S; D] {
        let side = side_of(world);
        core::array::from_fn(|axis| self.0[axis].resolve(world.min()[axis], side))
    }

    /// As lengths.
    pub fn lengths<S: Real, const D: usize>(&self, world: &Rect<S, D>) -> [S; D] {
        let side = side_of(world);
        core::array::from_fn(|axis| self.0[axis].length(side))
    }
}

impl Field for Corner {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        // Seldom anything but a finite number: a NaN on one of six axes would leave few shapes. Seldom extremes, but on all
        // axes then, so that they come together.
        let one = match bytes.below(16) {
            0 => Spot::draw,
            1 => Spot::extreme,
            _ => Spot::finite,
        };
        Self([one(bytes), one(bytes), one(bytes)])
    }
}

impl Display for Corner {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "{x},{y},{z}")
    }
}

impl FromStr for Corner {
    type Err = NoField;

    fn from_str(text: &str) -> Result<Self, NoField> {
        let spots: Vec<Spot> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self(spots.try_into().map_err(|_| NoField)?))
    }
}

/// A box between two places; a point where they are the same, or in a layer of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape(pub [Corner; 2]);

impl Shape {
    /// Its corners in order, a NaN where it was drawn.
    pub fn span<S: Real, const D: usize>(&self, world: &Rect<S, D>) -> Span<S, D> {
        let [from, to] = self.0.map(|corner| corner.resolve(world));
        Span::between(from, to)
    }
}

impl Field for Shape {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        let kind = bytes.below(8);
        let from = Corner::draw(bytes);
        let to = match kind {
            0 | 1 => from,
            2..=6 => Corner(from.0.map(|spot| spot.above(bytes))),
            _ => Corner::draw(bytes),
        };
        Self([from, to])
    }
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [from, to] = self.0;
        if from == to { write!(f, "{from}") } else { write!(f, "{from}:{to}") }
    }
}

impl FromStr for Shape {
    type Err = NoField;

    fn from_str(text: &str) -> Result<Self, NoField> {
        let (from, to) = text.split_once(':').unwrap_or((text, text));
        Ok(Self([from.parse()?, to.parse()?]))
    }
}

/// Which layers: those of the bits, or all but these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    pub bits: u8,
    pub all_but_these: bool,
}

impl Field for Layers {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        match bytes.below(4) {
            0 => Self { bits: bytes.byte(), all_but_these: bytes.below(2) == 1 },
            _ => Self { bits: 0, all_but_these: true },
        }
    }
}

impl Display for Layers {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.all_but_these { "!" } else { "" }, self.bits)
    }
}

impl FromStr for Layers {
    type Err = NoField;

    fn from_str(text: &str) -> Result<Self, NoField> {
        let bits = text.strip_prefix('!');
        Ok(Self { bits: number(bits.unwrap_or(text))?, all_but_these: bits.is_some() })
    }
}

/// Settings of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub rects: bool,
    pub depth_max: Option<u8>,
    pub split_above: u8,
}

impl Settings {
    pub fn build(self) -> LayerSettings {
        let settings = LayerSettings::new().split_above(self.split_above.into());
        self.depth_max.map_or(settings, |depth_max| settings.depth_max(depth_max))
    }
}

impl Field for Settings {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        let rects = bytes.below(2) == 1;
        let depth_max = (bytes.below(3) == 0).then(|| bytes.below(16));
        let split_above = [64, 2, 3, 1, 0, 5, 8, 100][usize::from(bytes.below(8))];
        Self { rects, depth_max, split_above }
    }
}

impl Display for Settings {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let depth_max = self.depth_max.map_or_else(|| "any".to_owned(), |depth_max| depth_max.to_string());
        write!(f, "{}/{depth_max}/{}", if self.rects { "rects" } else { "points" }, self.split_above)
    }
}

impl FromStr for Settings {
    type Err = NoField;

    fn from_str(text: &str) -> Result<Self, NoField> {
        let mut parts = text.split('/');
        let (rects, depth_max) = (parts.next() == Some("rects"), parts.next().ok_or(NoField)?);
        let depth_max = if depth_max == "any" { None } else { Some(number(depth_max)?) };
        Ok(Self { rects, depth_max, split_above: number(parts.next().ok_or(NoField)?)? })
    }
}

/// An object or none, by a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maybe<T>(pub Option<T>);

impl<T: Field> Field for Maybe<T> {
    fn draw(bytes: &mut Bytes<'_>) -> Self {
        Self((bytes.below(3) == 0).then(|| T::draw(bytes)))
    }
}

impl<T: Display> Display for Maybe<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(some) => some.fmt(f),
            None => f.write_str("none"),
        }
    }
}

impl<T: FromStr> FromStr for Maybe<T> {
    type Err = NoField;

    fn from_str(text: &str) -> Result<Self, NoField> {
        if text == "none" { Ok(Self(None)) } else { Ok(Self(Some(number(text)?))) }
    }
}
