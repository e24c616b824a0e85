//! The shard as an operator, and the second round of questions for the nearest.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::rc::Rc;

use rustc_hash::FxBuildHasher;
use timely::container::CapacityContainerBuilder as Builder;
use timely::dataflow::channels::pact::{ExchangeCore, Pipeline};
use timely::dataflow::operators::feedback::Handle;
use timely::dataflow::operators::generic::OutputBuilder;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;
use timely::dataflow::operators::{Capability, ConnectLoop};

use super::gate::Turn;
use super::{Flow, Listed, Site, TickAnswers, Turns};
use crate::Coordinate;
use crate::answer::{Answer, Part};
use crate::coordinate::take;
use crate::kept::planted;
use crate::question::{Asked, Question};
use crate::row::Row;
use crate::shard::Sinks;
use crate::wire::{Rows, Wire};
use crate::world::World;

/// A worker, a cell, and how many objects are in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    pub(super) to: u16,
    pub(super) cell: u32,
    pub(super) objects: u64,
}

impl Wire for Count {
    const LEAST: usize = 12;
    fn length(&self) -> usize {
        Self::LEAST
    }
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.cell.to_le_bytes())?;
        out.write_all(&self.objects.to_le_bytes())
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let cell = u32::from_le_bytes(take(bytes)?);
        Some(Self { to: 0, cell, objects: u64::from_le_bytes(take(bytes)?) })
    }
}

/// Questions that wait for the shard, with the right to answer and the right to keep all shards from going on.
type Waiting<S, const D: usize> = ([Capability<u64>; 2], Vec<Asked<S, D>>);

/// The output streams of a shard.
pub(super) struct Outputs<'s, S: Coordinate, const D: usize> {
    pub(super) parts: Flow<'s, Part>,
    pub(super) follow: Flow<'s, Asked<S, D>>,
    pub(super) census: Flow<'s, Count>,
}

