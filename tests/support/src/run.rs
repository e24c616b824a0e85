//! Takes steps on an index and on the oracle alike.

use quadrille::{CellKind, Handle, LayerId, Moved, ObjectError, Rect};

use super::agreement::assert_agrees;
use super::oracle::{Asked, Known, Model, Span, sorted};
use super::questions::{Question, Region, ask, set_of};
use super::scene::{Scene, all_scenes, side_of};
use super::spot::{Outline, Spot};
use super::step::{Settings, Step};
use super::{AnyLayer, Index, Real, assert_sound};
use crate::inside::Inside;

/// An index, the oracle beside it, and the handles removed from both.
pub struct Run<S, const D: usize> {
    pub index: Index<S, D>,
    pub model: Model<S, D>,
    /// Where objects and regions are drawn: the world, or around it, or elsewhere.
    field: Rect<S, D>,
    layers: Vec<(AnyLayer, Settings)>,
    pub gone: Vec<Handle>,
    pub(super) next_value: u32,
    pub answers: Vec<Handle>,
    /// Cells of points that have been divided less than the settings say since most were at one spot.
    crowds: Vec<(LayerId, Rect<S, D>)>,
}

impl<S: Real, const D: usize> Run<S, D> {
    /// An index of two layers.
    pub fn new(scene: &Scene<S>) -> Self {
        let mut run = Self {
            index: scene.index(),
            model: Model::new(),
            field: scene.field(),
            layers: Vec::new(),
            gone: Vec::new(),
            next_value: 0,
            answers: Vec::new(),
            crowds: Vec::new(),
        };
        let settings = Settings { depth_max: None, split_above: Some(2) };
        run.add_layer(false, settings);
        run.add_layer(true, settings);
        run
    }

    /// An index that has gone through changes.
    pub fn of(scene: &Scene<S>, steps: &[Step]) -> Self {
        Self::with_layers(scene, Vec::new(), steps)
    }

    /// The same, with more layers.
    pub fn with_layers(scene: &Scene<S>, layers: Vec<(bool, Settings)>, steps: &[Step]) -> Self {
        let mut run = Self::new(scene);
        for (rects, settings) in layers {
            run.add_layer(rects, settings);
        }
        for step in steps {
            run.take(step);
        }
        run
    }

    pub fn add_layer(&mut self, rects: bool, settings: Settings) {
        if self.layers.len() < 8 {
            let layer = AnyLayer::add(&mut self.index, rects, settings.of_kind(rects));
            self.layers.push((layer, settings));
        }
    }

    pub fn layer(&self, pick: u8) -> Option<AnyLayer> {
        let place = usize::from(pick).checked_rem(self.layers.len())?;
        Some(self.layers[place].0)
    }

    pub fn known(&self, pick: u16) -> Option<Known<S, D>> {
        let place = usize::from(pick).checked_rem(self.model.objects.len())?;
        Some(self.model.objects[place].clone())
    }

    /// The handle of an object, if one is picked and there are any.
    pub fn handle(&self, pick: Option<u16>) -> Option<Handle> {
        Some(self.known(pick?)?.handle)
    }

    pub fn question(&self, region: &Region, layers: u8, all_but_these: bool, excluded: Option<u16>) -> Question<S, D> {
        Question {
            region: region.span(&self.field),
            asked: self.asked(layers, all_but_these),
            excluded: self.handle(excluded),
        }
    }

    fn asked(&self, layers: u8, all_but_these: bool) -> Asked {
        let named = self.layers.iter().enumerate().filter(|(place, _)| layers >> place & 1 == 1);
        Asked { layers: named.map(|(_, (layer, _))| layer.id()).collect(), all_but_these }
    }

    fn layer_of(&self, known: &Known<S, D>) -> AnyLayer {
        self.layers.iter().find(|(layer, _)| layer.id() == known.layer).expect("a live layer").0
    }

    fn insert(&mut self, layer: AnyLayer, outline: &Outline) {
        let span = outline.span(&self.field);
        layer.insert_in_both(&mut self.index, &mut self.model, span, self.next_value);
        self.next_value += 1;
    }

