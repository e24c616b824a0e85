//! Arrays of Python in and out.
//!
//! An input is read where it lies if it has the right type and order, and is converted by numpy otherwise, which never
//! turns a number of one kind into one of another.

use numpy::{
    Element, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString, PyTuple};
use quadrille::{Rect, Scalar};

use crate::errors::{refuse, value_error};

/// An argument, one that may be left out, and an answer of Python.
pub(crate) type Arg<'a, 'py> = &'a Bound<'py, PyAny>;
pub(crate) type Opt<'a, 'py> = Option<Arg<'a, 'py>>;
pub(crate) type Object<'py> = PyResult<Bound<'py, PyAny>>;
pub(crate) type Objects<'py> = PyResult<Bound<'py, PyTuple>>;

/// A coordinate that numpy knows.
pub(crate) trait Number: Scalar + Element + for<'a, 'py> FromPyObject<'a, 'py> {}

impl Number for f32 {}
impl Number for f64 {}

/// A number as a coordinate.
pub(crate) fn number<S: Number>(number: f64) -> S {
    S::from_f64(number)
}

/// More rows than an index can hold objects are an error of the caller.
pub(crate) const ROWS_MAX: usize = u32::MAX as usize;

/// Anything as an array, by numpy.
pub(crate) fn as_array<'py>(object: Arg<'_, 'py>) -> PyResult<Bound<'py, PyUntypedArray>> {
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static IS_MASKED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        if !object.is_exact_instance_of::<PyUntypedArray>()
            && IS_MASKED.import(object.py(), "numpy.ma", "is_masked")?.call1((object,))?.is_truthy()?
        {
            return refuse("a masked array: its mask would be lost. Take `compressed()`, or the rows without one");
        }
        return Ok(array.clone());
    }
    let as_array = AS_ARRAY.import(object.py(), "numpy", "asarray")?;
    Ok(as_array.call1((object,))?.cast_into::<PyUntypedArray>()?)
}

pub(crate) fn wrong_type(name: &str, expected: &str, array: &Bound<'_, PyUntypedArray>) -> PyErr {
    PyTypeError::new_err(format!("{name}: {expected} expected, not {}", array.dtype()))
}

fn has_real_numbers(name: &str, array: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
    let are_real = matches!(array.dtype().kind(), b'f' | b'i' | b'u');
    if are_real { Ok(()) } else { Err(wrong_type(name, "real numbers", array)) }
}

/// An array of one type in the order of C: the very one where it is that, else a copy.
pub(crate) fn in_order<'py, T: Element>(
    name: &str, array: &Bound<'py, PyUntypedArray>,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    if let Ok(array) = array.cast::<PyArrayDyn<T>>()
        && array.is_c_contiguous()
    {
        let array = readonly(name, array)?;
        if array.as_slice().is_ok() {
            return Ok(array);
        }
    }
    let py = array.py();
    let options = PyDict::new(py);
    options.set_item(intern!(py, "order"), intern!(py, "C"))?;
    options.set_item(intern!(py, "casting"), intern!(py, "same_kind"))?;
    let copy = array.call_method(intern!(py, "astype"), (T::get_dtype(py),), Some(&options))?;
    let copy = copy.cast_into::<PyArrayDyn<T>>()?;
    if !copy.is_c_contiguous() {
        return Err(PyTypeError::new_err(format!("{name}: numpy made no array in the order of C")));
    }
    readonly(name, &copy)
}

fn readonly<'py, T: Element>(name: &str, array: &Bound<'py, PyArrayDyn<T>>) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    array.try_readonly().map_err(|error| PyValueError::new_err(format!("{name}: {error}")))
}

/// Rows of equally many coordinates.
pub(crate) struct Table<'py, S: Number> {
    array: PyReadonlyArrayDyn<'py, S>,
    name: &'static str,
    /// How many numbers a row has.
    pub(crate) width: usize,
}

