//! Memory that belongs to an index but is not in it.

/// The bytes of the values that a user keeps in an array beside an index that answers with positions: 8 an object.
pub(super) fn values(objects: usize) -> isize {
    (objects * size_of::<u64>()).cast_signed()
}
