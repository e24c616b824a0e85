//! All integration tests, in one binary: linking and starting many would take longer. `PROPTEST_CASES=20000` makes the property tests
//! longer, `PROPTEST_RNG_SEED=7` takes other cases.

mod allocation;
mod answers;
mod architecture;
// It has a table of both spaces.
#[cfg(any(feature = "two-spaces", feature = "other-spaces"))]
mod bad_input;
mod blocking;
mod bounds;
mod boxes;
mod broken_regions;
mod by_place;
#[cfg(feature = "std")]
mod caps;
mod clusters;
mod contacts;
mod contents;
mod corridors;
mod crowds;
mod cursor_contract;
mod cursors;
mod errors;
mod excluding;
mod fuzz;
// It has a small stack, and without instances of both its spaces it would take more.
#[cfg(all(feature = "two-spaces", not(feature = "other-spaces")))]
mod golden;
mod grid;
mod handles;
mod integers;
mod limits;
mod markers;
mod matching;
mod memory;
mod metrics;
mod model;
mod mutants;
mod neighbors;
mod ordered;
mod ordered_edges;
#[cfg(all(unix, feature = "std", feature = "rayon"))]
mod out_of_memory;
mod outlines;
mod outside;
mod pairs;
mod panic_matrix;
#[cfg(feature = "rayon")]
mod par_update;
#[cfg(feature = "rayon")]
mod parallel;
mod periodic;
mod polygons;
mod rays;
mod regions;
mod regressions;
mod regressions_agree;
mod restated;
mod reuse;
mod rolling;
mod scale;
mod semantics;
mod set_again;
// As `golden`.
#[cfg(all(feature = "two-spaces", not(feature = "other-spaces")))]
mod stack;
mod thin;
mod ties;
mod traits;
mod walking;
mod watch;
