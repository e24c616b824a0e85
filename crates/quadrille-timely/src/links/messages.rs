//! The messages of timely. It would panic at one that it cannot read, so those are found before: at the link, or, if they came
//! before the dataflow was there, before its first step.
//!
//! A message begins with the worker that sends it, and how many it has sent. Then, with rows, come the number of ticks, which is
//! one, and the tick; with progress, the number of changes and the changes, each with the operator, the kind of port, its number,
//! the tick, and a count.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::ops::Range;

/// Why a message is none of a process.
pub(super) type Nonsense = &'static str;
const UNREADABLE: Nonsense = "a message that cannot be read";

/// An operator, 0 for an input of it or 1 for an output, and the number of that.
type Port = [u64; 3];
/// No dataflow of a world has more.
const PORTS_MAX: usize = 100;

/// The dataflow of a world, the same on each worker.
#[derive(Debug)]
pub(crate) struct Built {
    /// Those of rows, and the last one, of progress.
    pub(crate) channels: Range<usize>,
    /// The numbers of inputs and outputs of each operator.
    pub(crate) shape: Vec<[u64; 2]>,
}

impl Built {
    /// Whether it may come there; earlier channels are none of this dataflow.
    fn check(&self, channel: usize, seen: Seen) -> Result<(), Nonsense> {
        if channel < self.channels.start {
            return Ok(());
        }
        if channel + 1 < self.channels.end {
            return seen.rows;
        }
        let has = |[operator, kind, port]: &Port| {
            let ports = usize::try_from(*operator).ok().and_then(|operator| self.shape.get(operator));
            ports.is_some_and(|ports| *port < ports[*kind as usize])
        };
        if seen.progress?.iter().all(has) { Ok(()) } else { Err("progress of a port that no operator has") }
    }
}

/// The rows and the progress that came on a channel, with the ports that they name.
#[derive(Debug)]
struct Seen {
    rows: Result<(), Nonsense>,
    progress: Result<BTreeSet<Port>, Nonsense>,
}

impl Seen {
    fn new(source: usize, bytes: &[u8]) -> Self {
        let word = |at: usize| bytes.as_chunks().0.get(at).map(|word| u64::from_le_bytes(*word));
        if word(0) != Some(source as u64) {
            let nonsense = "a message in the name of another worker";
            return Self { rows: Err(nonsense), progress: Err(nonsense) };
        }
        let rows = if word(2) == Some(1) && word(3).is_some() { Ok(()) } else { Err(UNREADABLE) };
        let count = word(2).and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX).min(bytes.len());
        let ports = || bytes[24..].as_chunks().0.iter().take(count).map(port).collect();
        let is_whole = bytes.len() == (32 + 36 * count).next_multiple_of(8);
        Self { rows, progress: is_whole.then(ports).flatten().ok_or(UNREADABLE) }
    }

    fn and(self, more: Self) -> Self {
        let progress = self.progress.and_then(|mut ports| {
            ports.extend(more.progress?);
            if ports.len() <= PORTS_MAX { Ok(ports) } else { Err(UNREADABLE) }
        });
        Self { rows: self.rows.and(more.rows), progress }
    }
}

/// The port of a change.
fn port(change: &[u8; 36]) -> Option<Port> {
    let kind = matches!(change[8..12], [0 | 1, 0, 0, 0]).then_some(u64::from(change[8]))?;
    let [operator, port] = [&change[..8], &change[12..20]].map(|word| word.try_into().map(u64::from_le_bytes));
    Some([operator.ok()?, kind, port.ok()?])
}

/// The channels of this process, and what came on those that may yet be of a dataflow of ours, from each peer.
#[derive(Debug, Default)]
pub(super) struct Channels {
    built: Vec<Built>,
    early: BTreeMap<[usize; 2], Seen>,
}

impl Channels {
    /// Whether a peer may send these bytes; callers have channels of their own, on which it may send anything.
    pub(super) fn admit(&mut self, peer: usize, channel: usize, source: usize, bytes: &[u8]) -> Result<(), Nonsense> {
        self.see(peer, channel, Seen::new(source, bytes))
    }

    fn see(&mut self, peer: usize, channel: usize, seen: Seen) -> Result<(), Nonsense> {
        if let Some(built) = self.built.iter().find(|built| channel < built.channels.end) {
            return built.check(channel, seen);
        }
        let seen = match self.early.remove(&[channel, peer]) {
            Some(before) => before.and(seen),
            None => seen,
        };
        self.early.insert([channel, peer], seen);
        Ok(())
    }

    /// Adds a dataflow, and says which peer has sent it nonsense before.
    pub(super) fn add(&mut self, built: Built) -> Result<(), (usize, Nonsense)> {
        // Another worker may have said so.
        if !self.built.iter().any(|known| known.channels == built.channels) {
            self.built.push(built);
        }
        let mut early = mem::take(&mut self.early).into_iter();
        early.try_for_each(|([channel, peer], seen)| self.see(peer, channel, seen).map_err(|nonsense| (peer, nonsense)))
    }
}
