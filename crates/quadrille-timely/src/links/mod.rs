//! The connections of a process to the others, around those of timely: each is heard of again and again, or given up.
//!
//! A thread for each peer sends a sign of life where nothing else is sent, whatever the workers do. So a peer that computes, or
//! has nothing to say, is told from one that is gone. A peer of which nothing comes for the limit is given up, and then this
//! process stops. Only the time in which this process itself runs counts.

mod frame;
mod incoming;
mod sockets;
mod stream;
mod way;

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};
use std::{io, thread};

use crate::kept::planted;
use frame::{Frame, Kind};

#[cfg(test)]
pub(crate) use incoming::Incoming;
pub(crate) use sockets::connect;
#[cfg(test)]
pub(crate) use sockets::{greeting, heard};
#[cfg(test)]
pub(crate) use stream::check_message;
pub use stream::{Connections, Link};
pub(crate) use way::Way;

/// A read that takes longer counts as that much silence: so a pause of this process is not taken for one of its peers.
const STEPS: u32 = 16;
/// How often it is looked whether workers have begun, or ended.
const NAP: Duration = Duration::from_millis(1);
/// How long a process that stops may take to say why.
const FAREWELL: Duration = Duration::from_millis(100);

/// Why a process gives up, because of another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("process {peer}, last heard of at tick {tick}, {fault}")]
pub struct LinkError {
    /// The number of the other process.
    pub peer: usize,
    /// The tick that it had come to when it was last heard of.
    pub tick: u64,
    /// The fault that was noticed.
    pub fault: LinkFault,
}

/// A fault of another process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkFault {
    /// Nothing comes from it: it has stopped, or the way there is cut.
    #[error("is silent for {0:?}")]
    Silent(Duration),
    /// It has died, or broken the connection.
    #[error("has closed the connection")]
    Closed,
    /// The connection failed, for this reason of the system.
    #[error("cannot be reached: {0}")]
    Broken(String),
    /// It sends bytes that no process of this world sends.
    #[error("sends what no process of this world does: {0}")]
    Foreign(String),
    /// It has stopped, and says why.
    #[error("has stopped: {0}")]
    Stopped(String),
}

/// The connections of a process to all others. Clones are the same connections.
#[derive(Clone, Debug)]
pub(crate) struct Links(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    me: usize,
    limit: Duration,
    peers: Vec<Option<Peer>>,
    /// The tick that this process has come to.
    tick: AtomicU64,
    /// Nothing is sent or received any more.
    stopped: AtomicBool,
    error: OnceLock<LinkError>,
    /// The longest silence of a peer, in microseconds.
    silence: AtomicU64,
    /// The channel on which timely tells of progress, once it is known; the number 0 is that of a dataflow.
    progress: AtomicUsize,
    /// Workers that may still take what was received have a clone.
    held: Arc<()>,
}

#[derive(Debug)]
struct Peer {
    way: Box<dyn Way>,
    out: Mutex<Out>,
    tick: AtomicU64,
}

#[derive(Debug)]
struct Out {
    sent: Instant,
    ended: bool,
}

impl Peer {
    /// The way out. A sender that waits for a dead peer has it, so not for ever.
    fn out_until(&self, until: Instant) -> Option<MutexGuard<'_, Out>> {
        loop {
            match self.out.try_lock() {
                Err(TryLockError::WouldBlock) if self.way.now() < until => self.way.sleep(Duration::from_millis(1)),
                out => return out.ok(),
            }
        }
    }
}

impl Links {
    /// Takes connections, with `None` at the place of this process. A peer of which nothing comes for `limit` is given up; all
    /// processes should have the same.
    pub(crate) fn new(me: usize, sockets: Vec<Option<TcpStream>>, limit: Duration) -> io::Result<Self> {
        let limit = limit.max(Duration::from_millis(u64::from(STEPS)));
        let way = |socket: TcpStream| -> io::Result<Box<dyn Way>> {
            socket.set_nonblocking(false)?;
            socket.set_read_timeout(Some(limit / STEPS))?;
            Ok(Box::new(socket))
        };
        let ways: io::Result<Vec<_>> = sockets.into_iter().map(|socket| socket.map(way).transpose()).collect();
        let links = Self::over(me, ways?, limit);
        for peer in (0..links.processes()).filter(|peer| links.0.peers[*peer].is_some()) {
            let weak = Arc::downgrade(&links.0);
            thread::Builder::new().name(format!("beat {peer}")).spawn(move || beat(&weak, peer, thread::sleep))?;
        }
        Ok(links)
    }

    /// Takes connections of any kind whose reads end after a sixteenth of the limit. Somebody must [`beat`].
    pub(crate) fn over(me: usize, ways: Vec<Option<Box<dyn Way>>>, limit: Duration) -> Self {
        let peer = |way: Box<dyn Way>| {
            let out = Out { sent: way.now(), ended: false };
            Peer { way, out: out.into(), tick: AtomicU64::new(0) }
        };
        let peers = ways.into_iter().map(|way| way.map(peer)).collect();
        Self(Arc::new(Shared { me, limit, peers, ..Shared::default() }))
    }

