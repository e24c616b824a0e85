//! Messages of one peer, and how long they are waited for.

use super::{LinkFault, STEPS, Shared};
use crate::disk::planted;
use crate::frame::{Frame, HEADER, Kind};
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A peer that still begins may take so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// Receives what one peer sends.
#[derive(Debug)]
pub struct Incoming {
    input: BufReader<Patient>,
}

impl Incoming {
    pub(super) fn new(shared: Arc<Shared>, from: usize) -> Self {
        let patient = Patient { shared, from, has_begun: false };
        Self { input: BufReader::with_capacity(1 << 16, patient) }
    }

    /// Waits for bytes, and puts them into `bytes`. Returns false where none will come: the peer has ended well, or all must
    /// stop.
    pub fn receive(&mut self, bytes: &mut Vec<u8>) -> bool {
        loop {
            if self.input.get_ref().shared.stopped.load(Ordering::Relaxed) {
                return false;
            }
            // Whoever failed to read has said why.
            let Ok(frame) = self.frame(bytes) else { return false };
            match frame {
                Some(Kind::Rows) => return true,
                Some(Kind::Beat) => (),
                Some(Kind::Stop) => {
                    let why = String::from_utf8_lossy(bytes).into_owned();
                    self.give_up(LinkFault::Stopped(why));
                    return false;
                }
                Some(Kind::End) => return false,
                None => {
                    self.give_up(LinkFault::Foreign("bytes without a right checksum".into()));
                    return false;
                }
            }
        }
    }

    fn give_up(&self, fault: LinkFault) {
        let Patient { shared, from, .. } = self.input.get_ref();
        shared.give_up(*from, fault);
    }

    /// The next frame; none where the bytes are no frame.
    fn frame(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<Kind>> {
        let mut header = [0; HEADER];
        self.input.read_exact(&mut header)?;
        let Some(frame) = Frame::decode(&header) else { return Ok(None) };
        bytes.clear();
        // Grows with what comes, not with what is announced.
        (&mut self.input).take(frame.len).read_to_end(bytes)?;
        let Patient { shared, from, .. } = self.input.get_ref();
        if !frame.owns(bytes) {
            return Ok(None);
        }
        if frame.from != *from as u64 && !planted("a sender that is not compared") {
            let text = format!("this is the connection to process {}; its other end is process {}", from, frame.from);
            shared.give_up(*from, LinkFault::Foreign(text));
            return Err(io::ErrorKind::InvalidData.into());
        }
        shared.peer(*from).tick.fetch_max(frame.tick, Ordering::Relaxed);
        Ok(Some(frame.kind))
    }
}

/// Reads from a peer until the limit.
#[derive(Debug)]
struct Patient {
    shared: Arc<Shared>,
    from: usize,
    has_begun: bool,
}

impl Read for Patient {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, TimedOut, WouldBlock};
        let Patient { shared, from, has_begun } = self;
        let peer = shared.peer(*from);
        let limit = if *has_begun { shared.limit } else { shared.limit.max(PATIENCE) };
        let mut silence = Duration::ZERO;
        let fault = loop {
            match peer.way.read(bytes) {
                Ok(0) => break LinkFault::Closed,
                Ok(count) => {
                    if *has_begun {
                        peer.silence.fetch_max(silence.as_micros() as u64, Ordering::Relaxed);
                    }
                    *has_begun = true;
                    return Ok(count);
                }
                Err(error) if matches!(error.kind(), WouldBlock | TimedOut) => {
                    if !planted("a silence that is not added up") {
                        silence += shared.limit / STEPS;
                    }
                    // No matter which: nothing is taken any more.
                    if silence >= limit || shared.stopped.load(Ordering::Relaxed) {
                        break LinkFault::Silent(limit);
                    }
                }
                Err(error) if error.kind() == Interrupted => (),
                Err(error) if matches!(error.kind(), ConnectionReset | ConnectionAborted) => break LinkFault::Closed,
                Err(error) => break LinkFault::Broken(error.to_string()),
            }
        };
        shared.give_up(*from, fault);
        Err(io::ErrorKind::ConnectionAborted.into())
    }
}
