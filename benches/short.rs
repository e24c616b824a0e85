//! How long criterion measures.

use std::time::Duration;

use criterion::Criterion;

/// Short runs: enough to see a tenth of a difference on a quiet machine.
pub(crate) fn runs() -> Criterion {
    Criterion::default()
        .without_plots()
        .sample_size(20)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args()
}
