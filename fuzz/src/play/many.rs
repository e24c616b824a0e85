//! Operations on many objects at once.

use quadrille::{BatchError, BatchMoved, Handle, LayerError, ObjectError};
use quadrille_support::oracle::Span;
use quadrille_support::questions::set_of;
use quadrille_support::scene::side_of;
use quadrille_support::{AnyLayer, Index};

use super::objects::{Refusal, is_finite, outcome};
use super::{Space, Stage, agree};
use crate::bytes::Bytes;
use crate::field::{Field, Layers, Shape};

/// An iterator that says that it is so long, whatever it is.
struct Hinted<I> {
    inner: I,
    hint: usize,
}

impl<I: Iterator> Iterator for Hinted<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.inner.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.hint, None)
    }
}

fn insert_batch<S: Space, const D: usize>(
    index: &mut Index<S, D>,
    layer: AnyLayer,
    objects: &[(Span<S, D>, u32)],
    hint: usize,
) -> Result<Vec<Handle>, BatchError> {
    let inner = objects.iter();
    match layer {
        AnyLayer::Points(layer) => {
            index.insert_batch(layer, Hinted { inner, hint }.map(|&(span, value)| (span.min, value)))
        }
        AnyLayer::Rects(layer) => {
            index.insert_batch(layer, Hinted { inner, hint }.map(|&(span, value)| (span.rect(), value)))
        }
    }
}

/// Gives each object a new place, and may change its value.
type SpanOf<'a, S, const D: usize> = &'a mut dyn FnMut(Handle, &mut u32, Span<S, D>) -> Span<S, D>;

fn update<S: Space, const D: usize>(
    index: &mut Index<S, D>,
    layer: AnyLayer,
    span_of: SpanOf<'_, S, D>,
) -> Result<BatchMoved, LayerError> {
    match layer {
        AnyLayer::Points(layer) => {
            index.update(layer, |handle, mut value, shape| span_of(handle, &mut value, Span::of_rect(&shape)).min)
        }
        AnyLayer::Rects(layer) => {
            index.update(layer, |handle, mut value, shape| span_of(handle, &mut value, Span::of_rect(&shape)).rect())
        }
    }
}

impl From<LayerError> for Refusal {
    fn from(_: LayerError) -> Self {
        Self::Layer
    }
}

impl<S: Space, const D: usize> Stage<S, D> {
    /// All or none.
    pub(super) fn insert_batch(&mut self, on: usize, pick: u8, count: u8, seed: u16, hint: u8) {
        let Some(layer) = self.layer(on, pick) else { return };
        if self.is_full(on, count.into()) {
            return;
        }
        let world = self.sides[on].index.world();
        let mut bytes = Bytes::of_seed(seed.into());
        // Most batches are good as a whole.
        let spoiled = bytes.below(4) == 0;
        let mut objects: Vec<(Span<S, D>, u32)> = Vec::new();
        while objects.len() < count.into() {
            let span = layer.trimmed(Shape::draw(&mut bytes).span(&world));
            if spoiled || is_finite(&span) {
                objects.push((span, self.next_value()));
            }
        }
        let hint = match hint % 16 {
            0 => usize::MAX,
            1 => 1_usize.checked_shl(40).unwrap_or(usize::MAX / 4),
            2 => 0,
            _ => objects.len(),
        };
        let side = &mut self.sides[on];
        let lives = side.holds(layer);
        let came = insert_batch(&mut side.index, layer, &objects, hint);
        let wrong = objects.iter().position(|(span, _)| !is_finite(span));
        if let Err(BatchError { position, .. }) = &came {
            let expected = if lives { wrong } else { Some(0) };
            agree!(Some(*position), expected, "the position of the object that a batch is refused for");
        }
        let came = came.map_err(|refused| refused.reason);
        let reasons = [(!lives, Refusal::Layer), (lives && wrong.is_some(), Refusal::NotFinite)];
        let about = || format!("inserting a batch of {} into {layer:?}", objects.len());
        if let Some(handles) = outcome(came, &reasons, &about) {
            agree!(handles.len(), objects.len(), "handles of a batch");
            for (handle, (span, value)) in handles.into_iter().zip(objects) {
                self.know(on, handle, layer, span, value);
            }
        }
    }