    /// Inserts a box into the layer of boxes that is there from the start.
    pub fn insert_rect(&mut self, span: Span<S, D>) {
        let (layer, _) = self.layers[1];
        layer.insert_in_both(&mut self.index, &mut self.model, span, self.next_value);
        self.next_value += 1;
    }

    fn move_to(&mut self, known: &Known<S, D>, span: Span<S, D>) {
        let layer = self.layer_of(known);
        let span = layer.trimmed(span);
        let before = self.index.cell_of(known.handle).expect("a cell").depth();
        let moved = layer.move_to(&mut self.index, known.handle, span).expect("a finite shape");
        if moved == Moved::InPlace {
            let after = self.index.cell_of(known.handle).expect("a cell").depth();
            assert_eq!(before, after, "moved in place to another node");
        }
        self.model.find_mut(known.handle).span = span;
    }

    fn remove(&mut self, known: &Known<S, D>) {
        assert_eq!(self.index.remove(known.handle), Some(known.value));
        assert_eq!(self.index.remove(known.handle), None);
        self.model.remove(known.handle);
        self.gone.push(known.handle);
    }

    /// Forgets the objects that no longer pass.
    fn keep(&mut self, pass: impl Fn(&Known<S, D>) -> bool) {
        let (kept, dropped) = self.model.objects.drain(..).partition(|known| pass(known));
        self.model.objects = kept;
        let dropped: Vec<Known<S, D>> = dropped;
        self.gone.extend(dropped.iter().map(|known| known.handle));
    }

    pub fn take(&mut self, step: &Step) {
        match step {
            Step::Insert { layer, outline } => {
                if let Some(layer) = self.layer(*layer) {
                    self.insert(layer, outline);
                }
            }
            Step::Crowd { layer, outline, count } => self.crowd(*layer, outline, *count),
            Step::Ask { region, layers, all_but_these, excluded } => {
                let question = self.question(region, *layers, *all_but_these, *excluded);
                self.answers.extend(ask(&self.index, &self.model, &question));
            }
            Step::InsertBatch { layer, outlines, spoiled } => {
                if let Some(layer) = self.layer(*layer) {
                    self.insert_batch(layer, outlines, *spoiled);
                }
            }
            Step::Update { layer, sixteenths } => {
                if let Some(layer) = self.layer(*layer) {
                    self.update(layer, *sixteenths);
                }
            }
            Step::MoveBatch { layer, moves } => {
                if let Some(layer) = self.layer(*layer) {
                    self.move_batch(layer, moves);
                }
            }
            Step::RemoveBatch { objects, spoiled } => self.remove_batch(objects, *spoiled),
            Step::Stale { gone, outline } => self.touch_what_is_gone(*gone, outline),
            Step::Move { object, .. }
            | Step::Shift { object, .. }
            | Step::Nudge { object, .. }
            | Step::Resize { object, .. }
            | Step::Shrink { object }
            | Step::Transfer { object, .. }
            | Step::Change { object }
            | Step::Remove { object } => {
                if let Some(known) = self.known(*object) {
                    self.take_with(step, &known);
                }
            }
            _ => self.take_with_many(step),
        }
    }

    /// Steps that change one object.
    fn take_with(&mut self, step: &Step, known: &Known<S, D>) {
        let field = self.field;
        let Span { min, max } = known.span;
        match step {
            Step::Move { outline, .. } => self.move_to(known, outline.span(&field)),
            Step::Shift { sixteenths, .. } => {
                let sixteenth = side_of(&field).value() / 16.0;
                let shifted = |end: S| Spot::finite(end.value() + f64::from(*sixteenths) * sixteenth);
                self.move_to(known, Span::between(min.map(shifted), max.map(shifted)));
            }
            Step::Nudge { upward, .. } => {
                let next = |end: S| Spot::finite((if *upward { end.up() } else { end.down() }).value());
                self.move_to(known, Span::between(min.map(next), max.map(next)));
            }
            Step::Resize { opposite, .. } => {
                let mut span = Outline { corner: *opposite, opposite: *opposite }.span(&field);
                span = Span::between(min, span.max);
                self.move_to(known, span);
            }
            Step::Shrink { .. } => self.move_to(known, Span::at(min)),
            Step::Transfer { layer, .. } => self.transfer(known, *layer),
            Step::Change { .. } => {
                *self.index.get_mut(known.handle).expect("a live object") += 1000;
                self.model.find_mut(known.handle).value += 1000;
            }
            Step::Remove { .. } => self.remove(known),
            _ => unreachable!("{step:?} changes no single object"),
        }
    }

