//! One query of a region to one index: what lazy queries and batches share.
//!
//! The library compiles a query for each predicate, shape and kind of index, for several widths of vectors, and once more for
//! worlds that wrap around. So all come through `RegionQuery::ask`, and those that are asked less share the code for any shape.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille as library;
use quadrille::{Handle, LayerSet};

use crate::arrays::Number;
use crate::regions::TypedRegion;
use crate::space::{Space, Tree};

#[derive(Clone, Copy)]
pub(crate) enum Predicate {
    Intersecting,
    ContainedIn,
    Containing,
}

impl Predicate {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Intersecting => "intersecting",
            Self::ContainedIn => "contained_in",
            Self::Containing => "containing",
        }
    }

    pub(crate) fn named(name: &str) -> PyResult<Self> {
        let mut known = [Self::Intersecting, Self::ContainedIn, Self::Containing].into_iter();
        let known = known.find(|known| known.name() == name);
        known.ok_or_else(|| PyValueError::new_err(format!("predicate: there is no {name:?}")))
    }
}

/// A predicate, its region, and the filters.
pub(crate) struct RegionQuery<'a, S: Number, const D: usize> {
    pub(crate) predicate: Predicate,
    pub(crate) region: Cow<'a, TypedRegion<S, D>>,
    pub(crate) layers: LayerSet,
    /// Objects that are left out; the default handle names none.
    pub(crate) excluded: Cow<'a, [Handle]>,
}

/// What becomes of a query of the library, whatever its type.
pub(crate) trait Consumer<'t, S, const D: usize> {
    type Answer;

    fn consume<P, R>(self, query: library::Query<'t, (), P, S, D, R>) -> Self::Answer
    where
        P: library::Predicate + Send + Sync + 'static,
        R: library::Region<S, D> + Send + Sync + 'static;
}

/// Adds the handles of the answer to a list.
struct Collect<'a>(&'a mut Vec<Handle>);

impl<'t, S: Number, const D: usize> Consumer<'t, S, D> for Collect<'_> {
    type Answer = ();

    fn consume<P: library::Predicate, R: library::Region<S, D>>(self, query: library::Query<'t, (), P, S, D, R>) {
        query.for_each(|object| self.0.push(object.handle()));
    }
}

struct Count;

impl<'t, S: Number, const D: usize> Consumer<'t, S, D> for Count {
    type Answer = usize;

    fn consume<P: library::Predicate, R: library::Region<S, D>>(
        self,
        query: library::Query<'t, (), P, S, D, R>,
    ) -> usize {
        query.count()
    }
}

struct First;

impl<'t, S: Number, const D: usize> Consumer<'t, S, D> for First {
    type Answer = Option<Handle>;

    fn consume<P: library::Predicate, R: library::Region<S, D>>(
        self,
        mut query: library::Query<'t, (), P, S, D, R>,
    ) -> Option<Handle> {
        query.next().map(|object| object.handle())
    }
}

impl<S: Number, const D: usize> RegionQuery<'_, S, D> {
    pub(crate) fn collect(&self, space: &Space<S, D>, tree: &Tree<S, D>, handles: &mut Vec<Handle>) {
        self.ask(space, tree, Collect(handles));
    }

    pub(crate) fn count(&self, space: &Space<S, D>, tree: &Tree<S, D>) -> usize {
        self.ask(space, tree, Count)
    }

    pub(crate) fn first(&self, space: &Space<S, D>, tree: &Tree<S, D>) -> Option<Handle> {
        self.ask(space, tree, First)
    }

    fn ask<'t, C: Consumer<'t, S, D>>(&self, space: &Space<S, D>, tree: &'t Tree<S, D>, consumer: C) -> C::Answer {
        match (self.predicate, &*self.region) {
            (Predicate::Intersecting, TypedRegion::Rect(rect)) => {
                self.filtered(space, tree.intersecting(*rect), consumer)
            }
            (Predicate::Intersecting, TypedRegion::Ball(ball)) => {
                self.filtered(space, tree.intersecting(*ball), consumer)
            }
            (Predicate::ContainedIn, TypedRegion::Rect(rect)) => {
                self.filtered(space, tree.contained_in(*rect), consumer)
            }
            _ => self.ask_any_shape(space, tree, consumer),
        }
    }

    /// The same with less code, and slower for boxes and balls.
    pub(crate) fn ask_any_shape<'t, C: Consumer<'t, S, D>>(
        &self,
        space: &Space<S, D>,
        tree: &'t Tree<S, D>,
        consumer: C,
    ) -> C::Answer {
        match self.predicate {
            Predicate::Intersecting => self.filtered(space, tree.intersecting(self.region.shape()), consumer),
            Predicate::ContainedIn => self.filtered(space, tree.contained_in(self.region.shape()), consumer),
            Predicate::Containing => self.filtered(space, tree.containing(self.region.bounds()), consumer),
        }
    }

    fn filtered<'t, P, R, C>(
        &self,
        space: &Space<S, D>,
        query: library::Query<'t, (), P, S, D, R>,
        consumer: C,
    ) -> C::Answer
    where
        P: library::Predicate<Wrapped: Send + Sync + 'static> + Send + Sync + 'static,
        R: library::Region<S, D> + Send + Sync + 'static,
        C: Consumer<'t, S, D>,
    {
        let query = query.in_layers(self.layers).excluding(&*self.excluded);
        match &space.torus {
            None => consumer.consume(query),
            Some(torus) => consumer.consume(query.periodic(torus)),
        }
    }
}
