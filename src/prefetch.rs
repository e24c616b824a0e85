//! The hint to the processor to fetch memory that will be read soon, and the size from which it is worthwhile. The hint
//! changes no result; the size also decides from which share of jumps on a layer is built anew.

/// Bytes of a cache line.
#[cfg(target_feature = "sse")]
const LINE: usize = 64;

/// Memory of at most this many bytes is likely to be cached, where a hint costs more than it saves. It is 0 in unit
/// tests, so that their small trees take the path of large ones.
const CACHE: usize = if cfg!(test) { 0 } else { 8 << 20 };

/// Whether hints are worthwhile for scattered reads from a list of this many bytes.
#[inline]
pub(crate) fn outgrows_cache(bytes: usize) -> bool {
    CACHE < bytes
}

/// Begins to fetch a list: its first cache line, and one more for every further 64 bytes. If the list begins within a
/// line, its last line may be left out. Only x86 has a safe call for this; elsewhere it does nothing.
#[inline(always)]
pub(crate) fn prefetch<T>(list: &[T]) {
    // The compiler unrolls a range of known length, but not an iterator over the list.
    #[cfg(target_feature = "sse")]
    for index in (0..list.len()).step_by((LINE / size_of::<T>()).max(1)) {
        safe_arch::prefetch_t0(&list[index]);
    }
    #[cfg(not(target_feature = "sse"))]
    let _ = list;
}
