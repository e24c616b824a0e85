//! Memory that will be read soon is fetched ahead: a hint to the processor, which changes nothing but the time.

/// Bytes of a line of the cache.
#[cfg(target_feature = "sse")]
const LINE: usize = 64;

/// What takes no more bytes is likely to be in the cache, where a hint costs more than it saves. Unit tests, whose trees
/// are small, go the way of large ones.
const CACHE: usize = if cfg!(test) { 0 } else { 8 << 20 };

/// Whether hints are worthwhile, where so many bytes are read here and there.
#[inline]
pub(crate) fn outgrows_cache(bytes: usize) -> bool {
    CACHE < bytes
}

/// Begins to fetch a list: the line in which it begins, and a line for every further 64 bytes of it. (So the last one may
/// be left out, if the list begins within a line.) Only x86 has a safe call for that; elsewhere nothing is fetched.
#[inline(always)]
pub(crate) fn prefetch<T>(list: &[T]) {
    // A range, not an iterator over the list: its loop is unrolled where the length is known.
    #[cfg(target_feature = "sse")]
    for index in (0..list.len()).step_by((LINE / size_of::<T>()).max(1)) {
        safe_arch::prefetch_t0(&list[index]);
    }
    #[cfg(not(target_feature = "sse"))]
    let _ = list;
}
