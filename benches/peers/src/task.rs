//! One scene and its workloads, and who is compared.

use crate::data::{Form, Space};
use crate::places::Distribution;
use crate::workload::Workload;

/// The contender that all others are compared with, and that always takes part.
pub(crate) const OURS: &str = "quadrille";

/// One scene and its workloads.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) space: Space,
    pub(crate) n: usize,
    pub(crate) distribution: Distribution,
    pub(crate) form: Form,
    pub(crate) workloads: Vec<Workload>,
}

impl Task {
    /// Of the plane of `f32`, with those of the workloads that suit the form.
    pub(crate) fn new(n: usize, distribution: Distribution, form: Form, workloads: &[Workload]) -> Self {
        let suited = workloads.iter().copied().filter(|workload| workload.suits(form));
        Self { space: Space::Plane, n, distribution, form, workloads: suited.collect() }
    }
}
