//! Markers: clusters by radius, with a memory. Small cells go to the nearest center of the last poll; the fullest that none
//! reaches is a center, and so on.
//!
//! Stands on public items alone. Keeps Q20 of `docs/invariants.md`.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::{cell, cmp, mem};

use crate::{Ball, Cluster, Rect, Scalar, SpatialIndex};

/// The number of cells in a radius.
const CELLS: u16 = 3;

/// In parts of the radius: the least distance between two means, how far a mean may be from its center, and a change of means
/// that is none.
const SHARE: f64 = 0.75;
const FOLLOW: f64 = 0.1;
const STILL: f64 = 1e-6;
/// In parts of [`Scalar::EPSILON`] of a coordinate: how far cells that are added up in another order move a mean.
const ROUNDING: u16 = 16;

/// The number of a marker, a ball from which it takes, and one in which the mean of all in that stays while nothing changes.
/// Markers that became one have several.
type Known<S, const D: usize> = (u64, Ball<S, D>, Ball<S, D>);

/// The memory of the markers on a map: clusters by radius that stay where they are while objects move.
///
/// Each poll groups objects by small cells, and these by markers: each cell goes to the nearest center within the radius. The
/// centers of the last poll stay, but where objects have changed since, one whose mean is more than 0.1 of the radius away
/// moves there. The fullest cell that none reaches is a new center, and so on; without a memory, as at the first poll, all
/// are. Markers whose means are not more than 0.75 of the radius apart become one. Where nothing has changed, a poll changes
/// nothing.
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
#[doc(alias("supercluster", "clusterer"))]
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
    /// several. All objects of a marker in the view are in that box, so markers stay the same while the view moves. A view
    /// decides only about centers around which it sees all, and once as long as nothing there changes. So tiles that are asked
    /// for one after another agree, after a change as soon as their neighbors have been asked. The [cell](Cluster::cell) of a
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
        // A marker that is seen has its center within the radius, its objects within two. Other centers may come into three.
        let whole = view.expanded(S::from(3) * self.radius);
        // Cells that the edge cuts, of up to half the radius, are beyond the reach of what is whole.
        let bounds = whole.expanded(self.radius + self.radius / S::from(2));
        let mut cells: Vec<_> = ask(bounds, self.radius / S::from(CELLS))?.into_iter().collect();
        cells.retain(|(cell, _)| 0 < cell.count && cell.mean.iter().all(|at| at.is_finite()));
        // Others take no cell, and nothing new is within the radius of them.
        let around = Rect::from_points(cells.iter().map(|(cell, _)| cell.mean)).unwrap_or(whole).union(&whole);
        let near = around.expanded(self.radius + self.radius);
        let old: Vec<_> = self.known.iter().filter(|known| near.contains_point(known.1.center())).copied().collect();
        let mut taking = Taking::new(cells.iter().map(|(cell, _)| cell), self.radius, whole);
        taking.follow(&old);
        taking.fill();
        let roots = taking.merge_near();
        // Functions of the user may panic, so nothing is changed before.
        let mut found: Vec<Option<(Cluster<S, D>, A)>> = roots.iter().map(|_| None).collect();
        for ((cell, own), owner) in cells.into_iter().zip(&taking.owners) {
            let Some(&root) = roots.get(owner.1 as usize) else { continue };
            let Some((known, value)) = &mut found[root as usize] else {
                found[root as usize] = Some((cell, own));
                continue;
            };
            known.bounds = known.bounds.union(&cell.bounds);
            known.handle = cmp::min_by_key(known.handle, cell.handle, |handle| handle.slot());
            let order = |&(count, cell): &(usize, [i32; D])| (cmp::Reverse(count), cell);
            (known.count, known.cell) = cmp::min_by_key((known.count, known.cell), (cell.count, cell.cell), order);
            reduce(value, own);
        }
        self.remember(&mut taking, &old, [view, near], &roots);
        let named = found.into_iter().zip(&taking.heaps).filter_map(|(found, heap)| {
            let (cluster, own) = found?;
            Some((heap.number?, Cluster { count: heap.own.0, mean: heap.mean(), ..cluster }, own))
        });
        let mut seen: Vec<_> = named.filter(|(_, marker, _)| view.contains_point(marker.mean)).collect();
        seen.sort_unstable_by_key(|(number, ..)| *number);
        Ok(seen)
    }

    /// The memory, oldest first: the number of a marker, a ball from which it takes, and one in which the mean of all objects
    /// in that stays while nothing changes. Markers that became one have several.
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
    fn remember(&mut self, taking: &mut Taking<S, D>, old: &[Known<S, D>], views: [Rect<S, D>; 2], roots: &[u32]) {
        let ([view, near], heaps) = (views, &mut taking.heaps);
        (self.come, self.gone) = (Vec::new(), Vec::new());
        let free: Vec<bool> = heaps[..old.len()].iter().map(|heap| heap.number.is_none()).collect();
        let seen: Vec<bool> = heaps.iter().map(|heap| 0 < heap.own.0 && view.contains_point(heap.mean())).collect();
        let before = cell::LazyCell::new(|| field(old.iter().map(|old| old.1.center()).zip(0..), self.radius));
        let mut used = BTreeSet::new();
        for (heap, is_seen) in heaps.iter_mut().zip(&seen).filter(|(heap, _)| 0 < heap.own.0) {
            // Who sees markers decides whether they are one or two: others may not know all that is near.
            if heap.number.is_some_and(|number| used.insert(number) || !is_seen) {
                continue;
            }
            let from = nearest(&before, heap.mean(), self.radius);
            let again = from.filter(|&from| free[from] && used.insert(old[from].0));
            heap.number = Some(again.map_or(self.next, |again| old[again].0));
            if again.is_none() {
                self.come.push((self.next, from.map(|from| old[from].0)));
                self.next = self.next.saturating_add(1);
            }
        }
        let entry = |(heap, &root): (&Heap<S, D>, &u32)| {
            let number = heap.number.filter(|_| !seen[root as usize]).or(heaps[root as usize].number)?;
            Some((number, heap.ball, heap.stays))
        };
        let entries: Vec<_> = heaps.iter().zip(roots).map(entry).collect();
        let (left, mut entries): (Vec<_>, _) = (entries.iter().flatten().copied().collect(), entries.into_iter());
        let mut next = |known: &mut Known<S, D>| entries.next().flatten().map(|stays| *known = stays).is_some();
        self.known.retain_mut(|known| !near.contains_point(known.1.center()) || next(known));
        self.known.extend(entries.flatten());
        let after = cell::LazyCell::new(|| field(left.iter().map(|known| known.1.center()).zip(0..), self.radius));
        used = left.iter().map(|known| known.0).collect();
        for &(number, ball, _) in old.iter().filter(|old| used.insert(old.0)) {
            let into = nearest(&after, ball.center(), self.radius);
            self.gone.push((number, into.map(|into| left[into].0)));
        }
        self.gone.sort_unstable_by_key(|gone| gone.0);
    }
}

