//! The hint to the processor to fetch memory that will be read soon, and from what size on it is worthwhile. Changes no
//! result; knows nothing of what is fetched.

/// Bytes of a cache line.
#[cfg(target_feature = "sse")]
const LINE: usize = 64;

/// Memory of at most so many bytes is likely to be in the cache, where a hint costs more than it saves. It is 0 in unit
/// tests, so that their small trees take the path of large ones.
const CACHE: usize = if cfg!(test) { 0 } else { 8 << 20 };

/// Whether hints are worthwhile for scattered reads from so many bytes.
#[inline]
pub(crate) fn outgrows_cache(bytes: usize) -> bool {
    CACHE < bytes
}

/// Begins to fetch a list: the line in which it begins, and one more for every further 64 bytes. (The last line may be
/// left out if the list begins within a line.) Only x86 has a safe call for this; elsewhere nothing is fetched.
#[inline(always)]
pub(crate) fn prefetch<T>(list: &[T]) {
    // A range is unrolled where the length is known; an iterator over the list is not.
    #[cfg(target_feature = "sse")]
    for index in (0..list.len()).step_by((LINE / size_of::<T>()).max(1)) {
        safe_arch::prefetch_t0(&list[index]);
    }
    #[cfg(not(target_feature = "sse"))]
    let _ = list;
}
