//! Conditions on objects, which a query takes along: `matching`.
//!
//! The tree knows nothing of them, so walks and tests of shapes are compiled without.

use crate::index::ObjectRef;

/// The conditions of a query: `()`, or those set before and one more.
pub trait Condition<T, S, const D: usize> {
    /// Whether there are none.
    const IS_NONE: bool = false;

    fn holds(&self, object: ObjectRef<'_, T, S, D>) -> bool;
}

impl<T, S, const D: usize> Condition<T, S, D> for () {
    const IS_NONE: bool = true;

    #[inline(always)]
    fn holds(&self, _object: ObjectRef<'_, T, S, D>) -> bool {
        true
    }
}

/// The same conditions, lent to several threads.
impl<T, S, const D: usize, C: Condition<T, S, D>> Condition<T, S, D> for &C {
    const IS_NONE: bool = C::IS_NONE;

    #[inline]
    fn holds(&self, object: ObjectRef<'_, T, S, D>) -> bool {
        C::holds(self, object)
    }
}

impl<T, S, const D: usize, C, F> Condition<T, S, D> for (C, F)
where
    C: Condition<T, S, D>,
    F: Fn(ObjectRef<'_, T, S, D>) -> bool,
{
    #[inline]
    fn holds(&self, object: ObjectRef<'_, T, S, D>) -> bool {
        self.0.holds(object) && self.1(object)
    }
}
