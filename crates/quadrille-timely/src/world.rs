//! The description of a world, which all its workers share.

use std::fmt;
use std::sync::Arc;

use quadrille::{Kind as LayerKind, Rect, SpatialIndex, WorldError};

use crate::Coordinate;
use crate::partition::Partition;

/// The most layers of a world.
pub const LAYERS_MAX: usize = 32;

/// A layer of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerPlan {
    pub(crate) kind: LayerKind,
    pub(crate) local: bool,
}

/// When a running world is partitioned anew.
#[derive(Clone, Copy, Debug)]
pub struct Rebalance {
    /// The workers' shares are measured every this many ticks; at least 1.
    pub every: u64,
    /// A new partition is made if the fullest worker has more than this many times its share; at least 1.
    pub above: f64,
}

/// The description of a world: its bounds and layers, and how its workers share it. All workers must have the same.
///
/// ```
/// use quadrille::Rect;
/// use quadrille_timely::World;
///
/// let mut world = World::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?.reach(5.0)?;
/// let cars = world.add_points()?;
/// let houses = world.add_rects()?;
/// assert_eq!((cars, houses), (0, 1));
/// # Ok::<(), quadrille_timely::PlanError>(())
/// ```
#[derive(Clone)]
pub struct World<S: Coordinate = f32, const D: usize = 2> {
    bounds: Rect<S, D>,
    pub(crate) layers: Vec<LayerPlan>,
    pub(crate) reach: S,
    pub(crate) in_flight: u64,
    sample: Vec<[S; D]>,
    pub(crate) merged: bool,
    pub(crate) directory: bool,
    reader: Reader,
    pub(crate) rebalance: Option<Rebalance>,
}

/// From an object and the number of workers to the worker that feeds it.
type Reader = Arc<dyn Fn(u64, usize) -> usize + Send + Sync>;

impl<S: Coordinate, const D: usize> fmt::Debug for World<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bounds, layers, reach, in_flight, .. } = self;
        let mut shown = f.debug_struct("World");
        shown.field("bounds", bounds).field("layers", layers).field("reach", reach).field("in_flight", in_flight);
        shown.finish_non_exhaustive()
    }
}

/// A description that no world can have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// No world can have these bounds.
    #[error(transparent)]
    Bounds(#[from] WorldError),
    /// There is no layer left.
    #[error("a world has at most {LAYERS_MAX} layers")]
    Layers,
    /// The reach is not a number from 0 on.
    #[error("the reach is {0}; it must be finite and not negative")]
    Reach(f64),
    /// No tick may be in flight.
    #[error("no tick may be in flight; at least 1 must be")]
    InFlight,
    /// The rule would never apply, or apply whatever the shares are.
    #[error("a rebalance every {every} ticks above {above} shares; it needs 1 or more of each, and a finite share")]
    Rebalance {
        /// The ticks given.
        every: u64,
        /// The share given.
        above: f64,
    },
}

impl<S: Coordinate, const D: usize> World<S, D> {
    /// A world without layers. Objects outside its bounds are stored and found as all others are.
    ///
    /// # Errors
    /// [`PlanError::Bounds`] if no index can have these bounds.
    pub fn new(bounds: Rect<S, D>) -> Result<Self, PlanError> {
        SpatialIndex::<(), S, D>::new(bounds)?;
        Ok(Self {
            bounds,
            layers: Vec::new(),
            reach: S::default(),
            in_flight: 2,
            sample: Vec::new(),
            merged: false,
            directory: false,
            reader: Arc::new(|id, workers| (id % workers as u64) as usize),
            rebalance: None,
        })
    }

    fn add(&mut self, kind: LayerKind, local: bool) -> Result<u8, PlanError> {
        if self.layers.len() == LAYERS_MAX {
            return Err(PlanError::Layers);
        }
        self.layers.push(LayerPlan { kind, local });
        Ok((self.layers.len() - 1) as u8)
    }

    /// Adds a layer of points, which are fed, and returns its number.
    ///
    /// # Errors
    /// [`PlanError::Layers`] if there are [`LAYERS_MAX`] already.
    pub fn add_points(&mut self) -> Result<u8, PlanError> {
        self.add(LayerKind::Points, false)
    }

    /// Adds a layer of boxes, which are fed, and returns its number.
    ///
    /// # Errors
    /// As [`add_points`](Self::add_points).
    pub fn add_rects(&mut self) -> Result<u8, PlanError> {
        self.add(LayerKind::Rects, false)
    }

