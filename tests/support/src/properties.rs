//! Runs properties, in any space: the macro of proptest knows no generics.
//!
//! Cases lose their type on the way through the runner, so that it is compiled once and not for each property.

use core::any::Any;
use core::fmt::Debug;

use proptest::strategy::{BoxedStrategy, Strategy};
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

/// A case of any type.
trait Case: Any + Debug {}

impl<T: Any + Debug> Case for T {}

/// The value of a variable of the environment, or else this one.
fn asked(variable: &str, default: u32) -> u32 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// As many cases as `PROPTEST_CASES` says, or else this many; failures are kept beside the tests.
fn cases(default: u32) -> Config {
    Config {
        cases: asked("PROPTEST_CASES", default),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("all/proptest-regressions.txt"))),
        max_shrink_iters: asked("PROPTEST_MAX_SHRINK_ITERS", 4096),
        ..Config::default()
    }
}

/// Tests a property, which panics where it does not hold.
pub fn for_all<T: Debug + 'static>(
    cases_by_default: u32,
    strategy: impl Strategy<Value = T> + 'static,
    property: impl Fn(T),
) {
    run(cases_by_default, &without_type(strategy), &|case| {
        let case: Box<dyn Any> = case;
        property(*case.downcast().expect("what the strategy made"));
    });
}

fn without_type<T: Debug + 'static>(strategy: impl Strategy<Value = T> + 'static) -> BoxedStrategy<Box<dyn Case>> {
    strategy.prop_map(|case| Box::new(case) as Box<dyn Case>).boxed()
}

fn run(cases_by_default: u32, strategy: &BoxedStrategy<Box<dyn Case>>, property: &dyn Fn(Box<dyn Case>)) {
    let mut runner = TestRunner::new(cases(cases_by_default));
    let outcome = runner.run(strategy, |case| {
        property(case);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