/// Points that are found by place, each with its number.
type Field<S, const D: usize> = SpatialIndex<u32, S, D>;

// Once for all, and without a word of what cannot go wrong: both would be long.
#[inline(never)]
fn field<S: Scalar, const D: usize>(points: impl Iterator<Item = ([S; D], u32)>, radius: S) -> Field<S, D> {
    let points: Vec<_> = points.collect();
    let around = Rect::from_points(points.iter().map(|point| point.0)).map(|around| around.expanded(radius));
    let one = Rect::new([S::from(0); D], [S::from(1); D]);
    // A radius may be less than the distance of neighboring numbers. Objects are found in whichever world.
    let index = around.and_then(|around| SpatialIndex::new(around).ok()).or_else(|| SpatialIndex::new(one).ok());
    let mut index = index.expect("a world has the side 1");
    let is_in = index.add_point_layer().is_ok_and(|layer| index.insert_batch(layer, points).is_ok());
    assert!(is_in, "means are finite, and an empty index has room for a layer");
    index
}

/// The number of the nearest within the radius.
fn nearest<S: Scalar, const D: usize>(field: &Field<S, D>, point: [S; D], radius: S) -> Option<usize> {
    field.nearest(point).within(radius).next().map(|found| *found.object.value() as usize)
}

/// A number of objects, and their mean.
type Sum<const D: usize> = (usize, [f64; D]);

