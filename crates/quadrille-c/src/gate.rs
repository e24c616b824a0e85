//! The gate between C and Rust: the only place that trusts a pointer. Null, misaligned and too long arrays are refused, things
//! in use are not touched, and no panic passes. Arrays may overlap: a body reads all that it was given before it writes.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use quadrille::{Contacts, Watch};

use crate::Index;
use crate::error::{Error, Outcome, Status, refuse};

/// All that the library makes and `qd_free` takes.
pub(crate) enum Thing {
    F2(Index<f32, 2>),
    F3(Index<f32, 3>),
    D2(Index<f64, 2>),
    D3(Index<f64, 3>),
    /// A paused query of one of these.
    Cursor(Box<dyn Any + Send + Sync>),
    Watch(Watch),
    Contacts(Contacts),
}

/// A thing as C has it, by address. It begins with a mark as long as it lives.
#[repr(C)]
pub(crate) struct Kept {
    mark: u64,
    thing: RwLock<Thing>,
}

const MARK: u64 = u64::from_be_bytes(*b"quadrill");

/// The right to use memory of C's during one call. Only `gate` makes it, for callers that vouch for what the header asks.
pub(crate) struct Lent(());

/// Runs the body of a C function.
///
/// # Safety
/// Each pointer that the body hands to `Lent` is null, misaligned, or leads to as much memory as the header says, which nothing
/// else writes during the call.
pub(crate) unsafe fn gate(body: impl FnOnce(&Lent) -> Outcome) -> Status {
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&Lent(()))));
    let outcome = outcome.unwrap_or_else(|_| refuse(Status::Bug, "a bug of quadrille: please report what it printed"));
    outcome.map_or_else(Error::keep, |()| Status::Ok)
}

/// Refuses what cannot be an array.
fn check<T>(name: &str, at: *const T, len: usize) -> Outcome {
    let limit = isize::MAX as usize / size_of::<T>();
    if at.is_null() && len > 0 {
        return refuse(Status::BadPointer, format!("{name}: a null pointer"));
    }
    if !at.is_aligned() {
        return refuse(Status::BadPointer, format!("{name}: {at:p} is no multiple of {}", align_of::<T>()));
    }
    if len > limit || at.addr().checked_add(len * size_of::<T>()).is_none() {
        return refuse(Status::BadLength, format!("{name}: {len} elements, the limit is {limit}"));
    }
    Ok(())
}

impl Lent {
    /// An array that is read.
    pub(crate) fn input<T>(&self, name: &str, at: *const T, len: usize) -> Outcome<&[T]> {
        check(name, at, len)?;
        // SAFETY: it is aligned, not null and not too long. Whoever called `gate` vouches that it is there.
        Ok(if len == 0 { &[] } else { unsafe { slice::from_raw_parts(at, len) } })
    }

    /// An array that is written, or null.
    pub(crate) fn output<T>(&self, name: &str, at: *mut T, len: usize) -> Outcome<Output<T>> {
        let capacity = if at.is_null() { 0 } else { len };
        check(name, at, capacity)?;
        Ok(Output { at, capacity, len: 0 })
    }

    /// A place for one value, which must be there.
    pub(crate) fn result<T>(&self, name: &str, at: *mut T) -> Outcome<Output<T>> {
        check(name, at, 1)?;
        self.output(name, at, 1)
    }

    /// Fills an array, which may be null or too short for all, and says how many there are.
    pub(crate) fn fill<T>(
        &self, name: &str, (at, capacity, found): (*mut T, usize, *mut usize), values: impl IntoIterator<Item = T>,
    ) -> Outcome {
        let (mut list, mut found) = (self.output(name, at, capacity)?, self.result("found", found)?);
        list.put(values);
        found.put([list.len]);
        Ok(())
    }

    fn lock(&self, at: *const Kept) -> Outcome<&RwLock<Thing>> {
        check("object of quadrille", at, 1)?;
        // SAFETY: it is aligned and not null. Whoever called `gate` vouches that memory is there, of which this is the begin.
        if unsafe { (&raw const (*at).mark).read() } != MARK {
            return refuse(Status::BadPointer, "nothing that quadrille has made, or freed already");
        }
        // SAFETY: the mark says that it is a thing.
        Ok(unsafe { &(*at).thing })
    }

    /// A thing to look at, also from several threads.
    pub(crate) fn read(&self, at: *const Kept) -> Outcome<RwLockReadGuard<'_, Thing>> {
        self.lock(at)?.try_read().or_else(|_| busy())
    }

    /// A thing to change.
    pub(crate) fn write(&self, at: *const Kept) -> Outcome<RwLockWriteGuard<'_, Thing>> {
        self.lock(at)?.try_write().or_else(|_| busy())
    }

    /// Gives a new thing to C.
    pub(crate) fn give(&self, to: *mut *mut Kept, thing: Thing) -> Outcome {
        let mut to = self.result("the new object", to)?;
        to.put([Box::into_raw(Box::new(Kept { mark: MARK, thing: RwLock::new(thing) }))]);
        Ok(())
    }

    /// Takes a thing back.
    pub(crate) fn take(&self, at: *mut Kept) -> Outcome {
        if matches!(self.lock(at)?.try_write(), Err(TryLockError::WouldBlock)) {
            return busy();
        }
        // SAFETY: the mark says that `give` made it, and nobody holds its lock. Whoever frees it twice finds no mark.
        unsafe { (&raw mut (*at).mark).write_volatile(0) };
        // SAFETY: as before.
        drop(unsafe { Box::from_raw(at) });
        Ok(())
    }
}

fn busy<T>() -> Outcome<T> {
    refuse(Status::Busy, "in use by another thread, by a call that waits for a callback, or half changed by a bug")
}

/// An array of C's that is filled from its begin. Values beyond its end are counted alone.
pub(crate) struct Output<T> {
    at: *mut T,
    capacity: usize,
    pub(crate) len: usize,
}

impl<T> Output<T> {
    pub(crate) fn put(&mut self, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|value| {
            if self.len < self.capacity {
                // SAFETY: `check` has seen an array of this capacity. Whoever called `gate` vouches that it is there.
                unsafe { self.at.add(self.len).write(value) };
            }
            self.len += 1;
        });
    }

    pub(crate) fn room(&self) -> usize {
        self.capacity.saturating_sub(self.len)
    }
}

/// A function of C's that takes handles, and says whether it has enough.
pub(crate) type Each = Option<unsafe extern "C" fn(*mut c_void, *const u64, usize) -> c_int>;

/// The same as a function that says when to stop, with what it wants to be told.
pub(crate) fn callback(each: Each, context: *mut c_void) -> Outcome<impl FnMut(&[u64]) -> bool> {
    let Some(each) = each else { return refuse(Status::BadPointer, "each: a null pointer") };
    // SAFETY: whoever called `gate` vouches for the function. It gets an array that outlives the call.
    Ok(move |handles: &[u64]| unsafe { each(context, handles.as_ptr(), handles.len()) != 0 })
}
