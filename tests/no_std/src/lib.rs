//! Proof that quadrille does without the standard library.
//!
//! A panic handler and the allocator of `std` would be second ones beside those here, and a program has room for one
//! only: this builds if and only if nothing links `std`.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};

use quadrille::{Octree, Quadtree, Rect, SpatialIndex};

const HEAP_BYTES: usize = 1 << 24;

/// Gives out one piece of memory after the other and takes none back.
#[repr(align(64))]
struct Heap {
    memory: core::cell::UnsafeCell<[u8; HEAP_BYTES]>,
    used: AtomicUsize,
}

// SAFETY: the memory is only handed out, in pieces that do not overlap.
unsafe impl Sync for Heap {}

// SAFETY: pieces are inside the memory, aligned, and given out once.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = self.memory.get().cast::<u8>();
        let take = |used: usize| {
            let from = used + start.wrapping_add(used).align_offset(layout.align());
            from.checked_add(layout.size()).filter(|&end| end <= HEAP_BYTES)
        };
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(used) => {
                let from = used + start.wrapping_add(used).align_offset(layout.align());
                start.wrapping_add(from)
            }
            Err(_) => null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static HEAP: Heap = Heap { memory: core::cell::UnsafeCell::new([0; HEAP_BYTES]), used: AtomicUsize::new(0) };

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// The `alloc` that comes with the compiler was built to unwind and names this. Nothing here unwinds.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// Files objects, moves and removes them, and asks about them. Gives 0 if all answers are right.
#[unsafe(no_mangle)]
pub extern "C" fn quadrille_works() -> i32 {
    let plane: Option<bool> = Quadtree::new(Rect::new([0.0, 0.0], [64.0, 64.0])).ok().and_then(works);
    let space: Option<bool> = Octree::new(Rect::new([0.0; 3], [64.0; 3])).ok().and_then(works_in_space);
    i32::from(plane != Some(true) || space != Some(true))
}

fn works(mut index: SpatialIndex<u16>) -> Option<bool> {
    let (walls, units) = (index.add_rect_layer().ok()?, index.add_point_layer().ok()?);
    let wall = index.insert(walls, Rect::new([8.0, 8.0], [9.0, 40.0]), 0).ok()?;
    for number in 0..1000 {
        index.insert(units, [f32::from(number % 32), f32::from(number / 32)], number).ok()?;
    }
    index.move_to(wall, Rect::new([20.0, 0.0], [22.0, 64.0])).ok()?;
    let touching = index.intersecting(index.shape(wall)?).in_layers(units).count();
    let nothing = index.containing([8.5, 30.5]).exists();
    Some(touching == 3 * 31 && !nothing && index.remove(wall) == Some(0) && index.check_integrity().is_ok())
}

fn works_in_space(mut index: Octree<u16, f64>) -> Option<bool> {
    let units = index.add_point_layer().ok()?;
    for number in 0..1000 {
        index.insert(units, [number % 10, number / 10 % 10, number / 100].map(f64::from), number).ok()?;
    }
    Some(index.contained_in(Rect::new([1.0; 3], [4.0; 3])).count() == 64)
}
