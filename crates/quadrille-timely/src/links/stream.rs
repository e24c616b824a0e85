//! The connections of timely, over links that notice when a process is gone.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use timely::communication::allocator::zero_copy::stream::Stream;
use timely::communication::networking::MessageHeader;

use super::incoming::Incoming;
use super::messages::{Built, Nonsense};
use super::{Links, NAP};

/// The connections of a process whose workers the caller starts: those of timely go through them, so that a process that is
/// gone is noticed. [`Cluster`](crate::Cluster) has its own.
///
/// ```no_run
/// # use std::{io, net::TcpStream, time::Duration};
/// # use timely::communication::{Hooks, allocator::{AllocatorBuilder, ProcessBuilder}};
/// # use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
/// # use quadrille_timely::{Connections, Program, World};
/// # fn run<P: Program<f32, 2>>(world: World, number: usize, sockets: Vec<Option<TcpStream>>, program: fn() -> P) -> io::Result<()> {
/// let connections = Connections::new(number, sockets, 1, Duration::from_secs(10))?;
/// let hooks = Hooks::default();
/// let typed = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
/// let (builders, guard) = initialize_networking_from_sockets(typed, connections.streams(), number, 1, hooks)?;
/// let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
/// let guards = timely::execute::execute_from(builders, Box::new(guard), Default::default(), move |timely| {
///     connections.on_worker(timely, &world, program())
/// });
/// # drop(guards);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Connections {
    pub(crate) links: Links,
    pub(crate) number: usize,
    pub(crate) threads: usize,
}

impl Connections {
    /// Takes the sockets of a process of `threads` workers to each other one, with `None` at its own number. Another process
    /// that is silent for the limit is given up: all workers here stop, and with them all processes.
    ///
    /// # Errors
    /// The system's.
    pub fn new(number: usize, sockets: Vec<Option<TcpStream>>, threads: usize, silence: Duration) -> io::Result<Self> {
        Ok(Self { links: Links::new(number, sockets, silence)?, number, threads })
    }

    /// The links that timely takes as sockets; once.
    #[must_use]
    pub fn streams(&self) -> Vec<Option<Link>> {
        let link = |peer| (peer != self.number).then(|| Link::new(self.clone(), peer));
        (0..self.links.processes()).map(link).collect()
    }

    /// Why these bytes are none of a process, if so; and whether they say that nothing follows.
    fn check(&self, peer: usize, mut bytes: &[u8]) -> Result<bool, Nonsense> {
        let workers = |process: usize| process * self.threads..(process + 1) * self.threads;
        while !bytes.is_empty() {
            // A length that does not fit into memory would overflow.
            let length = bytes.get(32..40).map(|length| u64::from_be_bytes(length.try_into().expect("8 bytes")));
            let fits = length.is_some_and(|length| length <= bytes.len() as u64);
            let header = fits.then(|| MessageHeader::try_read(bytes)).flatten();
            let header = header.ok_or("a message that is cut short")?;
            let (message, rest) = bytes.split_at(header.required_bytes());
            bytes = rest;
            if header.length == 0 {
                return if bytes.is_empty() { Ok(true) } else { Err("a message behind the last one") };
            }
            let (here, there) = (workers(self.number), workers(peer));
            let targets = header.target_lower..header.target_upper;
            if !there.contains(&header.source) || targets.start < here.start || targets.end > here.end {
                return Err("a message between other workers");
            }
            self.links.admit(peer, header.channel, header.source, &message[header.header_bytes()..])?;
        }
        Ok(false)
    }
}

impl Links {
    /// Whether a peer may send these bytes.
    pub(crate) fn admit(&self, peer: usize, channel: usize, source: usize, bytes: &[u8]) -> Result<(), Nonsense> {
        self.0.channels.lock().unwrap_or_else(PoisonError::into_inner).admit(peer, channel, source, bytes)
    }

    /// A worker has built its dataflow.
    pub(crate) fn built(&self, built: Built) {
        let added = self.0.channels.lock().unwrap_or_else(PoisonError::into_inner).add(built);
        added.unwrap_or_else(|(peer, nonsense)| self.accuse(peer, nonsense));
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
}

/// A connection to another process, as timely takes it.
#[derive(Debug)]
pub struct Link {
    all: Connections,
    peer: usize,
    incoming: Incoming,
    /// The bytes that came last, and how many of them timely has taken.
    came: Vec<u8>,
    taken: usize,
    /// Nothing follows.
    ended: bool,
}

impl Link {
    fn new(all: Connections, peer: usize) -> Self {
        let incoming = Incoming::new(all.links.clone(), peer);
        Self { all, peer, incoming, came: Vec::new(), taken: 0, ended: false }
    }

    /// Waits for whole messages.
    fn fill(&mut self) {
        let Self { all, peer, incoming, came, .. } = self;
        self.taken = 0;
        if incoming.receive(came) {
            match all.check(*peer, came) {
                Ok(ended) => return self.ended = ended,
                Err(fault) => all.links.accuse(*peer, fault),
            }
        } else if !all.links.stopped() {
            all.links.accuse(*peer, "no last message");
        }
        // The end, as timely knows it. It would panic at any other, and no worker is there any more to take what came before.
        all.links.released();
        *came = vec![0; 48];
        self.ended = true;
    }
}

impl Read for Link {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.came.len() && !self.ended {
            self.fill();
        }
        if self.taken == self.came.len() {
            // It waits for the end, so that no unread bytes break the connection while the other side still reads.
            if self.incoming.receive(&mut self.came) {
                self.all.links.accuse(self.peer, "a message behind the last one");
            }
            self.came.clear();
            self.taken = 0;
        }
        let count = (&self.came[self.taken..]).read(bytes)?;
        self.taken += count;
        Ok(count)
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.all.links.rows(self.peer, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self::new(self.all.clone(), self.peer))
    }

    fn set_nonblocking(&self, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        self.all.links.end(self.peer);
        Ok(())
    }
}
