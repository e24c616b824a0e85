//! The oracle: a linear list of objects, with predicates that share no code with the library.

use core::fmt::{self, Display, Formatter};
use std::collections::{BTreeMap, BTreeSet};

use quadrille::{Handle, LayerId, Rect};

use super::Real;

/// A closed box, as two arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span<S, const D: usize> {
    pub min: [S; D],
    pub max: [S; D],
}

impl<S: Real, const D: usize> Span<S, D> {
    pub fn at(point: [S; D]) -> Self {
        Self { min: point, max: point }
    }

    /// The span between two corners, whichever way round they come.
    pub fn between(corner: [S; D], opposite: [S; D]) -> Self {
        let lower = |axis: usize| opposite[axis] < corner[axis];
        Self {
            min: core::array::from_fn(|axis| if lower(axis) { opposite[axis] } else { corner[axis] }),
            max: core::array::from_fn(|axis| if lower(axis) { corner[axis] } else { opposite[axis] }),
        }
    }

    /// A cube from one number to another on every axis.
    pub fn cube(min: S, max: S) -> Self {
        Self { min: [min; D], max: [max; D] }
    }

    pub fn of_rect(rect: &Rect<S, D>) -> Self {
        Self { min: rect.min(), max: rect.max() }
    }

    pub fn rect(self) -> Rect<S, D> {
        Rect::new(self.min, self.max)
    }

    pub fn is_point(&self) -> bool {
        self.min == self.max
    }

    fn on_every_axis(&self, other: &Self, holds: impl Fn([S; 2], [S; 2]) -> bool) -> bool {
        let ends = |span: &Self, axis: usize| [span.min[axis], span.max[axis]];
        (0..D).all(|axis| holds(ends(self, axis), ends(other, axis)))
    }
}

impl<S: Real, const D: usize> Display for Span<S, D> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}..={:?}", self.min, self.max)
    }
}

/// A relation of an object to a region; one for each exact query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    Intersecting,
    ContainedIn,
    Containing,
}

impl Relation {
    pub const EVERY: [Self; 3] = [Self::Intersecting, Self::ContainedIn, Self::Containing];

    /// Whether it holds. False with a NaN, as every comparison is.
    pub fn holds<S: Real, const D: usize>(self, object: &Span<S, D>, region: &Span<S, D>) -> bool {
        match self {
            // Neither ends before the other begins, said without a negation: a NaN must fail.
            Self::Intersecting => object.on_every_axis(region, |object, region| {
                let touches_from_left = object[0] <= region[0] && region[0] <= object[1];
                let touches_from_right = region[0] <= object[0] && object[0] <= region[1];
                (touches_from_left || touches_from_right) && region[0] <= region[1]
            }),
            Self::ContainedIn => object.on_every_axis(region, |object, region| {
                object.iter().all(|end| region[0] <= *end && *end <= region[1])
            }),
            Self::Containing => object.on_every_axis(region, |object, region| {
                region.iter().all(|end| object[0] <= *end && *end <= object[1])
            }),
        }
    }
}

/// An object as the oracle remembers it.
#[derive(Clone, Debug, PartialEq)]
pub struct Known<S, const D: usize> {
    pub handle: Handle,
    pub layer: LayerId,
    pub span: Span<S, D>,
    pub value: u32,
}

/// Which layers a question asks, without the library's bit set.
#[derive(Clone, Debug)]
pub struct Asked {
    pub layers: Vec<LayerId>,
    pub all_but_these: bool,
}

impl Asked {
    pub fn everything() -> Self {
        Self { layers: Vec::new(), all_but_these: true }
    }

    /// Compares numbers, as a set of layers tells neither dead layers nor foreign ones apart.
    pub fn holds(&self, layer: LayerId) -> bool {
        let named = self.layers.iter().any(|named| named.number() == layer.number());
        named != self.all_but_these
    }
}

/// A list of objects, searched from end to end.
#[derive(Clone, Debug, Default)]
pub struct Model<S, const D: usize> {
    pub objects: Vec<Known<S, D>>,
}

impl<S: Real, const D: usize> Model<S, D> {
    pub fn new() -> Self {
        Self { objects: Vec::new() }
    }

    pub fn insert(&mut self, handle: Handle, layer: LayerId, span: Span<S, D>, value: u32) {
        assert!(self.find(handle).is_none(), "{handle:?} was given out twice");
        self.objects.push(Known { handle, layer, span, value });
    }

    pub fn find(&self, handle: Handle) -> Option<&Known<S, D>> {
        self.objects.iter().find(|known| known.handle == handle)
    }

    pub fn find_mut(&mut self, handle: Handle) -> &mut Known<S, D> {
        self.objects.iter_mut().find(|known| known.handle == handle).expect("a known object")
    }

    pub fn remove(&mut self, handle: Handle) -> Known<S, D> {
        let place = self.objects.iter().position(|known| known.handle == handle);
        self.objects.swap_remove(place.expect("a known object"))
    }

    /// The handles of the objects that were inserted, removed or changed since it was as `before`, sorted.
    pub fn changed_since(&self, before: &Self) -> Vec<Handle> {
        let all = |model: &Self| -> BTreeMap<_, _> {
            model.objects.iter().map(|known| (known.handle, (known.layer, known.span))).collect()
        };
        let [before, now] = [before, self].map(all);
        let is_changed = |handle: &Handle| before.get(handle) != now.get(handle);
        let handles: BTreeSet<_> = before.keys().chain(now.keys()).copied().collect();
        handles.into_iter().filter(is_changed).collect()
    }

    /// The handles of the objects that pass, sorted.
    pub fn handles(&self, pass: impl Fn(&Known<S, D>) -> bool) -> Vec<Handle> {
        sorted(self.objects.iter().filter(|known| pass(known)).map(|known| known.handle))
    }

    /// The answer to a question, sorted.
    pub fn answer(
        &self,
        relation: Relation,
        region: &Span<S, D>,
        asked: &Asked,
        excluded: Option<Handle>,
    ) -> Vec<Handle> {
        self.handles(|known| {
            relation.holds(&known.span, region) && asked.holds(known.layer) && Some(known.handle) != excluded
        })
    }
}

/// The handles in order.
pub fn sorted(handles: impl IntoIterator<Item = Handle>) -> Vec<Handle> {
    let mut sorted: Vec<_> = handles.into_iter().collect();
    sorted.sort();
    sorted
}
