//! A memory pool in which consumers that can spill may fill only half.
//!
//! Otherwise the rows of partitions that wait would fill the pool before any of them is spilled, and no index could be built.

use std::fmt;
use std::sync::Arc;

use datafusion::common::{Result, resources_datafusion_err};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{
    FairSpillPool, GreedyMemoryPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation, TrackConsumersPool,
};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;

/// The same task, in which consumers that can spill may use half of the memory. If the pool does not tell its limit, all of it.
pub(crate) fn with_spill_limit(context: &Arc<TaskContext>) -> Result<Arc<TaskContext>> {
    let Some(limit) = limit_of(context.memory_pool().as_ref()) else {
        return Ok(Arc::clone(context));
    };
    let pool = Arc::new(SpillLimitPool { inner: Arc::clone(context.memory_pool()), spillable_max: limit / 2 });
    let runtime = RuntimeEnvBuilder::from_runtime_env(&context.runtime_env()).with_memory_pool(pool).build_arc()?;
    let task = TaskContext::new(
        context.task_id(),
        context.session_id(),
        context.session_config().clone(),
        context.scalar_functions().clone(),
        context.higher_order_functions().clone(),
        context.aggregate_functions().clone(),
        context.window_functions().clone(),
        runtime,
    );
    Ok(Arc::new(task))
}

/// The limit of a pool. The one that `with_memory_limit` makes does not report it itself.
fn limit_of(pool: &dyn MemoryPool) -> Option<usize> {
    let greedy = pool.downcast_ref::<TrackConsumersPool<GreedyMemoryPool>>().map(|pool| pool.inner().memory_limit());
    let fair = || pool.downcast_ref::<TrackConsumersPool<FairSpillPool>>().map(|pool| pool.inner().memory_limit());
    match greedy.or_else(fair).unwrap_or_else(|| pool.memory_limit()) {
        MemoryLimit::Finite(limit) => Some(limit),
        MemoryLimit::Infinite | MemoryLimit::Unknown => None,
    }
}

/// A pool that grants nothing to consumers that can spill once it is half full.
#[derive(Debug)]
struct SpillLimitPool {
    inner: Arc<dyn MemoryPool>,
    /// The bytes in use up to which such consumers are granted more.
    spillable_max: usize,
}

impl MemoryPool for SpillLimitPool {
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
        if consumer.can_spill() && self.reserved().saturating_add(additional) > self.spillable_max {
            return Err(resources_datafusion_err!(
                "{} can spill, so it may not use the last half of the memory",
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

impl fmt::Display for SpillLimitPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (half of it for consumers that can spill)", self.inner)
    }
}
