//! A best-first search: it always continues with the part of the trees that has the lowest bound, down to single
//! objects.
//!
//! A metric may be slow. So the search asks about each part of a node, bucket and object at most once, and about as few
//! of them as the answer allows. Everything that the search has come to waits in a queue. For each further object the
//! search continues from there.
//!
//! The entries of a bucket wait in a list, and only the first of them in the queue: most of them are never put in order.
//!
//! Where the metric's bounds are distances from a point, no part of a node is asked about: boxes come in the order of `nearest`.
//! A metric may find objects itself, up to some distance after the other, as long as these are few.
//!
//! Keeps invariants Q3 and Q8 of `docs/invariants.md`.

use alloc::collections::binary_heap::PeekMut;
use alloc::vec::Vec;

use super::buffer::{Buffer, Part, Pending, Queue, SearchBuffer};
use super::metric::Metric;
use super::sequence::Sequence;
use crate::geometry::{Rank, Rect, Scalar};
use crate::grid::{Block, CELLS};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{BucketId, Excluded, Handle, LayerSet, NodeId, Place};
use crate::space::Space;
use crate::tree::{Arena, Slot, block_bits, positions};

type Boxes<'a, 'b, S, const D: usize> = Sequence<'a, 'b, Rect<S, D>, S, D>;

/// The position of a search.
#[derive(Clone)]
pub(super) struct BestFirst<'a, 'b, S, const D: usize> {
    /// The boxes of all objects by their distances, if these are the bounds.
    boxes: Option<Boxes<'a, 'b, S, D>>,
    pub(super) layers: LayerSet,
    excluded: Excluded<Place>,
    /// Objects farther away are not results; with a NaN, none are.
    limit: f64,
    /// All objects up to this distance are found: the metric itself has passed them on.
    known: Option<f64>,
    has_begun: bool,
    queue: Buffer<'b, Queue>,
}

impl<'a, 'b, S: Scalar, const D: usize> BestFirst<'a, 'b, S, D> {
    /// A search over boxes by their distances from a point, or over all nodes.
    pub(super) fn new(space: &'a Space<S, D>, point: Option<[S; D]>) -> Self {
        let boxes = point.map(|point| {
            let mut boxes = Sequence::new(space, Rect::from_point(point));
            boxes.expect_several();
            boxes
        });
        Self {
            boxes,
            layers: LayerSet::ALL,
            excluded: Excluded::none(),
            limit: f64::INFINITY,
            known: None,
            has_begun: false,
            queue: Buffer::Own(Queue::default()),
        }
    }

    pub(super) fn reuse(&mut self, SearchBuffer { batch, queue }: &'b mut SearchBuffer) {
        queue.steps.clear();
        queue.runs.clear();
        let own = self.queue.get_mut();
        queue.steps.append(&mut own.steps);
        queue.runs.append(&mut own.runs);
        self.queue = Buffer::Lent(queue);
        if let Some(boxes) = &mut self.boxes {
            boxes.reuse_batch(batch);
            boxes.expect_several();
        }
    }

    pub(super) fn restrict(&mut self, layers: LayerSet) {
        if let Some(boxes) = &mut self.boxes {
            boxes.restrict(layers);
        }
        self.layers = self.layers & layers;
    }

    pub(super) fn exclude(&mut self, places: impl IntoIterator<Item = Place>) {
        self.excluded.add(places);
    }

    pub(super) fn end_at(&mut self, limit: f64) {
        if limit.is_nan() || limit < self.limit {
            self.limit = limit;
        }
        if let Some(boxes) = &mut self.boxes {
            // By more than what is rounded.
            let above = limit * (1.0 + 4.0 * f64::EPSILON) + f64::MIN_POSITIVE;
            boxes.end_at((0.0 <= limit).then(|| Rank::of_distance(above)));
        }
    }

