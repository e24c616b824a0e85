//! Steps of the model test that change many objects, or their places in memory, with one call.

use quadrille::{BatchError, BatchMoved, Handle, LayerError, ObjectError};

use super::oracle::{Known, Span};
use super::run::Run;
use super::scene::side_of;
use super::spot::{Outline, Spot};
use super::{AnyLayer, Index, Real};

impl AnyLayer {
    pub fn insert_batch<S: Real, const D: usize>(
        self,
        index: &mut Index<S, D>,
        objects: &[(Span<S, D>, u32)],
    ) -> Result<Vec<Handle>, BatchError> {
        let objects = objects.iter();
        match self {
            Self::Points(layer) => index.insert_batch(layer, objects.map(|&(span, value)| (span.min, value))),
            Self::Rects(layer) => index.insert_batch(layer, objects.map(|&(span, value)| (span.rect(), value))),
        }
    }

    pub fn update<S: Real, const D: usize>(
        self,
        index: &mut Index<S, D>,
        mut span_of: impl FnMut(Handle, u32, Span<S, D>) -> Span<S, D>,
    ) -> Result<BatchMoved, LayerError> {
        match self {
            Self::Points(layer) => {
                index.update(layer, |handle, value, shape| span_of(handle, *value, Span::of_rect(&shape)).min)
            }
            Self::Rects(layer) => {
                index.update(layer, |handle, value, shape| span_of(handle, *value, Span::of_rect(&shape)).rect())
            }
        }
    }

    fn move_batch<S: Real, const D: usize>(
        self,
        index: &mut Index<S, D>,
        moves: &[(Handle, Span<S, D>)],
    ) -> BatchMoved {
        let moves = moves.iter();
        match self {
            Self::Points(_) => index.move_batch(moves.map(|&(handle, span)| (handle, span.min))),
            Self::Rects(_) => index.move_batch(moves.map(|&(handle, span)| (handle, span.rect()))),
        }
    }
}

fn spoil<S: Real, const D: usize>(span: &mut Span<S, D>) {
    span.min[D - 1] = S::of(f64::NAN);
}

impl<S: Real, const D: usize> Run<S, D> {
    /// All or none: with a NaN at one place, none.
    pub fn insert_batch(&mut self, layer: AnyLayer, outlines: &[Outline], spoiled: Option<u8>) {
        let world = self.index.world();
        let spans = outlines.iter().map(|outline| layer.trimmed(outline.span(&world)));
        let mut objects: Vec<_> = spans.zip(self.next_value..).collect();
        if let Some(place) = spoiled.and_then(|place| usize::from(place).checked_rem(objects.len())) {
            spoil(&mut objects[place].0);
            let refused = layer.insert_batch(&mut self.index, &objects).expect_err("a NaN");
            assert_eq!(refused.position, place);
            assert!(matches!(refused.reason, ObjectError::NotFinite(_)), "{refused:?}");
            return;
        }
        let handles = layer.insert_batch(&mut self.index, &objects).expect("finite shapes");
        assert_eq!(handles.len(), objects.len());
        self.next_value += u32::try_from(objects.len()).expect("few objects");
        for (handle, (span, value)) in handles.into_iter().zip(objects) {
            self.model.insert(handle, layer.id(), span, value);
        }
    }

    /// Every object of a layer is asked about once, as it is, and goes where it is sent or stays.
    pub fn update(&mut self, layer: AnyLayer, sixteenths: i16) {
        let by = f64::from(sixteenths) * side_of(&self.index.world()).value() / 16.0;
        // Some stay, some go the other way, one in eight is refused.
        let sent = |value: u32, span: Span<S, D>| {
            let by = [0.0, by, -by][value as usize % 3];
            let shifted = |end: S| Spot::finite(end.value() + by);
            Span::between(span.min.map(shifted), span.max.map(shifted))
        };
        let mut asked = Vec::new();
        let moved = layer.update(&mut self.index, |handle, value, span| {
            asked.push((handle, span, value));
            let mut span = sent(value, span);
            if value % 8 == 7 {
                spoil(&mut span);
            }
            span
        });
        let moved = moved.expect("a live layer");
        asked.sort_by_key(|(handle, ..)| *handle);
        let of_layer = self.model.handles(|known| known.layer == layer.id());
        assert_eq!(asked.len(), of_layer.len());
        let mut refused = Vec::new();
        for (handle, (asked, span, value)) in of_layer.into_iter().zip(asked) {
            let known = self.model.find_mut(handle);
            assert_eq!((handle, known.span, known.value), (asked, span, value));
            if value % 8 == 7 {
                refused.push(handle);
            } else {
                known.span = layer.trimmed(sent(value, span));
            }
        }
        self.assert_moved(&moved, refused);
    }

