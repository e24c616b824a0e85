//! One question about a region to one index: what lazy queries and batches share.
//!
//! The library compiles a query for each predicate, shape and kind of index, for several widths of vectors. So all come
//! through the functions here, and those that are asked less share the code for any shape.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille::{Handle, LayerSet, ObjectRef};

use crate::arrays::Number;
use crate::regions::Asked;
use crate::space::View;

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

/// A question about one region.
pub(crate) struct Question<'a, S, const D: usize> {
    pub(crate) predicate: Predicate,
    pub(crate) region: &'a Asked<S, D>,
    pub(crate) layers: LayerSet,
    /// Objects that are left out; the default handle names none.
    pub(crate) excluded: &'a [Handle],
}

/// Makes the query of the library.
macro_rules! ask {
    ($tree:expr, $question:expr, $query:ident => $body:expr) => {{
        let (layers, excluded) = ($question.layers, $question.excluded);
        match ($question.predicate, $question.region) {
            (Predicate::Intersecting, Asked::Rect(rect)) => {
                let $query = $tree.intersecting(*rect).in_layers(layers).excluding(excluded);
                $body
            }
            (Predicate::Intersecting, Asked::Ball(ball)) => {
                let $query = $tree.intersecting(*ball).in_layers(layers).excluding(excluded);
                $body
            }
            (Predicate::Intersecting, Asked::Shape(shape, _)) => {
                let $query = $tree.intersecting(shape.clone()).in_layers(layers).excluding(excluded);
                $body
            }
            (Predicate::ContainedIn, Asked::Rect(rect)) => {
                let $query = $tree.contained_in(*rect).in_layers(layers).excluding(excluded);
                $body
            }
            (Predicate::ContainedIn, region) => {
                let $query = $tree.contained_in(region.shape()).in_layers(layers).excluding(excluded);
                $body
            }
            (Predicate::Containing, region) => {
                let $query = $tree.containing(region.bounds()).in_layers(layers).excluding(excluded);
                $body
            }
        }
    }};
}

impl<S: Number, const D: usize> Question<'_, S, D> {
    /// Adds the handles of the answer to a list.
    pub(crate) fn collect(&self, view: &View<'_, S, D>, handles: &mut Vec<Handle>) {
        match view {
            View::Plain(tree) => {
                ask!(tree, self, query => query.for_each(|object| handles.push(object.handle())));
            }
            View::Periodic(_) => self.visit(view, &mut |handle| {
                handles.push(handle);
                true
            }),
        }
    }

    pub(crate) fn count(&self, view: &View<'_, S, D>) -> usize {
        let mut count = 0;
        match view {
            View::Plain(tree) => count = ask!(tree, self, query => query.count()),
            View::Periodic(_) => self.visit(view, &mut |_| {
                count += 1;
                true
            }),
        }
        count
    }

    pub(crate) fn first(&self, view: &View<'_, S, D>) -> Option<Handle> {
        let mut first = None;
        self.visit(view, &mut |handle| {
            first = Some(handle);
            false
        });
        first
    }

    /// Passes one object after the other, as long as it returns `true`.
    fn visit(&self, view: &View<'_, S, D>, each: &mut dyn FnMut(Handle) -> bool) {
        let (layers, excluded) = (self.layers, self.excluded);
        match (view, self.predicate, self.region) {
            (View::Plain(tree), ..) => ask!(tree, self, query => go_through(query, each)),
            (View::Periodic(view), Predicate::Intersecting, Asked::Ball(ball)) => {
                go_through(view.intersecting(*ball).in_layers(layers).excluding(excluded), each);
            }
            (View::Periodic(view), Predicate::Intersecting, region) => {
                go_through(view.intersecting(region.shape()).in_layers(layers).excluding(excluded), each);
            }
            (View::Periodic(view), Predicate::ContainedIn, region) => {
                go_through(view.contained_in(region.shape()).in_layers(layers).excluding(excluded), each);
            }
            (View::Periodic(view), Predicate::Containing, region) => {
                go_through(view.containing(region.bounds()).in_layers(layers).excluding(excluded), each);
            }
        }
    }
}

/// By `next`, so that one compiled form of a query serves to stop early and to go to the end.
fn go_through<'a, S: Number, const D: usize>(
    mut query: impl Iterator<Item = ObjectRef<'a, (), S, D>>,
    each: &mut dyn FnMut(Handle) -> bool,
) {
    while query.next().is_some_and(|object| each(object.handle())) {}
}
