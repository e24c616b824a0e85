//! Whether the matrix has a row for each public function through which a caller's code comes, read from the sources.

use std::collections::BTreeSet;

use crate::architecture::public_functions;

use super::answers::answers;
use super::rows;

/// The words that say in a function's head, or in that of its block, that it takes a caller's code.
const CALLERS: [&str; 10] = [
    "Fn(",
    "FnMut(",
    "Iterator<",
    "Into<",
    "Borrow<",
    "IntoRegion<",
    "IntoShape<",
    "Region<",
    "Metric<",
    "IntoIterator<",
];

/// Functions that take a caller's types and run none of its code.
const SILENT: [(&str, &str); 22] = [
    ("Answers::iter", "returns an iterator of its own"),
    ("AnyOf::bounds", "asked when it was made"),
    ("AnyOf::regions", "lends them"),
    ("AnyOf::intersects", "as the region of `SpatialIndex::intersecting`"),
    ("AnyOf::contains", "as the region of `SpatialIndex::intersecting`"),
    ("Cell::objects", "returns an iterator of its own"),
    ("Clusters::par_collect", "as `Clusters::map_reduce`, on the threads of rayon"),
    ("Clusters::par_map_reduce", "as `Clusters::map_reduce`, on the threads of rayon"),
    ("Contacts::of", "returns an iterator of its own"),
    ("Contacts::pairs", "returns an iterator of its own"),
    ("Cursor::distinct", "a flag"),
    ("Join::counts", "returns an iterator of its own"),
    ("Matches::rows", "returns an iterator of its own"),
    ("Query::blocks", "asks the region as `Query::next` does"),
    ("Query::excluding", "looks a handle up"),
    ("Query::handles_into", "as `Query::blocks`; the list belongs to the caller"),
    ("Resumed::pause", "in the row of `SpatialIndex::resume`"),
    ("Neighbors::par_map", "as `Neighbors::map`, on the threads of rayon"),
    ("Polygon::edges", "returns an iterator of its own"),
    ("SpatialIndex::layers", "returns an iterator of its own"),
    ("SpatialIndex::values", "returns an iterator of its own"),
    ("SpatialIndex::values_mut", "returns an iterator of its own"),
];

/// The sources of the rows.
const ROWS: [&str; 4] =
    [include_str!("answers.rs"), include_str!("asking.rs"), include_str!("changes.rs"), include_str!("stage.rs")];

#[test]
#[cfg_attr(not(feature = "rayon"), ignore = "the rows of its functions are left out")]
fn each_function_that_runs_a_callers_code_has_a_row() {
    let mut named: BTreeSet<&str> = rows::<f32, 2>().iter().flat_map(|row| row.covers).copied().collect();
    named.extend(answers::<f32, 2>().iter().flat_map(|row| row.covers));
    named.extend(SILENT.iter().map(|(name, _)| *name));
    let functions = public_functions();
    let takes = |head: &str| CALLERS.iter().any(|word| head.contains(word));
    let needed: BTreeSet<&str> =
        functions.iter().filter(|function| takes(&function.head)).map(|function| function.name.as_str()).collect();
    let missing: Vec<_> = needed.difference(&named).collect();
    assert!(missing.is_empty(), "no row: {missing:?}");
    let stale: Vec<_> = named.difference(&needed).collect();
    assert!(stale.is_empty(), "no such function takes a caller's code: {stale:?}");
    let is_silent = |name: &str| SILENT.iter().any(|(silent, _)| *silent == name);
    let is_called = |name: &str| {
        let function = name.rsplit("::").next().expect("a name");
        ROWS.iter().any(|row| [".", "::"].iter().any(|before| row.contains(&format!("{before}{function}("))))
    };
    let claimed: Vec<_> = named.iter().filter(|name| !is_silent(name) && !is_called(name)).collect();
    assert!(claimed.is_empty(), "no row calls {claimed:?}");
}
