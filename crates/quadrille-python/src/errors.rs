//! Errors of the library as those of Python.

use std::fmt::Display;

use numpy::PyArray1;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use quadrille::ObjectError;

create_exception!(
    pyquadrille,
    StaleHandleError,
    PyKeyError,
    "A handle names no object of the index: the object was removed, or never was.\n\n`handles` has all handles of the call \
     that name none."
);

pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn refuse<T>(text: impl Display) -> PyResult<T> {
    Err(value_error(text))
}

/// The error of a lock whose holder panicked: what it guards may be half changed.
pub(crate) fn poisoned<T>(_: T) -> PyErr {
    PyRuntimeError::new_err("an earlier call on this object panicked")
}

/// The error for one handle without an object, as the caller wrote it.
pub(crate) fn stale(py: Python<'_>, handle: u64) -> PyErr {
    stale_error(py, format!("there is no object {handle}"), vec![handle])
}

/// The error for handles without an object, and the row of the first of them.
pub(crate) fn stale_many(py: Python<'_>, row: usize, handles: Vec<u64>) -> PyErr {
    let first = handles.first().copied().unwrap_or_default();
    let others = handles.len().saturating_sub(1);
    let others = if others == 0 { String::new() } else { format!(", nor of {others} more") };
    stale_error(py, format!("handles, row {row}: there is no object {first}{others}"), handles)
}

fn stale_error(py: Python<'_>, text: String, handles: Vec<u64>) -> PyErr {
    let error = StaleHandleError::new_err(text);
    match error.value(py).setattr("handles", PyArray1::from_vec(py, handles)) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// The error of an operation on one object.
pub(crate) fn object_error(py: Python<'_>, handle: u64, error: ObjectError) -> PyErr {
    match error {
        ObjectError::NoSuchObject { .. } => stale(py, handle),
        _ => value_error(error),
    }
}
