//! A fuse in all of a caller's code: it panics at the call that it is set to, once. It knows no index.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use quadrille::{
    IntoRegion, IntoShape, LayerId, LayerSet, Metric, ObjectRef, Rect, Rects, Region, Scalar, SpatialIndex,
};

/// A place where a caller's code runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hook {
    /// A conversion into a point, a box, a region or the name of a layer.
    Into,
    /// An iterator: its making, its size hint, and its next item.
    Iterator,
    /// A closure: of `update`, `retain`, a fold, a visitor of `Cursor::run`, or a filter of contacts.
    Closure,
    /// A region's bounds and answers.
    Region,
    /// The clone of a region, of a metric or of a value.
    Clone,
    /// A value's drop.
    Drop,
    /// The debug form of a value, a region or a metric.
    Debug,
    /// A metric's bound and distance.
    Metric,
}

#[derive(Clone, Copy)]
struct Fuse {
    hooks: &'static [Hook],
    left: usize,
}

const OUT: Fuse = Fuse { hooks: &[], left: 0 };

thread_local! {
    static FUSE: Cell<Fuse> = const { Cell::new(OUT) };
    static ALIVE: Cell<isize> = const { Cell::new(0) };
}

/// Thrown by a fuse, without the noise of a panic with a message.
struct Burnt(Hook);

/// A call of a caller's code.
pub(super) fn call(hook: Hook) {
    let fuse = FUSE.get();
    if !fuse.hooks.contains(&hook) {
        return;
    }
    if fuse.left == 0 {
        FUSE.set(OUT);
        resume_unwind(Box::new(Burnt(hook)));
    }
    FUSE.set(Fuse { left: fuse.left - 1, ..fuse });
}

/// Runs something that panics at the call of one of the hooks with that number, counted from 0; which hook it was.
pub(super) fn burn<R>(hooks: &'static [Hook], number: usize, run: impl FnOnce() -> R) -> Result<R, Hook> {
    FUSE.set(Fuse { hooks, left: number });
    let outcome = catch_unwind(AssertUnwindSafe(run));
    FUSE.set(OUT);
    outcome.map_err(hook_of)
}

/// Goes on with what is still set; only the first panic comes from the fuse.
pub(super) fn go_on<R>(run: impl FnOnce() -> R) -> Result<R, Hook> {
    catch_unwind(AssertUnwindSafe(run)).map_err(hook_of)
}

/// Sets the fuse.
pub(super) fn light(hooks: &'static [Hook], number: usize) {
    FUSE.set(Fuse { hooks, left: number });
}

/// Puts the fuse out.
pub(super) fn put_out() {
    FUSE.set(OUT);
}

fn hook_of(thrown: Box<dyn Any + Send>) -> Hook {
    match thrown.downcast::<Burnt>() {
        Ok(burnt) => burnt.0,
        Err(other) => resume_unwind(other),
    }
}

/// A value that is counted: leaked ones and those dropped twice show.
pub(super) struct Counted(pub(super) u32);

impl Counted {
    pub(super) fn new(number: u32) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self(number)
    }

    /// How many there are in this thread.
    pub(super) fn alive() -> isize {
        ALIVE.get()
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        call(Hook::Clone);
        Self::new(self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
        call(Hook::Drop);
    }
}

impl std::fmt::Debug for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        call(Hook::Debug);
        self.0.fmt(f)
    }
}

/// A box as a region and as a metric that a caller wrote: asked about everything, and cloned, by code that may panic.
pub(super) struct Fused<S, const D: usize>(pub(super) Rect<S, D>);

impl<S: Scalar, const D: usize> Clone for Fused<S, D> {
    fn clone(&self) -> Self {
        call(Hook::Clone);
        Self(self.0)
    }
}

impl<S: Scalar, const D: usize> std::fmt::Debug for Fused<S, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        call(Hook::Debug);
        self.0.fmt(f)
    }
}

impl<S: Scalar, const D: usize> Region<S, D> for Fused<S, D> {
    fn bounds(&self) -> Rect<S, D> {
        call(Hook::Region);
        self.0
    }
    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        call(Hook::Region);
        self.0.intersects(rect)
    }
    fn contains(&self, rect: &Rect<S, D>) -> bool {
        call(Hook::Region);
        self.0.contains(rect)
    }
}

impl<S: Scalar, const D: usize> IntoRegion<S, D> for Fused<S, D> {
    type Region = Self;
    fn into_region(self) -> Self {
        call(Hook::Into);
        self
    }
}

impl<T, S: Scalar, const D: usize> Metric<T, S, D> for Fused<S, D> {
    fn bound(&self, rect: &Rect<S, D>) -> f64 {
        call(Hook::Metric);
        self.0.distance_squared(rect)
    }
    fn distance(&self, object: &ObjectRef<'_, T, S, D>) -> f64 {
        call(Hook::Metric);
        self.0.distance_squared(&object.shape())
    }
}

/// A point or a box that a caller's type converts into.
#[derive(Clone, Copy)]
pub(super) struct Corner<S, const D: usize>(pub(super) [S; D]);

impl<S, const D: usize> From<Corner<S, D>> for [S; D] {
    fn from(corner: Corner<S, D>) -> Self {
        call(Hook::Into);
        corner.0
    }
}

#[derive(Clone, Copy)]
pub(super) struct Crate<S, const D: usize>(pub(super) Rect<S, D>);

impl<S: Scalar, const D: usize> IntoShape<Rects, S, D> for Crate<S, D> {
    fn into_shape(self) -> Rect<S, D> {
        call(Hook::Into);
        self.0
    }
}

impl<S: Scalar, const D: usize> IntoRegion<S, D> for Crate<S, D> {
    type Region = Rect<S, D>;

    fn into_region(self) -> Rect<S, D> {
        call(Hook::Into);
        self.0
    }
}

/// The name of a layer as a caller's type.
#[derive(Clone, Copy)]
pub(super) struct Named(pub(super) LayerId);

impl From<Named> for LayerId {
    fn from(named: Named) -> Self {
        call(Hook::Into);
        named.0
    }
}

impl From<Named> for LayerSet {
    fn from(named: Named) -> Self {
        call(Hook::Into);
        named.0.into()
    }
}

/// A list that a caller's iterator goes through.
pub(super) struct Listed<I>(pub(super) I);

impl<I: Iterator> IntoIterator for Listed<I> {
    type Item = I::Item;
    type IntoIter = Stepped<I>;
    fn into_iter(self) -> Stepped<I> {
        call(Hook::Iterator);
        Stepped(self.0)
    }
}

pub(super) struct Stepped<I>(I);

impl<I: Iterator> Iterator for Stepped<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        call(Hook::Iterator);
        self.0.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        call(Hook::Iterator);
        self.0.size_hint()
    }
}

/// A handle that a caller's type lends.
pub(super) struct Lent(pub(super) quadrille::Handle);

impl std::borrow::Borrow<quadrille::Handle> for Lent {
    fn borrow(&self) -> &quadrille::Handle {
        call(Hook::Into);
        &self.0
    }
}

/// The index of all tests of the matrix.
pub(super) type Index<S, const D: usize> = SpatialIndex<Counted, S, D>;
