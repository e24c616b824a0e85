//! A stream on a server, as the log of a worker sees it: its subjects, a runtime of its own, and errors in words.

use super::JetStreamOptions;
use super::index::{Entry, Index};
use super::part::Part;
use crate::log::LogError;
use async_nats::ConnectOptions;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, LastRawMessageErrorKind, RawMessageErrorKind, StorageType, Stream,
};
use async_nats::jetstream::{Context, ContextBuilder, Message};
use bytes::Bytes;
use futures_util::StreamExt;
use std::convert::Infallible;
use std::fmt::Display;
use std::future::IntoFuture;
use std::sync::mpsc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// How long the server may be silent.
const SILENCE: Duration = Duration::from_secs(10);
/// Room for the headers of a message.
const HEADERS: usize = 1024;

/// Threads for the client. It may be used and dropped anywhere, even in another runtime.
pub(super) struct Engine {
    place: String,
    /// There until it is dropped.
    runtime: Option<Runtime>,
}

impl Engine {
    pub(super) fn start(place: &str) -> Result<Self, LogError> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(LogError::io("start the runtime of", place.as_ref()))?;
        Ok(Engine { place: place.into(), runtime: Some(runtime) })
    }

    /// Waits for a future.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = Result<T, LogError>> + Send + 'static,
    ) -> Result<T, LogError> {
        let (sender, receiver) = mpsc::channel();
        if let Some(runtime) = &self.runtime {
            // The receiver waits below.
            runtime.spawn(async move { _ = sender.send(future.await) });
        }
        receiver.recv().unwrap_or_else(|_| Err(LogError::Panicked { place: self.place.clone() }))
    }

    /// Waits for a future, in a thread that is not one of any runtime.
    pub(super) fn block_on<T>(&self, future: impl Future<Output = Result<T, LogError>>) -> Result<T, LogError> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(future),
            None => Err(LogError::Panicked { place: self.place.clone() }),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The messages of a worker.
#[derive(Clone)]
pub(super) struct Server {
    jetstream: Context,
    stream: Stream,
    /// Stream and worker: the beginning of all subjects.
    pub(super) place: String,
    /// The most bytes of a part.
    pub(super) room: usize,
}

/// The kinds of messages, each with a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Block,
    /// A writer begins.
    Claim,
    /// Whether there were blocks.
    State,
}

impl Kind {
    fn subject(self, place: &str) -> String {
        let kind = match self {
            Kind::Block => "block",
            Kind::Claim => "claim",
            Kind::State => "state",
        };
        format!("{place}.{kind}")
    }
}

impl Server {
    pub(super) async fn connect(
        server: String,
        name: String,
        worker: usize,
        options: JetStreamOptions,
    ) -> Result<Self, LogError> {
        let place = format!("{name}.{worker}");
        let client = answer("connect to the server of", &place, ConnectOptions::new().connect(server)).await?;
        let room = client.server_info().max_payload.saturating_sub(HEADERS).max(1);
        let jetstream = ContextBuilder::new().ack_timeout(options.patience).timeout(options.patience).build(client);
        let config = Config {
            subjects: vec![format!("{name}.>")],
            name,
            storage: StorageType::File,
            // A stream that is full refuses, instead of forgetting.
            discard: DiscardPolicy::New,
            num_replicas: options.replicas,
            ..Config::default()
        };
        let stream = answer("make the stream of", &place, jetstream.get_or_create_stream(config)).await?;
        Ok(Server { jetstream, stream, place, room })
    }

    /// Sends a message; the acknowledgement is awaited later.
    pub(super) async fn send(&self, part: &Part, bytes: Bytes) -> Result<PublishAckFuture, LogError> {
        let message = PublishMessage::build().headers(part.headers(&bytes)).payload(bytes);
        answer("send to", &self.place, self.jetstream.send_publish(Kind::Block.subject(&self.place), message)).await
    }

    /// Waits until the server has a message, and returns its number.
    pub(super) async fn acknowledged(&self, sent: PublishAckFuture) -> Result<u64, LogError> {
        answer("send to", &self.place, sent).await.map(|told| told.sequence)
    }

    /// Sends a message of another kind and waits for its number.
    pub(super) async fn note(&self, kind: Kind, text: String) -> Result<u64, LogError> {
        let sent =
            answer("send to", &self.place, self.jetstream.publish(kind.subject(&self.place), text.into())).await?;
        self.acknowledged(sent).await
    }