    /// Adds a layer of points that live on the worker of their place and [`step`](crate::Program::step) there.
    ///
    /// # Errors
    /// As [`add_points`](Self::add_points).
    pub fn add_local_points(&mut self) -> Result<u8, PlanError> {
        self.add(LayerKind::Points, true)
    }

    /// Adds a layer of boxes that live on the worker of their place and [`step`](crate::Program::step) there.
    ///
    /// # Errors
    /// As [`add_points`](Self::add_points).
    pub fn add_local_rects(&mut self) -> Result<u8, PlanError> {
        self.add(LayerKind::Rects, true)
    }

    /// Sets the largest distance of a question about pairs; 0 by default. Objects nearer than that to a border are ghosts
    /// beyond it.
    ///
    /// # Errors
    /// [`PlanError::Reach`] if it is negative or not finite.
    pub fn reach(mut self, reach: S) -> Result<Self, PlanError> {
        if !(S::default() <= reach && reach.is_finite()) {
            return Err(PlanError::Reach(reach.to_f64()));
        }
        self.reach = reach;
        Ok(self)
    }

    /// Sets how many ticks may be in flight at once; 2 by default. A feed that far ahead waits, so a slow consumer
    /// slows the feed and memory stays bounded.
    ///
    /// # Errors
    /// [`PlanError::InFlight`] if it is 0.
    pub fn in_flight(mut self, ticks: u64) -> Result<Self, PlanError> {
        if ticks == 0 {
            return Err(PlanError::InFlight);
        }
        self.in_flight = ticks;
        Ok(self)
    }

    /// Gives a sample of where objects will be, so that each worker gets its share of them: a thousand points a worker.
    /// Without one, all workers get equal space.
    #[must_use]
    pub fn sample(mut self, sample: impl IntoIterator<Item = [S; D]>) -> Self {
        self.sample = sample.into_iter().collect();
        self
    }

    /// Brings all answers of a tick to worker 0, as one sorted list. Otherwise each worker keeps its own
    /// sorted answers.
    #[must_use]
    pub fn merged(mut self) -> Self {
        self.merged = true;
        self
    }

    /// Says which worker feeds an object, by its id and the number of workers; that worker remembers where the object was. The
    /// default is the id modulo the number of workers. For a single feeder write `|_, _| 0`.
    #[must_use]
    pub fn reader(mut self, reader: impl Fn(u64, usize) -> usize + Send + Sync + 'static) -> Self {
        self.reader = Arc::new(reader);
        self
    }

    /// Lets any worker feed any object: rows go to the object's [reader](Self::reader) first, and from there to its worker.
    /// Each row is sent twice. If several workers feed an object in one tick, the row of the one with the highest
    /// number counts.
    #[must_use]
    pub fn directory(mut self) -> Self {
        self.directory = true;
        self
    }

    /// Partitions the world anew while it runs, where shares have drifted. No answer changes.
    ///
    /// # Errors
    /// [`PlanError::Rebalance`] if `every` is 0, or `above` is less than 1 or not finite.
    pub fn rebalance(mut self, rule: Rebalance) -> Result<Self, PlanError> {
        let Rebalance { every, above } = rule;
        if every == 0 || !(1.0..f64::INFINITY).contains(&above) {
            return Err(PlanError::Rebalance { every, above });
        }
        self.rebalance = Some(rule);
        Ok(self)
    }

    /// The bounds.
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    /// The first partition among this number of workers.
    #[must_use]
    pub fn first_partition(&self, workers: usize) -> Partition<S, D> {
        Partition::of_sample(self.bounds, self.reach, workers, self.sample.iter().copied())
    }

    /// The bounds, layers and reach in words. A kept world goes on only with the same ones.
    pub(crate) fn in_words(&self) -> String {
        let layer = |layer: &LayerPlan| format!("{}{:?}", if layer.local { "local " } else { "" }, layer.kind);
        let layers: Vec<String> = self.layers.iter().map(layer).collect();
        let (min, max) = (self.bounds.min(), self.bounds.max());
        format!("bounds {min:?} to {max:?}, layers [{}], reach {}", layers.join(", "), self.reach)
    }

    pub(crate) fn has_local(&self) -> bool {
        self.layers.iter().any(|layer| layer.local)
    }

    pub(crate) fn reader_of(&self, id: u64, workers: usize) -> usize {
        (self.reader)(id, workers)
    }
}
