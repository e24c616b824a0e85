//! Without the feature `rayon`: whoever calls `into_par_iter` is told that it is missing.
//!
//! The methods cannot be called, since no query implements the trait that they ask for.

use crate::pairs::Join;
use crate::query::Query;

/// Implemented by nothing.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`into_par_iter` needs the feature `rayon` of the crate `quadrille`",
    label = "without the feature `rayon` this is a query for one thread",
    note = "in `Cargo.toml`, add it to the dependency: `quadrille = {{ version = \"…\", features = [\"rayon\"] }}`"
)]
pub trait FeatureRayon {}

impl<T, P, S, const D: usize, R> Query<'_, T, P, S, D, R> {
    #[doc(hidden)]
    pub fn into_par_iter(self) -> Self
    where
        Self: FeatureRayon,
    {
        self
    }
}

impl<T, U, S, const D: usize> Join<'_, '_, T, U, S, D> {
    #[doc(hidden)]
    pub fn into_par_iter(self) -> Self
    where
        Self: FeatureRayon,
    {
        self
    }
}
