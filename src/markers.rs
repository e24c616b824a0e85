//! Markers: clusters by radius, with a memory. Small cells are taken together around the centers of the last poll first, then
//! around the fullest cell that is left, and so on.
//!
//! Stands on public items alone. Keeps Q20 of `docs/invariants.md`.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::{array, cmp};

use crate::{Ball, Cluster, Handle, Rect, Scalar, SpatialIndex};

/// The number of cells in a radius.
const CELLS: u16 = 3;

/// In parts of the radius: how far the mean of a marker may go, and the least distance between two means.
const SHARE: f64 = 0.6;

/// The number of a marker, a ball from which it takes, and one in which the mean of that stays. Markers that became one have
/// several.
type Known<S, const D: usize> = (u64, Ball<S, D>, Ball<S, D>);

/// The memory of the markers on a map: clusters by radius that stay where they are while objects move.
///
/// Each poll groups objects by small cells, and these by markers. A marker takes all cells within the radius of its center,
/// unless an earlier one has. The ones that were there at the last poll are first, each as long as the mean of what it takes
/// is within 0.6 of the radius of that when it was new; then comes the fullest cell that is left, and so on. Markers whose
/// means are not more than 0.6 of the radius apart become one. Without a memory, as at the first poll, only the fullest cells
/// count. Where nothing has changed, a poll changes nothing.
///
/// A marker has a number, which no other one gets. Keep its circle by that, and move, add and remove circles as each poll
/// says: so a page shows how clusters split and merge. Markers are plain data: with the feature `serde` they are saved. Keep
/// one for each zoom.
///
/// ```
/// # use quadrille::{Markers, Quadtree, Rect};
/// let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// let handles = index.insert_batch(units, (0..10_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let view = Rect::new([0.0, 0.0], [50.0, 100.0]);
/// let mut markers = Markers::new(12.0);
/// let found = markers.poll(view, |bounds, size| index.intersecting(bounds).clusters(size))?;
/// assert_eq!((found.len(), found[0].1.count, found[0].1.mean), (1, 10, [4.5, 50.0]));
///
/// for &handle in &handles[7..] {
///     index.move_to(handle, [30.0, 50.0])?;
/// }
/// let found = markers.poll(view, |bounds, size| index.intersecting(bounds).clusters(size))?;
/// let counts: Vec<_> = found.iter().map(|(number, cluster)| (*number, cluster.count)).collect();
/// assert_eq!(counts, [(0, 7), (1, 3)]);
/// assert_eq!(markers.come, [(1, None)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = "S: Scalar + serde::Serialize + serde::de::DeserializeOwned"))]
#[doc(alias = "supercluster")]
#[doc(alias = "clusterer")]
pub struct Markers<S = f32, const D: usize = 2> {
    radius: S,
    /// One more than the last number.
    next: u64,
    known: Vec<Known<S, D>>,
    /// The markers that were new at the last poll, each with the one that it came from: of the last poll the nearest to its
    /// mean that was within the radius.
    pub come: Vec<(u64, Option<u64>)>,
    /// The markers that the last poll has found gone, each with the one that it has gone into: the nearest center within the
    /// radius.
    pub gone: Vec<(u64, Option<u64>)>,
}

