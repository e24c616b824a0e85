//! Messages of one peer, and how long they are waited for.

use std::io::{self, ErrorKind, Read};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use super::frame::{BEAT, END, Frame, Header, ROWS, STOP};
use super::{LinkFault, Links, STEPS, is_pause};
use crate::kept::planted;

/// A peer that still begins may take so long.
const PATIENCE: Duration = Duration::from_secs(30);
/// Memory grows by so many bytes with what comes, and not with what is announced.
const PIECE: u64 = 1 << 20;

/// Receives what one peer sends.
#[derive(Debug)]
pub(crate) struct Incoming {
    links: Links,
    from: usize,
    /// A peer of which nothing comes so long is given up.
    limit: Duration,
}

impl Incoming {
    pub(crate) fn new(links: Links, from: usize) -> Self {
        let limit = links.0.limit.max(PATIENCE);
        Self { links, from, limit }
    }

    /// Waits for bytes, and puts them into `bytes`. Returns false where none will come: the peer has ended well, or all must
    /// stop.
    pub(crate) fn receive(&mut self, bytes: &mut Vec<u8>) -> bool {
        while !self.links.stopped() {
            let fault = match self.frame(bytes) {
                Ok(ROWS) => return true,
                Ok(END) => return false,
                Ok(BEAT) => continue,
                Ok(STOP) => LinkFault::Stopped(String::from_utf8_lossy(bytes).into_owned()),
                Ok(kind) => LinkFault::Foreign(format!("a frame of kind {kind}")),
                Err(fault) => fault,
            };
            self.links.give_up(self.from, fault);
        }
        false
    }

    /// Waits for the next frame. Returns its kind.
    fn frame(&mut self, bytes: &mut Vec<u8>) -> Result<u64, LinkFault> {
        let damaged = || LinkFault::Foreign("bytes without a right checksum".into());
        let mut header = Header::default();
        self.read_exact(header.as_flattened_mut()).map_err(|error| self.fault(&error))?;
        let frame = Frame::read(&header).ok_or_else(damaged)?;
        bytes.clear();
        while (bytes.len() as u64) < frame.len {
            let at = bytes.len();
            bytes.resize(frame.len.min(at as u64 + PIECE) as usize, 0);
            self.read_exact(&mut bytes[at..]).map_err(|error| self.fault(&error))?;
        }
        if !frame.owns(bytes) {
            return Err(damaged());
        }
        let Self { links, from, .. } = self;
        if frame.from != *from as u64 && !planted("a sender that is not compared") {
            let text = format!("this is the connection to process {from}; its other end is process {}", frame.from);
            return Err(LinkFault::Foreign(text));
        }
        links.peer(*from).tick.fetch_max(frame.tick, SeqCst);
        Ok(frame.kind)
    }

    fn fault(&self, error: &io::Error) -> LinkFault {
        match error.kind() {
            _ if is_pause(error) => LinkFault::Silent(self.limit),
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => LinkFault::Closed,
            _ => LinkFault::Broken(error.to_string()),
        }
    }
}

/// Reads from the peer until the limit.
impl Read for Incoming {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let (all, mut silence) = (&self.links.0, Duration::ZERO);
        let step = if planted("a silence that is not added up") { Duration::ZERO } else { all.limit / STEPS };
        loop {
            match self.links.peer(self.from).way.read(bytes) {
                // No matter why all must stop: nothing is taken any more.
                Err(error) if is_pause(&error) && silence + step < self.limit && !self.links.stopped() => {
                    silence += step;
                }
                Ok(count) => {
                    all.silence.fetch_max(silence.as_micros() as u64, SeqCst);
                    self.limit = all.limit;
                    return Ok(count);
                }
                failed => return failed,
            }
        }
    }
}