impl<'py, S: Number> Table<'py, S> {
    /// Reads an array (N, width) with one of some widths. A list without rows is one, too.
    pub(crate) fn new(name: &'static str, object: Arg<'_, 'py>, widths: &[usize]) -> PyResult<Self> {
        let array = as_array(object)?;
        let is_empty = array.shape() == [0];
        if !is_empty {
            has_real_numbers(name, &array)?;
        }
        let width = match *array.shape() {
            [0] => widths[0],
            [_, width] if widths.contains(&width) => width,
            _ => {
                let expected = widths.iter().map(|width| format!("(N, {width})")).collect::<Vec<_>>().join(" or ");
                return refuse(format_args!("{name}: an array {expected} expected, not {:?}", array.shape()));
            }
        };
        if array.shape()[0] > ROWS_MAX {
            return refuse(format_args!("{name}: {} rows, the limit is {ROWS_MAX}", array.shape()[0]));
        }
        let array = in_order::<S>(name, &array)?;
        // Numpy may have run code of others that has made it another one.
        if array.len() % width != 0 || !is_empty && array.shape().get(1) != Some(&width) {
            return Err(PyValueError::new_err(format!("{name}: the array changed its shape")));
        }
        Ok(Self { array, name, width })
    }

    pub(crate) fn numbers(&self) -> &[S] {
        self.array.as_slice().unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers().len() / self.width
    }

    /// The points of the rows, without a NaN. Rows have `D` numbers.
    pub(crate) fn points<const D: usize>(&self) -> PyResult<&[[S; D]]> {
        let points = self.numbers().as_chunks().0;
        match points.iter().position(|point| is_nan(point)) {
            None => Ok(points),
            Some(row) => Err(self.at(row, "a coordinate is NaN")),
        }
    }

    /// The boxes of the rows, without a NaN and with their corners in order. Rows of `D` numbers are points.
    pub(crate) fn rects<const D: usize>(&self) -> PyResult<Vec<Rect<S, D>>> {
        let mut rects = reserved(self.len())?;
        if self.width == D {
            rects.extend(self.points()?.iter().map(|&point| Rect::from_point(point)));
            return Ok(rects);
        }
        for (row, corners) in self.numbers().as_chunks::<D>().0.as_chunks::<2>().0.iter().enumerate() {
            rects.push(Rect::try_new(corners[0], corners[1]).map_err(|error| self.at(row, error))?);
        }
        Ok(rects)
    }

    /// The shapes of objects: as `rects`, and finite.
    pub(crate) fn shapes<const D: usize>(&self) -> PyResult<Vec<Rect<S, D>>> {
        let rects = self.rects()?;
        match rects.iter().position(|rect| !rect.min().iter().chain(&rect.max()).all(|at| at.is_finite())) {
            None => Ok(rects),
            Some(row) => Err(self.at(row, "a coordinate is infinite")),
        }
    }

    /// An error about a row.
    pub(crate) fn at(&self, row: usize, error: impl std::fmt::Display) -> PyErr {
        value_error(format_args!("{}, row {row}: {error}", self.name))
    }
}

fn is_nan<S: Scalar>(point: &[S]) -> bool {
    point.iter().any(|at| at.to_f64().is_nan())
}

/// An empty list with room, if there is memory for it.
pub(crate) fn reserved<T>(len: usize) -> PyResult<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(len).map_err(|error| PyMemoryError::new_err(error.to_string()))?;
    Ok(list)
}

/// A list of equal items, if there is memory for it.
pub(crate) fn filled<T: Clone>(item: T, len: usize) -> PyResult<Vec<T>> {
    let mut list = reserved(len)?;
    list.resize(len, item);
    Ok(list)
}

/// Whether an item is a truth value of Python or of numpy.
fn is_bool(item: Arg) -> bool {
    !item.is_exact_instance_of::<PyFloat>()
        && (item.is_exact_instance_of::<PyBool>()
            || item.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_"))
}

/// An item of a list as a coordinate.
fn coordinate(name: &str, at: usize, item: Arg) -> PyResult<f64> {
    item.extract().map_err(|error: PyErr| {
        let type_of = item.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string());
        if error.is_instance_of::<PyOverflowError>(item.py()) {
            value_error(format_args!("{name}: coordinate {at} is out of range"))
        } else if !error.is_instance_of::<PyTypeError>(item.py()) {
            error
        } else if item.len().is_ok() && !item.is_instance_of::<PyString>() {
            PyTypeError::new_err(format!("{name}: {}, not a list of {type_of}", one_expected(name)))
        } else {
            PyTypeError::new_err(format!("{name}: coordinate {at} is a {type_of}"))
        }
    })
}