    /// The next object and its distance.
    pub(super) fn next<T>(
        &mut self,
        index: &SpatialIndex<T, S, D>,
        metric: &impl Metric<T, S, D>,
    ) -> Option<(Handle, Place, f64)> {
        if !self.has_begun {
            self.has_begun = true;
            let part = if self.boxes.is_some() { Part::Boxes } else { Part::Around };
            let Queue { steps, runs, .. } = self.queue.get_mut();
            // As much as most queries need, at once.
            steps.reserve(64);
            runs.reserve(192);
            steps.push(Pending { distance: f64::NEG_INFINITY, part, layer: 0 });
        }
        let Queue { steps, next, runs } = self.queue.get_mut();
        while let Some(&step) = steps.peek() {
            next.clear();
            let (known, limit) = (self.known, self.limit);
            let mut steps_after = Steps { index, metric, known, limit, layer: step.layer, next, runs };
            match step.part {
                _ if limit.is_nan() || limit < step.distance => {
                    steps.clear();
                    break;
                }
                Part::Boxes => {
                    if let Some(found) = self.boxes.as_mut().and_then(Sequence::next) {
                        let distance = found.rank.distance();
                        let layer = index.space.trees.arena().layer_of(found.place);
                        runs.push((distance, found.place));
                        next.push(Pending { distance, part: Part::Run { first: runs.len() - 1, last: 0 }, layer });
                        next.push(Pending { distance, ..step });
                    }
                }
                Part::Around => self.known = steps_after.around(self.layers, step),
                _ if !self.layers.has(step.layer) => {}
                // At its turn, not sooner, since it may be excluded until then.
                Part::Object(_, place) if self.excluded.has(place) => {}
                Part::Object(handle, place) => {
                    steps.pop();
                    return Some((handle, place, step.distance));
                }
                part => steps_after.after(part),
            }
            // If the metric panics, the step is still there. What comes first takes its place: mostly it stays first.
            match (steps.peek_mut(), (0..next.len()).max_by_key(|&at| &next[at])) {
                (Some(mut step), Some(first)) => *step = next.swap_remove(first),
                (step, _) => drop(step.map(PeekMut::pop)),
            }
            steps.extend(next.drain(..));
        }
        None
    }
}

/// A bound that is no number says nothing. The sum makes zero of negative zero.
#[inline]
fn number(bound: f64) -> f64 {
    if bound.is_nan() { f64::NEG_INFINITY } else { bound + 0.0 }
}

/// All cells of a node.
const WHOLE: u8 = CELLS.ilog2() as u8;

fn whole(node: NodeId) -> Part {
    Part::Cells { node, cell: 0, span: WHOLE }
}

/// Finds the steps that one step leads to.
struct Steps<'a, T, M, S, const D: usize> {
    index: &'a SpatialIndex<T, S, D>,
    metric: &'a M,
    known: Option<f64>,
    limit: f64,
    layer: u8,
    next: &'a mut Vec<Pending>,
    runs: &'a mut Vec<(f64, Place)>,
}

