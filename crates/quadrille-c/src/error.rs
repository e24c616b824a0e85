//! Codes of errors, and the message of the last one on each thread.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;

use quadrille::{AddLayerError, BatchError, ObjectError, PollError, ResumeError};

/// The outcome of each function, as the header explains it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) enum Status {
    Ok,
    BadPointer,
    BadLength,
    BadNumber,
    BadChoice,
    NoLayer,
    NoObject,
    WrongKind,
    Full,
    Busy,
    Stale,
    BadBytes,
    Bug,
}

/// A code and its message.
pub(crate) struct Error(pub(crate) Status, pub(crate) String);

pub(crate) type Outcome<T = ()> = Result<T, Error>;

pub(crate) fn refuse<T>(code: Status, text: impl Display) -> Outcome<T> {
    Err(Error(code, text.to_string()))
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

impl Error {
    /// Keeps the message for the thread.
    pub(crate) fn keep(self) -> Status {
        LAST.set(CString::new(self.1).unwrap_or_default());
        self.0
    }
}

/// The message of the last call on this thread that failed; empty if none has.
#[unsafe(no_mangle)]
extern "C" fn qd_last_error() -> *const c_char {
    LAST.with_borrow(|text| text.as_ptr())
}

impl<E: std::error::Error + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        let any: &dyn Any = &error;
        let of_object = any.downcast_ref::<BatchError>().map(|error| &error.reason).or(any.downcast_ref());
        let code = match of_object {
            Some(ObjectError::NoSuchObject { .. } | ObjectError::Repeated { .. }) => Status::NoObject,
            Some(ObjectError::NotFinite(_)) => Status::BadNumber,
            Some(ObjectError::Layer(_)) => Status::NoLayer,
            Some(ObjectError::WrongKind { .. }) => Status::WrongKind,
            None if any.is::<ResumeError>() || any.is::<PollError>() => Status::Stale,
            None if !any.is::<AddLayerError>() => Status::BadNumber,
            _ => Status::Full,
        };
        Self(code, error.to_string())
    }
}
