//! Handles and rows: the two names of an object, in and out. Who takes handles refuses rows here.

use numpy::{Element, PyArrayDescrMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use quadrille::Handle;

use crate::arrays::{Arg, Object, Opt, ROWS_MAX, array, as_array, in_order, table, wrong_type};
use crate::errors::value_error;

/// Whole numbers in one dimension.
pub(crate) enum Integers<'py, T: Element> {
    Array(PyReadonlyArrayDyn<'py, T>),
    List(Vec<T>),
}

impl<'py, T: Element + Copy + for<'a> FromPyObject<'a, 'py>> Integers<'py, T> {
    /// Reads numbers of things: rows or handles.
    fn new(name: &str, thing: &str, object: Arg<'_, 'py>) -> PyResult<Self> {
        let number =
            |item: Bound<'py, PyAny>| item.extract::<T>().map_err(|error| refused(name, thing, &item, error.into()));
        // An array of a list with large numbers would be one of floats.
        if object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyTuple>() {
            return object.try_iter()?.map(|item| number(item?)).collect::<PyResult<_>>().map(Self::List);
        }
        let array = as_array(object)?;
        if !matches!(array.dtype().kind(), b'i' | b'u') {
            return Err(wrong_type(name, "integers", &array));
        }
        if array.ndim() != 1 {
            return Err(PyValueError::new_err(format!("{name}: an array (N,) expected, not {:?}", array.shape())));
        }
        if array.len() > ROWS_MAX {
            return Err(PyValueError::new_err(format!("{name}: {} numbers, the limit is {ROWS_MAX}", array.len())));
        }
        if array.dtype().kind() == T::get_dtype(object.py()).kind() {
            return in_order::<T>(name, &array).map(Self::Array);
        }
        // Signed for unsigned ones, or the reverse: each is looked at.
        Self::new(name, thing, &array.call_method0(intern!(object.py(), "tolist"))?)
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Self::Array(array) => array.as_slice().unwrap_or_default(),
            Self::List(list) => list,
        }
    }
}

/// The error for an item that is no such number.
fn refused(name: &str, thing: &str, item: Arg, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyOverflowError>(item.py()) {
        value_error(format_args!("{name}: {item} is no {thing}"))
    } else if error.is_instance_of::<PyTypeError>(item.py()) {
        PyTypeError::new_err(format!("{name}: {}", error.value(item.py())))
    } else {
        error
    }
}

/// Rows of objects.
pub(crate) fn rows_of<'py>(object: Arg<'_, 'py>) -> PyResult<Integers<'py, i64>> {
    Integers::new("rows", "row", object)
}

/// Handles of objects.
pub(crate) struct Handles<'py>(Integers<'py, u64>);

impl<'py> Handles<'py> {
    pub(crate) fn new(name: &str, object: Arg<'_, 'py>) -> PyResult<Self> {
        Self::unless(is_row, name, object)
    }

    /// Handles, and 0 for none.
    pub(crate) fn or_none(name: &str, object: Arg<'_, 'py>) -> PyResult<Self> {
        Self::unless(|bits| bits != 0 && is_row(bits), name, object)
    }

    fn unless(is_row: impl Fn(u64) -> bool, name: &str, object: Arg<'_, 'py>) -> PyResult<Self> {
        let handles = Self(Integers::new(name, "handle", object)?);
        // All are looked at, eight at once, before one is looked for.
        if handles.bits().iter().fold(false, |any, &bits| any | is_row(bits))
            && let Some((row, bits)) = handles.bits().iter().enumerate().find(|&(_, &bits)| is_row(bits))
        {
            return Err(row_error(&format!("{name}, row {row}"), *bits));
        }
        Ok(handles)
    }

