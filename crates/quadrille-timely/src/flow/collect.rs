//! The end of a tick: the answers of this worker are completed, sorted and given to the program.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use timely::container::CapacityContainerBuilder as Builder;
use timely::dataflow::channels::pact::ExchangeCore;
use timely::dataflow::operators::generic::OutputBuilder;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;

use super::gate::Turn;
use super::{Flow, Site, Turns};
use crate::Coordinate;
use crate::answer::{Answer, Kind, Part};
use crate::wire::Rows;

/// The answers of a worker in a tick.
#[derive(Debug, Default)]
pub(crate) struct TickAnswers {
    pub(super) list: Vec<Answer>,
    /// How many are wanted, by the number of each question for the nearest.
    pub(super) counts: FxHashMap<u32, usize>,
}

impl TickAnswers {
    /// None yet; they go into this list, which is empty.
    pub(super) fn in_list(list: Vec<Answer>) -> Self {
        Self { list, counts: FxHashMap::default() }
    }

    /// Adds the parts from other workers, and sorts.
    fn complete(&mut self, mut parts: Vec<Answer>) {
        if !parts.is_empty() {
            let all: FxHashSet<Answer> = parts.iter().copied().collect();
            parts.retain(|part| part.kind == Kind::Near || !all.contains(&part.opposite()));
            self.list.append(&mut parts);
        }
        self.list.sort_unstable();
        let mut near = (None, 0);
        self.list.retain(|answer| {
            if answer.kind != Kind::Near {
                return true;
            }
            if near.0 != Some(answer.question) {
                near = (Some(answer.question), 0);
            }
            near.1 += 1;
            near.1 <= self.counts.get(&answer.question).copied().unwrap_or(usize::MAX)
        });
    }
}

impl<S: Coordinate, const D: usize> Site<S, D> {
    /// Completes the answers of a tick. They go to the program, or on to be merged.
    pub(super) fn gather<'s>(self: &Rc<Self>, parts: Flow<'s, Part>) -> Flow<'s, Part> {
        let site = Rc::clone(self);
        self.collect("Gather", parts, move |tick, parts, give| {
            let mut answers = site.answers.borrow_mut().remove(&tick).unwrap_or_default();
            answers.complete(parts);
            if site.world.merged {
                answers.list.iter().for_each(|answer| give(Part { to: 0, answer: *answer }));
            } else {
                site.program.borrow_mut().answers(tick, &answers.list);
            }
            // Of one large tick the next ones do not keep the memory.
            let most = 2 * answers.list.len().max(1 << 12);
            answers.list.clear();
            answers.list.shrink_to(most);
            site.spare.replace(answers.list);
        })
    }

    /// Brings all answers to worker 0.
    pub(super) fn merge<'s>(self: &Rc<Self>, parts: Flow<'s, Part>) -> Flow<'s, Part> {
        let site = Rc::clone(self);
        self.collect("Merge", parts, move |tick, mut answers, _| {
            answers.sort_unstable();
            site.program.borrow_mut().answers(tick, &answers);
        })
    }

    /// An operator that takes all parts of a tick at once, tick by tick.
    fn collect<'s>(
        self: &Rc<Self>,
        name: &str,
        parts: Flow<'s, Part>,
        mut logic: impl FnMut(u64, Vec<Answer>, &mut dyn FnMut(Part)) + 'static,
    ) -> Flow<'s, Part> {
        let mut op = OperatorBuilder::new(name.into(), parts.scope());
        let by_worker = ExchangeCore::<Builder<Rows<Part>>, _>::new(|part: &Part| u64::from(part.to));
        let mut parts = op.new_input(parts, self.checked(by_worker, Turn::Later, |_, _| true));
        let (out, stream) = op.new_output();
        let mut out = OutputBuilder::<_, Builder<Rows<Part>>>::from(out);
        let site = Rc::clone(self);
        op.build(move |caps| {
            let mut turns = Turns::new(site.before, caps);
            let mut stash: BTreeMap<u64, Vec<Answer>> = BTreeMap::new();
            move |frontiers| {
                parts.for_each(|time, data| {
                    let tick = *time.least().expect("an answer of a tick");
                    stash.entry(tick).or_default().extend(data.0.drain(..).map(|part| part.answer));
                });
                turns.take(&site.pace, frontiers, |tick, caps| {
                    let mut session = out.activate();
                    let mut session = session.session_with_builder(&caps[0]);
                    logic(tick, stash.remove(&tick).unwrap_or_default(), &mut |part| session.give(part));
                });
            }
        });
        stream
    }
}
