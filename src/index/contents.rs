//! Going through all objects: reading or changing their values, and taking the objects out.
//!
//! To read shapes and layers is a query, `iter`, and not here. Keeps S3 of `docs/invariants.md`: all objects leave the
//! index before the caller sees the first of them.

use alloc::vec::{self, Vec};
use core::fmt;
use core::iter::FusedIterator;
use core::slice;

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, LayerId, LayerSet, Place};
use crate::space::Space;
use crate::store::EachPlace;

/// An object with its value, taken out of its index by [`SpatialIndex::drain`]; or with a reference to its value, as
/// [`Neighbors`](crate::Neighbors) tells it.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # index.insert(units, [1.0, 2.0], "scout")?;
/// for object in index.drain() {
///     println!("{} was at {:?}", object.value, object.shape.min());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Object<T, S = f32, const D: usize = 2> {
    /// Its handle. Of an object that was taken out, it names none any more.
    pub handle: Handle,
    /// Its layer.
    pub layer: LayerId,
    /// Its shape. A point is a box without extent.
    pub shape: Rect<S, D>,
    /// Its value, or a reference to it.
    pub value: T,
}

/// An iterator over objects with their mutable values. [`SpatialIndex::iter_mut`] returns it.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// for (handle, shape, value) in index.iter_mut() {
///     if shape.min()[0] < 10.0 {
///         *value = 0;
///     }
/// }
/// assert_eq!(index.get(handles[9]), Some(&0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "iterators do nothing until they are iterated"]
pub struct IterMut<'a, T, S = f32, const D: usize = 2> {
    objects: BySlot<'a>,
    /// The values of the slots from `next` on.
    values: slice::IterMut<'a, Option<T>>,
    next: usize,
    space: &'a Space<S, D>,
    layers: LayerSet,
}

/// Objects by rising slot.
enum BySlot<'a> {
    /// All of the index.
    All(EachPlace<'a>),
    /// The objects of the layers asked for.
    Listed(vec::IntoIter<(Handle, Place)>),
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// The values of all objects, in the order of handles, and so in the order of memory.
    ///
    /// Takes time in proportion to the largest number of objects that there ever were at once, until
    /// [`shrink_to_fit`](Self::shrink_to_fit). It reads neither shapes nor layers. For these use [`iter`](Self::iter), and
    /// `index.iter().in_layers(layer)` for one layer.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// index.insert_batch(units, [([1.0, 2.0], 3), ([5.0, 6.0], 4)])?;
    /// assert_eq!(index.values().sum::<u32>(), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> + FusedIterator {
        of_len(self.len(), self.values.iter().flatten())
    }

    /// The mutable values of all objects, in the same order and at the same cost as [`values`](Self::values).
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], 3)?;
    /// index.values_mut().for_each(|value| *value += 1);
    /// assert_eq!(index.get(scout), Some(&4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> + FusedIterator {
        of_len(self.len(), self.values.iter_mut().flatten())
    }

    /// All objects as handle, shape and mutable value, in the order of handles.
    /// [`in_layers`](IterMut::in_layers) restricts it to some layers.
    ///
    /// Takes time in proportion to the largest number of objects that there ever were at once in all layers, until
    /// [`shrink_to_fit`](Self::shrink_to_fit). To give objects new shapes too, use [`update`](Self::update).
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), 0.0)?;
    /// let scout = index.insert(units, [1.0, 2.0], 0.0)?;
    /// for (_, at, height) in index.iter_mut().in_layers(units) {
    ///     *height = at.min()[0] * 0.5;
    /// }
    /// assert_eq!(index.get(scout), Some(&0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, T, S, D> {
        let objects = BySlot::All(self.space.places.iter());
        IterMut { objects, values: self.values.iter_mut(), next: 0, space: &self.space, layers: LayerSet::ALL }
    }

    /// Removes all objects and yields them, in the order of [`iter`](Self::iter). The layers stay.
    ///
    /// The objects leave the index at once, and the iterator borrows nothing, so you may use the index while it goes
    /// on. Earlier cursors cannot be resumed, as after [`clear`](Self::clear). Takes time and memory in proportion to
    /// the number of objects.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (old, new) = (index.add_point_layer()?, index.add_point_layer()?);
    /// index.insert(old, [1.0, 2.0], "scout")?;
    /// for object in index.drain() {
    ///     index.insert(new, object.shape.min(), object.value)?;
    /// }
    /// assert_eq!((index.len_in(old), index.len_in(new)), (0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drain(&mut self) -> vec::IntoIter<Object<T, S, D>> {
        self.space.begin_anew();
        self.drain_in(LayerSet::ALL)
    }

    /// Removes all objects of a set of layers and yields them, as [`drain`](Self::drain) does. Cursors stay valid.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (sparks, units) = (index.add_point_layer()?, index.add_point_layer()?);
    /// index.insert(sparks, [1.0, 2.0], "spark")?;
    /// index.insert(units, [1.0, 2.0], "scout")?;
    /// let gone: Vec<_> = index.drain_in(sparks).map(|object| object.value).collect();
    /// assert_eq!((gone, index.len()), (vec!["spark"], 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drain_in(&mut self, layers: impl Into<LayerSet>) -> vec::IntoIter<Object<T, S, D>> {
        let mut layers = layers.into();
        let mut objects = Vec::with_capacity(self.len_in(layers));
        while let Some(number) = self.space.next_layer(&mut layers) {
            let layer = self.space.layers.id(usize::from(number));
            for (shape, handle) in self.space.trees.entries(number) {
                let value = self.values.remove(handle);
                objects.extend(value.map(|value| Object { handle, layer, shape, value }));
            }
            self.space.clear_layer(number, |_| {});
        }
        objects.into_iter()
    }
}

