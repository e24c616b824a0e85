//! The connections of a process to the others, around those of timely: each is heard of again and again, or given up.
//!
//! A thread for each peer sends a sign of life now and then, whatever the workers do. So a peer that computes, or
//! has nothing to say, is told from one that is gone. A peer of which nothing comes for the limit is given up, and then this
//! process stops. Only the time in which this process itself runs counts.

mod frame;
pub(crate) mod incoming;
pub(crate) mod messages;
pub(crate) mod sockets;
mod stream;
pub(crate) mod way;

use std::io::{self, ErrorKind, IoSlice};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock, TryLockError};
use std::thread;
use std::time::Duration;

use crate::kept::planted;
use frame::{BEAT, END, Frame, ROWS, STOP};
use messages::Channels;
pub use stream::{Connections, Link};
use way::Way;

/// A read that takes longer counts as that much silence: so a pause of this process is not taken for one of its peers.
const STEPS: u32 = 16;
/// How often it is looked whether workers have ended, or let go of a connection.
const NAP: Duration = Duration::from_millis(1);
/// A write waits so long for room before it is looked whether all must stop.
const ROOM: Duration = Duration::from_millis(100);

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
    /// Set when nothing is sent or received any more: to the fault of another process, if that is why.
    stopped: OnceLock<Option<LinkError>>,
    /// The longest silence of a peer, in microseconds.
    silence: AtomicU64,
    channels: Mutex<Channels>,
    /// Workers that may still take what was received have a clone.
    held: Arc<()>,
}

#[derive(Debug)]
struct Peer {
    way: Arc<dyn Way>,
    /// Whether nothing is sent any more. Whoever has it is sending.
    ended: Mutex<bool>,
    tick: AtomicU64,
}

impl Links {
    /// Takes connections, with `None` at the place of this process. A peer of which nothing comes for `limit` is given up; all
    /// processes should have the same.
    pub(crate) fn new(me: usize, sockets: Vec<Option<TcpStream>>, limit: Duration) -> io::Result<Self> {
        let limit = limit.max(Duration::from_millis(u64::from(STEPS)));
        let way = |socket: TcpStream| -> io::Result<Arc<dyn Way>> {
            socket.set_nonblocking(false)?;
            socket.set_read_timeout(Some(limit / STEPS))?;
            socket.set_write_timeout(Some(ROOM))?;
            Ok(Arc::new(socket))
        };
        let ways: io::Result<Vec<_>> = sockets.into_iter().map(|socket| socket.map(way).transpose()).collect();
        let links = Self::over(me, ways?, limit);
        for peer in (0..links.processes()).filter(|peer| links.0.peers[*peer].is_some()) {
            thread::Builder::new().name(format!("beat {peer}")).spawn(links.beat(peer))?;
        }
        Ok(links)
    }

    /// Takes connections of any kind whose reads end after a sixteenth of the limit. Somebody must [`beat`].
    pub(crate) fn over(me: usize, ways: Vec<Option<Arc<dyn Way>>>, limit: Duration) -> Self {
        let peer = |way| Peer { way, ended: Mutex::default(), tick: AtomicU64::default() };
        let peers = ways.into_iter().map(|way| way.map(peer)).collect();
        Self(Arc::new(Shared { me, limit, peers, ..Shared::default() }))
    }

    /// Sends signs of life to a peer, as long as there is somebody to send and somebody to hear.
    pub(crate) fn beat(&self, to: usize) -> impl FnOnce() + Send + 'static {
        let (links, way, every) = (Arc::downgrade(&self.0), Arc::clone(&self.peer(to).way), self.0.limit / 8);
        move || {
            let beats = || links.upgrade().is_some_and(|links| Self(links).send(to, BEAT, &[]));
            while !planted("no signs of life") && beats() {
                way.sleep(every);
            }
        }
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
        self.0.stopped.get().is_some()
    }

    /// Why this process gives up, if another one is the cause.
    pub(crate) fn error(&self) -> Option<LinkError> {
        self.0.stopped.get().cloned().flatten()
    }

    /// Notes the first cause. A connection that this process has broken is none.
    fn give_up(&self, peer: usize, fault: LinkFault) {
        let _ = self.0.stopped.set(Some(LinkError { peer, tick: self.peer(peer).tick.load(SeqCst), fault }));
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
        if self.0.stopped.set(None).is_err() && self.error().is_none() {
            return;
        }
        for (number, peer) in (0..).zip(&self.0.peers).filter_map(|(number, peer)| Some((number, peer.as_ref()?))) {
            if !planted("a reason that is not told") {
                self.send(number, STOP, &why.as_bytes()[..why.len().min(1000)]);
            }
            // Bytes written before still arrive.
            peer.way.end();
        }
    }

    /// Sends bytes, which arrive together; where all must stop, only the reason. Returns whether more can be sent.
    fn send(&self, to: usize, kind: u64, bytes: &[u8]) -> bool {
        let Peer { way, ended, .. } = self.peer(to);
        let mut ended = loop {
            match ended.try_lock() {
                Err(TryLockError::WouldBlock) => way.sleep(NAP),
                ended => break ended.expect("no sender panics"),
            }
        };
        if *ended || kind != STOP && self.stopped() {
            return false;
        }
        let header = Frame::header(kind, self.0.me, self.0.tick.load(SeqCst), bytes);
        let mut rest = &mut [header.as_flattened(), bytes].map(IoSlice::new)[..];
        while !rest.is_empty() && !*ended {
            match way.write(rest) {
                Ok(count) => IoSlice::advance_slices(&mut rest, count),
                // A peer that has said why it stops is still to be heard: the receiver will find the end.
                Err(error) => *ended = error.kind() != ErrorKind::Interrupted && (!is_pause(&error) || self.stopped()),
            }
        }
        *ended |= matches!(kind, END | STOP);
        !*ended
    }

    /// Bytes of the dataflow.
    pub(crate) fn rows(&self, to: usize, bytes: &[u8]) {
        self.send(to, ROWS, bytes);
    }

    /// Says that nothing follows.
    pub(crate) fn end(&self, to: usize) {
        self.send(to, END, &[]);
        match self.error() {
            // Closed in silence, the other side would not hear why.
            Some(error) => self.stop(&error.to_string()),
            None if self.stopped() => (),
            None => self.peer(to).way.end(),
        }
    }
}

/// Whether a connection has waited a while, and is sound.
fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
