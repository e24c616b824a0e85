//! quadrille for C: all that `include/quadrille.h` declares. Arrays in, arrays out; the library answers.
//!
//! `gate` alone trusts pointers. `stamp` makes functions for four kinds of indexes of each body.

mod error;
mod gate;
mod question;
mod stamp;
mod answers;
mod objects;

/// A coordinate: `double` or `float`.
trait Number: quadrille::Scalar + serde::Serialize + serde::de::DeserializeOwned {}

impl<S: quadrille::Scalar + serde::Serialize + serde::de::DeserializeOwned> Number for S {}

/// An index of one of the four kinds. Users keep what belongs to objects in lists of their own, by slots.
type Index<S, const D: usize> = quadrille::SpatialIndex<(), S, D>;
