//! One query of a region to one index: what lazy queries and batches share.
//!
//! The library compiles a query for each predicate, shape and kind of index, for several widths of vectors, and once more for
//! worlds that wrap around. So all come through `RegionQuery::ask`, and those that are asked less share code.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille as library;
use quadrille::{CellSizeError, Cluster, Handle, LayerSet, Periodic, Query, Rect, Region};

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

/// The use made of the objects of a query.
trait Consumer: Sized {
    type Answer;

    fn consume(self, objects: impl Iterator<Item = Handle>) -> Self::Answer;
}

/// Adds them to a list, or only the first.
struct Collect<'a>(&'a mut Vec<Handle>, bool);

impl Consumer for Collect<'_> {
    type Answer = ();

    fn consume(self, mut objects: impl Iterator<Item = Handle>) {
        if self.1 {
            self.0.extend(objects.next());
        } else {
            // By `for_each`, which is faster for queries than `next`.
            objects.for_each(|handle| self.0.push(handle));
        }
    }
}

struct Count;

impl Consumer for Count {
    type Answer = usize;

    fn consume(self, objects: impl Iterator<Item = Handle>) -> usize {
        objects.count()
    }
}

/// The handles of a query. Its objects are counted as the query itself counts them.
struct Handles<Q>(Q);

impl<S: Number, const D: usize, P: library::Predicate, R: library::Region<S, D>> Iterator
    for Handles<Query<'_, (), P, S, D, R>>
{
    type Item = Handle;

    #[inline]
    fn next(&mut self) -> Option<Handle> {
        self.0.next().map(|object| object.handle())
    }

    fn fold<A, F: FnMut(A, Handle) -> A>(self, init: A, mut f: F) -> A {
        self.0.fold(init, |folded, object| f(folded, object.handle()))
    }

    fn count(self) -> usize {
        self.0.count()
    }
}

impl<S: Number, const D: usize> RegionQuery<'_, S, D> {
    /// Adds the objects to a list, or only some one.
    pub(crate) fn collect(&self, space: &Space<S, D>, tree: &Tree<S, D>, handles: &mut Vec<Handle>, only_one: bool) {
        self.ask(space, tree, Collect(handles, only_one));
    }

    /// The same of some objects only, given in ascending order.
    pub(crate) fn among(&self, space: &Space<S, D>, tree: &Tree<S, D>, moved: Option<&[Handle]>) -> Vec<Handle> {
        let mut handles = Vec::new();
        match moved {
            Some(moved) if self.torus(space).is_none() => handles.extend(moved.iter().filter(|&&handle| {
                let is_asked = tree.layer(handle).is_some_and(|layer| self.layers.contains(layer));
                is_asked
                    && !self.excluded.contains(&handle)
                    && tree.shape(handle).is_some_and(|shape| self.holds(&shape))
            })),
            _ => {
                self.collect(space, tree, &mut handles, false);
                handles.retain(|handle| moved.is_none_or(|moved| moved.binary_search(handle).is_ok()));
            }
        }
        handles
    }

    /// Whether an object is in the answer, by its shape, in a world with edges.
    pub(crate) fn holds(&self, shape: &Rect<S, D>) -> bool {
        match (self.predicate, &*self.region) {
            (Predicate::Intersecting, TypedRegion::Rect(rect)) => rect.intersects(shape),
            (Predicate::Intersecting, TypedRegion::Ball(ball)) => ball.intersects(shape),
            (Predicate::Intersecting, region) => region.bounds().intersects(shape) && region.shape().intersects(shape),
            (Predicate::ContainedIn, region) => region.shape().contains(shape),
            (Predicate::Containing, region) => shape.contains(&region.bounds()),
        }
    }

    pub(crate) fn count(&self, space: &Space<S, D>, tree: &Tree<S, D>) -> usize {
        self.ask(space, tree, Count)
    }

    /// Groups the objects by square cells.
    pub(crate) fn clusters(
        &self, space: &Space<S, D>, tree: &Tree<S, D>, size: S,
    ) -> Result<Vec<Cluster<S, D>>, CellSizeError> {
        match self.predicate {
            Predicate::Intersecting => self.grouped(space, tree.intersecting(self.region.shape()), size),
            Predicate::ContainedIn => self.grouped(space, tree.contained_in(self.region.shape()), size),
            Predicate::Containing => self.grouped(space, tree.containing(self.region.bounds()), size),
        }
    }

    fn grouped<P: library::Predicate, R: library::Region<S, D>>(
        &self, space: &Space<S, D>, query: Query<'_, (), P, S, D, R>, size: S,
    ) -> Result<Vec<Cluster<S, D>>, CellSizeError> {
        let query = self.filtered(query);
        match self.torus(space) {
            None => Ok(query.clusters(size)?.collect()),
            Some(torus) => Ok(query.periodic(torus).clusters(size)?.collect()),
        }
    }

    fn ask<C: Consumer>(&self, space: &Space<S, D>, tree: &Tree<S, D>, consumer: C) -> C::Answer {
        match (self.predicate, &*self.region) {
            (Predicate::Intersecting, TypedRegion::Rect(rect)) if space.torus.is_none() => {
                consumer.consume(Handles(self.filtered(tree.intersecting(*rect))))
            }
            (Predicate::ContainedIn, TypedRegion::Rect(rect)) if space.torus.is_none() => {
                consumer.consume(Handles(self.filtered(tree.contained_in(*rect))))
            }
            (Predicate::Intersecting, TypedRegion::Ball(ball)) => {
                self.ask_in_world(space, tree.intersecting(*ball), consumer)
            }
            (Predicate::Intersecting, region) => self.ask_in_world(space, tree.intersecting(region.shape()), consumer),
            (Predicate::ContainedIn, region) => self.ask_in_world(space, tree.contained_in(region.shape()), consumer),
            (Predicate::Containing, region) => self.ask_in_world(space, tree.containing(region.bounds()), consumer),
        }
    }

    /// In a world that wraps around, one compiled form of a query serves all consumers.
    fn ask_in_world<P: library::Predicate, R: library::Region<S, D>, C: Consumer>(
        &self, space: &Space<S, D>, query: Query<'_, (), P, S, D, R>, consumer: C,
    ) -> C::Answer {
        let query = self.filtered(query);
        match self.torus(space) {
            None => consumer.consume(Handles(query)),
            Some(torus) => {
                let mut handles = Handles(query.periodic(torus));
                consumer.consume(&mut handles as &mut dyn Iterator<Item = Handle>)
            }
        }
    }

    /// How the world wraps around for this region.
    pub(crate) fn torus<'s>(&self, space: &'s Space<S, D>) -> Option<&'s Periodic<S, D>> {
        space.torus.as_ref().filter(|_| !self.region.repeats())
    }

    pub(crate) fn filtered<'t, P: library::Predicate, R: library::Region<S, D>>(
        &self, query: Query<'t, (), P, S, D, R>,
    ) -> Query<'t, (), P, S, D, R> {
        query.in_layers(self.layers).excluding(&*self.excluded)
    }
}
