//! Where rows come from besides the feed: the directory, and objects that step by themselves.

use std::collections::BTreeMap;
use std::rc::Rc;

use timely::container::CapacityContainerBuilder as Builder;
use timely::dataflow::channels::pact::{ExchangeCore, Pipeline};
use timely::dataflow::operators::generic::OutputBuilder;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;

use super::gate::Turn;
use super::{Flow, Listed, Site, Turns};
use crate::Coordinate;
use crate::row::{Row, Sent};
use crate::wire::Rows;
use crate::world::World;

impl<S: Coordinate, const D: usize> Site<S, D> {
    /// Rows go to the worker that remembers where their object was, and from there to those that hold it.
    pub(super) fn directory<'s>(self: &Rc<Self>, raw: Flow<'s, Sent<S, D>>) -> Flow<'s, Row<S, D>> {
        let mut op = OperatorBuilder::new("Directory".into(), raw.scope());
        let by_worker = ExchangeCore::<Builder<Rows<Sent<S, D>>>, _>::new(|sent: &Sent<S, D>| u64::from(sent.row.to));
        let fits = |world: &World<S, D>, sent: &Sent<S, D>| world.has_room_for(&sent.row);
        let mut raw = op.new_input(raw, self.checked(by_worker, Turn::Shard, fits));
        let (rows, stream) = op.new_output();
        let mut rows = OutputBuilder::<_, Builder<Rows<Row<S, D>>>>::from(rows);
        let site = Rc::clone(self);
        op.build(move |caps| {
            let mut turns = Turns::new(site.before, caps);
            let mut stash: BTreeMap<u64, Vec<Sent<S, D>>> = BTreeMap::new();
            move |frontiers| {
                raw.for_each(|time, data| {
                    let tick = *time.least().expect("a row of a tick");
                    stash.entry(tick).or_default().append(&mut data.0);
                });
                turns.take(&site.pace, frontiers, |tick, caps| {
                    let mut sent = stash.remove(&tick).unwrap_or_default();
                    // Rows of one worker come in its order.
                    sent.sort_by_key(|sent| sent.from);
                    let (mut source, mut inbox) = (site.source.borrow_mut(), site.inbox.borrow_mut());
                    let own = inbox.of(tick);
                    let (old, partition) = (site.partitions.at(tick - 1), site.partitions.at(tick));
                    let mut out = rows.activate();
                    let mut out = out.session_with_builder(&caps[0]);
                    let mut give = |row: Row<S, D>| if row.to == site.me { own.push(&row) } else { out.give(row) };
                    if !Rc::ptr_eq(&old, &partition) {
                        source.repartition(&old, &partition, &mut give);
                    }
                    for sent in sent {
                        source.apply(&partition, sent.row, &mut give);
                    }
                });
            }
        });
        stream
    }

    /// Objects of local layers step when the tick was fed here and all shards are done with the one before.
    pub(super) fn step<'s>(self: &Rc<Self>, ticks: Listed<'s, ()>, followed: Listed<'s, ()>) -> Flow<'s, Row<S, D>> {
        let mut op = OperatorBuilder::new("Step".into(), ticks.scope());
        let mut inputs = [op.new_input(ticks, Pipeline), op.new_input(followed, Pipeline)];
        let (rows, stream) = op.new_output();
        let mut rows = OutputBuilder::<_, Builder<Rows<Row<S, D>>>>::from(rows);
        let site = Rc::clone(self);
        op.build(move |caps| {
            let mut turns = Turns::new(site.before, caps);
            move |frontiers| {
                for input in &mut inputs {
                    input.for_each(|_, _| ());
                }
                turns.take(&site.pace, frontiers, |tick, caps| {
                    let mut out = rows.activate();
                    let mut out = out.session_with_builder(&caps[0]);
                    let (mut program, mut shard) = (site.program.borrow_mut(), site.shard.borrow_mut());
                    program.step_all(tick, &mut shard, &site.partitions.at(tick), &mut |row| out.give(row));
                });
            }
        });
        stream
    }
}
