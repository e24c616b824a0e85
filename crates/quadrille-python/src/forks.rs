//! Counts how often the process was forked: a child has none of its parent's threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;

/// How often this process or one before it was forked, on the way from the one that imported the package.
static FORKS: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn forks() -> usize {
    FORKS.load(Ordering::Relaxed)
}

/// Counts a fork, in the child.
#[pyfunction]
fn _forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Has forks counted.
pub(crate) fn count_forks(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let os = module.py().import("os")?;
    if let Some(register) = os.getattr_opt("register_at_fork")? {
        let options = pyo3::types::PyDict::new(module.py());
        options.set_item("after_in_child", wrap_pyfunction!(_forked, module)?)?;
        register.call((), Some(&options))?;
    }
    Ok(())
}