    /// Number and text of the newest message of a kind. The leader of the stream is asked, which knows all.
    pub(super) async fn newest(&self, kind: Kind) -> Result<Option<(u64, String)>, LogError> {
        let subject = kind.subject(&self.place);
        let newest = async {
            match self.stream.get_last_raw_message_by_subject(&subject).await {
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
                other => other.map(Some),
            }
        };
        let newest = answer("read", &self.place, newest).await?;
        Ok(newest.map(|message| (message.sequence, String::from_utf8_lossy(&message.payload).into_owned())))
    }

    /// Removes the messages of a kind before number `end`, or all.
    pub(super) async fn purge(&self, kind: Kind, end: Option<u64>) -> Result<(), LogError> {
        let purge = self.stream.purge().filter(kind.subject(&self.place));
        let purged = match end {
            // Nothing is before the first number; a server would take it for no limit.
            Some(0..=1) => return Ok(()),
            Some(end) => answer("truncate", &self.place, purge.sequence(end)).await,
            None => answer("truncate", &self.place, purge).await,
        };
        purged.map(drop)
    }

    pub(super) async fn delete(&self, number: u64) -> Result<(), LogError> {
        answer("cut", &self.place, self.stream.delete_message(number)).await.map(drop)
    }

    /// Classifies all messages up to the claim `epoch`.
    pub(super) async fn index(&self, epoch: u64) -> Result<Index, LogError> {
        let config = OrderedConfig {
            filter_subject: format!("{}.*", self.place),
            headers_only: true,
            deliver_policy: DeliverPolicy::All,
            ..OrderedConfig::default()
        };
        let mut messages = self.messages(config).await?;
        let mut index = Index::default();
        loop {
            let (number, message) = self.next(&mut messages).await?;
            let headers = message.headers.clone().unwrap_or_default();
            if number == epoch {
                index.close();
                return Ok(index);
            }
            if message.subject.as_str() == Kind::Claim.subject(&self.place) {
                index.claim(number);
            } else if message.subject.as_str() == Kind::Block.subject(&self.place) {
                let damaged = || LogError::Damaged { place: self.place.clone(), at: number, after: index.last() };
                let part = Part::read(&headers).ok_or_else(damaged)?;
                // The server sends their number where it leaves the bytes out.
                let bytes = headers.get("Nats-Msg-Size").and_then(|size| size.as_str().parse().ok()).unwrap_or(0);
                index.part(&self.place, number, part, bytes)?;
            }
        }
    }

    /// Reads a block: each part by its number. (A consumer of the blocks' subject may never get the last one that is left, if
    /// messages around it were deleted: seen with nats-server 2.9.10.)
    pub(super) async fn block(&self, entry: &Entry) -> Result<Vec<u8>, LogError> {
        let mut block = Vec::new();
        for (number, part) in &entry.parts {
            let message = async {
                match self.stream.get_raw_message(*number).await {
                    Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
                    other => other.map(Some),
                }
            };
            let message = answer("read", &self.place, message).await?.ok_or_else(|| LogError::Missing {
                place: self.place.clone(),
                after: entry.before(),
                until: entry.tick(),
            })?;
            if !part.is(&message.headers, &message.payload) {
                return Err(LogError::Damaged { place: self.place.clone(), at: *number, after: entry.before() });
            }
            block.extend_from_slice(&message.payload);
        }
        Ok(block)
    }

    async fn messages(&self, config: OrderedConfig) -> Result<Ordered, LogError> {
        let consumer = answer("read", &self.place, self.stream.create_consumer(config)).await?;
        answer("read", &self.place, consumer.messages()).await
    }

    async fn next(&self, messages: &mut Ordered) -> Result<(u64, Message), LogError> {
        let next = async { Ok::<_, Infallible>(messages.next().await) };
        let next = answer("read", &self.place, next).await?;
        let message = next.ok_or("the server has no more messages").map_err(refused("read", &self.place))?;
        let message = message.map_err(refused("read", &self.place))?;
        let number = message.info().map(|info| info.stream_sequence).map_err(refused("read", &self.place))?;
        Ok((number, message))
    }
}

/// Waits for an answer of the server, up to a limit.
async fn answer<T, E: Display>(
    doing: &'static str,
    place: &str,
    future: impl IntoFuture<Output = Result<T, E>>,
) -> Result<T, LogError> {
    let answer = tokio::time::timeout(SILENCE, future.into_future()).await.map_err(refused(doing, place))?;
    answer.map_err(refused(doing, place))
}

/// Turns an error of the client into ours.
fn refused<E: Display>(doing: &'static str, place: &str) -> impl FnOnce(E) -> LogError {
    let place = place.to_owned();
    move |error| LogError::Server { doing, place, reason: error.to_string() }
}
