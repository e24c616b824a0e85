//! The changes of standing questions, by the objects that moved.
//!
//! An object that moves to another worker leaves here and enters there, though it may have been inside all the time. So a change
//! whose opposite another worker may report is *tentative*: both go to one worker, where they cancel out. All changes of shared
//! objects are tentative (see `Shard::shared`): a new area or distance moves a reference point to another worker only within a box
//! near a border, which is shared. So are all changes of fences in a tick in which a fence has changed, for a fence that leaves
//! a worker and comes back is a new one there.

use std::rc::Rc;

use quadrille::{Handle, ObjectRef, Region};
use rustc_hash::FxHashMap;

use super::standing::Fence;
use super::{Shard, Sinks};
use crate::Coordinate;
use crate::answer::{Answer, Kind};
use crate::question::Question;

impl<S: Coordinate, const D: usize> Shard<S, D> {
    /// Sets a standing question, or ends it.
    pub(crate) fn set_standing(&mut self, number: u32, question: &Question<S, D>) {
        match question {
            Question::Contacts { layers, distance } => self.standing.set_close(number, *layers, *distance),
            Question::Fence { layers, area: Some(area) } => {
                self.standing.all.insert(number, (*layers, Rc::new(area.clone())));
                self.place_fence(number);
            }
            Question::Fence { area: None, .. } => {
                self.standing.all.remove(&number);
                self.standing.set_fence(number, None);
                // One that begins under this number in the same tick is another one.
                self.standing.left.retain(|_, left| *left != number);
            }
            _ => unreachable!("questions of one tick are answered"),
        }
    }

    /// Keeps a fence in the index if it meets cells of this worker.
    fn place_fence(&mut self, number: u32) {
        let (layers, area) = &self.standing.all[&number];
        self.workers.clear();
        self.partition.meeting(&area.bounds(), &mut self.workers);
        let is_here = self.workers.contains(&self.me);
        let fence = is_here.then(|| Fence { number, layers: *layers, area: Rc::clone(area) });
        self.standing.set_fence(number, fence);
    }

    /// Places all fences anew, for a new partition.
    pub(super) fn place_fences(&mut self) {
        let numbers: Vec<u32> = self.standing.all.keys().copied().collect();
        for number in numbers {
            self.place_fence(number);
        }
    }

    /// All standing questions.
    pub(crate) fn standing(&self) -> impl Iterator<Item = (u32, Question<S, D>)> + '_ {
        self.standing.questions()
    }

    /// Reports what has changed in this tick.
    pub(crate) fn report_changes(&mut self, sinks: &mut Sinks<'_, S, D>) {
        self.report_fences(sinks);
        self.report_contacts(sinks);
        self.standing.changed.clear();
        self.standing.left.clear();
    }

    /// Whether to look at all objects, not only at those that moved.
    fn looks_at_all(&self) -> bool {
        self.repartition || self.moved.len() > self.index.len() / 4
    }

    fn report_fences(&mut self, sinks: &mut Sinks<'_, S, D>) {
        if self.standing.all.is_empty() && self.standing.inside.is_empty() {
            return;
        }
        let mut inside = std::mem::take(&mut self.standing.inside);
        let fences = &self.standing.fences;
        let is_inside = |(mover, fence): &(ObjectRef<'_, u64, S, D>, ObjectRef<'_, Fence<S, D>, S, D>)| {
            let of = fence.value();
            of.layers.contains(mover.layer().number() / 2)
                && of.area.intersects(&mover.shape())
                && self.reports(mover, &of.area.bounds())
        };
        let changes = if self.looks_at_all() {
            inside.poll(self.index.join(fences).filter(is_inside))
        } else {
            let changed = fences.join_of(&self.standing.changed, &self.index).map(|(fence, mover)| (mover, fence));
            let pairs = self.index.join_of(&self.moved, fences).chain(changed).filter(is_inside);
            inside.poll_join_moved([&self.moved, &self.standing.changed], pairs)
        };
        let changes = changes.expect("pairs of these two indexes");
        for (pairs, kind) in [(changes.begun, Kind::Entered), (changes.ended, Kind::Left)] {
            for &[mover, fence] in pairs {
                // Nothing is reported of a fence that has ended.
                let Some(question) = self.standing.number_of(fence) else { continue };
                let a = self.id_of(mover);
                let is_tentative = !self.standing.changed.is_empty() || self.is_shared(a);
                Self::report(Answer { question, kind, a, b: 0 }, is_tentative, sinks);
            }
        }
        self.standing.inside = inside;
    }

    fn report_contacts(&mut self, sinks: &mut Sinks<'_, S, D>) {
        let mut all = std::mem::take(&mut self.standing.close);
        for (&question, close) in &mut all {
            let reports = |pair: &_| self.reports_pair(pair, close.distance);
            let is_new = std::mem::take(&mut close.new);
            let changes = if is_new || self.looks_at_all() {
                close.memory.poll(self.reported_pairs(close.layers, close.distance))
            } else {
                let pairs =
                    self.index.pairs_of(&self.moved).in_layers(self.layers_of(close.layers)).within(close.distance);
                close.memory.poll_moved(&self.moved, pairs.filter(reports))
            };
            let changes = changes.expect("pairs of this index");
            for (pairs, kind) in [(changes.begun, Kind::Begun), (changes.ended, Kind::Ended)] {
                for pair in pairs {
                    let [a, b] = pair.map(|object| self.id_of(object));
                    let (a, b) = (a.min(b), a.max(b));
                    let is_tentative = self.is_shared(a) || self.is_shared(b);
                    Self::report(Answer { question, kind, a, b }, is_tentative, sinks);
                }
            }
        }
        self.standing.close = all;
    }

    /// Reports a change, or sends it to where its opposite would go.
    fn report(change: Answer, is_tentative: bool, sinks: &mut Sinks<'_, S, D>) {
        if is_tentative {
            (sinks.tentative)(change);
        } else {
            sinks.answers.push(change);
        }
    }

    /// The id of an object that is here, or was until this tick.
    fn id_of(&self, object: Handle) -> u64 {
        let gone: &FxHashMap<Handle, u64> = &self.gone;
        self.index.get(object).or_else(|| gone.get(&object)).copied().expect("here, or just gone")
    }
}