/// Of what an argument is one, and which method takes many.
fn one_expected(name: &str) -> &'static str {
    match name {
        "region" => "one point or box expected (`windows` takes many)",
        "point" => "one point expected (`within_many` takes many)",
        "shape" => "one point or box expected (`insert_many` and `move_many` take many)",
        "target" => "one point or box expected (`nearest_many` takes many)",
        "origin" | "direction" => "one point expected (`raycast_many` takes many)",
        "box" | "motion" => "one point or box expected (`cast_many` takes many)",
        _ => "one point or box expected",
    }
}

/// A number, as an argument.
pub(crate) fn number_of<'a, 'py, N: FromPyObject<'a, 'py, Error = PyErr>>(
    name: &str, object: &'a Bound<'py, PyAny>,
) -> PyResult<N> {
    object.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(object.py()) {
            value_error(format_args!("{name}: {object} is out of range"))
        } else {
            PyTypeError::new_err(format!("{name}: {}", error.value(object.py())))
        }
    })
}

/// The few coordinates of a point or a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinates {
    numbers: [f64; 6],
    len: usize,
}

impl Coordinates {
    /// Reads up to six numbers, none of them NaN.
    pub(crate) fn new(name: &str, object: Arg) -> PyResult<Self> {
        let mut few = Self { numbers: [0.0; 6], len: 0 };
        let mut push = |number: f64| {
            if number.is_nan() {
                return Err(PyValueError::new_err(format!("{name}: coordinate {} is NaN", few.len)));
            }
            *few.numbers
                .get_mut(few.len)
                .ok_or_else(|| PyValueError::new_err(format!("{name}: too many numbers")))? = number;
            few.len += 1;
            Ok(())
        };
        // The usual ones by themselves, without an array.
        let mut are_numbers = false;
        let mut push_item = |(at, item): (usize, Bound<'_, PyAny>)| {
            are_numbers = are_numbers || !is_bool(&item);
            push(coordinate(name, at, &item)?)
        };
        if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            tuple.iter().enumerate().try_for_each(&mut push_item)?;
        } else if let Ok(list) = object.cast_exact::<PyList>() {
            list.iter().enumerate().try_for_each(&mut push_item)?;
        } else {
            let array = as_array(object)?;
            has_real_numbers(name, &array)?;
            if array.ndim() != 1 || 6 < array.len() {
                return refuse(format_args!("{name}: {}, not an array {:?}", one_expected(name), array.shape()));
            }
            let array = in_order::<f64>(name, &array)?;
            array.as_slice().unwrap_or_default().iter().try_for_each(|&number| push(number))?;
            return Ok(few);
        }
        if few.len != 0 && !are_numbers {
            return Err(PyTypeError::new_err(format!("{name}: real numbers expected, not bool")));
        }
        Ok(few)
    }

    pub(crate) fn numbers(&self) -> &[f64] {
        &self.numbers[..self.len]
    }

    /// A point of this many dimensions.
    pub(crate) fn point<S: Scalar, const D: usize>(&self, name: &str) -> PyResult<[S; D]> {
        if self.len == D {
            return Ok(std::array::from_fn(|axis| S::from_f64(self.numbers[axis])));
        }
        Err(PyValueError::new_err(format!("{name}: a point of {D} numbers expected, not {}", self.len)))
    }

    /// A box of this many dimensions with its corners in order, or a point.
    pub(crate) fn rect<S: Scalar, const D: usize>(&self, name: &str) -> PyResult<Rect<S, D>> {
        let at = |axis: usize| S::from_f64(self.numbers[axis]);
        if self.len == D {
            return Ok(Rect::from_point(std::array::from_fn(at)));
        }
        if self.len != 2 * D {
            return refuse(format_args!("{name}: {D} or {} numbers expected, not {}", 2 * D, self.len));
        }
        Rect::try_new(std::array::from_fn(at), std::array::from_fn(|axis| at(D + axis)))
            .map_err(|error| value_error(format_args!("{name}: {error}")))
    }
}

