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
    pub(crate) excluded: &'a [Handle],
}

/// The part of an answer that is wanted: in one function, so that a query is compiled once.
#[derive(Clone, Copy)]
enum Wanted {
    All,
    One,
    Number,
}

impl Wanted {
    /// Adds objects to a list, or returns how many there are.
    fn take<S: Number, const D: usize, P: library::Predicate, R: library::Region<S, D>>(
        self, mut query: Query<'_, (), P, S, D, R>, handles: &mut Vec<Handle>,
    ) -> usize {
        match self {
            Self::All => query.handles_into(handles),
            Self::One => handles.extend(query.next().map(|object| object.handle())),
            Self::Number => return query.count(),
        }
        handles.len()
    }
}

impl<S: Number, const D: usize> RegionQuery<'_, S, D> {
    /// Adds the objects to a list, or only some one.
    pub(crate) fn collect(&self, space: &Space<S, D>, tree: &Tree<S, D>, handles: &mut Vec<Handle>, only_one: bool) {
        self.ask(space, tree, if only_one { Wanted::One } else { Wanted::All }, handles);
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
        self.ask(space, tree, Wanted::Number, &mut Vec::new())
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

    fn ask(&self, space: &Space<S, D>, tree: &Tree<S, D>, wanted: Wanted, handles: &mut Vec<Handle>) -> usize {
        match (self.predicate, &*self.region) {
            (Predicate::Intersecting, TypedRegion::Rect(rect)) if space.torus.is_none() => {
                wanted.take(self.filtered(tree.intersecting(*rect)), handles)
            }
            (Predicate::ContainedIn, TypedRegion::Rect(rect)) if space.torus.is_none() => {
                wanted.take(self.filtered(tree.contained_in(*rect)), handles)
            }
            (Predicate::Intersecting, TypedRegion::Ball(ball)) => {
                self.ask_in_world(space, tree.intersecting(*ball), wanted, handles)
            }
            (Predicate::Intersecting, region) => {
                self.ask_in_world(space, tree.intersecting(region.shape()), wanted, handles)
            }
            (Predicate::ContainedIn, region) => {
                self.ask_in_world(space, tree.contained_in(region.shape()), wanted, handles)
            }
            (Predicate::Containing, region) => {
                self.ask_in_world(space, tree.containing(region.bounds()), wanted, handles)
            }
        }
    }

    fn ask_in_world<P: library::Predicate, R: library::Region<S, D>>(
        &self, space: &Space<S, D>, query: Query<'_, (), P, S, D, R>, wanted: Wanted, handles: &mut Vec<Handle>,
    ) -> usize {
        let query = self.filtered(query);
        match self.torus(space) {
            None => wanted.take(query, handles),
            Some(torus) => wanted.take(query.periodic(torus), handles),
        }
    }

    /// How the world wraps around for this region.
    pub(crate) fn torus<'s>(&self, space: &'s Space<S, D>) -> Option<&'s Periodic<S, D>> {
        space.torus.as_ref().filter(|_| !self.region.repeats())
    }

    pub(crate) fn filtered<'t, P: library::Predicate, R: library::Region<S, D>>(
        &self, query: Query<'t, (), P, S, D, R>,
    ) -> Query<'t, (), P, S, D, R> {
        query.in_layers(self.layers).excluding(self.excluded)
    }
}
