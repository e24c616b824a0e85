//! The gate for rows of other workers. Those of another process are checked: what no worker of this world sends stops this
//! process, with the name of the sender.
//!
//! A row of a tick that is closed, or that no feed can have come to, is such a row. One under another open tick is not found
//! out: timely counts it as missing, and no tick ends any more.

use std::rc::Rc;

use timely::communication::Pull;
use timely::dataflow::channels::Message;
use timely::dataflow::channels::pact::ParallelizationContract;
use timely::logging::TimelyLogger;
use timely::worker::Worker;

use super::Site;
use crate::Coordinate;
use crate::kept::planted;
use crate::links::Links;
use crate::wire::{Rows, Wire};
use crate::world::World;

/// The processes of a run, if they are connected by links.
pub(crate) struct Gate {
    links: Option<Links>,
    me: usize,
    workers: usize,
}

/// When rows are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Before the shard has applied their tick.
    Shard,
    /// At any time until their tick ends.
    Later,
}

impl Gate {
    pub(crate) fn new(links: Option<Links>, me: usize, workers: usize) -> Self {
        Self { links, me, workers }
    }

    /// The process of a worker; all are in this one where there are no links.
    fn process_of(&self, worker: usize) -> usize {
        self.links.as_ref().map_or(0, |links| worker / (self.workers / links.processes()))
    }

    fn accuse(&self, worker: usize) {
        let peer = self.process_of(worker);
        match &self.links {
            Some(links) if peer < links.processes() && peer != self.process_of(self.me) => {
                links.accuse(peer, "rows that are none of this world");
            }
            // The caller has connected it, and there is nobody who takes an error.
            _ => panic!("a message of another program"),
        }
    }
}

impl<S: Coordinate, const D: usize> Site<S, D> {
    /// Whether a message of a tick may come from another worker: no feed is further ahead than all shards let it.
    fn is_open(&self, tick: u64, turn: Turn) -> bool {
        let (applied, in_flight) = (self.applied.get(), self.world.in_flight);
        // A shard that has applied a tick may be ahead of its answers.
        let closed = if turn == Turn::Shard || planted("a gate too narrow") {
            applied
        } else {
            applied.saturating_sub(in_flight)
        };
        (closed + 1..=applied.saturating_add(in_flight)).contains(&tick)
    }

    /// Rows must fit into the world where they arrive.
    pub(super) fn checked<T: Wire, P: ParallelizationContract<u64, Rows<T>>>(
        self: &Rc<Self>,
        pact: P,
        turn: Turn,
        fits: impl Fn(&World<S, D>, &T) -> bool + 'static,
    ) -> Checked<P, impl Fn(&Message<u64, Rows<T>>) -> bool + 'static> {
        let site = Rc::clone(self);
        let admits = move |Message { stamp, data: Rows(rows), from, .. }: &Message<u64, Rows<T>>| {
            let is_own = site.gate.process_of(*from) == site.gate.process_of(site.gate.me);
            let is_whole = stamp.len() == 1 && !rows.is_empty();
            let is_open = || stamp.iter().all(|tick| site.is_open(*tick, turn));
            let is_ours = is_whole && (is_own || is_open() && rows.iter().all(|row| fits(&site.world, row)));
            if !is_ours {
                site.gate.accuse(*from);
            }
            is_ours
        };
        Checked { of: pact, admits }
    }
}

/// A channel between workers, or its end, behind which only that arrives which is admitted.
pub(super) struct Checked<P, F> {
    of: P,
    admits: F,
}

impl<T: Wire, P, F> ParallelizationContract<u64, Rows<T>> for Checked<P, F>
where
    P: ParallelizationContract<u64, Rows<T>>,
    F: Fn(&Message<u64, Rows<T>>) -> bool + 'static,
{
    type Pusher = P::Pusher;
    type Puller = Checked<P::Puller, F>;
    fn connect(
        self,
        worker: &Worker,
        channel: usize,
        address: Rc<[usize]>,
        logger: Option<TimelyLogger>,
    ) -> (Self::Pusher, Self::Puller) {
        let (pusher, puller) = self.of.connect(worker, channel, address, logger);
        (pusher, Checked { of: puller, admits: self.admits })
    }
}

impl<T, P, F> Pull<Message<u64, Rows<T>>> for Checked<P, F>
where
    P: Pull<Message<u64, Rows<T>>>,
    F: Fn(&Message<u64, Rows<T>>) -> bool,
{
    #[inline]
    fn pull(&mut self) -> &mut Option<Message<u64, Rows<T>>> {
        let message = self.of.pull();
        // Without it its tick never ends here.
        if message.as_ref().is_some_and(|message| !(self.admits)(message)) {
            *message = None;
        }
        message
    }
}
