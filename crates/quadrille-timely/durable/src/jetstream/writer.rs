//! The thread's side of a log in a stream: sends blocks in parts, and removes old ones.

use super::index::Entry;
use super::part::Part;
use super::server::{Engine, Kind, Server};
use crate::log::{LogError, Torn};
use crate::queue::{Order, Sink, Status};
use async_nats::jetstream::context::PublishAckFuture;
use bytes::Bytes;
use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// How many messages may wait for their acknowledgements.
const WINDOW: usize = 1000;

/// The blocks in the stream, acknowledged; the reader looks at them too.
pub(super) type Entries = Arc<Mutex<VecDeque<Entry>>>;

/// Whether the log had blocks, as the stream says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It says nothing.
    Nothing,
    Had,
    /// It had some up to this tick, which are removed, and has none now.
    HadUntil(u64),
}

/// The writer of a worker's log.
pub(super) struct Writer {
    engine: Arc<Engine>,
    messages: Messages,
}

/// The asynchronous side of the writer.
struct Messages {
    server: Server,
    epoch: u64,
    state: State,
    entries: Entries,
    removed: Option<u64>,
    /// The newest block sent.
    last: Option<u64>,
    /// The newest block acknowledged.
    durable: Option<u64>,
    sent: Vec<(Part, PublishAckFuture)>,
}

/// How a log was found.
pub(super) struct Opened {
    pub(super) writer: Writer,
    pub(super) entries: Entries,
    pub(super) status: Status,
    pub(super) torn: Option<Torn>,
    /// Somebody has opened it before.
    pub(super) known: bool,
}

impl Writer {
    /// Claims the log, and cuts off its torn end.
    pub(super) fn open(engine: &Arc<Engine>, server: Server) -> Result<Opened, LogError> {
        let found = engine.wait(Messages::open(server))?;
        let (messages, torn, known) = found;
        let (entries, status) = (Arc::clone(&messages.entries), messages.status());
        Ok(Opened { writer: Writer { engine: Arc::clone(engine), messages }, entries, status, torn, known })
    }
}

impl Sink for Writer {
    fn carry_out(&mut self, orders: &mut Vec<Order>) -> Result<Status, LogError> {
        let Writer { engine, messages } = self;
        engine.block_on(async {
            for order in orders.drain(..) {
                match order {
                    Order::Append(tick, bytes) => messages.append(tick, bytes.into()).await?,
                    Order::TruncateBefore(tick) => messages.truncate_before(tick).await?,
                    Order::CutAfter(tick) => messages.cut_after(tick).await?,
                }
            }
            messages.settle().await?;
            Ok(messages.status())
        })
    }
}

impl Messages {
    async fn open(server: Server) -> Result<(Self, Option<Torn>, bool), LogError> {
        let known = server.newest(Kind::Claim).await?.is_some();
        let epoch = server.note(Kind::Claim, String::new()).await?;
        let index = server.index(epoch).await?;
        let state = match server.newest(Kind::State).await? {
            None => State::Nothing,
            Some((_, text)) => text.parse().map_or(State::Had, State::HadUntil),
        };
        let removed = match (index.entries.first(), state) {
            (Some(first), _) => first.before(),
            (None, State::HadUntil(tick)) => Some(tick),
            (None, State::Had) if index.torn.is_empty() => return Err(LogError::Lost { place: server.place }),
            (None, _) => None,
        };
        let last = index.last().or(removed);
        let torn = (!index.torn.is_empty()).then(|| Torn {
            place: server.place.clone(),
            bytes: index.torn.iter().map(|(_, bytes)| bytes).sum(),
            after: last,
            tick: index.torn_tick,
        });
        let entries = Arc::new(Mutex::new(index.entries.into()));
        let mut messages = Messages { server, epoch, state, entries, removed, last, durable: last, sent: Vec::new() };
        messages.say_state().await?;
        // From the end: a death in between leaves a log that is torn, or not.
        for (number, _) in index.torn.iter().rev() {
            messages.server.delete(*number).await?;
        }
        Ok((messages, torn, known))
    }

