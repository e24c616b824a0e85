//! Operations on one object.

use quadrille::{Handle, Moved, ObjectError};
use quadrille_support::agreement::seen;
use quadrille_support::oracle::{Known, Span};
use quadrille_support::spot::Spot;
use quadrille_support::{AnyLayer, Index, Real};

use super::{Space, Stage, agree};
use crate::field::{Corner, Shape};

/// By which method an object is inserted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Door {
    Typed,
    Any,
}

/// Why an operation is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    NoSuchObject,
    NotFinite,
    Layer,
    WrongKind,
    Other,
}

impl From<ObjectError> for Refusal {
    fn from(error: ObjectError) -> Self {
        match error {
            ObjectError::NoSuchObject { .. } => Self::NoSuchObject,
            ObjectError::NotFinite(_) => Self::NotFinite,
            ObjectError::Layer(_) => Self::Layer,
            ObjectError::WrongKind { .. } => Self::WrongKind,
            ObjectError::Full { .. } | _ => Self::Other,
        }
    }
}

/// Compares an outcome with the reasons to refuse that there are; says what came if it was not refused.
pub(super) fn outcome<A>(
    came: Result<A, impl Into<Refusal>>,
    reasons: &[(bool, Refusal)],
    about: &dyn Fn() -> String,
) -> Option<A> {
    let expected: Vec<_> = reasons.iter().filter(|(applies, _)| *applies).map(|(_, reason)| *reason).collect();
    match came {
        Ok(came) if expected.is_empty() => Some(came),
        Ok(_) => super::differ(&about(), &expected, &"it was done"),
        Err(refusal) => {
            let refusal = refusal.into();
            if !expected.contains(&refusal) {
                super::differ(&about(), &expected, &refusal);
            }
            None
        }
    }
}

pub(super) fn is_finite<S: Real, const D: usize>(span: &Span<S, D>) -> bool {
    span.min.iter().chain(&span.max).all(|at| at.value().is_finite())
}

/// Moves an object by the method of one kind, be it of that kind or not.
pub(super) fn move_as<S: Space, const D: usize>(
    index: &mut Index<S, D>,
    handle: Handle,
    span: Span<S, D>,
    rects: bool,
) -> Result<Moved, ObjectError> {
    if rects { index.move_to(handle, span.rect()) } else { index.move_to(handle, span.min) }
}

impl<S: Space, const D: usize> Stage<S, D> {
    pub(super) fn known(&self, on: usize, handle: Handle) -> Option<Known<S, D>> {
        self.sides[on].model.find(handle).cloned()
    }

    pub(super) fn next_value(&mut self) -> u32 {
        self.next_value = self.next_value.wrapping_add(1);
        self.next_value
    }

    /// Notes a new object in the list.
    pub(super) fn know(&mut self, on: usize, handle: Handle, layer: AnyLayer, span: Span<S, D>, value: u32) {
        self.sides[on].note(handle, layer, span, value);
        self.hash(handle.to_bits());
        if self.handles.len() < 32 {
            self.handles.push(handle);
        } else {
            let place = self.next_value as usize % 32;
            self.handles[place] = handle;
        }
    }

    pub(super) fn insert(&mut self, on: usize, pick: u8, shape: &Shape, door: Door) {
        let Some(layer) = self.layer(on, pick) else { return };
        let span = shape.span(&self.sides[on].index.world());
        self.insert_span(on, layer, span, door);
    }

    fn insert_span(&mut self, on: usize, layer: AnyLayer, mut span: Span<S, D>, door: Door) {
        if self.is_full(on, 1) {
            return;
        }
        let value = self.next_value();
        let side = &mut self.sides[on];
        let lives = side.holds(layer);
        let mut has_extent = false;
        let came: Result<Handle, ObjectError> = match door {
            Door::Typed => layer.insert(&mut side.index, span, value),
            Door::Any => {
                // Seldom a box for a layer of points.
                if !layer.holds_rects() && !value.is_multiple_of(4) {
                    span = Span::at(span.min);
                }
                has_extent = !layer.holds_rects() && span.min != span.max;
                side.index.insert_any(layer.id(), span.rect(), value)
            }
        };
        let wanted = if has_extent { span } else { layer.trimmed(span) };
        let reasons = [
            (!lives, Refusal::Layer),
            (!is_finite(&wanted), Refusal::NotFinite),
            (lives && has_extent, Refusal::WrongKind),
        ];
        if let Some(handle) = outcome(came, &reasons, &|| format!("inserting {span} into {layer:?}")) {
            self.know(on, handle, layer, span, value);
        }
    }