/// Takes the index apart: yields its objects with their values, in the order of [`SpatialIndex::iter`].
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// let mut index: Quadtree<String> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// index.insert(units, [1.0, 2.0], "scout".to_owned())?;
/// let names: Vec<String> = index.into_iter().map(|object| object.value).collect();
/// assert_eq!(names, ["scout"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<T, S: Scalar, const D: usize> IntoIterator for SpatialIndex<T, S, D> {
    type Item = Object<T, S, D>;
    type IntoIter = vec::IntoIter<Object<T, S, D>>;

    fn into_iter(mut self) -> vec::IntoIter<Object<T, S, D>> {
        self.drain()
    }
}

impl<'a, T, S: Scalar, const D: usize> IntoIterator for &'a mut SpatialIndex<T, S, D> {
    type Item = (Handle, Rect<S, D>, &'a mut T);
    type IntoIter = IterMut<'a, T, S, D>;

    fn into_iter(self) -> IterMut<'a, T, S, D> {
        self.iter_mut()
    }
}

impl<T, S: Scalar, const D: usize> IterMut<'_, T, S, D> {
    /// Restricts the iterator to a set of layers. After several calls, only layers in all of the sets remain.
    ///
    /// If these layers have fewer objects than a quarter of all slots, it lists and sorts them, in time and memory in proportion
    /// to them. Otherwise it steps over the others, and costs as much as without.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// # index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// # let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// for (_, _, name) in index.iter_mut().in_layers(units) {
    ///     *name = "somebody";
    /// }
    /// assert_eq!(index.values().copied().collect::<Vec<_>>(), ["wall", "somebody"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(mut self, layers: impl Into<LayerSet>) -> Self {
        self.layers = self.layers & layers.into();
        // Stepping over an object takes some 20 ns, listing and sorting it three times as long.
        if self.space.len_in(self.layers) < self.space.places.slots() / 4 {
            let (mut objects, mut left) = (Vec::new(), self.layers);
            while let Some(layer) = self.space.next_layer(&mut left) {
                let places = self.space.trees.places(layer);
                objects.extend(places.map(|place| (self.space.trees.arena().handle(place), place)));
            }
            objects.retain(|(handle, _)| self.next <= handle.slot());
            objects.sort_unstable_by_key(|(handle, _)| handle.slot_number());
            self.objects = BySlot::Listed(objects.into_iter());
        }
        self
    }
}

impl<'a, T, S: Scalar, const D: usize> Iterator for IterMut<'a, T, S, D> {
    type Item = (Handle, Rect<S, D>, &'a mut T);

    fn next(&mut self) -> Option<Self::Item> {
        let arena = self.space.trees.arena();
        let (handle, place) = match &mut self.objects {
            BySlot::Listed(objects) => objects.next()?,
            BySlot::All(objects) if self.layers == LayerSet::ALL => objects.next()?,
            BySlot::All(objects) => objects.find(|(_, place)| self.layers.has(arena.layer_of(*place)))?,
        };
        let value = self.values.nth(handle.slot().checked_sub(self.next)?)?.as_mut()?;
        self.next = handle.slot() + 1;
        Some((handle, arena.shape(place), value))
    }
}

/// An iterator over values, of which there are that many.
fn of_len<V>(len: usize, mut values: impl Iterator<Item = V>) -> impl ExactSizeIterator<Item = V> + FusedIterator {
    (0..len).map(move |_| values.next().expect("every object has a value"))
}

impl<T, S: Scalar, const D: usize> FusedIterator for IterMut<'_, T, S, D> {}

impl<T, S, const D: usize> fmt::Debug for IterMut<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("layers", &self.layers).finish_non_exhaustive()
    }
}