    /// Steps that change many objects, or none.
    fn take_with_many(&mut self, step: &Step) {
        match *step {
            Step::AddLayer { rects, settings } => self.add_layer(rects, settings),
            Step::RemoveLayer { layer } => {
                if let Some(layer) = self.layer(layer) {
                    let of_layer = self.model.handles(|known| known.layer == layer.id());
                    assert_eq!(self.index.remove_layer(layer.id()), Ok(of_layer.len()));
                    self.layers.retain(|(other, _)| *other != layer);
                    self.keep(|known| known.layer != layer.id());
                }
            }
            Step::ClearIn { layers, all_but_these } => {
                let asked = self.asked(layers, all_but_these);
                self.index.clear_in(set_of(&asked));
                self.keep(|known| !asked.holds(known.layer));
            }
            Step::Retain { divisor } => {
                let mut shown = Vec::new();
                self.index.retain(|handle, shape, value| {
                    shown.push((handle, Span::of_rect(&shape), *value));
                    *value % divisor != 0
                });
                shown.sort_by_key(|(handle, ..)| *handle);
                let mut all = self.model.objects.clone();
                all.sort_by_key(|known| known.handle);
                let all: Vec<_> = all.iter().map(|all| (all.handle, all.span, all.value)).collect();
                assert_eq!(shown, all, "retain shows every object once");
                self.keep(|known| known.value % divisor != 0);
            }
            Step::Optimize => self.index.optimize(),
            Step::OptimizeWithin { budget } => self.optimize_step(budget.into()),
            Step::ShrinkToFit => {
                // Splits depend on the order of insertions, so a tree built anew may even be larger.
                self.index.shrink_to_fit();
                let bytes = self.index.stats().bytes;
                self.index.shrink_to_fit();
                assert_eq!(self.index.stats().bytes, bytes, "the second time there is nothing to shrink");
            }
            Step::SetWorld { scene } => {
                let scenes = all_scenes::<S>();
                let scene = &scenes[usize::from(scene) % scenes.len()];
                self.field = scene.field();
                let world = scene.world();
                self.index.set_world(world).expect("a scene is a world");
                assert_eq!(self.index.world(), world);
            }
            _ => unreachable!("{step:?} changes one object"),
        }
    }

    /// Many objects a sixteenth apart, or all alike.
    fn crowd(&mut self, layer: u8, outline: &Outline, count: u8) {
        if let Some(layer) = self.layer(layer) {
            for step in 0..i16::from(count) {
                let moved = outline.moved(if count.is_multiple_of(2) { step % 16 } else { 0 });
                self.insert(layer, &moved);
            }
        }
    }

    /// An object changes layer where the kinds agree, and nothing happens where they do not.
    fn transfer(&mut self, known: &Known<S, D>, pick: u8) {
        let Some(layer) = self.layer(pick) else {
            return;
        };
        let own = self.layer_of(known);
        let taken = layer.take(&mut self.index, known.handle);
        if own.holds_rects() == layer.holds_rects() {
            taken.expect("a layer of the same kind");
            self.model.find_mut(known.handle).layer = layer.id();
        } else {
            assert!(matches!(taken, Err(ObjectError::WrongKind { .. })), "{taken:?}");
        }
    }