    /// Many objects a sixteenth apart, or all alike.
    pub(super) fn crowd(&mut self, on: usize, pick: u8, shape: &Shape, count: u8, apart: u8) {
        let Some(layer) = self.layer(on, pick) else { return };
        let world = self.sides[on].index.world();
        let span = shape.span(&world);
        let side = quadrille_support::scene::side_of(&world).value();
        // Alike, or as far apart as cells of some level are long.
        let step = if apart.is_multiple_of(3) { 0.0 } else { side / 2_f64.powi((apart % 24).into()) };
        for number in 0..count.min(150) {
            let by = step * f64::from(number % 16);
            let moved = |at: S| S::of(at.value() + by);
            let span = Span { min: span.min.map(moved), max: span.max.map(moved) };
            self.insert_span(on, layer, span, Door::Typed);
        }
    }

    /// Moves an object that is there to a place, and compares.
    fn move_known(&mut self, on: usize, known: &Known<S, D>, span: Span<S, D>) {
        let side = &mut self.sides[on];
        let layer = side.layer_of(known);
        let came = layer.move_to(&mut side.index, known.handle, span);
        self.moved(on, known.handle, came, span);
    }

    /// Compares what a move to a span has done, by a method that may be of the wrong kind.
    fn moved(&mut self, on: usize, handle: Handle, came: Result<Moved, ObjectError>, span: Span<S, D>) {
        let known = self.known(on, handle);
        let side = &mut self.sides[on];
        let span = known.as_ref().map_or(span, |known| side.layer_of(known).trimmed(span));
        let reasons = [(known.is_none(), Refusal::NoSuchObject), (!is_finite(&span), Refusal::NotFinite)];
        if let Some(moved) = outcome(came, &reasons, &|| format!("moving {known:?} to {span}")) {
            side.model.find_mut(handle).span = span;
            self.hash(u64::from(moved == Moved::InPlace));
        }
    }

    pub(super) fn move_to(&mut self, on: usize, pick: u16, shape: &Shape, is_wrong: bool) {
        let handle = self.handle(on, pick);
        let known = self.known(on, handle);
        let side = &mut self.sides[on];
        let span = shape.span(&side.index.world());
        let rects = known.as_ref().is_some_and(|known| side.layer_of(known).holds_rects());
        if !is_wrong {
            let came = move_as(&mut side.index, handle, span, rects);
            return self.moved(on, handle, came, span);
        }
        if known.is_some() && !rects && span.min == span.max {
            return; // A point takes a box without extent: see `move_any`.
        }
        let came = move_as(&mut side.index, handle, span, !rects);
        let called = if rects { Span::at(span.min) } else { span };
        let reasons = [
            (known.is_none(), Refusal::NoSuchObject),
            (known.is_some(), Refusal::WrongKind),
            (!is_finite(&called), Refusal::NotFinite),
        ];
        outcome(came, &reasons, &|| format!("moving {known:?} to {span} as the other kind"));
    }

    pub(super) fn move_any(&mut self, on: usize, pick: u16, shape: &Shape) {
        let handle = self.handle(on, pick);
        let known = self.known(on, handle);
        let side = &mut self.sides[on];
        let mut span = shape.span(&side.index.world());
        let is_point = known.as_ref().is_some_and(|known| !side.layer_of(known).holds_rects());
        if is_point && !pick.is_multiple_of(4) {
            span = Span::at(span.min);
        }
        let came = side.index.move_to(handle, span.rect());
        let reasons = [
            (known.is_none(), Refusal::NoSuchObject),
            (!is_finite(&span), Refusal::NotFinite),
            (is_point && span.min != span.max, Refusal::WrongKind),
        ];
        if outcome(came, &reasons, &|| format!("moving {known:?} to {span} whatever its kind")).is_some() {
            side.model.find_mut(handle).span = span;
        }
    }

    pub(super) fn move_by(&mut self, on: usize, pick: u16, by: &Corner) {
        let handle = self.handle(on, pick);
        let known = self.known(on, handle);
        let side = &mut self.sides[on];
        let by: [S; D] = by.lengths(&side.index.world());
        let came = side.index.move_by(handle, by);
        let from = known.as_ref().map_or(Span::at([S::of(0.0); D]), |known| known.span);
        let end = |ends: [S; D]| core::array::from_fn(|axis| S::of(ends[axis].value() + by[axis].value()));
        self.moved(on, handle, came, Span { min: end(from.min), max: end(from.max) });
    }