impl<S: Scalar, const D: usize> Markers<S, D> {
    /// Makes a memory without markers. A radius below 0, or NaN, is 0, and each poll says so.
    ///
    /// ```
    /// # use quadrille::{Markers, Quadtree, Rect};
    /// # let index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let mut none: Markers = Markers::new(0.0);
    /// assert!(none.poll(index.world(), |bounds, size| index.intersecting(bounds).clusters(size)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(radius: S) -> Self {
        let radius = if S::from(0) < radius { radius } else { S::from(0) };
        Self { radius, next: 0, known: Vec::new(), come: Vec::new(), gone: Vec::new() }
    }

    /// Finds the markers whose means lie in a view, in the order of their numbers.
    ///
    /// `ask` groups the objects in a box, which is the view and more, by cells of a size: a query with filters of your own, or
    /// several.
    /// All objects of a marker in the view are in that box, so markers stay the same while the view moves. Those elsewhere
    /// are remembered as they were; so tiles that are asked for one after another agree. The [cell](Cluster::cell) of a
    /// marker is that with the most objects. A cell without objects, or whose mean is not finite, is left out.
    ///
    /// ```
    /// # use quadrille::{Markers, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut markers = Markers::new(5.0);
    /// let view = Rect::new([20.0, 0.0], [60.0, 100.0]);
    /// for (number, marker) in markers.poll(view, |bounds, size| index.intersecting(bounds).in_layers(units).clusters(size))? {
    ///     let _circle = (number, marker.mean, marker.count); // to be drawn
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of `ask`, as a [`CellSizeError`](crate::CellSizeError) for the third part of the radius. The memory is then
    /// unchanged.
    pub fn poll<I: IntoIterator<Item = Cluster<S, D>>, E>(
        &mut self,
        view: Rect<S, D>,
        ask: impl FnOnce(Rect<S, D>, S) -> Result<I, E>,
    ) -> Result<Vec<(u64, Cluster<S, D>)>, E> {
        let ask = |bounds, size| Ok(ask(bounds, size)?.into_iter().map(|cell| (cell, ())));
        let found = self.poll_reduced(view, ask, |(), ()| ())?;
        Ok(found.into_iter().map(|(number, marker, ())| (number, marker)).collect())
    }

    /// As [`poll`](Self::poll), with what has been made of the objects of each cell, as by
    /// [`map_reduce`](crate::Clusters::map_reduce).
    ///
    /// ```
    /// # use quadrille::{Markers, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let sum = |known: &mut u16, more| *known += more;
    /// let found = Markers::new(200.0).poll_reduced(
    ///     index.world(),
    ///     |bounds, size| index.intersecting(bounds).clusters(size).map(|cells| cells.map_reduce(|unit| *unit.value(), sum)),
    ///     sum,
    /// )?;
    /// assert_eq!(found[0].2, 99 * 50);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`poll`](Self::poll).
    pub fn poll_reduced<A, I: IntoIterator<Item = (Cluster<S, D>, A)>, E>(
        &mut self,
        view: Rect<S, D>,
        ask: impl FnOnce(Rect<S, D>, S) -> Result<I, E>,
        mut reduce: impl FnMut(&mut A, A),
    ) -> Result<Vec<(u64, Cluster<S, D>, A)>, E> {
        // Anybody may have written it while it was saved.
        self.radius = Self::new(self.radius).radius;
        self.known.retain(|(number, ball, _)| {
            self.next = self.next.max(number.saturating_add(1));
            ball.center().iter().all(|at| at.is_finite())
        });
        let whole = view.expanded(self.radius + self.radius);
        // Cells that the edge cuts, of up to half the radius, are beyond the reach of what is whole.
        let bounds = whole.expanded(self.radius + self.radius / S::from(2));
        let cells = ask(bounds, self.radius / S::from(CELLS))?.into_iter();
        let is_one = |cell: &Cluster<S, D>| 0 < cell.count && cell.mean.iter().all(|at| at.is_finite());
        let (cells, own): (Vec<_>, Vec<_>) = cells.filter(|(cell, _)| is_one(cell)).unzip();
        let mut order: Vec<_> =
            (0_u32..).zip(&cells).map(|(at, cell)| (cmp::Reverse(cell.count), cell.cell, at)).collect();
        order.sort_unstable();
        // Others take no cell, and nothing new is within the radius of them.
        let around = Rect::from_points(cells.iter().map(|cell| cell.mean)).unwrap_or(whole).union(&whole);
        let near = around.expanded(self.radius + self.radius);
        let old: Vec<_> = self.known.iter().filter(|known| near.contains_point(known.1.center())).copied().collect();
        let mut taking = Taking::new(cells, self.radius, whole);
        for &(number, ball, stays) in &old {
            taking.take(Some(number), ball, Some(stays));
        }
        for (.., cell) in order {
            if taking.owners[cell as usize] == NONE {
                taking.take(None, Ball::new(taking.cells[cell as usize].mean, self.radius), None);
            }
        }
        let roots = taking.merge_near();
        // Functions of the user may panic, so nothing is changed before.
        let mut found: Vec<Option<(Cluster<S, D>, A)>> = roots.iter().map(|_| None).collect();
        for ((&cell, own), owner) in taking.cells.iter().zip(own).zip(&taking.owners) {
            let known = &mut found[roots[*owner as usize] as usize];
            if let Some((known, value)) = known {
                let bounds = known.bounds.union(&cell.bounds);
                let handle = cmp::min_by_key(known.handle, cell.handle, |handle| handle.slot());
                let fullest = cmp::min_by_key(*known, cell, |cell| (cmp::Reverse(cell.count), cell.cell));
                *known = Cluster { bounds, handle, ..fullest };
                reduce(value, own);
            } else {
                *known = Some((cell, own));
            }
        }
        self.remember(&mut taking, &old, near, &roots);
        let named = found.into_iter().zip(&taking.heaps).filter_map(|(found, heap)| {
            let (cluster, own) = found?;
            Some((heap.number?, Cluster { count: heap.count, mean: heap.mean.map(S::from_f64), ..cluster }, own))
        });
        let mut seen: Vec<_> = named.filter(|(_, marker, _)| view.contains_point(marker.mean)).collect();
        seen.sort_unstable_by_key(|(number, ..)| *number);
        Ok(seen)
    }

    /// The memory, in the order in which it takes: the number of a marker, a ball from which it takes, and one in which the
    /// mean of that stays. Markers that became one have several.
    ///
    /// ```
    /// # use quadrille::{Markers, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut markers = Markers::new(200.0);
    /// markers.poll(index.world(), |bounds, size| index.intersecting(bounds).clusters(size))?;
    /// assert_eq!((markers.known().len(), markers.known()[0].1.radius()), (1, 200.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn known(&self) -> &[(u64, Ball<S, D>, Ball<S, D>)] {
        &self.known
    }

    /// Gives each heap with objects its number, that of the nearest marker which is no more, or another one. Lists what is
    /// new and what is gone.
    fn remember(&mut self, taking: &mut Taking<S, D>, old: &[Known<S, D>], near: Rect<S, D>, roots: &[u32]) {
        let heaps = &mut taking.heaps;
        (self.come, self.gone) = (Vec::new(), Vec::new());
        let free: Vec<bool> = heaps[..old.len()].iter().map(|heap| heap.number.is_none()).collect();
        let before = field(old.iter().map(|old| old.1.center()).collect(), self.radius);
        let (mut outside, mut used) = (BTreeSet::new(), BTreeSet::new());
        // They keep theirs, also the parts of them that are inside.
        outside.extend(heaps.iter().filter(|heap| !heap.is_whole).filter_map(|heap| heap.number));
        for heap in heaps.iter_mut().filter(|heap| 0 < heap.count && heap.is_whole) {
            if heap.number.is_some_and(|number| outside.contains(&number) || used.insert(number)) {
                continue;
            }
            let from = nearest(&before, heap.mean.map(S::from_f64), self.radius);
            let again = from.filter(|&from| free[from] && used.insert(old[from].0));
            heap.number = Some(again.map_or(self.next, |again| old[again].0));
            if again.is_none() {
                self.come.push((self.next, from.map(|from| old[from].0)));
                self.next = self.next.saturating_add(1);
            }
        }
        let entry = |(heap, root): (&Heap<S, D>, &u32)| {
            let number = heaps[*root as usize].number.filter(|_| heap.is_whole).or(heap.number)?;
            Some((number, heap.ball, heap.stays))
        };
        let entries: Vec<_> = heaps.iter().zip(roots).map(entry).collect();
        let (left, mut entries): (Vec<_>, _) = (entries.iter().flatten().copied().collect(), entries.into_iter());
        let mut next = |known: &mut Known<S, D>| entries.next().flatten().map(|stays| *known = stays).is_some();
        self.known.retain_mut(|known| !near.contains_point(known.1.center()) || next(known));
        self.known.extend(entries.flatten());
        let after = field(left.iter().map(|known| known.1.center()).collect(), self.radius);
        used.extend(left.iter().map(|known| known.0));
        for &(number, ball, _) in old.iter().filter(|old| used.insert(old.0)) {
            let into = nearest(&after, ball.center(), self.radius);
            self.gone.push((number, into.map(|into| left[into].0)));
        }
        self.gone.sort_unstable_by_key(|gone| gone.0);
    }
}