impl<T, M: Metric<T, S, D>, S: Scalar, const D: usize> Steps<'_, T, M, S, D> {
    fn after(&mut self, part: Part) {
        let arena = self.index.space.trees.arena();
        match part {
            Part::Cells { node, cell, span } => self.after_part(arena, node, [cell, span]),
            Part::Chain(first) => match arena.crowd_of(first) {
                Some(top) => self.after(Part::Knot(top)),
                None => self.add(self.metric.bound(&arena.bounds_of(first)), Part::Bucket(first)),
            },
            Part::Knot(number) => {
                let knot = arena.knots.get(number);
                for (number, _, of) in knot.summaries() {
                    let bucket = || Part::Bucket(BucketId::numbered(number));
                    let part = if knot.is_upper { Part::Knot(number) } else { bucket() };
                    self.add(self.metric.bound(&of.around), part);
                }
            }
            Part::Bucket(bucket) => {
                let (entries, start) = (arena.bucket(bucket), self.runs.len());
                for position in positions(arena.head(bucket).used) {
                    let bound = number(self.metric.bound(&entries.shape(position)));
                    if bound <= self.limit {
                        self.runs.push((bound, Place::new(bucket, position)));
                    }
                }
                self.add_run(start, self.runs.len());
            }
            Part::Run { first, last } => {
                let last = first + usize::from(last);
                let (place, handle) = (self.runs[last].1, arena.handle(self.runs[last].1));
                let distance = self.metric.distance(&ObjectRef::new(self.index, place, handle));
                if !distance.is_nan() && self.known.is_none_or(|known| known < distance) {
                    self.add(distance, Part::Object(handle, place));
                }
                self.add_run(first, last);
            }
            Part::Around | Part::Boxes | Part::Object(..) => unreachable!("these are asked for, objects are yielded"),
        }
    }

    /// What the metric itself finds next or, if it finds none, the roots of all trees. Returns up to where all is found.
    fn around(&mut self, layers: LayerSet, step: Pending) -> Option<f64> {
        let Self { index, metric, known, limit, next, .. } = self;
        let found = metric.each_within(index, layers, *known, *limit, &mut |object| {
            if !core::ptr::eq(object.origin().0, *index) {
                return; // of another index
            }
            let (distance, part) = (metric.distance(object), Part::Object(object.handle(), object.origin().1));
            next.push(Pending { distance, part, layer: object.layer().number });
        });
        let is_known = |distance: f64| known.is_some_and(|known| distance <= known);
        next.retain(|step| found.is_some_and(|found| step.distance <= found) && !is_known(step.distance));
        if let Some(found) = found.filter(|found| *limit <= *found || !next.is_empty()) {
            next.push(Pending { distance: found.next_up(), ..step });
            return Some(found);
        }
        let layers = index.space.layers_in(layers);
        let roots = layers.filter_map(|layer| Some((index.space.trees.root(layer)?, layer)));
        next.extend(roots.map(|(root, layer)| Pending { part: whole(root), layer, ..step }));
        *known
    }

    /// Adds the entries between two places of the list of runs. Only the first of them is found.
    fn add_run(&mut self, first: usize, end: usize) {
        let run = &mut self.runs[first..end];
        let bounds = run.iter().map(|entry| entry.0).enumerate();
        let Some((lowest, distance)) = bounds.reduce(|a, b| if b.1 < a.1 { b } else { a }) else { return };
        let last = run.len() - 1;
        run.swap(lowest, last);
        self.next.push(Pending { distance, part: Part::Run { first, last: last as u8 }, layer: self.layer });
    }

    /// Divides a part of a node into smaller parts, down to single children and chains. So most of the 64 cells are
    /// left out without a question.
    fn after_part(&mut self, arena: &Arena<S, D>, id: NodeId, [cell, span]: [u8; 2]) {
        let node = arena.node(id);
        if span == WHOLE
            && let Some(own) = node.own
        {
            self.add_chain(arena, own);
        }
        let span = span - D as u8;
        for part in (0..1 << D).map(|part| cell + (part << span)) {
            let mut cells = node.occupied() & block_bits(part, span);
            match node.next_slot(&mut cells) {
                // Of a block that several parts share, the first part counts.
                Some((first, _)) if first < part => {}
                Some((_, slot)) if cells == 0 => self.add_slot(arena, slot),
                Some(_) => {
                    let block = Block::new(node.origin, node.shift, part, span);
                    let bound = self.bound_of_block(&block, node.reach);
                    self.add(bound, Part::Cells { node: id, cell: part, span });
                }
                None => {}
            }
        }
    }

    fn add_slot(&mut self, arena: &Arena<S, D>, slot: Slot) {
        match slot {
            Slot::Bucket(first) => self.add_chain(arena, first),
            Slot::Child(child) => {
                let below = arena.node(child);
                self.add(self.bound_of_block(&below.block(), arena.reach_of(below)), whole(child));
            }
            Slot::Vacant => {}
        }
    }

    fn add_chain(&mut self, arena: &Arena<S, D>, first: BucketId) {
        let head = arena.head(first);
        self.add(self.bound_of_block(&head.block, head.reach), Part::Chain(first));
    }

    /// A lower bound of the distances of objects with such a reach that are stored in a block.
    fn bound_of_block(&self, block: &Block<D>, reach: u32) -> f64 {
        self.metric.bound(&self.index.space.grid().bounds(&block.units().stretched(reach)))
    }

    fn add(&mut self, distance: f64, part: Part) {
        let distance = number(distance);
        if distance <= self.limit {
            self.next.push(Pending { distance, part, layer: self.layer });
        }
    }
}
