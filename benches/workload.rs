//! All benches share these: seeded objects and windows, the index filled with them, and a plain `Vec` as referee.
//!
//! The world is a square of 16 384; objects are uniform in it, rectangles with sides log-uniform from 0.5 to 64. A
//! benchmark's iteration is one operation, so the times are those of one object or one query.

#![allow(dead_code, reason = "a bench uses what it needs of it")]

use quadrille::{Handle, IntoShape, Layer, LayerKind, Points, Quadtree, Rect, Rects};
use slotmap::Key;

pub(crate) const OBJECTS: usize = 100_000;
pub(crate) const SIDE: f32 = 16_384.0;
/// The mean side of the rectangles: `(64 - 0.5) / ln(64 / 0.5)`.
pub(crate) const RECT_SIDE: f32 = 13.087;

/// A rectangle elsewhere.
pub(crate) fn translated(rect: Rect, by: [f32; 2]) -> Rect {
    let [min, max] = [rect.min(), rect.max()].map(|corner| [corner[0] + by[0], corner[1] + by[1]]);
    Rect::new(min, max)
}

/// The rectangle in a smaller world in the middle of the world.
pub(crate) fn shrunk(rect: Rect, scale: f32) -> Rect {
    let [min, max] = [rect.min(), rect.max()].map(|corner| corner.map(|end| (end - SIDE / 2.0) * scale + SIDE / 2.0));
    Rect::new(min, max)
}

/// A layer's object: a point or a rectangle.
pub(crate) trait Shape: Copy + IntoShape<Self::Kind, f32, 2> {
    type Kind: LayerKind;
    const NAME: &'static str;

    /// The shape at a rectangle: a point is its minimum corner.
    fn of(rect: Rect) -> Self;
    fn add_layer(index: &mut Quadtree<()>) -> Layer<Self::Kind>;
}

impl Shape for [f32; 2] {
    type Kind = Points;
    const NAME: &'static str = "points";

    fn of(rect: Rect) -> Self {
        rect.min()
    }

    fn add_layer(index: &mut Quadtree<()>) -> Layer<Points> {
        index.add_point_layer().expect("there is room for a layer")
    }
}

impl Shape for Rect {
    type Kind = Rects;
    const NAME: &'static str = "rects";

    fn of(rect: Rect) -> Self {
        rect
    }

    fn add_layer(index: &mut Quadtree<()>) -> Layer<Rects> {
        index.add_rect_layer().expect("there is room for a layer")
    }
}

/// A seeded source of numbers (`SplitMix64`): the same ones in every run.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From 0 to 1, in steps of `2^-32` before rounding.
    fn fraction(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        f32::from((bits >> 48) as u16) / 65_536.0 + f32::from((bits >> 32) as u16) / (65_536.0 * 65_536.0)
    }

    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.fraction()
    }

    /// A rectangle of that size anywhere inside the world.
    pub(crate) fn rect_sized(&mut self, size: [f32; 2]) -> Rect {
        let min = size.map(|side| self.between(0.0, SIDE - side));
        Rect::new(min, [min[0] + size[0], min[1] + size[1]])
    }

    /// The rectangle moved by up to `step` on each axis; objects that leave the world come back on the other side, so that
    /// objects stay evenly spread.
    pub(crate) fn shifted(&mut self, rect: Rect, step: f32) -> Rect {
        let size = rect.size();
        let within = |min: f32, side: f32, by: f32| (min + by).rem_euclid(SIDE - side);
        let by = [(); 2].map(|()| self.between(-step, step));
        let min = [within(rect.min()[0], size[0], by[0]), within(rect.min()[1], size[1], by[1])];
        Rect::new(min, [min[0] + size[0], min[1] + size[1]])
    }

    pub(crate) fn shape<P: Shape>(&mut self) -> P {
        let size = [(); 2].map(|()| 0.5 * 128.0_f32.powf(self.fraction()));
        P::of(self.rect_sized(size))
    }
}

/// An index with one layer of objects.
#[derive(Debug)]
pub(crate) struct Filled<P: Shape> {
    pub(crate) index: Quadtree<()>,
    pub(crate) layer: Layer<P::Kind>,
    pub(crate) objects: Vec<(Handle, P)>,
}

pub(crate) fn shapes<P: Shape>() -> Vec<P> {
    let mut dice = Dice::new(1);
    (0..OBJECTS).map(|_| dice.shape()).collect()
}

/// An index with an empty layer.
pub(crate) fn empty<P: Shape>() -> (Quadtree<()>, Layer<P::Kind>) {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [SIDE, SIDE])).expect("the world has an extent");
    let layer = P::add_layer(&mut index);
    (index, layer)
}

impl<P: Shape> Filled<P> {
    pub(crate) fn with(shapes: &[P]) -> Self {
        let (mut index, layer) = empty::<P>();
        let insert = |&shape: &P| (index.insert(layer, shape, ()).expect("shapes are finite"), shape);
        let objects = shapes.iter().map(insert).collect();
        Self { index, layer, objects }
    }

    /// All objects but not the index moved by up to `step` on each axis, within the world.
    pub(crate) fn stepped(mut self, dice: &mut Dice, step: f32) -> Self {
        self.objects.iter_mut().for_each(|(_, shape)| *shape = P::of(dice.shifted(shape.into_shape(), step)));
        self
    }

    /// The referee: all objects, to be looked through one after the other.
    pub(crate) fn list(&self) -> Vec<(Handle, Rect)> {
        self.objects.iter().map(|&(handle, shape)| (handle, shape.into_shape())).collect()
    }
}

/// The sum of a query's results, whatever their order: how many, and a sum over their handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    handles: u64,
}

impl Tally {
    #[inline]
    pub(crate) fn and(self, handle: Handle) -> Self {
        Self { count: self.count + 1, handles: self.handles.wrapping_add(handle.data().as_ffi()) }
    }

    /// The results of a scan of a list.
    pub(crate) fn of_list(list: &[(Handle, Rect)], matches: impl Fn(&Rect) -> bool) -> Self {
        let found = list.iter().filter(|(_, shape)| matches(shape));
        found.fold(Self::default(), |tally, &(handle, _)| tally.and(handle))
    }

    pub(crate) fn of_intersecting(index: &Quadtree<()>, region: Rect) -> Self {
        index.intersecting(region).fold(Self::default(), |tally, object| tally.and(object.handle()))
    }
}

/// Panics if the index and a look through all objects disagree about a few windows.
pub(crate) fn assert_agrees<P: Shape>(filled: &Filled<P>) {
    let list = filled.list();
    let mut dice = Dice::new(4);
    for _ in 0..16 {
        let window = dice.rect_sized([SIDE / 32.0; 2]);
        let expected = Tally::of_list(&list, |shape| shape.intersects(&window));
        assert_eq!(Tally::of_intersecting(&filled.index, window), expected, "{window:?}");
    }
}