/// Points that are found by place, numbered from 0 on.
// Once for all, and without a word of what cannot go wrong: both would be long.
#[inline(never)]
fn field<S: Scalar, const D: usize>(points: Vec<[S; D]>, radius: S) -> SpatialIndex<u32, S, D> {
    let around = Rect::from_points(points.iter().copied()).map(|around| around.expanded(radius));
    let one = Rect::new([S::from(0); D], [S::from(1); D]);
    // A radius may be less than the distance of neighboring numbers. Objects are found in whichever world.
    let index = around.and_then(|around| SpatialIndex::new(around).ok()).or_else(|| SpatialIndex::new(one).ok());
    let mut index = index.expect("a world has the side 1");
    let is_in =
        index.add_point_layer().is_ok_and(|layer| index.insert_batch(layer, points.into_iter().zip(0..)).is_ok());
    assert!(is_in, "means are finite, and an empty index has room for a layer");
    index
}

/// The number of the nearest within the radius.
fn nearest<S: Scalar, const D: usize>(field: &SpatialIndex<u32, S, D>, point: [S; D], radius: S) -> Option<usize> {
    field.nearest(point).within(radius).next().map(|found| *found.object.value() as usize)
}

/// The cells that a marker has.
struct Heap<S, const D: usize> {
    number: Option<u64>,
    /// Whether all objects in its ball are known. Others only take what is theirs.
    is_whole: bool,
    ball: Ball<S, D>,
    stays: Ball<S, D>,
    /// The number of objects; none if it has been merged into another one.
    count: usize,
    mean: [f64; D],
}

