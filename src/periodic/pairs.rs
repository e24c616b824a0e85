//! Pairs in a periodic world: those of the index, then those across the borders.
//!
//! Of two images that are opposite, one is enough: it shows the same pairs, with the objects exchanged. An object that is
//! near enough to a border to have partners in an image looks for them there. If only some objects look, they look from
//! where they are too, for those whose image is near. A pair is decided by the same tests in either case. Keeps Q15 of
//! `docs/invariants.md`.

use alloc::sync::Arc;
use core::fmt;
use core::iter::{self, FusedIterator};

use super::images::Images;
use super::query::matches;
use super::world::Periodic;
use crate::geometry::{Around, Proximity, Rect, Region, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet};
use crate::pairs::Pairs;
use crate::query::{Intersecting, Query};

/// An iterator over pairs of objects that share a point, or are within a distance, where they are stored or in an image.
///
/// [`PeriodicIndex::pairs`](crate::PeriodicIndex::pairs) and [`pairs_of`](crate::PeriodicIndex::pairs_of) return it. It yields each pair once, as two [`ObjectRef`]s, in
/// however many images the two are close. No object is paired with itself, though one of its images may be close to it.
///
/// ```
/// # use quadrille::{Periodic, PeriodicPairs, Quadtree, Rect};
/// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let close: PeriodicPairs<u16> = torus.over(&index).pairs().within(1.0);
/// assert_eq!(close.count(), 100); // a ring
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct PeriodicPairs<'a, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    torus: Periodic<S, D>,
    hull: Rect<S, D>,
    /// The pairs in the index.
    pairs: Pairs<'a, T, S, D>,
    layers: [LayerSet; 2],
    distance: S,
    images: Images<D>,
    /// The image in which partners are sought at present.
    number: usize,
    /// The objects that are to look for partners in it; or the only ones that look for them, in the order of handles, and how many
    /// times they have looked.
    looking: Option<Query<'a, T, Intersecting, S, D>>,
    some: Option<Arc<[Handle]>>,
    looked: usize,
    /// The object that looks for partners, and these. Its image does, or it looks itself for images of others.
    one: Option<ObjectRef<'a, T, S, D>>,
    partners: Option<Query<'a, T, Intersecting, S, D, Around<S, D>>>,
    is_at_home: bool,
}

impl<'a, T, S: Scalar, const D: usize> PeriodicPairs<'a, T, S, D> {
    /// All pairs, or those of some objects, each of which is there and occurs once, in the order of handles.
    pub(super) fn new(
        index: &'a SpatialIndex<T, S, D>,
        torus: Periodic<S, D>,
        hull: Rect<S, D>,
        some: Option<Arc<[Handle]>>,
    ) -> Self {
        let (layers, distance) = ([LayerSet::ALL; 2], S::from(0));
        let images = images(&torus, &hull, distance);
        let (pairs, number) = match &some {
            Some(objects) => (index.pairs_of(objects.iter()), images.home()),
            None => (index.pairs(), images.home()),
        };
        let (looking, one, partners) = (None, None, None);
        let (looked, is_at_home) = (0, false);
        Self {
            index,
            torus,
            hull,
            pairs,
            layers,
            distance,
            images,
            number,
            looking,
            some,
            looked,
            one,
            partners,
            is_at_home,
        }
    }

