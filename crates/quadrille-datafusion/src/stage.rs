//! The build side of a join whose tasks arrive one by one, each with a plan of its own, as they do in an executor.

use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::Result;

use crate::build::{Building, begin};
use crate::metrics::BuildMetrics;
use crate::sides::Sides;
use crate::spec::JoinSpec;

/// A build side that every task of a stage in this process takes. The first one begins it.
///
/// It cannot know which task is the last one, so whoever holds it decides when its memory is given back, and joins that
/// yield rows of the left side by themselves cannot use it.
#[derive(Debug, Default)]
pub(crate) struct StageBuild(Mutex<Option<Building>>);

impl StageBuild {
    /// The build side for a task. One that has failed is begun again: the inputs may be elsewhere by now.
    pub(crate) fn take(
        &self,
        spec: &Arc<JoinSpec>,
        metrics: &BuildMetrics,
        sides: impl FnOnce() -> Result<Sides>,
    ) -> Result<Building> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(begun) = slot.as_ref().filter(|begun| !matches!(begun.peek(), Some(Err(_)))) {
            return Ok(begun.clone());
        }
        let building = begin(spec, sides()?, 0, metrics);
        *slot = Some(building.clone());
        Ok(building)
    }
}
