//! Runs properties, in any space: the macro of proptest knows no generics.

use core::fmt::Debug;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

/// As many cases as `PROPTEST_CASES` says, or else this many; failures are kept beside the tests.
fn cases(default: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES").ok();
    Config {
        cases: asked.and_then(|cases| cases.parse().ok()).unwrap_or(default),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/proptest-regressions.txt"))),
        max_shrink_iters: 4096,
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
