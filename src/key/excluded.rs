//! The objects that a query leaves out, by place or by handle. None or one, as nearly always, take no memory.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::slice;

use super::{Handle, Place};

/// A set of places or of handles.
#[derive(Clone, Debug)]
pub(crate) struct Excluded<T> {
    /// The least of them; the default, which names nothing, if there are none.
    least: T,
    /// All of them in ascending order, if there are several.
    #[expect(clippy::box_collection, reason = "a vector would make every query larger by two words")]
    several: Option<Box<Vec<T>>>,
}

impl<T: Copy + Default + Ord> Excluded<T> {
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self { least: T::default(), several: None }
    }

    #[inline]
    pub(crate) fn add(&mut self, more: impl IntoIterator<Item = T>) {
        for object in more {
            if self.is_empty() {
                self.least = object;
            } else if object != self.least && object != T::default() {
                let several = self.several.get_or_insert_with(|| Box::new(Vec::from([self.least])));
                several.push(object);
            }
        }
        if let Some(several) = &mut self.several {
            several.sort_unstable();
            several.dedup();
            self.least = several[0];
        }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.least == T::default()
    }

    /// The least of them; the default if there are none.
    #[inline(always)]
    pub(crate) fn least(&self) -> T {
        self.least
    }

    #[inline(always)]
    pub(crate) fn is_several(&self) -> bool {
        self.several.is_some()
    }

    /// All of them, in ascending order.
    #[inline]
    pub(crate) fn all(&self) -> &[T] {
        match &self.several {
            Some(several) => several,
            None if self.is_empty() => &[],
            None => slice::from_ref(&self.least),
        }
    }

    #[inline]
    pub(crate) fn has(&self, object: T) -> bool {
        self.all().binary_search(&object).is_ok()
    }
}

impl Excluded<Place> {
    /// The bits of those in the bucket whose first place is `first`.
    #[inline(always)]
    pub(crate) fn bits_in(&self, first: Place) -> u64 {
        if self.is_empty() { 0 } else { self.bits_of_some(first) }
    }

    #[inline(never)]
    fn bits_of_some(&self, first: Place) -> u64 {
        let all = self.all();
        let bits = all[all.partition_point(|&place| place < first)..].iter().map(|place| place.bit_in(first));
        bits.take_while(|&bit| bit != 0).fold(0, |bits, bit| bits | bit)
    }
}

/// The objects that `excluding` takes: a [`Handle`], or several of them in an array, a slice, or whatever can be iterated.
///
/// Each query sorts them anew. Where hundreds are left out of query after query, keep a list by slot, and ask it in `matching` or
/// `filter`: with a thousand left out, queries take up to half as long again as without.
///
/// ```
/// # use quadrille::{Handle, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let (shooter, weapon) = (handles[7], handles[8]);
/// assert_eq!(index.nearest([7.0, 50.0]).excluding([shooter, weapon]).next().map(|n| *n.object.value()), Some(6));
/// assert_eq!(index.iter().excluding(&handles[..90]).excluding(handles[95]).count(), 9);
///
/// let mut marks = vec![Handle::default(); index.slots()]; // kept for many queries
/// handles[..90].iter().for_each(|object| marks[object.slot()] = *object);
/// let is_marked = |object: Handle| marks.get(object.slot()) == Some(&object);
/// assert_eq!(index.iter().matching(|object| !is_marked(object.handle())).count(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no objects",
    label = "a `Handle`, or several, as `[a, b]`, is expected",
    note = "`insert` returns the handle of an object; `handle_at` returns that of the object in a slot"
)]
pub trait IntoHandles {
    /// Returns the handles. Those that name nothing exclude nothing.
    ///
    /// ```
    /// # use quadrille::{Handle, IntoHandles};
    /// assert_eq!([Handle::default(); 2].into_handles().count(), 2);
    /// ```
    fn into_handles(self) -> impl Iterator<Item = Handle>;
}

impl IntoHandles for Handle {
    #[inline]
    fn into_handles(self) -> impl Iterator<Item = Handle> {
        core::iter::once(self)
    }
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: Borrow<Handle>>> IntoHandles for I {
    fn into_handles(self) -> impl Iterator<Item = Handle> {
        self.into_iter().map(|handle| *handle.borrow())
    }
}