impl<S: Scalar, const D: usize> Heap<S, D> {
    #[expect(clippy::cast_precision_loss, reason = "a mean is rounded anyway")]
    fn add(&mut self, count: usize, mean: [f64; D]) {
        self.count = self.count.saturating_add(count);
        let share = count as f64 / self.count as f64;
        self.mean = array::from_fn(|axis| {
            let (one, other) = (self.mean[axis], mean[axis]);
            // Rounding does not move it out of the box around the objects.
            (one * (1.0 - share) + other * share).max(one.min(other)).min(one.max(other))
        });
    }
}

/// Cells as they are taken by markers.
struct Taking<S, const D: usize> {
    /// Those with the most objects first.
    cells: Vec<Cluster<S, D>>,
    field: SpatialIndex<u32, S, D>,
    radius: S,
    /// The least distance between two means.
    least: S,
    /// The balls around centers in it lie where all objects are known.
    whole: Rect<S, D>,
    /// The heap of each cell.
    owners: Vec<u32>,
    heaps: Vec<Heap<S, D>>,
    /// The cells, or heaps, that were found last.
    found: Vec<u32>,
}

/// The owner of a cell that is left.
const NONE: u32 = u32::MAX;

impl<S: Scalar, const D: usize> Taking<S, D> {
    fn new(cells: Vec<Cluster<S, D>>, radius: S, whole: Rect<S, D>) -> Self {
        let (owners, field) =
            (cells.iter().map(|_| NONE).collect(), field(cells.iter().map(|cell| cell.mean).collect(), radius));
        let least = S::from_f64(SHARE * radius.to_f64());
        Self { owners, cells, field, radius, least, whole, heaps: Vec::new(), found: Vec::new() }
    }

    /// Finds what lies around a place, and returns the least.
    // Once for all: a query is long.
    #[inline(never)]
    fn find(&mut self, center: [f64; D], distance: S) -> Option<u32> {
        self.found.clear();
        self.found.extend(self.field.within_distance(center.map(S::from_f64), distance).map(|found| *found.value()));
        self.found.iter().min().copied()
    }

    /// The cells in a ball that are left become a heap; one without a number and cells, if its mean does not stay where it shall.
    fn take(&mut self, number: Option<u64>, ball: Ball<S, D>, stays: Option<Ball<S, D>>) {
        let is_whole = self.whole.contains_point(ball.center());
        let mut heap = Heap { number, is_whole, ball, stays: ball, count: 0, mean: [0.0; D] };
        self.find(ball.center().map(S::to_f64), self.radius);
        self.found.retain(|&cell| self.owners[cell as usize] == NONE);
        for &cell in &self.found {
            let Cluster { count, mean, .. } = self.cells[cell as usize];
            heap.add(count, mean.map(S::to_f64));
        }
        let mean = heap.mean.map(S::from_f64);
        heap.stays = stays.unwrap_or_else(|| Ball::new(mean, self.least));
        if is_whole && !(0 < heap.count && heap.stays.intersects(&Rect::from_point(mean))) {
            (heap.number, heap.count) = (None, 0);
            self.found.clear();
        }
        for &cell in &self.found {
            self.owners[cell as usize] = self.heaps.len() as u32;
        }
        self.heaps.push(heap);
    }

    /// Merges heaps whose means are near each other. Returns for each heap the one that has its cells.
    fn merge_near(&mut self) -> Vec<u32> {
        self.field.clear();
        let layer = self.field.layers().next();
        let mut roots: Vec<u32> = (0..self.heaps.len() as u32).collect();
        let mut handles: Vec<_> = roots.iter().map(|_| Handle::default()).collect();
        let is_full = |heap: &Heap<S, D>| 0 < heap.count && heap.is_whole;
        for mut one in (0..roots.len()).filter(|&heap| is_full(&self.heaps[heap])).collect::<Vec<_>>() {
            while let Some(other) = self.find(self.heaps[one].mean, self.least) {
                self.field.remove(handles[other as usize]);
                let (kept, lost) = (one.min(other as usize), one.max(other as usize));
                let Heap { count, mean, .. } = self.heaps[lost];
                self.heaps[kept].add(count, mean);
                self.heaps[lost].count = 0;
                roots[lost] = kept as u32;
                one = kept;
            }
            let mean = Rect::from_point(self.heaps[one].mean.map(S::from_f64));
            let place = layer.and_then(|layer| self.field.insert_any(layer, mean, one as u32).ok());
            handles[one] = place.expect("a mean is finite");
        }
        (0..roots.len()).for_each(|heap| roots[heap] = roots[roots[heap] as usize]);
        roots
    }
}