    /// The same as one move after the other, be an object there twice or gone.
    pub fn move_batch(&mut self, layer: AnyLayer, moves: &[(u16, Outline)]) {
        let world = self.index.world();
        let of_layer = self.model.handles(|known| known.layer == layer.id());
        let mut refused = self.gone.iter().copied().take(1).collect::<Vec<_>>();
        let mut batch: Vec<_> = refused.iter().map(|&handle| (handle, Span::at([S::of(0.0); D]))).collect();
        for (pick, outline) in moves {
            let Some(place) = usize::from(*pick).checked_rem(of_layer.len()) else { break };
            let mut span = layer.trimmed(outline.span(&world));
            if pick % 8 == 7 {
                spoil(&mut span);
                refused.push(of_layer[place]);
            } else {
                self.model.find_mut(of_layer[place]).span = span;
            }
            batch.push((of_layer[place], span));
        }
        let outcome = layer.move_batch(&mut self.index, &batch);
        assert_eq!(outcome.in_place + outcome.elsewhere + outcome.refused.len(), batch.len());
        self.assert_moved(&outcome, refused);
    }

    /// All or none, whatever their layers: with a handle that is gone or comes twice, none. New objects get the handles
    /// that they would get after removals one by one.
    pub fn remove_batch(&mut self, picks: &[u16], spoiled: Option<u8>) {
        let mut batch: Vec<Known<S, D>> = Vec::new();
        for pick in picks {
            let known = self.known(*pick).filter(|known| batch.iter().all(|other| other.handle != known.handle));
            batch.extend(known);
        }
        let mut handles: Vec<_> = batch.iter().map(|known| known.handle).collect();
        if let Some(place) = spoiled.and_then(|place| usize::from(place).checked_rem(handles.len())) {
            let gone = self.gone.last().copied().filter(|_| place % 2 == 0);
            let wrong = gone.unwrap_or(handles[place]);
            let again = BatchError { position: handles.len(), reason: ObjectError::Repeated { handle: wrong } };
            let missing = BatchError { position: place, reason: ObjectError::NoSuchObject { handle: wrong } };
            let expected = if gone.is_some() { missing } else { again };
            handles.insert(if gone.is_some() { place } else { handles.len() }, wrong);
            assert_eq!(self.index.remove_batch(&handles), Err(expected));
            return;
        }
        let mut single = self.index.clone();
        let values: Vec<_> = handles.iter().filter_map(|&handle| single.remove(handle)).collect();
        assert_eq!(self.index.remove_batch(&handles), Ok(values));
        if let Some(layer) = self.layer(0) {
            let mut copies = [single, self.index.clone()];
            let new = copies.each_mut().map(|copy| layer.insert_batch(copy, &[(Span::at([S::of(0.0); D]), 0); 3]));
            assert_eq!(new[0], new[1]);
        }
        for known in batch {
            self.model.remove(known.handle);
            self.gone.push(known.handle);
        }
    }

    /// Costs what is paid for; what is yielded, and in which order, stays.
    pub fn optimize_step(&mut self, budget: usize) {
        let yielded = |index: &Index<S, D>| index.iter().map(|object| object.handle()).collect::<Vec<_>>();
        let before = yielded(&self.index);
        let step = self.index.optimize_step(budget);
        assert_eq!(yielded(&self.index), before);
        assert!(step.visited <= budget.max(1) && step.moved <= 128 * step.visited, "{step:?}");
        assert!(step.done || step.visited == budget.max(1), "{step:?}");
    }

    fn assert_moved(&self, moved: &BatchMoved, mut refused: Vec<Handle>) {
        let mut named: Vec<_> = moved.refused.iter().map(|(handle, _)| *handle).collect();
        named.sort();
        refused.sort();
        assert_eq!(named, refused);
        for (handle, reason) in &moved.refused {
            let is_gone = matches!(reason, ObjectError::NoSuchObject { .. });
            assert_eq!(is_gone, self.gone.contains(handle), "{reason:?}");
            assert!(is_gone || matches!(reason, ObjectError::NotFinite(_)), "{reason:?}");
        }
    }
}
