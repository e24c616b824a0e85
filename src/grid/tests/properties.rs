//! Runs properties of the grid.

use alloc::boxed::Box;
use core::any::Any;
use core::fmt::Debug;

use proptest::strategy::{BoxedStrategy, Strategy};
use proptest::test_runner::{Config, TestRunner};

/// A case of any type. Cases lose their type on the way through the runner, so that it is compiled once and not for each
/// property.
trait Case: Any + Debug {}

impl<T: Any + Debug> Case for T {}

/// Draws cases of a property, which panics where it does not hold.
pub(in crate::grid) fn check<T: Debug + 'static>(
    cases: u32,
    strategy: impl Strategy<Value = T> + 'static,
    property: impl Fn(T),
) {
    let strategy = strategy.prop_map(|case| Box::new(case) as Box<dyn Case>).boxed();
    run(cases, &strategy, &|case| {
        let case: Box<dyn Any> = case;
        property(*case.downcast().expect("what the strategy made"));
    });
}

fn run(cases: u32, strategy: &BoxedStrategy<Box<dyn Case>>, property: &dyn Fn(Box<dyn Case>)) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(strategy, |case| {
        property(case);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
