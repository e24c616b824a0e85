//! A crowd in a world without edges, and the same as a list.

use core::array;

use quadrille::{Handle, LayerSet, ObjectRef, Periodic, Rect, SpatialIndex};

use quadrille_support::{AnyLayer, Dice, Index, Real};

/// As far as the list looks for images, in periods.
pub(super) const FAR: i32 = 7;

/// A small crowd in a world without edges, and the same as a list.
pub(super) struct Scene<S, const D: usize> {
    pub(super) torus: Periodic<S, D>,
    pub(super) index: Index<S, D>,
    pub(super) layers: [AnyLayer; 3],
    pub(super) list: Vec<Known<S, D>>,
}

pub(super) struct Known<S, const D: usize> {
    pub(super) handle: Handle,
    pub(super) layer: usize,
    pub(super) shape: Rect<S, D>,
}

pub(super) fn number(dice: &mut Dice, from: i32, to: i32) -> f64 {
    let below = usize::try_from(to - from + 1).expect("in order");
    f64::from(from) + f64::from(u32::try_from(dice.below(below)).expect("small"))
}

pub(super) fn point<S: Real, const D: usize>(dice: &mut Dice, from: i32, to: i32) -> [S; D] {
    array::from_fn(|_| S::of(number(dice, from, to)))
}

/// A box with corners at most so far apart.
pub(super) fn block<S: Real, const D: usize>(dice: &mut Dice, from: i32, to: i32, side: i32) -> Rect<S, D> {
    let min = point::<S, D>(dice, from, to);
    let max = array::from_fn::<_, D, _>(|axis| S::of(min[axis].value() + number(dice, 0, side)));
    Rect::new(min, max)
}

impl<S: Real, const D: usize> Scene<S, D> {
    /// Worlds of all kinds: around zero, far from it, not square, with some axes that wrap around.
    pub(super) fn new(dice: &mut Dice, objects: usize) -> Self {
        let origin = [0.0, -8.0, 96.0][dice.below(3)];
        let sides = array::from_fn::<_, D, _>(|_| [8.0, 16.0][dice.below(2)]);
        let world = Rect::new([S::of(origin); D], sides.map(|side| S::of(origin + side)));
        let axes = array::from_fn(|_| dice.below(4) != 0);
        let torus = Periodic::new(world).expect("a world").on_axes(axes);
        let mut index = SpatialIndex::new(world).expect("a world");
        let settings = quadrille::LayerSettings::new().split_above(2);
        let layers = [false, true, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
        let mut scene = Self { torus, index, layers, list: Vec::new() };
        for number in 0..objects {
            let layer = dice.below(3);
            let side = if layer == 0 { 0 } else { [0, 3, 20][dice.below(3)] };
            // Also from far away: it is brought in.
            let shape = block(dice, -40, 140, side);
            let shape = if layer == 0 { Rect::from_point(torus.wrap(shape.min())) } else { torus.wrap_rect(shape) };
            let value = u32::try_from(number).expect("few");
            let handle = match scene.layers[layer] {
                AnyLayer::Points(points) => scene.index.insert(points, shape.min(), value),
                AnyLayer::Rects(rects) => scene.index.insert(rects, shape, value),
            };
            scene.list.push(Known { handle: handle.expect("finite"), layer, shape });
        }
        scene
    }

    /// All offsets by whole periods to images around the world.
    pub(super) fn offsets(&self, far: i32) -> Vec<[f64; D]> {
        let size = self.torus.world().size();
        let mut offsets = vec![[0.0; D]];
        for axis in (0..D).filter(|&axis| self.torus.axes()[axis]) {
            let with = |times: i32, offset: &[f64; D]| {
                let mut offset = *offset;
                offset[axis] = f64::from(times) * size[axis].value();
                offset
            };
            offsets = (-far..=far)
                .flat_map(|times| offsets.iter().map(move |offset| with(times, offset)).collect::<Vec<_>>())
                .collect();
        }
        offsets
    }

    /// Some layers, and an object to leave out.
    pub(super) fn filters(&self, dice: &mut Dice) -> (Vec<usize>, Handle) {
        let asked = (0..3).filter(|_| dice.below(3) != 0).collect();
        (asked, self.list[dice.below(self.list.len())].handle)
    }

    pub(super) fn set(&self, asked: &[usize]) -> LayerSet {
        asked.iter().fold(LayerSet::NONE, |set, &layer| set | self.layers[layer].id())
    }

    /// A place in or around the world.
    pub(super) fn place(&self, dice: &mut Dice) -> [S; D] {
        let min = self.torus.world().min();
        let around = point::<S, D>(dice, -9, 18);
        array::from_fn(|axis| S::of(min[axis].value() + around[axis].value()))
    }
}

pub(super) fn moved<S: Real, const D: usize>(shape: &Rect<S, D>, by: &[f64; D]) -> Rect<S, D> {
    shape.translated(by.map(S::of))
}

/// The square of a distance, exact on the lattice.
pub(super) fn square<S: Real, const D: usize>(a: &Rect<S, D>, b: &Rect<S, D>) -> f64 {
    let gap = |axis: usize| {
        let after = b.min()[axis].value() - a.max()[axis].value();
        let before = a.min()[axis].value() - b.max()[axis].value();
        after.max(before).max(0.0)
    };
    (0..D).map(|axis| gap(axis) * gap(axis)).sum()
}

pub(super) fn handles<'a, S: Real, const D: usize>(
    query: impl Iterator<Item = ObjectRef<'a, u32, S, D>>,
) -> Vec<Handle> {
    query.map(|object| object.handle()).collect()
}

pub(super) fn sorted(mut handles: Vec<Handle>) -> Vec<Handle> {
    handles.sort_unstable();
    handles
}
