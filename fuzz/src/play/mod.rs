//! Takes operations on indexes and on their oracles alike. Whatever differs is a panic that says what was expected and what
//! came.
//!
//! `side` is an index with its oracle; the other files have the operations: on `layers` and indexes as wholes, on
//! `objects`, and on `many` of them at once; queries about `regions`, `outlines` of many corners among them, in order
//! (`ordered`), for `couples`; worlds without edges (`torus`); what is `paused`; saving (`saved`);
//! conditions and clusters (`grouped`).

mod couples;
mod drive;
mod grouped;
mod layers;
mod many;
mod objects;
mod ordered;
mod outlines;
#[cfg(feature = "rayon")]
mod parallel;
mod paused;
mod regions;
#[cfg(feature = "snapshots")]
mod saved;
mod side;
mod steps;
mod torus;

use std::fmt::Debug;

use quadrille::Handle;
use quadrille_support::oracle::Asked;
use quadrille_support::scene::{Scene, scenes};
use quadrille_support::{AnyLayer, Real};

use crate::op::Op;
use paused::Paused;
use side::Side;

/// A scalar that can do all that operations need.
#[cfg(not(feature = "snapshots"))]
pub(crate) trait Space: Real {}
#[cfg(not(feature = "snapshots"))]
impl<S: Real> Space for S {}
/// A scalar that can do all that operations need.
#[cfg(feature = "snapshots")]
pub(crate) trait Space: Real + serde::Serialize + serde::de::DeserializeOwned {}
#[cfg(feature = "snapshots")]
impl<S: Real + serde::Serialize + serde::de::DeserializeOwned> Space for S {}

/// Compares what came with what was expected.
macro_rules! agree {
    ($got:expr, $expected:expr, $($about:tt)+) => {{
        let (got, expected) = (&$got, &$expected);
        if got != expected {
            $crate::play::differ(&format!($($about)+), &expected, &got);
        }
    }};
}
use agree;

#[cold]
fn differ(about: &str, expected: &dyn Debug, got: &dyn Debug) -> ! {
    panic!("{about}\n  expected: {expected:?}\n  got:      {got:?}")
}

/// Indexes at once, at most.
const SIDES_MAX: usize = 3;

/// Some indexes, their oracles, and what is paused on them.
pub(crate) struct Stage<S, const D: usize> {
    /// How many objects an index may get.
    objects_max: usize,
    scenes: Vec<Scene<S>>,
    sides: Vec<Side<S, D>>,
    /// Layers of all indexes, dead ones too, the last ones.
    layers: Vec<AnyLayer>,
    /// Handles of all indexes, the last ones.
    handles: Vec<Handle>,
    paused: Paused<S, D>,
    next_value: u32,
    next_era: u32,
    /// A hash of everything that was answered, in its order.
    pub(crate) answers: u64,
}

/// The restrictions of a query, and when they are set.
struct Filter {
    asked: Asked,
    excluded: Option<Handle>,
    /// So many objects are taken before the rest.
    taken: usize,
    /// How the query is drained; see `drive`.
    mode: u8,
}

impl<S: Space, const D: usize> Stage<S, D> {
    pub(crate) fn new(scene: u8, objects_max: usize) -> Self {
        let mut stage = Self {
            objects_max,
            scenes: scenes(),
            sides: Vec::new(),
            layers: Vec::new(),
            handles: Vec::new(),
            paused: Paused::default(),
            next_value: 0,
            next_era: 0,
            answers: 0xCBF2_9CE4_8422_2325,
        };
        stage.new_index(scene);
        stage
    }

    /// Takes one operation, and checks the invariants of the index that it was taken on.
    pub(crate) fn take(&mut self, op: &Op) {
        let on = self.sides.len();
        let before = self.paused.before(&self.sides);
        let touched = self.dispatch(op);
        if touched < self.sides.len() && self.sides.len() == on {
            let side = &self.sides[touched];
            agree!(side.index.check_integrity(), Ok(()), "the invariants");
            agree!(side.index.len(), side.model.objects.len(), "the number of objects");
            self.paused.after(&self.sides, &before);
        }
    }

    /// Compares everything at last.
    pub(crate) fn end(&mut self) {
        for on in 0..self.sides.len() {
            self.everything(on);
            agree!(self.sides[on].index.check_integrity(), Ok(()), "the invariants at the end");
        }
        self.end_cursors();
    }

    /// Gives the index that may have been changed, or a number beyond all.
    fn dispatch(&mut self, op: &Op) -> usize {
        let on = usize::from(op.on()) % self.sides.len();
        match op {
            Op::NewIndex { scene, .. } => self.new_index(*scene),
            Op::Clone { .. } => self.clone_index(on),
            Op::DropIndex { .. } => self.drop_index(on),
            _ => return if self.change(on, op) { on } else { usize::MAX },
        }
        usize::MAX
    }

