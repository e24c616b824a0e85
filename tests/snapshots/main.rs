//! Saving and restoring: the same afterwards, whatever is done; and bytes that nobody saved.
#![expect(unsafe_code, reason = "an allocator that counts bytes implements an unsafe trait")]

mod doors;
mod format;
mod hostile;
#[cfg(feature = "rayon")]
mod parallel;
mod periodic;
mod plain;
mod play;
mod same;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with the bytes that each thread holds, and the most that it has held.
struct Measuring;

#[global_allocator]
static MEASURING: Measuring = Measuring;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

/// The bytes that a thread takes at most, beyond those that it has, while something is done.
fn most_bytes_while<A>(what: impl FnOnce() -> A) -> (A, usize) {
    let before = HELD.get();
    MOST.set(before);
    let outcome = what();
    (outcome, MOST.get().wrapping_sub(before))
}

// SAFETY: everything is left to the system's allocator; the counts are constant thread-locals, which allocate nothing.
unsafe impl GlobalAlloc for Measuring {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.set(HELD.get().wrapping_add(layout.size()));
        // A thread that frees what others have allocated holds less than nothing.
        if HELD.get().cast_signed() > MOST.get().cast_signed() {
            MOST.set(HELD.get());
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get().wrapping_sub(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}
