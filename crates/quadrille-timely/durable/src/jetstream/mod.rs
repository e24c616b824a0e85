//! A log in a stream of a NATS server: opening and reading it.

mod part;
mod index;
mod server;
mod writer;

use crate::log::{Blocks, LogError};
use crate::queued::{Found, QueuedLog, Store};
use futures_util::stream::{self, BoxStream, StreamExt};
use index::Entry;
use server::{Engine, Server};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use writer::{Entries, Opened, Writer};

/// The number of blocks that a reader asks for at once.
const AHEAD: usize = 8;

/// How a [`JetStreamLog`] behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JetStreamOptions {
    /// How many bytes may wait for an acknowledgement before [`append`](crate::Log::append) waits; 64 MiB.
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
/// A block longer than a message may be (1 MiB, unless the server is configured otherwise) is sent in numbered parts. A block is
/// [`durable`](crate::Log::durable) when the server has acknowledged all its parts and no other log of this worker has been opened
/// meanwhile: opening one takes the log over, and the older one gets [`LogError::InUse`].
///
/// # Loss of power
///
/// A server acknowledges a message when it has written it, and syncs its files every two minutes. So an acknowledged block
/// survives a killed process and a killed server, but not a loss of power at a single server. Servers that know the option
/// `sync_interval: always` in their block `jetstream` (2.9 does not) sync before they acknowledge, and are slower. Several
/// [`replicas`](JetStreamOptions::replicas) survive the loss of one of them.
pub type JetStreamLog = QueuedLog<Stream>;

/// The messages of a log.
pub struct Stream {
    engine: Arc<Engine>,
    server: Server,
    entries: Entries,
}

impl JetStreamLog {
    /// Opens the log of `worker` in the stream `world`, or makes both; cuts off a torn end, which [`torn`](crate::Log::torn) then
    /// returns.
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
        let found = Found { worker, place: server.place.clone(), status, torn, is_new: !known };
        QueuedLog::start(found, options.queue, writer, Stream { engine, server, entries })
    }
}

impl Store for Stream {
    fn read(&self, after: Option<u64>) -> Result<Blocks, LogError> {
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
