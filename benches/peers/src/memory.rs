//! How many bytes are allocated: the system's allocator, counting.
//!
//! One thread allocates here, the one that measures; so the count is a plain load and store, which costs contenders
//! that allocate next to nothing. (Tests use several threads, but weigh nothing.) Memory that C code allocates is not
//! seen.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that are allocated now.
pub(crate) fn live() -> usize {
    LIVE.load(Ordering::Relaxed)
}

fn count(more: usize, less: usize) {
    LIVE.store(live().wrapping_add(more).wrapping_sub(less), Ordering::Relaxed);
}

#[expect(unsafe_code, reason = "the trait of allocators is unsafe; all calls are passed on as they came")]
// SAFETY: every call goes to `System` with the arguments it came with; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller keeps `alloc_zeroed`'s contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: the caller keeps `dealloc`'s contract.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: the caller keeps `realloc`'s contract.
        unsafe { System.realloc(block, layout, size) }
    }
}