/// Distances, one for all questions or one for each.
pub(crate) fn distances<S: Number>(name: &'static str, object: Arg, len: usize) -> PyResult<Vec<S>> {
    // Older numpy takes an array of one number for that number.
    let is_array = object.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() != 0);
    if !is_array && let Ok(distance) = object.extract::<f64>() {
        return filled(S::from_f64(checked(name, distance)?), len);
    }
    let array = as_array(object)?;
    if array.shape() != [len] {
        return refuse(format_args!("{name}: one number or an array ({len},) expected, not {:?}", array.shape()));
    }
    has_real_numbers(name, &array)?;
    let array = in_order::<S>(name, &array)?;
    let distances = array.as_slice().unwrap_or_default();
    match distances.iter().position(|&distance| !is_distance(distance)) {
        None if distances.len() == len => Ok(distances.to_vec()),
        None => Err(PyValueError::new_err(format!("{name}: the array changed its shape"))),
        Some(row) => Err(value_error(format_args!("{name}, row {row}: {} is no distance", distances[row]))),
    }
}

/// A point of two or three dimensions.
pub(crate) fn point(name: &str, object: Arg) -> PyResult<Coordinates> {
    let few = Coordinates::new(name, object)?;
    match few.numbers().len() {
        2 | 3 => Ok(few),
        len => Err(value_error(format_args!("{name}: a point of 2 or 3 numbers expected, not {len}"))),
    }
}

/// Points that are finite.
pub(crate) fn finite<const D: usize>(table: &Table<'_, f64>) -> PyResult<Vec<[f64; D]>> {
    let points = table.points()?;
    match points.iter().position(|point| !point.iter().all(|at| at.is_finite())) {
        None => Ok(points.to_vec()),
        Some(row) => Err(table.at(row, "a coordinate is infinite")),
    }
}

/// Not negative, and not a NaN.
fn is_distance<S: Number>(distance: S) -> bool {
    0.0 <= distance.to_f64()
}

/// A distance, as an argument.
pub(crate) fn distance_of(name: &str, object: Arg) -> PyResult<f64> {
    checked(name, number_of(name, object)?)
}

pub(crate) fn checked(name: &str, distance: f64) -> PyResult<f64> {
    if is_distance(distance) {
        Ok(distance)
    } else {
        Err(value_error(format_args!("{name}: {distance} is no distance")))
    }
}

/// A new array. Short ones are copied, which is faster than to hand over memory.
pub(crate) fn array<T: Element>(py: Python<'_>, list: Vec<T>) -> Bound<'_, PyArray1<T>> {
    if size_of_val(&list[..]) <= 4096 { PyArray1::from_slice(py, &list) } else { PyArray1::from_vec(py, list) }
}

/// A new array of two dimensions.
pub(crate) fn table<T: Element, const W: usize>(py: Python<'_>, rows: Vec<[T; W]>) -> Object<'_> {
    let len = rows.len();
    Ok(array(py, rows.into_flattened()).reshape([len, W])?.into_any())
}

/// The corners of a box as one row.
pub(crate) fn corners<S: Scalar, const D: usize>(rect: &Rect<S, D>) -> [[S; D]; 2] {
    [rect.min(), rect.max()]
}

/// A box as a new array (2D,).
pub(crate) fn one_box<'py, S: Number, const D: usize>(py: Python<'py>, rect: &Rect<S, D>) -> Bound<'py, PyAny> {
    array(py, corners(rect).as_flattened().to_vec()).into_any()
}

/// Boxes as a new array (N, 2D).
pub(crate) fn boxes<'py, S: Number, const D: usize>(py: Python<'py>, rects: &[Rect<S, D>]) -> Object<'py> {
    let corners: Vec<[[S; D]; 2]> = rects.iter().map(corners).collect();
    Ok(array(py, corners.into_flattened().into_flattened()).reshape([rects.len(), 2 * D])?.into_any())
}