#[expect(clippy::cast_precision_loss, reason = "a mean is rounded anyway")]
fn add<const D: usize>((count, mean): &mut Sum<D>, more: Sum<D>) {
    *count = count.saturating_add(more.0);
    let share = more.0 as f64 / *count as f64;
    for (one, other) in mean.iter_mut().zip(more.1) {
        // Rounding does not move it out of the box around the objects.
        *one = (*one * (1.0 - share) + other * share).max(one.min(other)).min(one.max(other));
    }
}

/// The cells that a marker has.
struct Heap<S, const D: usize> {
    /// None if it is new or gone.
    number: Option<u64>,
    ball: Ball<S, D>,
    stays: Ball<S, D>,
    /// The objects in its ball, whosever they are.
    around: Sum<D>,
    /// Those that it has; none if it has been merged into another one.
    own: Sum<D>,
}

impl<S: Scalar, const D: usize> Heap<S, D> {
    fn mean(&self) -> [S; D] {
        self.own.1.map(S::from_f64)
    }
}

/// Cells as they are taken by markers.
struct Taking<S, const D: usize> {
    /// Of each cell its number, and its objects.
    cells: Vec<([i32; D], Sum<D>)>,
    field: Field<S, D>,
    radius: S,
    /// The balls around centers in it lie where all objects are known. Other markers stay as they are.
    whole: Rect<S, D>,
    /// The cells in the balls of heaps, each with a claim: the bits of the square of its distance to the center, and the heap.
    claims: Vec<(usize, (u64, u32))>,
    /// For each cell the least claim.
    owners: Vec<(u64, u32)>,
    heaps: Vec<Heap<S, D>>,
}

/// The claim to a cell that is left.
const LEFT: (u64, u32) = (u64::MAX, u32::MAX);