    /// A single handle, if the object is a number.
    pub(crate) fn one(name: &str, object: Arg) -> PyResult<Option<u64>> {
        match object.extract::<u64>() {
            Ok(bits) if is_row(bits) => Err(row_error(name, bits)),
            Ok(bits) => Ok(Some(bits)),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                Err(refused(name, "handle", object, error))
            }
            Err(_) => Ok(None),
        }
    }

    /// A single handle, if the object can be one.
    pub(crate) fn if_any(object: Arg) -> PyResult<Option<u64>> {
        match object.extract::<u64>() {
            Ok(bits) if is_row(bits) => Err(row_error("handle", bits)),
            bits => Ok(bits.ok()),
        }
    }

    /// Those of several objects or of one.
    pub(crate) fn one_or_more(name: &str, object: Arg<'_, 'py>) -> PyResult<Self> {
        match Self::one(name, object)? {
            Some(bits) => Ok(Self(Integers::List(vec![bits]))),
            None => Self::new(name, object),
        }
    }

    /// As the caller wrote them. A number that no index has given is among them.
    pub(crate) fn bits(&self) -> &[u64] {
        self.0.as_slice()
    }

    pub(crate) fn to_vec(&self) -> Vec<Handle> {
        self.bits().iter().copied().map(Handle::from_bits).collect()
    }
}

/// Whether a number is a row: no handle is as small. 0 also stands for no object.
fn is_row(bits: u64) -> bool {
    u32::try_from(bits).is_ok()
}

fn row_error(name: &str, row: u64) -> PyErr {
    let or_none = if row == 0 { " or no object" } else { "" };
    value_error(format_args!("{name}: {row} is a row{or_none}, not a handle: take `index.handles(rows)`"))
}

/// The argument `handle`.
pub(crate) fn handle_of(object: Arg) -> PyResult<u64> {
    Handles::one("handle", object)?.ok_or_else(|| {
        let type_of = object.get_type();
        PyTypeError::new_err(format!("handle: an integer expected, not {type_of}"))
    })
}

/// Handles that are left out of an answer.
pub(crate) fn excluded(object: Opt) -> PyResult<Vec<Handle>> {
    object.map_or(Ok(Vec::new()), |object| Ok(Handles::one_or_more("excluding", object)?.to_vec()))
}

/// The objects that alone have changed, ascending, if only these are to be looked at.
pub(crate) fn moved_of(moved: Opt) -> PyResult<Option<Vec<Handle>>> {
    moved
        .map(|moved| {
            let mut moved = Handles::one_or_more("moved", moved)?.to_vec();
            moved.sort_unstable();
            moved.dedup();
            Ok(moved)
        })
        .transpose()
}

/// The handle that each of many questions leaves out, or one for all.
pub(crate) fn excluded_of_each(object: Opt) -> PyResult<Vec<Handle>> {
    match object {
        Some(many) if Handles::one("excluding", many)?.is_none() => Ok(Handles::or_none("excluding", many)?.to_vec()),
        _ => excluded(object),
    }
}

/// By which numbers objects are named in an answer.
#[derive(Clone, Copy)]
pub(crate) enum Naming {
    Rows,
    Handles,
}

impl Naming {
    /// Reads the argument `out`.
    pub(crate) fn named(out: &str) -> PyResult<Self> {
        match out {
            "rows" => Ok(Self::Rows),
            "handles" => Ok(Self::Handles),
            other => Err(PyValueError::new_err(format!("out: \"rows\" or \"handles\" expected, not {other:?}"))),
        }
    }

    /// The name of no object.
    pub(crate) fn nothing(self) -> i64 {
        match self {
            Self::Rows => -1,
            Self::Handles => 0,
        }
    }

    /// A new array of names.
    pub(crate) fn array(self, py: Python<'_>, names: Vec<i64>) -> Object<'_> {
        let names = array(py, names).into_any();
        match self {
            Self::Rows => Ok(names),
            Self::Handles => names.call_method1(intern!(py, "view"), (u64::get_dtype(py),)),
        }
    }
}

/// A new array of pairs of handles.
pub(crate) fn pairs(py: Python<'_>, pairs: Vec<[Handle; 2]>) -> Object<'_> {
    table(py, pairs.into_iter().map(|pair| pair.map(Handle::to_bits)).collect())
}

/// The bits of a handle; 0 for that of no object.
pub(crate) fn bits_or_none(handle: Handle) -> u64 {
    if handle == Handle::default() { 0 } else { handle.to_bits() }
}
