//! A pool of memory that keeps half of it from those who can do without.
//!
//! Rows that wait for their turn would fill a pool to its limit before anything goes to disk, and then no index could be
//! built.

use std::fmt;
use std::sync::Arc;

use datafusion::common::{Result, resources_datafusion_err};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{
    FairSpillPool, GreedyMemoryPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation, TrackConsumersPool,
};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;

/// The same task with half of its memory for those who can spill. Where no limit is known, with all of it.
pub(crate) fn spared(context: &Arc<TaskContext>) -> Result<Arc<TaskContext>> {
    let Some(limit) = limit_of(context.memory_pool().as_ref()) else {
        return Ok(Arc::clone(context));
    };
    let pool = Arc::new(Spared { inner: Arc::clone(context.memory_pool()), spillable: limit / 2 });
    let runtime = RuntimeEnvBuilder::from_runtime_env(&context.runtime_env()).with_memory_pool(pool).build_arc()?;
    let spared = TaskContext::new(
        context.task_id(),
        context.session_id(),
        context.session_config().clone(),
        context.scalar_functions().clone(),
        context.higher_order_functions().clone(),
        context.aggregate_functions().clone(),
        context.window_functions().clone(),
        runtime,
    );
    Ok(Arc::new(spared))
}

/// The limit of a pool. That of `with_memory_limit` does not tell it itself.
fn limit_of(pool: &dyn MemoryPool) -> Option<usize> {
    let greedy = pool.downcast_ref::<TrackConsumersPool<GreedyMemoryPool>>().map(|pool| pool.inner().memory_limit());
    let fair = || pool.downcast_ref::<TrackConsumersPool<FairSpillPool>>().map(|pool| pool.inner().memory_limit());
    match greedy.or_else(fair).unwrap_or_else(|| pool.memory_limit()) {
        MemoryLimit::Finite(limit) => Some(limit),
        MemoryLimit::Infinite | MemoryLimit::Unknown => None,
    }
}

/// A pool that refuses those who can spill when it is half full.
#[derive(Debug)]
struct Spared {
    inner: Arc<dyn MemoryPool>,
    /// So many bytes.
    spillable: usize,
}

impl MemoryPool for Spared {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.inner.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.inner.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.inner.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.inner.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let consumer = reservation.consumer();
        if consumer.can_spill() && self.reserved().saturating_add(additional) > self.spillable {
            return Err(resources_datafusion_err!(
                "half of the memory is kept from {}, which can spill",
                consumer.name()
            ));
        }
        self.inner.try_grow(reservation, additional)
    }

    fn reserved(&self) -> usize {
        self.inner.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.inner.memory_limit()
    }
}

impl fmt::Display for Spared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (half of it for those who can spill)", self.inner)
    }
}
