//! A region query in all images of its region.
//!
//! An object may match in several images. It is yielded at the first of them: at a later one, the earlier ones are tested
//! once more. Keeps Q15 of `docs/invariants.md`.

use core::fmt;
use core::iter::FusedIterator;

use super::images::{Images, REACH};
use super::world::Periodic;
use crate::geometry::{Ball, Image, Rect, Region, Scalar, level, with_vectors};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Excluded, IntoHandles, LayerSet, Place};
use crate::query::{Predicate, Query, Question, name_of};

/// An iterator over the objects that stand in the relation `P` to a region `R`, or to one of its images.
///
/// The region queries of a [`PeriodicIndex`](crate::PeriodicIndex) return it. It yields each object once, as an
/// [`ObjectRef`]: where the object is stored, not where the image is. See [`Query`] for the rest, which is the same. The
/// region is cloned once for each image, so pass a large one by reference. (If a region of your own breaks the rules of
/// [`Region`], an object may come once for each image.)
///
/// ```
/// # use quadrille::{Intersecting, Periodic, PeriodicQuery, Quadtree, Rect};
/// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let world = torus.over(&index);
/// let query: PeriodicQuery<u16, Intersecting> = world.intersecting(Rect::new([95.0, 0.0], [105.0, 99.0]));
/// assert_eq!(query.map(|object| u32::from(*object.value())).sum::<u32>(), 95 + 96 + 97 + 98 + 99 + 1 + 2 + 3 + 4 + 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct PeriodicQuery<'a, T, P, S = f32, const D: usize = 2, R = Rect<S, D>> {
    index: &'a SpatialIndex<T, S, D>,
    region: R,
    /// The bounds of the region, as a query takes them.
    bounds: Rect<f64, D>,
    images: Images<D>,
    /// The number of images that have been begun, and the query in the last one of them.
    begun: usize,
    query: Option<Asked<'a, T, P, S, D, R>>,
    /// An object that matches in this image and is being compared with the images before. A region may panic meanwhile.
    found: Option<ObjectRef<'a, T, S, D>>,
    layers: LayerSet,
    excluded: Excluded<Place>,
}