    /// Restricts both objects of each pair to a set of layers. Of several calls, only layers in all sets remain. After the
    /// first `next`, the restriction holds for the pairs still to come.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([90.0, 0.0], [100.0, 100.0]), 1)?;
    /// index.insert(units, [0.0, 50.0], 2)?;
    /// assert_eq!(torus.over(&index).pairs().count(), 1); // the wall ends where the world begins
    /// assert_eq!(torus.over(&index).pairs().in_layers(units).count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(self, layers: impl Into<LayerSet>) -> Self {
        let layers = layers.into();
        self.between(layers, layers)
    }

    /// Restricts the first object of each pair to one set of layers and the second to another, as
    /// [`Pairs::between`](crate::Pairs::between).
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([90.0, 0.0], [100.0, 100.0]), 1)?;
    /// index.insert(units, [0.0, 50.0], 2)?;
    /// let (unit, wall) = torus.over(&index).pairs().between(units, walls).next().expect("they touch");
    /// assert_eq!((*unit.value(), *wall.value()), (2, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(mut self, first: impl Into<LayerSet>, second: impl Into<LayerSet>) -> Self {
        let (first, second) = (first.into(), second.into());
        self.pairs = self.pairs.between(first, second);
        self.layers = [self.layers[0] & first, self.layers[1] & second];
        self
    }

    /// Yields pairs of objects that are at most `distance` apart, as [`Pairs::within`](crate::Pairs::within). After the
    /// first `next`, it starts again from the first pair.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert_batch(units, [([1.0, 99.0], 1), ([99.0, 1.0], 2)])?;
    /// assert_eq!(torus.over(&index).pairs().within(2.0).count(), 0);
    /// assert_eq!(torus.over(&index).pairs().within(3.0).count(), 1); // across the corner
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(self, distance: S) -> Self {
        let images = images(&self.torus, &self.hull, distance);
        let (pairs, number) = (self.pairs.within(distance), images.home());
        Self { pairs, distance, images, number, looking: None, looked: 0, one: None, partners: None, ..self }
    }

    /// Whether at least one pair is still to come. Stops at the first one.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert_batch(units, [([1.0, 50.0], 1), ([99.0, 50.0], 2)])?;
    /// assert!(torus.over(&index).pairs().within(2.0).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.next().is_some()
    }

    /// The next pair across a border.
    #[inline(never)]
    fn next_across(&mut self) -> Option<(ObjectRef<'a, T, S, D>, ObjectRef<'a, T, S, D>)> {
        loop {
            if let Some(pair) = self.next_partner() {
                return Some(pair);
            }
            if !self.turn() {
                return None;
            }
        }
    }

    /// The next partner of the object that looks for them.
    fn next_partner(&mut self) -> Option<(ObjectRef<'a, T, S, D>, ObjectRef<'a, T, S, D>)> {
        let one = self.one?;
        loop {
            let other = self.partners.as_mut()?.next()?;
            let pair = if self.is_at_home { self.with_image(other, one) } else { Some((one, other)) };
            if let Some((moved, other)) = pair
                && let Some(pair) = self.in_order(moved, other)
                && self.is_first(moved, other)
            {
                return Some(pair);
            }
        }
    }

    /// An object whose image may be near one that looks for it; `None` if it is not, or finds the pair itself.
    fn with_image(
        &self,
        moved: ObjectRef<'a, T, S, D>,
        one: ObjectRef<'a, T, S, D>,
    ) -> Option<(ObjectRef<'a, T, S, D>, ObjectRef<'a, T, S, D>)> {
        let looks = self.some.as_ref().is_some_and(|some| some.binary_search(&moved.handle()).is_ok());
        (!looks && self.finds(self.number, moved, one)).then_some((moved, one))
    }

    /// Goes on to the next object that looks for partners.
    fn turn(&mut self) -> bool {
        if self.some.is_some() {
            return self.turn_of_some();
        }
        let layers = self.layers[0] | self.layers[1];
        loop {
            if let Some(one) = self.looking.as_mut().and_then(Iterator::next) {
                self.look(one, self.around(one, self.number));
                return true;
            }
            // Of two opposite images, the one with the higher number comes after the one at home.
            if self.images.len() <= self.number + 1 {
                return false;
            }
            self.number += 1;
            self.looking = Some(self.index.intersecting(self.border(self.number)).in_layers(layers));
        }
    }

    /// The same if only some objects look: each in all images, and in each of these itself and by its image.
    fn turn_of_some(&mut self) -> bool {
        let first = self.images.home() + 1;
        let times = 2 * (self.images.len() - first);
        while let Some(some) = &self.some
            && self.looked < some.len() * times
            && let Some(one) = self.index.object(some[self.looked / times])
        {
            let time = self.looked % times;
            if time == 0 && !self.may_cross(&one.shape()) {
                self.looked += times;
                continue;
            }
            self.looked += 1;
            (self.number, self.is_at_home) = (first + time / 2, time % 2 == 1);
            let around = if self.is_at_home {
                self.around_back(one)
            } else {
                self.around(one, self.number).filter(|_| self.border(self.number).intersects(&one.shape()))
            };
            if around.as_ref().is_some_and(|around| around.bounds().intersects(&self.hull)) {
                self.look(one, around);
                return true;
            }
        }
        false
    }

    fn look(&mut self, one: ObjectRef<'a, T, S, D>, around: Option<Around<S, D>>) {
        let layers = self.layers[0] | self.layers[1];
        self.partners = around.map(|around| Query::new(self.index, around).in_layers(layers));
        self.one = Some(one);
    }

    /// Whether an object may be near another one across a border.
    fn may_cross(&self, shape: &Rect<S, D>) -> bool {
        let reach = self.distance.to_f64() + self.slack();
        (0..D).filter(|&axis| self.torus.axes()[axis]).any(|axis| {
            let [first, last] = [self.hull.min()[axis], self.hull.max()[axis]].map(S::to_f64);
            let [min, max] = [shape.min()[axis], shape.max()[axis]].map(S::to_f64);
            let period = self.torus.period(axis);
            min + period <= last + reach || first - reach <= max - period
        })
    }

    /// More than all rounding when an object is moved by a period.
    fn slack(&self) -> f64 {
        let sum = (0..D).filter(|&axis| self.torus.axes()[axis]).fold(0.0, |sum, axis| {
            let [first, last] = [self.hull.min()[axis], self.hull.max()[axis]].map(S::to_f64);
            sum + first.abs() + last.abs() + self.torus.period(axis)
        });
        (sum + self.distance.to_f64()) * (16.0 * S::EPSILON.to_f64())
    }

    /// The surroundings of an object, moved back: what is in its proximity in the present image lies there.
    fn around_back(&self, object: ObjectRef<'a, T, S, D>) -> Option<Around<S, D>> {
        let back = self.images.away(self.number).map(|by| -by);
        Around::new(object.shape().shifted(back), S::from_f64(self.distance.to_f64() + self.slack()).next_up())
    }

    /// The objects that may have partners in an image: those that come close enough to the hull there.
    fn border(&self, number: usize) -> Rect<S, D> {
        let back = self.images.away(number).map(|by| -by);
        let near = Proximity::within(self.distance).map_or(self.hull, |proximity| proximity.stretched(&self.hull));
        let near = near.shifted(back);
        Rect::ordered(near.min().map(S::next_down), near.max().map(S::next_up))
    }

    /// The surroundings of an object's image.
    fn around(&self, object: ObjectRef<'a, T, S, D>, number: usize) -> Option<Around<S, D>> {
        Around::new(object.shape().shifted(self.images.away(number)), self.distance)
    }

    /// The pair in the order of its layers, if both are wanted.
    fn in_order(
        &self,
        one: ObjectRef<'a, T, S, D>,
        other: ObjectRef<'a, T, S, D>,
    ) -> Option<(ObjectRef<'a, T, S, D>, ObjectRef<'a, T, S, D>)> {
        let [first, second] = self.layers;
        let (of_one, of_other) = (one.layer(), other.layer());
        if first.contains(of_one) && second.contains(of_other) {
            Some((one, other))
        } else if first.contains(of_other) && second.contains(of_one) {
            Some((other, one))
        } else {
            None
        }
    }

    /// Whether two objects that are close in the present image are not close in the index, nor in an image before. In one
    /// image each of the two may find the other; then the one with the lower handle comes first.
    fn is_first(&self, one: ObjectRef<'a, T, S, D>, other: ObjectRef<'a, T, S, D>) -> bool {
        let home = self.images.home();
        let comes_first = |number, this: ObjectRef<'a, T, S, D>, that| {
            (number, this.handle()) < (self.number, one.handle()) && self.finds(number, this, that)
        };
        one.handle() != other.handle()
            && !self.are_close(home, one, other)
            && !(home + 1..=self.number)
                .any(|number| comes_first(number, one, other) || comes_first(number, other, one))
    }

    /// Whether the image of an object is near the border, and finds another one.
    fn finds(&self, number: usize, one: ObjectRef<'a, T, S, D>, other: ObjectRef<'a, T, S, D>) -> bool {
        self.border(number).intersects(&one.shape()) && self.are_close(number, one, other)
    }

    /// Whether the image of an object is close to another one.
    fn are_close(&self, number: usize, one: ObjectRef<'a, T, S, D>, other: ObjectRef<'a, T, S, D>) -> bool {
        let around = self.around(one, number);
        around.is_some_and(|around| matches::<Intersecting, _, _, D>(self.index, around, &other.shape()))
    }
}

