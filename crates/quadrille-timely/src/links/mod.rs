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

use std::fmt;
use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::kept::planted;
use frame::{Frame, Kind};

#[cfg(test)]
pub(crate) use incoming::Incoming;
pub(crate) use sockets::connect;
#[cfg(test)]
pub(crate) use sockets::{greeting, heard};
pub use stream::{Connections, Link};
pub(crate) use way::Way;

/// A read that takes longer counts as that much silence: so a pause of this process is not taken for one of its peers.
const STEPS: u32 = 16;
/// Fewer bytes go with their header in one call of the system.
const TOGETHER: usize = 1 << 16;
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
#[derive(Clone)]
pub(crate) struct Links(Arc<Shared>);

struct Shared {
    me: usize,
    limit: Duration,
    peers: Vec<Option<Peer>>,
    /// The tick that this process has come to.
    tick: AtomicU64,
    /// Nothing is sent or received any more.
    stopped: AtomicBool,
    error: Mutex<Option<LinkError>>,
    /// Workers that may still take what was received.
    workers: AtomicUsize,
    left: Condvar,
}

struct Peer {
    way: Box<dyn Way>,
    out: Mutex<Out>,
    tick: AtomicU64,
    /// The longest silence, in microseconds.
    silence: AtomicU64,
}

struct Out {
    sent: Instant,
    ended: bool,
    /// The bytes of a frame that is being sent.
    frame: Vec<u8>,
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
            let out = Out { sent: way.now(), ended: false, frame: Vec::new() };
            Peer { way, out: out.into(), tick: AtomicU64::new(0), silence: AtomicU64::new(0) }
        };
        Self(Arc::new(Shared {
            me,
            limit,
            peers: ways.into_iter().map(|way| way.map(peer)).collect(),
            tick: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            error: Mutex::new(None),
            workers: AtomicUsize::new(0),
            left: Condvar::new(),
        }))
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
        self.0.tick.fetch_max(tick, Ordering::Relaxed);
    }

    /// Whether all must stop.
    pub(crate) fn stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    fn cause(&self) -> MutexGuard<'_, Option<LinkError>> {
        self.0.error.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why this process gives up, if another one is the cause.
    pub(crate) fn error(&self) -> Option<LinkError> {
        self.cause().clone()
    }

    /// Notes the first cause. A connection that this process has broken is none.
    fn give_up(&self, peer: usize, fault: LinkFault) {
        let mut cause = self.cause();
        if !self.0.stopped.swap(true, Ordering::Relaxed) {
            *cause = Some(LinkError { peer, tick: self.peer(peer).tick.load(Ordering::Relaxed), fault });
        }
    }

    /// Declares that a peer sends nonsense.
    pub(crate) fn accuse(&self, peer: usize, of: &str) {
        self.give_up(peer, LinkFault::Foreign(of.into()));
    }

    /// The longest time in which nothing came from one of the others, in sixteenths of the limit.
    pub(crate) fn longest_silence(&self) -> Duration {
        let silences = self.0.peers.iter().flatten().map(|peer| peer.silence.load(Ordering::Relaxed));
        Duration::from_micros(silences.max().unwrap_or(0))
    }

    /// Breaks all connections, and tells the others why. Only the first call does anything.
    pub(crate) fn stop(&self, why: &str) {
        if self.0.stopped.swap(true, Ordering::Relaxed) && self.cause().is_none() {
            return;
        }
        let mut until = None;
        for peer in self.0.peers.iter().flatten() {
            let until = *until.get_or_insert_with(|| peer.way.now() + FAREWELL);
            if let Some(mut out) = peer.out_until(until)
                && !out.ended
                && !planted("a reason that is not told")
            {
                peer.way.hurry(FAREWELL);
                let why = why.as_bytes();
                let _ = self.write(peer, &mut out, Kind::Stop, &why[..why.len().min(1000)]);
                out.ended = true;
            }
            // Bytes written before still arrive.
            peer.way.end();
        }
    }

    /// Counts a worker, until the value is dropped: after a failure, [`released`](Self::released) waits for it.
    pub(crate) fn hold(&self) -> Hold {
        self.0.workers.fetch_add(1, Ordering::SeqCst);
        Hold(self.clone())
    }

    /// Waits until no worker is there that could take what was received.
    fn released(&self) {
        let is_held = |_: &mut Option<LinkError>| self.0.workers.load(Ordering::SeqCst) > 0;
        drop(self.0.left.wait_while(self.cause(), is_held));
    }

    /// Sends bytes, which arrive together; none where all must stop.
    fn send(&self, to: usize, kind: Kind, bytes: &[u8]) {
        let peer = self.peer(to);
        let mut out = peer.out.lock().unwrap_or_else(PoisonError::into_inner);
        if !out.ended && !self.stopped() {
            // A peer that has said why it stops is still to be heard: the receiver will find the end.
            out.ended = self.write(peer, &mut out, kind, bytes).is_err() || kind == Kind::End;
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

    fn write(&self, peer: &Peer, out: &mut Out, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        let frame = &mut out.frame;
        frame.clear();
        frame.extend(Frame::header(kind, self.0.me, self.0.tick.load(Ordering::Relaxed), bytes));
        let (with, after) = if bytes.len() < TOGETHER { (bytes, &[][..]) } else { (&[][..], bytes) };
        frame.extend(with);
        peer.way.write_all(frame)?;
        peer.way.write_all(after)?;
        out.sent = peer.way.now();
        Ok(())
    }
}

/// A worker that may take what was received.
pub(crate) struct Hold(Links);

impl Drop for Hold {
    fn drop(&mut self) {
        let _cause = self.0.cause();
        self.0.0.workers.fetch_sub(1, Ordering::SeqCst);
        self.0.0.left.notify_all();
    }
}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Links of process {}", self.0.me)
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
                out.ended = links.write(peer, &mut out, Kind::Beat, &[]).is_err();
            }
        }
        drop(links);
        sleep(every);
    }
}
