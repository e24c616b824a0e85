//! Messages of one peer, and how long they are waited for.

use std::io::{self, BufReader, ErrorKind, Read};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use super::frame::{BEAT, END, Frame, Header, ROWS, STOP, checksum};
use super::{LinkFault, Links, STEPS, is_pause};
use crate::kept::planted;

/// A peer that still begins may take so long.
const PATIENCE: Duration = Duration::from_secs(30);
/// Memory grows by so many bytes with what comes, and not with what is announced.
const PIECE: usize = 1 << 20;

/// Receives what one peer sends.
#[derive(Debug)]
pub(crate) struct Incoming(BufReader<Patient>);

impl Incoming {
    pub(crate) fn new(links: Links, from: usize) -> Self {
        // Frames that fit are read together; the bytes of others are not copied.
        Self(BufReader::with_capacity(1 << 13, Patient { limit: links.0.limit.max(PATIENCE), links, from }))
    }

    /// Waits for bytes, and puts them into `bytes`. Returns false where none will come: the peer has ended well, or all must
    /// stop.
    pub(crate) fn receive(&mut self, bytes: &mut Vec<u8>) -> bool {
        while !self.0.get_ref().links.stopped() {
            let fault = match self.frame(bytes) {
                Ok(ROWS) => return true,
                Ok(END) => return false,
                Ok(BEAT) => continue,
                Ok(STOP) => LinkFault::Stopped(String::from_utf8_lossy(bytes).into_owned()),
                Ok(kind) => LinkFault::Foreign(format!("a frame of kind {kind}")),
                Err(fault) => fault,
            };
            let Patient { links, from, .. } = self.0.get_ref();
            links.give_up(*from, fault);
        }
        false
    }

    /// Waits for the next frame. Returns its kind.
    fn frame(&mut self, bytes: &mut Vec<u8>) -> Result<u64, LinkFault> {
        let damaged = || LinkFault::Foreign("bytes without a right checksum".into());
        let mut header = Header::default();
        self.fill(header.as_flattened_mut())?;
        let frame = Frame::read(&header).ok_or_else(damaged)?;
        // Bytes of an older frame that these replace need not be cleared.
        bytes.truncate(frame.len);
        for at in (0..frame.len).step_by(PIECE) {
            let until = frame.len.min(at + PIECE);
            bytes.resize(until.max(bytes.len()), 0);
            self.fill(&mut bytes[at..until])?;
        }
        if frame.sum != checksum(frame.tick, bytes) && !planted("a checksum that is not compared") {
            return Err(damaged());
        }
        let Patient { links, from, .. } = self.0.get_ref();
        if frame.from != *from as u64 && !planted("a sender that is not compared") {
            let text = format!("this is the connection to process {from}; its other end is process {}", frame.from);
            return Err(LinkFault::Foreign(text));
        }
        links.peer(*from).tick.fetch_max(frame.tick, SeqCst);
        Ok(frame.kind)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), LinkFault> {
        self.0.read_exact(bytes).map_err(|error| match error.kind() {
            _ if is_pause(&error) => LinkFault::Silent(self.0.get_ref().limit),
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => LinkFault::Closed,
            _ => LinkFault::Broken(error.to_string()),
        })
    }
}

/// Reads from a peer until the limit.
#[derive(Debug)]
struct Patient {
    links: Links,
    from: usize,
    /// The peer is given up when nothing comes so long.
    limit: Duration,
}

impl Read for Patient {
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