    /// One move after the other, be an object there twice, gone, or of the other kind.
    pub(super) fn move_batch(&mut self, on: usize, rects: bool, count: u8, seed: u16) {
        let world = self.sides[on].index.world();
        let mut bytes = Bytes::of_seed(seed.into());
        let (mut batch, mut refused) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let handle = self.handle(on, bytes.word());
            let mut span = Shape::draw(&mut bytes).span(&world);
            if !rects {
                span = Span::at(span.min);
            }
            let side = &mut self.sides[on];
            let known = side.model.find(handle).map(|known| side.layer_of(known).holds_rects());
            if rects && known == Some(false) && span.min == span.max {
                continue; // A point takes a box without extent: see `move_any`.
            }
            batch.push((handle, span));
            let reasons: Vec<_> = [
                (known.is_none(), Refusal::NoSuchObject),
                (!is_finite(&span), Refusal::NotFinite),
                (known == Some(!rects), Refusal::WrongKind),
            ]
            .into_iter()
            .filter(|(applies, _)| *applies)
            .map(|(_, reason)| reason)
            .collect();
            if reasons.is_empty() {
                side.model.find_mut(handle).span = span;
            } else {
                refused.push((handle, reasons));
            }
        }
        let index = &mut self.sides[on].index;
        let came = if rects {
            index.move_batch(batch.iter().map(|&(handle, span)| (handle, span.rect())))
        } else {
            index.move_batch(batch.iter().map(|&(handle, span)| (handle, span.min)))
        };
        agree!(
            came.in_place + came.elsewhere,
            batch.len() - refused.len(),
            "objects moved by a batch of {}",
            batch.len()
        );
        assert_refused(came.refused, refused);
    }

    /// Each object of a layer is asked about once, as it is, and goes where it is sent or stays.
    pub(super) fn update(&mut self, on: usize, pick: u8, by: i8, seed: u16) {
        let Some(layer) = self.layer(on, pick) else { return };
        let world = self.sides[on].index.world();
        let by = f64::from(by) * side_of(&world).value() / [16.0, 256.0, 1e6][usize::from(seed % 3)];
        let sent = |value: u32, span: Span<S, D>| {
            let mut bytes = Bytes::of_seed(u64::from(seed) << 32 | u64::from(value));
            match bytes.below(16) {
                // Anywhere.
                0 => Shape::draw(&mut bytes).span(&world),
                1..=4 => span,
                _ => {
                    let by = if bytes.below(2) == 0 { by } else { -by };
                    let shifted = |end: S| S::of(end.value() + by);
                    Span { min: span.min.map(shifted), max: span.max.map(shifted) }
                }
            }
        };
        let side = &mut self.sides[on];
        let lives = side.holds(layer);
        #[cfg(feature = "rayon")]
        let mut together = side.index.clone();
        let mut asked = Vec::new();
        let came = update(&mut side.index, layer, &mut |handle, value, span| {
            asked.push((handle, span, *value));
            let to = sent(*value, span);
            *value ^= 1 << 30;
            to
        });
        #[cfg(feature = "rayon")]
        {
            super::parallel::update(&mut together, layer, sent, (&side.index, &came));
            // Lives on in its place.
            side.index = together;
        }
        let Some(came) = outcome(came, &[(!lives, Refusal::Layer)], &|| format!("updating {layer:?}")) else {
            return;
        };
        asked.sort_by_key(|(handle, ..)| *handle);
        let inside = side.model.handles(|known| known.layer == layer.id());
        let mut refused = Vec::new();
        agree!(asked.len(), inside.len(), "objects that an update asks about");
        for (handle, asked) in inside.into_iter().zip(asked) {
            let known = side.model.find_mut(handle);
            agree!(asked, (handle, known.span, known.value), "an object that an update asks about");
            let span = layer.trimmed(sent(known.value, known.span));
            known.value ^= 1 << 30;
            if is_finite(&span) {
                known.span = span;
            } else {
                refused.push((handle, vec![Refusal::NotFinite]));
            }
        }
        refused.sort_by_key(|(handle, _)| *handle);
        let mut named = came.refused;
        named.sort_by_key(|(handle, _)| *handle);
        assert_refused(named, refused);
    }

    /// All or none; and then, without those that are gone or come twice, all.
    pub(super) fn remove_many(&mut self, on: usize, count: u8, seed: u16) {
        let mut bytes = Bytes::of_seed(seed.into());
        let mut handles: Vec<Handle> = (0..count).map(|_| self.handle(on, bytes.word())).collect();
        let side = &mut self.sides[on];
        let values: Vec<_> = handles.iter().map(|&handle| side.model.find(handle).map(|known| known.value)).collect();
        let missing = (0..).zip(&handles).zip(&values).find(|(_, value)| value.is_none());
        let missing = missing
            .map(|((position, &handle), _)| BatchError { position, reason: ObjectError::NoSuchObject { handle } });
        let again = (0..handles.len()).find(|&position| handles[..position].contains(&handles[position]));
        let again =
            again.map(|position| BatchError { position, reason: ObjectError::Repeated { handle: handles[position] } });
        let expected = missing.or(again).map_or_else(|| Ok(values.iter().flatten().copied().collect()), Err);
        agree!(side.index.remove_batch(&handles), expected, "the values of a removed batch");
        if expected.is_err() {
            let mut rest = Vec::new();
            for handle in handles {
                if side.model.find(handle).is_some() && !rest.contains(&handle) {
                    rest.push(handle);
                }
            }
            handles = rest;
            agree!(
                side.index.remove_batch(&handles).map(|values| values.len()),
                Ok(handles.len()),
                "the rest of a batch"
            );
        }
        side.forget(|known| handles.contains(&known.handle));
    }

    pub(super) fn retain(&mut self, on: usize, divisor: u8) {
        let divisor = u32::from(divisor % 6 + 2);
        let side = &mut self.sides[on];
        let mut shown = Vec::new();
        side.index.retain(|handle, shape, value| {
            shown.push((handle, Span::of_rect(&shape), *value));
            *value % divisor != 0
        });
        shown.sort_by_key(|(handle, ..)| *handle);
        let mut all: Vec<_> = side.model.objects.iter().map(|known| (known.handle, known.span, known.value)).collect();
        all.sort_by_key(|(handle, ..)| *handle);
        agree!(shown, all, "the objects that `retain` shows");
        side.forget(|known| known.value % divisor == 0);
    }

    pub(super) fn drain(&mut self, on: usize) {
        let era = self.era();
        let side = &mut self.sides[on];
        side.era[2] = era;
        let order: Vec<_> = side.index.iter().map(|object| object.handle()).collect();
        let drained: Vec<_> = side.index.drain().map(|object| object.handle).collect();
        agree!(drained, order, "drained, in the order of `iter`");
        side.forget(|_| true);
        self.hash_all(&order);
    }

    pub(super) fn drain_in(&mut self, on: usize, layers: Layers, taken: u8) {
        let side = &mut self.sides[on];
        let asked = side.asked(layers);
        let mut drained = side.index.drain_in(set_of(&asked));
        let mut removed = side.forget(|known| asked.holds(known.layer));
        agree!(drained.len(), removed.len(), "objects to drain");
        let mut came: Vec<_> = drained.by_ref().take(taken.into()).collect();
        came.extend(drained.rev());
        came.sort_by_key(|object| object.handle);
        removed.sort_by_key(|known| known.handle);
        for (object, known) in came.into_iter().zip(removed) {
            let object = (object.handle, object.layer, Span::of_rect(&object.shape), object.value);
            agree!(object, (known.handle, known.layer, known.span, known.value), "a drained object");
        }
    }

    pub(super) fn change_values(&mut self, on: usize, layers: Layers, how: u8) {
        let side = &mut self.sides[on];
        let asked = side.asked(layers);
        if how.is_multiple_of(2) {
            agree!(side.index.values_mut().len(), side.model.objects.len(), "values");
            side.index.values_mut().for_each(|value| *value ^= 1 << 29);
            side.model.objects.iter_mut().for_each(|known| known.value ^= 1 << 29);
            return;
        }
        let mut shown = Vec::new();
        for (handle, shape, value) in side.index.iter_mut().in_layers(set_of(&asked)) {
            shown.push((handle, Span::of_rect(&shape), *value));
            *value ^= 1 << 28;
        }
        let changed = side.model.objects.iter_mut().filter(|known| asked.holds(known.layer));
        let mut expected: Vec<_> = changed
            .map(|known| {
                known.value ^= 1 << 28;
                (known.handle, known.span, known.value ^ 1 << 28)
            })
            .collect();
        expected.sort_by_key(|(handle, ..)| *handle);
        shown.sort_by_key(|(handle, ..)| *handle);
        agree!(shown, expected, "the objects that `iter_mut` shows");
    }
}

/// The refused moves are those that have a reason, in this order.
fn assert_refused(came: Vec<(Handle, ObjectError)>, expected: Vec<(Handle, Vec<Refusal>)>) {
    let names: Vec<_> = came.iter().map(|(handle, _)| *handle).collect();
    let expected_names: Vec<_> = expected.iter().map(|(handle, _)| *handle).collect();
    agree!(names, expected_names, "the refused moves");
    for ((handle, refusal), (_, reasons)) in came.into_iter().zip(expected) {
        let refusal = Refusal::from(refusal);
        agree!(reasons.contains(&refusal), true, "the reason {refusal:?} for {handle:?} is one of {reasons:?}");
    }
}
