//! The rows of a tick that go from one worker to another, by the rules of the crate, and their bytes.

use std::collections::BTreeMap;

use quadrille::Rect;
use quadrille_timely::Partition;

use crate::moving::mix;

/// Bytes of a row about a point (layer and role, id, two `f32`), of one that says it has left, and of the sender's number in a
/// row for the directory.
const ROW: usize = 17;
const GONE: usize = 9;
const SENDER: usize = 2;
/// Bytes of timely's frame around the rows of a message: 48 of header, 32 of sender, number and time; and 4 for the number of
/// rows.
const FRAME: usize = 48 + 32 + 4;
/// The rows of a full message: timely collects 8 kB in memory.
const FULL: usize = 256;

/// Where rows come from.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Feed {
    /// Objects step where they are.
    Local,
    /// Each worker reads the objects whose ids fall to it.
    Readers,
    /// Each object is read by some worker, and another one remembers it.
    Directory,
    /// Worker 0 reads all.
    Single,
}

/// Rows and bytes from one worker to another.
#[derive(Clone, Copy, Default)]
struct Flow {
    rows: usize,
    bytes: usize,
}

/// The traffic of a tick.
pub(crate) struct Traffic {
    workers: usize,
    /// By sender and receiver; of the directory's first way, then of rows for shards.
    flows: [BTreeMap<(usize, usize), Flow>; 2],
}

impl Traffic {
    pub(crate) fn of_tick(partition: &Partition<f32, 2>, before: &[[f32; 2]], after: &[[f32; 2]], feed: Feed) -> Self {
        let workers = partition.workers();
        let mut traffic = Self { workers, flows: Default::default() };
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for ((from, to), id) in before.iter().zip(after).zip(0..) {
            let [from, to] = [*from, *to].map(Rect::from_point);
            let home = partition.sole_holder(&to).filter(|home| partition.sole_holder(&from) == Some(*home));
            let sender = match feed {
                Feed::Local => usize::from(partition.owner(from.min())),
                Feed::Readers | Feed::Directory => id % workers,
                Feed::Single => 0,
            };
            if feed == Feed::Directory {
                traffic.send(0, mix(id as u64) as usize % workers, sender, SENDER + ROW);
            }
            if let Some(home) = home {
                traffic.send(1, sender, usize::from(home), ROW);
                continue;
            }
            old.clear();
            new.clear();
            partition.holders(&from, &mut old);
            partition.holders(&to, &mut new);
            for to in &new {
                traffic.send(1, sender, usize::from(*to), ROW);
            }
            for to in old.iter().filter(|worker| !new.contains(worker)) {
                traffic.send(1, sender, usize::from(*to), GONE);
            }
        }
        traffic
    }

    /// A row to oneself goes over no wire.
    fn send(&mut self, way: usize, from: usize, to: usize, bytes: usize) {
        if from != to {
            let flow = self.flows[way].entry((from, to)).or_default();
            flow.rows += 1;
            flow.bytes += bytes;
        }
    }

    fn sum(&self, of: impl Fn(&Flow) -> usize) -> Vec<usize> {
        let mut sums = vec![0; self.workers];
        for ((from, _), flow) in self.flows.iter().flatten() {
            sums[*from] += of(flow);
        }
        sums
    }

    /// Rows that leave each worker.
    pub(crate) fn rows_of_workers(&self) -> Vec<usize> {
        self.sum(|flow| flow.rows)
    }

    /// Messages that leave each worker.
    pub(crate) fn messages_of_workers(&self) -> Vec<usize> {
        self.sum(Flow::messages)
    }

    /// Bytes that leave each worker, frames included.
    pub(crate) fn bytes_of_workers(&self) -> Vec<usize> {
        self.sum(|flow| flow.bytes + flow.messages() * FRAME)
    }
}

impl Flow {
    fn messages(&self) -> usize {
        self.rows.div_ceil(FULL)
    }
}

/// How many ghosts there are: an object counts once for each holder but its owner.
pub(crate) fn ghosts(partition: &Partition<f32, 2>, objects: &[[f32; 2]]) -> usize {
    let mut holders = Vec::new();
    let of = |at: &[f32; 2]| {
        holders.clear();
        partition.holders(&Rect::from_point(*at), &mut holders);
        holders.len() - 1
    };
    objects.iter().map(of).sum()
}
