//! Messages of one peer, and how long they are waited for.

use std::io::{self, BufReader, Read};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use super::frame::{Frame, HEADER, Kind};
use super::{LinkFault, Links, STEPS};
use crate::kept::planted;

/// A peer that still begins may take so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// Receives what one peer sends.
#[derive(Debug)]
pub(crate) struct Incoming(BufReader<Patient>);

impl Incoming {
    pub(crate) fn new(links: Links, from: usize) -> Self {
        Self(BufReader::with_capacity(1 << 16, Patient { links, from, has_begun: false }))
    }

    /// Waits for bytes, and puts them into `bytes`. Returns false where none will come: the peer has ended well, or all must
    /// stop.
    pub(crate) fn receive(&mut self, bytes: &mut Vec<u8>) -> bool {
        while !self.0.get_ref().links.stopped() {
            let fault = match self.frame(bytes) {
                Ok(Kind::Rows) => return true,
                Ok(Kind::End) => return false,
                Ok(Kind::Beat) => continue,
                Ok(Kind::Stop) => LinkFault::Stopped(String::from_utf8_lossy(bytes).into_owned()),
                Err(fault) => fault,
            };
            let Patient { links, from, .. } = self.0.get_ref();
            links.give_up(*from, fault);
        }
        false
    }

    fn frame(&mut self, bytes: &mut Vec<u8>) -> Result<Kind, LinkFault> {
        // Whoever failed to read has given the peer up for another reason.
        let failed = |_| LinkFault::Closed;
        let damaged = || LinkFault::Foreign("bytes without a right checksum".into());
        let mut header = [0; HEADER];
        self.0.read_exact(&mut header).map_err(failed)?;
        let frame = Frame::read(&header).ok_or_else(damaged)?;
        bytes.clear();
        // Grows with what comes, not with what is announced.
        (&mut self.0).take(frame.len).read_to_end(bytes).map_err(failed)?;
        let Patient { links, from, .. } = self.0.get_ref();
        if !frame.owns(bytes) {
            return Err(damaged());
        }
        if frame.from != *from as u64 && !planted("a sender that is not compared") {
            let text = format!("this is the connection to process {from}; its other end is process {}", frame.from);
            return Err(LinkFault::Foreign(text));
        }
        links.peer(*from).tick.fetch_max(frame.tick, SeqCst);
        Ok(frame.kind)
    }
}

/// Reads from a peer until the limit.
#[derive(Debug)]
struct Patient {
    links: Links,
    from: usize,
    has_begun: bool,
}

impl Read for Patient {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, TimedOut, WouldBlock};
        let Patient { links, from, has_begun } = self;
        let (peer, limit) = (links.peer(*from), links.0.limit);
        let most = if *has_begun { limit } else { limit.max(PATIENCE) };
        let mut silence = Duration::ZERO;
        let fault = loop {
            match peer.way.read(bytes) {
                Ok(0) => break LinkFault::Closed,
                Ok(count) => {
                    if *has_begun {
                        links.0.silence.fetch_max(silence.as_micros() as u64, SeqCst);
                    }
                    *has_begun = true;
                    return Ok(count);
                }
                Err(error) if matches!(error.kind(), WouldBlock | TimedOut) => {
                    silence += if planted("a silence that is not added up") { Duration::ZERO } else { limit / STEPS };
                    // No matter which: nothing is taken any more.
                    if silence >= most || links.stopped() {
                        break LinkFault::Silent(most);
                    }
                }
                Err(error) if error.kind() == Interrupted => (),
                Err(error) if matches!(error.kind(), ConnectionReset | ConnectionAborted) => break LinkFault::Closed,
                Err(error) => break LinkFault::Broken(error.to_string()),
            }
        };
        links.give_up(*from, fault);
        Err(ConnectionAborted.into())
    }
}
