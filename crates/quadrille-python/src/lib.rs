//! The package `pyquadrille` for Python: indexes, regions and queries of the library, with numpy arrays in and out.
//!
//! - `arrays` reads and makes arrays, `handles` those of names; `errors` turns errors into those of Python.
//! - `rows` counts the objects of each layer. `space` is an index of one of four kinds behind its lock. `forks` counts those of the process; `signals` ends long calls.
//! - `index`, `layers`, `objects` and `regions` are the classes of Python; `region_query`, `query`, `batch`, `ordered`, `pairs`, `markers` and `watches` are the questions.
//! - `pickle` saves and loads them.
//!
//! Three rules keep threads from waiting for each other: no lock is awaited while the interpreter is held, none is held
//! while Python code may run (so arrays are made after a lock is released), and of two locks that with the lower address
//! is taken first. Handlers of signals are the exception to the second: they run amid long calls, and so wait for no lock.

mod arrays;
mod batch;
mod errors;
mod forks;
mod handles;
mod index;
mod layers;
mod lock;
mod markers;
mod objects;
mod ordered;
mod pairs;
mod pickle;
mod query;
mod region_query;
mod regions;
mod rows;
mod signals;
mod space;
mod watches;

#[pyo3::pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        crate::forks::count_forks(module)
    }

    #[pymodule_export]
    use crate::{
        errors::StaleHandleError,
        index::Index,
        layers::{Layer, Layers},
        markers::Markers,
        ordered::Hit,
        pairs::Contacts,
        pickle::{_index, _layer, _layers},
        query::{Query, Watch},
        regions::{AnyOf, Ball, Cap, Corridor, Polygon, Region, Segment},
        watches::Watches,
    };
}
