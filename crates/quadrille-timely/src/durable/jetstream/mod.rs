//! A log in a stream of a NATS server: what its callers see, and reading it.

mod part;
mod index;
mod server;
mod writer;

use super::log::{Blocks, Log, LogError, Origin, Torn};
use super::queue::{Order, Queue};
use futures_util::stream::{self, BoxStream, StreamExt};
use index::Entry;
use server::{Engine, Server};
use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use writer::{Entries, Opened, Writer};

/// The number of blocks that a reader asks for at once.
const AHEAD: usize = 8;

/// How a [`JetStreamLog`] behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JetStreamOptions {
    /// How many bytes may wait for an acknowledgement before [`append`](Log::append) waits; 64 MiB.
    pub queue: usize,
    /// How long the server may take to acknowledge; 5 s.
    pub patience: Duration,
    /// On how many servers a stream is kept, where this call makes it; 1.
    pub replicas: usize,
}

impl Default for JetStreamOptions {
    fn default() -> Self {
        JetStreamOptions { queue: 64 << 20, patience: Duration::from_secs(5), replicas: 1 }
    }
}

/// A log in a stream of a NATS server with `JetStream`: one stream a world, and subjects below it for each worker.
///
/// A block longer than a message may be (1 MiB, unless the server is told otherwise) is sent in numbered parts. A block is
/// [`durable`](Log::durable) when the server has acknowledged all its parts and no other log of this worker has been opened
/// meanwhile: who opens one takes it over, and the older one gets [`LogError::InUse`].
///
/// # Loss of power
///
/// A server acknowledges a message when it has written it, and syncs its files every two minutes. So an acknowledged block
/// outlives a killed process, also a killed server, and not a loss of power at a single server. Servers that know the option
/// `sync_interval: always` in their block `jetstream` (2.9 does not) sync before they acknowledge, and are slower. Several
/// [`replicas`](JetStreamOptions::replicas) survive the loss of one of them.
pub struct JetStreamLog {
    queue: Queue,
    engine: Arc<Engine>,
    server: Server,
    entries: Entries,
    worker: usize,
    origin: Origin,
    torn: Option<Torn>,
    last: Option<u64>,
}

impl JetStreamLog {
    /// Opens the log of `worker` in the stream `world`, or makes both; cuts off a torn end, which [`torn`](Log::torn) then
    /// tells.
    ///
    /// The server is an address such as `127.0.0.1:4222` or `tls://user:password@host`. The name of a stream has neither
    /// dots nor blanks.
    ///
    /// # Errors
    ///
    /// [`LogError::Server`], [`LogError::Lost`], [`LogError::Damaged`], [`LogError::Missing`].
    pub fn open(server: &str, world: &str, worker: usize, options: &JetStreamOptions) -> Result<Self, LogError> {
        let engine = Arc::new(Engine::start(world)?);
        let server = engine.wait(Server::connect(server.into(), world.into(), worker, options.clone()))?;
        let Opened { writer, entries, status, torn, known } = Writer::open(&engine, server.clone())?;
        let last = status.durable;
        let origin = match last {
            Some(_) => Origin::Filled,
            None if known => Origin::Empty,
            None => Origin::New,
        };
        let queue = Queue::start(server.place.clone(), options.queue, status, writer)?;
        Ok(JetStreamLog { queue, engine, server, entries, worker, origin, torn, last })
    }
}

impl Log for JetStreamLog {
    fn worker(&self) -> usize {
        self.worker
    }

    fn origin(&self) -> Origin {
        self.origin
    }

    fn torn(&self) -> Option<&Torn> {
        self.torn.as_ref()
    }

    fn first(&self) -> Option<u64> {
        self.queue.status().first
    }

    fn last(&self) -> Option<u64> {
        self.last
    }

    fn removed(&self) -> Option<u64> {
        self.queue.status().removed
    }

    fn durable(&self) -> Option<u64> {
        self.queue.status().durable
    }

    fn append(&mut self, tick: u64, block: Vec<u8>) -> Result<(), LogError> {
        self.last = Some(self.queue.append(self.last, tick, block)?);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), LogError> {
        self.queue.flush()
    }

    fn read(&mut self, after: Option<u64>) -> Result<Blocks, LogError> {
        self.queue.flush()?;
        self.queue.keeps(after)?;
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let entries: Vec<Entry> = entries.iter().filter(|entry| Some(entry.tick()) > after).cloned().collect();
        let server = self.server.clone();
        let read = move |entry: Entry| {
            let server = server.clone();
            async move { Ok((entry.tick(), server.block(&entry).await?)) }
        };
        let blocks = stream::iter(entries).map(read).buffered(AHEAD).boxed();
        Ok(Box::new(StreamBlocks { engine: Arc::clone(&self.engine), blocks: Some(blocks) }))
    }

    fn truncate_before(&mut self, tick: u64) -> Result<(), LogError> {
        self.queue.push(Order::TruncateBefore(tick))
    }

    fn cut_after(&mut self, tick: Option<u64>) -> Result<(), LogError> {
        self.last = self.queue.cut_after(tick)?;
        Ok(())
    }
}

impl fmt::Debug for JetStreamLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JetStreamLog { server, worker, origin, torn, last, .. } = self;
        let mut shown = f.debug_struct("JetStreamLog");
        shown.field("place", &server.place).field("worker", worker).field("origin", origin).field("torn", torn);
        shown.field("last", last).finish_non_exhaustive()
    }
}

/// The blocks of a stream, in order.
struct StreamBlocks {
    engine: Arc<Engine>,
    /// Those that are still to come; none at the end, and after an error.
    blocks: Option<BoxStream<'static, Block>>,
}

/// A tick and its bytes.
type Block = Result<(u64, Vec<u8>), LogError>;

impl Iterator for StreamBlocks {
    type Item = Block;

    fn next(&mut self) -> Option<Self::Item> {
        let mut blocks = self.blocks.take()?;
        let next = self.engine.wait(async move { Ok((blocks.next().await.transpose()?, blocks)) });
        match next {
            Ok((block, blocks)) => {
                self.blocks = Some(blocks).filter(|_| block.is_some());
                block.map(Ok)
            }
            Err(error) => Some(Err(error)),
        }
    }
}