    /// The handle of a removed object never names anything again.
    fn touch_what_is_gone(&mut self, pick: u16, outline: &Outline) {
        let Some(place) = usize::from(pick).checked_rem(self.gone.len()) else {
            return;
        };
        let handle = self.gone[place];
        assert!(!self.index.contains(handle));
        assert!(self.index.object(handle).is_none() && self.index.cell_of(handle).is_none());
        assert_eq!(self.index.get(handle), None);
        assert_eq!(self.index.get_mut(handle), None);
        assert_eq!((self.index.shape(handle), self.index.layer(handle)), (None, None));
        assert_eq!(self.index.remove(handle), None);
        let span = outline.span(&self.field);
        for (layer, _) in &self.layers {
            let moved = layer.move_to(&mut self.index, handle, span);
            assert!(matches!(moved, Err(ObjectError::NoSuchObject { .. })), "{moved:?}");
        }
        let everything = Question {
            excluded: Some(handle),
            ..Question::about(Span::cube(S::of(f64::NEG_INFINITY), S::of(f64::INFINITY)))
        };
        ask(&self.index, &self.model, &everything);
    }

    /// Whether more than half of some points are, on all axes, about eight units or less apart.
    fn are_mostly_at_one_spot(&self, points: impl Iterator<Item = [S; D]>) -> bool {
        let world = self.index.world();
        let side = side_of(&world).value() / 2.0;
        let unit = |axis: usize, at: S| {
            let from = world.min()[axis].value() / 2.0;
            ((at.value() / 2.0 - from) / side).clamp(0.0, 1.0) * f64::from(1 << 30)
        };
        let units: Vec<[f64; D]> = points.map(|at| core::array::from_fn(|axis| unit(axis, at[axis]))).collect();
        let is_near = |a: &[f64; D], b: &[f64; D]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 9.0);
        units.iter().any(|one| units.len() < 2 * units.iter().filter(|other| is_near(one, other)).count())
    }

    /// The settings of every layer hold, but that objects at one spot are not divided, nor is what is left of them.
    pub fn assert_settings(&mut self) {
        let mut crowds = Vec::new();
        for (layer, settings) in &self.layers {
            let depth_max = settings.depth_max.unwrap_or(if D == 2 { 9 } else { 14 });
            let split_above = settings.split_above.unwrap_or(64).max(1);
            for cell in self.index.cells(layer.id()) {
                assert!(cell.depth() <= depth_max, "{settings:?}");
                let len = u32::try_from(cell.objects().count()).expect("few objects");
                let may_split = cell.kind() == CellKind::Block && cell.depth() < depth_max;
                if may_split && !layer.holds_rects() && split_above < len {
                    let is_crowd =
                        || 64 < len && self.are_mostly_at_one_spot(cell.objects().map(|of| of.shape().min()));
                    let here = (layer.id(), cell.bounds());
                    let was_crowd = self.crowds.iter().any(|of| of.0 == here.0 && of.1.contains(&here.1));
                    assert!(was_crowd || is_crowd(), "{len} in {:?}, {settings:?}", cell.units());
                    crowds.push(here);
                }
            }
        }
        self.crowds = crowds;
    }
}

/// Takes all steps, checks everything after each, and returns the answers in the order they came.
pub fn run<S: Real, const D: usize>(scene: &Scene<S>, steps: &[Step]) -> Vec<Handle> {
    let mut run = Run::<S, D>::new(scene);
    for step in steps {
        run.take(step);
        assert_sound(&run.index, &format!("{step:?}"));
        let layers: Vec<_> = run.layers.iter().map(|(layer, _)| *layer).collect();
        assert_agrees(&run.index, &run.model, &layers);
        run.assert_settings();
        for handle in run.gone.iter().rev().take(4) {
            assert!(!run.index.contains(*handle));
        }
    }
    let everything = sorted(run.index.iter().map(|object| object.handle()));
    assert_eq!(everything, run.model.handles(|_| true));
    run.answers.extend(run.index.iter().map(|object| object.handle()));
    run.answers
}