    /// Sends signs of life to a peer, to the end.
    #[cfg(test)]
    pub(crate) fn beat(&self, to: usize) {
        beat(&Arc::downgrade(&self.0), to, |time| self.peer(to).way.sleep(time));
    }

    /// How many processes there are.
    pub(crate) fn processes(&self) -> usize {
        self.0.peers.len()
    }

    fn peer(&self, number: usize) -> &Peer {
        self.0.peers[number].as_ref().expect("a process has no connection to itself")
    }

    /// Says how far this process has come; others learn it with the next bytes.
    pub(crate) fn at_tick(&self, tick: u64) {
        self.0.tick.fetch_max(tick, SeqCst);
    }

    /// Whether all must stop.
    pub(crate) fn stopped(&self) -> bool {
        self.0.stopped.load(SeqCst)
    }

    /// Why this process gives up, if another one is the cause.
    pub(crate) fn error(&self) -> Option<LinkError> {
        self.0.error.get().cloned()
    }

    /// Notes the first cause. A connection that this process has broken is none.
    fn give_up(&self, peer: usize, fault: LinkFault) {
        if !self.stopped() {
            let _ = self.0.error.set(LinkError { peer, tick: self.peer(peer).tick.load(SeqCst), fault });
            self.0.stopped.store(true, SeqCst);
        }
    }

    /// Declares that a peer sends nonsense.
    pub(crate) fn accuse(&self, peer: usize, of: &str) {
        self.give_up(peer, LinkFault::Foreign(of.into()));
    }

    /// The longest time in which nothing came from one of the others, in sixteenths of the limit.
    pub(crate) fn longest_silence(&self) -> Duration {
        Duration::from_micros(self.0.silence.load(SeqCst))
    }

    /// Breaks all connections, and tells the others why. Only the first call does anything.
    pub(crate) fn stop(&self, why: &str) {
        if self.0.stopped.swap(true, SeqCst) && self.error().is_none() {
            return;
        }
        let mut until = None;
        for peer in self.0.peers.iter().flatten() {
            let until = *until.get_or_insert_with(|| peer.way.now() + FAREWELL);
            if let Some(mut out) = peer.out_until(until).filter(|_| !planted("a reason that is not told")) {
                peer.way.hurry(FAREWELL);
                self.write(peer, &mut out, Kind::Stop, &why.as_bytes()[..why.len().min(1000)]);
            }
            // Bytes written before still arrive.
            peer.way.end();
        }
    }

    /// Counts a worker, until the value is dropped: after a failure, [`released`](Self::released) waits for it.
    pub(crate) fn hold(&self) -> Arc<()> {
        Arc::clone(&self.0.held)
    }

    /// Waits until no worker is there that could take what was received.
    fn released(&self) {
        while Arc::strong_count(&self.0.held) > 1 {
            thread::sleep(NAP);
        }
    }

    /// The workers of this process have built their dataflow.
    pub(crate) fn progress_on(&self, channel: usize) {
        self.0.progress.store(channel, SeqCst);
    }

    /// The channel of progress. Waits for a worker that has built its dataflow, if all go on.
    pub(crate) fn progress(&self) -> usize {
        while self.0.progress.load(SeqCst) == 0 && !self.stopped() {
            thread::sleep(NAP);
        }
        self.0.progress.load(SeqCst)
    }

    /// Sends bytes, which arrive together; none where all must stop.
    fn send(&self, to: usize, kind: Kind, bytes: &[u8]) {
        let peer = self.peer(to);
        let mut out = peer.out.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.stopped() {
            self.write(peer, &mut out, kind, bytes);
        }
    }

    /// Bytes of the dataflow.
    pub(crate) fn rows(&self, to: usize, bytes: &[u8]) {
        self.send(to, Kind::Rows, bytes);
    }

    /// Says that nothing follows.
    pub(crate) fn end(&self, to: usize) {
        self.send(to, Kind::End, &[]);
        match self.error() {
            // Closed in silence, the other side would not hear why.
            Some(error) => self.stop(&error.to_string()),
            None if self.stopped() => (),
            None => self.peer(to).way.end(),
        }
    }

    fn write(&self, peer: &Peer, out: &mut Out, kind: Kind, bytes: &[u8]) {
        if !out.ended {
            let header = Frame::header(kind, self.0.me, self.0.tick.load(SeqCst), bytes);
            // In one call of the system. A peer that has said why it stops is still to be heard: the receiver will find the end.
            let sent = peer.way.write_all(&[&header[..], bytes].concat());
            out.ended = sent.is_err() || matches!(kind, Kind::End | Kind::Stop);
            out.sent = peer.way.now();
        }
    }
}

/// Sends signs of life to a peer, as long as there is somebody to send and somebody to hear.
fn beat(links: &Weak<Shared>, to: usize, sleep: impl Fn(Duration)) {
    while let Some(links) = links.upgrade().map(Links) {
        let (peer, every) = (links.peer(to), links.0.limit / 8);
        // Whoever holds it is sending.
        if let Ok(mut out) = peer.out.try_lock() {
            if out.ended || links.stopped() || planted("no signs of life") {
                return;
            }
            if peer.way.now() - out.sent + every / 8 >= every {
                links.write(peer, &mut out, Kind::Beat, &[]);
            }
        }
        drop(links);
        sleep(every);
    }
}