    /// Does what the operation says; says whether it may have changed something.
    fn change(&mut self, on: usize, op: &Op) -> bool {
        match op {
            Op::AddLayer { settings, .. } => self.add_layer(on, *settings),
            Op::FillLayers { rects, .. } => self.fill_layers(on, *rects),
            Op::RemoveLayer { layer, .. } => self.remove_layer(on, *layer),
            Op::RemoveManyLayers { keep, .. } => self.remove_many_layers(on, *keep),
            Op::Insert { layer, shape, .. } => self.insert(on, *layer, shape, objects::Door::Typed),
            Op::InsertAny { layer, shape, .. } => self.insert(on, *layer, shape, objects::Door::Any),
            Op::TryInsert { layer, shape, .. } => self.insert(on, *layer, shape, objects::Door::Typed),
            Op::Crowd { layer, shape, count, apart, .. } => self.crowd(on, *layer, shape, *count, *apart),
            Op::InsertBatch { layer, count, seed, hint, .. } => self.insert_batch(on, *layer, *count, *seed, *hint),
            Op::MoveTo { object, shape, .. } => self.move_to(on, *object, shape, false),
            Op::MoveWrong { object, shape, .. } => self.move_to(on, *object, shape, true),
            Op::MoveAny { object, shape, .. } => self.move_any(on, *object, shape),
            Op::MoveBy { object, by, .. } => self.move_by(on, *object, by),
            Op::Nudge { object, upward, .. } => self.nudge(on, *object, *upward),
            Op::Resize { object, to, .. } => self.resize(on, *object, to),
            Op::MoveBatch { rects, count, seed, .. } => self.move_batch(on, *rects, *count, *seed),
            Op::Update { layer, by, seed, .. } => self.update(on, *layer, *by, *seed),
            Op::SetLayer { object, layer, .. } => self.set_layer(on, *object, *layer, false),
            Op::SetLayerAny { object, layer, .. } => self.set_layer(on, *object, *layer, true),
            Op::Remove { object, .. } => self.remove(on, *object),
            Op::RemoveMany { count, seed, .. } => self.remove_many(on, *count, *seed),
            Op::Retain { divisor, .. } => self.retain(on, *divisor),
            Op::Drain { .. } => self.drain(on),
            Op::DrainIn { layers, taken, .. } => self.drain_in(on, *layers, *taken),
            Op::Clear { .. } => self.clear(on),
            Op::ClearIn { layers, .. } => self.clear_in(on, *layers),
            Op::ChangeValue { object, .. } => self.change_value(on, *object),
            Op::ChangeValues { layers, how, .. } => self.change_values(on, *layers, *how),
            Op::Optimize { .. } => self.sides[on].index.optimize(),
            Op::OptimizeStep { budget, .. } => self.optimize_step(on, *budget),
            Op::ShrinkToFit { .. } => self.shrink_to_fit(on),
            Op::SetWorld { scene, .. } => self.set_world(on, *scene),
            Op::SetNoWorld { shape, .. } => self.set_no_world(on, shape),
            Op::Wrap { axes, seed, .. } => self.wrap(on, *axes, *seed),
            #[cfg(feature = "snapshots")]
            Op::Save { compact, text, .. } => self.save(on, *compact, *text),
            _ => {
                self.ask(on, op);
                return false;
            }
        }
        true
    }

    /// Asks what the operation says.
    fn ask(&mut self, on: usize, op: &Op) {
        match op {
            Op::Facts { object, .. } => self.facts(on, *object),
            Op::Everything { .. } => self.everything(on),
            Op::Region { .. } | Op::Figure { .. } | Op::OfObject { .. } => self.ask_region(on, op),
            Op::Nearest { .. }
            | Op::NearestOfObject { .. }
            | Op::NearestBy { .. }
            | Op::Raycast { .. }
            | Op::Cast { .. } => self.ask_in_order(on, op),
            Op::Outline { .. } => self.ask_outline(on, op),
            Op::Torus { .. } => self.ask_torus(on, op),
            Op::Pairs { .. } | Op::PairsOf { .. } | Op::Join { .. } | Op::JoinOf { .. } => self.ask_for_pairs(on, op),
            #[cfg(feature = "rayon")]
            Op::Parallel { region, within, layers, .. } => self.parallel(on, region, *within, *layers),
            Op::BeginCursor { .. }
            | Op::GoOn { .. }
            | Op::BeginWatch { .. }
            | Op::PollWatch { .. }
            | Op::BeginContacts { .. }
            | Op::PollContacts { .. } => self.ask_paused(on, op),
            _ => {}
        }
    }

    fn is_full(&self, on: usize, more: usize) -> bool {
        self.objects_max < self.sides[on].model.objects.len() + more
    }

    /// A living layer, or, seldom, any layer of any index.
    fn layer(&self, on: usize, pick: u8) -> Option<AnyLayer> {
        let layers =
            if pick < 236 && !self.sides[on].layers.is_empty() { &self.sides[on].layers } else { &self.layers };
        let place = usize::from(pick).checked_rem(layers.len())?;
        Some(layers[place])
    }

    /// A living object, or, seldom, one that is gone, or any handle of any index.
    fn handle(&self, on: usize, pick: u16) -> Handle {
        let Side { model, gone, .. } = &self.sides[on];
        let number = usize::from(pick / 16);
        let one_of = |handles: &mut dyn ExactSizeIterator<Item = Handle>| {
            let place = number.checked_rem(handles.len())?;
            handles.nth(place)
        };
        let picked = match pick % 16 {
            0..=12 => one_of(&mut model.objects.iter().map(|known| known.handle)),
            13 => one_of(&mut gone.iter().copied()),
            14 => one_of(&mut self.handles.iter().copied()),
            _ => Some(Handle::from_bits(u64::from(pick) << 30 | u64::from(pick / 16))),
        };
        picked.unwrap_or_default()
    }

    fn filter(&self, on: usize, layers: crate::field::Layers, excluded: Option<u16>, taken: u8, mode: u8) -> Filter {
        let excluded = excluded.map(|pick| self.handle(on, pick));
        Filter { asked: self.sides[on].asked(layers), excluded, taken: taken.into(), mode }
    }

    /// Notes an answer, so that the same operations can be seen to give the same answers.
    fn hash(&mut self, bits: u64) {
        self.answers = (self.answers ^ bits).wrapping_mul(0x0000_0100_0000_01B3);
    }

    fn hash_all<'a>(&mut self, handles: impl IntoIterator<Item = &'a Handle>) {
        handles.into_iter().for_each(|handle| self.hash(handle.to_bits()));
    }
}
