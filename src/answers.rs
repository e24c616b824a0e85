//! Many questions at once. In an index that outgrows the cache they are asked along a curve through space, so that most
//! find the nodes and buckets that they need in the cache, and the answers come back in the order of the questions.
//!
//! It knows no query: the caller asks. Keeps Q17 of `docs/invariants.md`.

use alloc::vec::Vec;

use crate::geometry::{IntoRegion, Region, Scalar};
use crate::index::SpatialIndex;
use crate::layer::Points;

/// The most questions that are sorted together. The memory that this takes is small beside that of their answers.
const BLOCK: usize = if cfg!(test) { 64 } else { 1 << 14 };

/// The answers to many questions, in the order of the questions: all items in one list, and where each answer begins.
///
/// [`query_batch`](SpatialIndex::query_batch) makes it, and [`fill`](Self::fill) fills it again without allocating. This
/// is the form in which sparse matrices and arrays of other languages take lists of lists (CSR).
///
/// ```
/// # use quadrille::{Answers, Handle, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let windows = [Rect::new([3.0, 0.0], [4.0, 99.0]), Rect::new([0.0, 0.0], [9.0, 9.0])];
/// let found: Answers<u16> = index.query_batch(windows, |window, answer| {
///     answer.extend(index.intersecting(*window).map(|unit| *unit.value()));
/// });
/// assert_eq!(found.offsets, [0, 2, 2]);
/// assert_eq!(found.get(1), Some(&[][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers<A> {
    /// Where each answer begins in `items`, and at last where the last one ends: one more than there are questions.
    pub offsets: Vec<usize>,
    /// The items of all answers.
    pub items: Vec<A>,
}

/// The answer to one question of a batch, to which the items are added.
///
/// ```
/// # use quadrille::{Answers, Handle, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// // For each object the nearest other one.
/// let shapes = handles.iter().filter_map(|handle| index.shape(*handle));
/// let nearest: Answers<Handle> = index.query_batch(shapes, |shape, answer| {
///     let others = index.nearest(*shape).excluding(handles[answer.number()]);
///     answer.extend(others.take(1).map(|near| near.object.handle()));
/// });
/// assert_eq!(nearest.items.len(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Answer<'a, A> {
    number: usize,
    items: &'a mut Vec<A>,
}

impl<A> Answer<'_, A> {
    /// The number of the question, counted from 0.
    ///
    /// ```
    /// # use quadrille::{Answers, Quadtree, Rect};
    /// # let index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let numbers: Answers<usize> = index.query_batch([[9.0, 9.0], [1.0, 1.0]], |_, answer| {
    ///     answer.extend([answer.number()]);
    /// });
    /// assert_eq!(numbers.items, [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }
}

impl<A> Extend<A> for Answer<'_, A> {
    #[inline]
    fn extend<I: IntoIterator<Item = A>>(&mut self, items: I) {
        // By `fold`, which is faster for queries than `next`.
        items.into_iter().for_each(|item| self.items.push(item));
    }
}

impl<A> Answers<A> {
    /// Makes answers to no questions.
    ///
    /// ```
    /// # use quadrille::Answers;
    /// assert!(Answers::<u32>::new().is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of questions.
    ///
    /// ```
    /// # use quadrille::{Answers, Handle, Quadtree, Rect};
    /// # let index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let none: Answers<Handle> = index.query_batch([[1.0, 1.0], [2.0, 2.0]], |_, _| {});
    /// assert_eq!((none.len(), none.items.len()), (2, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no questions.
    ///
    /// ```
    /// # use quadrille::Answers;
    /// assert!(Answers::<u32>::new().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The answer to a question. `None` if there is no question of that number.
    ///
    /// ```
    /// # use quadrille::{Answers, Quadtree, Rect};
    /// # let index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let twice: Answers<usize> = index.query_batch([[9.0, 9.0], [1.0, 1.0]], |_, answer| {
    ///     answer.extend([answer.number(); 2]);
    /// });
    /// assert_eq!(twice.get(1), Some(&[1, 1][..]));
    /// assert_eq!(twice.get(2), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&[A]> {
        let (from, to) = (self.offsets.get(number)?, self.offsets.get(number.checked_add(1)?)?);
        self.items.get(*from..*to)
    }

    /// All answers, in the order of the questions.
    ///
    /// ```
    /// # use quadrille::{Answers, Quadtree, Rect};
    /// # let index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let once: Answers<usize> = index.query_batch([[9.0, 9.0], [1.0, 1.0]], |_, answer| {
    ///     answer.extend([answer.number()]);
    /// });
    /// assert!(once.iter().eq([&[0], &[1]]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[A]> + DoubleEndedIterator {
        self.offsets.windows(2).map(|ends| self.items.get(ends[0]..ends[1]).unwrap_or_default())
    }
}