/// The query in one image. Nearly always there is one, in which the region is where it is: that costs what the index alone does.
enum Asked<'a, T, P, S, const D: usize, R> {
    Here(Query<'a, T, P, S, D, R>),
    Elsewhere(Query<'a, T, P, S, D, Image<R, S, D>>),
}

/// The same for the query in either place.
macro_rules! either {
    ($asked:expr, $query:ident => $then:expr) => {
        match $asked {
            Asked::Here($query) => $then,
            Asked::Elsewhere($query) => $then,
        }
    };
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D> + Clone> Asked<'a, T, P, S, D, R> {
    fn next(&mut self) -> Option<ObjectRef<'a, T, S, D>> {
        either!(self, query => query.next())
    }

    fn in_layers(self, layers: LayerSet) -> Self {
        match self {
            Self::Here(query) => Self::Here(query.in_layers(layers)),
            Self::Elsewhere(query) => Self::Elsewhere(query.in_layers(layers)),
        }
    }

    fn without(self, places: &[Place]) -> Self {
        let places = places.iter().copied();
        match self {
            Self::Here(query) => Self::Here(query.without(places)),
            Self::Elsewhere(query) => Self::Elsewhere(query.without(places)),
        }
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D> + Clone> PeriodicQuery<'a, T, P, S, D, R> {
    /// The query in all images in which the region may meet the hull. `covers` says that an object that lies inside the
    /// region matches, so that a region around the hull needs one image.
    #[inline(always)]
    pub(super) fn new(
        index: &'a SpatialIndex<T, S, D>,
        torus: &Periodic<S, D>,
        hull: &Rect<S, D>,
        region: R,
        covers: bool,
    ) -> Self {
        let ball = region.as_ball().get().map(Ball::surroundings);
        let bounds = ball.unwrap_or_else(|| region.bounds()).to_f64();
        // The nearest image of a ball is that at home or a neighbour, since the objects begin in the world.
        let reach = if P::BY_DISTANCE && ball.is_some() { 1 } else { REACH };
        let mut images = Images::new(torus, bounds.center(), &bounds, hull, reach);
        if covers && 1 < images.len() {
            images = without_needless(images, &region, &bounds, hull);
        }
        let (layers, found, excluded) = (LayerSet::ALL, None, Excluded::none());
        // Nearly always. The query is large, so it is made in its place and not moved.
        if images.len() == 1 && images.way_home().is_none() {
            let query = Some(Asked::Here(Query::new(index, region.clone())));
            return Self { index, region, bounds, images, begun: 1, query, found, layers, excluded };
        }
        Self { index, region, bounds, images, begun: 0, query: None, found, layers, excluded }
    }

    /// A query with the filters.
    #[inline(always)]
    fn ask<I: Region<S, D>>(&self, region: I) -> Query<'a, T, P, S, D, I> {
        Query::new(self.index, region).in_layers(self.layers).without(self.excluded.all().iter().copied())
    }

    /// Goes on to the next image, if there is one. A region that panics leaves all as it is.
    fn turn(&mut self) -> bool {
        if self.begun == self.images.len() {
            self.query = None;
            return false;
        }
        let (region, by) = (self.region.clone(), self.images.offset(self.begun));
        self.query = Some(if by.iter().all(|&by| by == 0.0) {
            Asked::Here(self.ask(region))
        } else {
            Asked::Elsewhere(self.ask(Image::new(region, by)))
        });
        self.begun += 1;
        true
    }

    /// The next object from where the query in the present image stands.
    #[inline(never)]
    fn next_of_rest(&mut self) -> Option<ObjectRef<'a, T, S, D>> {
        loop {
            if self.found.is_none() {
                self.found = self.query.as_mut().and_then(Asked::next);
            }
            if let Some(object) = self.found {
                let is_first = self.is_first(&object);
                self.found = None;
                if is_first {
                    return Some(object);
                }
            } else if !self.turn() {
                return None;
            }
        }
    }

    /// Whether an object that matches in the present image matches in none before it.
    #[inline]
    fn is_first(&self, object: &ObjectRef<'a, T, S, D>) -> bool {
        self.begun <= 1 || !self.matches_before(&object.shape())
    }

    fn matches_before(&self, shape: &Rect<S, D>) -> bool {
        (0..self.begun - 1).any(|number| {
            let by = self.images.offset(number);
            self.may_meet(by, shape) && matches::<P, _, _, D>(self.index, Image::new(&self.region, by), shape)
        })
    }

    /// Whether the bounds meet an object if they are moved. Rounding, which may differ, is allowed for many times over.
    fn may_meet(&self, by: [f64; D], shape: &Rect<S, D>) -> bool {
        !(0..D).any(|axis| {
            let [low, high] = [self.bounds.min()[axis] + by[axis], self.bounds.max()[axis] + by[axis]];
            let [min, max] = [shape.min()[axis], shape.max()[axis]].map(S::to_f64);
            let slack = (low.abs() + high.abs() + by[axis].abs()) * (16.0 * S::EPSILON.to_f64());
            max < low - slack || high + slack < min
        })
    }

    /// Restricts the query to a set of layers. Several calls keep only the layers in all sets. After the first `next`,
    /// it applies to the remaining results.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(units, [99.0, 50.0], 1)?;
    /// let near_border = torus.over(&index).within_distance([0.0, 50.0], 1.0);
    /// assert!(near_border.clone().in_layers(units).exists());
    /// assert!(!near_border.in_layers(walls).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(mut self, layers: impl Into<LayerSet>) -> Self {
        let layers = layers.into();
        self.layers = self.layers & layers;
        self.query = self.query.map(|query| query.in_layers(layers));
        self
    }

    /// Excludes an object, or several: `.excluding([a, b])`. Several calls exclude the objects of all of them. After the
    /// first `next`, it applies to the remaining results.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let world = torus.over(&index);
    /// assert_eq!(world.within_distance([0.0, 50.0], 2.0).excluding(handles[0]).count(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn excluding(mut self, objects: impl IntoHandles) -> Self {
        let space = &self.index.space;
        self.excluded.add(objects.into_handles().filter_map(|object| space.place(object)));
        self.query = self.query.map(|query| query.without(self.excluded.all()));
        self
    }

    /// Whether at least one object is left. Stops at the first one.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert(units, [99.0, 50.0], 1)?;
    /// assert!(torus.over(&index).intersecting(Rect::new([-2.0, 0.0], [1.0, 99.0])).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.next().is_some()
    }
}