impl<S: Scalar, const D: usize> Taking<S, D> {
    fn new<'a>(cells: impl Iterator<Item = &'a Cluster<S, D>> + Clone, radius: S, whole: Rect<S, D>) -> Self {
        let field = field(cells.clone().map(|cell| cell.mean).zip(0..), radius);
        let cells: Vec<_> = cells.map(|cell| (cell.cell, (cell.count, cell.mean.map(S::to_f64)))).collect();
        let claims = Vec::with_capacity(4 * cells.len());
        Self { owners: [LEFT].repeat(cells.len()), cells, field, radius, whole, claims, heaps: Vec::new() }
    }

    fn push(&mut self, number: Option<u64>, ball: Ball<S, D>, stays: Ball<S, D>) {
        self.heaps.push(Heap { number, ball, stays, around: (0, [0.0; D]), own: (0, [0.0; D]) });
        self.claim(self.heaps.len() - 1);
    }

    /// A heap claims the cells in its ball, and has those to whose means no center is nearer.
    fn claim(&mut self, at: usize) {
        let Self { cells, field, radius, claims, owners, heaps, .. } = self;
        let heap = &mut heaps[at];
        let center = heap.ball.center().map(S::to_f64);
        heap.around = (0, [0.0; D]);
        for found in field.within_distance(heap.ball.center(), *radius) {
            let cell = *found.value() as usize;
            let (_, sum) = cells[cell];
            add(&mut heap.around, sum);
            let distance = sum.1.iter().zip(center).map(|(at, center)| (at - center) * (at - center)).sum::<f64>();
            let claim = (distance.to_bits(), at as u32);
            claims.push((cell, claim));
            owners[cell] = claim.min(owners[cell]);
        }
    }

    /// Adds up the cells of each heap. One without cells is gone.
    fn weigh(&mut self) {
        self.heaps.iter_mut().for_each(|heap| heap.own = (0, [0.0; D]));
        for ((_, sum), owner) in self.cells.iter().zip(&self.owners).filter(|(_, owner)| **owner != LEFT) {
            add(&mut self.heaps[owner.1 as usize].own, *sum);
        }
        let over =
            self.heaps.iter_mut().filter(|heap| heap.own.0 == 0 && self.whole.contains_point(heap.ball.center()));
        over.for_each(|heap| heap.number = None);
    }

    /// Takes up the markers of the last poll. Where objects have changed since, centers follow their means, and of those that
    /// became one the first is left. Nothing else moves, so a poll without a change finds what the last one has left.
    fn follow(&mut self, old: &[Known<S, D>]) {
        for &(number, ball, stays) in old {
            self.push(Some(number), ball, stays);
        }
        self.weigh();
        let mut numbers = BTreeSet::new();
        for at in 0..self.heaps.len() {
            let (is_first, mean) = (numbers.insert(self.heaps[at].number), self.heaps[at].mean());
            let Heap { number, ball, stays, around, .. } = &mut self.heaps[at];
            let place = Rect::from_point(around.1.map(S::from_f64));
            if self.whole.contains_point(ball.center()) && !stays.intersects(&place) {
                let near = Ball::new(ball.center(), self.radius * S::from_f64(FOLLOW));
                if !near.intersects(&Rect::from_point(mean)) && self.whole.contains_point(mean) {
                    *ball = Ball::new(mean, self.radius);
                }
                *number = number.filter(|_| is_first);
            }
        }
        // Those that stay where they were keep their claims.
        let stays = |(heap, known): (&Heap<S, D>, &Known<S, D>)| heap.number.is_some() && heap.ball == known.1;
        let stay: Vec<bool> = self.heaps.iter().zip(old).map(stays).collect();
        self.owners.fill(LEFT);
        for &(cell, claim) in self.claims.iter().filter(|(_, claim)| stay[claim.1 as usize]) {
            self.owners[cell] = claim.min(self.owners[cell]);
        }
        let moved = (0..old.len()).filter(|&at| !stay[at] && self.heaps[at].number.is_some()).collect::<Vec<_>>();
        for at in moved {
            self.claim(at);
        }
    }

    /// Makes centers of the fullest cells that are left.
    fn fill(&mut self) {
        let left = (0_usize..).zip(&self.cells).zip(&self.owners).filter(|(_, owner)| **owner == LEFT);
        let mut order: Vec<_> = left.map(|((at, (cell, sum)), _)| (cmp::Reverse(sum.0), *cell, at)).collect();
        order.sort_unstable();
        for (.., cell) in order {
            let mean = self.cells[cell].1.1.map(S::from_f64);
            if self.owners[cell] == LEFT && self.whole.contains_point(mean) {
                let ball = Ball::new(mean, self.radius);
                self.push(None, ball, ball);
            }
        }
        self.weigh();
        for heap in self.heaps.iter_mut().filter(|heap| self.whole.contains_point(heap.ball.center())) {
            let around = heap.around.1.map(S::from_f64);
            let largest = around.iter().map(|at| at.abs()).fold(S::from(0), |one, at| if one < at { at } else { one });
            let rounding = largest * S::EPSILON * S::from(ROUNDING);
            heap.stays = Ball::new(around, self.radius * S::from_f64(STILL) + rounding);
        }
    }

    /// Merges heaps whose means are near each other. Returns for each heap the one that has its cells.
    fn merge_near(&mut self) -> Vec<u32> {
        let mut roots: Vec<u32> = (0..self.heaps.len() as u32).collect();
        loop {
            let full = self.heaps.iter().zip(0..).filter(|(heap, _)| 0 < heap.own.0);
            let full = full.filter(|(heap, _)| self.whole.contains_point(heap.ball.center()));
            let means = field(full.map(|(heap, at)| (heap.mean(), at)), self.radius);
            let near = means.pairs().within(self.radius * S::from_f64(SHARE));
            let near = near.map(|(one, other)| (*one.value().min(other.value()), *one.value().max(other.value())));
            // From the first on. Others near those that are merged wait for the next round.
            let (near, mut used): (BTreeSet<_>, _) = (near.collect(), BTreeSet::new());
            for &(kept, lost) in near.iter().filter(|(kept, lost)| used.insert(*kept) & used.insert(*lost)) {
                let more = mem::replace(&mut self.heaps[lost as usize].own, (0, [0.0; D]));
                add(&mut self.heaps[kept as usize].own, more);
                roots[lost as usize] = kept;
            }
            if near.is_empty() {
                (0..roots.len()).for_each(|heap| roots[heap] = roots[roots[heap] as usize]);
                return roots;
            }
        }
    }
}
