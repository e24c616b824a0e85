//! Without the feature `rayon`: whoever calls `into_par_iter` or a method `par_…` is told that it is missing.
//!
//! The methods cannot be called, since nothing implements the trait that they ask for.

use alloc::vec::Vec;

use crate::clusters::{Cluster, Clusters};
use crate::geometry::{Rect, Region, Scalar};
use crate::index::{BatchMoved, ObjectRef, SpatialIndex};
use crate::key::Handle;
use crate::layer::{IntoShape, Layer, LayerError, LayerKind};
use crate::pairs::{Around, Join, Neighbors};
use crate::query::{Predicate, Query};
use crate::watch::{ContactChanges, Contacts, PollError};

/// Implemented by nothing.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`into_par_iter` and the methods `par_…` need the feature `rayon` of the crate `quadrille`",
    label = "without the feature `rayon` this is for one thread",
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

impl<'a, T, S: Scalar, const D: usize, C> Neighbors<'a, T, S, D, C> {
    #[doc(hidden)]
    pub fn par_map<R>(self, tell: impl Fn(C, Around<'_, 'a, T, S, D>) -> R) -> impl Iterator<Item = R>
    where
        Self: FeatureRayon,
    {
        self.map(tell)
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> Clusters<'a, T, P, S, D, R> {
    #[doc(hidden)]
    pub fn par_collect(self) -> Vec<Cluster<S, D>>
    where
        Self: FeatureRayon,
    {
        self.collect()
    }

    #[doc(hidden)]
    pub fn par_map_reduce<A>(
        self,
        map: impl Fn(ObjectRef<'a, T, S, D>) -> A,
        reduce: impl Fn(&mut A, A),
    ) -> Vec<(Cluster<S, D>, A)>
    where
        Self: FeatureRayon,
    {
        self.map_reduce(map, reduce)
    }
}

impl Contacts {
    #[doc(hidden)]
    pub fn par_poll<'a, 'b, T: 'a, U: 'b, S: Scalar, const D: usize>(
        &mut self,
        // Of `Contacts`, which has no parameters, the compiler would know at once that it lacks the trait.
        answer: impl IntoIterator<Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>)> + FeatureRayon,
    ) -> Result<ContactChanges<'_>, PollError> {
        self.poll(answer)
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    #[doc(hidden)]
    pub fn par_update<K: LayerKind, P: IntoShape<K, S, D>>(
        &mut self,
        layer: Layer<K>,
        shape_of: impl Fn(Handle, &T, Rect<S, D>) -> P,
    ) -> Result<BatchMoved, LayerError>
    where
        Self: FeatureRayon,
    {
        self.update(layer, |handle, value, shape| shape_of(handle, &value, shape))
    }
}