impl<A: Copy> Answers<A> {
    /// Answers other questions, in the memory of these answers: see [`SpatialIndex::query_batch`].
    ///
    /// If `ask` or a question panics, the answers are those to some of the first questions, and `items` may have a part
    /// of another one.
    ///
    /// ```
    /// # use quadrille::{Answers, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let (mut counts, places) = (Answers::new(), [[7.0, 50.0], [90.0, 90.0]]);
    /// for frame in 0..3 {
    ///     counts.fill(&index, places, |place, answer| {
    ///         answer.extend([index.within_distance(place.min(), 2.0).count()]);
    ///     });
    ///     assert_eq!(counts.items, [5, 0]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill<T, S: Scalar, Q: IntoRegion<S, D>, const D: usize>(
        &mut self,
        index: &SpatialIndex<T, S, D>,
        questions: impl IntoIterator<Item = Q>,
        mut ask: impl FnMut(&Q::Region, &mut Answer<'_, A>),
    ) {
        self.offsets.clear();
        self.items.clear();
        self.offsets.push(0);
        let mut questions = questions.into_iter().fuse().map(IntoRegion::into_region).enumerate();
        if !index.space.trees.arena().outgrow_cache() {
            for (number, region) in questions {
                ask(&region, &mut Answer { number, items: &mut self.items });
                self.offsets.push(self.items.len());
            }
            return;
        }
        let (mut block, mut items, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            block.extend(questions.by_ref().take(BLOCK));
            if block.is_empty() {
                return;
            }
            let first = self.len();
            parts.resize(block.len(), [0; 2]);
            // In the order in which new trees lie in memory.
            index.sort_by_place::<Points, _, _>(&mut block, |(_, region)| region.bounds().center());
            for (number, region) in block.drain(..) {
                let from = items.len();
                ask(&region, &mut Answer { number, items: &mut items });
                parts[number - first] = [from, items.len()];
            }
            for [from, to] in parts.drain(..) {
                self.items.extend_from_slice(&items[from..to]);
                self.offsets.push(self.items.len());
            }
            items.clear();
        }
    }
}

impl<A> Default for Answers<A> {
    fn default() -> Self {
        Self { offsets: alloc::vec![0], items: Vec::new() }
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Answers many questions at once. The answers come in the order of the questions, each as the query gives it.
    ///
    /// `ask` is called once for each question, in no specified order, and adds what it finds to the answer: handles,
    /// values, distances, a count. It may ask any query, about layers of its choice.
    ///
    /// In an index of more than 8 MiB, `query_batch` asks the questions along a curve through space, so that most find the
    /// nodes and buckets that they need in the cache. With some thousand questions or more that is faster than a loop. A
    /// smaller index stays in the cache, and a loop is as fast.
    ///
    /// A question is whatever a query takes; its bounds decide when it is asked. One with a NaN has an answer too, which
    /// is empty if `ask` passes the question on to a query.
    ///
    /// ```
    /// # use quadrille::{Answers, Handle, Quadtree, Rect, SearchBuffer};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [4.0, 3.0], "scout")?;
    /// let places = [[90.0, 90.0], [0.0, 0.0]];
    /// let mut buffer = SearchBuffer::new();
    /// let nearest: Answers<(Handle, f32)> = index.query_batch(places, |place, answer| {
    ///     let units = index.nearest(*place).in_layers(units).within(50.0).reusing(&mut buffer);
    ///     answer.extend(units.take(8).map(|near| (near.object.handle(), near.distance_squared)));
    /// });
    /// assert_eq!(nearest.get(1), Some(&[(scout, 25.0)][..]));
    /// assert_eq!(nearest.offsets, [0, 0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("bulk", "many"))]
    pub fn query_batch<Q: IntoRegion<S, D>, A: Copy>(
        &self,
        questions: impl IntoIterator<Item = Q>,
        ask: impl FnMut(&Q::Region, &mut Answer<'_, A>),
    ) -> Answers<A> {
        let mut answers = Answers::new();
        answers.fill(self, questions, ask);
        answers
    }
}

#[cfg(test)]
mod tests;