    pub(super) fn nudge(&mut self, on: usize, pick: u16, upward: bool) {
        let Some(known) = self.known(on, self.handle(on, pick)) else { return };
        let next = |end: S| Spot::finite((if upward { end.up() } else { end.down() }).value());
        let Span { min, max } = known.span;
        self.move_known(on, &known, Span { min: min.map(next), max: max.map(next) });
    }

    pub(super) fn resize(&mut self, on: usize, pick: u16, to: &Corner) {
        let Some(known) = self.known(on, self.handle(on, pick)) else { return };
        let to = to.resolve(&self.sides[on].index.world());
        self.move_known(on, &known, Span::between(known.span.min, to));
    }

    pub(super) fn set_layer(&mut self, on: usize, pick: u16, layer: u8, is_any: bool) {
        let handle = self.handle(on, pick);
        let (known, layer) = (self.known(on, handle), self.layer(on, layer));
        let Some(layer) = layer else { return };
        let side = &mut self.sides[on];
        let came = if is_any { side.index.set_layer(handle, layer.id()) } else { layer.take(&mut side.index, handle) };
        let is_other = known.as_ref().is_some_and(|known| side.layer_of(known).holds_rects() != layer.holds_rects());
        let reasons = [
            (known.is_none(), Refusal::NoSuchObject),
            (!side.holds(layer), Refusal::Layer),
            (is_other, Refusal::WrongKind),
        ];
        if outcome(came, &reasons, &|| format!("putting {known:?} into {layer:?}")).is_some() {
            side.model.find_mut(handle).layer = layer.id();
        }
    }

    pub(super) fn remove(&mut self, on: usize, pick: u16) {
        let handle = self.handle(on, pick);
        self.remove_handle(on, handle);
    }

    pub(super) fn remove_handle(&mut self, on: usize, handle: Handle) {
        let known = self.known(on, handle);
        let side = &mut self.sides[on];
        agree!(side.index.remove(handle), known.as_ref().map(|known| known.value), "the value of removed {handle:?}");
        agree!(side.index.remove(handle), None, "removing {handle:?} again");
        if known.is_some() {
            side.forget(|known| known.handle == handle);
        }
    }

    pub(super) fn change_value(&mut self, on: usize, pick: u16) {
        let handle = self.handle(on, pick);
        let known = self.known(on, handle);
        let side = &mut self.sides[on];
        let value = side.index.get_mut(handle);
        agree!(value.as_deref().copied(), known.as_ref().map(|known| known.value), "the value of {handle:?}");
        if let Some(value) = value {
            *value ^= 0x8000_0000;
            side.model.find_mut(handle).value ^= 0x8000_0000;
        }
    }

    /// All that is said of one handle.
    pub(super) fn facts(&mut self, on: usize, pick: u16) {
        let handle = self.handle(on, pick);
        let known = self.known(on, handle);
        let index = &self.sides[on].index;
        agree!(index.contains(handle), known.is_some(), "whether there is {handle:?}");
        agree!(index.object(handle).map(seen), known, "{handle:?}");
        agree!(index.get(handle).copied(), known.as_ref().map(|known| known.value), "the value of {handle:?}");
        agree!(index.shape(handle), known.as_ref().map(|known| known.span.rect()), "the shape of {handle:?}");
        agree!(index.layer(handle), known.as_ref().map(|known| known.layer), "the layer of {handle:?}");
        let cell = index.cell_of(handle);
        agree!(cell.is_some(), known.is_some(), "whether a cell has {handle:?}");
        if let Some(cell) = cell {
            agree!(cell.objects().any(|object| object.handle() == handle), true, "the cell of {handle:?} has it");
        }
        agree!(Handle::from_bits(handle.to_bits()), handle, "the bits of {handle:?}");
        let in_its_slot = index.handle_at(handle.slot());
        agree!(in_its_slot == Some(handle), known.is_some(), "whether {handle:?} is in its slot");
        agree!(known.is_none() || handle.slot() < index.slots(), true, "the slot of {handle:?} is one of all");
        let other = self.handle(on, pick.wrapping_mul(3));
        let both = [handle, other].map(|of| self.known(on, of).map(|known| known.value));
        let lent = self.sides[on].index.get_disjoint_mut([handle, other]);
        let expected = if handle == other { None } else { both[0].zip(both[1]) };
        agree!(lent.map(|[a, b]| (*a, *b)), expected, "the values of {handle:?} and {other:?}");
    }
}
