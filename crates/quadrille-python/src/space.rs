//! An index of the library behind its lock, of one of four kinds.

use std::any::Any;

use pyo3::prelude::*;
use quadrille::{Kind, LayerSet, Periodic, Rect};

use crate::arrays::Number;
use crate::lock::Lock;
use crate::rows::Rows;
pub(crate) use crate::rows::{Followed, Tree};
use crate::signals::Signals;

/// An index, and what does not change about it.
pub(crate) struct Space<S: Number, const D: usize> {
    tree: Lock<Followed<S, D>>,
    /// Which axes wrap around, if any does.
    pub(crate) torus: Option<Periodic<S, D>>,
    /// Whether the world follows the objects.
    pub(crate) follows: bool,
}

/// Fewer changes than this are not worth a look at the world.
const CHANGES_MIN: usize = 64;

impl<S: Number, const D: usize> Space<S, D> {
    pub(crate) fn new((tree, rows): (Tree<S, D>, Rows), torus: Option<Periodic<S, D>>, follows: bool) -> Self {
        let changes_left = if follows { CHANGES_MIN } else { usize::MAX };
        Self { tree: Lock::new(Followed { tree, rows, changes_left }), torus, follows }
    }

    /// Asks the index one question. The interpreter is kept, except to wait for who changes the index.
    pub(crate) fn read<A>(&self, py: Python<'_>, ask: impl FnOnce(&Followed<S, D>) -> A) -> PyResult<A> {
        Ok(ask(&*self.tree.read_attached(py)?))
    }

    /// Asks the index much, without the interpreter.
    pub(crate) fn read_long<A: Send>(
        &self, py: Python<'_>, ask: impl FnOnce(&Followed<S, D>) -> A + Send,
    ) -> PyResult<A> {
        py.detach(|| Ok(ask(&*self.tree.read()?)))
    }

    /// Asks the index so much that signals should be looked for: one may end the question.
    pub(crate) fn read_longer<A: Send>(
        &self, py: Python<'_>, ask: impl FnOnce(&Followed<S, D>, &Signals) -> A + Send,
    ) -> PyResult<A> {
        // Who waits already, and the collector of garbage, need not come amid the question.
        py.check_signals()?;
        py.detach(|| Signals::watch(|signals| Ok(ask(&*self.tree.read()?, signals))))
    }

    /// Asks this index and another one. Of two locks, that with the lower address is taken first.
    pub(crate) fn read_both<A: Send>(
        &self, py: Python<'_>, other: &Self, ask: impl FnOnce(&Followed<S, D>, &Followed<S, D>, &Signals) -> A + Send,
    ) -> PyResult<A> {
        let [mine, theirs] = [self, other].map(|space| std::ptr::from_ref(space).addr());
        if mine == theirs {
            return self.read_longer(py, |tree, signals| ask(tree, tree, signals));
        }
        if mine < theirs {
            self.read_longer(py, |mine, signals| Ok(ask(mine, &*other.tree.read()?, signals)))?
        } else {
            other.read_longer(py, |theirs, signals| Ok(ask(&*self.tree.read()?, theirs, signals)))?
        }
    }

    /// Changes a little. `changes` objects are inserted or moved.
    pub(crate) fn write<A>(
        &self, py: Python<'_>, changes: usize, change: impl FnOnce(&mut Followed<S, D>) -> A,
    ) -> PyResult<A> {
        let mut followed = self.tree.write_attached(py)?;
        let done = change(&mut followed);
        self.follow(&mut followed, changes);
        Ok(done)
    }

    /// Changes much, without the interpreter.
    pub(crate) fn write_long<A: Send>(
        &self, py: Python<'_>, changes: usize, change: impl FnOnce(&mut Followed<S, D>) -> A + Send,
    ) -> PyResult<A> {
        py.detach(|| {
            let mut followed = self.tree.write()?;
            let done = change(&mut followed);
            self.follow(&mut followed, changes);
            Ok(done)
        })
    }

    /// Gives an index without objects a world around those to come, which would be filed twice otherwise.
    pub(crate) fn follow_first(&self, tree: &mut Tree<S, D>, shapes: &[Rect<S, D>]) {
        if self.follows
            && tree.is_empty()
            && let Some(bounds) = shapes.iter().copied().reduce(|bounds, shape| bounds.union(&shape))
        {
            enclose(tree, &bounds);
        }
    }

    /// Lets the world enclose the objects. Looks only after some times as many changes as there are objects, and so
    /// costs little beside them.
    fn follow(&self, followed: &mut Followed<S, D>, changes: usize) {
        if !self.follows {
            return;
        }
        followed.changes_left = followed.changes_left.saturating_sub(changes);
        if followed.changes_left != 0 {
            return;
        }
        followed.changes_left = CHANGES_MIN.max(followed.tree.len().saturating_mul(4));
        if let Some(bounds) = followed.tree.bounds(LayerSet::ALL) {
            enclose(&mut followed.tree, &bounds);
        }
    }

    /// A query in the world of the index, given its own method `periodic`. Queries of regions change their type by it:
    /// see `region_query`.
    #[expect(clippy::inline_always, reason = "a query is long, and would be copied")]
    #[inline(always)]
    pub(crate) fn in_world<Q>(&self, mut query: Q, periodic: impl FnOnce(Q, &Periodic<S, D>) -> Q) -> Q {
        if let Some(torus) = &self.torus {
            query = periodic(query, torus);
        }
        query
    }

    /// A place as it is stored: in a periodic world modulo its size.
    pub(crate) fn wrapped(&self, kind: Kind, rect: Rect<S, D>) -> Rect<S, D> {
        match (&self.torus, kind) {
            (None, _) => rect,
            (Some(torus), Kind::Points) => Rect::from_point(torus.wrap(rect.min())),
            (Some(torus), Kind::Rects) => torus.wrap_rect(rect),
        }
    }
}

/// If the bounds of objects leave the world, sets it to them and a margin of half their longest side. `fit_world` leaves no
/// margin: the next step outwards would leave its world, whereas this one grows by a factor each time.
fn enclose<S: Number, const D: usize>(tree: &mut Tree<S, D>, bounds: &Rect<S, D>) {
    if tree.world().contains(bounds) {
        return;
    }
    let longest =
        bounds.size().into_iter().fold(S::from(0_u16), |longest, side| if longest < side { side } else { longest });
    // Where they are too far apart, or all in one place, the world stays: it is no limit.
    let _ = tree.set_world(bounds.expanded(longest * S::HALF));
}

/// A space of one of four kinds.
pub(crate) enum Spaces {
    F2(Space<f32, 2>),
    D2(Space<f64, 2>),
    F3(Space<f32, 3>),
    D3(Space<f64, 3>),
}

/// Does the same with a space of any kind: mostly calls one function that is generic over kinds.
macro_rules! with {
    ($spaces:expr, $space:ident => $body:expr) => {
        match $spaces {
            $crate::space::Spaces::F2($space) => $body,
            $crate::space::Spaces::D2($space) => $body,
            $crate::space::Spaces::F3($space) => $body,
            $crate::space::Spaces::D3($space) => $body,
        }
    };
}
pub(crate) use with;

impl Spaces {
    /// The space, if it is of this kind.
    pub(crate) fn of_kind<S: Number, const D: usize>(&self) -> Option<&Space<S, D>> {
        with!(self, space => (space as &dyn Any).downcast_ref())
    }

    pub(crate) fn dim(&self) -> usize {
        match self {
            Self::F2(_) | Self::D2(_) => 2,
            Self::F3(_) | Self::D3(_) => 3,
        }
    }
}