/// The images in which an object may be within a distance of another. As for the nearest object, the neighbours are enough.
/// There is but one, at home, if all objects are that close where they are.
fn images<S: Scalar, const D: usize>(torus: &Periodic<S, D>, hull: &Rect<S, D>, distance: S) -> Images<D> {
    let [first, last] = [hull.min(), hull.max()].map(|corner| Rect::from_point(corner));
    let near = Proximity::within(distance).map_or(*hull, |proximity| proximity.stretched(hull)).to_f64();
    let images = Images::new(torus, torus.world().min().map(S::to_f64), &near, hull, 1);
    // With a distance that nothing is within there are no pairs either.
    let are_all_close = Around::new(first, distance).is_none_or(|around| around.intersects(&last));
    if are_all_close { images.at_home() } else { images }
}

impl<'a, T, S: Scalar, const D: usize> Iterator for PeriodicPairs<'a, T, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'a, T, S, D>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.pairs.next().or_else(|| self.next_across())
    }

    fn fold<A, F: FnMut(A, Self::Item) -> A>(mut self, init: A, mut f: F) -> A {
        let folded = self.pairs.by_ref().fold(init, &mut f);
        iter::from_fn(|| self.next_across()).fold(folded, f)
    }

    fn count(mut self) -> usize {
        let across = iter::from_fn(|| self.next_across()).count();
        self.pairs.count() + across
    }
}

impl<T, S: Scalar, const D: usize> FusedIterator for PeriodicPairs<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> Clone for PeriodicPairs<'_, T, S, D> {
    fn clone(&self) -> Self {
        let (pairs, looking) = (self.pairs.clone(), self.looking.clone());
        Self { pairs, looking, some: self.some.clone(), partners: self.partners.clone(), ..*self }
    }
}

impl<T, S: Scalar, const D: usize> fmt::Debug for PeriodicPairs<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeriodicPairs")
            .field("between", &self.layers)
            .field("within", &self.distance)
            .finish_non_exhaustive()
    }
}
