//! A crowd in a world without edges, and the same as a list.

use core::array;

use quadrille::{Handle, LayerSet, ObjectRef, Periodic, Rect, Region, SpatialIndex};

use quadrille_support::oracle::Span;
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
        Self::of(Periodic::new(world).expect("a world").on_axes(axes), dice, objects)
    }

    /// A crowd in that world.
    pub(super) fn of(torus: Periodic<S, D>, dice: &mut Dice, objects: usize) -> Self {
        let world = torus.world();
        let mut index = SpatialIndex::new(world).expect("a world");
        let settings = quadrille::LayerSettings::new().split_above(2);
        let layers = [false, true, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
        let mut scene = Self { torus, index, layers, list: Vec::new() };
        for _ in 0..objects {
            scene.insert(dice);
        }
        scene
    }

    /// A shape for a layer: from far away, but brought in; some as large as the world and larger, some long and thin.
    fn shape(&self, dice: &mut Dice, layer: usize) -> Rect<S, D> {
        let side = if layer == 0 { 0 } else { [0, 3, 20][dice.below(3)] };
        let mut shape = block(dice, -40, 140, side);
        if dice.below(3) == 0 {
            let mut max = shape.max();
            max[dice.below(D)] = S::of(f64::NEG_INFINITY);
            let flat = array::from_fn(|axis| if max[axis].is_finite() { max[axis] } else { shape.min()[axis] });
            shape = Rect::new(shape.min(), flat);
        }
        if layer == 0 { Rect::from_point(self.torus.wrap(shape.min())) } else { self.torus.wrap_rect(shape) }
    }

    fn insert(&mut self, dice: &mut Dice) -> Handle {
        let layer = dice.below(3);
        let (shape, value) = (self.shape(dice, layer), u32::try_from(self.list.len()).expect("few"));
        let handle = self.layers[layer].insert(&mut self.index, Span::of_rect(&shape), value).expect("finite");
        self.list.push(Known { handle, layer, shape });
        handle
    }

    /// Inserts, removes or moves an object, puts it into another layer, or puts memory in order. Returns the object that
    /// was not left alone, and whether it has moved.
    pub(super) fn change(&mut self, dice: &mut Dice) -> Option<(Handle, bool)> {
        let place = dice.below(self.list.len().max(1));
        match dice.below(8) {
            0 => {
                self.index.optimize();
                None
            }
            1 | 2 => Some((self.insert(dice), false)),
            _ if self.list.is_empty() => None,
            3 => {
                let Known { handle, .. } = self.list.swap_remove(place);
                assert!(self.index.remove(handle).is_some());
                Some((handle, false))
            }
            4 if self.list[place].layer != 0 => {
                let known = &mut self.list[place];
                known.layer = 3 - known.layer;
                self.layers[known.layer].take(&mut self.index, known.handle).expect("it lives");
                Some((known.handle, true))
            }
            _ => {
                let shape = self.shape(dice, self.list[place].layer);
                let known = &mut self.list[place];
                let moved = self.layers[known.layer].move_to(&mut self.index, known.handle, Span::of_rect(&shape));
                assert!(moved.is_ok());
                known.shape = shape;
                Some((known.handle, true))
            }
        }
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

    /// Whether an object of a shape matches: in one of its images it does.
    pub(super) fn matches(&self, shape: &Rect<S, D>, holds: &dyn Fn(&Rect<S, D>) -> bool) -> bool {
        self.offsets(FAR).iter().any(|by| holds(&moved(shape, by)))
    }

    /// Several objects to leave out, perhaps none.
    pub(super) fn several(&self, dice: &mut Dice) -> Vec<Handle> {
        let count = [0, 1, 2, 5][dice.below(4)];
        (0..count).map(|_| self.list[dice.below(self.list.len())].handle).collect()
    }

    /// A place in or around the world.
    pub(super) fn place(&self, dice: &mut Dice) -> [S; D] {
        let min = self.torus.world().min();
        let around = point::<S, D>(dice, -9, 18);
        array::from_fn(|axis| S::of(min[axis].value() + around[axis].value()))
    }
}

/// Whether a region meets an object, as it says itself.
pub(super) fn meets<S: Real, const D: usize, R: Region<S, D>>(region: &R, object: &Rect<S, D>) -> bool {
    region.bounds().intersection(object).is_some_and(|part| R::IS_BOX || region.intersects(&part))
}

/// Whether an object lies inside a region, as that says itself.
pub(super) fn encloses<S: Real, const D: usize, R: Region<S, D>>(region: &R, object: &Rect<S, D>) -> bool {
    region.bounds().contains(object) && (R::IS_BOX || region.contains(object))
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
