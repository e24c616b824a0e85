//! Clocks, and the median of several rounds.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

use rustix::time::{ClockId, clock_gettime};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Nanoseconds that this thread has run: other programs on the machine count only by their effect on caches.
pub(crate) fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Does something that may panic in a contender's code; the error is the message of the panic.
pub(crate) fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    GUARDED.set(true);
    // A broken index is dropped, or built anew, before it is used again.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("panicked").to_owned()
    })
}

/// Keeps panics quiet that [`guarded`] reports.
pub(crate) fn quiet_guarded_panics() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !GUARDED.get() {
            hook(info);
        }
    }));
}

/// The middle one of several times.
pub(crate) fn median(times: &[f64]) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

pub(crate) fn minimum(times: &[f64]) -> Option<f64> {
    times.iter().copied().min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        assert_eq!(minimum(&[3.0, 1.0, 2.0]), Some(1.0));
    }
}