impl<S: Coordinate, const D: usize> Site<S, D> {
    /// Applies the rows of a tick and answers its questions, when all of it is there.
    pub(super) fn shard<'s>(
        self: &Rc<Self>,
        rows: Flow<'s, Row<S, D>>,
        questions: Flow<'s, Asked<S, D>>,
        followed: Listed<'s, ()>,
    ) -> Outputs<'s, S, D> {
        let mut op = OperatorBuilder::new("Shard".into(), rows.scope());
        let by_worker = ExchangeCore::<Builder<Rows<Row<S, D>>>, _>::new(|row: &Row<S, D>| u64::from(row.to));
        let mut rows = op.new_input(rows, self.checked(by_worker, Turn::Shard, World::has_room_for));
        let by_worker = ExchangeCore::<Builder<Rows<Asked<S, D>>>, _>::new(|asked: &Asked<S, D>| u64::from(asked.to));
        let fits = |world: &World<S, D>, asked: &Asked<S, D>| {
            asked.second.is_none() && world.check_question(asked.number, &asked.question).is_ok()
        };
        let mut questions = op.new_input(questions, self.checked(by_worker, Turn::Shard, fits));
        let mut followed = op.new_input(followed, Pipeline);
        let (out, parts) = op.new_output();
        let mut part_out = OutputBuilder::<_, Builder<Rows<Part>>>::from(out);
        let (out, follow) = op.new_output();
        let mut follow_out = OutputBuilder::<_, Builder<Rows<Asked<S, D>>>>::from(out);
        let (out, census) = op.new_output();
        let mut census_out = OutputBuilder::<_, Builder<Rows<Count>>>::from(out);
        let site = Rc::clone(self);
        op.build(move |caps| {
            let mut turns = Turns::new(site.before, caps);
            let mut asked: BTreeMap<u64, Vec<Asked<S, D>>> = BTreeMap::new();
            move |frontiers| {
                rows.for_each(|time, data| {
                    let tick = *time.least().expect("a row of a tick");
                    let mut inbox = site.inbox.borrow_mut();
                    let came = inbox.of(tick);
                    data.0.drain(..).for_each(|row| came.push(&row));
                });
                questions.for_each(|time, data| {
                    let tick = *time.least().expect("a question of a tick");
                    asked.entry(tick).or_default().append(&mut data.0);
                });
                followed.for_each(|_, _| ());
                turns.take(&site.pace, frontiers, |tick, caps| {
                    let [parts, follow, census] = caps else { unreachable!("three outputs") };
                    let (mut part_out, mut follow_out) = (part_out.activate(), follow_out.activate());
                    let mut part_out = part_out.session_with_builder(parts);
                    let mut follow_out = follow_out.session_with_builder(follow);
                    let asked = asked.remove(&tick).unwrap_or_default();
                    site.tick(tick, asked, |part| part_out.give(part), |asked| follow_out.give(asked));
                    if site.world.rebalance.is_some_and(|rule| tick.is_multiple_of(rule.every)) {
                        let mut out = census_out.activate();
                        let mut out = out.session_with_builder(census);
                        site.count(|count| out.give(count));
                    }
                    site.applied.set(tick);
                    (site.after_tick.borrow_mut())(tick, &site.partitions.at(tick), &site.shard.borrow());
                });
            }
        });
        Outputs { parts, follow, census }
    }

    /// Applies and answers a tick.
    fn tick(
        &self,
        tick: u64,
        asked: Vec<Asked<S, D>>,
        mut part: impl FnMut(Part),
        mut follow: impl FnMut(Asked<S, D>),
    ) {
        let mut shard = self.shard.borrow_mut();
        let mut answers = self.answers.borrow_mut();
        let answers = answers.entry(tick).or_insert_with(|| TickAnswers::in_list(self.spare.take()));
        if !self.world.has_local() {
            shard.begin(&self.partitions.at(tick));
        }
        let (mut standing, once): (Vec<_>, Vec<_>) = asked.into_iter().partition(|asked| asked.question.is_standing());
        // Each worker's questions come in its order; all shards must keep the same one of those under one number.
        standing.sort_by_key(|asked| asked.from);
        for asked in &standing {
            shard.set_standing(asked.number, &asked.question);
        }
        let came = self.inbox.borrow_mut().take(tick);
        shard.apply(came.rows());
        self.inbox.borrow_mut().done(came);
        let workers = self.workers as u64;
        let mut tentative =
            |answer: Answer| part(Part { to: (FxBuildHasher.hash_one(answer.subject()) % workers) as u16, answer });
        let mut sinks = Sinks { answers: &mut answers.list, tentative: &mut tentative, follow: &mut follow };
        shard.report_changes(&mut sinks);
        for asked in &once {
            if let Question::Nearest { count, .. } = asked.question {
                answers.counts.insert(asked.number, count as usize);
            }
            shard.answer(asked, &mut sinks);
        }
    }

    /// Sends all workers the number of own objects in each cell.
    fn count(&self, mut give: impl FnMut(Count)) {
        for (cell, objects) in self.shard.borrow().census().into_iter().enumerate().filter(|(_, objects)| *objects > 0)
        {
            let count = |to| Count { to, cell: cell as u32, objects };
            (0..self.workers as u16).for_each(|to| give(count(to)));
        }
    }

    /// Answers second rounds: the worker asked first gets what is here within the bound. The shard is still in that tick, for no
    /// shard goes on before.
    pub(super) fn follow<'s>(
        self: &Rc<Self>,
        follow: Flow<'s, Asked<S, D>>,
        handle: Handle<'s, u64, Vec<()>>,
    ) -> Flow<'s, Part> {
        let mut op = OperatorBuilder::new("Follow".into(), follow.scope());
        let by_worker = ExchangeCore::<Builder<Rows<Asked<S, D>>>, _>::new(|asked: &Asked<S, D>| u64::from(asked.to));
        let fits = |_: &World<S, D>, asked: &Asked<S, D>| {
            asked.second.is_some() && matches!(asked.question, Question::Nearest { .. })
        };
        let mut follow = op.new_input(follow, self.checked(by_worker, Turn::Later, fits));
        let (out, parts) = op.new_output();
        let mut part_out = OutputBuilder::<_, Builder<Rows<Part>>>::from(out);
        let (_, done) = op.new_output::<Vec<()>>();
        done.connect_loop(handle);
        let site = Rc::clone(self);
        op.build(move |caps| {
            drop(caps);
            let mut waiting: Vec<Waiting<S, D>> = Vec::new();
            move |_| {
                follow.for_each(|time, data| {
                    // The second capability keeps all shards from going on.
                    let caps = [0, 1].map(|output| time.retain_least(output).expect("a question of a tick"));
                    waiting.push((caps, std::mem::take(&mut data.0)));
                });
                // A question may come before this worker's own shard has applied the tick.
                let mut shard = site.shard.borrow_mut();
                waiting.retain(|([cap, _], questions)| {
                    if site.applied.get() < *cap.time() && !planted("a second round too early") {
                        return true;
                    }
                    let mut out = part_out.activate();
                    let mut out = out.session_with_builder(cap);
                    for asked in questions {
                        let (to, bound) = asked.second.expect("a second round");
                        shard.follow(asked, bound).for_each(|answer| out.give(Part { to, answer }));
                    }
                    false
                });
            }
        });
        parts
    }
}
