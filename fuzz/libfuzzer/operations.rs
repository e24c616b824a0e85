//! Operations decoded from the bytes of the fuzzer. `soak --replay` prints those of a file and runs them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quadrille_fuzz::run::run_open;
use quadrille_fuzz::script::Script;

fuzz_target!(|bytes: &[u8]| {
    run_open(&Script::of_bytes(bytes));
});
