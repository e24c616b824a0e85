//! A crowd in a world without edges, and the same as a list.

use core::array;

use quadrille::{Handle, LayerSet, ObjectRef, Periodic, Rect, Region, SpatialIndex};

use super::oracle::{Relation, Span};
use super::order::{Distance, Moving, squared};
use super::{AnyLayer, Dice, Index, Real};

/// As far as the list looks for images, in periods.
const FAR: i32 = 7;

/// A small crowd in a world without edges, and the same as a list.
pub struct Scene<S, const D: usize> {
    pub torus: Periodic<S, D>,
    pub index: Index<S, D>,
    pub layers: [AnyLayer; 3],
    pub list: Vec<Known<S, D>>,
    /// Offsets by whole periods to all images around the world.
    pub offsets: Vec<[f64; D]>,
}

pub struct Known<S, const D: usize> {
    pub handle: Handle,
    pub layer: usize,
    pub shape: Rect<S, D>,
}

pub fn number(dice: &mut Dice, from: i32, to: i32) -> f64 {
    let below = usize::try_from(to - from + 1).expect("in order");
    f64::from(from) + f64::from(u32::try_from(dice.below(below)).expect("small"))
}

pub fn point<S: Real, const D: usize>(dice: &mut Dice, from: i32, to: i32) -> [S; D] {
    array::from_fn(|_| S::of(number(dice, from, to)))
}

/// A box with corners at most so far apart.
pub fn block<S: Real, const D: usize>(dice: &mut Dice, from: i32, to: i32, side: i32) -> Rect<S, D> {
    let min = point::<S, D>(dice, from, to);
    let max = array::from_fn::<_, D, _>(|axis| S::of(min[axis].value() + number(dice, 0, side)));
    Rect::new(min, max)
}

impl<S: Real, const D: usize> Scene<S, D> {
    /// Worlds of all kinds: around zero, far from it, not square, with some axes that wrap around.
    pub fn new(dice: &mut Dice, objects: usize) -> Self {
        let origin = [0.0, -8.0, 96.0][dice.below(3)];
        let sides = array::from_fn::<_, D, _>(|_| [8.0, 16.0][dice.below(2)]);
        let world = Rect::new([S::of(origin); D], sides.map(|side| S::of(origin + side)));
        let axes = array::from_fn(|_| dice.below(4) != 0);
        Self::of(Periodic::new(world).expect("a world").on_axes(axes), dice, objects)
    }

    /// A crowd in that world.
    pub fn of(torus: Periodic<S, D>, dice: &mut Dice, objects: usize) -> Self {
        let world = torus.world();
        let mut index = SpatialIndex::new(world).expect("a world");
        let settings = quadrille::LayerSettings::new().split_above(2);
        let layers = [false, true, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
        let mut scene = Self { torus, index, layers, list: Vec::new(), offsets: offsets(&torus, FAR) };
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
    pub fn change(&mut self, dice: &mut Dice) -> Option<(Handle, bool)> {
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

    /// Some layers, and an object to leave out.
    pub fn filters(&self, dice: &mut Dice) -> (Vec<usize>, Handle) {
        let asked = (0..3).filter(|_| dice.below(3) != 0).collect();
        (asked, self.list[dice.below(self.list.len())].handle)
    }

    pub fn set(&self, asked: &[usize]) -> LayerSet {
        asked.iter().fold(LayerSet::NONE, |set, &layer| set | self.layers[layer].id())
    }

    /// Whether an object of a shape matches: in one of its images it does, all of which meet the bounds.
    pub fn matches(&self, shape: &Rect<S, D>, bounds: &Rect<S, D>, holds: &dyn Fn(&Rect<S, D>) -> bool) -> bool {
        let bounds = Span::of_rect(bounds);
        let meets = |image: &Rect<S, D>| Relation::Intersecting.holds(&Span::of_rect(image), &bounds);
        self.offsets.iter().map(|by| moved(shape, by)).any(|image| meets(&image) && holds(&image))
    }

    /// The square of the least distance from a box to an image of another.
    pub fn least_square(&self, from: &Rect<S, D>, shape: &Rect<S, D>) -> f64 {
        self.offsets.iter().map(|by| square(from, &moved(shape, by))).fold(f64::INFINITY, f64::min)
    }

    /// When a moving box touches an image of another first.
    pub fn first_time(&self, from: &Rect<S, D>, step: &[S; D], shape: &Rect<S, D>) -> Option<f64> {
        let moving = Moving::by(Span::of_rect(from), *step);
        let touches = self.offsets.iter().filter_map(|by| moving.first_touch(&Span::of_rect(&moved(shape, by))));
        touches.map(|time| time / moving.steps).reduce(f64::min)
    }

    /// Several objects to leave out, perhaps none.
    pub fn several(&self, dice: &mut Dice) -> Vec<Handle> {
        let count = [0, 1, 2, 5][dice.below(4)];
        (0..count).map(|_| self.list[dice.below(self.list.len())].handle).collect()
    }

    /// A place in or around the world.
    pub fn place(&self, dice: &mut Dice) -> [S; D] {
        let min = self.torus.world().min();
        let around = point::<S, D>(dice, -9, 18);
        array::from_fn(|axis| S::of(min[axis].value() + around[axis].value()))
    }
}

/// All offsets by whole periods to images around a world.
pub fn offsets<S: Real, const D: usize>(torus: &Periodic<S, D>, far: i32) -> Vec<[f64; D]> {
    let size = torus.world().size();
    let mut offsets = vec![[0.0; D]];
    for axis in (0..D).filter(|&axis| torus.axes()[axis]) {
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

/// Whether a region meets an object, as it says itself.
pub fn meets<S: Real, const D: usize, R: Region<S, D>>(region: &R, object: &Rect<S, D>) -> bool {
    region.bounds().intersection(object).is_some_and(|part| R::IS_BOX || region.intersects(&part))
}

/// Whether an object lies inside a region, as that says itself.
pub fn encloses<S: Real, const D: usize, R: Region<S, D>>(region: &R, object: &Rect<S, D>) -> bool {
    region.bounds().contains(object) && (R::IS_BOX || region.contains(object))
}

pub fn moved<S: Real, const D: usize>(shape: &Rect<S, D>, by: &[f64; D]) -> Rect<S, D> {
    shape.translated(by.map(S::of))
}

/// The square of a distance, exact on the lattice.
pub fn square<S: Real, const D: usize>(a: &Rect<S, D>, b: &Rect<S, D>) -> f64 {
    squared(Distance::between(&Span::of_rect(a), &Span::of_rect(b)))
}

pub fn handles<'a, S: Real, const D: usize>(query: impl Iterator<Item = ObjectRef<'a, u32, S, D>>) -> Vec<Handle> {
    query.map(|object| object.handle()).collect()
}