    fn status(&self) -> Status {
        Status {
            first: self.with(|entries| entries.front().map(Entry::tick)),
            removed: self.removed,
            durable: self.durable,
        }
    }

    fn with<T>(&self, deed: impl FnOnce(&mut VecDeque<Entry>) -> T) -> T {
        deed(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn append(&mut self, tick: u64, mut bytes: Bytes) -> Result<(), LogError> {
        let of = bytes.len().div_ceil(self.server.room).max(1) as u64;
        for nth in 0..of {
            if self.sent.len() >= WINDOW {
                self.acknowledge().await?;
            }
            let bytes = bytes.split_to(bytes.len().min(self.server.room));
            let part = Part { epoch: self.epoch, tick, before: self.last, synced: self.durable, nth, of };
            let sent = self.server.send(&part, bytes).await?;
            self.sent.push((part, sent));
        }
        self.last = Some(tick);
        Ok(())
    }

    /// Waits for all acknowledgements.
    async fn acknowledge(&mut self) -> Result<(), LogError> {
        for (part, sent) in mem::take(&mut self.sent) {
            let number = self.server.acknowledged(sent).await?;
            self.with(|entries| match entries.back_mut() {
                Some(entry) if entry.tick() == part.tick => entry.parts.push((number, part)),
                _ => entries.push_back(Entry { parts: vec![(number, part)] }),
            });
        }
        Ok(())
    }

    /// Waits for all acknowledgements, and makes sure that they count: that no other writer has begun meanwhile.
    async fn settle(&mut self) -> Result<(), LogError> {
        if self.durable == self.last {
            return Ok(());
        }
        self.acknowledge().await?;
        self.say_state().await?;
        match self.server.newest(Kind::Claim).await? {
            Some((epoch, _)) if epoch == self.epoch => (),
            _ => return Err(LogError::InUse { place: self.server.place.clone() }),
        }
        self.durable = self.last;
        Ok(())
    }

    /// Says in the stream whether there are blocks, unless it says so already.
    async fn say_state(&mut self) -> Result<(), LogError> {
        let state = match (self.with(|entries| entries.is_empty()), self.removed) {
            (false, _) => State::Had,
            (true, Some(removed)) => State::HadUntil(removed),
            (true, None) => State::Nothing,
        };
        if state == self.state {
            return Ok(());
        }
        match state {
            State::Nothing => self.server.purge(Kind::State, None).await?,
            State::Had => drop(self.server.note(Kind::State, "had".into()).await?),
            State::HadUntil(tick) => drop(self.server.note(Kind::State, tick.to_string()).await?),
        }
        self.state = state;
        Ok(())
    }

    /// Removes the blocks that are older; the newest one stays.
    async fn truncate_before(&mut self, tick: u64) -> Result<(), LogError> {
        self.settle().await?;
        let first = self.with(|entries| {
            let old = entries.iter().take_while(|entry| entry.tick() < tick).count();
            let old = old.min(entries.len().saturating_sub(1));
            entries.drain(..old);
            entries.front().filter(|_| old > 0).cloned()
        });
        let Some(first) = first else { return Ok(()) };
        let (number, part) = first.parts[0];
        self.removed = part.before;
        self.server.purge(Kind::Block, Some(number)).await?;
        // Claims older than that of the oldest block are of no use.
        self.server.purge(Kind::Claim, Some(part.epoch)).await
    }

    /// Deletes the blocks that are newer, from the end: a death in between leaves a log that ends earlier, or is torn.
    async fn cut_after(&mut self, tick: Option<u64>) -> Result<(), LogError> {
        self.settle().await?;
        let kept = self.with(|entries| entries.iter().take_while(|entry| Some(entry.tick()) <= tick).count());
        let cut = self.with(|entries| entries.split_off(kept));
        self.last = self.with(|entries| entries.back().map(Entry::tick)).or(self.removed);
        self.durable = self.last;
        self.say_state().await?;
        for (number, _) in cut.iter().flat_map(|entry| &entry.parts).rev() {
            self.server.delete(*number).await?;
        }
        Ok(())
    }
}
