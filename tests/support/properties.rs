//! Runs properties, in any space: the macro of proptest knows no generics.

use core::fmt::Debug;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

/// What a variable of the environment says, or else this.
fn asked(variable: &str, default: u32) -> u32 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// As many cases as `PROPTEST_CASES` says, or else this many; failures are kept beside the tests.
fn cases(default: u32) -> Config {
    Config {
        cases: asked("PROPTEST_CASES", default),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/proptest-regressions.txt"))),
        max_shrink_iters: asked("PROPTEST_MAX_SHRINK_ITERS", 4096),
        ..Config::default()
    }
}

/// Tests a property, which panics where it does not hold.
pub(crate) fn for_all<T: Debug>(cases_by_default: u32, strategy: impl Strategy<Value = T>, property: impl Fn(T)) {
    let mut runner = TestRunner::new(cases(cases_by_default));
    let outcome = runner.run(&strategy, |case| {
        property(case);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