/// Leaves out images that yield nothing new, since in another one all objects lie inside the region.
fn without_needless<R: Region<S, D>, S: Scalar, const D: usize>(
    images: Images<D>,
    region: &R,
    bounds: &Rect<f64, D>,
    hull: &Rect<S, D>,
) -> Images<D> {
    if R::IS_BOX {
        return images.covering(bounds, hull);
    }
    let home = Image::new(region, images.offset(images.home()));
    if home.bounds().contains(hull) && home.contains(hull) { images.at_home() } else { images }
}

/// Whether an object matches a region, as a query decides it.
pub(super) fn matches<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
    index: &SpatialIndex<impl Sized, S, D>,
    region: R,
    shape: &Rect<S, D>,
) -> bool {
    let question = &Question::<P, R, S, D>::new(index.space.grid(), region);
    with_vectors!(level(), |simd| question.matches_one(shape, simd))
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D> + Clone> Iterator
    for PeriodicQuery<'a, T, P, S, D, R>
{
    type Item = ObjectRef<'a, T, S, D>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // In the first image nothing is to be compared.
        if self.begun == 1
            && let Some(Asked::Here(query)) = &mut self.query
        {
            let next = query.next();
            if next.is_some() {
                return next;
            }
            self.query = None;
        }
        self.next_of_rest()
    }

    fn fold<A, F: FnMut(A, Self::Item) -> A>(mut self, init: A, mut f: F) -> A {
        if self.images.len() == 1
            && let Some(Asked::Here(query)) = self.query
        {
            return query.fold(init, f);
        }
        let mut folded = match self.found.take() {
            Some(object) if self.is_first(&object) => f(init, object),
            _ => init,
        };
        while self.query.is_some() || self.turn() {
            let Some(query) = self.query.take() else { break };
            let first = |folded, object| if self.is_first(&object) { f(folded, object) } else { folded };
            folded = either!(query, query => query.fold(folded, first));
        }
        folded
    }

    /// The number of remaining objects. With one image it reads counters, as [`Query`] does.
    fn count(self) -> usize {
        match self.query {
            Some(query) if self.images.len() == 1 => either!(query, query => query.count()),
            _ => self.fold(0, |count, _| count + 1),
        }
    }
}

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D> + Clone> FusedIterator
    for PeriodicQuery<'_, T, P, S, D, R>
{
}

impl<T, P: Clone, S: Scalar, const D: usize, R: Clone> Clone for Asked<'_, T, P, S, D, R> {
    fn clone(&self) -> Self {
        match self {
            Self::Here(query) => Self::Here(query.clone()),
            Self::Elsewhere(query) => Self::Elsewhere(query.clone()),
        }
    }
}

impl<T, P: Clone, S: Scalar, const D: usize, R: Clone> Clone for PeriodicQuery<'_, T, P, S, D, R> {
    fn clone(&self) -> Self {
        let (region, query, excluded) = (self.region.clone(), self.query.clone(), self.excluded.clone());
        Self { region, query, excluded, ..*self }
    }
}

impl<T, P, S: Scalar, const D: usize, R: fmt::Debug> fmt::Debug for PeriodicQuery<'_, T, P, S, D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeriodicQuery")
            .field("predicate", &format_args!("{}", name_of::<P>()))
            .field("region", &self.region)
            .field("images", &self.images.len())
            .finish_non_exhaustive()
    }
}
